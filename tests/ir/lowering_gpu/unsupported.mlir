// RUN: not nereid-lower %s cuda:90a 2>&1 | FileCheck %s

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32} {
  tt.func public @kernel(%x: !tt.ptr<i32>) {
    // CHECK: unsupported.mlir:[[@LINE+1]]:10: error: 'ttg.global_scratch_alloc' is not supported on this target yet
    %0 = ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 100 : i32} : !tt.ptr<i8>
    tt.return
  }
}
