// See InspectText.h.
#include "linker/InspectText.h"

#include "linker/InspectedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatAdapters.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

/// `occupancy 8 blocks, 32 of 64 warps, by registers`
static std::string describeOccupancy(const Json &occupancy) {
  unsigned blocks = occupancy.at("blocks").get<unsigned>();
  std::string text = "occupancy " + std::string(occupancy.contains("registers_unknown") ? "at most " : "") +
                     std::to_string(blocks) + (blocks == 1 ? " block, " : " blocks, ") +
                     std::to_string(occupancy.at("warps").get<unsigned>()) + " of " +
                     std::to_string(occupancy.at("most_warps").get<unsigned>()) + " warps";
  return text + " (" + join(occupancy.at("limited_by").get<std::vector<std::string>>(), ", ") + ")";
}

static std::string describeTarget(const Json &target) {
  std::vector<std::string> parts;
  if (target.value("for_few_programs", false))
    parts.push_back("the form for few programs");
  if (target.value("for_fewer_turns", false))
    parts.push_back("the form for fewer turns");
  if (target.value("for_small_grids", false))
    parts.push_back("the form for small grids");
  if (target.contains("num_warps")) {
    parts.push_back(std::to_string(target.at("num_warps").get<unsigned>()) + " warps of " +
                    std::to_string(target.at("warp_size").get<unsigned>()));
    if (unsigned others = target.value("num_worker_warps", 0u))
      parts.back() += " and " + std::to_string(others) + " more";
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
      if (uint64_t bytes = target.value("static_shared_bytes", uint64_t(0)))
        parts.push_back(std::to_string(bytes) + " bytes of shared memory in the code");
      if (unsigned scalar = target.value("scalar_registers", 0u))
        parts.push_back(std::to_string(scalar) + " scalar registers");
      if (unsigned sums = target.value("accumulators", 0u))
        parts.push_back(std::to_string(sums) + " of the registers for sums of matrix instructions");
    }
    if (target.contains("occupancy"))
      parts.push_back(describeOccupancy(target["occupancy"]));
    if (uint64_t scratch = target.value("scratch_bytes", uint64_t(0)))
      parts.push_back(std::to_string(scratch) + " bytes of global memory a program");
    parts.push_back(std::to_string(target.at("num_stages").get<unsigned>()) + " stages");
  } else {
    if (uint64_t scratch = target.at("scratch_bytes").get<uint64_t>())
      parts.push_back(std::to_string(scratch) + " bytes of scratch memory a thread");
    if (uint64_t frame = target.value("frame_bytes", uint64_t(0)))
      parts.push_back(std::to_string(frame) + " bytes of stack");
  }
  for (const Json &image : target.at("images"))
    parts.push_back(image.at("format").get<std::string>() + " of " +
                    std::to_string(image.at("bytes").get<uint64_t>()) + " bytes" +
                    (image.contains("code_bytes")
                         ? " (code " + std::to_string(image["code_bytes"].get<uint64_t>()) + ")"
                         : ""));
  if (target.value("compressed", false))
    parts.push_back("compressed to " + std::to_string(target.at("stored_bytes").get<uint64_t>()));
  if (target.contains("set_for_target"))
    parts.push_back("set for it: " + target["set_for_target"].get<std::string>());
  for (const Json &win : target.value("fastest_for", Json::array()))
    parts.push_back("the fastest for " + std::to_string(win.at("keys").get<unsigned>()) + " of " +
                    std::to_string(win.at("of").get<unsigned>()) + " keys on " +
                    win.at("device").get<std::string>());
  if (target.contains("stages"))
    parts.push_back("with its stages");
  return join(parts, ", ");
}

static void printTargets(raw_ostream &os, const Json &targets, unsigned indent) {
  for (const Json &target : targets)
    os << std::string(indent, ' ') << left_justify(target.at("target").get<std::string>(), 16) << " "
       << describeTarget(target) << "\n";
}

static void beginLine(raw_ostream &os, unsigned indent, StringRef title) {
  os << std::string(indent, ' ') << left_justify(title, 11);
}

/// What chose among the values that the source offers.
static void printTried(raw_ostream &os, const Json &variant, unsigned indent) {
  if (variant.contains("tuning")) {
    beginLine(os, indent, "tries");
    os << joinItems(variant["tuning"], "=") << "\n";
  }
  if (variant.contains("config")) {
    beginLine(os, indent, "config");
    os << variant["config"].get<unsigned>() << " of @triton.autotune\n";
  }
  if (variant.contains("definitions")) {
    beginLine(os, indent, "defined");
    os << join(variant["definitions"].get<std::vector<std::string>>(), ", ") << "\n";
  }
}

/// Who asked for a variant, what it was made from, and what made it.
static void printProvenance(raw_ostream &os, const Json &variant, unsigned indent) {
  if (variant.contains("asked_by")) {
    beginLine(os, indent, "asked by");
    os << variant["asked_by"].get<std::string>();
    if (variant.contains("asked_signature"))
      os << ", as one of '" << variant["asked_signature"].get<std::string>() << "'";
    os << "\n";
  }
  if (variant.contains("recorded")) {
    beginLine(os, indent, "recorded");
    os << recordedText(variant["recorded"]) << "\n";
  }
  if (variant.contains("source_hash")) {
    beginLine(os, indent, "hash");
    std::vector<std::string> files;
    for (const Json &file : variant.at("sources"))
      files.push_back(file.at("file").get<std::string>());
    os << "sha256:" << variant["source_hash"].get<std::string>() << " of " << join(files, ", ") << "\n";
  }
  std::vector<std::string> tools;
  if (variant.contains("compiled_by"))
    tools.push_back("nereid " + variant["compiled_by"].get<std::string>());
  for (const Json &target : variant.at("targets"))
    if (target.contains("tools"))
      for (const auto &item : target["tools"].items())
        if (std::string tool = item.key() + " " + item.value().get<std::string>(); !is_contained(tools, tool))
          tools.push_back(std::move(tool));
  if (!tools.empty()) {
    beginLine(os, indent, "made by");
    os << join(tools, ", ") << "\n";
  }
}

void printSizes(raw_ostream &os, const Json &part, unsigned indent) {
  size_t kernelWidth = 6, targetWidth = 6;
  uint64_t variants = 0, bytes = 0, stored = 0;
  bool isStored = false;
  for (const Json &row : part.at("sizes")) {
    kernelWidth = std::max(kernelWidth, row.at("kernel").get<std::string>().size());
    targetWidth = std::max(targetWidth, row.at("target").get<std::string>().size());
    variants += row.at("variants").get<uint64_t>();
    bytes += row.at("bytes").get<uint64_t>();
    stored += row.value("stored_bytes", uint64_t(0));
    isStored |= row.contains("stored_bytes");
  }
  auto print = [&](StringRef kernel, StringRef target, const std::string &count, const std::string &size,
                   const std::string &kept) {
    os << std::string(indent + 2, ' ') << left_justify(kernel, kernelWidth) << "  "
       << left_justify(target, targetWidth) << right_justify(count, 10) << right_justify(size, 14);
    if (isStored)
      os << right_justify(kept, 14);
    os << "\n";
  };
  os << std::string(indent, ' ') << "sizes in bytes\n";
  print("kernel", "target", "variants", "images", "stored");
  for (const Json &row : part.at("sizes"))
    print(row.at("kernel").get<std::string>(), row.at("target").get<std::string>(),
          std::to_string(row.at("variants").get<uint64_t>()), std::to_string(row.at("bytes").get<uint64_t>()),
          std::to_string(row.value("stored_bytes", uint64_t(0))));
  print("all", "", std::to_string(variants), std::to_string(bytes), std::to_string(stored));
}

void printKernelObject(raw_ostream &os, const Json &object) {
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
  printProvenance(os, object, 2);
  printTried(os, object, 2);
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

void printLibrary(raw_ostream &os, const Json &library) {
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
      std::string title = variant.value("title", variant.at("signature").get<std::string>());
      os << "    " << title;
      if (variant.contains("grid"))
        os << "    grid " << variant["grid"].get<std::string>();
      // A title may have it, to tell variants apart.
      if (variant.contains("when") &&
          !StringRef(title).contains(" when " + variant["when"].get<std::string>()))
        os << "    when " << variant["when"].get<std::string>();
      os << "\n";
      if (variant.contains("takes_calls_where"))
        os << "      takes calls where "
           << join(variant["takes_calls_where"].get<std::vector<std::string>>(), ", ") << "\n";
      if (variant.contains("takes_no_calls_because"))
        os << "      takes no calls: " << variant["takes_no_calls_because"].get<std::string>() << "\n";
      printTried(os, variant, 6);
      printProvenance(os, variant, 6);
      printTargets(os, variant.at("targets"), 6);
    }
  }
  printSizes(os, library, 2);
}

} // namespace nereid
