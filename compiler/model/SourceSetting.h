// What a source file is read under, besides its text: where its imports are, what the user defines, and which
// target its conditions are decided for.
#ifndef NEREID_COMPILER_MODEL_SOURCESETTING_H
#define NEREID_COMPILER_MODEL_SOURCESETTING_H

#include "compiler/model/Definition.h"
#include "compiler/model/Target.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid {

/// Some seconds on a slow machine, and a hundred times what most large kernels take.
constexpr uint64_t defaultCompileLimit = 10'000'000;

struct SourceSetting {
  /// Where `import` looks besides the source file's own folder.
  std::vector<std::string> importPaths;
  std::vector<Definition> definitions;
  /// What `is_hip()` and its like are asked about.
  Target target;
  /// See CompileRequest.
  uint64_t compileLimit = defaultCompileLimit;
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_SOURCESETTING_H
