// The declarations that stand in for a toolkit's header are in templates/triton_cuda.h.in and
// triton_hip.h.in.
#include "linker/TritonAPI.h"

#include "linker/Template.h"

using namespace llvm;

namespace nereid {

const TritonAPI &getTritonAPI(Backend backend) {
  static const TritonAPI cuda = {"cuda",
                                 "CUresult",
                                 "CUstream",
                                 "CUmodule",
                                 "CUfunction",
                                 "CUdeviceptr",
                                 "CUDA_SUCCESS",
                                 "CUDA_ERROR_INVALID_VALUE",
                                 "cuModuleLoadData",
                                 "cuModuleUnload",
                                 "cuModuleGetFunction",
                                 "cuLaunchKernel",
                                 ".c",
                                 "cubin",
                                 16};
  static const TritonAPI hip = {"hip",
                                "hipError_t",
                                "hipStream_t",
                                "hipModule_t",
                                "hipFunction_t",
                                "hipDeviceptr_t",
                                "hipSuccess",
                                "hipErrorInvalidValue",
                                "hipModuleLoadData",
                                "hipModuleUnload",
                                "hipModuleGetFunction",
                                "hipModuleLaunchKernel",
                                ".cpp",
                                "hsaco",
                                4096};
  return backend == Backend::HIP ? hip : cuda;
}

std::string declareTritonAPI(const TritonAPI &api) {
  return fillTemplate("triton_" + std::string(api.backend) + ".h", {});
}

std::map<std::string, std::string> getTemplateValues(const TritonAPI &api) {
  return {{"api", declareTritonAPI(api)},
          {"backend", api.backend},
          {"Result", api.result},
          {"Stream", api.stream},
          {"Module", api.module},
          {"Function", api.function},
          {"Success", api.success},
          {"loadModule", api.loadModule},
          {"unloadModule", api.unloadModule},
          {"getFunction", api.getFunction},
          {"launch", api.launch},
          // hipError_t may not be dropped without a word.
          {"discard", "(void)"},
          {"image", api.image},
          {"alignment", std::to_string(api.alignment)}};
}

} // namespace nereid
