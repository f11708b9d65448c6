/* What generated libraries promise of devices, contexts, loading and unloading, tried on a real driver; the
 * same is tested without one in tests/package/dispatch. Prints a line for each case and exits with 1 if one
 * failed.
 *
 *     make_libraries.py NEREID OUT
 *     cc -O2 -IOUT gpu_runtime.c -LOUT -lruntime_kernels -ldl -pthread -o gpu_runtime
 *     LD_LIBRARY_PATH=OUT ./gpu_runtime [COPY_OF_LIBRARY]
 */
#include "gpu_cases.h"

#include <sys/wait.h>

static void *context; /* the primary one of device 0 */

static void test_streams(void) {
  uint64_t x = make_numbers();
  void *stream;
  driver.create_stream(&stream, 1);
  CHECK(bump_all(stream, x) == NRD_OK);
  driver.wait_for_stream(stream);
  CHECK(bump_all(NULL, x) == NRD_OK);
  CHECK(bump_all((void *)1, x) == NRD_OK); /* legacy */
  driver.synchronize();
  CHECK(bump_all((void *)2, x) == NRD_OK); /* per thread */
  CHECK(are(x, 4));
  driver.destroy_stream(stream);
  driver.release(x);
}

/* A thread without a context names one by its stream; so does one that has another. */
static void *call_without_context(void *argument) {
  void **values = argument, *current = argument;
  nrd_status status = bump_all(values[0], (uint64_t)values[1]);
  driver.get_current(&current);
  values[2] = current;
  return (void *)(intptr_t)status;
}
static void test_other_contexts(void) {
  uint64_t x = make_numbers(), y;
  void *stream, *other, *values[3], *result;
  pthread_t thread;
  driver.create_stream(&stream, 1);
  values[0] = stream;
  values[1] = (void *)x;
  pthread_create(&thread, NULL, call_without_context, values);
  pthread_join(thread, &result);
  CHECK((intptr_t)result == NRD_OK && values[2] == NULL);
  CHECK(driver.create_context(&other, 0, 0) == 0); /* current now */
  y = make_numbers();
  CHECK(bump_all(NULL, y) == NRD_OK && are(y, 1));
  CHECK(bump_all(stream, x) == NRD_OK);
  driver.get_current(&result);
  CHECK(result == other);
  runtime_kernels_unload();
  driver.destroy_context(other);
  driver.set_current(context);
  CHECK(are(x, 2));
  driver.destroy_stream(stream);
  driver.release(x);
}

/* Contexts come and go, mostly at the same addresses. */
static void test_new_contexts(void) {
  void *first = NULL;
  size_t before, after, total;
  int i, again = 0;
  for (i = 0; i < 12; ++i) {
    void *made;
    uint64_t x;
    CHECK(driver.create_context(&made, 0, 0) == 0);
    first = first ? first : made;
    again += made == first;
    x = make_numbers();
    CHECK(bump_all(NULL, x) == NRD_OK);
    CHECK(are(x, 1));
    runtime_kernels_unload();
    driver.destroy_context(made);
    driver.set_current(context);
    if (i == 1)
      driver.get_memory(&before, &total);
  }
  driver.get_memory(&after, &total);
  printf("  %d of 12 contexts were where the first was; free memory changed by %ld KiB\n", again,
         ((long)after - (long)before) / 1024);
}

static void test_reset(void) {
  int i;
  for (i = 0; i < 3; ++i) {
    uint64_t x = make_numbers();
    CHECK(bump_all(NULL, x) == NRD_OK && are(x, 1));
    CHECK(driver.reset_primary(0) == 0);
    CHECK(driver.retain_primary(&context, 0) == 0);
    driver.set_current(context);
    x = make_numbers();
    CHECK(bump_all(NULL, x) == NRD_OK && are(x, 1));
    driver.release(x);
  }
}

static void test_graphs(void) {
  uint64_t x = make_numbers();
  void *stream, *graph = NULL, *made = NULL;
  int i, first;
  driver.create_stream(&stream, 1);
  /* Loaded by the call that is captured, or before. */
  for (first = 0; first < 2; ++first) {
    runtime_kernels_unload();
    if (!first)
      CHECK(runtime_kernels_load(nrd_cuda_stream(stream)) == NRD_OK);
    CHECK(driver.begin_capture(stream, first ? 2 : 0 /* relaxed, global */) == 0);
    for (i = 0; i < 10; ++i)
      CHECK(bump_all(stream, x) == NRD_OK);
    CHECK(driver.end_capture(stream, &graph) == 0 && graph);
    CHECK(driver.make_graph(&made, graph, 0) == 0);
    for (i = 0; i < 10; ++i)
      CHECK(driver.launch_graph(made, stream) == 0);
    driver.wait_for_stream(stream);
    CHECK(are(x, first ? 200 : 100));
    driver.destroy_graph(made);
  }
  driver.destroy_stream(stream);
  driver.release(x);
}

static void test_unload_beside_launches(void) { run_workers(&context, 1, 100); }

static void test_unload_beside_kernel(void) {
  uint64_t x = make_numbers();
  void *stream;
  int was_running;
  driver.create_stream(&stream, 1);
  CHECK(spin(nrd_cuda_stream(stream), (float *)x, 20000000) == NRD_OK);
  was_running = driver.query_stream(stream) == 600;
  runtime_kernels_unload();
  printf("  the kernel ran %s unload began, and %s when it returned\n", was_running ? "when" : "before",
         driver.query_stream(stream) == 600 ? "still does" : "has ended");
  CHECK(driver.wait_for_stream(stream) == 0);
  {
    float value = 0;
    CHECK(driver.copy_to_host(&value, x, sizeof value) == 0 && value == 1);
  }
  CHECK(bump_all(stream, x) == NRD_OK && driver.synchronize() == 0);
  driver.destroy_stream(stream);
  driver.release(x);
}

/* Launches that begin before the one before has ended, and still see what it wrote. */
static void test_early(void) {
  uint64_t x = make_numbers();
  void *stream;
  int i;
  driver.create_stream(&stream, 1);
  for (i = 0; i < 2000; ++i)
    CHECK(early(nrd_cuda_stream(stream), (float *)x, LENGTH) == NRD_OK);
  driver.wait_for_stream(stream);
  CHECK(are(x, 2000));
  driver.destroy_stream(stream);
  driver.release(x);
}

/* Programs that wait for one another; and more of them than run at a time. */
static void test_together(void) {
  uint64_t x = make_numbers(), count = make_numbers();
  nrd_dim3 grid = {100, 1, 1}, wide = {1000000, 1, 1};
  float numbers[101];
  int i;
  CHECK(together_grid(nrd_cuda_stream(NULL), grid, (float *)x, (int32_t *)count, 50) == NRD_OK);
  CHECK(driver.synchronize() == 0 && driver.copy_to_host(numbers, x, sizeof numbers) == 0);
  for (i = 0; i < 101; ++i)
    CHECK(numbers[i] == (i < 100 ? 50 : 0));
  CHECK(together_grid(nrd_cuda_stream(NULL), wide, (float *)x, (int32_t *)count, 50) ==
        NRD_ERROR_OUT_OF_RESOURCES);
  printf("  %s\n", runtime_kernels_last_error());
  CHECK(driver.synchronize() == 0);
  driver.release(count);
  driver.release(x);
}

static const char *copy_path;
static void test_close(void) {
  size_t before = 0, after, total;
  int i;
  if (!copy_path)
    return;
  for (i = 0; i < 30; ++i) {
    void *library = dlopen(copy_path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "runtime_kernels_bump") : NULL;
    nrd_status (*call)(nrd_stream, float *, int32_t);
    uint64_t x = make_numbers();
    CHECK(symbol != NULL);
    if (!symbol)
      return;
    memcpy(&call, &symbol, sizeof symbol);
    CHECK(call(nrd_cuda_stream(NULL), (float *)x, LENGTH) == NRD_OK && are(x, 1));
    driver.release(x);
    dlclose(library);
    if (i == 4)
      driver.get_memory(&before, &total);
  }
  driver.get_memory(&after, &total);
  printf("  free memory changed by %ld KiB in 25 rounds\n", ((long)after - (long)before) / 1024);
}

static void test_fork(void) {
  uint64_t x = make_numbers();
  int status = -1;
  pid_t child;
  CHECK(bump_all(NULL, x) == NRD_OK && are(x, 1));
  fflush(stdout);
  child = fork();
  if (child == 0) {
    nrd_status result = bump_all(NULL, x);
    printf("  a child is told: %d, %s\n", result, runtime_kernels_last_error());
    fflush(stdout);
    runtime_kernels_unload();
    exit(result == NRD_OK);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(bump_all(NULL, x) == NRD_OK && are(x, 2));
  driver.release(x);
}

int main(int argc, char **argv) {
  static const gpu_case cases[] = {{"streams", test_streams},
                                   {"other contexts", test_other_contexts},
                                   {"new contexts", test_new_contexts},
                                   {"reset", test_reset},
                                   {"graphs", test_graphs},
                                   {"unload beside launches", test_unload_beside_launches},
                                   {"unload beside a kernel", test_unload_beside_kernel},
                                   {"early", test_early},
                                   {"together", test_together},
                                   {"close", test_close},
                                   {"fork", test_fork}};
  static worker last;
  int failures;
  copy_path = argc > 1 ? argv[1] : NULL;
  open_driver();
  driver.retain_primary(&context, 0);
  driver.set_current(context);
  failures = run_cases(cases, sizeof cases / sizeof *cases);
  /* The process ends while a thread launches. */
  __atomic_store_n(&should_end, 0, __ATOMIC_RELAXED);
  last.context = context;
  pthread_create(&last.thread, NULL, launch_on, &last);
  usleep(10000);
  return failures != 0;
}
