// Scalars lie in slots of their own, each as the C function takes it. Of tensors that kernels write the first
// contents stay on the host: they are written again before each run that needs them.
#include "aot/tuning/CallTensors.h"

#include "aot/tuning/TensorContents.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <limits>

using namespace llvm;

namespace nereid {

CallTensors::~CallTensors() {
  for (Tensor &tensor : tensors)
    if (tensor.memory)
      device.release(tensor.memory);
}

std::optional<ArgumentProblem> CallTensors::setTensor(const TunableArgument &argument,
                                                      const TuningArgument &given, Slot &slot) {
  if (given.isNull())
    return std::nullopt;
  uint64_t bytes = getElementBytes(argument.element);
  for (const auto &length : given.shape) {
    Expected<int64_t> value = evaluate(*length, task);
    if (!value)
      return ArgumentProblem{argument.name, toString(value.takeError())};
    if (*value < 0)
      return ArgumentProblem{argument.name, "a tensor's axis cannot be " + std::to_string(*value) + " long"};
    bool overflows = false;
    bytes = SaturatingMultiply<uint64_t>(bytes, *value, &overflows);
    if (overflows || bytes > std::numeric_limits<int64_t>::max())
      return ArgumentProblem{argument.name, "the tensor has more elements than there is memory anywhere"};
  }
  Expected<void *> memory = device.allocate(bytes);
  if (!memory)
    return ArgumentProblem{argument.name, toString(memory.takeError())};
  tensors.push_back({&argument, &given, *memory, static_cast<size_t>(bytes), {}});
  std::memcpy(slot.bytes, &*memory, sizeof *memory);
  return std::nullopt;
}

/// Whether a type holds an integer.
static bool holds(ScalarKind element, int64_t value) {
  unsigned bits = getScalarBits(element);
  if (isUnsigned(element))
    return value >= 0 && (bits >= 63 || value < (int64_t(1) << bits));
  return bits >= 64 || isIntN(bits, value);
}

/// Sets what is no number; false if it is one.
static bool setNoNumber(const TuningArgument &given, char *bytes) {
  if (given.isNull())
    return true; // None is all zeros, in each of its types.
  if (given.text) {
    const char *text = given.text->c_str();
    std::memcpy(bytes, &text, sizeof text);
    return true;
  }
  if (given.dtype) {
    int32_t number = static_cast<int32_t>(*given.dtype) + 1; // nrd_dtype
    std::memcpy(bytes, &number, sizeof number);
    return true;
  }
  return false;
}

std::optional<ArgumentProblem> CallTensors::setScalar(const TunableArgument &argument,
                                                      const TuningArgument *given, Slot &slot) {
  using Kind = TunableArgument::Kind;
  if (given && setNoNumber(*given, slot.bytes))
    return std::nullopt;
  int64_t integer = 0;
  double real = 0;
  if (given && !given->expression) {
    real = *given->number;
    integer = static_cast<int64_t>(real);
  } else {
    Expected<int64_t> value =
        given ? evaluate(*given->expression, task) : Expected<int64_t>(task.values.at(argument.name));
    if (!value)
      return ArgumentProblem{argument.name, toString(value.takeError())};
    integer = *value;
    real = given && given->number ? *given->number : static_cast<double>(integer);
  }
  if (argument.kind == Kind::OptionalInteger || argument.kind == Kind::OptionalFloat) {
    if (argument.kind == Kind::OptionalInteger)
      std::memcpy(slot.bytes, &integer, sizeof integer);
    else
      writeElement(slot.bytes, argument.element, real);
    // The flag stands behind the number.
    slot.bytes[argument.kind == Kind::OptionalInteger ? sizeof integer : getElementBytes(argument.element)] =
        1;
    return std::nullopt;
  }
  if (!nereid::isInteger(argument.element)) {
    writeElement(slot.bytes, argument.element, real);
    return std::nullopt;
  }
  if (!holds(argument.element, integer))
    return ArgumentProblem{argument.name,
                           "its type, " + argument.type + ", does not have " + std::to_string(integer)};
  std::memcpy(slot.bytes, &integer, getElementBytes(argument.element));
  return std::nullopt;
}

std::optional<ArgumentProblem> CallTensors::allocate() {
  slots.resize(task.function->arguments.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    const TunableArgument &argument = task.function->arguments[i];
    auto found = task.group->arguments.find(argument.name);
    // Tensors are given (TuningPlan.cpp), and numbers may be values of the task instead.
    std::optional<ArgumentProblem> problem =
        argument.kind == TunableArgument::Kind::Pointer ? setTensor(argument, found->second, slots[i])
        : found == task.group->arguments.end()          ? setScalar(argument, nullptr, slots[i])
                                                        : setScalar(argument, &found->second, slots[i]);
    if (problem)
      return problem;
    packed.push_back(slots[i].bytes);
  }
  return std::nullopt;
}

Expected<TensorContents> CallTensors::getContents(const Tensor &tensor) const {
  TensorContents contents;
  if (!tensor.given->contents)
    return contents;
  contents.kind = tensor.given->contents->kind;
  SmallVector<int64_t> numbers;
  for (const auto &number : tensor.given->contents->numbers) {
    Expected<int64_t> value = evaluate(*number, task);
    if (!value)
      return value.takeError();
    numbers.push_back(*value);
  }
  if (contents.kind == TensorContents::Kind::Indices && !numbers.empty())
    contents.step = numbers[0];
  if (contents.kind != TensorContents::Kind::Integers)
    return contents;
  contents.least = numbers[0];
  contents.most = numbers[1];
  if (contents.least > contents.most)
    return createStringError("there is no integer from " + Twine(contents.least) + " to " +
                             Twine(contents.most) + " for its contents");
  ScalarKind element = tensor.argument->element;
  if (nereid::isInteger(element))
    for (int64_t bound : {contents.least, contents.most})
      if (!holds(element, bound))
        return createStringError("its type, " + tensor.argument->type + ", does not have " + Twine(bound));
  return contents;
}

std::optional<ArgumentProblem> CallTensors::fill() {
  for (Tensor &tensor : tensors) {
    std::vector<char> bytes(tensor.bytes);
    ScalarKind element = tensor.argument->element;
    Expected<TensorContents> contents = getContents(tensor);
    if (!contents)
      return ArgumentProblem{tensor.argument->name, toString(contents.takeError())};
    if (tensor.isWritten() && !tensor.given->contents)
      poisonTensor(bytes, element);
    else
      fillTensor(bytes, element, *contents, tensor.argument->name);
    if (Error error = device.copyIn(tensor.memory, {bytes.data(), bytes.size()}))
      return ArgumentProblem{tensor.argument->name, toString(std::move(error))};
    if (tensor.isWritten())
      tensor.initial = std::move(bytes);
  }
  return std::nullopt;
}

Error CallTensors::restore(bool withPoison) {
  for (Tensor &tensor : tensors)
    if (tensor.isWritten() && (withPoison || tensor.given->contents))
      if (Error error = device.copyIn(tensor.memory, {tensor.initial.data(), tensor.initial.size()}))
        return error;
  return Error::success();
}

Expected<std::vector<std::vector<char>>> CallTensors::takeResults() {
  std::vector<std::vector<char>> results;
  for (Tensor &tensor : tensors) {
    if (!tensor.isWritten())
      continue;
    std::vector<char> &bytes = results.emplace_back(tensor.bytes);
    if (Error error = device.copyOut(bytes.data(), tensor.memory, bytes.size()))
      return std::move(error);
  }
  return results;
}

std::vector<const TunableArgument *> CallTensors::getWritten() const {
  std::vector<const TunableArgument *> written;
  for (const Tensor &tensor : tensors)
    if (tensor.isWritten())
      written.push_back(tensor.argument);
  return written;
}

bool CallTensors::isPoisoned(unsigned result) const {
  for (const Tensor &tensor : tensors)
    if (tensor.isWritten() && result-- == 0)
      return !tensor.given->contents;
  return false;
}

} // namespace nereid
