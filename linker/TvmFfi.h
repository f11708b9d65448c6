// What a library exports for Apache's TVM FFI: a function for each one that the Python package has, found as
// __tvm_ffi_NAME, and what it says of itself, __tvm_ffi__doc_NAME and __tvm_ffi__metadata_NAME.
//
// templates/tvm_ffi.c.in has all that such functions have in common. Written here are tables of their
// arguments, and the expressions by which arguments follow from tensors, as C.
#ifndef NEREID_LINKER_TVMFFI_H
#define NEREID_LINKER_TVMFFI_H

#include "linker/PythonFunction.h"

#include <string>

namespace nereid {

/// A part of the library's source, behind the functions of its kernels.
std::string generateTvmFfi(const DispatchPlan &plan, llvm::ArrayRef<PythonFunction> functions);

} // namespace nereid

#endif // NEREID_LINKER_TVMFFI_H
