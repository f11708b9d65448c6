// RUN: nereid-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @splat_of_constant
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<2.500000e+00> : tensor<8xf32>
// CHECK-NEXT: tt.return %[[C]]
tt.func @splat_of_constant() -> tensor<8xf32> {
  %c = arith.constant 2.5 : f32
  %0 = tt.splat %c : f32 -> tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}

// CHECK-LABEL: @shapes_of_constant
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1> : tensor<16x4xi32>
// CHECK-NEXT: tt.return %[[C]]
tt.func @shapes_of_constant() -> tensor<16x4xi32> {
  %c = arith.constant dense<1> : tensor<8xi32>
  %0 = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %1 = tt.broadcast %0 : tensor<1x8xi32> -> tensor<8x8xi32>
  %2 = tt.reshape %1 : tensor<8x8xi32> -> tensor<4x16xi32>
  %3 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<4x16xi32> -> tensor<16x4xi32>
  tt.return %3 : tensor<16x4xi32>
}

// CHECK-LABEL: @shapes_of_splat
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-NEXT: %[[S:.*]] = tt.splat %[[X]] : f32 -> tensor<16x4xf32>
// CHECK-NEXT: tt.return %[[S]]
tt.func @shapes_of_splat(%x: f32) -> tensor<16x4xf32> {
  %c = tt.splat %x : f32 -> tensor<8xf32>
  %0 = tt.expand_dims %c {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %1 = tt.broadcast %0 : tensor<1x8xf32> -> tensor<8x8xf32>
  %2 = tt.reshape %1 : tensor<8x8xf32> -> tensor<4x16xf32>
  %3 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<4x16xf32> -> tensor<16x4xf32>
  tt.return %3 : tensor<16x4xf32>
}

// CHECK-LABEL: @unsplat
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-NEXT: tt.return %[[X]]
tt.func @unsplat(%x: f32) -> f32 {
  %0 = tt.splat %x : f32 -> tensor<1xf32>
  %1 = tt.unsplat %0 : tensor<1xf32>
  tt.return %1 : f32
}

// CHECK-LABEL: @range_of_one
// CHECK-NEXT: arith.constant dense<7> : tensor<1xi32>
tt.func @range_of_one() -> tensor<1xi32> {
  %0 = tt.make_range {start = 7 : i32, end = 8 : i32} : tensor<1xi32>
  tt.return %0 : tensor<1xi32>
}

// CHECK-LABEL: @same_type
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32>)
// CHECK-NEXT: tt.return %[[X]]
tt.func @same_type(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tt.broadcast %x : tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = tt.reshape %0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = tt.trans %1 {order = array<i32: 0, 1>} : tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = tt.bitcast %2 : tensor<8x8xf32> -> tensor<8x8xf32>
  %4 = tt.fp_to_fp %3 : tensor<8x8xf32> -> tensor<8x8xf32>
  tt.return %4 : tensor<8x8xf32>
}

// A reshape that may reorder is not the identity even where the type stays.
// CHECK-LABEL: @reorder
// CHECK-NEXT: tt.reshape %{{.*}} allow_reorder
tt.func @reorder(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tt.reshape %x allow_reorder : tensor<8xf32> -> tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}

// A transposition of a square matrix is not the identity either.
// CHECK-LABEL: @square
// CHECK-NEXT: tt.trans
tt.func @square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x8xf32> -> tensor<8x8xf32>
  tt.return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: @chains
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8xf32>)
// CHECK-NEXT: %[[T:.*]] = tt.trans %[[X]] {order = array<i32: 2, 1, 0>} : tensor<2x4x8xf32> -> tensor<8x4x2xf32>
// CHECK-NEXT: %[[R:.*]] = tt.reshape %[[T]] : tensor<8x4x2xf32> -> tensor<64xf32>
// CHECK-NEXT: tt.return %[[R]]
tt.func @chains(%x: tensor<2x4x8xf32>) -> tensor<64xf32> {
  %0 = tt.trans %x {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %1 = tt.trans %0 {order = array<i32: 1, 0, 2>} : tensor<4x8x2xf32> -> tensor<8x4x2xf32>
  %2 = tt.reshape %1 : tensor<8x4x2xf32> -> tensor<32x2xf32>
  %3 = tt.reshape %2 : tensor<32x2xf32> -> tensor<64xf32>
  tt.return %3 : tensor<64xf32>
}

// Axes of size 1 that a reshape adds are new axes.
// CHECK-LABEL: @new_axes
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[Y:.*]]: tensor<1x8xf32>)
// CHECK-NEXT: %[[A:.*]] = tt.expand_dims %[[X]] {axis = 1 : i32} : tensor<8x4xf32> -> tensor<8x1x4xf32>
// CHECK-NEXT: %[[B:.*]] = tt.expand_dims %[[A]] {axis = 3 : i32} : tensor<8x1x4xf32> -> tensor<8x1x4x1xf32>
// CHECK-NEXT: %[[C:.*]] = tt.reshape %[[Y]] : tensor<1x8xf32> -> tensor<8x1xf32>
// CHECK-NEXT: tt.return %[[B]], %[[C]]
tt.func @new_axes(%x: tensor<8x4xf32>, %y: tensor<1x8xf32>) -> (tensor<8x1x4x1xf32>, tensor<8x1xf32>) {
  %0 = tt.reshape %x : tensor<8x4xf32> -> tensor<8x1x4x1xf32>
  %1 = tt.reshape %y : tensor<1x8xf32> -> tensor<8x1xf32>
  tt.return %0, %1 : tensor<8x1x4x1xf32>, tensor<8x1xf32>
}

// CHECK-LABEL: @there_and_back
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
// CHECK-NEXT: tt.return %[[X]]
tt.func @there_and_back(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tt.bitcast %x : tensor<8xf32> -> tensor<8xi32>
  %1 = tt.bitcast %0 : tensor<8xi32> -> tensor<8xf32>
  tt.return %1 : tensor<8xf32>
}

// CHECK-LABEL: @pointer_and_back
// CHECK-SAME: (%[[P:[^:]*]]: !tt.ptr<f32>, %[[N:[^:]*]]: i64)
// CHECK-NEXT: %[[OTHER:.*]] = tt.ptr_to_int %[[P]]
// CHECK-NEXT: %[[Q:.*]] = tt.int_to_ptr %[[OTHER]] : i64 -> !tt.ptr<f16>
// CHECK-NEXT: tt.return %[[P]], %[[N]], %[[Q]]
tt.func @pointer_and_back(%p: !tt.ptr<f32>, %n: i64) -> (!tt.ptr<f32>, i64, !tt.ptr<f16>) {
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32>
  %2 = tt.int_to_ptr %n : i64 -> !tt.ptr<f32>
  %3 = tt.ptr_to_int %2 : !tt.ptr<f32> -> i64
  %4 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f16>
  tt.return %1, %3, %4 : !tt.ptr<f32>, i64, !tt.ptr<f16>
}

// CHECK-LABEL: @halves
// CHECK-SAME: (%[[X:[^:]*]]: tensor<8xf32>, %[[Y:[^:]*]]: tensor<8xf32>, %[[Z:[^:]*]]: tensor<8x2xf32>)
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1> : tensor<8xi32>
// CHECK-NEXT: tt.return %[[Y]], %[[X]], %[[Z]], %[[C]]
tt.func @halves(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8x2xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x2xf32>, tensor<8xi32>) {
  %0 = tt.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  %1, %2 = tt.split %0 : tensor<8x2xf32> -> tensor<8xf32>
  %3, %4 = tt.split %z : tensor<8x2xf32> -> tensor<8xf32>
  %5 = tt.join %3, %4 : tensor<8xf32> -> tensor<8x2xf32>
  %c = arith.constant dense<1> : tensor<8xi32>
  %6 = tt.join %c, %c : tensor<8xi32> -> tensor<8x2xi32>
  %7, %8 = tt.split %6 : tensor<8x2xi32> -> tensor<8xi32>
  tt.return %2, %1, %5, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8x2xf32>, tensor<8xi32>
}

// Swapped halves do not join to what was split.
// CHECK-LABEL: @swapped
// CHECK: tt.split
// CHECK-NEXT: tt.join
tt.func @swapped(%z: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0, %1 = tt.split %z : tensor<8x2xf32> -> tensor<8xf32>
  %2 = tt.join %1, %0 : tensor<8xf32> -> tensor<8x2xf32>
  tt.return %2 : tensor<8x2xf32>
}

// CHECK-LABEL: @broadcast_last
// CHECK-SAME: (%[[X:.*]]: tensor<1x8xf32>)
// CHECK-NEXT: %[[E:.*]] = tt.expand_dims %[[X]] {axis = 2 : i32} : tensor<1x8xf32> -> tensor<1x8x1xf32>
// CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[E]] : tensor<1x8x1xf32> -> tensor<4x8x2xf32>
// CHECK-NEXT: tt.return %[[B]]
tt.func @broadcast_last(%x: tensor<1x8xf32>) -> tensor<4x8x2xf32> {
  %0 = tt.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = tt.expand_dims %0 {axis = 2 : i32} : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %2 = tt.broadcast %1 : tensor<4x8x1xf32> -> tensor<4x8x2xf32>
  tt.return %2 : tensor<4x8x2xf32>
}

// CHECK-LABEL: @zero_offset
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>
// CHECK-NEXT: tt.return %[[P]]
tt.func @zero_offset(%p: tensor<8x!tt.ptr<f32>>) -> tensor<8x!tt.ptr<f32>> {
  %c = arith.constant dense<0> : tensor<8xi32>
  %0 = tt.addptr %p, %c : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.return %0 : tensor<8x!tt.ptr<f32>>
}

// CHECK-LABEL: @masks
// CHECK-SAME: (%[[P:[^:]*]]: tensor<8x!tt.ptr<f32>>, %[[O:[^:]*]]: tensor<8xf32>)
// CHECK-NEXT: %[[L:.*]] = tt.load %[[P]] cacheModifier = cg : tensor<8x!tt.ptr<f32>>
// CHECK-NEXT: tt.store %[[P]], %[[L]] : tensor<8x!tt.ptr<f32>>
// CHECK-NEXT: tt.return %[[O]]
tt.func @masks(%p: tensor<8x!tt.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %true = arith.constant dense<true> : tensor<8xi1>
  %false = arith.constant dense<false> : tensor<8xi1>
  %0 = tt.load %p, %true, %o cacheModifier = cg : tensor<8x!tt.ptr<f32>>
  tt.store %p, %0, %true : tensor<8x!tt.ptr<f32>>
  tt.store %p, %o, %false : tensor<8x!tt.ptr<f32>>
  %1 = tt.load %p, %false, %o : tensor<8x!tt.ptr<f32>>
  tt.return %1 : tensor<8xf32>
}

// Loads whose value nobody uses go, volatile ones stay; stores, atomics, assertions and prints stay.
// CHECK-LABEL: @effects
// CHECK-NEXT: tt.load %{{.*}} {isVolatile = true}
// CHECK-NEXT: tt.atomic_rmw add
// CHECK-NEXT: tt.assert
// CHECK-NEXT: tt.print
// CHECK-NEXT: tt.elementwise_inline_asm "b"
// CHECK-NEXT: tt.return
tt.func @effects(%p: !tt.ptr<i32>, %n: i32, %c: i1) {
  %0 = tt.load %p : !tt.ptr<i32>
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %2 = tt.atomic_rmw add, relaxed, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  tt.assert %c, "message" : i1
  tt.print "prefix" {hex = false, isSigned = array<i32: 1>} : %n : i32
  %3 = tt.elementwise_inline_asm "a" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32
  %4 = tt.elementwise_inline_asm "b" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %n : i32 -> i32
  %5 = tt.get_program_id x : i32
  %f = arith.constant 1.0 : f32
  %6 = tt.precise_divf %f, %f : f32
  tt.return
}

// CHECK-LABEL: @advance
// CHECK: %[[S:.*]] = arith.addi
// CHECK-NEXT: %[[A:.*]] = tt.advance %{{.*}}, [%[[S]]] : <tensor<8xf32>>
// CHECK-NEXT: tt.load %[[A]]
tt.func @advance(%p: !tt.ptr<tensor<8xf32>>, %i: i32, %j: i32) -> tensor<8xf32> {
  %zero = arith.constant 0 : i32
  %0 = tt.advance %p, [%i] : <tensor<8xf32>>
  %1 = tt.advance %0, [%j] : <tensor<8xf32>>
  %2 = tt.advance %1, [%zero] : <tensor<8xf32>>
  %3 = tt.load %2 : !tt.ptr<tensor<8xf32>>
  tt.return %3 : tensor<8xf32>
}

// CHECK-LABEL: @older_names
// CHECK: %[[L:.*]] = tt.descriptor_load %{{.*}}[%{{.*}}] evictionPolicy = evict_last
// CHECK-NEXT: tt.descriptor_store %{{.*}}[%{{.*}}], %[[L]]
tt.func @older_names(%d: !tt.tensordesc<tensor<8xf32>>, %i: i32) {
  %0 = tt.experimental_descriptor_load %d[%i] evictionPolicy = evict_last : !tt.tensordesc<tensor<8xf32>> -> tensor<8xf32>
  tt.experimental_descriptor_store %d[%i], %0 : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32>
  tt.return
}

// An axis of one element that is put in and reduced again is none.
// CHECK-LABEL: @reduce_of_unit
// CHECK-NEXT: tt.return %arg0
tt.func @reduce_of_unit(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tt.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %r = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%left: f32, %right: f32):
    %both = arith.addf %left, %right : f32
    tt.reduce.return %both : f32
  }) : (tensor<1x8xf32>) -> tensor<8xf32>
  tt.return %r : tensor<8xf32>
}
