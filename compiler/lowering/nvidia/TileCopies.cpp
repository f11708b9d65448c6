// Tensor maps and the barriers of their copies, in PTX (ISA, "Asynchronous copy: cp.async.bulk.tensor" and
// "Parallel Synchronization: mbarrier").
//
// One thread of the block, or of a partition, acts: the one that its first warp elects. ptxas knows
// elect.sync, and so that what is done under its predicate is done once: the copy's instruction takes uniform
// registers, and under a comparison of thread numbers there would be a loop around it.
#include "compiler/lowering/nvidia/NVIDIALowering.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace nereid::nvidia {

/// A convergent step that changes memory or waits for what does.
static void callSynchronizing(IRBuilder<> &b, StringRef text, StringRef constraints,
                              ArrayRef<Value *> operands) {
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  std::string all = constraints.str() + (constraints.empty() ? "~{memory}" : ",~{memory}");
  auto *assembly = InlineAsm::get(FunctionType::get(b.getVoidTy(), types, false), text, all,
                                  /*hasSideEffects=*/true);
  CallInst *call = b.CreateCall(assembly, operands);
  call->setConvergent();
  call->setDoesNotThrow();
}

/// True in one lane of each warp. An election always has the same winner, so one is enough for all that is
/// done in a basic block.
static Value *electLane(IRBuilder<> &b) {
  BasicBlock &block = *b.GetInsertBlock();
  for (Instruction &earlier : reverse(make_range(block.begin(), b.GetInsertPoint())))
    if (auto *elected = dyn_cast<ExtractValueInst>(&earlier))
      if (auto *election = dyn_cast<IntrinsicInst>(elected->getAggregateOperand());
          election && election->getIntrinsicID() == Intrinsic::nvvm_elect_sync)
        return elected;
  return b.CreateExtractValue(b.CreateIntrinsic(Intrinsic::nvvm_elect_sync, {b.getInt32(-1)}), 1);
}

/// True in the one thread of the team that acts, where `predicate` (null: always) holds.
static Value *electThread(IRBuilder<> &b, Value *thread, Value *predicate) {
  constexpr unsigned warpSize = 32;
  Value *elected = electLane(b), *acts = nullptr;
  for (User *user : elected->users())
    if (auto *both = dyn_cast<BinaryOperator>(user); both && both->getParent() == b.GetInsertBlock() &&
                                                     both->getOpcode() == Instruction::And &&
                                                     isa<ICmpInst>(both->getOperand(1)))
      acts = both;
  if (!acts)
    acts = b.CreateAnd(elected, b.CreateICmpULT(thread, b.getInt32(warpSize)));
  return predicate ? b.CreateAnd(acts, predicate) : acts;
}

void NVIDIALowering::describeTensorMap(Function &kernel, unsigned index) const {
  constexpr unsigned mapBytes = 128, mapAlignment = 64;
  LLVMContext &context = kernel.getContext();
  Type *map = ArrayType::get(Type::getInt8Ty(context), mapBytes);
  kernel.addParamAttr(index, Attribute::getWithByValType(context, map));
  kernel.addParamAttr(index, Attribute::getWithAlignment(context, Align(mapAlignment)));
  kernel.addParamAttr(index, Attribute::get(context, "nvvm.grid_constant"));
}

void NVIDIALowering::beginTileBarrier(Builder &b, Value *thread, Value *barrier, unsigned count) const {
  Value *acts = electThread(b, thread, nullptr);
  callSynchronizing(b, "@$1 mbarrier.init.shared::cta.b64 [$0], " + std::to_string(count) + ";", "r,b",
                    {barrier, acts});
  // The units that copy see it too.
  callSynchronizing(b, "fence.mbarrier_init.release.cluster;", "", {});
}

void NVIDIALowering::endTileBarrier(Builder &b, Value *thread, Value *barrier) const {
  Value *acts = electThread(b, thread, nullptr);
  callSynchronizing(b, "@$1 mbarrier.inval.shared::cta.b64 [$0];", "r,b", {barrier, acts});
}

void NVIDIALowering::arriveAtTileBarrier(Builder &b, Value *thread, Value *barrier, unsigned count,
                                         Value *predicate) const {
  Value *acts = nullptr;
  if (thread) {
    acts = electThread(b, thread, predicate);
  } else {
    // What the lanes have done before is done for the one that arrives.
    b.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {b.getInt32(-1)});
    acts = electLane(b);
    if (predicate)
      acts = b.CreateAnd(predicate, acts);
  }
  callSynchronizing(b, "@$1 mbarrier.arrive.shared::cta.b64 _, [$0], " + std::to_string(count) + ";", "r,b",
                    {barrier, acts});
}

void NVIDIALowering::expectTileBytes(Builder &b, Value *thread, Value *barrier, unsigned bytes,
                                     Value *predicate) const {
  Value *acts = electThread(b, thread, predicate);
  callSynchronizing(b,
                    "@$1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], " + std::to_string(bytes) + ";",
                    "r,b", {barrier, acts});
}

void NVIDIALowering::waitForTiles(Builder &b, Value *barrier, Value *phase) const {
  // Names within braces are the braces' own, so that the text may be there several times.
  callSynchronizing(b,
                    "{\n\t.reg .pred done;\nagain:\n\t"
                    "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n\t"
                    "@!done bra.uni again;\n\t}",
                    "r,r", {barrier, phase});
}

/// Adds the coordinates to an instruction's operands, and returns how its text names them.
static std::string addCoordinates(ArrayRef<Value *> coordinates, SmallVectorImpl<Value *> &operands,
                                  std::string &constraints) {
  std::string list;
  for (Value *coordinate : coordinates) {
    list += (list.empty() ? "$" : ", $") + std::to_string(operands.size());
    constraints += ",r";
    operands.push_back(coordinate);
  }
  return list;
}

void NVIDIALowering::copyTile(Builder &b, Value *thread, Value *shared, Value *map,
                              ArrayRef<Value *> coordinates, Value *barrier, Value *predicate) const {
  SmallVector<Value *> operands{shared, map, barrier, electThread(b, thread, predicate)};
  std::string constraints = "r,l,r,b", list = addCoordinates(coordinates, operands, constraints);
  callSynchronizing(b,
                    "@$3 cp.async.bulk.tensor." + std::to_string(coordinates.size()) +
                        "d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {" + list +
                        "}], [$2];",
                    constraints, operands);
}

void NVIDIALowering::storeTile(Builder &b, Value *thread, Value *shared, Value *map,
                               ArrayRef<Value *> coordinates) const {
  SmallVector<Value *> operands{shared, map, electThread(b, thread, nullptr)};
  std::string constraints = "r,l,b", list = addCoordinates(coordinates, operands, constraints);
  callSynchronizing(b,
                    "@$2 cp.async.bulk.tensor." + std::to_string(coordinates.size()) +
                        "d.global.shared::cta.bulk_group [$1, {" + list + "}], [$0];",
                    constraints, operands);
  // All threads do, of which the others make groups of nothing.
  callSynchronizing(b, "cp.async.bulk.commit_group;", "", {});
}

void NVIDIALowering::waitForStoredTiles(Builder &b, unsigned pending, bool untilWritten) const {
  callSynchronizing(b,
                    (untilWritten ? "cp.async.bulk.wait_group " : "cp.async.bulk.wait_group.read ") +
                        std::to_string(pending) + ";",
                    "", {});
}

bool NVIDIALowering::canMakeTensorMaps() const {
  return computeCapability >= 90 && target.hasInstructionsOfItsOwn();
}

void NVIDIALowering::makeTensorMap(Builder &b, Value *shared, Value *map,
                                   const TensorMapFields &fields) const {
  constexpr unsigned warpSize = 32, wordBytes = 4;
  // From PTX ISA 8.5 on, strides are in bytes.
  requirePTX(b, 85);
  Value *thread = threadId(b);
  Value *isFirstWarp = b.CreateICmpULT(thread, b.getInt32(warpSize));
  Value *word = b.CreatePtrAdd(shared, b.CreateMul(thread, b.getInt32(wordBytes)));
  callSynchronizing(b, "@$1 st.shared.b32 [$0], 0;\n\tbar.warp.sync -1;", "r,b", {word, isFirstWarp});

  SmallVector<Value *> operands{shared, electThread(b, thread, nullptr)};
  std::string text, constraints = "r,b";
  raw_string_ostream stream(text);
  auto begin = [&](StringRef field) -> raw_ostream & {
    return stream << (text.empty() ? "" : "\n\t") << "@$1 tensormap.replace.tile." << field
                  << ".shared::cta.b1024.";
  };
  auto addOperand = [&](Value *value, StringRef constraint) {
    constraints += "," + constraint.str();
    operands.push_back(value);
    return operands.size() - 1;
  };
  auto addAxes = [&](StringRef field, ArrayRef<Value *> values, StringRef type, StringRef constraint) {
    for (auto [axis, value] : enumerate(values))
      begin(field) << type << " [$0], " << axis << ", $" << addOperand(value, constraint) << ";";
  };
  begin("global_address") << "b64 [$0], $" << addOperand(fields.address, "l") << ";";
  begin("rank") << "b32 [$0], " << fields.sizes.size() - 1 << ";";
  addAxes("box_dim", fields.box, "b32", "r");
  addAxes("global_dim", fields.sizes, "b32", "r");
  addAxes("global_stride", fields.strides, "b64", "l");
  addAxes("element_stride", fields.steps, "b32", "r");
  begin("elemtype") << "b32 [$0], " << fields.elementType << ";";
  begin("interleave_layout") << "b32 [$0], " << fields.interleaveLayout << ";";
  begin("swizzle_mode") << "b32 [$0], " << fields.swizzleMode << ";";
  begin("fill_mode") << "b32 [$0], " << fields.fillMode << ";";
  callSynchronizing(b, text, constraints, operands);

  callSynchronizing(
      b,
      "bar.warp.sync -1;\n\t"
      "@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[$0], [$1], 128;",
      "l,r,b", {map, shared, isFirstWarp});
}

void NVIDIALowering::acquireTensorMap(Builder &b, Value *map) const {
  // The fence is a command to the unit that copies. Triton's code, too, waits for the commands so far behind
  // it, for which ptxas would not see a reason.
  callSynchronizing(b,
                    "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;\n\t"
                    "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;",
                    "l", {map});
}

} // namespace nereid::nvidia
