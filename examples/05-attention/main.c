/* Attention of several lengths, with and without causal mask, compared with that computed in double
 * precision. */
#include "attention_causal.h"
#include "attention_full.h"
#include "device.h"

#include <math.h>

static nrd_stream stream;

/* The same in every run. */
static uint32_t next_random(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return state;
}

/* Half precision, which not every C compiler has, is handled as its bits: a number of either sign from 1 to
 * 2. */
static nrd_f16 next_half(void) {
  nrd_f16 half;
  half.bits = (uint16_t)(0x3c00 | (next_random() >> 16 & 0x83ff));
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
static const nrd_f16 poison = {0x7dad};
enum { margin = 64, head_size = 64 };
static const float scale = 0.125f; /* 1 / sqrt(head_size) */

typedef struct {
  int causal;
  int32_t heads, length;
  nrd_f16 *in[3], *out;               /* the host's: queries, keys, values; result */
  nrd_f16 *in_device[3], *out_device; /* the device's, for the kernel */
} problem;

static size_t size_of_array(const problem *p) { return (size_t)p->heads * (size_t)p->length * head_size; }

static problem make_problem(int causal, int32_t heads, int32_t length) {
  problem p = {causal, heads, length, {NULL, NULL, NULL}, NULL, {NULL, NULL, NULL}, NULL};
  size_t count = size_of_array(&p), i;
  int array;
  for (array = 0; array < 3; ++array) {
    p.in[array] = malloc(count * sizeof *p.out + 1);
    if (!p.in[array])
      stop("malloc", "out of memory");
    for (i = 0; i < count; ++i)
      p.in[array][i] = next_half();
    p.in_device[array] = to_device(p.in[array], count * sizeof *p.out);
  }
  p.out = malloc((count + margin) * sizeof *p.out);
  if (!p.out)
    stop("malloc", "out of memory");
  for (i = 0; i < count + margin; ++i)
    p.out[i] = poison;
  p.out_device = to_device(p.out, (count + margin) * sizeof *p.out);
  return p;
}

static void free_problem(problem *p) {
  int array;
  for (array = 0; array < 3; ++array) {
    free_on_device(p->in_device[array]);
    free(p->in[array]);
  }
  free_on_device(p->out_device);
  free(p->out);
}

static void attend(void *pointer) {
  problem *p = pointer;
  const nrd_f16 *q = p->in_device[0], *k = p->in_device[1], *v = p->in_device[2];
  if (p->causal) {
    if (attention_causal_f16(stream, q, k, v, p->out_device, p->heads, p->length, scale) != NRD_OK)
      stop("attention_causal_f16", attention_causal_last_error());
  } else if (attention_full_f16(stream, q, k, v, p->out_device, p->heads, p->length, scale) != NRD_OK) {
    stop("attention_full_f16", attention_full_last_error());
  }
}

/* The largest error in one row of the result, as a part of what may be. The row is the mean of the values,
 * with weights that depend on the scores.
 *
 *  - Weights are rounded to halves before they are multiplied, and so is the result: 2^-11 of each, and of
 *    small numbers 2^-25.
 *  - All else is float32, where an operation may lose one unit in the last place, 2^-23. A score is a sum of
 *    head_size products and passes a few more operations; an error of the score is as large a relative one of
 *    its weight. Then come the sums of the weights and of the weighted values, of `length` terms each. */
static double compare_row(const problem *p, size_t row, double *weights) {
  size_t length = (size_t)p->length, first = row / length * length, seen, j;
  const nrd_f16 *q = p->in[0] + row * head_size, *k = p->in[1] + first * head_size,
                *v = p->in[2] + first * head_size;
  const double half_unit = ldexp(1, -11), float_unit = ldexp(1, -23), few = 8;
  double top = -INFINITY, sum = 0, largest_score = 0, largest = 0, of_weights;
  int i;
  seen = p->causal ? row - first + 1 : length;
  for (j = 0; j < seen; ++j) {
    double score = 0, size = 0;
    for (i = 0; i < head_size; ++i) {
      double term = (double)float_from_half(q[i]) * float_from_half(k[j * head_size + (size_t)i]) * scale;
      score += term;
      size += fabs(term);
    }
    weights[j] = score;
    top = fmax(top, score);
    largest_score = fmax(largest_score, size);
  }
  for (j = 0; j < seen; ++j) {
    weights[j] = exp(weights[j] - top);
    sum += weights[j];
  }
  of_weights =
      half_unit + float_unit * (2 * ((double)head_size + few) * largest_score + 2 * ((double)seen + few));
  for (i = 0; i < head_size; ++i) {
    double expected = 0, size = 0, largest_value = 0, limit, error;
    for (j = 0; j < seen; ++j) {
      double value = float_from_half(v[j * head_size + (size_t)i]);
      expected += weights[j] / sum * value;
      size += weights[j] / sum * fabs(value);
      largest_value = fmax(largest_value, fabs(value));
    }
    error = of_weights * size + (double)seen * largest_value * ldexp(1, -25) / sum;
    limit = error + (fabs(expected) + error) * half_unit + ldexp(1, -25);
    error = fabs(float_from_half(p->out[row * head_size + (size_t)i]) - expected) / limit;
    if (!(error <= largest)) /* also if it is not a number */
      largest = error;
  }
  return largest;
}

/* Fetches the result and reports on every `step`th row. */
static int check(problem *p, size_t step, const char *more) {
  size_t count = size_of_array(p), row, at;
  double *weights = malloc(((size_t)p->length + 1) * sizeof *weights), largest = 0;
  if (!weights)
    stop("malloc", "out of memory");
  to_host(p->out, p->out_device, (count + margin) * sizeof *p->out);
  for (row = 0; row < (size_t)p->heads * (size_t)p->length; row += step) {
    double error = compare_row(p, row, weights);
    if (!(error <= largest))
      largest = error;
  }
  for (at = count; at < count + margin; ++at)
    if (p->out[at].bits != poison.bits)
      largest = INFINITY;
  printf("  %-20s  %3d heads x %4d  %slargest error %.3f of what may be  %s\n",
         p->causal ? "attention_causal_f16" : "attention_full_f16", p->heads, p->length, more, largest,
         largest <= 1 ? "right" : "WRONG");
  free(weights);
  return !(largest <= 1);
}

static int test(int causal, int32_t heads, int32_t length) {
  problem p = make_problem(causal, heads, length);
  int failed;
  attend(&p);
  failed = check(&p, 1, "");
  free_problem(&p);
  return failed;
}

/* ---- Figures ---- */

static int measure(int causal, int32_t heads, int32_t length) {
  problem p = make_problem(causal, heads, length);
  double time = time_calls(attend, &p);
  /* Two products; of what the mask leaves, half. */
  double operations =
      4.0 * (double)heads * (double)length * (double)length * (double)head_size / (causal ? 2 : 1);
  char text[64];
  int failed;
  snprintf(text, sizeof text, "%.1f us, %.4g TFLOP/s  ", time * 1e6, 1e-12 * operations / time);
  failed = check(&p, (size_t)heads * (size_t)length / 50 | 1, text);
  free_problem(&p);
  return failed;
}

int main(int argc, char **argv) {
  static const int32_t lengths[] = {0, 1, 63, 128, 200, 333, 512};
  int bench = read_options(argc, argv), failed = 0, causal;
  size_t i;
  stream = device.driver ? nrd_cuda_stream(device.stream) : nrd_cpu_stream();
  for (causal = 0; causal < 2; ++causal) {
    for (i = 0; i < sizeof lengths / sizeof *lengths; ++i)
      failed += test(causal, 3, lengths[i]);
    if (bench)
      failed += measure(causal, device.driver ? 128 : 8, device.driver ? 4096 : 1024);
  }
  printf(failed ? "attention: %d results are wrong\n" : "attention: all results are right\n", failed);
  return failed != 0;
}
