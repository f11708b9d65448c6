// What tt.debug_barrier and tl.assume become upstream, in operations of other dialects.
// RUN: nereid-opt %s --nereid-replace-foreign-operations --nereid-convert-tt-to-ttg="target=cuda:90 num-warps=4" | FileCheck %s

// CHECK-LABEL: tt.func public @barrier
tt.func public @barrier(%n: i32) {
  %zero = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %n, %zero : i32
  // CHECK-NOT: llvm.intr.assume
  llvm.intr.assume %positive : i1
  // CHECK: ttg.local_barrier
  // CHECK-NOT: gpu.barrier
  gpu.barrier
  // CHECK: tt.return
  tt.return
}
