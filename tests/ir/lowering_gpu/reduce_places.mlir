// The place of the greatest element. A thread's place is made of its number, so that of the first lane that it meets is
// computed; only the element is shuffled there, and both from then on.
//
// RUN: nereid-lower %s cuda:90a | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16 : i32} {
  // CHECK-LABEL: @place
  // CHECK: %[[T:.+]] = call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  // CHECK: %[[X:.+]] = load float
  // CHECK: %[[BITS:.+]] = bitcast float %[[X]] to i32
  // CHECK-NEXT: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITS]], i32 16, i32 31)
  // CHECK-NOT: shfl
  // CHECK: xor i32 %[[T]], 16
  // CHECK: fcmp
  // CHECK: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, {{.*}}, i32 8, i32 31)
  // CHECK: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, {{.*}}, i32 8, i32 31)
  // CHECK: fcmp
  tt.func public @place(%x: !tt.ptr<f32>, %out: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>, #b>, tensor<64xi32, #b>
    %v = tt.load %xp : tensor<64x!tt.ptr<f32>, #b>
    %greatest:2 = "tt.reduce"(%v, %range) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %i: i32, %c: f32, %j: i32):
      %greater = arith.cmpf ogt, %a, %c : f32
      %m = arith.select %greater, %a, %c : f32
      %k = arith.select %greater, %i, %j : i32
      tt.reduce.return %m, %k : f32, i32
    }) : (tensor<64xf32, #b>, tensor<64xi32, #b>) -> (f32, i32)
    tt.store %out, %greatest#1 : !tt.ptr<i32>
    tt.return
  }
}
