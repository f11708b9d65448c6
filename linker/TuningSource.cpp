// Where no call is left with more than one variant of a group, there is nothing to choose.
#include "linker/TuningSource.h"

#include "linker/CTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace llvm;

namespace nereid {

/// Whether two variants of a leaf are tuned together.
static bool isTuned(const PlannedKernel &kernel, const DecisionNode &leaf) {
  std::set<unsigned> groups;
  if (leaf.isUnresolved)
    return false;
  return any_of(leaf.variants, [&](unsigned variant) {
    unsigned group = kernel.variants[variant].tuningGroup;
    return group != 0 && !groups.insert(group).second;
  });
}

TuningSource::TuningSource(const DispatchPlan &plan, ArrayRef<DecisionSource> decisions) : plan(plan) {
  for (auto [kernel, decision] : zip(plan.kernels, decisions)) {
    size_t keys = 0;
    for (const TuningTable &table : kernel.tuning.tables)
      keys = std::max(keys, table.keys.size());
    for (auto [index, node] : enumerate(decision.getLeaves())) {
      const DecisionNode &leaf = kernel.decision.nodes[node];
      if (!isTuned(kernel, leaf))
        continue;
      tunedLeaves.push_back(decision.getFirstLeaf() + unsigned(index));
      // A target of CUDA may be two images, machine code and PTX.
      for (unsigned variant : leaf.variants)
        numMembers += 2 * kernel.variants[variant].codes.size();
      numFastest += 2 * keys;
    }
  }
}

unsigned TuningSource::numberCode(const PlannedKernel &kernel, unsigned variant, unsigned code) {
  unsigned number = code;
  for (unsigned earlier = 0; earlier < variant; ++earlier)
    number += kernel.variants[earlier].codes.size();
  return number;
}

static std::string listInC(const std::string &name, const std::vector<unsigned> &numbers) {
  std::vector<std::string> texts;
  for (unsigned number : numbers)
    texts.push_back(utostr(number));
  if (texts.empty())
    texts.push_back("0");
  return "static const uint32_t " + name + "[] = {" + join(texts, ", ") + "};\n";
}

/// The tables of one device, and its row.
static std::string generateTable(const PlannedKernel &kernel, const TuningTable &table,
                                 const std::string &name, std::string &row) {
  std::string nodes, keys, measured;
  for (const TuningNode &node : table.nodes)
    nodes += "    {" + numberInC(node.bound) + ", " +
             (node.value == TuningNode::none ? "UINT32_MAX" : utostr(node.value)) + ", " + utostr(node.yes) +
             ", " + utostr(node.no) + "},\n";
  std::vector<unsigned> starts = {0};
  for (const auto &[key, codes] : zip(table.keys, table.measured)) {
    for (std::optional<int64_t> value : key)
      keys += "    {" + numberInC(value.value_or(0)) + ", " + (value ? "1" : "0") + "},\n";
    for (const MeasuredCode &code : codes)
      measured += "    {" + numberInC(code.nanoseconds) + ", " +
                  utostr(TuningSource::numberCode(kernel, code.variant, code.code)) + ", " +
                  (code.hasFailed ? "1" : "0") + "},\n";
    starts.push_back(starts.back() + codes.size());
  }
  if (keys.empty()) // C has no empty arrays.
    keys = "    {0, 0},\n";
  row = "    {" + quoteInC(table.device) + ", nrd_nodes_" + name + ", nrd_keys_" + name + ", nrd_starts_" +
        name + ", nrd_measured_" + name + ", " + utostr(table.keys.size()) + "},\n";
  return "static const nrd_tuning_node nrd_nodes_" + name + "[] = {\n" + nodes + "};\n" +
         "static const nrd_key_value nrd_keys_" + name + "[] = {\n" + keys + "};\n" +
         listInC("nrd_starts_" + name, starts) + "static const nrd_measured nrd_measured_" + name +
         "[] = {\n" + measured + "};\n";
}

std::string TuningSource::generateTables(unsigned index) const {
  const PlannedKernel &kernel = plan.kernels[index];
  std::string number = utostr(index), text, rows;
  std::vector<unsigned> sizes;
  for (const PlannedVariant &variant : kernel.variants)
    for (unsigned argument : variant.gridArguments)
      if (const PlannedArgument &size = kernel.arguments[argument];
          !size.isDispatched && !size.isPointer && size.form == PlannedArgument::Form::Plain &&
          isInteger(size.element) && size.element != ScalarKind::Int1 && !is_contained(sizes, argument))
        sizes.push_back(argument);
  for (auto [t, table] : enumerate(kernel.tuning.tables)) {
    std::string row;
    text += generateTable(kernel, table, number + "_" + utostr(t), row);
    rows += row;
  }
  std::string tables = "NULL";
  if (!rows.empty()) {
    tables = "nrd_times_" + number;
    text += "static const nrd_tuning_table " + tables + "[] = {\n" + rows + "};\n";
  }
  return text + listInC("nrd_key_" + number, kernel.tuning.key) + listInC("nrd_sizes_" + number, sizes) +
         "static const nrd_tuned_kernel nrd_tuned_" + number + " = {nrd_key_" + number + ", nrd_sizes_" +
         number + ", " + tables + ", " + utostr(kernel.tuning.key.size()) + ", " + utostr(sizes.size()) +
         ", " + utostr(kernel.tuning.tables.size()) + "};\n";
}

std::string TuningSource::generateLeaves(size_t numLeaves) const {
  std::vector<unsigned> numbers(numLeaves + 1, 0);
  for (auto [index, leaf] : enumerate(tunedLeaves))
    numbers[leaf] = unsigned(index + 1);
  return listInC("nrd_tuned_leaves", numbers);
}

} // namespace nereid
