// The C text that chooses among compiled variants of kernels, as triton.tools.link writes it: `nereid
// triton-link`.
//
// A kernel `matmul` gets matmul(stream, …, algo_id), which runs the algorithm of that number, in the order in
// which the headers name them; matmul_default, which runs the first; matmul_get_num_algos, load_matmul and
// unload_matmul. An algorithm is a function as well: of its variants it runs the one with the most hints that
// all hold for the arguments.
#ifndef NEREID_LINKER_TRITONDISPATCHER_H
#define NEREID_LINKER_TRITONDISPATCHER_H

#include "linker/TritonHeaders.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace nereid {

struct TritonDispatcher {
  std::string header, source;
  /// `.c`, or `.cpp` for HIP.
  std::string extension;
};

/// Reports and returns nothing if the variants do not belong together. There must be one at least.
std::optional<TritonDispatcher> writeTritonDispatcher(llvm::ArrayRef<TritonVariant> variants,
                                                      Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_TRITONDISPATCHER_H
