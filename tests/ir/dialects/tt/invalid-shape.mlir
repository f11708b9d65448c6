// RUN: nereid-opt %s -split-input-file -verify-diagnostics

tt.func @range_type() {
  // expected-error @below {{gives a tensor of one axis and of i32, but its type is 'tensor<8xi64>'}}
  %0 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi64>
  tt.return
}

// -----

tt.func @range_empty() {
  // expected-error @below {{needs a start below its end, but goes from 8 to 8}}
  %0 = tt.make_range {start = 8 : i32, end = 8 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @range_length() {
  // expected-error @below {{gives the 4 integers from 0 to 4, but its type holds 8}}
  %0 = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @splat_type(%x: i32) {
  // expected-error @below {{needs one element type, but operand 0 has type 'i32' and result 0 has type 'tensor<8xf32>'}}
  %0 = tt.splat %x : i32 -> tensor<8xf32>
  tt.return
}

// -----

tt.func @splat_tensor(%x: tensor<8xf32>) {
  // expected-error @below {{takes a scalar, but its operand has type 'tensor<8xf32>'}}
  %0 = tt.splat %x : tensor<8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @unsplat(%x: tensor<2xf32>) {
  // expected-error @below {{takes a tensor of one element, but its operand has type 'tensor<2xf32>'}}
  %0 = tt.unsplat %x : tensor<2xf32>
  tt.return
}

// -----

tt.func @expand_axis(%x: tensor<8xf32>) {
  // expected-error @below {{needs an axis from 0 to 1 for 'tensor<8xf32>', but has 2}}
  %0 = tt.expand_dims %x {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func @expand_shape(%x: tensor<8xf32>) {
  // expected-error @below {{gives 'tensor<8x1xf32>', but is written to give 'tensor<1x8xf32>'}}
  %0 = tt.expand_dims %x {axis = 1 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  tt.return
}

// -----

tt.func @broadcast_rank(%x: tensor<8xf32>) {
  // expected-error @below {{keeps the number of axes, but goes from 'tensor<8xf32>' to 'tensor<8x8xf32>'}}
  %0 = tt.broadcast %x : tensor<8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @broadcast_size(%x: tensor<4x1xf32>) {
  // expected-error @below {{repeats axes of size 1 only, but axis 0 has size 4 in 'tensor<4x1xf32>' and 8 in 'tensor<8x8xf32>'}}
  %0 = tt.broadcast %x : tensor<4x1xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @broadcast_layout(%x: tensor<1x8xf32, 1>) {
  // expected-error @below {{keeps the layout, but goes from 'tensor<1x8xf32, 1 : i64>' to 'tensor<4x8xf32, 2 : i64>'}}
  %0 = tt.broadcast %x : tensor<1x8xf32, 1> -> tensor<4x8xf32, 2>
  tt.return
}

// -----

tt.func @reshape_size(%x: tensor<8xf32>) {
  // expected-error @below {{keeps the number of elements, but goes from 'tensor<8xf32>' to 'tensor<4x4xf32>'}}
  %0 = tt.reshape %x : tensor<8xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @reshape_layout(%x: tensor<8xf32, 1>) {
  // expected-error @below {{needs a layout on both its types or on neither, but goes from 'tensor<8xf32, 1 : i64>' to 'tensor<4x2xf32>'}}
  %0 = tt.reshape %x : tensor<8xf32, 1> -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func @trans_order(%x: tensor<8x4xf32>) {
  // expected-error @below {{needs an order that names each axis of 'tensor<8x4xf32>' once, but has [0, 0]}}
  %0 = tt.trans %x {order = array<i32: 0, 0>} : tensor<8x4xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @trans_shape(%x: tensor<8x4xf32>) {
  // expected-error @below {{gives 'tensor<4x8xf32>', but is written to give 'tensor<8x4xf32>'}}
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @cat_shape(%x: tensor<8x4xf32>) {
  // expected-error @below {{doubles the first axis, but goes from 'tensor<8x4xf32>' to 'tensor<8x8xf32>'}}
  %0 = tt.cat %x, %x : tensor<8x4xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @join_types(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{requires all operands to have the same type}}
  %0 = "tt.join"(%x, %y) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8x2xf32>
  tt.return
}

// -----

tt.func @split_axis(%x: tensor<2x8xf32>) {
  // expected-error @below {{needs a last axis of size 2, but its operand has type 'tensor<2x8xf32>'}}
  %0, %1 = tt.split %x : tensor<2x8xf32> -> tensor<2xf32>
  tt.return
}

// -----

tt.func @histogram_rank(%x: tensor<2x8xi32>) {
  // expected-error @below {{goes from one axis to one axis, but goes from 'tensor<2x8xi32>' to 'tensor<8xi32>'}}
  %0 = tt.histogram %x : tensor<2x8xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @histogram_mask(%x: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @below {{failed to verify that the mask is i1 in the shape and layout of the source}}
  %0 = "tt.histogram"(%x, %m) : (tensor<8xi32>, tensor<4xi1>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @gather_result(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{gives one element for each index, but the indices have type 'tensor<4xi32>' and the result has type 'tensor<8xf32>'}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<4xi32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @gather_layout(%x: tensor<8xf32>, %i: tensor<4xi32, 1>) {
  // expected-error @below {{gives the result the layout of the indices, but they have type 'tensor<4xi32, 1 : i64>' and the result has type 'tensor<4xf32>'}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<4xi32, 1>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @gather_type(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{keeps the element type, but goes from 'tensor<8xf32>' to 'tensor<4xf16>'}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<4xi32>) -> tensor<4xf16>
  tt.return
}

// -----

tt.func @gather_rank(%x: tensor<8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{needs source and indices of the same number of axes, but they have types 'tensor<8xf32>' and 'tensor<4x1xi32>'}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<4x1xi32>) -> tensor<4x1xf32>
  tt.return
}

// -----

tt.func @gather_axis(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{needs an axis from 0 to 0 for 'tensor<8xf32>', but has 1}}
  %0 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<8xf32>, tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @gather_other_axes(%x: tensor<8x4xf32>, %i: tensor<8x8xi32>) {
  // expected-error @below {{needs source and indices of one size along each axis but 0, but they have types 'tensor<8x4xf32>' and 'tensor<8x8xi32>'}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<8x8xi32>) -> tensor<8x8xf32>
  tt.return
}
