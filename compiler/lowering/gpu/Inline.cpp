// Code for one element that the user brings along: a function of a bitcode library, inline assembly, a
// region.
#include "compiler/lowering/gpu/Emitter.h"

#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace nereid::gpu {

using Operands = llvm::ArrayRef<llvm::Value *>;

/// A call to a function of a bitcode library that the user names, one a element.
static llvm::Value *emitExtern(Emitter &e, Operation *op, Operands operands) {
  auto call = cast<tt::ExternElementwiseOp>(op);
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = llvm::FunctionType::get(e.convertType(call.getType()), types, false);
  llvm::FunctionCallee callee = e.state.module.getOrInsertFunction(call.getSymbol(), type);
  auto *function = dyn_cast<llvm::Function>(callee.getCallee());
  if (!function || function->getFunctionType() != type) {
    op->emitError() << "'" << call.getSymbol() << "' is already used with other types";
    return nullptr;
  }
  if (call.getPure()) {
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
  }
  return e.b.CreateCall(callee, operands);
}

/// Assembly works on registers of 32 bits: of each operand, as many elements travel together as fit in one,
/// out of `packed_element` that one piece of assembly handles. Four i8 are one operand, two f32 are two.
static LogicalResult emitInlineAsm(Emitter &e, tt::ElementwiseInlineAsmOp op) {
  llvm::IRBuilder<> &b = e.b;
  unsigned pack = op.getPackedElement();
  auto getPerRegister = [&](Type type) {
    return std::min(pack, std::max(1u, 32 / tt::getElementBits(type)));
  };
  auto getRegisterType = [&](Type type) -> llvm::Type * {
    unsigned count = getPerRegister(type);
    return count == 1 ? e.convertType(type) : llvm::FixedVectorType::get(e.convertType(type), count);
  };

  llvm::SmallVector<llvm::Type *> outputs;
  for (Type type : op.getResultTypes())
    outputs.append(pack / getPerRegister(type), getRegisterType(type));
  llvm::Type *result = outputs.empty()       ? b.getVoidTy()
                       : outputs.size() == 1 ? outputs[0]
                                             : llvm::StructType::get(b.getContext(), outputs);
  unsigned count = op.getNumResults()    ? e.countRegisters(op.getResult()[0].getType())
                   : op.getNumOperands() ? e.countRegisters(op.getOperand(0).getType())
                                         : 1;
  llvm::SmallVector<Registers> results(op.getNumResults());
  for (unsigned first = 0; first < count; first += pack) {
    llvm::SmallVector<llvm::Value *> operands;
    for (Value argument : op.getArgs()) {
      const Registers &registers = e.get(argument);
      // Where there are fewer elements than one piece handles, the last one fills up.
      auto getElement = [&](unsigned i) {
        return registers[std::min<unsigned>(registers.size() == 1 ? 0 : first + i, registers.size() - 1)];
      };
      unsigned perRegister = getPerRegister(argument.getType());
      for (unsigned i = 0; i < pack; i += perRegister) {
        llvm::Value *value = getElement(i);
        if (perRegister > 1) {
          value = llvm::PoisonValue::get(getRegisterType(argument.getType()));
          for (unsigned j = 0; j < perRegister; ++j)
            value = b.CreateInsertElement(value, getElement(i + j), j);
        }
        operands.push_back(value);
      }
    }
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *operand : operands)
      types.push_back(operand->getType());
    auto *type = llvm::FunctionType::get(result, types, false);
    std::string constraints = e.target.getAsmConstraints(op.getConstraints());
    if (llvm::Error error = llvm::InlineAsm::verify(type, constraints)) {
      std::string reason = llvm::toString(std::move(error));
      return op.emitError() << "the constraints '" << op.getConstraints() << "' don't fit: " << reason;
    }
    llvm::Value *value =
        b.CreateCall(llvm::InlineAsm::get(type, op.getAsmString(), constraints, !op.getPure()), operands);
    unsigned output = 0;
    for (auto [i, resultType] : llvm::enumerate(op.getResultTypes())) {
      unsigned perRegister = getPerRegister(resultType);
      for (unsigned element = 0; element < pack; element += perRegister, ++output) {
        llvm::Value *part = outputs.size() == 1 ? value : b.CreateExtractValue(value, output);
        for (unsigned j = 0; j < perRegister && results[i].size() < count; ++j)
          results[i].push_back(perRegister == 1 ? part : b.CreateExtractElement(part, j));
      }
    }
  }
  for (auto [value, registers] : llvm::zip_equal(op.getResult(), results))
    e.set(value, std::move(registers));
  return success();
}

static LogicalResult emitMap(Emitter &e, tt::MapElementwiseOp op) {
  unsigned pack = op.getPack(), count = e.countRegisters(op.getSrcs()[0].getType());
  if (count % pack != 0)
    return op.emitError() << "a thread has " << count << " elements here, which are not packs of " << pack;
  llvm::SmallVector<Registers> results(op.getNumResults());
  for (unsigned first = 0; first < count; first += pack) {
    Registers arguments;
    for (Value source : op.getSrcs())
      for (unsigned i = 0; i < pack; ++i)
        arguments.push_back(e.get(source)[first + i]);
    FailureOr<Registers> passed = e.emitInline(op.getScalarOp(), arguments);
    if (failed(passed))
      return failure();
    for (auto [i, value] : llvm::enumerate(*passed))
      results[i / pack].push_back(value);
  }
  for (auto [value, registers] : llvm::zip_equal(op.getResult(), results))
    e.set(value, std::move(registers));
  return success();
}

void addInlineEmitters(EmitterTable &table) {
  table.addElementwise<tt::ExternElementwiseOp>(emitExtern);
  table.add<tt::ElementwiseInlineAsmOp, emitInlineAsm>();
  table.add<tt::MapElementwiseOp, emitMap>();
}

} // namespace nereid::gpu
