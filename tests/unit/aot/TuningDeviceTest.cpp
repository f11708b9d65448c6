// The machines that `nereid tune` measures on: this one, and GPUs that are not there.
#include "aot/tuning/TuningDevice.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>
#include <thread>

using namespace nereid;

namespace {

TEST(TuningDevice, CPUHasMemoryAndAClock) {
  std::unique_ptr<TuningDevice> device = llvm::cantFail(openCPU());
  EXPECT_FALSE(device->name.empty());
  EXPECT_EQ(device->stream.backend, 0);
  void *memory = llvm::cantFail(device->allocate(6));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
  EXPECT_FALSE(bool(device->copyIn(memory, "tensor")));
  char bytes[7] = "??????";
  EXPECT_FALSE(bool(device->copyOut(bytes, memory, 6)));
  EXPECT_STREQ(bytes, "tensor");
  device->release(memory);
  double nanoseconds = llvm::cantFail(device->time([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return llvm::Error::success();
  }));
  EXPECT_GE(nanoseconds, 19e6);
  EXPECT_LE(nanoseconds, 20e9);
}

TEST(TuningDevice, FailuresOfLaunchesAreHandedOn) {
  std::unique_ptr<TuningDevice> device = llvm::cantFail(openCPU());
  auto time = device->time([] { return llvm::createStringError("no such variant"); });
  ASSERT_FALSE(bool(time));
  EXPECT_EQ(llvm::toString(time.takeError()), "no such variant");
}

TEST(TuningDevice, GPUsThatAreNotThereAreNamed) {
  auto device = openGPU(Backend::HIP, 1000);
  if (device)
    GTEST_SKIP() << "this machine has a thousand GPUs";
  std::string reason = llvm::toString(device.takeError());
  EXPECT_TRUE(reason.find("libamdhip64.so") != std::string::npos || reason.find("1000") != std::string::npos)
      << reason;
}

} // namespace
