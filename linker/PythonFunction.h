// A function as Python sees it: the kernels that it calls, what it takes in which order, and what it
// computes, checks and makes itself (PythonCall.h). The Python package is written from this, and so are the
// functions that a library exports for the TVM FFI.
//
// A family of types is one function with several members; its members are functions as well.
#ifndef NEREID_LINKER_PYTHONFUNCTION_H
#define NEREID_LINKER_PYTHONFUNCTION_H

#include "compiler/model/Diagnostics.h"
#include "linker/DispatchPlan.h"
#include "linker/PythonCall.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// Refers to kernels of the plan that it was made of.
class PythonFunction {
public:
  /// Reports and returns nothing if what kernels say of calls from Python is wrong.
  static std::optional<PythonFunction> describe(const DispatchPlan &plan, llvm::StringRef name,
                                                llvm::ArrayRef<unsigned> members, Diagnostics &diagnostics);

  struct Parameter {
    /// Which of getArguments() it is.
    unsigned argument;
    /// Python, or empty if there is no default.
    std::string defaultText;
    /// It is given by name only.
    bool isKeyword;
  };

  const std::string &getName() const { return name; }
  llvm::ArrayRef<const PlannedKernel *> getMembers() const { return kernels; }
  const std::vector<PlannedArgument> &getArguments() const { return kernels.front()->arguments; }
  /// What an argument is called in Python.
  const std::string &getArgumentName(unsigned argument) const { return names[argument]; }
  /// In the order of the Python function's, those that are given by name only behind the others.
  llvm::ArrayRef<Parameter> getParameters() const { return parameters; }
  const PythonCall &getCall() const { return call; }
  /// What the text says of an argument, or null.
  const PythonCallItem *findItem(llvm::StringRef argument) const;
  /// What the function makes if the call does not give it, and returns, in that order.
  std::vector<const PythonCallItem *> getResults() const;
  /// What the kernel's argument of that name is called in Python.
  std::string translate(llvm::StringRef argument) const;
  /// The values that an item's expressions leave, in Python.
  std::vector<std::string> print(const PythonCallItem &item) const;
  /// What a parameter is called that no argument is: `wanted`, or that with underscores.
  std::string makeName(llvm::StringRef wanted) const;

  bool hasGrid() const;
  /// Some member writes through the pointer.
  bool isMutable(unsigned argument) const;
  /// Some member may have None in its place.
  bool isNullable(unsigned argument) const;
  /// What all variants have pointers divisible by.
  unsigned getAlignment(unsigned argument) const;

  /// What help() shows: a line for each parameter, those of `more`, and what the function returns, computes
  /// and checks.
  std::string describeParameters(llvm::StringRef more = {}) const;

private:
  PythonFunction() = default;
  bool readCall(Diagnostics &diagnostics);
  void nameArguments();
  void arrangeParameters();

  std::string name;
  std::vector<const PlannedKernel *> kernels;
  PythonCall call;
  std::vector<std::string> names;
  std::vector<Parameter> parameters;
};

bool isPythonKeyword(llvm::StringRef name);

/// The functions of a library, families first. Reports and returns nothing if one cannot be described.
std::optional<std::vector<PythonFunction>> describePythonFunctions(const DispatchPlan &plan,
                                                                   Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_PYTHONFUNCTION_H
