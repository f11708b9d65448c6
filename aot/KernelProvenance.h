// What a compiled kernel's objects say of where they come from (linker/Provenance.h): which files were read,
// with their hashes, and which place asked for the signature.
//
// All files are named as the project knows them, `kernels/add.py` rather than `/home/me/app/kernels/add.py`,
// so that objects are the same bytes wherever the project lies. The hashes are those of what the compiler
// read, not of what stands in the files by now.
#ifndef NEREID_AOT_KERNELPROVENANCE_H
#define NEREID_AOT_KERNELPROVENANCE_H

#include "aot/CompileKernels.h"

#include <string>

namespace nereid {

/// How a kernel object, and the library that it goes into, call the kernel's file: by its path in the project
/// and not by where that lies on this machine, so that the same project gives the same bytes everywhere.
std::string nameFile(llvm::StringRef path, llvm::StringRef projectFolder);

/// Writes into a kernel's objects where they come from.
void addProvenance(CompiledKernel &kernel, const KernelJob &job, const Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_KERNELPROVENANCE_H
