/* Calls the library that MakeLibrary.cpp made, and checks what reaches the (fake) drivers. One case a run,
 * named by the first argument, because a process opens a driver once. The second is a copy of the library, to
 * be opened and closed. */
#include "dispatch_test.h"

#include <sys/wait.h>

int failures;
const char *library_path, *missing;
int is_required;

int says(const char *words) { return strstr(synthetic_last_error(), words) != NULL; }

fake_state *fake;
void open_fake(const char *name) {
  void *library = dlopen(name, RTLD_NOW);
  fake_state *(*state_of)(void) = library ? (fake_state * (*)(void)) dlsym(library, "fake_state_of") : NULL;
  if (!state_of) {
    fprintf(stderr, "%s is not the fake driver\n", name);
    exit(1);
  }
  fake = state_of();
}
const fake_launch *last_launch(void) { return &fake->launch[(fake->launches - 1) % FAKE_LAUNCHES]; }
int ran(const char *image) {
  return fake->launches > 0 && !strncmp(last_launch()->image, image, strlen(image));
}

void make_devices_alike(void) {
  for (int i = 0; i < FAKE_CONTEXTS; ++i)
    fake->capability[i] = 90;
  fake->name = "Fake GPU";
}

float *const aligned = (float *)0x10000, *const unaligned = (float *)0x20004;
nrd_stream cuda(int context) { return nrd_cuda_stream((void *)(intptr_t)(16 + context)); }
nrd_stream hip(int device) { return nrd_hip_stream((void *)(intptr_t)(16 + device)); }

static int expected_level(void) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return 4;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")
             ? 3
             : 2;
}

int twice_is_right(int32_t n) {
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

int32_t held[2];
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
pthread_t start_holding(void *function) {
  pthread_t thread;
  int32_t count = thread_count();
  memset(held, 0, sizeof held);
  CHECK(pthread_create(&thread, NULL, call_hold, function) == 0);
  while (__atomic_load_n(&held[0], __ATOMIC_ACQUIRE) < (count < 8 ? count : 8))
    usleep(1000);
  return thread;
}

void start_threads(pthread_t *threads, int count, void *(*run)(void *), void *argument) {
  for (int i = 0; i < count; ++i)
    CHECK(pthread_create(&threads[i], NULL, run, argument ? argument : (void *)(intptr_t)i) == 0);
}
void join_threads(pthread_t *threads, int count) {
  for (int i = 0; i < count; ++i) {
    void *wrong = NULL;
    CHECK(pthread_join(threads[i], &wrong) == 0 && wrong == NULL);
  }
}

int child_succeeds(int (*run)(void)) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    exit(run() ? 0 : 1);
  }
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void *load_slowly(void *unused) {
  (void)unused;
  return (void *)(intptr_t)twice(cuda(0), aligned, aligned, 160);
}

void test_failing_calls(const failing_call *calls, size_t count, nrd_stream stream) {
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

extern const test_case cpu_cases[], cpu_quota_cases[], driver_cases[], cuda_call_cases[], cuda_device_cases[],
    cuda_failing_cases[], cuda_scratch_cases[], cuda_unload_cases[], hip_cases[];

int main(int argc, char **argv) {
  static const test_case *const lists[] = {cpu_cases,          cpu_quota_cases,   driver_cases,
                                           cuda_call_cases,    cuda_device_cases, cuda_failing_cases,
                                           cuda_scratch_cases, cuda_unload_cases, hip_cases};
  const test_case *test;
  size_t i;
  library_path = argc == 3 ? argv[2] : NULL;
  missing = argc == 4 ? argv[2] : NULL;
  is_required = argc == 4 && !strcmp(argv[3], "required");
  for (i = 0; i < sizeof lists / sizeof *lists; ++i)
    for (test = lists[i]; test->name; ++test)
      if (argc >= 2 && !strcmp(argv[1], test->name)) {
        test->run();
        return failures != 0; /* Threads may still be calling. */
      }
  fprintf(stderr, "unknown case\n");
  return 2;
}
