// A kernel's decision as C: how a call finds the variants that take it, and what messages say of them.
//
// nrd_decide_K is the decision's graph written out, a label a node, and returns the number of a leaf. For
// each device the library has a table from leaves to images, made when the device is first used: what devices
// can run differs, and the decision does not. Promises are a table as well, for messages, and for the rare
// leaf that leaves questions open.
#ifndef NEREID_LINKER_DISPATCHSOURCE_H
#define NEREID_LINKER_DISPATCHSOURCE_H

#include "linker/DispatchPlan.h"

#include <map>
#include <string>

namespace nereid {

class DecisionSource {
public:
  /// Kernel number `index`, whose leaves are numbered from `firstLeaf`.
  DecisionSource(const PlannedKernel &kernel, unsigned index, unsigned firstLeaf);

  unsigned countLeaves() const { return leaves.size(); }
  unsigned getFirstLeaf() const { return firstLeaf; }
  /// Of each leaf one of the decision's nodes.
  const std::vector<unsigned> &getLeaves() const { return leaves; }

  /// nrd_decide_K, and the tables that getTables names.
  std::string generate() const;

  /// The fields of nrd_kernel that are about variants.
  std::string getTables() const;

  /// The values that variants have for an argument, as a string literal, or NULL if it is not chosen by.
  std::string describeValues(const PlannedArgument &argument) const;

private:
  std::string generateSubject(unsigned subject) const;
  std::string generateValue(const PlannedSubject &subject) const;
  std::string generateDecision() const;
  std::string generateNode(const DecisionNode &node) const;
  std::string generateDivisors(const DecisionNode &node) const;
  std::string generateVariants() const;
  std::string generateLeaves() const;
  std::string call(unsigned subject) const;
  std::string go(unsigned node) const;

  const PlannedKernel &kernel;
  std::string number;
  unsigned firstLeaf;
  /// By the node, the number among the kernel's leaves. Leaves with the same variants are one.
  std::map<unsigned, unsigned> leafOf;
  /// A node for each of them.
  std::vector<unsigned> leaves;
};

} // namespace nereid

#endif // NEREID_LINKER_DISPATCHSOURCE_H
