// How many blocks of a compiled kernel a multiprocessor runs at a time: what the driver compares codes by.
#ifndef NEREID_COMPILER_DRIVER_RESIDENTBLOCKS_H
#define NEREID_COMPILER_DRIVER_RESIDENTBLOCKS_H

#include "compiler/model/KernelInfo.h"
#include "compiler/model/Occupancy.h"

namespace nereid {

/// If a thread took so many registers; 0 if they were no bound.
inline unsigned countBlocks(const KernelInfo &info, unsigned registers, const Target &target) {
  return countResidentBlocks({info.countWarps(), registers, info.sharedBytes}, target);
}

inline unsigned countBlocks(const KernelInfo &info, const Target &target) {
  return countBlocks(info, info.resources ? info.resources->registers : 0, target);
}

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_RESIDENTBLOCKS_H
