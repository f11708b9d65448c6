// What a class has from those that it is derived from.
#include "compiler/frontends/python/values/ClassObject.h"

using namespace llvm;

namespace nereid::python {

const ClassObject::Field *ClassObject::findField(StringRef field) const {
  for (const ClassObject *type = this; type; type = type->base.get())
    for (const Field &candidate : type->fields)
      if (candidate.name == field)
        return &candidate;
  return nullptr;
}

bool isDerivedFrom(const ClassObject *type, const ClassObject *base) {
  while (type && type != base)
    type = type->base.get();
  return type;
}

} // namespace nereid::python
