// Grouping, order, traits, and what cannot be one library.
#include "linker/DispatchPlan.h"
#include "Samples.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

static std::string planError(std::vector<KernelObject> objects) {
  Diagnostics diagnostics;
  EXPECT_FALSE(planDispatch(objects, "lib", diagnostics).has_value());
  return flush(diagnostics);
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
  EXPECT_TRUE(kernel.arguments[1].divisibleBits.count(16) && kernel.arguments[1].equalsOneBit);
  EXPECT_FALSE(kernel.arguments[0].equalsOneBit);
  EXPECT_EQ(kernel.numTraits, 3u);
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
  EXPECT_EQ(kernel.variants[1].traits, std::vector<unsigned>{kernel.arguments[1].divisibleBits.at(8)});
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
  EXPECT_NE(planError(objects).find(
                "the variants of 'add' do not have the same C arguments: '*fp16, i32, 64.nko' takes "
                "(x *fp16, n i32), and '*fp32, i32, 64.nko' takes (x *fp32, n i32)"),
            std::string::npos);
  objects[1].function = "add_half";
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value()) << flush(diagnostics);
  ASSERT_EQ(plan->kernels.size(), 2u);
  EXPECT_EQ(plan->kernels[1].name, "add_half");
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

TEST(DispatchPlan, WarnsOfVariantsThatAreNeverChosen) {
  std::vector<KernelObject> objects = {
      makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:80", "cuda:90a"}),
      makeObject({makePointer("x", false, true), makeInteger("n"), makeConstant("BLOCK", int64_t(128))},
                 "*fp32, i32, 128", {"cuda:80"})};
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  ASSERT_TRUE(plan.has_value());
  EXPECT_FALSE(plan->kernels[0].hasCommonGrid());
  EXPECT_NE(flush(diagnostics).find("warning: the variant '*fp32, i32, 128' of 'add' is never chosen"),
            std::string::npos);
}
