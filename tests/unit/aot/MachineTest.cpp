// What a control group leaves of a machine, read of files as the system has them.
#include "aot/Machine.h"
#include "aot/MemoryBound.h"
#include "aot/Size.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <thread>

using namespace nereid;

namespace {

constexpr uint64_t mega = 1 << 20, giga = 1 << 30;

class Machine : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("nereid-machine", path));
    root = path.str().str();
  }
  void TearDown() override { (void)llvm::sys::fs::remove_directories(root); }

  void write(const std::string &name, const std::string &text) {
    std::string path = root + name;
    ASSERT_FALSE(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)));
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << text;
    ASSERT_FALSE(code);
  }

  std::string root;
};

TEST_F(Machine, HasNoLimitsWhereNothingSaysSo) {
  EXPECT_EQ(machine::getProcessorQuota(root), std::nullopt);
  EXPECT_EQ(machine::getAvailableMemory(root), std::nullopt);
  write("/proc/meminfo", "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\n");
  EXPECT_EQ(machine::getAvailableMemory(root), uint64_t(8000000) * 1024);
}

TEST_F(Machine, TakesTheLeastOfTheGroupsOnTheWay) {
  write("/proc/meminfo", "MemAvailable: 64000000 kB\n");
  write("/proc/self/cgroup", "0::/jobs/mine\n");
  write("/sys/fs/cgroup/jobs/mine/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/jobs/cpu.max", "250000 100000\n");
  EXPECT_EQ(machine::getProcessorQuota(root), 3u);
  write("/sys/fs/cgroup/jobs/mine/cpu.max", "50000 100000\n");
  EXPECT_EQ(machine::getProcessorQuota(root), 1u);

  write("/sys/fs/cgroup/jobs/mine/memory.max", "max\n");
  write("/sys/fs/cgroup/jobs/mine/memory.current", std::to_string(700 * mega));
  write("/sys/fs/cgroup/jobs/memory.max", std::to_string(2 * giga));
  write("/sys/fs/cgroup/jobs/memory.current", std::to_string(giga));
  write("/sys/fs/cgroup/jobs/memory.stat",
        "anon 5\nfile 8\ninactive_anon 3\ninactive_file " + std::to_string(256 * mega) + "\n");
  EXPECT_EQ(machine::getAvailableMemory(root), giga + 256 * mega);
  // What slows a group down counts as its limit.
  write("/sys/fs/cgroup/jobs/mine/memory.high", std::to_string(800 * mega));
  EXPECT_EQ(machine::getAvailableMemory(root), 100 * mega);
  write("/sys/fs/cgroup/jobs/mine/memory.current", std::to_string(900 * mega));
  EXPECT_EQ(machine::getAvailableMemory(root), 0u);
}

TEST_F(Machine, KnowsTheFirstVersionOfGroups) {
  // In a container: the path is that of the host, and only the root is here.
  write("/proc/self/cgroup",
        "5:memory:/docker/ab12\n4:cpu,cpuacct:/docker/ab12\n1:name=systemd:/docker/ab12\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(4 * giga));
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(giga));
  write("/sys/fs/cgroup/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 4096\n");
  EXPECT_EQ(machine::getAvailableMemory(root), 3 * giga + 4096);
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(machine::getProcessorQuota(root), 4u);
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(machine::getProcessorQuota(root), std::nullopt);
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(machine::getAvailableMemory(root), std::nullopt);
}

TEST(MachineOfThisTest, SaysSomethingSensible) {
  EXPECT_GE(countProcessors(), 1u);
  uint64_t before = getUsedMemory();
  std::vector<char> much(64 * mega, 'x');
  // Or the compiler would see that nobody needs it.
  *const_cast<volatile char *>(&much[mega]) = 'y';
  EXPECT_GE(getUsedMemory(), before + 60 * mega);
}

TEST(Size, IsRead) {
  EXPECT_EQ(parseSize("4096"), 4096u);
  EXPECT_EQ(parseSize("800M"), 800 * mega);
  EXPECT_EQ(parseSize("16g"), 16 * giga);
  EXPECT_EQ(parseSize(" 1.5 GB "), giga + 512 * mega);
  EXPECT_EQ(parseSize("2GiB"), 2 * giga);
  for (const char *text : {"", "G", "-1", "1x", "1GG", ".", "lots", "99999999999999999999T", "1 2", "1e400"})
    EXPECT_EQ(parseSize(text), std::nullopt) << text;
}

/// A machine on which each compilation takes as much.
struct Load {
  uint64_t each = 0, used = 100 * mega, total = 4 * giga;
  unsigned running = 0;
  MemoryBound bound;

  Load(uint64_t each, std::optional<uint64_t> limit)
      : each(each),
        bound(limit, {[this] { return used + running * this->each; },
                      [this]() -> std::optional<uint64_t> { return total - used - running * this->each; }}) {}
  /// How many begin.
  unsigned fill(unsigned most) {
    while (running < most && bound.tryEnter())
      ++running;
    return running;
  }
  void leave() {
    --running;
    bound.leave(0);
  }
};

TEST(MemoryBound, StartsFewUntilSomethingIsKnown) {
  Load load(50 * mega, 4 * giga);
  EXPECT_EQ(load.fill(64), 3u);
  load.leave();
  // 50 MB each.
  EXPECT_EQ(load.fill(64), 64u);
}

TEST(MemoryBound, StartsNoMoreThanThereIsRoomFor) {
  for (std::optional<uint64_t> limit : {std::optional<uint64_t>(4 * giga), std::optional<uint64_t>()}) {
    Load load(500 * mega, limit);
    load.fill(64);
    load.leave();
    unsigned count = load.fill(64);
    EXPECT_GE(count, 6u);
    EXPECT_LE(load.used + count * load.each, 4 * giga);
  }
}

TEST(MemoryBound, OneIsAlwaysAllowed) {
  Load load(9 * giga, giga);
  load.total = 100 * giga;
  EXPECT_EQ(load.fill(64), 1u);
  load.leave();
  EXPECT_EQ(load.fill(64), 1u);
}

TEST(MemoryBound, StopsWhereOthersTakeTheMemory) {
  Load load(50 * mega, std::nullopt);
  load.fill(1);
  load.leave();
  load.total = 300 * mega;
  EXPECT_LE(load.fill(64), 4u);
}

TEST(MemoryBound, WhoWaitsGoesOnWhenOneIsDone) {
  Load load(500 * mega, giga);
  load.fill(64);
  ASSERT_EQ(load.running, 1u);
  std::thread waiter([&] { load.bound.enter(); });
  load.running = 0;
  load.bound.leave(0);
  waiter.join();
  load.bound.leave(0);
}

} // namespace
