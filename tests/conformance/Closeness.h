// Comparing what a kernel wrote with what it should have written.
//
// A tolerance is never a number that happened to work. It says which error the operation may make:
//
//     expectSame(got, want)                                     none
//     expectClose(got, want, ulps(kind, 2))                     2 units in the last place of the result's
//     type expectClose(got, want, roundings(kind, n, magnitudes))    n roundings of intermediate values that
//     large
//
// A sum of n products a b in float32, for instance, is off by no more than n roundings of the sum of |a b|,
// however small the sum itself is; stored as float16 it is rounded once more:
//
//     roundings(ScalarKind::FP32, n, sumOfMagnitudes) + ulps(ScalarKind::FP16, 0.5)
//
// Units in the last place are those of the wanted value, the subnormal numbers' below the normal ones. So a
// function that gives zero for a small result is found out.
#ifndef NEREID_TESTS_CONFORMANCE_CLOSENESS_H
#define NEREID_TESTS_CONFORMANCE_CLOSENESS_H

#include "tests/conformance/Numbers.h"

#include <functional>
#include <string>
#include <vector>

namespace nereid::test {

/// In a result, an element that the kernel did not write; in what is wanted, one that it must not write. It
/// is a NaN, but equal to no other.
extern const double untouched;
bool isUntouched(double value);

/// How far element `i` may be from the value that is wanted there.
struct Tolerance {
  std::function<double(size_t i, double want)> allowed;
};

/// `count` times the distance between neighbouring numbers of the type at the wanted value.
Tolerance ulps(ScalarKind kind, double count);
/// `count` roundings to nearest, in `kind`, of values as large as magnitudes[i].
Tolerance roundings(ScalarKind kind, double count, std::vector<double> magnitudes);
/// The same where all are as large as `magnitude`.
Tolerance roundings(ScalarKind kind, double count, double magnitude);
/// Errors that the test worked out beside the reference, one for each element.
Tolerance within(std::vector<double> errors);
Tolerance operator+(Tolerance a, Tolerance b);

/// The roundings of a sum of `n` values, in whatever order they are added: no more than n, and as their signs
/// are not related, hardly ever more than a small multiple of the square root of n.
double ofSum(size_t n);

/// The first element that differs, in words; empty where none does. Without a tolerance, elements must be
/// equal bit for bit. NaN must meet NaN, an infinity the same infinity, `untouched` itself.
std::string findDifference(const std::vector<double> &got, const std::vector<double> &want,
                           const Tolerance *tolerance = nullptr);

/// Fail the test that is running where findDifference finds one. Say nothing if it has failed already.
void expectSame(const std::vector<double> &got, const std::vector<double> &want);
void expectClose(const std::vector<double> &got, const std::vector<double> &want, const Tolerance &tolerance);

} // namespace nereid::test

#endif // NEREID_TESTS_CONFORMANCE_CLOSENESS_H
