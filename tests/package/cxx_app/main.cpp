// A C++ program with two libraries of one kernel, for floats and for doubles.
#include "scale_fp32.h"
#include "scale_fp64.h"

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(1000, 3);
  std::vector<double> y(1000, 5);
  if (scale_array_fp32(nrd_cpu_stream(), x.data(), 2, int32_t(x.size())) != NRD_OK ||
      scale_array_fp64(nrd_cpu_stream(), y.data(), 2, int32_t(y.size())) != NRD_OK)
    return 1;
  for (size_t i = 0; i != x.size(); ++i)
    if (x[i] != 6 || y[i] != 10)
      return 2;
  std::puts("right");
  return 0;
}
