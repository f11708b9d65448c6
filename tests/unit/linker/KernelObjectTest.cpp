// What goes into a kernel object comes out again; what was damaged on the way is refused with one message.
#include "Samples.h"
#include "linker/Subprocess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace llvm;
using namespace nereid;

static KernelObject makeSample() {
  return makeObject({makePointer("x", true, true), makeInteger("n", false, true),
                     makeConstant("BLOCK", int64_t(-64)), makeConstant("none", std::monostate()),
                     makeConstant("flag", true), makeConstant("ratio", 0.1), makeConstant("limit", -INFINITY),
                     makeConstant("mode", std::string("a \"b\" \\ c;\n")),
                     makeConstant("dtype", DTypeConstant{ScalarKind::BF16}),
                     makeConstant("function", NameConstant{"ops:gelu"})},
                    "*fp32:16, i32:1, -64, None, True, 0.1, -inf, 'mode', bf16",
                    {"cuda:90a", "cuda:80", "hip:gfx942", "cpu:x86-64-v3"});
}

static std::string errorOf(StringRef bytes) {
  Expected<KernelObject> object = parseKernelObject(bytes, "file.nko");
  return object ? "" : toString(object.takeError());
}

TEST(KernelObject, SecondFormOfCode) {
  KernelObject sample = makeSample();
  TargetCode few = sample.targets[0];
  few.use = FormUse::FewPrograms;
  few.info.sharedBytes = 60000;
  sample.targets.insert(sample.targets.begin() + 1, few);
  std::string bytes = serializeKernelObject(sample);
  Expected<KernelObject> read = parseKernelObject(bytes, "file.nko");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  ASSERT_EQ(read->targets.size(), sample.targets.size());
  EXPECT_TRUE(!read->targets[0].isOtherForm() && read->targets[1].use == FormUse::FewPrograms &&
              !read->targets[2].isOtherForm());
  EXPECT_EQ(read->targets[0].images.size(), few.images.size());
  EXPECT_EQ(read->targets[1].images.size(), few.images.size());
  EXPECT_EQ(read->targets[1].info.sharedBytes, 60000u);
  // Readers that know of no forms must not take it for more of the first.
  EXPECT_NE(bytes.find("\"version\":6"), std::string::npos);
  TargetCode &form = sample.targets[1];
  form.use = FormUse::SmallGrids;
  form.info.mostPrograms = 3;
  bytes = serializeKernelObject(sample);
  read = parseKernelObject(bytes, "file.nko");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->targets[1].use, FormUse::SmallGrids);
  EXPECT_EQ(read->targets[1].info.mostPrograms, 3u);
  EXPECT_NE(bytes.find("\"version\":8"), std::string::npos);
  EXPECT_EQ(serializeKernelObject(makeSample()).find("\"version\":6"), std::string::npos);

  sample.targets.erase(sample.targets.begin());
  Expected<KernelObject> orphan = parseKernelObject(serializeKernelObject(sample), "file.nko");
  ASSERT_FALSE(bool(orphan));
  EXPECT_NE(toString(orphan.takeError()).find("another form of some code without the first"),
            std::string::npos);
}

TEST(KernelObject, RoundTrip) {
  KernelObject sample = makeSample();
  sample.function = "add_f32";
  Expected<KernelObject> read = parseKernelObject(serializeKernelObject(sample), "file.nko");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->path, "file.nko");
  EXPECT_EQ(read->sourcePath, sample.sourcePath);
  EXPECT_EQ(read->signature, sample.signature);
  EXPECT_EQ(read->function, "add_f32");
  EXPECT_EQ(read->grid, sample.grid);
  EXPECT_EQ(read->hash, sample.hash);
  ASSERT_EQ(read->targets.size(), 4u);
  for (size_t i = 0; i != 4; ++i) {
    const TargetCode &before = sample.targets[i], &after = read->targets[i];
    EXPECT_TRUE(after.target == before.target);
    EXPECT_EQ(after.info.name, "add");
    EXPECT_EQ(after.info.symbol, before.info.symbol);
    EXPECT_EQ(after.info.numWarps, before.info.numWarps);
    EXPECT_EQ(after.info.numStages, before.info.numStages);
    EXPECT_EQ(after.info.warpSize, before.info.warpSize);
    EXPECT_EQ(after.info.sharedBytes, before.info.sharedBytes);
    EXPECT_EQ(after.info.scratchBytes, before.info.scratchBytes);
    EXPECT_EQ(after.info.programsWait, before.info.programsWait);
    ASSERT_EQ(after.info.resources.has_value(), before.info.resources.has_value());
    if (before.info.resources) {
      EXPECT_EQ(after.info.resources->registers, before.info.resources->registers);
      EXPECT_EQ(after.info.resources->spilledBytes, before.info.resources->spilledBytes);
      EXPECT_EQ(after.info.resources->localBytes, before.info.resources->localBytes);
    }
    ASSERT_EQ(after.images.size(), before.images.size());
    for (size_t k = 0; k != after.images.size(); ++k) {
      EXPECT_EQ(after.images[k].format, before.images[k].format);
      EXPECT_EQ(after.images[k].bytes, before.images[k].bytes);
    }
  }
  const std::vector<KernelParameter> &parameters = read->targets[0].info.parameters;
  ASSERT_EQ(parameters.size(), 10u);
  EXPECT_TRUE(parameters[0].isPointer && parameters[0].divisibleBy == 16 && parameters[0].readOnly);
  EXPECT_EQ(parameters[0].element, ScalarKind::FP32);
  EXPECT_TRUE(!parameters[1].isPointer && parameters[1].equalsOne && parameters[1].divisibleBy == 1);
  EXPECT_EQ(std::get<int64_t>(*parameters[2].constant), -64);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*parameters[3].constant));
  EXPECT_EQ(std::get<bool>(*parameters[4].constant), true);
  EXPECT_EQ(std::get<double>(*parameters[5].constant), 0.1);
  EXPECT_EQ(std::get<double>(*parameters[6].constant), -INFINITY);
  EXPECT_EQ(std::get<std::string>(*parameters[7].constant), "a \"b\" \\ c;\n");
  EXPECT_EQ(std::get<DTypeConstant>(*parameters[8].constant).kind, ScalarKind::BF16);
  EXPECT_EQ(std::get<NameConstant>(*parameters[9].constant).text, "ops:gelu");
}

TEST(KernelObject, WhereItComesFrom) {
  KernelObject sample = makeSample();
  sample.provenance = {
      {{"add.py", "aa"}, {"lib/helper.py", "bb"}}, "app.json:12:3", "*[fp32, fp16]", "9.8.7"};
  sample.targets[0].info.tools = {{"llvm", "22.1.7"}, {"ptxas", "13.0.88"}};
  sample.targets[0].info.resources = KernelResources{1, 2, 3, 4, 5, 6};
  sample.targets[0].settings = "num_warps=8";
  sample.targets[3].info.frameBytes = 72;
  Expected<KernelObject> read = parseKernelObject(serializeKernelObject(sample), "file.nko");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->provenance.sources, sample.provenance.sources);
  EXPECT_EQ(read->provenance.place, "app.json:12:3");
  EXPECT_EQ(read->provenance.asked, "*[fp32, fp16]");
  EXPECT_EQ(read->provenance.nereid, "9.8.7");
  EXPECT_EQ(read->targets[0].info.tools, sample.targets[0].info.tools);
  EXPECT_EQ(read->targets[0].info.resources->staticSharedBytes, 4u);
  EXPECT_EQ(read->targets[0].info.resources->scalarRegisters, 5u);
  EXPECT_EQ(read->targets[0].info.resources->accumulators, 6u);
  EXPECT_EQ(read->targets[0].settings, "num_warps=8");
  EXPECT_EQ(read->targets[3].info.frameBytes, 72u);
  EXPECT_EQ(read->targets[1].info.frameBytes, std::nullopt);
}

TEST(KernelObject, StagesBelongToATargetsImages) {
  KernelObject sample = makeSample();
  sample.targets[0].stages = "stages of the first";
  sample.targets[3].stages = std::string("stages\0of the last", 18);
  std::string bytes = serializeKernelObject(sample);
  Expected<KernelObject> read = parseKernelObject(bytes, "file.nko");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  ASSERT_EQ(read->targets.size(), 4u);
  for (size_t i = 0; i != 4; ++i) {
    EXPECT_EQ(read->targets[i].stages, sample.targets[i].stages);
    EXPECT_EQ(read->targets[i].images.size(), sample.targets[i].images.size());
  }
  // Of a target that has no image there are no stages.
  sample.targets.resize(1);
  sample.targets[0].images.clear();
  EXPECT_NE(errorOf(serializeKernelObject(sample)).find("stages without images"), std::string::npos);
}

TEST(KernelObject, TheFunctionIsTheKernelUnlessNamed) {
  Expected<KernelObject> read = parseKernelObject(serializeKernelObject(makeSample()), "file.nko");
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->getFunctionName(), "add");
}

// Every length but the full one is refused; those that end between two images too, because a target would be
// missing …
TEST(KernelObject, TargetsThatItDoesNotFit) {
  KernelObject mixed = makeSample(), without = makeSample();
  mixed.misfits = {{cantFail(Target::parse("cuda:75")), "it needs more"}};
  without.misfits = mixed.misfits;
  without.targets.clear();
  without.kernelWithoutCode = "add";
  std::string bytes = serializeKernelObjects({mixed, without});
  Expected<std::vector<KernelObject>> read = parseKernelObjects(bytes, "file.nko");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  ASSERT_EQ(read->size(), 2u);
  for (const KernelObject &object : *read) {
    ASSERT_EQ(object.misfits.size(), 1u);
    EXPECT_EQ(object.misfits[0].target.str(), "cuda:75");
    EXPECT_EQ(object.misfits[0].reason, "it needs more");
    EXPECT_EQ(object.getKernelName(), "add");
    EXPECT_EQ(object.getFunctionName(), "add");
  }
  EXPECT_EQ((*read)[0].targets.size(), 4u);
  EXPECT_TRUE((*read)[1].targets.empty());
  for (size_t size = 1; size < bytes.size(); size += 97)
    if (Expected<std::vector<KernelObject>> cut = parseKernelObjects(StringRef(bytes).take_front(size), "a"))
      EXPECT_EQ(cut->size(), 1u);
    else
      consumeError(cut.takeError());
}

TEST(KernelObject, Truncated) {
  std::string bytes = serializeKernelObject(makeSample());
  unsigned accepted = 0;
  for (size_t size = 0; size != bytes.size(); ++size) {
    std::string error = errorOf(StringRef(bytes).take_front(size));
    accepted += error.empty();
    if (!error.empty()) {
      EXPECT_TRUE(StringRef(error).starts_with("'file.nko' is not a complete kernel object: ")) << error;
    }
  }
  EXPECT_EQ(accepted, 0u);
  EXPECT_NE(errorOf(bytes + "x"), "");
}

// … and every flipped bit is noticed, or changes nothing that is read.
TEST(KernelObject, BitFlips) {
  KernelObject sample = makeSample();
  const std::string bytes = serializeKernelObject(sample);
  unsigned noticed = 0, harmless = 0;
  for (size_t i = 0; i != bytes.size(); ++i) {
    for (int bit = 0; bit != 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] ^= char(1 << bit);
      Expected<KernelObject> read = parseKernelObject(damaged, "file.nko");
      if (read) {
        ++harmless;
        EXPECT_EQ(serializeKernelObject(*read), bytes) << "byte " << i << " bit " << bit;
      } else {
        ++noticed;
        consumeError(read.takeError());
      }
    }
  }
  // Harmless are the container's flags and kinds, the triples, and padding.
  EXPECT_GT(noticed, harmless * 4);
}

TEST(KernelObject, ForeignFiles) {
  EXPECT_EQ(errorOf(""), "'file.nko' is not a complete kernel object: it is empty");
  EXPECT_EQ(errorOf("#!/bin/sh\necho this is no kernel object at all, whatever\n"),
            "'file.nko' is not a complete kernel object: it does not begin like one");
  Expected<KernelObject> missing = readKernelObject("/nonexistent/file.nko");
  ASSERT_FALSE(bool(missing));
  EXPECT_EQ(toString(missing.takeError()), "cannot open '/nonexistent/file.nko': No such file or directory");
  Expected<KernelObject> folder = readKernelObject("/");
  ASSERT_FALSE(bool(folder));
  EXPECT_EQ(toString(folder.takeError()), "cannot open '/': it is a directory");
}

TEST(KernelObject, WaysToLaunch) {
  KernelObject object = makeSample();
  KernelInfo &info = object.targets[0].info;
  info.isCooperative = info.overlapsWithLast = true;
  info.numCTAs = 16;
  Expected<KernelObject> read = parseKernelObject(serializeKernelObject(object), "file.nko");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_TRUE(read->targets[0].info.isCooperative && read->targets[0].info.overlapsWithLast);
  EXPECT_EQ(read->targets[0].info.numCTAs, 16u);
  EXPECT_FALSE(read->targets[1].info.isCooperative || read->targets[1].info.overlapsWithLast);
  EXPECT_EQ(read->targets[1].info.numCTAs, 1u);
  info.numCTAs = 17;
  EXPECT_NE(errorOf(serializeKernelObject(object)).find("its number of blocks in a cluster is out of range"),
            std::string::npos);
}

TEST(KernelObject, TensorMaps) {
  KernelObject object = makeSample();
  std::vector<TensorMap> &maps = object.targets[0].info.tensorMaps;
  maps.push_back({"x", "n, n * 2, n + 8", 2, {128, 64}, 128});
  maps.push_back({"x", "1, 2, 3", 4, {16, 8}, 32});
  Expected<KernelObject> read = parseKernelObject(serializeKernelObject(object), "file.nko");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_TRUE(read->targets[1].info.tensorMaps.empty());
  const std::vector<TensorMap> &after = read->targets[0].info.tensorMaps;
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(after[0].base, "x");
  EXPECT_EQ(after[0].extents, "n, n * 2, n + 8");
  EXPECT_EQ(after[0].elementBytes, 2u);
  EXPECT_EQ(after[0].box, (std::vector<unsigned>{128, 64}));
  EXPECT_EQ(after[0].swizzleBytes, 128u);
  // What the driver would refuse, or worse.
  maps[1].box = {257, 8};
  EXPECT_NE(errorOf(serializeKernelObject(object)).find("out of range"), std::string::npos);
  maps[1] = {"x", "1, 2, 3", 4, {16, 64}, 32};
  EXPECT_NE(errorOf(serializeKernelObject(object)).find("out of range"), std::string::npos);
  maps[1] = {"x", "1", 4, {1, 1, 1, 1, 1, 8}, 32};
  EXPECT_NE(errorOf(serializeKernelObject(object)).find("out of range"), std::string::npos);
}

TEST(KernelObject, ImagesOfDifferentKernels) {
  KernelObject other = makeSample();
  other.signature = "*fp64";
  EXPECT_EQ(errorOf(serializeKernelObject(makeSample()) + serializeKernelObject(other)),
            "'file.nko' is not a complete kernel object: its images belong to different kernels");
}

TEST(KernelObject, NamesThatAreNoNames) {
  KernelObject object = makeSample();
  object.targets[0].info.parameters[0].name = "x; system(\"true\")";
  EXPECT_NE(errorOf(serializeKernelObject(object)).find("is not an identifier"), std::string::npos);
  for (TargetCode &target : object.targets)
    target.info.parameters[0].name = "λ";
  EXPECT_EQ(errorOf(serializeKernelObject(object)), "");
}

// The container is LLVM's: its own tool lists what is in it.
TEST(KernelObject, LLVMOffloadBinaryUnpacksIt) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("nereid-test", folder));
  std::string path = (folder + "/sample.nko").str(), image = (folder + "/image").str();
  ASSERT_FALSE(bool(writeFile(path, serializeKernelObject(makeSample()))));
  Error error = runProgram({LLVM_TOOLS "/llvm-offload-binary", path,
                            "--image=file=" + image + ",triple=amdgcn-amd-amdhsa,arch=gfx942,kind=hip"});
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  Expected<std::string> unpacked = readFile(image);
  ASSERT_TRUE(bool(unpacked)) << toString(unpacked.takeError());
  EXPECT_EQ(*unpacked, "\x7f"
                       "ELF of hip:gfx942");
  (void)sys::fs::remove_directories(folder);
}
