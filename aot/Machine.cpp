// The groups of a process are in /proc/self/cgroup, a line for each hierarchy, `NUMBER:CONTROLLERS:PATH`; the
// unified one (version 2) has no controllers. A group's limit holds for those in it, so all on the way to the
// root count. In a container the path may be one that only the host has; what is mounted then is the
// container's own group, at the root. (Libraries that Nereid makes ask the same of processors, in C:
// templates/cpu_quota.c.in.)
#include "aot/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <dirent.h>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace nereid {

/// Files of the system say that they are empty, so that their size is no help. Empty if there is none.
static std::string readSystemFile(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// `max`, -1 and what is no number are no limit.
static std::optional<uint64_t> readLimit(StringRef text) {
  uint64_t number;
  // Version 1 says that there is no limit with a number near 2^63.
  return to_integer(text.trim(), number, 10) && number < (uint64_t(1) << 62) ? std::optional(number)
                                                                             : std::nullopt;
}

/// The number of a line `NAME 123`.
static std::optional<uint64_t> readField(StringRef text, StringRef name) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines)
    if (line.consume_front(name) && (line.starts_with(" ") || line.starts_with(":")))
      return readLimit(line.drop_front().trim().split(' ').first);
  return std::nullopt;
}

static void takeLeast(std::optional<uint64_t> &least, std::optional<uint64_t> number) {
  if (number && (!least || *number < *least))
    least = number;
}

namespace {

/// A hierarchy of groups, and what to ask each of its groups.
struct Hierarchy {
  bool isUnified;
  std::string folder;
};

} // namespace

/// The least of what the groups of this process answer, from its own to the root, of the hierarchies that
/// have the controller.
static std::optional<uint64_t> askGroups(const std::string &root, StringRef controller,
                                         function_ref<std::optional<uint64_t>(const Hierarchy &group)> ask) {
  std::string groups = readSystemFile(root + "/proc/self/cgroup");
  SmallVector<StringRef> lines;
  StringRef(groups).split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::optional<uint64_t> least;
  for (StringRef line : lines) {
    auto [controllers, path] = line.split(':').second.split(':');
    SmallVector<StringRef> names;
    controllers.split(names, ',');
    bool isUnified = controllers.empty();
    if (!isUnified && !is_contained(names, controller))
      continue;
    std::vector<std::string> mounts = {root + "/sys/fs/cgroup", root + "/sys/fs/cgroup/unified"};
    if (!isUnified)
      mounts = {root + "/sys/fs/cgroup/" + controller.str(), root + "/sys/fs/cgroup/" + controllers.str()};
    path.consume_back("/");
    for (const std::string &mount : mounts)
      for (StringRef rest = path;; rest = rest.rsplit('/').first) {
        takeLeast(least, ask({isUnified, mount + rest.str()}));
        if (rest.empty())
          break;
      }
  }
  return least;
}

namespace machine {

std::optional<uint64_t> getProcessorQuota(const std::string &root) {
  return askGroups(root, "cpu", [](const Hierarchy &group) -> std::optional<uint64_t> {
    std::string quota, period;
    if (group.isUnified) {
      std::string limit = readSystemFile(group.folder + "/cpu.max");
      auto [first, second] = StringRef(limit).trim().split(' ');
      quota = first.str();
      period = second.str();
    } else {
      quota = readSystemFile(group.folder + "/cpu.cfs_quota_us");
      period = readSystemFile(group.folder + "/cpu.cfs_period_us");
    }
    std::optional<uint64_t> time = readLimit(quota), length = readLimit(period);
    if (!time || !length || *time == 0 || *length == 0)
      return std::nullopt;
    return (*time - 1) / *length + 1;
  });
}

std::optional<uint64_t> getAvailableMemory(const std::string &root) {
  std::optional<uint64_t> least;
  if (auto kilobytes = readField(readSystemFile(root + "/proc/meminfo"), "MemAvailable"))
    least = *kilobytes * 1024;
  takeLeast(least, askGroups(root, "memory", [](const Hierarchy &group) -> std::optional<uint64_t> {
              auto read = [&](const char *name) { return readSystemFile(group.folder + "/" + name); };
              std::optional<uint64_t> limit =
                  readLimit(read(group.isUnified ? "memory.max" : "memory.limit_in_bytes"));
              std::optional<uint64_t> used =
                  readLimit(read(group.isUnified ? "memory.current" : "memory.usage_in_bytes"));
              if (group.isUnified)
                takeLeast(limit, readLimit(read("memory.high")));
              if (!limit || !used)
                return std::nullopt;
              // Files that were read and are kept in memory give way.
              uint64_t files =
                  readField(read("memory.stat"), group.isUnified ? "inactive_file" : "total_inactive_file")
                      .value_or(0);
              uint64_t taken = *used - std::min(files, *used);
              return *limit - std::min(taken, *limit);
            }));
  return least;
}

} // namespace machine

unsigned countProcessors() {
  unsigned count = std::max(1u, std::thread::hardware_concurrency());
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    count = std::max(1, CPU_COUNT(&set));
  if (std::optional<uint64_t> quota = machine::getProcessorQuota(""))
    count = static_cast<unsigned>(std::min<uint64_t>(count, std::max<uint64_t>(1, *quota)));
  return count;
}

std::optional<uint64_t> getAvailableMemory() { return machine::getAvailableMemory(""); }

/// What a process and those that it started have for themselves.
static uint64_t addUsedMemory(const std::string &process, unsigned depth) {
  // In pages: of the whole program, resident, and of that shared with files.
  SmallVector<StringRef> fields;
  std::string text = readSystemFile("/proc/" + process + "/statm");
  StringRef(text).split(fields, ' ');
  uint64_t resident = 0, shared = 0;
  if (fields.size() > 2 && to_integer(fields[1], resident, 10))
    to_integer(fields[2], shared, 10);
  static const uint64_t pageSize = ::sysconf(_SC_PAGESIZE);
  uint64_t bytes = (resident - std::min(shared, resident)) * pageSize;
  std::string folder = "/proc/" + process + "/task";
  DIR *threads = depth == 0 ? nullptr : ::opendir(folder.c_str());
  if (!threads)
    return bytes;
  while (const dirent *entry = ::readdir(threads)) {
    if (entry->d_name[0] == '.')
      continue;
    std::string children = readSystemFile(folder + "/" + entry->d_name + "/children");
    SmallVector<StringRef> names;
    StringRef(children).split(names, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef name : names)
      bytes += addUsedMemory(name.trim().str(), depth - 1);
  }
  ::closedir(threads);
  return bytes;
}

uint64_t getUsedMemory() {
  // A launcher, a program that it starts, the compiler, ptxas and what that starts.
  constexpr unsigned mostGenerations = 8;
  return addUsedMemory("self", mostGenerations);
}

} // namespace nereid
