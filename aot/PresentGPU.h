// The GPU of this machine as a target, for commands that compile for it unless they are told otherwise.
#ifndef NEREID_AOT_PRESENTGPU_H
#define NEREID_AOT_PRESENTGPU_H

#include <optional>
#include <string>

namespace nereid {

/// The first of NVIDIA's, as the driver counts them, else the first of AMD's: `cuda:90`, `hip:gfx942`.
/// Nothing if there is none. The name need not be one that Target::parse knows.
std::optional<std::string> findPresentGPU();

} // namespace nereid

#endif // NEREID_AOT_PRESENTGPU_H
