// A compilation is asked for twice: by its key, which gives an entry, and by the conditions of the entry's
// results, of which the first that holds now is taken. What the source's files contain is read once in a
// process. If a file changes meanwhile, the compiler may have read something else than its digest here says:
// such a result is kept under what the compiler read, or not at all.
#include "aot/cache/CompileCache.h"

#include "aot/ImageStages.h"
#include "aot/cache/Fingerprint.h"
#include "aot/cache/PatientCalls.h"
#include "aot/cache/RequestKey.h"
#include "compiler/model/InputFile.h"
#include "linker/KernelObject.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "nlohmann/json.hpp"

#include <chrono>

using namespace llvm;
using Json = nlohmann::json;

namespace nereid {

//===----------------------------------------------------------------------===//
// Results as bytes
//===----------------------------------------------------------------------===//

/// A kernel object with nothing but the code: what else one says comes from the command line each time. Empty
/// where it does not read back as the same.
static std::string toObjectBytes(const CompileRequest &request, const CompileResult &result) {
  KernelObject object;
  object.function = "kernel";
  auto add = [&](const KernelInfo &info, ArrayRef<Image> images, FormUse use) {
    TargetCode &code = object.targets.emplace_back();
    code.target = request.target;
    code.use = use;
    code.info = info;
    for (const Image &image : images)
      code.images.push_back({toImageFormat(image.kind), image.bytes});
  };
  add(result.info, result.images, FormUse::Other);
  for (const KernelForm &form : result.otherForms)
    add(form.info, form.images, form.use);
  std::string bytes = serializeKernelObject(object);
  Expected<KernelObject> again = parseKernelObject(bytes, "");
  if (!again) {
    consumeError(again.takeError());
    return "";
  }
  return serializeKernelObject(*again) == bytes ? bytes : "";
}

static std::optional<CompileResult> fromObjectBytes(StringRef bytes) {
  Expected<KernelObject> object = parseKernelObject(bytes, "");
  if (!object) {
    consumeError(object.takeError());
    return std::nullopt;
  }
  CompileResult result;
  for (auto [index, code] : enumerate(object->targets)) {
    if (code.isOtherForm() != (index > 0))
      return std::nullopt;
    std::vector<Image> images;
    for (KernelImage &image : code.images)
      images.push_back({toStage(image.format), std::move(image.bytes)});
    if (code.isOtherForm()) {
      result.otherForms.push_back({code.use, std::move(code.info), std::move(images)});
      continue;
    }
    result.info = std::move(code.info);
    result.images = std::move(images);
  }
  return result;
}

/// Whether the request is for stages, not for what goes into a kernel object.
static bool asksForStages(const CompileRequest &request) {
  return request.emit || !request.keptStages.empty();
}

/// Of the stages what was asked for. Of all else that is known of the kernel only what those ask who keep
/// stages.
static std::string toStageBytes(const CompileResult &result) {
  Json stages = Json::array();
  for (const StageRecord &stage : result.stages) {
    Json lines = Json::array();
    for (const auto &places : stage.map.getLines()) {
      Json line = Json::array();
      for (const LineMap::Place &place : places)
        line.push_back({place.file, place.line});
      lines.push_back(std::move(line));
    }
    stages.push_back({{"stage", getStageName(stage.stage).str()},
                      {"text", stage.text},
                      {"files", stage.map.getFiles()},
                      {"lines", std::move(lines)}});
  }
  std::string bytes;
  Json::to_cbor({{"output", result.stageOutput},
                 {"stages", std::move(stages)},
                 {"worker warps", result.info.numWorkerWarps}},
                bytes);
  return bytes;
}

static std::optional<CompileResult> fromStageBytes(const std::string &bytes) {
  CompileResult result;
  try {
    Json json = Json::from_cbor(bytes);
    result.stageOutput = json.at("output").get<std::string>();
    result.info.numWorkerWarps = json.at("worker warps").get<unsigned>();
    for (const Json &stored : json.at("stages")) {
      StageRecord record;
      std::optional<Stage> stage = parseStage(stored.at("stage").get<std::string>());
      if (!stage)
        return std::nullopt;
      record.stage = *stage;
      record.text = stored.at("text").get<std::string>();
      auto files = stored.at("files").get<std::vector<std::string>>();
      std::vector<std::vector<LineMap::Place>> lines;
      for (const Json &places : stored.at("lines")) {
        lines.emplace_back();
        for (const Json &place : places)
          lines.back().push_back({place.at(0).get<unsigned>(), place.at(1).get<unsigned>()});
      }
      record.map = LineMap(std::move(files), std::move(lines));
      result.stages.push_back(std::move(record));
    }
  } catch (const std::exception &) {
    return std::nullopt;
  }
  return result;
}

static std::string getCurrentFolder() {
  SmallString<128> path;
  return sys::fs::current_path(path) ? "" : path.str().str();
}

/// Whether a message points to a place, which may be in a manifest or on the command line.
static bool hasPlace(StringRef message) { return !message.starts_with("nereid: "); }

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static std::vector<std::string> foldAll(const MovablePaths &paths, ArrayRef<std::string> texts) {
  std::vector<std::string> folded;
  for (const std::string &text : texts)
    folded.push_back(paths.fold(text));
  return folded;
}

/// Under which conditions a compilation that asked for these files has this result.
static ResultConditions makeConditions(const CompileRequest &request, const Diagnostics &diagnostics,
                                       const MovablePaths &paths, const FilesRead &files,
                                       const StoredResult &result) {
  auto isWritten = [&](StringRef text) {
    return !text.empty() &&
           (StringRef(result.object).contains(text) || StringRef(result.misfit).contains(text) ||
            any_of(result.messages, [&](StringRef message) { return message.contains(text); }));
  };
  ResultConditions conditions;
  for (const FilesRead::File &file : files.getFiles()) {
    // Line tables write a path in pieces.
    bool isSpelled = request.sourceInfo.lineTables || isWritten(file.path) ||
                     isWritten(request.sourceInfo.getPath(file.path));
    conditions.files.push_back({paths.fold(file.path), file.digest, isSpelled ? file.path : ""});
  }
  for (const std::string &path : files.getMissed())
    conditions.missed.push_back(paths.fold(path));
  for (const std::string &folder : files.getPackages())
    conditions.packages.push_back({paths.fold(folder), sys::path::filename(folder).str()});
  for (const FilesRead::Search &search : files.getSearches())
    conditions.searches.push_back({search.name, paths.fold(search.folder), foldAll(paths, search.parents)});
  if (any_of(result.messages, hasPlace))
    conditions.places = describePlaces(request, diagnostics);
  if (std::string current = getCurrentFolder(); isWritten(current))
    conditions.currentFolder = current;
  conditions.hasMessages = !result.messages.empty();
  return conditions;
}

static bool treatsWarningsAsErrors(const Diagnostics &diagnostics) {
  Diagnostics probe(diagnostics);
  probe.warning("");
  return probe.hasErrors();
}

bool CompileCache::filesHold(const ResultConditions &conditions, const MovablePaths &paths) {
  for (const auto &search : conditions.searches) {
    auto folder = paths.unfold(search.folder);
    if (!folder || foldAll(paths, findParentsOf(search.name, *folder)) != search.parents)
      return false;
  }
  for (const auto &file : conditions.files) {
    auto path = paths.unfold(file.path);
    if (!path || (!file.spelled.empty() && *path != file.spelled) || getDigest(*path) != file.digest)
      return false;
  }
  for (const std::string &missed : conditions.missed)
    if (auto path = paths.unfold(missed); !path || isFile(*path))
      return false;
  for (const auto &package : conditions.packages) {
    auto folder = paths.unfold(package.folder);
    if (!folder || sys::path::filename(*folder) != package.name || !isFile(FilesRead::getMarker(*folder)))
      return false;
  }
  return true;
}

bool CompileCache::holds(const ResultConditions &conditions, const CompileRequest &request,
                         const Diagnostics &diagnostics, const MovablePaths &paths) {
  if (conditions.hasMessages && treatsWarningsAsErrors(diagnostics))
    return false;
  return filesHold(conditions, paths) &&
         (conditions.places.empty() || conditions.places == describePlaces(request, diagnostics)) &&
         (conditions.currentFolder.empty() || conditions.currentFolder == getCurrentFolder());
}

std::string CompileCache::getDigest(const std::string &path) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto known = digests.find(path);
    if (known != digests.end())
      return known->second;
  }
  std::string digest;
  if (auto buffer = readInputFile(path, largestText))
    digest = digestOf((*buffer)->getBuffer());
  else
    consumeError(buffer.takeError());
  std::lock_guard<std::mutex> lock(mutex);
  return digests.try_emplace(path, std::move(digest)).first->second;
}

//===----------------------------------------------------------------------===//
// Asking the folder
//===----------------------------------------------------------------------===//

bool CompileCache::ask(std::function<void(const CacheFolder &)> work, unsigned patience) {
  std::chrono::seconds timeout(uint64_t(folder->getSettings().timeout) * patience);
  if (timeout.count() == 0)
    place = Place::Here;
  if (place == Place::Here) {
    work(*folder);
    return true;
  }
  if (place == Place::Lost)
    return false;
  // Whether the folder is here must be asked with as much care, and that goes with the first question.
  auto isHere = std::make_shared<std::atomic<bool>>(false);
  bool isKnown = place != Place::Unknown;
  auto ask = [folder = folder, work = std::move(work), isHere, isKnown] {
    if (!isKnown)
      *isHere = isOnThisMachine(folder->getSettings().folder);
    work(*folder);
  };
  if (endsWithin(timeout, std::move(ask))) {
    Place unknown = Place::Unknown;
    if (!isKnown)
      place.compare_exchange_strong(unknown, *isHere ? Place::Here : Place::Elsewhere);
    return true;
  }
  if (place.exchange(Place::Lost) != Place::Lost) {
    std::lock_guard<std::mutex> lock(mutex);
    problem = "the cache folder '" + folder->getSettings().folder + "' does not answer within " +
              utostr(timeout.count()) + " s; the build goes on without it";
  }
  return false;
}

std::unique_ptr<MemoryBuffer> CompileCache::read(StringRef key) {
  auto buffer = std::make_shared<std::unique_ptr<MemoryBuffer>>();
  bool isAnswered = ask([key = key.str(), buffer](const CacheFolder &folder) { *buffer = folder.read(key); });
  return isAnswered ? std::move(*buffer) : nullptr;
}

void CompileCache::touch(StringRef key) {
  ask([key = key.str()](const CacheFolder &folder) { folder.touch(key); });
}

void CompileCache::remove(StringRef key) {
  if (!folder->getSettings().isReadOnly)
    ask([key = key.str()](const CacheFolder &folder) { folder.remove(key); });
}

//===----------------------------------------------------------------------===//
// Finding and storing
//===----------------------------------------------------------------------===//

std::optional<CompileCache::Hit> CompileCache::find(const CompileRequest &request,
                                                    const Diagnostics &diagnostics, const MovablePaths &paths,
                                                    StringRef key) {
  std::unique_ptr<MemoryBuffer> buffer = read(key);
  if (!buffer)
    return std::nullopt;
  std::optional<CacheEntry> entry = CacheEntry::parse(buffer->getBuffer(), key);
  std::optional<StoredResult> stored;
  const ResultConditions *conditions = nullptr;
  for (size_t i = 0; entry && i < entry->size() && !conditions; ++i)
    if (holds(entry->getConditions(i), request, diagnostics, paths)) {
      conditions = &entry->getConditions(i);
      stored = entry->getResult(i);
    }
  if (entry && !conditions)
    return std::nullopt;
  Hit hit;
  if (stored && stored->object.empty())
    hit.misfit.reason = stored->misfit;
  else if (stored)
    hit.result = asksForStages(request) ? fromStageBytes(stored->object) : fromObjectBytes(stored->object);
  if (!hit.result && hit.misfit.reason.empty()) {
    // Damaged: what is compiled now takes its place.
    remove(key);
    return std::nullopt;
  }
  FilesRead &files = hit.result ? hit.result->files : hit.misfit.files;
  for (const auto &file : conditions->files)
    files.add(*paths.unfold(file.path), file.digest);
  hit.messages = std::move(stored->messages);
  touch(key);
  return hit;
}

/// Whether it says nothing of value that a folder which nobody asked for cannot be written to.
static bool isUsual(std::error_code code) {
  return code == std::errc::permission_denied || code == std::errc::read_only_file_system ||
         code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory ||
         code == std::errc::operation_not_permitted;
}

void CompileCache::store(StringRef key, ResultConditions conditions, const StoredResult &result) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (cannotWrite)
      return;
  }
  CacheEntry entry;
  if (auto buffer = read(key))
    if (auto known = CacheEntry::parse(buffer->getBuffer(), key))
      entry = std::move(*known);
  entry.add(std::move(conditions), result);
  auto bytes = std::make_shared<const std::string>(entry.serialize(key));
  auto outcome = std::make_shared<std::error_code>();
  if (!ask([key = key.str(), bytes, outcome](const CacheFolder &folder) {
        *outcome = errorToErrorCode(folder.write(key, *bytes));
      }))
    return;
  std::error_code code = *outcome;
  if (!code) {
    stored += bytes->size();
    return;
  }
  std::lock_guard<std::mutex> lock(mutex);
  // If there is no place for one result, there is hardly any for the next; and to try may take long.
  cannotWrite = true;
  if (folder->getSettings().isNamed || !isUsual(code))
    problem = "cannot write to the cache folder '" + folder->getSettings().folder + "': " + code.message() +
              "; what was compiled is not kept for the next time";
}

std::optional<CompileResult> CompileCache::compile(const CompileRequest &request, Diagnostics &diagnostics,
                                                   Misfit &misfit, std::vector<std::string> &messages,
                                                   function_ref<std::optional<CompileResult>()> compileNow) {
  auto start = std::chrono::steady_clock::now();
  std::string digest = getDigest(request.sourcePath);
  MovablePaths paths(request.sourcePath);
  std::optional<std::string> key;
  // What is counted are images.
  const bool isCounted = !asksForStages(request);
  if (!digest.empty())
    key = makeRequestKey(request, digest, paths);
  if (key)
    if (std::optional<Hit> hit = find(request, diagnostics, paths, *key)) {
      hits += isCounted;
      append_range(messages, hit->messages);
      misfit = std::move(hit->misfit);
      if (hit->result)
        hit->result->timings.push_back(
            {"read from the cache",
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
      return std::move(hit->result);
    }
  std::optional<CompileResult> result = compileNow();
  StoredResult stored;
  stored.messages = diagnostics.takeTexts();
  append_range(messages, stored.messages);
  if (!key)
    return result;
  const FilesRead &files = result ? result->files : misfit.files;
  // Another process that compiles it counts it, too.
  if (isCounted && !files.getFiles().empty())
    ++misses;
  bool isWhatWasAskedFor = !files.getFiles().empty() && files.getFiles().front().digest == digest;
  if (folder->getSettings().isReadOnly || !isWhatWasAskedFor || (!result && misfit.reason.empty()))
    return result;
  // Messages about IR show lines of the files that it came from, which nobody wrote down.
  StringRef extension = sys::path::extension(request.sourcePath);
  if (!stored.messages.empty() && extension != ".py" && extension != ".tc")
    return result;
  // With --werror there would be another message the next time.
  if (!result && treatsWarningsAsErrors(diagnostics))
    return result;
  if (result)
    stored.object = asksForStages(request) ? toStageBytes(*result) : toObjectBytes(request, *result);
  else
    stored.misfit = misfit.reason;
  if (!stored.object.empty() || !stored.misfit.empty())
    store(*key, makeConditions(request, diagnostics, paths, files, stored), stored);
  return result;
}

/// Paths of a tool's files mean the same for every source.
static const MovablePaths &getFixedPaths() {
  static const MovablePaths paths("/nereid");
  return paths;
}

static std::string makeToolKey(const ToolQuestion &question) {
  return toHex(fingerprintOf(("tool 1;" + question.getText()).str()), /*LowerCase=*/true);
}

std::optional<std::string> CompileCache::find(const ToolQuestion &question) {
  std::string key = makeToolKey(question);
  std::unique_ptr<MemoryBuffer> buffer = read(key);
  if (!buffer)
    return std::nullopt;
  std::optional<CacheEntry> entry = CacheEntry::parse(buffer->getBuffer(), key);
  for (size_t i = 0; entry && i < entry->size(); ++i) {
    if (!filesHold(entry->getConditions(i), getFixedPaths()))
      continue;
    if (std::optional<StoredResult> stored = entry->getResult(i)) {
      touch(key);
      return std::move(stored->object);
    }
    entry.reset();
  }
  if (!entry)
    remove(key);
  return std::nullopt;
}

void CompileCache::keep(const ToolQuestion &question, ArrayRef<std::string> filesRead, StringRef answer) {
  if (folder->getSettings().isReadOnly)
    return;
  ResultConditions conditions;
  for (const std::string &path : filesRead) {
    std::string digest = getDigest(path);
    if (digest.empty())
      return;
    conditions.files.push_back({getFixedPaths().fold(path), digest, ""});
  }
  StoredResult result;
  result.object = answer.str();
  store(makeToolKey(question), std::move(conditions), result);
}

std::string CompileCache::finish() {
  auto isTrimDue = std::make_shared<bool>(false);
  bool isAnswered =
      ask([hits = hits.exchange(0), misses = misses.exchange(0), stored = stored.exchange(0),
           isTrimDue](const CacheFolder &folder) { *isTrimDue = folder.count(hits, misses, stored); });
  // Asks for each of many entries.
  if (isAnswered && *isTrimDue)
    ask([](const CacheFolder &folder) { consumeError(folder.trim()); }, /*patience=*/60);
  std::lock_guard<std::mutex> lock(mutex);
  return std::move(problem);
}

//===----------------------------------------------------------------------===//
// The process's cache
//===----------------------------------------------------------------------===//

static std::unique_ptr<CompileCache> &getProcessCache() {
  static std::unique_ptr<CompileCache> cache;
  return cache;
}

Error enableCompileCache() {
  Expected<CacheSettings> settings = CacheSettings::fromEnvironment();
  if (!settings)
    return settings.takeError();
  if (!settings->folder.empty())
    getProcessCache() = std::make_unique<CompileCache>(std::move(*settings));
  ToolMemory::set(getProcessCache().get());
  return Error::success();
}

void finishCompileCache() {
  if (!getProcessCache())
    return;
  std::string problem = getProcessCache()->finish();
  // Not a warning of the input, which --werror would make an error of.
  if (!problem.empty())
    errs() << "nereid: warning: " << problem << '\n';
}

std::optional<CompileResult> compileThroughCache(const CompileRequest &request, Diagnostics &diagnostics,
                                                 Misfit &misfit, std::vector<std::string> &messages,
                                                 function_ref<std::optional<CompileResult>()> compileNow) {
  if (auto &cache = getProcessCache())
    return cache->compile(request, diagnostics, misfit, messages, compileNow);
  std::optional<CompileResult> result = compileNow();
  append_range(messages, diagnostics.takeTexts());
  return result;
}

} // namespace nereid
