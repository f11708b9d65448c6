/* Calls the library that MakeLibrary.cpp made, and checks what reaches the (fake) drivers. One case a run,
 * named by the first argument, because a process opens a driver once. The second is a copy of the library, to
 * be opened and closed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fake_driver.h"
#include "synthetic.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef HAS_LIBRARIES
#define HAS_LIBRARIES 0 /* or modules */
#endif

static int failures;
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: not true: %s\n    last error: %s\n", __FILE__, __LINE__, #condition,           \
              synthetic_last_error());                                                                       \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (0)

static int says(const char *words) { return strstr(synthetic_last_error(), words) != NULL; }

static fake_state *fake;
static void open_fake(const char *name) {
  void *library = dlopen(name, RTLD_NOW);
  fake_state *(*state_of)(void) = library ? (fake_state * (*)(void)) dlsym(library, "fake_state_of") : NULL;
  if (!state_of) {
    fprintf(stderr, "%s is not the fake driver\n", name);
    exit(1);
  }
  fake = state_of();
}
static const fake_launch *last_launch(void) { return &fake->launch[(fake->launches - 1) % FAKE_LAUNCHES]; }
static int ran(const char *image) {
  return fake->launches > 0 && !strncmp(last_launch()->image, image, strlen(image));
}

/* Addresses that are only passed along: divisible by 16, and by 4 alone. */
static float *const aligned = (float *)0x10000, *const unaligned = (float *)0x20004;
static nrd_stream cuda(int context) { return nrd_cuda_stream((void *)(intptr_t)(16 + context)); }
static nrd_stream hip(int device) { return nrd_hip_stream((void *)(intptr_t)(16 + device)); }

/* ---- CPU ---- */

static int expected_level(void) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return 4;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")
             ? 3
             : 2;
}

static int twice_is_right(int32_t n) {
  float *x = malloc(((size_t)n + 1) * sizeof *x), *y = malloc(((size_t)n + 1) * sizeof *y);
  int32_t i;
  int right;
  for (i = 0; i < n; ++i)
    x[i] = (float)i;
  for (i = 0; i <= n; ++i)
    y[i] = -1;
  right = twice(nrd_cpu_stream(), x, y, n) == NRD_OK;
  for (i = 0; i < n; ++i)
    right &= y[i] == 2 * x[i];
  right &= y[n] == (n ? (float)expected_level() : -1);
  free(x);
  free(y);
  return right;
}

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
        says("'x' is a null pointer"));
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
  int i, count = 100;
  for (i = 0; i < 8; ++i)
    CHECK(pthread_create(&threads[i], NULL, call_many_times, &count) == 0);
  for (i = 0; i < 8; ++i) {
    void *wrong = NULL;
    pthread_join(threads[i], &wrong);
    CHECK(wrong == NULL);
  }
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

/* x[0] counts programs in, and x[1] lets them go. */
static int32_t held[2];
static void *call_hold(void *function) {
  nrd_status (*call)(nrd_stream, float *, int32_t) = synthetic_hold;
  if (function)
    memcpy(&call, function, sizeof call);
  return (void *)(intptr_t)call(nrd_cpu_stream(), (float *)held, 8);
}
static int32_t thread_count(void) {
  const char *text = getenv("NEREID_NUM_THREADS");
  return text ? atoi(text) : (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
}
/* Returns once every thread that can hold a program does. */
static pthread_t start_holding(void *function) {
  pthread_t thread;
  int32_t count = thread_count();
  memset(held, 0, sizeof held);
  CHECK(pthread_create(&thread, NULL, call_hold, function) == 0);
  while (__atomic_load_n(&held[0], __ATOMIC_ACQUIRE) < (count < 8 ? count : 8))
    usleep(1000);
  return thread;
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
static const char *library_path;
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

/* A child that was forked while another thread loads, or calls, may use the library, and ends. */
static int child_succeeds(int (*run)(void)) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    exit(run() ? 0 : 1);
  }
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
static int use_nothing(void) { return 1; }
static int use_all(void) {
  fake->load_waits = 0;
  return twice(cuda(1), aligned, aligned, 160) == NRD_OK && twice_is_right(50000);
}
static void *load_slowly(void *unused) {
  (void)unused;
  return (void *)(intptr_t)twice(cuda(0), aligned, aligned, 160);
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

/* Threads by the processor time that a control group has. The library sees files under `file_root`, and 16
 * processors. */
static const char *file_root;
FILE *redirected_fopen(const char *path, const char *mode);
FILE *redirected_fopen(const char *path, const char *mode) {
  char name[4500];
  snprintf(name, sizeof name, "%s%s", file_root ? file_root : "", path);
  return fopen(name, mode);
}
int many_processors(pid_t process, size_t size, cpu_set_t *set);
int many_processors(pid_t process, size_t size, cpu_set_t *set) {
  int i, result = sched_getaffinity(process, size, set);
  for (i = 0; file_root && i < 16; ++i)
    CPU_SET(i, set);
  return file_root ? 0 : result;
}
static void test_cpu_quota(void) {
  static const struct {
    const char *groups;      /* /proc/self/cgroup */
    const char *files[4][2]; /* under /sys/fs/cgroup, and their contents */
    uint32_t threads;
  } cases[] = {
      {NULL, {{NULL}}, 16},
      {"0::/\n", {{NULL}}, 16},
      /* Version 2: no limit, one, one and a half, many, and what cannot be read. */
      {"0::/\n", {{"cpu.max", "max 100000\n"}}, 16},
      {"0::/\n", {{"cpu.max", "100000 100000\n"}}, 1},
      {"0::/\n", {{"cpu.max", "150000 100000\n"}}, 2},
      {"0::/\n", {{"cpu.max", "1000 100000\n"}}, 1},
      {"0::/\n", {{"cpu.max", "6400000 100000\n"}}, 16},
      {"0::/\n", {{"cpu.max", "9223372036854775807 1\n"}}, 16},
      {"0::/\n", {{"cpu.max", "nonsense\n"}}, 16},
      {"0::/\n", {{"cpu.max", "300000 0\n"}}, 16},
      {"nonsense\n0::\n", {{"cpu.max", "300000 100000\n"}}, 3},
      /* The least on the way to the root. */
      {"0::/a.slice/b\n", {{"a.slice/b/cpu.max", "700000 100000"}, {"cpu.max", "max 100000"}}, 7},
      {"0::/a.slice/b\n",
       {{"a.slice/b/cpu.max", "700000 100000"},
        {"a.slice/cpu.max", "250000 50000"},
        {"cpu.max", "900000 100000"}},
       5},
      {"0::/a.slice/b\n", {{"a.slice/b/cpu.max", "max 100000"}, {"a.slice/cpu.max", "250000 50000"}}, 5},
      {"0::/a.slice/b\n", {{"a.slice/c/cpu.max", "100000 100000"}}, 16},
      /* The path is the host's. */
      {"0::/docker/5f2c\n", {{"cpu.max", "400000 100000"}}, 4},
      /* Version 1, and both. */
      {"3:cpuset:/\n2:cpu,cpuacct:/docker/5f2c\n1:name=systemd:/\n",
       {{"cpu,cpuacct/docker/5f2c/cpu.cfs_quota_us", "350000\n"},
        {"cpu,cpuacct/docker/5f2c/cpu.cfs_period_us", "100000\n"},
        {"cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
        {"cpu,cpuacct/cpu.cfs_period_us", "100000\n"}},
       4},
      {"2:cpuacct,cpu:/x\n0::/\n",
       {{"cpu/cpu.cfs_quota_us", "100000"}, {"cpu/cpu.cfs_period_us", "50000"}},
       2},
      {"2:cpu:/\n", {{"cpu/cpu.cfs_quota_us", "-1"}, {"cpu/cpu.cfs_period_us", "50000"}}, 16},
      {"2:cpu:/\n", {{"cpu/cpu.cfs_quota_us", "200000"}}, 16},
      {"2:cpuset,cpuacct:/\n", {{"cpu/cpu.cfs_quota_us", "100000"}, {"cpu/cpu.cfs_period_us", "50000"}}, 16},
      {"2:cpu:/\n0::/\n",
       {{"cpu/cpu.cfs_quota_us", "600000"}, {"cpu/cpu.cfs_period_us", "100000"}, {"unified/cpu.max", "3 1"}},
       3}};
  char root[] = "/tmp/nereid_quota_XXXXXX", command[600];
  size_t i, k;
  CHECK(unsetenv("NEREID_NUM_THREADS") == 0 && mkdtemp(root) != NULL);
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    snprintf(command, sizeof command, "rm -rf %s/* && mkdir -p %s/proc/self", root, root);
    CHECK(system(command) == 0);
    for (k = 0; k < 5; ++k) {
      const char *contents = k < 4 ? cases[i].files[k][1] : cases[i].groups;
      char path[300];
      FILE *file;
      if (!contents)
        continue;
      snprintf(path, sizeof path, "%s/%s%s", root, k < 4 ? "sys/fs/cgroup/" : "proc/self/cgroup",
               k < 4 ? cases[i].files[k][0] : "");
      snprintf(command, sizeof command, "mkdir -p $(dirname '%s')", path);
      CHECK(system(command) == 0 && (file = fopen(path, "w")) != NULL && fputs(contents, file) >= 0 &&
            fclose(file) == 0);
    }
    file_root = root;
    CHECK(synthetic_set_num_threads(0) == NRD_OK);
    if (synthetic_num_threads() != cases[i].threads) {
      fprintf(stderr, "case %zu: %u threads\n", i, synthetic_num_threads());
      ++failures;
    }
    /* What is asked for counts as it is. */
    CHECK(synthetic_set_num_threads(9) == NRD_OK && synthetic_num_threads() == 9);
    file_root = NULL;
  }
  snprintf(command, sizeof command, "rm -rf %s", root);
  CHECK(system(command) == 0 && twice_is_right(100000));
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

/* ---- No driver, no device ---- */

static void test_no_driver(void) {
  CHECK(twice(cuda(0), aligned, aligned, 100) == NRD_ERROR_NO_DRIVER && says("twice") &&
        says("libcuda.so.1"));
  CHECK(twice(hip(0), aligned, aligned, 100) == NRD_ERROR_NO_DRIVER && says("libamdhip64.so"));
  CHECK(synthetic_load(cuda(0)) == NRD_ERROR_NO_DRIVER);
  CHECK(twice_is_right(1000));
}

static void test_no_device(void) {
  open_fake("libcuda.so.1");
  fake->init_result = 100;
  CHECK(twice(cuda(0), aligned, aligned, 100) == NRD_ERROR_NO_DEVICE && says("CUDA_ERROR_NO_DEVICE"));
  /* A device that appears later is found. */
  fake->init_result = 0;
  CHECK(twice(cuda(0), aligned, aligned, 100) == NRD_OK);
  open_fake("libamdhip64.so");
  fake->device_count = 0;
  CHECK(twice(hip(0), aligned, aligned, 100) == NRD_ERROR_NO_DEVICE);
}

/* For a library that allocates through this. */
static int has_no_memory;
void *failing_calloc(size_t count, size_t size);
void *failing_calloc(size_t count, size_t size) { return has_no_memory ? NULL : calloc(count, size); }
static void test_no_memory(void) {
  has_no_memory = 1;
  open_fake("libcuda.so.1");
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_ERROR_OUT_OF_RESOURCES && says("twice: out of memory"));
  CHECK(synthetic_load(cuda(0)) == NRD_ERROR_OUT_OF_RESOURCES && says("synthetic_load: out of memory"));
  has_no_memory = 0;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK);
  /* What is there needs no more. */
  has_no_memory = 1;
  CHECK(mixed(cuda(0), aligned) == NRD_OK);
  open_fake("libamdhip64.so");
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_ERROR_OUT_OF_RESOURCES && says("twice: out of memory"));
  has_no_memory = 0;
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK);
}

/* ---- CUDA ---- */

static void test_cuda_choice(void) {
  nrd_dim3 grid = {3, 2, 1};
  char text[1000];
  open_fake("libcuda.so.1");
  /* Traits: all hold; a pointer that is not aligned; n == 1 beats nothing; n == 16. */
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:90a|cubin"));
  CHECK(last_launch()->grid[0] == 3 && last_launch()->grid[1] == 1 && last_launch()->block == 128);
  CHECK(last_launch()->context == 0 && last_launch()->stream == cuda(0).handle && last_launch()->shared == 0);
  CHECK(last_launch()->argument == aligned && !strcmp(last_launch()->symbol, "twice"));
  CHECK(twice(cuda(0), unaligned, aligned, 160) == NRD_OK && ran("twice|*fp32, *fp32, i32, 64|cuda:90a"));
  CHECK(twice(cuda(0), aligned, aligned, 161) == NRD_OK && ran("twice|*fp32, *fp32, i32, 64|cuda:90a"));
  CHECK(twice(cuda(0), unaligned, aligned, 1) == NRD_OK && ran("twice|*fp32, *fp32, i32:1, 64|cuda:90a"));
  /* Architectures: 8.0 exactly; 7.5 has nothing; 10.0 exactly; then 8.6, 9.1 and 12.0. */
  CHECK(twice(cuda(1), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:80|cubin"));
  CHECK(last_launch()->context == 1);
  CHECK(twice(cuda(2), aligned, aligned, 160) == NRD_ERROR_NO_VARIANT);
  CHECK(says("Fake GPU 2") && says("7.5") && says("cuda:90a") && says("n=160"));
  CHECK(twice(cuda(3), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:100|cubin"));
  synthetic_unload();
  CHECK(fake->unloads == fake->loads && fake->context_depth == 0);
  fake->capability[1] = 86;
  fake->capability[2] = 91;
  fake->capability[3] = 120;
  CHECK(twice(cuda(1), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:80|cubin"));
  CHECK(twice(cuda(2), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:80|ptx"));
  CHECK(twice(cuda(3), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:100|ptx"));
  /* The architecture comes before the traits. */
  CHECK(mixed(cuda(0), aligned) == NRD_OK && ran("mixed|*fp32|cuda:90a"));
  CHECK(mixed(cuda(1), aligned) == NRD_OK && ran("mixed|*fp32:16|cuda:80"));
  /* Grids of the variant's own, and of the caller. */
  CHECK(tiled(cuda(0), aligned, 1000) == NRD_OK && last_launch()->grid[0] == 8 &&
        last_launch()->grid[1] == 7);
  CHECK(tiled(cuda(0), unaligned, 1000) == NRD_OK && last_launch()->grid[0] == 32);
  CHECK(tiled_grid(cuda(0), grid, unaligned, 1000) == NRD_OK && last_launch()->grid[0] == 3);
  CHECK(named_grid(cuda(2), grid, (nrd_f16 *)aligned, 1, 2) == NRD_OK &&
        ran("named|*fp16, i32, i32|cuda:75|ptx"));
  /* Explained, and overridden. */
  CHECK(mixed_explain(cuda(0), aligned, text, sizeof text) == NRD_OK &&
        strstr(text, "variant 1 runs, '*fp32' for cuda:90a") &&
        strstr(text, "'*fp32:16', accepts the call too, but its code is for an older architecture"));
  CHECK(mixed_force(cuda(0), 0, aligned) == NRD_OK && ran("mixed|*fp32:16|cuda:80"));
  CHECK(mixed_force(cuda(0), 0, unaligned) == NRD_ERROR_NO_VARIANT && says("x is divisible by 16"));
}

static void test_cuda_tensor_maps(void) {
  nrd_f16 *x = (nrd_f16 *)aligned;
  const fake_map *wide, *narrow, *line, *batch;
  int launches, encodings;
  open_fake("libcuda.so.1");
  CHECK(tiles(cuda(0), x, 100, 16, 1) == NRD_OK && ran("tiles|*fp16, i32, i32, i32:1|cuda:90a|cubin"));
  wide = &last_launch()->maps[0];
  narrow = &last_launch()->maps[1];
  /* Columns come first; the distance of rows is in bytes. */
  CHECK(wide->rank == 2 && wide->base == x && wide->sizes[0] == 24 && wide->sizes[1] == 100 &&
        wide->pitches[0] == 64);
  CHECK(wide->type == 1 && wide->box[0] == 64 && wide->box[1] == 64);
  CHECK(wide->swizzle == 3 && wide->fill == 0 && wide->interleave == 0);
  CHECK(narrow->base == x && narrow->sizes[0] == 100 && narrow->sizes[1] == 16 && narrow->pitches[0] == 32);
  CHECK(narrow->type == 2 && narrow->box[0] == 8 && narrow->box[1] == 16 && narrow->swizzle == 1);
  /* One axis, and five. How far an axis of size 1 would go is of no interest. */
  line = &last_launch()->maps[2];
  CHECK(line->rank == 1 && line->sizes[0] == 100 && line->box[0] == 0 && line->swizzle == 0 &&
        line->type == 0);
  batch = &last_launch()->maps[3];
  CHECK(batch->rank == 5 && batch->sizes[0] == 16 && batch->sizes[1] == 100 && batch->sizes[2] == 3 &&
        batch->sizes[3] == 2 && batch->sizes[4] == 1);
  CHECK(batch->pitches[0] == 32 && batch->pitches[1] == 16384 && batch->pitches[2] == 32768 &&
        batch->pitches[3] == 16);
  CHECK(batch->box[0] == 32 && batch->box[1] == 32 && batch->box[2] == 2 && batch->box[3] == 1 &&
        batch->box[4] == 1 && batch->swizzle == 2);
  /* A launch like one before makes no maps anew; another one does. */
  encodings = fake->encodings;
  CHECK(encodings == 4);
  CHECK(tiles(cuda(0), x, 100, 16, 1) == NRD_OK && fake->encodings == encodings);
  CHECK(tiles(cuda(0), x + 8, 100, 16, 1) == NRD_OK && fake->encodings == encodings + 4);
  CHECK(last_launch()->maps[0].base == x + 8 && last_launch()->maps[3].base == x + 8);
  CHECK(tiles(cuda(0), x, 104, 16, 1) == NRD_OK && fake->encodings == encodings + 8);
  CHECK(last_launch()->maps[0].sizes[1] == 104 && last_launch()->maps[0].base == x);
  CHECK(tiles(cuda(0), x, 100, 16, 1) == NRD_OK && fake->encodings == encodings + 8);
  CHECK(last_launch()->maps[0].sizes[1] == 100 && last_launch()->maps[1].sizes[0] == 100);
  /* Code for another architecture takes the arguments alone. */
  CHECK(tiles(cuda(1), x, 100, 16, 1) == NRD_OK && ran("tiles|*fp16, i32, i32, i32:1|cuda:80"));
  launches = fake->launches;
  CHECK(tiles(cuda(0), (nrd_f16 *)unaligned, 100, 16, 1) == NRD_ERROR_INVALID_ARGUMENT &&
        says("tiles: the descriptor of 'x'") && says("not divisible by 16"));
  CHECK(tiles(cuda(0), x, 100, 15, 1) == NRD_ERROR_INVALID_ARGUMENT && says("along axis 0") &&
        says("30 elements of 2 bytes apart"));
  CHECK(tiles(cuda(0), x, 100, -16, 1) == NRD_ERROR_INVALID_ARGUMENT && says("100 x -8 elements"));
  CHECK(tiles(cuda(0), x, 100, INT32_MAX, 1) == NRD_ERROR_INVALID_ARGUMENT && says("4294967294 elements"));
  CHECK(tiles(cuda(0), x, 0, 16, 1) == NRD_ERROR_INVALID_ARGUMENT && says("0 x 24 elements"));
  CHECK(tiles(cuda(0), x, -5, 16, 1) == NRD_ERROR_INVALID_ARGUMENT && says("-5 x 24 elements"));
  CHECK(fake->launches == launches);
}

static void test_cuda_old_driver(void) {
  nrd_f16 *x = (nrd_f16 *)aligned;
  open_fake("libcuda.so.1");
  /* What needs no tensor maps runs, an older image in place of a newer one, too. */
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK);
  CHECK(tiles(cuda(0), x, 100, 16, 1) == NRD_OK && ran("tiles|*fp16, i32, i32, i32:1|cuda:80|ptx"));
  CHECK(hopper(cuda(0), x, 100) == NRD_ERROR_NO_DRIVER && says("cuTensorMapEncodeTiled") && says("cuda:90a"));
}

/* Several threads make, keep and take the same maps, more than the table has room for at times. */
static void *launch_tiles(void *argument) {
  intptr_t me = (intptr_t)argument;
  for (int i = 0; i < 2000; ++i) {
    nrd_f16 *x = (nrd_f16 *)aligned + 8 * ((i + me) % 50);
    if (tiles(cuda(0), x, 100, 16, 1) != NRD_OK)
      return argument;
  }
  return NULL;
}
static void test_cuda_tensor_map_threads(void) {
  pthread_t threads[4];
  open_fake("libcuda.so.1");
  for (intptr_t i = 0; i < 4; ++i)
    CHECK(!pthread_create(&threads[i], NULL, launch_tiles, (void *)(i + 1)));
  for (int i = 0; i < 4; ++i) {
    void *failed = NULL;
    CHECK(!pthread_join(threads[i], &failed) && !failed);
  }
  CHECK(!fake->wrong_maps);
  /* How many of so many find room depends on their addresses. A few do: four maps each, ten times. */
  int before = fake->encodings;
  for (int i = 0; i < 10 * 12; ++i)
    CHECK(tiles(cuda(0), (nrd_f16 *)aligned + 8 * (i % 12), 100, 16, 1) == NRD_OK);
  CHECK(fake->encodings - before < 10 * 12 * 4 / 2);
  CHECK(!fake->wrong_maps);
}

static void test_cuda_errors(void) {
  nrd_dim3 none = {1, 0, 1}, wide = {2147483647, 65535, 65535}, tall = {1, 65536, 1};
  nrd_stream wrong = {7, NULL};
  int launches;
  open_fake("libcuda.so.1");
  CHECK(picky(cuda(1), aligned, 17) == NRD_ERROR_NO_VARIANT && says("accepts this call") &&
        says("not divisible by 16"));
  CHECK(picky(cuda(1), unaligned, 16) == NRD_ERROR_NO_VARIANT && says("0x20004"));
  CHECK(picky(cuda(1), NULL, 16) == NRD_ERROR_INVALID_ARGUMENT && says("null"));
  fake->max_shared = 64 * 1024;
  CHECK(picky(cuda(1), aligned, 16) == NRD_ERROR_OUT_OF_RESOURCES && says("102400 bytes of shared memory"));
  fake->max_shared = 200 * 1024;
  CHECK(picky(cuda(1), aligned, 16) == NRD_OK && last_launch()->shared == 102400);
  launches = fake->launches;
  CHECK(picky_grid(cuda(1), none, NULL, 3) == NRD_OK && fake->launches == launches);
  CHECK(picky_grid(cuda(1), wide, aligned, 16) == NRD_OK && last_launch()->grid[2] == 65535);
  CHECK(picky_grid(cuda(1), tall, aligned, 16) == NRD_ERROR_INVALID_ARGUMENT && says("1 x 65536 x 1"));
  CHECK(tiled(cuda(1), aligned, INT64_C(1) << 40) == NRD_ERROR_INVALID_ARGUMENT &&
        says("8589934592 x 3 x 1"));
  CHECK(tiled(cuda(1), unaligned, 0) == NRD_OK);
  CHECK(checked(cuda(1), aligned, 10, 7) == NRD_OK && last_launch()->grid[0] == 20 &&
        last_launch()->grid[1] == 14);
  CHECK(checked(cuda(1), aligned, 10, 0) == NRD_ERROR_INVALID_ARGUMENT && says("divides by zero"));
  CHECK(checked(cuda(1), aligned, UINT64_MAX, 1) == NRD_ERROR_INVALID_ARGUMENT && says("overflows"));
  CHECK(checked(cuda(1), aligned, INT64_MAX, 1) == NRD_ERROR_INVALID_ARGUMENT && says("overflows"));
  fake->launch_result = 701;
  CHECK(mixed(cuda(1), aligned) == NRD_ERROR_OUT_OF_RESOURCES && says("LAUNCH_OUT_OF_RESOURCES"));
  fake->launch_result = 700;
  CHECK(mixed(cuda(1), aligned) == NRD_ERROR_DRIVER && says("700"));
  /* A thread without a current context launches with the stream's. */
  fake->launch_result = 201;
  CHECK(mixed(cuda(1), aligned) == NRD_OK && fake->context_depth == 0);
  fake->load_result = 209;
  CHECK(twice(cuda(1), aligned, aligned, 16) == NRD_ERROR_DRIVER && says("cannot be loaded") &&
        fake->context_depth == 0);
  fake->load_result = 0;
  CHECK(twice(cuda(1), aligned, aligned, 16) == NRD_OK);
  CHECK(mixed(nrd_cuda_stream(NULL), aligned) == NRD_ERROR_INVALID_ARGUMENT &&
        says("no CUDA context is current"));
  CHECK(mixed(wrong, aligned) == NRD_ERROR_INVALID_ARGUMENT && says("nrd_cuda_stream"));
  CHECK(synthetic_load(wrong) == NRD_ERROR_INVALID_ARGUMENT);
}

static void test_cuda_load(void) {
  int loads;
  open_fake("libcuda.so.1");
  CHECK(synthetic_load(cuda(0)) == NRD_OK);
  /* On 9.0: three variants of twice, one of picky, two of tiled, named, two of mixed, one of checked, one of
   * tiles, one of hopper, together, early, two of cluster. */
  loads = fake->loads;
  CHECK(loads == 17);
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && mixed(cuda(0), aligned) == NRD_OK &&
        fake->loads == loads);
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads == loads);
  CHECK(synthetic_load(cuda(1)) == NRD_OK && fake->loads > loads);
  synthetic_unload();
  CHECK(fake->unloads == fake->loads);
  /* One image that cannot be loaded, and one that needs too much, leave the others alone. */
  fake->bad_image = "checked|";
  fake->max_shared = 1000;
  fake->loads = fake->unloads = 0;
  CHECK(synthetic_load(cuda(0)) == NRD_ERROR_OUT_OF_RESOURCES && fake->loads - fake->unloads == 15);
  CHECK(says("synthetic_load: 2 of 17 images cannot be loaded: picky: ") &&
        says("needs 102400 bytes of shared memory") && says("; checked: its code cannot be loaded: ") &&
        says("('*fp32, u64, i32' for cuda:80)"));
  CHECK(mixed(cuda(0), aligned) == NRD_OK && fake->loads - fake->unloads == 15);
  /* One in whose place another one can be taken is no failure. */
  fake->bad_image = "tiled|*fp32:16";
  fake->max_shared = 232448;
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads - fake->unloads == 17);
  synthetic_unload();
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads - fake->unloads == 16);
  fake->bad_image = NULL;
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads - fake->unloads == 17);
  synthetic_unload();
  CHECK(fake->unloads == fake->loads);
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->loads == fake->unloads + 1);
}

static void *call_first(void *unused) {
  intptr_t wrong = 0;
  int i;
  (void)unused;
  for (i = 0; i < 1000; ++i)
    wrong += twice(cuda(i % 2), aligned, aligned, 160) != NRD_OK;
  return (void *)wrong;
}

static void test_cuda_threads(void) {
  pthread_t threads[8];
  int i;
  open_fake("libcuda.so.1");
  for (i = 0; i < 8; ++i)
    CHECK(pthread_create(&threads[i], NULL, call_first, NULL) == 0);
  for (i = 0; i < 8; ++i) {
    void *wrong = NULL;
    pthread_join(threads[i], &wrong);
    CHECK(wrong == NULL);
  }
  /* Once a context, however many threads were first. */
  CHECK(fake->loads == 2 && fake->launches == 8000);
}

/* Another context comes to be where one was that is gone. */
static void test_contexts(int has_modules) {
  void *const legacy = (void *)1, *const per_thread = (void *)2;
  open_fake("libcuda.so.1");
  int (*push)(void *) = NULL, (*pop)(void **) = NULL;
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol, *popped;
  symbol = dlsym(library, "cuCtxPushCurrent_v2");
  memcpy(&push, &symbol, sizeof symbol);
  symbol = dlsym(library, "cuCtxPopCurrent_v2");
  memcpy(&pop, &symbol, sizeof symbol);

  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
  CHECK(fake->loads == 2);
  fake->context_id[0] = 200;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->stale == 0);
  if (has_modules) {
    /* What was loaded for the old one went with it. */
    CHECK(fake->loads == 3 && fake->unloads == 0);
    CHECK(twice(cuda(1), aligned, aligned, 160) == NRD_OK && fake->loads == 3);
    /* The new one may be of another device. */
    fake->context_id[0] = 201;
    fake->capability[0] = 80;
    CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK &&
          ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:80|cubin"));
    CHECK(fake->loads == 4 && fake->stale == 0);
    CHECK(hopper(cuda(0), (nrd_f16 *)aligned, 100) == NRD_ERROR_NO_VARIANT);
    fake->capability[0] = 90;
    synthetic_unload();
    CHECK(fake->unloads == 2);
  } else {
    /* Libraries serve whatever context there is. */
    CHECK(fake->loads == 2 && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
    fake->context_id[1] = 202;
    synthetic_unload();
    CHECK(fake->unloads == 2);
  }

  /* Streams without a context of their own are of the current one. */
  CHECK(mixed(nrd_cuda_stream(legacy), aligned) == NRD_ERROR_INVALID_ARGUMENT &&
        says("no CUDA context is current"));
  push((void *)2);
  CHECK(mixed(nrd_cuda_stream(NULL), aligned) == NRD_OK && last_launch()->context == 1 &&
        !last_launch()->stream);
  CHECK(mixed(nrd_cuda_stream(legacy), aligned) == NRD_OK && last_launch()->context == 1 &&
        last_launch()->stream == legacy);
  CHECK(mixed(nrd_cuda_stream(per_thread), aligned) == NRD_OK && last_launch()->context == 1 &&
        last_launch()->stream == per_thread);
  /* A stream of a context that is not current, and a driver that wants it to be. */
  CHECK(mixed(cuda(3), aligned) == NRD_OK && last_launch()->context == 3 && last_launch()->current == 1);
  for (int i = 0; i < 3; ++i) {
    fake->wants_current = i == 0 ? 201 : i == 1 ? 400 : 709;
    CHECK(mixed(cuda(3), aligned) == NRD_OK && last_launch()->context == 3 && last_launch()->current == 3);
    CHECK(fake->context_depth == 1);
  }
  pop(&popped);
  CHECK(mixed(cuda(3), aligned) == NRD_OK && last_launch()->current == 3 && fake->context_depth == 0);
  CHECK(fake->stale == 0);
}

static void test_cuda_contexts(void) { test_contexts(!HAS_LIBRARIES); }
static void test_cuda_eager_contexts(void) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  test_contexts(1);
}

static void make_devices_alike(void) {
  for (int i = 0; i < FAKE_CONTEXTS; ++i)
    fake->capability[i] = 90;
  fake->name = "Fake GPU";
}

/* Devices of one model: what is loaded for one is launched on all, and nobody asks whose a stream is. */
static void test_cuda_uniform(void) {
  int i, queries;
  if (!HAS_LIBRARIES)
    return;
  open_fake("libcuda.so.1");
  make_devices_alike();
  CHECK(twice(cuda(2), aligned, aligned, 160) == NRD_OK && last_launch()->context == 2);
  CHECK(fake->loads == 1);
  queries = fake->queries;
  for (i = 0; i < FAKE_CONTEXTS; ++i)
    CHECK(twice(cuda(i), aligned, aligned, 160) == NRD_OK && last_launch()->context == i);
  fake->context_id[2] = 200;
  CHECK(twice(cuda(2), aligned, aligned, 160) == NRD_OK && last_launch()->context == 2);
  CHECK(fake->loads == 1 && fake->queries == queries && fake->stale == 0);
  /* What another device than the first has loaded serves all as well. */
  CHECK(mixed(cuda(1), aligned) == NRD_OK && fake->loads == 2);
  queries = fake->queries;
  for (i = 0; i < FAKE_CONTEXTS; ++i)
    CHECK(mixed(cuda(i), aligned) == NRD_OK && last_launch()->context == i);
  CHECK(fake->loads == 2 && fake->queries == queries);
  /* Shared memory is asked for on each device. */
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK && picky(cuda(1), aligned, 16) == NRD_OK &&
        picky(cuda(1), aligned, 16) == NRD_OK && last_launch()->context == 1);
  CHECK(fake->loads == 4);
  /* Load loads into the stream's context what others have. */
  CHECK(synthetic_load(cuda(2)) == NRD_OK);
  queries = fake->functions;
  i = fake->loads;
  CHECK(synthetic_load(cuda(2)) == NRD_OK && fake->functions == queries + 17 && fake->loads == i);
  fake->failing = "cuKernelGetFunction";
  fake->failing_with = 999;
  CHECK(synthetic_load(cuda(2)) == NRD_ERROR_DRIVER &&
        says("twice: its code cannot be loaded into the context: CUDA_ERROR (999"));
  fake->failing = NULL;
  /* A grid of the variant's own is computed once more for the device that the stream is of. */
  synthetic_unload();
  CHECK(tiled(cuda(1), unaligned, 1000) == NRD_OK && tiled(cuda(1), aligned, 1000) == NRD_OK &&
        last_launch()->grid[0] == 8);
  fake->launch_result = 400;
  CHECK(tiled(cuda(0), unaligned, 1000) == NRD_OK && last_launch()->context == 0 &&
        last_launch()->grid[0] == 32);
  /* Errors name the stream's device, or say that there is none. */
  fake->launch_result = 700;
  CHECK(tiled(cuda(1), aligned, 1000) == NRD_ERROR_DRIVER &&
        says("tiled: the launch failed: CUDA_ERROR (700"));
  CHECK(tiled(nrd_cuda_stream(NULL), aligned, 1000) == NRD_ERROR_INVALID_ARGUMENT &&
        says("no CUDA context is current"));
  CHECK(picky(cuda(3), unaligned, 16) == NRD_ERROR_NO_VARIANT && says("CUDA device 3 (Fake GPU,"));
  fake->bad_image = "hopper|";
  CHECK(hopper(cuda(3), (nrd_f16 *)aligned, 100) == NRD_ERROR_DRIVER && says("its code cannot be loaded"));
  CHECK(hopper(cuda(3), (nrd_f16 *)unaligned, 100) == NRD_ERROR_DRIVER);
  fake->bad_image = NULL;
  CHECK(hopper(cuda(3), (nrd_f16 *)aligned, 100) == NRD_OK);
  synthetic_unload();
  CHECK(fake->loads == fake->unloads && fake->context_depth == 0 && fake->stale == 0);
}

/* A stream that was seen before is not asked for again, unless its context is another one. */
static void test_cuda_known_streams(void) {
  int queries, i;
  if (HAS_LIBRARIES)
    return;
  open_fake("libcuda.so.1");
  for (i = 0; i < 3; ++i)
    CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
  queries = fake->queries;
  for (i = 0; i < 10; ++i)
    CHECK(twice(cuda(i % 2), aligned, aligned, 160) == NRD_OK && last_launch()->context == i % 2);
  CHECK(fake->queries == queries && fake->retained == 0 && fake->loads == 2);
  fake->context_id[0] = 200;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->loads == 3 && fake->queries > queries);
  synthetic_unload();
  /* That of 0 before went with its context. */
  CHECK(fake->unloads == 2);
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->loads == 4 && fake->stale == 0);
  fake->context_id[0] = 201;
  synthetic_unload();
  CHECK(fake->unloads == 2);
  /* Of other contexts than primary ones nothing is remembered. */
  fake->failing = "cuDevicePrimaryCtxRetain";
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK);
  queries = fake->queries;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->queries == queries + 1 && fake->stale == 0);
}

/* A stream was destroyed, and one of another device came to lie at its address. */
static void test_cuda_moved_streams(void) {
  int i;
  open_fake("libcuda.so.1");
  for (i = 0; i < FAKE_CONTEXTS; ++i)
    fake->capability[i] = 90;
  for (i = 0; i < 6; ++i) {
    fake->streams_moved = i % 2 ? i % 4 : 0;
    CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK &&
          last_launch()->context == fake->streams_moved % 4);
    CHECK(tiled(cuda(0), aligned, 1000) == NRD_OK && last_launch()->grid[0] == 8 &&
          last_launch()->context == fake->streams_moved % 4);
  }
  /* Not loaded there, special, with memory and with maps: each is loaded where the stream is. */
  fake->streams_moved = 0;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK);
  fake->streams_moved = 3;
  CHECK(together(cuda(0), aligned, 10) == NRD_OK && last_launch()->context == 3);
  fake->streams_moved = 0;
  CHECK(together(cuda(0), aligned, 10) == NRD_OK && last_launch()->context == 0);
  fake->streams_moved = 3;
  CHECK(together(cuda(0), aligned, 10) == NRD_OK && last_launch()->context == 3);
  CHECK(tiles(cuda(0), (nrd_f16 *)aligned, 100, 16, 1) == NRD_OK && last_launch()->context == 3);
  CHECK(scratch(cuda(0), aligned, 1, 3) == NRD_OK && last_launch()->context == 3);
  fake->streams_moved = 0;
  CHECK(tiles(cuda(0), (nrd_f16 *)aligned, 100, 16, 1) == NRD_OK && last_launch()->context == 0);
  CHECK(scratch(cuda(0), aligned, 1, 3) == NRD_OK && last_launch()->context == 0);
  CHECK(fake->stale == 0 && fake->context_depth == 0);
}

/* Devices that cannot be compared are taken to differ. */
static void test_unlike(const char *function) {
  if (!HAS_LIBRARIES)
    return;
  open_fake("libcuda.so.1");
  make_devices_alike();
  if (function)
    fake->failing = function;
  else
    fake->name = NULL;
  fake->failing_with = 999;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
  CHECK(fake->loads == 2);
}
static void test_cuda_unlike_count(void) { test_unlike("cuDeviceGetCount"); }
static void test_cuda_unlike_name(void) { test_unlike(NULL); }
static void test_cuda_unlike_device(void) { test_unlike("cuDeviceGet"); }

/* An image that the driver refuses is skipped for the next one that accepts the call. */
static void test_cuda_refused(void) {
  int loads;
  open_fake("libcuda.so.1");
  /* Machine code, PTX of the same variant, of another variant, of an older architecture. */
  fake->bad_image = "twice|*fp32:16, *fp32:16, i32:16, 64|cuda:90a|cubin";
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && ran("twice|*fp32, *fp32, i32, 64|cuda:90a|cubin"));
  CHECK(last_launch()->grid[0] == 3);
  loads = fake->loads;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->loads == loads);
  fake->bad_image = "mixed|*fp32|cuda:90a";
  CHECK(mixed(cuda(0), aligned) == NRD_OK && ran("mixed|*fp32:16|cuda:80|ptx"));
  fake->bad_image = "checked|*fp32, u64, i32|cuda:80|cubin";
  CHECK(checked(cuda(1), aligned, 10, 7) == NRD_OK && ran("checked|*fp32, u64, i32|cuda:80|ptx"));
  /* The grid is that of the variant which is taken. */
  fake->bad_image = "tiled|*fp32:16";
  CHECK(tiled(cuda(1), aligned, 1000) == NRD_OK && ran("tiled|*fp32, i64, 32|") &&
        last_launch()->grid[0] == 32);
  /* Nothing is left: the reasons; and then it is tried again. */
  fake->bad_image = "hopper|";
  CHECK(hopper(cuda(0), (nrd_f16 *)aligned, 100) == NRD_ERROR_DRIVER &&
        says("hopper: its code cannot be loaded: CUDA_ERROR (218: "));
  fake->bad_image = "twice|";
  CHECK(twice(cuda(3), aligned, aligned, 1) == NRD_ERROR_DRIVER &&
        says("twice: none of the 6 images that accept this call on CUDA device 3 (Fake GPU 3, compute "
             "capability 10.0) can be "
             "loaded: twice: its code cannot be loaded: CUDA_ERROR (218: the fake driver was told to fail) "
             "('*fp32, *fp32, "
             "i32:1, 64' for cuda:100); "));
  CHECK(twice(cuda(3), aligned, aligned, 1) == NRD_ERROR_DRIVER && says("none of the 6 images"));
  fake->bad_image = NULL;
  CHECK(twice(cuda(3), aligned, aligned, 1) == NRD_OK && ran("twice|*fp32, *fp32, i32:1, 64|cuda:100|cubin"));
  CHECK(hopper(cuda(0), (nrd_f16 *)aligned, 100) == NRD_OK);
  /* An error that is not of the image's making is not remembered. */
  synthetic_unload();
  fake->load_result = 2;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("its code cannot be loaded"));
  fake->load_result = 0;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:90a|cubin"));
  synthetic_unload();
  CHECK(fake->loads == fake->unloads && fake->context_depth == 0);
}

/* Each call of the driver fails, one at a time: what it is for is in the message, and nothing is lost. */
typedef struct failing_call {
  const char *function, *message; /* null: the call succeeds all the same */
} failing_call;
static void test_failing_calls(const failing_call *calls, size_t count, nrd_stream stream) {
  for (size_t i = 0; i < count; ++i) {
    nrd_status status;
    int depth = fake->context_depth;
    synthetic_unload();
    fake->failing = calls[i].function;
    fake->failing_with = 999;
    status = picky(stream, aligned, 16);
    if (calls[i].message ? status != NRD_ERROR_DRIVER || !says(calls[i].message) || !says("999")
                         : status != NRD_OK) {
      fprintf(stderr, "%s: status %d, %s\n", calls[i].function, status, synthetic_last_error());
      ++failures;
    }
    /* The same through load. */
    synthetic_unload();
    status = synthetic_load(stream);
    CHECK(calls[i].message == NULL || strstr(calls[i].function, "Launch") ? status == NRD_OK
                                                                          : status == NRD_ERROR_DRIVER);
    fake->failing = NULL;
    CHECK(picky(stream, aligned, 16) == NRD_OK && fake->context_depth == depth);
  }
  synthetic_unload();
}
/* Modules, in place of libraries. */
static void test_cuda_eager_failing(void) {
  static const failing_call calls[] = {
      {"cuStreamGetCtx",
       "picky: the stream is not usable: CUDA_ERROR (999: the fake driver was told to fail)"},
      {"cuCtxGetId", "picky: the context of the stream has no number: CUDA_ERROR"},
      {"cuCtxPushCurrent_v2", "picky: the context of the stream is not usable: CUDA_ERROR"},
      {"cuCtxPopCurrent_v2", NULL},
      {"cuCtxGetCurrent", NULL},
      {"cuCtxGetDevice", "picky: the device of the stream cannot be asked: CUDA_ERROR"},
      {"cuDevicePrimaryCtxGetState", NULL},
      {"cuDevicePrimaryCtxRetain", NULL},
      {"cuDevicePrimaryCtxRelease_v2", NULL},
      {"cuDeviceGetAttribute", "picky: the device of the stream cannot be asked: CUDA_ERROR"},
      {"cuDeviceGetName", "picky: the device of the stream cannot be asked: CUDA_ERROR"},
      {"cuModuleLoadData", "picky: its code cannot be loaded: CUDA_ERROR"},
      {"cuModuleGetFunction", "picky: its code lacks the kernel: CUDA_ERROR"},
      {"cuFuncSetAttribute", "picky: its shared memory cannot be reserved: CUDA_ERROR"},
      {"cuLaunchKernel", "picky: the launch failed: CUDA_ERROR"}};
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  open_fake("libcuda.so.1");
  fake->failing = "cuInit";
  fake->failing_with = 999;
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER &&
        says("picky: the NVIDIA driver does not start: CUDA_ERROR (999: the fake driver was told to fail)"));
  fake->failing = NULL;
  test_failing_calls(calls, sizeof calls / sizeof *calls, cuda(0));
  fake->launch_result = 700;
  fake->failing = "cuGetErrorName";
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER && says("unknown error (700: the fake"));
  fake->launch_result = 700;
  fake->failing = "cuGetErrorString";
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER && says("CUDA_ERROR (700: no description)"));
  fake->failing = "cuTensorMapEncodeTiled";
  CHECK(tiles(cuda(0), (nrd_f16 *)aligned, 1000, 16, 1) == NRD_ERROR_INVALID_ARGUMENT &&
        says("tiles: the driver refuses the descriptor of 'x', 1000 x 24 elements (error 999)"));
  fake->failing = "cuLaunchKernelEx";
  CHECK(together(cuda(0), aligned, 10) == NRD_ERROR_DRIVER &&
        says("together: the launch failed: CUDA_ERROR (999"));
  fake->failing = "cuFuncSetAttribute";
  CHECK(cluster(cuda(0), unaligned, 10) == NRD_ERROR_DRIVER &&
        says("cluster: its clusters cannot be allowed: "));
  /* What cannot be given back stays lost, without a word. */
  fake->failing = "cuModuleUnload";
  synthetic_unload();
}
static void test_cuda_failing(void) {
  static const failing_call calls[] = {
      {"cuStreamGetCtx",
       "picky: the stream is not usable: CUDA_ERROR (999: the fake driver was told to fail)"},
      {"cuStreamGetDevice", NULL},
      {"cuCtxGetId", NULL},
      {"cuCtxPushCurrent_v2", "picky: the context of the stream is not usable: CUDA_ERROR"},
      {"cuCtxPopCurrent_v2", NULL},
      {"cuCtxGetCurrent", NULL},
      {"cuCtxGetDevice", NULL},
      {"cuDeviceGetAttribute", "picky: the device of the stream cannot be asked: CUDA_ERROR"},
      {"cuDeviceGetName", "picky: the device of the stream cannot be asked: CUDA_ERROR"},
      {"cuLibraryLoadData", "picky: its code cannot be loaded: CUDA_ERROR"},
      {"cuLibraryGetKernel", "picky: its code lacks the kernel: CUDA_ERROR"},
      {"cuKernelGetFunction", "picky: its code cannot be loaded into the context: CUDA_ERROR"},
      {"cuKernelSetAttribute", "picky: its shared memory cannot be reserved: CUDA_ERROR"},
      {"cuLaunchKernel", "picky: the launch failed: CUDA_ERROR"}};
  int loads;
  if (!HAS_LIBRARIES) {
    test_cuda_eager_failing();
    return;
  }
  open_fake("libcuda.so.1");
  fake->failing = "cuInit";
  fake->failing_with = 999;
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER &&
        says("picky: the NVIDIA driver does not start: CUDA_ERROR (999: the fake driver was told to fail)"));
  fake->failing = NULL;
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK);
  test_failing_calls(calls, sizeof calls / sizeof *calls, cuda(0));
  CHECK(fake->loads == fake->unloads);
  /* What cannot be given back stays lost, without a word. */
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK);
  loads = fake->loads;
  fake->failing = "cuLibraryUnload";
  synthetic_unload();
  CHECK(fake->unloads == loads - 1);
  /* Messages do without the driver's words. */
  fake->failing = NULL;
  fake->launch_result = 700;
  fake->failing = "cuGetErrorName";
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER && says("unknown error (700: the fake"));
  fake->launch_result = 700;
  fake->failing = "cuGetErrorString";
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER && says("CUDA_ERROR (700: no description)"));
  /* The calls that only some kernels need. */
  fake->failing = "cuTensorMapEncodeTiled";
  CHECK(tiles(cuda(0), (nrd_f16 *)aligned, 1000, 16, 1) == NRD_ERROR_INVALID_ARGUMENT &&
        says("tiles: the driver refuses the descriptor of 'x', 1000 x 24 elements (error 999)"));
  fake->failing = "cuLaunchKernelEx";
  CHECK(together(cuda(0), aligned, 10) == NRD_ERROR_DRIVER &&
        says("together: the launch failed: CUDA_ERROR (999"));
  fake->failing = "cuKernelSetAttribute";
  CHECK(cluster(cuda(0), unaligned, 10) == NRD_ERROR_DRIVER &&
        says("cluster: its clusters cannot be allowed: "));
  /* A context that cannot be asked for counts as another one. */
  fake->failing = "cuCtxGetCurrent";
  fake->wants_current = 201;
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK && last_launch()->current == 0);
  fake->failing = "cuCtxPushCurrent_v2";
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER && says("picky: the launch failed: CUDA_ERROR (201"));
}

/* An allocator of the caller's. */
typedef struct given_memory {
  void *memory, *stream;
  size_t bytes, alignment;
  int given, taken;
} given_memory;
static void *give(void *user, nrd_stream stream, size_t bytes, size_t alignment) {
  given_memory *seen = user;
  seen->stream = stream.backend == 1 ? stream.handle : NULL;
  seen->bytes = bytes;
  seen->alignment = alignment;
  ++seen->given;
  return seen->memory;
}
static void take(void *user, nrd_stream stream, void *memory, size_t bytes) {
  given_memory *seen = user;
  seen->taken += stream.handle == seen->stream && memory == seen->memory && bytes == seen->bytes;
}

static void test_cuda_scratch(void) {
  nrd_dim3 grid = {3, 5, 7}, huge = {2147483647, 65535, 65535};
  given_memory seen = {.memory = (void *)0x7000};
  nrd_allocator allocator = {give, take, &seen};
  open_fake("libcuda.so.1");
  /* From a pool of the library's, which it makes when the kernel is loaded. */
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->pools == 0);
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && ran("scratch|") &&
        last_launch()->scratch == fake->scratch_memory);
  CHECK(fake->pools == 1 && fake->scratch_pool == 1 && fake->scratch_stream == cuda(0).handle);
  CHECK(fake->scratch_bytes == 0 && fake->context_depth == 0 && last_launch()->argument == aligned);
  /* The launch before may still use the memory. */
  CHECK(last_launch()->overlaps != 1);
  CHECK(scratch_grid(cuda(0), grid, aligned, 1, 10) == NRD_OK &&
        last_launch()->scratch == fake->scratch_memory && fake->pools == 1);
  synthetic_unload();
  CHECK(fake->destroyed_pools == 1);
  fake->failing_with = 801;
  /* Where there are no pools, from the driver's own. */
  fake->failing = "cuMemPoolCreate";
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && fake->scratch_pool == 0);
  fake->failing = "cuMemAllocAsync";
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_DRIVER &&
        says("scratch: its 3840 bytes of scratch memory cannot be allocated: CUDA_ERROR (801"));
  fake->failing_with = 2;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES && fake->context_depth == 0);
  fake->failing = "cuMemFreeAsync";
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("scratch: its scratch memory cannot be given back: CUDA_ERROR (2"));
  fake->scratch_bytes = 0;
  fake->failing = NULL;
  /* What a failed launch had is given back; its error is the one that counts. */
  fake->launch_result = 701;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("scratch: the launch failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"));
  CHECK(fake->scratch_bytes == 0 && fake->context_depth == 0);
  CHECK(scratch_grid(cuda(0), huge, aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("scratch: 384 bytes of scratch memory for each of 9223090559730712575 programs are too much"));
  fake->failing = "cuCtxPushCurrent_v2";
  fake->failing_with = 999;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_DRIVER &&
        says("the context of the stream is not usable"));
  fake->failing = NULL;

  synthetic_set_allocator(&allocator);
  allocator.allocate = NULL; /* it was copied */
  fake->scratch_memory = NULL;
  CHECK(scratch_grid(cuda(0), grid, aligned, 1, 10) == NRD_OK && last_launch()->scratch == seen.memory);
  CHECK(seen.bytes == 3 * 5 * 7 * 384 && seen.alignment == 128 && seen.stream == cuda(0).handle);
  CHECK(seen.given == 1 && seen.taken == 1 && !fake->scratch_memory);
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && seen.given == 1);
  fake->launch_result = 701;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES && seen.given == 2 && seen.taken == 2);
  seen.memory = (void *)0x7040;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_INVALID_ARGUMENT &&
        says("scratch: the caller's allocator gives memory at 0x7040, which is not divisible by 128"));
  CHECK(seen.given == 3 && seen.taken == 3);
  seen.memory = NULL;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("scratch: the caller's allocator has no 3840 bytes of scratch memory") && seen.taken == 3);
  allocator.allocate = give;
  allocator.release = NULL;
  seen.memory = (void *)0x8000;
  synthetic_set_allocator(&allocator);
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && last_launch()->scratch == seen.memory &&
        seen.taken == 3);
  synthetic_set_allocator(NULL);
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && last_launch()->scratch == fake->scratch_memory &&
        seen.given == 5);
}

static void test_cuda_old_scratch(void) {
  given_memory seen = {.memory = (void *)0x7000};
  nrd_allocator allocator = {give, take, &seen};
  open_fake("libcuda.so.1");
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_NO_DRIVER &&
        says("scratch: the variant '*fp32, i32:1, i32' for cuda:90a "
             "needs cuMemAllocAsync") &&
        says("synthetic_set_allocator"));
  synthetic_set_allocator(&allocator);
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && last_launch()->scratch == seen.memory &&
        seen.taken == 1);
}

static void test_cuda_old_failing(void) {
  static const failing_call calls[] = {
      {"cuStreamGetCtx", "picky: the stream is not usable: CUDA_ERROR"},
      {"cuCtxGetDevice", "picky: the device of the stream cannot be asked: CUDA_ERROR"},
      {"cuCtxPushCurrent_v2", "picky: the context of the stream is not usable: CUDA_ERROR"},
      {"cuModuleLoadData", "picky: its code cannot be loaded: CUDA_ERROR"},
      {"cuModuleGetFunction", "picky: its code lacks the kernel: CUDA_ERROR"},
      {"cuFuncSetAttribute", "picky: its shared memory cannot be reserved: CUDA_ERROR"},
      {"cuLaunchKernel", "picky: the launch failed: CUDA_ERROR"}};
  open_fake("libcuda.so.1");
  /* hopper does without its tensor maps until it is called. */
  test_failing_calls(calls, sizeof calls / sizeof *calls, cuda(0));
  CHECK(fake->loads == fake->unloads);
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK);
  synthetic_unload();
  CHECK(fake->loads == fake->unloads && fake->context_depth == 0);
  CHECK(together(cuda(0), aligned, 10) == NRD_ERROR_NO_DRIVER && says("needs cuLaunchKernelEx") &&
        says("too old"));
  CHECK(cluster(cuda(0), aligned, 10) == NRD_ERROR_NO_DRIVER && says("needs cuLaunchKernelEx"));
  CHECK(early(cuda(0), aligned, 10) == NRD_OK && ran("early|"));
}

static void test_cuda_special(void) {
  nrd_dim3 wide = {2147483647, 1, 1};
  open_fake("libcuda.so.1");
  CHECK(together(cuda(0), aligned, 10) == NRD_OK && ran("together|") && last_launch()->cooperative == 1);
  CHECK(last_launch()->overlaps == 0 && last_launch()->cluster == 0 && last_launch()->grid[0] == 10 &&
        last_launch()->grid[1] == 1 && last_launch()->block == 128 &&
        last_launch()->stream == cuda(0).handle);
  CHECK(together(cuda(0), aligned, 5000) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("together: its programs have to run at a time, and a grid of 5000 x 1 x 1 of them is more than "
             "CUDA device 0"));
  CHECK(early(cuda(0), aligned, 10) == NRD_OK && ran("early|") && last_launch()->cooperative == 0 &&
        last_launch()->overlaps == 1);
  CHECK(cluster(cuda(0), aligned, 10) == NRD_OK && last_launch()->cluster == 2 &&
        last_launch()->grid[0] == 20 && last_launch()->spread == 1 && last_launch()->overlaps == 0);
  CHECK(cluster(cuda(0), unaligned, 10) == NRD_OK && last_launch()->cluster == 16 &&
        last_launch()->grid[0] == 160);
  CHECK(cluster_grid(cuda(0), wide, aligned, 10) == NRD_ERROR_INVALID_ARGUMENT &&
        says("2147483647 programs in x, each of 2 blocks"));
  CHECK(mixed(cuda(0), aligned) == NRD_OK && last_launch()->cooperative == -1);
  open_fake("libamdhip64.so");
  CHECK(together(hip(0), aligned, 10) == NRD_OK && last_launch()->cooperative == 1 &&
        last_launch()->grid[0] == 10);
  CHECK(together(hip(0), aligned, 5000) == NRD_ERROR_OUT_OF_RESOURCES && says("more than HIP device 0"));
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK && last_launch()->cooperative == -1);
}

/* A load that takes for ever on one device: calls on others, and of what is loaded on that one, go on. */
static void test_cuda_slow_load(void) {
  pthread_t loader;
  void *result = NULL;
  open_fake("libcuda.so.1");
  CHECK(mixed(cuda(0), aligned) == NRD_OK);
  fake->waiting_context = 1;
  fake->load_waits = 1;
  CHECK(pthread_create(&loader, NULL, load_slowly, NULL) == 0);
  while (__atomic_load_n(&fake->load_waits, __ATOMIC_SEQ_CST) == 1)
    usleep(1000);
  alarm(60);
  CHECK(twice(cuda(1), aligned, aligned, 160) == NRD_OK && last_launch()->context == 1);
  CHECK(synthetic_load(cuda(3)) == NRD_OK && twice(cuda(3), aligned, aligned, 160) == NRD_OK);
  CHECK(mixed(cuda(0), aligned) == NRD_OK && last_launch()->context == 0);
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK);
  CHECK(twice_is_right(1000));
  __atomic_store_n(&fake->load_waits, 0, __ATOMIC_SEQ_CST);
  pthread_join(loader, &result);
  CHECK((intptr_t)result == NRD_OK);
}

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
  for (i = 0; i < 6; ++i)
    CHECK(pthread_create(&threads[i], NULL, launch_for_long, (void *)(intptr_t)i) == 0);
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
  for (i = 0; i < 6; ++i) {
    void *wrong = NULL;
    pthread_join(threads[i], &wrong);
    CHECK(wrong == NULL);
  }
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
  pthread_attr_t attributes;
  int i;
  open_fake("libcuda.so.1");
  CHECK(mixed(cuda(0), aligned) == NRD_OK);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_barrier_init(&crowd, NULL, count);
  for (i = 0; i < count; ++i)
    CHECK(pthread_create(&threads[i], &attributes, launch_in_crowd, (void *)(intptr_t)i) == 0);
  for (i = 0; i < 20; ++i) {
    synthetic_unload();
    usleep(500);
  }
  for (i = 0; i < count; ++i) {
    void *wrong = NULL;
    pthread_join(threads[i], &wrong);
    CHECK(wrong == NULL);
  }
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

/* For missing_functions.sh: the second and third argument say which function is not there, and if that
 * matters. */
static const char *missing;
static int is_required;
static void check_missing(nrd_status status, const char *library) {
  char message[200];
  snprintf(message, sizeof message, "picky: %s has no %s: ", library, missing);
  CHECK(is_required ? status == NRD_ERROR_NO_DRIVER && says(message) && says("too old") : status == NRD_OK);
}
static void test_missing_cuda(void) {
  check_missing(picky(cuda(0), aligned, 16), "libcuda.so.1");
  check_missing(picky(cuda(1), aligned, 16), "libcuda.so.1");
  synthetic_unload();
  check_missing(picky(cuda(0), aligned, 16), "libcuda.so.1");
}
static void test_missing_hip(void) {
  nrd_status status = picky(nrd_hip_stream(NULL), aligned, 16);
  check_missing(status, "libamdhip64.so");
  status = together(nrd_hip_stream(NULL), aligned, 16);
  if (!strcmp(missing, "hipModuleLaunchCooperativeKernel"))
    CHECK(status == NRD_ERROR_NO_DRIVER && says("together: the variant '*fp32, i32' for hip:gfx942 needs ") &&
          says(missing) && says("ROCm is too old"));
}

/* A launch allocates nothing, takes no lock and does not wait, once its image is loaded. For a library that
 * does these things through the functions here. */
static int locks, allocations, waits;
int counted_lock(pthread_mutex_t *mutex);
int counted_lock(pthread_mutex_t *mutex) {
  __atomic_add_fetch(&locks, 1, __ATOMIC_RELAXED);
  return pthread_mutex_lock(mutex);
}
void *counted_malloc(size_t size);
void *counted_malloc(size_t size) {
  __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return malloc(size);
}
int counted_nanosleep(const struct timespec *time, struct timespec *left);
int counted_nanosleep(const struct timespec *time, struct timespec *left) {
  __atomic_add_fetch(&waits, 1, __ATOMIC_RELAXED);
  return nanosleep(time, left);
}
/* A process may allow membarrier until it is needed. */
long denied_syscall(long number, ...);
long denied_syscall(long number, ...) {
  static int calls;
  (void)number;
  return __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST) ? -1 : 0;
}
static void run_quietly(int alike) {
  int i;
  open_fake("libamdhip64.so");
  open_fake("libcuda.so.1");
  if (alike)
    make_devices_alike();
  for (i = 0; i < 3; ++i) {
    if (i == 1) {
      CHECK(locks && allocations);
      locks = allocations = waits = 0;
      has_no_memory = 1;
    }
    CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
    CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK && twice(hip(1), aligned, aligned, 160) == NRD_OK);
    CHECK(tiles(cuda(0), (nrd_f16 *)aligned, 100, 16, 1) == NRD_OK &&
          together(cuda(0), aligned, 10) == NRD_OK);
  }
  CHECK(!locks && !allocations && !waits);
}
static void test_quiet(void) { run_quietly(0); }
static void test_quiet_alike(void) { run_quietly(1); }

/* ---- HIP ---- */

static void test_hip(void) {
  open_fake("libamdhip64.so");
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|hip:gfx942|hsaco"));
  CHECK(last_launch()->block == 256 && last_launch()->grid[0] == 3 && last_launch()->context == 0);
  CHECK(twice(hip(1), unaligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32, *fp32, i32, 64|hip:gfx1100|hsaco"));
  CHECK(last_launch()->block == 128 && last_launch()->context == 1);
  CHECK(twice(hip(2), aligned, aligned, 160) == NRD_ERROR_NO_VARIANT && says("gfx906") && says("hip:gfx942"));
  CHECK(twice(nrd_hip_stream(NULL), aligned, aligned, 160) == NRD_OK && last_launch()->context == 0);
  CHECK(picky(hip(3), aligned, 16) == NRD_OK && last_launch()->shared == 102400);
  CHECK(picky(hip(3), unaligned, 16) == NRD_ERROR_NO_VARIANT);
  CHECK(picky(hip(3), aligned, 2147483632) == NRD_ERROR_INVALID_ARGUMENT && says("HIP's limit"));
  CHECK(mixed(hip(0), aligned) == NRD_ERROR_NO_VARIANT && says("mixed"));
  CHECK(synthetic_load(hip(0)) == NRD_OK);
  synthetic_unload();
  fake->bad_image = "together|";
  CHECK(synthetic_load(hip(0)) == NRD_ERROR_DRIVER &&
        says("1 of 5 images cannot be loaded: together: its code cannot be loaded") &&
        says("'*fp32, i32' for hip:gfx942"));
  synthetic_unload();
  fake->bad_image = "twice|*fp32:16";
  CHECK(synthetic_load(hip(0)) == NRD_OK);
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK && ran("twice|*fp32, *fp32, i32, 64|hip:gfx942"));
  CHECK(twice(hip(0), unaligned, aligned, 160) == NRD_OK);
  synthetic_unload();
  CHECK(fake->loads == fake->unloads);
}

static void test_hip_failing(void) {
  static const failing_call calls[] = {
      {"hipStreamGetDevice", "picky: the stream names no device: hipErrorFake (999)"},
      {"hipGetDevicePropertiesR0600", "picky: the device of the stream cannot be asked: hipErrorFake"},
      {"hipGetDevice", "picky: the device of the stream is not usable: hipErrorFake"},
      {"hipSetDevice", "picky: the device of the stream is not usable: hipErrorFake"},
      {"hipModuleLoadData", "picky: its code cannot be loaded: hipErrorFake"},
      {"hipModuleGetFunction", "picky: its code lacks the kernel: hipErrorFake"},
      {"hipModuleLaunchKernel", "picky: the launch failed: hipErrorFake"}};
  open_fake("libamdhip64.so");
  fake->failing_with = 999;
  fake->failing = "hipInit";
  CHECK(picky(hip(3), aligned, 16) == NRD_ERROR_DRIVER &&
        says("picky: the HIP runtime does not start: hipErrorFake"));
  fake->failing = "hipGetDeviceCount";
  CHECK(picky(hip(3), aligned, 16) == NRD_ERROR_DRIVER &&
        says("picky: the HIP runtime does not start: hipErrorFake"));
  fake->failing = NULL;
  test_failing_calls(calls, sizeof calls / sizeof *calls, hip(3));
  CHECK(fake->loads == fake->unloads);
  fake->failing = "hipModuleLaunchCooperativeKernel";
  CHECK(together(hip(0), aligned, 10) == NRD_ERROR_DRIVER &&
        says("together: the launch failed: hipErrorFake (999)"));
  fake->failing = "hipModuleUnload";
  synthetic_unload();
  CHECK(fake->loads == fake->unloads + 1);
}

/* The runtime that the process has, under another of its names, is taken rather than the system's. */
static void test_hip_loaded(void) {
  fake_state *other;
  open_fake("libamdhip64.so.6");
  other = fake;
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK && other->launches == 1);
  open_fake("libamdhip64.so");
  CHECK(fake != other && fake->inits == 0 && fake->launches == 0);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"cpu", test_cpu},
               {"cpu_threads", test_cpu_threads},
               {"cpu_assertion", test_cpu_assertion},
               {"cpu_waiting", test_cpu_waiting},
               {"cpu_waiting_limit", test_cpu_waiting_limit},
               {"cpu_waiting_no_threads", test_cpu_waiting_no_threads},
               {"cpu_waiting_slowly", test_cpu_waiting_slowly},
               {"cpu_exit", test_cpu_exit},
               {"cpu_close", test_cpu_close},
               {"cpu_quota", test_cpu_quota},
               {"cpu_fork", test_cpu_fork},
               {"fork_during_load", test_fork_during_load},
               {"no_driver", test_no_driver},
               {"no_device", test_no_device},
               {"cuda_choice", test_cuda_choice},
               {"cuda_tensor_maps", test_cuda_tensor_maps},
               {"cuda_tensor_map_threads", test_cuda_tensor_map_threads},
               {"cuda_scratch", test_cuda_scratch},
               {"cuda_old_scratch", test_cuda_old_scratch},
               {"cuda_old_driver", test_cuda_old_driver},
               {"cuda_errors", test_cuda_errors},
               {"cuda_load", test_cuda_load},
               {"cuda_threads", test_cuda_threads},
               {"cuda_contexts", test_cuda_contexts},
               {"cuda_refused", test_cuda_refused},
               {"cuda_failing", test_cuda_failing},
               {"cuda_old_failing", test_cuda_old_failing},
               {"cuda_special", test_cuda_special},
               {"cuda_slow_load", test_cuda_slow_load},
               {"cuda_crowd", test_cuda_crowd},
               {"cuda_unload_threads", test_cuda_unload_threads},
               {"cuda_unload_waits", test_cuda_unload_waits},
               {"cuda_unload_threads_uniform", test_cuda_unload_threads_uniform},
               {"cuda_unload_later_calls", test_cuda_unload_later_calls},
               {"cuda_known_streams", test_cuda_known_streams},
               {"cuda_moved_streams", test_cuda_moved_streams},
               {"cuda_uniform", test_cuda_uniform},
               {"cuda_unlike_count", test_cuda_unlike_count},
               {"cuda_unlike_device", test_cuda_unlike_device},
               {"cuda_unlike_name", test_cuda_unlike_name},
               {"quiet", test_quiet},
               {"quiet_alike", test_quiet_alike},
               {"no_memory", test_no_memory},
               {"cuda_eager_contexts", test_cuda_eager_contexts},
               {"cuda_eager_failing", test_cuda_eager_failing},
               {"cuda_eager_unload_threads", test_cuda_eager_unload_threads},
               {"cuda_close", test_cuda_close},
               {"cuda_exit", test_cuda_exit},
               {"cuda_fork", test_cuda_fork},
               {"missing_cuda", test_missing_cuda},
               {"missing_amdh", test_missing_hip},
               {"hip", test_hip},
               {"hip_failing", test_hip_failing},
               {"hip_loaded", test_hip_loaded}};
  size_t i;
  library_path = argc == 3 ? argv[2] : NULL;
  missing = argc == 4 ? argv[2] : NULL;
  is_required = argc == 4 && !strcmp(argv[3], "required");
  for (i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc >= 2 && !strcmp(argv[1], cases[i].name)) {
      cases[i].run();
      return failures != 0; /* Threads may still be calling. */
    }
  fprintf(stderr, "unknown case\n");
  return 2;
}
