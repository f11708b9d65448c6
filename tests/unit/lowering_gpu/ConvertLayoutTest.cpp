// Every kind of layout conversion, run on the host: each element must arrive where the new layout says it is.
#include "EmulatedBlock.h"
#include "KernelText.h"

#include <gtest/gtest.h>

using namespace nereid::gpu;

namespace {

struct Conversion {
  const char *from, *to;
  unsigned rows, columns;
  /// Whether threads may meet at a barrier for it.
  bool needsBarrier;
};

class ConvertLayout : public testing::TestWithParam<std::tuple<Conversion, const char *>> {};

#define BLOCKED(size, threads, warps, order)                                                                 \
  "#ttg.blocked<{sizePerThread = [" size "], threadsPerWarp = [" threads "], warpsPerCTA = [" warps          \
  "], order = [" order "]}>"

} // namespace

TEST_P(ConvertLayout, MovesEveryElement) {
  auto [conversion, type] = GetParam();
  // Element number, cut to the type, in layout #a; stored from layout #c where the number says.
  std::string narrow = "    %v = arith.trunci %aflat : tensor<$Mx$Nxi32, #a> to tensor<$Mx$Nx$T, #a>\n";
  if (std::string(type) == "i32")
    narrow = "    %v = arith.muli %aflat, %aone : tensor<$Mx$Nxi32, #a>\n";
  if (std::string(type) == "i64")
    narrow = "    %v = arith.extui %aflat : tensor<$Mx$Nxi32, #a> to tensor<$Mx$Nxi64, #a>\n";
  std::string store = R"(
    %os = tt.splat %out : !tt.ptr<$T> -> tensor<$Mx$Nx!tt.ptr<$T>, #c>
    %op = tt.addptr %os, %cflat : tensor<$Mx$Nx!tt.ptr<$T>, #c>, tensor<$Mx$Nxi32, #c>
    tt.store %op, %w : tensor<$Mx$Nx!tt.ptr<$T>, #c>)";
  std::string body =
      flatIndex("a", "#a", conversion.rows, conversion.columns) +
      flatIndex("c", "#c", conversion.rows, conversion.columns) +
      substitute(
          "\n    %aone = arith.constant dense<1> : tensor<$Mx$Nxi32, #a>\n" + narrow +
              "    %w = ttg.convert_layout %v {allocation.offset = 16 : i32} : "
              "tensor<$Mx$Nx$T, #a> -> tensor<$Mx$Nx$T, #c>" +
              store,
          {{"M", std::to_string(conversion.rows)}, {"N", std::to_string(conversion.columns)}, {"T", type}});
  std::string ir = kernelModule("#a = " + std::string(conversion.from) + "\n#c = " + conversion.to,
                                "%out: !tt.ptr<" + std::string(type) + ">", body, 4, 131072);
  unsigned count = conversion.rows * conversion.columns;
  unsigned bytes = std::string(type) == "i1" ? 1 : std::stoul(type + 1) / 8;
  std::vector<uint8_t> out(count * bytes, 0xEE);
  uint8_t *pointer = out.data();
  RunStatistics statistics;
  ASSERT_EQ(runOnHost(ir, {&pointer}, {}, &statistics), "");
  EXPECT_EQ(statistics.barriers, conversion.needsBarrier ? 1u : 0u);
  for (unsigned i = 0; i < count; ++i) {
    uint64_t value = 0;
    memcpy(&value, &out[i * bytes], bytes);
    uint64_t expected = std::string(type) == "i1" ? i & 1 : bytes == 8 ? i : i & ((1ull << (8 * bytes)) - 1);
    ASSERT_EQ(value, expected) << "element " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, ConvertLayout,
    testing::Combine(testing::Values(
                         // Other register numbers: a layout's registers run along its order.
                         Conversion{BLOCKED("2, 4", "32, 1", "4, 1", "1, 0"),
                                    BLOCKED("2, 4", "32, 1", "4, 1", "0, 1"), 256, 8, false},
                         // Other lanes of the same warp.
                         Conversion{BLOCKED("2, 4", "4, 8", "4, 1", "1, 0"),
                                    BLOCKED("2, 4", "4, 8", "4, 1", "0, 1"), 32, 64, false},
                         // A transposition through shared memory.
                         Conversion{BLOCKED("1, 4", "2, 16", "4, 1", "1, 0"),
                                    BLOCKED("4, 1", "16, 2", "1, 4", "0, 1"), 64, 64, true},
                         Conversion{BLOCKED("1, 1", "1, 32", "4, 1", "1, 0"),
                                    BLOCKED("1, 1", "32, 1", "1, 4", "0, 1"), 32, 32, true},
                         // Within warps: the rows of a warp stay in it.
                         Conversion{BLOCKED("1, 4", "4, 8", "4, 1", "1, 0"),
                                    BLOCKED("4, 1", "1, 32", "4, 1", "1, 0"), 16, 32, false},
                         Conversion{BLOCKED("1, 8", "8, 4", "4, 1", "1, 0"),
                                    BLOCKED("8, 1", "1, 32", "4, 1", "1, 0"), 32, 32, false},
                         // From layouts with copies, and to them.
                         Conversion{BLOCKED("1, 4", "8, 4", "2, 2", "1, 0"),
                                    BLOCKED("1, 1", "2, 16", "4, 1", "1, 0"), 8, 16, true},
                         Conversion{BLOCKED("1, 1", "2, 16", "4, 1", "1, 0"),
                                    BLOCKED("1, 4", "8, 4", "2, 2", "1, 0"), 8, 16, true}),
                     testing::Values("i1", "i8", "i16", "i32", "i64")));
