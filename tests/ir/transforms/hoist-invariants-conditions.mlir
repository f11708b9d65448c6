// A product's factor that was known before the loop is brought into its layout there, also if the product is under a
// condition; other conversions stay where they may not be needed.
// RUN: nereid-opt %s --nereid-tt-hoist-invariants | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @masked
  // CHECK: %[[Q:.+]] = ttg.convert_layout %arg0 {{.*}} -> tensor<64x64xf16, #ttg.dot_op
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: ttg.convert_layout %arg0 {{.*}} -> tensor<64x64xf16, #blocked1>
  // CHECK: tt.dot %[[Q]]
  tt.func @masked(%q: tensor<64x64xf16, #rows>, %k: tensor<64x64xf16, #right>, %p: tensor<64x64x!tt.ptr<f16>, #columns>, %zeros: tensor<64x64xf32, #mma>, %n: i32, %holds: i1) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (tensor<64x64xf32, #mma>) : i32 {
      %next = scf.if %holds -> tensor<64x64xf32, #mma> {
        %a = ttg.convert_layout %q : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #left>
        %c = ttg.convert_layout %q : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #columns>
        tt.store %p, %c : tensor<64x64x!tt.ptr<f16>, #columns>
        %d = tt.dot %a, %k, %sum : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      } else {
        scf.yield %sum : tensor<64x64xf32, #mma>
      }
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
