// The JSON of a library:
//
//     {"nereid": "0.1.0", "library": "vector_add", "kernels": [
//       {"name": "add_kernel", "symbol": "vector_add_add_kernel", "arguments": […], "variants": [
//         {"signature": "*fp32:16, …", "grid": "cdiv(n, BLOCK)", "targets": [{"target": "cuda:90a", …}]}]}]}
#include "linker/LibraryManifest.h"

#include "linker/CallTerms.h"
#include "linker/StageArchive.h"
#include "linker/VariantName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SHA256.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

/// The machine code in an ELF file, without what is around it; nothing of one that is none.
static std::optional<uint64_t> countCodeBytes(StringRef image) {
  auto file = object::ObjectFile::createELFObjectFile(MemoryBufferRef(image, "image"));
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  uint64_t bytes = 0;
  for (const object::SectionRef &section : (*file)->sections())
    if (section.isText())
      bytes += section.getSize();
  return bytes;
}

static Json describeCode(const TargetCode &code) {
  Json images = Json::array();
  for (const KernelImage &image : code.images) {
    images.push_back({{"format", getImageFormatName(image.format).str()}, {"bytes", image.bytes.size()}});
    if (image.format != ImageFormat::PTX)
      if (std::optional<uint64_t> bytes = countCodeBytes(image.bytes))
        images.back()["code_bytes"] = *bytes;
  }
  Json json = {{"target", code.target.str()}};
  if (code.target.isGPU()) {
    json["num_warps"] = code.info.numWarps;
    if (code.info.numWorkerWarps)
      json["num_worker_warps"] = code.info.numWorkerWarps;
    json["num_stages"] = code.info.numStages;
    json["warp_size"] = code.info.warpSize;
    if (code.info.maxRegisters)
      json["maxnreg"] = *code.info.maxRegisters;
    if (code.info.isCooperative)
      json["launch_cooperative_grid"] = true;
    if (code.info.overlapsWithLast)
      json["launch_pdl"] = true;
    if (code.info.numCTAs != 1)
      json["num_ctas"] = code.info.numCTAs;
    json["shared_bytes"] = code.info.sharedBytes;
    if (!code.info.tensorMaps.empty())
      json["tensor_maps"] = code.info.tensorMaps.size();
    if (code.info.scratchBytes)
      json["scratch_bytes"] = code.info.scratchBytes;
    if (const std::optional<KernelResources> &resources = code.info.resources) {
      json["registers"] = resources->registers;
      json["spilled_bytes"] = resources->spilledBytes;
      json["local_bytes"] = resources->localBytes;
      if (resources->staticSharedBytes)
        json["static_shared_bytes"] = resources->staticSharedBytes;
      if (code.target.backend == Backend::HIP) {
        json["scalar_registers"] = resources->scalarRegisters;
        json["accumulators"] = resources->accumulators;
      }
    }
  } else {
    json["scratch_bytes"] = code.info.scratchBytes;
    if (code.info.frameBytes)
      json["frame_bytes"] = *code.info.frameBytes;
  }
  if (!code.settings.empty())
    json["set_for_target"] = code.settings;
  if (code.isOtherForm())
    json[getFormKey(code.use)] = true;
  for (const auto &[tool, version] : code.info.tools)
    json["tools"][tool] = version;
  json["images"] = std::move(images);
  return json;
}

/// By what others find the machine code of a GPU in the library, and in that the kernel; null for PTX alone.
static Json describeKeptImage(const TargetCode &code) {
  for (const KernelImage &image : code.images)
    if (image.format == ImageFormat::Cubin || image.format == ImageFormat::HSACO)
      return {{"kernel", code.info.symbol},
              {"bytes", image.bytes.size()},
              {"sha256", toHex(SHA256::hash(arrayRefFromStringRef(image.bytes)), /*LowerCase=*/true)}};
  return nullptr;
}

/// Exactly one JSON text, also where a path in it is not UTF-8.
static std::string print(const Json &json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

/// What chose among the values that the source offers.
static void describeOrigin(const KernelObject &object, Json &json) {
  if (object.tuning) {
    for (const auto &[name, value] : object.tuning->values)
      json["tuning"][name] = value;
    if (!object.tuning->key.empty())
      json["tuning_key"] = object.tuning->key;
  }
  if (object.config)
    json["config"] = *object.config;
  if (!object.definitions.empty())
    json["definitions"] = object.definitions;
  addProvenance(json, object.provenance);
}

/// For how many of the keys that were measured a variant's code is the fastest, device by device.
static Json describeWins(const PlannedTuning &tuning, unsigned variant, unsigned code) {
  Json wins = Json::array();
  for (const TuningTable &table : tuning.tables) {
    unsigned count = count_if(table.measured, [&](const std::vector<MeasuredCode> &measured) {
      return !measured.empty() && measured.front().variant == variant && measured.front().code == code &&
             !measured.front().hasFailed;
    });
    if (count)
      wins.push_back({{"device", table.device}, {"keys", count}, {"of", table.keys.size()}});
  }
  return wins;
}

static Json describeVariant(const PlannedKernel &kernel, unsigned number,
                            const std::map<const PlannedCode *, StoredCode> &stored, bool withStages) {
  const PlannedVariant &variant = kernel.variants[number];
  Json json = {{"signature", variant.object->signature},
               {"source", variant.object->sourcePath},
               {"kernel", variant.object->getKernelName().str()}};
  if (variant.title != variant.object->signature)
    json["title"] = variant.title;
  if (!variant.object->grid.empty())
    json["grid"] = variant.object->grid;
  if (!variant.object->when.empty())
    json["when"] = variant.object->when;
  for (const Promise &promise : variant.promises)
    json["takes_calls_where"].push_back(kernel.describe(promise));
  if (!variant.contradiction.empty())
    json["takes_no_calls_because"] = variant.contradiction;
  describeOrigin(*variant.object, json);
  if (!variant.object->recorded.empty())
    json["recorded"] = Json::parse(variant.object->recorded, nullptr, /*allow_exceptions=*/false);
  if (!variant.object->hash.empty())
    json["hash"] = variant.object->hash;
  Json targets = Json::array();
  for (auto [index, code] : enumerate(variant.codes)) {
    Json target = describeCode(*code.code);
    target["variant"] = getVariantName(*variant.object, *code.code);
    if (auto found = stored.find(&code); found != stored.end()) {
      target["stored_bytes"] = found->second.bytes;
      if (found->second.isCompressed)
        target["compressed"] = true;
      if (const PlannedCode *kept = found->second.kept)
        if (Json image = describeKeptImage(*kept->code); !image.is_null())
          target["kept_image"] = std::move(image);
    }
    if (Json wins = describeWins(kernel.tuning, number, index); !wins.empty())
      target["fastest_for"] = std::move(wins);
    if (withStages && !code.code->stages.empty())
      target["stages"] = getArchiveName(code.code->stages);
    targets.push_back(std::move(target));
  }
  json["targets"] = std::move(targets);
  return json;
}

std::string describeLibrary(const DispatchPlan &plan, const std::map<const PlannedCode *, StoredCode> &stored,
                            bool withStages) {
  Json kernels = Json::array();
  for (const PlannedKernel &kernel : plan.kernels) {
    Json arguments = Json::array();
    for (const PlannedArgument &argument : kernel.arguments) {
      Json json = {{"name", argument.name}, {"type", argument.getType()}};
      if (argument.isConst)
        json["const"] = true;
      arguments.push_back(std::move(json));
    }
    Json variants = Json::array();
    for (unsigned number = 0; number < kernel.variants.size(); ++number)
      variants.push_back(describeVariant(kernel, number, stored, withStages));
    kernels.push_back({{"name", kernel.name},
                       {"symbol", plan.getSymbol(kernel)},
                       {"arguments", std::move(arguments)},
                       {"variants", std::move(variants)}});
  }
  Json json = {{"nereid", NEREID_VERSION}, {"library", plan.name}, {"kernels", std::move(kernels)}};
  return print(json);
}

std::string describeKernelObject(const KernelObject &object) {
  Json parameters = Json::array();
  static const std::vector<KernelParameter> none;
  for (const KernelParameter &parameter :
       object.targets.empty() ? none : object.targets.front().info.parameters) {
    ParameterSpec spec;
    spec.constant = parameter.constant;
    spec.isPointer = parameter.isPointer;
    spec.element = parameter.element;
    spec.divisibleBy = parameter.divisibleBy;
    spec.equalsOne = parameter.equalsOne;
    spec.values = parameter.values;
    Json json = {{"name", parameter.name}, {parameter.constant ? "value" : "type", spec.str()}};
    if (parameter.readOnly)
      json["const"] = true;
    parameters.push_back(std::move(json));
  }
  Json json = {{"kernel", object.getKernelName().str()},
               {"function", object.getFunctionName().str()},
               {"signature", object.signature}};
  json["source"] = object.sourcePath;
  addCallTerms(json, object);
  describeOrigin(object, json);
  if (!object.hash.empty())
    json["hash"] = object.hash;
  json["parameters"] = std::move(parameters);
  Json targets = Json::array();
  for (const TargetCode &code : object.targets) {
    targets.push_back(describeCode(code));
    if (!code.stages.empty())
      targets.back()["stages"] = getArchiveName(code.stages);
  }
  json["targets"] = std::move(targets);
  for (const TargetMisfit &misfit : object.misfits)
    json["misfits"].push_back({{"target", misfit.target.str()}, {"reason", misfit.reason}});
  return print(json);
}

} // namespace nereid
