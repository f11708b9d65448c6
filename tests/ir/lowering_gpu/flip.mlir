// A row that is turned round: element i becomes 63 - i, which is i ^ 63. A thread's two elements change places, and so do
// lanes; there is no memory on chip.
// RUN: nereid-lower %s cuda:90 | FileCheck %s --implicit-check-not="addrspace(3)" --implicit-check-not=barrier

#row = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#along = #ttg.slice<{dim = 0, parent = #row}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @flip
  // CHECK-COUNT-2: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 31, i32 31)
  // CHECK-NOT: shfl
  // CHECK: ret void
  tt.func public @flip(%p: !tt.ptr<i32>) {
    %along = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #along>
    %last = arith.constant dense<63> : tensor<64xi32, #along>
    %i0 = arith.subi %last, %along : tensor<64xi32, #along>
    %i1 = tt.expand_dims %i0 {axis = 0 : i32} : tensor<64xi32, #along> -> tensor<1x64xi32, #row>
    %i = tt.broadcast %i1 : tensor<1x64xi32, #row> -> tensor<4x64xi32, #row>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<4x64x!tt.ptr<i32>, #row>
    %places = tt.expand_dims %along {axis = 0 : i32} : tensor<64xi32, #along> -> tensor<1x64xi32, #row>
    %all = tt.broadcast %places : tensor<1x64xi32, #row> -> tensor<4x64xi32, #row>
    %q = tt.addptr %ps, %all : tensor<4x64x!tt.ptr<i32>, #row>, tensor<4x64xi32, #row>
    %x = tt.load %q : tensor<4x64x!tt.ptr<i32>, #row>
    %y = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x64xi32, #row>, tensor<4x64xi32, #row>) -> tensor<4x64xi32, #row>
    tt.store %q, %y : tensor<4x64x!tt.ptr<i32>, #row>
    tt.return
  }
}
