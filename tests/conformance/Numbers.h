// Numbers of the signatures' element types, as doubles and as bits, and the values that tests feed to
// kernels.
#ifndef NEREID_TESTS_CONFORMANCE_NUMBERS_H
#define NEREID_TESTS_CONFORMANCE_NUMBERS_H

#include "compiler/model/Specialization.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::test {

/// The bits of a value in an element type, rounded to nearest even, and the value of bits.
uint64_t encode(ScalarKind kind, double value);
double decode(ScalarKind kind, uint64_t bits);
/// `value` as the element type holds it.
double roundTo(ScalarKind kind, double value);
/// The distance from |value| to the next larger number of a floating-point type; that of the subnormal
/// numbers where the value is as small as these.
double spacing(ScalarKind kind, double value);
/// The kind of `fp32`, `i8`, ….
ScalarKind kindOf(const std::string &name);

/// 0, 1, 2, …
std::vector<double> counting(size_t count, double start = 0, double step = 1);
/// Values in [-1, 1) that look random and are the same in every run.
std::vector<double> randomValues(size_t count, unsigned seed, ScalarKind kind = ScalarKind::FP32);

} // namespace nereid::test

#endif // NEREID_TESTS_CONFORMANCE_NUMBERS_H
