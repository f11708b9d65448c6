/* Calls on HIP. */
#include "dispatch_test.h"

static void test_hip(void) {
  open_fake("libamdhip64.so");
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|hip:gfx942|hsaco"));
  CHECK(last_launch()->block == 256 && last_launch()->grid[0] == 3 && last_launch()->context == 0);
  CHECK(twice(hip(1), unaligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32, *fp32, i32, 64|hip:gfx1100|hsaco"));
  CHECK(last_launch()->block == 128 && last_launch()->context == 1);
  CHECK(twice(hip(2), aligned, aligned, 160) == NRD_ERROR_NO_VARIANT && says("gfx906") && says("hip:gfx942"));
  CHECK(twice(nrd_hip_stream(NULL), aligned, aligned, 160) == NRD_OK && last_launch()->context == 0);
  CHECK(picky(hip(3), aligned, 16) == NRD_OK && last_launch()->shared == 102400);
  CHECK(picky(hip(3), unaligned, 16) == NRD_ERROR_NO_VARIANT);
  CHECK(picky(hip(3), aligned, 2147483632) == NRD_ERROR_INVALID_ARGUMENT && says("HIP's limit"));
  CHECK(mixed(hip(0), aligned) == NRD_ERROR_NO_VARIANT && says("mixed"));
  CHECK(synthetic_load(hip(0)) == NRD_OK);
  synthetic_unload();
  fake->bad_image = "together|";
  CHECK(synthetic_load(hip(0)) == NRD_ERROR_DRIVER &&
        says("1 of 5 images cannot be loaded: together: its code cannot be loaded") &&
        says("'*fp32, i32' for hip:gfx942"));
  synthetic_unload();
  fake->bad_image = "twice|*fp32:16";
  CHECK(synthetic_load(hip(0)) == NRD_OK);
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK && ran("twice|*fp32, *fp32, i32, 64|hip:gfx942"));
  CHECK(twice(hip(0), unaligned, aligned, 160) == NRD_OK);
  synthetic_unload();
  CHECK(fake->loads == fake->unloads);
}

static void test_hip_failing(void) {
  static const failing_call calls[] = {
      {"hipStreamGetDevice", "picky: the stream names no device: hipErrorFake (999)"},
      {"hipGetDevicePropertiesR0600", "picky: the device of the stream cannot be asked: hipErrorFake"},
      {"hipGetDevice", "picky: the device of the stream is not usable: hipErrorFake"},
      {"hipSetDevice", "picky: the device of the stream is not usable: hipErrorFake"},
      {"hipModuleLoadData", "picky: its code cannot be loaded: hipErrorFake"},
      {"hipModuleGetFunction", "picky: its code lacks the kernel: hipErrorFake"},
      {"hipModuleLaunchKernel", "picky: the launch failed: hipErrorFake"}};
  open_fake("libamdhip64.so");
  fake->failing_with = 999;
  fake->failing = "hipInit";
  CHECK(picky(hip(3), aligned, 16) == NRD_ERROR_DRIVER &&
        says("picky: the HIP runtime does not start: hipErrorFake"));
  fake->failing = "hipGetDeviceCount";
  CHECK(picky(hip(3), aligned, 16) == NRD_ERROR_DRIVER &&
        says("picky: the HIP runtime does not start: hipErrorFake"));
  fake->failing = NULL;
  test_failing_calls(calls, sizeof calls / sizeof *calls, hip(3));
  CHECK(fake->loads == fake->unloads);
  fake->failing = "hipModuleLaunchCooperativeKernel";
  CHECK(together(hip(0), aligned, 10) == NRD_ERROR_DRIVER &&
        says("together: the launch failed: hipErrorFake (999)"));
  fake->failing = "hipModuleUnload";
  synthetic_unload();
  CHECK(fake->loads == fake->unloads + 1);
}

/* The runtime that the process has, under another of its names, is taken rather than the system's. */
static void test_hip_loaded(void) {
  fake_state *other;
  open_fake("libamdhip64.so.6");
  other = fake;
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK && other->launches == 1);
  open_fake("libamdhip64.so");
  CHECK(fake != other && fake->inits == 0 && fake->launches == 0);
}

const test_case hip_cases[] = {
    {"hip", test_hip}, {"hip_failing", test_hip_failing}, {"hip_loaded", test_hip_loaded}, {NULL, NULL}};
