// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefix=CUDA
// RUN: nereid-lower %s hip:gfx1100 | FileCheck %s --check-prefix=HIP

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CUDA-DAG: c"pid (%d, %d, %d) idx (%d) x: %d\0A\00"
  // CUDA-DAG: c"pid (%d, %d, %d) idx () 100%%: %f\0A\00"
  // CUDA-DAG: c"too large 100%\00"
  // CUDA-DAG: c"kernels/k.py\00"
  // HIP-DAG: c"kernels/k.py:7: assertion failed in print, program (%d, %d, %d): too large 100%%\0A\00"
  tt.func public @print(%f: f16) {
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    // CUDA: call i32 @vprintf(ptr
    // HIP: call i64 @__ockl_printf_begin(i64 0)
    // HIP: call i64 @__ockl_printf_append_string_n(
    // HIP-COUNT-5: call i64 @__ockl_printf_append_args(
    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %range : tensor<32xi32, #b>
    // CUDA: fpext contract half %{{.*}} to double
    // CUDA: call i32 @vprintf(ptr
    tt.print " 100%: " {hex = false, isSigned = array<i32: 0>} : %f : f16
    %limit = arith.constant dense<10> : tensor<32xi32, #b>
    %ok = arith.cmpi slt, %range, %limit : tensor<32xi32, #b>
    // CUDA: br i1 {{.*}}, label %assert, label %assert.end
    // CUDA: call void @__assertfail(ptr {{.*}}, ptr {{.*}}, i32 7, ptr {{.*}}, i64 1)
    // HIP: call void @llvm.trap()
    tt.assert %ok, "too large 100%" : tensor<32xi1, #b> loc("kernels/k.py":7:3)
    tt.return
  }
}
