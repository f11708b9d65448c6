// Kernels as they ship: through `nereid build` into a library, and out of it through the functions in its
// header.
//
// It takes three steps, which CMakeLists.txt makes three tests of CTest for each test program:
//
//  1. With NEREID_KEEP_KERNELS=FILE, the program runs as usual, and each kernel that runs is noted in FILE:
//  one
//     line of JSON with its source, signature, grid and the C function that it is to become.
//  2. link_kernels.py makes manifests of them, has `nereid build` compile and link those, and compiles a C
//  file
//     that includes the libraries' headers and calls each function with arguments from an array.
//  3. With NEREID_SHIPPED=FOLDER, the program takes every kernel from there: nothing is compiled, and what
//  the
//     tests check went through the dispatch, the loader and the threads of the library.
#ifndef NEREID_TESTS_CONFORMANCE_SHIPPEDKERNELS_H
#define NEREID_TESTS_CONFORMANCE_SHIPPEDKERNELS_H

#include "compiler/model/KernelInfo.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nereid::test {

/// What makes a kernel of a library: the words of a manifest.
struct ShippedCase {
  std::string source, kernel, signature, grid, target;
  std::vector<std::string> definitions;
};

struct ShippedKernel {
  /// Those of the C function. Of each only the name, the type, whether it is a pointer and whether of what is
  /// const are known.
  std::vector<KernelParameter> parameters;
  /// Calls the function; arguments are pointers to the values. Returns the library's words on what went
  /// wrong.
  std::function<std::string(const std::vector<void *> &)> launch;
};

/// Whether NEREID_SHIPPED is set.
bool isRunningShipped();
/// The function made from this case; nothing where there is none or NEREID_SHIPPED is not set.
std::optional<ShippedKernel> findShippedKernel(const ShippedCase &which);

/// Notes the case if NEREID_KEEP_KERNELS says where. `parameters` are those of the C function.
void keepForShipping(const ShippedCase &which, const std::vector<KernelParameter> &parameters);

} // namespace nereid::test

#endif // NEREID_TESTS_CONFORMANCE_SHIPPEDKERNELS_H
