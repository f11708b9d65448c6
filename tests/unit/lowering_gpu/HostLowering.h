// Answers the hooks of TargetLowering for the host: with calls of what Emulation.h lists, and arithmetic.
#ifndef NEREID_TESTS_UNIT_LOWERING_GPU_HOSTLOWERING_H
#define NEREID_TESTS_UNIT_LOWERING_GPU_HOSTLOWERING_H

#include "compiler/lowering/gpu/TargetLowering.h"

#include <memory>

namespace nereid::gpu::emulation {

std::unique_ptr<TargetLowering> createHostLowering(const Target &target);

} // namespace nereid::gpu::emulation

#endif // NEREID_TESTS_UNIT_LOWERING_GPU_HOSTLOWERING_H
