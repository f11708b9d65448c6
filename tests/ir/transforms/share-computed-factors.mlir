// RUN: nereid-opt %s --nereid-ttg-share-computed-factors | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Keys that are decoded from six bits, by seven instructions an element, are the values as well.
  // CHECK-LABEL: tt.func @decoded
  // CHECK: %[[V:.+]] = arith.truncf
  // CHECK-NEXT: %[[M:.+]] = ttg.local_alloc %[[V]]
  // CHECK-SAME: -> !ttg.memdesc<32x256xf16, #[[ROWS:.+]], #smem>
  // CHECK: %[[T:.+]] = ttg.memdesc_trans %[[M]]
  // CHECK-SAME: -> !ttg.memdesc<256x32xf16
  // CHECK-NEXT: %[[K:.+]] = ttg.local_load %[[T]] : {{.*}} -> tensor<256x32xf16, #ttg.dot_op<{opIdx = 1
  // CHECK-NEXT: tt.dot %{{.*}}, %[[K]]
  // CHECK: %[[R:.+]] = ttg.local_load %[[M]] : {{.*}} -> tensor<32x256xf16, #ttg.dot_op<{opIdx = 1
  // CHECK-NEXT: tt.dot %{{.*}}, %[[R]]
  tt.func @decoded(%words: tensor<32x256x!tt.ptr<i32>, #blocked>, %q: tensor<16x256xf16, #a>, %c: tensor<16x256xf32, #mma>, %n: i32) -> tensor<16x256xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %shift = arith.constant dense<2> : tensor<32x256xi32, #blocked>
    %low = arith.constant dense<63> : tensor<32x256xi32, #blocked>
    %middle = arith.constant dense<31.5> : tensor<32x256xf32, #blocked>
    %scale = arith.constant dense<0.1> : tensor<32x256xf32, #blocked>
    %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> (tensor<16x256xf32, #mma>) : i32 {
      %word = tt.load %words : tensor<32x256x!tt.ptr<i32>, #blocked>
      %other = arith.xori %word, %shift : tensor<32x256xi32, #blocked>
      %high = arith.shrui %other, %shift : tensor<32x256xi32, #blocked>
      %bits = arith.andi %high, %low : tensor<32x256xi32, #blocked>
      %f = arith.sitofp %bits : tensor<32x256xi32, #blocked> to tensor<32x256xf32, #blocked>
      %g = arith.subf %f, %middle : tensor<32x256xf32, #blocked>
      %h = arith.mulf %g, %scale : tensor<32x256xf32, #blocked>
      %v = arith.truncf %h : tensor<32x256xf32, #blocked> to tensor<32x256xf16, #blocked>
      %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<32x256xf16, #blocked> -> tensor<256x32xf16, #turned>
      %k = ttg.convert_layout %t : tensor<256x32xf16, #turned> -> tensor<256x32xf16, #b>
      %s = tt.dot %q, %k, %zero : tensor<16x256xf16, #a> * tensor<256x32xf16, #b> -> tensor<16x32xf32, #mma>
      %p = arith.truncf %s : tensor<16x32xf32, #mma> to tensor<16x32xf16, #mma>
      %l = ttg.convert_layout %p : tensor<16x32xf16, #mma> -> tensor<16x32xf16, #a>
      %w = ttg.convert_layout %v : tensor<32x256xf16, #blocked> -> tensor<32x256xf16, #b>
      %d = tt.dot %l, %w, %x : tensor<16x32xf16, #a> * tensor<32x256xf16, #b> -> tensor<16x256xf32, #mma>
      scf.yield %d : tensor<16x256xf32, #mma>
    }
    tt.return %r : tensor<16x256xf32, #mma>
  }

  // A cast is made twice.
  // CHECK-LABEL: tt.func @cast
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func @cast(%numbers: tensor<32x256x!tt.ptr<f32>, #blocked>, %q: tensor<16x256xf16, #a>, %c: tensor<16x256xf32, #mma>, %n: i32) -> tensor<16x256xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> (tensor<16x256xf32, #mma>) : i32 {
      %h = tt.load %numbers : tensor<32x256x!tt.ptr<f32>, #blocked>
      %v = arith.truncf %h : tensor<32x256xf32, #blocked> to tensor<32x256xf16, #blocked>
      %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<32x256xf16, #blocked> -> tensor<256x32xf16, #turned>
      %k = ttg.convert_layout %t : tensor<256x32xf16, #turned> -> tensor<256x32xf16, #b>
      %s = tt.dot %q, %k, %zero : tensor<16x256xf16, #a> * tensor<256x32xf16, #b> -> tensor<16x32xf32, #mma>
      %p = arith.truncf %s : tensor<16x32xf32, #mma> to tensor<16x32xf16, #mma>
      %l = ttg.convert_layout %p : tensor<16x32xf16, #mma> -> tensor<16x32xf16, #a>
      %w = ttg.convert_layout %v : tensor<32x256xf16, #blocked> -> tensor<32x256xf16, #b>
      %d = tt.dot %l, %w, %x : tensor<16x32xf16, #a> * tensor<32x256xf16, #b> -> tensor<16x256xf32, #mma>
      scf.yield %d : tensor<16x256xf32, #mma>
    }
    tt.return %r : tensor<16x256xf32, #mma>
  }
}
