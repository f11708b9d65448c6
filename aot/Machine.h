// What a build may use of this machine: processors and memory.
//
// Containers and batch systems put processes into control groups with limits, which the plain questions to
// the system do not tell of: on a machine with 64 processors and 256 GB, a container may have two and 4 GB.
#ifndef NEREID_AOT_MACHINE_H
#define NEREID_AOT_MACHINE_H

#include <cstdint>
#include <optional>
#include <string>

namespace nereid {

/// How many threads can run at a time: processors that this process may run on, and for which its control
/// groups have time. Time for two and a half processors is for three threads. At least 1.
unsigned countProcessors();

/// How many bytes more can be used before the system swaps, or a control group's limit ends a process;
/// nothing where the system does not say.
std::optional<uint64_t> getAvailableMemory();

/// The memory of this process and of those that it has started, and so on, in bytes: what is theirs alone,
/// without the programs and libraries that processes share.
uint64_t getUsedMemory();

/// What is read of a system's files; the functions above read the files of this one. `root` stands before
/// `/proc` and `/sys`.
namespace machine {
std::optional<uint64_t> getProcessorQuota(const std::string &root);
std::optional<uint64_t> getAvailableMemory(const std::string &root);
} // namespace machine

} // namespace nereid

#endif // NEREID_AOT_MACHINE_H
