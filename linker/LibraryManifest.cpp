// The JSON of a library:
//
//     {"nereid": "0.1.0", "library": "vector_add", "kernels": [
//       {"name": "add_kernel", "symbol": "vector_add_add_kernel", "arguments": […], "variants": [
//         {"signature": "*fp32:16, …", "grid": "cdiv(n, BLOCK)", "targets": [{"target": "cuda:90a", …}]}]}]}
#include "linker/LibraryManifest.h"

#include "linker/CallTerms.h"

#include "linker/VariantName.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

static Json describeCode(const TargetCode &code) {
  Json images = Json::array();
  for (const KernelImage &image : code.images)
    images.push_back({{"format", getImageFormatName(image.format).str()}, {"bytes", image.bytes.size()}});
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
    if (code.info.scratchBytes)
      json["scratch_bytes"] = code.info.scratchBytes;
    if (const std::optional<KernelResources> &resources = code.info.resources) {
      json["registers"] = resources->registers;
      json["spilled_bytes"] = resources->spilledBytes;
      json["local_bytes"] = resources->localBytes;
    }
  } else {
    json["scratch_bytes"] = code.info.scratchBytes;
  }
  json["images"] = std::move(images);
  return json;
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
}

static Json describeVariant(const PlannedVariant &variant) {
  Json json = {{"signature", variant.object->signature},
               {"source", variant.object->sourcePath},
               {"kernel", variant.object->getKernelName().str()}};
  if (!variant.object->grid.empty())
    json["grid"] = variant.object->grid;
  if (!variant.object->when.empty())
    json["when"] = variant.object->when;
  describeOrigin(*variant.object, json);
  if (!variant.object->recorded.empty())
    json["recorded"] = Json::parse(variant.object->recorded, nullptr, /*allow_exceptions=*/false);
  if (!variant.object->hash.empty())
    json["hash"] = variant.object->hash;
  Json targets = Json::array();
  for (const PlannedCode &code : variant.codes) {
    targets.push_back(describeCode(*code.code));
    targets.back()["variant"] = getVariantName(*variant.object, *code.code);
  }
  json["targets"] = std::move(targets);
  return json;
}

std::string describeLibrary(const DispatchPlan &plan) {
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
    for (const PlannedVariant &variant : kernel.variants)
      variants.push_back(describeVariant(variant));
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
  for (const TargetCode &code : object.targets)
    targets.push_back(describeCode(code));
  json["targets"] = std::move(targets);
  for (const TargetMisfit &misfit : object.misfits)
    json["misfits"].push_back({{"target", misfit.target.str()}, {"reason", misfit.reason}});
  return print(json);
}

} // namespace nereid
