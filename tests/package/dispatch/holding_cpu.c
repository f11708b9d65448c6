/* A kernel that runs for as long as a test wants: each program counts itself into x[0] and stays until x[1]
 * is set. */
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
