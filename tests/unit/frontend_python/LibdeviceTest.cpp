// What calls of libdevice become on each kind of target.
#include "tests/unit/frontend_python/EmitSource.h"

#include "gtest/gtest.h"

using namespace nereid::test;

namespace {

std::string source(const std::string &call) {
  return "from triton.language.extra import libdevice\n"
         "@triton.jit\n"
         "def f(p, q, n):\n"
         "    a = tl.load(p + tl.arange(0, 16))\n"
         "    k = tl.load(q + tl.arange(0, 16))\n"
         "    tl.device_print('v', " +
         call + ")\n";
}

struct LibdeviceCase {
  const char *name;
  const char *call;
  const char *cuda;
  const char *cpu;
};
void PrintTo(const LibdeviceCase &value, std::ostream *os) { *os << value.name; }

class Libdevice : public testing::TestWithParam<LibdeviceCase> {};

TEST_P(Libdevice, IsEmitted) {
  for (auto [target, wanted] : {std::pair{"cuda:90a", GetParam().cuda}, {"cpu:x86-64-v3", GetParam().cpu}}) {
    Emission emission = emitSource(source(GetParam().call), "*fp32, *i32, i32", {}, target);
    EXPECT_EQ(emission.messages, "");
    EXPECT_NE(emission.ir.find(wanted), std::string::npos) << target << "\n" << emission.ir;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, Libdevice,
    testing::Values(LibdeviceCase{"FloatFunction", "libdevice.tanh(a)", "\"__nv_tanhf\"", "math.tanh"},
                    LibdeviceCase{"Double", "libdevice.tanh(a.to(tl.float64))", "\"__nv_tanh\"", "math.tanh"},
                    LibdeviceCase{"ScalarOperand", "libdevice.pow(a, 2.0)", "\"__nv_powf\"", "math.powf"},
                    LibdeviceCase{"IntegerPower", "libdevice.pow(a, k)", "\"__nv_powif\"", "arith.sitofp"},
                    LibdeviceCase{"RoundedDown", "libdevice.add_rd(a, a)", "\"__nv_fadd_rd\"", "arith.addf"},
                    LibdeviceCase{"RoundedDoubleToFloat", "libdevice.double2float_rz(a.to(tl.float64))",
                                  "\"__nv_double2float_rz\"", "arith.select"},
                    LibdeviceCase{"DivisionOfDoubles", "libdevice.div_rn(a.to(tl.float64), a.to(tl.float64))",
                                  "\"__nv_ddiv_rn\"", "arith.divf"},
                    LibdeviceCase{"Unsigned", "libdevice.mulhi(k.to(tl.uint32), k.to(tl.uint32))",
                                  "\"__nv_umulhi\"", "arith.muli"},
                    LibdeviceCase{"QuestionIsAnsweredWithInteger", "libdevice.isnan(a)",
                                  "\"__nv_isnanf\"} : (tensor<16xf32>) -> tensor<16xi32>", "arith.extui"},
                    LibdeviceCase{"QuestionGivesTruthValue", "libdevice.isnan(a)", "arith.cmpi ne",
                                  "arith.cmpi ne"},
                    LibdeviceCase{"CountGivesInt32", "libdevice.popc(k.to(tl.int64))",
                                  "\"__nv_popcll\"} : (tensor<16xi64>) -> tensor<16xi32>", "math.ctpop"},
                    LibdeviceCase{"ByTheWholePath", "tl.extra.cuda.libdevice.float_as_int(a)",
                                  "\"__nv_float_as_int\"", "tt.bitcast"},
                    LibdeviceCase{"OnlyByName", "libdevice.j0(a)", "\"__nv_j0f\"", "\"__nv_j0f\""}),
    [](const testing::TestParamInfo<LibdeviceCase> &info) { return info.param.name; });

TEST(LibdeviceOnAMD, UsesAMDsNames) {
  Emission emission = emitSource(source("libdevice.normcdfinv(a)"), "*fp32, *i32, i32", {}, "hip:gfx942");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("\"__ocml_ncdfinv_f32\""), std::string::npos) << emission.ir;
}

TEST(LibdeviceErrors, NameWhatAFunctionTakes) {
  EXPECT_EQ(
      emitSource(source("libdevice.pow(a.to(tl.float16), a)"), "*fp32, *i32, i32").messages,
      "9:26: error: libdevice.pow takes (fp32, int32) or (fp64, int32) or (fp32, fp32) or (fp64, fp64), "
      "not (fp16, fp32)\n");
  EXPECT_EQ(emitSource(source("libdevice.nextafter(a)"), "*fp32, *i32, i32").messages,
            "9:26: error: libdevice.nextafter() is missing the argument 'arg1'\n");
}

} // namespace
