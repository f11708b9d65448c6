// RUN: nereid-opt %s --nereid-tt-load-repeated-once --canonicalize --cse --split-input-file | FileCheck %s
// RUN: nereid-opt %s --nereid-ttg-pipeline --split-input-file | FileCheck %s --check-prefix=LAYOUT

// Two elements of a row to a byte, and 16 to a scale: the byte's run is known, bound and all, and read as one vector. What
// is looked up by its halves stays in the thread, and nothing is exchanged for the sum.
// CHECK-LABEL: @packed
// CHECK: %[[HALF:.+]] = arith.shrsi %{{.+}}, %{{.+}} : i32
// CHECK: %[[HALVES:.+]] = tt.splat %[[HALF]] : i32 -> tensor<32xi32>
// CHECK: %[[BYTES:.+]] = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
// CHECK: arith.addi %[[HALVES]], %[[BYTES]] : tensor<32xi32>
// CHECK: arith.cmpi slt, %{{.+}} : tensor<1x32xi32>
// CHECK: %[[X:.+]] = tt.load %{{.+}} : tensor<128x32x!tt.ptr<i8>>
// CHECK: %[[XX:.+]] = tt.join %[[X]], %[[X]] : tensor<128x32xi8> -> tensor<128x32x2xi8>
// CHECK: tt.reshape %[[XX]] : tensor<128x32x2xi8> -> tensor<128x64xi8>
// CHECK: tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
// CHECK: tt.load %{{.+}} : tensor<128x4x!tt.ptr<f32>>
// CHECK-COUNT-4: tt.join
// CHECK: tt.reshape %{{.+}} : tensor<128x4x2x2x2x2xf32> -> tensor<128x64xf32>
// LAYOUT-DAG: #[[VECTOR:.+]] = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
// LAYOUT-DAG: #[[ROW:.+]] = #ttg.linear<{register = {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [64, 0]], lane = {{\[}}[0, 32], [1, 0], [2, 0], [4, 0], [8, 0]], warp = {{\[}}[16, 0], [32, 0]], block = []}>
// LAYOUT-LABEL: @packed
// LAYOUT: tt.load %{{.+}} : tensor<128x32x!tt.ptr<i8>, #[[VECTOR]]>
// LAYOUT: tt.load %{{.+}} : tensor<128x64x!tt.ptr<f32>, #[[ROW]]>
module {
  tt.func public @packed(%w: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %scale: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %table: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %limit: i32 {tt.divisibility = 16 : i32}) {
    %c64 = arith.constant 64 : i32
    %two = arith.constant dense<2> : tensor<1x64xi32>
    %zero1 = arith.constant dense<0> : tensor<1x64xi32>
    %sixteen = arith.constant dense<16> : tensor<1x64xi32>
    %none = arith.constant dense<0> : tensor<128x64xi8>
    %four = arith.constant dense<4> : tensor<128x64xi8>
    %low = arith.constant dense<15> : tensor<128x64xi8>
    %block = tt.get_program_id x : i32
    %k0 = arith.muli %block, %c64 : i32
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %k0s = tt.splat %k0 : i32 -> tensor<64xi32>
    %k = arith.addi %k0s, %range : tensor<64xi32>
    %kk = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %rows = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %rr = tt.expand_dims %rows {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
    %row = arith.muli %rr, %strides : tensor<128x1xi32>
    %rowb = tt.broadcast %row : tensor<128x1xi32> -> tensor<128x64xi32>
    %byte = arith.divsi %kk, %two : tensor<1x64xi32>
    %byteb = tt.broadcast %byte : tensor<1x64xi32> -> tensor<128x64xi32>
    %o = arith.addi %rowb, %byteb : tensor<128x64xi32>
    %ws = tt.splat %w : !tt.ptr<i8> -> tensor<128x64x!tt.ptr<i8>>
    %wp = tt.addptr %ws, %o : tensor<128x64x!tt.ptr<i8>>, tensor<128x64xi32>
    %limits = tt.splat %limit : i32 -> tensor<1x64xi32>
    %inside = arith.cmpi slt, %kk, %limits : tensor<1x64xi32>
    %mask = tt.broadcast %inside : tensor<1x64xi1> -> tensor<128x64xi1>
    %x = tt.load %wp, %mask, %none : tensor<128x64x!tt.ptr<i8>>
    %group = arith.divsi %kk, %sixteen : tensor<1x64xi32>
    %groupb = tt.broadcast %group : tensor<1x64xi32> -> tensor<128x64xi32>
    %so = arith.addi %rowb, %groupb : tensor<128x64xi32>
    %ss = tt.splat %scale : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
    %sp = tt.addptr %ss, %so : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
    %s = tt.load %sp : tensor<128x64x!tt.ptr<f32>>
    %odd = arith.remsi %kk, %two : tensor<1x64xi32>
    %isEven = arith.cmpi eq, %odd, %zero1 : tensor<1x64xi32>
    %even = tt.broadcast %isEven : tensor<1x64xi1> -> tensor<128x64xi1>
    %high = arith.shrui %x, %four : tensor<128x64xi8>
    %lower = arith.andi %x, %low : tensor<128x64xi8>
    %code = arith.select %even, %lower, %high : tensor<128x64xi1>, tensor<128x64xi8>
    %codes = arith.extui %code : tensor<128x64xi8> to tensor<128x64xi32>
    %ts = tt.splat %table : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
    %tp = tt.addptr %ts, %codes : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
    %value = tt.load %tp : tensor<128x64x!tt.ptr<f32>>
    %scaled = arith.mulf %value, %s : tensor<128x64xf32>
    %sum = "tt.reduce"(%scaled) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<128x64xf32>) -> tensor<128xf32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %op = tt.addptr %os, %rows : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %op, %sum : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// Along the first axis the elements of one address are put behind one another as well.
// CHECK-LABEL: @columns
// CHECK: %[[X:.+]] = tt.load %{{.+}} : tensor<16x64x!tt.ptr<i8>>
// CHECK: %[[XX:.+]] = tt.join %[[X]], %[[X]] : tensor<16x64xi8> -> tensor<16x64x2xi8>
// CHECK: %[[T:.+]] = tt.trans %[[XX]] {order = array<i32: 0, 2, 1>} : tensor<16x64x2xi8> -> tensor<16x2x64xi8>
// CHECK: tt.reshape %[[T]] : tensor<16x2x64xi8> -> tensor<32x64xi8>
module {
  tt.func public @columns(%w: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %stride: i32) -> tensor<64xi8> {
    %one = arith.constant dense<1> : tensor<32x1xi32>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %kk = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %half = arith.shrui %kk, %one : tensor<32x1xi32>
    %strides = tt.splat %stride : i32 -> tensor<32x1xi32>
    %o = arith.muli %half, %strides : tensor<32x1xi32>
    %ws = tt.splat %w : !tt.ptr<i8> -> tensor<32x1x!tt.ptr<i8>>
    %rowp = tt.addptr %ws, %o : tensor<32x1x!tt.ptr<i8>>, tensor<32x1xi32>
    %rowpb = tt.broadcast %rowp : tensor<32x1x!tt.ptr<i8>> -> tensor<32x64x!tt.ptr<i8>>
    %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %nn = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %nb = tt.broadcast %nn : tensor<1x64xi32> -> tensor<32x64xi32>
    %p = tt.addptr %rowpb, %nb : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
    %x = tt.load %p : tensor<32x64x!tt.ptr<i8>>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i8, %b: i8):
      %t = arith.addi %a, %b : i8
      tt.reduce.return %t : i8
    }) : (tensor<32x64xi8>) -> tensor<64xi8>
    tt.return %sum : tensor<64xi8>
  }
}

// -----

// Not what is also stored, not where a run may begin in the middle of a byte, not what is looked up in runs of its own, and
// not with a mask that parts two halves.
// CHECK-LABEL: @left
// CHECK-NOT: tt.join
module {
  tt.func public @left(%w: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %table: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i8>, %start: i32, %limit: i32) -> (i8, i8, f32, i8) {
    %two = arith.constant dense<2> : tensor<256xi32>
    %one = arith.constant dense<1> : tensor<256xi32>
    %none = arith.constant dense<0> : tensor<256xi8>
    %k = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %ws = tt.splat %w : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %byte = arith.divsi %k, %two : tensor<256xi32>
    %p = tt.addptr %ws, %byte : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %x = tt.load %p : tensor<256x!tt.ptr<i8>>
    %os = tt.splat %out : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %op = tt.addptr %os, %k : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    tt.store %op, %x : tensor<256x!tt.ptr<i8>>
    %sum0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i8, %b: i8):
      %t = arith.addi %a, %b : i8
      tt.reduce.return %t : i8
    }) : (tensor<256xi8>) -> i8
    %starts = tt.splat %start : i32 -> tensor<256xi32>
    %from = arith.addi %starts, %k : tensor<256xi32>
    %byte1 = arith.divsi %from, %two : tensor<256xi32>
    %p1 = tt.addptr %ws, %byte1 : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %x1 = tt.load %p1 : tensor<256x!tt.ptr<i8>>
    %sum1 = "tt.reduce"(%x1) <{axis = 0 : i32}> ({
    ^bb0(%a: i8, %b: i8):
      %t = arith.addi %a, %b : i8
      tt.reduce.return %t : i8
    }) : (tensor<256xi8>) -> i8
    %x2 = tt.load %p cacheModifier = cg : tensor<256x!tt.ptr<i8>>
    %codes = arith.extui %x2 : tensor<256xi8> to tensor<256xi32>
    %rows = arith.muli %codes, %two : tensor<256xi32>
    %half = arith.remsi %k, %two : tensor<256xi32>
    %at = arith.addi %rows, %half : tensor<256xi32>
    %ts = tt.splat %table : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %tp = tt.addptr %ts, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v = tt.load %tp : tensor<256x!tt.ptr<f32>>
    %sum2 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<256xf32>) -> f32
    %limits = tt.splat %limit : i32 -> tensor<256xi32>
    %mask = arith.cmpi slt, %k, %limits : tensor<256xi32>
    %x3 = tt.load %p, %mask, %none : tensor<256x!tt.ptr<i8>>
    %sum3 = "tt.reduce"(%x3) <{axis = 0 : i32}> ({
    ^bb0(%a: i8, %b: i8):
      %t = arith.addi %a, %b : i8
      tt.reduce.return %t : i8
    }) : (tensor<256xi8>) -> i8
    tt.return %sum0, %sum1, %sum2, %sum3 : i8, i8, f32, i8
  }
}
