// Evaluates code of a module itself, outside of any function: a global's value, a default, an annotation.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_MODULESCOPE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_MODULESCOPE_H

#include "compiler/frontends/python/Emitter.h"

namespace nereid::python {

/// While it lives, what is evaluated stands in `module`, and numbers stay what they are.
class ModuleScope {
public:
  ModuleScope(Emitter &emitter, SourceModule &module)
      : emitter(emitter), saved(emitter.frame), savedName(emitter.assignedName) {
    frame.module = &module;
    frame.atCompileTime = true;
    frame.caller = emitter.frame;
    emitter.frame = &frame;
    emitter.assignedName = "";
  }
  ~ModuleScope() {
    emitter.frame = saved;
    emitter.assignedName = savedName;
  }
  ModuleScope(const ModuleScope &) = delete;

  Frame frame;

private:
  Emitter &emitter;
  Frame *saved;
  llvm::StringRef savedName;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_MODULESCOPE_H
