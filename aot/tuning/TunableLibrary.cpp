// The description is JSON that `nereid inspect` checks and hands out; what is missing in it makes it one of
// another version.
#include "aot/tuning/TunableLibrary.h"

#include "linker/Inspect.h"

#include "llvm/ADT/STLExtras.h"

#include "nlohmann/json.hpp"

#include <dlfcn.h>

using namespace llvm;
using nlohmann::json;

namespace nereid {

bool TunableFunction::hasCodeFor(Backend backend) const {
  return any_of(variants, [&](const TunableVariant &variant) {
    return any_of(variant.names, [&](const auto &name) {
      Expected<Target> target = Target::parse(name.first);
      if (target)
        return target->backend == backend;
      consumeError(target.takeError());
      return false;
    });
  });
}

const TunableArgument *TunableFunction::findArgument(StringRef name) const {
  auto found = find_if(arguments, [&](const TunableArgument &argument) { return argument.name == name; });
  return found == arguments.end() ? nullptr : &*found;
}

/// Returns false for a type that this version does not know.
static bool readType(TunableArgument &argument) {
  using Kind = TunableArgument::Kind;
  StringRef type = argument.type;
  for (auto [name, kind] : {std::pair("text", Kind::Text),
                            {"dtype", Kind::DType},
                            {"i64 or None", Kind::OptionalInteger},
                            {"fp16 or None", Kind::OptionalFloat},
                            {"bf16 or None", Kind::OptionalFloat},
                            {"fp32 or None", Kind::OptionalFloat},
                            {"fp64 or None", Kind::OptionalFloat}})
    if (type == name) {
      argument.kind = kind;
      if (kind == Kind::OptionalFloat)
        argument.element = *parseScalarKind(type.split(' ').first);
      return true;
    }
  argument.kind = type.consume_front("*") ? Kind::Pointer : Kind::Number;
  std::optional<ScalarKind> element = parseScalarKind(type);
  if (element)
    argument.element = *element;
  return element.has_value();
}

static Error readFunction(const json &kernel, TunableFunction &function) {
  function.name = kernel.at("name").get<std::string>();
  function.symbol = kernel.at("symbol").get<std::string>();
  for (const json &entry : kernel.at("arguments")) {
    TunableArgument &argument = function.arguments.emplace_back();
    argument.name = entry.at("name").get<std::string>();
    argument.type = entry.at("type").get<std::string>();
    argument.isConst = entry.value("const", false);
    if (!readType(argument))
      return createStringError("'" + argument.type + "' is no type of an argument");
  }
  for (const json &entry : kernel.at("variants")) {
    TunableVariant &variant = function.variants.emplace_back();
    variant.signature = entry.at("signature").get<std::string>();
    function.hasGrid = entry.contains("grid");
    for (const json &target : entry.at("targets"))
      variant.names.emplace(target.at("target").get<std::string>(), target.at("variant").get<std::string>());
  }
  return Error::success();
}

Expected<std::vector<TunableFunction>> readTunableLibrary(StringRef path) {
  Expected<std::string> text = inspect(path, InspectForm::Json);
  if (!text)
    return text.takeError();
  std::vector<TunableFunction> functions;
  try {
    json document = json::parse(*text);
    if (!document.is_object() || document.value("kind", "") != "library")
      return createStringError("'" + path +
                               "' is no library but a kernel object: nereid link makes one of it");
    for (const json &library : document.at("libraries"))
      for (const json &kernel : library.at("kernels")) {
        TunableFunction &function = functions.emplace_back();
        function.library = library.at("library").get<std::string>();
        if (Error error = readFunction(kernel, function))
          return createStringError("'" + path + "': " + toString(std::move(error)));
      }
  } catch (const json::exception &) {
    return createStringError(
        "'" + path +
        "' was made by a Nereid that could not tune libraries, or by a later one: link it "
        "again");
  }
  return functions;
}

Expected<OpenFunction> OpenFunction::open(void *library, const TunableFunction &function) {
  OpenFunction result;
  auto find = [&](const std::string &symbol, auto &pointer) {
    pointer = reinterpret_cast<std::decay_t<decltype(pointer)>>(dlsym(library, symbol.c_str()));
    return pointer ? Error::success() : createStringError("the library does not export '" + symbol + "'");
  };
  if (Error error = find(function.symbol + "_force_packed", result.forcePacked))
    return std::move(error);
  if (Error error = find(function.symbol + "_choose_packed", result.choosePacked))
    return std::move(error);
  if (Error error = find(function.library + "_last_error", result.lastError))
    return std::move(error);
  return result;
}

Expected<OpenFunction::Choice> OpenFunction::choose(LibraryStream stream, ArrayRef<const void *> arguments,
                                                    uint32_t number) const {
  const char *target = "";
  if (choosePacked(stream, arguments.data(), &number, &target) != 0)
    return createStringError(Twine(lastError()));
  return Choice{number, target};
}

Error OpenFunction::run(LibraryStream stream, uint32_t number, const LibraryGrid *grid,
                        ArrayRef<const void *> arguments) const {
  return forcePacked(stream, number, grid, arguments.data()) == 0 ? Error::success()
                                                                  : createStringError(Twine(lastError()));
}

} // namespace nereid
