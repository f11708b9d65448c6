// One mapping a piece: the data at the end of its pages, then one page that is never given any rights.
#include "aot/GuardedMemory.h"

#include "llvm/Support/MathExtras.h"

#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

GuardedMemory::GuardedMemory(size_t size, size_t alignment) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t used = alignTo(size, page);
  mappedSize = used + page;
  void *memory = mmap(nullptr, mappedSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  mapping = static_cast<char *>(memory);
  if (used != 0 && mprotect(mapping, used, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, mappedSize);
    throw std::bad_alloc();
  }
  begin = mapping + used - alignTo(size, alignment);
}

GuardedMemory::~GuardedMemory() {
  if (mapping)
    munmap(mapping, mappedSize);
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : begin(other.begin), mapping(other.mapping), mappedSize(other.mappedSize) {
  other.mapping = nullptr;
}

} // namespace nereid
