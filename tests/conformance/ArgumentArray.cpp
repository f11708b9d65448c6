// The guard page costs a mapping an array; that is nothing beside compiling the kernel.
#include "tests/conformance/ArgumentArray.h"

#include <algorithm>
#include <cstring>

namespace nereid::test {

static constexpr size_t marginBytes = 4096;
static constexpr char marginByte = '\xC3';

uint64_t getPoison(ScalarKind kind, unsigned which) {
  switch (kind) {
  case ScalarKind::Int1:
    return which ? 0x5A : 0xA5;
  case ScalarKind::Int8:
    return which ? 0x91 : 0xA8;
  case ScalarKind::Int16:
    return which ? 0x9116 : 0xA516;
  case ScalarKind::Int32:
    return which ? 0x91C2B532 : 0xA5B4C332;
  case ScalarKind::Int64:
    return which ? 0x91C2B3D4E5F60764 : 0xA5B4C3D2E1F00F64;
  case ScalarKind::UInt8:
    return which ? 0x6E : 0xB8;
  case ScalarKind::UInt16:
    return which ? 0x6E16 : 0xB516;
  case ScalarKind::UInt32:
    return which ? 0x6EC2B332 : 0xB5A4C332;
  case ScalarKind::UInt64:
    return which ? 0x6EC2B3D4E5F60764 : 0xB5A4C3D2E1F00F64;
  case ScalarKind::FP8E4NV:
    return which ? 0xFF : 0x7F;
  // These two have one NaN, and fp8e4b15 has none.
  case ScalarKind::FP8E4B8:
  case ScalarKind::FP8E5B16:
    return which ? 0x5A : 0x80;
  case ScalarKind::FP8E4B15:
    return which ? 0x5A : 0xA5;
  case ScalarKind::FP8E5:
    return which ? 0xFE : 0x7E;
  case ScalarKind::FP16:
    return which ? 0xFE21 : 0x7E5A;
  case ScalarKind::BF16:
    return which ? 0xFFD3 : 0x7FDA;
  case ScalarKind::FP32:
    return which ? 0xFFC0BEEF : 0x7FC0DEAD;
  case ScalarKind::FP64:
    return which ? 0xFFF8BEEFBEEFBEEF : 0x7FF8DEADDEADDEAD;
  }
  return 0;
}

ArgumentArray::ArgumentArray(ScalarKind kind, const std::vector<uint64_t> &elements)
    : kind(kind), count(elements.size()), elementSize(getScalarBytes(kind)),
      // Signatures that promise 16-byte alignment are only used with sizes that keep it.
      memory(marginBytes + count * elementSize, elementSize), begin(memory.data() + marginBytes) {
  memset(memory.data(), marginByte, marginBytes);
  for (size_t i = 0; i < count; ++i)
    memcpy(begin + i * elementSize, &elements[i], elementSize);
}

std::vector<uint64_t> ArgumentArray::read() const {
  std::vector<uint64_t> elements(count);
  for (size_t i = 0; i < count; ++i)
    memcpy(&elements[i], begin + i * elementSize, elementSize);
  return elements;
}

bool ArgumentArray::isMarginIntact() const {
  return std::all_of(begin - marginBytes, begin, [](char byte) { return byte == marginByte; });
}

} // namespace nereid::test
