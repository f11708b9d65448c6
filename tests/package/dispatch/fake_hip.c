/* libamdhip64.so for tests. Stream N (as a pointer, from 16 on) belongs to device N % 4. */
#include "fake_driver.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fake_state fake = {.device_count = 4, .arch = {"gfx942:sramecc+:xnack-", "gfx1100", "gfx906", "gfx942"}};
fake_state *fake_state_of(void) { return &fake; }

static __thread int current;

static int fails(const char *function) { return fake.failing && !strcmp(fake.failing, function); }
#define MAY_FAIL(function)                                                                                   \
  if (fails(function))                                                                                       \
  return fake.failing_with

typedef struct module {
  const char *image;
  int device;
} module;

int hipInit(unsigned flags) {
  ++fake.inits;
  MAY_FAIL("hipInit");
  return flags ? 1 : fake.init_result;
}
const char *hipGetErrorName(int error) { return error ? "hipErrorFake" : "hipSuccess"; }
int hipGetDeviceCount(int *count) {
  MAY_FAIL("hipGetDeviceCount");
  *count = fake.device_count;
  return 0;
}
int hipGetDevice(int *device) {
  MAY_FAIL("hipGetDevice");
  *device = current;
  return 0;
}
int hipSetDevice(int device) {
  MAY_FAIL("hipSetDevice");
  current = device;
  return 0;
}
int hipStreamGetDevice(void *stream, int *device) {
  MAY_FAIL("hipStreamGetDevice");
  *device = (int)((intptr_t)stream % FAKE_CONTEXTS);
  return 0;
}
/* As in ROCm 6: the name comes first, and gcnArchName at byte 1160, behind names of other things. */
int hipGetDevicePropertiesR0600(void *properties, int device) {
  MAY_FAIL("hipGetDevicePropertiesR0600");
  memset(properties, 0, 1472);
  snprintf(properties, 256, "Fake gfx GPU %d", device);
  strcpy((char *)properties + 1160, fake.arch[device]);
  return 0;
}
int hipModuleLoadData(void **result, const void *image) {
  module *m;
  MAY_FAIL("hipModuleLoadData");
  if (fake.bad_image && !strncmp(image, fake.bad_image, strlen(fake.bad_image)))
    return 209;
  m = malloc(sizeof *m);
  m->image = image;
  m->device = current;
  *result = m;
  __atomic_add_fetch(&fake.loads, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int hipModuleUnload(void *m) {
  free(m);
  MAY_FAIL("hipModuleUnload");
  __atomic_add_fetch(&fake.unloads, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int hipModuleGetFunction(void **result, void *m, const char *symbol) {
  (void)symbol;
  MAY_FAIL("hipModuleGetFunction");
  *result = m;
  return 0;
}
static int start(void *f, fake_launch launch, void **arguments) {
  module *m = f;
  launch.context = m->device;
  launch.current = current;
  launch.argument = *(void **)arguments[0];
  if (m->device != current)
    return 400;
  snprintf(launch.image, sizeof launch.image, "%s", m->image);
  fake.launch[__atomic_fetch_add(&fake.launches, 1, __ATOMIC_SEQ_CST) % FAKE_LAUNCHES] = launch;
  return 0;
}
int hipModuleLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, void *stream, void **arguments, void **extra) {
  fake_launch launch = {
      .grid = {gx, gy, gz}, .block = bx * by * bz, .shared = shared, .stream = stream, .cooperative = -1};
  (void)extra;
  MAY_FAIL("hipModuleLaunchKernel");
  return start(f, launch, arguments);
}
int hipModuleLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, void *stream, void **arguments) {
  fake_launch launch = {
      .grid = {gx, gy, gz}, .block = bx * by * bz, .shared = shared, .stream = stream, .cooperative = 1};
  MAY_FAIL("hipModuleLaunchCooperativeKernel");
  return gx > 1000 ? 720 : start(f, launch, arguments);
}
