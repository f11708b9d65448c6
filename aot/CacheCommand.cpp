// nereid cache: shows, trims and clears what compile, build and run keep for the next time.
#include "aot/Commands.h"
#include "aot/cache/CacheFolder.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"
#include "nlohmann/json.hpp"

using namespace llvm;

namespace nereid {

namespace {

struct CacheOptions {
  bool asJson = false;
  std::string size;
};

std::string describeBytes(uint64_t bytes) {
  static constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double number = double(bytes);
  unsigned unit = 0;
  for (; number >= 1024 && unit < 4; ++unit)
    number /= 1024;
  std::string text;
  raw_string_ostream(text) << format(unit == 0 ? "%.0f" : "%.1f", number) << ' ' << units[unit];
  return text;
}

/// The cache, or nothing after saying why there is none.
std::optional<CacheFolder> openCache() {
  Expected<CacheSettings> settings = CacheSettings::fromEnvironment();
  if (!settings) {
    errs() << "nereid: error: " << toString(settings.takeError()) << '\n';
    return std::nullopt;
  }
  return CacheFolder(std::move(*settings));
}

int show(const CacheOptions &options) {
  std::optional<CacheFolder> cache = openCache();
  if (!cache)
    return 1;
  const CacheSettings &settings = cache->getSettings();
  bool isOn = !settings.folder.empty();
  CacheFolder::Contents contents;
  if (isOn)
    contents = cache->getContents();
  if (options.asJson) {
    nlohmann::ordered_json json = {{"enabled", isOn}};
    if (isOn)
      json.update({{"folder", settings.folder},
                   {"entries", contents.entries},
                   {"bytes", contents.bytes},
                   {"max_bytes", settings.mostBytes},
                   {"read_only", settings.isReadOnly},
                   {"hits", contents.hits},
                   {"misses", contents.misses}});
    else
      json["reason"] = settings.whyNone;
    outs() << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    return 0;
  }
  if (!isOn) {
    outs() << "There is no cache: " << settings.whyNone << ".\n";
    return 0;
  }
  outs() << "folder   " << settings.folder << (settings.isReadOnly ? " (only read)" : "") << '\n'
         << "entries  " << contents.entries << '\n'
         << "size     " << describeBytes(contents.bytes) << " of at most "
         << describeBytes(settings.mostBytes) << '\n'
         << "hits     " << contents.hits << '\n'
         << "misses   " << contents.misses << '\n';
  return 0;
}

/// Does something to the entries, and says what is left.
int change(bool isClearing, StringRef size) {
  std::optional<CacheFolder> cache = openCache();
  if (!cache)
    return 1;
  const CacheSettings &settings = cache->getSettings();
  if (settings.folder.empty()) {
    errs() << "nereid: error: there is no cache: " << settings.whyNone << '\n';
    return 1;
  }
  uint64_t most = size.empty() ? settings.mostBytes : parseSize(size).value_or(settings.mostBytes);
  CacheFolder::Contents before = cache->getContents();
  if (Error error = isClearing ? cache->clear() : cache->trim(most)) {
    errs() << "nereid: error: cannot remove entries from '" << settings.folder
           << "': " << toString(std::move(error)) << '\n';
    return 1;
  }
  CacheFolder::Contents after = cache->getContents();
  outs() << "removed " << before.entries - std::min(before.entries, after.entries) << " of " << before.entries
         << " entries; " << describeBytes(after.bytes) << " are left\n";
  return 0;
}

} // namespace

void addCacheCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<CacheOptions>();
  auto *command = app.add_subcommand(
      "cache", "Show where compiled kernels are kept for the next time, and how many; trim or clear that");
  command->add_flag("--json", options->asJson, "Show it as JSON");
  command->require_subcommand(0, 1);
  auto *trim = command->add_subcommand("trim", "Remove entries, those that were not used for longest first");
  trim->add_option("--size", options->size,
                   "Until the rest has at most this size, 500M or 5G [NEREID_CACHE_SIZE, or 5G]")
      ->check(checkSize);
  auto *clear = command->add_subcommand("clear", "Remove all entries");
  command->final_callback([&action, options, trim, clear] {
    if (trim->parsed())
      action = [options] { return change(/*isClearing=*/false, options->size); };
    else if (clear->parsed())
      action = [] { return change(/*isClearing=*/true, ""); };
    else
      action = [options] { return show(*options); };
  });
}

} // namespace nereid
