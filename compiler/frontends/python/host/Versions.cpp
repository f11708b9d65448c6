// Versions: `packaging.version.parse(triton.__version__) >= parse("3.0.0")`, by which kernel files choose
// between spellings of a function. A version is its release: what follows it (`rc1`, `+cu128`) does not
// count.

#include "compiler/frontends/python/evaluation/Evaluator.h"
#include "compiler/frontends/python/host/Host.h"
using namespace llvm;

namespace nereid::python {

/// 3.6 as (3, 6, 0), a tuple, which is how tuples compare.
static Value makeVersion(Evaluator &evaluator, Arguments &arguments) {
  const Value &text = arguments[0];
  if (text.isTuple() && text.asTuple().className == "Version")
    return text;
  if (!text.isStr())
    evaluator.fail("a version is made of a string, not of a " + text.describe());
  auto version = std::make_shared<TupleObject>();
  version->className = "Version";
  version->fields = {"major", "minor", "micro"};
  StringRef rest = text.asStr();
  rest.consume_front("v");
  for (size_t i = 0; i < version->fields.size(); ++i) {
    unsigned number = 0;
    if (rest.consumeInteger(10, number) && !i)
      evaluator.fail("'" + text.asStr() + "' is not a version");
    version->elements.push_back(Value(static_cast<int64_t>(number)));
    if (!rest.consume_front("."))
      rest = "";
  }
  return version;
}

void addVersions(BuiltinTable &table) {
  table.add("packaging.version.Version", "version", makeVersion);
  table.add("packaging.version.parse", "version", makeVersion);
  table.add("Version.release", "self",
            [](Evaluator &, Arguments &arguments) { return Value::tuple(arguments[0].asTuple().elements); });
  // The PyTorch that this Triton comes with.
  table.addConstant("torch.__version__", "2.10.0");
}

} // namespace nereid::python
