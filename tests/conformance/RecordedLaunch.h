// Takes a conformance case to a machine with a GPU.
//
// With NEREID_RECORD_CUDA=FOLDER in the environment, every case that KernelRun runs on the CPU is also
// compiled for NVIDIA (NEREID_RECORD_TARGET, or cuda:90a) and written there: the cubin, the arguments, the
// arrays as they were before the run and as the CPU left them. hardware/replay_on_gpu.py launches them on the
// GPU and compares.
#ifndef NEREID_TESTS_CONFORMANCE_RECORDEDLAUNCH_H
#define NEREID_TESTS_CONFORMANCE_RECORDEDLAUNCH_H

#include "compiler/driver/Compiler.h"

#include <array>
#include <string>
#include <vector>

namespace nereid::test {

/// One argument that is passed to the image.
struct RecordedArgument {
  std::string name;
  bool isPointer = false;
  ScalarKind element = ScalarKind::Int32;
  /// A scalar's value.
  uint64_t bits = 0;
  /// An array's contents before and after the run.
  std::string before, after;
};

/// The folder to record to, or null.
const char *getRecordingFolder();

/// Compiles `request` for the GPU and writes the case. Returns what went wrong, or nothing.
std::string recordLaunch(CompileRequest request, const std::vector<RecordedArgument> &arguments,
                         std::array<uint32_t, 3> grid);

} // namespace nereid::test

#endif // NEREID_TESTS_CONFORMANCE_RECORDEDLAUNCH_H
