/* Each function of the CUDA driver fails, one at a time: the message says what it was for, and nothing is
 * lost. */
#include "dispatch_test.h"

/* Before there is a driver that could fail otherwise. */
static void test_failing_start(void) {
  open_fake("libcuda.so.1");
  fake->failing = "cuInit";
  fake->failing_with = 999;
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER &&
        says("picky: the NVIDIA driver does not start: CUDA_ERROR (999: the fake driver was told to fail)"));
  fake->failing = NULL;
}

/* Messages do without the driver's words; and the calls that only some kernels need. */
static void test_other_failing_calls(const char *attribute_setter) {
  fake->failing = NULL;
  fake->launch_result = 700;
  fake->failing = "cuGetErrorName";
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER && says("unknown error (700: the fake"));
  fake->launch_result = 700;
  fake->failing = "cuGetErrorString";
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER && says("CUDA_ERROR (700: no description)"));
  fake->failing = "cuTensorMapEncodeTiled";
  CHECK(tiles(cuda(0), (nrd_f16 *)aligned, 1000, 16, 1) == NRD_ERROR_INVALID_ARGUMENT &&
        says("tiles: the driver refuses the descriptor of 'x', 1000 x 24 elements (error 999)"));
  fake->failing = "cuLaunchKernelEx";
  CHECK(together(cuda(0), aligned, 10) == NRD_ERROR_DRIVER &&
        says("together: the launch failed: CUDA_ERROR (999"));
  fake->failing = attribute_setter;
  CHECK(cluster(cuda(0), unaligned, 10) == NRD_ERROR_DRIVER &&
        says("cluster: its clusters cannot be allowed: "));
}

/* What both ways to load need. */
#define CALLS_OF_BOTH(context_id)                                                                            \
  {"cuStreamGetCtx", "picky: the stream is not usable: CUDA_ERROR (999: the fake driver was told to fail)"}, \
      {"cuCtxGetId", context_id},                                                                            \
      {"cuCtxPushCurrent_v2", "picky: the context of the stream is not usable: CUDA_ERROR"},                 \
      {"cuCtxPopCurrent_v2", NULL}, {"cuCtxGetCurrent", NULL},                                               \
      {"cuDeviceGetAttribute", "picky: the device of the stream cannot be asked: CUDA_ERROR"},               \
      {"cuDeviceGetName", "picky: the device of the stream cannot be asked: CUDA_ERROR"},                    \
      {"cuLaunchKernel", "picky: the launch failed: CUDA_ERROR"}

/* Modules, in place of libraries. */
static void test_cuda_eager_failing(void) {
  static const failing_call calls[] = {
      CALLS_OF_BOTH("picky: the context of the stream has no number: CUDA_ERROR"),
      {"cuCtxGetDevice", "picky: the device of the stream cannot be asked: CUDA_ERROR"},
      {"cuDevicePrimaryCtxGetState", NULL},
      {"cuDevicePrimaryCtxRetain", NULL},
      {"cuDevicePrimaryCtxRelease_v2", NULL},
      {"cuModuleLoadData", "picky: its code cannot be loaded: CUDA_ERROR"},
      {"cuModuleGetFunction", "picky: its code lacks the kernel: CUDA_ERROR"},
      {"cuFuncSetAttribute", "picky: its shared memory cannot be reserved: CUDA_ERROR"}};
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  test_failing_start();
  test_failing_calls(calls, sizeof calls / sizeof *calls, cuda(0));
  test_other_failing_calls("cuFuncSetAttribute");
  /* What cannot be given back stays lost, without a word. */
  fake->failing = "cuModuleUnload";
  synthetic_unload();
}
static void test_cuda_failing(void) {
  static const failing_call calls[] = {
      CALLS_OF_BOTH(NULL),
      {"cuStreamGetDevice", NULL},
      {"cuCtxGetDevice", NULL},
      {"cuLibraryLoadData", "picky: its code cannot be loaded: CUDA_ERROR"},
      {"cuLibraryGetKernel", "picky: its code lacks the kernel: CUDA_ERROR"},
      {"cuKernelGetFunction", "picky: its code cannot be loaded into the context: CUDA_ERROR"},
      {"cuKernelSetAttribute", "picky: its shared memory cannot be reserved: CUDA_ERROR"}};
  int loads;
  if (!HAS_LIBRARIES) {
    test_cuda_eager_failing();
    return;
  }
  test_failing_start();
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK);
  test_failing_calls(calls, sizeof calls / sizeof *calls, cuda(0));
  CHECK(fake->loads == fake->unloads);
  /* What cannot be given back stays lost, without a word. */
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK);
  loads = fake->loads;
  fake->failing = "cuLibraryUnload";
  synthetic_unload();
  CHECK(fake->unloads == loads - 1);
  test_other_failing_calls("cuKernelSetAttribute");
  /* A context that cannot be asked for counts as another one. */
  fake->failing = "cuCtxGetCurrent";
  fake->wants_current = 201;
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK && last_launch()->current == 0);
  fake->failing = "cuCtxPushCurrent_v2";
  CHECK(picky(cuda(0), aligned, 16) == NRD_ERROR_DRIVER && says("picky: the launch failed: CUDA_ERROR (201"));
}

static void test_cuda_old_failing(void) {
  static const failing_call calls[] = {
      {"cuStreamGetCtx", "picky: the stream is not usable: CUDA_ERROR"},
      {"cuCtxGetDevice", "picky: the device of the stream cannot be asked: CUDA_ERROR"},
      {"cuCtxPushCurrent_v2", "picky: the context of the stream is not usable: CUDA_ERROR"},
      {"cuModuleLoadData", "picky: its code cannot be loaded: CUDA_ERROR"},
      {"cuModuleGetFunction", "picky: its code lacks the kernel: CUDA_ERROR"},
      {"cuFuncSetAttribute", "picky: its shared memory cannot be reserved: CUDA_ERROR"},
      {"cuLaunchKernel", "picky: the launch failed: CUDA_ERROR"}};
  open_fake("libcuda.so.1");
  /* hopper does without its tensor maps until it is called. */
  test_failing_calls(calls, sizeof calls / sizeof *calls, cuda(0));
  CHECK(fake->loads == fake->unloads);
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK);
  synthetic_unload();
  CHECK(fake->loads == fake->unloads && fake->context_depth == 0);
  CHECK(together(cuda(0), aligned, 10) == NRD_ERROR_NO_DRIVER && says("needs cuLaunchKernelEx") &&
        says("too old"));
  CHECK(cluster(cuda(0), aligned, 10) == NRD_ERROR_NO_DRIVER && says("needs cuLaunchKernelEx"));
  CHECK(early(cuda(0), aligned, 10) == NRD_OK && ran("early|"));
}

const test_case cuda_failing_cases[] = {{"cuda_failing", test_cuda_failing},
                                        {"cuda_old_failing", test_cuda_old_failing},
                                        {"cuda_eager_failing", test_cuda_eager_failing},
                                        {NULL, NULL}};
