// What is computed of nothing that has a layout, such as the places of loaded elements, meets what has one: places
// that are exchanged where elements are lie as the elements do. The condition has its layout from a use alone, as a
// broadcast stands between it and the load.
//
// RUN: nereid-opt %s --nereid-ttg-assign-layouts --cse --canonicalize | FileCheck %s

#default = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [2, 1], order = [1, 0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: #[[W:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [2],
  // CHECK-LABEL: tt.func @places
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.make_range {{.*}} : tensor<128xi32, #[[W]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: arith.select {{.*}} : tensor<128xi1, #[[W]]>, tensor<128xi32, #[[W]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @places(%p: tensor<128x!tt.ptr<f32>, #wide>, %q: tensor<128x!tt.ptr<f32>, #wide>, %out: !tt.ptr<i32>) {
    %zero = arith.constant dense<0> : tensor<128xi32, #default>
    %nothing = arith.constant dense<0.0> : tensor<128xf32, #default>
    %x = tt.load %p : tensor<128x!tt.ptr<f32>, #wide>
    %y = ttg.convert_layout %x : tensor<128xf32, #wide> -> tensor<128xf32, #default>
    %place = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #default>
    %pairs = tt.reshape %y : tensor<128xf32, #default> -> tensor<64x2xf32, #pairs>
    %sums = "tt.reduce"(%pairs) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x2xf32, #pairs>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #pairs}>>
    %column = tt.expand_dims %sums {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #pairs}>> -> tensor<64x1xf32, #pairs>
    %both = tt.broadcast %column : tensor<64x1xf32, #pairs> -> tensor<64x2xf32, #pairs>
    %sum = tt.reshape %both : tensor<64x2xf32, #pairs> -> tensor<128xf32, #default>
    %less = arith.cmpf olt, %sum, %nothing : tensor<128xf32, #default>
    %chosen = arith.select %less, %y, %sum : tensor<128xi1, #default>, tensor<128xf32, #default>
    %stored = ttg.convert_layout %chosen : tensor<128xf32, #default> -> tensor<128xf32, #wide>
    tt.store %q, %stored : tensor<128x!tt.ptr<f32>, #wide>
    %where = arith.select %less, %place, %zero : tensor<128xi1, #default>, tensor<128xi32, #default>
    %last = "tt.reduce"(%where) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %m = arith.maxsi %a, %b : i32
      tt.reduce.return %m : i32
    }) : (tensor<128xi32, #default>) -> i32
    tt.store %out, %last : !tt.ptr<i32>
    tt.return
  }

  // Threads of a tile have a row more than once. What is computed of it beside is computed once.
  // CHECK-LABEL: tt.func @row
  // CHECK: %[[ROW:.+]] = arith.sitofp {{.*}} to tensor<64xf32, #ttg.slice<{dim = 0, parent = #[[T:.+]]}>>
  // CHECK: %[[ONCE:.+]] = ttg.convert_layout %[[ROW]] {{.*}} -> tensor<64xf32, #[[D:blocked[0-9]*]]>
  // CHECK: math.exp2 %[[ONCE]] : tensor<64xf32, #[[D]]>
  tt.func @row(%p: tensor<16x64x!tt.ptr<f32>, #tile>, %out: !tt.ptr<f32>) {
    %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #default>
    %row = arith.sitofp %range : tensor<64xi32, #default> to tensor<64xf32, #default>
    %sliced = ttg.convert_layout %row : tensor<64xf32, #default> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #tile}>>
    %one = tt.expand_dims %sliced {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #tile}>> -> tensor<1x64xf32, #tile>
    %all = tt.broadcast %one : tensor<1x64xf32, #tile> -> tensor<16x64xf32, #tile>
    tt.store %p, %all : tensor<16x64x!tt.ptr<f32>, #tile>
    %power = math.exp2 %row : tensor<64xf32, #default>
    %sum = "tt.reduce"(%power) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<64xf32, #default>) -> f32
    tt.store %out, %sum : !tt.ptr<f32>
    tt.return
  }

  // But a few numbers do no harm, and nothing moves.
  // CHECK-LABEL: tt.func @few
  // CHECK-NOT: ttg.convert_layout
  // CHECK: math.exp2 {{.*}} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #[[T]]}>>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @few(%p: tensor<16x32x!tt.ptr<f32>, #tile>, %out: !tt.ptr<f32>) {
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #default>
    %row = arith.sitofp %range : tensor<32xi32, #default> to tensor<32xf32, #default>
    %sliced = ttg.convert_layout %row : tensor<32xf32, #default> -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #tile}>>
    %one = tt.expand_dims %sliced {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #tile}>> -> tensor<1x32xf32, #tile>
    %all = tt.broadcast %one : tensor<1x32xf32, #tile> -> tensor<16x32xf32, #tile>
    tt.store %p, %all : tensor<16x32x!tt.ptr<f32>, #tile>
    %power = math.exp2 %row : tensor<32xf32, #default>
    %sum = "tt.reduce"(%power) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<32xf32, #default>) -> f32
    tt.store %out, %sum : !tt.ptr<f32>
    tt.return
  }
}
