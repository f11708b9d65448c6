// A kernel is prepared once, which gives its parameters and a way to launch it, and launched once for the
// results. It is launched again, on arrays of its own, only where something is to be told apart: an element
// that was written with the poison's own value from one that was not written, and an array that is read from
// one that only comes out.
#include "tests/conformance/KernelRun.h"

#include "tests/conformance/ArgumentArray.h"
#include "tests/conformance/RecordedLaunch.h"
#include "tests/conformance/ShippedKernels.h"

#include "aot/CPURunner.h"
#include "compiler/driver/Compiler.h"
#include "linker/GridExpression.h"
#include "tests/unit/lowering_gpu/EmulatedBlock.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <fstream>
#include <functional>

using namespace llvm;

namespace nereid::test {

/// What runs.
struct PreparedKernel {
  /// Those that a caller passes, in their order.
  std::vector<KernelParameter> parameters;
  /// Takes a pointer to the value of each parameter. Returns what went wrong, or nothing.
  std::function<std::string(const std::vector<void *> &)> launch;
  /// Writes the launch down, given arrays from before and after; may be empty.
  std::function<std::string(const std::vector<RecordedArgument> &)> record;
};

KernelRun::KernelRun(std::string file, std::string kernel, std::string signature, std::string grid)
    : file(std::move(file)), kernel(std::move(kernel)), signature(std::move(signature)),
      grid(std::move(grid)) {}

KernelRun::~KernelRun() = default;

KernelRun &KernelRun::bind(const std::string &name, Role role, size_t count, std::vector<double> values) {
  Binding &binding = bindings[name];
  binding = Binding();
  binding.role = role;
  binding.count = count;
  binding.values = std::move(values);
  return *this;
}

KernelRun &KernelRun::define(const std::string &definition) {
  definitions.push_back(definition);
  return *this;
}

KernelRun &KernelRun::input(const std::string &name, const std::vector<double> &values) {
  return bind(name, Role::Input, values.size(), values);
}

KernelRun &KernelRun::output(const std::string &name, size_t count) {
  return bind(name, Role::Output, count, {});
}

KernelRun &KernelRun::inOut(const std::string &name, const std::vector<double> &values) {
  return bind(name, Role::InOut, values.size(), values);
}

KernelRun &KernelRun::scratch(const std::string &name, const std::vector<double> &values) {
  return bind(name, Role::Scratch, values.size(), values);
}

KernelRun &KernelRun::inputBits(const std::string &name, const std::vector<uint64_t> &elements) {
  bind(name, Role::Input, elements.size(), {});
  bindings[name].bits = elements;
  return *this;
}

KernelRun &KernelRun::scalar(const std::string &name, double value) {
  scalars[name] = value;
  return *this;
}

std::vector<double> KernelRun::result(const std::string &name) const {
  auto it = results.find(name);
  if (it == results.end()) {
    ADD_FAILURE() << "'" << name << "' is not a result";
    return {};
  }
  const Result &result = it->second;
  std::vector<double> values;
  for (size_t i = 0; i < result.bits.size(); ++i)
    values.push_back(result.isUntouched[i] ? untouched : decode(result.kind, result.bits[i]));
  return values;
}

std::vector<uint64_t> KernelRun::resultBits(const std::string &name) const {
  auto it = results.find(name);
  if (it == results.end()) {
    ADD_FAILURE() << "'" << name << "' is not a result";
    return {};
  }
  const std::vector<bool> &isUntouched = it->second.isUntouched;
  auto first = std::find(isUntouched.begin(), isUntouched.end(), true);
  if (first != isUntouched.end())
    ADD_FAILURE() << "element " << first - isUntouched.begin() << " of '" << name << "' was not written";
  return it->second.bits;
}

bool isEmulatingGPU() { return getenv("NEREID_EMULATE_GPU") != nullptr; }

/// The lanes of a warp of the emulated GPU: NVIDIA's 32, or AMD's 64 where the variable says so.
static unsigned getEmulatedWarpSize() {
  const char *value = getenv("NEREID_EMULATE_GPU");
  return value && StringRef(value) == "64" ? 64 : 32;
}

/// How many blocks run a program of the emulated GPU.
static unsigned getEmulatedClusterSize() {
  unsigned count = 1;
  if (const char *value = getenv("NEREID_EMULATE_CTAS"))
    StringRef(value).getAsInteger(10, count);
  return count;
}

double roundingsOfFactors(ScalarKind kind) {
  // Cut off behind the 11th bit, a factor is off by 2^-10 of itself; a rounding is 2^-24.
  constexpr double ofCut = 1 << 14, factors = 2;
  return kind == ScalarKind::FP32 && isEmulatingGPU() && getEmulatedWarpSize() == 32 ? factors * ofCut : 0;
}

/// Whether the kernel becomes an image for the target that the variable names, if any. Nothing runs it here.
static bool becomesImage(CompileRequest request, Diagnostics &diagnostics) {
  const char *name = getenv("NEREID_COMPILE_FOR");
  if (!name)
    return true;
  request.target = cantFail(Target::parse(name));
  // The vendor's assembler is slow, and not everywhere.
  if (request.target.backend == Backend::CUDA)
    request.emit = Stage::PTX;
  return compile(request, diagnostics).has_value();
}

/// Compiles a kernel to run in this process. `scalars` are what a grid expression may refer to. `diagnostics`
/// must outlive the result, which refers to the signature in it.
static std::optional<PreparedKernel> prepareHere(const ShippedCase &which,
                                                 const std::map<std::string, double> &scalars,
                                                 Diagnostics &diagnostics) {
  CompileRequest request;
  request.sourcePath = which.source;
  request.kernel = which.kernel;
  request.target = getHostCPUTarget();
  if (isEmulatingGPU()) {
    request.target = cantFail(Target::parse("cuda:90a"));
    request.emit = Stage::TTIR;
    request.numCTAs = getEmulatedClusterSize();
  }
  std::optional<Specialization> specialization =
      parseSignature(diagnostics.addSource("<signature>", which.signature), diagnostics);
  if (!specialization)
    return std::nullopt;
  request.specialization = *specialization;
  for (const std::string &text : which.definitions) {
    auto definition = parseDefinition(diagnostics.addSource("<-D>", text), diagnostics);
    if (!definition)
      return std::nullopt;
    request.definitions.push_back(std::move(*definition));
  }
  if (!becomesImage(request, diagnostics))
    return std::nullopt;
  std::optional<CompileResult> result = compile(request, diagnostics);
  if (!result)
    return std::nullopt;
  auto compiled = std::make_shared<CompileResult>(std::move(*result));

  std::map<std::string, int64_t> integers;
  for (auto &[name, value] : scalars)
    integers[name] = static_cast<int64_t>(value);
  PreparedKernel prepared;
  std::vector<bool> isPassed;
  for (const KernelParameter &parameter : compiled->info.parameters) {
    if (parameter.constant) {
      if (const auto *value = std::get_if<int64_t>(&*parameter.constant))
        integers[parameter.name] = *value;
      continue;
    }
    prepared.parameters.push_back(parameter);
    isPassed.push_back(parameter.isPassedToImage());
  }
  std::optional<GridExpression> expression =
      GridExpression::parse(diagnostics.addSource("<grid>", which.grid), diagnostics);
  if (!expression)
    return std::nullopt;
  Expected<std::array<int64_t, 3>> size = expression->evaluate(integers);
  if (!size) {
    diagnostics.error(toString(size.takeError()));
    return std::nullopt;
  }
  std::array<uint32_t, 3> programs = {static_cast<uint32_t>((*size)[0]), static_cast<uint32_t>((*size)[1]),
                                      static_cast<uint32_t>((*size)[2])};
  prepared.launch = [=](const std::vector<void *> &values) -> std::string {
    std::vector<void *> arguments;
    for (size_t i = 0; i < values.size(); ++i)
      if (isPassed[i])
        arguments.push_back(values[i]);
    if (isEmulatingGPU())
      return gpu::runOnHost(compiled->stageOutput, arguments, {programs[0], programs[1], programs[2]},
                            /*statistics=*/nullptr, getEmulatedWarpSize());
    Error error = runOnCPU(compiled->images.front().bytes, compiled->info, arguments, programs);
    return error ? toString(std::move(error)) : "";
  };
  if (getRecordingFolder() && !isEmulatingGPU())
    prepared.record = [=](const std::vector<RecordedArgument> &arguments) {
      return recordLaunch(request, arguments, programs);
    };
  return prepared;
}

/// A parameter that has no value yet, in words.
std::string KernelRun::findUnbound(const PreparedKernel &prepared) const {
  for (const KernelParameter &parameter : prepared.parameters) {
    if (!parameter.isPointer) {
      if (!scalars.count(parameter.name))
        return "no value for '" + parameter.name + "'";
      continue;
    }
    auto it = bindings.find(parameter.name);
    if (it == bindings.end())
      return "no array for '" + parameter.name + "'";
    bool comesOut = it->second.role == Role::Output || it->second.role == Role::InOut;
    if (comesOut && parameter.readOnly)
      return "the compiler says that '" + parameter.name + "' is never written";
  }
  return "";
}

std::vector<uint64_t> KernelRun::getContents(const Binding &binding, ScalarKind kind, unsigned poison) const {
  if (binding.role == Role::Output)
    return std::vector<uint64_t>(binding.count, getPoison(kind, poison));
  std::vector<uint64_t> elements = binding.bits;
  for (double value : binding.values)
    elements.push_back(encode(kind, value));
  // Negative integers come with all 64 bits.
  for (uint64_t &element : elements)
    element &= maskTrailingOnes<uint64_t>(8 * getScalarBytes(kind));
  return elements;
}

/// Other contents than these. A maximum, a minimum and an "and" may each hide some, so that there are several
/// ways.
static constexpr unsigned waysToChange = 4;
static uint64_t change(ScalarKind kind, uint64_t element, unsigned way) {
  if (way == 0) {
    uint64_t other = encode(kind, decode(kind, element) + 1);
    return other == element ? encode(kind, 3) : other;
  }
  uint64_t ones = maskTrailingOnes<uint64_t>(8 * getScalarBytes(kind));
  if (isInteger(kind))
    return way == 1 ? 0 : way == 2 ? ones : ones >> 1;
  return encode(kind, way == 1 ? 0 : way == 2 ? 1e4 : -1e4);
}

/// The arrays as they are before a launch; the contents of `changed` are others than the test gave.
KernelRun::Arrays KernelRun::makeArrays(const PreparedKernel &prepared, unsigned poison,
                                        const std::string &changed, unsigned way) const {
  Arrays arrays;
  for (const KernelParameter &parameter : prepared.parameters) {
    if (!parameter.isPointer)
      continue;
    ScalarKind kind = parameter.element;
    std::vector<uint64_t> elements = getContents(bindings.at(parameter.name), kind, poison);
    if (parameter.name == changed)
      for (uint64_t &element : elements)
        element = change(kind, element, way);
    arrays[parameter.name] = std::make_unique<ArgumentArray>(kind, elements);
  }
  return arrays;
}

std::string KernelRun::launch(const PreparedKernel &prepared, const Arrays &arrays) const {
  std::vector<uint64_t> values;
  for (const KernelParameter &parameter : prepared.parameters)
    values.push_back(parameter.isPointer ? reinterpret_cast<uintptr_t>(arrays.at(parameter.name)->data())
                                         : encode(parameter.element, scalars.at(parameter.name)));
  std::vector<void *> arguments;
  for (uint64_t &value : values)
    arguments.push_back(&value);
  return prepared.launch(arguments);
}

/// What the kernel wrote without a right to, in words.
std::string KernelRun::findTrespass(const Arrays &arrays) const {
  for (auto &[name, array] : arrays) {
    if (!array->isMarginIntact())
      return "the kernel wrote in front of '" + name + "'";
    const Binding &binding = bindings.at(name);
    if (binding.role == Role::Input && array->read() != getContents(binding, array->getKind(), 0))
      return "the kernel changed '" + name + "', which is an input";
  }
  return "";
}

std::string KernelRun::collectResults(const PreparedKernel &prepared, const Arrays &arrays) {
  bool hasPoison = false;
  for (auto &[name, array] : arrays) {
    Role role = bindings.at(name).role;
    if (role != Role::Output && role != Role::InOut)
      continue;
    Result &result = results[name];
    result.kind = array->getKind();
    result.bits = array->read();
    result.isUntouched.assign(result.bits.size(), false);
    for (size_t i = 0; role == Role::Output && i < result.bits.size(); ++i)
      hasPoison |= result.isUntouched[i] = result.bits[i] == getPoison(result.kind, 0);
  }
  if (!hasPoison)
    return "";
  Arrays again = makeArrays(prepared, 1);
  std::string problem = launch(prepared, again);
  for (auto &[name, result] : results) {
    std::vector<uint64_t> bits = again.at(name)->read();
    for (size_t i = 0; i < bits.size(); ++i)
      result.isUntouched[i] = result.isUntouched[i] && bits[i] == getPoison(result.kind, 1);
  }
  return problem;
}

/// An inOut array whose contents make no difference, in words.
std::string KernelRun::findUnreadInOut(const PreparedKernel &prepared, const Arrays &arrays) const {
  for (auto &[changed, unused] : arrays) {
    const Binding &binding = bindings.at(changed);
    if (binding.role != Role::InOut || binding.count == 0)
      continue;
    bool isSame = true;
    for (unsigned way = 0; isSame && way < waysToChange; ++way) {
      Arrays others = makeArrays(prepared, 0, changed, way);
      std::string problem = launch(prepared, others);
      if (!problem.empty())
        return problem;
      for (auto &[name, result] : results)
        isSame &= result.bits == others.at(name)->read();
    }
    if (isSame)
      return "nothing depends on what '" + changed + "' holds before the kernel runs: it is an output";
  }
  return "";
}

std::string KernelRun::runPrepared(const PreparedKernel &prepared) {
  std::string problem = findUnbound(prepared);
  if (!problem.empty())
    return problem;
  Arrays arrays = makeArrays(prepared, 0);
  std::vector<RecordedArgument> recorded;
  if (prepared.record)
    for (const KernelParameter &parameter : prepared.parameters) {
      if (!parameter.isPassedToImage())
        continue;
      RecordedArgument argument{parameter.name, parameter.isPointer, parameter.element, 0, "", ""};
      if (parameter.isPointer)
        argument.before = arrays.at(parameter.name)->bytes();
      else
        argument.bits = encode(parameter.element, scalars.at(parameter.name));
      recorded.push_back(std::move(argument));
    }
  problem = launch(prepared, arrays);
  if (problem.empty())
    problem = findTrespass(arrays);
  if (problem.empty())
    problem = collectResults(prepared, arrays);
  if (problem.empty())
    problem = findUnreadInOut(prepared, arrays);
  if (!problem.empty() || !prepared.record)
    return problem;
  for (RecordedArgument &argument : recorded)
    if (argument.isPointer)
      argument.after = arrays.at(argument.name)->bytes();
  return prepared.record(recorded);
}

bool KernelRun::run() {
  ShippedCase which = {KERNEL_FOLDER "/" + file, kernel,     signature, grid,
                       getHostCPUTarget().str(), definitions};
  results.clear();
  Diagnostics diagnostics;
  std::optional<PreparedKernel> prepared;
  std::string problem;
  if (std::optional<ShippedKernel> shipped = findShippedKernel(which)) {
    prepared = PreparedKernel{shipped->parameters, shipped->launch, {}};
  } else {
    prepared = prepareHere(which, scalars, diagnostics);
    if (!prepared)
      problem = "the kernel was refused";
    else if (isRunningShipped())
      problem = "the kernel is not in the libraries: they were made from an earlier run of other tests";
  }
  if (problem.empty()) {
    keepForShipping(which, prepared->parameters);
    problem = runPrepared(*prepared);
  }
  if (problem.empty())
    return true;
  diagnostics.error(problem);
  raw_string_ostream stream(text);
  diagnostics.flush(stream);
  return false;
}

void covers(const std::string &names) { testing::Test::RecordProperty("covers", names); }

std::vector<double> compute(const std::string &file, const std::string &kernel, const std::string &signature,
                            const std::vector<Input> &inputs, size_t count, const std::string &grid) {
  KernelRun run(file, kernel, signature, grid);
  for (const Input &input : inputs)
    run.input(input.name, input.values);
  run.output("out_ptr", count);
  if (run.run())
    return run.result("out_ptr");
  ADD_FAILURE() << run.messages();
  return {};
}

void expectRefused(const std::string &file, const std::string &kernel, const std::string &signature,
                   const std::string &text) {
  KernelRun run(file, kernel, signature, "1");
  run.output("out_ptr", 16);
  EXPECT_FALSE(run.run());
  EXPECT_NE(run.messages().find(text), std::string::npos) << run.messages();
}

} // namespace nereid::test
