// A library's description is in a section of it; a kernel object's is made here. Both then have the same
// form, to which occupancy and sizes are added.
#include "linker/InspectedFile.h"

#include "linker/JsonDepth.h"
#include "linker/KernelObject.h"
#include "linker/LibraryManifest.h"
#include "linker/StageArchive.h"
#include "linker/Subprocess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

/// Adds the manifests in one ELF file; a program that was linked with several libraries has several.
static Error addManifests(const object::ObjectFile &file, InspectedFile &inspected) {
  for (const object::SectionRef &section : file.sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != manifestSectionName && *name != stagesSectionName)
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    if (*name == stagesSectionName) {
      findArchives(*contents, inspected.archives);
      continue;
    }
    SmallVector<StringRef> texts;
    contents->split(texts, '\0', -1, /*KeepEmpty=*/false);
    for (StringRef text : texts) {
      if (findJsonTooDeep(text))
        return createStringError("its description is damaged");
      Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
      if (json.is_discarded())
        return createStringError("its description is damaged");
      inspected.parts.push_back(std::move(json));
    }
  }
  return Error::success();
}

static Error addManifestsOfArchive(const object::Archive &archive, InspectedFile &inspected) {
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
      if (Error inner = addManifests(*file, inspected)) {
        consumeError(std::move(error));
        return inner;
      }
  }
  return error;
}

static Error readLibraries(StringRef bytes, StringRef path, InspectedFile &inspected) {
  auto fail = [&](Error error) { return createStringError("'" + path + "': " + toString(std::move(error))); };
  Expected<std::unique_ptr<object::Binary>> binary = object::createBinary(MemoryBufferRef(bytes, path));
  if (!binary)
    return fail(binary.takeError());
  if (auto *archive = dyn_cast<object::Archive>(binary->get())) {
    if (Error error = addManifestsOfArchive(*archive, inspected))
      return fail(std::move(error));
  } else if (auto *file = dyn_cast<object::ObjectFile>(binary->get())) {
    if (Error error = addManifests(*file, inspected))
      return fail(std::move(error));
  }
  if (inspected.parts.empty())
    return createStringError("'" + path + "' holds no library that nereid made");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

BlockNeeds readBlockNeeds(const Json &target) {
  BlockNeeds needs;
  needs.numWarps = target.at("num_warps").get<unsigned>() + target.value("num_worker_warps", 0u);
  needs.registers = target.value("registers", 0u);
  needs.scalarRegisters = target.value("scalar_registers", 0u);
  needs.sharedBytes = target.at("shared_bytes").get<unsigned>() + target.value("static_shared_bytes", 0u);
  return needs;
}

std::string joinItems(const Json &object, StringRef between) {
  std::vector<std::string> texts;
  for (const auto &item : object.items())
    texts.push_back(item.key() + between.str() + item.value().get<std::string>());
  return join(texts, ", ");
}

std::string recordedText(Json recorded) {
  if (recorded.is_object() && recorded.contains("selections"))
    recorded["selections"] = recorded["selections"].size();
  return recorded.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Of a GPU: how many blocks a multiprocessor runs at a time. Without registers, which PTX alone does not
/// have, as many as the rest allows.
static void addOccupancy(Json &json) {
  Expected<Target> target = Target::parse(json.at("target").get<std::string>());
  if (!target || !target->isGPU())
    return consumeError(target.takeError());
  BlockNeeds needs = readBlockNeeds(json);
  Multiprocessor unit = getMultiprocessor(*target);
  Occupancy occupancy = getOccupancy(needs, unit);
  json["occupancy"] = {{"blocks", occupancy.blocks},
                       {"warps", occupancy.warps},
                       {"most_warps", unit.mostWarps},
                       {"limited_by", occupancy.getLimits()},
                       {"blocks_by_registers", occupancy.byRegisters},
                       {"blocks_by_shared_memory", occupancy.byShared},
                       {"blocks_by_warps", occupancy.byWarps},
                       {"most_blocks", occupancy.byBlocks}};
  if (!needs.registers) {
    json["occupancy"]["registers_unknown"] = true;
    json["occupancy"].erase("blocks_by_registers");
  }
}

static uint64_t countBytes(const Json &target) {
  uint64_t bytes = 0;
  for (const Json &image : target.at("images"))
    bytes += image.at("bytes").get<uint64_t>();
  return bytes;
}

/// Adds "sizes", a row for each kernel and target, to a library or a kernel object.
static void addSizes(Json &part, ArrayRef<std::pair<std::string, const Json *>> targets) {
  Json rows = Json::array();
  for (const auto &[kernel, target] : targets) {
    const auto &name = target->at("target");
    auto row = find_if(rows, [&, &kernel = kernel](const Json &other) {
      return other["kernel"] == kernel && other["target"] == name;
    });
    if (row == rows.end()) {
      rows.push_back({{"kernel", kernel}, {"target", name}, {"variants", 0}, {"bytes", 0}});
      row = std::prev(rows.end());
    }
    if (none_of(otherFormUses,
                [&, &target = target](FormUse use) { return target->value(getFormKey(use), false); }))
      (*row)["variants"] = (*row)["variants"].get<uint64_t>() + 1;
    (*row)["bytes"] = (*row)["bytes"].get<uint64_t>() + countBytes(*target);
    if (target->contains("stored_bytes"))
      (*row)["stored_bytes"] =
          row->value("stored_bytes", uint64_t(0)) + target->at("stored_bytes").get<uint64_t>();
  }
  part["sizes"] = std::move(rows);
}

static void visitTargetsOf(Json &part, bool isLibrary,
                           function_ref<void(const std::string &kernel, Json &variant, Json &target)> visit) {
  if (!isLibrary) {
    std::string kernel = part.at("function").get<std::string>();
    for (Json &target : part.at("targets"))
      visit(kernel, part, target);
    return;
  }
  for (Json &kernel : part.at("kernels"))
    for (Json &variant : kernel.at("variants"))
      for (Json &target : variant.at("targets"))
        visit(kernel.at("name").get<std::string>(), variant, target);
}

void InspectedFile::visitTargets(
    function_ref<void(const std::string &, const Json &, const Json &)> visit) const {
  for (const Json &part : parts)
    visitTargetsOf(
        const_cast<Json &>(part), isLibrary,
        [&](const std::string &kernel, Json &variant, Json &target) { visit(kernel, variant, target); });
}

Json InspectedFile::asJson() const {
  if (isLibrary)
    return {{"kind", "library"}, {"file", path}, {"libraries", parts}};
  // Of several, which one kernel has where its values depend on the target, a list.
  return parts.size() == 1 ? parts.front() : Json(parts);
}

Expected<InspectedFile> readInspectedFile(StringRef path) {
  Expected<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  InspectedFile inspected;
  inspected.path = path.str();
  file_magic kind = identify_magic(*bytes);
  // LLVM also counts formats of other systems, and texts in one of them: whatever begins with a brace.
  bool isELF = kind >= file_magic::elf && kind <= file_magic::elf_core;
  inspected.isLibrary = isELF || kind == file_magic::archive;
  if (inspected.isLibrary) {
    if (Error error = readLibraries(*bytes, path, inspected))
      return std::move(error);
  } else {
    Expected<std::vector<KernelObject>> objects = parseKernelObjects(*bytes, path);
    if (!objects)
      return objects.takeError();
    for (KernelObject &object : *objects) {
      Json json = {{"kind", "kernel object"}, {"file", path.str()}};
      json.update(Json::parse(describeKernelObject(object)));
      inspected.parts.push_back(std::move(json));
      for (TargetCode &code : object.targets)
        if (!code.stages.empty())
          inspected.archives.emplace(getArchiveName(code.stages), std::move(code.stages));
    }
  }
  try {
    for (Json &part : inspected.parts) {
      std::vector<std::pair<std::string, const Json *>> targets;
      visitTargetsOf(part, inspected.isLibrary, [&](const std::string &kernel, Json &, Json &target) {
        addOccupancy(target);
        targets.push_back({kernel, &target});
      });
      addSizes(part, targets);
    }
  } catch (const Json::exception &error) {
    return createStringError("'" + path + "': its description is not understood: " + error.what());
  }
  return inspected;
}

} // namespace nereid
