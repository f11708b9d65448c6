// Triton-C source through the preprocessor, the parser and the emission, to tt IR that verifies.
//
// Only this frontend is linked, so that the fuzzer is small and an input takes a millisecond: passes have
// fuzzers of their own. The first line may name the kernel and the signature, as a comment: `// kernel NAME
// SIGNATURE`.
#include "compiler/frontends/triton_c/Frontend.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace nereid;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::string path = "/tmp/nereid-fuzz-" + std::to_string(getpid()) + ".tc";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(size));
  llvm::StringRef line = llvm::StringRef(reinterpret_cast<const char *>(data), size).split('\n').first;

  CompileRequest request;
  request.sourcePath = path;
  request.kernel = "k";
  request.target = llvm::cantFail(Target::parse("cuda:90a"));
  request.compileLimit = 500000;
  llvm::StringRef signature;
  if (line.consume_front("// kernel ")) {
    request.kernel = line.split(' ').first.str();
    signature = line.split(' ').second;
  }
  Diagnostics diagnostics;
  for (const char *text :
       {"TYPE=half", "TM=32", "TN=32", "TK=16", "BLOCK=16", "TILE=64", "WIDTH=64", "SPLITK=2"})
    request.definitions.push_back(*parseDefinition(diagnostics.addSource("<-D>", text), diagnostics));
  auto specialization = parseSignature(diagnostics.addSource("<signature>", signature.str()), diagnostics);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  if (specialization) {
    request.specialization = *specialization;
    KernelInfo info;
    FilesRead files;
    unsigned errors = diagnostics.getErrorCount();
    auto module = triton_c::emitKernel(context, request, diagnostics, info, files);
    // Whatever is not refused is valid, and whatever is refused is told why.
    if (module ? failed(mlir::verify(*module)) : diagnostics.getErrorCount() == errors)
      abort();
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  return 0;
}
