// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:90a num-warps=4" --nereid-ttg-coalesce --nereid-ttg-turn-products --canonicalize | FileCheck %s

// Both factors are rows in memory. The transposed product has the right one's transpose on its left, and the loop carries
// transposed sums.
// CHECK-LABEL: tt.func @rows
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32
// CHECK: %[[R:.+]] = scf.for {{.*}} iter_args(%[[SUM:.+]] = %[[ZERO]])
// CHECK: %[[A:.+]] = tt.load {{.*}} : tensor<64x32x!tt.ptr<f32>
// CHECK: %[[B:.+]] = tt.load {{.*}} : tensor<32x128x!tt.ptr<f32>
// CHECK: tt.trans %[[B]] {{.*}} -> tensor<128x32xf32
// CHECK: tt.trans %[[A]] {{.*}} -> tensor<32x64xf32
// CHECK: %[[D:.+]] = tt.dot %{{.*}}, %{{.*}}, %[[SUM]], inputPrecision = tf32 : tensor<128x32xf32, {{.*}}> * tensor<32x64xf32, {{.*}}> -> tensor<128x64xf32
// CHECK-NOT: tt.dot
// CHECK: scf.yield %[[D]]
// CHECK: tt.trans %[[R]] {{.*}} -> tensor<64x128xf32
tt.func @rows(%x: tensor<64x32x!tt.ptr<f32>> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128x!tt.ptr<f32>> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<64x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x128xf32>) : i32 {
    %a = tt.load %x : tensor<64x32x!tt.ptr<f32>>
    %b = tt.load %y : tensor<32x128x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.return %r : tensor<64x128xf32>
}

// -----

// Sums that begin at zero are no matter.
// CHECK-LABEL: tt.func @alone
// CHECK: %[[D:.+]] = tt.dot {{.*}} -> tensor<128x64xf32
// CHECK: tt.trans %[[D]] {{.*}} -> tensor<64x128xf32
tt.func @alone(%x: tensor<64x32x!tt.ptr<f32>> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128x!tt.ptr<f32>> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}) -> tensor<64x128xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %a = tt.load %x : tensor<64x32x!tt.ptr<f32>>
  %b = tt.load %y : tensor<32x128x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %zero, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
  tt.return %d : tensor<64x128xf32>
}

// -----

// Columns of the right factor are what the unit reads, and what it does not do in tf32 is no matter either.
// CHECK-LABEL: tt.func @columns
// CHECK-NOT: tt.trans
// CHECK: tt.dot {{.*}} -> tensor<64x128xf32
// CHECK: tt.dot {{.*}} -> tensor<64x128xf32
tt.func @columns(%x: tensor<64x32x!tt.ptr<f32>> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128x!tt.ptr<f32>> {tt.contiguity = dense<[32, 1]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %z: tensor<32x128x!tt.ptr<f32>> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %a = tt.load %x : tensor<64x32x!tt.ptr<f32>>
  %b = tt.load %y : tensor<32x128x!tt.ptr<f32>>
  %c = tt.load %x : tensor<64x32x!tt.ptr<f32>>
  %d = tt.load %z : tensor<32x128x!tt.ptr<f32>>
  %e = tt.dot %a, %b, %zero, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
  %f = tt.dot %c, %d, %zero, inputPrecision = ieee : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
  tt.return %e, %f : tensor<64x128xf32>, tensor<64x128xf32>
}

// -----

// The transposed product has as few rows as this one has columns: fewer than a warp group multiplies.
// CHECK-LABEL: tt.func @narrow
// CHECK-NOT: tt.trans
// CHECK: tt.dot {{.*}} -> tensor<64x32xf32
tt.func @narrow(%x: tensor<64x32x!tt.ptr<f32>> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x32x!tt.ptr<f32>> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}) -> tensor<64x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %a = tt.load %x : tensor<64x32x!tt.ptr<f32>>
  %b = tt.load %y : tensor<32x32x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %zero, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x32xf32> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// -----

// What a round does to the sums beside the product would have to be turned, too.
// CHECK-LABEL: tt.func @changed
// CHECK-NOT: tt.trans
// CHECK: tt.dot {{.*}} -> tensor<64x128xf32
tt.func @changed(%x: tensor<64x32x!tt.ptr<f32>> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128x!tt.ptr<f32>> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<64x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x128xf32>) : i32 {
    %a = tt.load %x : tensor<64x32x!tt.ptr<f32>>
    %b = tt.load %y : tensor<32x128x!tt.ptr<f32>>
    %s = math.exp2 %sum : tensor<64x128xf32>
    %d = tt.dot %a, %b, %s, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.return %r : tensor<64x128xf32>
}
