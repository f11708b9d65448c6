/* Kernels that show how many threads are at work. Of the first each program counts itself into x[0] and stays
 * until x[1] is set. */
#include <stdint.h>
#include <time.h>

void hold(void *const *arguments, const uint32_t *grid, uint64_t first, uint64_t last, void *scratch) {
  static const struct timespec moment = {0, 1000000};
  int32_t *x = *(int32_t *const *)arguments[0];
  (void)grid;
  (void)scratch;
  for (; first != last; ++first) {
    __atomic_add_fetch(&x[0], 1, __ATOMIC_ACQ_REL);
    while (!__atomic_load_n(&x[1], __ATOMIC_ACQUIRE))
      nanosleep(&moment, 0);
    ((volatile char *)scratch)[0] = 1;
  }
}

/* Each program takes a millisecond. x[0] is how many run now, x[1] the most that ever did. */
void nap(void *const *arguments, const uint32_t *grid, uint64_t first, uint64_t last, void *scratch) {
  static const struct timespec moment = {0, 1000000};
  int32_t *x = *(int32_t *const *)arguments[0];
  (void)grid;
  (void)scratch;
  for (; first != last; ++first) {
    int32_t now = __atomic_add_fetch(&x[0], 1, __ATOMIC_ACQ_REL),
            most = __atomic_load_n(&x[1], __ATOMIC_ACQUIRE);
    while (now > most &&
           !__atomic_compare_exchange_n(&x[1], &most, now, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      ;
    nanosleep(&moment, 0);
    __atomic_sub_fetch(&x[0], 1, __ATOMIC_ACQ_REL);
  }
}
