// Where a model's data is and its kernels run: on the CPU, or on the first NVIDIA GPU.
//
// The driver is opened here just as the kernel library opens it, so that the example builds where there is no
// CUDA toolkit, and runs where there is no GPU. A failure of the driver throws a std::runtime_error.
#ifndef DEVICE_H
#define DEVICE_H

#include "kernels.h" // written by CMake: the libraries' functions, in the namespace `kernels`

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

class Device {
public:
  // "cpu" or "cuda".
  explicit Device(const std::string &kind);
  Device(const Device &) = delete;
  ~Device();

  bool isGPU() const { return driver != nullptr; }
  const std::string &name() const { return deviceName; }
  nrd::stream stream() const;

  void *allocate(size_t bytes); // aligned to 64 bytes and more
  void release(void *memory);
  void write(void *memory, const void *data, size_t bytes);
  void read(void *data, const void *memory, size_t bytes); // waits for the work that was started before
  void wait();

  // A sequence of launches. On a GPU it is recorded once, as a graph, and launched as a whole; on the CPU it
  // is called.
  class Recording {
  public:
    void play();

  private:
    friend class Device;
    Device *device = nullptr;
    void *graph = nullptr;
    std::function<void()> work;
  };
  // `work` must have run before, so that all kernels are loaded. `graph`: false calls it each time on a GPU,
  // too.
  Recording record(std::function<void()> work, bool graph);

private:
  void *symbol(const char *name);
  static void check(int result, const char *what);
  template <typename... Arguments> void call(const char *name, Arguments... arguments);

  std::string deviceName;
  void *driver = nullptr;     // null on the CPU
  void *cudaStream = nullptr; // CUstream
  int (*launchGraph)(void *, void *) = nullptr;
};

// An array in a device's memory.
template <typename T> class Array {
public:
  Array(Device &device, size_t count)
      : device(&device), memory(static_cast<T *>(device.allocate(count * sizeof(T)))), count(count) {}
  Array(Device &device, const std::vector<T> &values) : Array(device, values.size()) { write(values); }
  Array(Array &&other) noexcept : device(other.device), memory(other.memory), count(other.count) {
    other.memory = nullptr;
  }
  Array(const Array &) = delete;
  ~Array() {
    if (memory)
      device->release(memory);
  }

  T *data() const { return memory; }
  size_t size() const { return count; }
  void write(const std::vector<T> &values) {
    device->write(memory, values.data(), values.size() * sizeof(T));
  }
  std::vector<T> read(size_t first, size_t many) const {
    std::vector<T> values(many);
    device->read(values.data(), memory + first, many * sizeof(T));
    return values;
  }
  std::vector<T> read() const { return read(0, count); }

private:
  Device *device;
  T *memory;
  size_t count;
};

#endif
