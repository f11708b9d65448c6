/* A libcuda.so.1 with two GPUs that run runtime_kernels.py's kernels on the host, in the launch itself, so
 * that gpu_runtime.c and several_gpus.c are known to be right before they meet real ones. It is strict where
 * real drivers may be lenient: whoever uses what is gone, or of another context, is told on stderr, and the
 * process aborts.
 *
 *     cc -O2 -fPIC -shared -pthread pretended_gpus.c -o pretended/libcuda.so.1
 *     LD_LIBRARY_PATH=pretended:OUT ./several_gpus
 *
 * Each object begins with what it is, and loses that when it goes; its memory stays, but that of streams and
 * contexts, which are made anew at the address of the last one, on whichever device that was. One lock guards
 * everything. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS = 2, DEPTH = 16, RECORDED = 64 };
enum { CONTEXT = 0x10, STREAM, MODULE, FUNCTION, GRAPH, EVENT };

typedef struct context {
  int kind, device, peers;
  unsigned long long id;
} context;
typedef struct launch {
  void (*run)(struct launch *);
  int device, peers, n;
  float *x;
  int32_t *count;
  unsigned programs;
} launch;
typedef struct graph {
  int kind, length;
  launch launches[RECORDED];
} graph;
typedef struct stream {
  int kind;
  context *of;
  graph *records;
} stream;
typedef struct module {
  int kind;
  context *of;
  unsigned long long id;
} module;
typedef struct function {
  int kind;
  module *of;
  void (*run)(launch *);
} function;
typedef struct event {
  int kind;
  graph *records;
} event;
typedef struct memory {
  struct memory *next;
  uintptr_t begin;
  size_t size;
  int device;
} memory;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static context primary[GPUS] = {{CONTEXT, 0, 0, 1}, {CONTEXT, 1, 0, 2}};
static unsigned long long ids = 2;
static memory *memories;
static void *last_stream, *last_context;
static __thread context *stack[DEPTH] = {NULL};
static __thread int depth = 1; /* the first is what cuCtxSetCurrent sets */

static void misuse(const char *what) {
  fprintf(stderr, "pretended driver: %s\n", what);
  abort();
}
static void check(const void *object, int kind, const char *what) {
  if (!object || *(const int *)object != kind)
    misuse(what);
}
static context *current(void) { return stack[depth - 1]; }
/* A child of a process that used the driver cannot. */
static int is_child;
static void forbid(void) { is_child = 1; }
/* Of the null, the legacy and the per-thread stream, or of one that was made. */
static context *context_of(void *handle) {
  if (is_child)
    return NULL;
  if ((uintptr_t)handle <= 2)
    return current();
  check(handle, STREAM, "a stream that is gone");
  return ((stream *)handle)->of;
}
/* At the address of the last one that went. */
static void *make(size_t size, void **last) {
  void *made = last && *last ? *last : calloc(1, size);
  if (last)
    *last = NULL;
  memset(made, 0, size);
  return made;
}

/* ---- Kernels ---- */

static void check_memory(const launch *what, const void *address, size_t size) {
  const memory *found;
  uintptr_t at = (uintptr_t)address;
  for (found = memories; found; found = found->next)
    if (at >= found->begin && at + size <= found->begin + found->size) {
      if (found->device != what->device && !(what->peers >> found->device & 1))
        misuse("memory of a device that is no peer");
      return;
    }
  misuse("memory that was not allocated");
}
static void run_bump(launch *what) {
  int i;
  check_memory(what, what->x, (size_t)what->n * sizeof(float));
  for (i = 0; i < what->n; ++i)
    what->x[i] += 1;
}
static void run_spin(launch *what) {
  check_memory(what, what->x, sizeof(float));
  what->x[0] += 1;
}
static void run_together(launch *what) {
  unsigned i;
  check_memory(what, what->x, what->programs * sizeof(float));
  for (i = 0; i < what->programs; ++i)
    what->x[i] += (float)what->n;
}

/* ---- The driver's functions ---- */

#define API(name, ...)                                                                                       \
  int name(__VA_ARGS__);                                                                                     \
  int name(__VA_ARGS__)

API(cuInit, unsigned flags) { return flags ? 1 : pthread_atfork(NULL, NULL, forbid); }
API(cuDriverGetVersion, int *version) { return (*version = 13000) - 13000; }
API(cuGetErrorName, int error, const char **name) {
  *name = "CUDA_ERROR_PRETENDED";
  return error < 0;
}
API(cuGetErrorString, int error, const char **text) {
  *text = "the pretended driver's";
  return error < 0;
}
API(cuDeviceGet, int *device, int ordinal) {
  *device = ordinal;
  return ordinal < 0 || ordinal >= GPUS;
}
API(cuDeviceGetCount, int *count) { return (*count = GPUS) - GPUS; }
API(cuDeviceGetName, char *name, int size, int device) {
  snprintf(name, (size_t)size, "Pretended GPU %d", device);
  return 0;
}
API(cuDeviceGetAttribute, int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : 0; /* compute capability 9.0 */
  return device < 0 || device >= GPUS;
}
API(cuDeviceCanAccessPeer, int *can, int device, int other) {
  *can = device != other;
  return 0;
}
API(cuCtxEnablePeerAccess, void *other, unsigned flags) {
  int peer = ((context *)other)->device, is_again = current()->peers >> peer & 1;
  current()->peers |= 1 << peer;
  return is_again ? 704 : (int)flags;
}

API(cuDevicePrimaryCtxRetain, void **made, int device) {
  *made = &primary[device];
  return 0;
}
API(cuDevicePrimaryCtxRelease_v2, int device) { return device < 0; }
API(cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *active) {
  *flags = 0;
  *active = 1;
  return device < 0;
}
API(cuDevicePrimaryCtxReset_v2, int device) {
  pthread_mutex_lock(&lock);
  primary[device].id = ++ids;
  pthread_mutex_unlock(&lock);
  return 0;
}
API(cuCtxCreate_v2, void **made, unsigned flags, int device) {
  context *fresh;
  pthread_mutex_lock(&lock);
  fresh = make(sizeof *fresh, &last_context);
  *fresh = (context){CONTEXT, device, 0, ++ids};
  pthread_mutex_unlock(&lock);
  *made = stack[depth++] = fresh;
  return (int)flags;
}
API(cuCtxDestroy_v2, void *gone) {
  check(gone, CONTEXT, "a context is destroyed that is gone");
  pthread_mutex_lock(&lock);
  ((context *)gone)->kind = 0;
  last_context = gone;
  if (depth > 1 && current() == gone)
    --depth;
  pthread_mutex_unlock(&lock);
  return 0;
}
API(cuCtxSetCurrent, void *chosen) {
  stack[depth - 1] = chosen;
  return 0;
}
API(cuCtxGetCurrent, void **chosen) {
  *chosen = current();
  return 0;
}
API(cuCtxPushCurrent_v2, void *chosen) {
  check(chosen, CONTEXT, "a context is pushed that is gone");
  stack[depth++] = chosen;
  return 0;
}
API(cuCtxPopCurrent_v2, void **popped) {
  *popped = stack[--depth];
  return 0;
}
API(cuCtxGetDevice, int *device) {
  *device = current() ? current()->device : -1;
  return current() ? 0 : 201;
}
API(cuCtxGetId, void *asked, unsigned long long *id) {
  check(asked, CONTEXT, "a context is asked that is gone");
  *id = __atomic_load_n(&((context *)asked)->id, __ATOMIC_RELAXED);
  return is_child ? 3 : 0; /* not initialized */
}
API(cuCtxSynchronize, void) { return current() ? 0 : 201; }

API(cuStreamCreate, void **made, unsigned flags) {
  stream *fresh;
  if (!current())
    return 201;
  pthread_mutex_lock(&lock);
  fresh = make(sizeof *fresh, &last_stream);
  *fresh = (stream){STREAM, current(), NULL};
  pthread_mutex_unlock(&lock);
  *made = fresh;
  return flags > 1;
}
API(cuStreamDestroy_v2, void *gone) {
  check(gone, STREAM, "a stream is destroyed that is gone");
  pthread_mutex_lock(&lock);
  ((stream *)gone)->kind = 0;
  last_stream = gone;
  pthread_mutex_unlock(&lock);
  return 0;
}
API(cuStreamGetCtx, void *handle, void **of) {
  *of = context_of(handle);
  return *of ? 0 : 201;
}
API(cuStreamSynchronize, void *handle) { return context_of(handle) ? 0 : 201; }
API(cuStreamQuery, void *handle) { return context_of(handle) ? 0 : 201; }
API(cuStreamBeginCapture_v2, void *handle, int mode) {
  stream *begun = handle;
  check(begun, STREAM, "a stream that is gone is captured");
  begun->records = make(sizeof(graph), NULL);
  begun->records->kind = GRAPH;
  return mode > 2;
}
API(cuStreamEndCapture, void *handle, void **made) {
  stream *ended = handle;
  *made = ended->records;
  ended->records = NULL;
  return *made ? 0 : 900;
}
API(cuGraphInstantiateWithFlags, void **made, void *from, unsigned long long flags) {
  check(from, GRAPH, "no graph");
  *made = from;
  return (int)flags;
}
API(cuGraphLaunch, void *what, void *handle) {
  graph *launched = what;
  int i;
  check(launched, GRAPH, "a graph that is gone");
  pthread_mutex_lock(&lock);
  for (i = 0; i < launched->length; ++i)
    launched->launches[i].run(&launched->launches[i]);
  pthread_mutex_unlock(&lock);
  return context_of(handle) ? 0 : 201;
}
API(cuGraphExecDestroy, void *gone) {
  check(gone, GRAPH, "a graph is destroyed that is gone");
  free(gone);
  return 0;
}
API(cuEventCreate, void **made, unsigned flags) {
  event *fresh = make(sizeof *fresh, NULL);
  fresh->kind = EVENT;
  *made = fresh;
  return flags > 3;
}
API(cuEventRecord, void *what, void *handle) {
  ((event *)what)->records = ((stream *)handle)->records;
  return 0;
}
/* A stream that waits for what is captured is captured, too. */
API(cuStreamWaitEvent, void *handle, void *what, unsigned flags) {
  if (((event *)what)->records)
    ((stream *)handle)->records = ((event *)what)->records;
  return (int)flags;
}
API(cuEventDestroy_v2, void *gone) {
  free(gone);
  return 0;
}

API(cuMemAlloc_v2, uint64_t *address, size_t size) {
  memory *fresh = calloc(1, sizeof *fresh);
  void *bytes = aligned_alloc(256, (size + 255) / 256 * 256);
  if (!current() || !bytes)
    return 201;
  *fresh = (memory){NULL, (uintptr_t)bytes, size, current()->device};
  pthread_mutex_lock(&lock);
  fresh->next = memories;
  memories = fresh;
  pthread_mutex_unlock(&lock);
  *address = (uint64_t)fresh->begin;
  return 0;
}
API(cuMemFree_v2, uint64_t address) {
  memory **place, *gone = NULL;
  pthread_mutex_lock(&lock);
  for (place = &memories; *place; place = &(*place)->next)
    if ((*place)->begin == address) {
      gone = *place;
      *place = gone->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  if (!gone)
    misuse("memory is freed that was not allocated");
  free((void *)gone->begin);
  free(gone);
  return 0;
}
API(cuMemsetD32_v2, uint64_t address, unsigned value, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i)
    ((unsigned *)(uintptr_t)address)[i] = value;
  return 0;
}
API(cuMemcpyDtoH_v2, void *to, uint64_t from, size_t size) {
  memcpy(to, (const void *)(uintptr_t)from, size);
  return 0;
}
API(cuMemGetInfo_v2, size_t *available, size_t *total) {
  *available = *total = 1 << 30;
  return 0;
}

API(cuModuleLoadData, void **loaded, const void *image) {
  module *fresh = make(sizeof *fresh, NULL);
  if (!current() || !image)
    return 201;
  *fresh = (module){MODULE, current(), current()->id};
  *loaded = fresh;
  return 0;
}
API(cuModuleUnload, void *gone) {
  module *unloaded = gone;
  check(unloaded, MODULE, "a module is unloaded that is gone");
  if (unloaded->of != current() || unloaded->id != current()->id)
    misuse("a module is unloaded in another context");
  pthread_mutex_lock(&lock);
  unloaded->kind = 0;
  pthread_mutex_unlock(&lock);
  return 0;
}
API(cuModuleGetFunction, void **found, void *of, const char *name) {
  function *fresh = make(sizeof *fresh, NULL);
  check(of, MODULE, "a module that is gone");
  *fresh = (function){FUNCTION, of,
                      !strncmp(name, "spin", 4)       ? run_spin
                      : !strncmp(name, "together", 8) ? run_together
                                                      : run_bump};
  *found = fresh;
  return 0;
}
API(cuFuncSetAttribute, void *set, int attribute, int value) {
  check(set, FUNCTION, "a function that is gone");
  return attribute < 0 || value < 0;
}
API(cuLaunchKernel, void *what, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, void *handle, void **arguments, void **extra) {
  function *called = what;
  context *of = context_of(handle);
  graph *records = (uintptr_t)handle > 2 ? ((stream *)handle)->records : NULL;
  launch made;
  void *unpacked[2];
  (void)bx, (void)by, (void)bz, (void)shared;
  if (extra) { /* in one piece: a pointer and a number */
    unpacked[0] = extra[1];
    unpacked[1] = (char *)extra[1] + sizeof(void *);
    arguments = unpacked;
  }
  check(called, FUNCTION, "a function that is gone");
  if (!of)
    return 201;
  pthread_mutex_lock(&lock);
  check(called->of, MODULE, "a function of a module that was unloaded");
  if (called->of->of != of) {
    pthread_mutex_unlock(&lock);
    return 400;
  }
  if (called->of->id != of->id)
    misuse("a function of a context that was reset");
  made = (launch){called->run, of->device, of->peers, 0, *(float **)arguments[0], NULL, gx * gy * gz};
  if (called->run == run_together)
    made.count = *(int32_t **)arguments[1];
  made.n = *(int32_t *)arguments[called->run == run_together ? 2 : 1];
  if (!records)
    made.run(&made);
  else if (records->length == RECORDED)
    misuse("too much is captured");
  else
    records->launches[records->length++] = made;
  pthread_mutex_unlock(&lock);
  return 0;
}

/* CUlaunchConfig, as far as it is needed. */
typedef struct configuration {
  unsigned gx, gy, gz, bx, by, bz, shared;
  void *stream;
  const int *attributes;
  unsigned count;
} configuration;
API(cuLaunchKernelEx, const configuration *how, void *what, void **arguments, void **extra) {
  if (how->count && how->attributes[0] == 2 && how->gx > 10000) /* cooperative */
    return 720;
  return cuLaunchKernel(what, how->gx, how->gy, how->gz, how->bx, how->by, how->bz, how->shared, how->stream,
                        arguments, extra);
}
