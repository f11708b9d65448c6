/* Runs every kernel of the library on the GPU and on the CPU, compares, and says how long loading all images
 * took. */
#include "rows.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *driver;
static void *find(const char *name) {
  void *function = dlsym(driver, name);
  if (!function) {
    fprintf(stderr, "no %s\n", name);
    exit(1);
  }
  return function;
}
static void check(int result, const char *what) {
  if (result) {
    fprintf(stderr, "%s: error %d\n", what, result);
    exit(1);
  }
}
static void check_library(nrd_status status, const char *what) {
  if (status != NRD_OK) {
    fprintf(stderr, "%s: %s\n", what, rows_last_error());
    exit(1);
  }
}

int main(void) {
  enum { n = 4, most = 8192 };
  static float x[n * most], on_gpu[n * most], on_cpu[n * most];
  unsigned long long dx, dy;
  int device, lengths = 0;
  void *context;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) {
    fprintf(stderr, "no driver\n");
    return 77;
  }
  check(((int (*)(unsigned))find("cuInit"))(0), "cuInit");
  check(((int (*)(int *, int))find("cuDeviceGet"))(&device, 0), "cuDeviceGet");
  check(((int (*)(void **, int))find("cuDevicePrimaryCtxRetain"))(&context, device), "the context");
  check(((int (*)(void *))find("cuCtxSetCurrent"))(context), "the context");
  check(((int (*)(unsigned long long *, size_t))find("cuMemAlloc_v2"))(&dx, sizeof x), "memory");
  check(((int (*)(unsigned long long *, size_t))find("cuMemAlloc_v2"))(&dy, sizeof x), "memory");
  for (int i = 0; i < n * most; ++i)
    x[i] = (float)(i * 7919 % 1000) / 100;
  check(((int (*)(unsigned long long, const void *, size_t))find("cuMemcpyHtoD_v2"))(dx, x, sizeof x),
        "copy");
  const double begin = now();
  check_library(rows_load(nrd_cuda_stream(0)), "load");
  const double loaded = now() - begin;
  for (int length = 64; length <= most; length *= 2, ++lengths) {
    for (int i = 0; i < n * most; ++i)
      on_gpu[i] = on_cpu[i] = NAN;
    check(((int (*)(unsigned long long, const void *, size_t))find("cuMemcpyHtoD_v2"))(dy, on_gpu, sizeof x),
          "copy");
    check_library(rows_rows(nrd_cuda_stream(0), (const float *)dx, (float *)dy, n, length), "the GPU");
    check(((int (*)(void))find("cuCtxSynchronize"))(), "the kernel");
    check(((int (*)(void *, unsigned long long, size_t))find("cuMemcpyDtoH_v2"))(on_gpu, dy, sizeof x),
          "copy");
    check_library(rows_rows(nrd_cpu_stream(), x, on_cpu, n, length), "the CPU");
    for (int i = 0; i < n * length; ++i)
      if (!(fabsf(on_gpu[i] - on_cpu[i]) <= 1e-5f)) {
        fprintf(stderr, "row of %d: %g instead of %g at %d\n", length, on_gpu[i], on_cpu[i], i);
        return 1;
      }
  }
  printf("%d kernels are right, all images loaded in %.1f ms\n", lengths, loaded);
  return 0;
}
