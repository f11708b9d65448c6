// RUN: nereid-opt %s --nereid-ttg-convert-through-buffers | FileCheck %s

// A tile is in memory for a product, and the threads need it again behind that product.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Two sums of 128 registers leave none to keep it in.
  // CHECK-LABEL: @short
  // CHECK: %[[X:.+]] = tt.load
  // CHECK: %[[M:.+]] = ttg.local_alloc %[[X]]
  // CHECK: tt.dot
  // CHECK-NEXT: %[[AGAIN:.+]] = ttg.local_load %[[M]] : {{.*}} -> tensor<64x32xbf16, #blocked>
  // CHECK-NEXT: arith.extf %[[AGAIN]]
  tt.func public @short(%p: tensor<64x32x!tt.ptr<bf16>, #blocked>, %q: tensor<64x32x!tt.ptr<f32>, #blocked>, %b: tensor<32x64xbf16, #right>, %c: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %other = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x32x!tt.ptr<bf16>, #blocked>
      %a = ttg.convert_layout %x : tensor<64x32xbf16, #blocked> -> tensor<64x32xbf16, #left>
      %d = tt.dot %a, %b, %sum : tensor<64x32xbf16, #left> * tensor<32x64xbf16, #right> -> tensor<64x64xf32, #mma>
      %w = arith.extf %x : tensor<64x32xbf16, #blocked> to tensor<64x32xf32, #blocked>
      tt.store %q, %w : tensor<64x32x!tt.ptr<f32>, #blocked>
      %e = arith.addf %other, %d : tensor<64x64xf32, #mma>
      scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // One sum leaves enough.
  // CHECK-LABEL: @enough
  // CHECK: %[[X:.+]] = tt.load
  // CHECK: tt.dot
  // CHECK-NEXT: arith.extf %[[X]]
  tt.func public @enough(%p: tensor<64x32x!tt.ptr<bf16>, #blocked>, %q: tensor<64x32x!tt.ptr<f32>, #blocked>, %b: tensor<32x64xbf16, #right>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x32x!tt.ptr<bf16>, #blocked>
      %a = ttg.convert_layout %x : tensor<64x32xbf16, #blocked> -> tensor<64x32xbf16, #left>
      %d = tt.dot %a, %b, %sum : tensor<64x32xbf16, #left> * tensor<32x64xbf16, #right> -> tensor<64x64xf32, #mma>
      %w = arith.extf %x : tensor<64x32xbf16, #blocked> to tensor<64x32xf32, #blocked>
      tt.store %q, %w : tensor<64x32x!tt.ptr<f32>, #blocked>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // What is needed in front of the product as well is kept.
  // CHECK-LABEL: @before
  // CHECK: %[[X:.+]] = tt.load
  // CHECK: arith.extf %[[X]]
  // CHECK: tt.dot
  // CHECK-NEXT: arith.extf %[[X]]
  tt.func public @before(%p: tensor<64x32x!tt.ptr<bf16>, #blocked>, %q: tensor<64x32x!tt.ptr<f32>, #blocked>, %b: tensor<32x64xbf16, #right>, %c: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %other = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x32x!tt.ptr<bf16>, #blocked>
      %a = ttg.convert_layout %x : tensor<64x32xbf16, #blocked> -> tensor<64x32xbf16, #left>
      %u = arith.extf %x : tensor<64x32xbf16, #blocked> to tensor<64x32xf32, #blocked>
      tt.store %q, %u : tensor<64x32x!tt.ptr<f32>, #blocked>
      %d = tt.dot %a, %b, %sum : tensor<64x32xbf16, #left> * tensor<32x64xbf16, #right> -> tensor<64x64xf32, #mma>
      %w = arith.extf %x : tensor<64x32xbf16, #blocked> to tensor<64x32xf32, #blocked>
      tt.store %q, %w : tensor<64x32x!tt.ptr<f32>, #blocked>
      %e = arith.addf %other, %d : tensor<64x64xf32, #mma>
      scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
}
