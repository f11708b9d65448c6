// Making classes, objects and their attributes; what a class is says values/ClassObject.h.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_CLASSES_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_CLASSES_H

#include "compiler/frontends/python/values/ClassObject.h"

#include <optional>

namespace nereid::python {

class Evaluator;
struct CallArguments;

/// `Class(…)`.
Value makeObject(Evaluator &evaluator, const ClassPointer &type, const CallArguments &arguments);
/// `Class.name`, or, with an object, `object.name` where it is not the object's own attribute.
std::optional<Value> findMember(Evaluator &evaluator, const ClassPointer &type, llvm::StringRef name,
                                const Value *object = nullptr);
/// `object.name = value`.
void setAttribute(Evaluator &evaluator, const Value &object, llvm::StringRef name, const Value &value);
/// What `left op right` means where one of them is an object whose class defines it (`method` is `__add__`).
std::optional<Value> callOperator(Evaluator &evaluator, llvm::StringRef method, const Value &left,
                                  const Value &right);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_CLASSES_H
