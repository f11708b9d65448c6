/* What a call of a generated library takes more than a bare cuLaunchKernel with the same arguments, in
 * nanoseconds of the host's time: for 3, 12 and 30 arguments and 1, 8 and 64 variants, the call taking the
 * first or the last variant; then with many threads.
 *
 *     make_libraries.py NEREID OUT
 *     cc -O2 -IOUT launch_overhead.c -LOUT -lnothing -ldl -pthread -o launch_overhead
 *     LD_LIBRARY_PATH=OUT ./launch_overhead [ROUNDS [BATCH [THREADS]]]
 *
 * Bare is what a program writes that has no library: the arguments in variables, an array of their addresses,
 * and the launch, all in place. Shown beside it: the same in a function that takes the arguments as the
 * library's does, and with the arguments in one buffer in place of many variables
 * (CU_LAUNCH_PARAM_BUFFER_POINTER). A launch takes thousands of nanoseconds, and some hundred more or less at
 * times. So the ways take turns in short batches, forwards and backwards, all cases in each round, at another
 * place of the stack each time; what is shown is the median of the differences between neighbours. A process
 * differs from the next one by some nanoseconds, so run several. With idle_driver.c only the library's own
 * share is left. */
#include "driver.h"
#include "nothing.h"

#include <alloca.h>
#include <pthread.h>
#include <time.h>

#define MOST_ROUNDS 10000

static int batch = 40, rounds = 500, most_threads = 0;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

/* PTX of a kernel that does nothing either, with parameters of the same sizes. */
static void *bare_function(int count, int pointers) {
  char ptx[4000], *at = ptx;
  void *module, *function;
  int i;
  at += sprintf(at, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry bare(");
  for (i = 0; i < count; ++i)
    at += sprintf(at, "%s.param .%s p%d", i ? ", " : "", i < pointers ? "u64" : "u32", i);
  sprintf(at, ") { ret; }\n");
  if (driver.load_module(&module, ptx) || driver.get_function(&function, module, "bare")) {
    fprintf(stderr, "the bare kernel does not load\n");
    exit(1);
  }
  return function;
}

/* Arguments that every promise holds for, or none. */
static float *pointer;
static int32_t number;

#define P2(F) F(float *, a0) F(float *, a1)
#define P6(F) P2(F) F(float *, a2) F(float *, a3) F(float *, a4) F(float *, a5)
#define P10(F) P6(F) F(float *, a6) F(float *, a7) F(float *, a8) F(float *, a9)
#define N6(F) F(int32_t, n0) F(int32_t, n1) F(int32_t, n2) F(int32_t, n3) F(int32_t, n4) F(int32_t, n5)
#define N20(F)                                                                                               \
  N6(F)                                                                                                      \
  F(int32_t, n6)                                                                                             \
  F(int32_t, n7)                                                                                             \
  F(int32_t, n8)                                                                                             \
  F(int32_t, n9)                                                                                             \
  F(int32_t, n10)                                                                                            \
  F(int32_t, n11)                                                                                            \
  F(int32_t, n12)                                                                                            \
  F(int32_t, n13)                                                                                            \
  F(int32_t, n14)                                                                                            \
  F(int32_t, n15)                                                                                            \
  F(int32_t, n16) F(int32_t, n17) F(int32_t, n18) F(int32_t, n19)
#define LIST_3(F) P2(F) F(int32_t, n0)
#define LIST_12(F) P6(F) N6(F)
#define LIST_30(F) P10(F) N20(F)
enum { PACKED_3 = 2 * 8 + 4, PACKED_12 = 6 * 8 + 6 * 4, PACKED_30 = 10 * 8 + 20 * 4 };

#define PARAMETER(type, name) , type name
#define ADDRESS(type, name) (void *)&name,
#define MEMBER(type, name) type name;
#define VALUE(type, name) name,
#define PASS(type, name) , _Generic((type)0, float *: pointer, default: number)

#define DEFINE_BARE(count)                                                                                   \
  static inline __attribute__((always_inline)) int bare_##count(void *stream,                                \
                                                                void *function LIST_##count(PARAMETER)) {    \
    void *arguments[] = {LIST_##count(ADDRESS)};                                                             \
    return driver.launch(function, 1, 1, 1, 128, 1, 1, 0, stream, arguments, NULL);                          \
  }                                                                                                          \
  static void in_place_##count(void *stream, void *function) {                                               \
    int i, failed = 0;                                                                                       \
    for (i = 0; i < batch; ++i)                                                                              \
      failed |= bare_##count(stream, function LIST_##count(PASS));                                           \
    if (failed)                                                                                              \
      exit(1);                                                                                               \
  }                                                                                                          \
  static inline __attribute__((always_inline)) int packed_bare_##count(                                      \
      void *stream, void *function LIST_##count(PARAMETER)) {                                                \
    struct {                                                                                                 \
      LIST_##count(MEMBER)                                                                                   \
    } packed = {LIST_##count(VALUE)};                                                                        \
    size_t size = PACKED_##count;                                                                            \
    void *extra[] = {(void *)1, &packed, (void *)2, &size, NULL};                                            \
    return driver.launch(function, 1, 1, 1, 128, 1, 1, 0, stream, NULL, extra);                              \
  }                                                                                                          \
  static void packed_##count(void *stream, void *function) {                                                 \
    int i, failed = 0;                                                                                       \
    for (i = 0; i < batch; ++i)                                                                              \
      failed |= packed_bare_##count(stream, function LIST_##count(PASS));                                    \
    if (failed)                                                                                              \
      exit(1);                                                                                               \
  }                                                                                                          \
  __attribute__((noinline)) static int wrapped_bare_##count(void *stream,                                    \
                                                            void *function LIST_##count(PARAMETER)) {        \
    void *arguments[] = {LIST_##count(ADDRESS)};                                                             \
    return driver.launch(function, 1, 1, 1, 128, 1, 1, 0, stream, arguments, NULL);                          \
  }                                                                                                          \
  static void wrapped_##count(void *stream, void *function) {                                                \
    int i, failed = 0;                                                                                       \
    for (i = 0; i < batch; ++i)                                                                              \
      failed |= wrapped_bare_##count(stream, function LIST_##count(PASS));                                   \
    if (failed)                                                                                              \
      exit(1);                                                                                               \
  }
DEFINE_BARE(3)
DEFINE_BARE(12)
DEFINE_BARE(30)

#define CASES(F) F(3, 1) F(3, 8) F(3, 64) F(12, 1) F(12, 8) F(12, 64) F(30, 1) F(30, 8) F(30, 64)
#define DEFINE_CALL(count, variants)                                                                         \
  static void call_##count##_##variants(void *stream, void *unused) {                                        \
    int i, failed = 0;                                                                                       \
    (void)unused;                                                                                            \
    for (i = 0; i < batch; ++i)                                                                              \
      failed |= nothing_##count##_##variants(nrd_cuda_stream(stream) LIST_##count(PASS));                    \
    if (failed) {                                                                                            \
      fprintf(stderr, "%s\n", nothing_last_error());                                                         \
      exit(1);                                                                                               \
    }                                                                                                        \
  }
CASES(DEFINE_CALL)

typedef void (*way)(void *stream, void *function);
enum { WAYS = 4, COUNT = 18 };
static const struct {
  int arguments, variants;
  way ways[WAYS];
} cases[] = {
#define LIST_CALL(count, variants)                                                                           \
  {count, variants, {in_place_##count, call_##count##_##variants, wrapped_##count, packed_##count}},
    CASES(LIST_CALL)};

static double times[COUNT][WAYS][MOST_ROUNDS];

static double time_batch(way run, void *stream, void *function) {
  double began = now(), took;
  run(stream, function);
  took = (now() - began) / batch;
  driver.wait_for_stream(stream);
  return took;
}

/* All cases once. */
__attribute__((noinline)) static void run_round(int round, void *stream, void *const *functions) {
  char *volatile moved = alloca((size_t)(rand() % 256) * 16 + 16);
  int c, w;
  (void)moved;
  for (c = 0; c < COUNT; ++c) {
    int special = c < 9;
    void *function = functions[cases[c % 9].arguments == 3 ? 0 : cases[c % 9].arguments == 12 ? 1 : 2];
    pointer = (float *)(special ? 0x7f0000000000 : 0x7f0000000004);
    number = special ? 160 : 161;
    for (w = 0; w < WAYS; ++w) {
      int which = round % 2 ? WAYS - 1 - w : w;
      times[c][which][round] = time_batch(cases[c % 9].ways[which], stream, function);
    }
  }
}

typedef struct worker {
  pthread_t thread;
  pthread_barrier_t *barrier;
  void *context, *function; /* the one that all threads launch, as they do through the library */
  double bare, called;
} worker;

enum { THREAD_ROUNDS = 100 };
static void *work(void *argument) {
  worker *self = argument;
  double bare[THREAD_ROUNDS], called[THREAD_ROUNDS];
  void *stream;
  int round;
  driver.set_current(self->context);
  driver.create_stream(&stream, 1);
  pthread_barrier_wait(self->barrier);
  for (round = 0; round < THREAD_ROUNDS; ++round) {
    bare[round] = time_batch(in_place_12, stream, self->function);
    called[round] = time_batch(call_12_8, stream, NULL);
  }
  self->bare = median(bare, THREAD_ROUNDS);
  self->called = median(called, THREAD_ROUNDS);
  return NULL;
}

static void run_threads(int threads, void *context, void *function) {
  worker workers[32];
  pthread_barrier_t barrier;
  double bare[32], called[32];
  int i;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (i = 0; i < threads; ++i) {
    workers[i] = (worker){.barrier = &barrier, .context = context, .function = function};
    pthread_create(&workers[i].thread, NULL, work, &workers[i]);
  }
  for (i = 0; i < threads; ++i) {
    pthread_join(workers[i].thread, NULL);
    bare[i] = workers[i].bare;
    called[i] = workers[i].called;
  }
  printf("%7d %9.1f %9.1f\n", threads, median(bare, threads),
         median(called, threads) - median(bare, threads));
}

int main(int argc, char **argv) {
  void *context, *stream, *functions[3];
  int device, i, c, threads;
  static const int pointers[] = {2, 6, 10}, counts[] = {3, 12, 30};
  static double more[3][MOST_ROUNDS];
  rounds = argc > 1 ? atoi(argv[1]) : rounds;
  batch = argc > 2 ? atoi(argv[2]) : batch;
  most_threads = argc > 3 ? atoi(argv[3]) : most_threads;
  rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
  srand((unsigned)now());
  open_driver();
  driver.get_device(&device, 0);
  driver.retain_primary(&context, device);
  driver.set_current(context);
  driver.create_stream(&stream, 1);
  if (nothing_load(nrd_cuda_stream(stream)) != NRD_OK) {
    fprintf(stderr, "%s\n", nothing_last_error());
    return 1;
  }
  for (i = 0; i < 3; ++i)
    functions[i] = bare_function(counts[i], pointers[i]);
  run_round(0, stream, functions);
  for (i = 0; i < rounds; ++i)
    run_round(i, stream, functions);
  printf("arguments variants taken    bare ns  more ns than in place, than in a function; of a buffer\n");
  for (c = 0; c < COUNT; ++c) {
    for (i = 0; i < rounds; ++i) {
      more[0][i] = times[c][1][i] - times[c][0][i];
      more[1][i] = times[c][1][i] - times[c][2][i];
      more[2][i] = times[c][3][i] - times[c][0][i];
    }
    printf("%9d %8d %-5s %10.1f %11.1f %13.1f %13.1f\n", cases[c % 9].arguments, cases[c % 9].variants,
           c < 9 ? "first" : "last", median(times[c][0], rounds), median(more[0], rounds),
           median(more[1], rounds), median(more[2], rounds));
  }
  if (most_threads)
    printf("threads   bare ns   more ns (12 arguments, 8 variants, a stream each; medians over threads)\n");
  for (threads = 1; threads <= most_threads && threads <= 32; threads *= 2)
    run_threads(threads, context, functions[1]);
  return 0;
}
