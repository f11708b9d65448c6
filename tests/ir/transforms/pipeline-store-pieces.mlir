// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --nereid-ttg-lower-tile-accesses --canonicalize --cse --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Rings of four buffers of 48 KiB leave no room for a tile of 64 KiB, but for a piece of 64 columns. It waits until the
  // piece before has been read, the first one until the last one of the tile before has been. The tile is rounded where it
  // was computed, not in the layout that the store came with.
  // CHECK-LABEL: @tiles
  // CHECK-DAG: !ttg.memdesc<4x128x64xf16
  // CHECK-DAG: !ttg.memdesc<4x256x64xf16
  // CHECK: %[[PIECE:.+]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<128x64xf16, #{{.+}}, #smem, mutable>
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: arith.truncf {{.*}} : tensor<128x256xf32, #mma> to tensor<128x256xf16, #mma>
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_store {{.*}}, %[[PIECE]]
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttng.async_tma_copy_local_to_global %{{.+}}[%[[ROW:.+]], %[[COLUMN:.+]]] %[[PIECE]]
  // CHECK-NEXT: %[[SECOND:.+]] = arith.addi %[[COLUMN]], %c64_i32
  // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_store {{.*}}, %[[PIECE]]
  // CHECK: ttng.async_tma_copy_local_to_global %{{.+}}[%[[ROW]], %[[SECOND]]] %[[PIECE]]
  // CHECK-COUNT-2: ttng.async_tma_copy_local_to_global
  // CHECK-NOT: ttng.async_tma_store_wait
  // CHECK: scf.yield
  // CHECK: }
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  // CHECK: ttg.local_dealloc %[[PIECE]]
  tt.func public @tiles(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f16>, %n: i32, %count: i32, %across: i32, %a: !tt.tensordesc<tensor<128x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$3, $3, $3"}}, %b: !tt.tensordesc<tensor<256x64xf16, #tile>> {nereid.tensor_map = {base = 1 : i32, extents = "$3, $3, $3"}}, %c: !tt.tensordesc<tensor<128x256xf16, #tile>> {nereid.tensor_map = {base = 2 : i32, extents = "$3, $3, $3"}}) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #mma>
    %first = tt.get_program_id x : i32
    %programs = tt.get_num_programs x : i32
    scf.for %i = %first to %count step %programs : i32 {
      %row = arith.divsi %i, %across : i32
      %column = arith.remsi %i, %across : i32
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<128x256xf32, #mma>) : i32 {
        %x = tt.descriptor_load %a[%row, %k] : !tt.tensordesc<tensor<128x64xf16, #tile>> -> tensor<128x64xf16, #blocked>
        %y = tt.descriptor_load %b[%column, %k] : !tt.tensordesc<tensor<256x64xf16, #tile>> -> tensor<256x64xf16, #blocked>
        %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #tile, #smem>
        %my = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<256x64xf16, #blocked>) -> !ttg.memdesc<256x64xf16, #tile, #smem>
        %t = ttg.memdesc_trans %my {order = array<i32: 1, 0>} : !ttg.memdesc<256x64xf16, #tile, #smem> -> !ttg.memdesc<64x256xf16, #turned, #smem>
        ttng.fence_async_shared
        %d = ttng.warp_group_dot %mx, %t, %sum : !ttg.memdesc<128x64xf16, #tile, #smem> * !ttg.memdesc<64x256xf16, #turned, #smem> -> tensor<128x256xf32, #mma>
        scf.yield %d : tensor<128x256xf32, #mma>
      }
      %e = ttg.convert_layout %r : tensor<128x256xf32, #mma> -> tensor<128x256xf32, #blocked>
      %s = arith.truncf %e : tensor<128x256xf32, #blocked> to tensor<128x256xf16, #blocked>
      tt.descriptor_store %c[%row, %column], %s : !tt.tensordesc<tensor<128x256xf16, #tile>>, tensor<128x256xf16, #blocked>
    }
    tt.return
  }
}
