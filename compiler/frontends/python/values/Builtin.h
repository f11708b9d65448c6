// A function that kernels can call without defining it, and what a call passes.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_BUILTIN_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_BUILTIN_H

#include "compiler/frontends/python/values/Value.h"

#include <functional>
#include <optional>

namespace nereid::python {

class Evaluator;

/// What a call passes.
struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

/// One value for each parameter of a builtin; a variadic parameter has a tuple.
class Arguments {
public:
  std::vector<Value> values;
  const Value &operator[](size_t index) const { return values[index]; }
  const std::vector<Value> &rest(size_t index) const { return values[index].asTuple().elements; }
};

struct Builtin {
  struct Parameter {
    std::string name;
    std::optional<Value> defaultValue;
    bool isVariadic = false;
    /// `**name`: a dict of the keywords that no other parameter has.
    bool takesKeywords = false;
    bool isKeywordOnly = false;
  };
  using Call = std::function<Value(Evaluator &, Arguments &)>;

  /// `tl.load`, `math.sqrt`, `len`.
  std::string name;
  std::vector<Parameter> parameters;
  Call call;
  /// Also a class: can stand on the right of isinstance or in an annotation.
  bool isClass = false;
  /// Takes names of which nothing is known, such as `torch.float16`, and makes sense of them.
  bool takesUnknown = false;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_BUILTIN_H
