// Results are compared as doubles, which hold every value of the other types.
#include "tests/conformance/Closeness.h"

#include "llvm/ADT/bit.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace nereid::test {

const double untouched = llvm::bit_cast<double>(0x7FF8C0FFEE0DDBA1ull);

bool isUntouched(double value) {
  return llvm::bit_cast<uint64_t>(value) == llvm::bit_cast<uint64_t>(untouched);
}

Tolerance ulps(ScalarKind kind, double count) {
  return {[=](size_t, double want) { return count * spacing(kind, want); }};
}

Tolerance roundings(ScalarKind kind, double count, std::vector<double> magnitudes) {
  return {[=](size_t i, double) { return count * 0.5 * spacing(kind, magnitudes.at(i)); }};
}

Tolerance roundings(ScalarKind kind, double count, double magnitude) {
  return {[=](size_t, double) { return count * 0.5 * spacing(kind, magnitude); }};
}

Tolerance within(std::vector<double> errors) {
  return {[=](size_t i, double) { return errors.at(i); }};
}

Tolerance operator+(Tolerance a, Tolerance b) {
  return {[=](size_t i, double want) { return a.allowed(i, want) + b.allowed(i, want); }};
}

double ofSum(size_t n) { return std::min(double(n), 2 * std::sqrt(double(n))); }

static bool isSame(double got, double want) {
  if (isUntouched(got) || isUntouched(want))
    return isUntouched(got) && isUntouched(want);
  if (std::isnan(got) || std::isnan(want))
    return std::isnan(got) && std::isnan(want);
  return got == want && std::signbit(got) == std::signbit(want);
}

static bool isClose(double got, double want, double allowed) {
  // An infinity is close to itself alone.
  return isSame(got, want) || (std::isfinite(got) && std::isfinite(want) && std::fabs(got - want) <= allowed);
}

static std::string show(double value) {
  if (isUntouched(value))
    return "untouched";
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

std::string findDifference(const std::vector<double> &got, const std::vector<double> &want,
                           const Tolerance *tolerance) {
  if (got.size() != want.size())
    return "there are " + std::to_string(got.size()) + " elements, not " + std::to_string(want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    double allowed = tolerance ? tolerance->allowed(i, want[i]) : 0;
    if (tolerance ? isClose(got[i], want[i], allowed) : isSame(got[i], want[i]))
      continue;
    std::string text = "element " + std::to_string(i) + " is " + show(got[i]) + ", not " + show(want[i]);
    if (tolerance)
      text += ": off by " + show(std::fabs(got[i] - want[i])) + ", where " + show(allowed) + " is allowed";
    return text;
  }
  return "";
}

void expectSame(const std::vector<double> &got, const std::vector<double> &want) {
  if (testing::Test::HasFailure())
    return;
  std::string difference = findDifference(got, want);
  EXPECT_TRUE(difference.empty()) << difference;
}

void expectClose(const std::vector<double> &got, const std::vector<double> &want,
                 const Tolerance &tolerance) {
  if (testing::Test::HasFailure())
    return;
  std::string difference = findDifference(got, want, &tolerance);
  EXPECT_TRUE(difference.empty()) << difference;
}

} // namespace nereid::test
