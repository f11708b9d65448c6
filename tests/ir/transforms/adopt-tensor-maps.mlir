// RUN: nereid-opt %S/../upstream_text/Inputs/matmul-of-descriptors.ttgir --nereid-ttg-adopt-tensor-maps | FileCheck %s --check-prefix=TRITON
// RUN: nereid-opt %s --split-input-file --nereid-ttg-adopt-tensor-maps --verify-diagnostics | FileCheck %s

// What Triton's programs write to memory of the launch's becomes a parameter that the launch makes. Strides are in
// elements there.
// TRITON-LABEL: tt.func public @matmul_of_descriptors
// TRITON-SAME: !tt.tensordesc<tensor<128x64xf16, #shared>> {nereid.tensor_map = {base = 0 : i32, extents = "$3, $5, $5"}}
// TRITON-SAME: !tt.tensordesc<tensor<64x64xf16, #shared>> {nereid.tensor_map = {base = 1 : i32, extents = "$4, $5, $5"}}
// TRITON-SAME: !tt.tensordesc<tensor<128x64xf16, #shared>> {nereid.tensor_map = {base = 2 : i32, extents = "$3, $4, $4"}}
// TRITON-NOT: ttg.global_scratch_alloc
// TRITON-NOT: ttng.tensormap
// TRITON: ttng.async_tma_copy_global_to_local %arg6[

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A stride that is no product of the element's size is divided; a descriptor that the frontend has made.
  // CHECK-LABEL: tt.func public @both
  // CHECK-SAME: {nereid.tensor_map = {base = 0 : i32, extents = "$1, $1, $2"}}
  // CHECK-SAME: {nereid.tensor_map = {base = 0 : i32, extents = "$1, 64, ($2 / 2)"}}
  tt.func public @both(%p: !tt.ptr<f16>, %n: i32, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %one = arith.constant 1 : i64
    %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>
    %made = tt.make_tensor_descriptor %p, [%n, %n], [%stride, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16, #shared>>
    ttng.async_tma_copy_local_to_global %made[%c0, %c0] %m : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>
    %s = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    ttng.tensormap_create %s, %p, [%c64, %c64], [%c64, %n], [%stride], [%c1, %c1] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    ttng.tensormap_fenceproxy_acquire %s : !tt.ptr<i8>
    %d = ttng.reinterpret_tensor_descriptor %s : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16, #shared>>
    ttng.async_tma_copy_local_to_global %d[%c0, %c0] %m : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    tt.return
  }
}

// -----

// What depends on the program, or on what it has loaded, stays, and so does a map that is one of several in its memory.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @of_program(%arg0: !tt.ptr<f16>, %arg1: i32, %arg2: i64) {
  // CHECK: ttng.tensormap_create %{{.+}}, %arg0
  // CHECK: ttng.tensormap_fenceproxy_acquire
  // CHECK: ttng.reinterpret_tensor_descriptor
  // CHECK: ttng.tensormap_create %{{.+}}, %arg0
  tt.func public @of_program(%p: !tt.ptr<f16>, %n: i32, %stride: i64) {
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %id = tt.get_program_id x : i32
    %s = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    ttng.tensormap_create %s, %p, [%c64, %c64], [%c64, %id], [%stride], [%c1, %c1] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    ttng.tensormap_fenceproxy_acquire %s : !tt.ptr<i8>
    %d = ttng.reinterpret_tensor_descriptor %s : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16, #shared>>
    %several = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
    %second = tt.addptr %several, %c128 : !tt.ptr<i8>, i32
    ttng.tensormap_create %second, %p, [%c64, %c64], [%c64, %n], [%stride], [%c1, %c1] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nan(%p: !tt.ptr<f16>, %n: i32, %stride: i64) {
    %c1 = arith.constant 1 : i32
    %s = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    // expected-error @below {{a tensor map that interleaves elements, or fills in other numbers than zeros, is not supported}}
    ttng.tensormap_create %s, %p, [%n, %n], [%n, %n], [%stride], [%c1, %c1] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    tt.return
  }
}
