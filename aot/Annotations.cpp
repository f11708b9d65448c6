// Comments are found by a scan that knows texts, and no more of either language.
#include "aot/Annotations.h"

#include "compiler/driver/Compiler.h"
#include "linker/CNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nereid {

static StringRef getCommentMark(StringRef path) { return sys::path::extension(path) == ".py" ? "#" : "//"; }

/// Behind the end of the text that begins at `at` with a quote: `"a"`, `'a'`, in Python also `"""a"""`. One
/// that is not closed ends with its line, or with the file if it has three quotes.
static size_t skipText(StringRef text, size_t at, bool isPython) {
  StringRef quote = text.substr(at, 1);
  if (isPython && text.substr(at, 3) == std::string(3, quote.front()))
    quote = text.substr(at, 3);
  for (at += quote.size(); at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text.substr(at).starts_with(quote))
      return at + quote.size();
    else if (text[at] == '\n' && quote.size() == 1)
      return at;
  }
  return text.size();
}

void visitLineComments(StringRef text, bool isPython, function_ref<void(StringRef)> visit) {
  StringRef mark = isPython ? "#" : "//";
  for (size_t at = 0; at < text.size();) {
    StringRef rest = text.substr(at);
    if (rest.starts_with(mark)) {
      StringRef comment = rest.take_until([](char c) { return c == '\n' || c == '\r'; });
      visit(comment.substr(mark.size()));
      at += comment.size();
    } else if (!isPython && rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      at = end == StringRef::npos ? text.size() : at + end + 2;
    } else if (rest.front() == '"' || rest.front() == '\'') {
      at = skipText(text, at, isPython);
    } else {
      ++at;
    }
  }
}

/// What annotations may say.
static constexpr StringLiteral annotationKeys[] = {"signature",
                                                   "when",
                                                   "tune",
                                                   "autotune",
                                                   "function",
                                                   "grid",
                                                   "dispatch",
                                                   "python",
                                                   "targets",
                                                   "num_warps",
                                                   "num_stages",
                                                   "num_ctas",
                                                   "maxnreg",
                                                   "config",
                                                   "compile_limit",
                                                   "for",
                                                   "define",
                                                   "debug",
                                                   "debug_info",
                                                   "tensor_maps",
                                                   "exact_warps",
                                                   "exact_stages",
                                                   "launch_cooperative_grid",
                                                   "launch_pdl"};

/// Whether a comment was meant as an annotation and is none: `Nereid: grid = 1`, `nereid grid = 1`.
static bool isMisspelled(StringRef words) {
  if (!words.consume_front_insensitive("nereid"))
    return false;
  words = words.ltrim();
  words.consume_front(":");
  auto [key, value] = words.split('=');
  return key.size() != words.size() && is_contained(annotationKeys, key.trim().lower());
}

namespace {

class AnnotationReader {
public:
  AnnotationReader(StringRef path, StringRef text, ArrayRef<KernelDeclaration> kernels,
                   Diagnostics &diagnostics)
      : path(path), text(text), kernels(kernels), diagnostics(diagnostics) {}

  std::optional<std::vector<ManifestKernel>> read() {
    bool ok = true;
    visitLineComments(text, sys::path::extension(path) == ".py", [&](StringRef comment) {
      StringRef words = comment.trim();
      if (words.consume_front("nereid:"))
        ok = ok && readLine(words.trim());
      else if (isMisspelled(words))
        ok = ok && fail(words, Twine("expected '") + getCommentMark(path) +
                                   " nereid: KEY = VALUE': this is no annotation as it stands");
    });
    if (!ok)
      return std::nullopt;
    for (const ManifestKernel &kernel : found)
      if (kernel.variants.empty()) {
        diagnostics.error(kernel.sourceRange, "'" + kernel.kernel.str() + "' is annotated, but has no '" +
                                                  getCommentMark(path) + " nereid: signature = …'");
        return std::nullopt;
      }
    return std::move(found);
  }

private:
  bool fail(StringRef where, const Twine &message) {
    diagnostics.error(rangeOf(where), message);
    return false;
  }

  /// The kernel that comes next behind a place of the file.
  const KernelDeclaration *findNext(StringRef where) const {
    unsigned line = diagnostics.positionOf(rangeOf(where).Start).line;
    const KernelDeclaration *next = nullptr;
    for (const KernelDeclaration &kernel : kernels)
      if (kernel.line > line && (!next || kernel.line < next->line))
        next = &kernel;
    return next;
  }

  bool readLine(StringRef words) {
    auto [key, value] = words.split('=');
    key = key.rtrim();
    value = value.ltrim();
    if (!words.contains('=') || key.empty() || value.empty())
      return fail(words, "expected 'nereid: KEY = VALUE', such as 'nereid: signature = *fp32, i32, 1024'");
    const KernelDeclaration *declaration = findNext(words);
    if (!declaration)
      return fail(words, "no kernel follows this annotation");
    if (found.empty() || found.back().kernel != declaration->name) {
      found.emplace_back();
      found.back().sourcePath = path.str();
      found.back().sourceRange = rangeOf(words);
      found.back().kernel = diagnostics.addSource("<kernel>", declaration->name);
      defaults = {};
      given.clear();
    }
    return readEntry(key, value, found.back());
  }

  bool readEntry(StringRef key, StringRef value, ManifestKernel &kernel) {
    if (key == "signature") {
      kernel.variants.push_back(defaults);
      kernel.variants.back().signature = value;
      given.clear();
      return true;
    }
    ManifestVariant &variant = kernel.variants.empty() ? defaults : kernel.variants.back();
    if (key == "define")
      return readDefinition(value, variant);
    if (key == "for")
      return readSettings(value, &variant != &defaults, variant);
    if (key == "tune") {
      // A signature's own take the place of the kernel's.
      if (!is_contained(given, key) && !kernel.variants.empty())
        variant.tune.clear();
      given.push_back(key);
      variant.tune.push_back({value});
      return true;
    }
    // A list that may take several lines.
    if (key == "python") {
      if (!kernel.variants.empty())
        return fail(key, "'" + key + "' is for all of the kernel's signatures, and stands before them");
      kernel.python.push_back(value);
      return true;
    }
    if (is_contained(given, key))
      return fail(key, "'" + key + "' is given twice");
    given.push_back(key);
    if (key == "autotune") {
      variant.autotuneRange = rangeOf(value);
      return readFlag(key, value, variant.autotune);
    }
    if (key == "when") {
      variant.when = value;
      return true;
    }
    if (key == "num_warps")
      return readInteger(key, value, 1, 1024, variant.numWarps, variant.numWarpsRange);
    if (key == "num_stages")
      return readInteger(key, value, 1, 1024, variant.numStages, variant.numStagesRange);
    if (key == "num_ctas")
      return readInteger(key, value, 1, 1024, variant.numCTAs, variant.numCTAsRange);
    if (key == "maxnreg")
      return readInteger(key, value, 1, 1024, variant.maxRegisters, variant.maxRegistersRange);
    if (key == "config")
      return readInteger(key, value, 0, 1024, variant.config, variant.configRange);
    if (key == "compile_limit")
      return readInteger(key, value, 1, UINT32_MAX, variant.compileLimit, variant.compileLimitRange);
    constexpr StringLiteral ofKernels[] = {
        "function",   "grid",        "dispatch",    "targets",      "debug",
        "debug_info", "tensor_maps", "exact_warps", "exact_stages", "launch_cooperative_grid",
        "launch_pdl"};
    if (!is_contained(ofKernels, key))
      return fail(key, "unknown key '" + key + "': expected one of " +
                           join(ArrayRef<StringLiteral>(annotationKeys), ", "));
    if (!kernel.variants.empty())
      return fail(key, "'" + key + "' is for all of the kernel's signatures, and stands before them");
    if (key == "function")
      kernel.function = value;
    else if (key == "grid")
      kernel.grid = value;
    else if (key == "targets")
      return readTargets(value, kernel);
    else if (key == "dispatch")
      return readDispatch(value, kernel);
    else
      return readFlag(key, value,
                      key == "debug"          ? kernel.debug
                      : key == "debug_info"   ? kernel.debugInfo
                      : key == "tensor_maps"  ? kernel.useTensorMaps
                      : key == "exact_warps"  ? kernel.hasExactWarps
                      : key == "exact_stages" ? kernel.hasExactStages
                      : key == "launch_pdl"   ? kernel.overlapsWithLast
                                              : kernel.isCooperative);
    return true;
  }

  bool readInteger(StringRef key, StringRef value, unsigned least, unsigned most,
                   std::optional<unsigned> &out, SMRange &range) {
    unsigned number;
    if (value.getAsInteger(10, number) || number < least || number > most)
      return fail(value, "expected '" + key + "', an integer from " + Twine(least) + " to " + Twine(most));
    out = number;
    range = rangeOf(value);
    return true;
  }

  bool readFlag(StringRef key, StringRef value, bool &out) {
    auto flag = StringSwitch<std::optional<bool>>(value)
                    .Case("true", true)
                    .Case("false", false)
                    .Default(std::nullopt);
    if (!flag)
      return fail(value, "expected '" + key + "' to be true or false");
    out = *flag;
    return true;
  }

  /// `HEAD_DIM, CAUSAL`
  bool readDispatch(StringRef value, ManifestKernel &kernel) {
    SmallVector<StringRef> names;
    value.split(names, ',');
    for (StringRef name : names) {
      name = name.trim();
      if (!isPythonIdentifier(name))
        return fail(name.empty() ? value : name, "expected the name of a parameter");
      kernel.dispatch.push_back({name});
    }
    return true;
  }

  bool readTargets(StringRef value, ManifestKernel &kernel) {
    SmallVector<StringRef> names;
    SplitString(value, names, ", \t");
    for (StringRef name : names)
      kernel.targets.push_back({name});
    return true;
  }

  bool readSettings(StringRef value, bool isOfSignature, ManifestVariant &variant) {
    auto settings = parseTargetSettings(value, diagnostics);
    if (!settings)
      return false;
    settings->isOfSignature = isOfSignature;
    return addTargetSettings(variant.targetSettings, std::move(*settings), diagnostics);
  }

  bool readDefinition(StringRef value, ManifestVariant &variant) {
    auto definition =
        parseDefinition(diagnostics.addSource((path + ": define").str(), value.str()), diagnostics);
    if (definition)
      addDefinitions(variant.definitions, {*definition});
    return definition.has_value();
  }

  StringRef path, text;
  ArrayRef<KernelDeclaration> kernels;
  Diagnostics &diagnostics;
  std::vector<ManifestKernel> found;
  /// What holds for all signatures of the kernel that is being read, and the keys given since the last
  /// signature.
  ManifestVariant defaults;
  SmallVector<StringRef> given;
};

} // namespace

std::optional<std::vector<ManifestKernel>> readAnnotations(StringRef path, StringRef text,
                                                           ArrayRef<KernelDeclaration> kernels,
                                                           Diagnostics &diagnostics) {
  return AnnotationReader(path, text, kernels, diagnostics).read();
}

std::optional<std::vector<ManifestKernel>>
readAnnotations(StringRef path, ArrayRef<KernelDeclaration> kernels, Diagnostics &diagnostics) {
  StringRef text = diagnostics.addFile(path);
  if (!text.data())
    return std::nullopt;
  return readAnnotations(path, text, kernels, diagnostics);
}

bool mayHaveAnnotations(StringRef path) {
  StringRef extension = sys::path::extension(path);
  return extension == ".py" || extension == ".tc";
}

std::optional<Manifest> readAnnotatedSource(StringRef path, const SourceSetting &setting,
                                            Diagnostics &diagnostics) {
  std::optional<std::vector<KernelDeclaration>> declarations = listKernels(path, setting, diagnostics);
  if (!declarations)
    return std::nullopt;
  std::optional<std::vector<ManifestKernel>> kernels = readAnnotations(path, *declarations, diagnostics);
  if (!kernels)
    return std::nullopt;
  if (kernels->empty()) {
    diagnostics.error("'" + path + "' has no annotations, such as '" + getCommentMark(path) +
                      " nereid: signature = *fp32, i32, 1024' before a kernel");
    return std::nullopt;
  }
  Manifest manifest;
  manifest.name = sys::path::stem(path).str();
  manifest.kernels = std::move(*kernels);
  return manifest;
}

} // namespace nereid
