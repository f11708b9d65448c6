// A product fused into a sum, a rounding and an absolute value are an instruction each: cheaper, a second
// time, than memory and a barrier.
//
// RUN: nereid-opt %s --nereid-ttg-rematerialize --canonicalize | FileCheck %s

#few = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#runs = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: tt.func @line
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @line(%p: tensor<512x!tt.ptr<f32>, #runs>, %a: f32, %b: f32) -> tensor<512xf32, #few> {
    %i = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #few>
    %x = arith.sitofp %i : tensor<512xi32, #few> to tensor<512xf32, #few>
    %as = tt.splat %a : f32 -> tensor<512xf32, #few>
    %bs = tt.splat %b : f32 -> tensor<512xf32, #few>
    %y = math.fma %x, %as, %bs : tensor<512xf32, #few>
    %f = math.floor %y : tensor<512xf32, #few>
    %z = math.absf %f : tensor<512xf32, #few>
    %c = ttg.convert_layout %z : tensor<512xf32, #few> -> tensor<512xf32, #runs>
    tt.store %p, %c : tensor<512x!tt.ptr<f32>, #runs>
    tt.return %y : tensor<512xf32, #few>
  }
}
