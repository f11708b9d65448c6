// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory

// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @memory
  tt.func @memory(%x: tensor<16x64xf16, #blocked>, %p: tensor<16x64x!tt.ptr<f16>, #blocked>, %m: tensor<16x64xi1, #blocked>, %i: i32) {
    // CHECK: ttg.convert_layout %{{.*}} : tensor<16x64xf16, #blocked> -> tensor<16x64xf16, #blocked1>
    %0 = ttg.convert_layout %x : tensor<16x64xf16, #blocked> -> tensor<16x64xf16, #blocked1>
    // CHECK: ttg.local_alloc %{{.*}} : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
    %1 = ttg.local_alloc %x : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
    // CHECK: ttg.local_alloc {alignment = 128 : i32} : () -> !ttg.memdesc<2x16x64xf16, #shared, #smem, mutable>
    %2 = ttg.local_alloc {alignment = 128 : i32} : () -> !ttg.memdesc<2x16x64xf16, #shared, #smem, mutable>
    // CHECK: ttg.memdesc_index %{{.*}}[%{{.*}}] : !ttg.memdesc<2x16x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>
    %3 = ttg.memdesc_index %2[%i] : !ttg.memdesc<2x16x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>
    // CHECK: ttg.local_store %{{.*}}, %{{.*}} : tensor<16x64xf16, #blocked> -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>
    ttg.local_store %x, %3 : tensor<16x64xf16, #blocked> -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>
    // CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} mask %{{.*}} other %{{.*}} cacheModifier = cg {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
    %4 = ttg.async_copy_global_to_local %p, %3 mask %m other %x cacheModifier = cg {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
    // CHECK: ttg.async_commit_group tokens %{{.*}}
    %5 = ttg.async_commit_group tokens %4
    // CHECK: ttg.async_commit_group
    %6 = ttg.async_commit_group
    // CHECK: ttg.async_wait %{{.*}}, %{{.*}} {num = 1 : i32}
    %7 = ttg.async_wait %5, %6 {num = 1 : i32}
    // CHECK: ttg.local_load %{{.*}} token %{{.*}} : !ttg.memdesc<16x64xf16, #shared, #smem, mutable> -> tensor<16x64xf16, #blocked>
    %8 = ttg.local_load %3 token %7 : !ttg.memdesc<16x64xf16, #shared, #smem, mutable> -> tensor<16x64xf16, #blocked>
    // CHECK: ttg.local_load %{{.*}} : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #blocked1>
    %9 = ttg.local_load %1 : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #blocked1>
    // CHECK: ttg.memdesc_subslice %{{.*}}[0, 32] : !ttg.memdesc<16x64xf16, #shared, #smem> -> !ttg.memdesc<16x32xf16, #shared, #smem, 16x64>
    %10 = ttg.memdesc_subslice %1[0, 32] : !ttg.memdesc<16x64xf16, #shared, #smem> -> !ttg.memdesc<16x32xf16, #shared, #smem, 16x64>
    // CHECK: ttg.memdesc_trans %{{.*}} {order = array<i32: 1, 0>} : !ttg.memdesc<16x64xf16, #shared, #smem> -> !ttg.memdesc<64x16xf16, #shared1, #smem>
    %11 = ttg.memdesc_trans %1 {order = array<i32: 1, 0>} : !ttg.memdesc<16x64xf16, #shared, #smem> -> !ttg.memdesc<64x16xf16, #shared1, #smem>
    // CHECK: ttg.memdesc_reshape %{{.*}} : !ttg.memdesc<16x64xf16, #shared, #smem> -> !ttg.memdesc<32x32xf16, #shared, #smem>
    %12 = ttg.memdesc_reshape %1 : !ttg.memdesc<16x64xf16, #shared, #smem> -> !ttg.memdesc<32x32xf16, #shared, #smem>
    // CHECK: ttg.memdesc_reinterpret %{{.*}} : !ttg.memdesc<16x64xf16, #shared, #smem> -> !ttg.memdesc<16x32xi32, #shared, #smem>
    %13 = ttg.memdesc_reinterpret %1 : !ttg.memdesc<16x64xf16, #shared, #smem> -> !ttg.memdesc<16x32xi32, #shared, #smem>
    // CHECK: ttg.local_barrier
    ttg.local_barrier
    // CHECK: ttg.local_dealloc %{{.*}} : !ttg.memdesc<2x16x64xf16, #shared, #smem, mutable>
    ttg.local_dealloc %2 : !ttg.memdesc<2x16x64xf16, #shared, #smem, mutable>
    // CHECK: ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
    %14 = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
    tt.return
  }
}
