// Both files name a kernel's parameters as the C header does. In C++ that is all; Rust has keywords of its
// own, most of which can be written as r#type, and all of which a parameter can avoid with an underscore.
#include "linker/Bindings.h"

#include "linker/CNames.h"
#include "linker/CTypes.h"
#include "linker/LibrarySource.h"
#include "linker/Template.h"
#include "linker/TypeFamilies.h"

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

/// What a kernel's _explain says, as a text or, by value, in the caller's memory.
static std::string explainInCxx(StringRef symbol, StringRef name, StringRef library, StringRef parameters,
                                StringRef passed) {
  std::string text =
      ("inline ::nrd::result " + name + "_explain(const ::std::nothrow_t &, ::nrd::stream stream" +
       parameters + ", char *nrd_text, ::std::size_t nrd_size) noexcept {\n  return {::" + symbol +
       "_explain(stream.get()" + passed + ", nrd_text, nrd_size), ::" + library +
       "_last_error};\n}\n#if NRD_HAS_EXCEPTIONS\n")
          .str();
  text += ("inline ::std::string " + name + "_explain(::nrd::stream stream" + parameters +
           ") {\n  return ::nrd::detail::read_text([&](char *nrd_text, ::std::size_t nrd_size) {\n    " +
           name + "_explain(::std::nothrow, stream" + passed + ", nrd_text, nrd_size).check();\n  });\n}\n")
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
  auto add = [&](const std::string &suffix, const std::string &more, const std::string &morePassed) {
    text +=
        wrapInCxx(symbol + suffix, name.str() + suffix, plan.name, more + parameters, morePassed + passed);
  };
  if (kernel.hasGrid())
    add("", "", "");
  add("_grid", ", ::nrd_dim3 grid", ", grid");
  if (kernel.hasGrid())
    add("_force", ", ::std::uint32_t nrd_number", ", nrd_number");
  add("_force_grid", ", ::std::uint32_t nrd_number, ::nrd_dim3 grid", ", nrd_number, grid");
  return text + explainInCxx(symbol, name, plan.name, parameters, passed);
}

/// The functions that take the types of a family when they are called.
static std::string wrapFamilyInCxx(const DispatchPlan &plan, const TypeFamily &family) {
  const PlannedKernel &first = plan.kernels[family.members.front()];
  std::string parameters, passed, symbol = plan.name + "_" + family.name;
  for (const FamilyParameter &parameter : getFamilyParameters(plan, family, getParameterNames(first, plan))) {
    const char *address = parameter.isConst ? "const void *" : "void *";
    parameters +=
        ", " +
        (parameter.form == FamilyParameter::Form::DType     ? "::nrd_dtype "
         : parameter.form == FamilyParameter::Form::Address ? address
                                                            : typeInC(first.arguments[parameter.argument])) +
        parameter.name;
    passed += ", " + parameter.name;
  }
  std::string text;
  if (family.hasGrid)
    text += wrapInCxx(symbol, family.name, plan.name, parameters, passed);
  text += wrapInCxx(symbol + "_grid", family.name + "_grid", plan.name, ", ::nrd_dim3 grid" + parameters,
                    ", grid" + passed);
  return text + explainInCxx(symbol, family.name, plan.name, parameters, passed);
}

/// The list of a kernel's variants, which has no arguments that could tell overloads apart.
static std::string listInCxx(const DispatchPlan &plan, const PlannedKernel &kernel) {
  return "inline ::nrd::variants " + kernel.name +
         "_variants() noexcept {\n  const ::nrd_variant *nrd_list = nullptr;\n  const ::std::uint32_t "
         "nrd_count = ::" +
         plan.getSymbol(kernel) + "_variants(&nrd_list);\n  return {nrd_list, nrd_count};\n}\n\n";
}

std::string generateCxxHeader(const DispatchPlan &plan) {
  std::string functions;
  for (const PlannedKernel &kernel : plan.kernels)
    functions += wrapKernelInCxx(plan, kernel, kernel.name) + listInCxx(plan, kernel);
  for (const TypeFamily &family : plan.families) {
    for (unsigned member : family.members)
      functions += wrapKernelInCxx(plan, plan.kernels[member], family.name);
    functions += wrapFamilyInCxx(plan, family);
  }
  // A library may be called like a keyword; its namespace may not.
  StringRef name = plan.name;
  std::string space = plan.name + (isReservedInC(name) && !name.starts_with("_") ? "_" : "");
  return fillTemplate("header.hpp", {{"name", plan.name},
                                     {"namespace", space},
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
    return "types::Optional<" + scalarInRust(argument.element) + ">";
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

namespace {
/// The functions of a kernel, or of a family: C's, and those that return a Result.
class RustWrapper {
public:
  RustWrapper(const DispatchPlan &plan, const PlannedKernel &kernel, std::string &declarations,
              std::string &functions)
      : function(kernel.name), symbol(plan.getSymbol(kernel)), tag(getSymbolTag(kernel)),
        hasGrid(kernel.hasGrid()), declarations(declarations), functions(functions) {
    std::vector<std::string> names = nameParameters(plan, kernel);
    for (auto [argument, name] : zip_equal(kernel.arguments, names))
      addParameter(name, typeInRust(argument));
  }

  RustWrapper(const DispatchPlan &plan, const TypeFamily &family, std::string &declarations,
              std::string &functions)
      : function(family.name), symbol(plan.name + "_" + family.name), tag(getSymbolTag(plan, family)),
        hasGrid(family.hasGrid), declarations(declarations), functions(functions) {
    const PlannedKernel &first = plan.kernels[family.members.front()];
    for (const FamilyParameter &parameter : getFamilyParameters(plan, family, nameParameters(plan, first)))
      switch (parameter.form) {
      case FamilyParameter::Form::DType: {
        // `type_dtype` is no keyword.
        StringRef name = parameter.name;
        name.consume_front("r#");
        addParameter(name.str(), "types::DType");
        break;
      }
      case FamilyParameter::Form::Address:
        addParameter(parameter.name,
                     parameter.isConst ? "*const std::os::raw::c_void" : "*mut std::os::raw::c_void");
        break;
      case FamilyParameter::Form::Plain:
        addParameter(parameter.name, typeInRust(first.arguments[parameter.argument]));
        break;
      }
  }

  void generateForKernel() {
    if (hasGrid)
      addCall("", "Runs the kernel.", "", "");
    addCall("_grid", "Runs the kernel.", ", grid: Grid", ", grid");
    if (hasGrid)
      addCall("_force", "Runs the variant of this number.", ", nrd_number: u32", ", nrd_number");
    addCall("_force_grid", "Runs the variant of this number.", ", nrd_number: u32, grid: Grid",
            ", nrd_number, grid");
    addExplanation();
    addList();
  }

  void generateForFamily() {
    if (hasGrid)
      addCall("", "Runs the kernel for these types.", "", "");
    addCall("_grid", "Runs the kernel for these types.", ", grid: Grid", ", grid");
    addExplanation();
  }

private:
  static std::vector<std::string> nameParameters(const DispatchPlan &plan, const PlannedKernel &kernel) {
    std::vector<std::string> names, namesInC = getParameterNames(kernel, plan);
    for (const std::string &nameInC : namesInC) {
      std::string &name = names.emplace_back(nameInRust(nameInC));
      while (name != nameInC && is_contained(namesInC, name))
        name += "_";
    }
    return names;
  }

  void addParameter(const std::string &name, const std::string &type) {
    parameters += ", " + name + ": " + type;
    passed += ", " + name;
  }

  void addExplanation() {
    declare("_explain", parameters + ", nrd_into: *mut std::os::raw::c_char, nrd_size: usize");
    begin("_explain", "Runs nothing: tells which variant such a call would run, and why.", parameters,
          "String");
    functions += "    nrd_read_text(|nrd_into, nrd_size| unsafe { ffi::" + symbol + "_explain(stream" +
                 passed + ", nrd_into, nrd_size) })\n}\n\n";
  }

  void declare(const std::string &suffix, const std::string &parameters) {
    declarations += "        #[link_name = \"" + symbol + suffix + tag + "\"]\n        pub fn " + symbol +
                    suffix + "(stream: Stream" + parameters + ") -> Status;\n";
  }

  void begin(const std::string &suffix, const std::string &comment, const std::string &parameters,
             const std::string &result) {
    functions +=
        "/// " + comment +
        "\n///\n/// # Safety\n///\n/// See the top of this file.\n"
        "#[allow(dead_code, unused_unsafe, clippy::too_many_arguments, non_snake_case)]\npub unsafe fn " +
        nameInRust(function + suffix) + "(stream: Stream" + parameters + ") -> Result<" + result +
        ", Error> {\n";
  }

  void addCall(const std::string &suffix, const std::string &comment, const std::string &more,
               const std::string &morePassed) {
    declare(suffix, more + parameters);
    begin(suffix, comment, more + parameters, "()");
    functions +=
        "    nrd_check(unsafe { ffi::" + symbol + suffix + "(stream" + morePassed + passed + ") })\n}\n\n";
  }

  void addList() {
    declarations += "        pub fn " + symbol + "_variants(list: *mut *const Variant) -> u32;\n";
    functions += "/// The kernel's variants, in the order of preference; their numbers count from 0.\n"
                 "#[allow(dead_code, non_snake_case)]\npub fn " +
                 function + "_variants() -> &'static [Variant] {\n    nrd_list(ffi::" + symbol +
                 "_variants)\n}\n\n";
  }

  std::string function, symbol, tag, parameters, passed;
  bool hasGrid;
  std::string &declarations, &functions;
};
} // namespace

std::string generateRustModule(const DispatchPlan &plan) {
  std::string declarations, functions;
  for (const PlannedKernel &kernel : plan.kernels)
    RustWrapper(plan, kernel, declarations, functions).generateForKernel();
  for (const TypeFamily &family : plan.families)
    RustWrapper(plan, family, declarations, functions).generateForFamily();
  return fillTemplate("library.rs", {{"name", plan.name},
                                     {"version", NEREID_VERSION},
                                     {"suffix", getSymbolTag()},
                                     {"number_types", generateNumberTypes()},
                                     {"dtypes", generateDTypes()},
                                     {"declarations", declarations},
                                     {"functions", StringRef(functions).rtrim('\n').str()}});
}

} // namespace nereid
