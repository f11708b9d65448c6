/* The launch benchmark's idle driver with what Triton's launcher asks of one besides: nothing is launched, so
 * that what is measured is the way there.
 *
 *     mkdir idle && cc -O2 -fPIC -shared driver.c -o idle/libcuda.so.1 */
#include "../launch/idle_driver.c"

SUCCEEDS(cuLaunchKernelEx, const void *config, void *launched, void **arguments, void **extra) {
  (void)config, (void)launched, (void)arguments, (void)extra;
  return 0;
}
SUCCEEDS(cuPointerGetAttribute, void *value, int attribute, uintptr_t pointer) {
  (void)attribute;
  *(uintptr_t *)value = pointer;
  return 0;
}
SUCCEEDS(cuFuncGetAttribute, int *value, int attribute, void *of) {
  *value = attribute == 0 ? 1024 : 0; /* threads of a block; registers, local memory */
  return of != &function;
}
SUCCEEDS(cuFuncSetCacheConfig, void *of, int config) { return of != &function || config < 0; }
SUCCEEDS(cuCtxSetLimit, int limit, size_t value) { return limit < 0 && value; }
SUCCEEDS(cuCtxGetLimit, size_t *value, int limit) {
  *value = 0;
  return limit < 0;
}
SUCCEEDS(cuDeviceGetUuid, char *uuid, int device) {
  memset(uuid, 0, 16);
  return device;
}
