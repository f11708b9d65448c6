/* What the CPU back end would make of kernels whose programs wait for each other: they call sched_yield in
 * every round of a loop that waits. */
#include "failure.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

/* None goes on before all n of them have added 1 to x[0], twice. A program that is missing is a failed
 * assertion. */
void meet(void *const *arguments, const uint32_t *grid, uint64_t first, uint64_t last, void *scratch,
          failure *record) {
  float *x = *(float *const *)arguments[0];
  int32_t *arrived = (int32_t *)x;
  int round;
  (void)scratch;
  for (; first != last; ++first)
    for (round = 1; round <= 2; ++round) {
      __atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);
      /* One of 200 does not do its part. */
      if (grid[0] == 200 && first == 150) {
        fail(record, first, "100% there");
        return;
      }
      while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < round * (int32_t)grid[0]) {
        if (has_failed(record))
          return;
        sched_yield();
      }
      x[1 + first] += (float)round;
    }
}

/* Each waits for the one before: any number of threads will do. x[0] counts those that are done. */
void chain(void *const *arguments, const uint32_t *grid, uint64_t first, uint64_t last, void *scratch,
           failure *record) {
  int32_t *done = *(int32_t *const *)arguments[0];
  (void)record;
  (void)grid;
  (void)scratch;
  for (; first != last; ++first) {
    while (__atomic_load_n(done, __ATOMIC_ACQUIRE) != (int32_t)first)
      sched_yield();
    __atomic_store_n(done, (int32_t)first + 1, __ATOMIC_RELEASE);
  }
}

/* Might wait, but only takes long. x[0] is how many run now, x[1] the most that ever did. */
void crawl(void *const *arguments, const uint32_t *grid, uint64_t first, uint64_t last, void *scratch,
           failure *record) {
  static const struct timespec moment = {0, 20000000};
  int32_t *x = *(int32_t *const *)arguments[0];
  (void)record;
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
