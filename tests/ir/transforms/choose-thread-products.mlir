// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:80 num-warps=4" --nereid-ttg-coalesce --nereid-ttg-choose-matrix-instructions="target=cuda:80" --nereid-ttg-choose-thread-products="target=cuda:80" --canonicalize --cse | FileCheck %s
// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=hip:gfx942 num-warps=4 threads-per-warp=64" --nereid-ttg-choose-thread-products="target=hip:gfx942" | FileCheck %s --check-prefix=HIP

// 32 elements of the result for each of 128 threads: 8 rows and 4 columns. The left factor is contiguous along the reduced
// axis: four lanes read four neighbouring rows, whose vectors change places. The right one's rows are read as they are. Of a
// lane's number, the lowest bit is of its row, and the next three are of its columns.
// CHECK-DAG: #[[D:.+]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}1, 0], [0, 4], [0, 8], [0, 16], [2, 0]], warp = {{\[\[}}0, 32], [4, 0]], block = []}>
// CHECK-DAG: #[[LEFT:.+]] = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
// CHECK-DAG: #[[RIGHT:.+]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-LABEL: tt.func @rows
// CHECK-DAG: %[[A:.+]] = ttg.local_alloc %{{.*}} {alignment = 16 : i32} : {{.*}} -> !ttg.memdesc<64x32xf32, #[[LEFT]], #smem>
// CHECK-DAG: %[[B:.+]] = ttg.local_alloc %{{.*}} {alignment = 16 : i32} : {{.*}} -> !ttg.memdesc<32x64xf32, #[[RIGHT]], #smem>
// CHECK: ttg.local_dot %[[A]], %[[B]], %{{.*}} -> tensor<64x64xf32, #[[D]]>
// HIP-NOT: ttg.local_dot
tt.func @rows(%x: tensor<64x32x!tt.ptr<f32>> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x64x!tt.ptr<f32>> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = tt.load %x : tensor<64x32x!tt.ptr<f32>>
  %b = tt.load %y : tensor<32x64x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// -----

// q times k transposed: another view of k, which is contiguous along the reduced axis, too. A lane has four neighbouring
// columns, so rows change their places by fours.
// CHECK-DAG: #[[K:.+]] = #ttg.swizzled_shared<{vec = 4, perPhase = 4, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: #[[T:.+]] = #ttg.swizzled_shared<{vec = 4, perPhase = 4, maxPhase = 8, order = [0, 1]}>
// CHECK-LABEL: tt.func @transposed
// CHECK: %[[B:.+]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<64x32xf32, #[[K]], #smem>
// CHECK: %[[V:.+]] = ttg.memdesc_trans %[[B]] {order = array<i32: 1, 0>} : {{.*}} -> !ttg.memdesc<32x64xf32, #[[T]], #smem>
// CHECK: ttg.local_dot %{{[^,]*}}, %[[V]],
tt.func @transposed(%a: tensor<64x32xf32>, %y: tensor<64x32x!tt.ptr<f32>> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %k = tt.load %y : tensor<64x32x!tt.ptr<f32>>
  %b = tt.trans %k {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>
  %d = tt.dot %a, %b, %c : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// -----

// Two products share a factor: it is stored once, before the loop that does not change it. What one gives another, as
// well as what the loop changes, is stored where it is needed.
// CHECK-LABEL: tt.func @chain
// CHECK: %[[Q:.+]] = ttg.local_alloc
// CHECK: scf.for
// CHECK-NOT: ttg.local_alloc %arg
// CHECK: %[[S:.+]] = ttg.local_dot %[[Q]],
// CHECK: %[[M:.+]] = ttg.local_alloc %[[S]]
// CHECK: ttg.local_dot %[[M]],
tt.func @chain(%q: tensor<64x64xf32>, %k: tensor<64x64x!tt.ptr<f32>>, %c: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32>) : i32 {
    %b = tt.load %k : tensor<64x64x!tt.ptr<f32>>
    %s = tt.dot %q, %b, %zero : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %d = tt.dot %s, %b, %sum : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}

// -----

// Two elements for each thread: the right factor, which was computed, is stored with the reduced axis contiguous, so that
// four steps take one read for each element. Of all products that use a factor the first decides.
// CHECK-DAG: #[[TURNED:.+]] = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1]}>
// CHECK-LABEL: tt.func @computed
// CHECK: %[[B:.+]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<16x16xf32, #[[TURNED]], #smem>
// CHECK: ttg.local_dot %{{[^,]*}}, %[[B]],
// CHECK-NOT: ttg.local_alloc {{.*}}#[[TURNED]]
// CHECK: ttg.local_dot %{{[^,]*}}, %[[B]],
tt.func @computed(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e = tt.dot %d, %b, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %e : tensor<16x16xf32>
}

// -----

// Factors that are too large for memory on chip, fewer elements than threads, other types, batches.
// CHECK-LABEL: tt.func @others
// CHECK-NOT: ttg.local_dot
// CHECK: tt.return
tt.func @others(%a: tensor<128x256xf32>, %b: tensor<256x128xf32>, %c: tensor<128x128xf32>, %x: tensor<8x8xf32>, %i: tensor<32x32xi32>, %z: tensor<2x16x16xf32>) -> (tensor<128x128xf32>, tensor<8x8xf32>, tensor<32x32xi32>, tensor<2x16x16xf32>) {
  %large = tt.dot %a, %b, %c : tensor<128x256xf32> * tensor<256x128xf32> -> tensor<128x128xf32>
  %small = tt.dot %x, %x, %x : tensor<8x8xf32> * tensor<8x8xf32> -> tensor<8x8xf32>
  %integers = tt.dot %i, %i, %i : tensor<32x32xi32> * tensor<32x32xi32> -> tensor<32x32xi32>
  %batch = tt.dot %z, %z, %z : tensor<2x16x16xf32> * tensor<2x16x16xf32> -> tensor<2x16x16xf32>
  tt.return %large, %small, %integers, %batch : tensor<128x128xf32>, tensor<8x8xf32>, tensor<32x32xi32>, tensor<2x16x16xf32>
}
