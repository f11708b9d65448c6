// nereid run: compile a kernel for the CPU and run it here, on arrays from .npy files.
//
// Arrays are passed to the kernel in place, so an array that it writes holds the result afterwards; --out
// saves it.
#include "aot/CPURunner.h"
#include "aot/CacheOption.h"
#include "aot/Commands.h"
#include "aot/CompileKernels.h"
#include "aot/DebugOptions.h"
#include "aot/GuardedMemory.h"
#include "aot/LaunchOptions.h"
#include "aot/Npy.h"
#include "aot/NumberOption.h"
#include "aot/OutputFile.h"
#include "aot/SourceOptions.h"
#include "compiler/model/FloatFormat.h"
#include "compiler/model/InputFile.h"
#include "linker/GridExpression.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

#include <cstring>

using namespace llvm;

namespace nereid {

namespace {

struct RunOptions {
  std::string source;
  std::string kernel;
  std::string signature;
  std::string target = "cpu";
  std::string grid;
  std::vector<std::string> arguments;
  std::vector<std::string> outputs;
  LaunchOptions launch;
  std::optional<unsigned> config;
  DebugOptions debugging;
  std::string function;
  SourceOptions sourceOptions;
  uint64_t compileLimit = defaultCompileLimit;
};

/// The storage of one argument: an array, or up to eight bytes of a scalar. `pointer` is what the kernel is
/// passed.
struct Argument {
  StringRef text;
  NpyArray array;
  std::optional<GuardedMemory> memory;
  void *pointer = nullptr;
  uint64_t bits = 0;
};

class Runner {
public:
  Runner(const RunOptions &options, Diagnostics &diagnostics) : options(options), diagnostics(diagnostics) {}

  bool run() {
    StringRef targetText = diagnostics.addSource("<target>", options.target);
    std::optional<Target> target = chooseTarget(targetText);
    if (!target || !splitPairs(options.arguments, "--arg", given) ||
        !splitPairs(options.outputs, "--out", outputs))
      return false;

    auto definitions = applySourceOptions(options.sourceOptions, diagnostics);
    if (!definitions)
      return false;
    KernelJob job;
    job.definitions = std::move(*definitions);
    job.sourcePath = options.source;
    if (!options.function.empty())
      job.function = diagnostics.addSource("<function>", options.function);
    job.kernel = diagnostics.addSource("<kernel>", options.kernel);
    job.signature = diagnostics.addSource("<signature>", options.signature);
    job.grid = diagnostics.addSource("<grid>", options.grid);
    job.targets = {*target};
    options.launch.apply(job);
    job.config = options.config;
    setRanges(job, diagnostics);
    job.importPaths = options.sourceOptions.importPaths;
    if (!options.debugging.apply(job, diagnostics))
      return false;
    job.compileLimit = options.compileLimit;
    std::optional<std::vector<CompiledKernel>> kernels = compileKernels(job, {}, diagnostics);
    if (!kernels)
      return false;
    const TargetCode &code = kernels->front().objects.front().targets.front();
    std::optional<GridExpression> expression = GridExpression::parse(*job.grid, diagnostics);
    if (!expression || !bindArguments(code.info, expression->getArguments()) ||
        !checkOutputs(kernels->front().filesRead.getPaths()))
      return false;
    std::optional<std::array<uint32_t, 3>> grid = evaluateGrid(*expression, *job.grid, code.info);
    if (!grid)
      return false;
    if (Error error = runOnCPU(code.images.front().bytes, code.info, passed, *grid)) {
      handleAllErrors(
          std::move(error),
          [&](const AssertionFailure &failure) {
            if (failure.line && sys::fs::exists(failure.path))
              diagnostics.addFile(failure.path);
            if (failure.line)
              diagnostics.report(SourceMgr::DK_Error, failure.path, failure.line, failure.column,
                                 failure.message());
            else
              diagnostics.error(failure.message());
          },
          [&](const ErrorInfoBase &other) {
            diagnostics.error("cannot run '" + options.kernel + "': " + other.message());
          });
      return false;
    }
    return saveOutputs();
  }

private:
  std::optional<Target> chooseTarget(StringRef text) {
    if (text.trim() == "cpu")
      return getHostCPUTarget();
    Expected<Target> target = Target::parse(text);
    if (!target) {
      diagnostics.error(rangeOf(text), toString(target.takeError()));
      return std::nullopt;
    }
    if (!canHostRun(*target)) {
      diagnostics.error(rangeOf(text), "this machine cannot run " + target->str() +
                                           " code: expected cpu, or a level of x86-64 up to " +
                                           getHostCPUTarget().str());
      return std::nullopt;
    }
    return *target;
  }

  /// Reads NAME=VALUE pairs.
  bool splitPairs(ArrayRef<std::string> texts, StringRef option, MapVector<StringRef, StringRef> &pairs) {
    for (const std::string &original : texts) {
      StringRef text = diagnostics.addSource(("<" + option + ">").str(), original);
      auto [name, value] = text.split('=');
      if (name.empty() || value.empty()) {
        diagnostics.error(rangeOf(text), "expected NAME=VALUE after " + option);
        return false;
      }
      if (!pairs.insert({name, value}).second) {
        diagnostics.error(rangeOf(name), "'" + name + "' is given twice");
        return false;
      }
    }
    return true;
  }

  /// `ofGrid`: numbers that the grid needs beside the kernel's parameters.
  bool bindArguments(const KernelInfo &info, ArrayRef<std::string> ofGrid) {
    for (const KernelParameter &parameter : info.parameters) {
      if (parameter.constant)
        continue;
      auto it = given.find(parameter.name);
      if (it == given.end()) {
        diagnostics.error("no value for parameter '" + Twine(parameter.name) + "': add --arg " +
                          parameter.name + (parameter.isPointer ? "=@FILE.npy" : "=VALUE"));
        return false;
      }
      Argument &argument = bound[parameter.name];
      argument.text = it->second;
      if (!(parameter.isPointer ? bindArray(parameter, argument) : bindScalar(parameter, argument)))
        return false;
      if (parameter.isPassedToImage())
        passed.push_back(parameter.isPointer ? static_cast<void *>(&argument.pointer) : &argument.bits);
    }
    for (const std::string &name : ofGrid) {
      auto it = given.find(name);
      if (it == given.end()) {
        diagnostics.error("no value for '" + name + "', which the grid needs: add --arg " + name + "=VALUE");
        return false;
      }
      if (it->second.getAsInteger(0, integers[name])) {
        diagnostics.error(rangeOf(it->second), "'" + name + "' is a number of the grid: expected an integer");
        return false;
      }
    }
    for (const auto &[name, value] : given) {
      if (!bound.count(name) && !is_contained(ofGrid, name)) {
        diagnostics.error(rangeOf(name), "'" + options.kernel + "' has no run-time parameter '" + name + "'");
        return false;
      }
    }
    for (auto &[name, path] : outputs) {
      path.consume_front("@"); // As --arg has it.
      auto it = bound.find(name);
      if (it == bound.end() || !it->second.pointer) {
        diagnostics.error(rangeOf(name),
                          "'" + name + "' is not an array parameter of '" + options.kernel + "'");
        return false;
      }
    }
    return true;
  }

  bool bindArray(const KernelParameter &parameter, Argument &argument) {
    StringRef path = argument.text;
    if (!path.consume_front("@")) {
      diagnostics.error(rangeOf(argument.text),
                        "parameter '" + Twine(parameter.name) + "' is a pointer: expected @FILE.npy");
      return false;
    }
    Expected<std::unique_ptr<MemoryBuffer>> file = readInputFile(path);
    if (!file) {
      diagnostics.error(rangeOf(argument.text), toString(file.takeError()));
      return false;
    }
    Expected<NpyArray> array = parseNpy((*file)->getBuffer(), path);
    if (!array) {
      diagnostics.error(rangeOf(argument.text), toString(array.takeError()));
      return false;
    }
    if (!holds(array->dtype, parameter.element)) {
      diagnostics.error(rangeOf(argument.text), "parameter '" + Twine(parameter.name) + "' points to " +
                                                    getScalarName(parameter.element) +
                                                    ", and the array holds '" + array->dtype + "'");
      return false;
    }
    argument.array = std::move(*array);
    // An access past the end is a fault, not a wrong result.
    argument.memory.emplace(argument.array.bytes.size());
    argument.pointer = argument.memory->data();
    memcpy(argument.pointer, argument.array.bytes.data(), argument.array.bytes.size());
    return true;
  }

  /// Whether elements of that NumPy type have the bits of `kind`. NumPy has no bf16 and no fp8: raw bytes and
  /// unsigned integers of the same size stand for those.
  static bool holds(StringRef dtype, ScalarKind kind) {
    unsigned size = 0;
    dtype.drop_front().getAsInteger(10, size);
    if (size != getScalarBytes(kind))
      return false;
    char letter = dtype[0];
    if (isInteger(kind))
      return letter == 'i' || letter == 'u' || letter == 'b';
    if (kind == ScalarKind::FP16 || kind == ScalarKind::FP32 || kind == ScalarKind::FP64)
      return letter == 'f';
    return letter == 'V' || letter == 'u' || letter == 'i';
  }

  bool bindScalar(const KernelParameter &parameter, Argument &argument) {
    StringRef text = argument.text;
    auto fail = [&](const Twine &message) {
      diagnostics.error(rangeOf(argument.text), "parameter '" + Twine(parameter.name) + "' is " +
                                                    getScalarName(parameter.element) + ": " + message);
      return false;
    };
    if (isInteger(parameter.element)) {
      text = text == "True" ? "1" : text == "False" ? "0" : text;
      APInt magnitude;
      bool negative = text.consume_front("-");
      if (text.empty() || text.getAsInteger(0, magnitude))
        return fail("expected an integer");
      unsigned bits = getScalarBits(parameter.element);
      APSInt value(magnitude.zext(magnitude.getBitWidth() + 1), /*isUnsigned=*/false);
      if (negative)
        value = -value;
      bool fits = isUnsigned(parameter.element) ? !value.isNegative() && value.isIntN(bits)
                                                : value.isSignedIntN(bits);
      if (!fits)
        return fail("the value does not fit");
      argument.bits = value.extOrTrunc(64).getZExtValue();
      integers[parameter.name] = value.extOrTrunc(64).getSExtValue();
      if (parameter.equalsOne && value != 1)
        return fail("the signature says that it equals 1");
      if (parameter.values) {
        APSInt least(APInt(66, parameter.values->least, /*isSigned=*/true), /*isUnsigned=*/false),
            most(APInt(66, parameter.values->most, /*isSigned=*/true), /*isUnsigned=*/false);
        if (APSInt::compareValues(value, least) < 0 || APSInt::compareValues(value, most) > 0)
          return fail("the signature says that it is between " + std::to_string(parameter.values->least) +
                      " and " + std::to_string(parameter.values->most));
      }
      if (argument.bits % parameter.divisibleBy != 0)
        return fail("the signature says that it is divisible by " + std::to_string(parameter.divisibleBy));
      return true;
    }
    APFloat value(*getFloatFormat(parameter.element));
    auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!status) {
      consumeError(status.takeError());
      return fail("expected a number");
    }
    argument.bits = value.bitcastToAPInt().getZExtValue();
    return true;
  }

  std::optional<std::array<uint32_t, 3>> evaluateGrid(const GridExpression &expression, StringRef text,
                                                      const KernelInfo &info) {
    for (const KernelParameter &parameter : info.parameters) {
      if (!parameter.constant)
        continue;
      if (const auto *value = std::get_if<int64_t>(&*parameter.constant))
        integers[parameter.name] = *value;
      else if (const auto *flag = std::get_if<bool>(&*parameter.constant))
        integers[parameter.name] = *flag;
    }
    Expected<std::array<int64_t, 3>> values = expression.evaluate(integers);
    if (!values) {
      diagnostics.error(rangeOf(text), toString(values.takeError()));
      return std::nullopt;
    }
    std::array<uint32_t, 3> grid;
    uint64_t total = 1;
    for (unsigned i = 0; i < 3; ++i) {
      int64_t value = (*values)[i];
      if (value < 0 || value > INT32_MAX) {
        diagnostics.error(rangeOf(text), "dimension " + Twine(i) + " of the grid is " + Twine(value) +
                                             ": expected 0 to 2147483647");
        return std::nullopt;
      }
      grid[i] = static_cast<uint32_t>(value);
      bool overflow = false;
      total = SaturatingMultiply<uint64_t>(total, grid[i], &overflow);
      if (overflow) {
        diagnostics.error(rangeOf(text), "the grid has more than 2^64 programs");
        return std::nullopt;
      }
    }
    return grid;
  }

  /// An array may be saved in the file that it came from, but not over what something else came from, nor
  /// where another one goes.
  bool checkOutputs(ArrayRef<std::string> dependencies) {
    StringMap<StringRef> saved;
    for (auto &output : outputs) {
      auto [it, isNew] = saved.insert({output.second, output.first});
      if (!isNew && (!sys::fs::exists(output.second) || sys::fs::is_regular_file(output.second))) {
        diagnostics.error(rangeOf(output.second),
                          "'" + it->second + "' is saved in '" + output.second + "' already");
        return false;
      }
      std::vector<std::string> inputs(dependencies.begin(), dependencies.end());
      for (auto &[name, value] : given)
        if (name != output.first && value.starts_with("@"))
          inputs.push_back(value.drop_front().str());
      if (!checkIsNoInput(output.second, inputs, diagnostics))
        return false;
    }
    return true;
  }

  bool saveOutputs() {
    OutputSet files;
    for (const auto &[name, path] : outputs) {
      Argument &argument = bound[name];
      memcpy(argument.array.bytes.data(), argument.pointer, argument.array.bytes.size());
      if (!isDone(files.add(path, printNpy(argument.array)), diagnostics))
        return false;
    }
    return isDone(files.commit(), diagnostics);
  }

  const RunOptions &options;
  Diagnostics &diagnostics;
  MapVector<StringRef, StringRef> given;
  MapVector<StringRef, StringRef> outputs;
  StringMap<Argument> bound;
  std::vector<void *> passed;
  std::map<std::string, int64_t> integers;
};

} // namespace

void addRunCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<RunOptions>();
  auto *command =
      app.add_subcommand("run", "Compile a kernel for the CPU and run it on arrays from .npy files");
  command->add_option("SRC", options->source, "The kernel's file: .py, .tc, .ttir, .ttgir or .mlir")
      ->required();
  command->add_option("-k,--kernel", options->kernel, "The kernel's name in it")->required();
  command->add_option("--function", options->function, "The C function's name, checked as by compile");
  command->add_option("-s,--signature", options->signature, "Types and compile-time values, as for compile");
  command->add_option("-t,--target", options->target, "cpu, or a level of it")->capture_default_str();
  command->add_option("-g,--grid", options->grid, "How many programs to run: 'cdiv(n, BLOCK)'")->required();
  command->add_option("--arg", options->arguments, "NAME=@FILE.npy for an array, NAME=VALUE for a scalar")
      ->allow_extra_args(false);
  command->add_option("--out", options->outputs, "NAME=FILE.npy: save an array afterwards")
      ->allow_extra_args(false);
  command
      ->add_option("--config", options->config,
                   "Complete the signature with this configuration of @triton.autotune, counted from 0")
      ->check(isCount());
  options->launch.addTo(*command);
  addSourceOptions(*command, options->sourceOptions);
  addCacheOption(*command);
  options->debugging.addTo(*command);
  command
      ->add_option("--compile-limit", options->compileLimit,
                   "How many steps the kernel's own Python may take while it is compiled")
      ->check(isCount(1, UINT64_MAX))
      ->capture_default_str();
  command->callback([&action, options] {
    action = [options] {
      Diagnostics diagnostics;
      bool ok = Runner(*options, diagnostics).run();
      diagnostics.flush(errs());
      return ok ? 0 : 1;
    };
  });
}

} // namespace nereid
