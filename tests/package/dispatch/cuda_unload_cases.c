/* What goes on beside launches on CUDA: unloading, closing the library, the end of the process, forks. */
#include "dispatch_test.h"

/* Threads launch, load, unload, and have contexts replaced on which nobody is in a call. */
static int threads_should_end;
#define CONTEXT_LOCK PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
static pthread_rwlock_t contexts[FAKE_CONTEXTS] = {CONTEXT_LOCK, CONTEXT_LOCK, CONTEXT_LOCK, CONTEXT_LOCK};
static void *launch_for_long(void *argument) {
  intptr_t wrong = 0;
  unsigned i = (unsigned)(intptr_t)argument;
  while (!__atomic_load_n(&threads_should_end, __ATOMIC_RELAXED)) {
    static const int usable[] = {0, 1, 3};
    int context = usable[i++ / 4 % 3];
    pthread_rwlock_rdlock(&contexts[context]);
    wrong += twice(cuda(context), i % 5 ? aligned : unaligned, aligned, 160) != NRD_OK;
    wrong += i % 7 == 0 && mixed(cuda(context), aligned) != NRD_OK;
    wrong += i % 1000 == 0 && synthetic_load(cuda(context)) != NRD_OK;
    pthread_rwlock_unlock(&contexts[context]);
  }
  return (void *)wrong;
}
static void run_unload_threads(void) {
  pthread_t threads[6];
  int i;
  start_threads(threads, 6, launch_for_long, NULL);
  for (i = 0; i < 200; ++i) {
    int context = i % 2;
    synthetic_unload();
    usleep(i % 5 * 500);
    if (i % 3 == 0) {
      pthread_rwlock_wrlock(&contexts[context]);
      __atomic_add_fetch(&fake->context_id[context], 1000, __ATOMIC_SEQ_CST);
      pthread_rwlock_unlock(&contexts[context]);
    }
  }
  __atomic_store_n(&threads_should_end, 1, __ATOMIC_RELAXED);
  join_threads(threads, 6);
  CHECK(fake->stale == 0);
  synthetic_unload();
  CHECK(fake->loads > 50 && fake->context_depth == 0);
}
/* More threads than have counters of their own. */
static pthread_barrier_t crowd;
static void *launch_in_crowd(void *argument) {
  intptr_t wrong = 0;
  int i, context = (int)(intptr_t)argument % 2;
  pthread_barrier_wait(&crowd);
  for (i = 0; i < 100; ++i)
    wrong += mixed(cuda(context), aligned) != NRD_OK;
  pthread_barrier_wait(&crowd);
  return (void *)wrong;
}
static void test_cuda_crowd(void) {
  enum { count = 400 };
  static pthread_t threads[count];
  int i;
  open_fake("libcuda.so.1");
  CHECK(mixed(cuda(0), aligned) == NRD_OK);
  pthread_barrier_init(&crowd, NULL, count);
  start_threads(threads, count, launch_in_crowd, NULL);
  for (i = 0; i < 20; ++i) {
    synthetic_unload();
    usleep(500);
  }
  join_threads(threads, count);
  synthetic_unload();
  CHECK(fake->stale == 0 && fake->loads == fake->unloads && fake->context_depth == 0);
}

static void test_cuda_unload_threads(void) {
  open_fake("libcuda.so.1");
  run_unload_threads();
  CHECK(!HAS_LIBRARIES || fake->loads == fake->unloads);
}
static void test_cuda_unload_threads_uniform(void) {
  open_fake("libcuda.so.1");
  make_devices_alike();
  run_unload_threads();
  CHECK(!HAS_LIBRARIES || fake->loads == fake->unloads);
}
/* Modules go with their contexts. */
static void test_cuda_eager_unload_threads(void) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  open_fake("libcuda.so.1");
  run_unload_threads();
}

/* Unload waits for a launch that another thread is in, not for those that begin later. */
static int unloaded;
static void *unload_all(void *unused) {
  (void)unused;
  synthetic_unload();
  __atomic_store_n(&unloaded, 1, __ATOMIC_SEQ_CST);
  return NULL;
}
static void *launch_slowly(void *function) {
  nrd_status (*call)(nrd_stream, float *) = synthetic_mixed;
  if (function)
    memcpy(&call, function, sizeof call);
  return (void *)(intptr_t)call(cuda(0), aligned);
}
static void wait_for_launch(void) {
  while (__atomic_load_n(&fake->launch_waits, __ATOMIC_SEQ_CST) == 1)
    usleep(1000);
}
static void test_cuda_unload_waits(void) {
  pthread_t launcher, unloader;
  void *result = NULL;
  open_fake("libcuda.so.1");
  CHECK(mixed(cuda(0), aligned) == NRD_OK && fake->loads == 1);
  fake->launch_waits = 1;
  CHECK(pthread_create(&launcher, NULL, launch_slowly, NULL) == 0);
  wait_for_launch();
  CHECK(pthread_create(&unloader, NULL, unload_all, NULL) == 0);
  usleep(50000);
  CHECK(!__atomic_load_n(&unloaded, __ATOMIC_SEQ_CST) && fake->unloads == 0);
  __atomic_store_n(&fake->launch_waits, 0, __ATOMIC_SEQ_CST);
  pthread_join(unloader, NULL);
  pthread_join(launcher, &result);
  CHECK((intptr_t)result == NRD_OK && fake->unloads == fake->loads && fake->stale == 0);
}

/* However many calls begin while unload waits. */
static void *launch_gated(void *context) {
  return (void *)(intptr_t)mixed(cuda((int)(intptr_t)context), aligned);
}
static void test_cuda_unload_later_calls(void) {
  enum { later = 8 };
  pthread_t first, unloader, others[later];
  void *result = NULL;
  int i;
  open_fake("libcuda.so.1");
  fake->gate[0] = fake->gate[1] = 1;
  CHECK(pthread_create(&first, NULL, launch_gated, (void *)0) == 0);
  while (__atomic_load_n(&fake->gate[0], __ATOMIC_SEQ_CST) == 1)
    usleep(1000);
  CHECK(pthread_create(&unloader, NULL, unload_all, NULL) == 0);
  usleep(20000);
  for (i = 0; i < later; ++i)
    CHECK(pthread_create(&others[i], NULL, launch_gated, (void *)1) == 0);
  while (__atomic_load_n(&fake->gate[1], __ATOMIC_SEQ_CST) < 1 + later)
    usleep(1000);
  __atomic_store_n(&fake->gate[0], 0, __ATOMIC_SEQ_CST);
  alarm(60);
  pthread_join(unloader, NULL);
  pthread_join(first, &result);
  CHECK((intptr_t)result == NRD_OK && fake->unloads == 1);
  __atomic_store_n(&fake->gate[1], 0, __ATOMIC_SEQ_CST);
  for (i = 0; i < later; ++i) {
    pthread_join(others[i], &result);
    CHECK((intptr_t)result == NRD_OK);
  }
  CHECK(fake->loads == 2 && fake->stale == 0);
}

/* Closing the library waits for launches, and gives everything back. */
static void *release_launch(void *unused) {
  (void)unused;
  usleep(50000);
  __atomic_store_n(&fake->launch_waits, 0, __ATOMIC_SEQ_CST);
  return NULL;
}
static void test_cuda_close(void) {
  int i;
  open_fake("libcuda.so.1");
  for (i = 0; i < 10; ++i) {
    void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL), *result = NULL;
    void *function = library ? dlsym(library, "synthetic_mixed") : NULL;
    pthread_t launcher, releaser;
    CHECK(function != NULL);
    if (!function)
      return;
    fake->launch_waits = 1;
    CHECK(pthread_create(&launcher, NULL, launch_slowly, &function) == 0);
    wait_for_launch();
    CHECK(pthread_create(&releaser, NULL, release_launch, NULL) == 0);
    CHECK(dlclose(library) == 0);
    CHECK(__atomic_load_n(&fake->launch_waits, __ATOMIC_SEQ_CST) == 0);
    CHECK(fake->loads == i + 1 && fake->unloads == i + 1 && fake->stale == 0);
    pthread_join(launcher, &result);
    pthread_join(releaser, NULL);
    CHECK((intptr_t)result == NRD_OK);
  }
  CHECK(dlopen(library_path, RTLD_NOW | RTLD_NOLOAD) == NULL);
}

/* The process ends while launches run: one that never returns, and one after the other. The driver is left
 * alone. */
static int *unloads_at_exit;
static void check_unloads(void) {
  if (*unloads_at_exit)
    _exit(1);
}
static void test_cuda_exit(void) {
  pthread_t thread;
  open_fake("libcuda.so.1");
  CHECK(mixed(cuda(0), aligned) == NRD_OK);
  fake->launch_waits = 1;
  CHECK(pthread_create(&thread, NULL, launch_slowly, NULL) == 0);
  wait_for_launch();
  unloads_at_exit = &fake->unloads;
  atexit(check_unloads);
  alarm(60);
}

/* A child that was forked while another thread loads, or calls, may use the library, and ends. */
static int use_nothing(void) { return 1; }
static int use_all(void) {
  fake->load_waits = 0;
  return twice(cuda(1), aligned, aligned, 160) == NRD_OK && twice_is_right(50000);
}
static void test_fork_during_load(void) {
  pthread_t loader, holder;
  void *result = NULL;
  open_fake("libcuda.so.1");
  fake->load_waits = 1;
  CHECK(pthread_create(&loader, NULL, load_slowly, NULL) == 0);
  while (__atomic_load_n(&fake->load_waits, __ATOMIC_SEQ_CST) == 1)
    usleep(1000);
  holder = start_holding(NULL);
  CHECK(child_succeeds(use_nothing));
  CHECK(child_succeeds(use_all));
  __atomic_store_n(&fake->load_waits, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&held[1], 1, __ATOMIC_RELEASE);
  pthread_join(loader, &result);
  CHECK((intptr_t)result == NRD_OK);
  pthread_join(holder, &result);
  CHECK((intptr_t)result == NRD_OK && twice_is_right(50000));
}

/* A child begins as if nothing was loaded, even if the parent was in the middle of everything. */
static int use_cuda(void) {
  fake->launch_waits = 0;
  if (mixed(cuda(0), aligned) != NRD_OK || fake->loads != 2)
    return 0;
  synthetic_unload();
  return fake->unloads == 1 && fake->stale == 0;
}
static void test_cuda_fork(void) {
  pthread_t launcher, unloader;
  void *result = NULL;
  open_fake("libcuda.so.1");
  CHECK(mixed(cuda(0), aligned) == NRD_OK);
  fake->launch_waits = 1;
  CHECK(pthread_create(&launcher, NULL, launch_slowly, NULL) == 0);
  wait_for_launch();
  CHECK(child_succeeds(use_cuda));
  CHECK(pthread_create(&unloader, NULL, unload_all, NULL) == 0);
  usleep(20000);
  CHECK(child_succeeds(use_cuda));
  __atomic_store_n(&fake->launch_waits, 0, __ATOMIC_SEQ_CST);
  pthread_join(launcher, &result);
  pthread_join(unloader, NULL);
  CHECK((intptr_t)result == NRD_OK && fake->loads == 1 && fake->unloads == 1);
}

const test_case cuda_unload_cases[] = {{"cuda_crowd", test_cuda_crowd},
                                       {"cuda_unload_threads", test_cuda_unload_threads},
                                       {"cuda_unload_waits", test_cuda_unload_waits},
                                       {"cuda_unload_threads_uniform", test_cuda_unload_threads_uniform},
                                       {"cuda_unload_later_calls", test_cuda_unload_later_calls},
                                       {"cuda_eager_unload_threads", test_cuda_eager_unload_threads},
                                       {"cuda_close", test_cuda_close},
                                       {"cuda_exit", test_cuda_exit},
                                       {"cuda_fork", test_cuda_fork},
                                       {"fork_during_load", test_fork_during_load},
                                       {NULL, NULL}};
