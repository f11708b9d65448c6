// What the fuzzers share: an input becomes a file, and the file is compiled as far as its IR.
//
// The first line may say what to compile, as a comment: `# kernel NAME SIGNATURE` (`//` in Triton IR). The
// seeds have it; mutations may damage it, and then the kernel is looked for under the name `k`.
#ifndef NEREID_TESTS_FUZZ_COMPILEINPUT_H
#define NEREID_TESTS_FUZZ_COMPILEINPUT_H

#include "compiler/driver/Compiler.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

namespace nereid::fuzz {

inline void compileInput(llvm::StringRef input, llvm::StringRef suffix, Stage stage) {
  // A fault must reach the sanitizer, not become a message.
  static const bool unguarded = setenv("NEREID_CRASH", "1", 1) == 0;
  (void)unguarded;
  static const std::string path = "/tmp/nereid-fuzz-" + std::to_string(getpid()) + suffix.str();
  std::ofstream(path, std::ios::binary).write(input.data(), static_cast<std::streamsize>(input.size()));

  CompileRequest request;
  request.sourcePath = path;
  request.kernel = "k";
  request.target = llvm::cantFail(Target::parse("cuda:90a"));
  request.emit = stage;
  // The default keeps a compiler to a second or two, and one with sanitizers and coverage to twenty times
  // that.
  request.compileLimit = 500000;
  llvm::StringRef signature = "*fp32, i32";
  llvm::StringRef line = input.split('\n').first;
  if (line.consume_front("# kernel ") || line.consume_front("// kernel ")) {
    request.kernel = line.split(' ').first.str();
    signature = line.split(' ').second;
  }
  Diagnostics diagnostics;
  if (auto specialization =
          parseSignature(diagnostics.addSource("<signature>", signature.str()), diagnostics)) {
    request.specialization = *specialization;
    compile(request, diagnostics);
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
}

} // namespace nereid::fuzz

#endif // NEREID_TESTS_FUZZ_COMPILEINPUT_H
