// RUN: nereid-lower %s cuda:90a | FileCheck %s

// 32 warps: of their partial results each lane reads two together, and 16 lanes combine theirs by four shuffles
// in every warp.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [32], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 32 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 128 : i32} {
  // CHECK-LABEL: @sum
  // CHECK-COUNT-5: shfl.sync.bfly
  // CHECK: barrier.cta.sync
  // CHECK-NOT: shfl
  // CHECK: load <2 x float>, ptr addrspace(3)
  // CHECK: fadd
  // CHECK-COUNT-4: shfl.sync.bfly
  // CHECK-NOT: {{shfl|barrier}}
  // CHECK: ret void
  tt.func public @sum(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) {
    %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %v = tt.load %xp : tensor<1024x!tt.ptr<f32>, #b>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %c: f32):
      %t = arith.addf %a, %c : f32
      tt.reduce.return %t : f32
    }) {allocation.offset = 0 : i32} : (tensor<1024xf32, #b>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
}
