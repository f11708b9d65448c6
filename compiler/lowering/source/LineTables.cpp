// Builds LLVM's debug metadata with its DIBuilder. See LineTables.h.
#include "compiler/lowering/source/LineTables.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

LineTables::LineTables(Module &module, const SourceInfo &info, Form form)
    : module(module), info(info), form(form) {
  if (info.lineTables)
    builder.emplace(module);
}

LineTables::~LineTables() = default;

/// The first position in a location, innermost first.
static mlir::FileLineColLoc findPosition(mlir::Location where) {
  return where->findInstanceOf<mlir::FileLineColLoc>();
}

DIFile *LineTables::getFile(StringRef path) { return builder->createFile(info.getPath(path), ""); }

void LineTables::addFunction(Function &function, StringRef name, mlir::Location where) {
  if (!builder)
    return;
  mlir::FileLineColLoc position = findPosition(where);
  DIFile *file = getFile(position ? position.getFilename().getValue() : StringRef("unknown"));
  unsigned line = position ? position.getLine() : 0;
  if (!unit) {
    auto kind = form == Form::DWARF ? DICompileUnit::LineTablesOnly : DICompileUnit::DebugDirectivesOnly;
    unit = builder->createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_Python), file, "Nereid",
                                      /*isOptimized=*/true, "", 0, "", kind, /*DWOId=*/0,
                                      /*SplitDebugInlining=*/false,
                                      /*DebugInfoForProfiling=*/false,
                                      // An index of names cannot be merged with others by `ld -r`.
                                      DICompileUnit::DebugNameTableKind::None);
    module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
    module.addModuleFlag(Module::Max, "Dwarf Version", 5);
  }
  auto *type = builder->createSubroutineType(builder->getOrCreateTypeArray({}));
  function.setSubprogram(
      builder->createFunction(unit, name, function.getName(), file, line, type, line, DINode::FlagPrototyped,
                              DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized));
}

/// The function that the frontend inlined, by the name that it left there.
DISubprogram *LineTables::getInlined(mlir::Location callee) {
  StringRef name = "inlined";
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(callee))
    if (auto text = mlir::dyn_cast_or_null<mlir::StringAttr>(fused.getMetadata()))
      name = text.getValue();
  mlir::FileLineColLoc position = findPosition(callee);
  StringRef path = position ? position.getFilename().getValue() : StringRef("unknown");
  DISubprogram *&known = inlined[(path + ":" + name).str()];
  if (!known)
    known = builder->createFunction(
        unit, name, "", getFile(path), 0, builder->createSubroutineType(builder->getOrCreateTypeArray({})), 0,
        DINode::FlagPrototyped,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized | DISubprogram::SPFlagLocalToUnit);
  return known;
}

DILocation *LineTables::build(mlir::Location where, DILocalScope *scope, DILocation *inlinedAt) {
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(where)) {
    DILocation *at = build(call.getCaller(), scope, inlinedAt);
    return build(call.getCallee(), getInlined(call.getCallee()), at);
  }
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(where))
    return build(named.getChildLoc(), scope, inlinedAt);
  // What several operations were made into one of has several places; the first is as good as any.
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(where))
    for (mlir::Location part : fused.getLocations())
      if (findPosition(part))
        return build(part, scope, inlinedAt);
  LLVMContext &context = module.getContext();
  auto position = mlir::dyn_cast<mlir::FileLineColLoc>(where);
  if (!position)
    return DILocation::get(context, 0, 0, scope, inlinedAt);
  if (DIFile *file = getFile(position.getFilename().getValue()); file != scope->getFile())
    scope = builder->createLexicalBlockFile(scope, file);
  return DILocation::get(context, position.getLine(), position.getColumn() + 1, scope, inlinedAt);
}

DebugLoc LineTables::get(const Function &function, mlir::Location where) {
  DISubprogram *scope = builder ? function.getSubprogram() : nullptr;
  return scope ? DebugLoc(build(where, scope, nullptr)) : DebugLoc();
}

void LineTables::finish() {
  if (builder)
    builder->finalize();
}

} // namespace nereid
