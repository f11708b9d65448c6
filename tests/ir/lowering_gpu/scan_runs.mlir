// RUN: nereid-lower %s cuda:90 | FileCheck %s

// Of four elements that a lane has in a row, the last alone takes part in the five steps of lanes; the other three are
// combined once with what the lane before has.
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: @scan
  // CHECK-COUNT-4: fadd contract float
  // CHECK-NOT: fadd
  // CHECK: llvm.nvvm.shfl.sync
  // CHECK-COUNT-8: fadd contract float
  // CHECK-NOT: fadd
  // CHECK: ret void
  tt.func public @scan(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %o = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %xs, %o : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
    %v = tt.load %p : tensor<128x!tt.ptr<f32>, #blocked>
    %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.scan.return %t : f32
    }) : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    tt.store %p, %s : tensor<128x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
