// A case is two files: NAME.json, and NAME.bin with the cubin and the arrays one after the other.
#include "tests/conformance/RecordedLaunch.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include "nlohmann/json.hpp"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;

namespace nereid::test {

const char *getRecordingFolder() { return getenv("NEREID_RECORD_CUDA"); }

/// The test that is running, and which of its launches this is: `Softmax.Online-0`.
static std::string nextCaseName() {
  static std::string lastTest;
  static unsigned count = 0;
  const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
  std::string test = info ? std::string(info->test_suite_name()) + "." + info->name() : "case";
  for (char &c : test)
    if (c == '/')
      c = '-';
  count = test == lastTest ? count + 1 : 0;
  lastTest = test;
  return test + "-" + std::to_string(count);
}

/// What went wrong, if anything did.
static std::string writeFile(const std::string &path, const std::string &bytes) {
  Error error = writeToOutput(path, [&](raw_ostream &os) {
    os << bytes;
    return Error::success();
  });
  return error ? "NEREID_RECORD_CUDA: '" + path + "' cannot be written: " + toString(std::move(error)) : "";
}

std::string recordLaunch(CompileRequest request, const std::vector<RecordedArgument> &arguments,
                         std::array<uint32_t, 3> grid) {
  std::string name = nextCaseName();
  const char *target = getenv("NEREID_RECORD_TARGET");
  Diagnostics diagnostics;
  request.target = cantFail(Target::parse(target ? target : "cuda:90a"));
  request.emit.reset();
  request.useTensorMaps = false; // only a library makes them
  if (const char *numCTAs = getenv("NEREID_RECORD_CTAS"))
    StringRef(numCTAs).getAsInteger(10, request.numCTAs);
  // The signature's text belongs to the caller's diagnostics.
  std::optional<CompileResult> result = compile(request, diagnostics);
  std::string messages;
  raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  if (!result)
    return "for the GPU: " + messages;

  std::string data;
  auto add = [&](const std::string &bytes) {
    nlohmann::json range = {data.size(), bytes.size()};
    data += bytes;
    return range;
  };
  // How exactly f32 is multiplied: as tf32 where an instruction of the matrix unit says so.
  bool usesTF32 = any_of(result->images, [](const Image &image) {
    return image.kind == Stage::PTX && StringRef(image.bytes).contains(".tf32");
  });
  nlohmann::json document = {{"name", name},
                             {"symbol", result->info.symbol},
                             {"precision", usesTF32 ? "tf32" : "ieee"},
                             {"grid", grid},
                             {"cluster", result->info.numCTAs},
                             {"threads", result->info.countThreads()},
                             {"shared", result->info.sharedBytes},
                             {"image", add(result->images.front().bytes)},
                             {"arguments", nlohmann::json::array()}};
  for (const RecordedArgument &argument : arguments) {
    nlohmann::json entry = {{"name", argument.name}, {"type", getScalarName(argument.element).str()}};
    if (argument.isPointer) {
      entry["before"] = add(argument.before);
      entry["after"] = add(argument.after);
    } else {
      entry["bits"] = argument.bits;
    }
    document["arguments"].push_back(std::move(entry));
  }
  std::string path = std::string(getRecordingFolder()) + "/" + name;
  std::string problem = writeFile(path + ".bin", data);
  return problem.empty() ? writeFile(path + ".json", document.dump(1) + "\n") : problem;
}

} // namespace nereid::test
