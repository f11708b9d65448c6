// Evaluates code of a module itself, outside of any function: a global's value, a default, an annotation.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_MODULESCOPE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_MODULESCOPE_H

#include "compiler/frontends/python/evaluation/Evaluator.h"

namespace nereid::python {

/// While it lives, what is evaluated stands in `module`, and numbers stay what they are.
class ModuleScope {
public:
  ModuleScope(Evaluator &evaluator, ModuleObject &module)
      : evaluator(evaluator), saved(evaluator.frame), savedName(evaluator.assignedName) {
    frame.module = &module;
    frame.atCompileTime = true;
    frame.caller = evaluator.frame;
    evaluator.frame = &frame;
    evaluator.assignedName = "";
  }
  ~ModuleScope() {
    evaluator.frame = saved;
    evaluator.assignedName = savedName;
  }
  ModuleScope(const ModuleScope &) = delete;

  Frame frame;

private:
  Evaluator &evaluator;
  Frame *saved;
  llvm::StringRef savedName;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_MODULESCOPE_H
