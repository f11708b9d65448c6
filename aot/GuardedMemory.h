// Memory that ends where a page without access begins, so that whoever runs past its end is stopped there
// instead of changing something else.
#ifndef NEREID_AOT_GUARDEDMEMORY_H
#define NEREID_AOT_GUARDEDMEMORY_H

#include <cstddef>

namespace nereid {

class GuardedMemory {
public:
  /// `size` bytes of zeros at an address divisible by `alignment`, a power of two up to 4096. Where the size
  /// is not a multiple of it, the bytes up to the next one can be accessed too. Throws std::bad_alloc.
  explicit GuardedMemory(size_t size, size_t alignment = 16);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory &&other) noexcept;
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  char *data() const { return begin; }

private:
  char *begin = nullptr;
  char *mapping = nullptr;
  size_t mappedSize = 0;
};

} // namespace nereid

#endif // NEREID_AOT_GUARDEDMEMORY_H
