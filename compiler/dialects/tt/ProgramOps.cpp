// Functions, calls and what a program tells the outside.
#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "compiler/dialects/tt/ProgramOps.cpp.inc"

namespace nereid::tt {

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                   ArrayRef<NamedAttribute> attrs, ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attrs.begin(), attrs.end());
  state.addRegion();
  if (argAttrs.empty())
    return;
  assert(argAttrs.size() == type.getNumInputs() && "one attribute dictionary an argument");
  call_interface_impl::addArgAndResultAttrs(builder, state, argAttrs, /*resultAttrs=*/{},
                                            getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  auto expected = function.getFunctionType().getResults();
  if (getNumOperands() != expected.size())
    return emitOpError("returns ") << getNumOperands() << " values, but function @" << function.getName()
                                   << " has " << expected.size() << " results";
  for (auto [index, type] : llvm::enumerate(expected))
    if (getOperand(index).getType() != type)
      return emitOpError("returns ") << getOperand(index).getType() << " as result " << index
                                     << ", but function @" << function.getName() << " gives " << type;
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto function = symbolTable.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError() << "'" << getCallee() << "' does not reference a valid function";
  FunctionType type = function.getFunctionType();
  if (type.getNumInputs() != getNumOperands())
    return emitOpError("passes ") << getNumOperands() << " operands, but function @" << getCallee()
                                  << " takes " << type.getNumInputs();
  for (auto [index, expected] : llvm::enumerate(type.getInputs()))
    if (getOperand(index).getType() != expected)
      return emitOpError("passes ") << getOperand(index).getType() << " as operand " << index
                                    << ", but function @" << getCallee() << " takes " << expected;
  if (TypeRange(type.getResults()) != TypeRange(getResultTypes()))
    return emitOpError("gives ") << getResultTypes() << ", but function @" << getCallee() << " gives "
                                 << type.getResults();
  return success();
}

LogicalResult PrintOp::verify() {
  if (getArgs().size() != getIsSigned().size())
    return emitOpError("needs one entry of isSigned for each of its ")
           << getArgs().size() << " arguments, but has " << getIsSigned().size();
  return success();
}

} // namespace nereid::tt
