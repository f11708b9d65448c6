// What a tile is reduced to may be wanted in the layout of an axis of one element, in which each thread would hold all of
// the tile: the few numbers are converted, and the tile stays as it is.
// RUN: nereid-opt %s --nereid-ttg-assign-layouts | FileCheck %s

#tile = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#deep = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 2, 16], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
// CHECK-DAG: #[[TILE:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @scaled
  // CHECK: %[[X:.+]] = tt.load
  // CHECK-NOT: ttg.convert_layout %[[X]]
  // CHECK: "tt.reduce"(%[[X]])
  tt.func public @scaled(%p: tensor<64x128x!tt.ptr<f32>, #tile>, %q: tensor<64x1x128x!tt.ptr<f32>, #deep>) {
    %x = tt.load %p : tensor<64x128x!tt.ptr<f32>, #tile>
    %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %s = arith.maxnumf %l, %r : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x128xf32, #tile>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #tile}>>
    %c = ttg.convert_layout %m : tensor<64xf32, #ttg.slice<{dim = 1, parent = #tile}>> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 2, parent = #deep}>}>>
    %e = tt.expand_dims %c {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 2, parent = #deep}>}>> -> tensor<64x1xf32, #ttg.slice<{dim = 2, parent = #deep}>>
    %d = tt.expand_dims %e {axis = 2 : i32} : tensor<64x1xf32, #ttg.slice<{dim = 2, parent = #deep}>> -> tensor<64x1x1xf32, #deep>
    %b = tt.broadcast %d : tensor<64x1x1xf32, #deep> -> tensor<64x1x128xf32, #deep>
    tt.store %q, %b : tensor<64x1x128x!tt.ptr<f32>, #deep>
    tt.return
  }
}
