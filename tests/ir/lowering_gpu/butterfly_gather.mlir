// Gathers in which elements change places by twos: other registers, or a shuffle each, without memory on chip.
// RUN: nereid-lower %s cuda:90 | FileCheck %s --implicit-check-not="addrspace(3)" --implicit-check-not=barrier

#row = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#along = #ttg.slice<{dim = 0, parent = #row}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @butterfly_gather(%p: !tt.ptr<i32>) {
    %along = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #along>
    %places = tt.expand_dims %along {axis = 0 : i32} : tensor<64xi32, #along> -> tensor<1x64xi32, #row>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<1x64x!tt.ptr<i32>, #row>
    %q = tt.addptr %ps, %places : tensor<1x64x!tt.ptr<i32>, #row>, tensor<1x64xi32, #row>
    %x1 = tt.load %q : tensor<1x64x!tt.ptr<i32>, #row>
    %x = tt.broadcast %x1 : tensor<1x64xi32, #row> -> tensor<4x64xi32, #row>
    // Neighbours are a thread's two registers.
    // CHECK-NOT: shfl
    %one = arith.constant dense<1> : tensor<1x64xi32, #row>
    %i1 = arith.xori %places, %one : tensor<1x64xi32, #row>
    %i = tt.broadcast %i1 : tensor<1x64xi32, #row> -> tensor<4x64xi32, #row>
    %y = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x64xi32, #row>, tensor<4x64xi32, #row>) -> tensor<4x64xi32, #row>
    // Of 5 = 4 + 1 the 4 is two lanes further.
    // CHECK-COUNT-2: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 2, i32 31)
    // CHECK-NOT: shfl
    // CHECK: ret void
    %five = arith.constant dense<5> : tensor<64xi32, #along>
    %j0 = arith.xori %along, %five : tensor<64xi32, #along>
    %j1 = tt.expand_dims %j0 {axis = 0 : i32} : tensor<64xi32, #along> -> tensor<1x64xi32, #row>
    %j = tt.broadcast %j1 : tensor<1x64xi32, #row> -> tensor<4x64xi32, #row>
    %z = tt.gather %y[%j] {axis = 1 : i32} : (tensor<4x64xi32, #row>, tensor<4x64xi32, #row>) -> tensor<4x64xi32, #row>
    %pt = tt.splat %p : !tt.ptr<i32> -> tensor<4x64x!tt.ptr<i32>, #row>
    %off = tt.broadcast %places : tensor<1x64xi32, #row> -> tensor<4x64xi32, #row>
    %r = tt.addptr %pt, %off : tensor<4x64x!tt.ptr<i32>, #row>, tensor<4x64xi32, #row>
    tt.store %r, %z : tensor<4x64x!tt.ptr<i32>, #row>
    tt.return
  }
}
