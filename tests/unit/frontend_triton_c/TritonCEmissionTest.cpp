// The IR of the language's constructs, after the passes on tt: what each sentence of its page becomes.
#include "tests/unit/frontend_triton_c/EmitTritonC.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

TEST(TritonCEmission, RangesAndBlocks) {
  std::string ir = bodyOf("int *p", "int range[16] = 0 ... 16;\nint block[16, 16] = range[:, newaxis];\n"
                                    "*(p + range) = block[+, :];");
  expectParts(ir,
              {"tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>",
               "tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>", "tt.broadcast",
               "\"tt.reduce\"", "axis = 0 : i32", "arith.addi", "tt.reduce.return", "tt.store"});
}

TEST(TritonCEmission, ValuesAreNamedAfterVariables) {
  expectParts(
      bodyOf("int *p", "int pid = get_program_id(1);\nint next = pid + 1;\n*p = next;"),
      {"%pid = tt.get_program_id y : i32", "%next = arith.addi %pid, %c1_i32 : i32", "tt.store %p, %next"});
}

TEST(TritonCEmission, AMaskedLoadSaysWhatItsMaskedOffElementsAre) {
  std::string start = "int r[16] = 0 ... 16; bool m[16] = r < n; float x[16] = ";
  std::string end = "; *?(m)(out + r) = x;";
  // One load, whose other value is of its type.
  std::string ir = bodyOf("half *p, float *out, int n", start + "m ? *(p + r) : -1" + end);
  expectParts(ir, {"arith.constant dense<-1.000000e+00> : tensor<16xf16>", "tt.load", ", %m_0, %x : tensor",
                   "arith.extf"});
  EXPECT_EQ(countOf(ir, "arith.select"), 0u);
  EXPECT_EQ(countOf(ir, "scf.if"), 0u);
  // A float that no half holds is chosen behind the load.
  ir = bodyOf("half *p, float *out, int n", start + "m ? *(p + r) : 0.1f" + end);
  expectParts(ir, {"tt.load", ", %m_0 : tensor", "arith.extf", "arith.select %m_0"});
  // The other arm.
  ir = bodyOf("float *p, float *out, int n", start + "m ? 0 : *(p + r)" + end);
  expectParts(ir, {"tt.load"});
  EXPECT_EQ(countOf(ir, "arith.select"), 0u);
  // Both arms.
  ir = bodyOf("float *p, float *out, int n", start + "m ? *(p + r) : *(out + r)" + end);
  EXPECT_EQ(countOf(ir, "tt.load"), 2u);
  EXPECT_EQ(countOf(ir, "arith.select"), 0u);
  // *? alone.
  ir = bodyOf("float *p, float *out, int n", start + "*?(m)(p + r)" + end);
  expectParts(
      ir, {"tt.load", ", %m_0 : tensor<16x!tt.ptr<f32>>", "tt.store", ", %m_0 : tensor<16x!tt.ptr<f32>>"});
}

TEST(TritonCEmission, AScalarConditionIsABranchWhereAnArmDoesSomething) {
  EXPECT_EQ(countOf(bodyOf("int *p, int n", "*p = n > 0 ? n + 1 : n * 2;"), "arith.select"), 1u);
  EXPECT_EQ(countOf(bodyOf("int *p, int n", "*p = n > 0 ? *(p + n) : 0;"), "scf.if"), 1u);
  EXPECT_EQ(countOf(bodyOf("int *p, int n", "*p = n > 0 && n < 7;"), "scf.if"), 0u);
  EXPECT_EQ(countOf(bodyOf("int *p, int n", "*p = n > 0 && *(p + n) < 7;"), "scf.if"), 1u);
}

TEST(TritonCEmission, LoopsThatCountAreForLoops) {
  auto loop = [](const std::string &text) {
    return bodyOf("int *p, int n, int m, long l, uint32 u", "int s = 0;\n" + text + "\n*p = s;");
  };
  expectParts(loop("for (int i = 0; i < n; i++) s += i * i;"), {"scf.for %i = %c0_i32 to %n step %c1_i32"});
  expectParts(loop("for (int i = n; i > m; i -= 4) s += i * i;"),
              {"scf.for %i = %m to %n step %c4_i32", "arith.subi %n"});
  expectParts(loop("for (int i = 0; n >= i; i = i + m) s += i * i;"),
              {"arith.addi %n", "scf.for", "step %m"});
  expectParts(loop("for (long i = 0; i < n; ++i) s += i * i;"), {"arith.extsi %n", "scf.for", ": i64"});
  expectParts(loop("int i; for (i = 0; i < l; i += 2) s += i * i;"), {"scf.for", ": i64", "arith.trunci"});
  // Unsigned numbers, moved to where signed ones have the same order.
  expectParts(loop("for (uint32 i = 0; i < u; i += 16) s += i * i;"),
              {"arith.addi %u, %c-2147483648_i32", "scf.for %i = %c-2147483648_i32 to ", "step %c16_i32",
               "arith.addi %i, %c-2147483648_i32"});
  expectParts(loop("for (int i = 0; i < u; i++) s += i * i;"), {"scf.for"});
  expectParts(loop("for (uint64 i = 0; i <= u; ++i) s += i * i;"), {"scf.for", ": i64"});
  expectParts(loop("for (uint32 i = u; i > 0; i -= 16) s += i * i;"), {"scf.for"});
  for (const char *text :
       {"for (int i = 0; i != n; i++) s += i;", "for (int i = 0; i < n; i++) { s += i; i++; }",
        "for (int i = 0; i < n; i++) { n--; s += i; }", "for (int i = 0; i < *p; i++) s += i;",
        "for (int i = 0; i < n; i += s) s += i;", "for (uint32 i = 0; i < u; i += n) s += i;",
        "for (uint32 i = u; i > 0; i -= 3) s += i;", "for (uint32 i = u; i > l; i -= 3) s += i;",
        "for (uint32 i = 0; i < u; i += 3000000000u) s += i;",
        "for (int i = 0; i < n; i++) { if (s > 9) break; s += i; }", "for (int i = 0; i < n; i -= 1) s += i;",
        "for (int i = 1; i < n; i *= 2) s += i;",
        "for (int i = 0; i < n; i++) { if (s > 9) return; s += i; }", "while (s < n) s += 3;",
        "do s += 3; while (s < n);"}) {
    std::string ir = loop(text);
    EXPECT_EQ(countOf(ir, "scf.for"), 0u) << text;
    EXPECT_EQ(countOf(ir, "scf.while"), 1u) << text;
  }
}

TEST(TritonCEmission, ALoopDoesNotMindWhatIsCalledLikeItsVariable) {
  std::string ir =
      bodyOf("int *p, int n",
             "for (int i = 0; i < n; i++) for (int i = 0; i < n; i++) { int n = 3; n++; *p = i + n; }");
  EXPECT_EQ(countOf(ir, "scf.for"), 2u);
  // The first n is the parameter, whatever is declared later.
  ir = bodyOf("int *p, int n", "for (int i = 0; i < n; i++) { n--; int n = i; *p = n; }");
  EXPECT_EQ(countOf(ir, "scf.while"), 1u);
}

TEST(TritonCEmission, LoopsCarryWhatChanges) {
  std::string ir = bodyOf(
      "float *p, int n",
      "float acc[16] = 0; float scale = 2; float *q[16] = p + 0 ... 16;\n"
      "for (int k = 0; k < n; k += 16) { float x[16] = *q; acc += x * scale; q += 16; scale = scale; }\n"
      "*(p + 0 ... 16) = acc;");
  expectParts(ir, {"scf.for %k", "iter_args(%acc", "%q"});
  EXPECT_EQ(countOf(ir, "iter_args"), 1u);
  EXPECT_EQ(countOf(ir, "%scale"), 0u);
}

TEST(TritonCEmission, ASpinLockIsALoopWithoutABody) {
  expectParts(bodyOf("int *lock", "for (int repeat = 1; repeat == 1; repeat = atomic_cas(lock, 0, 1));"),
              {"scf.while", "scf.condition", "tt.atomic_cas acq_rel, gpu, %lock", "scf.yield"});
}

TEST(TritonCEmission, ProductsAccumulate) {
  std::string start = "int r[16] = 0 ... 16; half a[16, 16] = *(p + r[:, newaxis] * 16 + r[newaxis, :]); "
                      "float c[16, 16] = 1;\n";
  std::string end = "\n*(out + r[:, newaxis] * 16 + r[newaxis, :]) = c;";
  std::string ir = bodyOf("half *p, float *out", start + "c += a @ ^a;" + end);
  expectParts(ir, {"tt.trans %a_7 {order = array<i32: 1, 0>}", "tt.dot %a_7, %c_8, %c :"});
  EXPECT_EQ(countOf(ir, "arith.addf"), 0u);
  TritonCOptions cuda;
  cuda.target = "cuda:90a";
  EXPECT_EQ(countOf(bodyOf("float *p, float *out", start + "c = a @ (float[16, 16])a;" + end, cuda),
                    "inputPrecision = tf32"),
            1u);
  EXPECT_EQ(countOf(bodyOf("int8 *p, int *out",
                           "int r[32] = 0 ... 32; int8 a[32, 32] = *(p + r[:, newaxis] * 32 + r[newaxis, :]);"
                           "*(out + r[:, newaxis] * 32 + r[newaxis, :]) = a @ a;"),
                    "tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>"),
            1u);
}

TEST(TritonCEmission, ReductionsWidenWhatIsNarrow) {
  expectParts(bodyOf("half *p", "*p = (*(p + 0 ... 16))[max];"),
              {"arith.extf", "tt.reduce", "arith.maxnumf", "arith.truncf"});
  expectParts(bodyOf("half *p", "*p = (*(p + 0 ... 16))[+];"), {"tt.reduce", "arith.addf", "f16"});
  expectParts(bodyOf("int8 *p, int *q", "*q = (*(p + 0 ... 16))[+];"), {"arith.extsi", "tt.reduce", "i32"});
  expectParts(bodyOf("uint32 *p", "*p = (*(p + 0 ... 16))[min];"), {"arith.minui"});
}

TEST(TritonCEmission, ConversionsAreImplicitInAssignments) {
  expectParts(
      bodyOf("half *p, float *q", "float x[16] = *(p + 0 ... 16); half y[16] = x * *q; *(p + 0 ... 16) = y;"),
      {"arith.extf", "arith.mulf", "arith.truncf", "tt.store"});
  expectParts(bodyOf("bool *p", "*p = !*p;"),
              {"tt.bitcast %p", "tt.load", "arith.cmpi eq", "arith.extui", "tt.store"});
  expectParts(bodyOf("long *p, int n", "*p = (float *)p + n == (float *)p;"),
              {"tt.addptr", "tt.ptr_to_int", "arith.cmpi eq"});
}

TEST(TritonCEmission, NegationKeepsTheSignOfZero) {
  expectParts(bodyOf("float *p", "*p = -*p;"), {"arith.constant -0.000000e+00 : f32", "arith.subf"});
}

TEST(TritonCEmission, AtomicsTakeMasks) {
  expectParts(
      bodyOf("float *p, int n", "int r[16] = 0 ... 16; atomic_add(p + r, 1, r < n);"),
      {"tt.atomic_rmw fadd, acq_rel, gpu, %", ": (tensor<16x!tt.ptr<f32>>, tensor<16xf32>, tensor<16xi1>)"});
  expectParts(bodyOf("uint32 *p", "atomic_max(p, 3); atomic_xchg(p, 4); atomic_or(p, 1);"),
              {"tt.atomic_rmw umax", "tt.atomic_rmw exch", "tt.atomic_rmw or"});
}

TEST(TritonCEmission, PrintsAndBarriers) {
  expectParts(bodyOf("int *p, float x", "printf(\"n = %d, x: %f\\n\", *p, x); __debug_barrier();"),
              {"tt.print \" n: \"", "tt.print \" x: \"", "gpu.barrier"});
}

TEST(TritonCEmission, PromisesStandAtValues) {
  expectParts(bodyOf("int *p, int n", "int m __multipleof(8) = n + *p; *p = m;"),
              {"arith.addi", "tt.divisibility = dense<8> : tensor<1xi32>"});
}

TEST(TritonCEmission, DebugModeChecksAssertionsAndSignedIntegers) {
  const char *body = "int r[16] = 0 ... 16; assert(n > 0 &&\n n < 9); uint32 u = n; u = u + u;"
                     "*p = u; *(p + r) = r < n ? *(p + r) * n : 0;";
  EXPECT_EQ(countOf(bodyOf("int *p, int n", body), "tt.assert"), 0u);
  TritonCOptions options;
  options.debug = true;
  std::string ir = bodyOf("int *p, int n", body, options);
  expectParts(ir, {"tt.assert", "\"n > 0 && n < 9\" : i1", "tt.assert",
                   "\"int32 * int32 overflows\" : tensor<16xi1>"});
  EXPECT_EQ(countOf(ir, "tt.assert"), 2u);
}

TEST(TritonCEmission, LocationsAreTheUsers) {
  TritonCOptions gpu;
  gpu.target = "cuda:90a";
  // A kernel of one line, whose error in a pass would be shown there.
  TritonCEmission emission = emitTritonC("#define TWO 2\n__global__ void f(int *p) { *p = *p * TWO; }", gpu);
  EXPECT_EQ(emission.messages, "");
  EXPECT_EQ(emission.files.getFiles().size(), 1u);
}

} // namespace
} // namespace nereid::test
