// RUN: nereid-lower %s cuda:90a | FileCheck %s

// Means, deviations and counts of 8 warps: what combines two of them takes so long that each lane reads one, and three
// shuffles of each and three combinations follow. Sums of 8 warps are added up by each thread.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 96 : i32} {
  // CHECK-LABEL: @deviation
  // CHECK: barrier.cta.sync
  // CHECK-COUNT-3: load <1 x float>, ptr addrspace(3)
  // CHECK-COUNT-9: shfl.sync.bfly
  // CHECK-NOT: shfl
  // CHECK: ret void
  tt.func public @deviation(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) {
    %zero = arith.constant dense<0.0> : tensor<256xf32, #b>
    %one = arith.constant dense<1.0> : tensor<256xf32, #b>
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %range : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %v = tt.load %xp : tensor<256x!tt.ptr<f32>, #b>
    %s:3 = "tt.reduce"(%v, %zero, %one) <{axis = 0 : i32}> ({
    ^bb0(%m1: f32, %d1: f32, %n1: f32, %m2: f32, %d2: f32, %n2: f32):
      %n = arith.addf %n1, %n2 : f32
      %between = arith.subf %m2, %m1 : f32
      %part = arith.divf %n2, %n : f32
      %step = arith.mulf %between, %part : f32
      %m = arith.addf %m1, %step : f32
      %square = arith.mulf %between, %step : f32
      %more = arith.mulf %square, %n1 : f32
      %d12 = arith.addf %d1, %d2 : f32
      %d = arith.addf %d12, %more : f32
      tt.reduce.return %m, %d, %n : f32, f32, f32
    }) {allocation.offset = 0 : i32} : (tensor<256xf32, #b>, tensor<256xf32, #b>, tensor<256xf32, #b>) -> (f32, f32, f32)
    %sum = arith.addf %s#0, %s#1 : f32
    tt.store %out, %sum : !tt.ptr<f32>
    tt.return
  }
}
