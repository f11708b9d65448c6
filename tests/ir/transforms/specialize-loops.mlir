// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3 warp-specialize=always" --canonicalize --cse --nereid-ttg-place-product-waits | FileCheck %s
// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3 warp-specialize=never" | FileCheck %s --check-prefix=NEVER
// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" | FileCheck %s --check-prefix=ASKED
// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3 warp-specialize=always" --nereid-ttg-lower-tile-accesses --canonicalize --cse --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s --check-prefix=PLACED

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #tile>>
// NEVER-NOT: ttg.warp_specialize
// ASKED-LABEL: @product
// ASKED: ttg.warp_specialize
// ASKED-LABEL: @chain
// ASKED: ttg.warp_specialize
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Both tiles go to the same product, so they share mbarriers. What a product has read is given back in the next round,
  // when that one's product has started.
  // CHECK-LABEL: @product
  // CHECK: %[[FULL:.+]] = ttg.local_alloc {{.*}} !ttg.memdesc<3x1xi64
  // CHECK-COUNT-3: ttng.init_barrier %{{.+}}, 1 :
  // CHECK: %[[EMPTY:.+]] = ttg.local_alloc {{.*}} !ttg.memdesc<3x1xi64
  // CHECK-COUNT-3: ttng.init_barrier %{{.+}}, 4 :
  // CHECK: ttg.warp_specialize({{.*}}) attributes {actualRegisters = array<i32: {{[0-9]+}}, 24>, requestedRegisters = array<i32: 24>}
  // CHECK: default {
  // CHECK: scf.for {{.*}} iter_args(%[[SUMS:.+]] = %{{.+}}, %[[FROM:.+]] = %c0_i32, %[[PHASE:.+]] = %c0_i32)
  // CHECK: %[[ARRIVED:.+]] = ttg.memdesc_index %[[FULL]][%[[FROM]]]
  // CHECK: ttng.wait_barrier %[[ARRIVED]], %[[PHASE]]
  // CHECK: %[[SUM:.+]] = ttng.warp_group_dot {{.*}}isAsync = true
  // CHECK: %[[IS_LATER:.+]] = arith.cmpi ne
  // CHECK: %[[DONE:.+]] = ttg.memdesc_index %[[EMPTY]]
  // CHECK: ttng.warp_group_dot_wait %[[SUM]] {pendings = 1
  // CHECK: ttng.arrive_barrier %[[DONE]], 1, %[[IS_LATER]] {eachWarp = true}
  // CHECK: ttng.warp_group_dot_wait {{.*}}pendings = 0
  // CHECK: ttng.inval_barrier
  // CHECK: tt.store
  // CHECK: ttg.warp_yield
  // CHECK: partition0(%{{.*}}) num_warps(1) {
  // CHECK: scf.for {{.*}} iter_args(%[[TO:.+]] = %c0_i32{{.*}}, %[[OTHER:.+]] = %c1_i32{{.*}})
  // CHECK: ttng.wait_barrier %{{.+}}, %[[OTHER]]
  // CHECK: ttng.barrier_expect %[[COMING:.+]], 16384, %
  // CHECK: ttng.async_tma_copy_global_to_local %{{.+}}[%{{.+}}, %{{.+}}] %{{.+}}, %[[COMING]]
  // CHECK: ttng.async_tma_copy_global_to_local %{{.+}}[%{{.+}}, %{{.+}}] %{{.+}}, %[[COMING]]
  // CHECK-NOT: ttng.warp_group_dot
  // CHECK: ttg.warp_return

  // No barrier of the block is left in the loop.
  // PLACED-LABEL: @product
  // PLACED: scf.for
  // PLACED-NOT: ttg.local_barrier
  // PLACED: scf.yield
  // PLACED: ttg.local_barrier
  // PLACED-NEXT: ttng.inval_barrier
  // PLACED: partition0
  // PLACED-NOT: ttg.local_barrier
  // PLACED: ttg.warp_return
  tt.func public @product(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %n: i32, %out: tensor<64x64x!tt.ptr<f32>, #mma>, %xs: !desc {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $2"}}, %ys: !desc {nereid.tensor_map = {base = 1 : i32, extents = "$2, $2, $2"}}) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %row = tt.get_program_id x : i32
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %a = tt.descriptor_load %xs[%row, %k] : !desc -> tensor<64x64xf16, #blocked>
      %b = tt.descriptor_load %ys[%row, %k] : !desc -> tensor<64x64xf16, #blocked>
      %am = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %bm = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %bt = ttg.memdesc_trans %bm {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #tile, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
      %d = ttng.warp_group_dot %am, %bt, %s : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {tt.warp_specialize}
    tt.store %out, %r : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // A tile whose product the round needs itself is given back in that round, one whose product outlasts it in the next
  // one, when a product that began after it is done. Both are right behind the wait for that, before anything is
  // computed of it. All waits for tiles stand before the first product.
  // CHECK-LABEL: @chain
  // CHECK: scf.for
  // CHECK-COUNT-2: ttng.wait_barrier
  // CHECK: ttng.warp_group_dot {{.*}}
  // CHECK: ttng.warp_group_dot_wait {{.*}}pendings = 0
  // CHECK: ttng.arrive_barrier %{{.+}}, 1 deps
  // CHECK: ttng.arrive_barrier %{{.+}}, 1, %
  // CHECK-NOT: ttng.wait_barrier
  // CHECK: math.exp2
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttng.arrive_barrier
  // CHECK: scf.yield
  // CHECK: partition0
  // CHECK-COUNT-2: ttng.barrier_expect %{{.+}}, 8192
  tt.func public @chain(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %n: i32, %out: tensor<64x64x!tt.ptr<f32>, #mma>, %xs: !desc {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $2"}}, %ys: !desc {nereid.tensor_map = {base = 1 : i32, extents = "$2, $2, $2"}}, %q: tensor<64x64xf16, #a>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %a = tt.descriptor_load %xs[%k, %c0] : !desc -> tensor<64x64xf16, #blocked>
      %am = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %at = ttg.memdesc_trans %am {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #tile, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
      %scores = ttng.warp_group_dot %q, %at, %zero : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
      %p = math.exp2 %scores : tensor<64x64xf32, #mma>
      %half = arith.truncf %p : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %pa = ttg.convert_layout %half : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %b = tt.descriptor_load %ys[%k, %c0] : !desc -> tensor<64x64xf16, #blocked>
      %bm = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %d = ttng.warp_group_dot %pa, %bm, %s : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {tt.warp_specialize}
    tt.store %out, %r : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // Whose coordinates are loaded in the loop stays as it is.
  // CHECK-LABEL: @loaded
  // CHECK-NOT: ttg.warp_specialize
  // CHECK: tt.return
  tt.func public @loaded(%x: !tt.ptr<f16>, %at: !tt.ptr<i32>, %n: i32, %out: tensor<64x64x!tt.ptr<f32>, #mma>, %xs: !desc {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $2"}}) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %p = tt.addptr %at, %k : !tt.ptr<i32>, i32
      %row = tt.load %p : !tt.ptr<i32>
      %a = tt.descriptor_load %xs[%row, %c0] : !desc -> tensor<64x64xf16, #blocked>
      %am = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %at2 = ttg.memdesc_trans %am {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #tile, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
      %d = ttng.warp_group_dot %am, %at2, %s : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {tt.warp_specialize}
    tt.store %out, %r : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}
