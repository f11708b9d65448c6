// A group is a vector whose bits are taken for an integer, which LLVM makes moves of halves of. See
// PackedRegisters.h.
#include "compiler/lowering/gpu/PackedRegisters.h"

namespace nereid::gpu {

uint32_t getInGroup(uint32_t group, uint32_t i, llvm::ArrayRef<unsigned> bits) {
  llvm::SmallVector<unsigned, 2> ascending(bits);
  llvm::sort(ascending);
  for (unsigned bit : ascending)
    group = (group >> bit << (bit + 1)) | (group & ((1u << bit) - 1));
  for (auto [position, bit] : llvm::enumerate(bits))
    group |= (i >> position & 1) << bit;
  return group;
}

Registers packRegisters(Emitter &e, const Registers &registers, llvm::ArrayRef<unsigned> bits) {
  unsigned count = 1u << bits.size();
  llvm::Type *element = registers[0]->getType();
  llvm::Type *packed = e.b.getIntNTy(element->getPrimitiveSizeInBits() * count);
  Registers results;
  for (unsigned group = 0; group < registers.size() / count; ++group) {
    llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, count));
    for (unsigned i = 0; i < count; ++i)
      vector = e.b.CreateInsertElement(vector, registers[getInGroup(group, i, bits)], i);
    results.push_back(e.b.CreateBitCast(vector, packed));
  }
  return results;
}

Registers unpackRegisters(Emitter &e, const Registers &registers, llvm::ArrayRef<unsigned> bits,
                          llvm::Type *element) {
  unsigned count = 1u << bits.size();
  Registers results(registers.size() * count);
  for (auto [group, packed] : llvm::enumerate(registers)) {
    llvm::Value *vector = e.b.CreateBitCast(packed, llvm::FixedVectorType::get(element, count));
    for (unsigned i = 0; i < count; ++i)
      results[getInGroup(group, i, bits)] = e.b.CreateExtractElement(vector, i);
  }
  return results;
}

} // namespace nereid::gpu
