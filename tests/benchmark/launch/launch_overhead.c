/* What a call of a generated library takes more than a bare cuLaunchKernel with the same arguments, in
 * nanoseconds of the host's time: for 3, 12 and 30 arguments and 1, 8 and 64 variants, the call taking the
 * first or the last variant, then with many threads.
 *
 *     make_libraries.py NEREID OUT; cc -O2 -IOUT launch_overhead.c -LOUT -lnothing -ldl -pthread -o
 * launch_overhead LD_LIBRARY_PATH=OUT ./launch_overhead
 *
 * A launch takes thousands of nanoseconds, and some hundred more or less at times. So both ways take turns in
 * short batches, and what is shown is the median of the differences between neighbours. */
#include "driver.h"
#include "nothing.h"

#include <pthread.h>
#include <time.h>

#define BATCH 100
#define PAIRS 300

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

#define P10 pointer, pointer, pointer, pointer, pointer, pointer, pointer, pointer, pointer, pointer
#define I6 number, number, number, number, number, number
#define CASES(F)                                                                                             \
  F(3, 1, (stream, pointer, pointer, number))                                                                \
  F(3, 8, (stream, pointer, pointer, number))                                                                \
  F(3, 64, (stream, pointer, pointer, number))                                                               \
  F(12, 1, (stream, pointer, pointer, pointer, pointer, pointer, pointer, I6))                               \
  F(12, 8, (stream, pointer, pointer, pointer, pointer, pointer, pointer, I6))                               \
  F(12, 64, (stream, pointer, pointer, pointer, pointer, pointer, pointer, I6))                              \
  F(30, 1, (stream, P10, I6, I6, I6, number, number))                                                        \
  F(30, 8, (stream, P10, I6, I6, I6, number, number))                                                        \
  F(30, 64, (stream, P10, I6, I6, I6, number, number))

#define DEFINE_CALL(count, variants, arguments)                                                              \
  static nrd_status call_##count##_##variants(nrd_stream stream) {                                           \
    return nothing_##count##_##variants arguments;                                                           \
  }
CASES(DEFINE_CALL)

static const struct {
  int arguments, variants;
  nrd_status (*call)(nrd_stream);
} cases[] = {
#define LIST_CALL(count, variants, arguments) {count, variants, call_##count##_##variants},
    CASES(LIST_CALL)};

static void launch_bare(void *function, int count, int pointers, void *stream) {
  void *arguments[30];
  float *p = pointer;
  int32_t n = number;
  int i;
  for (i = 0; i < count; ++i)
    arguments[i] = i < pointers ? (void *)&p : (void *)&n;
  driver.launch(function, 1, 1, 1, 128, 1, 1, 0, stream, arguments, NULL);
}

typedef struct worker {
  pthread_t thread;
  pthread_barrier_t *barrier;
  void *context, *function; /* the one that all threads launch, as they do through the library */
  double bare, called;
  int failed;
} worker;

static void *work(void *argument) {
  worker *self = argument;
  double bare[PAIRS], called[PAIRS];
  void *stream;
  nrd_stream named;
  int pair, i;
  driver.set_current(self->context);
  driver.create_stream(&stream, 1);
  named = nrd_cuda_stream(stream);
  pthread_barrier_wait(self->barrier);
  for (pair = 0; pair < PAIRS; ++pair) {
    double began = now();
    for (i = 0; i < BATCH; ++i)
      launch_bare(self->function, 12, 6, stream);
    bare[pair] = (now() - began) / BATCH;
    driver.wait_for_stream(stream);
    began = now();
    for (i = 0; i < BATCH; ++i)
      self->failed += call_12_8(named) != NRD_OK;
    called[pair] = (now() - began) / BATCH;
    driver.wait_for_stream(stream);
  }
  self->bare = median(bare, PAIRS);
  self->called = median(called, PAIRS);
  return NULL;
}

int main(void) {
  void *context, *stream, *functions[3];
  nrd_stream named;
  size_t c;
  int special, threads, device, i, pair;
  static const int pointers[] = {2, 6, 10}, counts[] = {3, 12, 30};
  open_driver();
  driver.get_device(&device, 0);
  driver.retain_primary(&context, device);
  driver.set_current(context);
  driver.create_stream(&stream, 1);
  named = nrd_cuda_stream(stream);
  if (nothing_load(named) != NRD_OK) {
    fprintf(stderr, "%s\n", nothing_last_error());
    return 1;
  }
  for (i = 0; i < 3; ++i)
    functions[i] = bare_function(counts[i], pointers[i]);
  printf("arguments variants taken     bare ns  more ns (median of differences, of medians)\n");
  for (special = 1; special >= 0; --special) {
    pointer = (float *)(special ? 0x7f0000000000 : 0x7f0000000004);
    number = special ? 160 : 161;
    /* Divisible by 4, which is a promise of some: so not that either, where addresses must be. */
    for (c = 0; c < sizeof cases / sizeof *cases; ++c) {
      double bare[PAIRS], called[PAIRS], more[PAIRS], best_bare, best_called;
      int which = cases[c].arguments == 3 ? 0 : cases[c].arguments == 12 ? 1 : 2;
      for (pair = 0; pair < PAIRS; ++pair) {
        double began = now();
        for (i = 0; i < BATCH; ++i)
          launch_bare(functions[which], cases[c].arguments, pointers[which], stream);
        bare[pair] = (now() - began) / BATCH;
        driver.wait_for_stream(stream);
        began = now();
        for (i = 0; i < BATCH; ++i)
          if (cases[c].call(named) != NRD_OK) {
            fprintf(stderr, "%s\n", nothing_last_error());
            return 1;
          }
        called[pair] = (now() - began) / BATCH;
        driver.wait_for_stream(stream);
        more[pair] = called[pair] - bare[pair];
      }
      best_bare = median(bare, PAIRS);
      best_called = median(called, PAIRS);
      printf("%9d %8d %-8s %9.1f %8.1f %8.1f\n", cases[c].arguments, cases[c].variants,
             special ? "first" : "last", best_bare, median(more, PAIRS), best_called - best_bare);
    }
  }
  printf("threads   bare ns   more ns (12 arguments, 8 variants, a stream each; medians over threads)\n");
  for (threads = 1; threads <= 32; threads *= 2) {
    worker workers[32];
    pthread_barrier_t barrier;
    double bare[32], called[32];
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (i = 0; i < threads; ++i) {
      workers[i] = (worker){.barrier = &barrier, .context = context, .function = functions[1]};
      pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (i = 0; i < threads; ++i) {
      pthread_join(workers[i].thread, NULL);
      bare[i] = workers[i].bare;
      called[i] = workers[i].called;
      if (workers[i].failed)
        printf("%d calls failed\n", workers[i].failed);
    }
    printf("%7d %9.1f %9.1f\n", threads, median(bare, threads),
           median(called, threads) - median(bare, threads));
  }
  return 0;
}
