// What a source file says of a kernel before any specialization: its parameters and its configurations.
#ifndef NEREID_COMPILER_MODEL_KERNELDECLARATION_H
#define NEREID_COMPILER_MODEL_KERNELDECLARATION_H

#include "compiler/model/Specialization.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid {

/// What a frontend knows about a kernel before any specialization: enough to check signatures and grids
/// against.
struct KernelDeclaration {
  struct Parameter {
    std::string name;
    bool isConstexpr = false;
    bool hasDefault = false;
  };
  /// A configuration that @triton.autotune would try.
  struct Config {
    /// Values of compile-time parameters, by name.
    std::vector<std::pair<std::string, ConstantValue>> constants;
    unsigned numWarps = 4;
    unsigned numStages = 3;
    unsigned numCTAs = 1;
    std::optional<unsigned> maxRegisters;
    /// What it would have the launcher call before each launch, `function 'zero_output'`; or nothing.
    std::string preHook;
    /// The IR that it would put in the kernel's place; or nothing.
    std::string irOverride;
  };
  std::string name;
  /// Where it stands in its file, from 1; 0 in Triton IR.
  unsigned line = 0;
  std::vector<Parameter> parameters;
  /// In the order of the source. Empty where there are none, or where they depend on what is only known when
  /// the program runs.
  std::vector<Config> configs;
  /// The other arguments of @triton.autotune, as they stand in the source: `key`, `reset_to_zero`, ….
  std::vector<std::pair<std::string, std::string>> autotuneOptions;
  /// What `key` among them comes to: the arguments on which it depends which configuration is the best.
  std::vector<std::string> tuningKey;
  /// Parameters that @triton.heuristics makes True or False by comparing the integers of a call, each with
  /// the condition, in the language of grids, under which it is True.
  std::vector<std::pair<std::string, std::string>> heuristicConditions;
  /// Why there are none although the kernel is autotuned: with what the decorator is given for them, as it
  /// stands in the source, and what of that cannot be evaluated.
  std::string configsProblem;
  llvm::SMRange configsRange, configsProblemRange;
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_KERNELDECLARATION_H
