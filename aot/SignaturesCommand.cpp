// nereid signatures: those that one with lists stands for, so that a build system can compile each by itself.
//
//     $ nereid signatures 'x=*[fp16,fp32], D=[64,128]'
//     fp16	x=*fp16, D=64
//     fp16	x=*fp16, D=128
//     …
//
// In front stands what tells the C functions apart that lists of types make, or nothing, and a tab.
#include "aot/Commands.h"
#include "compiler/model/Specialization.h"

#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

static int printSignatures(StringRef text) {
  Diagnostics diagnostics;
  auto all = parseSignatures(diagnostics.addSource("<signature>", text.str()), diagnostics);
  diagnostics.flush(errs());
  if (!all)
    return 1;
  for (const Specialization &specialization : *all)
    outs() << specialization.typeSuffix << '\t' << specialization.str() << '\n';
  return 0;
}

void addSignaturesCommand(CLI::App &app, CommandAction &action) {
  auto text = std::make_shared<std::string>();
  auto *command = app.add_subcommand("signatures", "List the signatures that one with lists stands for");
  command->add_option("SIGNATURE", *text, "Such as 'x=*[fp16,fp32], D=[64,128]'")->required();
  command->callback([&action, text] { action = [text] { return printSignatures(*text); }; });
}

} // namespace nereid
