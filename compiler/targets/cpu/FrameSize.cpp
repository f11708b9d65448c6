// A handler in front of the context's own. See FrameSize.h.
#include "compiler/targets/cpu/FrameSize.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace nereid {

namespace {

class SizeHandler : public DiagnosticHandler {
public:
  SizeHandler(std::unique_ptr<DiagnosticHandler> usual, uint64_t &largest)
      : usual(std::move(usual)), largest(largest) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    const auto *size = dyn_cast<DiagnosticInfoStackSize>(&info);
    if (!size)
      return usual->handleDiagnostics(info);
    largest = std::max(largest, size->getStackSize());
    return true;
  }

  std::unique_ptr<DiagnosticHandler> usual;

private:
  uint64_t &largest;
};

} // namespace

FrameSize::FrameSize(Module &module) : context(module.getContext()) {
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("warn-stack-size", "0");
  context.setDiagnosticHandler(std::make_unique<SizeHandler>(context.getDiagnosticHandler(), largest),
                               /*RespectFilters=*/true);
}

FrameSize::~FrameSize() {
  std::unique_ptr<DiagnosticHandler> handler = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::move(static_cast<SizeHandler &>(*handler).usual),
                               /*RespectFilters=*/true);
}

} // namespace nereid
