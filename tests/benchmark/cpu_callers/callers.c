/* Calls of kernels on the CPU from several threads, of several libraries: what a call takes, and how many
 * threads there are.
 *
 *     callers FOLDER CALLERS LIBRARIES add|matmul N CALLS
 *
 * The libraries are FOLDER/lib0.so, lib1.so, … (run.sh makes them); caller i calls that of number i mod
 * LIBRARIES, which do not see each other. The best of five rounds is printed. */
#define NRD_NO_ABI_CHECK
#include "lib.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef nrd_status (*add_function)(nrd_stream, const float *, const float *, float *, int32_t);
typedef nrd_status (*matmul_function)(nrd_stream, nrd_dim3, const float *, const float *, float *, int32_t);
static add_function add[8];
static matmul_function matmul[8];
static int libraries, is_matmul, n, calls;
static pthread_barrier_t barrier;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void *call(void *argument) {
  long which = (long)argument % libraries;
  size_t size = is_matmul ? (size_t)n * (size_t)n : (size_t)n;
  float *a = calloc(size, 4), *b = calloc(size, 4), *c = calloc(size, 4);
  nrd_dim3 grid = {(uint32_t)n / 64, (uint32_t)n / 64, 1};
  double *took = malloc(sizeof *took);
  int i;
  memset(c, 1, size * 4);
  pthread_barrier_wait(&barrier);
  *took = now();
  for (i = 0; i < calls; ++i)
    if ((is_matmul ? matmul[which](nrd_cpu_stream(), grid, a, b, c, n)
                   : add[which](nrd_cpu_stream(), a, b, c, n)))
      abort();
  *took = now() - *took;
  free(a);
  free(b);
  free(c);
  return took;
}

static int count_threads(void) {
  DIR *folder = opendir("/proc/self/task");
  int count = -2;
  while (readdir(folder))
    ++count;
  closedir(folder);
  return count;
}

int main(int argc, char **argv) {
  pthread_t threads[256];
  double best = 1e30;
  int callers = argc == 7 ? atoi(argv[2]) : 0, round, i;
  if (callers < 1 || callers > 256)
    return 2;
  libraries = atoi(argv[3]);
  is_matmul = !strcmp(argv[4], "matmul");
  n = atoi(argv[5]);
  calls = atoi(argv[6]);
  for (i = 0; i < libraries && i < 8; ++i) {
    char path[1000];
    void *handle, *symbol;
    snprintf(path, sizeof path, "%s/lib%d.so", argv[1], i);
    if (!(handle = dlopen(path, RTLD_NOW | RTLD_LOCAL))) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    symbol = dlsym(handle, "lib_add_kernel");
    memcpy(&add[i], &symbol, sizeof symbol);
    symbol = dlsym(handle, "lib_matmul_kernel_grid");
    memcpy(&matmul[i], &symbol, sizeof symbol);
  }
  for (round = 0; round < 5; ++round) {
    double longest = 0;
    pthread_barrier_init(&barrier, NULL, (unsigned)callers);
    for (i = 0; i < callers; ++i)
      pthread_create(&threads[i], NULL, call, (void *)(long)i);
    for (i = 0; i < callers; ++i) {
      void *took;
      pthread_join(threads[i], &took);
      if (*(double *)took > longest)
        longest = *(double *)took;
      free(took);
    }
    if (longest < best)
      best = longest;
  }
  printf("%2d callers, %d libraries, %6s %7d: %10.3f us, %2d workers\n", callers, libraries, argv[4], n,
         best / calls / 1e3, count_threads() - 1);
  return 0;
}
