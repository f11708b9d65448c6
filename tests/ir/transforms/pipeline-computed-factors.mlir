// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --canonicalize --nereid-ttg-place-product-waits | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // What is computed anew in each round lies in registers that the next round writes before it has waited for this one's
  // product. So the product ends in its round.
  // CHECK-LABEL: @computed
  // CHECK: scf.for
  // CHECK: ttng.warp_group_dot
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK: scf.yield
  tt.func public @computed(%x: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %q: tensor<64x64xf16, #a>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %p = %q) -> (tensor<64x64xf32, #mma>, tensor<64x64xf16, #a>) : i32 {
      %v = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      %h = arith.addf %p, %p : tensor<64x64xf16, #a>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %h, %m, %sum : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d, %h : tensor<64x64xf32, #mma>, tensor<64x64xf16, #a>
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // A factor computed from another product of its round is there only when all older ones have ended.
  // CHECK-LABEL: @chained
  // CHECK: scf.for
  // CHECK: %[[S:.+]] = ttng.warp_group_dot
  // CHECK: ttng.warp_group_dot_wait {{.*}}%[[S]]{{.*}} {pendings = 0 : i32}
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK: scf.yield
  tt.func public @chained(%x: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %q: tensor<64x64xf16, #a>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %v = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      ttng.fence_async_shared
      %s = ttng.warp_group_dot %q, %m, %zero : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %t = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %h = ttg.convert_layout %t : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %d = ttng.warp_group_dot %h, %m, %sum : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
