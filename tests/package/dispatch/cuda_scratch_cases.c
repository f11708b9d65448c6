/* Memory of the GPU for kernels that need some, from the driver and from the caller. */
#include "dispatch_test.h"

/* An allocator of the caller's. */
typedef struct given_memory {
  void *memory, *stream;
  size_t bytes, alignment;
  int given, taken;
} given_memory;
static void *give(void *user, nrd_stream stream, size_t bytes, size_t alignment) {
  given_memory *seen = user;
  seen->stream = stream.backend == 1 ? stream.handle : NULL;
  seen->bytes = bytes;
  seen->alignment = alignment;
  ++seen->given;
  return seen->memory;
}
static void take(void *user, nrd_stream stream, void *memory, size_t bytes) {
  given_memory *seen = user;
  seen->taken += stream.handle == seen->stream && memory == seen->memory && bytes == seen->bytes;
}

static void test_cuda_scratch(void) {
  nrd_dim3 grid = {3, 5, 7}, huge = {2147483647, 65535, 65535};
  given_memory seen = {.memory = (void *)0x7000};
  nrd_allocator allocator = {give, take, &seen};
  open_fake("libcuda.so.1");
  /* From a pool of the library's, which it makes when the kernel is loaded. */
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->pools == 0);
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && ran("scratch|") &&
        last_launch()->scratch == fake->scratch_memory);
  CHECK(fake->pools == 1 && fake->scratch_pool == 1 && fake->scratch_stream == cuda(0).handle);
  CHECK(fake->scratch_bytes == 0 && fake->context_depth == 0 && last_launch()->argument == aligned);
  /* The launch before may still use the memory. */
  CHECK(last_launch()->overlaps != 1);
  CHECK(scratch_grid(cuda(0), grid, aligned, 1, 10) == NRD_OK &&
        last_launch()->scratch == fake->scratch_memory && fake->pools == 1);
  synthetic_unload();
  CHECK(fake->destroyed_pools == 1);
  fake->failing_with = 801;
  /* Where there are no pools, from the driver's own. */
  fake->failing = "cuMemPoolCreate";
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && fake->scratch_pool == 0);
  fake->failing = "cuMemAllocAsync";
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_DRIVER &&
        says("scratch: its 3840 bytes of scratch memory cannot be allocated: CUDA_ERROR (801"));
  fake->failing_with = 2;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES && fake->context_depth == 0);
  fake->failing = "cuMemFreeAsync";
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("scratch: its scratch memory cannot be given back: CUDA_ERROR (2"));
  fake->scratch_bytes = 0;
  fake->failing = NULL;
  /* What a failed launch had is given back; its error is the one that counts. */
  fake->launch_result = 701;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("scratch: the launch failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"));
  CHECK(fake->scratch_bytes == 0 && fake->context_depth == 0);
  CHECK(scratch_grid(cuda(0), huge, aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("scratch: 384 bytes of scratch memory for each of 9223090559730712575 programs are too much"));
  fake->failing = "cuCtxPushCurrent_v2";
  fake->failing_with = 999;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_DRIVER &&
        says("the context of the stream is not usable"));
  fake->failing = NULL;

  synthetic_set_allocator(&allocator);
  allocator.allocate = NULL; /* it was copied */
  fake->scratch_memory = NULL;
  CHECK(scratch_grid(cuda(0), grid, aligned, 1, 10) == NRD_OK && last_launch()->scratch == seen.memory);
  CHECK(seen.bytes == 3 * 5 * 7 * 384 && seen.alignment == 128 && seen.stream == cuda(0).handle);
  CHECK(seen.given == 1 && seen.taken == 1 && !fake->scratch_memory);
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && seen.given == 1);
  fake->launch_result = 701;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES && seen.given == 2 && seen.taken == 2);
  seen.memory = (void *)0x7040;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_INVALID_ARGUMENT &&
        says("scratch: the caller's allocator gives memory at 0x7040, which is not divisible by 128"));
  CHECK(seen.given == 3 && seen.taken == 3);
  seen.memory = NULL;
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("scratch: the caller's allocator has no 3840 bytes of scratch memory") && seen.taken == 3);
  allocator.allocate = give;
  allocator.release = NULL;
  seen.memory = (void *)0x8000;
  synthetic_set_allocator(&allocator);
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && last_launch()->scratch == seen.memory &&
        seen.taken == 3);
  synthetic_set_allocator(NULL);
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && last_launch()->scratch == fake->scratch_memory &&
        seen.given == 5);
}

static void test_cuda_old_scratch(void) {
  given_memory seen = {.memory = (void *)0x7000};
  nrd_allocator allocator = {give, take, &seen};
  open_fake("libcuda.so.1");
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_ERROR_NO_DRIVER &&
        says("scratch: the variant '*fp32, i32:1, i32' for cuda:90a "
             "needs cuMemAllocAsync") &&
        says("synthetic_set_allocator"));
  synthetic_set_allocator(&allocator);
  CHECK(scratch(cuda(0), aligned, 1, 10) == NRD_OK && last_launch()->scratch == seen.memory &&
        seen.taken == 1);
}

const test_case cuda_scratch_cases[] = {
    {"cuda_scratch", test_cuda_scratch}, {"cuda_old_scratch", test_cuda_old_scratch}, {NULL, NULL}};
