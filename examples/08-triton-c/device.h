/* Where an example's data is: in the host's memory, or with `--device cuda` in that of the first NVIDIA GPU.
 * And how long calls take.
 *
 * The driver is opened here just as the kernel libraries open it, so an example builds where there is no CUDA
 * toolkit, and runs where there is no GPU. All examples in C have the same file, so that each can be
 * copied alone. */
#ifndef DEVICE_H
#define DEVICE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
  void *driver; /* null on the CPU */
  void *stream; /* CUstream */
  int (*malloc)(uint64_t *, size_t);
  int (*free)(uint64_t);
  int (*to_device)(uint64_t, const void *, size_t);
  int (*to_host)(void *, uint64_t, size_t);
  int (*wait)(void *);
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

static void *cuda_symbol(const char *name) {
  void *symbol = dlsym(device.driver, name);
  if (!symbol)
    stop("libcuda.so.1 is too old, it lacks", name);
  return symbol;
}

/* Opens GPU 0 and makes its context current. */
static void open_cuda(void) {
  void *context;
  int gpu;
  char name[256];
  device.driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!device.driver)
    stop("no NVIDIA driver", dlerror());
  *(void **)&device.malloc = cuda_symbol("cuMemAlloc_v2");
  *(void **)&device.free = cuda_symbol("cuMemFree_v2");
  *(void **)&device.to_device = cuda_symbol("cuMemcpyHtoD_v2");
  *(void **)&device.to_host = cuda_symbol("cuMemcpyDtoH_v2");
  *(void **)&device.wait = cuda_symbol("cuStreamSynchronize");
  check_cuda(((int (*)(unsigned))cuda_symbol("cuInit"))(0), "cuInit");
  check_cuda(((int (*)(int *, int))cuda_symbol("cuDeviceGet"))(&gpu, 0), "cuDeviceGet");
  check_cuda(((int (*)(char *, int, int))cuda_symbol("cuDeviceGetName"))(name, sizeof name, gpu),
             "cuDeviceGetName");
  check_cuda(((int (*)(void **, int))cuda_symbol("cuDevicePrimaryCtxRetain"))(&context, gpu),
             "cuDevicePrimaryCtxRetain");
  check_cuda(((int (*)(void *))cuda_symbol("cuCtxSetCurrent"))(context), "cuCtxSetCurrent");
  check_cuda(((int (*)(void **, unsigned))cuda_symbol("cuStreamCreate"))(&device.stream, 1),
             "cuStreamCreate");
  printf("on %s\n", name);
}

/* Memory on the device, with the contents of `data` if that is not null. Addresses are aligned to 64 and
 * more. */
static void *to_device(const void *data, size_t bytes) {
  if (device.driver) {
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
  if (!device.driver) {
    memcpy(data, memory, bytes);
  } else if (bytes) {
    check_cuda(device.wait(device.stream), "cuStreamSynchronize");
    check_cuda(device.to_host(data, (uint64_t)(uintptr_t)memory, bytes), "cuMemcpyDtoH");
  }
}

static void free_on_device(void *memory) {
  if (device.driver)
    check_cuda(device.free((uint64_t)(uintptr_t)memory), "cuMemFree");
  else
    free(memory);
}

static void wait_for_device(void) {
  if (device.driver)
    check_cuda(device.wait(device.stream), "cuStreamSynchronize");
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The time that one call takes on the device: many calls one after the other, the best of several rounds. */
static double time_calls(void (*call)(void *), void *argument) {
  int round, i, calls = device.driver ? 100 : 5;
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
  if (!device.driver)
    printf("on the CPU\n");
  return bench;
}

#endif
