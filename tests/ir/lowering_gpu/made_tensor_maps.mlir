// RUN: nereid-lower %s cuda:90a | FileCheck %s
// RUN: not nereid-lower %s cuda:90 2>&1 | FileCheck %s --check-prefix=OTHERS

// RUN: nereid-opt %S/../upstream_text/Inputs/grouped-matmul.ttgir --nereid-ttg-adopt-tensor-maps --nereid-ttg-allocate-global-scratch --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers -o %t.mlir
// RUN: nereid-lower %t.mlir cuda:90a | FileCheck %s --check-prefix=TRITON

// Triton's own text: two maps in turns for each of three descriptors.
// TRITON-LABEL: define {{.*}} @grouped_matmul(
// TRITON-COUNT-3: tensormap.cp_fenceproxy
// TRITON-NOT: tensormap.cp_fenceproxy

// A map is put together on chip by a warp, from zeros, by its elected thread. Then it is copied to global memory, and whoever copies
// by it makes sure that the unit knows of it.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#vectors = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
// OTHERS: made_tensor_maps.mlir:[[@LINE+32]]:5: error: a tensor map is made by the program here, which this target can't do; those whose names end in 'a' can, such as cuda:90a
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 20480 : i32} {
  // CHECK-LABEL: @kernel(
  // CHECK: %[[WORD:.+]] = getelementptr i8, ptr addrspace(3) {{.+}}, i32 %
  // CHECK: asm sideeffect "@$1 st.shared.b32 [$0], 0;\0A\09bar.warp.sync -1;", "r,b,~{memory}"(ptr addrspace(3) %[[WORD]], i1 %[[FIRST:.+]])
  // CHECK: call { i32, i1 } @llvm.nvvm.elect.sync
  // CHECK: asm sideeffect "@$1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$0], $2;
  // CHECK-SAME: @$1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [$0], 1;
  // CHECK-SAME: @$1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 0, $3;
  // CHECK-SAME: @$1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 1, $4;
  // CHECK-SAME: @$1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 0, $5;
  // CHECK-SAME: @$1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 1, $6;
  // CHECK-SAME: @$1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [$0], 0, $7;
  // CHECK-SAME: @$1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [$0], 1, $9;
  // CHECK-SAME: @$1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [$0], 6;
  // CHECK-SAME: @$1 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [$0], 0;
  // CHECK-SAME: @$1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [$0], 3;
  // CHECK-SAME: @$1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [$0], 0;", "r,b,l,r,r,r,r,l,r,r,~{memory}"
  // CHECK: asm sideeffect "bar.warp.sync -1;\0A\09@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,r,b,~{memory}"(ptr %[[MAP:.+]], ptr addrspace(3) {{.+}}, i1 %[[FIRST]])
  // CHECK: call void @llvm.nvvm.barrier
  // CHECK: asm sideeffect "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;
  // CHECK: asm sideeffect "@$3 cp.async.bulk.tensor.2d{{.*}}(ptr addrspace(3) {{.+}}, ptr %{{.+}}, ptr addrspace(3)
  // Vectors of atomics, which need less of PTX, come later.
  // CHECK: red.global.relaxed.gpu.add.v4.f32
  // CHECK: !{i32 {{[0-9]+}}, !"nereid.ptx", i32 85}
  tt.func public @kernel(%base: !tt.ptr<f16>, %n: i32, %stride: i64, %map: !tt.ptr<i8>, %sums: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %c64 = arith.constant 64 : i32
    %buffer = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 1024 : i32} : () -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
    %barrier = ttg.local_alloc {allocation.offset = 16384 : i32, alignment = 16 : i32} : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
    ttng.tensormap_create %map, %base, [%c64, %c64], [%n, %n], [%stride], [%c1, %c1] {allocation.offset = 18432 : i32, elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    ttng.tensormap_fenceproxy_acquire %map : !tt.ptr<i8>
    %d = ttng.reinterpret_tensor_descriptor %map : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16, #tile>>
    ttng.async_tma_copy_global_to_local %d[%c0, %c0] %buffer, %barrier, %true : !tt.tensordesc<tensor<64x64xf16, #tile>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
    %offsets = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #vectors>
    %ones = arith.constant dense<1.0> : tensor<512xf32, #vectors>
    %all = arith.constant dense<true> : tensor<512xi1, #vectors>
    %first = tt.splat %sums : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #vectors>
    %where = tt.addptr %first, %offsets : tensor<512x!tt.ptr<f32>, #vectors>, tensor<512xi32, #vectors>
    %old = tt.atomic_rmw fadd, relaxed, gpu, %where, %ones, %all : (tensor<512x!tt.ptr<f32>, #vectors>, tensor<512xf32, #vectors>, tensor<512xi1, #vectors>) -> tensor<512xf32, #vectors>
    tt.return
  }
}
