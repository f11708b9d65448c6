// Reads and takes away what line tables are in assembly: `.loc` and what belongs to it, of PTX and of
// anything that LLVM's assemblers read.
//
//     .loc    1 9 26                       // add.py:9:26
//     add.rn.f32      %r5, %r4, 0f3F800000;
//
// becomes the second line alone, which comes from line 9 of file 1.
#ifndef NEREID_COMPILER_TARGETS_ASSEMBLYLINES_H
#define NEREID_COMPILER_TARGETS_ASSEMBLYLINES_H

#include "compiler/model/StageRecord.h"

namespace nereid {

/// Replaces record.text by the lines that are left, and fills in record.map.
void takeLineTables(StageRecord &record);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_ASSEMBLYLINES_H
