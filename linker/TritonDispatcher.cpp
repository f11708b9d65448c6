// An argument that equals 1 for a variant is an int32_t in headers of upstream's, whatever it is for the
// others. So its type is that of a variant which takes it, where there is one.
#include "linker/TritonDispatcher.h"

#include "linker/CNames.h"
#include "linker/TritonAPI.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;

namespace nereid {

namespace {

struct Algorithm {
  StringRef name;
  /// Those with the most hints first.
  std::vector<const TritonVariant *> variants;
};

struct Kernel {
  StringRef name;
  /// What callers pass; of the hints nothing.
  std::vector<TritonArgument> arguments;
  std::vector<Algorithm> algorithms;
};

std::string printArguments(ArrayRef<TritonArgument> arguments) {
  std::string text;
  for (const TritonArgument &argument : arguments)
    text += (text.empty() ? "" : ", ") + argument.type + " " + argument.name;
  return text;
}

/// Brings the arguments of all variants of a kernel together; false if they differ.
bool settleArguments(Kernel &kernel, ArrayRef<TritonVariant> variants, Diagnostics &diagnostics) {
  const TritonVariant *first = nullptr;
  std::vector<const TritonVariant *> typedBy;
  for (const TritonVariant &variant : variants) {
    if (variant.kernel != kernel.name)
      continue;
    if (!first) {
      first = &variant;
      kernel.arguments = variant.arguments;
      typedBy.resize(variant.arguments.size());
    }
    const TritonVariant *other = variant.arguments.size() == typedBy.size() ? nullptr : first;
    for (size_t i = 0; i < typedBy.size() && !other; ++i) {
      const TritonArgument &argument = variant.arguments[i];
      if (argument.hint == 1)
        continue;
      if (!typedBy[i]) {
        typedBy[i] = &variant;
        kernel.arguments[i].type = argument.type;
      } else if (kernel.arguments[i].type != argument.type) {
        other = typedBy[i];
      }
    }
    if (!other)
      continue;
    diagnostics.error(variant.range, "'" + variant.symbol + "' takes (" + printArguments(variant.arguments) +
                                         "), and so it is no variant of '" + other->symbol + "'");
    diagnostics.note(other->range, "that takes (" + printArguments(other->arguments) + ")");
    return false;
  }
  return true;
}

unsigned countHints(const TritonVariant &variant) {
  return count_if(variant.arguments, [](const TritonArgument &argument) { return argument.hint != 0; });
}

std::optional<std::vector<Kernel>> group(ArrayRef<TritonVariant> variants, Diagnostics &diagnostics) {
  std::vector<Kernel> kernels;
  std::set<StringRef> symbols;
  for (const TritonVariant &variant : variants) {
    // A header that is named twice.
    if (!symbols.insert(variant.symbol).second)
      continue;
    auto kernel = find_if(kernels, [&](const Kernel &k) { return k.name == variant.kernel; });
    if (kernel == kernels.end()) {
      if (isReservedInC(variant.kernel)) {
        diagnostics.error(variant.range, "no C function can be called '" + variant.kernel +
                                             "'; triton-compile's --out-name gives it another name");
        return std::nullopt;
      }
      kernels.push_back({variant.kernel, {}, {}});
      kernel = std::prev(kernels.end());
    }
    auto algorithm =
        find_if(kernel->algorithms, [&](const Algorithm &a) { return a.name == variant.algorithm; });
    if (algorithm == kernel->algorithms.end()) {
      kernel->algorithms.push_back({variant.algorithm, {}});
      algorithm = std::prev(kernel->algorithms.end());
    }
    // Of those with as many hints, the first stays first.
    auto behind = find_if(algorithm->variants, [&](const TritonVariant *other) {
      return countHints(*other) < countHints(variant);
    });
    algorithm->variants.insert(behind, &variant);
  }
  for (Kernel &kernel : kernels)
    if (!settleArguments(kernel, variants, diagnostics))
      return std::nullopt;
  return kernels;
}

/// The text of both files, piece by piece.
class Writer {
public:
  explicit Writer(Backend backend) : api(getTritonAPI(backend)) {}

  TritonDispatcher write(ArrayRef<Kernel> kernels) {
    TritonDispatcher result;
    result.extension = api.extension;
    std::string includes =
        "/* Written by nereid triton-link. */\n#include <stddef.h>\n#include <stdint.h>\n\n" +
        declareTritonAPI(api);
    raw_string_ostream header(result.header), source(result.source);
    header << includes;
    source << includes;
    for (const Kernel &kernel : kernels) {
      declare(kernel, header);
      declare(kernel, source);
      define(kernel, source);
    }
    return result;
  }

private:
  std::string functionType(StringRef name, ArrayRef<TritonArgument> arguments, StringRef last = "") const {
    std::string text = (Twine(api.result) + " " + name + "(" + api.stream + " stream").str();
    if (!arguments.empty())
      text += ", " + printArguments(arguments);
    return text + last.str() + ")";
  }

  void declare(const Kernel &kernel, raw_ostream &os) const {
    for (const Algorithm &algorithm : kernel.algorithms)
      os << '\n'
         << functionType(algorithm.name, kernel.arguments) << ";\nvoid load_" << algorithm.name
         << "(void);\nvoid unload_" << algorithm.name << "(void);\n";
    os << "\nint " << kernel.name << "_get_num_algos(void);\n"
       << functionType((kernel.name + "_default").str(), kernel.arguments) << ";\n"
       << functionType(kernel.name, kernel.arguments, ", int algo_id") << ";\nvoid load_" << kernel.name
       << "(void);\nvoid unload_" << kernel.name << "(void);\n";
  }

  /// The arguments as a call passes them on, without those that equal 1 for the one that is called.
  static std::string pass(const Kernel &kernel, const TritonVariant *variant = nullptr) {
    std::string text = "stream";
    for (const auto &[index, argument] : enumerate(kernel.arguments))
      if (!variant || variant->arguments[index].hint != 1)
        text += ", " + argument.name;
    return text;
  }

  static std::string printCondition(const Kernel &kernel, const TritonVariant &variant) {
    std::vector<std::string> terms;
    for (const auto &[index, argument] : enumerate(kernel.arguments)) {
      std::string value =
          StringRef(argument.type).contains("ptr") ? "(uintptr_t)" + argument.name : argument.name;
      if (unsigned hint = variant.arguments[index].hint)
        terms.push_back(value + (hint == 1 ? " == 1" : " % 16 == 0"));
    }
    return join(terms, " && ");
  }

  void define(const Algorithm &algorithm, const Kernel &kernel, raw_ostream &os) const {
    os << '\n';
    for (const TritonVariant *variant : algorithm.variants) {
      std::vector<TritonArgument> passed;
      copy_if(variant->arguments, std::back_inserter(passed),
              [](const TritonArgument &argument) { return argument.hint != 1; });
      os << functionType(variant->symbol, passed) << ";\nvoid load_" << variant->symbol
         << "(void);\nvoid unload_" << variant->symbol << "(void);\n";
    }
    os << '\n' << functionType(algorithm.name, kernel.arguments) << " {\n";
    bool isComplete = false;
    for (const TritonVariant *variant : algorithm.variants) {
      std::string condition = printCondition(kernel, *variant);
      isComplete = condition.empty();
      if (!isComplete)
        os << "  if (" << condition << ")\n  ";
      os << "  return " << variant->symbol << "(" << pass(kernel, variant) << ");\n";
      // Those behind it cannot be reached.
      if (isComplete)
        break;
    }
    if (!isComplete)
      os << "  return " << api.invalidValue << ";\n";
    os << "}\n";
    for (StringRef action : {"load_", "unload_"}) {
      os << "\nvoid " << action << algorithm.name << "(void) {\n";
      for (const TritonVariant *variant : algorithm.variants)
        os << "  " << action << variant->symbol << "();\n";
      os << "}\n";
    }
  }

  void define(const Kernel &kernel, raw_ostream &os) const {
    for (const Algorithm &algorithm : kernel.algorithms)
      define(algorithm, kernel, os);
    std::string table = (kernel.name + "_kernels").str();
    os << "\ntypedef " << functionType(("(*" + kernel.name + "_kernel_func_t)").str(), kernel.arguments)
       << ";\n"
       << kernel.name << "_kernel_func_t " << table << "[] = {\n";
    for (const Algorithm &algorithm : kernel.algorithms)
      os << "  " << algorithm.name << ",\n";
    os << "};\n\nint " << kernel.name << "_get_num_algos(void) { return " << kernel.algorithms.size()
       << "; }\n\n"
       << functionType(kernel.name, kernel.arguments, ", int algo_id")
       << " {\n  if (algo_id < 0 || algo_id >= " << kernel.algorithms.size() << ")\n    return "
       << api.invalidValue << ";\n  return " << table << "[algo_id](" << pass(kernel) << ");\n}\n\n"
       << functionType((kernel.name + "_default").str(), kernel.arguments) << " { return " << kernel.name
       << "(" << pass(kernel) << ", 0); }\n";
    for (StringRef action : {"load_", "unload_"}) {
      os << "\nvoid " << action << kernel.name << "(void) {\n";
      for (const Algorithm &algorithm : kernel.algorithms)
        os << "  " << action << algorithm.name << "();\n";
      os << "}\n";
    }
  }

  const TritonAPI &api;
};

} // namespace

std::optional<TritonDispatcher> writeTritonDispatcher(ArrayRef<TritonVariant> variants,
                                                      Diagnostics &diagnostics) {
  for (const TritonVariant &variant : variants)
    if (variant.backend != variants.front().backend) {
      diagnostics.error(variant.range,
                        "'" + variant.symbol + "' and '" + variants.front().symbol +
                            "' are for GPUs of different vendors, which these functions cannot "
                            "tell apart; 'nereid link' makes one library for both");
      return std::nullopt;
    }
  std::optional<std::vector<Kernel>> kernels = group(variants, diagnostics);
  if (!kernels)
    return std::nullopt;
  return Writer(variants.front().backend).write(*kernels);
}

} // namespace nereid
