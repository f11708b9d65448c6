// Kernels, threads, shuffles and arithmetic for NVIDIA. Memory accesses, which are inline assembly, are in
// PredicatedAccess.cpp.
//
// Functions of floats follow Triton's choices, so that a kernel gives the same numbers under either: the
// hardware's approximations for exp, exp2, sqrt and rsqrt, libdevice for all others.
#include "compiler/lowering/nvidia/NVIDIALowering.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid::nvidia {

using gpu::MathFunction;
using gpu::WarpReduction;

void requirePTX(gpu::TargetLowering::Builder &b, unsigned version) {
  Module &module = *b.GetInsertBlock()->getModule();
  auto *known = mdconst::extract_or_null<ConstantInt>(module.getModuleFlag(leastPTXVersionFlag));
  if (!known || known->getZExtValue() < version)
    module.setModuleFlag(Module::Max, leastPTXVersionFlag, version);
}

NVIDIALowering::NVIDIALowering(const Target &target)
    : TargetLowering(target), computeCapability(target.getComputeCapability()) {}

void NVIDIALowering::makeKernel(Function &function, unsigned numThreads) const {
  function.setCallingConv(CallingConv::PTX_Kernel);
  // Lets ptxas give each thread as many registers as that many threads leave it.
  function.addFnAttr("nvvm.reqntid", std::to_string(numThreads));
  // Without a word on occupancy ptxas aims at as many threads as fit, and puts loads that could be under way
  // together into the same registers, one after the other. One block is all that must fit: now it schedules
  // for latency. Large blocks are left alone: with so many registers only two of 16 warps fit a
  // multiprocessor, and a layer norm of 8192 columns then runs at 0.82 of the speed.
  if (numThreads < 512)
    function.addFnAttr("nvvm.minctasm", "1");
  if (clusterSize > 1)
    function.addFnAttr("nvvm.cluster_dim", std::to_string(clusterSize) + ",1,1");
}

Value *NVIDIALowering::threadId(Builder &b) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
}

Value *NVIDIALowering::programId(Builder &b, unsigned axis) const {
  // The launch's grid has a cluster for each program, side by side along the first axis.
  if (clusterSize > 1 && axis == 0)
    return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_clusterid_x, {});
  static constexpr Intrinsic::ID ids[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                          Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                          Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return b.CreateIntrinsic(ids[axis], {});
}

Value *NVIDIALowering::numPrograms(Builder &b, unsigned axis) const {
  if (clusterSize > 1 && axis == 0)
    return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_nclusterid_x, {});
  static constexpr Intrinsic::ID ids[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                          Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                          Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  return b.CreateIntrinsic(ids[axis], {});
}

StringRef NVIDIALowering::getSyncScopeName(gpu::AtomicScope scope) const {
  static constexpr StringLiteral names[] = {"block", "device", ""};
  return names[static_cast<unsigned>(scope)];
}

void NVIDIALowering::barrier(Builder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b.getInt32(0)});
}

/// In most places nothing is left of it: the instructions of a warp are issued in their order.
void NVIDIALowering::warpBarrier(Builder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {b.getInt32(-1)});
}

void NVIDIALowering::barrier(Builder &b, unsigned number, unsigned numThreads) const {
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_count,
                    {b.getInt32(number), b.getInt32(numThreads)});
}

/// Eight are as many as all devices with clusters can run; the launch asks for more.
unsigned NVIDIALowering::getMaxClusterSize() const { return computeCapability >= 90 ? 16 : 1; }

Value *NVIDIALowering::blockInCluster(Builder &b) const {
  Value *number = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, {});
  return number;
}

void NVIDIALowering::clusterBarrier(Builder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cluster_arrive_aligned, {});
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cluster_wait_aligned, {});
}

Value *NVIDIALowering::loadFromBlock(Builder &b, Type *type, Value *pointer, Value *block) const {
  const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
  Value *there = b.CreateIntrinsic(Intrinsic::nvvm_mapa_shared_cluster, {pointer, block});
  return b.CreateAlignedLoad(type, there, Align(layout.getTypeStoreSize(type).getFixedValue()));
}

void NVIDIALowering::setRegisters(Builder &b, unsigned count, bool more) const {
  b.CreateIntrinsic(more ? Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32
                         : Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32,
                    {b.getInt32(count)});
}

void NVIDIALowering::setMaxRegisters(Function &kernel, unsigned count) const {
  kernel.addFnAttr("nvvm.maxnreg", std::to_string(count));
}

Value *NVIDIALowering::shuffleXorI32(Builder &b, Value *value, unsigned mask) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_bfly_i32,
                           {b.getInt32(-1), value, b.getInt32(mask), b.getInt32(31)});
}

Value *NVIDIALowering::shuffleIndexI32(Builder &b, Value *value, Value *lane) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_idx_i32, {b.getInt32(-1), value, lane, b.getInt32(31)});
}

Value *NVIDIALowering::reduceWarp(Builder &b, Value *value, WarpReduction kind) const {
  if (value->getType()->isIntegerTy(1)) {
    auto vote = kind == WarpReduction::And ? Intrinsic::nvvm_vote_all_sync : Intrinsic::nvvm_vote_any_sync;
    return b.CreateIntrinsic(vote, {}, {b.getInt32(-1), value});
  }
  if (computeCapability < 80)
    return nullptr;
  static constexpr Intrinsic::ID ids[] = {Intrinsic::nvvm_redux_sync_add,  Intrinsic::nvvm_redux_sync_min,
                                          Intrinsic::nvvm_redux_sync_max,  Intrinsic::nvvm_redux_sync_umin,
                                          Intrinsic::nvvm_redux_sync_umax, Intrinsic::nvvm_redux_sync_and,
                                          Intrinsic::nvvm_redux_sync_or,   Intrinsic::nvvm_redux_sync_xor};
  return b.CreateIntrinsic(ids[static_cast<unsigned>(kind)], {value, b.getInt32(-1)});
}

Value *NVIDIALowering::isSameInAllLanes(Builder &b, Value *value) const {
  Value *found = b.CreateIntrinsic(Intrinsic::nvvm_match_all_sync_i64p, {}, {b.getInt32(-1), value});
  return b.CreateExtractValue(found, 1);
}

Value *NVIDIALowering::math(Builder &b, MathFunction function, ArrayRef<Value *> arguments) const {
  Value *x = arguments[0];
  Type *type = x->getType();
  if (type->isFloatTy()) {
    switch (function) {
    case MathFunction::Exp:
      return b.CreateIntrinsic(Intrinsic::nvvm_ex2_approx, {type},
                               {b.CreateFMul(x, ConstantFP::get(type, 1.4426950408889634))});
    // From here on subnormal numbers are zero, as with Triton. To keep them takes three more instructions and
    // a predicate each; most powers of two are the weights of a softmax, most roots those of a norm, which
    // has an epsilon added.
    case MathFunction::Exp2:
      return b.CreateIntrinsic(Intrinsic::nvvm_ex2_approx_ftz, {type}, {x});
    case MathFunction::Sqrt:
      return b.CreateIntrinsic(Intrinsic::nvvm_sqrt_approx_ftz_f, {x});
    case MathFunction::Rsqrt:
      return b.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_ftz_f, {x});
    case MathFunction::PreciseSqrt:
      return b.CreateIntrinsic(Intrinsic::nvvm_sqrt_rn_f, {x});
    default:
      break;
    }
  } else if (function == MathFunction::Sqrt || function == MathFunction::PreciseSqrt) {
    return b.CreateIntrinsic(Intrinsic::nvvm_sqrt_rn_d, {x});
  }
  return callLibrary(b, "__nv_" + getMathName(function) + (type->isFloatTy() ? "f" : ""), type, arguments);
}

Value *NVIDIALowering::clampMagnitude(Builder &b, Value *x, Value *bound) const {
  if (computeCapability < 86 || !x->getType()->isFloatTy())
    return nullptr;
  return b.CreateIntrinsic(Intrinsic::nvvm_fmin_xorsign_abs_f, {}, {x, bound});
}

Value *NVIDIALowering::divide(Builder &b, Value *a, Value *divisor) const {
  if (a->getType()->isFloatTy())
    return b.CreateIntrinsic(Intrinsic::nvvm_div_full, {a, divisor});
  return b.CreateFDiv(a, divisor);
}

Value *NVIDIALowering::truncatePairToBF16(Builder &b, Value *first, Value *second) const {
  if (computeCapability < 80)
    return TargetLowering::truncatePairToBF16(b, first, second);
  return b.CreateIntrinsic(Intrinsic::nvvm_ff2bf16x2_rn, {}, {second, first});
}

Value *NVIDIALowering::widenSmallFloatPair(Builder &b, Value *bytes, bool isE4M3) const {
  if (computeCapability < 89)
    return nullptr;
  auto id = isE4M3 ? Intrinsic::nvvm_e4m3x2_to_f16x2_rn : Intrinsic::nvvm_e5m2x2_to_f16x2_rn;
  return b.CreateIntrinsic(id, {}, {bytes});
}

Value *NVIDIALowering::narrowToSmallFloatPair(Builder &b, Value *first, Value *second, bool isE4M3) const {
  if (computeCapability < 89)
    return nullptr;
  auto id = isE4M3 ? Intrinsic::nvvm_ff_to_e4m3x2_rn : Intrinsic::nvvm_ff_to_e5m2x2_rn;
  return b.CreateIntrinsic(id, {}, {second, first});
}

/// An operation of two numbers of 16 bits, as assembly.
static Value *computeRounded(IRBuilder<> &b, const Twine &operation, Value *left, Value *right) {
  auto *type = FunctionType::get(left->getType(), {left->getType(), left->getType()}, /*isVarArg=*/false);
  auto *assembly = InlineAsm::get(type, (operation + " $0, $1, $2;").str(), "=h,h,h",
                                  /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(assembly, {left, right});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

/// As assembly, for LLVM makes one step of a product and a sum whatever their flags say.
Value *NVIDIALowering::computeInBF16(Builder &b, Instruction::BinaryOps opcode, Value *left,
                                     Value *right) const {
  if (computeCapability < 90)
    return nullptr;
  StringRef name = opcode == Instruction::FMul   ? "mul"
                   : opcode == Instruction::FAdd ? "add"
                   : opcode == Instruction::FSub ? "sub"
                                                 : "";
  return name.empty() ? nullptr : computeRounded(b, name + ".rn.bf16", left, right);
}

/// By one instruction of three words: ptxas makes two of both steps, each with a constant of its own.
Value *NVIDIALowering::keepAndTurnBits(Builder &b, Value *word, uint32_t kept, uint32_t turned) const {
  constexpr StringLiteral andThenXor = "0x6A";
  std::string text =
      ("lop3.b32 $0, $1, " + Twine(kept) + ", " + Twine(turned) + ", " + andThenXor + ";").str();
  auto *type = FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, /*isVarArg=*/false);
  return b.CreateCall(type, InlineAsm::get(type, text, "=r,r", /*hasSideEffects=*/false), {word});
}

Value *NVIDIALowering::addPair(Builder &b, Value *left, Value *right) const {
  Type *type = left->getType();
  if (!type->getScalarType()->isBFloatTy())
    return b.CreateFAdd(left, right);
  if (computeCapability < 80)
    return nullptr;
  // There is a sum of bf16 since 90, a multiplication with one since 80; both take the same time.
  return b.CreateIntrinsic(Intrinsic::fma, {type}, {left, ConstantFP::get(type, 1), right});
}

Value *NVIDIALowering::roundToTF32(Builder &b, Value *value) const {
  if (computeCapability < 80)
    return TargetLowering::roundToTF32(b, value);
  Value *bits = b.CreateIntrinsic(Intrinsic::nvvm_f2tf32_rna, {}, {value});
  return b.CreateBitCast(bits, value->getType());
}

/// cvt does. Without one for bf16, LLVM moves bits by itself.
bool NVIDIALowering::givesCanonicalNaN(Type *from, Type *to) const {
  return !to->isBFloatTy() || computeCapability >= 80;
}

bool NVIDIALowering::narrowsDoublesAtOnce(Type *to) const {
  return !to->isBFloatTy() || computeCapability >= 90;
}

/// By a product with one, as those of NaN are that one. Conversions of doubles keep bits of a NaN. As
/// assembly where LLVM has no word for it.
Value *NVIDIALowering::canonicalizeNaN(Builder &b, Value *value) const {
  Type *type = value->getType();
  if (type->isFloatTy())
    return b.CreateIntrinsic(Intrinsic::canonicalize, {type}, {value});
  if (type->isHalfTy())
    return computeRounded(b, "mul.rn.f16", value, ConstantFP::get(type, 1));
  return type->isBFloatTy() ? computeInBF16(b, Instruction::FMul, value, ConstantFP::get(type, 1)) : nullptr;
}

/// `__assertfail(message, file, line, function, bytes of a character)` of the CUDA runtime system prints what
/// C's assert does, with the block and the thread, and ends the kernel; the driver then gives
/// CUDA_ERROR_ASSERT.
void NVIDIALowering::failAssertion(Builder &b, const Assertion &assertion) const {
  Module *module = b.GetInsertBlock()->getModule();
  auto text = [&](StringRef value) {
    Value *global = b.CreateGlobalString(value, "assert", gpu::globalAddressSpace, module);
    return b.CreateAddrSpaceCast(global, b.getPtrTy());
  };
  FunctionCallee fail = module->getOrInsertFunction("__assertfail", b.getVoidTy(), b.getPtrTy(), b.getPtrTy(),
                                                    b.getInt32Ty(), b.getPtrTy(), b.getInt64Ty());
  b.CreateCall(fail, {text(assertion.message), text(assertion.path), b.getInt32(assertion.line),
                      text(assertion.function), b.getInt64(1)});
}

/// `vprintf(format, arguments)` of the CUDA runtime system, where arguments are laid out like a C struct.
void NVIDIALowering::print(Builder &b, StringRef format, ArrayRef<Value *> arguments) const {
  Module *module = b.GetInsertBlock()->getModule();
  Value *text = b.CreateGlobalString(format, "format", gpu::globalAddressSpace, module);
  text = b.CreateAddrSpaceCast(text, b.getPtrTy());
  Value *buffer = ConstantPointerNull::get(b.getPtrTy());
  if (!arguments.empty()) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    StructType *pack = StructType::get(b.getContext(), types);
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    Builder atEntry(&entry, entry.begin());
    buffer = atEntry.CreateAlloca(pack);
    for (auto [i, argument] : enumerate(arguments))
      b.CreateStore(argument, b.CreateStructGEP(pack, buffer, i));
  }
  FunctionCallee vprintf = module->getOrInsertFunction("vprintf", b.getInt32Ty(), b.getPtrTy(), b.getPtrTy());
  b.CreateCall(vprintf, {text, buffer});
}

} // namespace nereid::nvidia
