// RUN: nereid-opt %s --split-input-file --nereid-ttg-pipeline-loads="target=cuda:80 num-stages=3" --canonicalize | FileCheck %s

// What is loaded and transposed is read from another view of the ring, by fragments.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-DAG: #[[ROWS:.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
  // CHECK-DAG: #[[COLUMNS:.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
  // CHECK-LABEL: @transposed
  // CHECK: ttg.local_alloc {{.*}} : () -> !ttg.memdesc<3x128x64xf16, #[[ROWS]], #smem, mutable>
  // CHECK: scf.for
  // CHECK-NOT: tt.trans
  // CHECK: %[[VIEW:.+]] = ttg.memdesc_trans %{{.*}} {order = array<i32: 1, 0>} : {{.*}} -> !ttg.memdesc<64x128xf16, #[[COLUMNS]], #smem, mutable, 3x64x128>
  // CHECK: %[[B:.+]] = ttg.local_load %[[VIEW]] {{.*}} -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 1
  // CHECK: tt.dot %{{.*}}, %[[B]],
  // CHECK: scf.yield
  tt.func public @transposed(%x: tensor<128x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<64x64xf16, #left>, %c: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x128xf32, #mma>) : i32 {
      %v = tt.load %x : tensor<128x64x!tt.ptr<f16>, #blocked>
      %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<128x64xf16, #blocked> -> tensor<64x128xf16, #turned>
      %b = ttg.convert_layout %t : tensor<64x128xf16, #turned> -> tensor<64x128xf16, #right>
      %d = tt.dot %a, %b, %sum : tensor<64x64xf16, #left> * tensor<64x128xf16, #right> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    tt.return %r : tensor<64x128xf32, #mma>
  }
}

// -----

// A product reads the ring itself though something else needs what was loaded: that is read back once.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @used_twice
  // CHECK: %[[RING:.+]] = ttg.local_alloc {{.*}} : () -> !ttg.memdesc<3x64x32xf32, #[[L:.+]], #smem, mutable>
  // CHECK: scf.for
  // CHECK-NOT: tt.load
  // CHECK-NOT: ttg.local_alloc
  // CHECK-DAG: %[[V:.+]] = ttg.local_load {{.*}} -> tensor<64x32xf32, #blocked>
  // CHECK-DAG: arith.addf %{{.*}}, %[[V]]
  // CHECK-DAG: ttg.local_dot %{{.*}} : !ttg.memdesc<64x32xf32, #[[L]], #smem, mutable, 3x64x32> *
  // CHECK: scf.yield
  tt.func public @used_twice(%x: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %b: tensor<32x64xf32, #blocked>, %c: tensor<64x64xf32, #blocked>, %s: tensor<64x32xf32, #blocked>, %n: i32) -> (tensor<64x64xf32, #blocked>, tensor<64x32xf32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %y = ttg.local_alloc %b : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #plain, #smem>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %total = %s) -> (tensor<64x64xf32, #blocked>, tensor<64x32xf32, #blocked>) : i32 {
      %v = tt.load %x : tensor<64x32x!tt.ptr<f32>, #blocked>
      %a = ttg.local_alloc %v : (tensor<64x32xf32, #blocked>) -> !ttg.memdesc<64x32xf32, #shared, #smem>
      %d = ttg.local_dot %a, %y, %sum : !ttg.memdesc<64x32xf32, #shared, #smem> * !ttg.memdesc<32x64xf32, #plain, #smem> -> tensor<64x64xf32, #blocked>
      %t = arith.addf %total, %v : tensor<64x32xf32, #blocked>
      scf.yield %d, %t : tensor<64x64xf32, #blocked>, tensor<64x32xf32, #blocked>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #blocked>, tensor<64x32xf32, #blocked>
  }
}
