// Lanes share the work of a thread's many sums: with each half of the lanes half of the sums go on. Of 16 sums over 32
// lanes that is 8 + 4 + 2 + 1 shuffles, one for the sum that is left to each, and 16 that hand the results to all, in
// place of 80. Four sums over eight lanes would be handed out for what is saved.
// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: sed 's/threadsPerWarp = \[1, 32\]/threadsPerWarp = [4, 8]/' %s > %t.mlir
// RUN: nereid-lower %t.mlir cuda:90 | FileCheck %s --check-prefix=FEW
//
// Where warps meet in shared memory, each lane writes its sum, and nothing is handed out before that.
// RUN: sed 's/warpsPerCTA = \[1, 1\]/warpsPerCTA = [1, 4]/; s/num-warps" = 1/num-warps" = 4/; s/16x32/16x128/g; s/1x32/1x128/g; s/end = 32/end = 128/; s/tensor<32x/tensor<128x/g; s/}) : (tensor/}) {allocation.offset = 0 : i32} : (tensor/; s/"ttg.threads-per-warp"/ttg.shared = 256 : i32, "ttg.threads-per-warp"/' %s > %t.warps.mlir
// RUN: nereid-lower %t.warps.mlir cuda:90 | FileCheck %s --check-prefix=WARPS

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define {{.*}} @many
  // CHECK-COUNT-16: call i32 @llvm.nvvm.shfl.sync.bfly
  // CHECK-NOT: shfl.sync.bfly
  // CHECK-COUNT-16: call i32 @llvm.nvvm.shfl.sync.idx.i32
  // CHECK-NOT: shfl.sync
  // CHECK: ret void
  // WARPS-COUNT-16: call i32 @llvm.nvvm.shfl.sync.bfly
  // WARPS-NOT: shfl.sync
  // WARPS: st.shared.b32
  // WARPS-NOT: st.shared
  // WARPS: barrier.cta.sync
  // WARPS-COUNT-16: load <4 x float>, ptr addrspace(3)
  // WARPS: ret void
  // FEW-COUNT-12: call i32 @llvm.nvvm.shfl.sync.bfly
  // FEW-NOT: shfl.sync
  // FEW: ret void
  tt.func public @many(%p: !tt.ptr<f32>) {
    %x = arith.constant dense<1.0> : tensor<16x32xf32, #rows>
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %f = arith.sitofp %i : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>> to tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>
    %e = tt.expand_dims %f {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x32xf32, #rows>
    %b = tt.broadcast %e : tensor<1x32xf32, #rows> -> tensor<16x32xf32, #rows>
    %y = arith.addf %x, %b : tensor<16x32xf32, #rows>
    %sums = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tt.reduce.return %s : f32
    }) : (tensor<16x32xf32, #rows>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %j = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>
    %q = tt.addptr %ps, %j : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<16xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.store %q, %sums : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.return
  }
}
