// Kernel objects to test with, as a compiler would make them but for the code.
#ifndef NEREID_TESTS_UNIT_LINKER_SAMPLES_H
#define NEREID_TESTS_UNIT_LINKER_SAMPLES_H

#include "linker/KernelObject.h"

#include "llvm/Support/raw_ostream.h"

namespace nereid {

inline KernelParameter makePointer(const char *name, bool divisible = false, bool readOnly = false) {
  KernelParameter parameter;
  parameter.name = name;
  parameter.isPointer = true;
  parameter.element = ScalarKind::FP32;
  parameter.divisibleBy = divisible ? 16 : 1;
  parameter.readOnly = readOnly;
  return parameter;
}

inline KernelParameter makeInteger(const char *name, bool divisible = false, bool one = false) {
  KernelParameter parameter;
  parameter.name = name;
  parameter.divisibleBy = divisible ? 16 : 1;
  parameter.equalsOne = one;
  return parameter;
}

inline KernelParameter makeConstant(const char *name, ConstantValue value) {
  KernelParameter parameter;
  parameter.name = name;
  parameter.constant = std::move(value);
  return parameter;
}

/// `add(x, n, BLOCK)` under the signature `*fp32…, i32…, 64` for the targets, with short texts as images.
inline KernelObject makeObject(std::vector<KernelParameter> parameters, const char *signature,
                               std::vector<const char *> targets, const char *grid = "cdiv(n, BLOCK)") {
  KernelObject object;
  object.path = std::string(signature) + ".nko";
  object.sourcePath = "kernels/add.py";
  object.signature = signature;
  object.grid = grid;
  object.hash = "0123abcd";
  for (const char *name : targets) {
    TargetCode code;
    code.target = llvm::cantFail(Target::parse(name));
    code.info.name = "add";
    code.info.symbol = "add";
    code.info.parameters = parameters;
    code.info.warpSize = code.target.warpSize;
    code.info.sharedBytes = code.target.isGPU() ? 4096 : 0;
    code.info.scratchBytes = code.target.isGPU() ? 0 : 512;
    code.info.programsWait = !code.target.isGPU();
    if (code.target.isGPU())
      code.info.resources = KernelResources{255, 1234, 5678};
    if (code.target.backend == Backend::CUDA) {
      code.images.push_back({ImageFormat::Cubin, std::string("cubin\0of", 8) + name});
      code.images.push_back({ImageFormat::PTX, std::string("// ptx of ") + name});
    } else {
      code.images.push_back(
          {code.target.isGPU() ? ImageFormat::HSACO : ImageFormat::Object, std::string("\x7f"
                                                                                       "ELF of ") +
                                                                               name});
    }
    object.targets.push_back(std::move(code));
  }
  return object;
}

inline std::vector<KernelParameter> plainParameters() {
  return {makePointer("x", false, true), makeInteger("n"), makeConstant("BLOCK", int64_t(64))};
}

inline std::string flush(Diagnostics &diagnostics) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.flush(os);
  return text;
}

} // namespace nereid

#endif // NEREID_TESTS_UNIT_LINKER_SAMPLES_H
