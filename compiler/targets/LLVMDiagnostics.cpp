#include "compiler/targets/LLVMDiagnostics.h"

#include "compiler/Diagnostics.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
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
    } else {
      if (isa<DiagnosticInfoInlineAsm>(info))
        stream << "in inline assembly: ";
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }

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
