// The CPU's memory and the CUDA driver behind one class: see Device.h.
#include "Device.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>

[[noreturn]] static void stop(const std::string &what, const std::string &why) {
  throw std::runtime_error(what + ": " + why);
}

void Device::check(int result, const char *what) {
  if (result)
    stop(what, "CUDA error " + std::to_string(result));
}

void *Device::symbol(const char *name) {
  void *address = dlsym(driver, name);
  if (!address)
    stop("libcuda.so.1 is too old, it lacks", name);
  return address;
}

template <typename... Arguments> void Device::call(const char *name, Arguments... arguments) {
  check(reinterpret_cast<int (*)(Arguments...)>(symbol(name))(arguments...), name);
}

Device::Device(const std::string &kind) {
  if (kind == "cpu") {
    deviceName = "the CPU";
    return;
  }
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver)
    stop("no NVIDIA driver", dlerror());
  int gpu;
  char text[256];
  void *context;
  call("cuInit", 0u);
  call("cuDeviceGet", &gpu, 0);
  call("cuDeviceGetName", text, int(sizeof text), gpu);
  call("cuDevicePrimaryCtxRetain", &context, gpu);
  call("cuCtxSetCurrent", context);
  call("cuStreamCreate", &cudaStream, 1u); // it does not wait for the null stream
  launchGraph = reinterpret_cast<int (*)(void *, void *)>(symbol("cuGraphLaunch"));
  deviceName = text;
}

Device::~Device() {
  if (isGPU()) // the context may have failed, and destructors do not throw
    reinterpret_cast<int (*)(void *)>(dlsym(driver, "cuStreamDestroy_v2"))(cudaStream);
}

nrd::stream Device::stream() const { return isGPU() ? nrd::stream::cuda(cudaStream) : nrd::stream::cpu(); }

void *Device::allocate(size_t bytes) {
  if (isGPU()) {
    uint64_t address;
    call("cuMemAlloc_v2", &address, bytes + 64);
    return reinterpret_cast<void *>(uintptr_t(address));
  }
  void *memory = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!memory)
    stop("malloc", "out of memory");
  return memory;
}

void Device::release(void *memory) {
  if (isGPU())
    reinterpret_cast<int (*)(uint64_t)>(dlsym(driver, "cuMemFree_v2"))(reinterpret_cast<uintptr_t>(memory));
  else
    std::free(memory);
}

void Device::write(void *memory, const void *data, size_t bytes) {
  if (!isGPU()) {
    std::memcpy(memory, data, bytes);
  } else if (bytes) {
    wait();
    call("cuMemcpyHtoD_v2", uint64_t(reinterpret_cast<uintptr_t>(memory)), data, bytes);
    // A copy may return before it has arrived, and our stream does not wait for the null stream, which
    // copies.
    call("cuStreamSynchronize", static_cast<void *>(nullptr));
  }
}

void Device::read(void *data, const void *memory, size_t bytes) {
  if (!isGPU()) {
    std::memcpy(data, memory, bytes);
  } else if (bytes) {
    wait();
    call("cuMemcpyDtoH_v2", data, uint64_t(reinterpret_cast<uintptr_t>(memory)), bytes);
  }
}

void Device::wait() {
  if (isGPU())
    call("cuStreamSynchronize", cudaStream);
}

Device::Recording Device::record(std::function<void()> work, bool graph) {
  Recording recording;
  recording.device = this;
  if (isGPU() && graph) {
    void *recorded;
    call("cuStreamBeginCapture_v2", cudaStream, 1); // other threads' work is none of ours
    work();
    call("cuStreamEndCapture", cudaStream, &recorded);
    call("cuGraphInstantiateWithFlags", &recording.graph, recorded, 0ull);
    call("cuGraphDestroy", recorded);
  }
  recording.work = std::move(work);
  return recording;
}

void Device::Recording::play() {
  if (graph)
    device->check(device->launchGraph(graph, device->cudaStream), "cuGraphLaunch");
  else
    work();
}
