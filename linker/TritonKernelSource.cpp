// Upstream passes scalars of floating point as double, whatever the kernel takes. So do these functions, and
// convert them.
#include "linker/TritonKernelSource.h"

#include "linker/CNames.h"
#include "linker/CTypes.h"
#include "linker/Template.h"
#include "linker/TritonAPI.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace nereid {

namespace {

/// An argument of the C functions.
struct Argument {
  std::string name, type;
  const KernelParameter *parameter;
};

/// Nothing for types that upstream's tools do not know as scalars.
std::optional<std::string> typeOf(const KernelParameter &parameter, const TritonAPI &api) {
  if (parameter.isPointer)
    return api.pointer;
  switch (parameter.element) {
  case ScalarKind::Int1:
    return "int8_t";
  case ScalarKind::FP16:
  case ScalarKind::BF16:
  case ScalarKind::FP32:
  case ScalarKind::FP64:
    return "double";
  default:
    if (!isInteger(parameter.element))
      return std::nullopt;
    return scalarTypeInC(parameter.element).str();
  }
}

/// The parameter's name, or another one where that is taken.
std::string nameOf(const KernelParameter &parameter) {
  static const StringSet<> taken = {"stream", "gX", "gY", "gZ"};
  std::string name = spellInC(parameter.name);
  return isReservedInC(name) || taken.contains(name) ? name + "_" : name;
}

/// The identifiers in a C expression.
std::vector<StringRef> listNames(StringRef text) {
  std::vector<StringRef> names;
  while (!text.empty()) {
    StringRef word = text.take_while([](char c) { return isAlnum(c) || c == '_' || !isASCII(c); });
    if (!word.empty() && !isDigit(word[0]))
      names.push_back(word);
    text = text.drop_front(std::max<size_t>(word.size(), 1));
  }
  return names;
}

std::string printBytes(StringRef bytes) {
  std::string text;
  text.reserve(bytes.size() * 5);
  for (const auto &[index, byte] : enumerate(bytes.bytes())) {
    text += "0x";
    text += hexdigit(byte >> 4, /*LowerCase=*/true);
    text += hexdigit(byte & 15, /*LowerCase=*/true);
    text += index % 24 == 23 ? ",\n" : ",";
  }
  return text + "\n";
}

class Writer {
public:
  Writer(const TritonKernel &kernel, Diagnostics &diagnostics)
      : kernel(kernel), info(kernel.code.info), api(getTritonAPI(kernel.code.target.backend)),
        diagnostics(diagnostics) {}

  std::optional<TritonKernelText> write() {
    if (!checkLaunch() || !collectArguments())
      return std::nullopt;
    std::map<std::string, std::string> values = getTemplateValues(api);
    values["title"] = kernel.title;
    values["name"] = kernel.getSymbol();
    values["algorithm"] = kernel.names.algorithm;
    std::string hints, parameters;
    std::vector<std::string> all;
    for (const Argument &argument : arguments) {
      hints += hints.empty() ? "" : ",";
      hints += argument.parameter->equalsOne ? "1" : argument.parameter->divisibleBy == 16 ? "16" : "0";
      all.push_back(argument.type + " " + argument.name);
      if (!argument.parameter->equalsOne)
        parameters += ", " + all.back();
    }
    values["hints"] = hints;
    values["full_arguments"] = all.empty() ? " " : join(all, ", ");
    values["parameters"] = parameters;
    TritonKernelText text;
    text.header = fillTemplate("triton_kernel.h", values);
    writeImage(values);
    writeLaunch(values);
    text.source = fillTemplate("triton_kernel.c", values);
    return text;
  }

private:
  bool checkLaunch() {
    const char *what = info.scratchBytes != 0     ? "memory of the GPU beside its arguments"
                       : !info.tensorMaps.empty() ? "tensor maps"
                       : info.isCooperative       ? "a cooperative launch"
                       : info.overlapsWithLast    ? "a launch that overlaps with the last one"
                       : info.numCTAs > 1         ? "clusters of blocks"
                                                  : nullptr;
    if (what)
      diagnostics.error(kernel.signatureRange, "'" + info.name + "' needs " + what +
                                                   ", which the functions of triton-compile cannot give it; "
                                                   "'nereid compile' and 'nereid link' can");
    return !what;
  }

  bool collectArguments() {
    for (const KernelParameter &parameter : ArrayRef(info.parameters).take_front(kernel.parameterCount)) {
      if (parameter.constant)
        continue;
      std::optional<std::string> type = typeOf(parameter, api);
      if (!type) {
        diagnostics.error(kernel.signatureRange, "'" + parameter.name + "' is a scalar of " +
                                                     getScalarName(parameter.element) +
                                                     ", for which triton.tools.compile has no type in C");
        return false;
      }
      arguments.push_back({nameOf(parameter), *type, &parameter});
    }
    return true;
  }

  void writeImage(std::map<std::string, std::string> &values) {
    const KernelImage *image = &kernel.code.images.front();
    for (const KernelImage &other : kernel.code.images)
      if (other.format == ImageFormat::Cubin)
        image = &other;
    std::string bytes = image->bytes;
    if (image->format == ImageFormat::PTX)
      bytes += '\0';
    values["what"] = (getImageFormatName(image->format) + " for " + kernel.code.target.str()).str();
    values["size"] = std::to_string(bytes.size());
    values["bytes"] = printBytes(bytes);
    values["symbol"] = info.symbol;
    values["prepare"] = api.backend == StringRef("cuda") && info.sharedBytes > 48 << 10
                            ? formatv("  if (result == CUDA_SUCCESS)\n"
                                      "    result = cuFuncSetAttribute(function, "
                                      "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, {0});\n",
                                      info.sharedBytes)
                            : std::string();
  }

  /// What an expression of the grid names is an argument of the function, or a compile-time value, which is
  /// declared for it; anything else has to mean something where the file is compiled.
  std::string writeGrid() {
    std::string text;
    StringSet<> known = {"unsigned", "int", "long", "short", "char", "signed", "sizeof", "double", "float"};
    for (const Argument &argument : arguments)
      if (!argument.parameter->equalsOne)
        known.insert(argument.name);
    for (StringRef expression : kernel.grid)
      for (StringRef name : listNames(expression)) {
        if (known.contains(name) || name.ends_with("_t"))
          continue;
        known.insert(name);
        auto parameter = find_if(info.parameters, [&](const KernelParameter &p) { return p.name == name; });
        std::optional<int64_t> value;
        if (parameter != info.parameters.end() && parameter->equalsOne)
          value = 1;
        else if (parameter != info.parameters.end() && parameter->constant)
          if (const int64_t *number = std::get_if<int64_t>(&*parameter->constant))
            value = *number;
        if (value)
          text += formatv("  const int64_t {0} = {1};\n", name, numberInC(*value));
        else if (name != "gX" && name != "gY")
          diagnostics.warning(rangeOf(name), "'" + name +
                                                 "' is neither an argument nor an integer that is known when "
                                                 "the kernel is compiled; it has to mean something in C");
      }
    for (const auto &[axis, expression] : zip("XYZ", kernel.grid))
      text += formatv("  unsigned int g{0} = (unsigned int)({1});\n", axis, expression);
    return text;
  }

  void writeLaunch(std::map<std::string, std::string> &values) {
    std::string text, helpers;
    std::vector<std::string> addresses;
    auto convert = [&](StringRef type, StringRef name, const Twine &value) {
      std::string converted = ("nrd_" + Twine(addresses.size())).str();
      text += ("  " + type + " " + converted + " = " + value + ";\n").str();
      addresses.push_back("&" + converted);
    };
    bool hasHalf = false, hasBFloat = false;
    for (const Argument &argument : arguments) {
      if (argument.parameter->equalsOne)
        continue;
      if (argument.parameter->isPointer) {
        addresses.push_back("&" + argument.name);
        continue;
      }
      switch (argument.parameter->element) {
      case ScalarKind::Int1:
        convert("int8_t", argument.name, argument.name + " != 0");
        break;
      case ScalarKind::FP32:
        convert("float", argument.name, "(float)" + argument.name);
        break;
      case ScalarKind::FP16:
        convert("uint16_t", argument.name, "nrd_to_fp16(" + argument.name + ")");
        hasHalf = true;
        break;
      case ScalarKind::BF16:
        convert("uint16_t", argument.name, "nrd_to_bf16(" + argument.name + ")");
        hasBFloat = true;
        break;
      default:
        addresses.push_back("&" + argument.name);
      }
    }
    if (hasHalf)
      helpers += fillTemplate("triton_f16.c", {});
    if (hasBFloat)
      helpers += fillTemplate("triton_bf16.c", {});
    if (!addresses.empty())
      text += "  void *nrd_arguments[] = {" + join(addresses, ", ") + "};\n";
    values["grid"] = writeGrid();
    values["values"] = text;
    values["helpers"] = helpers;
    values["arguments"] = addresses.empty() ? "NULL" : "nrd_arguments";
    values["threads"] = std::to_string(info.countThreads());
    values["shared"] = std::to_string(info.sharedBytes);
  }

  const TritonKernel &kernel;
  const KernelInfo &info;
  const TritonAPI &api;
  Diagnostics &diagnostics;
  std::vector<Argument> arguments;
};

} // namespace

std::optional<std::array<StringRef, 3>> splitTritonGrid(StringRef text, Diagnostics &diagnostics) {
  std::vector<StringRef> pieces;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0 || StringRef(";{}[]\"'#\\\n").contains(c)) {
      diagnostics.error(rangeOf(text.substr(i, 1)), "this cannot stand in a C expression of integers");
      return std::nullopt;
    }
    if (StringRef comment = text.substr(i, 2); comment == "//" || comment == "/*") {
      diagnostics.error(rangeOf(comment),
                        "'" + comment + "' begins a comment in C" +
                            (comment == "//" ? "; integers are divided with '/' there" : ""));
      return std::nullopt;
    }
    if (c == ',' && depth == 0) {
      pieces.push_back(text.slice(begin, i));
      begin = i + 1;
    }
  }
  pieces.push_back(text.substr(begin));
  if (depth > 0) {
    diagnostics.error(rangeOf(text), "')' is missing");
    return std::nullopt;
  }
  if (pieces.size() != 3) {
    diagnostics.error(rangeOf(text), "expected three expressions of C, separated by commas, and found " +
                                         Twine(pieces.size()));
    return std::nullopt;
  }
  std::array<StringRef, 3> grid;
  for (auto [index, piece] : enumerate(pieces)) {
    if (piece.trim().empty()) {
      diagnostics.error(rangeOf(piece), "expected an expression of C");
      return std::nullopt;
    }
    grid[index] = piece.trim();
  }
  return grid;
}

std::optional<TritonKernelText> writeTritonKernel(const TritonKernel &kernel, Diagnostics &diagnostics) {
  return Writer(kernel, diagnostics).write();
}

} // namespace nereid
