// Layer norm of matrices of several sizes, compared with one computed in double precision.
#include "layer_norm_f16.h"
#include "layer_norm_f32.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

static const float eps = 1e-5f;

// Random numbers, the same in every run. Half precision, which not every C++ compiler has, is handled as its
// bits: here a number of either sign from 0.5 to 1.
static std::minstd_rand engine;
static void setRandom(float &value) { value = std::uniform_real_distribution<float>(-1, 1)(engine); }
static void setRandom(nrd_f16 &value) { value.bits = 0x3800 | (engine() >> 8 & 0x83ff); }

static float toFloat(float value) { return value; }
static float toFloat(nrd_f16 value) {
  int exponent = value.bits >> 10 & 31, fraction = value.bits & 1023;
  float size = exponent == 31  ? (fraction ? NAN : INFINITY)
               : exponent == 0 ? std::ldexp(float(fraction), -24)
                               : std::ldexp(float(fraction + 1024), exponent - 25);
  return value.bits & 0x8000 ? -size : size;
}

static void check(nrd_status status, const char *error) {
  if (status == NRD_OK)
    return;
  std::fprintf(stderr, "%s\n", error);
  std::exit(1);
}

// The two libraries' functions under one name, as C++ can.
static void layerNorm(const float *x, float *out, const float *scale, const float *shift, int rows,
                      int columns) {
  check(layer_norm_rows_f32(nrd_cpu_stream(), x, out, scale, shift, rows, columns, eps),
        layer_norm_f32_last_error());
}
static void layerNorm(const nrd_f16 *x, nrd_f16 *out, const nrd_f16 *scale, const nrd_f16 *shift, int rows,
                      int columns) {
  check(layer_norm_rows_f16(nrd_cpu_stream(), x, out, scale, shift, rows, columns, eps),
        layer_norm_f16_last_error());
}

template <typename Element> static std::vector<Element> makeNumbers(size_t count) {
  std::vector<Element> numbers(count);
  for (Element &number : numbers)
    setRandom(number);
  return numbers;
}

// Half a unit in the last place of a number, as a part of it, and of the smallest ones.
static double halfUnit(float) { return 0x1p-24; }
static double halfUnit(nrd_f16) { return 0x1p-11; }
static double smallestHalfUnit(float) { return 0x1p-150; }
static double smallestHalfUnit(nrd_f16) { return 0x1p-25; }

// The largest difference from the reference. Sums of floats may be off by some sixteen roundings of what they
// add up, and the result is rounded to its own type; what differs by more is wrong.
template <typename Element>
static double compare(const std::vector<Element> &x, const std::vector<Element> &out,
                      const std::vector<Element> &scale, const std::vector<Element> &shift, int rows,
                      int columns, int &wrong) {
  double largest = 0;
  for (int row = 0; row < rows; ++row) {
    const Element *line = x.data() + size_t(row) * columns;
    double mean = 0, magnitude = 0, variance = 0;
    for (int i = 0; i < columns; ++i) {
      mean += toFloat(line[i]);
      magnitude += std::fabs(toFloat(line[i]));
    }
    mean /= columns;
    magnitude /= columns;
    for (int i = 0; i < columns; ++i)
      variance += (toFloat(line[i]) - mean) * (toFloat(line[i]) - mean);
    variance /= columns;
    for (int i = 0; i < columns; ++i) {
      double factor = toFloat(scale[i]) / std::sqrt(variance + eps);
      double expected = (toFloat(line[i]) - mean) * factor + toFloat(shift[i]);
      double terms =
          (std::fabs(toFloat(line[i])) + magnitude) * std::fabs(factor) + std::fabs(toFloat(shift[i]));
      double error = std::fabs(toFloat(out[size_t(row) * columns + i]) - expected);
      wrong += !(error <= terms * 0x1p-20 + std::fmax(std::fabs(expected) * halfUnit(Element()),
                                                      smallestHalfUnit(Element())));
      if (!(error <= largest)) // also if it is not a number
        largest = error;
    }
  }
  return largest;
}

template <typename Element> static int test(const char *name, int rows, int columns) {
  auto x = makeNumbers<Element>(size_t(rows) * columns), out = x;
  auto scale = makeNumbers<Element>(columns), shift = makeNumbers<Element>(columns);
  layerNorm(x.data(), out.data(), scale.data(), shift.data(), rows, columns);
  int wrong = 0;
  double error = compare(x, out, scale, shift, rows, columns, wrong);
  std::printf("  %s  %5d x %5d  largest error %.1e  %s\n", name, rows, columns, error,
              wrong ? "WRONG" : "right");
  return wrong != 0;
}

int main() {
  int failed = 0;
  const int sizes[][2] = {{0, 64}, {1, 1}, {3, 1000}, {64, 1024}, {17, 5000}, {8, 8192}};
  for (auto [rows, columns] : sizes) {
    failed += test<float>("layer_norm_rows_f32", rows, columns);
    failed += test<nrd_f16>("layer_norm_rows_f16", rows, columns);
  }
  if (failed)
    std::printf("layer norm: %d results are wrong\n", failed);
  else
    std::printf("layer norm: all results are right\n");
  return failed != 0;
}
