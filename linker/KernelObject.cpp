// Reading and writing kernel objects.
//
// Each image is one llvm::object::OffloadBinary with these strings:
//
//     triple, arch     in LLVM's words, for llvm-offload-binary
//     nereid           JSON: {"version": 2, "kernel": …, "target": "cuda:90a", "format": "cubin", …};
//                      version 3 where it says what readers of version 2 would pass over: "when", "dispatch",
//                      "family", "tuning", or a "range" of a parameter; version 4 of a target that the
//                      variant does not fit, which has no image: its format is "misfit", with a "reason";
//                      version 5 of what is no image either, but the stages that led to a target's images
//                      (StageArchive.h), behind those: its format is "stages"; version 6 of
//                      an image of another form of a target's code, behind the first: "for_few_programs"
//                      or, in version 7, "for_fewer_turns", or in version 8 "for_small_grids"
//     nereid.crc32     of the JSON text followed by the image, in hexadecimal
//
// Writing uses LLVM's own writer. Reading does not: OffloadBinary trusts every offset in the file, and a
// kernel object may have been cut short by a full disk or come from anywhere. So each offset is checked here
// before it is followed, and the checksum catches what a check of offsets cannot see.
#include "linker/KernelObject.h"

#include "linker/CallTerms.h"

#include "compiler/model/Backends.h"
#include "compiler/model/Divisor.h"
#include "compiler/model/InputFile.h"
#include "linker/CNames.h"
#include "linker/JsonDepth.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

static constexpr int oldestVersion = 2, formatVersion = 3, misfitVersion = 4, stagesVersion = 5,
                     formsVersion = 6, turnsVersion = 7, smallGridsVersion = 8,
                     newestVersion = smallGridsVersion;
static constexpr const char *misfitFormat = "misfit", *stagesFormat = "stages";
static constexpr const char *metadataKey = "nereid";
static constexpr const char *checksumKey = "nereid.crc32";

const char *getFormKey(FormUse use) {
  switch (use) {
  case FormUse::FewPrograms:
    return "for_few_programs";
  case FormUse::FewerTurns:
    return "for_fewer_turns";
  case FormUse::SmallGrids:
    return "for_small_grids";
  case FormUse::Other:
    break;
  }
  return "";
}

StringRef getImageFormatName(ImageFormat format) {
  switch (format) {
  case ImageFormat::Cubin:
    return "cubin";
  case ImageFormat::PTX:
    return "ptx";
  case ImageFormat::HSACO:
    return "hsaco";
  case ImageFormat::Object:
    return "obj";
  }
  return "";
}

static std::optional<ImageFormat> parseImageFormat(StringRef name) {
  for (ImageFormat format : {ImageFormat::Cubin, ImageFormat::PTX, ImageFormat::HSACO, ImageFormat::Object})
    if (getImageFormatName(format) == name)
      return format;
  return std::nullopt;
}

std::string KernelObject::getTitle() const {
  std::string name = signature;
  if (!tuning || targets.empty())
    return name;
  const std::vector<KernelParameter> &parameters = targets.front().info.parameters;
  for (const auto &[option, value] : tuning->values)
    if (none_of(parameters, [&, option = StringRef(option)](const auto &p) { return p.name == option; }))
      name += " " + option + "=" + value;
  return name;
}

static uint32_t checksumOf(StringRef metadata, StringRef image) {
  return crc32(crc32(0, arrayRefFromStringRef(metadata)), arrayRefFromStringRef(image));
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

/// JSON has no infinities and no exact decimals, so a float travels as text with 17 digits, which strtod
/// reads back.
static Json constantToJson(const ConstantValue &value) {
  if (std::holds_alternative<std::monostate>(value))
    return {{"type", "none"}};
  if (const bool *boolean = std::get_if<bool>(&value))
    return {{"type", "bool"}, {"value", *boolean}};
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return {{"type", "int"}, {"value", *integer}};
  if (const double *real = std::get_if<double>(&value)) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", *real);
    return {{"type", "float"}, {"value", text}};
  }
  if (const std::string *string = std::get_if<std::string>(&value))
    return {{"type", "string"}, {"value", *string}};
  if (const NameConstant *name = std::get_if<NameConstant>(&value))
    return {{"type", "name"}, {"value", name->text}};
  return {{"type", "dtype"}, {"value", getScalarName(std::get<DTypeConstant>(value).kind).str()}};
}

/// Throws std::string where the JSON has the right shape and a wrong value; Json's own exceptions say the
/// rest.
static ConstantValue constantFromJson(const Json &json) {
  std::string type = json.at("type").get<std::string>();
  if (type == "none")
    return std::monostate();
  const Json &value = json.at("value");
  if (type == "bool")
    return value.get<bool>();
  if (type == "int")
    return value.get<int64_t>();
  if (type == "float") {
    std::string text = value.get<std::string>();
    char *end = nullptr;
    double real = strtod(text.c_str(), &end);
    if (text.empty() || *end)
      throw "'" + text + "' is not a number";
    return real;
  }
  if (type == "string")
    return value.get<std::string>();
  if (type == "name")
    return NameConstant{value.get<std::string>()};
  if (type == "dtype")
    if (std::optional<ScalarKind> kind = parseScalarKind(value.get<std::string>()))
      return DTypeConstant{*kind};
  throw "unknown kind of constant '" + type + "'";
}

static Json parameterToJson(const KernelParameter &parameter) {
  Json json = {{"name", parameter.name}};
  if (parameter.constant) {
    json["constant"] = constantToJson(*parameter.constant);
    return json;
  }
  json["type"] = (parameter.isPointer ? "*" : "") + getScalarName(parameter.element).str();
  if (parameter.divisibleBy > 1)
    json["divisible_by"] = parameter.divisibleBy;
  if (parameter.equalsOne)
    json["equals_one"] = true;
  if (parameter.values)
    json["range"] = {parameter.values->least, parameter.values->most};
  if (parameter.readOnly)
    json["read_only"] = true;
  return json;
}

/// Names go into generated C, so a file must not be able to smuggle anything else in through them.
static std::string identifierFromJson(const Json &json) {
  std::string name = json.get<std::string>();
  if (!isCIdentifier(name))
    throw "'" + name + "' is not an identifier";
  return name;
}

/// What Python calls a kernel or a parameter may have letters beyond ASCII, which generated C spells out.
static std::string pythonNameFromJson(const Json &json) {
  std::string name = json.get<std::string>();
  if (!isPythonIdentifier(name))
    throw "'" + name + "' is not an identifier";
  return name;
}

static KernelParameter parameterFromJson(const Json &json) {
  KernelParameter parameter;
  parameter.name = pythonNameFromJson(json.at("name"));
  if (json.contains("constant")) {
    parameter.constant = constantFromJson(json["constant"]);
    return parameter;
  }
  std::string type = json.at("type").get<std::string>();
  StringRef element = type;
  parameter.isPointer = element.consume_front("*");
  std::optional<ScalarKind> kind = parseScalarKind(element);
  if (!kind)
    throw "unknown type '" + type + "'";
  parameter.element = *kind;
  parameter.divisibleBy = json.value("divisible_by", 1u);
  if (!isDivisor(parameter.divisibleBy))
    throw "no argument can be promised to be divisible by " + std::to_string(parameter.divisibleBy);
  parameter.equalsOne = json.value("equals_one", false);
  if (json.contains("range")) {
    parameter.values = {json["range"].at(0).get<int64_t>(), json["range"].at(1).get<int64_t>()};
    if (parameter.isPointer || !isInteger(parameter.element) ||
        parameter.values->least > parameter.values->most)
      throw "the range of '" + parameter.name + "' is none";
  }
  parameter.readOnly = json.value("read_only", false);
  return parameter;
}

static Json tensorMapToJson(const TensorMap &map) {
  return {{"base", map.base},
          {"extents", map.extents},
          {"element_bytes", map.elementBytes},
          {"box", map.box},
          {"swizzle", map.swizzleBytes}};
}

static TensorMap tensorMapFromJson(const Json &json) {
  TensorMap map;
  map.base = pythonNameFromJson(json.at("base"));
  map.extents = json.at("extents").get<std::string>();
  map.elementBytes = json.at("element_bytes").get<unsigned>();
  map.box = json.at("box").get<std::vector<unsigned>>();
  map.swizzleBytes = json.at("swizzle").get<unsigned>();
  constexpr unsigned pieceBytes = 16;
  if (map.box.empty() || map.box.size() > TensorMap::mostAxes ||
      any_of(map.box, [](unsigned size) { return size == 0 || size > TensorMap::mostBoxElements; }) ||
      !is_contained({1u, 2u, 4u}, map.elementBytes) ||
      !is_contained({0u, 32u, 64u, 128u}, map.swizzleBytes) ||
      map.box.back() * map.elementBytes % pieceBytes != 0 ||
      (map.swizzleBytes != 0 && map.box.back() > map.swizzleBytes / map.elementBytes))
    throw std::string("the box of a tensor map is out of range");
  return map;
}

static Json tuningToJson(const Tuning &tuning) {
  Json values = Json::array();
  for (const auto &[name, value] : tuning.values)
    values.push_back({name, value});
  return {{"base", tuning.base}, {"values", std::move(values)}, {"key", tuning.key}};
}

static Tuning tuningFromJson(const Json &json) {
  Tuning tuning;
  tuning.base = json.at("base").get<std::string>();
  for (const Json &entry : json.at("values"))
    tuning.values.push_back({pythonNameFromJson(entry.at(0)), entry.at(1).get<std::string>()});
  for (const Json &name : json.at("key"))
    tuning.key.push_back(pythonNameFromJson(name));
  return tuning;
}

static Json shareToJson(const BuildShare &share) {
  return {{"build", share.build}, {"variant", share.variant}, {"variants", share.variants},
          {"shard", share.shard}, {"shards", share.shards},   {"variants_of_shard", share.variantsOfShard}};
}

static BuildShare shareFromJson(const Json &json) {
  BuildShare share;
  share.build = json.at("build").get<std::string>();
  share.variant = json.at("variant").get<uint64_t>();
  share.variants = json.at("variants").get<uint64_t>();
  share.shard = json.at("shard").get<uint64_t>();
  share.shards = json.at("shards").get<uint64_t>();
  share.variantsOfShard = json.at("variants_of_shard").get<uint64_t>();
  if (share.variant >= share.variants || share.shard < 1 || share.shard > share.shards)
    throw std::string("it is no part of the build that it says it is of");
  return share;
}

static size_t countImages(const KernelObject &object) {
  size_t count = 0;
  for (const TargetCode &code : object.targets)
    count += code.images.size() + !code.stages.empty();
  return count + object.misfits.size();
}

/// The oldest version whose readers understand all that the object says.
static int versionOf(const KernelObject &object, const TargetCode &code) {
  const KernelInfo &info = code.info;
  if (code.use == FormUse::SmallGrids)
    return smallGridsVersion;
  if (code.use == FormUse::FewerTurns)
    return turnsVersion;
  if (code.use == FormUse::FewPrograms)
    return formsVersion;
  bool isNew = (code.target.isGPU() && info.scratchBytes) || !object.when.empty() ||
               !object.dispatch.empty() || !object.family.empty() || object.tuning ||
               any_of(info.parameters, [](const KernelParameter &p) { return p.values.has_value(); });
  return isNew ? formatVersion : oldestVersion;
}

/// What the object says for all of its targets.
static Json startMetadata(const KernelObject &object, int version, const Target &target,
                          const std::string &format) {
  Json json = {{"version", version},
               {"images", countImages(object)},
               {"kernel", object.getKernelName().str()},
               {"function", object.getFunctionName().str()},
               {"target", target.str()},
               {"format", format},
               {"signature", object.signature},
               {"source", object.sourcePath},
               {"hash", object.hash}};
  addCallTerms(json, object);
  if (!object.family.empty())
    json["family"] = object.family;
  if (object.tuning)
    json["tuning"] = tuningToJson(*object.tuning);
  if (object.config)
    json["config"] = *object.config;
  if (!object.definitions.empty())
    json["definitions"] = object.definitions;
  if (!object.recorded.empty())
    json["recorded"] = object.recorded;
  if (object.isAdapted)
    json["adapted"] = true;
  addProvenance(json, object.provenance);
  if (object.share)
    json["share"] = shareToJson(*object.share);
  return json;
}

/// A path that is not UTF-8 must not stop a build; it is only ever shown.
static std::string print(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static void addIfAny(Json &json, const char *key, uint64_t count) {
  if (count)
    json[key] = count;
}

/// Of one of the target's images, or of its stages.
static std::string metadataOf(const KernelObject &object, const TargetCode &code, int version,
                              const std::string &format) {
  const KernelInfo &info = code.info;
  Json parameters = Json::array();
  for (const KernelParameter &parameter : info.parameters)
    parameters.push_back(parameterToJson(parameter));
  Json json = startMetadata(object, version, code.target, format);
  json.update({{"symbol", info.symbol},
               {"num_warps", info.numWarps},
               {"num_stages", info.numStages},
               {"warp_size", info.warpSize},
               {"shared_bytes", info.sharedBytes},
               {"scratch_bytes", info.scratchBytes},
               {"parameters", std::move(parameters)}});
  if (info.numWorkerWarps)
    json["num_worker_warps"] = info.numWorkerWarps;
  if (info.programsWait)
    json["programs_wait"] = true;
  if (info.isCooperative)
    json["launch_cooperative_grid"] = true;
  if (info.overlapsWithLast)
    json["launch_pdl"] = true;
  if (info.numCTAs != 1)
    json["num_ctas"] = info.numCTAs;
  for (const TensorMap &map : info.tensorMaps)
    json["tensor_maps"].push_back(tensorMapToJson(map));
  if (info.resources) {
    json["registers"] = info.resources->registers;
    json["spilled_bytes"] = info.resources->spilledBytes;
    json["local_bytes"] = info.resources->localBytes;
    addIfAny(json, "static_shared_bytes", info.resources->staticSharedBytes);
    addIfAny(json, "scalar_registers", info.resources->scalarRegisters);
    addIfAny(json, "accumulators", info.resources->accumulators);
  }
  if (info.frameBytes)
    json["frame_bytes"] = *info.frameBytes;
  for (const auto &[tool, toolVersion] : info.tools)
    json["tools"][tool] = toolVersion;
  if (!code.settings.empty())
    json["set_for_target"] = code.settings;
  if (code.isOtherForm())
    json[getFormKey(code.use)] = true;
  if (info.hasUnevenPrograms)
    json["uneven_programs"] = true;
  addIfAny(json, "most_programs", info.mostPrograms);
  if (info.maxRegisters)
    json["maxnreg"] = *info.maxRegisters;
  return print(json);
}

static std::string metadataOf(const KernelObject &object, const TargetMisfit &misfit) {
  Json json = startMetadata(object, misfitVersion, misfit.target, misfitFormat);
  json["reason"] = misfit.reason;
  if (misfit.isOptional)
    json["optional"] = true;
  return print(json);
}

/// One image of a file with everything that its metadata says.
struct ImageRecord {
  /// How many images the whole file has.
  size_t numImages = 0;
  KernelObject object;
  TargetCode code;
  /// In place of the code.
  std::optional<TargetMisfit> misfit;
  /// What follows is the target's stages, and no image.
  bool isOfStages = false;
};

static ImageRecord recordFromJson(const Json &json) {
  int version = json.at("version").get<int>();
  if (version < oldestVersion || version > newestVersion)
    throw "it is of format version " + std::to_string(version) + ", and this is a reader of versions " +
        std::to_string(oldestVersion) + " to " + std::to_string(newestVersion);
  ImageRecord record;
  record.numImages = json.at("images").get<size_t>();
  record.object.sourcePath = json.at("source").get<std::string>();
  record.object.signature = json.at("signature").get<std::string>();
  record.object.hash = json.at("hash").get<std::string>();
  record.object.grid = json.value("grid", "");
  record.object.when = json.value("when", "");
  record.object.python = json.value("python", "");
  if (json.contains("dispatch"))
    for (const Json &name : json["dispatch"])
      record.object.dispatch.push_back(pythonNameFromJson(name));
  if (json.contains("family"))
    record.object.family = identifierFromJson(json["family"]);
  if (json.contains("tuning"))
    record.object.tuning = tuningFromJson(json["tuning"]);
  if (json.contains("config"))
    record.object.config = json["config"].get<unsigned>();
  if (json.contains("definitions"))
    record.object.definitions = json["definitions"].get<std::vector<std::string>>();
  record.object.recorded = json.value("recorded", "");
  record.object.function = identifierFromJson(json.at("function"));
  record.object.provenance = provenanceFromJson(json);
  if (json.contains("share"))
    record.object.share = shareFromJson(json["share"]);

  Expected<Target> target = Target::parse(json.at("target").get<std::string>());
  if (!target)
    throw toString(target.takeError());
  record.code.target = *target;
  record.object.isAdapted = json.value("adapted", false);
  if (json.at("format").get<std::string>() == misfitFormat) {
    record.misfit = {*target, json.at("reason").get<std::string>(), json.value("optional", false)};
    record.object.kernelWithoutCode = pythonNameFromJson(json.at("kernel"));
    return record;
  }

  KernelInfo &info = record.code.info;
  info.name = pythonNameFromJson(json.at("kernel"));
  info.symbol = json.at("symbol").get<std::string>();
  if (info.symbol.empty() ||
      !all_of(info.symbol, [](char c) { return isAlnum(c) || StringRef("_.$").contains(c); }))
    throw "'" + info.symbol + "' is not a symbol";
  info.numWarps = json.at("num_warps").get<unsigned>();
  info.numStages = json.at("num_stages").get<unsigned>();
  info.warpSize = json.at("warp_size").get<unsigned>();
  info.numWorkerWarps = json.value("num_worker_warps", 0u);
  info.sharedBytes = json.at("shared_bytes").get<unsigned>();
  info.scratchBytes = json.at("scratch_bytes").get<uint64_t>();
  info.programsWait = json.value("programs_wait", false);
  info.isCooperative = json.value("launch_cooperative_grid", false);
  info.overlapsWithLast = json.value("launch_pdl", false);
  info.numCTAs = json.value("num_ctas", 1u);
  if (info.numCTAs < 1 || info.numCTAs > 16)
    throw std::string("its number of blocks in a cluster is out of range");
  if (json.contains("tensor_maps"))
    for (const Json &map : json["tensor_maps"])
      info.tensorMaps.push_back(tensorMapFromJson(map));
  if (json.contains("registers"))
    info.resources = KernelResources{
        json.at("registers").get<unsigned>(),   json.at("spilled_bytes").get<uint64_t>(),
        json.at("local_bytes").get<uint64_t>(), json.value("static_shared_bytes", uint64_t(0)),
        json.value("scalar_registers", 0u),     json.value("accumulators", 0u)};
  if (json.contains("frame_bytes"))
    info.frameBytes = json["frame_bytes"].get<uint64_t>();
  if (json.contains("tools"))
    for (const auto &item : json["tools"].items())
      info.tools.push_back({item.key(), item.value().get<std::string>()});
  record.code.settings = json.value("set_for_target", "");
  for (FormUse use : otherFormUses)
    if (json.value(getFormKey(use), false))
      record.code.use = use;
  info.mostPrograms = json.value("most_programs", 0u);
  info.hasUnevenPrograms = json.value("uneven_programs", false);
  if (json.contains("maxnreg"))
    info.maxRegisters = json["maxnreg"].get<unsigned>();
  if (info.numWarps == 0 || info.warpSize == 0 || info.numWorkerWarps > 32 ||
      uint64_t(info.numWarps + info.numWorkerWarps) * info.warpSize > 1024)
    throw std::string("its number of warps is out of range");
  for (const Json &parameter : json.at("parameters"))
    info.parameters.push_back(parameterFromJson(parameter));

  std::string format = json.at("format").get<std::string>();
  record.isOfStages = format == stagesFormat;
  if (record.isOfStages)
    return record;
  std::optional<ImageFormat> parsed = parseImageFormat(format);
  if (!parsed)
    throw "unknown kind of image '" + format + "'";
  record.code.images.push_back({*parsed, {}});
  return record;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static object::ImageKind imageKindOf(ImageFormat format) {
  switch (format) {
  case ImageFormat::Cubin:
    return object::IMG_Cubin;
  case ImageFormat::PTX:
    return object::IMG_PTX;
  case ImageFormat::HSACO:
  case ImageFormat::Object:
    break;
  }
  return object::IMG_Object;
}

static std::string writeRecord(const Target &target, object::ImageKind kind, StringRef metadata,
                               StringRef image) {
  const BackendInfo &backend = getBackendInfo(target.backend);
  std::string arch = target.isGPU() ? backend.getProcessor(target.arch) : target.arch,
              checksum = utohexstr(checksumOf(metadata, image));
  object::OffloadBinary::OffloadingImage offload;
  offload.TheImageKind = kind;
  offload.TheOffloadKind = static_cast<object::OffloadKind>(backend.offloadKind);
  offload.StringData["triple"] = backend.getTriple(target.arch);
  offload.StringData["arch"] = arch;
  offload.StringData[metadataKey] = metadata;
  offload.StringData[checksumKey] = checksum;
  offload.Image = MemoryBuffer::getMemBuffer(image, "", /*RequiresNullTerminator=*/false);
  return object::OffloadBinary::write(offload).str().str();
}

std::string serializeKernelObject(const KernelObject &object) {
  std::string bytes;
  for (const TargetCode &code : object.targets) {
    for (const KernelImage &image : code.images)
      bytes += writeRecord(
          code.target, imageKindOf(image.format),
          metadataOf(object, code, versionOf(object, code), getImageFormatName(image.format).str()),
          image.bytes);
    if (!code.stages.empty())
      bytes += writeRecord(code.target, object::IMG_None,
                           metadataOf(object, code, stagesVersion, stagesFormat), code.stages);
  }
  for (const TargetMisfit &misfit : object.misfits)
    bytes += writeRecord(misfit.target, object::IMG_Object, metadataOf(object, misfit), "");
  return bytes;
}

std::string serializeKernelObjects(ArrayRef<KernelObject> objects) {
  std::string bytes;
  for (const KernelObject &object : objects)
    bytes += serializeKernelObject(object);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// A window on the bytes of one offload binary; every access is checked against its end.
class CheckedBytes {
public:
  explicit CheckedBytes(StringRef bytes) : bytes(bytes) {}

  /// The `size` bytes at `offset`, or nothing if they do not all exist.
  std::optional<StringRef> get(uint64_t offset, uint64_t size) const {
    if (offset > bytes.size() || size > bytes.size() - offset)
      return std::nullopt;
    return bytes.substr(offset, size);
  }
  std::optional<uint64_t> getWord(uint64_t offset) const {
    if (std::optional<StringRef> word = get(offset, 8))
      return support::endian::read64le(word->data());
    return std::nullopt;
  }
  /// The text at `offset`, up to a NUL, which must exist.
  std::optional<StringRef> getString(uint64_t offset) const {
    if (offset >= bytes.size())
      return std::nullopt;
    size_t end = bytes.find('\0', offset);
    if (end == StringRef::npos)
      return std::nullopt;
    return bytes.slice(offset, end);
  }

private:
  StringRef bytes;
};

/// What is wanted of one offload binary.
struct RawImage {
  StringRef metadata;
  StringRef checksum;
  StringRef image;
};
} // namespace

static std::optional<RawImage> readRawImage(StringRef binary) {
  CheckedBytes bytes(binary);
  using Entry = object::OffloadBinary::Entry;
  std::optional<uint64_t> entryOffset = bytes.getWord(offsetof(object::OffloadBinary::Header, EntryOffset));
  if (!entryOffset || *entryOffset > binary.size())
    return std::nullopt;
  std::optional<uint64_t> stringOffset = bytes.getWord(*entryOffset + offsetof(Entry, StringOffset));
  std::optional<uint64_t> numStrings = bytes.getWord(*entryOffset + offsetof(Entry, NumStrings));
  std::optional<uint64_t> imageOffset = bytes.getWord(*entryOffset + offsetof(Entry, ImageOffset));
  std::optional<uint64_t> imageSize = bytes.getWord(*entryOffset + offsetof(Entry, ImageSize));
  if (!stringOffset || !numStrings || !imageOffset || !imageSize)
    return std::nullopt;
  if (*stringOffset > binary.size() ||
      *numStrings > binary.size() / sizeof(object::OffloadBinary::StringEntry))
    return std::nullopt;

  RawImage raw;
  std::optional<StringRef> image = bytes.get(*imageOffset, *imageSize);
  if (!image)
    return std::nullopt;
  raw.image = *image;
  for (uint64_t i = 0; i != *numStrings; ++i) {
    uint64_t at = *stringOffset + i * sizeof(object::OffloadBinary::StringEntry);
    std::optional<uint64_t> keyOffset = bytes.getWord(at), valueOffset = bytes.getWord(at + 8);
    if (!keyOffset || !valueOffset)
      return std::nullopt;
    std::optional<StringRef> key = bytes.getString(*keyOffset), value = bytes.getString(*valueOffset);
    if (!key || !value)
      return std::nullopt;
    if (*key == metadataKey)
      raw.metadata = *value;
    else if (*key == checksumKey)
      raw.checksum = *value;
  }
  return raw;
}

static Expected<ImageRecord> readImage(StringRef binary) {
  std::optional<RawImage> raw = readRawImage(binary);
  if (!raw)
    return createStringError("an offset in it points outside of it");
  if (raw->metadata.empty() || raw->checksum.empty())
    return createStringError("it is an offload binary that was not written by nereid");
  if (raw->checksum != utohexstr(checksumOf(raw->metadata, raw->image)))
    return createStringError("its checksum does not match");
  if (findJsonTooDeep(raw->metadata))
    return createStringError("its metadata is nested too deeply");
  try {
    ImageRecord record = recordFromJson(Json::parse(raw->metadata.begin(), raw->metadata.end()));
    if (record.isOfStages)
      record.code.stages = raw->image.str();
    else if (!record.misfit)
      record.code.images.front().bytes = raw->image.str();
    return record;
  } catch (const Json::exception &error) {
    return createStringError(Twine("its metadata is not understood: ") + error.what());
  } catch (const std::string &message) {
    return createStringError("its metadata is not understood: " + message);
  }
}

static bool sameParameters(const KernelInfo &a, const KernelInfo &b) {
  auto text = [](const KernelInfo &info) {
    std::string all;
    for (const KernelParameter &parameter : info.parameters) {
      KernelParameter copy = parameter;
      copy.readOnly = false; // A target's own optimizer decides that.
      all += parameterToJson(copy).dump() + ";";
    }
    return all;
  };
  return text(a) == text(b);
}

static void addRecord(KernelObject &object, ImageRecord record) {
  bool isOfLast = !object.targets.empty() && object.targets.back().target == record.code.target &&
                  object.targets.back().use == record.code.use;
  if (record.misfit)
    object.misfits.push_back(std::move(*record.misfit));
  else if (isOfLast && record.isOfStages)
    object.targets.back().stages = std::move(record.code.stages);
  else if (isOfLast)
    object.targets.back().images.push_back(std::move(record.code.images.front()));
  else
    object.targets.push_back(std::move(record.code));
}

/// Adds one image's record to what was read of the file so far.
static Error mergeRecord(KernelObject &object, ImageRecord record) {
  if (record.isOfStages && (object.targets.empty() || !(object.targets.back().target == record.code.target)))
    return createStringError("it has stages without images");
  if (record.code.isOtherForm() &&
      (record.isOfStages || object.targets.empty() || !(object.targets.back().target == record.code.target)))
    return createStringError("it has another form of some code without the first");
  if (object.targets.empty() && object.misfits.empty()) {
    std::string path = std::move(object.path);
    object = std::move(record.object);
    object.path = std::move(path);
    addRecord(object, std::move(record));
    return Error::success();
  }
  if (!record.misfit && !object.targets.empty() &&
      (record.code.info.name != object.targets.front().info.name ||
       !sameParameters(record.code.info, object.targets.front().info)))
    return createStringError("its images belong to different kernels");
  if (record.object.signature != object.signature || record.object.function != object.function ||
      record.object.grid != object.grid || record.object.when != object.when ||
      record.object.dispatch != object.dispatch || record.object.python != object.python ||
      record.object.family != object.family || !(record.object.tuning == object.tuning))
    return createStringError("its images belong to different kernels");
  addRecord(object, std::move(record));
  return Error::success();
}

Expected<std::vector<KernelObject>> parseKernelObjects(StringRef bytes, StringRef path) {
  auto fail = [&](const Twine &why) {
    return createStringError("'" + path + "' is not a complete kernel object: " + why);
  };
  using Header = object::OffloadBinary::Header;
  std::vector<KernelObject> objects;
  const Header reference{};
  size_t numImages = 0;
  if (bytes.empty())
    return fail("it is empty");
  while (!bytes.empty()) {
    if (bytes.size() < sizeof(Header) || memcmp(bytes.data(), reference.Magic, sizeof reference.Magic) != 0)
      return fail(objects.empty() ? "it does not begin like one" : "it ends in something else");
    if (support::endian::read32le(bytes.data() + offsetof(Header, Version)) != object::OffloadBinary::Version)
      return fail("it is an offload binary of another version");
    uint64_t size = support::endian::read64le(bytes.data() + offsetof(Header, Size));
    if (size > bytes.size())
      return fail("it was cut short");
    if (size < sizeof(Header))
      return fail("a size in it is wrong");
    Expected<ImageRecord> record = readImage(bytes.take_front(size));
    if (!record)
      return fail(toString(record.takeError()));
    if (objects.empty() || countImages(objects.back()) == numImages) {
      objects.emplace_back();
      objects.back().path = path.str();
    }
    numImages = record->numImages;
    if (Error error = mergeRecord(objects.back(), std::move(*record)))
      return fail(toString(std::move(error)));
    bytes = bytes.drop_front(size);
  }
  if (countImages(objects.back()) != numImages)
    return fail("it was cut short");
  return objects;
}

static Expected<KernelObject> takeOnly(Expected<std::vector<KernelObject>> objects) {
  if (!objects)
    return objects.takeError();
  if (objects->size() != 1)
    return createStringError("'" + objects->front().path +
                             "' is not a complete kernel object: its images belong to different kernels");
  return std::move(objects->front());
}

Expected<KernelObject> parseKernelObject(StringRef bytes, StringRef path) {
  return takeOnly(parseKernelObjects(bytes, path));
}

Expected<KernelObject> readKernelObject(StringRef path) { return takeOnly(readKernelObjects(path)); }

Expected<std::vector<KernelObject>> readKernelObjects(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return parseKernelObjects((*buffer)->getBuffer(), path);
}

} // namespace nereid
