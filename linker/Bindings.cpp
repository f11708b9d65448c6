// Both files name a kernel's parameters as the C header does. In C++ that is all; Rust has keywords of its
// own, most of which can be written as r#type, and all of which a parameter can avoid with an underscore.
#include "linker/Bindings.h"

#include "linker/CTypes.h"
#include "linker/LibrarySource.h"
#include "linker/Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

//===----------------------------------------------------------------------===//
// C++
//===----------------------------------------------------------------------===//

/// One C function, to be called `name`: by value, and if there are exceptions by exception.
static std::string wrapInCxx(StringRef symbol, StringRef name, StringRef library, StringRef parameters,
                             StringRef passed) {
  std::string text = ("inline ::nrd::result " + name + "(const ::std::nothrow_t &, ::nrd::stream stream" +
                      parameters + ") noexcept {\n  return {::" + symbol + "(stream.get()" + passed +
                      "), ::" + library + "_last_error};\n}\n")
                         .str();
  text += "#if NRD_HAS_EXCEPTIONS\n";
  text += ("inline void " + name + "(::nrd::stream stream" + parameters + ") {\n  " + name +
           "(::std::nothrow, stream" + passed + ").check();\n}\n")
              .str();
  return text + "#endif\n\n";
}

/// The functions of a kernel under its own name or under that of its family, where they are overloads.
static std::string wrapKernelInCxx(const DispatchPlan &plan, const PlannedKernel &kernel, StringRef name) {
  std::string parameters, passed, text;
  for (auto [argument, parameter] : zip_equal(kernel.arguments, getParameterNames(kernel, plan))) {
    parameters += ", " + typeInC(argument) + parameter;
    passed += ", " + parameter;
  }
  std::string symbol = plan.getSymbol(kernel);
  if (kernel.hasGrid())
    text += wrapInCxx(symbol, name, plan.name, parameters, passed);
  return text + wrapInCxx(symbol + "_grid", name.str() + "_grid", plan.name, ", ::nrd_dim3 grid" + parameters,
                          ", grid" + passed);
}

std::string generateCxxHeader(const DispatchPlan &plan) {
  std::string functions;
  for (const PlannedKernel &kernel : plan.kernels)
    functions += wrapKernelInCxx(plan, kernel, kernel.name);
  for (const TypeFamily &family : plan.families)
    for (unsigned member : family.members)
      functions += wrapKernelInCxx(plan, plan.kernels[member], family.name);
  return fillTemplate("header.hpp", {{"name", plan.name},
                                     {"version", NEREID_VERSION},
                                     {"types", fillTemplate("types.hpp", {})},
                                     {"functions", functions}});
}

//===----------------------------------------------------------------------===//
// Rust
//===----------------------------------------------------------------------===//

/// The words that Rust keeps for itself, in any edition.
static bool isRustKeyword(StringRef name) {
  static const StringRef keywords[] = {
      "Self",   "abstract", "as",       "async", "await",  "become", "box",      "break",  "const",
      "crate",  "do",       "dyn",      "enum",  "extern", "false",  "final",    "fn",     "for",
      "gen",    "if",       "impl",     "in",    "let",    "loop",   "macro",    "match",  "mod",
      "move",   "mut",      "override", "priv",  "pub",    "ref",    "return",   "self",   "static",
      "struct", "super",    "trait",    "true",  "try",    "type",   "typeof",   "unsafe", "unsized",
      "use",    "virtual",  "where",    "while", "yield",  "else",   "continue", "union"};
  return is_contained(keywords, name);
}

static std::string nameInRust(StringRef name) {
  // What cannot be written as r#self, and what would hide a tuple struct or a variant that this file uses.
  static const StringRef taken[] = {"self", "Self", "super", "crate", "_", "Ok", "Err", "Some", "Status"};
  if (is_contained(taken, name))
    return name.str() + "_";
  return isRustKeyword(name) ? "r#" + name.str() : name.str();
}

static std::string scalarInRust(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Int1:
    return "bool";
  case ScalarKind::Int8:
    return "i8";
  case ScalarKind::Int16:
    return "i16";
  case ScalarKind::Int32:
    return "i32";
  case ScalarKind::Int64:
    return "i64";
  case ScalarKind::UInt8:
    return "u8";
  case ScalarKind::UInt16:
    return "u16";
  case ScalarKind::UInt32:
    return "u32";
  case ScalarKind::UInt64:
    return "u64";
  case ScalarKind::FP32:
    return "f32";
  case ScalarKind::FP64:
    return "f64";
  case ScalarKind::FP8E4NV:
    return "types::f8e4nv";
  case ScalarKind::FP8E4B8:
    return "types::f8e4b8";
  case ScalarKind::FP8E4B15:
    return "types::f8e4b15";
  case ScalarKind::FP8E5:
    return "types::f8e5";
  case ScalarKind::FP8E5B16:
    return "types::f8e5b16";
  case ScalarKind::FP16:
    return "types::f16";
  case ScalarKind::BF16:
    return "types::bf16";
  }
  return "";
}

static std::string typeInRust(const PlannedArgument &argument) {
  switch (argument.form) {
  case PlannedArgument::Form::Plain:
    break;
  case PlannedArgument::Form::Text:
    return "*const std::os::raw::c_char";
  case PlannedArgument::Form::DType:
    return "types::DType";
  case PlannedArgument::Form::OptionalInteger:
    return "types::Optional<i64>";
  case PlannedArgument::Form::OptionalFloat:
    return "types::Optional<f64>";
  }
  return (argument.isPointer ? (argument.isConst ? "*const " : "*mut ") : "") +
         scalarInRust(argument.element);
}

/// The constants of DType, numbered as nrd_dtype.
static std::string generateDTypes() {
  std::string text = "        pub const NONE: DType = DType(0);\n";
  for (int kind = 0; kind <= static_cast<int>(ScalarKind::FP64); ++kind)
    text += "        pub const " + getScalarName(static_cast<ScalarKind>(kind)).upper() + ": DType = DType(" +
            utostr(kind + 1) + ");\n";
  return StringRef(text).rtrim('\n').str();
}

static std::string generateNumberTypes() {
  std::string text;
  for (StringRef name : {"f16", "bf16", "f8e4nv", "f8e4b8", "f8e4b15", "f8e5", "f8e5b16"})
    text +=
        ("    #[repr(C)]\n    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]\n    pub struct " + name +
         " {\n        pub bits: " + (name.contains("16") && !name.starts_with("f8") ? "u16" : "u8") +
         ",\n    }\n")
            .str();
  return StringRef(text).rtrim('\n').str();
}

/// A C function and its wrapper.
static void wrapInRust(StringRef symbol, StringRef tag, StringRef name, StringRef parameters,
                       StringRef passed, std::string &declarations, std::string &functions) {
  declarations += ("        #[link_name = \"" + symbol + tag + "\"]\n        pub fn " + symbol +
                   "(stream: Stream" + parameters + ") -> Status;\n")
                      .str();
  functions +=
      ("/// Runs the kernel.\n///\n/// # Safety\n///\n/// See the top of this file.\n"
       "#[allow(dead_code, unused_unsafe, clippy::too_many_arguments, non_snake_case)]\npub unsafe fn " +
       nameInRust(name) + "(stream: Stream" + parameters +
       ") -> Result<(), Error> {\n    nrd_check(unsafe { ffi::" + symbol + "(stream" + passed + ") })\n}\n\n")
          .str();
}

std::string generateRustModule(const DispatchPlan &plan) {
  std::string declarations, functions;
  for (const PlannedKernel &kernel : plan.kernels) {
    std::string parameters, passed;
    std::vector<std::string> namesInC = getParameterNames(kernel, plan);
    for (auto [argument, nameInC] : zip_equal(kernel.arguments, namesInC)) {
      std::string name = nameInRust(nameInC);
      while (name != nameInC && is_contained(namesInC, name))
        name += "_";
      parameters += ", " + name + ": " + typeInRust(argument);
      passed += ", " + name;
    }
    std::string symbol = plan.getSymbol(kernel), tag = getSymbolTag(kernel);
    if (kernel.hasGrid())
      wrapInRust(symbol, tag, kernel.name, parameters, passed, declarations, functions);
    wrapInRust(symbol + "_grid", tag, kernel.name + "_grid", ", grid: Grid" + parameters, ", grid" + passed,
               declarations, functions);
  }
  return fillTemplate("library.rs", {{"name", plan.name},
                                     {"version", NEREID_VERSION},
                                     {"suffix", getSymbolTag()},
                                     {"number_types", generateNumberTypes()},
                                     {"dtypes", generateDTypes()},
                                     {"declarations", declarations},
                                     {"functions", StringRef(functions).rtrim('\n').str()}});
}

} // namespace nereid
