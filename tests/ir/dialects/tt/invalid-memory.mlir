// RUN: nereid-opt %s -split-input-file -verify-diagnostics

tt.func @load_mask(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @below {{failed to verify that the mask is i1 in the shape and layout of what is loaded}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tt.ptr<f32>>, tensor<4xi1>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @load_other(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf16>) {
  // expected-error @below {{failed to verify that the value for masked-off elements has the type of what is loaded}}
  %0 = "tt.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x!tt.ptr<f32>>, tensor<8xi1>, tensor<8xf16>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @load_result(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @below {{gives 'tensor<8xf32>', but is written to give 'tensor<8xf16>'}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8x!tt.ptr<f32>>) -> tensor<8xf16>
  tt.return
}

// -----

tt.func @load_other_alone(%p: tensor<8x!tt.ptr<f32>>, %o: tensor<8xf32>) {
  // expected-error @below {{has a value for masked-off elements but no mask}}
  %0 = "tt.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @load_from(%x: f32) {
  // expected-error @below {{operand #0 must be}}
  %0 = "tt.load"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (f32) -> f32
  tt.return
}

// -----

tt.func @check_without_block(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @below {{has a boundary check or padding, which only block pointers take; its pointer has type 'tensor<8x!tt.ptr<f32>>'}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @mask_on_block(%p: !tt.ptr<tensor<8xf32>>, %m: tensor<8xi1>) {
  // expected-error @below {{has a mask, which block pointers do not take; boundaryCheck stands in for it}}
  %0 = tt.load %p, %m : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

tt.func @check_axis(%p: !tt.ptr<tensor<8xf32>>) {
  // expected-error @below {{checks boundaries along axis 1, but boundaryCheck names each axis from 0 to 0 at most once}}
  %0 = tt.load %p {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

tt.func @check_twice(%p: !tt.ptr<tensor<8x8xf32>>, %v: tensor<8x8xf32>) {
  // expected-error @below {{checks boundaries along axis 1, but boundaryCheck names each axis from 0 to 1 at most once}}
  tt.store %p, %v {boundaryCheck = array<i32: 1, 1>} : !tt.ptr<tensor<8x8xf32>>
  tt.return
}

// -----

tt.func @store_value(%p: !tt.ptr<f32>, %v: f16) {
  // expected-error @below {{failed to verify that the stored value has the type that the pointer points to}}
  "tt.store"(%p, %v) : (!tt.ptr<f32>, f16) -> ()
  tt.return
}

// -----

tt.func @store_mask(%p: !tt.ptr<f32>, %v: f32, %m: tensor<8xi1>) {
  // expected-error @below {{failed to verify that the mask is i1 in the shape and layout of what is stored}}
  "tt.store"(%p, %v, %m) : (!tt.ptr<f32>, f32, tensor<8xi1>) -> ()
  tt.return
}

// -----

tt.func @rmw_type(%p: !tt.ptr<f32>, %v: f16) {
  // expected-error @below {{works on values of type 'f32' through '!tt.ptr<f32>', but takes 'f16' and gives 'f16'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (!tt.ptr<f32>, f16) -> f16
  tt.return
}

// -----

tt.func @rmw_integer(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error @below {{cannot do 'fadd' on 'i32'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @rmw_float(%p: !tt.ptr<f32>, %v: f32) {
  // expected-error @below {{cannot do 'max' on 'f32'}}
  %0 = tt.atomic_rmw max, relaxed, gpu, %p, %v : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @cas_type(%p: !tt.ptr<i32>, %v: i64) {
  // expected-error @below {{works on values of type 'i32' through '!tt.ptr<i32>', but has a value of type 'i64'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %v, %v : (!tt.ptr<i32>, i64, i64) -> i64
  tt.return
}

// -----

tt.func @block_rank(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @below {{needs a size, a stride and an offset for each of the 2 axes of 'tensor<16x32xf16>', but has 1}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 1, 0>} : <tensor<16x32xf16>>
  tt.return
}

// -----

tt.func @block_order(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @below {{needs an order that names each of its 1 axes once}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 1>} : <tensor<16xf16>>
  tt.return
}

// -----

tt.func @block_base(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @below {{failed to verify that the base points to the elements of the tile}}
  %0 = "tt.make_tensor_ptr"(%p, %n, %n, %i) <{order = array<i32: 0>}> : (!tt.ptr<f32>, i64, i64, i32) -> !tt.ptr<tensor<16xf16>>
  tt.return
}

// -----

tt.func @advance(%p: !tt.ptr<tensor<16x32xf16>>, %i: i32) {
  // expected-error @below {{needs an offset for each of the 2 axes of 'tensor<16x32xf16>', but has 1}}
  %0 = tt.advance %p, [%i] : <tensor<16x32xf16>>
  tt.return
}

// -----

tt.func @descriptor_rank(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @below {{needs a size and a stride for each of the 2 axes of 'tensor<16x32xf16>', but has 1}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<16x32xf16>>
  tt.return
}

// -----

tt.func @descriptor_base(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // expected-error @below {{describes elements of type 'f16', but its base points to 'f32'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <tensor<16xf16>>
  tt.return
}

// -----

tt.func @descriptor_indices(%d: !tt.tensordesc<tensor<16x32xf16>>, %i: i32) {
  // expected-error @below {{needs an index for each of the 2 axes of '!tt.tensordesc<tensor<16x32xf16>>', but has 1}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<16x32xf16>> -> tensor<16x32xf16>
  tt.return
}

// -----

tt.func @descriptor_tile(%d: !tt.tensordesc<tensor<16x32xf16>>, %i: i32, %v: tensor<16x16xf16>) {
  // expected-error @below {{moves tiles like those of '!tt.tensordesc<tensor<16x32xf16>>', but its tensor has type 'tensor<16x16xf16>'}}
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<tensor<16x32xf16>>, tensor<16x16xf16>
  tt.return
}

// -----

tt.func @gather_rows(%d: !tt.tensordesc<tensor<2x32xf16>>, %x: tensor<8xi32>, %i: i32) {
  // expected-error @below {{needs a descriptor of single rows, but has '!tt.tensordesc<tensor<2x32xf16>>'}}
  %0 = tt.descriptor_gather %d[%x, %i] : (!tt.tensordesc<tensor<2x32xf16>>, tensor<8xi32>, i32) -> tensor<8x32xf16>
  tt.return
}

// -----

tt.func @gather_offsets(%d: !tt.tensordesc<tensor<1x32xf16>>, %x: tensor<8x1xi32>, %i: i32) {
  // expected-error @below {{needs row offsets of one axis, but has 'tensor<8x1xi32>'}}
  %0 = tt.descriptor_gather %d[%x, %i] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<8x1xi32>, i32) -> tensor<8x32xf16>
  tt.return
}

// -----

tt.func @scatter_rows(%d: !tt.tensordesc<tensor<1x32xf16>>, %x: tensor<8xi32>, %i: i32, %v: tensor<4x32xf16>) {
  // expected-error @below {{moves 8 rows like those of '!tt.tensordesc<tensor<1x32xf16>>', but its tensor has type 'tensor<4x32xf16>'}}
  tt.descriptor_scatter %d[%x, %i], %v : !tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32, tensor<4x32xf16>
  tt.return
}

// -----

tt.func @tensormap(%p: !tt.ptr<i8>, %n: i32) {
  // expected-error @below {{needs a size and an element stride for each of its 1 axes, and a stride for each but the last}}
  tt.experimental_tensormap_create %p, %p, [%n], [%n, %n], [], [%n] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32, i32) -> ()
  tt.return
}

// -----

tt.func @tensormap_rank(%p: !tt.ptr<i8>) {
  // expected-error @below {{describes a tensor of 1 to 5 axes, but has 0}}
  tt.experimental_tensormap_create %p, %p, [], [], [], [] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>) -> ()
  tt.return
}
