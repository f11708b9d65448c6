// A load of no more elements than there are warps goes to where what is computed of it is needed: what a row's coordinates
// give is computed beside the row, in each round, rather than carried over in each.
//
// RUN: nereid-opt %s --nereid-ttg-assign-layouts --cse | FileCheck %s

#default = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #tile}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  // CHECK-LABEL: tt.func @rounds
  // CHECK: %[[X:.+]] = tt.load %arg0
  // CHECK: %[[Y:.+]] = ttg.convert_layout %[[X]] : tensor<4xf32, #{{.*}}> -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #{{.*}}}>>
  // CHECK: math.floor %[[Y]]
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @rounds(%x: tensor<4x!tt.ptr<f32>, #default>, %p: tensor<4x128x!tt.ptr<f32>, #tile>, %sum: tensor<4x128xf32, #tile>, %n: i32) -> tensor<4x128xf32, #tile> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loaded = tt.load %x : tensor<4x!tt.ptr<f32>, #default>
    %floor = math.floor %loaded : tensor<4xf32, #default>
    %whole = arith.fptosi %floor : tensor<4xf32, #default> to tensor<4xi32, #default>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<4x128xf32, #tile>) : i32 {
      %all = tt.splat %i : i32 -> tensor<4xi32, #default>
      %at = arith.addi %whole, %all : tensor<4xi32, #default>
      %rows = ttg.convert_layout %at : tensor<4xi32, #default> -> tensor<4xi32, #rows>
      %column = tt.expand_dims %rows {axis = 1 : i32} : tensor<4xi32, #rows> -> tensor<4x1xi32, #tile>
      %offsets = tt.broadcast %column : tensor<4x1xi32, #tile> -> tensor<4x128xi32, #tile>
      %q = tt.addptr %p, %offsets : tensor<4x128x!tt.ptr<f32>, #tile>, tensor<4x128xi32, #tile>
      %v = tt.load %q : tensor<4x128x!tt.ptr<f32>, #tile>
      %t = arith.addf %s, %v : tensor<4x128xf32, #tile>
      scf.yield %t : tensor<4x128xf32, #tile>
    }
    tt.return %r : tensor<4x128xf32, #tile>
  }
}
