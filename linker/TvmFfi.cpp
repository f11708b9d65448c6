// Functions are numbered as they come, kernels as in the plan:
//
//     nrd_tvm_run_K        calls kernel K with an array of pointers to its arguments
//     nrd_tvm_work_F       the expressions of function F, a block each:
//
//         nrd_tvm_begin(call, "M", "M=x.shape[0]");
//         const nrd_tvm_any v0 = nrd_tvm_ask(call, 0, 's', 0);
//         call->values[3] = v0;
//
//     nrd_tvm_F            what is exported; and nrd_tvm_variants_F, nrd_tvm_explain_F, nrd_tvm_force_F
#include "linker/TvmFfi.h"

#include "linker/CTypes.h"
#include "linker/Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

namespace {

/// Writes an expression: a variable for each of its steps.
class ExpressionWriter {
public:
  ExpressionWriter(const PythonFunction &function, std::string &text) : function(function), text(text) {}

  /// The variables that hold what the steps leave.
  std::vector<std::string> write(ArrayRef<PythonStep> steps) {
    for (const PythonStep &step : steps)
      add(step);
    return values;
  }

private:
  std::string take() {
    std::string value = std::move(values.back());
    values.pop_back();
    return value;
  }

  /// A variable with the value of an expression.
  void push(const std::string &expression, bool mayChange = false) {
    values.push_back("v" + utostr(count++));
    text +=
        indent + (mayChange ? "" : "const ") + "nrd_tvm_any " + values.back() + " = " + expression + ";\n";
  }

  /// What follows happens only if a condition holds, and then changes the value on top.
  void open(const std::string &condition) {
    opened.push_back(take());
    text += indent + "if (" + condition + "nrd_tvm_is_true(" + opened.back() + ")) {\n";
    indent += "  ";
  }

  std::string numberOf(StringRef name) const {
    for (auto [index, argument] : enumerate(function.getArguments()))
      if (argument.name == name)
        return utostr(index);
    llvm_unreachable("names are checked");
  }

  std::string ask(const PythonStep &step, char what) const {
    return "nrd_tvm_ask(call, " + numberOf(step.text) + ", '" + what + "', " + itostr(step.axis) + ")";
  }

  /// The letter of nrd_tvm_compute.
  static char letterOf(StringRef operation) {
    static const std::pair<StringRef, char> letters[] = {{"//", 'f'},  {"cdiv", 'c'}, {"min", 'm'},
                                                         {"max", 'M'}, {"==", '='},   {"!=", '!'},
                                                         {"<=", 'l'},  {">=", 'g'}};
    for (auto [name, letter] : letters)
      if (operation == name)
        return letter;
    return operation.front();
  }

  static std::string compute(StringRef operation, const std::string &left, const std::string &right) {
    return std::string("nrd_tvm_compute(call, '") + letterOf(operation) + "', " + left + ", " + right + ")";
  }

  static std::string realOf(StringRef number) {
    double value = 0;
    number.getAsDouble(value);
    return "nrd_tvm_real(" + numberInC(value) + ")";
  }

  void add(const PythonStep &step) {
    int64_t integer;
    switch (step.kind) {
    case PythonStep::Kind::Integer:
      return push(step.text.getAsInteger(10, integer) ? realOf(step.text)
                                                      : "nrd_tvm_integer(" + numberInC(integer) + ")");
    case PythonStep::Kind::Real:
      return push(realOf(step.text));
    case PythonStep::Kind::True:
      return push("nrd_tvm_integer(1)");
    case PythonStep::Kind::False:
      return push("nrd_tvm_integer(0)");
    case PythonStep::Kind::None:
      return push("nrd_tvm_none()");
    case PythonStep::Kind::Argument:
      return push("call->values[" + numberOf(step.text) + "]");
    case PythonStep::Kind::Size:
      return push(ask(step, 's'));
    case PythonStep::Kind::Stride:
      return push(ask(step, 't'));
    case PythonStep::Kind::Dimensions:
      return push(ask(step, 'n'));
    case PythonStep::Kind::Elements:
      return push(ask(step, 'e'));
    case PythonStep::Kind::Negate:
      return push("nrd_tvm_negate(call, " + take() + ")");
    case PythonStep::Kind::Not:
      return push("nrd_tvm_integer(!nrd_tvm_is_true(" + take() + "))");
    case PythonStep::Kind::NextPowerOf2:
      return push("nrd_tvm_next_power_of_2(call, " + take() + ")");
    case PythonStep::Kind::Binary: {
      std::string right = take(), left = take();
      return push(compute(step.text, left, right));
    }
    case PythonStep::Kind::And:
    case PythonStep::Kind::Or:
      push(take(), /*mayChange=*/true);
      return open(step.kind == PythonStep::Kind::Or ? "!" : "");
    case PythonStep::Kind::Chain: {
      std::string right = take(), left = take();
      push(compute(step.text, left, right), /*mayChange=*/true);
      open("");
      values.push_back(std::move(right)); // The next comparison's left side.
      return;
    }
    case PythonStep::Kind::End: {
      std::string value = take();
      text += indent + opened.back() + " = " + value + ";\n";
      indent.resize(indent.size() - 2);
      text += indent + "}\n";
      values.push_back(std::move(opened.back()));
      opened.pop_back();
      return;
    }
    }
  }

  const PythonFunction &function;
  std::string &text;
  std::string indent = "    ";
  std::vector<std::string> values, opened;
  unsigned count = 0;
};

/// One function of a library.
class TvmFunctionWriter {
public:
  TvmFunctionWriter(const DispatchPlan &plan, const PythonFunction &function, unsigned number)
      : plan(plan), function(function), number(utostr(number)) {}

  /// The tables and functions, and the row of nrd_tvm_functions.
  std::string write(std::string &row) const {
    std::vector<std::string> parameters, optional, results;
    for (const PythonFunction::Parameter &parameter : function.getParameters()) {
      parameters.push_back(utostr(parameter.argument));
      optional.push_back(parameter.defaultText.empty() ? "0" : "1");
    }
    for (const PythonCallItem *item : function.getResults())
      results.push_back(utostr(indexOf(item->target)));
    size_t numMembers = function.getMembers().size();
    row = "    {" + quoteInC(function.getName()) + ", " + quoteInC(function.makeName("grid")) +
          ", nrd_tvm_arguments_" + number + ", nrd_tvm_members_" + number + ", nrd_tvm_parameters_" + number +
          ", nrd_tvm_optional_" + number + ", nrd_tvm_results_" + number + ", nrd_tvm_work_" + number + ", " +
          utostr(function.getArguments().size()) + ", " + utostr(numMembers) + ", " +
          utostr(parameters.size()) + ", " + utostr(results.size()) + ", " +
          (function.hasGrid() ? "1" : "0") + "},\n";
    return writeArguments() + writeMembers() + list("uint32_t", "parameters", parameters) +
           list("unsigned char", "optional", optional) + list("uint32_t", "results", results) + writeWork();
  }

  std::string writeExports(ArrayRef<std::string> taken) const {
    std::string name = function.getName();
    std::string text = exportFunction("", "__tvm_ffi_" + name,
                                      "  return nrd_tvm_call_function(&nrd_tvm_functions[" + number +
                                          "], values, count, result, NULL);\n");
    // As the Python package has them.
    auto addQuestion = [&](const std::string &kind, const std::string &called, const std::string &passed) {
      std::string symbol = name + "_" + kind;
      if (!is_contained(taken, symbol)) // A kernel may be called so.
        text +=
            exportFunction(kind + "_", "__tvm_ffi_" + symbol,
                           (passed == "values, count" ? "" : "  (void)values;\n") + ("  return " + called) +
                               "(&nrd_tvm_functions[" + number + "], " + passed + ", result);\n");
    };
    addQuestion("variants", "nrd_tvm_list_variants", "count");
    addQuestion("explain", "nrd_tvm_explain", "values, count");
    addQuestion("force", "nrd_tvm_force", "values, count");
    auto describe = [&](const std::string &kind, const std::string &value) {
      std::string symbol = "_" + kind + "_" + name;
      if (!is_contained(taken, symbol)) // A kernel may be called so.
        text += exportFunction(kind + "_", "__tvm_ffi_" + symbol,
                               "  (void)values;\n  (void)count;\n  return nrd_tvm_return_text(" +
                                   quoteInC(value) + ", result);\n");
    };
    describe("doc", name + "(" + listParameters() + ")\n\n" + function.describeParameters());
    describe("metadata", "{\"type_schema\":\"" + describeTypes() + "\"}");
    return text;
  }

private:
  unsigned indexOf(StringRef name) const {
    const std::vector<PlannedArgument> &arguments = function.getArguments();
    return find_if(arguments, [&](const PlannedArgument &argument) { return argument.name == name; }) -
           arguments.begin();
  }

  /// An array; C has no empty ones.
  std::string list(const std::string &type, const std::string &name, std::vector<std::string> values) const {
    if (values.empty())
      values.push_back("0");
    return "static const " + type + " nrd_tvm_" + name + "_" + number + "[] = {" + join(values, ", ") +
           "};\n";
  }

  static unsigned numberOf(const PlannedArgument &argument) {
    bool hasElement = argument.form == PlannedArgument::Form::Plain ||
                      argument.form == PlannedArgument::Form::OptionalFloat;
    return hasElement ? static_cast<unsigned>(argument.element) + 1 : 0;
  }

  std::string writeArguments() const {
    std::string text = "static const nrd_tvm_argument nrd_tvm_arguments_" + number + "[] = {\n";
    for (auto [index, argument] : enumerate(function.getArguments())) {
      bool isPointer = argument.isPointer && argument.form == PlannedArgument::Form::Plain;
      const PythonCallItem *item = function.findItem(argument.name);
      uint32_t types = 0;
      for (const PlannedKernel *kernel : function.getMembers())
        types |= 1u << numberOf(kernel->arguments[index]);
      text += "    {" + quoteInC(function.getArgumentName(index)) + ", " +
              (isPointer ? utostr(types) + "u" : "0") + ", " +
              utostr(isPointer ? function.getAlignment(index) : 1) + ", " +
              (function.isNullable(index) ? "1" : "0") + ", " + (isPointer ? "1" : "0") + ", " +
              (item && item->kind == PythonCallItem::Kind::Allocate ? "1" : "0") + ", " +
              (isPointer && function.isMutable(index) ? "1" : "0") + "},\n";
    }
    if (function.getArguments().empty())
      text += "    {\"\", 0, 1, 0, 0, 0, 0},\n";
    return text + "};\n";
  }

  std::string writeMembers() const {
    std::string text, rows;
    for (auto [m, kernel] : enumerate(function.getMembers())) {
      std::vector<std::string> types;
      for (const PlannedArgument &argument : kernel->arguments)
        types.push_back(utostr(numberOf(argument)));
      std::string index = utostr(kernel - plan.kernels.data());
      text += list("unsigned char", "types_" + utostr(m), types);
      rows += "    {&nrd_kernels[" + index + "], nrd_tvm_types_" + utostr(m) + "_" + number +
              ", nrd_tvm_run_" + index + ", nrd_listed_" + index + ", " + utostr(kernel->variants.size()) +
              "},\n";
    }
    return text + "static const nrd_tvm_member nrd_tvm_members_" + number + "[] = {\n" + rows + "};\n";
  }

  std::string writeItem(const PythonCallItem &item) const {
    std::string text = "  {\n    nrd_tvm_begin(call, " +
                       quoteInC(item.target.empty() ? function.getName() : function.translate(item.target)) +
                       ", " + quoteInC(item.written) + ");\n";
    std::vector<std::string> values = ExpressionWriter(function, text).write(item.steps);
    std::string target = item.target.empty() ? "" : utostr(indexOf(item.target));
    switch (item.kind) {
    case PythonCallItem::Kind::Compute:
      text += "    call->values[" + target + "] = " + values.front() + ";\n";
      break;
    case PythonCallItem::Kind::Default:
      text += "    nrd_tvm_default(call, " + target + ", " + values.front() + ");\n";
      break;
    case PythonCallItem::Kind::Check:
      text += "    nrd_tvm_check(call, " + values.front() + ");\n";
      break;
    case PythonCallItem::Kind::Contiguous:
      for (auto [name, isTensor] : item.names)
        text += "    nrd_tvm_check_contiguous(call, " + utostr(indexOf(name)) + ");\n";
      break;
    case PythonCallItem::Kind::Allocate: {
      unsigned type = numberOf(function.getArguments()[indexOf(item.target)]);
      bool isTyped = !all_of(function.getMembers(), [&](const PlannedKernel *kernel) {
        return numberOf(kernel->arguments[indexOf(item.target)]) == type;
      });
      if (!values.empty())
        text += "    nrd_tvm_any sizes[" + utostr(values.size()) + "];\n";
      for (auto [i, value] : enumerate(values))
        text += "    sizes[" + utostr(i) + "] = " + value + ";\n";
      text += "    nrd_tvm_make(call, " + target + ", " + utostr(indexOf(item.like)) + ", " +
              utostr(isTyped ? 0 : type) + ", " + (item.function == "zeros" ? "1" : "0") + ", " +
              utostr(values.size()) + ", " + (values.empty() ? "NULL" : "sizes") + ");\n";
      break;
    }
    }
    return text + "  }\n";
  }

  std::string writeWork() const {
    std::string defaults, text;
    for (const PythonCallItem &item : function.getCall().items)
      (item.kind == PythonCallItem::Kind::Default ? defaults : text) += writeItem(item);
    return "static void nrd_tvm_work_" + number + "(nrd_tvm_call *call) {\n  (void)call;\n" + defaults +
           text + "}\n\n";
  }

  std::string exportFunction(const std::string &kind, const std::string &symbol,
                             const std::string &body) const {
    std::string head = "int nrd_tvm_" + kind + number +
                       "(void *self, const nrd_tvm_any *values, int32_t count, nrd_tvm_any *result)";
    return "NRD_EXPORT " + head + " __asm__(\"" + symbol + "\");\n" + head + " {\n  (void)self;\n" + body +
           "}\n\n";
  }

  /// `x, w, eps=1e-6, out=None, grid=None`.
  std::string listParameters() const {
    std::string text;
    for (const PythonFunction::Parameter &parameter : function.getParameters())
      text += function.getArgumentName(parameter.argument) +
              (parameter.defaultText.empty() ? "" : "=" + parameter.defaultText) + ", ";
    return text + function.makeName("grid") + (function.hasGrid() ? "=None" : "");
  }

  static std::string typeOf(const std::string &name) { return "{\\\"type\\\":\\\"" + name + "\\\"}"; }
  static std::string optionalOf(const std::string &type) {
    return "{\\\"type\\\":\\\"Optional\\\",\\\"args\\\":[" + type + "]}";
  }

  static std::string describeType(const PlannedArgument &argument) {
    switch (argument.form) {
    case PlannedArgument::Form::Text:
      return typeOf("ffi.String");
    case PlannedArgument::Form::DType:
      return typeOf("DataType");
    case PlannedArgument::Form::OptionalInteger:
      return typeOf("int");
    case PlannedArgument::Form::OptionalFloat:
      return typeOf("float");
    case PlannedArgument::Form::Plain:
      break;
    }
    return typeOf(argument.isPointer                     ? "ffi.Tensor"
                  : argument.element == ScalarKind::Int1 ? "bool"
                  : isInteger(argument.element)          ? "int"
                                                         : "float");
  }

  /// As the TVM FFI writes types of functions: what is returned, then the arguments.
  std::string describeTypes() const {
    std::vector<std::string> types, results(function.getResults().size(), typeOf("ffi.Tensor"));
    types.push_back(results.empty() ? typeOf("None")
                    : results.size() == 1
                        ? results.front()
                        : "{\\\"type\\\":\\\"Tuple\\\",\\\"args\\\":[" + join(results, ",") + "]}");
    for (const PythonFunction::Parameter &parameter : function.getParameters()) {
      std::string type = describeType(function.getArguments()[parameter.argument]);
      types.push_back(parameter.defaultText.empty() && !function.isNullable(parameter.argument)
                          ? type
                          : optionalOf(type));
    }
    types.push_back(optionalOf(typeOf("Any")));
    return "{\\\"type\\\":\\\"ffi.Function\\\",\\\"args\\\":[" + join(types, ",") + "]}";
  }

  const DispatchPlan &plan;
  const PythonFunction &function;
  std::string number;
};

/// nrd_tvm_run_K.
std::string writeRun(const PlannedKernel &kernel, unsigned index) {
  std::vector<std::string> unusable;
  for (auto [i, argument] : enumerate(kernel.arguments))
    if (argument.isPointer)
      unusable.push_back((argument.isNullable ? "nrd_is_misaligned(" : "nrd_is_unusable(") +
                         loadInC(argument, i) + ", " + utostr(getScalarBytes(argument.element)) + ")");
  std::string passed = "(stream, &nrd_kernels[" + utostr(index) + "], arguments, nrd_decide_" +
                       utostr(index) + "(arguments), unusable";
  return "static nrd_status nrd_tvm_run_" + utostr(index) +
         "(nrd_stream stream, const nrd_dim3 *grid, void **arguments, const nrd_tvm_wish *wish) {\n  const "
         "int "
         "unusable = " +
         (unusable.empty() ? "0" : join(unusable, " | ")) +
         ";\n  if (NRD_UNLIKELY(wish))\n    return nrd_tvm_run_as_wished(stream, &nrd_kernels[" +
         utostr(index) + "], grid, arguments, nrd_decide_" + utostr(index) +
         "(arguments), unusable, wish);\n" +
         (kernel.hasGrid() ? "  if (!grid)\n    return nrd_run_on_own_grid" + passed + ");\n" : "") +
         "  return nrd_run_on_grid" + passed + ", *grid);\n}\n\n";
}

} // namespace

std::string generateTvmFfi(const DispatchPlan &plan, ArrayRef<PythonFunction> functions) {
  std::string runs, tables, rows, exports;
  size_t maxSizes = 1;
  for (auto [index, kernel] : enumerate(plan.kernels))
    runs += writeRun(kernel, index);
  std::vector<std::string> names;
  for (const PythonFunction &function : functions) {
    names.push_back(function.getName());
    for (const PythonCallItem &item : function.getCall().items)
      maxSizes = std::max<size_t>(maxSizes, item.numSizes);
  }
  for (auto [number, function] : enumerate(functions)) {
    TvmFunctionWriter writer(plan, function, number);
    std::string row;
    tables += writer.write(row);
    rows += row;
    // Under these names the loader expects data.
    if (function.getName() != "_library_ctx" && function.getName() != "_library_bin")
      exports += writer.writeExports(names);
  }
  return fillTemplate(
      "tvm_ffi.c", {{"name", plan.name},
                    {"max_sizes", utostr(maxSizes)},
                    {"functions", runs + tables + "static const nrd_tvm_function nrd_tvm_functions[] = {\n" +
                                      rows + "};\n\n" + exports}});
}

} // namespace nereid
