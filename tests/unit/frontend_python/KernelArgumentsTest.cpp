// What a signature may give a kernel besides pointers, numbers and values: dtypes, tuples, tensor
// descriptors; kernels that are made by calling decorators; configurations of @triton.autotune.
#include "tests/unit/frontend_python/EmitSource.h"

#include "gtest/gtest.h"

using namespace nereid;
using namespace nereid::test;

namespace {

std::string listParameters(const KernelInfo &info) {
  std::string text;
  for (const KernelParameter &parameter : info.parameters) {
    text += (text.empty() ? "" : ", ") + parameter.name;
    text += parameter.isPassedToImage() ? parameter.isPointer ? ":*" : ":" : "=";
    if (parameter.isPassedToImage())
      text += std::string(getScalarName(parameter.element));
  }
  return text;
}

TEST(KernelArguments, PlainTypeForConstexprIsADtype) {
  Emission emission = emitSource("@triton.jit\n"
                                 "def f(p, T: tl.constexpr):\n"
                                 "    tl.static_assert(T == tl.float16)\n"
                                 "    tl.store(p + tl.arange(0, 16), tl.zeros([16], T))\n",
                                 "*fp16, fp16");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("dense<0.000000e+00> : tensor<16xf16>"), std::string::npos) << emission.ir;
  EXPECT_EQ(listParameters(emission.info), "p:*fp16, T=");
}

TEST(KernelArguments, TuplesArePassedAsTheirElements) {
  Emission emission = emitSource("@triton.jit\n"
                                 "def f(xs, n, B: tl.constexpr):\n"
                                 "    p, (scale, offset) = xs\n"
                                 "    tl.static_assert(len(B) == 2)\n"
                                 "    tl.static_assert(xs[1][1] == 3)\n"
                                 "    tl.store(p + n, scale * offset)\n",
                                 "(*fp32:16, (fp32, 3)), i32, (4, 8)");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("@f(%xs_0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %xs_1_0: f32, %n: i32)"),
            std::string::npos)
      << emission.ir;
  EXPECT_EQ(listParameters(emission.info), "xs_0:*fp32, xs_1_0:fp32, xs_1_1=, n:i32, B_0=, B_1=");
}

TEST(KernelArguments, FieldsOfNamedTuplesKeepTheirNames) {
  Emission emission = emitSource("@triton.jit\n"
                                 "def put(where, value):\n"
                                 "    tl.store(where.ptr + where.at.first, value)\n"
                                 "@triton.jit\n"
                                 "def f(to, value):\n"
                                 "    tl.static_assert(to.at.step == 3 and len(to) == 2)\n"
                                 "    put(to, value * to[1][1])\n",
                                 "to=(ptr=*fp32:16, at=(first=i32, step=3)), value=fp32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_EQ(listParameters(emission.info), "to_ptr:*fp32, to_at_first:i32, to_at_step=, value:fp32");
  EXPECT_NE(emission.ir.find("tt.addptr %to_ptr, %to_at_first"), std::string::npos) << emission.ir;
}

TEST(KernelArguments, DescriptorsArePassedAsWhatTheyAreMadeOf) {
  Emission emission = emitSource("@triton.jit\n"
                                 "def f(desc, out):\n"
                                 "    tl.static_assert(isinstance(desc, tl.tensor_descriptor))\n"
                                 "    x = desc.load([0, desc.shape[1] - 64])\n"
                                 "    tl.store(out, desc.strides[0])\n"
                                 "    desc.store([0, 0], x)\n",
                                 "desc=tensordesc<fp16[16, 64]>, out=*i64");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("@f(%desc: !tt.ptr<f16>, %desc_shape_0: i32, %desc_shape_1: i32, "
                             "%desc_stride_0: i64, %out: !tt.ptr<i64>)"),
            std::string::npos)
      << emission.ir;
  EXPECT_NE(emission.ir.find("tt.make_tensor_descriptor %desc, [%desc_shape_0, %desc_shape_1]"),
            std::string::npos)
      << emission.ir;
  EXPECT_NE(emission.ir.find("tt.store %out, %desc_stride_0"), std::string::npos) << emission.ir;
}

TEST(KernelArguments, DescriptorOfTooNarrowBlocksIsRefused) {
  EXPECT_EQ(emitSource("@triton.jit\ndef f(d):\n    pass\n", "tensordesc<fp16[16, 4]>").messages,
            "signature:1:1: error: the last dimension of a tensor descriptor's block must have at least 16 "
            "bytes, but has 8\n");
}

TEST(KernelArguments, DecoratorsMayBeCalled) {
  Emission emission = emitSource("def _impl(p, B: tl.constexpr, F: tl.constexpr):\n"
                                 "    if F:\n"
                                 "        tl.store(p, B)\n"
                                 "f = _impl\n"
                                 "f = triton.jit(f)\n"
                                 "f = triton.heuristics({'F': lambda args: args['B'] > 3})(f)\n"
                                 "f = triton.autotune(configs=unknown(), key=['B'])(f)\n",
                                 "*fp32, 4");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("tt.store"), std::string::npos) << emission.ir;
}

TEST(KernelArguments, KernelsMayBeMadeByFunctions) {
  Emission emission = emitSource("def make(scale):\n"
                                 "    offset = scale + 1\n"
                                 "    @triton.jit\n"
                                 "    def add(x):\n"
                                 "        return x + offset\n"
                                 "    @triton.jit\n"
                                 "    def kernel(p):\n"
                                 "        tl.store(p, add(scale))\n"
                                 "    return kernel\n"
                                 "f = make(20)\n",
                                 "*i32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("arith.constant 41 : i32"), std::string::npos) << emission.ir;
}

TEST(KernelArguments, ANameMeansWhatItDidBeforeItsOwnLine) {
  Emission emission = emitSource("N = 3\nN = N + 1\nN = N * 2\n"
                                 "@triton.jit\ndef f(p):\n    tl.store(p, N)\n",
                                 "*i32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("arith.constant 8 : i32"), std::string::npos) << emission.ir;
  EXPECT_EQ(emitSource("N = N + 1\n@triton.jit\ndef f(p):\n    tl.store(p, N)\n", "*i32").messages,
            "4:5: error: the value of 'N' depends on itself\n");
}

std::string listConfigs(const std::string &source) {
  Diagnostics diagnostics;
  auto declaration = findKernelInSource(source, "f", diagnostics);
  EXPECT_TRUE(declaration);
  EXPECT_EQ(diagnostics.getErrorCount(), 0u);
  std::string text;
  for (const KernelDeclaration::Config &config : declaration->configs) {
    for (auto &[name, value] : config.constants)
      text += name + "=" + std::to_string(std::get<int64_t>(value)) + " ";
    text += "w" + std::to_string(config.numWarps) + "s" + std::to_string(config.numStages) + "\n";
  }
  return text;
}

TEST(AutotuneConfigs, AreRead) {
  const char *body = "@triton.jit\ndef f(p, B: tl.constexpr, C: tl.constexpr):\n    pass\n";
  EXPECT_EQ(
      listConfigs(std::string("@triton.autotune([triton.Config({'B': 16, 'C': 1}, num_warps=2),\n"
                              "                  triton.Config({'B': 32}, 8, num_stages=1)], key=[])\n") +
                  body),
      "B=16 C=1 w2s3\nB=32 w8s1\n");
  EXPECT_EQ(listConfigs(std::string("import itertools\n"
                                    "def configs():\n"
                                    "    return [triton.Config({'B': b, 'C': 1}, num_warps=w)\n"
                                    "            for b, w in itertools.product([16, 32], [4, 8])]\n"
                                    "def keep(config):\n"
                                    "    return config.kwargs['B'] == 32 or config.num_warps == 4\n"
                                    "@triton.autotune(key=['p'], configs=list(filter(keep, configs())))\n") +
                        body),
            "B=16 C=1 w4s3\nB=32 C=1 w4s3\nB=32 C=1 w8s3\n");
  EXPECT_EQ(
      listConfigs(std::string(body) + "f = triton.autotune(configs=[triton.Config({'B': 4})], key=[])(f)\n"),
      "B=4 w4s3\n");
}

TEST(AutotuneConfigs, ThatAreNotKnownAreNone) {
  const std::string source = "import torch\n@triton.autotune(configs=torch.configs(), key=[])\n"
                             "@triton.jit\ndef f(p):\n    pass\n";
  EXPECT_EQ(listConfigs(source), "");
  Diagnostics diagnostics;
  auto declaration = findKernelInSource(source, "f", diagnostics);
  ASSERT_TRUE(declaration);
  EXPECT_TRUE(llvm::StringRef(declaration->configsProblem).contains("torch.configs"))
      << declaration->configsProblem;
  EXPECT_EQ(diagnostics.positionOf(declaration->configsRange.Start).column, 26u);
}

TEST(AutotuneConfigs, OfDecoratorsThatStandForIt) {
  // Classes that nothing is known of, as they derive from Triton's own; the configurations by position.
  const std::string tuner = "import functools\n"
                            "class Tuner(triton.runtime.Autotuner):\n"
                            "    def __init__(self, fn, names, configs, key):\n"
                            "        super().__init__(fn, names, configs, key)\n"
                            "def tuner(configs, key, strategy='log'):\n"
                            "    def decorator(fn):\n"
                            "        return Tuner(fn, fn.arg_names, configs, key)\n"
                            "    return decorator\n"
                            "def other(name, configs, key=None):\n"
                            "    def decorator(fn):\n"
                            "        return Tuner(fn, fn.arg_names, configs, key)\n"
                            "    return decorator\n"
                            "class AsDecorator:\n"
                            "    def __init__(self, key, configs):\n"
                            "        self.cache = open(key)\n"
                            "def own(key, **rest):\n"
                            "    return triton.autotune([triton.Config({'B': 8})], key=key, **rest)\n"
                            "many = [triton.Config({'B': 16}, num_warps=2), triton.Config({'B': 32})]\n";
  const std::string body = "@triton.jit\ndef f(p, n, B: tl.constexpr):\n    pass\n";
  EXPECT_EQ(listConfigs(tuner + "@tuner(many, key=['n'])\n" + body), "B=16 w2s3\nB=32 w4s3\n");
  EXPECT_EQ(listConfigs(tuner + "@other('x', many)\n" + body), "B=16 w2s3\nB=32 w4s3\n");
  EXPECT_EQ(listConfigs(tuner + "@AsDecorator('x', many)\n" + body), "B=16 w2s3\nB=32 w4s3\n");
  EXPECT_EQ(listConfigs(tuner + "@functools.partial(triton.autotune, many)(['n'])\n" + body),
            "B=16 w2s3\nB=32 w4s3\n");
  Diagnostics diagnostics;
  auto declaration = findKernelInSource(
      tuner + "@own(['n'], prune_configs_by={'top_k': 1}, restore_value=['p'])\n" + body, "f", diagnostics);
  ASSERT_TRUE(declaration);
  ASSERT_EQ(declaration->configs.size(), 1u);
  EXPECT_EQ(declaration->tuningKey, std::vector<std::string>{"n"});
  const std::vector<std::pair<std::string, std::string>> options = {
      {"key", "['n']"}, {"prune_configs_by", "{'top_k': 1}"}, {"restore_value", "['p']"}};
  EXPECT_EQ(declaration->autotuneOptions, options);
}

TEST(KernelArguments, FunctionsAndOthersByName) {
  const std::string source = "import ops\n"
                             "class Tile:\n"
                             "    SIZE = 16\n"
                             "@triton.jit\n"
                             "def double(x):\n"
                             "    return x * 2\n"
                             "@triton.constexpr_function\n"
                             "def next_size(n):\n"
                             "    return n * 2\n"
                             "@triton.jit\n"
                             "def f(x, APPLY: tl.constexpr, GROW: tl.constexpr, SIZE: tl.constexpr):\n"
                             "    i = tl.arange(0, GROW(SIZE))\n"
                             "    if APPLY is not None:\n"
                             "        tl.store(x + i, APPLY(tl.load(x + i)))\n";
  const std::vector<std::pair<std::string, std::string>> files = {
      {"ops.py", "import triton\n@triton.jit\ndef negate(x):\n    return -x\n"},
      {"package/__init__.py", ""},
      {"package/more.py", "import triton\nSIZE = 64\n@triton.jit\ndef square(x):\n    return x * x\n"}};
  for (auto [given, operation] : {std::pair{"double", "arith.mulf"},
                                  {"kernel:double", "arith.mulf"},
                                  {"ops.negate", "arith.subf"},
                                  {"package.more:square", "arith.mulf"},
                                  {"tl.exp", "math.exp"},
                                  {"triton.language.math:exp2", "math.exp2"}}) {
    Emission emission = emitSource(source, "*fp32, " + std::string(given) + ", next_size, Tile.SIZE", files);
    EXPECT_EQ(emission.messages, "") << given;
    EXPECT_NE(emission.ir.find(operation), std::string::npos) << given << emission.ir;
    EXPECT_NE(emission.ir.find("tensor<32xf32>"), std::string::npos) << emission.ir;
    EXPECT_EQ(std::get<NameConstant>(*emission.info.parameters[1].constant).text, given);
  }
  EXPECT_NE(emitSource(source, "*fp32, None, next_size, package.more:SIZE", files).ir, "");
  EXPECT_EQ(emitSource(source, "*fp32, no_such, next_size, 16", files).messages.substr(0, 79),
            "signature:1:8: error: 'no_such' is neither a type nor a compile-time value, and");
  EXPECT_EQ(
      emitSource(source, "*fp32, missing:act, next_size, 16", files).messages,
      "signature:1:8: error: 'missing:act' cannot be used in a kernel: module 'missing', from which it is "
      "imported, was not found; give the folder that holds 'missing' with -I, or as one of a manifest's "
      "import_paths\n");
  EXPECT_EQ(emitSource(source, "*fp32, package.more:cube, next_size, 16", files).messages,
            "signature:1:8: error: module 'package.more' has no 'cube'\n");
}

} // namespace
