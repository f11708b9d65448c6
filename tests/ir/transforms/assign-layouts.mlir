// RUN: nereid-opt %s --nereid-ttg-assign-layouts --canonicalize --split-input-file | FileCheck %s

#default = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // What is computed from a load, and what the load's address is computed from, take its layout, through the loop.
  // CHECK: #[[WIDE:.+]] = #ttg.blocked<{sizePerThread = [4]
  // CHECK-LABEL: tt.func @loop
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.make_range {{.*}} : tensor<1024xi32, #[[WIDE]]>
  // CHECK: scf.for {{.*}} -> (tensor<1024x!tt.ptr<f32>, #[[WIDE]]>, tensor<1024xf32, #[[WIDE]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @loop(%x: !tt.ptr<f32>, %n: i32) -> f32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<1024xf32, #default>
    %step = arith.constant dense<1024> : tensor<1024xi32, #default>
    %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #default>
    %bases = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #default>
    %p0 = tt.addptr %bases, %range : tensor<1024x!tt.ptr<f32>, #default>, tensor<1024xi32, #default>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %acc = %zero) -> (tensor<1024x!tt.ptr<f32>, #default>, tensor<1024xf32, #default>) : i32 {
      %pw = ttg.convert_layout %p : tensor<1024x!tt.ptr<f32>, #default> -> tensor<1024x!tt.ptr<f32>, #wide>
      %vw = tt.load %pw : tensor<1024x!tt.ptr<f32>, #wide>
      %v = ttg.convert_layout %vw : tensor<1024xf32, #wide> -> tensor<1024xf32, #default>
      %sum = arith.addf %acc, %v : tensor<1024xf32, #default>
      %next = tt.addptr %p, %step : tensor<1024x!tt.ptr<f32>, #default>, tensor<1024xi32, #default>
      scf.yield %next, %sum : tensor<1024x!tt.ptr<f32>, #default>, tensor<1024xf32, #default>
    }
    %t = "tt.reduce"(%r#1) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<1024xf32, #default>) -> f32
    tt.return %t : f32
  }
}

// -----

#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#default1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A row's maximum meets the row without moving.
  // CHECK: #[[WIDE:.+]] = #ttg.blocked<{sizePerThread = [1, 4]
  // CHECK-LABEL: tt.func @row_maximum
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.expand_dims {{.*}} #ttg.slice<{dim = 1, parent = #[[WIDE]]}>> -> tensor<64x1xf32, #[[WIDE]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @row_maximum(%p: tensor<64x128x!tt.ptr<f32>, #wide>) {
    %x = tt.load %p : tensor<64x128x!tt.ptr<f32>, #wide>
    %y = ttg.convert_layout %x : tensor<64x128xf32, #wide> -> tensor<64x128xf32, #default>
    %m = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maxnumf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<64x128xf32, #default>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #default}>>
    %m1 = ttg.convert_layout %m : tensor<64xf32, #ttg.slice<{dim = 1, parent = #default}>> -> tensor<64xf32, #default1>
    %m2 = ttg.convert_layout %m1 : tensor<64xf32, #default1> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #column}>>
    %e = tt.expand_dims %m2 {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #column}>> -> tensor<64x1xf32, #column>
    %e1 = ttg.convert_layout %e : tensor<64x1xf32, #column> -> tensor<64x1xf32, #default>
    %b = tt.broadcast %e1 : tensor<64x1xf32, #default> -> tensor<64x128xf32, #default>
    %d = arith.subf %y, %b : tensor<64x128xf32, #default>
    %s = ttg.convert_layout %d : tensor<64x128xf32, #default> -> tensor<64x128xf32, #wide>
    tt.store %p, %s : tensor<64x128x!tt.ptr<f32>, #wide>
    tt.return
  }

  // One number a row is stored where it was computed.
  // CHECK-LABEL: tt.func @small_store
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store {{.*}} : tensor<8x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #[[WIDE]]}>>
  tt.func @small_store(%p: tensor<8x128x!tt.ptr<f32>, #wide>, %q: !tt.ptr<f32>) {
    %x = tt.load %p : tensor<8x128x!tt.ptr<f32>, #wide>
    %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<8x128xf32, #wide>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #wide}>>
    %m1 = ttg.convert_layout %m : tensor<8xf32, #ttg.slice<{dim = 1, parent = #wide}>> -> tensor<8xf32, #default1>
    %range = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #default1>
    %bases = tt.splat %q : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #default1>
    %qs = tt.addptr %bases, %range : tensor<8x!tt.ptr<f32>, #default1>, tensor<8xi32, #default1>
    tt.store %qs, %m1 : tensor<8x!tt.ptr<f32>, #default1>
    tt.return
  }

  // Not where a load behind it may read what it stores: that is in the layout that is best for memory, and so is the
  // store, so that each thread loads what it has stored. A load before it is none of those, but in a loop.
  // CHECK-LABEL: tt.func @stored_and_loaded
  // CHECK: tt.store {{.*}} : tensor<8x!tt.ptr<f32>, #[[DEFAULT:blocked[0-9]*]]>
  // CHECK-NEXT: tt.load {{.*}} : tensor<8x!tt.ptr<f32>, #[[DEFAULT]]>
  // CHECK: tt.store {{.*}} : tensor<8x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #[[WIDE]]}>>
  // CHECK: scf.for
  // CHECK: tt.store {{.*}} : tensor<8x!tt.ptr<f32>, #[[DEFAULT]]>
  tt.func @stored_and_loaded(%p: tensor<8x128x!tt.ptr<f32>, #wide>, %q: !tt.ptr<f32>, %r: !tt.ptr<f32>, %s: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<8x128x!tt.ptr<f32>, #wide>
    %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<8x128xf32, #wide>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #wide}>>
    %m1 = ttg.convert_layout %m : tensor<8xf32, #ttg.slice<{dim = 1, parent = #wide}>> -> tensor<8xf32, #default1>
    %range = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #default1>
    %qbases = tt.splat %q : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #default1>
    %qs = tt.addptr %qbases, %range : tensor<8x!tt.ptr<f32>, #default1>, tensor<8xi32, #default1>
    tt.store %qs, %m1 : tensor<8x!tt.ptr<f32>, #default1>
    %again = tt.load %qs : tensor<8x!tt.ptr<f32>, #default1>
    %rbases = tt.splat %r : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #default1>
    %rs = tt.addptr %rbases, %range : tensor<8x!tt.ptr<f32>, #default1>, tensor<8xi32, #default1>
    %before = tt.load %rs : tensor<8x!tt.ptr<f32>, #default1>
    %used = arith.addf %again, %before : tensor<8xf32, #default1>
    tt.store %rs, %m1 : tensor<8x!tt.ptr<f32>, #default1>
    %sbases = tt.splat %s : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #default1>
    %ss = tt.addptr %sbases, %range : tensor<8x!tt.ptr<f32>, #default1>, tensor<8xi32, #default1>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %used) -> (tensor<8xf32, #default1>) : i32 {
      %old = tt.load %ss : tensor<8x!tt.ptr<f32>, #default1>
      tt.store %ss, %m1 : tensor<8x!tt.ptr<f32>, #default1>
      %next = arith.addf %sum, %old : tensor<8xf32, #default1>
      scf.yield %next : tensor<8xf32, #default1>
    }
    tt.store %ss, %last : tensor<8x!tt.ptr<f32>, #default1>
    tt.return
  }

  // Rows loaded, columns stored: one conversion, of the data.
  // CHECK-LABEL: tt.func @transposed
  // CHECK: tt.load
  // CHECK: ttg.convert_layout {{.*}} : tensor<128x64xf32
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store
  tt.func @transposed(%p: tensor<64x128x!tt.ptr<f32>, #wide>, %q: tensor<128x64x!tt.ptr<f32>, #default>) {
    %x = tt.load %p : tensor<64x128x!tt.ptr<f32>, #wide>
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x128xf32, #wide> -> tensor<128x64xf32, #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>>
    %c = ttg.convert_layout %t : tensor<128x64xf32, #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>> -> tensor<128x64xf32, #default>
    tt.store %q, %c : tensor<128x64x!tt.ptr<f32>, #default>
    tt.return
  }
}

// -----

#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // What a loop carries from product to product has the products' layout, although what it begins with was loaded.
  // CHECK: #[[MMA:.+]] = #ttg.nvidia_mma<{versionMajor = 3
  // CHECK-LABEL: tt.func @sums_stay
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[MMA]]>)
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[S:.+]] = arith.mulf %{{.*}} : tensor<64x64xf32, #[[MMA]]>
  // CHECK: arith.addf %[[S]]
  // CHECK: scf.yield {{.*}} : tensor<64x64xf32, #[[MMA]]>
  tt.func @sums_stay(%p: tensor<64x64x!tt.ptr<f32>, #wide>, %f: tensor<64x64xf16, #a>, %k: !ttg.memdesc<64x64xf16, #rows, #smem>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #wide>
    %first = ttg.convert_layout %x : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #default>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first) -> (tensor<64x64xf32, #default>) : i32 {
      %d = ttng.warp_group_dot %f, %k, %zero : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %e = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #default>
      %s = arith.mulf %sum, %e : tensor<64x64xf32, #default>
      %t = arith.addf %s, %e : tensor<64x64xf32, #default>
      scf.yield %t : tensor<64x64xf32, #default>
    }
    %o = ttg.convert_layout %r : tensor<64x64xf32, #default> -> tensor<64x64xf32, #wide>
    tt.store %p, %o : tensor<64x64x!tt.ptr<f32>, #wide>
    tt.return
  }

  // In a loop without products a sum of products has the layout of what is loaded there and added: it is moved once,
  // before the loop.
  // CHECK-LABEL: tt.func @sums_go_on
  // CHECK: ttng.warp_group_dot
  // CHECK: %[[FIRST:.+]] = ttg.convert_layout %{{.*}} : tensor<64x64xf32, #[[MMA]]> -> tensor<64x64xf32, #[[WIDE:.+]]>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]]) -> (tensor<64x64xf32, #[[WIDE]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[MMA]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  tt.func @sums_go_on(%p: tensor<64x64x!tt.ptr<f32>, #wide>, %f: tensor<64x64xf16, #a>, %k: !ttg.memdesc<64x64xf16, #rows, #smem>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %f, %k, %zero : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %e = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #default>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %e) -> (tensor<64x64xf32, #default>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #wide>
      %y = ttg.convert_layout %x : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #default>
      %s = arith.addf %sum, %y : tensor<64x64xf32, #default>
      scf.yield %s : tensor<64x64xf32, #default>
    }
    %o = ttg.convert_layout %r : tensor<64x64xf32, #default> -> tensor<64x64xf32, #wide>
    tt.store %p, %o : tensor<64x64x!tt.ptr<f32>, #wide>
    // Where nothing in the loop has a layout of its own, it is the product's.
    %q = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %e) -> (tensor<64x64xf32, #default>) : i32 {
      %s = arith.mulf %sum, %sum : tensor<64x64xf32, #default>
      scf.yield %s : tensor<64x64xf32, #default>
    }
    %u = ttg.convert_layout %q : tensor<64x64xf32, #default> -> tensor<64x64xf32, #wide>
    tt.store %p, %u : tensor<64x64x!tt.ptr<f32>, #wide>
    tt.return
  }

  // A column of few elements is loaded as is good for a column. The tile that it is broadcast to, and what is computed
  // from that, has the layout of what it meets.
  // CHECK-LABEL: tt.func @column
  // CHECK: tt.load {{.*}} : tensor<64x1x!tt.ptr<f32>, #[[COLUMN:.+]]>
  // CHECK: ttg.convert_layout {{.*}} : tensor<64x1xf32, #[[COLUMN]]>
  // CHECK-NOT: tensor<64x64xf32, #[[COLUMN]]>
  // CHECK: tt.return
  tt.func @column(%p: tensor<64x64x!tt.ptr<f32>, #wide>, %q: tensor<64x1x!tt.ptr<f32>, #column>) {
    %c = tt.load %q : tensor<64x1x!tt.ptr<f32>, #column>
    %e = ttg.convert_layout %c : tensor<64x1xf32, #column> -> tensor<64x1xf32, #default>
    %b = tt.broadcast %e : tensor<64x1xf32, #default> -> tensor<64x64xf32, #default>
    %d = math.exp %b : tensor<64x64xf32, #default>
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #wide>
    %y = ttg.convert_layout %x : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #default>
    %z = arith.mulf %d, %y : tensor<64x64xf32, #default>
    %s = ttg.convert_layout %z : tensor<64x64xf32, #default> -> tensor<64x64xf32, #wide>
    tt.store %p, %s : tensor<64x64x!tt.ptr<f32>, #wide>
    tt.return
  }
}

// -----

// Halves that lie in different warps: of each thread's two rows, one goes to the other warp, so that each has both halves
// of a row. What is computed from them goes on in the layout that comes of that.
#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 32, 1], warpsPerCTA = [1, 4, 1], order = [1, 2, 0]}>
#reshaped = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 1, 4], order = [2, 1, 0]}>
#joined = #ttg.blocked<{sizePerThread = [1, 1, 2], threadsPerWarp = [1, 32, 1], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#flat = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#half = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-DAG: #[[LOADED:.+]] = #ttg.linear<{register = {{\[\[}}0, 1, 0], [0, 2, 0], [0, 4, 0], [1, 0, 0]], {{.*}}warp = {{\[\[}}0, 256, 0], [0, 0, 1]]
  // CHECK-DAG: #[[EXCHANGED:.+]] = #ttg.linear<{register = {{\[\[}}0, 0, 1], [0, 1, 0], [0, 2, 0], [0, 4, 0]], {{.*}}warp = {{\[\[}}0, 256, 0], [1, 0, 0]]
  // CHECK-DAG: #[[HALF:.+]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4]], {{.*}}warp = {{\[\[}}0, 256], [1, 0]]
  // CHECK-LABEL: tt.func @butterfly
  // CHECK: tt.trans {{.*}} -> tensor<2x512x2xf16, #[[LOADED]]>
  // CHECK: ttg.convert_layout {{.*}} -> tensor<2x512x2xf16, #[[EXCHANGED]]>
  // CHECK: tt.split {{.*}} -> tensor<2x512xf16, #[[HALF]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.join {{.*}} -> tensor<2x512x2xf16, #[[EXCHANGED]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.reduce
  tt.func @butterfly(%p: tensor<2x1024x!tt.ptr<f16>, #wide>) -> f16 {
    %xw = tt.load %p : tensor<2x1024x!tt.ptr<f16>, #wide>
    %x = ttg.convert_layout %xw : tensor<2x1024xf16, #wide> -> tensor<2x1024xf16, #default>
    %y = tt.reshape %x : tensor<2x1024xf16, #default> -> tensor<2x2x512xf16, #reshaped>
    %t = tt.trans %y {order = array<i32: 0, 2, 1>} : tensor<2x2x512xf16, #reshaped> -> tensor<2x512x2xf16, #turned>
    %c = ttg.convert_layout %t : tensor<2x512x2xf16, #turned> -> tensor<2x512x2xf16, #joined>
    %a, %b = tt.split %c : tensor<2x512x2xf16, #joined> -> tensor<2x512xf16, #half>
    %s = arith.addf %a, %b : tensor<2x512xf16, #half>
    %d = arith.subf %a, %b : tensor<2x512xf16, #half>
    %j = tt.join %s, %d : tensor<2x512xf16, #half> -> tensor<2x512x2xf16, #joined>
    %r = tt.reshape %j : tensor<2x512x2xf16, #joined> -> tensor<2048xf16, #flat>
    %m = "tt.reduce"(%r) <{axis = 0 : i32}> ({
    ^bb0(%u: f16, %v: f16):
      %0 = arith.maxnumf %u, %v : f16
      tt.reduce.return %0 : f16
    }) : (tensor<2048xf16, #flat>) -> f16
    tt.return %m : f16
  }
}

// -----

#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#tall = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#small = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #tall, kWidth = 2}>
#left = #ttg.dot_op<{opIdx = 0, parent = #small, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #small, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Sums of one loop go on in another one, with products of another kind: they move once, between the loops.
  // CHECK-DAG: #[[TALL:.+]] = #ttg.nvidia_mma<{versionMajor = 3
  // CHECK-DAG: #[[SMALL:.+]] = #ttg.nvidia_mma<{versionMajor = 2
  // CHECK-LABEL: tt.func @sums_of_two_kinds
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[TALL]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[MOVED:.+]] = ttg.convert_layout {{.*}} : tensor<64x64xf32, #[[TALL]]> -> tensor<64x64xf32, #[[SMALL]]>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[MOVED]]) -> (tensor<64x64xf32, #[[SMALL]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  tt.func @sums_of_two_kinds(%f: tensor<64x64xf16, #a>, %k: !ttg.memdesc<64x64xf16, #rows, #smem>, %l: tensor<64x64xf16, #left>, %m: tensor<64x64xf16, #right>, %n: i32) -> tensor<64x64xf32, #default> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #default>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #tall>
    %nought = arith.constant dense<0.0> : tensor<64x64xf32, #small>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<64x64xf32, #default>) : i32 {
      %d = ttng.warp_group_dot %f, %k, %zero : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #tall>
      %e = ttg.convert_layout %d : tensor<64x64xf32, #tall> -> tensor<64x64xf32, #default>
      %s = arith.addf %sum, %e : tensor<64x64xf32, #default>
      scf.yield %s : tensor<64x64xf32, #default>
    }
    %q = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %r) -> (tensor<64x64xf32, #default>) : i32 {
      %g = arith.mulf %sum, %sum : tensor<64x64xf32, #default>
      %d = tt.dot %l, %m, %nought : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #small>
      // The sums of the first loop are nearer to what is carried than this product is.
      %e0 = ttg.convert_layout %d : tensor<64x64xf32, #small> -> tensor<64x64xf32, #default>
      %e1 = math.exp %e0 : tensor<64x64xf32, #default>
      %e2 = math.sin %e1 : tensor<64x64xf32, #default>
      %e3 = math.exp %e2 : tensor<64x64xf32, #default>
      %e4 = math.sin %e3 : tensor<64x64xf32, #default>
      %e = math.exp %e4 : tensor<64x64xf32, #default>
      %s = arith.addf %g, %e : tensor<64x64xf32, #default>
      scf.yield %s : tensor<64x64xf32, #default>
    }
    tt.return %q : tensor<64x64xf32, #default>
  }
}
