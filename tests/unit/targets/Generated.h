// Generates images from a small module of LLVM IR, with all that the back ends say about it, and with a shell
// script in ptxas's place.
#ifndef NEREID_TESTS_UNIT_TARGETS_GENERATED_H
#define NEREID_TESTS_UNIT_TARGETS_GENERATED_H

#include "compiler/targets/TargetBackend.h"

#include <optional>
#include <string>

struct Generated {
  bool ok = false;
  nereid::CompileResult result;
  std::string messages;
};

/// Code of the function kernel__1 of `ir`.
Generated generate(llvm::StringRef targetName, llvm::StringRef ir,
                   std::optional<nereid::Stage> emit = std::nullopt, unsigned numWarps = 4,
                   bool mapsStages = false);

/// Generates code with a shell script in ptxas's place: `$input` is the PTX, `$2` where the cubin goes.
Generated generateWithScript(llvm::StringRef targetName, llvm::StringRef text,
                             llvm::StringRef ir = "define ptx_kernel void @kernel__1() { ret void }",
                             unsigned numWarps = 4);

/// Sets an environment variable for the duration of a test.
class ScopedEnvironment {
public:
  ScopedEnvironment(const char *name, const char *value);
  ~ScopedEnvironment();

private:
  const char *name;
  std::optional<std::string> previous;
};

/// The form for that use; null where there is none.
const nereid::KernelForm *findForm(const nereid::CompileResult &result, nereid::FormUse use);

bool hasPtxas();
bool contains(llvm::StringRef text, llvm::StringRef part);

#endif // NEREID_TESTS_UNIT_TARGETS_GENERATED_H
