// One table: the name in an import, and the name in the table of builtins.
#include "compiler/frontends/python/modules/KnownModules.h"

using namespace llvm;

namespace nereid::python {

std::optional<std::string> findBuiltinModule(StringRef name) {
  static const std::pair<StringRef, StringRef> modules[] = {
      {"triton", "triton"},
      {"triton.runtime", "triton"},
      {"triton.runtime.jit", "triton"},
      {"triton.runtime.autotuner", "triton"},
      {"triton.driver", "triton.driver"},
      {"triton.driver.active", "triton.driver"},
      {"triton.runtime.driver", "triton.driver"},
      {"triton.language", "tl"},
      {"triton.language.core", "tl"},
      {"triton.language.standard", "tl"},
      {"triton.language.random", "tl"},
      {"triton.language.math", "tl.math"},
      {"triton.language.target_info", "tl.target_info"},
      {"tl.target_info", "tl.target_info"},
      {"triton.language.extra", "tl.extra"},
      {"triton.language.extra.cuda", "tl.extra.cuda"},
      {"triton.language.extra.hip", "tl.extra.hip"},
      {"triton.language.extra.libdevice", "libdevice"},
      {"triton.language.extra.cuda.libdevice", "libdevice"},
      {"triton.language.extra.hip.libdevice", "libdevice"},
      {"triton.language.libdevice", "libdevice"},
      {"triton.language.math.libdevice", "libdevice"},
      {"triton.tools.experimental_descriptor", "triton.tools"},
      {"tl.core", "tl"},
      {"tl.standard", "tl"},
      {"tl.random", "tl"},
      {"tl.math", "tl.math"},
      {"tl.extra", "tl.extra"},
      {"tl.libdevice", "libdevice"},
      {"tl.math.libdevice", "libdevice"},
      {"tl.extra.cuda", "tl.extra.cuda"},
      {"tl.extra.hip", "tl.extra.hip"},
      {"tl.extra.libdevice", "libdevice"},
      {"tl.extra.cuda.libdevice", "libdevice"},
      {"tl.extra.hip.libdevice", "libdevice"},
      {"math", "math"},
      {"builtins", "py"},
      {"collections", "collections"},
      {"itertools", "itertools"},
      {"typing", "typing"},
      {"packaging", "packaging"},
      {"packaging.version", "packaging.version"},
  };
  for (auto &[spelling, canonical] : modules)
    if (name == spelling)
      return canonical.str();
  return std::nullopt;
}

} // namespace nereid::python
