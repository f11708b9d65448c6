// RUN: nereid-lower %s cuda:90a | FileCheck %s

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 20480 : i32} {
  // Of three axes: the last is contiguous, the others are rows, and coordinates come the other way round. In the order of
  // the program: fences of global memory, and a wait until it is written.
  // CHECK-LABEL: @ordered(
  // CHECK: asm sideeffect "fence.proxy.async;"
  // CHECK: cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [$1, {$3, $4, $5}], [$0];{{.*}}, i32 0, i32 7, i32 %{{[0-9]+}})
  // CHECK: asm sideeffect "cp.async.bulk.wait_group 0;"
  tt.func public @ordered(%base: !tt.ptr<f16>, %n: i32, %map: !tt.tensordesc<tensor<2x32x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$1, $1, $1, $1, $1", ordered}}) {
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %buffer = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 1024 : i32} : () -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
    ttng.fence_async_shared {global = true}
    ttng.async_tma_copy_local_to_global %map[%n, %c7, %c0] %buffer : !tt.tensordesc<tensor<2x32x64xf16, #tile>>, !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32, written = true}
    tt.return
  }
}
