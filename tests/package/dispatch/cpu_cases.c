/* Calls on the CPU: results, assertions, programs that wait for each other, the end of the process, closing
 * the library and forks meanwhile. */
#include "dispatch_test.h"

#include <sys/resource.h>
#include <sys/wait.h>

static void test_cpu(void) {
  static const int32_t lengths[] = {0, 2, 63, 64, 65, 1000, 98432, 1000001};
  size_t i;
  for (i = 0; i < sizeof lengths / sizeof *lengths; ++i)
    CHECK(twice_is_right(lengths[i]));
  CHECK(synthetic_load(nrd_cpu_stream()) == NRD_OK);
  synthetic_unload();
  CHECK(twice_is_right(5000));
  CHECK(picky(nrd_cpu_stream(), aligned, 16) == NRD_ERROR_NO_VARIANT);
  CHECK(says("picky") && says("this CPU") && says("cuda:80"));
  CHECK(twice(nrd_cpu_stream(), NULL, NULL, 0) == NRD_OK);
  CHECK(twice(nrd_cpu_stream(), NULL, NULL, 100) == NRD_ERROR_INVALID_ARGUMENT &&
        says("'x' is a null pointer") && says("without elements any aligned address will do"));
  CHECK(twice(nrd_cpu_stream(), (float *)0x10002, aligned, 100) == NRD_ERROR_INVALID_ARGUMENT &&
        says("not aligned to its elements"));
  CHECK(twice(nrd_cpu_stream(), aligned, aligned, -1000) == NRD_ERROR_INVALID_ARGUMENT && says("gives -15"));
}

static void *call_many_times(void *count) {
  static const int32_t lengths[] = {130, 6400, 77, 300000};
  intptr_t wrong = 0;
  int i;
  for (i = 0; i < *(int *)count; ++i)
    wrong += !twice_is_right(lengths[i % 4]);
  return (void *)wrong;
}

static void test_cpu_threads(void) {
  pthread_t threads[8];
  int count = 100;
  start_threads(threads, 8, call_many_times, &count);
  join_threads(threads, 8);
}

static void test_cpu_assertion(void) {
  static float x[1000001], y[1000002];
  static const int32_t lengths[] = {2, 64, 200, 98432, 1000001};
  size_t i, j;
  for (i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    int32_t n = lengths[i], last = (n - 1) / 64;
    char place[100];
    memset(x, 0, sizeof x);
    x[last * 64] = -1;
    CHECK(twice(nrd_cpu_stream(), x, y, n) == NRD_ERROR_ASSERTION);
    snprintf(place, sizeof place,
             "kernels/synthetic.py:7: assertion failed in program (%d, 0, 0): not negative", last);
    CHECK(says("twice: ") && says(place));
    /* The next call knows nothing of it. */
    CHECK(twice_is_right(n));
  }
  /* The thread that sees it begins no other program. */
  memset(x, 0, sizeof x);
  x[0] = -1;
  for (j = 0; j < sizeof y / sizeof *y; ++j)
    y[j] = 7;
  CHECK(twice(nrd_cpu_stream(), x, y, 1000001) == NRD_ERROR_ASSERTION);
  CHECK(y[0] == 7 && y[64] == 7);
  /* Programs that wait for the one that failed end, too. */
  CHECK(meet(nrd_cpu_stream(), x, 200) == NRD_ERROR_ASSERTION && says("(150, 0, 0): 100% there"));
}

static void test_cpu_waiting(void) {
  /* Four threads would wait for ever, if programs had to share them. */
  static float x[301];
  int n, i;
  for (n = 1; n <= 300; n = n * 3 + 1) {
    memset(x, 0, sizeof x);
    CHECK(meet(nrd_cpu_stream(), x, n) == NRD_OK);
    for (i = 0; i < 300; ++i)
      CHECK(x[1 + i] == (i < n ? 3 : 0));
  }
}

/* For a library that was compiled to give up at 64 threads, after a while. */
static void test_cpu_waiting_limit(void) {
  static float x[1001];
  int32_t counters[2] = {0, 0};
  CHECK(meet(nrd_cpu_stream(), x, 1000) == NRD_ERROR_OUT_OF_RESOURCES);
  CHECK(says("meet: its programs wait for each other, and of the 1000 in this grid only 64 can run at once"));
  memset(x, 0, sizeof x);
  CHECK(meet(nrd_cpu_stream(), x, 60) == NRD_OK && x[60] == 3);
  /* More programs than threads are fine where the first ones need no others. */
  CHECK(chain(nrd_cpu_stream(), (float *)counters, 20000) == NRD_OK && counters[0] == 20000);
  CHECK(twice_is_right(100000));
}

/* The same where the system has no memory for more stacks. */
static void test_cpu_waiting_no_threads(void) {
  static float x[1001];
  struct rlimit limit;
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(twice_is_right(100000)); /* Starts the workers. */
  CHECK(file && fscanf(file, "%ld", &pages) == 1);
  if (file)
    fclose(file);
  CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
  limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + 160000000;
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  CHECK(meet(nrd_cpu_stream(), x, 1000) == NRD_ERROR_OUT_OF_RESOURCES);
  CHECK(says("can run at once: the system starts no more threads"));
  CHECK(twice_is_right(100000));
}

/* Programs that take long are not programs that wait: they get no more threads than others. */
static void test_cpu_waiting_slowly(void) {
  int32_t x[2] = {0, 0};
  CHECK(crawl(nrd_cpu_stream(), (float *)x, 40) == NRD_OK);
  CHECK(x[0] == 0 && x[1] >= 1 && x[1] <= 4);
}

/* The process ends while calls run: one that never returns, and one after the other. */
static void *call_for_ever(void *unused) {
  (void)unused;
  for (;;)
    twice_is_right(20000);
}
static void test_cpu_exit(void) {
  pthread_t thread;
  start_holding(NULL);
  CHECK(pthread_create(&thread, NULL, call_for_ever, NULL) == 0);
  usleep(20000);
}

/* The library is closed while a call runs, and opened again, many times. */
static void *release_later(void *unused) {
  (void)unused;
  usleep(50000);
  __atomic_store_n(&held[1], 1, __ATOMIC_RELEASE);
  return NULL;
}
static void test_cpu_close(void) {
  int i;
  for (i = 0; i < 10; ++i) {
    void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL), *result = NULL;
    void *function = library ? dlsym(library, "synthetic_hold") : NULL;
    pthread_t thread, releaser;
    CHECK(function != NULL);
    if (!function)
      return;
    thread = start_holding(&function);
    CHECK(pthread_create(&releaser, NULL, release_later, NULL) == 0);
    CHECK(dlclose(library) == 0);
    CHECK(__atomic_load_n(&held[1], __ATOMIC_ACQUIRE) == 1);
    pthread_join(thread, &result);
    pthread_join(releaser, NULL);
    CHECK((intptr_t)result == NRD_OK && held[0] == 8);
  }
  CHECK(dlopen(library_path, RTLD_NOW | RTLD_NOLOAD) == NULL);
}

/* Has all workers run something and go back to sleep. AddressSanitizer's allocator takes locks when a thread
 * starts or allocates, and those of GCC 12 hang a child that is forked at such a moment. */
static void settle_workers(void) {
  pthread_t holder = start_holding(NULL);
  __atomic_store_n(&held[1], 1, __ATOMIC_RELEASE);
  pthread_join(holder, NULL);
}

static void test_cpu_fork(void) {
  int status = -1;
  pid_t child;
  CHECK(twice_is_right(100000));
  settle_workers();
  child = fork();
  if (child == 0)
    exit(twice_is_right(100000) ? 0 : 1);
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(twice_is_right(100000));
}

const test_case cpu_cases[] = {{"cpu", test_cpu},
                               {"cpu_threads", test_cpu_threads},
                               {"cpu_assertion", test_cpu_assertion},
                               {"cpu_waiting", test_cpu_waiting},
                               {"cpu_waiting_limit", test_cpu_waiting_limit},
                               {"cpu_waiting_no_threads", test_cpu_waiting_no_threads},
                               {"cpu_waiting_slowly", test_cpu_waiting_slowly},
                               {"cpu_exit", test_cpu_exit},
                               {"cpu_close", test_cpu_close},
                               {"cpu_fork", test_cpu_fork},
                               {NULL, NULL}};
