// What is known about a compiled kernel besides its code: what a caller must pass, and what a launch must
// reserve.
//
// The frontend fills in the parameters, the lowering the resources, the target the symbol; the packaging side
// turns the whole into a kernel object's metadata. One example: `add_kernel(x_ptr, n, BLOCK: tl.constexpr)`
// for the signature `*fp32:16, i32:1, 1024` has three parameters, of which one (x_ptr) is passed to the image
// at run time; the C function has two arguments, x_ptr and n, because a caller's n must be compared with 1 to
// choose this variant.
#ifndef NEREID_COMPILER_MODEL_KERNELINFO_H
#define NEREID_COMPILER_MODEL_KERNELINFO_H

#include "compiler/model/FormUse.h"
#include "compiler/model/Specialization.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid {

/// One parameter of the kernel, in the order of its definition.
struct KernelParameter {
  std::string name;
  /// A compile-time value that callers do not see (a constexpr parameter, a constant of the signature).
  std::optional<ConstantValue> constant;
  bool isPointer = false;
  ScalarKind element = ScalarKind::Int32;
  /// Promises that this variant was compiled under; dispatch checks them.
  unsigned divisibleBy = 1; // see Divisor.h
  bool equalsOne = false;
  std::optional<IntegerRange> values;
  /// The kernel never writes through this pointer, so the C argument is const.
  bool readOnly = false;

  /// True where the image's entry point takes this parameter.
  bool isPassedToImage() const { return !constant && !equalsOne; }
};

/// What a thread of a GPU takes of its multiprocessor, as the assembler counted.
struct KernelResources {
  /// Of 32 bits; on AMD GPUs of a lane of the vector unit.
  unsigned registers = 0;
  /// Bytes of a thread that did not fit its registers: stored to memory and loaded again.
  uint64_t spilledBytes = 0;
  /// All memory of its own that a thread has, with what was spilled.
  uint64_t localBytes = 0;
  /// Memory of a block that is part of the code, beside what the launch gives it.
  uint64_t staticSharedBytes = 0;
  /// AMD only: registers that a whole wave shares, and of `registers` those that matrix instructions add up
  /// in.
  unsigned scalarRegisters = 0, accumulators = 0;
};

/// A description of a tensor in memory that the launch makes (CUDA: CUtensorMap) and passes by value, behind
/// the parameters. Through it the kernel copies boxes of elements between the tensor and shared memory.
struct TensorMap {
  /// The hardware knows one to five axes, and boxes of up to 256 elements along each.
  static constexpr unsigned mostAxes = 5, mostBoxElements = 256;

  /// The pointer parameter that holds the address of the first element.
  std::string base;
  /// Grid expressions over the parameters (linker/GridExpression.h): the sizes of the axes, outermost first,
  /// then, for all axes but the last, how many elements from one index to the next.
  std::string extents;
  unsigned elementBytes = 0;
  /// Outermost axis first.
  std::vector<unsigned> box;
  /// The length in bytes of the rows of a box in shared memory, within which pieces of 16 bytes are permuted;
  /// 0 if they are not.
  unsigned swizzleBytes = 0;

  size_t countExtents() const { return 2 * box.size() - 1; }
};

/// The entry point of a GPU image takes the passed parameters by value, in order, then tensor maps, then the
/// address of scratch memory. That of a CPU object is
///
///     void symbol(void *const *arguments, const uint32_t grid[3], uint64_t first, uint64_t last,
///                 void *scratch, KernelFailure *failure);
///
/// where arguments[i] points to the i-th passed parameter, programs are numbered x fastest, then y, then z,
/// those in [first, last) are run, scratch is private to the calling thread, scratchBytes large, aligned to
/// 64, and failure (KernelFailure.h) is shared by all threads of a call.
struct KernelInfo {
  /// The kernel's name in the source.
  std::string name;
  /// The symbol of the entry point in the image.
  std::string symbol;
  std::vector<KernelParameter> parameters;
  unsigned numWarps = 4;
  unsigned numStages = 3;
  unsigned warpSize = 1;
  /// GPUs only: warps that a block has beside those, for what they hand to others, or because all of them
  /// share a program that those alone have too few registers for (driver/MoreWarps.h).
  unsigned numWorkerWarps = 0;
  /// GPUs only: the bound on a thread's registers that was asked for.
  std::optional<unsigned> maxRegisters;
  /// Shared memory that a block needs, in bytes; passed as dynamic shared memory at launch.
  unsigned sharedBytes = 0;
  /// CUDA only: what the entry point takes behind the parameters.
  std::vector<TensorMap> tensorMaps;
  /// GPU only: nothing where there is no machine code, only PTX.
  std::optional<KernelResources> resources;
  /// GPU only: all programs of a grid have to run at a time, because they may wait for one another.
  bool isCooperative = false;
  /// CUDA only: the kernel waits for the launch before it by itself (griddepcontrol.wait), so that it may
  /// begin before that has ended.
  bool overlapsWithLast = false;
  /// CUDA only: blocks that run one program together.
  unsigned numCTAs = 1;
  /// Memory that the launch provides. CPU: for each thread running programs. GPU: for each program of the
  /// grid, in one piece of global memory, aligned to globalScratchAlignment; where it is not 0, the entry
  /// point takes its address behind the tensor maps, and programs are numbered x fastest.
  uint64_t scratchBytes = 0;
  static constexpr unsigned globalScratchAlignment = 128;
  /// CPU only: the largest stack frame of a function of the kernel; nothing where it is not known.
  std::optional<uint64_t> frameBytes;
  /// The programs that made the image, by name, with their versions: `llvm`, `22.1.7`.
  std::vector<std::pair<std::string, std::string>> tools;
  /// GPU only: programs of a grid may be of very different lengths, as what they load tells them. Known of
  /// code in two forms (FormUse::FewPrograms).
  bool hasUnevenPrograms = false;
  /// Of a form for small grids (FormUse::SmallGrids): of how many programs of a multiprocessor, at most.
  unsigned mostPrograms = 0;
  /// CPU only: a program may wait for what a later one does, so that each needs a thread of its own if it
  /// comes to that.
  bool programsWait = false;

  /// Of a block.
  unsigned countWarps() const { return numWarps + numWorkerWarps; }
  unsigned countThreads() const { return countWarps() * warpSize; }
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_KERNELINFO_H
