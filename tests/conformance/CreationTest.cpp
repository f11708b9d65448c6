// kernels/creation.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

TEST(ProgrammingModel, ProgramIdsOfThreeAxes) {
  covers("tl.program_id tl.num_programs");
  std::vector<double> want;
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x)
        want.push_back(x + 10 * y + 100 * z + 5000 + 30000 + 200000);
  expectSame(compute("creation.py", "program_ids", "*i32", {}, 30, "5, 3, 2"), want);
}

class Arange : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Arange, Counts) {
  covers("tl.arange");
  auto [start, end] = GetParam();
  expectSame(compute("creation.py", "arange", "*i32, " + std::to_string(start) + ", " + std::to_string(end),
                     {}, static_cast<size_t>(end - start)),
             counting(static_cast<size_t>(end - start), start));
}

INSTANTIATE_TEST_SUITE_P(Creation, Arange,
                         testing::Values(std::pair{0, 1}, std::pair{0, 2}, std::pair{0, 128},
                                         std::pair{5, 13}, std::pair{1000, 3048}),
                         [](const auto &info) {
                           return std::to_string(info.param.first) + "_to_" +
                                  std::to_string(info.param.second);
                         });

struct FullCase {
  const char *type, *value;
  double want;
};

class Full : public testing::TestWithParam<FullCase> {};

TEST_P(Full, HoldsTheValue) {
  covers("tl.full");
  auto [type, value, want] = GetParam();
  expectSame(compute("creation.py", "full", std::string("*") + type + ", " + value + ", 16", {}, 16),
             std::vector<double>(16, want));
}

INSTANTIATE_TEST_SUITE_P(Creation, Full,
                         testing::Values(FullCase{"i8", "-128", -128}, FullCase{"i16", "32767", 32767},
                                         FullCase{"i32", "-2147483648", -2147483648.0},
                                         FullCase{"i64", "1099511627776", 1099511627776.0},
                                         FullCase{"u8", "255", 255}, FullCase{"u16", "65535", 65535},
                                         FullCase{"u32", "4294967295", 4294967295.0},
                                         FullCase{"u64", "9007199254740992", 9007199254740992.0},
                                         FullCase{"fp16", "1.5", 1.5}, FullCase{"bf16", "-2.0", -2},
                                         FullCase{"fp32", "3", 3}, FullCase{"fp64", "0.1", 0.1}),
                         [](const auto &info) { return std::string(info.param.type); });

TEST(Creation, FullOfAnArgument) {
  covers("tl.full");
  KernelRun run("creation.py", "full_of_argument", "*fp32, fp32, 8", "1");
  run.output("out_ptr", 8).scalar("value", 2.5);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), std::vector<double>(8, 2.5));
}

class Zeros : public testing::TestWithParam<const char *> {};

TEST_P(Zeros, AreZero) {
  covers("tl.zeros tl.zeros_like");
  KernelRun run("creation.py", "zeros", std::string("*fp32, \"") + GetParam() + "\", 8", "1");
  run.output("out_ptr", 8);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), std::vector<double>(8));
}

INSTANTIATE_TEST_SUITE_P(Creation, Zeros, testing::Values("tuple", "list", "like", "add", "full"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Creation, BlocksOfOneElement) {
  covers("tl.full tl.zeros");
  expectSame(compute("creation.py", "scalar_blocks", "*i32", {}, 3), {5, 7, 3});
}

TEST(Creation, Attributes) {
  covers("tensor.dtype tensor.shape tensor.type tensor.numel dtype.is_floating dtype.primitive_bitwidth");
  expectSame(compute("creation.py", "attributes", "*i32, 4, 8", {}, 5), {4, 8, 32, 16, 2});
}

} // namespace
