// RUN: nereid-opt %s --nereid-ttg-gather-from-memory --nereid-ttg-assign-layouts --canonicalize | FileCheck %s

#wide = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The table is written once, as it was loaded; elements are looked up by the threads that load and store what belongs to
  // them, so that nothing is converted.
  // CHECK-LABEL: tt.func @table
  // CHECK: %[[T:.+]] = tt.load %arg0 : tensor<1024x!tt.ptr<i16>, #[[WIDE:.+]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[M:.+]] = ttg.local_alloc %[[T]] {{.*}} -> !ttg.memdesc<1024xi16
  // CHECK: ttg.local_gather %[[M]][%{{.*}}] {axis = 0 : i32} : {{.*}} -> tensor<256xi16, #[[PAIRS:.+]]>
  // CHECK-NOT: ttg.local_alloc
  // CHECK: ttg.local_gather %[[M]][%{{.*}}] {axis = 0 : i32} : {{.*}} -> tensor<256xi16, #[[PAIRS]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store
  tt.func @table(%tables: tensor<1024x!tt.ptr<i16>, #wide>, %places: tensor<256x!tt.ptr<i32>, #pairs>, %out: tensor<256x!tt.ptr<i32>, #pairs>) {
    %loaded = tt.load %tables : tensor<1024x!tt.ptr<i16>, #wide>
    %table = ttg.convert_layout %loaded : tensor<1024xi16, #wide> -> tensor<1024xi16, #plain>
    %at = tt.load %places : tensor<256x!tt.ptr<i32>, #pairs>
    %first = ttg.convert_layout %at : tensor<256xi32, #pairs> -> tensor<256xi32, #plain>
    %a = tt.gather %table[%first] {axis = 0 : i32} : (tensor<1024xi16, #plain>, tensor<256xi32, #plain>) -> tensor<256xi16, #plain>
    %next = arith.extui %a : tensor<256xi16, #plain> to tensor<256xi32, #plain>
    %b = tt.gather %table[%next] {axis = 0 : i32} : (tensor<1024xi16, #plain>, tensor<256xi32, #plain>) -> tensor<256xi16, #plain>
    %c = arith.extui %b : tensor<256xi16, #plain> to tensor<256xi32, #plain>
    %stored = ttg.convert_layout %c : tensor<256xi32, #plain> -> tensor<256xi32, #pairs>
    tt.store %out, %stored : tensor<256x!tt.ptr<i32>, #pairs>
    tt.return
  }

  // Before the loop where the source is not of it.
  // CHECK-LABEL: tt.func @loop
  // CHECK: ttg.local_alloc %arg0
  // CHECK: scf.for
  // CHECK-NOT: ttg.local_alloc
  // CHECK: ttg.local_gather
  tt.func @loop(%table: tensor<1024xi32, #plain>, %start: tensor<256xi32, #plain>, %n: i32) -> tensor<256xi32, #plain> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%at = %start) -> (tensor<256xi32, #plain>) : i32 {
      %a = tt.gather %table[%at] {axis = 0 : i32} : (tensor<1024xi32, #plain>, tensor<256xi32, #plain>) -> tensor<256xi32, #plain>
      scf.yield %a : tensor<256xi32, #plain>
    }
    tt.return %r : tensor<256xi32, #plain>
  }

  // 64 KB that last from the first gather to the second would leave room for few other blocks.
  // CHECK-LABEL: tt.func @large
  // CHECK: ttg.local_gather
  // CHECK: tt.gather
  // CHECK: tt.return
  tt.func @large(%table: tensor<16384xi32, #plain>, %at: tensor<256xi32, #plain>) -> tensor<256xi32, #plain> {
    %a = tt.gather %table[%at] {axis = 0 : i32} : (tensor<16384xi32, #plain>, tensor<256xi32, #plain>) -> tensor<256xi32, #plain>
    %b = tt.gather %table[%a] {axis = 0 : i32} : (tensor<16384xi32, #plain>, tensor<256xi32, #plain>) -> tensor<256xi32, #plain>
    tt.return %b : tensor<256xi32, #plain>
  }

  // A few bytes leave room whatever else is there: a conversion of 64 KB that may not be needed in the end.
  // CHECK-LABEL: tt.func @small
  // CHECK-NOT: tt.gather
  // CHECK-COUNT-2: ttg.local_gather
  // CHECK-NOT: tt.gather
  // CHECK: tt.return
  tt.func @small(%table: tensor<16xi32, #plain>, %at: tensor<16384xi32, #plain>) -> tensor<16384xi32, #plain> {
    %a = tt.gather %table[%at] {axis = 0 : i32} : (tensor<16xi32, #plain>, tensor<16384xi32, #plain>) -> tensor<16384xi32, #plain>
    %moved = ttg.convert_layout %a : tensor<16384xi32, #plain> -> tensor<16384xi32, #pairs>
    %more = arith.addi %moved, %moved : tensor<16384xi32, #pairs>
    %back = ttg.convert_layout %more : tensor<16384xi32, #pairs> -> tensor<16384xi32, #plain>
    %b = tt.gather %table[%back] {axis = 0 : i32} : (tensor<16xi32, #plain>, tensor<16384xi32, #plain>) -> tensor<16384xi32, #plain>
    tt.return %b : tensor<16384xi32, #plain>
  }

  // Not where a loop multiplies, nor whole rows: other passes look for those.
  // CHECK-LABEL: tt.func @left_alone
  // CHECK-NOT: ttg.local_gather
  // CHECK: tt.gather
  // CHECK: tt.gather
  // CHECK: tt.return
  tt.func @left_alone(%x: tensor<16x32xf32, #rows>, %at: tensor<16x32xi32, #rows>, %f: tensor<32x32xf32, #rows>, %zero: tensor<16x32xf32, #rows>, %n: i32) -> (tensor<16x32xf32, #rows>, tensor<1x32xf32, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x32xf32, #rows>) : i32 {
      %a = tt.gather %x[%at] {axis = 1 : i32} : (tensor<16x32xf32, #rows>, tensor<16x32xi32, #rows>) -> tensor<16x32xf32, #rows>
      %l = ttg.convert_layout %a : tensor<16x32xf32, #rows> -> tensor<16x32xf32, #ttg.dot_op<{opIdx = 0, parent = #rows}>>
      %g = ttg.convert_layout %f : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #ttg.dot_op<{opIdx = 1, parent = #rows}>>
      %d = tt.dot %l, %g, %sum : tensor<16x32xf32, #ttg.dot_op<{opIdx = 0, parent = #rows}>> * tensor<32x32xf32, #ttg.dot_op<{opIdx = 1, parent = #rows}>> -> tensor<16x32xf32, #rows>
      scf.yield %d : tensor<16x32xf32, #rows>
    }
    %row = tt.splat %n : i32 -> tensor<1x32xi32, #rows>
    %b = tt.gather %x[%row] {axis = 0 : i32} : (tensor<16x32xf32, #rows>, tensor<1x32xi32, #rows>) -> tensor<1x32xf32, #rows>
    tt.return %r, %b : tensor<16x32xf32, #rows>, tensor<1x32xf32, #rows>
  }
}
