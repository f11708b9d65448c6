// RUN: nereid-opt %s --nereid-convert-tt-to-ttg="num-warps=4" --nereid-ttg-coalesce --split-input-file | FileCheck %s

// 16-byte alignment: vectors of 128 bits.
// CHECK: #[[V4:.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @aligned
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[V4]]>
tt.func @aligned(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<1024xf32> {
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %bases, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  tt.return %v : tensor<1024xf32>
}

// -----

// Nothing known of the address: single elements.
// CHECK-NOT: sizePerThread = [{{2|4|8}}]
// CHECK-LABEL: tt.func @unaligned
tt.func @unaligned(%x: !tt.ptr<f32>) -> tensor<1024xf32> {
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %bases, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  tt.return %v : tensor<1024xf32>
}

// -----

// 256 elements for 128 threads: two each, though four could be loaded at once.
// CHECK: #[[V2:.+]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @few_elements
// CHECK: tt.load {{.*}} #[[V2]]>
tt.func @few_elements(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<256xf32> {
  %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %p = tt.addptr %bases, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %p : tensor<256x!tt.ptr<f32>>
  tt.return %v : tensor<256xf32>
}

// -----

// Addresses run down the columns: lanes follow them.
// CHECK: #[[COLUMNS:.+]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-LABEL: tt.func @columns
// CHECK: tt.load {{.*}} #[[COLUMNS]]>
tt.func @columns(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) -> tensor<64x32xf32> {
  %r1 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c1 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r = tt.expand_dims %r1 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c = tt.expand_dims %c1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s = tt.splat %stride : i32 -> tensor<1x32xi32>
  %cs = arith.muli %c, %s : tensor<1x32xi32>
  %rb = tt.broadcast %r : tensor<64x1xi32> -> tensor<64x32xi32>
  %cb = tt.broadcast %cs : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %rb, %cb : tensor<64x32xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %p = tt.addptr %bases, %o : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %v = tt.load %p : tensor<64x32x!tt.ptr<f32>>
  tt.return %v : tensor<64x32xf32>
}

// -----

// f32 and f16 that are added agree on the wider vector of the f16 load.
// CHECK: #[[V8:.+]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @agree
// CHECK: tt.load {{.*}} : tensor<2048x!tt.ptr<f32>, #[[V8]]>
// CHECK: tt.load {{.*}} : tensor<2048x!tt.ptr<f16>, #[[V8]]>
tt.func @agree(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<2048xf32> {
  %range = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %bx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %by = tt.splat %y : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>>
  %px = tt.addptr %bx, %range : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %py = tt.addptr %by, %range : tensor<2048x!tt.ptr<f16>>, tensor<2048xi32>
  %vx = tt.load %px : tensor<2048x!tt.ptr<f32>>
  %vy = tt.load %py : tensor<2048x!tt.ptr<f16>>
  %wide = arith.extf %vy : tensor<2048xf16> to tensor<2048xf32>
  %sum = arith.addf %vx, %wide : tensor<2048xf32>
  tt.return %sum : tensor<2048xf32>
}

// -----

// A store of f32 is never wider than 4 elements, and what it stores is loaded as the store wants it.
// CHECK: #[[V4:.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @store_without_gaps
// CHECK: tt.load {{.*}} : tensor<2048x!tt.ptr<f16>, #[[V4]]>
// CHECK: tt.store {{.*}} : tensor<2048x!tt.ptr<f32>, #[[V4]]>
tt.func @store_without_gaps(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %bx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %by = tt.splat %y : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>>
  %px = tt.addptr %bx, %range : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %py = tt.addptr %by, %range : tensor<2048x!tt.ptr<f16>>, tensor<2048xi32>
  %vy = tt.load %py : tensor<2048x!tt.ptr<f16>>
  %wide = arith.extf %vy : tensor<2048xf16> to tensor<2048xf32>
  tt.store %px, %wide : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// Nothing is proven to run. Neighbours along i % width are nearest, channels are a stride apart.
// CHECK: #[[ROWS:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-LABEL: tt.func @convolution
// CHECK: tt.load {{.*}} #[[ROWS]]>
tt.func @convolution(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %width: i32, %stride: i32) -> tensor<128x32xf16> {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %c1 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %ws = tt.splat %width : i32 -> tensor<128xi32>
  %column = arith.remsi %i, %ws : tensor<128xi32>
  %row = arith.divsi %i, %ws : tensor<128xi32>
  %line = arith.muli %row, %ws : tensor<128xi32>
  %place = arith.addi %line, %column : tensor<128xi32>
  %r = tt.expand_dims %place {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %c = tt.expand_dims %c1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s = tt.splat %stride : i32 -> tensor<1x32xi32>
  %cs = arith.muli %c, %s : tensor<1x32xi32>
  %rb = tt.broadcast %r : tensor<128x1xi32> -> tensor<128x32xi32>
  %cb = tt.broadcast %cs : tensor<1x32xi32> -> tensor<128x32xi32>
  %o = arith.addi %rb, %cb : tensor<128x32xi32>
  %bases = tt.splat %x : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %p = tt.addptr %bases, %o : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
  %v = tt.load %p : tensor<128x32x!tt.ptr<f16>>
  tt.return %v : tensor<128x32xf16>
}

// -----

// Of two strides, both unknown, the outer one is a multiple of the inner.
// CHECK: #[[INNER:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-LABEL: tt.func @two_strides
// CHECK: tt.load {{.*}} #[[INNER]]>
tt.func @two_strides(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %inner: i32, %outer: i32 {tt.divisibility = 16 : i32}) -> tensor<32x64xf16> {
  %r1 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %c1 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r = tt.expand_dims %r1 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %c = tt.expand_dims %c1 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rs = tt.splat %inner : i32 -> tensor<32x1xi32>
  %cs = tt.splat %outer : i32 -> tensor<1x64xi32>
  %ro = arith.muli %r, %rs : tensor<32x1xi32>
  %co = arith.muli %c, %cs : tensor<1x64xi32>
  %rb = tt.broadcast %ro : tensor<32x1xi32> -> tensor<32x64xi32>
  %cb = tt.broadcast %co : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %rb, %cb : tensor<32x64xi32>
  %bases = tt.splat %x : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %p = tt.addptr %bases, %o : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  %v = tt.load %p : tensor<32x64x!tt.ptr<f16>>
  tt.return %v : tensor<32x64xf16>
}

// -----

// Halves from vectors of eight, behind a rotation of which nothing is known: stored one by one, they are
// neighbours in lanes.
// CHECK-DAG: #[[V8:.+]] = #ttg.blocked<{sizePerThread = [8],
// CHECK-DAG: #[[V1:.+]] = #ttg.blocked<{sizePerThread = [1],
// CHECK-LABEL: tt.func @gaps
// CHECK: tt.load {{.*}} #[[V8]]>
// CHECK: tt.store {{.*}} #[[V1]]>
tt.func @gaps(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %bases = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %bases, %range : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f16>>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %row = arith.divsi %range, %ns : tensor<1024xi32>
  %there = arith.addi %range, %row : tensor<1024xi32>
  %outs = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %outs, %there : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  tt.store %q, %v : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// -----

// Where each goes is loaded: neighbours in lanes need not be neighbours there, so they stay where they are.
// CHECK: #[[V8:.+]] = #ttg.blocked<{sizePerThread = [8],
// CHECK-LABEL: tt.func @anywhere
// CHECK: tt.store {{.*}} #[[V8]]>
tt.func @anywhere(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %where: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %bases = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %bases, %range : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f16>>
  %wheres = tt.splat %where : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %w = tt.addptr %wheres, %range : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %there = tt.load %w : tensor<1024x!tt.ptr<i32>>
  %outs = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %outs, %there : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  tt.store %q, %v : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// -----

// Rows of a block whose number is loaded: a warp takes one block's rows, so that a thread needs the numbers of two
// blocks of eight.
// CHECK: #[[BLOCKS:.+]] = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 1, 32], warpsPerCTA = [4, 1, 1], order = [2, 0, 1]}>
// CHECK-LABEL: tt.func @blocks
// CHECK: tt.load {{.*}} : tensor<8x16x128x!tt.ptr<f32>, #[[BLOCKS]]>
tt.func @blocks(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %where: !tt.ptr<i32> {tt.divisibility = 16 : i32}) -> tensor<8x16x128xf32> {
  %blocks = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %wheres = tt.splat %where : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %w = tt.addptr %wheres, %blocks : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %number = tt.load %w : tensor<8x!tt.ptr<i32>>
  %size = arith.constant dense<2048> : tensor<8xi32>
  %begin = arith.muli %number, %size : tensor<8xi32>
  %b0 = tt.expand_dims %begin {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %b1 = tt.expand_dims %b0 {axis = 2 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
  %b = tt.broadcast %b1 : tensor<8x1x1xi32> -> tensor<8x16x128xi32>
  %rows = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %length = arith.constant dense<128> : tensor<16xi32>
  %row = arith.muli %rows, %length : tensor<16xi32>
  %r0 = tt.expand_dims %row {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %r1 = tt.expand_dims %r0 {axis = 2 : i32} : tensor<1x16xi32> -> tensor<1x16x1xi32>
  %r = tt.broadcast %r1 : tensor<1x16x1xi32> -> tensor<8x16x128xi32>
  %columns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %c0 = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %c1 = tt.expand_dims %c0 {axis = 0 : i32} : tensor<1x128xi32> -> tensor<1x1x128xi32>
  %c = tt.broadcast %c1 : tensor<1x1x128xi32> -> tensor<8x16x128xi32>
  %br = arith.addi %b, %r : tensor<8x16x128xi32>
  %o = arith.addi %br, %c : tensor<8x16x128xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<8x16x128x!tt.ptr<f32>>
  %p = tt.addptr %bases, %o : tensor<8x16x128x!tt.ptr<f32>>, tensor<8x16x128xi32>
  %v = tt.load %p : tensor<8x16x128x!tt.ptr<f32>>
  tt.return %v : tensor<8x16x128xf32>
}

// -----

// Neighbours of points are looked up one by one. A thread has those of one point, which then meet it there.
// CHECK: #[[NEIGHBOURS:.+]] = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [2, 1, 16], warpsPerCTA = [4, 1, 1], order = [2, 0, 1]}>
// CHECK-LABEL: tt.func @neighbours
// CHECK: tt.load {{.*}} : tensor<16x16x64x!tt.ptr<f32>, #[[NEIGHBOURS]]>
tt.func @neighbours(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %where: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %points: tensor<16x64xf32>) -> tensor<16x16x64xf32> {
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
  %rows = tt.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  %width = arith.constant dense<16> : tensor<16x16xi32>
  %far = arith.muli %columns, %width : tensor<16x16xi32>
  %place = arith.addi %far, %rows : tensor<16x16xi32>
  %wheres = tt.splat %where : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %w = tt.addptr %wheres, %place : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
  %number = tt.load %w : tensor<16x16x!tt.ptr<i32>>
  %size = arith.constant dense<64> : tensor<16x16xi32>
  %begin = arith.muli %number, %size : tensor<16x16xi32>
  %b1 = tt.expand_dims %begin {axis = 2 : i32} : tensor<16x16xi32> -> tensor<16x16x1xi32>
  %b = tt.broadcast %b1 : tensor<16x16x1xi32> -> tensor<16x16x64xi32>
  %elements = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %e0 = tt.expand_dims %elements {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %e1 = tt.expand_dims %e0 {axis = 0 : i32} : tensor<1x64xi32> -> tensor<1x1x64xi32>
  %e = tt.broadcast %e1 : tensor<1x1x64xi32> -> tensor<16x16x64xi32>
  %o = arith.addi %b, %e : tensor<16x16x64xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x64x!tt.ptr<f32>>
  %p = tt.addptr %bases, %o : tensor<16x16x64x!tt.ptr<f32>>, tensor<16x16x64xi32>
  %v = tt.load %p : tensor<16x16x64x!tt.ptr<f32>>
  %point = tt.expand_dims %points {axis = 1 : i32} : tensor<16x64xf32> -> tensor<16x1x64xf32>
  %met = tt.broadcast %point : tensor<16x1x64xf32> -> tensor<16x16x64xf32>
  %d = arith.subf %met, %v : tensor<16x16x64xf32>
  tt.return %d : tensor<16x16x64xf32>
}

// -----

// Or, the other way round, of one number for all points.
// CHECK: #[[NUMBERS:.+]] = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 2, 16], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
// CHECK-LABEL: tt.func @numbered
// CHECK: tt.load {{.*}} : tensor<16x16x64x!tt.ptr<f32>, #[[NUMBERS]]>
tt.func @numbered(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %where: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %points: tensor<16x64xf32>) -> tensor<16x16x64xf32> {
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
  %rows = tt.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  %width = arith.constant dense<16> : tensor<16x16xi32>
  %far = arith.muli %columns, %width : tensor<16x16xi32>
  %place = arith.addi %far, %rows : tensor<16x16xi32>
  %wheres = tt.splat %where : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %w = tt.addptr %wheres, %place : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
  %number = tt.load %w : tensor<16x16x!tt.ptr<i32>>
  %size = arith.constant dense<64> : tensor<16x16xi32>
  %begin = arith.muli %number, %size : tensor<16x16xi32>
  %b1 = tt.expand_dims %begin {axis = 2 : i32} : tensor<16x16xi32> -> tensor<16x16x1xi32>
  %b = tt.broadcast %b1 : tensor<16x16x1xi32> -> tensor<16x16x64xi32>
  %elements = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %e0 = tt.expand_dims %elements {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %e1 = tt.expand_dims %e0 {axis = 0 : i32} : tensor<1x64xi32> -> tensor<1x1x64xi32>
  %e = tt.broadcast %e1 : tensor<1x1x64xi32> -> tensor<16x16x64xi32>
  %o = arith.addi %b, %e : tensor<16x16x64xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x64x!tt.ptr<f32>>
  %p = tt.addptr %bases, %o : tensor<16x16x64x!tt.ptr<f32>>, tensor<16x16x64xi32>
  %v = tt.load %p : tensor<16x16x64x!tt.ptr<f32>>
  %point = tt.expand_dims %points {axis = 0 : i32} : tensor<16x64xf32> -> tensor<1x16x64xf32>
  %met = tt.broadcast %point : tensor<1x16x64xf32> -> tensor<16x16x64xf32>
  %d = arith.subf %met, %v : tensor<16x16x64xf32>
  tt.return %d : tensor<16x16x64xf32>
}

// -----

// Keys in runs whose length is an argument are loaded one by one and meet the values as sums of rows: neighbours are
// in lanes, and each warp has the rows that it has of the values.
// CHECK: #[[KEYS:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[VALUES:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func @meets_as_sums
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f16>, #[[KEYS]]>
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f16>, #[[VALUES]]>
tt.func @meets_as_sums(%k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %run: i32, %stride: i32) -> tensor<64x128xf16> {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %r0 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r = tt.broadcast %r0 : tensor<64x1xi32> -> tensor<64x128xi32>
  %c0 = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %c = tt.broadcast %c0 : tensor<1x128xi32> -> tensor<64x128xi32>
  %runs = tt.splat %run : i32 -> tensor<64x128xi32>
  %strides = tt.splat %stride : i32 -> tensor<64x128xi32>
  %length = arith.constant dense<128> : tensor<64x128xi32>
  %which = arith.divsi %c, %runs : tensor<64x128xi32>
  %begin = arith.muli %which, %strides : tensor<64x128xi32>
  %within = arith.remsi %c, %runs : tensor<64x128xi32>
  %down = arith.muli %r, %runs : tensor<64x128xi32>
  %k0 = arith.addi %begin, %within : tensor<64x128xi32>
  %k1 = arith.addi %k0, %down : tensor<64x128xi32>
  %k2 = tt.splat %k : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
  %k3 = tt.addptr %k2, %k1 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
  %keys = tt.load %k3 : tensor<64x128x!tt.ptr<f16>>
  %v0 = arith.muli %r, %length : tensor<64x128xi32>
  %v1 = arith.addi %v0, %c : tensor<64x128xi32>
  %v2 = tt.splat %v : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
  %v3 = tt.addptr %v2, %v1 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
  %values = tt.load %v3 : tensor<64x128x!tt.ptr<f16>>
  %sums = "tt.reduce"(%keys) <{axis = 1 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    tt.reduce.return %s : f16
  }) : (tensor<64x128xf16>) -> tensor<64xf16>
  %s0 = tt.expand_dims %sums {axis = 1 : i32} : tensor<64xf16> -> tensor<64x1xf16>
  %s1 = tt.broadcast %s0 : tensor<64x1xf16> -> tensor<64x128xf16>
  %out = arith.mulf %values, %s1 : tensor<64x128xf16>
  tt.return %out : tensor<64x128xf16>
}

// -----

// Values of a paged cache whose pages have one row for each channel. The page's number is loaded, but neighbours
// nearly all have the same one, and lie side by side.
// CHECK: #[[PAGES:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [2, 2], order = [0, 1]}>
// CHECK-LABEL: tt.func @pages
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f16>, #[[PAGES]]>
tt.func @pages(%v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %table: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %size: i32 {tt.divisibility = 16 : i32}, %page: i32 {tt.divisibility = 16 : i32}, %length: i32) -> tensor<64x128xf16> {
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %d1 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %lengths = tt.splat %length : i32 -> tensor<64xi32>
  %within = arith.cmpi slt, %n, %lengths : tensor<64xi32>
  %sizes = tt.splat %size : i32 -> tensor<64xi32>
  %which = arith.divsi %n, %sizes : tensor<64xi32>
  %tables = tt.splat %table : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %places = tt.addptr %tables, %which : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %numbers = tt.load %places, %within, %zero : tensor<64x!tt.ptr<i32>>
  %pages = tt.splat %page : i32 -> tensor<64xi32>
  %begin = arith.muli %numbers, %pages : tensor<64xi32>
  %token = arith.remsi %n, %sizes : tensor<64xi32>
  %o1 = arith.addi %begin, %token : tensor<64xi32>
  %o2 = tt.expand_dims %o1 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %o3 = tt.broadcast %o2 : tensor<64x1xi32> -> tensor<64x128xi32>
  %d = tt.expand_dims %d1 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %ds = tt.splat %size : i32 -> tensor<1x128xi32>
  %channel = arith.muli %d, %ds : tensor<1x128xi32>
  %channels = tt.broadcast %channel : tensor<1x128xi32> -> tensor<64x128xi32>
  %o = arith.addi %o3, %channels : tensor<64x128xi32>
  %bases = tt.splat %v : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
  %p = tt.addptr %bases, %o : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
  %values = tt.load %p : tensor<64x128x!tt.ptr<f16>>
  tt.return %values : tensor<64x128xf16>
}

// -----

// Factors that are loaded one by one: a thread has elements of 4 rows and 16 neighbouring columns, not of 1 and 64. What
// is reduced, too, stays as it is.
// CHECK-DAG: #[[FACTOR:.+]] = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[OTHER:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-LABEL: tt.func @factors
// CHECK: tt.load {{.*}} #[[FACTOR]]>
// CHECK: tt.load {{.*}} #[[OTHER]]>
tt.func @factors(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %inner: i32, %outer: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x128xf16>, %c: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64xf16>) {
  %r1 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %c1 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r = tt.expand_dims %r1 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %k = tt.expand_dims %c1 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rs = tt.splat %inner : i32 -> tensor<128x1xi32>
  %ks = tt.splat %outer : i32 -> tensor<1x64xi32>
  %ro = arith.muli %r, %rs : tensor<128x1xi32>
  %ko = arith.muli %k, %ks : tensor<1x64xi32>
  %rb = tt.broadcast %ro : tensor<128x1xi32> -> tensor<128x64xi32>
  %kb = tt.broadcast %ko : tensor<1x64xi32> -> tensor<128x64xi32>
  %o = arith.addi %rb, %kb : tensor<128x64xi32>
  %bases = tt.splat %x : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
  %p = tt.addptr %bases, %o : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %v = tt.load %p : tensor<128x64x!tt.ptr<f16>>
  %w = tt.load %p : tensor<128x64x!tt.ptr<f16>>
  %d = tt.dot %q, %v, %c : tensor<64x128xf16> * tensor<128x64xf16> -> tensor<64x64xf32>
  %e = tt.dot %q, %w, %d : tensor<64x128xf16> * tensor<128x64xf16> -> tensor<64x64xf32>
  %sums = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    tt.reduce.return %s : f16
  }) : (tensor<128x64xf16>) -> tensor<64xf16>
  tt.return %e, %sums : tensor<64x64xf32>, tensor<64xf16>
}

// -----

// Planes of pictures, whose channels are summed: behind a row's neighbours lanes go along rows, and a thread has channels.
// Whichever of the two is nearer in memory, no lanes have to exchange anything.
// CHECK-DAG: #[[PLANES:.+]] = #ttg.blocked<{sizePerThread = [1, 4, 1], threadsPerWarp = [8, 4, 1], warpsPerCTA = [2, 1, 2], order = [1, 0, 2]}>
// CHECK-LABEL: tt.func @planes
// CHECK: tt.load {{.*}} #[[PLANES]]>
tt.func @planes(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %height: i32 {tt.divisibility = 16 : i32}, %channel: i32 {tt.divisibility = 16 : i32}) -> tensor<16x16xf32> {
  %r1 = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %c1 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %h2 = tt.expand_dims %r1 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %h3 = tt.expand_dims %h2 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
  %w2 = tt.expand_dims %r1 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %w3 = tt.expand_dims %w2 {axis = 2 : i32} : tensor<1x16xi32> -> tensor<1x16x1xi32>
  %c2 = tt.expand_dims %c1 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = tt.expand_dims %c2 {axis = 0 : i32} : tensor<1x64xi32> -> tensor<1x1x64xi32>
  %hs = tt.splat %height : i32 -> tensor<16x1x1xi32>
  %cs = tt.splat %channel : i32 -> tensor<1x1x64xi32>
  %ho = arith.muli %h3, %hs : tensor<16x1x1xi32>
  %co = arith.muli %c3, %cs : tensor<1x1x64xi32>
  %hb = tt.broadcast %ho : tensor<16x1x1xi32> -> tensor<16x16x64xi32>
  %wb = tt.broadcast %w3 : tensor<1x16x1xi32> -> tensor<16x16x64xi32>
  %cb = tt.broadcast %co : tensor<1x1x64xi32> -> tensor<16x16x64xi32>
  %hw = arith.addi %hb, %wb : tensor<16x16x64xi32>
  %o = arith.addi %hw, %cb : tensor<16x16x64xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x64x!tt.ptr<f32>>
  %p = tt.addptr %bases, %o : tensor<16x16x64x!tt.ptr<f32>>, tensor<16x16x64xi32>
  %v = tt.load %p : tensor<16x16x64x!tt.ptr<f32>>
  %squares = arith.mulf %v, %v : tensor<16x16x64xf32>
  %sums = "tt.reduce"(%squares) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x16x64xf32>) -> tensor<16x16xf32>
  tt.return %sums : tensor<16x16xf32>
}

// -----

// What is looked up is loaded where its indices are, in vectors of eight, and so is what meets it there: no index
// travels. That counts for a table whose neighbours repeat, too.
// CHECK: #[[V8:.+]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @looked_up
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<i8>, #[[V8]]>
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[V8]]>
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[V8]]>
tt.func @looked_up(%codes: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %table: !tt.ptr<f32>, %scales: !tt.ptr<f32>) -> tensor<1024xf32> {
  %c32 = arith.constant dense<32> : tensor<1024xi32>
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %cs = tt.splat %codes : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %cp = tt.addptr %cs, %range : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  %code = tt.load %cp : tensor<1024x!tt.ptr<i8>>
  %index = arith.extui %code : tensor<1024xi8> to tensor<1024xi32>
  %ts = tt.splat %table : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %tp = tt.addptr %ts, %index : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %value = tt.load %tp : tensor<1024x!tt.ptr<f32>>
  %block = arith.divsi %range, %c32 : tensor<1024xi32>
  %ss = tt.splat %scales : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %sp = tt.addptr %ss, %block : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %scale = tt.load %sp : tensor<1024x!tt.ptr<f32>>
  %product = arith.mulf %value, %scale : tensor<1024xf32>
  tt.return %product : tensor<1024xf32>
}

// -----

// Of codes of three bits, eight have three bytes between them: a thread loads those once if it has all eight.
// CHECK: #[[EIGHT:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func @three_bits
// CHECK: tt.load {{.*}} : tensor<32x64x!tt.ptr<i8>, #[[EIGHT]]>
tt.func @three_bits(%x: !tt.ptr<i8>, %stride: i32) -> tensor<32x64xi8> {
  %c3 = arith.constant dense<3> : tensor<64xi32>
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bits = arith.muli %c, %c3 : tensor<64xi32>
  %bytes = arith.shrsi %bits, %c3 : tensor<64xi32>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %s = tt.splat %stride : i32 -> tensor<32x1xi32>
  %rs = arith.muli %r2, %s : tensor<32x1xi32>
  %rb = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
  %b2 = tt.expand_dims %bytes {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bb = tt.broadcast %b2 : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %rb, %bb : tensor<32x64xi32>
  %bases = tt.splat %x : !tt.ptr<i8> -> tensor<32x64x!tt.ptr<i8>>
  %p = tt.addptr %bases, %o : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
  %v = tt.load %p : tensor<32x64x!tt.ptr<i8>>
  tt.return %v : tensor<32x64xi8>
}

// -----

// A code's eight numbers are looked up where the code is: a thread with both codes of a row has all 16.
// CHECK: #[[CODES:.+]] = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[BOTH:.+]] = #ttg.linear<{register = {{\[\[}}0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 1, 0], [128, 0, 0]], lane = {{\[\[}}1, 0, 0], [2, 0, 0],
// CHECK-LABEL: tt.func @book
// CHECK: tt.load {{.*}} : tensor<256x2x!tt.ptr<i8>, #[[CODES]]>
// CHECK: tt.load {{.*}} : tensor<256x2x8x!tt.ptr<f16>, #[[BOTH]]>
tt.func @book(%codes: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %book: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<256x2xf16> {
  %c2 = arith.constant dense<2> : tensor<256x1xi32>
  %c8 = arith.constant dense<8> : tensor<256x2x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %c = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %n = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
  %rs = arith.muli %r2, %c2 : tensor<256x1xi32>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %rb = tt.broadcast %rs : tensor<256x1xi32> -> tensor<256x2xi32>
  %cb = tt.broadcast %c1 : tensor<1x2xi32> -> tensor<256x2xi32>
  %o = arith.addi %rb, %cb : tensor<256x2xi32>
  %cs = tt.splat %codes : !tt.ptr<i8> -> tensor<256x2x!tt.ptr<i8>>
  %cp = tt.addptr %cs, %o : tensor<256x2x!tt.ptr<i8>>, tensor<256x2xi32>
  %code = tt.load %cp : tensor<256x2x!tt.ptr<i8>>
  %wide = arith.extui %code : tensor<256x2xi8> to tensor<256x2xi32>
  %w3 = tt.expand_dims %wide {axis = 2 : i32} : tensor<256x2xi32> -> tensor<256x2x1xi32>
  %w8 = arith.muli %w3, %c8 : tensor<256x2x1xi32>
  %n2 = tt.expand_dims %n {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %n3 = tt.expand_dims %n2 {axis = 0 : i32} : tensor<1x8xi32> -> tensor<1x1x8xi32>
  %wb = tt.broadcast %w8 : tensor<256x2x1xi32> -> tensor<256x2x8xi32>
  %nb = tt.broadcast %n3 : tensor<1x1x8xi32> -> tensor<256x2x8xi32>
  %bo = arith.addi %wb, %nb : tensor<256x2x8xi32>
  %bs = tt.splat %book : !tt.ptr<f16> -> tensor<256x2x8x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<256x2x8x!tt.ptr<f16>>, tensor<256x2x8xi32>
  %v = tt.load %bp : tensor<256x2x8x!tt.ptr<f16>>
  %sums = "tt.reduce"(%v) <{axis = 2 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    tt.reduce.return %s : f16
  }) : (tensor<256x2x8xf16>) -> tensor<256x2xf16>
  tt.return %sums : tensor<256x2xf16>
}
