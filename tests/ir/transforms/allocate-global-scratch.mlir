// RUN: nereid-opt %s --split-input-file --nereid-ttg-allocate-global-scratch --verify-diagnostics | FileCheck %s

// Programs are numbered x fastest. What each has is a multiple of 128 bytes, and its pieces lie one behind the other.
// CHECK: module attributes {ttg.global_scratch_memory_size = 384 : i32
// CHECK-LABEL: tt.func public @kernel(%arg0: !tt.ptr<f16>, %arg1: !tt.ptr<i8> {tt.divisibility = 128 : i32})
// CHECK: %[[Z:.+]] = arith.extui
// CHECK: %[[NY:.+]] = tt.get_num_programs y
// CHECK: %[[NX:.+]] = tt.get_num_programs x
// CHECK: %[[FIRST:.+]] = arith.muli %{{.+}}, %c384_i64
// CHECK: %[[OWN:.+]] = tt.addptr %arg1, %[[FIRST]]
// CHECK: %[[SECOND:.+]] = tt.addptr %[[OWN]], %c128_i64
// CHECK-NOT: global_scratch_alloc
// CHECK: ttng.tensormap_fenceproxy_acquire %[[OWN]]
// CHECK: ttng.tensormap_fenceproxy_acquire %[[SECOND]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90a", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel(%p: !tt.ptr<f16>) {
    %a = ttg.global_scratch_alloc {alignment = 16 : i32, nbytes = 40 : i32} : !tt.ptr<i8>
    %b = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
    ttng.tensormap_fenceproxy_acquire %a : !tt.ptr<i8>
    ttng.tensormap_fenceproxy_acquire %b : !tt.ptr<i8>
    tt.return
  }
}

// -----

// Without any, nothing changes.
// CHECK-LABEL: tt.func public @none(%arg0: !tt.ptr<f16>) {
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @none(%p: !tt.ptr<f16>) {
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @called() {
    // expected-error @below {{memory of the program's own in a function that is called is not supported}}
    %a = ttg.global_scratch_alloc {alignment = 16 : i32, nbytes = 40 : i32} : !tt.ptr<i8>
    tt.return
  }
  tt.func public @calls() {
    tt.call @called() : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @misaligned() {
    // expected-error @below {{memory of the program's own must be of a positive size, and aligned to a power of two up to 128}}
    %a = ttg.global_scratch_alloc {alignment = 256 : i32, nbytes = 40 : i32} : !tt.ptr<i8>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @below {{this kernel keeps 2147483648 bytes of each program in global memory, and at most 1048576 are supported}}
  tt.func public @large() {
    %a = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 2147483647 : i32} : !tt.ptr<i8>
    tt.return
  }
}
