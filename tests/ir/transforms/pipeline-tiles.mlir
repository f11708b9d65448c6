// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --canonicalize --cse | FileCheck %s
// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --nereid-ttg-lower-tile-accesses --canonicalize --cse --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s --check-prefix=PLACED

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A barrier for each of three buffers; both tiles of a round arrive at the same one. Its phase changes when the ring
  // has gone round.
  // CHECK-LABEL: @product
  // CHECK-DAG: %[[A:.+]] = ttg.local_alloc {alignment = 1024 : i32} : () -> !ttg.memdesc<3x64x64xf16
  // CHECK-DAG: %[[B:.+]] = ttg.local_alloc {alignment = 1024 : i32} : () -> !ttg.memdesc<3x64x64xf16
  // CHECK: %[[BARRIERS:.+]] = ttg.local_alloc {{.*}} !ttg.memdesc<3x1xi64
  // CHECK-COUNT-3: ttng.init_barrier %{{.+}}, 1
  // CHECK: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-COUNT-2: ttng.barrier_expect %{{.+}}, 16384, %
  // CHECK: scf.for {{.*}} iter_args({{.*}}, %[[TO:[^ ]+]] = %c2_i32, %[[FROM:[^ ]+]] = %c0_i32, %[[PHASE:[^ ]+]] = %c0_i32)
  // CHECK: %[[BARRIER:.+]] = ttg.memdesc_index %[[BARRIERS]][%[[FROM]]]
  // CHECK: ttng.wait_barrier %[[BARRIER]], %[[PHASE]]
  // CHECK: ttng.warp_group_dot {{.*}}isAsync = true
  // CHECK: %[[NEXT:.+]] = ttg.memdesc_index %[[BARRIERS]][%[[TO]]]
  // CHECK: ttng.barrier_expect %[[NEXT]], 16384, %[[MORE:.+]] :
  // CHECK: ttng.async_tma_copy_global_to_local %{{.+}}[%{{.+}}, %{{.+}}] %{{.+}}, %[[NEXT]], %[[MORE]]
  // CHECK: ttng.async_tma_copy_global_to_local %{{.+}}[%{{.+}}, %{{.+}}] %{{.+}}, %[[NEXT]], %[[MORE]]
  // CHECK: scf.yield
  // CHECK-COUNT-3: ttng.inval_barrier
  // One barrier of the block in a round: between the end of the product that read the buffer, and the copy to it.
  // PLACED-LABEL: @product
  // PLACED: scf.for
  // PLACED-NOT: ttg.local_barrier
  // PLACED: ttng.warp_group_dot_wait
  // PLACED: ttg.local_barrier
  // PLACED-NEXT: ttng.barrier_expect
  // PLACED-NOT: ttg.local_barrier
  // PLACED: scf.yield
  // Other warps' products may still be reading the rings when this one's are done.
  // PLACED: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // PLACED: ttg.local_barrier
  // PLACED-NEXT: ttg.local_alloc %{{.+}} {{.*}}allocation.offset = 0
  tt.func public @product(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %n: i32, %c: tensor<64x64xf32, #mma>, %a: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $2"}}, %b: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 1 : i32, extents = "$2, $2, $2"}}) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
      %y = tt.descriptor_load %b[%c0, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
      %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %my = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %t = ttg.memdesc_trans %my {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #tile, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %mx, %t, %sum : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %m = ttg.local_alloc %r : (tensor<64x64xf32, #mma>) -> !ttg.memdesc<64x64xf32, #plain, #smem>
    %again = ttg.local_load %m : !ttg.memdesc<64x64xf32, #plain, #smem> -> tensor<64x64xf32, #mma>
    tt.return %again : tensor<64x64xf32, #mma>
  }

  // What the threads want to have is read back by them; and what a later round may have written is not read ahead,
  // but in one go.
  // CHECK-LABEL: @threads
  // CHECK: scf.for
  // CHECK: ttng.wait_barrier
  // CHECK: ttng.barrier_expect %{{.+}}, 8192
  // CHECK: tt.descriptor_load %arg4
  // CHECK: ttg.local_load %{{.+}} -> tensor<64x64xf16, #blocked>
  // PLACED-LABEL: @threads
  // PLACED: scf.for
  // PLACED: ttng.init_barrier %[[ONE:.+]], 1
  // PLACED-NEXT: ttng.fence_async_shared
  // PLACED-NEXT: ttg.local_barrier
  // PLACED-NEXT: ttng.barrier_expect %[[ONE]], 8192, %true
  // PLACED-NEXT: ttng.async_tma_copy_global_to_local %arg4[%{{.+}}, %{{.+}}] %[[BUFFER:.+]], %[[ONE]], %true
  // PLACED-NEXT: ttng.wait_barrier %[[ONE]], %c0_i32 deps %[[BUFFER]]
  // PLACED-NEXT: ttg.local_barrier
  // PLACED-NEXT: ttng.inval_barrier %[[ONE]]
  // PLACED: ttg.local_load %[[BUFFER]]
  tt.func public @threads(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %n: i32, %out: tensor<64x64x!tt.ptr<f16>, #blocked>, %a: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $2"}}, %b: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 1 : i32, extents = "$2, $2, $2"}}) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %start = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    scf.for %k = %c0 to %n step %c64 : i32 {
      %x = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
      %y = tt.descriptor_load %b[%c0, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
      %s = arith.addf %x, %y : tensor<64x64xf16, #blocked>
      tt.store %start, %s : tensor<64x64x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }

  // A store needs no conversion, for each thread writes to memory on chip what it has.
  // PLACED-LABEL: @store
  // PLACED-NOT: ttg.convert_layout
  // PLACED: %[[TILE:.+]] = ttg.local_alloc %{{.+}} {{.*}}: (tensor<64x64xf16, #mma>) -> !ttg.memdesc<64x64xf16
  // PLACED-NEXT: ttng.fence_async_shared
  // PLACED-NEXT: ttg.local_barrier
  // PLACED-NEXT: ttng.async_tma_copy_local_to_global %arg0[%c0_i32, %c0_i32] %[[TILE]]
  // PLACED-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.func public @store(%a: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 1 : i32, extents = "$2, $2, $2"}}, %p: !tt.ptr<f16>, %n: i32, %x: tensor<64x64xf16, #mma>) {
    %c0 = arith.constant 0 : i32
    %y = ttg.convert_layout %x : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #blocked>
    tt.descriptor_store %a[%c0, %c0], %y : !tt.tensordesc<tensor<64x64xf16, #tile>>, tensor<64x64xf16, #blocked>
    tt.return
  }
}
