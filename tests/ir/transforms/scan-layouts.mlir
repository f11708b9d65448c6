// A scan of elements and their places, loaded one by one, gets a layout in which a thread has eight neighbours; that of a
// sum alone is not worth it but of many segments, and neighbours four by four stay as they are. So do sums down columns.
// RUN: nereid-opt %s --nereid-ttg-assign-layouts | FileCheck %s

// CHECK-DAG: #[[ONE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[EIGHT:.*]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @places
  tt.func public @places(%p: tensor<1024x!tt.ptr<f32>, #one>, %q: tensor<1024x!tt.ptr<i32>, #one>, %i: tensor<1024xi32, #one>) {
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #one>
    // CHECK: %[[X:.*]] = ttg.convert_layout %{{.*}} : tensor<1024xf32, #[[ONE]]> -> tensor<1024xf32, #[[EIGHT]]>
    // CHECK: %[[I:.*]] = ttg.convert_layout %{{.*}} : tensor<1024xi32, #[[ONE]]> -> tensor<1024xi32, #[[EIGHT]]>
    // CHECK: "tt.scan"(%[[X]], %[[I]])
    // CHECK-COUNT-2: ttg.convert_layout %{{.*}}, #[[EIGHT]]> -> tensor<1024x{{.*}}, #[[ONE]]>
    %s:2 = "tt.scan"(%x, %i) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %greater = arith.cmpf ogt, %a, %b : f32
      %equal = arith.cmpf oeq, %a, %b : f32
      %later = arith.cmpi sgt, %ai, %bi : i32
      %both = arith.andi %equal, %later : i1
      %keeps = arith.ori %greater, %both : i1
      %v = arith.select %keeps, %a, %b : f32
      %w = arith.select %keeps, %ai, %bi : i32
      tt.scan.return %v, %w : f32, i32
    }) : (tensor<1024xf32, #one>, tensor<1024xi32, #one>) -> (tensor<1024xf32, #one>, tensor<1024xi32, #one>)
    tt.store %p, %s#0 : tensor<1024x!tt.ptr<f32>, #one>
    tt.store %q, %s#1 : tensor<1024x!tt.ptr<i32>, #one>
    tt.return
  }

  // CHECK-LABEL: @sums
  tt.func public @sums(%p: tensor<256x!tt.ptr<f32>, #one>, %q: tensor<512x!tt.ptr<f32>, #four>) {
    // CHECK-NOT: convert_layout
    %x = tt.load %p : tensor<256x!tt.ptr<f32>, #one>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tt.scan.return %sum : f32
    }) : (tensor<256xf32, #one>) -> tensor<256xf32, #one>
    tt.store %p, %s : tensor<256x!tt.ptr<f32>, #one>
    %y = tt.load %q : tensor<512x!tt.ptr<f32>, #four>
    %t = "tt.scan"(%y) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tt.scan.return %sum : f32
    }) : (tensor<512xf32, #four>) -> tensor<512xf32, #four>
    tt.store %q, %t : tensor<512x!tt.ptr<f32>, #four>
    tt.return
  }

  // CHECK-LABEL: @many
  tt.func public @many(%p: tensor<4096x!tt.ptr<f32>, #one>) {
    %x = tt.load %p : tensor<4096x!tt.ptr<f32>, #one>
    // CHECK: %[[X:.*]] = ttg.convert_layout
    // CHECK: "tt.scan"(%[[X]])
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tt.scan.return %sum : f32
    }) : (tensor<4096xf32, #one>) -> tensor<4096xf32, #one>
    tt.store %p, %s : tensor<4096x!tt.ptr<f32>, #one>
    tt.return
  }

  // CHECK-LABEL: @columns
  tt.func public @columns(%x: !tt.ptr<f32>, %stride: i32 {tt.divisibility = 16 : i32}) {
    %column = tt.get_program_id x : i32
    %rows = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, #one>
    %strides = tt.splat %stride : i32 -> tensor<4096xi32, #one>
    %starts = arith.muli %rows, %strides : tensor<4096xi32, #one>
    %columns = tt.splat %column : i32 -> tensor<4096xi32, #one>
    %places = arith.addi %starts, %columns : tensor<4096xi32, #one>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #one>
    %p = tt.addptr %xs, %places : tensor<4096x!tt.ptr<f32>, #one>, tensor<4096xi32, #one>
    // CHECK-NOT: convert_layout
    // CHECK: tt.return
    %v = tt.load %p : tensor<4096x!tt.ptr<f32>, #one>
    %w = arith.negf %v : tensor<4096xf32, #one>
    %s = "tt.scan"(%w) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tt.scan.return %sum : f32
    }) : (tensor<4096xf32, #one>) -> tensor<4096xf32, #one>
    tt.store %p, %s : tensor<4096x!tt.ptr<f32>, #one>
    tt.return
  }

  // CHECK-LABEL: @longest
  tt.func public @longest(%x: !tt.ptr<f32>, %stride: i32 {tt.divisibility = 16 : i32}) {
    %column = tt.get_program_id x : i32
    %rows = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, #one>
    %strides = tt.splat %stride : i32 -> tensor<4096xi32, #one>
    %starts = arith.muli %rows, %strides : tensor<4096xi32, #one>
    %columns = tt.splat %column : i32 -> tensor<4096xi32, #one>
    %places = arith.addi %starts, %columns : tensor<4096xi32, #one>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #one>
    %p = tt.addptr %xs, %places : tensor<4096x!tt.ptr<f32>, #one>, tensor<4096xi32, #one>
    %v = tt.load %p : tensor<4096x!tt.ptr<f32>, #one>
    // CHECK: %[[V:.*]] = ttg.convert_layout
    // CHECK: "tt.scan"(%[[V]])
    %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %greater = arith.cmpf ogt, %a, %b : f32
      %longer = arith.select %greater, %a, %b : f32
      tt.scan.return %longer : f32
    }) : (tensor<4096xf32, #one>) -> tensor<4096xf32, #one>
    tt.store %p, %s : tensor<4096x!tt.ptr<f32>, #one>
    tt.return
  }
}
