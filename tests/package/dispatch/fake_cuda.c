/* libcuda.so.1 for tests. Stream N (as a pointer, from 16 on) belongs to context N % 4; the null stream to
 * the context that is current on the thread, of which there is none at first. */
#include "fake_driver.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

fake_state fake = {.max_shared = 232448, .device_count = 1, .capability = {90, 80, 75, 100}};
fake_state *fake_state_of(void) { return &fake; }

/* In the static part of thread-local storage: LeakSanitizer of gcc 12 stumbles over what dlopen adds. */
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))
PER_THREAD int stack[8];
PER_THREAD int depth;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct module {
  const char *image;
  int context;
  char symbol[64]; /* of its only function, which it stands for */
} module;

int cuInit(unsigned flags) { return flags ? 1 : fake.init_result; }
int cuGetErrorName(int error, const char **name) {
  *name = error == 701   ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
          : error == 100 ? "CUDA_ERROR_NO_DEVICE"
                         : "CUDA_ERROR";
  return 0;
}
int cuGetErrorString(int error, const char **words) {
  *words = error ? "the fake driver was told to fail" : "no error";
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  stack[depth++] = (int)(intptr_t)context - 1;
  __atomic_add_fetch(&fake.context_depth, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  *context = (void *)(intptr_t)(stack[--depth] + 1);
  __atomic_sub_fetch(&fake.context_depth, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int cuCtxGetDevice(int *device) {
  *device = stack[depth - 1];
  return 0;
}
int cuStreamGetCtx(void *stream, void **context) {
  if ((intptr_t)stream >= 16)
    *context = (void *)((intptr_t)stream % FAKE_CONTEXTS + 1);
  else if (depth)
    *context = (void *)(intptr_t)(stack[depth - 1] + 1);
  else
    return 201;
  return 0;
}
int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "Fake GPU %d", device);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75   ? fake.capability[device] / 10
           : attribute == 76 ? fake.capability[device] % 10
                             : -1;
  return *value < 0;
}
int cuModuleLoadData(void **result, const void *image) {
  static const struct timespec moment = {0, 1000000};
  module *m;
  if (fake.load_result)
    return fake.load_result;
  if (fake.bad_image && !strncmp(image, fake.bad_image, strlen(fake.bad_image)))
    return 218;
  if (__atomic_load_n(&fake.load_waits, __ATOMIC_SEQ_CST))
    __atomic_add_fetch(&fake.load_waits, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&fake.load_waits, __ATOMIC_SEQ_CST))
    nanosleep(&moment, NULL);
  m = malloc(sizeof *m);
  m->image = image;
  m->context = stack[depth - 1];
  *result = m;
  __atomic_add_fetch(&fake.loads, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int cuModuleUnload(void *m) {
  free(m);
  __atomic_add_fetch(&fake.unloads, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int cuModuleGetFunction(void **result, void *m, const char *symbol) {
  module *owner = m;
  snprintf(owner->symbol, sizeof owner->symbol, "%s", symbol);
  *result = m;
  return 0;
}
int cuFuncSetAttribute(void *f, int attribute, int value) {
  (void)f;
  return attribute == 8 && value <= fake.max_shared ? 0 : 1;
}
#ifndef FAKE_OLD_DRIVER
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes,
                           const uint64_t *pitches, const uint32_t *box, const uint32_t *steps,
                           int interleave, int swizzle, int promotion, int fill) {
  fake_map made = {.type = type,
                   .rank = (int)rank,
                   .interleave = interleave,
                   .swizzle = swizzle,
                   .promotion = promotion,
                   .fill = fill,
                   .base = base};
  __atomic_add_fetch(&fake.encodings, 1, __ATOMIC_SEQ_CST);
  /* As the driver's. */
  if ((uintptr_t)map % 64 || (uintptr_t)base % 16 || rank < 1 || rank > FAKE_AXES)
    return 1;
  for (uint32_t i = 0; i < rank; ++i) {
    made.sizes[i] = sizes[i];
    made.box[i] = (unsigned char)box[i];
    if (!sizes[i] || sizes[i] > 1ull << 32 || box[i] < 1 || box[i] > 256 || steps[i] != 1)
      return 1;
    if (i + 1 == rank)
      break;
    made.pitches[i] = pitches[i];
    if (pitches[i] % 16 || pitches[i] >= 1ull << 40)
      return 1;
  }
  memset(map, 0, 128);
  memcpy(map, &made, sizeof made);
  return 0;
}
#endif
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
  module *function = f;
  fake_launch launch = {.context = function->context,
                        .grid = {gx, gy, gz},
                        .block = bx * by * bz,
                        .shared = shared,
                        .stream = stream};
  int result = fake.launch_result;
  fake.launch_result = 0;
  if (result)
    return result;
  snprintf(launch.image, sizeof launch.image, "%s", function->image);
  snprintf(launch.symbol, sizeof launch.symbol, "%s", function->symbol);
  launch.argument = *(void **)arguments[0];
  if (strstr(launch.image, "tiles|") == launch.image && strstr(launch.image, "cuda:90a"))
    for (int i = 0; i < 4; ++i) {
      memcpy(&launch.maps[i], arguments[3 + i], sizeof launch.maps[i]);
      if (launch.maps[i].base != launch.argument)
        __atomic_add_fetch(&fake.wrong_maps, 1, __ATOMIC_SEQ_CST);
    }
  (void)extra;
  pthread_mutex_lock(&lock);
  fake.launch[fake.launches++ % FAKE_LAUNCHES] = launch;
  pthread_mutex_unlock(&lock);
  return 0;
}
