/* libcuda.so.1 for tests of `nereid tune`: fake_cuda.c with memory, events and a clock of its own. A launch
 * copies the first argument's tensor to the second's, as many floats as the third says, in a time that
 * depends on how many threads its block has:
 *
 *     32      right, 40 us
 *     64      right, 20 us; every fifth launch takes ten times as long
 *     128     wrong: each element is 1 more
 *     256     as if it read an illegal address: from the next call on all fail
 *     512     the launch is refused
 *     1024    right, 30 us */
#define cuLaunchKernel recorded_cuLaunchKernel
#define cuDeviceGetAttribute known_cuDeviceGetAttribute
#include "fake_cuda.c"
#undef cuLaunchKernel
#undef cuDeviceGetAttribute

static int is_lost;
static double clock_now; /* in milliseconds */
#define MAY_BE_LOST                                                                                          \
  if (is_lost)                                                                                               \
  return 700

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = 1 << 20;
  return attribute == 38 ? 0 : known_cuDeviceGetAttribute(value, attribute, device);
}
int cuCtxSetCurrent(void *context) {
  stack[0] = (int)(intptr_t)context - 1;
  depth = 1;
  return 0;
}
int cuDriverGetVersion(int *version) {
  *version = getenv("FAKE_DRIVER_VERSION") ? atoi(getenv("FAKE_DRIVER_VERSION")) : 13000;
  return 0;
}
int cuStreamCreate(void **stream, unsigned flags) {
  *stream = (void *)16;
  return flags != 1;
}
int cuStreamSynchronize(void *stream) {
  MAY_BE_LOST;
  return stream != (void *)16;
}
int cuCtxSynchronize(void) {
  MAY_BE_LOST;
  return 0;
}
int cuEventCreate(void **event, unsigned flags) {
  *event = calloc(1, sizeof(double));
  return flags != 0;
}
int cuEventRecord(void *event, void *stream) {
  MAY_BE_LOST;
  *(double *)event = clock_now;
  return stream != (void *)16;
}
int cuEventSynchronize(void *event) {
  MAY_BE_LOST;
  return !event;
}
int cuEventElapsedTime(float *milliseconds, void *before, void *after) {
  MAY_BE_LOST;
  *milliseconds = (float)(*(double *)after - *(double *)before);
  return 0;
}
int cuMemAlloc_v2(void **memory, size_t bytes) {
  MAY_BE_LOST;
  if (bytes > (size_t)1 << 32)
    return 2;
  *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  return !*memory;
}
int cuMemFree_v2(void *memory) {
  free(memory);
  return 0;
}
int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes) {
  MAY_BE_LOST;
  memcpy(to, from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, const void *from, size_t bytes) {
  MAY_BE_LOST;
  memcpy(to, from, bytes);
  return 0;
}
int cuMemsetD8Async(void *memory, unsigned char value, size_t bytes, void *stream) {
  MAY_BE_LOST;
  (void)stream;
  memset(memory, value, bytes);
  return 0;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
  static int launches, starts;
  const struct {
    const float *x;
    float *out;
    int count;
  } *packed = extra ? extra[1] : NULL;
  const float *x = packed ? packed->x : *(float **)arguments[0];
  float *out = packed ? packed->out : *(float **)arguments[1];
  int count = packed ? packed->count : *(int *)arguments[2], result;
  MAY_BE_LOST;
  if (bx == 512)
    return 701;
  result = recorded_cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
  if (result)
    return result;
  for (int i = 0; i < count; ++i)
    out[i] = x[i] + (bx == 128);
  is_lost = bx == 256;
  if (bx == 32 && getenv("FAKE_SLOW_START") && ++starts <= 4)
    clock_now += 1;
  clock_now += (bx == 64 ? 0.02 : bx == 1024 ? 0.03 : 0.04) * (bx == 64 && ++launches % 5 == 0 ? 10 : 1);
  return 0;
}
