// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90 num-stages=3" | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The inner loop's ring takes 96 KiB, as in two blocks of a multiprocessor. A ring of the outer loop, of 64 KiB or
  // more, would leave it one.
  // CHECK-LABEL: @costs_block
  // CHECK-NOT: ttg.local_alloc
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK: ttg.local_alloc {{.*}}memdesc<3x64x128xf32
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func public @costs_block(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%all = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %w = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %g = ttg.convert_layout %w : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %e = tt.dot %a, %g, %all, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %e) -> (tensor<128x128xf32, #mma>) : i32 {
        %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
        %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
        %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
        scf.yield %d : tensor<128x128xf32, #mma>
      }
      scf.yield %s : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }

  // Tiles of half the size leave two blocks as they are.
  // CHECK-LABEL: @has_room
  // CHECK: ttg.local_alloc {{.*}}memdesc<{{[23]}}x32x64xf32
  // CHECK: scf.for
  // CHECK: ttg.local_alloc {{.*}}memdesc<3x32x64xf32
  tt.func public @has_room(%x: tensor<32x64x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<128x32xf32, #left>, %c: tensor<128x64xf32, #mma>, %n: i32) -> tensor<128x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%all = %c) -> (tensor<128x64xf32, #mma>) : i32 {
      %w = tt.load %x : tensor<32x64x!tt.ptr<f32>, #blocked>
      %g = ttg.convert_layout %w : tensor<32x64xf32, #blocked> -> tensor<32x64xf32, #right>
      %e = tt.dot %a, %g, %all, inputPrecision = tf32 : tensor<128x32xf32, #left> * tensor<32x64xf32, #right> -> tensor<128x64xf32, #mma>
      %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %e) -> (tensor<128x64xf32, #mma>) : i32 {
        %v = tt.load %x : tensor<32x64x!tt.ptr<f32>, #blocked>
        %b = ttg.convert_layout %v : tensor<32x64xf32, #blocked> -> tensor<32x64xf32, #right>
        %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x32xf32, #left> * tensor<32x64xf32, #right> -> tensor<128x64xf32, #mma>
        scf.yield %d : tensor<128x64xf32, #mma>
      }
      scf.yield %s : tensor<128x64xf32, #mma>
    }
    tt.return %r : tensor<128x64xf32, #mma>
  }
}
