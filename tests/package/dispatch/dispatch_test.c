/* Calls the library that MakeLibrary.cpp made, and checks what reaches the (fake) drivers. One case a run,
 * named by the first argument, because a process opens a driver once. The second is a copy of the library, to
 * be opened and closed. */
#include "fake_driver.h"
#include "synthetic.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- CUDA ---- */

static void test_cuda_choice(void) {
  nrd_dim3 grid = {3, 2, 1};
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
   * tiles, one of hopper. */
  loads = fake->loads;
  CHECK(loads == 12);
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && mixed(cuda(0), aligned) == NRD_OK &&
        fake->loads == loads);
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads == loads);
  CHECK(synthetic_load(cuda(1)) == NRD_OK && fake->loads > loads);
  synthetic_unload();
  CHECK(fake->unloads == fake->loads);
  /* One image that cannot be loaded, and one that needs too much, leave the others alone. */
  fake->bad_image = "tiled|*fp32:16";
  fake->max_shared = 1000;
  fake->loads = fake->unloads = 0;
  CHECK(synthetic_load(cuda(0)) == NRD_ERROR_OUT_OF_RESOURCES && fake->loads - fake->unloads == 10);
  CHECK(says("synthetic_load: 2 of 12 images cannot be loaded: picky: ") &&
        says("needs 102400 bytes of shared memory") && says("; tiled: its code cannot be loaded: ") &&
        says("('*fp32:16, i64, 128' for cuda:80)"));
  CHECK(checked(cuda(0), aligned, 10, 7) == NRD_OK && fake->loads - fake->unloads == 10);
  fake->bad_image = NULL;
  fake->max_shared = 232448;
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads - fake->unloads == 12);
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
  fake->bad_image = "twice|*fp32:16";
  CHECK(synthetic_load(hip(0)) == NRD_ERROR_DRIVER &&
        says("1 of 4 images cannot be loaded: twice: its code cannot be loaded") &&
        says("'*fp32:16, *fp32:16, i32:16, 64' for hip:gfx942"));
  CHECK(twice(hip(0), unaligned, aligned, 160) == NRD_OK);
  synthetic_unload();
  CHECK(fake->loads == fake->unloads);
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
               {"cpu_fork", test_cpu_fork},
               {"fork_during_load", test_fork_during_load},
               {"no_driver", test_no_driver},
               {"no_device", test_no_device},
               {"cuda_choice", test_cuda_choice},
               {"cuda_tensor_maps", test_cuda_tensor_maps},
               {"cuda_tensor_map_threads", test_cuda_tensor_map_threads},
               {"cuda_old_driver", test_cuda_old_driver},
               {"cuda_errors", test_cuda_errors},
               {"cuda_load", test_cuda_load},
               {"cuda_threads", test_cuda_threads},
               {"hip", test_hip}};
  size_t i;
  library_path = argc == 3 ? argv[2] : NULL;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc >= 2 && !strcmp(argv[1], cases[i].name)) {
      cases[i].run();
      return failures != 0; /* Threads may still be calling. */
    }
  fprintf(stderr, "unknown case\n");
  return 2;
}
