// Nodes are written in the order in which the decision has them, so that a question comes before those that
// it leads to. Subjects are small functions, which a C compiler puts in their places and computes once.
#include "linker/DispatchSource.h"

#include "linker/CTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

DecisionSource::DecisionSource(const PlannedKernel &kernel, unsigned index, unsigned firstLeaf)
    : kernel(kernel), number(utostr(index)), firstLeaf(firstLeaf) {
  std::map<std::pair<bool, std::vector<unsigned>>, unsigned> known;
  for (auto [n, node] : enumerate(kernel.decision.nodes)) {
    if (node.kind != DecisionNode::Kind::Leaf)
      continue;
    auto [it, isNew] = known.try_emplace({node.isUnresolved, node.variants}, leaves.size());
    if (isNew)
      leaves.push_back(n);
    leafOf[n] = it->second;
  }
}

std::string DecisionSource::call(unsigned subject) const {
  return "nrd_subject_" + number + "_" + utostr(subject) + "(arguments)";
}

std::string DecisionSource::go(unsigned node) const {
  auto leaf = leafOf.find(node);
  if (leaf != leafOf.end())
    return "return " + utostr(firstLeaf + leaf->second) + ";";
  return "goto n" + utostr(node) + ";";
}

//===----------------------------------------------------------------------===//
// Subjects
//===----------------------------------------------------------------------===//

/// Which of the subject's values an argument has. `return`s, and -1 at the end.
std::string DecisionSource::generateValue(const PlannedSubject &subject) const {
  const PlannedArgument &argument = kernel.arguments[subject.argument];
  std::string type = StringRef(typeInC(argument)).rtrim(' ').str();
  std::string text = "  " + type + (StringRef(type).ends_with("*") ? "const value = " : " value = ") +
                     loadInC(argument, subject.argument) + ";\n";
  bool isOptional = argument.isOptional();
  bool isText = argument.form == PlannedArgument::Form::Text;
  std::string content = isOptional ? "value.value" : "value";
  // A float equals the float that a value becomes where it is passed as one: 0.1f is not 0.1.
  bool isFloat = argument.element == ScalarKind::FP32 && !isText;
  // What C has no type for is compared by its bits, of which the two zeros have different ones.
  bool isBits = (argument.element == ScalarKind::FP16 || argument.element == ScalarKind::BF16) && !isText;
  auto equalsReal = [&](double real) {
    if (!isBits)
      return content + " == " + (isFloat ? "(float)" : "") + numberInC(real);
    uint64_t bits = bitsOf(argument.element, real);
    return (bits & 0x7FFF) ? content + ".bits == " + utostr(bits) : "(" + content + ".bits & 0x7fff) == 0";
  };
  std::string none = "-1", comparisons;
  for (auto [index, value] : enumerate(subject.values)) {
    std::string result = utostr(index);
    if (std::holds_alternative<std::monostate>(value)) {
      none = result;
      continue;
    }
    std::string condition;
    if (const NameConstant *name = std::get_if<NameConstant>(&value))
      condition = "strcmp(value, " + quoteInC(name->text) + ") == 0";
    else if (const std::string *string = std::get_if<std::string>(&value))
      condition = "strcmp(value, " + quoteInC(*string) + ") == 0";
    else if (const double *real = std::get_if<double>(&value))
      condition = equalsReal(*real);
    else if (std::optional<int64_t> integer = numberOf(value, PlannedArgument::Form::Plain))
      condition = argument.form == PlannedArgument::Form::OptionalInteger
                      ? content + " == " + numberInC(*integer)
                      : equalsReal(static_cast<double>(*integer));
    comparisons += "  if (" + condition + ")\n    return " + result + ";\n";
  }
  if (isOptional)
    text += "  if (!value.has_value)\n    return " + none + ";\n";
  if (isText)
    text += "  if (!value)\n    return " + none + ";\n";
  return text + comparisons + "  return -1;\n";
}

std::string DecisionSource::generateSubject(unsigned index) const {
  const PlannedSubject &subject = kernel.subjects[index];
  // Arithmetic is not for hundreds of places.
  bool isLarge = !subject.statements.empty() && kernel.decision.nodes.size() > 200;
  std::string text = std::string(isLarge ? "__attribute__((noinline)) static" : "static inline") +
                     " int64_t nrd_subject_" + number + "_" + utostr(index) + "(void *const *arguments) {\n";
  switch (subject.kind) {
  case PlannedSubject::Kind::Argument: {
    const PlannedArgument &argument = kernel.arguments[subject.argument];
    std::string load = loadNumberInC(argument, subject.argument);
    // What an int64_t does not have is more than any bound.
    if (argument.form == PlannedArgument::Form::Plain && argument.element == ScalarKind::UInt64)
      text += "  const uint64_t value = " + load +
              ";\n  return value > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)value;\n";
    else
      text += "  return (int64_t)" + load + ";\n";
    break;
  }
  case PlannedSubject::Kind::Presence: {
    const PlannedArgument &argument = kernel.arguments[subject.argument];
    std::string load = loadInC(argument, subject.argument);
    text += "  return " + (argument.isOptional() ? "(" + load + ").has_value" : load + " != NULL") + ";\n";
    break;
  }
  case PlannedSubject::Kind::Value:
    text += generateValue(subject);
    break;
  case PlannedSubject::Kind::Expression:
  case PlannedSubject::Kind::Truth:
  case PlannedSubject::Kind::Failure:
    text += "  int64_t grid[1] = {0};\n  int flag = 0, *bad = &flag;\n  (void)arguments;\n";
    for (const std::string &statement : subject.statements)
      text += "  " + statement + "\n";
    text += subject.kind == PlannedSubject::Kind::Failure ? "  (void)grid[0];\n  return *bad;\n"
            : subject.kind == PlannedSubject::Kind::Truth ? "  (void)bad;\n  return grid[0] != 0;\n"
                                                          : "  (void)bad;\n  return grid[0];\n";
    break;
  }
  return text + "}\n";
}

//===----------------------------------------------------------------------===//
// Decision
//===----------------------------------------------------------------------===//

/// `((bits of a | bits of b) & 15) == 0`: arguments with the same divisor at once.
std::string DecisionSource::generateDivisors(const DecisionNode &node) const {
  std::map<unsigned, std::vector<std::string>> byDivisor;
  for (auto [index, divisor] : node.divisors) {
    const PlannedArgument &argument = kernel.arguments[index];
    byDivisor[divisor].push_back((argument.isPointer ? "(uint64_t)(uintptr_t)" : "(uint64_t)") +
                                 loadNumberInC(argument, index));
  }
  std::vector<std::string> conditions;
  for (const auto &[divisor, bits] : byDivisor)
    conditions.push_back("((" + join(bits, " | ") + ") & " + utostr(divisor - 1) + ") == 0");
  return join(conditions, " && ");
}

std::string DecisionSource::generateNode(const DecisionNode &node) const {
  switch (node.kind) {
  case DecisionNode::Kind::Leaf:
    break;
  case DecisionNode::Kind::Divisible:
    return "  if (" + generateDivisors(node) + ")\n    " + go(node.yes) + "\n  " + go(node.no) + "\n";
  case DecisionNode::Kind::Less:
    return "  if (" + call(node.subject) + " < " + numberInC(node.bound) + ")\n    " + go(node.yes) + "\n  " +
           go(node.no) + "\n";
  case DecisionNode::Kind::Switch: {
    if (node.cases.size() == 1)
      return "  if (" + call(node.subject) + " == " + numberInC(node.cases.front().first) + ")\n    " +
             go(node.cases.front().second) + "\n  " + go(node.no) + "\n";
    std::string text = "  switch (" + call(node.subject) + ") {\n";
    for (auto [value, next] : node.cases)
      text += "  case " + numberInC(value) + ":\n    " + go(next) + "\n";
    return text + "  default:\n    " + go(node.no) + "\n  }\n";
  }
  }
  return "";
}

std::string DecisionSource::generateDecision() const {
  std::string text =
      "static inline uint32_t nrd_decide_" + number + "(void *const *arguments) {\n  (void)arguments;\n";
  const std::vector<DecisionNode> &nodes = kernel.decision.nodes;
  if (leafOf.count(0))
    text += "  " + go(0) + "\n";
  for (auto [index, node] : enumerate(nodes)) {
    if (node.kind == DecisionNode::Kind::Leaf)
      continue;
    if (index != 0)
      text += "n" + utostr(index) + ":\n";
    text += generateNode(node);
  }
  return text + "}\n\n";
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// `"BLOCK=64, num_warps=4"`
static std::string printTuning(const KernelObject &object) {
  if (!object.tuning)
    return "NULL";
  std::vector<std::string> values;
  for (const auto &[name, value] : object.tuning->values)
    values.push_back(name + "=" + value);
  return quoteInC(join(values, ", "));
}

std::string DecisionSource::generateVariants() const {
  std::string promises, rows, listed;
  for (auto [v, variant] : enumerate(kernel.variants)) {
    std::string table = "NULL";
    if (!variant.promises.empty() || !variant.contradiction.empty()) {
      table = "nrd_promises_" + number + "_" + utostr(v);
      promises += "static const nrd_promise " + table + "[] = {\n";
      for (const Promise &promise : variant.promises) {
        bool isRange = promise.isRange;
        unsigned argument = isRange ? kernel.subjects[promise.subject].argument : promise.subject;
        bool isOfArgument = !isRange || kernel.subjects[promise.subject].statements.empty();
        promises +=
            "    {" +
            (isRange ? "nrd_subject_" + number + "_" + utostr(promise.subject) : std::string("NULL")) + ", " +
            numberInC(isRange ? promise.least : int64_t(promise.divisor)) + ", " +
            numberInC(isRange ? promise.most : int64_t(0)) + ", " +
            (isOfArgument ? utostr(argument) : "UINT32_MAX") + ", " + quoteInC(kernel.describe(promise)) +
            "},\n";
      }
      if (!variant.contradiction.empty())
        promises += "    {NULL, 0, 0, UINT32_MAX, " + quoteInC(variant.contradiction) + "},\n";
      promises += "};\n";
    }
    std::string condition = variant.object->when.empty() ? "NULL" : quoteInC(variant.object->when);
    listed += "    {" + quoteInC(variant.object->signature) + ", " + condition + ", " +
              quoteInC(variant.listTargets()) + ", " + quoteInC(variant.object->sourcePath) + ", " +
              printTuning(*variant.object) + "},\n";
    unsigned count = variant.promises.size() + !variant.contradiction.empty();
    rows += "    {" + quoteInC(variant.title) + ", " + condition + ", " + table + ", " + utostr(count) +
            ", " + utostr(variant.tuningGroup) + "},\n";
  }
  return promises + "static const nrd_variant_info nrd_variants_" + number + "[] = {\n" + rows +
         "};\nstatic const nrd_variant nrd_listed_" + number + "[] = {\n" + listed + "};\n";
}

/// The variants of each leaf behind each other, and where each leaf's begin.
std::string DecisionSource::generateLeaves() const {
  std::vector<std::string> starts, variants;
  for (unsigned leaf : leaves) {
    const DecisionNode &node = kernel.decision.nodes[leaf];
    starts.push_back(utostr(variants.size()));
    // Where questions are left, each call asks them.
    if (!node.isUnresolved)
      for (unsigned variant : node.variants)
        variants.push_back(utostr(variant));
  }
  starts.push_back(utostr(variants.size()));
  variants.push_back("0");
  return "static const uint32_t nrd_leaf_starts_" + number + "[] = {" + join(starts, ", ") +
         "};\nstatic const uint32_t nrd_leaf_variants_" + number + "[] = {" + join(variants, ", ") + "};\n";
}

std::string DecisionSource::generate() const {
  std::string text;
  for (size_t subject = 0; subject < kernel.subjects.size(); ++subject)
    text += generateSubject(subject);
  return text + generateDecision() + generateVariants() + generateLeaves();
}

std::string DecisionSource::getTables() const {
  return "nrd_variants_" + number + ", nrd_leaf_starts_" + number + ", nrd_leaf_variants_" + number + ", " +
         utostr(kernel.variants.size()) + ", " + utostr(firstLeaf) + ", " + utostr(countLeaves());
}

std::string DecisionSource::describeValues(const PlannedArgument &argument) const {
  if (!argument.isDispatched)
    return "NULL";
  std::vector<std::string> values;
  for (const PlannedVariant &variant : kernel.variants)
    for (const KernelParameter &parameter : *variant.parameters)
      if (parameter.name == argument.name && parameter.constant)
        if (std::string text = printValue(*parameter.constant); !is_contained(values, text))
          values.push_back(text);
  if (values.empty())
    return "NULL";
  std::string text = values.front();
  for (size_t i = 1; i < values.size(); ++i)
    text += (i + 1 == values.size() ? " and " : ", ") + values[i];
  return quoteInC(text);
}

} // namespace nereid
