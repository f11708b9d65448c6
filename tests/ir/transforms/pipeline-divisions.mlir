// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:80 num-stages=3" --canonicalize | FileCheck %s

// Rounds ahead divide in rounds that there are not, too. What is divided by may be 0 there, but a constant is not,
// and through it addresses keep the alignment that copies of 16 bytes need.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @by_constant
  // CHECK: scf.for
  // CHECK-NOT: arith.select {{.*}}%c8_i32
  // CHECK: arith.divsi %{{.+}}, %c8_i32
  // CHECK: ttg.async_copy_global_to_local
  tt.func public @by_constant(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c32 = arith.constant 32 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %k = arith.muli %i, %c32 : i32
      %packed = arith.divsi %k, %c8 : i32
      %offset = tt.splat %packed : i32 -> tensor<64x128xi32, #blocked>
      %p = tt.addptr %x, %offset : tensor<64x128x!tt.ptr<f32>, #blocked>, tensor<64x128xi32, #blocked>
      %v = tt.load %p : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }
}
