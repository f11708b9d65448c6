// RUN: nereid-opt %s --nereid-ttg-rematerialize --canonicalize --split-input-file | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
#p = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Eight shuffles take longer than two loads of what is in two sectors of memory.
  // CHECK-LABEL: @rows
  // CHECK: scf.for
  // CHECK: tt.load %{{.+}} {ttg.moved} : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 0
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  tt.func public @rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<16x16xf32, #b> {
    %none = arith.constant dense<0.0> : tensor<16xf32, #p>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32, #b>
    %step = arith.constant dense<64> : tensor<16xi32, #p>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #p>
    %ns = tt.splat %n : i32 -> tensor<16xi32, #p>
    %m = arith.cmpi slt, %i, %ns : tensor<16xi32, #p>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #p>
    %first = tt.addptr %xs, %i : tensor<16x!tt.ptr<f32>, #p>, tensor<16xi32, #p>
    %r:2 = scf.for %k = %c0 to %c16 step %c1 iter_args(%q = %first, %sum = %zero) -> (tensor<16x!tt.ptr<f32>, #p>, tensor<16x16xf32, #b>) : i32 {
      %v = tt.load %q, %m, %none : tensor<16x!tt.ptr<f32>, #p>
      %w = ttg.convert_layout %v : tensor<16xf32, #p> -> tensor<16xf32, #ttg.slice<{dim = 0, parent = #b}>>
      %e = tt.expand_dims %w {axis = 0 : i32} : tensor<16xf32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x16xf32, #b>
      %t = tt.broadcast %e : tensor<1x16xf32, #b> -> tensor<16x16xf32, #b>
      %a = arith.addf %sum, %t : tensor<16x16xf32, #b>
      %next = tt.addptr %q, %step : tensor<16x!tt.ptr<f32>, #p>, tensor<16xi32, #p>
      scf.yield %next, %a : tensor<16x!tt.ptr<f32>, #p>, tensor<16x16xf32, #b>
    }
    tt.return %r#1 : tensor<16x16xf32, #b>
  }
}

// -----

// Eight elements that all warps have, in a layout of their own and in a slice, are the same in each thread. Nothing of another
// thread's is read.
// CHECK-LABEL: @same
// CHECK: tt.load
// CHECK-NOT: ttg.moved
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @same(%p: !tt.ptr<f32>) -> tensor<8xf32, #ttg.slice<{dim = 0, parent = #b}>> {
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #l>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #l>
    %at = tt.addptr %ps, %i : tensor<8x!tt.ptr<f32>, #l>, tensor<8xi32, #l>
    %x = tt.load %at : tensor<8x!tt.ptr<f32>, #l>
    %y = ttg.convert_layout %x : tensor<8xf32, #l> -> tensor<8xf32, #ttg.slice<{dim = 0, parent = #b}>>
    tt.return %y : tensor<8xf32, #ttg.slice<{dim = 0, parent = #b}>>
  }
}
