// The guard page costs a mapping an array; that is nothing beside compiling the kernel.
#include "tests/conformance/KernelRun.h"

#include "tests/conformance/RecordedLaunch.h"

#include "aot/CPURunner.h"
#include "aot/CompileKernels.h"
#include "aot/GuardedMemory.h"
#include "linker/GridExpression.h"
#include "tests/unit/lowering_gpu/EmulatedBlock.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <fstream>

using namespace llvm;

namespace nereid::test {

static const fltSemantics *semanticsOf(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::FP8E4NV:
    return &APFloat::Float8E4M3FN();
  case ScalarKind::FP8E4B8:
    return &APFloat::Float8E4M3FNUZ();
  case ScalarKind::FP8E5:
    return &APFloat::Float8E5M2();
  case ScalarKind::FP8E5B16:
    return &APFloat::Float8E5M2FNUZ();
  case ScalarKind::FP16:
    return &APFloat::IEEEhalf();
  case ScalarKind::BF16:
    return &APFloat::BFloat();
  case ScalarKind::FP32:
    return &APFloat::IEEEsingle();
  case ScalarKind::FP64:
    return &APFloat::IEEEdouble();
  default:
    return nullptr;
  }
}

static bool isUnsignedKind(ScalarKind kind) {
  return kind >= ScalarKind::UInt8 && kind <= ScalarKind::UInt64;
}

uint64_t encode(ScalarKind kind, double value) {
  if (const fltSemantics *semantics = semanticsOf(kind)) {
    APFloat number(value);
    bool lost = false;
    number.convert(*semantics, APFloat::rmNearestTiesToEven, &lost);
    return number.bitcastToAPInt().getZExtValue();
  }
  return isUnsignedKind(kind) ? static_cast<uint64_t>(value)
                              : static_cast<uint64_t>(static_cast<int64_t>(value));
}

double decode(ScalarKind kind, uint64_t bits) {
  unsigned width = getScalarBits(kind);
  if (const fltSemantics *semantics = semanticsOf(kind)) {
    APFloat number(*semantics, APInt(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true));
    bool lost = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return number.convertToDouble();
  }
  APInt integer(width, bits, false, true);
  return isUnsignedKind(kind) || width == 1 ? static_cast<double>(integer.getZExtValue())
                                            : static_cast<double>(integer.getSExtValue());
}

double roundTo(ScalarKind kind, double value) { return decode(kind, encode(kind, value)); }

/// An array that ends where a page without access begins.
struct KernelRun::Buffer {
  // Signatures that promise 16-byte alignment are only used with sizes that keep it.
  Buffer(ScalarKind kind, const std::vector<uint64_t> &values)
      : kind(kind), count(values.size()), elementSize(std::max(8u, getScalarBits(kind)) / 8),
        memory(count * elementSize, elementSize), data(memory.data()) {
    for (size_t i = 0; i < count; ++i)
      memcpy(data + i * elementSize, &values[i], elementSize);
  }

  std::vector<uint64_t> read() const {
    std::vector<uint64_t> values(count);
    for (size_t i = 0; i < count; ++i)
      memcpy(&values[i], data + i * elementSize, elementSize);
    return values;
  }

  std::string bytes() const { return std::string(data, count * elementSize); }

  ScalarKind kind;
  size_t count;
  size_t elementSize;
  GuardedMemory memory;
  char *data;
};

KernelRun::KernelRun(std::string file, std::string kernel, std::string signature, std::string grid)
    : file(std::move(file)), kernel(std::move(kernel)), signature(std::move(signature)),
      grid(std::move(grid)) {}

KernelRun::~KernelRun() = default;

KernelRun &KernelRun::array(const std::string &name, const std::vector<double> &values) {
  arrays[name] = values;
  return *this;
}

KernelRun &KernelRun::scalar(const std::string &name, double value) {
  scalars[name] = value;
  return *this;
}

KernelRun &KernelRun::bits(const std::string &name, const std::vector<uint64_t> &values) {
  arraysOfBits[name] = values;
  return *this;
}

std::vector<uint64_t> KernelRun::resultBits(const std::string &name) const {
  return buffers.at(name)->read();
}

std::vector<double> KernelRun::result(const std::string &name) const {
  const Buffer &buffer = *buffers.at(name);
  std::vector<double> values;
  for (uint64_t bits : buffer.read())
    values.push_back(decode(buffer.kind, bits));
  return values;
}

/// The lanes of a warp of the emulated GPU: NVIDIA's 32, or AMD's 64 where the variable says so.
static unsigned getEmulatedWarpSize() {
  const char *value = getenv("NEREID_EMULATE_GPU");
  return value && StringRef(value) == "64" ? 64 : 32;
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

bool isEmulatingGPU() { return getenv("NEREID_EMULATE_GPU") != nullptr; }

bool KernelRun::run() {
  Diagnostics diagnostics;
  auto fail = [&](const Twine &message) {
    diagnostics.error(message);
    raw_string_ostream stream(text);
    diagnostics.flush(stream);
    return false;
  };
  // For those who want to show the same kernels to another compiler.
  if (const char *log = getenv("NEREID_LOG_KERNELS"))
    std::ofstream(log, std::ios::app) << file << '\t' << kernel << '\t' << signature << '\n';
  CompileRequest request;
  request.sourcePath = std::string(KERNEL_FOLDER "/") + file;
  request.kernel = kernel;
  // With this variable set, what runs is the GPU lowering's code, thread by thread.
  bool isEmulated = isEmulatingGPU();
  request.target = getHostCPUTarget();
  if (isEmulated) {
    request.target = cantFail(Target::parse("cuda:90a"));
    request.emit = Stage::TTIR;
  }
  std::optional<Specialization> specialization =
      parseSignature(diagnostics.addSource("<signature>", signature), diagnostics);
  if (!specialization)
    return fail("the signature was refused");
  request.specialization = *specialization;
  if (!becomesImage(request, diagnostics))
    return fail("the kernel was refused");
  std::optional<CompileResult> compiled = compile(request, diagnostics);
  if (!compiled)
    return fail("the kernel was refused");

  std::map<std::string, int64_t> integers;
  std::vector<std::unique_ptr<uint64_t>> storage;
  std::vector<void *> arguments;
  for (const KernelParameter &parameter : compiled->info.parameters) {
    if (parameter.constant) {
      if (const auto *value = std::get_if<int64_t>(&*parameter.constant))
        integers[parameter.name] = *value;
      continue;
    }
    uint64_t bits = 0;
    if (parameter.isPointer) {
      auto it = arrays.find(parameter.name);
      auto exact = arraysOfBits.find(parameter.name);
      auto &buffer = buffers[parameter.name];
      if (it != arrays.end()) {
        std::vector<uint64_t> encoded(it->second.size());
        for (size_t i = 0; i < encoded.size(); ++i)
          encoded[i] = encode(parameter.element, it->second[i]);
        buffer = std::make_unique<Buffer>(parameter.element, encoded);
      } else if (exact != arraysOfBits.end()) {
        buffer = std::make_unique<Buffer>(parameter.element, exact->second);
      } else {
        return fail("no array for '" + parameter.name + "'");
      }
      bits = reinterpret_cast<uintptr_t>(buffer->data);
    } else {
      auto it = scalars.find(parameter.name);
      if (it == scalars.end())
        return fail("no value for '" + parameter.name + "'");
      bits = encode(parameter.element, it->second);
      integers[parameter.name] = static_cast<int64_t>(it->second);
    }
    storage.push_back(std::make_unique<uint64_t>(bits));
    if (parameter.isPassedToImage())
      arguments.push_back(storage.back().get());
  }
  std::optional<GridExpression> expression =
      GridExpression::parse(diagnostics.addSource("<grid>", grid), diagnostics);
  if (!expression)
    return fail("the grid was refused");
  Expected<std::array<int64_t, 3>> size = expression->evaluate(integers);
  if (!size)
    return fail(toString(size.takeError()));
  std::array<uint32_t, 3> programs = {static_cast<uint32_t>((*size)[0]), static_cast<uint32_t>((*size)[1]),
                                      static_cast<uint32_t>((*size)[2])};
  if (isEmulated) {
    std::string problem =
        gpu::runOnHost(compiled->stageOutput, arguments, {programs[0], programs[1], programs[2]},
                       /*statistics=*/nullptr, getEmulatedWarpSize());
    return problem.empty() || fail(problem);
  }
  std::vector<RecordedArgument> recorded;
  if (getRecordingFolder()) {
    for (const KernelParameter &parameter : compiled->info.parameters) {
      if (!parameter.isPassedToImage())
        continue;
      RecordedArgument argument{parameter.name, parameter.isPointer, parameter.element, 0, "", ""};
      if (parameter.isPointer)
        argument.before = buffers[parameter.name]->bytes();
      else
        argument.bits = encode(parameter.element, scalars[parameter.name]);
      recorded.push_back(std::move(argument));
    }
  }
  if (Error error = runOnCPU(compiled->images.front().bytes, compiled->info, arguments, programs))
    return fail(toString(std::move(error)));
  if (getRecordingFolder()) {
    for (RecordedArgument &argument : recorded)
      if (argument.isPointer)
        argument.after = buffers[argument.name]->bytes();
    std::string problem = recordLaunch(request, recorded, programs);
    return problem.empty() || fail(problem);
  }
  return true;
}

std::vector<double> randomValues(size_t count, unsigned seed, ScalarKind kind) {
  std::vector<double> values(count);
  uint64_t state = seed * 0x9E3779B97F4A7C15ull + 1;
  for (double &value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = roundTo(kind, static_cast<double>(static_cast<int32_t>(state >> 32)) / 2147483648.0);
  }
  return values;
}

double largestError(const std::vector<double> &got, const std::vector<double> &want) {
  if (got.size() != want.size())
    return HUGE_VAL;
  double largest = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i]))
      continue;
    if (got[i] == want[i])
      continue;
    if (!std::isfinite(got[i]) || !std::isfinite(want[i]))
      return HUGE_VAL;
    largest = std::max(largest, std::fabs(got[i] - want[i]) / std::max(1.0, std::fabs(want[i])));
  }
  return largest;
}

void covers(const std::string &names) { testing::Test::RecordProperty("covers", names); }

std::vector<double> compute(const std::string &file, const std::string &kernel, const std::string &signature,
                            const std::vector<Input> &inputs, size_t count, const std::string &grid) {
  KernelRun run(file, kernel, signature, grid);
  for (const Input &input : inputs)
    run.array(input.name, input.values);
  run.array("out_ptr", std::vector<double>(count));
  if (run.run())
    return run.result("out_ptr");
  ADD_FAILURE() << run.messages();
  return {};
}

void expectSame(const std::vector<double> &got, const std::vector<double> &want) {
  if (testing::Test::HasFailure())
    return;
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (!(std::isnan(got[i]) && std::isnan(want[i])))
      ASSERT_TRUE(got[i] == want[i] && std::signbit(got[i]) == std::signbit(want[i]))
          << "element " << i << " is " << got[i] << ", not " << want[i];
}

void expectClose(const std::vector<double> &got, const std::vector<double> &want, double tolerance) {
  if (testing::Test::HasFailure())
    return;
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(largestError({got[i]}, {want[i]}), tolerance)
        << "element " << i << " is " << got[i] << ", not " << want[i];
}

void expectRefused(const std::string &file, const std::string &kernel, const std::string &signature,
                   const std::string &text) {
  KernelRun run(file, kernel, signature, "1");
  run.array("out_ptr", std::vector<double>(16));
  EXPECT_FALSE(run.run());
  EXPECT_NE(run.messages().find(text), std::string::npos) << run.messages();
}

std::vector<double> counting(size_t count, double start, double step) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = start + static_cast<double>(i) * step;
  return values;
}

ScalarKind kindOf(const std::string &name) { return *parseScalarKind(name); }

} // namespace nereid::test
