// Triton IR text through the parser, the verifiers and the passes, to ttg IR.
#include "tests/fuzz/CompileInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  nereid::fuzz::compileInput(llvm::StringRef(reinterpret_cast<const char *>(data), size), ".ttir",
                             nereid::Stage::TTGIR);
  return 0;
}
