// What a variant is called where its times are kept.
//
//     *fp16:16, *fp16:16, …, 128, 128, 64 num_warps=8 num_stages=3
//
// The name has all that makes a variant's code for a target another than that of its function's other
// variants: the signature, on GPUs how it is launched and compiled, and what was defined in its source. It
// does not depend on those others, nor on the condition under which calls get it, so that times stay true
// when variants come and go. On the CPU, where warps and stages change nothing, variants that differ in them
// alone share a name and so their times.
#ifndef NEREID_LINKER_VARIANTNAME_H
#define NEREID_LINKER_VARIANTNAME_H

#include "linker/KernelObject.h"

#include <string>

namespace nereid {

std::string getVariantName(const KernelObject &object, const TargetCode &code);

} // namespace nereid

#endif // NEREID_LINKER_VARIANTNAME_H
