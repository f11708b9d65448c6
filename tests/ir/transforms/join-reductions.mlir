// RUN: nereid-opt %s --nereid-ttg-join-reductions --canonicalize --cse | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#sums = #ttg.slice<{dim = 1, parent = #rows}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Three sums are joined from left to right, the second one scaled by what each thread has of its rows.
  // CHECK-LABEL: @three
  // CHECK: %[[A:.+]] = "tt.reduce"({{.*}}) <{axis = 2 : i32}>
  // CHECK: %[[B:.+]] = "tt.reduce"({{.*}}) <{axis = 2 : i32}>
  // CHECK: %[[SCALE:.+]] = tt.broadcast {{.*}} -> tensor<32x4xf32,
  // CHECK: %[[SCALED:.+]] = arith.mulf %[[B]], %[[SCALE]]
  // CHECK: %[[AB:.+]] = arith.addf %[[A]], %[[SCALED]]
  // CHECK: %[[C:.+]] = "tt.reduce"({{.*}}) <{axis = 2 : i32}>
  // CHECK: %[[ABC:.+]] = arith.addf %[[AB]], %[[C]]
  // CHECK: %[[ALL:.+]] = "tt.reduce"(%[[ABC]]) <{axis = 1 : i32}>
  // CHECK-NOT: tt.reduce"
  // CHECK: %[[SUM:.+]] = arith.addf %arg4,
  // CHECK: tt.return %[[SUM]]
  tt.func @three(%a: tensor<32x32xf32, #rows>, %b: tensor<32x32xf32, #rows>, %c: tensor<32x32xf32, #rows>, %scale: tensor<32xf32, #sums>, %sum: tensor<32xf32, #sums>) -> tensor<32xf32, #sums> {
    %ra = "tt.reduce"(%a) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
    %rb = "tt.reduce"(%b) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
    %rc = "tt.reduce"(%c) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
    %s1 = arith.addf %sum, %ra : tensor<32xf32, #sums>
    %sb = arith.mulf %rb, %scale : tensor<32xf32, #sums>
    %s2 = arith.addf %s1, %sb : tensor<32xf32, #sums>
    %s3 = arith.addf %s2, %rc : tensor<32xf32, #sums>
    tt.return %s3 : tensor<32xf32, #sums>
  }

  // Those of other rows, of other kinds, and those that are needed besides stay what they are.
  // CHECK-LABEL: @others
  // CHECK-COUNT-6: tt.reduce"
  // CHECK-NOT: tt.reduce"
  // CHECK: tt.return
  tt.func @others(%a: tensor<32x32xf32, #rows>, %b: tensor<32x64xf32, #rows>) -> (tensor<32xf32, #sums>, tensor<32xf32, #sums>, tensor<32xf32, #sums>, tensor<32xf32, #sums>) {
    %ra = "tt.reduce"(%a) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
    %ma = "tt.reduce"(%a) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
    %one = arith.addf %ra, %ma : tensor<32xf32, #sums>
    %a2 = arith.mulf %a, %a : tensor<32x32xf32, #rows>
    %r2 = "tt.reduce"(%a2) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
    %a3 = arith.mulf %a2, %a : tensor<32x32xf32, #rows>
    %r3 = "tt.reduce"(%a3) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<32x32xf32, #rows>) -> tensor<32xf32, #sums>
    %two = arith.addf %r2, %r3 : tensor<32xf32, #sums>
    %p = "tt.reduce"(%b) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<32x64xf32, #rows>) -> tensor<32xf32, #sums>
    %b2 = arith.mulf %b, %b : tensor<32x64xf32, #rows>
    %q = "tt.reduce"(%b2) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.minnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<32x64xf32, #rows>) -> tensor<32xf32, #sums>
    %three = arith.maxnumf %p, %q : tensor<32xf32, #sums>
    tt.return %one, %two, %three, %r3 : tensor<32xf32, #sums>, tensor<32xf32, #sums>, tensor<32xf32, #sums>, tensor<32xf32, #sums>
  }
}
