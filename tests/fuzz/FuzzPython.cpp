// Python source through the lexer, the parser and the frontend, to tt IR.
#include "tests/fuzz/CompileInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  nereid::fuzz::compileInput(llvm::StringRef(reinterpret_cast<const char *>(data), size), ".py",
                             nereid::Stage::TTIR);
  return 0;
}
