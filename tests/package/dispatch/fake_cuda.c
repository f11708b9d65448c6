/* libcuda.so.1 for tests. Stream N (as a pointer, from 16 on) belongs to context N % 4; the null stream to
 * the context that is current on the thread, of which there is none at first. */
#include "fake_driver.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

fake_state fake = {.max_shared = 232448,
                   .device_count = FAKE_CONTEXTS,
                   .capability = {90, 80, 75, 100},
                   .context_id = {100, 101, 102, 103}};
fake_state *fake_state_of(void) { return &fake; }

/* In the static part of thread-local storage: LeakSanitizer of gcc 12 stumbles over what dlopen adds. */
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))
PER_THREAD int stack[8];
PER_THREAD int depth;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A module, a library and its kernel, or a function. None is ever freed, so that one which is used after it
 * was unloaded can be told. */
typedef struct module {
  struct module *next, *library; /* of a function of a library: that; */
  const char *image;
  int context, context_id;
  int is_library;  /* belongs to no context */
  int unloaded;    /* atomic */
  char symbol[64]; /* of its only function, which it stands for */
} module;
static module *modules;

static int fails(const char *function) { return fake.failing && !strcmp(fake.failing, function); }
#define MAY_FAIL(function)                                                                                   \
  if (fails(function))                                                                                       \
  return fake.failing_with

static module *make_module(const char *image) {
  module *m = calloc(1, sizeof *m);
  m->image = image;
  m->context = stack[depth - 1];
  m->context_id = __atomic_load_n(&fake.context_id[m->context], __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&lock);
  m->next = modules;
  modules = m;
  pthread_mutex_unlock(&lock);
  return m;
}
static void wait_for(int *gate) {
  static const struct timespec moment = {0, 1000000};
  if (__atomic_load_n(gate, __ATOMIC_SEQ_CST))
    __atomic_add_fetch(gate, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(gate, __ATOMIC_SEQ_CST))
    nanosleep(&moment, NULL);
}
static int is_unloaded(module *m) {
  return __atomic_load_n(&m->unloaded, __ATOMIC_SEQ_CST) ||
         (m->library && __atomic_load_n(&m->library->unloaded, __ATOMIC_SEQ_CST)) ||
         (!m->is_library && __atomic_load_n(&fake.context_id[m->context], __ATOMIC_SEQ_CST) != m->context_id);
}
/* -1 for none */
static int context_of(void *stream) {
  int moved = __atomic_load_n(&fake.streams_moved, __ATOMIC_SEQ_CST);
  return (intptr_t)stream >= 16 ? (int)(((intptr_t)stream + moved) % FAKE_CONTEXTS)
         : depth                ? stack[depth - 1]
                                : -1;
}

int cuInit(unsigned flags) {
  ++fake.inits;
  MAY_FAIL("cuInit");
  return flags ? 1 : fake.init_result;
}
int cuGetErrorName(int error, const char **name) {
  MAY_FAIL("cuGetErrorName");
  *name = error == 701   ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
          : error == 100 ? "CUDA_ERROR_NO_DEVICE"
                         : "CUDA_ERROR";
  return 0;
}
int cuGetErrorString(int error, const char **words) {
  MAY_FAIL("cuGetErrorString");
  *words = error ? "the fake driver was told to fail" : "no error";
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  MAY_FAIL("cuCtxPushCurrent_v2");
  stack[depth++] = (int)(intptr_t)context - 1;
  __atomic_add_fetch(&fake.context_depth, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  *context = (void *)(intptr_t)(stack[--depth] + 1);
  __atomic_sub_fetch(&fake.context_depth, 1, __ATOMIC_SEQ_CST);
  MAY_FAIL("cuCtxPopCurrent_v2");
  return 0;
}
int cuCtxGetCurrent(void **context) {
  MAY_FAIL("cuCtxGetCurrent");
  *context = depth ? (void *)(intptr_t)(stack[depth - 1] + 1) : NULL;
  return 0;
}
int cuCtxGetDevice(int *device) {
  __atomic_add_fetch(&fake.queries, 1, __ATOMIC_SEQ_CST);
  MAY_FAIL("cuCtxGetDevice");
  if (!depth)
    return 201;
  *device = stack[depth - 1];
  return 0;
}
int cuStreamGetCtx(void *stream, void **context) {
  __atomic_add_fetch(&fake.queries, 1, __ATOMIC_SEQ_CST);
  MAY_FAIL("cuStreamGetCtx");
  *context = (void *)(intptr_t)(context_of(stream) + 1);
  return *context ? 0 : 201;
}
/* Each device's primary context is the one that the fakes have of it. */
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active) {
  MAY_FAIL("cuDevicePrimaryCtxGetState");
  *flags = 0;
  *is_active = device >= 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  MAY_FAIL("cuDevicePrimaryCtxRetain");
  *context = (void *)(intptr_t)(device + 1);
  __atomic_add_fetch(&fake.retained, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  __atomic_sub_fetch(&fake.retained, 1, __ATOMIC_SEQ_CST);
  MAY_FAIL("cuDevicePrimaryCtxRelease_v2");
  return 0;
}
int cuDeviceGetCount(int *count) {
  MAY_FAIL("cuDeviceGetCount");
  *count = fake.device_count;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  MAY_FAIL("cuDeviceGet");
  *device = ordinal;
  return ordinal < 0 || ordinal >= fake.device_count;
}
int cuDeviceGetName(char *name, int size, int device) {
  MAY_FAIL("cuDeviceGetName");
  if (fake.name)
    snprintf(name, (size_t)size, "%s", fake.name);
  else
    snprintf(name, (size_t)size, "Fake GPU %d", device);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  static const int sizes[] = {16, 39, 81, 82}; /* multiprocessors; threads, shared memory, registers of one */
  const char *text = getenv("FAKE_SIZES");
  MAY_FAIL("cuDeviceGetAttribute");
  for (int i = 0; text && i < 4; ++i) {
    char *end;
    *value = (int)strtol(text, &end, 10);
    text = end;
    if (attribute == sizes[i])
      return 0;
  }
  *value = attribute == 75   ? fake.capability[device] / 10
           : attribute == 76 ? fake.capability[device] % 10
                             : -1;
  return *value < 0;
}
static int load(void **result, const void *image) {
  if (fake.load_result)
    return fake.load_result;
  if (fake.bad_image && !strncmp(image, fake.bad_image, strlen(fake.bad_image)))
    return 218;
  if (!fake.waiting_context || fake.waiting_context == stack[depth - 1] + 1)
    wait_for(&fake.load_waits);
  *result = make_module(image);
  __atomic_add_fetch(&fake.loads, 1, __ATOMIC_SEQ_CST);
  return 0;
}
static int unload(module *m) {
  if (__atomic_exchange_n(&m->unloaded, 1, __ATOMIC_SEQ_CST))
    return 400;
  __atomic_add_fetch(&fake.unloads, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int cuModuleLoadData(void **result, const void *image) {
  MAY_FAIL("cuModuleLoadData");
  return load(result, image);
}
int cuModuleUnload(void *m) {
  MAY_FAIL("cuModuleUnload");
  return unload(m);
}
int cuModuleGetFunction(void **result, void *m, const char *symbol) {
  module *owner = m;
  MAY_FAIL("cuModuleGetFunction");
  snprintf(owner->symbol, sizeof owner->symbol, "%s", symbol);
  *result = m;
  return 0;
}
#ifndef FAKE_OLD_DRIVER
int cuCtxGetId(void *context, unsigned long long *id) {
  MAY_FAIL("cuCtxGetId");
  *id = (unsigned long long)__atomic_load_n(&fake.context_id[(intptr_t)context - 1], __ATOMIC_SEQ_CST);
  return 0;
}
int cuLibraryLoadData(void **result, const void *image, void *a, void *b, unsigned c, void *d, void *e,
                      unsigned f) {
  MAY_FAIL("cuLibraryLoadData");
  int error = a || b || c || d || e || f ? 1 : load(result, image);
  if (!error)
    ((module *)*result)->is_library = 1;
  return error;
}
int cuLibraryGetKernel(void **kernel, void *library, const char *symbol) {
  MAY_FAIL("cuLibraryGetKernel");
  return cuModuleGetFunction(kernel, library, symbol);
}
int cuKernelGetFunction(void **function, void *kernel) {
  module *library = kernel, *made;
  MAY_FAIL("cuKernelGetFunction");
  __atomic_add_fetch(&fake.functions, 1, __ATOMIC_SEQ_CST);
  made = make_module(library->image);
  made->library = library;
  memcpy(made->symbol, library->symbol, sizeof made->symbol);
  *function = made;
  return 0;
}
int cuKernelSetAttribute(int attribute, int value, void *kernel, int device) {
  MAY_FAIL("cuKernelSetAttribute");
  if (!((module *)kernel)->is_library || device < 0 || device >= fake.device_count)
    return 400;
  return (attribute == 8 && value <= fake.max_shared) || (attribute == 14 && value == 1) ? 0 : 1;
}
int cuStreamGetDevice(void *stream, int *device) {
  __atomic_add_fetch(&fake.queries, 1, __ATOMIC_SEQ_CST);
  MAY_FAIL("cuStreamGetDevice");
  *device = context_of(stream);
  return *device < 0 ? 201 : 0;
}
/* Wherever it is called, the context may be gone. */
int cuLibraryUnload(void *library) {
  MAY_FAIL("cuLibraryUnload");
  return unload(library);
}
#endif
int cuFuncSetAttribute(void *f, int attribute, int value) {
  (void)f;
  MAY_FAIL("cuFuncSetAttribute");
  return (attribute == 8 && value <= fake.max_shared) || (attribute == 14 && value == 1) ? 0 : 1;
}
#ifndef FAKE_OLD_DRIVER
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes,
                           const uint64_t *pitches, const uint32_t *box, const uint32_t *steps,
                           int interleave, int swizzle, int promotion, int fill) {
  MAY_FAIL("cuTensorMapEncodeTiled");
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
#ifndef FAKE_OLD_DRIVER
/* A pool is a number from 1 on; 0 stands for the driver's own. */
static int allocate(void **memory, size_t bytes, intptr_t pool, void *stream) {
  static uintptr_t next = 0x40000000;
  if (fake.scratch_bytes)
    return 2;
  if (!depth)
    return 201;
  *memory = (void *)next;
  next += 0x10000;
  fake.scratch_memory = *memory;
  fake.scratch_bytes = bytes;
  fake.scratch_pool = (int)pool;
  fake.scratch_stream = stream;
  return 0;
}
int cuMemAllocAsync(void **memory, size_t bytes, void *stream) {
  MAY_FAIL("cuMemAllocAsync");
  return allocate(memory, bytes, 0, stream);
}
int cuMemAllocFromPoolAsync(void **memory, size_t bytes, void *pool, void *stream) {
  MAY_FAIL("cuMemAllocFromPoolAsync");
  return allocate(memory, bytes, (intptr_t)pool, stream);
}
int cuMemFreeAsync(void *memory, void *stream) {
  MAY_FAIL("cuMemFreeAsync");
  if (memory != fake.scratch_memory || stream != fake.scratch_stream || !fake.scratch_bytes)
    return 1;
  fake.scratch_bytes = 0;
  return 0;
}
int cuMemPoolCreate(void **pool, const void *properties) {
  /* CUmemPoolProps: the type, handles' types, the location's type and number, a pointer, bytes, usage, and
   * zeros. */
  const int *numbers = properties;
  MAY_FAIL("cuMemPoolCreate");
  if (numbers[0] != 1 || numbers[1] || numbers[2] != 1 || numbers[3] != stack[depth - 1])
    return 1;
  for (int i = 4; i < 22; ++i)
    if (numbers[i])
      return 1;
  *pool = (void *)(intptr_t)++fake.pools;
  return 0;
}
int cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  MAY_FAIL("cuMemPoolSetAttribute");
  return (intptr_t)pool == fake.pools && attribute == 4 && *(uint64_t *)value == UINT64_MAX ? 0 : 1;
}
int cuMemPoolDestroy(void *pool) {
  MAY_FAIL("cuMemPoolDestroy");
  ++fake.destroyed_pools;
  return pool ? 0 : 1;
}
#endif
static int start(module *function, fake_launch launch, void **arguments) {
  int result = fake.launch_result;
  fake.launch_result = 0;
  if (result)
    return result;
  launch.current = depth ? stack[depth - 1] : -1;
  launch.context = context_of(launch.stream);
  if (launch.context < 0)
    return 201;
  if (!function->is_library && function->context != launch.context)
    return 400;
  if (fake.wants_current && launch.current != launch.context)
    return fake.wants_current;
  if (is_unloaded(function)) {
    __atomic_add_fetch(&fake.stale, 1, __ATOMIC_SEQ_CST);
    return 400;
  }
  wait_for(&fake.launch_waits);
  wait_for(&fake.gate[launch.context]);
  snprintf(launch.image, sizeof launch.image, "%s", function->image);
  snprintf(launch.symbol, sizeof launch.symbol, "%s", function->symbol);
  launch.argument = *(void **)arguments[0];
  if (strstr(launch.image, "tiles|") == launch.image && strstr(launch.image, "cuda:90a"))
    for (int i = 0; i < 4; ++i) {
      memcpy(&launch.maps[i], arguments[3 + i], sizeof launch.maps[i]);
      if (launch.maps[i].base != launch.argument)
        __atomic_add_fetch(&fake.wrong_maps, 1, __ATOMIC_SEQ_CST);
    }
  if (strstr(launch.image, "scratch|") == launch.image)
    launch.scratch = *(void **)arguments[2];
  pthread_mutex_lock(&lock);
  fake.launch[fake.launches++ % FAKE_LAUNCHES] = launch;
  pthread_mutex_unlock(&lock);
  if (is_unloaded(function))
    __atomic_add_fetch(&fake.stale, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
  fake_launch launch = {.grid = {gx, gy, gz},
                        .block = bx * by * bz,
                        .shared = shared,
                        .stream = stream,
                        .cooperative = -1,
                        .overlaps = -1,
                        .cluster = -1,
                        .spread = -1};
  MAY_FAIL("cuLaunchKernel");
  if (!extra)
    return start(f, launch, arguments);
  /* All arguments in one piece. What is known of them here is the first one. */
  if (arguments || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] ||
      *(size_t *)extra[3] < sizeof(void *))
    return 1;
  launch.packed_bytes = *(size_t *)extra[3];
  if (launch.packed_bytes > sizeof launch.packed)
    return 1;
  memcpy(launch.packed, extra[1], launch.packed_bytes);
  return start(f, launch, &extra[1]);
}
#ifndef FAKE_OLD_DRIVER
/* CUlaunchConfig and CUlaunchAttribute, as the driver's header has them. */
typedef struct launch_attribute {
  int id;
  char pad[8 - sizeof(int)];
  union {
    char pad[64];
    int on;
    struct {
      unsigned x, y, z;
    } size;
    void *pointer;
  } value;
} launch_attribute;
typedef struct launch_config {
  unsigned gx, gy, gz, bx, by, bz, shared;
  void *stream;
  launch_attribute *attributes;
  unsigned count;
} launch_config;
int cuLaunchKernelEx(const launch_config *config, void *f, void **arguments, void **extra) {
  fake_launch launch = {.grid = {config->gx, config->gy, config->gz},
                        .block = config->bx * config->by * config->bz,
                        .shared = config->shared,
                        .stream = config->stream};
  (void)extra;
  MAY_FAIL("cuLaunchKernelEx");
  for (unsigned i = 0; i < config->count; ++i) {
    const launch_attribute *attribute = &config->attributes[i];
    if (attribute->id == 2)
      launch.cooperative = attribute->value.on;
    else if (attribute->id == 6)
      launch.overlaps = attribute->value.on;
    else if (attribute->id == 4 && attribute->value.size.y == 1 && attribute->value.size.z == 1)
      launch.cluster = (int)attribute->value.size.x;
    else if (attribute->id == 5)
      launch.spread = attribute->value.on;
    else
      return 1;
  }
  if (launch.cooperative && config->gx > 1000)
    return 720;
  return start(f, launch, arguments);
}
#endif
