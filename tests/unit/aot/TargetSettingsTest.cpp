// Settings for some targets: what is read, which one counts, and what is put into a signature.
#include "aot/TargetSettings.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

/// The settings that texts make, the first ones at the kernel, those after `|` at the signature.
struct Fixture {
  explicit Fixture(std::vector<std::string> texts) {
    bool isOfSignature = false;
    for (std::string &text : texts) {
      if (text == "|") {
        isOfSignature = true;
        continue;
      }
      auto settings = parseTargetSettings(diagnostics.addSource("<for>", text), diagnostics);
      if (!settings)
        return;
      settings->isOfSignature = isOfSignature;
      if (!addTargetSettings(all, std::move(*settings), diagnostics))
        return;
    }
  }

  std::string takeMessages() {
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    diagnostics.flush(stream);
    return messages;
  }

  unsigned warpsFor(const char *target) {
    TargetOptions options = optionsFor(all, llvm::cantFail(Target::parse(target)));
    return options.numWarps ? options.numWarps->value : 0;
  }

  std::string apply(const char *target, const char *signature) {
    KernelDeclaration kernel;
    kernel.name = "k";
    kernel.parameters = {{"x"}, {"n"}, {"BLOCK", true}, {"MODE", true, true}};
    auto specialization = parseSignature(diagnostics.addSource("<signature>", signature), diagnostics);
    bool asked = false;
    auto declare = [&]() -> std::optional<KernelDeclaration> {
      asked = true;
      return kernel;
    };
    if (!applyConstants(all, llvm::cantFail(Target::parse(target)), declare, *specialization, diagnostics))
      return takeMessages();
    return (asked ? "" : "as it was: ") + specialization->str();
  }

  Diagnostics diagnostics;
  std::vector<TargetSettings> all;
};

std::string refuse(std::vector<std::string> texts) { return Fixture(std::move(texts)).takeMessages(); }

TEST(TargetSettings, ATargetComesBeforeItsBackend) {
  Fixture fixture({"cuda:90a: num_warps=8", "cuda: num_warps=2, num_stages=5", "hip:num_warps=16"});
  EXPECT_EQ(fixture.warpsFor("cuda:90a"), 8u);
  EXPECT_EQ(fixture.warpsFor("cuda:80"), 2u);
  EXPECT_EQ(fixture.warpsFor("hip:gfx942"), 16u);
  EXPECT_EQ(fixture.warpsFor("cpu:x86-64-v3"), 0u);
}

TEST(TargetSettings, ASignatureComesBeforeTheKernelOnlyForTheSame) {
  Fixture fixture(
      {"cuda:90a: num_warps=8", "cuda: num_warps=2", "|", "cuda: num_warps=4", "cuda:75, hip: num_warps=1"});
  EXPECT_EQ(fixture.warpsFor("cuda:80"), 4u);
  EXPECT_EQ(fixture.warpsFor("cuda:90a"), 8u);
  EXPECT_EQ(fixture.warpsFor("cuda:75:32"), 1u);
  EXPECT_EQ(fixture.warpsFor("hip:gfx90a"), 1u);
}

TEST(TargetSettings, ValuesReplaceThoseOfTheSignature) {
  Fixture fixture({"hip: BLOCK=64", "hip:gfx942: MODE=\"a, b: c=d\"", "cpu: BLOCK=16"});
  EXPECT_EQ(fixture.apply("cuda:80", "*fp32, i32, 128, None"), "as it was: *fp32, i32, 128, None");
  EXPECT_EQ(fixture.apply("hip:gfx90a", "*fp32, i32, 128, None"), "*fp32, i32, 64, None");
  EXPECT_EQ(fixture.apply("hip:gfx942", "*fp32, i32, 128, None"), "*fp32, i32, 64, \"a, b: c=d\"");
  EXPECT_EQ(fixture.apply("hip:gfx942", "*fp32, i32, 128"), "*fp32, i32, 64, MODE=\"a, b: c=d\"");
  EXPECT_EQ(fixture.apply("hip:gfx90a", "*fp32, n=i32, BLOCK=128"), "*fp32, n=i32, BLOCK=64");
  EXPECT_EQ(fixture.apply("cpu:aarch64", "n=i32, BLOCK=128, x=*fp32"), "n=i32, BLOCK=16, x=*fp32");
}

TEST(TargetSettings, MistakesAreShownInPlace) {
  EXPECT_NE(refuse({"num_warps=8"}).find("<for>:1:1: error: expected TARGET: NAME=VALUE"), std::string::npos);
  EXPECT_NE(refuse({"hip"}).find("error: expected TARGET: NAME=VALUE"), std::string::npos);
  EXPECT_NE(refuse({"hip, hpi: num_warps=8"}).find("<for>:1:6: error: unknown target 'hpi'"),
            std::string::npos);
  EXPECT_NE(refuse({"cuda:91: num_warps=8"}).find("<for>:1:1: error: unknown target 'cuda:91'"),
            std::string::npos);
  EXPECT_NE(refuse({"hip,: num_warps=8"}).find("error: expected a target"), std::string::npos);
  EXPECT_NE(
      refuse({"hip: num_warps=0"}).find("<for>:1:6: error: expected 'num_warps' to be an integer from 1"),
      std::string::npos);
  EXPECT_NE(refuse({"hip: config=0, num_stages=\"a\""}).find("error: expected 'num_stages' to be"),
            std::string::npos);
  EXPECT_NE(refuse({"hip: n=i32"}).find("error: expected NAME=VALUE"), std::string::npos);
  EXPECT_NE(refuse({"hip: BLOCK=[1, 2]"}).find("error: "), std::string::npos);
  EXPECT_NE(refuse({"hip: num_warps=8", "cpu, hip: num_warps=8"}).find("'num_warps' is given twice for hip"),
            std::string::npos);
  EXPECT_NE(refuse({"cuda:80: B=8", "cuda:80:32: A=1, B=2"})
                .find("<for>:1:18: error: 'B' is given twice for cuda:80"),
            std::string::npos);
  EXPECT_EQ(refuse({"hip: num_warps=8", "|", "hip: num_warps=4"}), "");
}

TEST(TargetSettings, ValuesThatDoNotFitTheKernel) {
  EXPECT_NE(
      Fixture({"hip: BLCOK=64"}).apply("hip:gfx942", "*fp32, i32, 128").find("'k' has no parameter 'BLCOK'"),
      std::string::npos);
  EXPECT_NE(Fixture({"hip: n=64"}).apply("hip:gfx942", "*fp32, i32, 128").find("'n' is an argument of calls"),
            std::string::npos);
}

TEST(TargetSettings, WarnsOfATargetThatIsAlmostOne) {
  Fixture fixture({"cuda:90: num_warps=8", "hip:gfx90a: num_warps=8"});
  warnOfOtherTargets(fixture.all,
                     {llvm::cantFail(Target::parse("cuda:90a")), llvm::cantFail(Target::parse("hip:gfx942"))},
                     fixture.diagnostics);
  std::string messages = fixture.takeMessages();
  EXPECT_NE(messages.find("<for>:1:1: warning: this is not for cuda:90a"), std::string::npos) << messages;
  EXPECT_EQ(messages.find("gfx"), std::string::npos) << messages;
}

} // namespace
