// RUN: nereid-opt %s --nereid-ttg-reduce-past-loops --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[CUT:.+]] = #ttg.linear<{register = {{\[\[}}0, 0, 0, 1], [0, 1, 0, 0], [0, 2, 0, 0]], lane = {{\[\[}}0, 0, 1, 0], [0, 0, 2, 0], [1, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0]],
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#sums = #ttg.slice<{dim = 1, parent = #rows}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A thread has pairs of neighbours, and four of these in a row that four lanes share: the axis is cut twice.
  // CHECK-LABEL: @rows
  // CHECK: %[[PARTS:.+]] = scf.for {{.*}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (tensor<32x4xf32,
  // CHECK: %[[TILE:.+]] = tt.load
  // CHECK: %[[PIECES:.+]] = tt.reshape %[[TILE]] : tensor<32x32xf16, #{{.+}}> -> tensor<32x4x4x2xf16, #[[CUT]]>
  // CHECK: %[[SORTED:.+]] = tt.trans %[[PIECES]] {order = array<i32: 0, 2, 1, 3>}
  // CHECK: %[[THEIRS:.+]] = tt.reshape %[[SORTED]] {{.*}} -> tensor<32x4x8xf16,
  // CHECK: %[[OWN:.+]] = "tt.reduce"(%[[THEIRS]]) <{axis = 2 : i32}>
  // CHECK: %[[WIDE:.+]] = arith.extf %[[OWN]] : tensor<32x4xf16, {{.*}} to tensor<32x4xf32,
  // CHECK: %[[NEXT:.+]] = arith.addf %[[SUM]], %[[WIDE]]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: %[[ALL:.+]] = "tt.reduce"(%[[PARTS]]) <{axis = 1 : i32}>
  // CHECK: %[[RESULT:.+]] = ttg.convert_layout %[[ALL]] {{.*}} -> tensor<32xf32, #ttg.slice
  // CHECK: tt.return %[[RESULT]]
  tt.func @rows(%p: tensor<32x32x!tt.ptr<f16>, #rows>, %n: i32) -> tensor<32xf32, #sums> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<32xf32, #sums>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros) -> tensor<32xf32, #sums> : i32 {
      %x = tt.load %p : tensor<32x32x!tt.ptr<f16>, #rows>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f16, %b: f16):
        %c = arith.addf %a, %b : f16
        tt.reduce.return %c : f16
      }) : (tensor<32x32xf16, #rows>) -> tensor<32xf16, #sums>
      %w = arith.extf %s : tensor<32xf16, #sums> to tensor<32xf32, #sums>
      %next = arith.addf %w, %sum : tensor<32xf32, #sums>
      scf.yield %next : tensor<32xf32, #sums>
    }
    tt.return %r : tensor<32xf32, #sums>
  }

  // All lanes' sums are scaled. What they begin with is the first one's.
  // CHECK-LABEL: @scaled
  // CHECK-DAG: %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : tensor<32x4xf32
  // CHECK-DAG: %[[RANGE:.+]] = tt.make_range {end = 4 : i32, start = 0 : i32}
  // CHECK: %[[IS:.+]] = arith.cmpi eq, %[[RANGE]]
  // CHECK: %[[FIRST:.+]] = tt.broadcast {{.*}} -> tensor<32x4xi1,
  // CHECK: %[[BEGIN:.+]] = tt.broadcast {{.*}} -> tensor<32x4xf32,
  // CHECK: %[[START:.+]] = arith.select %[[FIRST]], %[[BEGIN]], %[[ZEROS]]
  // CHECK: %[[PARTS:.+]] = scf.for {{.*}} iter_args(%[[SUM:.+]] = %[[START]])
  // CHECK: %[[SCALE:.+]] = tt.broadcast {{.*}} -> tensor<32x4xf32,
  // CHECK: %[[SCALED:.+]] = arith.mulf %[[SUM]], %[[SCALE]]
  // CHECK: %[[NEXT:.+]] = arith.addf %[[SCALED]],
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: "tt.reduce"(%[[PARTS]])
  // CHECK-NOT: arith.addf {{.*}}: tensor
  // CHECK: tt.return
  tt.func @scaled(%p: tensor<32x32x!tt.ptr<f32>, #rows>, %q: tensor<32x!tt.ptr<f32>, #sums>, %begin: tensor<32xf32, #sums>, %n: i32) -> tensor<32xf32, #sums> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %begin) -> tensor<32xf32, #sums> : i32 {
      %x = tt.load %p : tensor<32x32x!tt.ptr<f32>, #rows>
      %y = tt.load %q : tensor<32x!tt.ptr<f32>, #sums>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
      %old = arith.mulf %sum, %y : tensor<32xf32, #sums>
      %next = arith.addf %old, %s : tensor<32xf32, #sums>
      scf.yield %next : tensor<32xf32, #sums>
    }
    tt.return %r : tensor<32xf32, #sums>
  }

  // The greatest number of a line, which warps share. What it begins with joins it behind the loop; the second
  // loop goes on from what the first one's threads have.
  // CHECK-LABEL: @line
  // CHECK: %[[FIRST:.+]] = scf.for {{.*}} -> (tensor<128xf32,
  // CHECK: %[[SECOND:.+]] = scf.for {{.*}} iter_args(%{{.+}} = %[[FIRST]]) -> (tensor<128xf32,
  // CHECK: %[[ALL:.+]] = "tt.reduce"(%[[SECOND]]) <{axis = 0 : i32}>
  // CHECK: %[[RESULT:.+]] = arith.maxnumf %{{.+}}, %[[ALL]] : f32
  // CHECK: tt.return %[[RESULT]]
  tt.func @line(%p: tensor<512x!tt.ptr<f32>, #line>, %begin: f32, %n: i32) -> f32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%most = %begin) -> f32 : i32 {
      %x = tt.load %p : tensor<512x!tt.ptr<f32>, #line>
      %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.maxnumf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<512xf32, #line>) -> f32
      %next = arith.maxnumf %most, %s : f32
      scf.yield %next : f32
    }
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%most = %r) -> f32 : i32 {
      %x = tt.load %p : tensor<512x!tt.ptr<f32>, #line>
      %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.maxnumf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<512xf32, #line>) -> f32
      %next = arith.maxnumf %most, %s : f32
      scf.yield %next : f32
    }
    tt.return %t : f32
  }

  // Of nested loops the inner one goes on from what the outer one has.
  // CHECK-LABEL: @nested
  // CHECK: %[[ALL:.+]] = scf.for {{.*}} iter_args(%[[OUTER:.+]] = %{{.+}}) -> (tensor<128xi32,
  // CHECK: %[[PART:.+]] = scf.for {{.*}} iter_args(%{{.+}} = %[[OUTER]]) -> (tensor<128xi32,
  // CHECK: scf.yield %[[PART]]
  // CHECK: "tt.reduce"(%[[ALL]])
  tt.func @nested(%p: tensor<512x!tt.ptr<i32>, #line>, %n: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%outer = %c0) -> i32 : i32 {
      %t = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %outer) -> i32 : i32 {
        %x = tt.load %p : tensor<512x!tt.ptr<i32>, #line>
        %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
        ^bb0(%a: i32, %b: i32):
          %c = arith.addi %a, %b : i32
          tt.reduce.return %c : i32
        }) : (tensor<512xi32, #line>) -> i32
        %next = arith.addi %sum, %s : i32
        scf.yield %next : i32
      }
      scf.yield %t : i32
    }
    tt.return %r : i32
  }

  // But not where it scales what it has: the outer one's sums are not to be scaled.
  // CHECK-LABEL: @scaled_inside
  // CHECK: scf.for {{.*}} iter_args(%[[OUTER:.+]] = %[[ZEROS:.+]]) -> (tensor<32x4xf32,
  // CHECK: %[[PART:.+]] = scf.for {{.*}} iter_args(%{{.+}} = %[[ZEROS]]) -> (tensor<32x4xf32,
  // CHECK: %[[NEXT:.+]] = arith.addf %[[OUTER]], %[[PART]]
  // CHECK: scf.yield %[[NEXT]]
  tt.func @scaled_inside(%p: tensor<32x32x!tt.ptr<f32>, #rows>, %scale: tensor<32xf32, #sums>, %n: i32) -> tensor<32xf32, #sums> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<32xf32, #sums>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%outer = %zeros) -> tensor<32xf32, #sums> : i32 {
      %t = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros) -> tensor<32xf32, #sums> : i32 {
        %x = tt.load %p : tensor<32x32x!tt.ptr<f32>, #rows>
        %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %b : f32
          tt.reduce.return %c : f32
        }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
        %old = arith.mulf %sum, %scale : tensor<32xf32, #sums>
        %next = arith.addf %old, %s : tensor<32xf32, #sums>
        scf.yield %next : tensor<32xf32, #sums>
      }
      %all = arith.addf %outer, %t : tensor<32xf32, #sums>
      scf.yield %all : tensor<32xf32, #sums>
    }
    tt.return %r : tensor<32xf32, #sums>
  }

  // What is combined in an order of its own stays as it is.
  // CHECK-LABEL: @differences
  // CHECK-NOT: tt.reshape
  // CHECK: tt.return
  tt.func @differences(%p: tensor<32x32x!tt.ptr<f32>, #rows>, %n: i32) -> tensor<32xf32, #sums> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<32xf32, #sums>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros) -> tensor<32xf32, #sums> : i32 {
      %x = tt.load %p : tensor<32x32x!tt.ptr<f32>, #rows>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.subf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
      %next = arith.subf %sum, %s : tensor<32xf32, #sums>
      scf.yield %next : tensor<32xf32, #sums>
    }
    tt.return %r : tensor<32xf32, #sums>
  }

  // What is read in the loop has to be there: sums so far, and those of a round. Nor are the sums of a
  // product's factors in other threads worth a way there in each round.
  // CHECK-LABEL: @read
  // CHECK-NOT: tt.reshape
  // CHECK: tt.return
  tt.func @read(%p: tensor<32x32x!tt.ptr<f32>, #rows>, %q: tensor<32x!tt.ptr<f32>, #sums>, %o: tensor<32x!tt.ptr<f32>, #other>, %n: i32) -> (tensor<32xf32, #sums>, tensor<32xf32, #sums>, tensor<32xf32, #other>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<32xf32, #sums>
    %others = arith.constant dense<0.0> : tensor<32xf32, #other>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros, %second = %zeros, %third = %others) -> (tensor<32xf32, #sums>, tensor<32xf32, #sums>, tensor<32xf32, #other>) : i32 {
      %x = tt.load %p : tensor<32x32x!tt.ptr<f32>, #rows>
      %y = tt.load %o : tensor<32x!tt.ptr<f32>, #other>
      tt.store %q, %sum : tensor<32x!tt.ptr<f32>, #sums>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
      %next = arith.addf %sum, %s : tensor<32xf32, #sums>
      %t = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
      tt.store %q, %t : tensor<32x!tt.ptr<f32>, #sums>
      %next2 = arith.addf %second, %t : tensor<32xf32, #sums>
      %x2 = arith.addf %x, %x : tensor<32x32xf32, #rows>
      %u = "tt.reduce"(%x2) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
      %v = ttg.convert_layout %u : tensor<32xf32, #sums> -> tensor<32xf32, #other>
      %w = arith.mulf %v, %y : tensor<32xf32, #other>
      %next3 = arith.addf %third, %w : tensor<32xf32, #other>
      scf.yield %next, %next2, %next3 : tensor<32xf32, #sums>, tensor<32xf32, #sums>, tensor<32xf32, #other>
    }
    tt.return %r#0, %r#1, %r#2 : tensor<32xf32, #sums>, tensor<32xf32, #sums>, tensor<32xf32, #other>
  }
}
