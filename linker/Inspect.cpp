// Everything is brought into the JSON of LibraryManifest.h first; the text for people is printed from that.
#include "linker/Inspect.h"

#include "linker/JsonDepth.h"
#include "linker/KernelObject.h"
#include "linker/LibraryManifest.h"
#include "linker/Subprocess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Adds the manifests in one ELF file; a program that was linked with several libraries has several.
static Error addManifests(const object::ObjectFile &file, std::vector<Json> &manifests) {
  for (const object::SectionRef &section : file.sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != manifestSectionName)
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    SmallVector<StringRef> texts;
    contents->split(texts, '\0', -1, /*KeepEmpty=*/false);
    for (StringRef text : texts) {
      if (findJsonTooDeep(text))
        return createStringError("its description is damaged");
      Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
      if (json.is_discarded())
        return createStringError("its description is damaged");
      manifests.push_back(std::move(json));
    }
  }
  return Error::success();
}

static Error addManifestsOfArchive(const object::Archive &archive, std::vector<Json> &manifests) {
  Error error = Error::success();
  for (const object::Archive::Child &child : archive.children(error)) {
    // Of a file that was cut off, the last member has the length that it had.
    Expected<StringRef> bytes = child.getBuffer();
    if (!bytes || (!archive.isThin() && bytes->end() > archive.getData().end())) {
      consumeError(bytes.takeError());
      consumeError(std::move(error));
      return createStringError("it is damaged: a member is longer than the file");
    }
    Expected<std::unique_ptr<object::Binary>> member = child.getAsBinary();
    if (!member) {
      consumeError(member.takeError()); // Archives may hold anything.
      continue;
    }
    if (auto *file = dyn_cast<object::ObjectFile>(member->get()))
      if (Error inner = addManifests(*file, manifests)) {
        consumeError(std::move(error));
        return inner;
      }
  }
  return error;
}

static Expected<std::vector<Json>> readManifests(StringRef bytes, StringRef path) {
  std::vector<Json> manifests;
  auto fail = [&](Error error) { return createStringError("'" + path + "': " + toString(std::move(error))); };
  Expected<std::unique_ptr<object::Binary>> binary = object::createBinary(MemoryBufferRef(bytes, path));
  if (!binary)
    return fail(binary.takeError());
  if (auto *archive = dyn_cast<object::Archive>(binary->get())) {
    if (Error error = addManifestsOfArchive(*archive, manifests))
      return fail(std::move(error));
  } else if (auto *file = dyn_cast<object::ObjectFile>(binary->get())) {
    if (Error error = addManifests(*file, manifests))
      return fail(std::move(error));
  }
  if (manifests.empty())
    return createStringError("'" + path + "' holds no library that nereid made");
  return manifests;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string describeTarget(const Json &target) {
  std::vector<std::string> parts;
  if (target.contains("num_warps")) {
    parts.push_back(std::to_string(target.at("num_warps").get<unsigned>()) + " warps of " +
                    std::to_string(target.at("warp_size").get<unsigned>()));
    if (target.contains("num_ctas"))
      parts.push_back("clusters of " + std::to_string(target["num_ctas"].get<unsigned>()) + " blocks");
    if (target.contains("launch_cooperative_grid"))
      parts.push_back("all programs at a time");
    if (target.contains("launch_pdl"))
      parts.push_back("begins before the last launch has ended");
    if (target.contains("maxnreg"))
      parts.push_back("at most " + std::to_string(target["maxnreg"].get<unsigned>()) + " registers a thread");
    parts.push_back(std::to_string(target.at("shared_bytes").get<uint64_t>()) + " bytes of shared memory");
    if (target.contains("registers")) {
      parts.push_back(std::to_string(target.at("registers").get<unsigned>()) + " registers");
      if (uint64_t local = target.at("local_bytes").get<uint64_t>())
        parts.push_back(std::to_string(local) + " bytes of local memory a thread");
      if (uint64_t spilled = target.at("spilled_bytes").get<uint64_t>())
        parts.push_back(std::to_string(spilled) + " bytes spilled");
    }
    if (uint64_t scratch = target.value("scratch_bytes", uint64_t(0)))
      parts.push_back(std::to_string(scratch) + " bytes of global memory a program");
    parts.push_back(std::to_string(target.at("num_stages").get<unsigned>()) + " stages");
  } else if (uint64_t scratch = target.at("scratch_bytes").get<uint64_t>()) {
    parts.push_back(std::to_string(scratch) + " bytes of scratch memory a thread");
  }
  for (const Json &image : target.at("images"))
    parts.push_back(image.at("format").get<std::string>() + " of " +
                    std::to_string(image.at("bytes").get<uint64_t>()) + " bytes");
  return join(parts, ", ");
}

static void printTargets(raw_ostream &os, const Json &targets, unsigned indent) {
  for (const Json &target : targets)
    os << std::string(indent, ' ') << left_justify(target.at("target").get<std::string>(), 16) << " "
       << describeTarget(target) << "\n";
}

static void printKernelObject(raw_ostream &os, const Json &object) {
  os << "kernel object: " << object.at("kernel").get<std::string>() << "\n";
  os << "  function   " << object.at("function").get<std::string>() << "\n";
  os << "  signature  " << object.at("signature").get<std::string>() << "\n";
  if (object.contains("grid"))
    os << "  grid       " << object["grid"].get<std::string>() << "\n";
  if (object.contains("when"))
    os << "  when       " << object["when"].get<std::string>() << "\n";
  if (object.contains("dispatch"))
    os << "  chosen by  " << join(object["dispatch"].get<std::vector<std::string>>(), ", ") << "\n";
  os << "  source     " << object.at("source").get<std::string>() << "\n";
  if (object.contains("tuning")) {
    std::vector<std::string> values;
    for (const auto &item : object["tuning"].items())
      values.push_back(item.key() + "=" + item.value().get<std::string>());
    os << "  tries      " << join(values, ", ") << "\n";
  }
  if (object.contains("config"))
    os << "  config     " << object["config"].get<unsigned>() << " of @triton.autotune\n";
  if (object.contains("definitions"))
    os << "  defined    " << join(object["definitions"].get<std::vector<std::string>>(), ", ") << "\n";
  os << "  parameters\n";
  for (const Json &parameter : object.at("parameters")) {
    os << "    " << left_justify(parameter.at("name").get<std::string>(), 16) << " ";
    if (parameter.contains("value"))
      os << "= " << parameter["value"].get<std::string>() << "\n";
    else
      os << parameter.at("type").get<std::string>() << (parameter.contains("const") ? ", only read" : "")
         << "\n";
  }
  os << "  targets\n";
  printTargets(os, object.at("targets"), 4);
  if (object.contains("misfits"))
    for (const Json &misfit : object["misfits"])
      os << "    " << left_justify(misfit.at("target").get<std::string>(), 16) << " left out, as "
         << misfit.at("reason").get<std::string>() << "\n";
}

static void printLibrary(raw_ostream &os, const Json &library) {
  os << "library: " << library.at("library").get<std::string>() << ", made by Nereid "
     << library.at("nereid").get<std::string>() << "\n";
  for (const Json &kernel : library.at("kernels")) {
    std::vector<std::string> arguments;
    for (const Json &argument : kernel.at("arguments"))
      arguments.push_back(argument.at("name").get<std::string>() + ": " +
                          (argument.contains("const") ? "const " : "") +
                          argument.at("type").get<std::string>());
    os << "  " << kernel.at("name").get<std::string>() << "(" << join(arguments, ", ") << ")\n";
    for (const Json &variant : kernel.at("variants")) {
      os << "    " << variant.at("signature").get<std::string>();
      if (variant.contains("grid"))
        os << "    grid " << variant["grid"].get<std::string>();
      if (variant.contains("when"))
        os << "    when " << variant["when"].get<std::string>();
      os << "\n";
      printTargets(os, variant.at("targets"), 6);
    }
  }
}

Expected<std::string> inspect(StringRef path, bool asJson) {
  Expected<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  std::string text;
  raw_string_ostream os(text);
  file_magic kind = identify_magic(*bytes);
  // LLVM also counts formats of other systems, and texts in one of them: whatever begins with a brace.
  bool isELF = kind >= file_magic::elf && kind <= file_magic::elf_core;
  if (isELF || kind == file_magic::archive) {
    Expected<std::vector<Json>> manifests = readManifests(*bytes, path);
    if (!manifests)
      return manifests.takeError();
    try {
      if (asJson)
        os << Json{{"kind", "library"}, {"file", path.str()}, {"libraries", *manifests}}.dump(
                  2, ' ', false, Json::error_handler_t::replace)
           << "\n";
      else
        for (const Json &manifest : *manifests)
          printLibrary(os, manifest);
    } catch (const Json::exception &error) {
      return createStringError("'" + path + "': its description is not understood: " + error.what());
    }
    return text;
  }

  Expected<std::vector<KernelObject>> objects = parseKernelObjects(*bytes, path);
  if (!objects)
    return objects.takeError();
  std::vector<Json> described;
  for (const KernelObject &object : *objects) {
    Json json = {{"kind", "kernel object"}, {"file", path.str()}};
    json.update(Json::parse(describeKernelObject(object)));
    if (!asJson)
      printKernelObject(os, json);
    described.push_back(std::move(json));
  }
  // Of several, which one kernel has where its values depend on the target, a list.
  if (asJson)
    os << (described.size() == 1 ? described.front() : Json(described))
              .dump(2, ' ', false, Json::error_handler_t::replace)
       << "\n";
  return text;
}

} // namespace nereid
