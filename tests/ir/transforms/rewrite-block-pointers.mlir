// RUN: nereid-opt %s --nereid-tt-rewrite-block-pointers --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// A loop carries the offsets that it advances, as i64, in which nothing wraps around; a boundary check becomes a mask, along its dimension only.
// CHECK-LABEL: tt.func @advance
// CHECK-SAME: %[[BASE:[^:]+]]: !tt.ptr<f16>
// CHECK: scf.for {{.*}} iter_args(%[[COLUMN:.+]] = %c0_i64) -> (i64)
// CHECK: %[[STARTS:.+]] = tt.splat %[[COLUMN]] : i64 -> tensor<32xi64>
// CHECK: %[[COLUMNS:.+]] = arith.addi %[[STARTS]], {{.*}} : tensor<32xi64>
// CHECK: %[[EXPANDED:.+]] = tt.expand_dims %[[COLUMNS]] {axis = 0 : i32}
// CHECK: %[[INDEX:.+]] = tt.broadcast %[[EXPANDED]] : tensor<1x32xi64> -> tensor<16x32xi64>
// CHECK: arith.cmpi sge, %[[INDEX]]
// CHECK: arith.cmpi slt, %[[INDEX]]
// CHECK-NOT: arith.cmpi
// CHECK: %[[BASES:.+]] = tt.splat %[[BASE]]
// CHECK: %[[POINTERS:.+]] = tt.addptr %[[BASES]]
// CHECK: tt.load %[[POINTERS]], %{{.+}}, %{{.+}} : tensor<16x32x!tt.ptr<f16>>
// CHECK: %[[NEXT:.+]] = arith.addi %[[COLUMN]], %c32_i64 : i64
// CHECK: scf.yield %[[NEXT]] : i64
tt.func @advance(%base: !tt.ptr<f16>, %out: tensor<16x32x!tt.ptr<f16>>, %m: i64, %n: i64, %stride: i64, %to: i32) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %p0 = tt.make_tensor_ptr %base, [%m, %n], [%stride, %one], [%zero, %zero] {order = array<i32: 1, 0>} : <tensor<16x32xf16>>
  %p1 = scf.for %i = %zero to %to step %step iter_args(%p = %p0) -> (!tt.ptr<tensor<16x32xf16>>) : i32 {
    %x = tt.load %p {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<16x32xf16>>
    tt.store %out, %x : tensor<16x32x!tt.ptr<f16>>
    %next = tt.advance %p, [%zero, %step] : <tensor<16x32xf16>>
    scf.yield %next : !tt.ptr<tensor<16x32xf16>>
  }
  tt.return
}

// -----

// Both checks of a descriptor's two axes.
// CHECK-LABEL: tt.func @descriptor
// CHECK-COUNT-4: arith.cmpi
// CHECK: tt.load {{.*}} : tensor<16x32x!tt.ptr<f32>>
// CHECK-COUNT-4: arith.cmpi
// CHECK: tt.store {{.*}} : tensor<16x32x!tt.ptr<f32>>
tt.func @descriptor(%base: !tt.ptr<f32>, %m: i32, %n: i32, %stride: i64, %i: i32, %j: i32) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %n], [%stride, %one] : <f32>, <tensor<16x32xf32>>
  %x = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
  tt.descriptor_store %d[%j, %i], %x : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.return
}

// -----

// A loop that exchanges two block pointers carries their bases; the rest does not change.
// CHECK-LABEL: tt.func @exchanged
// CHECK-SAME: (%[[A:[^:]+]]: !tt.ptr<f32>, %[[B:[^:]+]]: !tt.ptr<f32>
// CHECK: %[[R:.+]]:2 = scf.for {{.*}} iter_args(%[[X:.+]] = %[[A]], %[[Y:.+]] = %[[B]]) -> (!tt.ptr<f32>, !tt.ptr<f32>)
// CHECK-NEXT: scf.yield %[[Y]], %[[X]]
// CHECK: tt.splat %[[R]]#0
// CHECK: tt.splat %[[R]]#1
tt.func @exchanged(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i64, %to: i32) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %p = tt.make_tensor_ptr %a, [%n], [%one], [%zero] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %b, [%n], [%one], [%zero] {order = array<i32: 0>} : <tensor<16xf32>>
  %r:2 = scf.for %i = %zero to %to step %step iter_args(%x = %p, %y = %q) -> (!tt.ptr<tensor<16xf32>>, !tt.ptr<tensor<16xf32>>) : i32 {
    scf.yield %y, %x : !tt.ptr<tensor<16xf32>>, !tt.ptr<tensor<16xf32>>
  }
  %v = tt.load %r#0 : !tt.ptr<tensor<16xf32>>
  tt.store %r#1, %v : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// What is made anew in the body from the same values is not carried either.
// CHECK-LABEL: tt.func @made_anew
// CHECK: scf.for {{.*}} iter_args(%[[AT:.+]] = %c0_i64) -> (i64)
tt.func @made_anew(%a: !tt.ptr<f32>, %n: i32, %to: i32) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %wide = arith.extsi %n : i32 to i64
  %p = tt.make_tensor_ptr %a, [%wide], [%one], [%zero] {order = array<i32: 0>} : <tensor<16xf32>>
  %r = scf.for %i = %zero to %to step %step iter_args(%x = %p) -> (!tt.ptr<tensor<16xf32>>) : i32 {
    %v = tt.load %x : !tt.ptr<tensor<16xf32>>
    tt.store %x, %v : !tt.ptr<tensor<16xf32>>
    %one_again = arith.constant 1 : i64
    %wide_again = arith.extsi %n : i32 to i64
    %q = tt.make_tensor_ptr %a, [%wide_again], [%one_again], [%i] {order = array<i32: 0>} : <tensor<16xf32>>
    scf.yield %q : !tt.ptr<tensor<16xf32>>
  }
  tt.return
}

// -----

// CHECK-LABEL: tt.func @while
// CHECK: scf.while (%[[LEFT:.+]] = %{{.+}}, %[[AT:.+]] = %c0_i64) : (i32, i64) -> (i32, i64)
// CHECK: scf.condition(%{{.+}}) %[[LEFT]], %[[AT]]
// CHECK: ^bb0(%{{.+}}: i32, %[[INSIDE:.+]]: i64):
// CHECK: %[[NEXT:.+]] = arith.addi %[[INSIDE]], %c16_i64
// CHECK: scf.yield %{{.+}}, %[[NEXT]]
tt.func @while(%a: !tt.ptr<f32>, %size: i64, %n: i32) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %p = tt.make_tensor_ptr %a, [%size], [%one], [%zero] {order = array<i32: 0>} : <tensor<16xf32>>
  %r:2 = scf.while (%left = %n, %x = %p) : (i32, !tt.ptr<tensor<16xf32>>) -> (i32, !tt.ptr<tensor<16xf32>>) {
    %more = arith.cmpi sgt, %left, %zero : i32
    scf.condition(%more) %left, %x : i32, !tt.ptr<tensor<16xf32>>
  } do {
  ^bb0(%left: i32, %x: !tt.ptr<tensor<16xf32>>):
    %v = tt.load %x : !tt.ptr<tensor<16xf32>>
    tt.store %x, %v : !tt.ptr<tensor<16xf32>>
    %next = tt.advance %x, [%step] : <tensor<16xf32>>
    %fewer = arith.subi %left, %step : i32
    scf.yield %fewer, %next : i32, !tt.ptr<tensor<16xf32>>
  }
  %v = tt.load %r#1 : !tt.ptr<tensor<16xf32>>
  tt.store %r#1, %v : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// CHECK-NOT: @copy
// CHECK-LABEL: tt.func @calls
// CHECK-COUNT-2: tt.load {{.*}} : tensor<16x!tt.ptr<f32>>
// CHECK-NOT: tt.call
tt.func private @copy(%p: !tt.ptr<tensor<16xf32>>, %by: i32) -> !tt.ptr<tensor<16xf32>> attributes {noinline = true} {
  %v = tt.load %p : !tt.ptr<tensor<16xf32>>
  tt.store %p, %v : !tt.ptr<tensor<16xf32>>
  %next = tt.advance %p, [%by] : <tensor<16xf32>>
  tt.return %next : !tt.ptr<tensor<16xf32>>
}
tt.func @calls(%a: !tt.ptr<f32>, %size: i64, %n: i32) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %a, [%size], [%one], [%zero] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.call @copy(%p, %n) : (!tt.ptr<tensor<16xf32>>, i32) -> !tt.ptr<tensor<16xf32>>
  %r = tt.call @copy(%q, %n) : (!tt.ptr<tensor<16xf32>>, i32) -> !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

tt.func private @endless(%p: !tt.ptr<tensor<16xf32>>) {
  // expected-error @below {{a call that passes block pointers or descriptors to a function with branches, or that calls itself, is not supported yet}}
  tt.call @endless(%p) : (!tt.ptr<tensor<16xf32>>) -> ()
  tt.return
}
