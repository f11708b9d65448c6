// Each term is left out where nobody gave it. See CallTerms.h.
#include "linker/CallTerms.h"

#include "nlohmann/json.hpp"

namespace nereid {

void addCallTerms(nlohmann::ordered_json &json, const KernelObject &object) {
  if (!object.grid.empty())
    json["grid"] = object.grid;
  if (!object.when.empty())
    json["when"] = object.when;
  if (!object.dispatch.empty())
    json["dispatch"] = object.dispatch;
  if (!object.python.empty())
    json["python"] = object.python;
}

} // namespace nereid
