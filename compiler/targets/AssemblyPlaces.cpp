// A handler in front of the context's own. See AssemblyPlaces.h.
#include "compiler/targets/AssemblyPlaces.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"

#include <vector>

using namespace llvm;

namespace nereid {

namespace {

class PlacingHandler : public DiagnosticHandler {
public:
  PlacingHandler(std::unique_ptr<DiagnosticHandler> usual, Module &module) : usual(std::move(usual)) {
    LLVMContext &context = module.getContext();
    for (Function &function : module)
      for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || !call->isInlineAsm())
          continue;
        calls.emplace_back(call);
        auto *number = ConstantInt::get(Type::getInt64Ty(context), calls.size());
        call->setMetadata("srcloc", MDNode::get(context, ConstantAsMetadata::get(number)));
      }
  }

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    auto *assembly = dyn_cast<DiagnosticInfoSrcMgr>(&info);
    // Numbers begin with 1. A pass may have taken the call away, or may have put another in its place.
    uint64_t number = assembly ? assembly->getLocCookie() : 0;
    auto *call = number && number <= calls.size() ? dyn_cast_or_null<CallBase>(calls[number - 1]) : nullptr;
    if (!call)
      return usual->handleDiagnostics(info);
    const SMDiagnostic &message = assembly->getSMDiag();
    std::string text = message.getMessage().str();
    if (StringRef line = message.getLineContents().trim(); !line.empty())
      text += (" in '" + line + "'").str();
    return usual->handleDiagnostics(DiagnosticInfoInlineAsm(*call, text, info.getSeverity()));
  }

  std::unique_ptr<DiagnosticHandler> usual;

private:
  std::vector<WeakTrackingVH> calls;
};

} // namespace

AssemblyPlaces::AssemblyPlaces(Module &module) : context(module.getContext()) {
  context.setDiagnosticHandler(std::make_unique<PlacingHandler>(context.getDiagnosticHandler(), module),
                               /*RespectFilters=*/true);
}

AssemblyPlaces::~AssemblyPlaces() {
  std::unique_ptr<DiagnosticHandler> handler = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::move(static_cast<PlacingHandler &>(*handler).usual),
                               /*RespectFilters=*/true);
}

} // namespace nereid
