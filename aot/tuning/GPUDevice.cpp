// CUDA's and HIP's drivers have the same functions under other names, as far as they are needed here.
#include "aot/tuning/TuningDevice.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DynamicLibrary.h"

#include <vector>

using namespace llvm;

namespace nereid {

namespace {

/// What both have, as one of the two calls it.
struct DriverNames {
  const char *library, *prefix;
  const char *retainContext, *setContext, *allocate, *free, *copyIn, *copyOut, *fill, *createStream, *getName,
      *synchronize;
  /// The device's attribute that is the size of its second cache; 0 where a third one counts.
  int cacheAttribute;
  size_t leastColdBytes;
  int32_t streamBackend;
};

constexpr DriverNames cuda = {"libcuda.so.1",
                              "cu",
                              "cuDevicePrimaryCtxRetain",
                              "cuCtxSetCurrent",
                              "cuMemAlloc_v2",
                              "cuMemFree_v2",
                              "cuMemcpyHtoD_v2",
                              "cuMemcpyDtoH_v2",
                              "cuMemsetD8Async",
                              "cuStreamCreate",
                              "cuDeviceGetName",
                              "cuCtxSynchronize",
                              /*CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE=*/38,
                              64 << 20,
                              1};
constexpr DriverNames hip = {"libamdhip64.so",
                             "hip",
                             "hipDevicePrimaryCtxRetain",
                             "hipCtxSetCurrent",
                             "hipMalloc",
                             "hipFree",
                             "hipMemcpyHtoD",
                             "hipMemcpyDtoH",
                             "hipMemsetD8Async",
                             "hipStreamCreateWithFlags",
                             "hipDeviceGetName",
                             "hipDeviceSynchronize",
                             0,
                             512 << 20,
                             2};

class GPUDevice : public TuningDevice {
public:
  explicit GPUDevice(const DriverNames &names) : names(names) {}

  ~GPUDevice() override {
    if (coldMemory)
      release(coldMemory);
  }

  Error open(unsigned number) {
    std::string problem;
    library = sys::DynamicLibrary::getPermanentLibrary(names.library, &problem);
    if (!library.isValid())
      return createStringError("the driver cannot be opened: " + problem);
    int device = 0, version = 0;
    void *context = nullptr;
    char text[256] = "";
    if (Error error = call("Init", 0U))
      return error;
    if (Error error = call("DeviceGet", &device, static_cast<int>(number)))
      return createStringError("there is no GPU " + Twine(number) + ": " + toString(std::move(error)));
    if (Error error =
            joinErrors(callFull(names.retainContext, &context, device), callFull(names.setContext, context)))
      return error;
    if (Error error = joinErrors(callFull(names.getName, text, static_cast<int>(sizeof text), device),
                                 call("DriverGetVersion", &version)))
      return error;
    name = text;
    driver = std::to_string(version);
    if (Error error = callFull(names.createStream, &stream.handle, /*non-blocking*/ 1U))
      return error;
    stream.backend = names.streamBackend;
    for (void **event : {&before, &after})
      if (Error error = call("EventCreate" + std::string(isCUDA() ? "" : "WithFlags"), event, 0U))
        return error;
    int cacheBytes = 0;
    if (names.cacheAttribute)
      if (Error error = call("DeviceGetAttribute", &cacheBytes, names.cacheAttribute, device))
        return error;
    coldBytes = std::max(2 * static_cast<size_t>(std::max(cacheBytes, 0)), names.leastColdBytes);
    Expected<void *> memory = allocate(coldBytes);
    if (!memory)
      return memory.takeError();
    coldMemory = *memory;
    return Error::success();
  }

  Expected<void *> allocate(size_t bytes) override {
    void *memory = nullptr;
    if (Error error = callFull(names.allocate, &memory, std::max<size_t>(bytes, 1)))
      return createStringError("no memory for a tensor of " + Twine(bytes) +
                               " bytes: " + toString(std::move(error)));
    return memory;
  }
  void release(void *memory) override { consumeError(callFull(names.free, memory)); }
  Error copyIn(void *memory, StringRef bytes) override {
    if (bytes.empty())
      return Error::success();
    if (Error error = callFull(names.copyIn, memory, static_cast<const void *>(bytes.data()), bytes.size()))
      return error;
    // The last of it may still be under way, and launches on our stream do not wait for that.
    return callFull(names.synchronize);
  }
  Error copyOut(char *bytes, const void *memory, size_t count) override {
    return count ? callFull(names.copyOut, static_cast<void *>(bytes), memory, count) : Error::success();
  }
  Error wait() override { return call("StreamSynchronize", stream.handle); }

  Expected<double> time(function_ref<Error()> launch) override {
    Error error =
        callFull(names.fill, coldMemory, static_cast<unsigned char>(++filling), coldBytes, stream.handle);
    if (!error)
      error = call("EventRecord", before, stream.handle);
    if (!error)
      error = launch();
    if (!error)
      error = call("EventRecord", after, stream.handle);
    if (!error)
      error = call("EventSynchronize", after);
    float milliseconds = 0;
    if (!error)
      error = call("EventElapsedTime", &milliseconds, before, after);
    if (error)
      return std::move(error);
    return milliseconds * 1e6;
  }

private:
  bool isCUDA() const { return names.streamBackend == cuda.streamBackend; }

  template <typename... Arguments> Error call(const std::string &function, Arguments... arguments) {
    return callFull((names.prefix + function).c_str(), arguments...);
  }

  template <typename... Arguments> Error callFull(const char *function, Arguments... arguments) {
    void *address = library.getAddressOfSymbol(function);
    if (!address)
      return createStringError(Twine("the driver has no ") + function);
    int result = reinterpret_cast<int (*)(Arguments...)>(address)(arguments...);
    return result == 0 ? Error::success() : createStringError(Twine(function) + ": " + describe(result));
  }

  std::string describe(int result) {
    const char *words = nullptr;
    if (isCUDA()) {
      if (void *address = library.getAddressOfSymbol("cuGetErrorString"))
        reinterpret_cast<int (*)(int, const char **)>(address)(result, &words);
    } else if (void *address = library.getAddressOfSymbol("hipGetErrorString")) {
      words = reinterpret_cast<const char *(*)(int)>(address)(result);
    }
    return (words ? words : "error") + std::string(" (") + std::to_string(result) + ")";
  }

  const DriverNames &names;
  sys::DynamicLibrary library;
  void *before = nullptr, *after = nullptr, *coldMemory = nullptr;
  size_t coldBytes = 0;
  unsigned char filling = 0;
};

} // namespace

Expected<std::unique_ptr<TuningDevice>> openGPU(Backend backend, unsigned number) {
  auto device = std::make_unique<GPUDevice>(backend == Backend::CUDA ? cuda : hip);
  device->backend = backend;
  if (Error error = device->open(number))
    return std::move(error);
  return device;
}

} // namespace nereid
