// The small languages of the command line, and kernel objects: the first byte says which.
#include "compiler/model/Specialization.h"
#include "compiler/model/Target.h"
#include "linker/Condition.h"
#include "linker/GridExpression.h"
#include "linker/KernelObject.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace nereid;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef input(reinterpret_cast<const char *>(data), size);
  if (input.empty())
    return 0;
  Diagnostics diagnostics;
  llvm::StringRef text = diagnostics.addSource("<input>", input.drop_front().str());
  switch (input[0] % 4) {
  case 0:
    // What is printed reads back as the same.
    if (auto specializations = parseSignatures(text, diagnostics)) {
      std::string printed = specializations->front().str();
      auto again = parseSignature(diagnostics.addSource("<again>", printed), diagnostics);
      if (!again || again->str() != printed) {
        llvm::errs() << printed << '\n';
        std::abort();
      }
    }
    break;
  case 1:
    if (auto grid = GridExpression::parse(text, diagnostics))
      llvm::consumeError(grid->evaluate({{"n", 1000}, {"BLOCK", 0}}).takeError());
    if (auto condition = GridExpression::parseCondition(text, diagnostics)) {
      std::vector<KernelParameter> parameters(3);
      parameters[0].name = "n";
      parameters[1].name = "m";
      parameters[2].name = "BLOCK";
      parameters[2].constant = int64_t(0);
      if (condition->check(parameters, diagnostics))
        readCondition(*condition, parameters, [](llvm::StringRef name) { return name.str(); });
    }
    break;
  case 2:
    llvm::consumeError(parseKernelObject(text, "input.nko").takeError());
    break;
  default:
    llvm::consumeError(Target::parseGroup(text).takeError());
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  return 0;
}
