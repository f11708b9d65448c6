/* A libcuda.so.1 whose functions return at once, for launch_overhead.c: what a call of a library takes beside
 * the driver's own work, without a GPU.
 *
 *     cc -O2 -fPIC -shared idle_driver.c -o idle/libcuda.so.1
 *     LD_LIBRARY_PATH=idle:OUT ./launch_overhead 200 1000 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static char context, module, function;
static uintptr_t streams = 0x1000;

#define SUCCEEDS(name, ...)                                                                                  \
  int name(__VA_ARGS__);                                                                                     \
  int name(__VA_ARGS__)
#define GIVES_CONTEXT(name, ...)                                                                             \
  SUCCEEDS(name, __VA_ARGS__) {                                                                              \
    *given = &context;                                                                                       \
    return 0;                                                                                                \
  }

SUCCEEDS(cuInit, unsigned flags) { return (int)flags; }
SUCCEEDS(cuDriverGetVersion, int *version) {
  *version = 13000;
  return 0;
}
SUCCEEDS(cuGetErrorName, int error, const char **name) {
  *name = "CUDA_ERROR_IDLE";
  return error < 0;
}
SUCCEEDS(cuGetErrorString, int error, const char **text) {
  *text = "the idle driver's";
  return error < 0;
}
SUCCEEDS(cuDeviceGet, int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
SUCCEEDS(cuDeviceGetCount, int *count) {
  *count = 1;
  return 0;
}
SUCCEEDS(cuDeviceGetName, char *name, int size, int device) {
  (void)device;
  strncpy(name, "idle", (size_t)size);
  return 0;
}
SUCCEEDS(cuDeviceGetAttribute, int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 9 : 0; /* compute capability 9.0 */
  return 0;
}
GIVES_CONTEXT(cuDevicePrimaryCtxRetain, void **given, int device __attribute__((unused)))
SUCCEEDS(cuDevicePrimaryCtxRelease_v2, int device) { return device; }
SUCCEEDS(cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *active) {
  *flags = 0;
  *active = 1;
  return device;
}
GIVES_CONTEXT(cuStreamGetCtx, void *stream __attribute__((unused)), void **given)
GIVES_CONTEXT(cuCtxGetCurrent, void **given)
GIVES_CONTEXT(cuCtxPopCurrent_v2, void **given)
SUCCEEDS(cuCtxPushCurrent_v2, void *made) { return made != &context; }
SUCCEEDS(cuCtxSetCurrent, void *made) { return made != &context; }
SUCCEEDS(cuCtxSynchronize, void) { return 0; }
SUCCEEDS(cuCtxGetDevice, int *device) {
  *device = 0;
  return 0;
}
SUCCEEDS(cuCtxGetId, void *made, unsigned long long *id) {
  (void)made;
  *id = 1;
  return 0;
}
SUCCEEDS(cuStreamCreate, void **stream, unsigned flags) {
  (void)flags;
  *stream = (void *)__atomic_add_fetch(&streams, 0x400, __ATOMIC_RELAXED);
  return 0;
}
SUCCEEDS(cuStreamDestroy_v2, void *stream) { return stream == NULL; }
SUCCEEDS(cuStreamSynchronize, void *stream) { return stream == NULL; }
SUCCEEDS(cuModuleLoadData, void **loaded, const void *image) {
  *loaded = &module;
  return image == NULL;
}
SUCCEEDS(cuModuleUnload, void *loaded) { return loaded != &module; }
SUCCEEDS(cuModuleGetFunction, void **found, void *loaded, const char *name) {
  *found = &function;
  return loaded != &module || !name;
}
SUCCEEDS(cuFuncSetAttribute, void *set, int attribute, int value) {
  (void)attribute;
  (void)value;
  return set != &function;
}
SUCCEEDS(cuLaunchKernel, void *launched, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
         unsigned bz, unsigned shared, void *stream, void **arguments, void **extra) {
  (void)launched, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream;
  (void)arguments, (void)extra;
  return 0;
}
