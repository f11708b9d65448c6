// Kernels, threads, shuffles and arithmetic for AMD. Masked memory accesses are branches, the general form
// that TargetLowering gives them: the hardware turns such a branch into a change of the execution mask.
#include "compiler/lowering/amd/AMDLowering.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid::amd {

using gpu::MathFunction;

AMDLowering::AMDLowering(const Target &target)
    : TargetLowering(target), isRDNA(!StringRef(target.arch).starts_with("gfx9")) {}

void AMDLowering::makeKernel(Function &function, unsigned numThreads) const {
  function.setCallingConv(CallingConv::AMDGPU_KERNEL);
  std::string threads = std::to_string(numThreads);
  function.addFnAttr("amdgpu-flat-work-group-size", threads + "," + threads);
  // Every block of a launch is whole, so its size need not be looked up.
  function.addFnAttr("uniform-work-group-size", "true");
}

Value *AMDLowering::threadId(Builder &b) const {
  return b.CreateIntrinsic(Intrinsic::amdgcn_workitem_id_x, {});
}

Value *AMDLowering::programId(Builder &b, unsigned axis) const {
  static constexpr Intrinsic::ID ids[] = {Intrinsic::amdgcn_workgroup_id_x, Intrinsic::amdgcn_workgroup_id_y,
                                          Intrinsic::amdgcn_workgroup_id_z};
  return b.CreateIntrinsic(ids[axis], {});
}

/// The hidden arguments of a kernel begin with the number of blocks along each axis, as three i32 (code
/// object version 5 and later).
Value *AMDLowering::numPrograms(Builder &b, unsigned axis) const {
  Value *hidden = b.CreateIntrinsic(Intrinsic::amdgcn_implicitarg_ptr, {});
  Value *address = b.CreateConstInBoundsGEP1_32(b.getInt32Ty(), hidden, axis);
  LoadInst *load = b.CreateAlignedLoad(b.getInt32Ty(), address, Align(4));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return load;
}

StringRef AMDLowering::getSyncScopeName(gpu::AtomicScope scope) const {
  static constexpr StringLiteral names[] = {"workgroup", "agent", ""};
  return names[static_cast<unsigned>(scope)];
}

/// Memory of kernels is the device's own, where the hardware's floating-point atomics work; otherwise LLVM
/// writes a loop.
void AMDLowering::describeAtomic(AtomicRMWInst &inst) const {
  MDNode *yes = MDNode::get(inst.getContext(), {});
  inst.setMetadata("amdgpu.no.fine.grained.memory", yes);
  inst.setMetadata("amdgpu.no.remote.memory", yes);
}

void AMDLowering::barrier(Builder &b) const {
  SyncScope::ID workgroup = b.getContext().getOrInsertSyncScopeID("workgroup");
  b.CreateFence(AtomicOrdering::Release, workgroup);
  b.CreateIntrinsic(Intrinsic::amdgcn_s_barrier, {});
  b.CreateFence(AtomicOrdering::Acquire, workgroup);
}

/// Data-parallel primitives read another lane's register within the instruction that uses it, but know only
/// some patterns: any order within four lanes, and on RDNA any XOR within a row of 16. ds_swizzle knows every
/// XOR within 32 lanes; ds_bpermute, which goes through the memory of the block like ds_swizzle but with an
/// address a lane, knows all.
Value *AMDLowering::shuffleXorI32(Builder &b, Value *value, unsigned mask) const {
  auto dataParallel = [&](unsigned control) {
    return b.CreateIntrinsic(Intrinsic::amdgcn_update_dpp, {b.getInt32Ty()},
                             {PoisonValue::get(b.getInt32Ty()), value, b.getInt32(control), b.getInt32(0xF),
                              b.getInt32(0xF), b.getTrue()});
  };
  if (mask < 4) {
    // quad_perm: two bits for each of the four lanes name the lane it reads.
    unsigned control = 0;
    for (unsigned lane = 0; lane < 4; ++lane)
      control |= (lane ^ mask) << (2 * lane);
    return dataParallel(control);
  }
  constexpr unsigned rowXorMask = 0x160;
  if (mask < 16 && isRDNA)
    return dataParallel(rowXorMask | mask);
  if (mask < 32) {
    // In its bit-mask mode: ((lane & and) | or) ^ xor, five bits each.
    constexpr unsigned keepAll = 0x1F;
    return b.CreateIntrinsic(Intrinsic::amdgcn_ds_swizzle, {value, b.getInt32(mask << 10 | keepAll)});
  }
  Value *lane = b.CreateAnd(threadId(b), b.getInt32(getWarpSize() - 1));
  return shuffleIndexI32(b, value, b.CreateXor(lane, b.getInt32(mask)));
}

Value *AMDLowering::shuffleIndexI32(Builder &b, Value *value, Value *lane) const {
  return b.CreateIntrinsic(Intrinsic::amdgcn_ds_bpermute, {b.CreateShl(lane, 2), value});
}

Value *AMDLowering::math(Builder &b, MathFunction function, ArrayRef<Value *> arguments) const {
  Value *x = arguments[0];
  Type *type = x->getType();
  if (type->isFloatTy()) {
    switch (function) {
    case MathFunction::Exp:
      return b.CreateIntrinsic(Intrinsic::amdgcn_exp2, {type},
                               {b.CreateFMul(x, ConstantFP::get(type, 1.4426950408889634))});
    case MathFunction::Exp2:
      return b.CreateIntrinsic(Intrinsic::amdgcn_exp2, {type}, {x});
    case MathFunction::Sqrt:
      return b.CreateIntrinsic(Intrinsic::amdgcn_sqrt, {type}, {x});
    case MathFunction::Rsqrt:
      return b.CreateIntrinsic(Intrinsic::amdgcn_rsq, {type}, {x});
    default:
      break;
    }
  }
  if (function == MathFunction::Sqrt || function == MathFunction::PreciseSqrt)
    return b.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
  return callLibrary(b, "__ocml_" + getMathName(function) + (type->isFloatTy() ? "_f32" : "_f64"), type,
                     arguments);
}

Value *AMDLowering::divide(Builder &b, Value *a, Value *divisor) const {
  Value *quotient = b.CreateFDiv(a, divisor);
  // Allowed 2.5 units in the last place, LLVM takes the reciprocal instead of the long exact sequence.
  if (auto *inst = dyn_cast<Instruction>(quotient); inst && a->getType()->isFloatTy())
    inst->setMetadata(LLVMContext::MD_fpmath, MDBuilder(b.getContext()).createFPMath(2.5f));
  return quotient;
}

/// Through the device library's own printf: a message is begun, the format and then each argument (widened to
/// 64 bits) are appended to it, and the last piece sends it to the host.
void AMDLowering::print(Builder &b, StringRef format, ArrayRef<Value *> arguments) const {
  Module *module = b.GetInsertBlock()->getModule();
  Type *i64 = b.getInt64Ty(), *i32 = b.getInt32Ty();
  // The lanes of a wave send their messages together: convergent.
  AttributeList attributes;
  attributes = attributes.addFnAttribute(b.getContext(), Attribute::Convergent);
  FunctionCallee begin = module->getOrInsertFunction("__ockl_printf_begin", attributes, i64, i64);
  FunctionCallee appendText = module->getOrInsertFunction("__ockl_printf_append_string_n", attributes, i64,
                                                          i64, b.getPtrTy(), i64, i32);
  FunctionCallee appendArguments = module->getOrInsertFunction(
      "__ockl_printf_append_args", attributes, i64, i64, i32, i64, i64, i64, i64, i64, i64, i64, i32);
  // Constants live in address space 4 and are read through a generic pointer.
  Value *text = b.CreateGlobalString(format, "format", /*AddressSpace=*/4, module);
  text = b.CreateAddrSpaceCast(text, b.getPtrTy());
  Value *message = b.CreateCall(begin, {b.getInt64(0)});
  message =
      b.CreateCall(appendText, {message, text, b.getInt64(format.size() + 1), b.getInt32(arguments.empty())});
  for (auto [i, argument] : enumerate(arguments)) {
    Value *bits = argument;
    if (bits->getType()->isPointerTy())
      bits = b.CreatePtrToInt(bits, i64);
    else if (bits->getType()->isDoubleTy())
      bits = b.CreateBitCast(bits, i64);
    else
      bits = b.CreateZExt(bits, i64);
    SmallVector<Value *> operands{message, b.getInt32(1), bits};
    operands.append(6, b.getInt64(0));
    operands.push_back(b.getInt32(i + 1 == arguments.size()));
    message = b.CreateCall(appendArguments, operands);
  }
}

/// "r", a register of the general kind, is one that all lanes share here, which an element of a tile can't be
/// in: it becomes "v".
std::string AMDLowering::getAsmConstraints(llvm::StringRef constraints) const {
  llvm::SmallVector<llvm::StringRef> each;
  constraints.split(each, ',');
  std::string result;
  for (llvm::StringRef constraint : each) {
    llvm::StringRef name = constraint.ltrim("=&*");
    result += (result.empty() ? "" : ",") + constraint.drop_back(name.size()).str();
    result += name == "r" ? "v" : name.str();
  }
  return result;
}

} // namespace nereid::amd
