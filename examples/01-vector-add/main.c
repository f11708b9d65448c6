/* Adds vectors of several lengths with two kernel libraries, and compares every element. */
#include "example.h"
#include "vector_add_f16.h"
#include "vector_add_f32.h"

static nrd_stream stream;

/* `skew` elements into their allocations, so that 1 gives pointers that are not divisible by 16. */
static int test_f32(int32_t n, int skew) {
  size_t count = (size_t)n + (size_t)skew, bytes = count * sizeof(float);
  float *x = malloc(bytes + 1), *y = malloc(bytes + 1), *out = calloc(count + 1, sizeof *out);
  float *x_device, *y_device, *out_device;
  int32_t i, wrong = 0;
  nrd_status status;
  for (i = 0; i < (int32_t)count; ++i) {
    x[i] = next_number();
    y[i] = next_number();
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
    x[i].bits = half_from_float(next_number());
    y[i].bits = half_from_float(next_number());
  }
  x_device = to_device(x, bytes);
  y_device = to_device(y, bytes);
  out_device = to_device(out, bytes);
  status = add_f16(stream, x_device + skew, y_device + skew, out_device + skew, n);
  if (status != NRD_OK)
    stop("add_f16", vector_add_f16_last_error());
  to_host(out, out_device, bytes);
  for (i = 0; i < n; ++i)
    wrong += out[skew + i].bits !=
             half_from_float(float_from_half(x[skew + i].bits) + float_from_half(y[skew + i].bits));
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
  check_cuda(device.launch(a->bare, 1, 1, 1, 128, 1, 1, 0, device.stream, parameters, NULL),
             "cuLaunchKernel");
}

static void measure(void) {
  arguments a = {NULL, NULL, NULL, device.is_cuda ? 1 << 28 : 1 << 24, NULL};
  size_t bytes = (size_t)a.n * sizeof(float);
  double time;
  a.x = to_device(NULL, bytes);
  a.y = to_device(NULL, bytes);
  a.out = to_device(NULL, bytes);
  time = time_calls(call_library, &a);
  printf("  add_f32  n = %d: %.1f us, %.0f GB/s\n", a.n, time * 1e6, 3e-9 * (double)bytes / time);
  if (device.is_cuda) {
    void (*const functions[2])(void *) = {call_library, call_driver};
    double times[2];
    void *module;
    a.n = 1024;
    check_cuda(device.load_module(&module, bare_kernel), "cuModuleLoadData");
    check_cuda(device.get_function(&a.bare, module, "bare"), "cuModuleGetFunction");
    time_host(functions, &a, times);
    printf("  one launch: %.0f ns of the host's time through the library, %.0f ns by a bare cuLaunchKernel, "
           "%+.0f ns\n",
           times[0] * 1e9, times[1] * 1e9, (times[0] - times[1]) * 1e9);
  }
}

int main(int argc, char **argv) {
  static const int32_t lengths[] = {0, 1, 1000, 98432, 1000001};
  int bench = read_options(argc, argv), failed = 0;
  size_t i;
  stream = device.is_cuda ? nrd_cuda_stream(device.stream) : nrd_cpu_stream();
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
