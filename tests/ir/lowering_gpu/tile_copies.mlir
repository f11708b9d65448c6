// RUN: nereid-lower %s cuda:90a | FileCheck %s
// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefix=ONCE
// RUN: not nereid-lower %s cuda:80 2>&1 | FileCheck %s --check-prefix=OLD

// A tensor map is 128 bytes that the launch passes by value, and that nobody changes.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// OLD: 'ttng.init_barrier'
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 20480 : i32} {
  // CHECK: define {{.*}} @kernel(ptr addrspace(1) %{{[^,]*}}, i32 %{{[^,]*}}, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %[[MAP:[^ ,)]+]])
  tt.func public @kernel(%base: !tt.ptr<f16>, %n: i32, %map: !tt.tensordesc<tensor<64x128xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$1, $1, $1"}}) {
    %c0 = arith.constant 0 : i32
    %true = arith.constant true
    %buffer = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 1024 : i32} : () -> !ttg.memdesc<64x128xf16, #tile, #smem, mutable>
    %barrier = ttg.local_alloc {allocation.offset = 16384 : i32, alignment = 16 : i32} : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
    // One thread of the first warp acts, elected once.
    // ONCE-LABEL: @kernel(
    // ONCE: elect.sync
    // ONCE-NOT: call {{.*}}elect.sync
    // ONCE: ret void
    // CHECK: %[[ELECTED:.+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
    // CHECK: %[[ONE:.+]] = extractvalue { i32, i1 } %[[ELECTED]], 1
    // CHECK: %[[FIRST:.+]] = icmp ult i32 %{{.+}}, 32
    // CHECK: %[[ACTS:.+]] = and i1 %[[ONE]], %[[FIRST]]
    // CHECK: asm sideeffect "@$1 mbarrier.init.shared::cta.b64 [$0], 1;", "r,b,~{memory}"(ptr addrspace(3) {{.+}}, i1 %[[ACTS]]) #[[CONVERGENT:[0-9]+]]
    // CHECK: asm sideeffect "fence.mbarrier_init.release.cluster;"
    ttng.init_barrier %barrier, 1 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    ttng.fence_async_shared
    ttg.local_barrier
    // CHECK: asm sideeffect "@$1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 16384;"
    ttng.barrier_expect %barrier, 16384, %true : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    // Rows of 128 bytes hold 64 columns: two copies, the second 8192 bytes and 64 columns further. Columns come first.
    // CHECK: asm sideeffect "@$3 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$4, $5}], [$2];", "r,l,r,b,r,r,~{memory}"(ptr addrspace(3) {{.+}}, ptr %[[MAP]], ptr addrspace(3) {{.+}}, i1 %{{.+}}, i32 0, i32 %[[N:.+]]) #[[CONVERGENT]]
    // CHECK: asm sideeffect {{.*}}cp.async.bulk.tensor.2d{{.*}}, i32 64, i32 %[[N]])
    ttng.async_tma_copy_global_to_local %map[%n, %c0] %buffer, %barrier, %true : !tt.tensordesc<tensor<64x128xf16, #tile>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x128xf16, #tile, #smem, mutable>
    // CHECK: asm sideeffect "{{{.*}}mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;{{.*}}}", "r,r,~{memory}"(ptr addrspace(3) {{.+}}, i32 0) #[[CONVERGENT]]
    ttng.wait_barrier %barrier, %c0 deps %buffer : !ttg.memdesc<1xi64, #plain, #smem, mutable>, !ttg.memdesc<64x128xf16, #tile, #smem, mutable>
    // CHECK: asm sideeffect "@$2 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$3, $4}], [$0];", "r,l,b,r,r,~{memory}"(ptr addrspace(3) {{.+}}, ptr %[[MAP]], i1 %{{.+}}, i32 0, i32 %[[N]])
    // CHECK: asm sideeffect "cp.async.bulk.commit_group;"
    // CHECK: asm sideeffect {{.*}}cp.async.bulk.tensor.2d.global{{.*}}, i32 64, i32 %[[N]])
    // CHECK: asm sideeffect "cp.async.bulk.wait_group.read 0;"
    ttng.async_tma_copy_local_to_global %map[%n, %c0] %buffer : !tt.tensordesc<tensor<64x128xf16, #tile>>, !ttg.memdesc<64x128xf16, #tile, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    // CHECK: asm sideeffect "@$1 mbarrier.inval.shared::cta.b64 [$0];"
    ttng.inval_barrier %barrier : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    tt.return
  }
  // CHECK: attributes #[[CONVERGENT]] = { convergent
}
