// RUN: nereid-lower %s cuda:90a | FileCheck %s

// The place of the greatest element of 32 warps takes many instructions to find from theirs: one warp does it, and all
// read what it found behind a second barrier.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [32], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 32 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 256 : i32} {
  // CHECK-LABEL: @place
  // CHECK-COUNT-5: shfl.sync.bfly
  // CHECK: barrier.cta.sync
  // CHECK: %[[FIRST:.+]] = icmp eq i32 %{{.+}}, 0
  // CHECK: br i1 %[[FIRST]], label %[[COMBINE:.+]], label %[[REST:[^ ]+]]
  // CHECK: [[COMBINE]]:
  // CHECK-COUNT-8: shfl.sync.bfly
  // CHECK-COUNT-2: st.shared.b32
  // CHECK: [[REST]]:
  // CHECK: barrier.cta.sync
  // CHECK-COUNT-2: load <1 x {{.+}}>, ptr addrspace(3)
  // CHECK-NOT: shfl
  // CHECK: ret void
  tt.func public @place(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %v = tt.load %xp : tensor<1024x!tt.ptr<f32>, #b>
    %s:2 = "tt.reduce"(%v, %range) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %ai: i32, %c: f32, %ci: i32):
      %equal = arith.cmpf oeq, %a, %c : f32
      %before = arith.cmpi slt, %ai, %ci : i32
      %tie = arith.andi %equal, %before : i1
      %greater = arith.cmpf ogt, %a, %c : f32
      %take = arith.ori %greater, %tie : i1
      %v1 = arith.select %take, %a, %c : f32
      %i1 = arith.select %take, %ai, %ci : i32
      tt.reduce.return %v1, %i1 : f32, i32
    }) {allocation.offset = 0 : i32} : (tensor<1024xf32, #b>, tensor<1024xi32, #b>) -> (f32, i32)
    tt.store %out, %s#1 : !tt.ptr<i32>
    tt.return
  }
}
