/* Stands in for what calls by the TVM FFI meet, for the test of them where that package is not:
 *
 *     cc -shared -fPIC stand_in.c -o libtvm_ffi.so -Wl,-soname,libtvm_ffi.so
 *     cc -shared -fPIC -DDRIVER='"…/idle_driver.c"' stand_in.c -o libcuda.so.1
 *
 * the former remembers errors and streams, and counts tensors; the latter, which runs nothing, remembers
 * where a kernel was launched: two devices, of which the first is current. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef DRIVER
#define cuLaunchKernel idle_launch_kernel
#define cuCtxGetDevice idle_get_device
#define cuCtxPushCurrent_v2 idle_push_current
#define cuCtxPopCurrent_v2 idle_pop_current
#define cuDevicePrimaryCtxRetain idle_retain
#include DRIVER
#undef cuLaunchKernel
#undef cuCtxGetDevice
#undef cuCtxPushCurrent_v2
#undef cuCtxPopCurrent_v2
#undef cuDevicePrimaryCtxRetain

static char second_context;
static int depth, launch_device = -1, launches;
static void *launch_stream, *cleared_stream;
static size_t cleared;

int cuCtxGetDevice(int *device) {
  *device = depth > 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **made, int device) {
  *made = device ? &second_context : &context;
  return 0;
}
int cuCtxPushCurrent_v2(void *made) {
  depth += made == &second_context;
  return 0;
}
int cuCtxPopCurrent_v2(void **made) {
  *made = depth ? &second_context : &context;
  depth -= depth > 0;
  return 0;
}
int cuLaunchKernel(void *launched, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra) {
  launch_stream = stream;
  launch_device = depth > 0;
  ++launches;
  return idle_launch_kernel(launched, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
}
int cuMemsetD8Async(uintptr_t memory, unsigned char value, size_t size, void *stream) {
  (void)memory;
  cleared = value ? 0 : size;
  cleared_stream = stream;
  return 0;
}
void *last_stream(void) { return launch_stream; }
int last_device(void) { return launch_device; }
int count_launches(void) { return launches; }
int is_back(void) { return depth == 0; }
#else
static char kind[64], message[4096];
static int objects;

typedef struct tensor {
  void *data;
  int32_t device_type, device_id, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t offset;
} tensor;
typedef struct object {
  uint64_t references;
  int32_t type;
  uint32_t padding;
  void *deleter;
  tensor is;
  struct managed *managed;
} object;
typedef struct managed {
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct managed *self);
  uint64_t flags;
  tensor is;
} managed;

void TVMFFIErrorSetRaisedFromCStr(const char *of, const char *text) {
  strncpy(kind, of, sizeof kind - 1);
  strncpy(message, text, sizeof message - 1);
}
void *TVMFFIEnvGetStream(int32_t device_type, int32_t device) {
  return device_type == 2 && device < 8 ? (void *)(uintptr_t)(device == 1 ? 0 : 0x7000 + device) : NULL;
}
int TVMFFITensorFromDLPackVersioned(managed *from, int32_t alignment, int32_t contiguous, void **made) {
  object *result = (object *)calloc(1, sizeof *result);
  (void)alignment, (void)contiguous;
  result->references = 1;
  result->type = 70;
  result->is = from->is;
  result->managed = from;
  ++objects;
  *made = result;
  return 0;
}
int TVMFFIObjectIncRef(void *kept) {
  ++((object *)kept)->references;
  return 0;
}
int TVMFFIObjectDecRef(void *released) {
  object *of = (object *)released;
  if (--of->references)
    return 0;
  of->managed->deleter(of->managed);
  free(of);
  --objects;
  return 0;
}
const char *last_kind(void) { return kind; }
const char *last_message(void) { return message; }
int count_objects(void) { return objects; }
#endif
