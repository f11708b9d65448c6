// Threads meet once between two ordered accesses, and not behind those whose old value nobody uses.
//
// RUN: split-file %s %t
// RUN: nereid-lower %t/last.mlir cuda:90a | FileCheck %t/last.mlir
// RUN: nereid-lower %t/read.mlir cuda:90a | FileCheck %t/read.mlir
// RUN: nereid-lower %t/unseen.mlir cuda:90a | FileCheck %t/unseen.mlir
// RUN: nereid-lower %t/rounds.mlir cuda:90a | FileCheck %t/rounds.mlir
// RUN: nereid-lower %t/written.mlir cuda:90a | FileCheck %t/written.mlir
// RUN: nereid-lower %t/halves.mlir cuda:90a | FileCheck %t/halves.mlir

//--- last.mlir

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @counted
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // CHECK-NOT: barrier
  // CHECK: {{(atom|red).global.*add.f32}}
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // CHECK-NOT: barrier
  // CHECK: {{(atom|red).global.*add.(u|s)32}}
  // CHECK-NOT: barrier
  // CHECK: ret void
  tt.func public @counted(%x: !tt.ptr<f32>, %count: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %range : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %ones = arith.constant dense<1.0> : tensor<128xf32, #b>
    %all = arith.constant dense<true> : tensor<128xi1, #b>
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %xp, %ones, %all : (tensor<128x!tt.ptr<f32>, #b>, tensor<128xf32, #b>, tensor<128xi1, #b>) -> tensor<128xf32, #b>
    %1 = tt.atomic_rmw add, acq_rel, gpu, %count, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }
}

//--- read.mlir

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16 : i32} {
  // What is read behind an access that tells what it came behind is read when the others may have written it.
  // CHECK-LABEL: define {{.*}} @read
  // CHECK: atom.global.acq_rel.gpu.add.{{u|s}}32
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // CHECK: load i32
  tt.func public @read(%count: !tt.ptr<i32>, %flag: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %0 = tt.atomic_rmw add, acq_rel, gpu, %count, %one, %true {allocation.offset = 0 : i32} : (!tt.ptr<i32>, i32, i1) -> i32
    %1 = tt.load %flag : !tt.ptr<i32>
    %2 = arith.addi %0, %1 : i32
    tt.store %out, %2 : !tt.ptr<i32>
    tt.return
  }
}

//--- unseen.mlir

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16 : i32} {
  // One that tells nothing is waited for by nobody, but leaves the cache empty, which takes the thread alone that
  // accesses memory.
  // CHECK-LABEL: define {{.*}} @unseen
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // CHECK: [[FIRST:%.*]] = and i1
  // CHECK: br i1 [[FIRST]], label %[[FENCE:[a-z]*]], label
  // CHECK: [[FENCE]]:
  // CHECK-NEXT: fence syncscope("device") release
  // CHECK: red.global.relaxed.gpu.add.{{u|s}}32
  // CHECK-NOT: {{fence|barrier}}
  // CHECK: load i32
  tt.func public @unseen(%count: !tt.ptr<i32>, %flag: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %0 = tt.atomic_rmw add, acq_rel, gpu, %count, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %1 = tt.load %flag : !tt.ptr<i32>
    tt.store %out, %1 : !tt.ptr<i32>
    tt.return
  }
}

//--- rounds.mlir

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16 : i32} {
  // In a loop, what the next round reads is read behind it, what stands in front of the loop is not.
  // CHECK-LABEL: define {{.*}} @rounds
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // CHECK: fence syncscope("device") release
  // CHECK: red.global.relaxed.gpu.add.{{u|s}}32
  // CHECK-NOT: {{fence syncscope|call void @llvm.nvvm.barrier}}
  // CHECK: attributes
  tt.func public @rounds(%count: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %true = arith.constant true
    scf.for %i = %zero to %n step %one : i32 {
      %1 = tt.load %out : !tt.ptr<i32>
      %0 = tt.atomic_rmw add, acq_rel, gpu, %count, %1, %true : (!tt.ptr<i32>, i32, i1) -> i32
    }
    tt.return
  }
}

//--- written.mlir

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16 : i32} {
  // CHECK-LABEL: define {{.*}} @written
  // CHECK-NOT: fence syncscope
  // CHECK: red.global.release.gpu.add.{{u|s}}32
  // CHECK-NOT: {{fence syncscope|call void @llvm.nvvm.barrier}}
  // CHECK: attributes
  tt.func public @written(%count: !tt.ptr<i32>, %flag: !tt.ptr<i32>, %out: !tt.ptr<i32>, %c: i1) {
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %1 = tt.load %flag : !tt.ptr<i32>
    scf.if %c {
      %0 = tt.atomic_rmw add, acq_rel, gpu, %count, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
    }
    tt.store %out, %1 : !tt.ptr<i32>
    tt.return
  }
}

//--- halves.mlir

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16 : i32} {
  // The maximum of floats is one of two accesses. Nobody else has accessed memory between them, so that threads meet once.
  // CHECK-LABEL: define {{.*}} @halves
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // CHECK-NOT: call void @llvm.nvvm.barrier
  // CHECK: red.global.relaxed.gpu.max.s32
  // CHECK-NOT: call void @llvm.nvvm.barrier
  // CHECK: red.global.relaxed.gpu.min.u32
  // What the others write behind that is to be seen with what the next one writes.
  // CHECK: st.global.b32
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // CHECK: red.global.release.gpu.add.{{u|s}}32
  // CHECK: ret void
  tt.func public @halves(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %flag: !tt.ptr<i32>, %count: !tt.ptr<i32>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %v = tt.load %x : !tt.ptr<f32>
    %bits = tt.bitcast %v : f32 -> i32
    %p = tt.bitcast %out : !tt.ptr<f32> -> !tt.ptr<i32>
    %isNegative = arith.cmpi slt, %bits, %zero : i32
    %isNot = arith.cmpi sge, %bits, %zero : i32
    %0 = tt.atomic_rmw max, acq_rel, gpu, %p, %bits, %isNot : (!tt.ptr<i32>, i32, i1) -> i32
    %1 = tt.atomic_rmw umin, acq_rel, gpu, %p, %bits, %isNegative : (!tt.ptr<i32>, i32, i1) -> i32
    %2 = tt.load %flag : !tt.ptr<i32>
    tt.store %flag, %2 : !tt.ptr<i32>
    %3 = tt.atomic_rmw add, acq_rel, gpu, %count, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }
}
