/* The same work in C as one would write it first: loops in the order that reads memory in sequence, and
 * OpenMP over the outermost. Compiled by compare.py with -O3 -march=native -fopenmp. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void c_add(const float *restrict x, const float *restrict y, float *restrict out, int64_t n) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; ++i)
    out[i] = x[i] + y[i];
}

void c_softmax(const float *restrict in, float *restrict out, int64_t rows, int64_t cols) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; ++r) {
    const float *x = in + r * cols;
    float *y = out + r * cols, largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < cols; ++i)
      largest = x[i] > largest ? x[i] : largest;
    for (int64_t i = 0; i < cols; ++i)
      sum += y[i] = expf(x[i] - largest);
    for (int64_t i = 0; i < cols; ++i)
      y[i] /= sum;
  }
}

void c_layer_norm(const float *restrict in, float *restrict out, const float *restrict w,
                  const float *restrict b, int64_t rows, int64_t cols, float eps) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; ++r) {
    const float *x = in + r * cols;
    float *y = out + r * cols, mean = 0, variance = 0;
    for (int64_t i = 0; i < cols; ++i)
      mean += x[i];
    mean /= (float)cols;
    for (int64_t i = 0; i < cols; ++i)
      variance += (x[i] - mean) * (x[i] - mean);
    float scale = 1 / sqrtf(variance / (float)cols + eps);
    for (int64_t i = 0; i < cols; ++i)
      y[i] = (x[i] - mean) * scale * w[i] + b[i];
  }
}

void c_matmul(const float *restrict a, const float *restrict b, float *restrict c, int64_t n) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; ++i) {
    memset(c + i * n, 0, (size_t)n * sizeof(float));
    for (int64_t k = 0; k < n; ++k)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

void c_matmul_half(const _Float16 *restrict a, const _Float16 *restrict b, _Float16 *restrict c, int64_t n) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; ++i) {
    float row[4096] = {0};
    for (int64_t k = 0; k < n; ++k)
      for (int64_t j = 0; j < n; ++j)
        row[j] += (float)a[i * n + k] * (float)b[k * n + j];
    for (int64_t j = 0; j < n; ++j)
      c[i * n + j] = (_Float16)row[j];
  }
}

void c_attention(const float *restrict q, const float *restrict k, const float *restrict v,
                 float *restrict out, int64_t heads, int64_t n, int64_t d, float scale) {
#pragma omp parallel for schedule(static)
  for (int64_t at = 0; at < heads * n; ++at) {
    int64_t base = at / n * n * d;
    float scores[4096], largest = -INFINITY, sum = 0, *o = out + at * d;
    for (int64_t j = 0; j < n; ++j) {
      float score = 0;
      for (int64_t e = 0; e < d; ++e)
        score += q[at * d + e] * k[base + j * d + e];
      scores[j] = score * scale;
      largest = scores[j] > largest ? scores[j] : largest;
    }
    memset(o, 0, (size_t)d * sizeof(float));
    for (int64_t j = 0; j < n; ++j) {
      float p = expf(scores[j] - largest);
      sum += p;
      for (int64_t e = 0; e < d; ++e)
        o[e] += p * v[base + j * d + e];
    }
    for (int64_t e = 0; e < d; ++e)
      o[e] /= sum;
  }
}
