// Where the program stands in its grid, and what it says about itself: promises to the compiler, assertions,
// prints.
#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/python/emission/Arithmetic.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/semantics/Casting.h"

using namespace llvm;

namespace nereid::python {

static tt::ProgramIDDim axisArgument(Emitter &emitter, const Value &value) {
  BigInt axis = wholeNumber(emitter, value, "the axis of the grid");
  if (axis < 0 || axis > 2)
    emitter.fail("the axis of the grid must be 0, 1 or 2, not " + bigToString(axis));
  return static_cast<tt::ProgramIDDim>(static_cast<int>(axis));
}

static std::string textArgument(Emitter &emitter, const Value &value, StringRef what) {
  if (value.isStr())
    return value.asStr();
  emitter.fail(what + " must be a string known at compile time, not a " + value.describe());
}

/// Adds an attribute to whatever makes the value: an operation, or an argument of the kernel.
static Value annotate(Emitter &emitter, const Value &value, const Value &promised, StringRef attribute,
                      StringRef function) {
  Tensor tensor = emitter.toTensor(value);
  SmallVector<int32_t> values;
  auto list = promised.isTuple() ? promised.asTuple().elements : std::vector<Value>{promised};
  for (const Value &one : list)
    values.push_back(static_cast<int32_t>(wholeNumber(emitter, one, ("a value of tl." + function).str())));
  size_t rank = std::max<size_t>(1, tensor.type.getShape().size());
  if (values.size() != rank)
    emitter.fail("tl." + function + "() needs one value for each dimension, " + Twine(rank) + " for " +
                 tensor.type.str() + ", but gets " + Twine(values.size()));
  auto type =
      mlir::RankedTensorType::get({static_cast<int64_t>(values.size())}, emitter.builder.getI32Type());
  auto dense = mlir::DenseIntElementsAttr::get(type, values);
  if (mlir::Operation *producer = tensor.handle.getDefiningOp()) {
    producer->setAttr(attribute, dense);
  } else {
    auto argument = mlir::cast<mlir::BlockArgument>(tensor.handle);
    auto owner = mlir::dyn_cast_or_null<tt::FuncOp>(argument.getOwner()->getParentOp());
    if (owner && values.size() == 1)
      owner.setArgAttr(argument.getArgNumber(), attribute, emitter.builder.getI32IntegerAttr(values[0]));
  }
  return tensor;
}

static Value devicePrint(Emitter &emitter, Arguments &arguments) {
  std::string prefix = textArgument(emitter, arguments[0], "the first argument of tl.device_print");
  SmallVector<mlir::Value> values;
  SmallVector<int32_t> isSigned;
  for (const Value &value : arguments.rest(1)) {
    Tensor tensor = emitter.toTensor(value);
    if (tensor.type.isDescriptor() || tensor.type.isBlockPointer())
      emitter.fail("a value of type " + tensor.type.str() + " cannot be printed");
    values.push_back(tensor.handle);
    isSigned.push_back(tensor.type.getScalar().isSignedInteger());
  }
  // The prefix is set off from what follows, and from the program's position before it.
  if (!values.empty()) {
    prefix = StringRef(prefix).rtrim(" ").rtrim(":").str();
    prefix += ": ";
  }
  if (prefix.size() > 2 && prefix.front() != ' ')
    prefix = " " + prefix;
  emitter.create<tt::PrintOp>(prefix, arguments[2].isTruthy(), values, isSigned);
  return {};
}

void addProgramBuiltins(LanguageTable &table) {
  table.add("tl.program_id", "axis", [](Emitter &emitter, Arguments &arguments) -> Value {
    auto axis = axisArgument(emitter, arguments[0]);
    return Tensor{emitter.create<tt::GetProgramIdOp>(emitter.builder.getI32Type(), axis), ScalarKind::Int32};
  });
  table.add("tl.num_programs", "axis", [](Emitter &emitter, Arguments &arguments) -> Value {
    auto axis = axisArgument(emitter, arguments[0]);
    return Tensor{emitter.create<tt::GetNumProgramsOp>(emitter.builder.getI32Type(), axis),
                  ScalarKind::Int32};
  });
  for (auto [name, attribute] : {std::pair<const char *, const char *>{"multiple_of", "tt.divisibility"},
                                 {"max_contiguous", "tt.contiguity"},
                                 {"max_constancy", "tt.constancy"}})
    table.add(("tl." + Twine(name)).str(), "input, values",
              [name = name, attribute = attribute](Emitter &emitter, Arguments &arguments) {
                return annotate(emitter, arguments[0], arguments[1], attribute, name);
              });
  table.add("tl.assume", "cond", [](Emitter &emitter, Arguments &arguments) -> Value {
    if (!arguments[0].isTensor()) {
      if (!emitter.isTrue(arguments[0], "the condition"))
        emitter.warn("this assumption does not hold, and is ignored");
      return {};
    }
    Tensor condition = tensorOf(arguments[0]);
    if (!condition.type.isBool())
      emitter.fail("the condition of tl.assume must be a scalar of type int1, not " + condition.type.str());
    // Made by name, as the barrier below.
    emitter.getMLIRContext()->getOrLoadDialect("llvm");
    mlir::OperationState state(emitter.getLocation(), "llvm.intr.assume");
    state.addOperands(condition.handle);
    state.addAttribute("op_bundle_sizes", emitter.builder.getDenseI32ArrayAttr({}));
    emitter.builder.create(state);
    return {};
  });
  // Made by name: the headers of MLIR's gpu dialect are large, and nothing else here needs them.
  table.add("tl.debug_barrier", "", [](Emitter &emitter, Arguments &) -> Value {
    if (!emitter.getMLIRContext()->getOrLoadDialect("gpu"))
      emitter.fail("tl.debug_barrier is not supported here");
    emitter.builder.create(mlir::OperationState(emitter.getLocation(), "gpu.barrier"));
    return {};
  });
  table.add("tl.static_assert", "cond, msg=''", [](Emitter &emitter, Arguments &arguments) -> Value {
    if (!emitter.isTrue(arguments[0], "the condition of tl.static_assert"))
      emitter.fail("static assertion failed" +
                   (arguments[1].str().empty() ? std::string() : ": " + arguments[1].str()));
    return {};
  });
  table.add("tl.static_print", "*values, sep=' ', end='', file=None, flush=False",
            [](Emitter &emitter, Arguments &arguments) -> Value {
              std::string text;
              for (auto [index, value] : enumerate(arguments.rest(0)))
                text += (index ? arguments[1].str() : "") + value.str();
              emitter.diagnostics.note(emitter.range, text);
              return {};
            });
  table.add("tl.device_print", "prefix, *args, hex=False", devicePrint);
  table.add("tl.device_assert", "cond, msg='', mask=None",
            [](Emitter &emitter, Arguments &arguments) -> Value {
              std::string message = textArgument(emitter, arguments[1], "the message of tl.device_assert");
              emitter.emitAssertion(arguments[0], message, arguments[2]);
              return {};
            });
}

} // namespace nereid::python
