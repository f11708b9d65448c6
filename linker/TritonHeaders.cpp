// Lines are read one by one, and only comments that begin one.
#include "linker/TritonHeaders.h"

#include "linker/CNames.h"
#include "linker/TritonNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

using namespace llvm;

namespace nereid {

/// What follows `key` in a comment; nothing if it does not begin so.
static std::optional<StringRef> readComment(StringRef line, StringRef key) {
  if (!line.consume_front("//"))
    return std::nullopt;
  line = line.ltrim();
  if (!line.consume_front(key))
    return std::nullopt;
  return line.trim();
}

/// `0d1c2`: an argument's hint follows its number.
static bool readSuffix(StringRef suffix, std::vector<TritonArgument> &arguments) {
  for (auto [index, argument] : enumerate(arguments)) {
    if (!suffix.consume_front(std::to_string(index)))
      return false;
    if (suffix.consume_front("d"))
      argument.hint = 16;
    else if (suffix.consume_front("c"))
      argument.hint = 1;
  }
  return true;
}

/// `16,1,0`
static bool readHints(StringRef text, std::vector<TritonArgument> &arguments) {
  SmallVector<StringRef> pieces;
  if (!text.empty())
    text.split(pieces, ',');
  if (pieces.size() != arguments.size())
    return false;
  for (const auto &[piece, argument] : zip(pieces, arguments))
    if (piece.trim().getAsInteger(10, argument.hint) ||
        (argument.hint != 0 && argument.hint != 1 && argument.hint != 16))
      return false;
  return true;
}

/// `matmul_1a2b3c4d_0d1c2:CUdeviceptr a, int32_t n:16x1_warps4xstages3`
static bool readVariant(StringRef text, const StringMap<StringRef> &hints, TritonVariant &variant,
                        Diagnostics &diagnostics) {
  auto refuse = [&](StringRef where, const Twine &what) {
    diagnostics.error(rangeOf(where.empty() ? text : where), what);
    return false;
  };
  auto [symbol, rest] = text.split(':');
  auto [arguments, algorithm] = rest.rsplit(':');
  if (!isCIdentifier(symbol) || algorithm.empty())
    return refuse("", "expected the function, its arguments and its algorithm: "
                      "'// tt-linker: NAME_HASH_SUFFIX:TYPE NAME, …:ALGORITHM'");
  auto [front, suffix] = symbol.rsplit('_');
  auto [kernel, hash] = front.rsplit('_');
  if (kernel.empty() || hash.empty() || suffix.empty())
    return refuse(symbol, "'" + symbol + "' is no name of a compiled kernel, NAME_HASH_SUFFIX");
  variant.symbol = symbol.str();
  variant.kernel = kernel.str();
  variant.algorithm = (kernel + "_" + spellAlgorithm(algorithm)).str();
  variant.range = rangeOf(symbol);
  SmallVector<StringRef> pieces;
  if (!arguments.trim().empty())
    arguments.split(pieces, ',');
  for (StringRef piece : pieces) {
    auto [type, name] = piece.trim().rsplit(' ');
    if (!isCIdentifier(type.trim()) || !isCIdentifier(name))
      return refuse(piece, "expected the type and the name of an argument");
    variant.arguments.push_back({type.trim().str(), name.str()});
  }
  auto given = hints.find(symbol);
  if (given == hints.end() ? !readSuffix(suffix, variant.arguments)
                           : !readHints(given->second, variant.arguments))
    return refuse(given == hints.end() ? suffix : given->second, "this does not say of each of the " +
                                                                     Twine(variant.arguments.size()) +
                                                                     " arguments what is known of it");
  return true;
}

bool readTritonHeader(StringRef text, std::vector<TritonVariant> &variants, Diagnostics &diagnostics) {
  Backend backend = Backend::CUDA;
  StringMap<StringRef> hints;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    if (auto name = readComment(line, "tt-linker-backend:")) {
      if (*name != "cuda" && *name != "hip") {
        diagnostics.error(rangeOf(*name),
                          "no kernels for '" + *name + "' can be linked, only for cuda and hip");
        return false;
      }
      backend = *name == "hip" ? Backend::HIP : Backend::CUDA;
    } else if (auto given = readComment(line, "nereid-arguments:")) {
      auto [symbol, values] = given->split(':');
      hints[symbol] = values;
    } else if (auto description = readComment(line, "tt-linker:")) {
      TritonVariant variant;
      variant.backend = backend;
      if (!readVariant(*description, hints, variant, diagnostics))
        return false;
      variants.push_back(std::move(variant));
    }
  }
  return true;
}

} // namespace nereid
