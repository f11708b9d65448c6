// RUN: nereid-opt %s --nereid-ttg-lower-tile-accesses --canonicalize | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Loads behind one another start together. A product that wants a tile in memory has it there, the threads read it back.
  // CHECK-LABEL: @together
  // CHECK: %[[X:.+]] = ttg.local_alloc {{.*}} !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  // CHECK-NEXT: %[[Y:.+]] = ttg.local_alloc {{.*}} !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  // CHECK-NEXT: %[[BARRIER:.+]] = ttg.local_alloc
  // CHECK-NEXT: ttng.init_barrier %[[BARRIER]], 1
  // CHECK-NEXT: ttng.fence_async_shared{{$}}
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttng.barrier_expect %[[BARRIER]], 16384
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local {{.*}} %[[X]], %[[BARRIER]]
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local {{.*}} %[[Y]], %[[BARRIER]]
  // CHECK-NEXT: ttng.wait_barrier %[[BARRIER]], %{{.+}} deps %[[X]], %[[Y]]
  // CHECK-NEXT: ttng.inval_barrier %[[BARRIER]]
  // CHECK-NOT: ttg.local_alloc
  // CHECK: ttg.local_load %[[X]]
  // CHECK: %[[T:.+]] = ttg.memdesc_trans %[[Y]]
  // CHECK: ttng.warp_group_dot %{{.+}}, %[[T]]
  tt.func public @together(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %n: i32, %q: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %c: tensor<64x64xf32, #mma>, %a: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $2"}}, %b: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 1 : i32, extents = "$2, $2, $2"}}) -> (tensor<64x64xf16, #blocked>, tensor<64x64xf32, #mma>) {
    %x = tt.descriptor_load %a[%n, %n] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
    %s = arith.addf %x, %x : tensor<64x64xf16, #blocked>
    %y = tt.descriptor_load %b[%n, %n] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
    %m = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
    %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #tile, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
    %d = ttng.warp_group_dot %q, %t, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
    tt.return %s, %d : tensor<64x64xf16, #blocked>, tensor<64x64xf32, #mma>
  }

  // What is stored between may be what the second one loads. Where threads store too, all keep to the order.
  // CHECK-LABEL: @apart
  // CHECK: ttng.barrier_expect %{{.+}}, 8192
  // CHECK: ttng.wait_barrier
  // CHECK: tt.store
  // CHECK: ttng.fence_async_shared {global = true}
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttng.barrier_expect %{{.+}}, 8192
  // CHECK: ttng.wait_barrier
  // CHECK: ttg.local_alloc %{{.+}} :
  // CHECK-NEXT: ttng.fence_async_shared {global = true}
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttng.async_tma_copy_local_to_global
  // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32, written = true}
  // CHECK-NEXT: ttng.fence_async_shared {global = true}
  // CHECK-NEXT: ttg.local_barrier
  tt.func public @apart(%pa: !tt.ptr<f16>, %n: i32, %one: f16, %a: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$1, $1, $1", ordered}}) {
    %x = tt.descriptor_load %a[%n, %n] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
    tt.store %pa, %one : !tt.ptr<f16>
    %y = tt.descriptor_load %a[%n, %n] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
    %s = arith.addf %x, %y : tensor<64x64xf16, #blocked>
    tt.descriptor_store %a[%n, %n], %s : !tt.tensordesc<tensor<64x64xf16, #tile>>, tensor<64x64xf16, #blocked>
    tt.return
  }
}
