/* Products of matrices of several sizes, whose depth several programs share, compared with those computed in
 * double precision. */
#include "device.h"
#include "products.h"

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

/* What a result holds before it is computed, and the memory behind it afterwards, too: not a number. */
static const float poison = -12345.5f;
enum { margin = 64, tile = 64 };

typedef struct {
  int32_t rows, columns, depth;
  nrd_f16 *a, *b; /* the host's */
  float *c;
  int32_t *locks;
  nrd_f16 *a_device, *b_device; /* the device's, for the kernel */
  float *c_device;
  int32_t *locks_device;
} product;

static size_t size_of_result(const product *p) { return (size_t)p->rows * (size_t)p->columns; }

static size_t size_of_locks(const product *p) {
  size_t tiles = (size_t)((p->rows + tile - 1) / tile) * (size_t)((p->columns + tile - 1) / tile);
  return 2 * tiles * sizeof(int32_t);
}

static product make_product(int32_t rows, int32_t columns, int32_t depth) {
  product p = {rows, columns, depth, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  size_t a_count = (size_t)rows * (size_t)depth, b_count = (size_t)depth * (size_t)columns,
         c_count = size_of_result(&p) + margin, i;
  p.a = malloc(a_count * sizeof *p.a + 1);
  p.b = malloc(b_count * sizeof *p.b + 1);
  p.c = malloc(c_count * sizeof *p.c);
  p.locks = calloc(1, size_of_locks(&p) + 1);
  if (!p.a || !p.b || !p.c || !p.locks)
    stop("malloc", "out of memory");
  for (i = 0; i < a_count; ++i)
    p.a[i] = next_half();
  for (i = 0; i < b_count; ++i)
    p.b[i] = next_half();
  for (i = 0; i < c_count; ++i)
    p.c[i] = poison;
  p.a_device = to_device(p.a, a_count * sizeof *p.a);
  p.b_device = to_device(p.b, b_count * sizeof *p.b);
  p.c_device = to_device(p.c, c_count * sizeof *p.c);
  p.locks_device = to_device(p.locks, size_of_locks(&p));
  return p;
}

static void free_product(product *p) {
  free_on_device(p->a_device);
  free_on_device(p->b_device);
  free_on_device(p->c_device);
  free_on_device(p->locks_device);
  free(p->a);
  free(p->b);
  free(p->c);
  free(p->locks);
}

static void multiply(void *pointer) {
  product *p = pointer;
  if (matmul(stream, p->a_device, p->b_device, p->c_device, p->rows, p->columns, p->depth, p->locks_device) !=
      NRD_OK)
    stop("matmul", products_last_error());
}

/* The largest error of the results, of which it looks at every `step`th, as a part of what may be: products
 * of two halves are exact in float32, and of the additions, no more than `depth` for each result, each may
 * lose one unit in the last place (matrix units cut off instead of rounding): 2^-23 of the sum of all
 * products' absolute values. */
static double compare(const product *p, size_t step) {
  double largest = 0;
  size_t count = size_of_result(p), at;
  for (at = 0; at < count; at += step) {
    size_t row = at / (size_t)p->columns, column = at % (size_t)p->columns, k;
    double expected = 0, size = 0, limit, error;
    for (k = 0; k < (size_t)p->depth; ++k) {
      double term = (double)float_from_half(p->a[row * (size_t)p->depth + k]) *
                    float_from_half(p->b[k * (size_t)p->columns + column]);
      expected += term;
      size += fabs(term);
    }
    limit = (double)(p->depth + 4) * size * ldexp(1, -23);
    error = size == 0 ? fabs((double)p->c[at]) : fabs((double)p->c[at] - expected) / limit;
    if (!(error <= largest)) /* also if it is not a number */
      largest = error;
  }
  for (at = count; at < count + margin; ++at)
    if (p->c[at] != poison)
      largest = INFINITY;
  return largest;
}

/* Fetches the result and reports on it. */
static int check(product *p, size_t step, const char *more) {
  double error;
  to_host(p->c, p->c_device, (size_of_result(p) + margin) * sizeof *p->c);
  error = compare(p, step);
  printf("  matmul  %4d x %4d x %4d  %slargest error %.3f of what may be  %s\n", p->rows, p->columns,
         p->depth, more, error, error <= 1 ? "right" : "WRONG");
  return !(error <= 1);
}

static int test(int32_t rows, int32_t columns, int32_t depth) {
  product p = make_product(rows, columns, depth);
  int failed;
  multiply(&p);
  failed = check(&p, 1, "");
  free_product(&p);
  return failed;
}

/* ---- Figures ---- */

static int measure(int32_t size) {
  product p = make_product(size, size, size);
  double time = time_calls(multiply, &p);
  char text[64];
  int failed;
  snprintf(text, sizeof text, "%.1f us, %.4g TFLOP/s  ", time * 1e6,
           2e-12 * (double)size * (double)size * (double)size / time);
  failed = check(&p, size_of_result(&p) / 1000 | 1, text);
  free_product(&p);
  return failed;
}

int main(int argc, char **argv) {
  int bench = read_options(argc, argv), failed = 0;
  stream = device.driver ? nrd_cuda_stream(device.stream) : nrd_cpu_stream();
  /* The variant for sizes divisible by 16: whole tiles, parts of tiles, more than one group of rows. */
  failed += test(256, 512, 128);
  failed += test(16, 16, 16);
  failed += test(272, 528, 144);
  failed += test(1296, 304, 80);
  /* The other one. */
  failed += test(1, 1, 1);
  failed += test(129, 257, 65);
  failed += test(301, 77, 500);
  failed += test(577, 191, 33);
  /* Nothing to add up, and nothing at all. */
  failed += test(48, 80, 0);
  failed += test(0, 64, 64);
  if (bench) {
    failed += measure(device.driver ? 2048 : 512);
    failed += measure(device.driver ? 4096 : 1024);
    if (device.driver)
      failed += measure(8192);
  }
  printf(failed ? "triton_c: %d results are wrong\n" : "triton_c: all results are right\n", failed);
  return failed != 0;
}
