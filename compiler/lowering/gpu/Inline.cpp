// Code for one element that the user brings along: a function of a bitcode library, inline assembly, a
// region.
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/lowering/gpu/LargeTiles.h"

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
  } else {
    // Its threads may wait for each other. LLVM takes the word back where the library's function does not.
    function->setConvergent();
  }
  llvm::CallInst *result = e.b.CreateCall(callee, operands);
  if (!call.getPure())
    result->setConvergent();
  return result;
}

/// Nobody but its author knows what a piece of assembly does. It may exchange data with other threads, pure
/// or not, so it is never moved to where fewer threads come by; and unless it is pure, it may reach memory,
/// so that loads and stores stay on their sides of it.
static llvm::CallInst *callAssembly(Emitter &e, tt::ElementwiseInlineAsmOp op, llvm::FunctionType *type,
                                    std::string constraints, Operands operands) {
  bool isPure = op.getPure();
  if (!isPure && !llvm::StringRef(constraints).contains("~{memory}"))
    constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  llvm::CallInst *call =
      e.b.CreateCall(llvm::InlineAsm::get(type, op.getAsmString(), constraints, !isPure), operands);
  call->setDoesNotThrow();
  call->setConvergent();
  // Where it stands in the kernel's source, for what LLVM's code generator has to say of it (see
  // targets/LLVMDiagnostics.cpp).
  if (auto place = op.getLoc()->findInstanceOf<FileLineColLoc>()) {
    llvm::LLVMContext &context = e.b.getContext();
    auto number = [&](unsigned value) { return llvm::ConstantAsMetadata::get(e.b.getInt32(value)); };
    call->setMetadata(
        "nereid.place",
        llvm::MDNode::get(context, {llvm::MDString::get(context, place.getFilename().getValue()),
                                    number(place.getLine()), number(place.getColumn() + 1)}));
  }
  return call;
}

/// What is wrong with the operands that a piece of assembly names, as LLVM reads them: `$0`, `${1:x}`, `$$`
/// for a dollar, `$( … $| … $)` for the spellings of several dialects. Empty where nothing is.
static std::string checkOperandNames(llvm::StringRef assembly, unsigned numOperands) {
  for (size_t at = assembly.find('$'); at != llvm::StringRef::npos; at = assembly.find('$', at)) {
    llvm::StringRef rest = assembly.substr(at + 1);
    if (rest.starts_with("$") || rest.starts_with("(") || rest.starts_with("|") || rest.starts_with(")")) {
      at += 2;
      continue;
    }
    bool isBraced = rest.consume_front("{");
    llvm::StringRef shown = assembly.substr(at, 2 + isBraced);
    if (isBraced && !rest.contains('}'))
      return ("'" + shown + "' is not closed by a '}'").str();
    unsigned number = 0;
    bool isSpecial = isBraced && rest.starts_with(":");
    if (!isSpecial && rest.consumeInteger(10, number))
      return ("'" + shown + "' names no operand; a dollar sign is written $$").str();
    if (isBraced && !rest.starts_with("}") && !rest.starts_with(":"))
      return "'${" + std::to_string(number) + "' is followed by neither '}' nor ':'";
    if (!isSpecial && number >= numOperands)
      return "'$" + std::string(isBraced ? "{" : "") + std::to_string(number) + (isBraced ? "}" : "") +
             "' names an operand that is not there; the constraints have " + std::to_string(numOperands);
    at = assembly.size() - rest.size();
  }
  return "";
}

/// What is wrong with the operands that the constraints name, beside those that there are. Empty where
/// nothing is.
static std::string checkConstraints(llvm::StringRef constraints, unsigned numOutputs, unsigned numInputs,
                                    unsigned pack) {
  llvm::InlineAsm::ConstraintInfoVector parsed = llvm::InlineAsm::ParseConstraints(constraints);
  if (parsed.empty() && !constraints.empty())
    return "they cannot be read";
  unsigned outputs = 0, inputs = 0;
  for (const llvm::InlineAsm::ConstraintInfo &info : parsed) {
    outputs += info.Type == llvm::InlineAsm::isOutput;
    inputs += info.Type == llvm::InlineAsm::isInput;
  }
  auto count = [](unsigned number, const char *what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
  };
  if (outputs == numOutputs && inputs == numInputs)
    return "";
  return "they name " + count(outputs, "output") + " and " + count(inputs, "input") + ", and there are " +
         count(numOutputs, "output") + " and " + count(numInputs, "input") +
         (pack == 1 ? std::string()
                    : " of 32 bits for " + std::to_string(pack) +
                          " elements at a time (pack=" + std::to_string(pack) + ")");
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

  // Elements that travel together do so as an integer: not every target has a register for `<4 x i8>`.
  auto asInteger = [&](llvm::Type *type) -> llvm::Type * {
    return type->isVectorTy() ? b.getIntNTy(type->getPrimitiveSizeInBits()) : type;
  };
  llvm::SmallVector<llvm::Type *> outputs;
  for (Type type : op.getResultTypes())
    outputs.append(pack / getPerRegister(type), asInteger(getRegisterType(type)));
  llvm::Type *result = outputs.empty()       ? b.getVoidTy()
                       : outputs.size() == 1 ? outputs[0]
                                             : llvm::StructType::get(b.getContext(), outputs);
  // One piece of assembly: element i of an argument is `getElement(argument, i)`; the results' follow in
  // `results`.
  auto emitPiece = [&](llvm::function_ref<llvm::Value *(Value, unsigned)> getElement,
                       llvm::MutableArrayRef<Registers> results) -> LogicalResult {
    llvm::SmallVector<llvm::Value *> operands;
    for (Value argument : op.getArgs()) {
      unsigned perRegister = getPerRegister(argument.getType());
      for (unsigned i = 0; i < pack; i += perRegister) {
        llvm::Value *value = getElement(argument, i);
        if (!value)
          return failure();
        if (perRegister > 1) {
          value = llvm::PoisonValue::get(getRegisterType(argument.getType()));
          for (unsigned j = 0; j < perRegister; ++j) {
            llvm::Value *element = getElement(argument, i + j);
            if (!element)
              return failure();
            value = b.CreateInsertElement(value, element, j);
          }
          value = b.CreateBitCast(value, asInteger(value->getType()));
        }
        operands.push_back(value);
      }
    }
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *operand : operands)
      types.push_back(operand->getType());
    auto *type = llvm::FunctionType::get(result, types, false);
    std::string mismatch = checkConstraints(op.getConstraints(), outputs.size(), operands.size(), pack);
    if (!mismatch.empty())
      return op.emitError() << "the constraints '" << op.getConstraints() << "' do not fit: " << mismatch;
    std::string wrong = checkOperandNames(op.getAsmString(), outputs.size() + operands.size());
    if (!wrong.empty())
      return op.emitError() << "in the inline assembly, " << wrong;
    std::string constraints = e.target.getAsmConstraints(op.getConstraints());
    if (llvm::Error error = llvm::InlineAsm::verify(type, constraints)) {
      std::string reason = llvm::toString(std::move(error));
      return op.emitError() << "the constraints '" << op.getConstraints() << "' do not fit: " << reason;
    }
    llvm::Value *value = callAssembly(e, op, type, constraints, operands);
    unsigned output = 0;
    for (auto [i, resultType] : llvm::enumerate(op.getResultTypes())) {
      unsigned perRegister = getPerRegister(resultType);
      for (unsigned element = 0; element < pack; element += perRegister, ++output) {
        llvm::Value *part = outputs.size() == 1 ? value : b.CreateExtractValue(value, output);
        if (perRegister > 1)
          part = b.CreateBitCast(part, getRegisterType(resultType));
        for (unsigned j = 0; j < perRegister; ++j)
          results[i].push_back(perRegister == 1 ? part : b.CreateExtractElement(part, j));
      }
    }
    return success();
  };

  unsigned count = op.getNumResults()    ? e.countRegisters(op.getResult()[0].getType())
                   : op.getNumOperands() ? e.countRegisters(op.getOperand(0).getType())
                                         : 1;
  if (e.large().concerns(op)) {
    LargeTiles &large = e.large();
    llvm::SmallVector<llvm::Value *> slots;
    for (Value result : op.getResult())
      slots.push_back(large.createSlot(result.getType(), count));
    LogicalResult done = large.forEach(
        0, count, std::max(LargeTiles::chunk, pack), [&](const RegisterNumber &first) -> LogicalResult {
          for (uint32_t piece = 0; piece < std::max(LargeTiles::chunk, pack); piece += pack) {
            llvm::SmallVector<Registers> results(op.getNumResults());
            auto getElement = [&](Value argument, unsigned i) {
              return large.get(argument, LargeTiles::plus(first, piece + i));
            };
            if (failed(emitPiece(getElement, results)))
              return failure();
            for (auto [slot, result, elements] : llvm::zip_equal(slots, op.getResult(), results))
              for (auto [i, element] : llvm::enumerate(elements))
                large.storeTo(slot, result.getType(), LargeTiles::plus(first, piece + i), element);
          }
          return success();
        });
    if (failed(done))
      return failure();
    for (auto [slot, result] : llvm::zip_equal(slots, op.getResult()))
      large.setSlot(result, slot);
    return success();
  }
  llvm::SmallVector<Registers> results(op.getNumResults());
  for (unsigned first = 0; first < count; first += pack) {
    // Where there are fewer elements than one piece handles, the last one fills up.
    auto getElement = [&](Value argument, unsigned i) {
      const Registers &registers = e.get(argument);
      return registers[std::min<unsigned>(registers.size() == 1 ? 0 : first + i, registers.size() - 1)];
    };
    if (failed(emitPiece(getElement, results)))
      return failure();
  }
  for (Registers &elements : results)
    elements.resize(std::min<size_t>(elements.size(), count));
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
