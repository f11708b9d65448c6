// The containers, read back by the tools that define them.
#include "linker/FatBinary.h"
#include "Samples.h"
#include "linker/Subprocess.h"
#include "toolkits/Toolkits.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Object/OffloadBundle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;
using namespace nereid;

TEST(FatBinary, ClangUnbundlesWhatPackHipWrites) {
  KernelObject object = makeObject(plainParameters(), "*fp32, i32, 64", {"hip:gfx942", "hip:gfx1100"});
  object.targets[0].images[0].bytes.resize(5000, 'a'); // more than one page
  HipBundle bundle = packHip({&object.targets[0], &object.targets[1]});
  ASSERT_EQ(bundle.offsets.size(), 2u);
  for (int i = 0; i != 2; ++i) {
    const std::string &image = object.targets[i].images[0].bytes;
    EXPECT_EQ(bundle.offsets[i] % hipBundleAlignment, 0u);
    EXPECT_EQ(bundle.bytes.substr(bundle.offsets[i], image.size()), image);
  }
  if (!sys::fs::can_execute(LLVM_TOOLS "/clang-offload-bundler"))
    GTEST_SKIP() << "clang-offload-bundler is not on this machine";
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("nereid-test", folder));
  std::string input = (folder + "/bundle").str(), output = (folder + "/image").str();
  ASSERT_FALSE(bool(writeFile(input, bundle.bytes)));
  Error error = runProgram({LLVM_TOOLS "/clang-offload-bundler", "--unbundle", "--type=o", "--input=" + input,
                            "--output=" + output, "--targets=hipv4-amdgcn-amd-amdhsa--gfx1100"});
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  EXPECT_EQ(cantFail(readFile(output)), object.targets[1].images[0].bytes);
  (void)sys::fs::remove_directories(folder);
}

TEST(FatBinary, WithoutTheToolImagesStandAlone) {
  KernelObject object = makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:90a"});
  Expected<std::vector<CudaBinary>> binaries = packCuda(object.targets[0], "");
  ASSERT_TRUE(bool(binaries));
  ASSERT_EQ(binaries->size(), 2u);
  EXPECT_TRUE((*binaries)[0].hasMachineCode && !(*binaries)[0].hasPTX);
  EXPECT_TRUE(!(*binaries)[1].hasMachineCode && (*binaries)[1].hasPTX);
  EXPECT_EQ((*binaries)[1].bytes.back(), '\0');
}

TEST(FatBinary, TheVariableComesFirst) {
  setenv("NEREID_FATBINARY", "/nonexistent/fatbinary", 1);
  EXPECT_EQ(toString(findFatbinary().takeError()),
            "NEREID_FATBINARY names '/nonexistent/fatbinary', which is not a program");
  setenv("NEREID_FATBINARY", "none", 1);
  EXPECT_EQ(cantFail(findFatbinary()), "");
  setenv("NEREID_FATBINARY", "/bin/sh", 1);
  EXPECT_EQ(cantFail(findFatbinary()), "/bin/sh");
  unsetenv("NEREID_FATBINARY");
}

TEST(FatBinary, WithTheToolThereIsOneFatbin) {
  std::string tool = cantFail(findFatbinary());
  if (tool.empty())
    GTEST_SKIP() << "NVIDIA's fatbinary is not on this machine";
  KernelObject object = makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:90a"});
  object.targets[0].images.erase(object.targets[0].images.begin());
  object.targets[0].images[0].bytes =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry add() { ret; }\n";
  Expected<std::vector<CudaBinary>> binaries = packCuda(object.targets[0], tool);
  ASSERT_TRUE(bool(binaries)) << toString(binaries.takeError());
  ASSERT_EQ(binaries->size(), 1u);
  EXPECT_TRUE((*binaries)[0].hasPTX && !(*binaries)[0].hasMachineCode);
  // A fatbin's magic number.
  EXPECT_EQ((*binaries)[0].bytes.substr(0, 4), "\x50\xed\x55\xba");
}

TEST(FatBinary, WhatTheToolWritesIsChecked) {
  KernelObject object = makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:90a"});
  SmallString<64> path;
  for (auto [script, why] :
       {std::pair("exit 0", "cannot open"), std::pair("echo no > $file", "begin like one"),
        std::pair("printf 'P\\355U\\272\\001\\000\\020\\000\\377\\377\\0\\0\\0\\0\\0\\0' > $file",
                  "a size in it is wrong")}) {
    ASSERT_FALSE(sys::fs::createTemporaryFile("fatbinary", "sh", path));
    ASSERT_FALSE(bool(writeFile(path, std::string("#!/bin/sh\nfile=${2#--create=}\n") + script + "\n")));
    sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
    Expected<std::vector<CudaBinary>> binaries = packCuda(object.targets[0], path);
    sys::fs::remove(path);
    ASSERT_FALSE(bool(binaries)) << script;
    std::string message = toString(binaries.takeError());
    EXPECT_NE(message.find("reported success"), std::string::npos) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
  }
}

TEST(FatBinary, AToolThatFailsIsQuoted) {
  KernelObject object = makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:90a"});
  Expected<std::vector<CudaBinary>> binaries = packCuda(object.targets[0], "/bin/false");
  ASSERT_FALSE(bool(binaries));
  EXPECT_NE(toString(binaries.takeError()).find("/bin/false"), std::string::npos);
}

TEST(FatBinary, CompressedBundlesHoldTheSame) {
  KernelObject object = makeObject(plainParameters(), "*fp32, i32, 64", {"hip:gfx942"});
  object.targets[0].images[0].bytes = std::string(100000, 'x') + "the end";
  Expected<std::string> packed = packHipCompressed(object.targets[0]);
  ASSERT_TRUE(bool(packed)) << toString(packed.takeError());
  EXPECT_EQ(packed->substr(0, 4), "CCOB");
  EXPECT_LT(packed->size(), 1000u);
  auto unpacked = object::CompressedOffloadBundle::decompress(*MemoryBuffer::getMemBufferCopy(*packed));
  ASSERT_TRUE(bool(unpacked)) << toString(unpacked.takeError());
  EXPECT_TRUE((*unpacked)->getBuffer() == packHip({&object.targets[0]}).bytes);
}

// An older `fatbinary` has one way of compressing, and refuses options that choose one.
TEST(FatBinary, OlderToolsCompressInTheirWay) {
  KernelObject object = makeObject(plainParameters(), "*fp32, i32, 64", {"cuda:90a"});
  SmallString<64> path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("fatbinary", "sh", path));
  ASSERT_FALSE(bool(writeFile(
      path,
      "#!/bin/sh\ncase \"$*\" in *compress-mode*) echo unknown option >&2; exit 1;; *--compress-all*) ;; "
      "*) exit 2;; esac\n"
      "printf 'P\\355U\\272\\001\\000\\020\\000\\001\\0\\0\\0\\0\\0\\0\\0x' > ${2#--create=}\n")));
  sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
  Expected<std::vector<CudaBinary>> small = packCuda(object.targets[0], path, Compression::Speed);
  ASSERT_TRUE(bool(small)) << toString(small.takeError());
  // What was asked for by name is not replaced by something else.
  Expected<std::vector<CudaBinary>> smallest = packCuda(object.targets[0], path, Compression::Size);
  EXPECT_FALSE(bool(smallest));
  EXPECT_NE(toString(smallest.takeError()).find("unknown option"), std::string::npos);
  sys::fs::remove(path);
}
