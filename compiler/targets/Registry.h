// The back ends, one function each. Every function returns the same immutable object each time it is called.
#ifndef NEREID_COMPILER_TARGETS_REGISTRY_H
#define NEREID_COMPILER_TARGETS_REGISTRY_H

namespace nereid {

class TargetBackend;

const TargetBackend &getCPUBackend();
const TargetBackend &getNVIDIABackend();
const TargetBackend &getAMDBackend();

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_REGISTRY_H
