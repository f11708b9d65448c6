/* Softmax of matrices of several sizes, compared with one computed in double precision. */
#include "device.h"
#include "softmax_f16.h"
#include "softmax_f32.h"

#include <math.h>

static nrd_stream stream;

/* The same in every run. */
static uint32_t next_random(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return state;
}

/* Half precision, which not every C compiler has, is handled as its bits: a number of either sign from 4
 * to 8. */
static nrd_f16 next_half(void) {
  nrd_f16 half;
  half.bits = (uint16_t)(0x4400 | (next_random() >> 16 & 0x83ff));
  return half;
}

static float float_from_half(nrd_f16 half) {
  int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
  float size = exponent == 31  ? (fraction ? NAN : INFINITY)
               : exponent == 0 ? ldexpf((float)fraction, -24)
                               : ldexpf((float)(fraction + 1024), exponent - 25);
  return half.bits & 0x8000 ? -size : size;
}

/* From -8 to 8. */
static float next_float(void) { return (float)(int32_t)next_random() / 268435456.0f; }

/* The largest difference from the reference in a matrix, as a part of the largest result of its row. Each
 * result may differ by a few units of an exponential in float, by what rounding the argument makes of it, and
 * by being rounded to `digits` bits, of which the last is no less than 2^lowest; otherwise it is wrong. */
static double compare(const float *in, const float *out, int32_t rows, int32_t columns, int digits,
                      int lowest, int *wrong) {
  double largest = 0;
  int32_t row, i;
  for (row = 0; row < rows; ++row) {
    const float *x = in + (size_t)row * (size_t)columns, *y = out + (size_t)row * (size_t)columns;
    double top = -INFINITY, sum = 0;
    for (i = 0; i < columns; ++i)
      top = fmax(top, x[i]);
    for (i = 0; i < columns; ++i)
      sum += exp(x[i] - top);
    for (i = 0; i < columns; ++i) {
      double want = exp(x[i] - top);
      double error = fabs(y[i] * sum - want);
      double unit = ldexp(4 + fabs(x[i] - top), -22) + ldexp(1, -digits);
      *wrong += !(error <= want * unit + sum * ldexp(1, lowest - 1));
      if (!(error <= largest)) /* also if it is not a number */
        largest = error;
    }
  }
  return largest;
}

static int report(const char *name, int32_t rows, int32_t columns, double error, int wrong) {
  printf("  %s  %5d x %5d  largest error %.1e  %s\n", name, rows, columns, error, wrong ? "WRONG" : "right");
  return wrong != 0;
}

static int test(int32_t rows, int32_t columns) {
  size_t count = (size_t)rows * (size_t)columns, i;
  float *in = malloc((count + 1) * sizeof *in), *out = calloc(count + 1, sizeof *out);
  nrd_f16 *half = calloc(count + 1, sizeof *half);
  void *in_device, *out_device;
  double error;
  int failed, wrong = 0;
  for (i = 0; i < count; ++i)
    in[i] = next_float();

  in_device = to_device(in, count * sizeof *in);
  out_device = to_device(out, count * sizeof *out);
  if (softmax_rows_f32(stream, out_device, in_device, rows, columns) != NRD_OK)
    stop("softmax_rows_f32", softmax_f32_last_error());
  to_host(out, out_device, count * sizeof *out);
  error = compare(in, out, rows, columns, 24, -149, &wrong);
  failed = report("softmax_rows_f32", rows, columns, error, wrong);
  free_on_device(in_device);
  free_on_device(out_device);

  for (i = 0; i < count; ++i) {
    half[i] = next_half();
    in[i] = float_from_half(half[i]);
  }
  in_device = to_device(half, count * sizeof *half);
  out_device = to_device(half, count * sizeof *half);
  if (softmax_rows_f16(stream, out_device, in_device, rows, columns) != NRD_OK)
    stop("softmax_rows_f16", softmax_f16_last_error());
  to_host(half, out_device, count * sizeof *half);
  for (i = 0; i < count; ++i)
    out[i] = float_from_half(half[i]);
  wrong = 0;
  error = compare(in, out, rows, columns, 11, -24, &wrong);
  failed += report("softmax_rows_f16", rows, columns, error, wrong);
  free_on_device(in_device);
  free_on_device(out_device);
  free(in);
  free(out);
  free(half);
  return failed;
}

/* ---- Figures ---- */

typedef struct {
  float *in, *out;
  int32_t rows, columns;
} arguments;

static void call_library(void *pointer) {
  arguments *a = pointer;
  if (softmax_rows_f32(stream, a->out, a->in, a->rows, a->columns) != NRD_OK)
    stop("softmax_rows_f32", softmax_f32_last_error());
}

static void measure(void) {
  arguments a = {NULL, NULL, device.driver ? 4096 : 512, 8192};
  size_t bytes = (size_t)a.rows * (size_t)a.columns * sizeof(float);
  double time;
  a.in = to_device(NULL, bytes);
  a.out = to_device(NULL, bytes);
  time = time_calls(call_library, &a);
  printf("  softmax_rows_f32  %d x %d: %.1f us, %.0f GB/s\n", a.rows, a.columns, time * 1e6,
         2e-9 * (double)bytes / time);
}

int main(int argc, char **argv) {
  int bench = read_options(argc, argv), failed = 0;
  stream = device.driver ? nrd_cuda_stream(device.stream) : nrd_cpu_stream();
  failed += test(0, 128);
  failed += test(1, 1);
  failed += test(17, 781);
  failed += test(256, 1024);
  failed += test(33, 8192);
  failed += test(5, 8191);
  if (bench)
    measure();
  printf(failed ? "softmax: %d results are wrong\n" : "softmax: all results are right\n", failed);
  return failed != 0;
}
