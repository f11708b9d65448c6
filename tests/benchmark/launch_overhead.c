/* The host time of one call of a library made by Nereid, beside a bare cuLaunchKernel of the same kernel's
 * arguments.
 *
 * Both launch from one thread into one stream. Launches are timed in batches that are small enough not to
 * fill the driver's queue, with a wait between the batches, and the median batch counts. The bare launch uses
 * a kernel of PTX text with the same parameters and does nothing on the device, and so does the library's
 * with n = 16, nearly. */
#include "add_fp32.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry bare(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
                          "{ ret; }\n";

enum { batch = 200, batches = 400 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *values) {
  qsort(values, batches, sizeof *values, compare);
  return values[batches / 2] / batch;
}

#define LOOK_UP(type, name, symbol)                                                                          \
  type name = (type)dlsym(driver, symbol);                                                                   \
  if (!name) {                                                                                               \
    fprintf(stderr, "no %s\n", symbol);                                                                      \
    return 1;                                                                                                \
  }
#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    int code = (call);                                                                                       \
    if (code) {                                                                                              \
      fprintf(stderr, "%s: error %d\n", #call, code);                                                        \
      return 1;                                                                                              \
    }                                                                                                        \
  } while (0)

int main(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) {
    fprintf(stderr, "no CUDA driver\n");
    return 1;
  }
  LOOK_UP(int (*)(unsigned), init, "cuInit");
  LOOK_UP(int (*)(void **, unsigned, int), create, "cuCtxCreate_v2");
  LOOK_UP(int (*)(void **, unsigned), make_stream, "cuStreamCreate");
  LOOK_UP(int (*)(void *), wait, "cuStreamSynchronize");
  LOOK_UP(int (*)(unsigned long long *, size_t), allocate, "cuMemAlloc_v2");
  LOOK_UP(int (*)(void **, const void *), load, "cuModuleLoadData");
  LOOK_UP(int (*)(void **, void *, const char *), get, "cuModuleGetFunction");
  LOOK_UP(int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                  void **, void **),
          launch, "cuLaunchKernel");
  void *context, *stream, *module, *function;
  unsigned long long x, y, out;
  CHECK(init(0));
  CHECK(create(&context, 0, 0));
  CHECK(make_stream(&stream, 1));
  CHECK(allocate(&x, 4096));
  CHECK(allocate(&y, 4096));
  CHECK(allocate(&out, 4096));
  CHECK(load(&module, ptx));
  CHECK(get(&function, module, "bare"));
  int n = 16;
  void *arguments[] = {&x, &y, &out, &n};

  static double ours[batches], bare[batches];
  nrd_stream target = nrd_cuda_stream(stream);
  for (int round = 0; round < 2; ++round) { /* the first round warms everything up */
    for (int i = 0; i < batches; ++i) {
      double start = now();
      for (int k = 0; k < batch; ++k)
        if (add_kernel(target, (const float *)x, (const float *)y, (float *)out, n) != NRD_OK) {
          fprintf(stderr, "%s\n", add_fp32_last_error());
          return 1;
        }
      ours[i] = now() - start;
      CHECK(wait(stream));
      start = now();
      for (int k = 0; k < batch; ++k)
        CHECK(launch(function, 1, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
      bare[i] = now() - start;
      CHECK(wait(stream));
    }
  }
  double a = median(ours), b = median(bare);
  printf("launch, host side: %.0f ns through the library, %.0f ns bare cuLaunchKernel, difference %.0f ns\n",
         a, b, a - b);
  return 0;
}
