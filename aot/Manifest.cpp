// Key by key, over CheckedJson.
#include "aot/Manifest.h"

#include "aot/CheckedJson.h"
#include "aot/ImportPath.h"
#include "linker/CNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using nlohmann::json;

namespace nereid {

namespace {

class ManifestReader {
public:
  ManifestReader(StringRef path, CheckedJson &file, Diagnostics &diagnostics)
      : path(path), file(file), diagnostics(diagnostics) {}

  std::optional<Manifest> read() {
    const json &document = file.getDocument();
    Manifest manifest;
    if (!expectObject(document, "", {"$schema",      "name",        "kind",         "targets",
                                     "import_paths", "definitions", "debug",        "debug_info",
                                     "tensor_maps",  "exact_warps", "exact_stages", "launch_cooperative_grid",
                                     "launch_pdl",   "prefix_map",  "tuning",       "compress",
                                     "stages",       "optional",    "recorded",     "kernels"}))
      return std::nullopt;
    if (document.contains("recorded") && !document["recorded"].is_object())
      return fail("/recorded", "expected \"recorded\", an object"), std::nullopt;
    if (document.contains("$schema") && !document["$schema"].is_string())
      return fail("/$schema", "expected \"$schema\", a string: where the schema is, for editors"),
             std::nullopt;
    if (!readString(document, "", "name", manifest.name))
      return std::nullopt;
    if (std::string reason = whyNotALibraryName(manifest.name); !reason.empty())
      return fail("/name", reason), std::nullopt;
    manifest.placedName = view(document["name"], "/name");
    if (!readKind(document, manifest) || !readPaths(document, manifest) || !readTuning(document, manifest) ||
        !readPacking(document, manifest))
      return std::nullopt;
    if (!document.contains("kernels") || !document["kernels"].is_array() || document["kernels"].empty())
      return fail(document.contains("kernels") ? "/kernels" : "",
                  "expected \"kernels\", a list with a kernel or more"),
             std::nullopt;
    std::vector<StringRef> targets;
    if (document.contains("targets") && !readStrings(document["targets"], "/targets", targets))
      return std::nullopt;
    if (document.contains("prefix_map") &&
        !readStrings(document["prefix_map"], "/prefix_map", manifest.prefixMap))
      return std::nullopt;
    ManifestKernel defaults;
    if (!readFlags(document, "", defaults) || !readDefinitions(document, "", common) ||
        !readFlag(document, "", "optional", areOptional))
      return std::nullopt;
    for (size_t i = 0; i < document["kernels"].size(); ++i)
      if (!readKernel(document["kernels"][i], "/kernels/" + std::to_string(i), targets, defaults, manifest))
        return std::nullopt;
    return manifest;
  }

private:
  bool fail(StringRef pointer, const Twine &message) { return file.fail(pointer, message); }

  bool expectObject(const json &value, const std::string &pointer, ArrayRef<StringRef> keys) {
    return file.expectObject(value, pointer, keys);
  }

  bool readString(const json &object, const std::string &pointer, const char *key, std::string &out) {
    if (!object.contains(key) || !object[key].is_string() ||
        object[key].get_ref<const std::string &>().empty())
      return fail(object.contains(key) ? pointer + "/" + key : pointer,
                  "expected \"" + Twine(key) + "\", a string that is not empty");
    out = object[key].get<std::string>();
    return true;
  }

  /// A string that whoever uses it will report errors in.
  bool readView(const json &object, const std::string &pointer, const char *key,
                std::optional<StringRef> &out) {
    if (!object.contains(key))
      return true;
    std::string place = pointer + "/" + key;
    if (!object[key].is_string())
      return fail(place, "expected \"" + Twine(key) + "\", a string");
    out = view(object[key], place);
    return true;
  }

  bool readInteger(const json &object, const std::string &pointer, const char *key, unsigned least,
                   std::optional<unsigned> &out, SMRange &range, unsigned most = 1024) {
    if (!object.contains(key))
      return true;
    if (!object[key].is_number_unsigned() || object[key].get<uint64_t>() < least ||
        object[key].get<uint64_t>() > most)
      return fail(pointer + "/" + key,
                  "expected \"" + Twine(key) + "\", an integer from " + Twine(least) + " to " + Twine(most));
    out = object[key].get<unsigned>();
    range = file.rangeOfValue(pointer + "/" + key);
    return true;
  }

  bool readSettings(const json &object, const std::string &pointer, ManifestVariant &variant) {
    return readInteger(object, pointer, "num_warps", 1, variant.numWarps, variant.numWarpsRange) &&
           readInteger(object, pointer, "num_stages", 1, variant.numStages, variant.numStagesRange) &&
           readInteger(object, pointer, "num_ctas", 1, variant.numCTAs, variant.numCTAsRange) &&
           readInteger(object, pointer, "maxnreg", 1, variant.maxRegisters, variant.maxRegistersRange) &&
           readInteger(object, pointer, "config", 0, variant.config, variant.configRange) &&
           readInteger(object, pointer, "compile_limit", 1, variant.compileLimit, variant.compileLimitRange,
                       UINT32_MAX) &&
           readFlag(object, pointer, "optional", variant.isOptional) && readTune(object, pointer, variant) &&
           readDefinitions(object, pointer, variant.definitions);
  }

  /// "tune": a text or several, and "autotune".
  bool readTune(const json &object, const std::string &pointer, ManifestVariant &variant) {
    if (object.contains("tune")) {
      variant.tune.clear();
      if (object["tune"].is_string())
        variant.tune.push_back(view(object["tune"], pointer + "/tune"));
      else if (!readStrings(object["tune"], pointer + "/tune", variant.tune))
        return false;
    }
    if (object.contains("autotune"))
      variant.autotuneRange = file.rangeOfValue(pointer + "/autotune");
    return readFlag(object, pointer, "autotune", variant.autotune);
  }

  /// `NAME=VALUE` for each: {"NAME": 64}, {"NAME": "tl.float16"} or ["NAME=64"]. Those that are there already
  /// under the same name give way.
  bool readDefinitions(const json &object, const std::string &pointer, std::vector<Definition> &out) {
    if (!object.contains("definitions"))
      return true;
    const json &value = object["definitions"];
    std::string place = pointer + "/definitions";
    if (!value.is_object() && !value.is_array())
      return fail(place, "expected \"definitions\", an object such as {\"BLOCK\": 64}");
    std::vector<Definition> definitions;
    for (const auto &item : value.items()) {
      std::string inner = place + "/" + item.key();
      const json &given = item.value();
      if (value.is_array() ? !given.is_string() : given.is_structured())
        return fail(inner, value.is_array() ? "expected \"NAME=VALUE\", a string"
                                            : "expected a number, a boolean, null or a string, which is the "
                                              "text of a value");
      std::string text = textOf(given);
      if (value.is_object())
        text = item.key() + "=" + text;
      auto definition =
          parseDefinition(diagnostics.addSource(file.rangeOfKey(inner).Start, text), diagnostics);
      if (!definition)
        return false;
      definitions.push_back(std::move(*definition));
    }
    addDefinitions(out, definitions);
    return true;
  }

  /// {"hip": {"num_warps": 8, "constants": {"BLOCK_M": 64}}}
  bool readTargetSettings(const json &object, const std::string &pointer, bool isOfSignature,
                          ManifestVariant &variant) {
    if (!object.contains("for"))
      return true;
    std::string place = pointer + "/for";
    if (!object["for"].is_object())
      return fail(place, "expected \"for\", an object such as {\"hip\": {\"num_warps\": 8}}");
    std::vector<StringRef> keys = getTargetOptionNames().vec();
    keys.push_back("constants");
    for (const auto &item : object["for"].items()) {
      std::string inner = place + "/" + item.key();
      TargetSettings settings;
      settings.isOfSignature = isOfSignature;
      StringRef targets = viewKey(item.key(), inner);
      if (!parseSettingTargets(targets, settings, diagnostics) || !expectObject(item.value(), inner, keys))
        return false;
      for (StringRef name : getTargetOptionNames()) {
        std::optional<unsigned> number;
        SMRange range;
        if (!readInteger(item.value(), inner, name.str().c_str(), name == "config" ? 0 : 1, number, range))
          return false;
        if (number)
          setOption(settings.options, name, {*number, range});
      }
      if (!readConstants(item.value(), inner, settings) ||
          !addTargetSettings(variant.targetSettings, std::move(settings), diagnostics))
        return false;
    }
    return true;
  }

  /// {"BLOCK_M": 64, "KIND": "tl.float16"}: values as those of definitions.
  bool readConstants(const json &object, const std::string &pointer, TargetSettings &settings) {
    if (!object.contains("constants"))
      return true;
    std::string place = pointer + "/constants";
    if (!object["constants"].is_object())
      return fail(place, "expected \"constants\", an object such as {\"BLOCK\": 64}");
    for (const auto &item : object["constants"].items()) {
      std::string inner = place + "/" + item.key();
      std::string value = item.value().is_structured() ? "" : textOf(item.value());
      if (value.empty())
        return fail(inner, "expected a number, a boolean, null or a string, which is the text of a value");
      if (!isPythonIdentifier(item.key()))
        return diagnostics.error(file.rangeOfKey(inner), "expected the name of a parameter"), false;
      if (!parseSettingConstant(diagnostics.addSource(file.rangeOfKey(inner).Start, item.key() + "=" + value),
                                settings, diagnostics))
        return false;
    }
    return true;
  }

  /// A value in the language's words.
  static std::string textOf(const json &given) {
    return given.is_string()    ? given.get<std::string>()
           : given.is_null()    ? "None"
           : given.is_boolean() ? (given.get<bool>() ? "True" : "False")
                                : given.dump();
  }

  bool readFlag(const json &object, const std::string &pointer, const char *key, bool &out) {
    if (!object.contains(key))
      return true;
    if (!object[key].is_boolean())
      return fail(pointer + "/" + key, "expected \"" + Twine(key) + "\", true or false");
    out = object[key].get<bool>();
    return true;
  }

  bool readFlags(const json &object, const std::string &pointer, ManifestKernel &kernel) {
    return readFlag(object, pointer, "debug", kernel.debug) &&
           readFlag(object, pointer, "debug_info", kernel.debugInfo) &&
           readFlag(object, pointer, "tensor_maps", kernel.useTensorMaps) &&
           readFlag(object, pointer, "exact_warps", kernel.hasExactWarps) &&
           readFlag(object, pointer, "exact_stages", kernel.hasExactStages) &&
           readFlag(object, pointer, "launch_cooperative_grid", kernel.isCooperative) &&
           readFlag(object, pointer, "launch_pdl", kernel.overlapsWithLast);
  }

  bool readKind(const json &document, Manifest &manifest) {
    if (!document.contains("kind"))
      return true;
    if (!readString(document, "", "kind", manifest.kind))
      return false;
    if (manifest.kind != "shared" && manifest.kind != "static" && manifest.kind != "source")
      return fail("/kind", "expected \"kind\" to be \"shared\", \"static\" or \"source\"");
    return true;
  }

  bool readPacking(const json &document, Manifest &manifest) {
    if (!readFlag(document, "", "stages", manifest.stages))
      return false;
    if (!document.contains("compress"))
      return true;
    if (!readString(document, "", "compress", manifest.compress))
      return false;
    if (manifest.compress != "none" && manifest.compress != "speed" && manifest.compress != "size")
      return fail("/compress", "expected \"compress\" to be \"none\", \"speed\" or \"size\"");
    return true;
  }

  bool readPaths(const json &document, Manifest &manifest) {
    if (!document.contains("import_paths"))
      return true;
    std::vector<StringRef> paths;
    if (!readStrings(document["import_paths"], "/import_paths", paths))
      return false;
    for (StringRef item : paths) {
      manifest.importPaths.push_back(resolve(item));
      checkImportPath(rangeOf(item), manifest.importPaths.back(), diagnostics);
    }
    return true;
  }

  /// "tuning": a path or several.
  bool readTuning(const json &document, Manifest &manifest) {
    if (!document.contains("tuning"))
      return true;
    std::vector<StringRef> paths;
    if (document["tuning"].is_string())
      paths.push_back(view(document["tuning"], "/tuning"));
    else if (!readStrings(document["tuning"], "/tuning", paths))
      return false;
    for (StringRef item : paths) {
      manifest.tuning.push_back(resolve(item));
      manifest.tuningRanges.push_back(rangeOf(item));
    }
    return true;
  }

  /// A path of the manifest, relative to the folder that the manifest is in.
  std::string resolve(StringRef relative) const {
    if (sys::path::is_absolute(relative))
      return relative.str();
    SmallString<256> resolved(sys::path::parent_path(path));
    sys::path::append(resolved, relative);
    return std::string(resolved);
  }

  StringRef view(const json &value, const std::string &pointer) { return file.view(value, pointer); }

  /// The key of a value, such that errors in it are shown in place.
  StringRef viewKey(const std::string &key, const std::string &pointer) {
    SMRange range = file.rangeOfKey(pointer);
    StringRef raw(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
    raw = raw.drop_front().drop_back();
    return raw == key ? raw : diagnostics.addSource(range.Start, key);
  }

  bool readStrings(const json &value, const std::string &pointer, std::vector<StringRef> &out) {
    if (!value.is_array())
      return fail(pointer, "expected a list of strings");
    for (size_t i = 0; i < value.size(); ++i) {
      std::string item = pointer + "/" + std::to_string(i);
      if (!value[i].is_string())
        return fail(item, "expected a string");
      out.push_back(view(value[i], item));
    }
    return true;
  }

  bool readVariant(const json &value, const std::string &pointer, ManifestVariant variant,
                   ManifestKernel &kernel) {
    if (value.is_string()) {
      variant.signature = view(value, pointer);
    } else {
      if (!expectObject(value, pointer,
                        {"signature", "when", "tune", "autotune", "num_warps", "num_stages", "num_ctas",
                         "maxnreg", "config", "compile_limit", "definitions", "for", "optional", "recorded"}))
        return false;
      if (!value.contains("signature") || !value["signature"].is_string())
        return fail(pointer, "expected \"signature\", a string");
      variant.signature = view(value["signature"], pointer + "/signature");
      if (!readView(value, pointer, "when", variant.when) || !readSettings(value, pointer, variant) ||
          !readTargetSettings(value, pointer, /*isOfSignature=*/true, variant) ||
          !readRecorded(value, pointer, variant))
        return false;
    }
    kernel.variants.push_back(variant);
    return true;
  }

  bool readRecorded(const json &value, const std::string &pointer, ManifestVariant &variant) {
    if (!value.contains("recorded"))
      return true;
    if (!value["recorded"].is_object())
      return fail(pointer + "/recorded", "expected \"recorded\", an object");
    variant.recorded = value["recorded"].dump(-1, ' ', false, json::error_handler_t::replace);
    return true;
  }

  bool readDispatch(const json &value, const std::string &pointer, ManifestKernel &kernel) {
    if (!value.contains("dispatch"))
      return true;
    if (!readStrings(value["dispatch"], pointer + "/dispatch", kernel.dispatch))
      return false;
    for (auto [index, name] : enumerate(kernel.dispatch))
      if (!isPythonIdentifier(name))
        return fail(pointer + "/dispatch/" + std::to_string(index), "expected the name of a parameter");
    return true;
  }

  /// "python": a text or several.
  bool readPython(const json &value, const std::string &pointer, ManifestKernel &kernel) {
    if (!value.contains("python"))
      return true;
    if (!value["python"].is_string())
      return readStrings(value["python"], pointer + "/python", kernel.python);
    kernel.python.push_back(view(value["python"], pointer + "/python"));
    return true;
  }

  bool readKernel(const json &value, const std::string &pointer, ArrayRef<StringRef> targets,
                  const ManifestKernel &defaultKernel, Manifest &manifest) {
    if (!expectObject(value, pointer,
                      {"source",      "kernel",      "function",     "signatures",
                       "dispatch",    "when",        "tune",         "autotune",
                       "grid",        "targets",     "num_warps",    "num_stages",
                       "num_ctas",    "maxnreg",     "config",       "compile_limit",
                       "definitions", "for",         "debug",        "debug_info",
                       "tensor_maps", "exact_warps", "exact_stages", "launch_cooperative_grid",
                       "launch_pdl",  "python",      "optional"}))
      return false;
    ManifestKernel kernel = defaultKernel;
    std::string source, name;
    if (!readString(value, pointer, "source", source) || !readString(value, pointer, "kernel", name))
      return false;
    kernel.kernel = view(value["kernel"], pointer + "/kernel");
    kernel.sourcePath = resolve(source);
    kernel.sourceRange = file.rangeOfValue(pointer + "/source");
    if (!readView(value, pointer, "function", kernel.function) ||
        !readView(value, pointer, "grid", kernel.grid))
      return false;
    if (value.contains("targets")) {
      if (!readStrings(value["targets"], pointer + "/targets", kernel.targets))
        return false;
    } else {
      kernel.targets.assign(targets.begin(), targets.end());
    }
    if (kernel.targets.empty())
      return fail(pointer,
                  "expected \"targets\", here or for all kernels: a list such as [\"cpu\", \"cuda:90a\"]");
    ManifestVariant defaults;
    defaults.definitions = common;
    defaults.isOptional = areOptional;
    if (!readFlags(value, pointer, kernel) || !readSettings(value, pointer, defaults) ||
        !readTargetSettings(value, pointer, /*isOfSignature=*/false, defaults) ||
        !readView(value, pointer, "when", defaults.when) || !readDispatch(value, pointer, kernel) ||
        !readPython(value, pointer, kernel))
      return false;
    if (!value.contains("signatures") || !value["signatures"].is_array() || value["signatures"].empty())
      return fail(value.contains("signatures") ? pointer + "/signatures" : pointer,
                  "expected \"signatures\", a list with a signature or more");
    for (size_t i = 0; i < value["signatures"].size(); ++i)
      if (!readVariant(value["signatures"][i], pointer + "/signatures/" + std::to_string(i), defaults,
                       kernel))
        return false;
    manifest.kernels.push_back(std::move(kernel));
    return true;
  }

  StringRef path;
  CheckedJson &file;
  Diagnostics &diagnostics;
  /// The definitions for all kernels.
  std::vector<Definition> common;
  bool areOptional = false;
};

} // namespace

std::optional<Manifest> readManifest(StringRef path, Diagnostics &diagnostics) {
  std::optional<CheckedJson> file = CheckedJson::read(path, diagnostics);
  if (!file)
    return std::nullopt;
  return ManifestReader(path, *file, diagnostics).read();
}

} // namespace nereid
