// RUN: nereid-lower %s cuda:90a | FileCheck %s

// A function that was not inlined takes the place of its scratch memory and then tensors, register by register.
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: define ptx_kernel void @kernel(
  tt.func public @kernel(%x: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    // CHECK: %[[PAIR:.*]] = call { i32, i32 } @twice(ptr addrspace(3) {{.*}}, i32 %{{.*}}, i32 %{{.*}})
    // CHECK: extractvalue { i32, i32 } %[[PAIR]], 0
    %y = tt.call @twice(%range) : (tensor<64xi32, #b>) -> tensor<64xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<i32>, #b>, tensor<64xi32, #b>
    tt.store %xp, %y : tensor<64x!tt.ptr<i32>, #b>
    tt.return
  }
  // CHECK: define internal { i32, i32 } @twice(ptr addrspace(3) %{{.*}}, i32 %{{.*}}, i32 %{{.*}})
  tt.func private @twice(%x: tensor<64xi32, #b>) -> tensor<64xi32, #b> {
    %y = arith.addi %x, %x : tensor<64xi32, #b>
    // CHECK: ret { i32, i32 }
    tt.return %y : tensor<64xi32, #b>
  }
}
