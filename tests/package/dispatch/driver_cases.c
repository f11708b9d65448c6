/* Drivers that are not there, lack a device, a function, or memory for what a device needs; and which
 * functions of the system a launch uses. The library calls some of those through the functions here. */
#include "dispatch_test.h"

static void test_no_driver(void) {
  CHECK(twice(cuda(0), aligned, aligned, 100) == NRD_ERROR_NO_DRIVER && says("twice") &&
        says("libcuda.so.1"));
  CHECK(twice(hip(0), aligned, aligned, 100) == NRD_ERROR_NO_DRIVER && says("libamdhip64.so"));
  CHECK(synthetic_load(cuda(0)) == NRD_ERROR_NO_DRIVER);
  CHECK(twice_is_right(1000));
}

static void test_no_device(void) {
  open_fake("libcuda.so.1");
  fake->init_result = 100;
  CHECK(twice(cuda(0), aligned, aligned, 100) == NRD_ERROR_NO_DEVICE && says("CUDA_ERROR_NO_DEVICE"));
  /* A device that appears later is found. */
  fake->init_result = 0;
  CHECK(twice(cuda(0), aligned, aligned, 100) == NRD_OK);
  open_fake("libamdhip64.so");
  fake->device_count = 0;
  CHECK(twice(hip(0), aligned, aligned, 100) == NRD_ERROR_NO_DEVICE);
}

/* For a library that allocates through this. */
static int has_no_memory;
void *failing_calloc(size_t count, size_t size);
void *failing_calloc(size_t count, size_t size) { return has_no_memory ? NULL : calloc(count, size); }
static void test_no_memory(void) {
  has_no_memory = 1;
  open_fake("libcuda.so.1");
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_ERROR_OUT_OF_RESOURCES && says("twice: out of memory"));
  CHECK(synthetic_load(cuda(0)) == NRD_ERROR_OUT_OF_RESOURCES && says("synthetic_load: out of memory"));
  has_no_memory = 0;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK);
  /* What is there needs no more. */
  has_no_memory = 1;
  CHECK(mixed(cuda(0), aligned) == NRD_OK);
  open_fake("libamdhip64.so");
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_ERROR_OUT_OF_RESOURCES && says("twice: out of memory"));
  has_no_memory = 0;
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK);
}

/* For missing_functions.sh. */
static void check_missing(nrd_status status, const char *library) {
  char message[200];
  snprintf(message, sizeof message, "picky: %s has no %s: ", library, missing);
  CHECK(is_required ? status == NRD_ERROR_NO_DRIVER && says(message) && says("too old") : status == NRD_OK);
}
static void test_missing_cuda(void) {
  check_missing(picky(cuda(0), aligned, 16), "libcuda.so.1");
  check_missing(picky(cuda(1), aligned, 16), "libcuda.so.1");
  synthetic_unload();
  check_missing(picky(cuda(0), aligned, 16), "libcuda.so.1");
}
static void test_missing_hip(void) {
  nrd_status status = picky(nrd_hip_stream(NULL), aligned, 16);
  check_missing(status, "libamdhip64.so");
  status = together(nrd_hip_stream(NULL), aligned, 16);
  if (!strcmp(missing, "hipModuleLaunchCooperativeKernel"))
    CHECK(status == NRD_ERROR_NO_DRIVER && says("together: the variant '*fp32, i32' for hip:gfx942 needs ") &&
          says(missing) && says("ROCm is too old"));
}

/* A launch allocates nothing, takes no lock and does not wait, once its image is loaded. For a library that
 * does these things through the functions here. */
static int locks, allocations, waits;
int counted_lock(pthread_mutex_t *mutex);
int counted_lock(pthread_mutex_t *mutex) {
  __atomic_add_fetch(&locks, 1, __ATOMIC_RELAXED);
  return pthread_mutex_lock(mutex);
}
void *counted_malloc(size_t size);
void *counted_malloc(size_t size) {
  __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return malloc(size);
}
int counted_nanosleep(const struct timespec *time, struct timespec *left);
int counted_nanosleep(const struct timespec *time, struct timespec *left) {
  __atomic_add_fetch(&waits, 1, __ATOMIC_RELAXED);
  return nanosleep(time, left);
}
/* A process may allow membarrier until it is needed. */
long denied_syscall(long number, ...);
long denied_syscall(long number, ...) {
  static int calls;
  (void)number;
  return __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST) ? -1 : 0;
}
static void run_quietly(int alike) {
  int i;
  open_fake("libamdhip64.so");
  open_fake("libcuda.so.1");
  if (alike)
    make_devices_alike();
  for (i = 0; i < 3; ++i) {
    if (i == 1) {
      CHECK(locks && allocations);
      locks = allocations = waits = 0;
      has_no_memory = 1;
    }
    CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
    CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK && twice(hip(1), aligned, aligned, 160) == NRD_OK);
    CHECK(tiles(cuda(0), (nrd_f16 *)aligned, 100, 16, 1) == NRD_OK &&
          together(cuda(0), aligned, 10) == NRD_OK);
  }
  CHECK(!locks && !allocations && !waits);
}
static void test_quiet(void) { run_quietly(0); }
static void test_quiet_alike(void) { run_quietly(1); }

const test_case driver_cases[] = {{"no_driver", test_no_driver},
                                  {"no_device", test_no_device},
                                  {"quiet", test_quiet},
                                  {"quiet_alike", test_quiet_alike},
                                  {"no_memory", test_no_memory},
                                  {"missing_cuda", test_missing_cuda},
                                  {"missing_amdh", test_missing_hip},
                                  {NULL, NULL}};
