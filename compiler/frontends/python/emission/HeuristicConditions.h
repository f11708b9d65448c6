// The conditions of @triton.heuristics, in the language of grids.
//
//     @triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
//
// decides at each call which of two values a parameter has. Ahead of time that is two variants, one for calls
// with `((K % BLOCK_K) == 0)` and one for the others.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_HEURISTICCONDITIONS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_HEURISTICCONDITIONS_H

#include "compiler/frontends/python/values/Function.h"

#include <string>
#include <utility>
#include <vector>

namespace nereid::python {

/// The parameters that a kernel's heuristics make True or False by comparing integers, each with the
/// condition under which it is True. Others are left out.
std::vector<std::pair<std::string, std::string>> findHeuristicConditions(const Function &kernel);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_HEURISTICCONDITIONS_H
