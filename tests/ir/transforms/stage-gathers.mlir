// RUN: nereid-opt %s --nereid-ttg-stage-gathers --canonicalize | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A row and a column that each round gathers from a tile that stays the same: memory is filled once for either, with rows in
  // order 1, 0 and columns in order 0, 1. Nothing is left of sums over the one row.
  // CHECK-DAG: #[[ROWS:.+]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
  // CHECK-DAG: #[[COLUMNS:.+]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
  // CHECK-LABEL: tt.func @rows_and_columns
  // CHECK-DAG: %[[R:.+]] = ttg.local_alloc %arg0 {{.*}} -> !ttg.memdesc<16x32xf32, #[[ROWS]], #smem>
  // CHECK-DAG: %[[C:.+]] = ttg.local_alloc %arg0 {{.*}} -> !ttg.memdesc<16x32xf32, #[[COLUMNS]], #smem>
  // CHECK: scf.for %[[J:[a-z0-9]+]] =
  // CHECK-NOT: tt.gather
  // CHECK-NOT: tt.reduce
  // CHECK: %[[N:.+]] = arith.trunci %[[J]] : i64 to i32
  // CHECK: ttg.memdesc_index %[[R]][%[[N]]] : {{.*}} -> !ttg.memdesc<32xf32,
  // CHECK: ttg.local_load {{.*}} -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #blocked}>>
  // CHECK: %[[T:.+]] = ttg.memdesc_trans %[[C]] {order = array<i32: 1, 0>} : {{.*}} -> !ttg.memdesc<32x16xf32, #[[ROWS]], #smem>
  // CHECK: ttg.memdesc_index %[[T]][%{{.*}}] : {{.*}} -> !ttg.memdesc<16xf32,
  // CHECK: ttg.local_load {{.*}} -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  tt.func @rows_and_columns(%x: tensor<16x32xf32, #rows>, %zero: tensor<16x32xf32, #rows>, %n: i64) -> tensor<16x32xf32, #rows> {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x32xf32, #rows>) : i64 {
      %row = tt.splat %j : i64 -> tensor<1x32xi64, #rows>
      %column = tt.splat %j : i64 -> tensor<16x1xi64, #rows>
      %a = tt.gather %x[%row] {axis = 0 : i32} : (tensor<16x32xf32, #rows>, tensor<1x32xi64, #rows>) -> tensor<1x32xf32, #rows>
      %b = tt.gather %x[%column] {axis = 1 : i32} : (tensor<16x32xf32, #rows>, tensor<16x1xi64, #rows>) -> tensor<16x1xf32, #rows>
      %s = "tt.reduce"(%a) <{axis = 0 : i32}> ({
      ^bb0(%left: f32, %right: f32):
        %both = arith.addf %left, %right : f32
        tt.reduce.return %both : f32
      }) : (tensor<1x32xf32, #rows>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>
      %e = tt.expand_dims %s {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x32xf32, #rows>
      %p = tt.broadcast %e : tensor<1x32xf32, #rows> -> tensor<16x32xf32, #rows>
      %q = tt.broadcast %b : tensor<16x1xf32, #rows> -> tensor<16x32xf32, #rows>
      %m = arith.mulf %p, %q : tensor<16x32xf32, #rows>
      %t = arith.addf %sum, %m : tensor<16x32xf32, #rows>
      scf.yield %t : tensor<16x32xf32, #rows>
    }
    tt.return %r : tensor<16x32xf32, #rows>
  }

  // What a round changes is gathered from as it is, and so are elements of several rows.
  // CHECK-LABEL: tt.func @changed
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.gather
  // CHECK: tt.gather
  tt.func @changed(%x: tensor<16x32xf32, #rows>, %places: tensor<1x32xi32, #rows>, %n: i32) -> tensor<16x32xf32, #rows> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<16x32xf32, #rows>) : i32 {
      %row = tt.splat %j : i32 -> tensor<1x32xi32, #rows>
      %a = tt.gather %y[%row] {axis = 0 : i32} : (tensor<16x32xf32, #rows>, tensor<1x32xi32, #rows>) -> tensor<1x32xf32, #rows>
      %b = tt.gather %x[%places] {axis = 0 : i32} : (tensor<16x32xf32, #rows>, tensor<1x32xi32, #rows>) -> tensor<1x32xf32, #rows>
      %s = arith.addf %a, %b : tensor<1x32xf32, #rows>
      %p = tt.broadcast %s : tensor<1x32xf32, #rows> -> tensor<16x32xf32, #rows>
      scf.yield %p : tensor<16x32xf32, #rows>
    }
    tt.return %r : tensor<16x32xf32, #rows>
  }
}
