// Kernel objects that were compiled in shards, on as many machines: whether they are all there.
//
// `nereid build --shard 3/8` leaves out what the other seven compile. A library of seven shards would lack
// variants without a word, so each object says of which build it is, which variant it is of how many, and in
// which shard it was compiled (BuildShare). They are linked in the order of the build, however they are
// named, and so become the library that one machine would have made.
#ifndef NEREID_LINKER_SHARES_H
#define NEREID_LINKER_SHARES_H

#include "compiler/model/Diagnostics.h"
#include "linker/KernelObject.h"

#include <vector>

namespace nereid {

/// Brings parts of one build into its order; objects that are no parts stay in their places. Reports and
/// returns false where parts are missing, unless that is allowed.
bool bringSharesTogether(std::vector<KernelObject> &objects, bool mayLack, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_SHARES_H
