/* What gpu_runtime.c and several_gpus.c have in common: checks, arrays whose contents tell how many launches
 * there were, threads that launch while the library is unloaded, and a list of cases. */
#ifndef LAUNCH_GPU_CASES_H
#define LAUNCH_GPU_CASES_H

#include "driver.h"
#include "runtime_kernels.h"

#include <pthread.h>
#include <unistd.h>

static int case_failures; /* atomic */
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      printf("  %d: not true: %s (last error: %s)\n", __LINE__, #condition, runtime_kernels_last_error());   \
      __atomic_add_fetch(&case_failures, 1, __ATOMIC_RELAXED);                                               \
    }                                                                                                        \
  } while (0)

enum { LENGTH = 4096 };

/* LENGTH numbers on the current context's device, all 0. */
static uint64_t make_numbers(void) {
  uint64_t memory = 0;
  CHECK(driver.allocate(&memory, LENGTH * sizeof(float)) == 0);
  CHECK(driver.set_memory(memory, 0, LENGTH) == 0 && driver.synchronize() == 0);
  return memory;
}
/* True if all of them are this. */
static int are(uint64_t memory, float value) {
  static __thread float numbers[LENGTH];
  int i, right = driver.synchronize() == 0 && driver.copy_to_host(numbers, memory, sizeof numbers) == 0;
  for (i = 0; i < LENGTH; ++i)
    right &= numbers[i] == value;
  if (!right)
    printf("  the first is %g, not %g\n", (double)numbers[0], (double)value);
  return right;
}
static nrd_status bump_all(void *stream, uint64_t memory) {
  return bump(nrd_cuda_stream(stream), (float *)memory, LENGTH);
}

typedef struct worker {
  pthread_t thread;
  void *context;
  long launched, failed;
  int right;
} worker;
static int should_end;
static void *launch_on(void *argument) {
  worker *self = argument;
  uint64_t x;
  void *stream;
  driver.set_current(self->context);
  driver.create_stream(&stream, 1);
  x = make_numbers();
  while (!__atomic_load_n(&should_end, __ATOMIC_RELAXED) && self->launched < 1000000) {
    if (bump_all(stream, x) == NRD_OK)
      ++self->launched;
    else if (!self->failed++)
      printf("  %s\n", runtime_kernels_last_error());
    if (self->launched % 500 == 0)
      driver.wait_for_stream(stream);
  }
  self->right = are(x, (float)self->launched);
  driver.release(x);
  driver.destroy_stream(stream);
  return NULL;
}
/* What runs on the GPU is left alone when its code is unloaded, and nothing that is launched gets lost. */
static void run_workers(void **contexts, int count, int unloads) {
  worker workers[16];
  long launched = 0;
  int i;
  memset(workers, 0, sizeof workers);
  __atomic_store_n(&should_end, 0, __ATOMIC_RELAXED);
  for (i = 0; i < 8; ++i) {
    workers[i].context = contexts[i % count];
    pthread_create(&workers[i].thread, NULL, launch_on, &workers[i]);
  }
  for (i = 0; i < unloads; ++i) {
    usleep(2000);
    runtime_kernels_unload();
  }
  usleep(200000);
  __atomic_store_n(&should_end, 1, __ATOMIC_RELAXED);
  for (i = 0; i < 8; ++i) {
    pthread_join(workers[i].thread, NULL);
    launched += workers[i].launched;
    CHECK(workers[i].failed == 0 && workers[i].right);
  }
  printf("  %ld launches beside %d unloads\n", launched, unloads);
}
typedef struct gpu_case {
  const char *name;
  void (*run)(void);
} gpu_case;

/* Returns how many failed. */
static int run_cases(const gpu_case *cases, size_t count) {
  size_t i;
  int failures = 0;
  for (i = 0; i < count; ++i) {
    case_failures = 0;
    cases[i].run();
    printf("%s: %s\n", cases[i].name, case_failures ? "FAILED" : "passed");
    fflush(stdout);
    failures += case_failures != 0;
  }
  return failures;
}

#endif
