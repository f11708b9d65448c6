// MLIR's own parser reads the text; what is done here is to find the kernel in it, and to match its arguments
// with the signature.
#include "compiler/frontends/ir/IRFrontend.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/ScalarTypes.h"
#include "compiler/model/Divisor.h"
#include "compiler/model/SignaturePositions.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nereid::ir {

namespace {

/// A parsed file, and the kernel in it.
struct ParsedKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tt::FuncOp function;
  SmallVector<std::string> argumentNames;
  /// All of the file.
  StringRef text;

  explicit operator bool() const { return module && function; }
};

} // namespace

bool isIRFile(StringRef path) {
  StringRef extension = sys::path::extension(path);
  return extension == ".ttir" || extension == ".ttgir" || extension == ".mlir";
}

/// The name of an argument: `loc("n"(…))`, as upstream writes it, or `%n` in the text without its percent
/// sign.
static std::string getArgumentName(mlir::BlockArgument argument, const mlir::AsmParserState &text) {
  if (auto named = dyn_cast<mlir::NameLoc>(argument.getLoc()))
    return named.getName().str();
  if (const auto *block = text.getBlockDef(argument.getOwner())) {
    if (argument.getArgNumber() < block->arguments.size()) {
      SMRange range = block->arguments[argument.getArgNumber()].loc;
      StringRef name(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
      name.consume_front("%");
      // `%0` or `%arg0` would do as a name; `%0` is none in C.
      if (!name.empty() && !isDigit(name.front()))
        return name.str();
    }
  }
  return "arg" + std::to_string(argument.getArgNumber());
}

static ParsedKernel parse(mlir::MLIRContext &context, StringRef path, StringRef kernel,
                          Diagnostics &diagnostics) {
  ParsedKernel result;
  StringRef text = diagnostics.addFile(path);
  if (!text.data())
    return result;
  result.text = text;
  SourceMgr sources;
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(text, path), SMLoc());

  mlir::Block block;
  mlir::AsmParserState textState;
  mlir::ParserConfig config(&context);
  if (failed(mlir::parseAsmSourceFile(sources, &block, config, &textState)))
    return result;
  mlir::Location start = mlir::FileLineColLoc::get(&context, path, 1, 1);
  result.module =
      mlir::detail::constructContainerOpForParserIfNecessary<mlir::ModuleOp>(&block, &context, start);
  if (!result.module)
    return result;

  SmallVector<tt::FuncOp> kernels;
  for (tt::FuncOp function : result.module->getOps<tt::FuncOp>())
    if (function.isPublic() && !function.isDeclaration())
      kernels.push_back(function);
  for (tt::FuncOp function : kernels)
    if (function.getSymName() == kernel)
      result.function = function;
  if (!result.function) {
    SmallVector<StringRef> names;
    for (tt::FuncOp function : kernels)
      names.push_back(function.getSymName());
    if (names.empty())
      diagnostics.error(path + ": there is no kernel (a public tt.func) in this file");
    else
      diagnostics.error(path + ": there is no kernel named '" + kernel +
                        "' in this file, which has: " + join(names, ", "));
    return result;
  }
  for (mlir::BlockArgument argument : result.function.getArguments()) {
    std::string name = getArgumentName(argument, textState);
    // Printed IR, and messages about this argument, name it as the file does.
    if (!isa<mlir::NameLoc>(argument.getLoc()))
      argument.setLoc(mlir::NameLoc::get(mlir::StringAttr::get(&context, name), argument.getLoc()));
    result.argumentNames.push_back(std::move(name));
  }
  return result;
}

/// Takes descriptors among the arguments apart, as the Python frontend does: a descriptor NAME, with its
/// sizes and strides behind it as Triton has them, becomes a pointer NAME, NAME_shape_I and, but for the
/// last, NAME_stride_I, of which the kernel makes the descriptor. Reports and returns false where others
/// follow it.
static bool expandDescriptors(ParsedKernel &kernel, StringRef path, Diagnostics &diagnostics) {
  tt::FuncOp function = kernel.function;
  mlir::MLIRContext *context = function.getContext();
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = dyn_cast<tt::TensorDescType>(function.getArgument(i).getType());
    if (!type)
      continue;
    std::string name = kernel.argumentNames[i];
    unsigned rank = type.getBlockType().getRank();
    ArrayRef<mlir::Type> behind = function.getArgumentTypes().drop_front(i + 1);
    auto isInteger = [](unsigned bits) { return [bits](mlir::Type other) { return other.isInteger(bits); }; };
    if (behind.size() < 2 * rank || !all_of(behind.take_front(rank), isInteger(32)) ||
        !all_of(behind.slice(rank, rank), isInteger(64))) {
      diagnostics.error(path + ": argument '" + name + "' is a tensor descriptor, behind which " +
                        Twine(rank) + " sizes (i32) and " + Twine(rank) +
                        " strides (i64) are expected, as Triton writes it");
      return false;
    }
    mlir::Location location = function.getArgument(i).getLoc();
    auto pointer = tt::PointerType::get(type.getSignlessBlockType().getElementType(), /*addressSpace=*/1);
    if (failed(function.insertArgument(i, pointer, mlir::DictionaryAttr(), location)))
      return false;
    mlir::OpBuilder inside = mlir::OpBuilder::atBlockBegin(&function.getBody().front());
    mlir::Value one = mlir::arith::ConstantIntOp::create(inside, location, 1, 64);
    function.getArgument(i + 1 + 2 * rank).replaceAllUsesWith(one);
    auto range = [&](unsigned first, unsigned count) {
      return to_vector_of<mlir::Value>(function.getArguments().slice(first, count));
    };
    SmallVector<mlir::Value> sizes = range(i + 2, rank), strides = range(i + 2 + rank, rank - 1);
    strides.push_back(one);
    mlir::Value made = tt::MakeTensorDescOp::create(inside, location, type, function.getArgument(i), sizes,
                                                    strides, tt::PaddingOption::PAD_ZERO);
    function.getArgument(i + 1).replaceAllUsesWith(made);
    if (failed(function.eraseArgument(i + 1 + 2 * rank)) || failed(function.eraseArgument(i + 1)))
      return false;
    auto names = kernel.argumentNames.begin() + i;
    kernel.argumentNames.erase(names + 2 * rank);
    for (unsigned axis = 0; axis < rank; ++axis)
      names[1 + axis] = name + "_shape_" + std::to_string(axis);
    for (unsigned axis = 0; axis + 1 < rank; ++axis)
      names[1 + rank + axis] = name + "_stride_" + std::to_string(axis);
    for (unsigned k = i + 1; k < i + 2 * rank; ++k) {
      auto label = mlir::StringAttr::get(context, kernel.argumentNames[k]);
      function.getArgument(k).setLoc(mlir::NameLoc::get(label, location));
    }
  }
  return true;
}

/// How a signature writes a type of the IR, which does not tell signed from unsigned; nothing if it cannot.
static std::optional<ParameterSpec> describe(mlir::Type type) {
  ParameterSpec spec;
  mlir::Type element = type;
  if (auto pointer = dyn_cast<tt::PointerType>(type)) {
    spec.isPointer = true;
    element = pointer.getPointeeType();
  }
  for (ScalarKind kind :
       {ScalarKind::Int1, ScalarKind::Int8, ScalarKind::Int16, ScalarKind::Int32, ScalarKind::Int64,
        ScalarKind::FP8E4NV, ScalarKind::FP8E4B8, ScalarKind::FP8E5, ScalarKind::FP8E5B16, ScalarKind::FP16,
        ScalarKind::BF16, ScalarKind::FP32, ScalarKind::FP64}) {
    if (tt::getScalarType(kind, type.getContext()) == element) {
      spec.element = kind;
      return spec;
    }
  }
  return std::nullopt;
}

/// Whether the argument's type is what the signature says.
static bool matches(const ParameterSpec &spec, mlir::Type type) {
  if (spec.elements || !spec.blockShape.empty())
    return false;
  mlir::Type element = tt::getScalarType(spec.element, type.getContext());
  if (auto pointer = dyn_cast<tt::PointerType>(type))
    return spec.isPointer && (pointer.getPointeeType() == element ||
                              // Pointers to booleans are pointers to bytes.
                              (spec.element == ScalarKind::Int1 && pointer.getPointeeType().isInteger(8)));
  return !spec.isPointer && type == element;
}

/// The signature's entries in the order of the arguments. Reports and returns nothing if they do not fit.
static std::optional<std::vector<ParameterSpec>> matchSignature(const Specialization &signature,
                                                                ParsedKernel &kernel, StringRef path,
                                                                Diagnostics &diagnostics) {
  ArrayRef<mlir::Type> types = kernel.function.getArgumentTypes();
  std::vector<ParameterSpec> specs(types.size());
  if (signature.parameters.empty()) {
    for (unsigned i = 0; i < types.size(); ++i) {
      std::optional<ParameterSpec> spec = describe(types[i]);
      if (!spec) {
        std::string name;
        raw_string_ostream(name) << types[i];
        diagnostics.error(path + ": argument '" + kernel.argumentNames[i] + "' has type " + name +
                          ", which no signature can describe");
        return std::nullopt;
      }
      auto divisibility = kernel.function.getArgAttrOfType<mlir::IntegerAttr>(i, "tt.divisibility");
      // What counts is the power of 2 in it.
      if (divisibility && divisibility.getInt() > 0)
        spec->divisibleBy = getDivisor(static_cast<uint64_t>(divisibility.getInt()));
      specs[i] = *spec;
    }
    return specs;
  }

  for (const ParameterSpec &spec : signature.parameters)
    if (spec.constant) {
      diagnostics.error(spec.range, "'" + spec.str() +
                                        "' is a compile-time value, but those are already part of Triton "
                                        "IR: the signature names run-time arguments only");
      return std::nullopt;
    }
  if (signature.named ? countByPosition(signature) > types.size()
                      : signature.parameters.size() != types.size()) {
    diagnostics.error(signature.range, "the signature has " + Twine(signature.parameters.size()) +
                                           " entries, but '" + kernel.function.getSymName() + "' has " +
                                           Twine(types.size()) +
                                           " arguments: " + join(kernel.argumentNames, ", "));
    return std::nullopt;
  }
  std::vector<bool> given(types.size(), false);
  for (size_t position = 0; position < signature.parameters.size(); ++position) {
    const ParameterSpec &spec = signature.parameters[position];
    size_t index = position;
    if (!spec.name.empty()) {
      index = llvm::find(kernel.argumentNames, spec.name) - kernel.argumentNames.begin();
      if (index == types.size()) {
        diagnostics.error(spec.range, "'" + kernel.function.getSymName() + "' has no argument named '" +
                                          spec.name + "'; it has: " + join(kernel.argumentNames, ", "));
        return std::nullopt;
      }
      if (given[index]) {
        diagnostics.error(spec.range, "the signature gives the argument '" + spec.name + "' twice");
        return std::nullopt;
      }
    }
    if (!matches(spec, types[index])) {
      std::optional<ParameterSpec> expected = describe(types[index]);
      diagnostics.error(spec.range,
                        "'" + spec.str() + "' does not fit argument '" + kernel.argumentNames[index] +
                            (expected ? "', whose type is " + expected->str() : std::string("'")));
      return std::nullopt;
    }
    specs[index] = spec;
    given[index] = true;
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i]) {
      diagnostics.error(signature.range,
                        "the signature says nothing of argument '" + kernel.argumentNames[i] + "'");
      return std::nullopt;
    }
  return specs;
}

mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const CompileRequest &request,
                                             Diagnostics &diagnostics, KernelInfo &info, FilesRead &files) {
  ParsedKernel kernel = parse(context, request.sourcePath, request.kernel, diagnostics);
  if (!kernel)
    return nullptr;
  files.addRead(request.sourcePath, kernel.text);
  if (!expandDescriptors(kernel, request.sourcePath, diagnostics))
    return nullptr;
  auto specs = matchSignature(request.specialization, kernel, request.sourcePath, diagnostics);
  if (!specs)
    return nullptr;

  info.name = request.kernel;
  tt::FuncOp function = kernel.function;
  mlir::Builder builder(&context);
  for (size_t i = 0; i < specs->size(); ++i) {
    const ParameterSpec &spec = (*specs)[i];
    KernelParameter parameter;
    parameter.name = kernel.argumentNames[i];
    parameter.isPointer = spec.isPointer;
    parameter.element = spec.element;
    parameter.divisibleBy = spec.divisibleBy;
    parameter.equalsOne = spec.equalsOne;
    parameter.values = spec.values;
    info.parameters.push_back(parameter);
    if (spec.divisibleBy > 1)
      function.setArgAttr(i, "tt.divisibility",
                          builder.getI32IntegerAttr(static_cast<int32_t>(spec.divisibleBy)));
    else
      function.removeArgAttr(i, builder.getStringAttr("tt.divisibility"));
  }

  // An argument that equals 1 is not passed to the image: it becomes a constant and goes, the last first.
  for (size_t i = specs->size(); i-- > 0;) {
    if (!(*specs)[i].equalsOne)
      continue;
    mlir::BlockArgument argument = function.getArgument(i);
    mlir::OpBuilder inside = mlir::OpBuilder::atBlockBegin(&function.getBody().front());
    mlir::Value one = mlir::arith::ConstantOp::create(inside, argument.getLoc(),
                                                      inside.getIntegerAttr(argument.getType(), 1));
    argument.replaceAllUsesWith(one);
    if (failed(function.eraseArgument(i)))
      return nullptr;
  }
  return std::move(kernel.module);
}

std::optional<KernelDeclaration> findKernel(mlir::MLIRContext &context, StringRef sourcePath,
                                            StringRef kernelName, Diagnostics &diagnostics) {
  ParsedKernel kernel = parse(context, sourcePath, kernelName, diagnostics);
  if (!kernel || !expandDescriptors(kernel, sourcePath, diagnostics))
    return std::nullopt;
  KernelDeclaration declaration;
  declaration.name = kernelName.str();
  for (const std::string &name : kernel.argumentNames)
    declaration.parameters.push_back({name, /*isConstexpr=*/false, /*hasDefault=*/false});
  return declaration;
}

} // namespace nereid::ir
