// The stages on the way to an image, for kernel objects that keep them (linker/StageArchive.h).
#ifndef NEREID_AOT_KEPTSTAGES_H
#define NEREID_AOT_KEPTSTAGES_H

#include "aot/CompileStep.h"
#include "aot/FileStates.h"
#include "aot/KernelJob.h"

namespace nereid {

/// Reads the stages of what was compiled off a second compilation, with line tables, which may change code
/// and so are not in the first unless they are asked for there.
void addStages(CompileStep &step, const KernelJob &job, FileStates &states);

} // namespace nereid

#endif // NEREID_AOT_KEPTSTAGES_H
