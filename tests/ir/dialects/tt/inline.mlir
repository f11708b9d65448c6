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

// What combines elements may be a function; its body comes into the region.
// CHECK-LABEL: tt.func public @combined
// CHECK: "tt.reduce"
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT: tt.reduce.return %[[SUM]] : f32
tt.func public @combined(%p: !tt.ptr<f32>, %x: tensor<8xf32>) attributes {noinline = false} {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = tt.call @sum(%a, %b) : (f32, f32) -> f32
    tt.reduce.return %1 : f32
  }) : (tensor<8xf32>) -> f32
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}

tt.func private @sum(%x: f32, %y: f32) -> f32 attributes {noinline = false} {
  %0 = arith.addf %x, %y : f32
  tt.return %0 : f32
}
