// Threads meet once between two ordered accesses, and not behind the kernel's last.
//
// RUN: split-file %s %t
// RUN: nereid-lower %t/last.mlir cuda:90a | FileCheck %t/last.mlir
// RUN: nereid-lower %t/read.mlir cuda:90a | FileCheck %t/read.mlir

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
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // What is read behind it is read when the others may have written it.
  // CHECK-LABEL: define {{.*}} @read
  // CHECK: {{(atom|red).global.*add.(u|s)32}}
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // CHECK: load i32
  tt.func public @read(%count: !tt.ptr<i32>, %flag: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %0 = tt.atomic_rmw add, acq_rel, gpu, %count, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %1 = tt.load %flag : !tt.ptr<i32>
    tt.store %out, %1 : !tt.ptr<i32>
    tt.return
  }
}
