// Grouping, order, traits, and what cannot be one library.
#include "linker/DispatchPlan.h"
#include "Samples.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace llvm;
using namespace nereid;

static std::string planError(std::vector<KernelObject> objects) {
  Diagnostics diagnostics;
  EXPECT_FALSE(planDispatch(objects, "lib", diagnostics).has_value());
  return flush(diagnostics);
}

static std::string describePromises(const PlannedKernel &kernel, size_t variant) {
  std::vector<std::string> texts;
  for (const Promise &promise : kernel.variants[variant].promises)
    texts.push_back(kernel.describe(promise));
  return join(texts, ", ");
}

/// The order of the variants, by their signatures.
static std::vector<std::string> getOrder(const PlannedKernel &kernel) {
  std::vector<std::string> signatures;
  for (const PlannedVariant &variant : kernel.variants)
    signatures.push_back(variant.object->signature);
  return signatures;
}

TEST(DispatchPlan, MostSpecializedFirst) {
  std::vector<KernelObject> objects = {
      makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80"}),
      makeObject({makePointer("x", true, true), makeInteger("n"), makeConstant("BLOCK", int64_t(64))},
                 "*fp32:16, i32, 64", {"cuda:80"}),
      makeObject({makePointer("x", true, true), makeInteger("n", true), makeConstant("BLOCK", int64_t(64))},
                 "*fp32:16, i32:16, 64", {"cuda:80"}),
      makeObject(
          {makePointer("x", false, true), makeInteger("n", false, true), makeConstant("BLOCK", int64_t(64))},
          "*fp32, i32:1, 64", {"cuda:80"})};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  ASSERT_EQ(plan->kernels.size(), 1u);
  const PlannedKernel &kernel = plan->kernels[0];
  ASSERT_EQ(kernel.variants.size(), 4u);
  EXPECT_EQ(kernel.variants[0].object->signature, "*fp32:16, i32:16, 64");
  // Ties keep the order in which the objects were given.
  EXPECT_EQ(kernel.variants[1].object->signature, "*fp32:16, i32, 64");
  EXPECT_EQ(kernel.variants[2].object->signature, "*fp32, i32:1, 64");
  EXPECT_EQ(kernel.variants[3].object->signature, "*fp32, i32, 64");
  ASSERT_EQ(kernel.arguments.size(), 2u);
  EXPECT_TRUE(kernel.arguments[0].isPointer && kernel.arguments[0].isConst);
  EXPECT_EQ(describePromises(kernel, 0), "x is divisible by 16, n is divisible by 16");
  EXPECT_EQ(describePromises(kernel, 2), "n == 1");
  EXPECT_EQ(describePromises(kernel, 3), "");
  // What equals one is not passed to the image.
  EXPECT_EQ(kernel.variants[2].passedArguments, std::vector<unsigned>{0});
  EXPECT_EQ(kernel.variants[3].passedArguments, (std::vector<unsigned>{0, 1}));
  EXPECT_TRUE(kernel.hasCommonGrid());
  EXPECT_EQ(kernel.variants[0].gridC[0],
            "grid[0] = nrd_grid_cdiv(bad, (int64_t)*(const int32_t *)arguments[1], INT64_C(64));");
}

TEST(DispatchPlan, DivisibleByMoreIsMoreSpecialized) {
  auto makeVariant = [](unsigned divisor, const char *signature) {
    std::vector<KernelParameter> parameters = plainParameters();
    parameters[1].divisibleBy = divisor;
    return makeObject(parameters, signature, {"cuda:80"});
  };
  std::vector<KernelObject> objects = {makeVariant(1, "*fp32, i32, 64"), makeVariant(8, "*fp32, i32:8, 64"),
                                       makeVariant(16, "*fp32, i32:16, 64")};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  EXPECT_EQ(flush(diagnostics), "");
  const PlannedKernel &kernel = plan->kernels[0];
  ASSERT_EQ(kernel.variants.size(), 3u);
  EXPECT_EQ(kernel.variants[0].object->signature, "*fp32, i32:16, 64");
  EXPECT_EQ(kernel.variants[1].object->signature, "*fp32, i32:8, 64");
  EXPECT_EQ(describePromises(kernel, 1), "n is divisible by 8");
}

TEST(DispatchPlan, ConstOnlyIfNoVariantWrites) {
  std::vector<KernelObject> objects = {
      makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80"}),
      makeObject({makePointer("x", true, false), makeInteger("n"), makeConstant("BLOCK", int64_t(64))},
                 "*fp32:16, i32, 64", {"cuda:80"})};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value());
  EXPECT_FALSE(plan->kernels[0].arguments[0].isConst);
}

TEST(DispatchPlan, OneSignatureInSeveralObjects) {
  std::vector<KernelObject> objects = {makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80"}),
                                       makeObject(plainParameters(), "*fp32, i32, 64", {"hip:gfx942"})};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->kernels[0].variants.size(), 1u);
  EXPECT_EQ(plan->kernels[0].variants[0].codes.size(), 2u);
  EXPECT_TRUE(plan->hasBackend(Backend::HIP) && plan->hasBackend(Backend::CUDA) &&
              !plan->hasBackend(Backend::CPU));
  objects.push_back(objects[0]);
  EXPECT_NE(planError(objects).find("is given twice for cuda:80"), std::string::npos);
}

TEST(DispatchPlan, FunctionsTellTypesApart) {
  std::vector<KernelObject> objects = {makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80"}),
                                       makeObject(plainParameters(), "*fp16, i32, 64", {"cuda:80"})};
  objects[1].targets[0].info.parameters[0].element = ScalarKind::FP16;
  EXPECT_NE(
      planError(objects).find(
          "the variants of 'add' do not have the same C arguments: '*fp16, i32, 64' of '*fp16, i32, "
          "64.nko' takes (x *fp16, n i32), and '*fp32, i32, 64' of '*fp32, i32, 64.nko' takes (x *fp32, "
          "n i32)"),
      std::string::npos);
  objects[1].function = "add_half";
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  ASSERT_EQ(plan->kernels.size(), 2u);
  EXPECT_EQ(plan->kernels[1].name, "add_half");
}

TEST(DispatchPlan, KernelsOfOneNameAreNoVariantsUnlessSomebodySaysSo) {
  auto isPlanned = [](llvm::ArrayRef<KernelObject> objects) {
    Diagnostics diagnostics;
    return planDispatch(objects, "lib", diagnostics).has_value();
  };
  std::vector<KernelObject> objects = {
      makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80"}),
      makeObject({makePointer("x", true, true), makeInteger("n"), makeConstant("BLOCK", int64_t(64))},
                 "*fp32:16, i32, 64", {"cuda:80"})};
  // The same file, which lies elsewhere on another machine.
  objects[1].sourcePath = "/home/other/add.py";
  EXPECT_TRUE(isPlanned(objects));
  objects[1].sourcePath = "kernels/other.py";
  std::string error = planError(objects);
  EXPECT_NE(
      error.find("two kernels are called 'add': 'add' of 'kernels/add.py' and 'add' of 'kernels/other.py'"),
      std::string::npos)
      << error;
  objects[1].function = "add";
  EXPECT_NE(planError(objects).find("two kernels are called"), std::string::npos);
  objects[0].function = "add";
  EXPECT_TRUE(isPlanned(objects));
  // A family that is called after its kernel has names that nobody gave.
  for (KernelObject &object : objects) {
    object.family = "add";
    object.function = "add_fp32";
  }
  EXPECT_NE(planError(objects).find("two kernels are called 'add_fp32'"), std::string::npos);
}

TEST(DispatchPlan, Refused) {
  auto named = [](const std::string &function) {
    KernelObject object = makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80"});
    object.function = function;
    return object;
  };
  for (std::string name : {"while", "co_await", "main", "__x", "nrd_x", "exp", "sinf", "read", "size_t"}) {
    std::string error = planError({named(name)});
    EXPECT_NE(error.find("'" + name + "' of '*fp32, i32, 64.nko' cannot be the name of a C function"),
              std::string::npos)
        << error;
    EXPECT_NE(error.find("FUNCTION in CMake"), std::string::npos) << error;
  }
  // Short and exported names share one translation unit: `load` would be exported as `lib_load`.
  EXPECT_NE(planError({named("load")}).find("two functions 'lib_load'"), std::string::npos);
  EXPECT_NE(planError({named("lib_load")}).find("two functions 'lib_load'"), std::string::npos);
  EXPECT_NE(planError({named("f"), named("lib_f")}).find("two functions 'lib_f'"), std::string::npos);
  EXPECT_NE(planError({named("f"), named("f_grid")}).find("two functions 'f_grid'"), std::string::npos);
  // Two names that are free may not be free together.
  Diagnostics diagnostics;
  EXPECT_FALSE(planDispatch({named("create")}, "pthread", diagnostics).has_value());
  EXPECT_NE(flush(diagnostics).find("the library would export 'pthread_create'"), std::string::npos);
  std::vector<KernelObject> objects = {makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80"}),
                                       makeObject(plainParameters(), "*fp32, i32, 65", {"cuda:80"}, "")};
  EXPECT_NE(planError(objects).find("either all variants of 'add' have a grid expression or none"),
            std::string::npos);
  objects = {makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80"}, "cdiv(m, BLOCK)")};
  EXPECT_NE(planError(objects).find("'m' is not a parameter of the kernel"), std::string::npos);
}

/// add(x, n, BLOCK) with this block, and perhaps a condition.
static KernelObject withBlock(ConstantValue block, const char *signature, const char *when = "",
                              std::vector<const char *> targets = {"cuda:80"}) {
  KernelObject object =
      makeObject({makePointer("x", false, true), makeInteger("n"), makeConstant("BLOCK", std::move(block))},
                 signature, std::move(targets), "n");
  object.when = when;
  return object;
}

/// One of those that TUNE made of `base`.
static KernelObject tuned(ConstantValue block, const char *signature, const char *warps,
                          const char *base = "*fp32, i32") {
  KernelObject object = withBlock(block, signature);
  object.grid = "cdiv(n, BLOCK)";
  object.tuning = Tuning{base, {{"BLOCK", printValue(block)}, {"num_warps", warps}}, {"n"}};
  return object;
}

TEST(DispatchPlan, VariantsToBeTriedCoexist) {
  std::vector<KernelObject> objects = {tuned(int64_t(64), "*fp32, i32, 64", "4"),
                                       tuned(int64_t(64), "*fp32, i32, 64", "8"),
                                       tuned(int64_t(128), "*fp32, i32, 128", "4")};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  EXPECT_EQ(flush(diagnostics), "");
  const PlannedKernel &kernel = plan->kernels[0];
  ASSERT_EQ(kernel.variants.size(), 3u);
  EXPECT_EQ(kernel.variants[1].object->getTitle(), "*fp32, i32, 64 num_warps=8");
  EXPECT_EQ(kernel.variants[2].tuningGroup, kernel.variants[0].tuningGroup);
  // Every leaf has all of them, and the grid is each one's own.
  ASSERT_EQ(kernel.decision.nodes.size(), 1u);
  EXPECT_EQ(kernel.decision.nodes[0].variants, (std::vector<unsigned>{0, 1, 2}));
  EXPECT_FALSE(kernel.hasCommonGrid());

  // The same again; others of which nobody said that they are to be tried together; and no grid.
  objects.push_back(objects[1]);
  EXPECT_NE(planError(objects).find("'*fp32, i32, 64 num_warps=8' is given twice"), std::string::npos);
  objects.back() = tuned(int64_t(256), "*fp32, i32, 256", "4", "*fp32, n=i32");
  EXPECT_NE(planError(objects).find("no call can tell apart"), std::string::npos);
  objects.back() = withBlock(int64_t(256), "*fp32, i32, 256");
  EXPECT_NE(planError(objects).find("no call can tell apart"), std::string::npos);
  objects.pop_back();
  for (KernelObject &object : objects)
    object.grid.clear();
  EXPECT_NE(planError(objects).find("several values of 'BLOCK' and has no grid expression"),
            std::string::npos);
  objects.pop_back();
  EXPECT_TRUE(planDispatch(objects, "lib", diagnostics).has_value());
}

TEST(DispatchPlan, BetterPromisesComeBeforeWhatIsToBeTried) {
  // For a call that all accept, the one that promises more is no question of time.
  std::vector<KernelObject> objects = {tuned(int64_t(64), "*fp32, i32, 64", "4"),
                                       tuned(int64_t(128), "*fp32, i32, 128", "4"),
                                       withBlock(int64_t(32), "*fp32, i32, 32", "n <= 32")};
  objects.back().grid = "cdiv(n, BLOCK)";
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  std::vector<std::vector<unsigned>> leaves;
  for (const DecisionNode &node : plan->kernels[0].decision.nodes)
    if (node.kind == DecisionNode::Kind::Leaf)
      leaves.push_back(node.variants);
  EXPECT_EQ(leaves, (std::vector<std::vector<unsigned>>{{0}, {1, 2}}));
}

TEST(DispatchPlan, VariantsThatNoCallCanTellApart) {
  std::vector<KernelObject> objects = {withBlock(int64_t(64), "*fp32, i32, 64", "", {"cuda:80", "cuda:90a"}),
                                       withBlock(int64_t(128), "*fp32, i32, 128")};
  EXPECT_EQ(
      planError(objects),
      "nereid: error: no call can tell apart two variants of 'add' for cuda:80, '*fp32, i32, 64' of '*fp32, "
      "i32, "
      "64.nko' and '*fp32, i32, 128' of '*fp32, i32, 128.nko': they differ in BLOCK (64 and 128); give them "
      "conditions (WHEN in CMake, --when, \"when\" in a manifest), or let calls choose by the value "
      "(DISPATCH BLOCK, --dispatch, \"dispatch\")\n");
  // Conditions that hold for the same calls are no way to tell them apart.
  objects[0].when = objects[1].when = "n < 5";
  EXPECT_NE(
      planError(objects).find("they differ in BLOCK (64 and 128); their conditions, 'n < 5' and 'n < 5', "
                              "hold for the same calls. Change those, or let calls choose by the value"),
      std::string::npos);
  objects[0].when = objects[1].when = "";
  // Each device has one of them.
  objects[0].targets.erase(objects[0].targets.begin());
  Diagnostics diagnostics;
  EXPECT_TRUE(planDispatch(objects, "lib", diagnostics).has_value());
  EXPECT_EQ(flush(diagnostics), "");
}

TEST(DispatchPlan, ConditionsAreRanges) {
  std::vector<KernelObject> objects = {
      withBlock(int64_t(4096), "4096", "n <= BLOCK"), withBlock(int64_t(1024), "1024", "n <= BLOCK"),
      withBlock(int64_t(8192), "8192"), withBlock(int64_t(2048), "2048", "n <= BLOCK and n % 8 == 0"),
      withBlock(int64_t(512), "512", "n <= BLOCK and n * n < 1000000")};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  EXPECT_EQ(flush(diagnostics), "");
  const PlannedKernel &kernel = plan->kernels[0];
  // Divisors come first, then ranges within ranges, then what promises nothing.
  EXPECT_EQ(getOrder(kernel), (std::vector<std::string>{"2048", "512", "1024", "4096", "8192"}));
  EXPECT_EQ(describePromises(kernel, 0), "n is divisible by 8, n <= 2048");
  EXPECT_EQ(describePromises(kernel, 1), "n <= 512, n * n can be computed, n * n <= 999999");
}

TEST(DispatchPlan, ValuesThatCallsChooseBy) {
  std::vector<KernelObject> objects = {withBlock(int64_t(64), "64"), withBlock(int64_t(128), "128")};
  objects[0].dispatch = {"BLOCK"};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  const PlannedKernel &kernel = plan->kernels[0];
  ASSERT_EQ(kernel.arguments.size(), 3u);
  EXPECT_EQ(kernel.arguments[2].getType(), "i32");
  EXPECT_EQ(kernel.variants[0].passedArguments, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(describePromises(kernel, 1), "BLOCK == 128");
  ASSERT_EQ(kernel.decision.nodes[0].kind, DecisionNode::Kind::Switch);

  auto typeOf = [](ConstantValue a, ConstantValue b) {
    std::vector<KernelObject> objects = {withBlock(std::move(a), "a"), withBlock(std::move(b), "b")};
    objects[0].dispatch = {"BLOCK"};
    Diagnostics diagnostics;
    auto plan = planDispatch(objects, "lib", diagnostics);
    return plan ? plan->kernels[0].arguments[2].getType() : flush(diagnostics);
  };
  EXPECT_EQ(typeOf(true, false), "i1");
  EXPECT_EQ(typeOf(true, int64_t(2)), "i32");
  EXPECT_EQ(typeOf(int64_t(1) << 31, int64_t(2)), "i64");
  EXPECT_EQ(typeOf(0.5, int64_t(2)), "fp64");
  EXPECT_EQ(typeOf(int64_t(2), std::monostate()), "i64 or None");
  EXPECT_EQ(typeOf(2.5, std::monostate()), "fp64 or None");
  EXPECT_EQ(typeOf(std::string("relu"), NameConstant{"gelu"}), "text");
  EXPECT_EQ(typeOf(std::string("relu"), std::monostate()), "text");
  EXPECT_EQ(typeOf(DTypeConstant{ScalarKind::FP16}, DTypeConstant{ScalarKind::BF16}), "dtype");
  EXPECT_EQ(typeOf(std::string("relu"), int64_t(1)),
            "nereid: error: calls of 'add' cannot choose by 'BLOCK': no type of C has all of its values, "
            "\"relu\", 1\n");
  EXPECT_EQ(typeOf(std::nan(""), 1.0),
            "nereid: error: 'add' has NaN for 'BLOCK', by which calls are to choose: nothing equals it\n");
  EXPECT_EQ(
      typeOf(std::string("a\0b", 3), std::string("a")),
      "nereid: error: 'add' has \"a\\x00b\" for 'BLOCK', by which calls are to choose: a text of C ends at "
      "its first NUL\n");
  // 1 and True are one value for a call.
  EXPECT_NE(typeOf(true, int64_t(1)).find("no call can tell apart"), std::string::npos);
  objects[1].dispatch = {"SIZE"};
  EXPECT_NE(planError(objects).find("by 'SIZE', which is not a parameter of 'add'"), std::string::npos);
}

TEST(DispatchPlan, ParametersThatVariantsHaveInDifferentWays) {
  auto variant = [](KernelParameter x, KernelParameter n, const char *signature) {
    return makeObject({std::move(x), std::move(n)}, signature, {"cuda:80"}, "1");
  };
  KernelParameter wide = makeInteger("n");
  wide.element = ScalarKind::Int64;
  std::vector<KernelObject> objects = {variant(makePointer("x"), makeInteger("n"), "*fp32, i32"),
                                       variant(makePointer("x"), wide, "*fp32, i64"),
                                       variant(makeConstant("x", std::monostate()), wide, "None, i64")};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  const PlannedKernel &kernel = plan->kernels[0];
  EXPECT_EQ(kernel.arguments[1].getType(), "i64");
  EXPECT_TRUE(kernel.arguments[0].isPointer && kernel.arguments[0].isNullable);
  EXPECT_EQ(getOrder(kernel), (std::vector<std::string>{"*fp32, i32", "*fp32, i64", "None, i64"}));
  EXPECT_EQ(describePromises(kernel, 0), "x is not NULL, -2147483648 <= n <= 2147483647");
  EXPECT_EQ(describePromises(kernel, 2), "x is NULL");
  EXPECT_EQ(kernel.variants[2].passedArguments, std::vector<unsigned>{1});

  // A number in place of what another variant takes has to be chosen by.
  objects = {variant(makePointer("x"), makeInteger("n"), "*fp32, i32"),
             variant(makePointer("x"), makeConstant("n", int64_t(7)), "*fp32, 7")};
  EXPECT_NE(
      planError(objects).find("has the compile-time value 7 for 'n', which '*fp32, i32' of '*fp32, i32.nko' "
                              "takes at run time as i32: calls can choose between them if 'n' is named"),
      std::string::npos);
  objects[0].dispatch = {"n"};
  auto chosen = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(chosen.has_value()) << flush(diagnostics);
  EXPECT_EQ(getOrder(chosen->kernels[0]), (std::vector<std::string>{"*fp32, 7", "*fp32, i32"}));
}

TEST(DispatchPlan, ValuesBesideNumbersOfTheCall) {
  auto real = [](ScalarKind kind) {
    KernelParameter parameter;
    parameter.name = "s";
    parameter.element = kind;
    return parameter;
  };
  auto plan = [](std::vector<KernelParameter> variants, Diagnostics &diagnostics,
                 std::vector<KernelObject> &objects) {
    for (auto [index, parameter] : enumerate(variants))
      objects.push_back(makeObject({makePointer("x"), parameter},
                                   index == 0   ? "first"
                                   : index == 1 ? "second"
                                                : "third",
                                   {"cuda:80"}, "1"));
    objects.front().dispatch = {"s"};
    return planDispatch(objects, "lib", diagnostics);
  };
  auto refusal = [&](KernelParameter a, KernelParameter b) {
    Diagnostics diagnostics;
    std::vector<KernelObject> objects;
    EXPECT_FALSE(plan({std::move(a), std::move(b)}, diagnostics, objects).has_value());
    return flush(diagnostics);
  };
  Diagnostics diagnostics;
  std::vector<KernelObject> objects;
  auto reals = plan({real(ScalarKind::FP32), makeConstant("s", 0.1)}, diagnostics, objects);
  ASSERT_TRUE(reals.has_value()) << flush(diagnostics);
  EXPECT_EQ(reals->kernels[0].arguments[1].getType(), "fp32");
  EXPECT_EQ(getOrder(reals->kernels[0]), (std::vector<std::string>{"second", "first"}));
  EXPECT_EQ(describePromises(reals->kernels[0], 0), "s == 0.1");
  EXPECT_EQ(describePromises(reals->kernels[0], 1), "");

  // None makes the argument optional, whatever else there is; a single value comes before any number.
  std::vector<KernelObject> withNone;
  auto optional =
      plan({real(ScalarKind::FP32), makeConstant("s", std::monostate()), makeConstant("s", int64_t(1))},
           diagnostics, withNone);
  ASSERT_TRUE(optional.has_value()) << flush(diagnostics);
  EXPECT_EQ(optional->kernels[0].arguments[1].getType(), "fp32 or None");
  EXPECT_EQ(getOrder(optional->kernels[0]), (std::vector<std::string>{"second", "third", "first"}));
  EXPECT_EQ(describePromises(optional->kernels[0], 0), "s is None");
  EXPECT_EQ(describePromises(optional->kernels[0], 1), "s == 1");
  EXPECT_EQ(describePromises(optional->kernels[0], 2), "s is not None");
  for (auto [kind, type] :
       {std::pair(ScalarKind::FP16, "fp16 or None"), {ScalarKind::BF16, "bf16 or None"}}) {
    std::vector<KernelObject> narrow;
    auto half = plan({real(kind), makeConstant("s", std::monostate())}, diagnostics, narrow);
    ASSERT_TRUE(half.has_value()) << flush(diagnostics);
    EXPECT_EQ(half->kernels[0].arguments[1].getType(), type);
  }
  std::vector<KernelObject> integers;
  auto counted = plan({makeInteger("s", true), makeConstant("s", std::monostate())}, diagnostics, integers);
  ASSERT_TRUE(counted.has_value()) << flush(diagnostics);
  EXPECT_EQ(counted->kernels[0].arguments[1].getType(), "i64 or None");
  EXPECT_EQ(describePromises(counted->kernels[0], 0),
            "s is divisible by 16, s is not None, -2147483648 <= s <= 2147483647");

  // What calls cannot pass, and what they cannot tell apart.
  for (const ConstantValue &value : {ConstantValue(1e300), ConstantValue(std::nan("")),
                                     ConstantValue(int64_t(16777217)), ConstantValue(std::string("a"))})
    EXPECT_NE(refusal(real(ScalarKind::FP32), makeConstant("s", value))
                  .find("takes at run time as fp32, where calls cannot pass it"),
              std::string::npos);
  EXPECT_NE(refusal(real(ScalarKind::FP16), makeConstant("s", 1e6)).find("calls cannot pass it"),
            std::string::npos);
  std::vector<KernelObject> twins;
  EXPECT_FALSE(plan({real(ScalarKind::FP32), makeConstant("s", 0.1), makeConstant("s", 0.1 + 1e-12)},
                    diagnostics, twins)
                   .has_value());
  EXPECT_NE(flush(diagnostics).find("no call can tell apart"), std::string::npos);
  std::vector<KernelObject> doubles;
  EXPECT_TRUE(plan({real(ScalarKind::FP64), makeConstant("s", 0.1), makeConstant("s", 0.1 + 1e-12)},
                   diagnostics, doubles)
                  .has_value());
}

TEST(DispatchPlan, VariantsOfOneSignatureAreToldApart) {
  auto variant = [](unsigned warps, const char *when) {
    KernelObject object = makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80"});
    object.targets[0].info.numWarps = warps;
    object.when = when;
    return object;
  };
  auto titlesOf = [](const std::vector<KernelObject> &objects) {
    Diagnostics diagnostics;
    auto plan = planDispatch(objects, "lib", diagnostics);
    std::vector<std::string> titles;
    if (plan)
      for (const PlannedVariant &planned : plan->kernels[0].variants)
        titles.push_back(planned.title);
    return plan ? join(titles, "; ") : flush(diagnostics);
  };
  EXPECT_EQ(titlesOf({variant(4, "n < 9"), variant(8, "")}),
            "*fp32, i32, 64 num_warps=4 when n < 9; *fp32, i32, 64 num_warps=8");
  EXPECT_EQ(titlesOf({variant(4, "n < 9"), variant(4, "n >= 9")}),
            "*fp32, i32, 64 when n < 9; *fp32, i32, 64 when n >= 9");
  EXPECT_EQ(titlesOf({variant(4, "")}), "*fp32, i32, 64");
  EXPECT_NE(titlesOf({variant(4, "n < 9"), variant(8, "n <= 8")})
                .find("'*fp32, i32, 64 num_warps=4 when n < 9' of '*fp32, i32, 64.nko' and "
                      "'*fp32, i32, 64 num_warps=8 when n <= 8' of"),
            std::string::npos);
  EXPECT_NE(titlesOf({variant(4, ""), variant(8, "")})
                .find("is given twice for cuda:80, with num_warps=4, and with num_warps=8, which no call can "
                      "choose by: give them conditions"),
            std::string::npos);
  EXPECT_NE(titlesOf({variant(4, ""), variant(4, "")}).find("is given twice for cuda:80\n"),
            std::string::npos);
}

TEST(DispatchPlan, FamiliesOfTypes) {
  auto member = [](ScalarKind x, ScalarKind w, const char *function) {
    KernelParameter left = makePointer("x"), right = makePointer("w"), out = makePointer("out");
    left.element = out.element = x;
    right.element = w;
    KernelObject object = makeObject({left, right, out, makeInteger("n")}, function, {"cuda:80"}, "n");
    object.function = function;
    object.family = "norm";
    return object;
  };
  std::vector<KernelObject> objects = {member(ScalarKind::FP16, ScalarKind::FP32, "norm_fp16_fp32"),
                                       member(ScalarKind::FP32, ScalarKind::FP32, "norm_fp32_fp32"),
                                       member(ScalarKind::FP32, ScalarKind::FP64, "norm_fp32_fp64")};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  ASSERT_EQ(plan->families.size(), 1u);
  EXPECT_EQ(plan->families[0].members, (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(plan->families[0].groups, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(plan->families[0].isTyped, (std::vector<bool>{true, true, true, false}));
  EXPECT_TRUE(plan->families[0].hasGrid);

  objects[2].family = "norm_fp32";
  objects[2].function = "norm_grid";
  EXPECT_NE(planError(objects).find(
                "the library would have two functions 'norm_grid': the one for several types, and "
                "'norm_grid' of 'norm_fp32_fp64.nko'"),
            std::string::npos);
  objects[2] = member(ScalarKind::FP32, ScalarKind::FP64, "norm_fp32_fp64");
  objects[2].targets[0].info.parameters.pop_back();
  objects[2].grid = "1";
  EXPECT_NE(planError(objects).find("'norm_fp32_fp64' and 'norm_fp16_fp32' differ in more than the types"),
            std::string::npos);
}

TEST(DispatchPlan, WarnsOfVariantsThatAreNeverChosen) {
  auto warnings = [](std::vector<KernelObject> objects) {
    Diagnostics diagnostics;
    EXPECT_TRUE(planDispatch(objects, "lib", diagnostics).has_value());
    return flush(diagnostics);
  };
  EXPECT_EQ(warnings({withBlock(int64_t(1), "first", "n <= 9"), withBlock(int64_t(2), "second", "n > 5"),
                      withBlock(int64_t(3), "third")}),
            "nereid: warning: the variant 'third' of 'add' (third.nko) is never chosen: the variants that "
            "come first "
            "accept "
            "every call that it accepts\n");
  EXPECT_EQ(warnings({withBlock(int64_t(1), "first"), withBlock(int64_t(2), "second", "n > 5 and n < 3")}),
            "nereid: warning: the variant 'second' of 'add' (second.nko) is never chosen: no call keeps its "
            "promises, as n >= "
            "6, and n <= 2\n");
  EXPECT_EQ(warnings({withBlock(int64_t(1), "first"), withBlock(int64_t(2), "second", "BLOCK > 5")}),
            "nereid: warning: the variant 'second' of 'add' (second.nko) is never chosen: no call keeps its "
            "promises, as "
            "'BLOCK > 5' does not hold\n");
  // What another target lacks is chosen there.
  EXPECT_EQ(warnings({withBlock(int64_t(1), "first", "n <= 9"), withBlock(int64_t(2), "second", "n > 5"),
                      withBlock(int64_t(3), "third", "", {"cuda:80", "cuda:90a"})}),
            "");
}
