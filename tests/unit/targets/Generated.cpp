// See Generated.h.
#include "Generated.h"

#include "compiler/targets/LLVMDiagnostics.h"
#include "toolkits/Toolkits.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;
using namespace nereid;

Generated generate(StringRef targetName, StringRef ir, std::optional<Stage> emit, unsigned numWarps,
                   bool mapsStages) {
  Generated generated;
  Expected<nereid::Target> target = nereid::Target::parse(targetName);
  if (!target) {
    generated.messages = toString(target.takeError());
    return generated;
  }
  CompileRequest request;
  request.target = *target;
  request.emit = emit;
  request.mapsStages = mapsStages;
  generated.result.info.name = "kernel";
  generated.result.info.symbol = "kernel__1";
  generated.result.info.numWarps = numWarps;
  generated.result.info.warpSize = request.target.warpSize;

  Diagnostics diagnostics;
  LLVMContext context;
  routeDiagnostics(context, diagnostics);
  SMDiagnostic parseError;
  std::unique_ptr<Module> module = parseAssemblyString(ir, parseError, context);
  if (!module) {
    generated.messages = parseError.getMessage().str();
    return generated;
  }
  generated.ok =
      getTargetBackend(target->backend).generate(std::move(module), request, generated.result, diagnostics);
  for (const std::string &warning : generated.result.warnings)
    diagnostics.warning(warning);
  raw_string_ostream stream(generated.messages);
  diagnostics.flush(stream);
  return generated;
}

bool contains(StringRef text, StringRef part) { return text.contains(part); }

ScopedEnvironment::ScopedEnvironment(const char *name, const char *value) : name(name) {
  if (const char *old = std::getenv(name))
    previous = old;
  setenv(name, value, 1);
}

ScopedEnvironment::~ScopedEnvironment() {
  if (previous)
    setenv(name, previous->c_str(), 1);
  else
    unsetenv(name);
}

const KernelForm *findForm(const CompileResult &result, FormUse use) {
  auto form = find_if(result.otherForms, [&](const KernelForm &other) { return other.use == use; });
  return form == result.otherForms.end() ? nullptr : &*form;
}

bool hasPtxas() { return !cantFail(findPtxas()).empty(); }

Generated generateWithScript(StringRef targetName, StringRef text, StringRef ir, unsigned numWarps) {
  SmallString<64> path;
  int descriptor = -1;
  EXPECT_FALSE(sys::fs::createTemporaryFile("ptxas", "sh", descriptor, path));
  {
    raw_fd_ostream script(descriptor, /*shouldClose=*/true);
    script << "#!/bin/sh\nwhile [ \"$1\" != -o ]; do input=$1; shift; done\n" << text << "\n";
  }
  sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
  ScopedEnvironment stand("NEREID_PTXAS", path.c_str());
  Generated generated = generate(targetName, ir, std::nullopt, numWarps);
  sys::fs::remove(path);
  return generated;
}
