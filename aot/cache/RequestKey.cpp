// Every field of CompileRequest is here, but for places. Each is written with its length, so that no two
// requests are written alike.
#include "aot/cache/RequestKey.h"

#include "aot/cache/Fingerprint.h"
#include "aot/cache/ToolIdentity.h"

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
  // Taken apart by name, so that a field that is added to the request is missed here by the compiler.
  const auto &[sourcePath, kernel, sourceRange, kernelRange, numWarpsRange, numCTAsRange, specialization,
               target, numWarps, numStages, numCTAs, maxRegisters, useTensorMaps, hasExactWarps,
               hasExactStages, isCooperative, overlapsWithLast, warpSpecialize, form, wavesPerEU, importPaths,
               debug, sourceInfo, definitions, compileLimit, emit, keptStages, mapsStages] = request;
  const auto &[lineTables, prefixMap] = sourceInfo;
  KeyText key;
  key.add(uint64_t(keyVersion));
  key.add(getOwnIdentity());
  key.add(*toolkit);
  // Of an absolute path only the file's name counts: what the folders add is asked for (FilesRead).
  key.add(sys::path::is_absolute(sourcePath) ? "/" + sys::path::filename(sourcePath).str() : sourcePath);
  key.add(sourceDigest);
  key.add(kernel);
  key.add(uint64_t(specialization.named));
  key.add(specialization.parameters.size());
  key.add(specialization.str());
  key.add(target.str());
  key.add(uint64_t(target.warpSize));
  key.add(uint64_t(numWarps));
  // That it was given at all is asked of IR with layouts.
  key.add(uint64_t(numWarpsRange.isValid()));
  key.add(uint64_t(numStages));
  key.add(uint64_t(numCTAs));
  key.add(uint64_t(numCTAsRange.isValid()));
  key.add(maxRegisters);
  key.add(uint64_t(useTensorMaps));
  key.add(uint64_t(hasExactWarps));
  key.add(uint64_t(hasExactStages));
  key.add(uint64_t(isCooperative));
  key.add(uint64_t(overlapsWithLast));
  key.add(warpSpecialize);
  key.add(uint64_t(form));
  key.add(wavesPerEU);
  key.add(importPaths.size());
  for (const std::string &path : importPaths)
    key.add(paths.fold(path));
  key.add(uint64_t(debug));
  key.add(uint64_t(lineTables));
  key.add(prefixMap.size());
  for (const auto &[prefix, replacement] : prefixMap) {
    key.add(prefix);
    key.add(replacement);
  }
  key.add(definitions.size());
  for (const Definition &definition : definitions)
    key.add(definition.str());
  key.add(compileLimit);
  key.add(emit ? getStageName(*emit) : "");
  key.add(uint64_t(mapsStages));
  key.add(keptStages.size());
  for (Stage stage : keptStages)
    key.add(getStageName(stage));
  return toHex(fingerprintOf(key.text), /*LowerCase=*/true);
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
