// Every field of CompileRequest is here. Each is written with its length, so that no two requests are written
// alike.
#include "aot/cache/RequestKey.h"

#include "aot/cache/ToolIdentity.h"
#include "compiler/model/FilesRead.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nereid {

/// Raised when entries of before must not be found again.
static constexpr unsigned keyVersion = 1;

namespace {

class KeyText {
public:
  void add(StringRef field) { text += utostr(field.size()) + ":" + field.str() + ","; }
  void add(uint64_t number) { add(utostr(number)); }
  template <typename T> void add(const std::optional<T> &number) {
    if (number)
      add(uint64_t(*number));
    else
      add("none");
  }

  std::string text;
};

} // namespace

std::optional<std::string> makeRequestKey(const CompileRequest &request, StringRef sourceDigest,
                                          const MovablePaths &paths) {
  std::optional<std::string> toolkit = getToolkitIdentity(request.target.backend);
  if (!toolkit)
    return std::nullopt;
  KeyText key;
  key.add(uint64_t(keyVersion));
  key.add(getOwnIdentity());
  key.add(*toolkit);
  // Of an absolute path only the file's name counts: what the folders add is asked for (FilesRead).
  key.add(sys::path::is_absolute(request.sourcePath) ? "/" + sys::path::filename(request.sourcePath).str()
                                                     : request.sourcePath);
  key.add(sourceDigest);
  key.add(request.kernel);
  key.add(uint64_t(request.specialization.named));
  key.add(request.specialization.parameters.size());
  key.add(request.specialization.str());
  key.add(request.target.str());
  key.add(uint64_t(request.target.warpSize));
  key.add(uint64_t(request.numWarps));
  // That it was given at all is asked of IR with layouts.
  key.add(uint64_t(request.numWarpsRange.isValid()));
  key.add(uint64_t(request.numStages));
  key.add(uint64_t(request.numCTAs));
  key.add(uint64_t(request.numCTAsRange.isValid()));
  key.add(request.maxRegisters);
  key.add(uint64_t(request.useTensorMaps));
  key.add(uint64_t(request.isCooperative));
  key.add(uint64_t(request.overlapsWithLast));
  key.add(request.warpSpecialize);
  key.add(request.wavesPerEU);
  key.add(request.importPaths.size());
  for (const std::string &path : request.importPaths)
    key.add(paths.fold(path));
  key.add(uint64_t(request.debug));
  key.add(uint64_t(request.sourceInfo.lineTables));
  key.add(request.sourceInfo.prefixMap.size());
  for (const auto &[prefix, replacement] : request.sourceInfo.prefixMap) {
    key.add(prefix);
    key.add(replacement);
  }
  key.add(request.definitions.size());
  for (const Definition &definition : request.definitions)
    key.add(definition.str());
  key.add(request.compileLimit);
  key.add(request.emit ? getStageName(*request.emit) : "");
  // Stages that are kept on the way are not: whoever wants them compiles.
  key.add(uint64_t(request.mapsStages));
  key.add(request.keptStages.size());
  return toHex(digestOf(key.text), /*LowerCase=*/true);
}

std::string describePlaces(const CompileRequest &request, const Diagnostics &diagnostics) {
  Diagnostics places(diagnostics);
  auto add = [&](SMRange range) {
    if (range.isValid())
      places.note(range, "");
  };
  for (SMRange range : {request.sourceRange, request.kernelRange, request.numWarpsRange, request.numCTAsRange,
                        request.specialization.range})
    add(range);
  for (const ParameterSpec &parameter : request.specialization.parameters)
    add(parameter.range);
  for (const Definition &definition : request.definitions)
    add(definition.range);
  return join(places.takeTexts(), "");
}

} // namespace nereid
