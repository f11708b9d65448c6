// Elements narrower than 32 bits change lanes several at a time: a thread's two of 16 bits take one shuffle.
// RUN: nereid-lower %s cuda:90 | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#along = #ttg.slice<{dim = 0, parent = #row}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @packed
  // CHECK-COUNT-1: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 1, i32 31)
  // CHECK-NOT: shfl
  // CHECK: ret void
  tt.func public @packed(%p: !tt.ptr<f16>) {
    %along = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #along>
    %two = arith.constant dense<2> : tensor<64xi32, #along>
    %i0 = arith.xori %along, %two : tensor<64xi32, #along>
    %i1 = tt.expand_dims %i0 {axis = 0 : i32} : tensor<64xi32, #along> -> tensor<1x64xi32, #row>
    %i = tt.broadcast %i1 : tensor<1x64xi32, #row> -> tensor<4x64xi32, #row>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<4x64x!tt.ptr<f16>, #row>
    %places = tt.expand_dims %along {axis = 0 : i32} : tensor<64xi32, #along> -> tensor<1x64xi32, #row>
    %all = tt.broadcast %places : tensor<1x64xi32, #row> -> tensor<4x64xi32, #row>
    %q = tt.addptr %ps, %all : tensor<4x64x!tt.ptr<f16>, #row>, tensor<4x64xi32, #row>
    %x = tt.load %q : tensor<4x64x!tt.ptr<f16>, #row>
    %y = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x64xf16, #row>, tensor<4x64xi32, #row>) -> tensor<4x64xf16, #row>
    tt.store %q, %y : tensor<4x64x!tt.ptr<f16>, #row>
    tt.return
  }
}
