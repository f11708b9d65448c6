/* What the example programs share: a device to run on, memory there, and time.
 *
 * The CPU needs nothing. For `--device cuda` the driver is opened here just as the kernel libraries open it,
 * so an example builds where there is no CUDA toolkit, and runs where there is no GPU. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
  int is_cuda;
  void *stream; /* CUstream */
  int (*malloc)(uint64_t *, size_t);
  int (*free)(uint64_t);
  int (*to_device)(uint64_t, const void *, size_t);
  int (*to_host)(void *, uint64_t, size_t);
  int (*wait)(void *);
  int (*load_module)(void **, const void *);
  int (*get_function)(void **, void *, const char *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                void **);
} device;

static void stop(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void check_cuda(int result, const char *what) {
  if (result) {
    char text[32];
    snprintf(text, sizeof text, "CUDA error %d", result);
    stop(what, text);
  }
}

static void *cuda_symbol(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol)
    stop("libcuda.so.1 is too old, it lacks", name);
  return symbol;
}

/* Opens GPU 0 and makes its context current. */
static void open_cuda(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
  int gpu;
  char name[256];
  if (!library)
    stop("no NVIDIA driver", dlerror());
  *(void **)&device.malloc = cuda_symbol(library, "cuMemAlloc_v2");
  *(void **)&device.free = cuda_symbol(library, "cuMemFree_v2");
  *(void **)&device.to_device = cuda_symbol(library, "cuMemcpyHtoD_v2");
  *(void **)&device.to_host = cuda_symbol(library, "cuMemcpyDtoH_v2");
  *(void **)&device.wait = cuda_symbol(library, "cuStreamSynchronize");
  *(void **)&device.load_module = cuda_symbol(library, "cuModuleLoadData");
  *(void **)&device.get_function = cuda_symbol(library, "cuModuleGetFunction");
  *(void **)&device.launch = cuda_symbol(library, "cuLaunchKernel");
  check_cuda(((int (*)(unsigned))cuda_symbol(library, "cuInit"))(0), "cuInit");
  check_cuda(((int (*)(int *, int))cuda_symbol(library, "cuDeviceGet"))(&gpu, 0), "cuDeviceGet");
  check_cuda(((int (*)(char *, int, int))cuda_symbol(library, "cuDeviceGetName"))(name, sizeof name, gpu),
             "cuDeviceGetName");
  check_cuda(((int (*)(void **, int))cuda_symbol(library, "cuDevicePrimaryCtxRetain"))(&context, gpu),
             "cuDevicePrimaryCtxRetain");
  check_cuda(((int (*)(void *))cuda_symbol(library, "cuCtxSetCurrent"))(context), "cuCtxSetCurrent");
  check_cuda(((int (*)(void **, unsigned))cuda_symbol(library, "cuStreamCreate"))(&device.stream, 1),
             "cuStreamCreate");
  device.is_cuda = 1;
  printf("on %s\n", name);
}

/* Memory on the device, with the contents of `data` if that is not null. Addresses are aligned to 64 and
 * more. */
static void *to_device(const void *data, size_t bytes) {
  if (device.is_cuda) {
    uint64_t address;
    check_cuda(device.malloc(&address, bytes + 64), "cuMemAlloc");
    if (data && bytes) {
      check_cuda(device.to_device(address, data, bytes), "cuMemcpyHtoD");
      /* A large copy from pageable memory may return before it has arrived, and the stream that the kernels
       * run in does not wait for the null stream, which copies. */
      check_cuda(device.wait(NULL), "cuStreamSynchronize");
    }
    return (void *)(uintptr_t)address;
  } else {
    void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!memory)
      stop("malloc", "out of memory");
    if (data && bytes)
      memcpy(memory, data, bytes);
    return memory;
  }
}

/* Waits for the work that was started before. */
static void to_host(void *data, const void *memory, size_t bytes) {
  if (!device.is_cuda) {
    memcpy(data, memory, bytes);
  } else if (bytes) {
    check_cuda(device.wait(device.stream), "cuStreamSynchronize");
    check_cuda(device.to_host(data, (uint64_t)(uintptr_t)memory, bytes), "cuMemcpyDtoH");
  }
}

static void free_on_device(void *memory) {
  if (device.is_cuda)
    check_cuda(device.free((uint64_t)(uintptr_t)memory), "cuMemFree");
  else
    free(memory);
}

static void wait_for_device(void) {
  if (device.is_cuda)
    check_cuda(device.wait(device.stream), "cuStreamSynchronize");
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The time that one call takes on the device: many calls one after the other, the best of several rounds. */
static double time_calls(void (*call)(void *), void *argument) {
  int round, i, calls = device.is_cuda ? 100 : 5;
  double best = 1e30;
  for (round = 0; round < 5; ++round) {
    double start;
    call(argument);
    wait_for_device();
    start = seconds();
    for (i = 0; i < calls; ++i)
      call(argument);
    wait_for_device();
    if ((seconds() - start) / calls < best)
      best = (seconds() - start) / calls;
  }
  return best;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The time that the host spends in one call of each of two functions: in batches that the device's queue can
 * hold, by turns, the median of many. */
static void time_host(void (*const functions[2])(void *), void *argument, double results[2]) {
  enum { batches = 1001, calls = 64 };
  static double times[2][batches];
  int batch, which, i;
  for (batch = 0; batch < batches; ++batch)
    for (which = 0; which < 2; ++which) {
      double start = seconds();
      for (i = 0; i < calls; ++i)
        functions[which](argument);
      times[which][batch] = (seconds() - start) / calls;
      wait_for_device();
    }
  for (which = 0; which < 2; ++which) {
    qsort(times[which], batches, sizeof **times, compare_doubles);
    results[which] = times[which][batches / 2];
  }
}

/* Numbers between -1 and 1, the same in every run. */
static float next_number(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (float)(int32_t)state / 2147483648.0f;
}

/* Half precision, which not every C and C++ compiler has, as its bits. Rounds to the nearest, ties to even.
 */
static uint16_t half_from_float(float value) {
  uint32_t bits, sign;
  memcpy(&bits, &value, sizeof bits);
  sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  if (bits >= 0x47800000) /* 65536 and more, and what is not a number */
    return (uint16_t)(sign | (bits > 0x7f800000 ? 0x7e00 : 0x7c00));
  if (bits <
      0x38800000) { /* less than 2^-14: counted in units of 2^-24, which are those of floats from 0.5 to 1 */
    float shifted = fabsf(value) + 0.5f;
    memcpy(&bits, &shifted, sizeof bits);
    return (uint16_t)(sign | (bits - 0x3f000000));
  }
  bits += 0xfff + (bits >> 13 & 1);
  return (uint16_t)(sign | (bits - 0x38000000) >> 13);
}

static float float_from_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float size = exponent == 31  ? (fraction ? NAN : INFINITY)
               : exponent == 0 ? ldexpf((float)fraction, -24)
                               : ldexpf((float)(fraction + 1024), exponent - 25);
  return bits & 0x8000 ? -size : size;
}

/* `--device cpu|cuda` and `--bench`; true if figures are wanted. */
static int read_options(int argc, char **argv) {
  int i, bench = 0;
  for (i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--bench"))
      bench = 1;
    else if (!strcmp(argv[i], "--device") && i + 1 < argc && !strcmp(argv[i + 1], "cuda"))
      open_cuda(), ++i;
    else if (!strcmp(argv[i], "--device") && i + 1 < argc && !strcmp(argv[i + 1], "cpu"))
      ++i;
    else {
      fprintf(stderr, "usage: %s [--device cpu|cuda] [--bench]\n", argv[0]);
      exit(2);
    }
  }
  if (!device.is_cuda)
    printf("on the CPU\n");
  return bench;
}

#endif
