/* Adds vectors of several lengths with two kernel libraries, and compares every element. */
#include "device.h"
#include "vector_add_f16.h"
#include "vector_add_f32.h"

#include <math.h>

static nrd_stream stream;

/* The same in every run. */
static uint32_t next_random(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return state;
}

/* Half precision, which not every C compiler has, is handled as its bits: a number of either sign from 0.5
 * to 1. */
static nrd_f16 next_half(void) {
  nrd_f16 half;
  half.bits = (uint16_t)(0x3800 | (next_random() >> 16 & 0x83ff));
  return half;
}

static float float_from_half(nrd_f16 half) {
  int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
  float size = exponent == 31  ? (fraction ? NAN : INFINITY)
               : exponent == 0 ? ldexpf((float)fraction, -24)
                               : ldexpf((float)(fraction + 1024), exponent - 25);
  return half.bits & 0x8000 ? -size : size;
}

/* From -1 to 1. */
static float next_float(void) { return (float)(int32_t)next_random() / 2147483648.0f; }

/* `skew` elements into their allocations, so that 1 gives pointers that are not divisible by 16. */
static int test_f32(int32_t n, int skew) {
  size_t count = (size_t)n + (size_t)skew, bytes = count * sizeof(float);
  float *x = malloc(bytes + 1), *y = malloc(bytes + 1), *out = calloc(count + 1, sizeof *out);
  float *x_device, *y_device, *out_device;
  int32_t i, wrong = 0;
  nrd_status status;
  for (i = 0; i < (int32_t)count; ++i) {
    x[i] = next_float();
    y[i] = next_float();
  }
  x_device = to_device(x, bytes);
  y_device = to_device(y, bytes);
  out_device = to_device(out, bytes);
  status = add_f32(stream, x_device + skew, y_device + skew, out_device + skew, n);
  if (status != NRD_OK)
    stop("add_f32", vector_add_f32_last_error());
  to_host(out, out_device, bytes);
  for (i = 0; i < n; ++i)
    wrong += out[skew + i] != x[skew + i] + y[skew + i];
  printf("  add_f32  n = %8d%s  %s\n", n, skew ? ", unaligned" : "           ", wrong ? "WRONG" : "right");
  free_on_device(x_device);
  free_on_device(y_device);
  free_on_device(out_device);
  free(x);
  free(y);
  free(out);
  return wrong != 0;
}

static int test_f16(int32_t n, int skew) {
  size_t count = (size_t)n + (size_t)skew, bytes = count * sizeof(nrd_f16);
  nrd_f16 *x = malloc(bytes + 1), *y = malloc(bytes + 1), *out = calloc(count + 1, sizeof *out);
  nrd_f16 *x_device, *y_device, *out_device;
  int32_t i, wrong = 0;
  nrd_status status;
  for (i = 0; i < (int32_t)count; ++i) {
    x[i] = next_half();
    y[i] = next_half();
  }
  x_device = to_device(x, bytes);
  y_device = to_device(y, bytes);
  out_device = to_device(out, bytes);
  status = add_f16(stream, x_device + skew, y_device + skew, out_device + skew, n);
  if (status != NRD_OK)
    stop("add_f16", vector_add_f16_last_error());
  to_host(out, out_device, bytes);
  for (i = 0; i < n; ++i) {
    float sum = float_from_half(x[skew + i]) + float_from_half(y[skew + i]);
    /* Rounded to the nearest of numbers with 11 bits. */
    wrong += !(fabsf(float_from_half(out[skew + i]) - sum) <= fabsf(sum) / 2048);
  }
  printf("  add_f16  n = %8d%s  %s\n", n, skew ? ", unaligned" : "           ", wrong ? "WRONG" : "right");
  free_on_device(x_device);
  free_on_device(y_device);
  free_on_device(out_device);
  free(x);
  free(y);
  free(out);
  return wrong != 0;
}

/* ---- Figures ---- */

typedef struct {
  float *x, *y, *out;
  int32_t n;
  void *bare; /* CUfunction */
} arguments;

static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                     void **, void **);

static void call_library(void *pointer) {
  arguments *a = pointer;
  if (add_f32(stream, a->x, a->y, a->out, a->n) != NRD_OK)
    stop("add_f32", vector_add_f32_last_error());
}

/* A kernel with the same parameters that does nothing, as PTX, launched without any library. */
static const char bare_kernel[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry bare(.param .u64 x, .param .u64 y, .param .u64 out, .param .u32 n) "
    "{ ret; }\n";

static void call_driver(void *pointer) {
  arguments *a = pointer;
  void *parameters[] = {&a->x, &a->y, &a->out, &a->n};
  check_cuda(launch(a->bare, 1, 1, 1, 128, 1, 1, 0, device.stream, parameters, NULL), "cuLaunchKernel");
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The time that the host spends in one call of each of two functions: in batches that the device's queue can
 * hold, by turns, the median of many. */
static void time_host(void (*const functions[2])(void *), void *argument, double results[2]) {
  enum { batches = 1001, calls = 64 };
  static double times[2][batches];
  int batch, which, i;
  for (batch = 0; batch < batches; ++batch)
    for (which = 0; which < 2; ++which) {
      double start = seconds();
      for (i = 0; i < calls; ++i)
        functions[which](argument);
      times[which][batch] = (seconds() - start) / calls;
      wait_for_device();
    }
  for (which = 0; which < 2; ++which) {
    qsort(times[which], batches, sizeof **times, compare_doubles);
    results[which] = times[which][batches / 2];
  }
}

/* What the library adds to the host's time for a launch. */
static void measure_launch(arguments *a) {
  void (*const functions[2])(void *) = {call_library, call_driver};
  double times[2];
  void *module;
  a->n = 1024;
  *(void **)&launch = cuda_symbol("cuLaunchKernel");
  check_cuda(((int (*)(void **, const void *))cuda_symbol("cuModuleLoadData"))(&module, bare_kernel),
             "cuModuleLoadData");
  check_cuda(
      ((int (*)(void **, void *, const char *))cuda_symbol("cuModuleGetFunction"))(&a->bare, module, "bare"),
      "cuModuleGetFunction");
  time_host(functions, a, times);
  printf("  one launch: %.0f ns of the host's time through the library, %.0f ns by a bare cuLaunchKernel, "
         "%+.0f ns\n",
         times[0] * 1e9, times[1] * 1e9, (times[0] - times[1]) * 1e9);
}

static void measure(void) {
  arguments a = {NULL, NULL, NULL, device.driver ? 1 << 28 : 1 << 24, NULL};
  size_t bytes = (size_t)a.n * sizeof(float);
  double time;
  a.x = to_device(NULL, bytes);
  a.y = to_device(NULL, bytes);
  a.out = to_device(NULL, bytes);
  time = time_calls(call_library, &a);
  printf("  add_f32  n = %d: %.1f us, %.0f GB/s\n", a.n, time * 1e6, 3e-9 * (double)bytes / time);
  if (device.driver)
    measure_launch(&a);
}

int main(int argc, char **argv) {
  static const int32_t lengths[] = {0, 1, 1000, 98432, 1000001};
  int bench = read_options(argc, argv), failed = 0;
  size_t i;
  stream = device.driver ? nrd_cuda_stream(device.stream) : nrd_cpu_stream();
  for (i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    failed += test_f32(lengths[i], 0);
    failed += test_f32(lengths[i], 1);
    failed += test_f16(lengths[i], 0);
    failed += test_f16(lengths[i], 1);
  }
  if (bench)
    measure();
  printf(failed ? "vector add: %d results are wrong\n" : "vector add: all results are right\n", failed);
  return failed != 0;
}
