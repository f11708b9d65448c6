// RUN: nereid-opt %s --nereid-tt-split-over-blocks --canonicalize --cse --split-input-file | FileCheck %s

// A product's rows are divided: a block loads its rows of the left factor and all of the right one, and the loop
// hands on what belongs to that.
module attributes {"ttg.num-ctas" = 2 : i32} {
  // CHECK-LABEL: @product(
  // CHECK: %[[BLOCK:.+]] = ttg.block_in_cluster : i32
  // CHECK: %[[BEGIN:.+]] = arith.muli %[[BLOCK]], %c64
  // CHECK: scf.for {{.*}} -> (tensor<64x128xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x128x!tt.ptr<f16>>)
  // CHECK: tt.load {{.*}} {nereid.block_axis = 0 : i32} : tensor<64x32x!tt.ptr<f16>>
  // CHECK: tt.load {{.*}} {nereid.block_axis = -1 : i32} : tensor<32x128x!tt.ptr<f16>>
  // CHECK: tt.dot {{.*}} : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32>
  // CHECK-NOT: exchange_blocks
  // CHECK: tt.store {{.*}} {nereid.block_axis = 0 : i32} : tensor<64x128x!tt.ptr<f32>>
  tt.func public @product(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %n: i32) {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %step = arith.constant dense<32> : tensor<128x32xi32>
    %stepB = arith.constant dense<4096> : tensor<32x128xi32>
    %rm = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %rk = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
    %m = tt.expand_dims %rm {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %n1 = tt.expand_dims %rm {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %k0 = tt.expand_dims %rk {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %k1 = tt.expand_dims %rk {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %mk = tt.broadcast %m : tensor<128x1xi32> -> tensor<128x32xi32>
    %km = tt.broadcast %k0 : tensor<1x32xi32> -> tensor<128x32xi32>
    %oa = arith.addi %mk, %km : tensor<128x32xi32>
    %kn = tt.broadcast %k1 : tensor<32x1xi32> -> tensor<32x128xi32>
    %nk = tt.broadcast %n1 : tensor<1x128xi32> -> tensor<32x128xi32>
    %ob = arith.addi %kn, %nk : tensor<32x128xi32>
    %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
    %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x128x!tt.ptr<f16>>
    %ap = tt.addptr %as, %oa : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
    %bp = tt.addptr %bs, %ob : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
    %r:3 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (tensor<128x128xf32>, tensor<128x32x!tt.ptr<f16>>, tensor<32x128x!tt.ptr<f16>>) : i32 {
      %x = tt.load %pa : tensor<128x32x!tt.ptr<f16>>
      %y = tt.load %pb : tensor<32x128x!tt.ptr<f16>>
      %d = tt.dot %x, %y, %acc : tensor<128x32xf16> * tensor<32x128xf16> -> tensor<128x128xf32>
      %na = tt.addptr %pa, %step : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
      %nb = tt.addptr %pb, %stepB : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
      scf.yield %d, %na, %nb : tensor<128x128xf32>, tensor<128x32x!tt.ptr<f16>>, tensor<32x128x!tt.ptr<f16>>
    }
    %mn = tt.broadcast %m : tensor<128x1xi32> -> tensor<128x128xi32>
    %nm = tt.broadcast %n1 : tensor<1x128xi32> -> tensor<128x128xi32>
    %oc = arith.addi %mn, %nm : tensor<128x128xi32>
    %cs = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
    %cp = tt.addptr %cs, %oc : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
    tt.store %cp, %r#0 : tensor<128x128x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// A row that is divided is reduced in two steps; of a tile, another axis than the reduced one is divided.
module attributes {"ttg.num-ctas" = 4 : i32} {
  // CHECK-LABEL: @row(
  // CHECK: %[[SUM:.+]] = "tt.reduce"(%{{.+}}) <{axis = 0 : i32}>
  // CHECK: (tensor<64xf32>) -> f32
  // CHECK: %[[ONE:.+]] = tt.splat %[[SUM]] : f32 -> tensor<1xf32>
  // CHECK: %[[ALL:.+]] = ttg.exchange_blocks %[[ONE]] from 0 to -1 : tensor<1xf32> -> tensor<4xf32>
  // CHECK: "tt.reduce"(%[[ALL]])
  tt.func public @row(%x: tensor<256x!tt.ptr<f32>>, %out: !tt.ptr<f32>) {
    %v = tt.load %x : tensor<256x!tt.ptr<f32>>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<256xf32>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: @columns(
  // CHECK: tt.make_range {end = 16 : i32
  // CHECK: "tt.reduce"(%{{.+}}) <{axis = 0 : i32}>
  // CHECK: (tensor<32x16xf32>) -> tensor<16xf32>
  // CHECK-NOT: exchange_blocks
  // CHECK: tt.store {{.*}} {nereid.block_axis = 0 : i32} : tensor<16x!tt.ptr<f32>>
  tt.func public @columns(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %n = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %o = tt.broadcast %n : tensor<1x64xi32> -> tensor<32x64xi32>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
    %x = tt.addptr %ps, %o : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %v = tt.load %x : tensor<32x64x!tt.ptr<f32>>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<32x64xf32>) -> tensor<64xf32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %q = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %q, %s : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// What is smaller than the cluster is stored by the first block, and what that hears goes to all. A transposition
// whose parts lie elsewhere crosses.
module attributes {"ttg.num-ctas" = 4 : i32} {
  // CHECK-LABEL: @small(
  // CHECK: %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %c0
  // CHECK: %[[OLD:.+]] = scf.if %[[FIRST]] -> (i32) {
  // CHECK: tt.atomic_rmw add
  // CHECK: } {nereid.first_block}
  // CHECK: ttg.exchange_blocks %[[OLD]] from -1 to -1 first : i32 -> i32
  // CHECK: scf.if %[[FIRST]] {
  // CHECK: tt.store {{.*}} : tensor<2x!tt.ptr<i32>>
  tt.func public @small(%count: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %one = arith.constant 1 : i32
    %old = tt.atomic_rmw add, acq_rel, gpu, %count, %one : (!tt.ptr<i32>, i32) -> i32
    %r = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
    %s = tt.splat %old : i32 -> tensor<2xi32>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<2x!tt.ptr<i32>>
    %q = tt.addptr %os, %r : tensor<2x!tt.ptr<i32>>, tensor<2xi32>
    tt.store %q, %s : tensor<2x!tt.ptr<i32>>
    tt.return
  }
}
