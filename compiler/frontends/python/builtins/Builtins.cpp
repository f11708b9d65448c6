// Each floor adds its own to the table.
#include "compiler/frontends/python/builtins/Builtins.h"

#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/python/evaluation/StandardFunctions.h"
#include "compiler/frontends/python/host/Host.h"
#include "compiler/frontends/python/modules/Importlib.h"

namespace nereid::python {

const BuiltinTable &getBuiltins() {
  static const BuiltinTable builtins = [] {
    BuiltinTable table;
    addPythonBuiltins(table);
    addPythonMethods(table);
    addIsinstance(table);
    addStandardFunctions(table);
    addLanguageTypes(table);
    addMachineFacts(table);
    addVersions(table);
    addHostFacts(table);
    addImportlib(table);
    LanguageTable language(table);
    addProgramBuiltins(language);
    addMemoryBuiltins(language);
    addShapeBuiltins(language);
    addMathBuiltins(language);
    addLibdeviceBuiltins(language);
    addReductionBuiltins(language);
    addMatrixBuiltins(language);
    addTargetBuiltins(language);
    addAtomicBuiltins(language);
    return table;
  }();
  return builtins;
}

} // namespace nereid::python
