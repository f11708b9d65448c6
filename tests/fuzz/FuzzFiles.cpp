// Files that are not programs: the first byte says whether the rest is a manifest, an array, a kernel
// object, a file of cases for `nereid tune`, or one of its results.
//
// A kernel object whose checksum does not match is refused before anything in it is looked at, so that no
// mutation of one gets far. Here the input is what the checksum protects instead, the JSON up to a NUL and
// then the image, and is packed as `nereid compile` packs it, with the checksum that it takes.
#include "aot/Manifest.h"
#include "aot/Npy.h"
#include "aot/tuning/TuningPage.h"
#include "aot/tuning/TuningPlan.h"
#include "linker/DispatchPlan.h"
#include "linker/KernelObject.h"
#include "linker/LibraryManifest.h"
#include "linker/TuningResults.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace nereid;

static std::string writeTemporary(llvm::StringRef text) {
  static const std::string path = "/tmp/nereid-fuzz-" + std::to_string(getpid()) + ".json";
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
  return path;
}

static void readAsManifest(llvm::StringRef text, Diagnostics &diagnostics) {
  readManifest(writeTemporary(text), diagnostics);
}

/// Cases for a library with a function that takes one argument of each kind.
static void readAsCases(llvm::StringRef text, Diagnostics &diagnostics) {
  using Kind = TunableArgument::Kind;
  TunableFunction function;
  function.name = "f";
  for (auto [name, kind, element] : {std::tuple("x", Kind::Pointer, ScalarKind::FP32),
                                     {"n", Kind::Number, ScalarKind::Int32},
                                     {"e", Kind::Number, ScalarKind::FP32},
                                     {"t", Kind::Text, ScalarKind::Int32},
                                     {"d", Kind::DType, ScalarKind::Int32},
                                     {"o", Kind::OptionalInteger, ScalarKind::Int64}}) {
    TunableArgument &argument = function.arguments.emplace_back();
    argument.name = name;
    argument.kind = kind;
    argument.element = element;
  }
  auto groups = readTuningCases(writeTemporary(text), diagnostics);
  if (!groups)
    return;
  auto tasks = planTuning(*groups, function, {0, 3}, diagnostics);
  if (!tasks)
    return;
  for (const TuningTask &task : *tasks)
    for (const auto &[name, argument] : task.group->arguments)
      for (const auto &length : argument.shape)
        llvm::consumeError(evaluate(*length, task).takeError());
}

static void readAsResults(llvm::StringRef text) {
  auto measurements = parseTuningResults(text, "r.json");
  if (!measurements)
    return llvm::consumeError(measurements.takeError());
  // What was understood can be written, and is the same when it is read again.
  std::string printed = printTuningResults(*measurements);
  if (printTuningResults(llvm::cantFail(parseTuningResults(printed, "r.json"))) != printed)
    abort();
  drawTuningPage(*measurements);
  std::vector<Measurement> twice = *measurements;
  mergeTuningResults(twice, *measurements);
}

static void readAsArray(llvm::StringRef bytes) {
  llvm::Expected<NpyArray> array = parseNpy(bytes, "x.npy");
  if (!array)
    return llvm::consumeError(array.takeError());
  // What was understood can be written, and is the same when it is read again.
  NpyArray again = llvm::cantFail(parseNpy(printNpy(*array), "x.npy"));
  if (again.dtype != array->dtype || again.shape != array->shape || again.bytes != array->bytes)
    abort();
}

static void readAsKernelObject(llvm::StringRef input, Diagnostics &diagnostics) {
  auto [metadata, image] = input.split('\0');
  llvm::object::OffloadBinary::OffloadingImage offload;
  std::string text = metadata.str(), code = image.str();
  std::string checksum = llvm::utohexstr(
      llvm::crc32(llvm::crc32(0, llvm::arrayRefFromStringRef(text)), llvm::arrayRefFromStringRef(code)));
  offload.TheImageKind = llvm::object::IMG_Object;
  offload.TheOffloadKind = llvm::object::OFK_None;
  offload.StringData["nereid"] = text;
  offload.StringData["nereid.crc32"] = checksum;
  offload.Image = llvm::MemoryBuffer::getMemBuffer(code, "", /*RequiresNullTerminator=*/false);
  std::string bytes = llvm::object::OffloadBinary::write(offload).str().str();
  llvm::Expected<KernelObject> object = parseKernelObject(bytes, "x.nko");
  if (!object)
    return llvm::consumeError(object.takeError());
  describeKernelObject(*object);
  if (auto plan = planDispatch(*object, "lib", diagnostics))
    describeLibrary(*plan, {}, /*withStages=*/true);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef input(reinterpret_cast<const char *>(data), size);
  if (input.empty())
    return 0;
  Diagnostics diagnostics;
  switch (input[0] % 5) {
  case 0:
    readAsManifest(input.drop_front(), diagnostics);
    break;
  case 1:
    readAsArray(input.drop_front());
    break;
  case 3:
    readAsCases(input.drop_front(), diagnostics);
    break;
  case 4:
    readAsResults(input.drop_front());
    break;
  default:
    readAsKernelObject(input.drop_front(), diagnostics);
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  return 0;
}
