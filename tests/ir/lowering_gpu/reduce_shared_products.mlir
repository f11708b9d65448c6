// In a loop of products, whose factors and sums take registers, lanes share a thread's many sums out (reduce_shared.mlir)
// only where there is one for each: all are under way at once.
// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: sed 's/<16x/<32x/g; s/end = 16/end = 32/' %s > %t.mlir
// RUN: nereid-lower %t.mlir cuda:90 | FileCheck %s --check-prefix=MANY

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define {{.*}} @sums
  // CHECK-COUNT-80: call i32 @llvm.nvvm.shfl.sync.bfly
  // CHECK-NOT: call i32 @llvm.nvvm.shfl.sync
  // MANY-COUNT-31: call i32 @llvm.nvvm.shfl.sync.bfly
  // MANY-NOT: call i32 @llvm.nvvm.shfl.sync.bfly
  // MANY-COUNT-32: call i32 @llvm.nvvm.shfl.sync.idx.i32
  // MANY-NOT: call i32 @llvm.nvvm.shfl.sync
  tt.func public @sums(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = arith.constant dense<1.0> : tensor<16x8xf32, #ttg.dot_op<{opIdx = 0, parent = #rows}>>
    %b = arith.constant dense<2.0> : tensor<8x32xf32, #ttg.dot_op<{opIdx = 1, parent = #rows}>>
    %zero = arith.constant dense<0.0> : tensor<16x32xf32, #rows>
    %none = arith.constant dense<0.0> : tensor<16xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %s = %none) -> (tensor<16x32xf32, #rows>, tensor<16xf32, #ttg.slice<{dim = 1, parent = #rows}>>) : i32 {
      %y = tt.dot %a, %b, %x : tensor<16x8xf32, #ttg.dot_op<{opIdx = 0, parent = #rows}>> * tensor<8x32xf32, #ttg.dot_op<{opIdx = 1, parent = #rows}>> -> tensor<16x32xf32, #rows>
      %sums = "tt.reduce"(%y) <{axis = 1 : i32}> ({
      ^bb0(%l: f32, %r: f32):
        %t = arith.addf %l, %r : f32
        tt.reduce.return %t : f32
      }) : (tensor<16x32xf32, #rows>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #rows}>>
      %u = arith.addf %s, %sums : tensor<16xf32, #ttg.slice<{dim = 1, parent = #rows}>>
      scf.yield %y, %u : tensor<16x32xf32, #rows>, tensor<16xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    }
    %j = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>
    %q = tt.addptr %ps, %j : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<16xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.store %q, %last#1 : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.return
  }
}
