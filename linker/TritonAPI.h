// The words of CUDA's and of HIP's driver in the C text that triton-compile and triton-link write; the two
// differ in nothing else.
#ifndef NEREID_LINKER_TRITONAPI_H
#define NEREID_LINKER_TRITONAPI_H

#include "compiler/model/Target.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace nereid {

struct TritonAPI {
  /// `cuda`, as headers name it.
  const char *backend;
  const char *result, *stream, *module, *function, *pointer;
  const char *success, *invalidValue;
  const char *loadModule, *unloadModule, *getFunction, *launch;
  /// The ending of C files: HIP's are C++, as upstream has them.
  const char *extension;
  /// What the array with the image is called behind the kernel's name.
  const char *image;
  unsigned alignment;
};

/// For CUDA or HIP.
const TritonAPI &getTritonAPI(Backend backend);

/// The includes and declarations that both kinds of files begin with.
std::string declareTritonAPI(const TritonAPI &api);

/// The same words as values for templates.
std::map<std::string, std::string> getTemplateValues(const TritonAPI &api);

} // namespace nereid

#endif // NEREID_LINKER_TRITONAPI_H
