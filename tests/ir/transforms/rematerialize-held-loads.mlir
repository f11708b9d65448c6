// RUN: nereid-opt %s --nereid-ttg-rematerialize --canonicalize --cse | FileCheck %s

// A row that a round loads for a tile's rows: a thread loads one element of it, or four as it needs them.

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0], [4, 0], [8, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  // The tile behind would wait for the exchange.
  // CHECK-LABEL: @held
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.load {{.*}} {ttg.moved} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #blocked}>>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  tt.func public @held(%p: !tt.ptr<f32>, %tile: tensor<64x128x!tt.ptr<f32>, #blocked>, %sum: tensor<64x128xf32, #blocked>, %n: i32) -> tensor<64x128xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<64x128xf32, #blocked>) : i32 {
      %from = tt.splat %i : i32 -> tensor<64xi32, #row>
      %offsets = arith.addi %from, %range : tensor<64xi32, #row>
      %ptrs = tt.addptr %starts, %offsets : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
      %x = tt.load %ptrs : tensor<64x!tt.ptr<f32>, #row>
      %y = ttg.convert_layout %x : tensor<64xf32, #row> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %column = tt.expand_dims %y {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xf32, #blocked>
      %columns = tt.broadcast %column : tensor<64x1xf32, #blocked> -> tensor<64x128xf32, #blocked>
      %scaled = arith.mulf %s, %columns : tensor<64x128xf32, #blocked>
      %t = tt.load %tile : tensor<64x128x!tt.ptr<f32>, #blocked>
      %next = arith.addf %scaled, %t : tensor<64x128xf32, #blocked>
      scf.yield %next : tensor<64x128xf32, #blocked>
    }
    tt.return %r : tensor<64x128xf32, #blocked>
  }

  // One that is loaded before does not.
  // CHECK-LABEL: @last
  // CHECK: scf.for
  // CHECK: ttg.convert_layout {{.*}} -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  // CHECK: scf.yield
  tt.func public @last(%p: !tt.ptr<f32>, %tile: tensor<64x128x!tt.ptr<f32>, #blocked>, %sum: tensor<64x128xf32, #blocked>, %n: i32) -> tensor<64x128xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<64x128xf32, #blocked>) : i32 {
      %t = tt.load %tile : tensor<64x128x!tt.ptr<f32>, #blocked>
      %from = tt.splat %i : i32 -> tensor<64xi32, #row>
      %offsets = arith.addi %from, %range : tensor<64xi32, #row>
      %ptrs = tt.addptr %starts, %offsets : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
      %x = tt.load %ptrs : tensor<64x!tt.ptr<f32>, #row>
      %y = ttg.convert_layout %x : tensor<64xf32, #row> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %column = tt.expand_dims %y {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xf32, #blocked>
      %columns = tt.broadcast %column : tensor<64x1xf32, #blocked> -> tensor<64x128xf32, #blocked>
      %scaled = arith.mulf %s, %columns : tensor<64x128xf32, #blocked>
      %next = arith.addf %scaled, %t : tensor<64x128xf32, #blocked>
      scf.yield %next : tensor<64x128xf32, #blocked>
    }
    tt.return %r : tensor<64x128xf32, #blocked>
  }

  // What is wanted in two layouts of one map is loaded once more, not twice.
  // CHECK-LABEL: @equal
  // CHECK: scf.for
  // CHECK-COUNT-1: tt.load {{.*}} : tensor<64x!tt.ptr<f32>,
  // CHECK-NOT: tt.load {{.*}} : tensor<64x!tt.ptr<f32>,
  // CHECK: ttg.convert_layout {{.*}} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #linear}>>
  // CHECK-NOT: tt.load {{.*}} : tensor<64x!tt.ptr<f32>,
  // CHECK: scf.yield
  tt.func public @equal(%p: !tt.ptr<f32>, %tile: tensor<64x128x!tt.ptr<f32>, #blocked>, %sum: tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, %other: tensor<64xf32, #ttg.slice<{dim = 1, parent = #linear}>>, %n: i32) -> (tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<64xf32, #ttg.slice<{dim = 1, parent = #linear}>>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum, %o = %other) -> (tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<64xf32, #ttg.slice<{dim = 1, parent = #linear}>>) : i32 {
      %from = tt.splat %i : i32 -> tensor<64xi32, #row>
      %offsets = arith.addi %from, %range : tensor<64xi32, #row>
      %ptrs = tt.addptr %starts, %offsets : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
      %x = tt.load %ptrs : tensor<64x!tt.ptr<f32>, #row>
      %first = ttg.convert_layout %x : tensor<64xf32, #row> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %second = ttg.convert_layout %x : tensor<64xf32, #row> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #linear}>>
      %next = arith.addf %s, %first : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %after = arith.mulf %o, %second : tensor<64xf32, #ttg.slice<{dim = 1, parent = #linear}>>
      %t = tt.load %tile : tensor<64x128x!tt.ptr<f32>, #blocked>
      tt.store %tile, %t : tensor<64x128x!tt.ptr<f32>, #blocked>
      scf.yield %next, %after : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<64xf32, #ttg.slice<{dim = 1, parent = #linear}>>
    }
    tt.return %r#0, %r#1 : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<64xf32, #ttg.slice<{dim = 1, parent = #linear}>>
  }
}
