// RUN: nereid-opt %s --nereid-ttg-load-indices-ahead --canonicalize --cse --split-input-file | FileCheck %s

// The pages of a round are loaded in the one before, and those of the first round before the loop. There is no load for a
// round that there is not. Addresses are computed for each, not handed on.
// CHECK-LABEL: @pages
// CHECK: %[[ANY:.+]] = arith.cmpi sgt, %{{.+}}, %c0_i32
// CHECK: %[[ANYS:.+]] = tt.splat %[[ANY]]
// CHECK: %[[FIRST:.+]] = tt.load %{{.+}}, %[[ANYS]]{{.*}} : tensor<16x!tt.ptr<i32>
// CHECK: scf.for %[[I:.+]] = {{.+}} iter_args(%{{.+}} = %{{.+}}, %[[J:.+]] = %[[FIRST]]) -> (tensor<16xf32, {{.+}}>, tensor<16xi32, #{{.+}}>)
// CHECK: %[[LAST:.+]] = arith.subi %{{.+}}, %c1_i32
// CHECK: %[[MORE:.+]] = arith.cmpi slt, %[[I]], %[[LAST]]
// CHECK: %[[NEXT:.+]] = arith.addi %[[I]], %c1_i32
// CHECK: arith.muli %[[NEXT]], %c16_i32
// CHECK: %[[MASK:.+]] = tt.splat %[[MORE]]
// CHECK: %[[AHEAD:.+]] = tt.load %{{.+}}, %[[MASK]]{{.*}} : tensor<16x!tt.ptr<i32>
// CHECK: %[[PLACE:.+]] = arith.addi %[[J]]
// CHECK: ttg.convert_layout %[[PLACE]]
// CHECK: tt.load {{.+}} : tensor<16x64x!tt.ptr<f32>
// CHECK-NOT: tt.load
// CHECK: scf.yield %{{.+}}, %[[AHEAD]] :
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#rows = #ttg.slice<{dim = 1, parent = #b}>
#columns = #ttg.slice<{dim = 0, parent = #b}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pages(%pages: !tt.ptr<i32>, %x: !tt.ptr<f32>, %n: i32, %stride: i32) -> tensor<16xf32, #rows> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %zeros = arith.constant dense<0.0> : tensor<16xf32, #rows>
    %row = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #l>
    %column = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #columns>
    %column2 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #b>
    %columns = tt.broadcast %column2 : tensor<1x64xi32, #b> -> tensor<16x64xi32, #b>
    %base = tt.splat %pages : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #l>
    %bases = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>, #b>
    %strides = tt.splat %stride : i32 -> tensor<16xi32, #rows>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<16xf32, #rows>) : i32 {
      %start = arith.muli %i, %c16 : i32
      %starts = tt.splat %start : i32 -> tensor<16xi32, #l>
      %at = arith.addi %starts, %row : tensor<16xi32, #l>
      %p = tt.addptr %base, %at : tensor<16x!tt.ptr<i32>, #l>, tensor<16xi32, #l>
      %j = tt.load %p : tensor<16x!tt.ptr<i32>, #l>
      %place = arith.addi %j, %at : tensor<16xi32, #l>
      %k = ttg.convert_layout %place : tensor<16xi32, #l> -> tensor<16xi32, #rows>
      %r = arith.muli %k, %strides : tensor<16xi32, #rows>
      %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #rows> -> tensor<16x1xi32, #b>
      %rs = tt.broadcast %r2 : tensor<16x1xi32, #b> -> tensor<16x64xi32, #b>
      %o = arith.addi %rs, %columns : tensor<16x64xi32, #b>
      %q = tt.addptr %bases, %o : tensor<16x64x!tt.ptr<f32>, #b>, tensor<16x64xi32, #b>
      %v = tt.load %q : tensor<16x64x!tt.ptr<f32>, #b>
      %t = "tt.reduce"(%v) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %c: f32):
        %u = arith.addf %a, %c : f32
        tt.reduce.return %u : f32
      }) : (tensor<16x64xf32, #b>) -> tensor<16xf32, #rows>
      %s2 = arith.addf %s, %t : tensor<16xf32, #rows>
      scf.yield %s2 : tensor<16xf32, #rows>
    }
    tt.return %sum : tensor<16xf32, #rows>
  }
}

// -----

// Pointers that move on from round to round are a round ahead with what is loaded from them.
// CHECK-LABEL: @pointer
// CHECK: %[[FIRST:.+]] = tt.load %{{.+}}, %{{.+}} : !tt.ptr<i32>
// CHECK: scf.for {{.+}} %[[J:[^ ,]+]] = %[[FIRST]]
// CHECK: tt.load %{{.+}}, %{{.+}} : !tt.ptr<i32>
// CHECK: tt.splat %[[J]]
// CHECK: tt.load {{.+}} : tensor<1024x!tt.ptr<f32>
// CHECK-NOT: tt.load
// CHECK: scf.yield
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pointer(%index: !tt.ptr<i32>, %x: !tt.ptr<f32>, %n: i32) -> tensor<1024xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zeros, %p = %index) -> (tensor<1024xf32, #l>, !tt.ptr<i32>) : i32 {
      %j = tt.load %p : !tt.ptr<i32>
      %js = tt.splat %j : i32 -> tensor<1024xi32, #l>
      %o = arith.addi %js, %i : tensor<1024xi32, #l>
      %q = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
      %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #l>
      %s2 = arith.addf %s, %v : tensor<1024xf32, #l>
      %next = tt.addptr %p, %c1 : !tt.ptr<i32>, i32
      scf.yield %s2, %next : tensor<1024xf32, #l>, !tt.ptr<i32>
    }
    tt.return %r#0 : tensor<1024xf32, #l>
  }
}

// -----

// Left alone: what a round may write before the next one looks it up, be it through another argument, as a caller may pass one
// array twice, unless that is of another type; rounds of few bytes, which ptxas unrolls; loads that no
// address comes of; a look at what others write; what a loop in the loop looks up for it; and unsigned bounds, which MLIR's
// pipeliner does not take.
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @written
  // CHECK-NOT: tt.load
  // CHECK: scf.for
  // CHECK: %[[J:.+]] = tt.load %{{.+}} : !tt.ptr<i32>
  // CHECK: tt.splat %[[J]]
  tt.func public @written(%index: !tt.ptr<i32>, %x: !tt.ptr<f32>, %n: i32) -> tensor<1024xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<1024xf32, #l>) : i32 {
      %p = tt.addptr %index, %k : !tt.ptr<i32>, i32
      %j = tt.load %p : !tt.ptr<i32>
      %js = tt.splat %j : i32 -> tensor<1024xi32, #l>
      %o = arith.addi %js, %i : tensor<1024xi32, #l>
      %q = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
      %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #l>
      %s2 = arith.addf %s, %v : tensor<1024xf32, #l>
      %next = tt.addptr %p, %c1 : !tt.ptr<i32>, i32
      tt.store %next, %c0 : !tt.ptr<i32>
      scf.yield %s2 : tensor<1024xf32, #l>
    }
    tt.return %r : tensor<1024xf32, #l>
  }

  // CHECK-LABEL: @other
  // CHECK-NOT: tt.load
  // CHECK: scf.for
  // CHECK: %[[J:.+]] = tt.load %{{.+}} : !tt.ptr<i32>
  // CHECK: tt.splat %[[J]]
  tt.func public @other(%index: !tt.ptr<i32>, %x: !tt.ptr<f32>, %y: !tt.ptr<i32>, %n: i32) -> tensor<1024xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<1024xf32, #l>) : i32 {
      %p = tt.addptr %index, %k : !tt.ptr<i32>, i32
      %j = tt.load %p : !tt.ptr<i32>
      %js = tt.splat %j : i32 -> tensor<1024xi32, #l>
      %o = arith.addi %js, %i : tensor<1024xi32, #l>
      %q = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
      %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #l>
      %s2 = arith.addf %s, %v : tensor<1024xf32, #l>
      %next = tt.addptr %y, %k : !tt.ptr<i32>, i32
      tt.store %next, %c0 : !tt.ptr<i32>
      scf.yield %s2 : tensor<1024xf32, #l>
    }
    tt.return %r : tensor<1024xf32, #l>
  }

  // CHECK-LABEL: @type
  // CHECK: %[[FIRST:.+]] = tt.load %{{.+}}, %{{.+}} : !tt.ptr<i32>
  // CHECK: scf.for {{.+}} = %[[FIRST]])
  tt.func public @type(%index: !tt.ptr<i32>, %x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) -> tensor<1024xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1.0 : f32
    %zeros = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<1024xf32, #l>) : i32 {
      %p = tt.addptr %index, %k : !tt.ptr<i32>, i32
      %j = tt.load %p : !tt.ptr<i32>
      %js = tt.splat %j : i32 -> tensor<1024xi32, #l>
      %o = arith.addi %js, %i : tensor<1024xi32, #l>
      %q = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
      %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #l>
      %s2 = arith.addf %s, %v : tensor<1024xf32, #l>
      %next = tt.addptr %y, %k : !tt.ptr<f32>, i32
      tt.store %next, %one : !tt.ptr<f32>
      scf.yield %s2 : tensor<1024xf32, #l>
    }
    tt.return %r : tensor<1024xf32, #l>
  }

  // CHECK-LABEL: @few
  // CHECK-NOT: tt.load
  // CHECK: scf.for
  // CHECK: %[[J:.+]] = tt.load %{{.+}} : !tt.ptr<i32>
  // CHECK: tt.splat %[[J]]
  tt.func public @few(%index: !tt.ptr<i32>, %x: !tt.ptr<f32>, %n: i32) -> tensor<128xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<128xf32, #l>
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #l>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<128xf32, #l>) : i32 {
      %p = tt.addptr %index, %k : !tt.ptr<i32>, i32
      %j = tt.load %p : !tt.ptr<i32>
      %js = tt.splat %j : i32 -> tensor<128xi32, #l>
      %o = arith.addi %js, %i : tensor<128xi32, #l>
      %q = tt.addptr %xs, %o : tensor<128x!tt.ptr<f32>, #l>, tensor<128xi32, #l>
      %v = tt.load %q : tensor<128x!tt.ptr<f32>, #l>
      %s2 = arith.addf %s, %v : tensor<128xf32, #l>
      scf.yield %s2 : tensor<128xf32, #l>
    }
    tt.return %r : tensor<128xf32, #l>
  }

  // CHECK-LABEL: @factor
  // CHECK-NOT: tt.load
  // CHECK: scf.for
  tt.func public @factor(%scales: !tt.ptr<f32>, %x: !tt.ptr<f32>, %n: i32) -> tensor<1024xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<1024xf32, #l>) : i32 {
      %p = tt.addptr %scales, %k : !tt.ptr<f32>, i32
      %j = tt.load %p : !tt.ptr<f32>
      %js = tt.splat %j : f32 -> tensor<1024xf32, #l>
      %ks = tt.splat %k : i32 -> tensor<1024xi32, #l>
      %o = arith.addi %ks, %i : tensor<1024xi32, #l>
      %q = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
      %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #l>
      %f = arith.mulf %v, %js : tensor<1024xf32, #l>
      %s2 = arith.addf %s, %f : tensor<1024xf32, #l>
      scf.yield %s2 : tensor<1024xf32, #l>
    }
    tt.return %r : tensor<1024xf32, #l>
  }

  // CHECK-LABEL: @look
  // CHECK-NOT: tt.load
  // CHECK: scf.for
  tt.func public @look(%index: !tt.ptr<i32>, %x: !tt.ptr<f32>, %n: i32) -> tensor<1024xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<1024xf32, #l>) : i32 {
      %p = tt.addptr %index, %k : !tt.ptr<i32>, i32
      %j = tt.load %p {isVolatile = true} : !tt.ptr<i32>
      %js = tt.splat %j : i32 -> tensor<1024xi32, #l>
      %o = arith.addi %js, %i : tensor<1024xi32, #l>
      %q = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
      %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #l>
      %s2 = arith.addf %s, %v : tensor<1024xf32, #l>
      scf.yield %s2 : tensor<1024xf32, #l>
    }
    tt.return %r : tensor<1024xf32, #l>
  }

  // CHECK-LABEL: @unsigned
  // CHECK-NOT: tt.load
  // CHECK: scf.for unsigned
  // CHECK: %[[J:.+]] = tt.load %{{.+}} : !tt.ptr<i32>
  // CHECK: tt.splat %[[J]]
  tt.func public @unsigned(%index: !tt.ptr<i32>, %x: !tt.ptr<f32>, %n: i32) -> tensor<1024xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %r = scf.for unsigned %k = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<1024xf32, #l>) : i32 {
      %p = tt.addptr %index, %k : !tt.ptr<i32>, i32
      %j = tt.load %p : !tt.ptr<i32>
      %js = tt.splat %j : i32 -> tensor<1024xi32, #l>
      %o = arith.addi %js, %i : tensor<1024xi32, #l>
      %q = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
      %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #l>
      %s2 = arith.addf %s, %v : tensor<1024xf32, #l>
      scf.yield %s2 : tensor<1024xf32, #l>
    }
    tt.return %r : tensor<1024xf32, #l>
  }

  // CHECK-LABEL: @outer
  // CHECK-NOT: tt.load
  // CHECK: scf.for
  // CHECK: %[[J:.+]] = tt.load %{{.+}} : !tt.ptr<i32>
  // CHECK: scf.for
  tt.func public @outer(%index: !tt.ptr<i32>, %x: !tt.ptr<f32>, %n: i32) -> tensor<1024xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<1024xf32, #l>) : i32 {
      %p = tt.addptr %index, %k : !tt.ptr<i32>, i32
      %j = tt.load %p : !tt.ptr<i32>
      %inner = scf.for %h = %c0 to %n step %c1 iter_args(%u = %s) -> (tensor<1024xf32, #l>) : i32 {
        %row = arith.addi %j, %h : i32
        %js = tt.splat %row : i32 -> tensor<1024xi32, #l>
        %o = arith.addi %js, %i : tensor<1024xi32, #l>
        %q = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
        %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #l>
        %s2 = arith.addf %u, %v : tensor<1024xf32, #l>
        scf.yield %s2 : tensor<1024xf32, #l>
      }
      scf.yield %inner : tensor<1024xf32, #l>
    }
    tt.return %r : tensor<1024xf32, #l>
  }
}
