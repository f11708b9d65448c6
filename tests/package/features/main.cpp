// Calls what the libraries of CMakeLists.txt have, and checks the results.
#include "annotated.hpp"
#include "made.hpp"
#include "numbers.hpp"

int main() {
  float x[100] = {}, y[100] = {}, out[100] = {};
  double z[100] = {};
  int32_t whole[100] = {};
  x[99] = 4;
  y[99] = 5;
  z[99] = 6;
  const auto here = nrd::stream::cpu();
  nereid::numbers::add_kernel(here, x, y, out, 100);
  nereid::numbers::scale(here, x, 2.0f, 100);
  nereid::made::grow(here, z, 2.0f, 100);
  nereid::annotated::triple(here, y, 100);
  nereid::numbers::sum_i32(here, whole, whole, whole, 100);
  return whole[99] == 2 && out[99] == 9 + MORE && x[99] == 8 && z[99] == 12 && y[99] == 15 ? 0 : 1;
}
