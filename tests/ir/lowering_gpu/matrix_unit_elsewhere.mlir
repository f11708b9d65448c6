// RUN: not nereid-lower %s hip:gfx1100 2>&1 | FileCheck %s

// Text that was made for a GPU of another vendor.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel() {
    %x = arith.constant dense<1.0> : tensor<16x16xf16, #a>
    %y = arith.constant dense<1.0> : tensor<16x8xf16, #b>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
    // CHECK: matrix_unit_elsewhere.mlir:[[@LINE+1]]:10: error: this target has no matrix unit of NVIDIA's
    %d = tt.dot %x, %y, %c : tensor<16x16xf16, #a> * tensor<16x8xf16, #b> -> tensor<16x8xf32, #mma>
    tt.return
  }
}
