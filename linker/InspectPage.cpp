// Tables are written here, so that a page says what it has to say without scripts, too; what is drawn for one
// image at a time is left to the page's script, which finds what it needs as JSON. Names in descriptions may
// be anything, so all of them are escaped; of the JSON, `<` is, lest it end its element.
#include "linker/InspectPage.h"

#include "compiler/model/Occupancy.h"
#include "linker/InspectedFile.h"
#include "linker/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

static std::string text(const Json &json, const char *key) {
  return json.contains(key) ? json[key].get<std::string>() : "";
}

static std::string listed(const Json &json, const char *key) {
  return json.contains(key) ? join(json[key].get<std::vector<std::string>>(), ", ") : "";
}

namespace {

class InspectPageWriter {
public:
  explicit InspectPageWriter(const InspectedFile &file) : file(file), os(body) {}

  std::string write() {
    std::string name = sys::path::filename(file.path).str();
    os << "<h1>" << escapeHTML(name) << "</h1>\n<p>";
    for (const Json &part : file.parts)
      if (file.isLibrary)
        os << "The library " << escapeHTML(text(part, "library")) << ", linked by Nereid "
           << escapeHTML(text(part, "nereid")) << ". ";
      else
        os << "A kernel object of " << escapeHTML(text(part, "kernel")) << ". ";
    os << "</p>\n";
    writeSizes();
    writeImages();
    os << "<section id=\"detail\" hidden></section>\n<script type=\"application/json\" id=\"known\">";
    writeKnown();
    os << "</script>\n";
    return fillPage(name, "inspect_page.css", body, "inspect_page.js");
  }

private:
  void writeSizes() {
    uint64_t most = 1;
    bool isStored = false;
    for (const Json &part : file.parts)
      for (const Json &row : part.at("sizes")) {
        most = std::max(most, row.at("bytes").get<uint64_t>());
        isStored |= row.contains("stored_bytes");
      }
    os << "<section>\n<h2>Sizes</h2>\n<div class=\"scroll\"><table id=\"sizes\"><thead><tr>";
    for (StringRef head : {"kernel", "target", "variants", "images, bytes"})
      os << "<th>" << head << "</th>";
    os << (isStored ? "<th>in the library, bytes</th>" : "") << "</tr></thead><tbody>\n";
    for (const Json &part : file.parts)
      for (const Json &row : part.at("sizes")) {
        os << "<tr><td>" << escapeHTML(text(row, "kernel")) << "</td><td class=\"name\">"
           << escapeHTML(text(row, "target")) << "</td>";
        writeNumber(row.at("variants").get<uint64_t>());
        writeBar(row.at("bytes").get<uint64_t>(), most);
        if (isStored)
          writeBar(row.value("stored_bytes", uint64_t(0)), most);
        os << "</tr>\n";
      }
    os << "</tbody></table></div>\n</section>\n";
  }

  void writeNumber(uint64_t value) {
    os << "<td class=\"n\" data-v=\"" << value << "\">" << value << "</td>";
  }

  void writeBar(uint64_t value, uint64_t most) {
    double width = 8.0 * static_cast<double>(value) / static_cast<double>(most);
    os << "<td class=\"n\" data-v=\"" << value
       << "\"><span class=\"bar\" style=\"width:" << formatv("{0:f2}", width) << "rem\"></span>" << value
       << "</td>";
  }

  /// A number that only some images have.
  void writeNumberOf(const Json &json, const char *key) {
    if (json.contains(key))
      writeNumber(json[key].get<uint64_t>());
    else
      os << "<td></td>";
  }

  void writeImages() {
    unsigned count = 0;
    file.visitTargets([&](const std::string &, const Json &, const Json &) { ++count; });
    os << "<section>\n<h2>Images</h2>\n<p><input id=\"filter\" type=\"search\" placeholder=\"Filter: words "
          "that rows "
          "have\" aria-label=\"Filter\"> <small id=\"count\">"
       << count << " of " << count
       << "</small></p>\n<div class=\"scroll tall\"><table id=\"images\"><thead><tr>";
    for (StringRef head : {"kernel", "signature", "target", "warps", "stages", "registers", "spilled",
                           "shared", "stack", "occupancy", "bytes", "code", "stored", "formats"})
      os << "<th>" << head << "</th>";
    os << "</tr></thead><tbody>\n";
    unsigned number = 0;
    file.visitTargets([&](const std::string &kernel, const Json &variant, const Json &target) {
      writeImage(number++, kernel, variant, target);
    });
    os << "</tbody></table></div>\n</section>\n";
  }

  void writeImage(unsigned number, const std::string &kernel, const Json &variant, const Json &target) {
    std::string signature = text(variant, "signature");
    if (variant.contains("tuning"))
      signature += " (" + joinItems(variant["tuning"], "=") + ")";
    std::vector<std::string> formats;
    uint64_t bytes = 0, code = 0;
    for (const Json &image : target.at("images")) {
      formats.push_back(text(image, "format"));
      bytes += image.at("bytes").get<uint64_t>();
      code += image.value("code_bytes", uint64_t(0));
    }
    if (target.value("compressed", false))
      formats.push_back("compressed");
    if (target.contains("stages"))
      formats.push_back("stages");
    os << "<tr data-i=\"" << number << "\" tabindex=\"0\"><td>" << escapeHTML(kernel) << "</td><td>"
       << escapeHTML(signature) << "</td><td class=\"name\">" << escapeHTML(text(target, "target"))
       << "</td>";
    for (const char *key : {"num_warps", "num_stages", "registers", "spilled_bytes"})
      writeNumberOf(target, key);
    if (target.contains("shared_bytes"))
      writeNumber(target["shared_bytes"].get<uint64_t>() + target.value("static_shared_bytes", uint64_t(0)));
    else
      os << "<td></td>";
    writeNumberOf(target, "frame_bytes");
    writeOccupancy(target);
    writeNumber(bytes);
    if (code)
      writeNumber(code);
    else
      os << "<td></td>";
    writeNumberOf(target, "stored_bytes");
    os << "<td>" << escapeHTML(join(formats, ", ")) << "</td></tr>\n";
  }

  void writeOccupancy(const Json &target) {
    if (!target.contains("occupancy")) {
      os << "<td></td>";
      return;
    }
    const Json &occupancy = target["occupancy"];
    double share = occupancy.at("warps").get<double>() / occupancy.at("most_warps").get<double>();
    os << formatv(
        "<td class=\"n\" data-v=\"{0:f4}\"><span class=\"bar\" style=\"width:{1:f2}rem\"></span><span "
        "class=\"bar rest\" style=\"width:{2:f2}rem\"></span>{3}{4:f0} %</td>",
        share, share * 4, 4 - share * 4, occupancy.contains("registers_unknown") ? "≤ " : "", share * 100);
  }

  /// What the script shows of an image: facts as pairs of a title and a text. Most are those of its variant,
  /// and all variants of a kernel have many in common, so they are written once.
  void writeKnown() {
    Json known = {{"facts", Json::array()},
                  {"curves", Json::array()},
                  {"images", Json::array()},
                  {"archives", Json::object()}};
    std::map<std::string, size_t> facts, curves;
    auto number = [](std::map<std::string, size_t> &numbers, Json &list, Json value) {
      auto [entry, isNew] =
          numbers.try_emplace(value.dump(-1, ' ', false, Json::error_handler_t::replace), list.size());
      if (isNew)
        list.push_back(std::move(value));
      return entry->second;
    };
    file.visitTargets([&](const std::string &kernel, const Json &variant, const Json &target) {
      Json image = {{"kernel", kernel},
                    {"target", text(target, "target")},
                    {"facts", number(facts, known["facts"], describeVariant(variant))},
                    {"own", describeTarget(target)}};
      if (target.contains("occupancy")) {
        image["occupancy"] = target["occupancy"];
        image["curves"] = number(curves, known["curves"], drawCurves(target));
      }
      if (std::string name = text(target, "stages"); file.archives.count(name)) {
        image["stages"] = name;
        if (!known["archives"].contains(name))
          known["archives"][name] = encodeBase64(file.archives.at(name));
      }
      known["images"].push_back(std::move(image));
    });
    std::string json = known.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (char c : json)
      if (c == '<')
        os << "\\u003c";
      else
        os << c;
  }

  static void add(Json &facts, const std::string &title, const std::string &value) {
    if (!value.empty())
      facts.push_back({title, value});
  }

  /// What it is, and why it is there.
  static Json describeVariant(const Json &variant) {
    Json facts = Json::array();
    add(facts, "signature", text(variant, "signature"));
    add(facts, "grid", text(variant, "grid"));
    add(facts, "asked by", text(variant, "asked_by"));
    add(facts, "asked for", text(variant, "asked_signature"));
    if (variant.contains("recorded"))
      add(facts, "recorded", recordedText(variant["recorded"]));
    add(facts, "takes calls when", text(variant, "when"));
    add(facts, "takes calls where", listed(variant, "takes_calls_where"));
    add(facts, "takes no calls", text(variant, "takes_no_calls_because"));
    add(facts, "calls choose by", listed(variant, "dispatch"));
    if (variant.contains("tuning"))
      add(facts, "tries", joinItems(variant["tuning"], "="));
    if (variant.contains("config"))
      add(facts, "config", std::to_string(variant["config"].get<unsigned>()) + " of @triton.autotune");
    add(facts, "defined", listed(variant, "definitions"));
    add(facts, "source hash", text(variant, "source_hash"));
    for (const Json &source : variant.value("sources", Json::array()))
      add(facts, "source", text(source, "file") + "  sha256:" + text(source, "sha256"));
    add(facts, "compiled by",
        variant.contains("compiled_by") ? "nereid " + text(variant, "compiled_by") : "");
    return facts;
  }

  static Json describeTarget(const Json &target) {
    Json facts = Json::array();
    add(facts, "set for this target", text(target, "set_for_target"));
    for (const Json &win : target.value("fastest_for", Json::array()))
      add(facts, "the fastest for",
          std::to_string(win.at("keys").get<unsigned>()) + " of " +
              std::to_string(win.at("of").get<unsigned>()) + " keys on " + text(win, "device"));
    if (target.contains("tools"))
      add(facts, "tools", joinItems(target["tools"], " "));
    // Everything else that is a number or a flag, under its name.
    for (const auto &item : target.items())
      if (item.value().is_number_unsigned() || item.value().is_boolean())
        add(facts, item.key(), item.value().dump());
    return facts;
  }

  /// The warps that run at a time, as steps `[from, warps]`, by what a block takes of one thing.
  static Json drawCurves(const Json &json) {
    Expected<Target> target = Target::parse(text(json, "target"));
    if (!target) {
      consumeError(target.takeError());
      return {};
    }
    Multiprocessor unit = getMultiprocessor(*target);
    BlockNeeds needs = readBlockNeeds(json);
    auto trace = [&](unsigned least, unsigned most, unsigned step,
                     function_ref<void(BlockNeeds &, unsigned)> set) {
      Json steps = Json::array();
      for (unsigned value = least; value <= most; value += step) {
        BlockNeeds changed = needs;
        set(changed, value);
        unsigned warps = getOccupancy(changed, unit).warps;
        if (steps.empty() || steps.back()[1] != warps)
          steps.push_back({value, warps});
      }
      return steps;
    };
    unsigned mostShared = unit.sharedBytes - unit.reservedBytes;
    Json curves = {{"shared", trace(0, mostShared, unit.sharedUnit,
                                    [](BlockNeeds &block, unsigned bytes) { block.sharedBytes = bytes; })},
                   {"most_shared", mostShared},
                   {"at_shared", needs.sharedBytes}};
    if (needs.registers) {
      curves["registers"] = trace(1, unit.mostRegistersOfThread, 1,
                                  [](BlockNeeds &block, unsigned registers) { block.registers = registers; });
      curves["most_registers"] = unit.mostRegistersOfThread;
      curves["at_registers"] = needs.registers;
    }
    return curves;
  }

  const InspectedFile &file;
  std::string body;
  raw_string_ostream os;
};

} // namespace

std::string drawInspectPage(const InspectedFile &file) { return InspectPageWriter(file).write(); }

} // namespace nereid
