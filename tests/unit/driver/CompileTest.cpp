// nereid::compile() as a whole, from Triton IR as text: what it makes for every target, and what it says to
// bad input.
#include "compiler/driver/Compiler.h"
#include "toolkits/Toolkits.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace nereid;
using llvm::StringLiteral;
using llvm::StringRef;

namespace {

// out[i] = x[i] + 1 for i < n, in tiles of 256.
const char *increment = R"(
module {
  tt.func public @increment(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c256 = arith.constant 256 : i32
    %one = arith.constant dense<1.0> : tensor<256xf32>
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c256 : i32
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %starts = tt.splat %start : i32 -> tensor<256xi32>
    %offsets = arith.addi %starts, %range : tensor<256xi32>
    %limit = tt.splat %n : i32 -> tensor<256xi32>
    %mask = arith.cmpi slt, %offsets, %limit : tensor<256xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %offsets : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v = tt.load %xp, %mask : tensor<256x!tt.ptr<f32>>
    %sum = arith.addf %v, %one : tensor<256xf32>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %outp = tt.addptr %outs, %offsets : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    tt.store %outp, %sum, %mask : tensor<256x!tt.ptr<f32>>
    tt.return
  }
}
)";

struct Compiled {
  std::optional<CompileResult> result;
  std::string messages;
};

using ChangeRequest = llvm::function_ref<void(CompileRequest &)>;
void changeNothing(CompileRequest &) {}

/// Compiles `text` as a file of that extension.
Compiled compileText(StringRef text, StringRef kernel, StringRef signature, StringRef targetName,
                     std::optional<Stage> emit = std::nullopt, StringRef extension = "ttir",
                     unsigned numWarps = 4, ChangeRequest change = changeNothing) {
  llvm::SmallString<64> path;
  int descriptor = -1;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("kernel", extension, descriptor, path));
  llvm::scope_exit remove([&] { (void)llvm::sys::fs::remove(path); });
  {
    llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
    file << text;
  }

  Compiled compiled;
  Diagnostics diagnostics;
  CompileRequest request;
  request.sourcePath = path.str().str();
  request.kernel = kernel.str();
  request.target = llvm::cantFail(Target::parse(targetName));
  request.emit = emit;
  request.numWarps = numWarps;
  change(request);
  if (!signature.empty()) {
    auto specialization = parseSignature(diagnostics.addSource("signature", signature.str()), diagnostics);
    EXPECT_TRUE(specialization);
    request.specialization = *specialization;
  }
  compiled.result = compile(request, diagnostics);
  llvm::raw_string_ostream stream(compiled.messages);
  diagnostics.flush(stream);
  EXPECT_EQ(compiled.result.has_value(), !diagnostics.hasErrors()) << compiled.messages;
  return compiled;
}

bool has(const std::string &text, StringRef part) { return StringRef(text).contains(part); }

class EveryTarget : public testing::TestWithParam<const char *> {};

TEST_P(EveryTarget, TritonIRBecomesAnImage) {
  Compiled compiled = compileText(increment, "increment", "*fp32:16, *fp32:16, i32", GetParam());
  ASSERT_TRUE(compiled.result) << compiled.messages;
  ASSERT_FALSE(compiled.result->images.empty());
  for (const Image &image : compiled.result->images)
    EXPECT_TRUE(has(image.bytes, compiled.result->info.symbol)) << getStageName(image.kind).str();
  const KernelInfo &info = compiled.result->info;
  EXPECT_EQ(info.name, "increment");
  ASSERT_EQ(info.parameters.size(), 3u);
  EXPECT_EQ(info.parameters[0].name, "x");
  EXPECT_TRUE(info.parameters[0].readOnly);
  EXPECT_EQ(info.parameters[0].divisibleBy, 16u);
  EXPECT_FALSE(info.parameters[1].readOnly);
  EXPECT_FALSE(info.parameters[2].isPointer);
  ASSERT_EQ(compiled.result->files.getFiles().size(), 1u);
  EXPECT_FALSE(compiled.result->timings.empty());
}

TEST_P(EveryTarget, EachOfItsStagesCanBePrinted) {
  for (Stage stage : getStages(llvm::cantFail(Target::parse(GetParam())))) {
    if (stage == Stage::Cubin && cantFail(findPtxas()).empty())
      continue;
    Compiled compiled = compileText(increment, "increment", "", GetParam(), stage);
    ASSERT_TRUE(compiled.result) << compiled.messages;
    EXPECT_TRUE(has(compiled.result->stageOutput, "increment")) << getStageName(stage).str();
    EXPECT_TRUE(compiled.result->images.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EveryTarget,
                         testing::Values("cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4", "cpu:aarch64",
                                         "cuda:80", "cuda:90a", "cuda:120", "hip:gfx942", "hip:gfx1100"),
                         [](const auto &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             if (!isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

TEST(Compile, TtirReadsBack) {
  Compiled first = compileText(increment, "increment", "", "cpu", Stage::TTIR);
  ASSERT_TRUE(first.result) << first.messages;
  Compiled second = compileText(first.result->stageOutput, "increment", "", "cpu", Stage::TTIR);
  ASSERT_TRUE(second.result) << second.messages;
  EXPECT_EQ(first.result->stageOutput, second.result->stageOutput);
}

TEST(Compile, SymbolsTellVariantsApartAndAreStable) {
  auto symbol = [](StringRef signature, StringRef target) {
    Compiled compiled = compileText(increment, "increment", signature, target, Stage::TTIR);
    return compiled.result ? compiled.result->info.symbol : compiled.messages;
  };
  std::string a = symbol("*fp32:16, *fp32:16, i32", "cpu:x86-64-v2");
  EXPECT_EQ(StringRef(a).substr(0, 11), "increment__");
  EXPECT_EQ(a, symbol("*fp32:16, *fp32:16, i32", "cpu:x86-64-v2"));
  EXPECT_NE(a, symbol("*fp32:16, *fp32:16, i32:16", "cpu:x86-64-v2"));
  EXPECT_NE(a, symbol("*fp32:16, *fp32:16, i32", "cpu:x86-64-v3"));
}

TEST(Compile, SignaturePromisesReplaceThoseOfTheFile) {
  Compiled compiled =
      compileText(increment, "increment", "n=i32:16, out=*fp32, x=*fp32:16", "cpu", Stage::TTIR);
  ASSERT_TRUE(compiled.result) << compiled.messages;
  const std::string &text = compiled.result->stageOutput;
  EXPECT_TRUE(has(text, "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}")) << text;
  EXPECT_TRUE(has(text, "%out: !tt.ptr<f32>,")) << text;
  EXPECT_TRUE(has(text, "%n: i32 {tt.divisibility = 16 : i32}")) << text;
}

TEST(Compile, AnArgumentEqualToOneIsFoldedAway) {
  Compiled compiled = compileText(increment, "increment", "*fp32, *fp32, i32:1", "cpu", Stage::TTIR);
  ASSERT_TRUE(compiled.result) << compiled.messages;
  EXPECT_FALSE(has(compiled.result->stageOutput, ": i32)")) << compiled.result->stageOutput;
  ASSERT_EQ(compiled.result->info.parameters.size(), 3u);
  EXPECT_FALSE(compiled.result->info.parameters[2].isPassedToImage());
}

TEST(Compile, SignaturesThatDoNotFitTritonIR) {
  auto message = [](StringRef signature) {
    return compileText(increment, "increment", signature, "cpu", Stage::TTIR).messages;
  };
  EXPECT_TRUE(
      has(message("*fp32, *fp32"),
          "signature:1:1: error: the signature has 2 entries, but 'increment' has 3 arguments: x, out, n"))
      << message("*fp32, *fp32");
  EXPECT_TRUE(has(message("*fp32, *fp16, i32"),
                  "signature:1:8: error: '*fp16' does not fit argument 'out', whose type is *fp32"))
      << message("*fp32, *fp16, i32");
  EXPECT_TRUE(has(message("*fp32, *fp32, 5"), "signature:1:15: error: '5' is a compile-time value"))
      << message("*fp32, *fp32, 5");
  EXPECT_TRUE(
      has(message("x=*fp32, out=*fp32, m=i32"), "'increment' has no argument named 'm'; it has: x, out, n"));
  EXPECT_TRUE(has(message("x=*fp32, out=*fp32"), "the signature says nothing of argument 'n'"));
}

TEST(Compile, UnknownKernelListsTheOthers) {
  EXPECT_TRUE(has(compileText(increment, "decrement", "", "cpu").messages,
                  "there is no kernel named 'decrement' in this file, which has: increment"));
  EXPECT_TRUE(has(compileText("module {}", "increment", "", "cpu").messages, "there is no kernel"));
}

TEST(Compile, BadIRIsShownWhereItIs) {
  std::string messages =
      compileText("tt.func public @k(%n: i32) {\n  %x = arith.addi %n, %m : i32\n  tt.return\n}\n", "k", "",
                  "cpu")
          .messages;
  EXPECT_TRUE(has(messages, ".ttir:2:23: error: use of undeclared SSA value name")) << messages;
  EXPECT_TRUE(has(messages, "  %x = arith.addi %n, %m : i32\n                      ^\n")) << messages;
}

// Layouts that are there stay as they are, and the rest is for the GPU that they are made for.
TEST(Compile, IRWithLayouts) {
  std::string text = compileText(increment, "increment", "", "cuda:80", Stage::TTGIR).result->stageOutput;
  size_t at = text.find("sizePerThread = [2]");
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, 19, "sizePerThread = [1]");
  Compiled again = compileText(text, "increment", "", "cuda:80", Stage::TTGIR, "ttgir");
  ASSERT_TRUE(again.result) << again.messages;
  EXPECT_TRUE(has(again.result->stageOutput, "sizePerThread = [1]")) << again.result->stageOutput;
  Compiled image = compileText(text, "increment", "*fp32:16, *fp32:16, i32", "cuda:80", Stage::PTX, "ttgir");
  ASSERT_TRUE(image.result) << image.messages;
  EXPECT_TRUE(has(image.result->stageOutput, ".reqntid 128"));
  EXPECT_TRUE(image.result->info.parameters[0].readOnly);
  EXPECT_FALSE(image.result->info.parameters[1].readOnly);

  EXPECT_TRUE(has(compileText(text, "increment", "", "cpu", std::nullopt, "ttgir").messages,
                  "has the layouts of a GPU, which cpu:"));
  EXPECT_TRUE(has(compileText(text, "increment", "", "cuda:90", std::nullopt, "ttgir").messages,
                  "has the layouts of cuda:80, not of cuda:90"));
}

TEST(Compile, RequestsThatMakeNoSense) {
  EXPECT_TRUE(has(compileText(increment, "increment", "", "cpu", Stage::PTX).messages,
                  "has no stage 'ptx'; it has: ttir, llir, asm, obj"));
  EXPECT_TRUE(has(compileText("", "k", "", "cpu", std::nullopt, "txt").messages,
                  ".txt': expected a .py, .tc, .ttir, .ttgir or .mlir file"));

  Diagnostics diagnostics;
  CompileRequest request;
  request.sourcePath = "/nowhere/k.ttir";
  request.target = llvm::cantFail(Target::parse("cuda:80"));
  request.numWarps = 3;
  EXPECT_FALSE(compile(request, diagnostics));
  request.numWarps = 4;
  EXPECT_FALSE(compile(request, diagnostics));
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  EXPECT_TRUE(has(messages, "the number of warps must be a power of two from 1 to 32 for cuda:80, not 3"))
      << messages;
  EXPECT_TRUE(has(messages, "cannot open '/nowhere/k.ttir'")) << messages;
}

TEST(Compile, BlocksThatNeedMoreSharedMemoryThanTheGPUHas) {
  // A histogram keeps a counter for each of its 65536 bins in shared memory: a quarter of a megabyte.
  const char *histogram = R"(
tt.func public @count(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32>) {
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %base = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %places = tt.addptr %base, %range : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %values = tt.load %places : tensor<128x!tt.ptr<i32>>
  %counts = tt.histogram %values : tensor<128xi32> -> tensor<65536xi32>
  %bins = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
  %out_base = tt.splat %out : !tt.ptr<i32> -> tensor<65536x!tt.ptr<i32>>
  %out_places = tt.addptr %out_base, %bins : tensor<65536x!tt.ptr<i32>>, tensor<65536xi32>
  tt.store %out_places, %counts : tensor<65536x!tt.ptr<i32>>
  tt.return
}
)";
  std::string messages = compileText(histogram, "count", "", "cuda:90a", Stage::LLIR).messages;
  EXPECT_TRUE(has(messages,
                  ".ttir:2:1: error: 'count' needs 262144 bytes of shared memory for a block, but cuda:90a "
                  "has 232448: its tiles are too large"))
      << messages;
}

TEST(Compile, HalvesAreComparedAsFloatsOnCPUs) {
  const char largest[] = R"(tt.func @largest(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %from = tt.splat %x : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %places = tt.addptr %from, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %to = tt.splat %y : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %others = tt.addptr %to, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %a = tt.load %places : tensor<64x!tt.ptr<f16>>
  %b = tt.load %others : tensor<64x!tt.ptr<f16>>
  %c = arith.maxnumf %a, %b : tensor<64xf16>
  tt.store %others, %c : tensor<64x!tt.ptr<f16>>
  tt.return
}
)";
  Compiled compiled = compileText(largest, "largest", "", "cpu:x86-64-v3", Stage::LLIR);
  ASSERT_TRUE(compiled.result) << compiled.messages;
  EXPECT_TRUE(has(compiled.result->stageOutput, "@llvm.maxnum.v8f32(")) << compiled.result->stageOutput;
  EXPECT_FALSE(has(compiled.result->stageOutput, "= call <8 x half>")) << compiled.result->stageOutput;
}

TEST(Compile, SaysWhetherProgramsWaitForOthers) {
  auto compileLoop = [](StringRef body) {
    std::string text = ("tt.func @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {\n"
                        "  %zero = arith.constant 0 : i32\n"
                        "  %yes = arith.constant true\n" +
                        body + "  tt.return\n}\n")
                           .str();
    Compiled compiled = compileText(text, "k", "", "cpu:x86-64-v3");
    EXPECT_TRUE(compiled.result) << compiled.messages;
    return compiled.result && compiled.result->info.programsWait;
  };
  const StringRef untilOneIsThere = "  scf.while : () -> () {\n"
                                    "    %old = tt.atomic_rmw add, acq_rel, gpu, %x, %zero, %yes : "
                                    "(!tt.ptr<i32>, i32, i1) -> i32\n"
                                    "    %more = arith.cmpi eq, %old, %zero : i32\n"
                                    "    scf.condition(%more)\n"
                                    "  } do {\n";
  EXPECT_TRUE(compileLoop((untilOneIsThere + "    scf.yield\n  }\n").str()));
  EXPECT_TRUE(compileLoop("  scf.while : () -> () {\n"
                          "    %now = tt.load %x {isVolatile = true} : !tt.ptr<i32>\n"
                          "    %more = arith.cmpi eq, %now, %zero : i32\n"
                          "    scf.condition(%more)\n"
                          "  } do {\n    scf.yield\n  }\n"));
  // A loop that does work may look for more of it.
  EXPECT_FALSE(
      compileLoop((untilOneIsThere + "    tt.store %y, %zero : !tt.ptr<i32>\n    scf.yield\n  }\n").str()));
  EXPECT_FALSE(compileLoop("  scf.while : () -> () {\n"
                           "    %now = tt.load %x : !tt.ptr<i32>\n"
                           "    %more = arith.cmpi eq, %now, %zero : i32\n"
                           "    scf.condition(%more)\n"
                           "  } do {\n    scf.yield\n  }\n"));
}

TEST(Compile, StagesHaveNames) {
  for (Stage stage : {Stage::TTIR, Stage::TTGIR, Stage::LLIR, Stage::PTX, Stage::Cubin, Stage::AMDGCN,
                      Stage::HSACO, Stage::Asm, Stage::Object})
    EXPECT_EQ(parseStage(getStageName(stage)), stage);
  EXPECT_EQ(parseStage("sass"), std::nullopt);
}

TEST(Compile, TritonIRDeclaresItsArguments) {
  llvm::SmallString<64> path;
  int descriptor = -1;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("kernel", "ttir", descriptor, path));
  llvm::scope_exit remove([&] { (void)llvm::sys::fs::remove(path); });
  {
    llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
    file << "tt.func public @k(%0: i32 loc(\"first\"), %b: i32, %arg2: i32) { tt.return }";
  }
  Diagnostics diagnostics;
  auto declaration = findKernel(path, "k", {}, diagnostics);
  ASSERT_TRUE(declaration);
  ASSERT_EQ(declaration->parameters.size(), 3u);
  EXPECT_EQ(declaration->parameters[0].name, "first");
  EXPECT_EQ(declaration->parameters[1].name, "b");
  EXPECT_EQ(declaration->parameters[2].name, "arg2");
}

TEST(Compile, DescriptorsOfTritonIRAreTakenApart) {
  auto find = [](llvm::StringRef text, Diagnostics &diagnostics) -> std::optional<KernelDeclaration> {
    llvm::SmallString<64> path;
    int descriptor = -1;
    if (llvm::sys::fs::createTemporaryFile("kernel", "ttir", descriptor, path))
      return std::nullopt;
    llvm::scope_exit remove([&] { (void)llvm::sys::fs::remove(path); });
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << text;
    return findKernel(path, "k", {}, diagnostics);
  };
  Diagnostics diagnostics;
  auto declaration =
      find("tt.func public @k(%a: !tt.tensordesc<tensor<16x64xf16>>, %0: i32, %1: i32, %2: i64, "
           "%3: i64, %n: i32) { tt.return }",
           diagnostics);
  ASSERT_TRUE(declaration);
  std::vector<std::string> names;
  for (const auto &parameter : declaration->parameters)
    names.push_back(parameter.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a_shape_0", "a_shape_1", "a_stride_0", "n"}));

  EXPECT_FALSE(
      find("tt.func public @k(%a: !tt.tensordesc<tensor<16x64xf16>>, %n: i32) { tt.return }", diagnostics));
  EXPECT_EQ(diagnostics.getErrorCount(), 1u);
}

/// compileText of a Python function for cuda:90a, with a script in ptxas's place, which finds the text in
/// $input.
Compiled compileWithScript(StringRef script, StringRef text, StringRef kernel, StringRef signature,
                           unsigned numWarps, ChangeRequest change = changeNothing) {
  llvm::SmallString<64> path;
  int descriptor = -1;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("ptxas", "sh", descriptor, path));
  llvm::scope_exit remove([&] { (void)llvm::sys::fs::remove(path); });
  {
    llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
    file << "#!/bin/sh\nall=\"$*\"\nwhile [ \"$1\" != -o ]; do input=$1; shift; done\n" << script << "\n";
  }
  (void)llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_read | llvm::sys::fs::all_exe);
  const char *before = getenv("NEREID_PTXAS");
  std::string restored = before ? before : "";
  setenv("NEREID_PTXAS", path.c_str(), 1);
  std::string module = ("import triton\nimport triton.language as tl\n\n\n@triton.jit" + text).str();
  Compiled compiled =
      compileText(module, kernel, signature, "cuda:90a", std::nullopt, "py", numWarps, change);
  before ? setenv("NEREID_PTXAS", restored.c_str(), 1) : unsetenv("NEREID_PTXAS");
  EXPECT_TRUE(compiled.result) << compiled.messages;
  return compiled;
}

// That a warp of its own for copies pays is expected of this loop. Where ptxas says that products wait for
// one another then, or that registers do not suffice, the kernel is compiled again without.
TEST(Compile, WarpsForCopiesAreTakenBackWherePtxasRefutesThem) {
  std::string ptxas = cantFail(findPtxas());
  if (ptxas.empty())
    GTEST_SKIP() << "no CUDA toolkit here";
  StringRef attention = R"(
def attention(q_ptr, k_ptr, v_ptr, out_ptr, n):
    q_desc = tl.make_tensor_descriptor(q_ptr, [n, 128], [128, 1], [128, 128])
    k_desc = tl.make_tensor_descriptor(k_ptr, [n, 128], [128, 1], [64, 128])
    v_desc = tl.make_tensor_descriptor(v_ptr, [n, 128], [128, 1], [64, 128])
    out_desc = tl.make_tensor_descriptor(out_ptr, [n, 128], [128, 1], [128, 128])
    out = tl.zeros((128, 128), tl.float32)
    q = q_desc.load([0, 0])
    for begin in range(0, n, 64):
        scores = tl.dot(q, k_desc.load([begin, 0]).T)
        out = tl.dot(tl.exp2(scores).to(tl.float16), v_desc.load([begin, 0]), out)
    out_desc.store([0, 0], out.to(tl.float16))
)";
  auto handsOverRegisters = [&](StringRef report) {
    std::string script =
        ptxas + " $all || exit\ngrep -q setmaxnreg $input && echo '" + report.str() + "'\nexit 0";
    Compiled compiled = compileWithScript(script, attention, "attention",
                                          "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16", /*numWarps=*/8);
    EXPECT_EQ(compiled.messages, "");
    return compiled.result && has(compiled.result->images.back().bytes, "setmaxnreg");
  };
  EXPECT_TRUE(handsOverRegisters("ptxas info : all is well"));
  EXPECT_FALSE(
      handsOverRegisters("ptxas info : (C7512) Potential Performance Loss: wgmma.mma_async instructions "
                         "are serialized due to a reason in the function"));
}

// Queries stay in registers, which ptxas reports to be more than without, by fragments' loads. They go where
// a third block of four warps finds room by that, or where much less is spilled; of a fourth one there is a
// form for grids that need fewer turns by it.
TEST(Compile, LastingFactorsGoToMemoryForAnotherBlock) {
  std::string ptxas = cantFail(findPtxas());
  if (ptxas.empty())
    GTEST_SKIP() << "no CUDA toolkit here";
  // By 32 keys, so that many blocks find room for their tiles.
  StringRef attention = R"(
def attention(q_ptr, k_ptr, v_ptr, out_ptr, n):
    rows, columns, depth = tl.arange(0, 64)[:, None], tl.arange(0, 32), tl.arange(0, 64)[None, :]
    q = tl.load(q_ptr + rows * 64 + depth)
    out = tl.zeros((64, 64), tl.float32)
    for begin in range(0, n, 32):
        k = tl.load(k_ptr + (begin + columns)[:, None] * 64 + depth)
        v = tl.load(v_ptr + (begin + columns)[:, None] * 64 + depth)
        out = tl.dot(tl.exp2(tl.dot(q, k.T)).to(tl.float16), v, out)
    tl.store(out_ptr + rows * 64 + depth, out)
)";
  // Registers and bytes of local memory, with queries in registers and without.
  auto compile = [&](unsigned with, unsigned bytesWith, unsigned without, unsigned bytesWithout) {
    auto report = [](unsigned registers, unsigned bytes) {
      return "{ n=" + std::to_string(registers) + "; frame=" + std::to_string(bytes) + "; }";
    };
    std::string script = ptxas + " -arch sm_90a $input -o $2 || exit\ngrep -q ldmatrix $input && " +
                         report(with, bytesWith) + " || " + report(without, bytesWithout) +
                         "\necho \"ptxas info : $frame bytes stack frame, $frame bytes spill stores, 0 bytes "
                         "spill loads\"\necho \"ptxas info : Used $n registers\"";
    return compileWithScript(script, attention, "attention", "*fp16:16, *fp16:16, *fp16:16, *fp32:16, i32:16",
                             /*numWarps=*/4);
  };
  auto goToMemory = [&](unsigned with, unsigned bytesWith, unsigned without, unsigned bytesWithout) {
    Compiled compiled = compile(with, bytesWith, without, bytesWithout);
    return compiled.result && compiled.result->info.resources->registers == without;
  };
  EXPECT_TRUE(goToMemory(200, 0, 168, 0));
  EXPECT_TRUE(goToMemory(200, 0, 168, 32));
  EXPECT_FALSE(goToMemory(200, 0, 168, 64));
  EXPECT_FALSE(goToMemory(200, 0, 176, 0)); // no third block
  EXPECT_FALSE(goToMemory(168, 0, 128, 0)); // three there are
  EXPECT_TRUE(goToMemory(250, 0, 168, 0));
  EXPECT_TRUE(goToMemory(254, 128, 252, 64));
  EXPECT_FALSE(goToMemory(254, 128, 252, 120));
  EXPECT_FALSE(goToMemory(254, 24, 252, 0));

  auto goInFormForTurns = [&](unsigned with, unsigned without, unsigned bytesWithout) {
    Compiled compiled = compile(with, 0, without, bytesWithout);
    return compiled.result && compiled.result->info.resources->registers == with &&
           llvm::any_of(compiled.result->otherForms, [&](const KernelForm &form) {
             return form.use == FormUse::FewerTurns && form.info.resources->registers == without;
           });
  };
  EXPECT_TRUE(goInFormForTurns(168, 128, 0));
  EXPECT_FALSE(goInFormForTurns(168, 136, 0)); // no fourth block
  EXPECT_FALSE(goInFormForTurns(168, 128, 8));
  EXPECT_FALSE(goInFormForTurns(168, 96, 0)); // many more
}

/// A product of 32 rows and `width` columns, `depth` of both in each of these rounds.
std::string multiply(StringRef width, StringRef depth, StringRef rounds) {
  return ("\ndef product(a_ptr, b_ptr, out_ptr, n):\n    rows, columns = tl.arange(0, 32)[:, None], "
          "tl.arange(0, " +
          width + ")[None, :]\n    steps = tl.arange(0, " + depth + ")\n    out = tl.zeros((32, " + width +
          "), tl.float32)\n    for begin in " + rounds +
          ":\n        a = tl.load(a_ptr + rows * n + begin + steps[None, :])\n"
          "        b = tl.load(b_ptr + (begin + steps)[:, None] * 64 + columns)\n"
          "        out = tl.dot(a, b, out)\n    tl.store(out_ptr + rows * 64 + columns, out)\n")
      .str();
}

// Three buffers leave memory for three blocks, and two for four. With two, copies stand behind the products.
TEST(Compile, ShorterRingsComeFirstWhereBlocksAreFew) {
  std::string ptxas = cantFail(findPtxas());
  if (ptxas.empty())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Registers of both, and what is spilled of the shorter one, which may be made longer. The form that comes
  // first has shorter rings, or there is a form with them for fewer turns, or none.
  auto compile = [&](const std::string &text, unsigned longer, unsigned shorter, unsigned spilled = 0,
                     StringRef change = "cat") {
    std::string script =
        "bytes=0 n=" + std::to_string(longer) +
        "\ncopy=$(mktemp)\ncp $input $copy\n"
        "if awk '/mma.sync/{m=NR} /cp.async.c/{c=NR} END{exit c<m}' $input; then\n  n=" +
        std::to_string(shorter) + " bytes=" + std::to_string(spilled) + "\n  " + change.str() +
        " $input > $copy\nfi\n" + ptxas +
        " -arch sm_90a $copy -o $2 || exit\nrm $copy\n"
        "echo \"ptxas info : $bytes bytes stack frame, $bytes bytes spill stores, 0 bytes spill loads\"\n"
        "echo \"ptxas info : Used $n registers\"";
    Compiled compiled =
        compileWithScript(script, text, "product", "*fp16:16, *fp16:16, *fp32:16, i32:16", /*numWarps=*/4);
    if (!compiled.result)
      return std::string("nothing");
    std::string forms;
    unsigned bytes = compiled.result->info.sharedBytes;
    for (const KernelForm &form : compiled.result->otherForms) {
      EXPECT_EQ(form.use == FormUse::FewPrograms, bytes < form.info.sharedBytes);
      forms += form.use == FormUse::FewPrograms ? "few programs" : "fewer turns";
    }
    return forms;
  };
  std::string product = multiply("64", "128", "range(0, n, 128)");
  EXPECT_EQ(compile(product, 120, 120), "few programs");
  EXPECT_EQ(compile(product, 168, 128), "few programs");
  EXPECT_EQ(compile(product, 168, 136), ""); // no fourth block
  EXPECT_EQ(compile(product, 168, 128, 16), "few programs");
  EXPECT_EQ(compile(product, 168, 128, 24), "");
  // Programs whose lengths are loaded.
  std::string uneven =
      multiply("64", "128", "range(0, tl.load(out_ptr + tl.program_id(0)).to(tl.int32), 128)");
  EXPECT_EQ(compile(uneven, 120, 120), "few programs");
  // There is memory for four blocks, or for six.
  EXPECT_EQ(compile(multiply("32", "128", "range(0, n, 128)"), 72, 72), "fewer turns");
  // So long that four blocks take more time than three have.
  std::string barriers;
  for (unsigned i = 0; i < 300; ++i)
    barriers += "bar.sync 0; ";
  EXPECT_EQ(compile(product, 120, 120, 0, "sed 's/^\\tret;/" + barriers + "ret;/'"), "fewer turns");
}

// Loads run ahead all the same where that pays: three stages wait for the round before the last, two for the
// last one.
TEST(Compile, OneStageBecomesMoreWhereThatPays) {
  std::string ptxas = cantFail(findPtxas());
  if (ptxas.empty())
    GTEST_SKIP() << "no CUDA toolkit here";
  std::string product = multiply("64", "64", "range(0, n, 64)");
  // What the script does to texts with three stages, with two and with one, and how many rounds run ahead
  // after all.
  auto countRoundsAhead = [&](const std::string &text, StringRef three = "", StringRef two = "",
                              StringRef one = "", ChangeRequest change = changeNothing) -> unsigned {
    std::string script = ("n=64\ncopy=$(mktemp)\ncp $input $copy\n"
                          "if grep -q 'wait_group 1' $input; then :\n" +
                          three + "\nelif grep -q 'wait_group 0' $input; then :\n" + two + "\nelse :\n" +
                          one + "\nfi\n" + ptxas +
                          " -arch sm_90a $copy -o $2 || exit\nrm $copy\n"
                          "echo \"ptxas info : 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill "
                          "loads\"\necho \"ptxas info : Used $n registers\"")
                             .str();
    Compiled compiled = compileWithScript(script, text, "product", "*fp16:16, *fp16:16, *fp32:16, i32:16",
                                          /*numWarps=*/4, [&](CompileRequest &request) {
                                            request.numStages = 1;
                                            change(request);
                                          });
    if (!compiled.result)
      return ~0u;
    EXPECT_EQ(compiled.result->info.numStages, 1u);
    EXPECT_EQ(compiled.result->info.numWarps, 4u);
    const std::string &ptx = compiled.result->images.back().bytes;
    return has(ptx, "wait_group 1") ? 2 : has(ptx, "wait_group 0") ? 1 : 0;
  };
  std::string slow = "sed 's/^\\tret;/";
  for (unsigned i = 0; i < 6000; ++i)
    slow += "bar.sync 0; ";
  slow += "ret;/' $input > $copy";
  EXPECT_EQ(countRoundsAhead(product), 2u);
  EXPECT_EQ(countRoundsAhead(product, slow), 1u);
  EXPECT_EQ(countRoundsAhead(product, slow, slow), 0u);
  EXPECT_EQ(countRoundsAhead(product, slow, slow, slow), 2u);
  // No room for more than two blocks, or for four.
  EXPECT_EQ(countRoundsAhead(product, "n=255"), 1u);
  EXPECT_EQ(countRoundsAhead(product, "n=255", "n=255"), 0u);
  EXPECT_EQ(
      countRoundsAhead(product, "", "", "", [](CompileRequest &request) { request.isCooperative = true; }),
      0u);
  EXPECT_EQ(
      countRoundsAhead(product, "", "", "", [](CompileRequest &request) { request.hasExactStages = true; }),
      0u);
  EXPECT_EQ(countRoundsAhead(multiply("64", "64", "tl.range(0, n, 64, num_stages=1)")), 0u);
}

// A sum of 256x128 takes 256 registers of each of 128 threads, which have 255 at most.
std::string addProducts(StringRef row) {
  return R"(
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, out_ptr, n):
    rows, columns, steps = tl.arange(0, 256), tl.arange(0, 128), tl.arange(0, 64)
    out = tl.zeros((256, 128), tl.float32)
    for begin in range(0, n, 64):
        a = tl.load(a_ptr + rows[:, None] * n + begin + steps[None, :])
        b = tl.load(b_ptr + (begin + steps)[:, None] * 128 + columns[None, :])
        out = tl.dot(a, b, out)
    tl.store(out_ptr + )" +
         row.str() + " * 128 + columns[None, :], out)\n";
}

TEST(Compile, MoreWarpsThanAskedForRunWhatSpills) {
  if (cantFail(findPtxas()).empty())
    GTEST_SKIP() << "no CUDA toolkit here";
  constexpr StringLiteral signature = "*fp16:16, *fp16:16, *fp32:16, i32:16";
  std::string product = addProducts("rows[:, None]");
  Compiled more = compileText(product, "product", signature, "cuda:90a", std::nullopt, "py");
  ASSERT_TRUE(more.result) << more.messages;
  const KernelInfo &info = more.result->info;
  EXPECT_EQ(info.numWarps, 4u);
  EXPECT_EQ(info.numWorkerWarps, 4u);
  EXPECT_EQ(info.countThreads(), 256u);
  EXPECT_TRUE(has(more.messages, "warning: 'product' is run by 8 warps on cuda:90a, not by the 4 asked for"))
      << more.messages;
  Compiled exact = compileText(product, "product", signature, "cuda:90a", std::nullopt, "py", 4,
                               [](CompileRequest &request) { request.hasExactWarps = true; });
  ASSERT_TRUE(exact.result) << exact.messages;
  EXPECT_EQ(exact.result->info.numWorkerWarps, 0u);
  EXPECT_TRUE(has(exact.messages, "smaller tiles or more warps are faster")) << exact.messages;
  EXPECT_LE(2 * info.resources->localBytes, exact.result->info.resources->localBytes);
  EXPECT_NE(info.symbol, exact.result->info.symbol);
  // So it is where loads run ahead all the same.
  Compiled one = compileText(product, "product", signature, "cuda:90a", std::nullopt, "py", 4,
                             [](CompileRequest &request) { request.numStages = 1; });
  ASSERT_TRUE(one.result) << one.messages;
  EXPECT_TRUE(has(one.result->images.back().bytes, "cp.async"));
  EXPECT_TRUE(has(one.messages, "warning: 'product' is run by 8 warps on cuda:90a, not by the 4 asked for"))
      << one.messages;
  // What eight warps were asked for has them, and nothing is said.
  Compiled eight = compileText(product, "product", signature, "cuda:90a", std::nullopt, "py", 8);
  ASSERT_TRUE(eight.result) << eight.messages;
  EXPECT_EQ(eight.result->info.numWorkerWarps, 0u);
  EXPECT_EQ(eight.messages, "");
}

// Twice as many warps are no help where each of them computes as much as one did.
TEST(Compile, MoreWarpsThatRepeatMuchRunOnlyWhatSpillsMuch) {
  std::string ptxas = cantFail(findPtxas());
  if (ptxas.empty())
    GTEST_SKIP() << "no CUDA toolkit here";
  auto makeText = [](unsigned ofEach, unsigned ofAll) {
    return "\ndef steps(p, n):\n    x = tl.load(p)\n    for i in tl.static_range(" + std::to_string(ofEach) +
           "):\n        x = x * n + i\n    places = p + tl.arange(0, 4096)\n    y = tl.load(places)\n"
           "    for i in tl.static_range(" +
           std::to_string(ofAll) + "):\n        y = y * n + i\n    tl.store(places, y)\n    tl.store(p, x)\n";
  };
  // How often the code of eight warps is as long, about: once, twice, and one and a half times.
  std::string divided = makeText(1, 32), repeated = makeText(2048, 1), half = makeText(512, 16);
  // Bytes of local memory with four warps, and registers with eight, where none is.
  auto takesMore = [&](StringRef text, unsigned bytes, unsigned registers) {
    std::string script =
        ptxas + " -arch sm_90a $input -o $2 || exit\ngrep -q 'reqntid 256' $input && { n=" +
        std::to_string(registers) + "; frame=0; } || { n=255; frame=" + std::to_string(bytes) +
        "; }\necho \"ptxas info : $frame bytes stack frame, $frame bytes spill stores, 0 bytes "
        "spill loads\"\necho \"ptxas info : Used $n registers\"";
    Compiled compiled = compileWithScript(script, text, "steps", "*fp32:16, fp32", /*numWarps=*/4);
    return compiled.result && compiled.result->info.numWorkerWarps == 4;
  };
  EXPECT_TRUE(takesMore(divided, 424, 255));
  EXPECT_FALSE(takesMore(repeated, 424, 255));
  EXPECT_FALSE(takesMore(repeated, 992, 255));
  EXPECT_TRUE(takesMore(repeated, 1000, 255));
  EXPECT_FALSE(takesMore(half, 992, 255));
  // Two blocks of eight warps, as of four.
  EXPECT_TRUE(takesMore(half, 424, 128));
  EXPECT_FALSE(takesMore(half, 392, 128));
  EXPECT_FALSE(takesMore(repeated, 424, 128));
}

// The mask of the last block, of 64 conditions a thread, is needed before a loop and behind it. Comparing
// twice makes the code shorter.
TEST(Compile, MasksThatLiveThroughLoopsAreMadeAgain) {
  if (cantFail(findPtxas()).empty())
    GTEST_SKIP() << "no CUDA toolkit here";
  StringRef text = R"(
import triton
import triton.language as tl


@triton.jit
def weights(x_ptr, out_ptr, n, SIZE: tl.constexpr):
    rows, columns = tl.arange(0, 16), tl.arange(0, SIZE)
    x_ptr += rows[:, None] * n + columns[None, :]
    out_ptr += rows[:, None] * n + columns[None, :]
    blocks = n // SIZE
    sums = tl.zeros((16,), tl.float32)
    for i in range(0, blocks):
        sums += tl.sum(tl.exp2(tl.load(x_ptr + i * SIZE)), axis=1)
    mask = rows[:, None] + n >= columns[None, :] * columns[None, :] + blocks * SIZE
    sums += tl.sum(tl.where(mask, tl.exp2(tl.load(x_ptr + blocks * SIZE)), 0.0), axis=1)
    for i in range(0, blocks):
        tl.store(out_ptr + i * SIZE, tl.exp2(tl.load(x_ptr + i * SIZE)) / sums[:, None])
    last = tl.where(mask, tl.exp2(tl.load(x_ptr + blocks * SIZE)), 0.0)
    tl.store(out_ptr + blocks * SIZE, last / sums[:, None])
)";
  auto comparesAgain = [&](StringRef size) {
    Compiled compiled = compileText(text, "weights", ("*fp32:16, *fp32:16, i32:16, " + size).str(),
                                    "cuda:90a", std::nullopt, "py");
    EXPECT_TRUE(compiled.result) << compiled.messages;
    return compiled.result && has(compiled.result->images.back().bytes, "%again");
  };
  EXPECT_TRUE(comparesAgain("512"));
  EXPECT_FALSE(comparesAgain("32")); // four conditions
}

TEST(Compile, ProgramsThatAskForTheirWarpsKeepThem) {
  if (cantFail(findPtxas()).empty())
    GTEST_SKIP() << "no CUDA toolkit here";
  Compiled compiled = compileText(addProducts("(rows + tl.extra.cuda.num_warps())[:, None]"), "product",
                                  "*fp16:16, *fp16:16, *fp32:16, i32:16", "cuda:90a", std::nullopt, "py");
  ASSERT_TRUE(compiled.result) << compiled.messages;
  EXPECT_EQ(compiled.result->info.numWorkerWarps, 0u);
}

} // namespace
