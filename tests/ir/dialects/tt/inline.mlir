// Calls are inlined into kernels unless the author said otherwise.
// RUN: nereid-opt %s --inline | FileCheck %s

// CHECK-LABEL: tt.func public @kernel
// CHECK: arith.mulf
// CHECK-NOT: tt.call @square
// CHECK: tt.call @kept
tt.func public @kernel(%p: !tt.ptr<f32>) attributes {noinline = false} {
  %0 = tt.load %p : !tt.ptr<f32>
  %1 = tt.call @square(%0) : (f32) -> f32
  %2 = tt.call @kept(%1) : (f32) -> f32
  tt.store %p, %2 : !tt.ptr<f32>
  tt.return
}

tt.func private @square(%x: f32) -> f32 attributes {noinline = false} {
  %0 = arith.mulf %x, %x : f32
  tt.return %0 : f32
}

tt.func private @kept(%x: f32) -> f32 attributes {noinline = true} {
  %0 = arith.addf %x, %x : f32
  tt.return %0 : f32
}
