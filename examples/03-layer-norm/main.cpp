// Layer norm of matrices of several sizes, compared with one computed in double precision.
#include "example.h"
#include "layer_norm_f16.h"
#include "layer_norm_f32.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static nrd_stream stream;
static const float eps = 1e-5f;

static nrd_f16 makeElement(float value, nrd_f16) { return {half_from_float(value)}; }
static float makeElement(float value, float) { return value; }
static float toFloat(nrd_f16 value) { return float_from_half(value.bits); }
static float toFloat(float value) { return value; }

// The two libraries' functions under one name, as C++ can.
static void layerNorm(const float *x, float *out, const float *scale, const float *shift, int rows,
                      int columns) {
  if (layer_norm_rows_f32(stream, x, out, scale, shift, rows, columns, eps) != NRD_OK)
    stop("layer_norm_rows_f32", layer_norm_f32_last_error());
}
static void layerNorm(const nrd_f16 *x, nrd_f16 *out, const nrd_f16 *scale, const nrd_f16 *shift, int rows,
                      int columns) {
  if (layer_norm_rows_f16(stream, x, out, scale, shift, rows, columns, eps) != NRD_OK)
    stop("layer_norm_rows_f16", layer_norm_f16_last_error());
}

template <typename Element>
static std::vector<Element> makeNumbers(size_t count, float factor, float offset) {
  std::vector<Element> numbers(count);
  for (Element &number : numbers)
    number = makeElement(factor * next_number() + offset, Element());
  return numbers;
}

// The largest difference from the reference.
template <typename Element>
static double compare(const std::vector<Element> &x, const std::vector<Element> &out,
                      const std::vector<Element> &scale, const std::vector<Element> &shift, int rows,
                      int columns) {
  double largest = 0;
  for (int row = 0; row < rows; ++row) {
    const Element *line = x.data() + size_t(row) * columns;
    double mean = 0, variance = 0;
    for (int i = 0; i < columns; ++i)
      mean += toFloat(line[i]);
    mean /= columns;
    for (int i = 0; i < columns; ++i)
      variance += (toFloat(line[i]) - mean) * (toFloat(line[i]) - mean);
    variance /= columns;
    for (int i = 0; i < columns; ++i) {
      double expected =
          (toFloat(line[i]) - mean) / std::sqrt(variance + eps) * toFloat(scale[i]) + toFloat(shift[i]);
      double error = std::fabs(toFloat(out[size_t(row) * columns + i]) - expected);
      if (!(error <= largest)) // also if it is not a number
        largest = error;
    }
  }
  return largest;
}

template <typename Element> static int test(const char *name, int rows, int columns, double limit) {
  auto x = makeNumbers<Element>(size_t(rows) * columns, 3, 1), out = x;
  auto scale = makeNumbers<Element>(columns, 1, 1), shift = makeNumbers<Element>(columns, 1, 0);
  auto upload = [](const std::vector<Element> &numbers) {
    return static_cast<Element *>(to_device(numbers.data(), numbers.size() * sizeof(Element)));
  };
  Element *onDevice[] = {upload(x), upload(out), upload(scale), upload(shift)};
  layerNorm(onDevice[0], onDevice[1], onDevice[2], onDevice[3], rows, columns);
  to_host(out.data(), onDevice[1], out.size() * sizeof(Element));
  for (Element *memory : onDevice)
    free_on_device(memory);
  double error = compare(x, out, scale, shift, rows, columns);
  std::printf("  %s  %5d x %5d  largest error %.1e  %s\n", name, rows, columns, error,
              error <= limit ? "right" : "WRONG");
  return !(error <= limit);
}

// ---- Figures ----

template <typename Element> struct Arguments {
  Element *x, *out, *scale, *shift;
  int rows, columns;
  static void call(void *pointer) {
    auto *a = static_cast<Arguments *>(pointer);
    layerNorm(a->x, a->out, a->scale, a->shift, a->rows, a->columns);
  }
};

template <typename Element> static void measure(const char *name) {
  int rows = device.is_cuda ? 4096 : 512, columns = 8192;
  size_t bytes = size_t(rows) * columns * sizeof(Element);
  auto allocate = [](size_t size) { return static_cast<Element *>(to_device(nullptr, size)); };
  Arguments<Element> a = {allocate(bytes),
                          allocate(bytes),
                          allocate(columns * sizeof(Element)),
                          allocate(columns * sizeof(Element)),
                          rows,
                          columns};
  double time = time_calls(Arguments<Element>::call, &a);
  std::printf("  %s  %d x %d: %.1f us, %.0f GB/s\n", name, rows, columns, time * 1e6,
              2e-9 * double(bytes) / time);
}

int main(int argc, char **argv) {
  bool bench = read_options(argc, argv);
  stream = device.is_cuda ? nrd_cuda_stream(device.stream) : nrd_cpu_stream();
  int failed = 0;
  const int sizes[][2] = {{0, 64}, {1, 1}, {3, 1000}, {64, 1024}, {17, 5000}, {8, 8192}};
  for (auto [rows, columns] : sizes) {
    failed += test<float>("layer_norm_rows_f32", rows, columns, 1e-4);
    failed += test<nrd_f16>("layer_norm_rows_f16", rows, columns, 1e-2);
  }
  if (bench) {
    measure<float>("layer_norm_rows_f32");
    measure<nrd_f16>("layer_norm_rows_f16");
  }
  if (failed)
    std::printf("layer norm: %d results are wrong\n", failed);
  else
    std::printf("layer norm: all results are right\n");
  return failed != 0;
}
