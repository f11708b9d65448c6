// RUN: nereid-opt %s --nereid-ttg-rematerialize --canonicalize --cse | FileCheck %s

// A row that is loaded for a tile's rows: a thread loads one element of it, or some as it needs them.

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [1, 8], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [8, 1], order = [0, 1]}>
#runs = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [32, 1], warpsPerCTA = [8, 1], order = [0, 1]}>
#sixteen = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], order = [1, 0]}>
#lines = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [8, 1], order = [0, 1]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0], [4, 0], [8, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  // The tile behind would wait for the exchange.
  // CHECK-LABEL: @held
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.load {{.*}} {ttg.moved} : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #{{.+}}}>>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  tt.func public @held(%p: !tt.ptr<f32>, %tile: tensor<128x64x!tt.ptr<f32>, #wide>, %sum: tensor<128x64xf32, #wide>, %n: i32) -> tensor<128x64xf32, #wide> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<128x64xf32, #wide>) : i32 {
      %from = tt.splat %i : i32 -> tensor<128xi32, #row>
      %offsets = arith.addi %from, %range : tensor<128xi32, #row>
      %ptrs = tt.addptr %starts, %offsets : tensor<128x!tt.ptr<f32>, #row>, tensor<128xi32, #row>
      %x = tt.load %ptrs : tensor<128x!tt.ptr<f32>, #row>
      %y = ttg.convert_layout %x : tensor<128xf32, #row> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #wide}>>
      %column = tt.expand_dims %y {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #wide}>> -> tensor<128x1xf32, #wide>
      %columns = tt.broadcast %column : tensor<128x1xf32, #wide> -> tensor<128x64xf32, #wide>
      %scaled = arith.mulf %s, %columns : tensor<128x64xf32, #wide>
      %t = tt.load %tile : tensor<128x64x!tt.ptr<f32>, #wide>
      %next = arith.addf %scaled, %t : tensor<128x64xf32, #wide>
      scf.yield %next : tensor<128x64xf32, #wide>
    }
    tt.return %r : tensor<128x64xf32, #wide>
  }

  // One that is loaded before does not.
  // CHECK-LABEL: @last
  // CHECK: scf.for
  // CHECK: ttg.convert_layout {{.*}} -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #{{.+}}}>>
  // CHECK: scf.yield
  tt.func public @last(%p: !tt.ptr<f32>, %tile: tensor<128x64x!tt.ptr<f32>, #wide>, %sum: tensor<128x64xf32, #wide>, %n: i32) -> tensor<128x64xf32, #wide> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<128x64xf32, #wide>) : i32 {
      %t = tt.load %tile : tensor<128x64x!tt.ptr<f32>, #wide>
      %from = tt.splat %i : i32 -> tensor<128xi32, #row>
      %offsets = arith.addi %from, %range : tensor<128xi32, #row>
      %ptrs = tt.addptr %starts, %offsets : tensor<128x!tt.ptr<f32>, #row>, tensor<128xi32, #row>
      %x = tt.load %ptrs : tensor<128x!tt.ptr<f32>, #row>
      %y = ttg.convert_layout %x : tensor<128xf32, #row> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #wide}>>
      %column = tt.expand_dims %y {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #wide}>> -> tensor<128x1xf32, #wide>
      %columns = tt.broadcast %column : tensor<128x1xf32, #wide> -> tensor<128x64xf32, #wide>
      %scaled = arith.mulf %s, %columns : tensor<128x64xf32, #wide>
      %next = arith.addf %scaled, %t : tensor<128x64xf32, #wide>
      scf.yield %next : tensor<128x64xf32, #wide>
    }
    tt.return %r : tensor<128x64xf32, #wide>
  }

  // What is wanted in two layouts of one map is loaded once more, not twice.
  // CHECK-LABEL: @equal
  // CHECK: scf.for
  // CHECK-COUNT-1: tt.load {{.*}} : tensor<64x!tt.ptr<f32>,
  // CHECK-NOT: tt.load {{.*}} : tensor<64x!tt.ptr<f32>,
  // CHECK: ttg.convert_layout {{.*}} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #{{.+}}}>> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #linear}>>
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

  // Eight instructions load the row in either layout.
  // CHECK-LABEL: @equally_many
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @equally_many(%p: !tt.ptr<f32>, %i: tensor<2048xi32, #row>) -> tensor<2048xf32, #ttg.slice<{dim = 1, parent = #columns}>> {
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #row>
    %range = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #row>
    %three = arith.constant dense<3> : tensor<2048xi32, #row>
    %offsets = arith.muli %range, %three : tensor<2048xi32, #row>
    %ptrs = tt.addptr %starts, %offsets : tensor<2048x!tt.ptr<f32>, #row>, tensor<2048xi32, #row>
    %x = tt.load %ptrs : tensor<2048x!tt.ptr<f32>, #row>
    %y = ttg.convert_layout %x : tensor<2048xf32, #row> -> tensor<2048xf32, #ttg.slice<{dim = 1, parent = #columns}>>
    tt.return %y : tensor<2048xf32, #ttg.slice<{dim = 1, parent = #columns}>>
  }

  // Not where neighbours read what lies far apart.
  // CHECK-LABEL: @apart
  // CHECK: ttg.convert_layout
  tt.func public @apart(%p: !tt.ptr<f32>, %i: tensor<2048xi32, #row>) -> tensor<2048xf32, #ttg.slice<{dim = 1, parent = #runs}>> {
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #row>
    %range = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #row>
    %three = arith.constant dense<3> : tensor<2048xi32, #row>
    %offsets = arith.muli %range, %three : tensor<2048xi32, #row>
    %ptrs = tt.addptr %starts, %offsets : tensor<2048x!tt.ptr<f32>, #row>, tensor<2048xi32, #row>
    %x = tt.load %ptrs : tensor<2048x!tt.ptr<f32>, #row>
    %y = ttg.convert_layout %x : tensor<2048xf32, #row> -> tensor<2048xf32, #ttg.slice<{dim = 1, parent = #runs}>>
    tt.return %y : tensor<2048xf32, #ttg.slice<{dim = 1, parent = #runs}>>
  }

  // Of a tile each may read many more lines.
  // CHECK-LABEL: @tile
  // CHECK: ttg.convert_layout
  tt.func public @tile(%p: !tt.ptr<f32>) -> tensor<2048x1xf32, #columns> {
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<2048x1x!tt.ptr<f32>, #lines>
    %range = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #ttg.slice<{dim = 1, parent = #lines}>>
    %three = arith.constant dense<3> : tensor<2048xi32, #ttg.slice<{dim = 1, parent = #lines}>>
    %thirds = arith.muli %range, %three : tensor<2048xi32, #ttg.slice<{dim = 1, parent = #lines}>>
    %offsets = tt.expand_dims %thirds {axis = 1 : i32} : tensor<2048xi32, #ttg.slice<{dim = 1, parent = #lines}>> -> tensor<2048x1xi32, #lines>
    %ptrs = tt.addptr %starts, %offsets : tensor<2048x1x!tt.ptr<f32>, #lines>, tensor<2048x1xi32, #lines>
    %x = tt.load %ptrs : tensor<2048x1x!tt.ptr<f32>, #lines>
    %y = ttg.convert_layout %x : tensor<2048x1xf32, #lines> -> tensor<2048x1xf32, #columns>
    tt.return %y : tensor<2048x1xf32, #columns>
  }

  // Eight by which a warp reads a few bytes, if that spares the loop all barriers, and it loads eight times as many.
  // CHECK-LABEL: @lone
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  tt.func public @lone(%p: !tt.ptr<f32>, %tile: tensor<128x128x!tt.ptr<f32>, #blocked>, %sum: tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>) : i32 {
      %from = tt.splat %i : i32 -> tensor<128xi32, #row>
      %offsets = arith.addi %from, %range : tensor<128xi32, #row>
      %ptrs = tt.addptr %starts, %offsets : tensor<128x!tt.ptr<f32>, #row>, tensor<128xi32, #row>
      %x = tt.load %ptrs : tensor<128x!tt.ptr<f32>, #row>
      %y = ttg.convert_layout %x : tensor<128xf32, #row> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %t = tt.load %tile : tensor<128x128x!tt.ptr<f32>, #blocked>
      tt.store %tile, %t : tensor<128x128x!tt.ptr<f32>, #blocked>
      %next = arith.addf %s, %y : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %next : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    tt.return %r : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }

  // Not if it loads little else.
  // CHECK-LABEL: @alone
  // CHECK: scf.for
  // CHECK: ttg.convert_layout
  // CHECK: scf.yield
  tt.func public @alone(%p: !tt.ptr<f32>, %tile: tensor<64x128x!tt.ptr<f32>, #blocked>, %sum: tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>) : i32 {
      %from = tt.splat %i : i32 -> tensor<128xi32, #row>
      %offsets = arith.addi %from, %range : tensor<128xi32, #row>
      %ptrs = tt.addptr %starts, %offsets : tensor<128x!tt.ptr<f32>, #row>, tensor<128xi32, #row>
      %x = tt.load %ptrs : tensor<128x!tt.ptr<f32>, #row>
      %y = ttg.convert_layout %x : tensor<128xf32, #row> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %t = tt.load %tile : tensor<64x128x!tt.ptr<f32>, #blocked>
      tt.store %tile, %t : tensor<64x128x!tt.ptr<f32>, #blocked>
      %next = arith.addf %s, %y : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %next : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    tt.return %r : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }

  // Nor if it reads more by each.
  // CHECK-LABEL: @much
  // CHECK: scf.for
  // CHECK: ttg.convert_layout
  // CHECK: scf.yield
  tt.func public @much(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %tile: tensor<128x128x!tt.ptr<f32>, #blocked>, %sum: tensor<64xf32, #ttg.slice<{dim = 0, parent = #sixteen}>>, %n: i32) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #sixteen}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<64xf32, #ttg.slice<{dim = 0, parent = #sixteen}>>) : i32 {
      %t = tt.load %tile : tensor<128x128x!tt.ptr<f32>, #blocked>
      %times = arith.muli %i, %c64 : i32
      %from = tt.splat %times : i32 -> tensor<64xi32, #row>
      %twice = arith.addi %from, %range : tensor<64xi32, #row>
      %offsets = arith.addi %twice, %from : tensor<64xi32, #row>
      %ptrs = tt.addptr %starts, %offsets : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
      %x = tt.load %ptrs : tensor<64x!tt.ptr<f32>, #row>
      %y = ttg.convert_layout %x : tensor<64xf32, #row> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #sixteen}>>
      tt.store %tile, %t : tensor<128x128x!tt.ptr<f32>, #blocked>
      %next = arith.addf %s, %y : tensor<64xf32, #ttg.slice<{dim = 0, parent = #sixteen}>>
      scf.yield %next : tensor<64xf32, #ttg.slice<{dim = 0, parent = #sixteen}>>
    }
    tt.return %r : tensor<64xf32, #ttg.slice<{dim = 0, parent = #sixteen}>>
  }

  // Not if threads meet for something else as well.
  // CHECK-LABEL: @one_of_two
  // CHECK: scf.for
  // CHECK: ttg.convert_layout
  // CHECK: scf.yield
  tt.func public @one_of_two(%p: !tt.ptr<f32>, %tile: tensor<128x128x!tt.ptr<f32>, #blocked>, %sum: tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
    %starts = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>) : i32 {
      %t = tt.load %tile : tensor<128x128x!tt.ptr<f32>, #blocked>
      %from = tt.splat %i : i32 -> tensor<128xi32, #row>
      %offsets = arith.addi %from, %range : tensor<128xi32, #row>
      %ptrs = tt.addptr %starts, %offsets : tensor<128x!tt.ptr<f32>, #row>, tensor<128xi32, #row>
      %x = tt.load %ptrs : tensor<128x!tt.ptr<f32>, #row>
      %total = "tt.reduce"(%s) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>) -> f32
      %y = ttg.convert_layout %x : tensor<128xf32, #row> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      tt.store %tile, %t : tensor<128x128x!tt.ptr<f32>, #blocked>
      %totals = tt.splat %total : f32 -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %next = arith.addf %totals, %y : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %next : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    tt.return %r : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }
}
