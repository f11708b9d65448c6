// One handler for LLVM's context. Messages that know their place in the kernel's source keep it.
#include "compiler/targets/LLVMDiagnostics.h"

#include "compiler/model/Diagnostics.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

/// The message's position in the kernel's source, if it has a kind that can carry one.
static const DiagnosticInfoWithLocationBase *getLocated(const DiagnosticInfo &info) {
  const DiagnosticInfoWithLocationBase *located = nullptr;
  if (const auto *unsupported = dyn_cast<DiagnosticInfoUnsupported>(&info))
    located = unsupported;
  else if (const auto *limit = dyn_cast<DiagnosticInfoResourceLimit>(&info))
    located = limit;
  else if (const auto *generic = dyn_cast<DiagnosticInfoGenericWithLoc>(&info))
    located = generic;
  return located && located->isLocationAvailable() ? located : nullptr;
}

/// Reports at the place that the lowering wrote down for a piece of inline assembly, if it did.
static bool reportInAssembly(const DiagnosticInfoInlineAsm &info, StringRef text, Diagnostics &diagnostics) {
  const Instruction *call = info.getInstruction();
  const MDNode *place = call ? call->getMetadata("nereid.place") : nullptr;
  if (!place)
    return false;
  auto number = [&](unsigned index) {
    return static_cast<unsigned>(mdconst::extract<ConstantInt>(place->getOperand(index))->getZExtValue());
  };
  diagnostics.report(info.getSeverity() == DS_Error ? SourceMgr::DK_Error : SourceMgr::DK_Warning,
                     cast<MDString>(place->getOperand(0))->getString(), number(1), number(2), text);
  return true;
}

namespace {

class Handler : public DiagnosticHandler {
public:
  explicit Handler(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error && info.getSeverity() != DS_Warning)
      return true;
    std::string text;
    raw_string_ostream stream(text);
    // A message about inline assembly carries the line of assembly, but prints as a full diagnostic of its
    // own.
    if (const auto *assembly = dyn_cast<DiagnosticInfoSrcMgr>(&info)) {
      const SMDiagnostic &message = assembly->getSMDiag();
      stream << "in inline assembly: " << message.getMessage();
      if (!message.getLineContents().empty())
        stream << " in '" << message.getLineContents().trim() << "'";
    } else if (const auto *call = dyn_cast<DiagnosticInfoInlineAsm>(&info)) {
      // Prints the number of its call, too, as if that were a line.
      stream << "in inline assembly: " << call->getMsgStr();
    } else if (const auto *registers = dyn_cast<DiagnosticInfoRegAllocFailure>(&info)) {
      stream << "'" << registers->getFunction().getName().split("__").first
             << "' cannot do with the registers that a thread may have here; a larger --maxnreg, smaller "
                "tiles or more warps may help";
    } else {
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }

    if (const auto *assembly = dyn_cast<DiagnosticInfoInlineAsm>(&info))
      if (reportInAssembly(*assembly, text, diagnostics))
        return true;
    bool isError = info.getSeverity() == DS_Error;
    if (const DiagnosticInfoWithLocationBase *located = getLocated(info)) {
      StringRef path;
      unsigned line = 0, column = 0;
      located->getLocation(path, line, column);
      diagnostics.report(isError ? SourceMgr::DK_Error : SourceMgr::DK_Warning, path, line, column, text);
      return true;
    }
    if (isError)
      diagnostics.error(text);
    else
      diagnostics.warning(text);
    return true;
  }

private:
  Diagnostics &diagnostics;
};

} // namespace

void routeDiagnostics(LLVMContext &context, Diagnostics &diagnostics) {
  context.setDiagnosticHandler(std::make_unique<Handler>(diagnostics), /*RespectFilters=*/true);
}

} // namespace nereid
