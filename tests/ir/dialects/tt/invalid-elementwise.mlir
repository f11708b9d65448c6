// RUN: nereid-opt %s -split-input-file -verify-diagnostics

tt.func @scalar_and_tensor(%p: !tt.ptr<f32>, %i: tensor<8xi32>) {
  // expected-error @below {{needs operands and results all scalars or all tensors, but operand 0 has type '!tt.ptr<f32>' and operand 1 has type 'tensor<8xi32>'}}
  %0 = "tt.addptr"(%p, %i) : (!tt.ptr<f32>, tensor<8xi32>) -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @shapes(%p: tensor<8x!tt.ptr<f32>>, %i: tensor<16xi32>) {
  // expected-error @below {{needs operands and results of one shape, but operand 0 has type 'tensor<8x!tt.ptr<f32>>' and operand 1 has type 'tensor<16xi32>'}}
  %0 = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<16xi32>
  tt.return
}

// -----

tt.func @layouts(%p: tensor<8xf32, 1>) {
  // expected-error @below {{needs operands and results of one layout, but operand 0 has type 'tensor<8xf32, 1 : i64>' and result 0 has type 'tensor<8xi32, 2 : i64>'}}
  %0 = tt.bitcast %p : tensor<8xf32, 1> -> tensor<8xi32, 2>
  tt.return
}

// -----

tt.func @pointer_type(%p: !tt.ptr<f32>, %i: i32) {
  // expected-error @below {{failed to verify that result type matches ptr type}}
  %0 = "tt.addptr"(%p, %i) : (!tt.ptr<f32>, i32) -> !tt.ptr<f16>
  tt.return
}

// -----

tt.func @bitcast_width(%x: f32) {
  // expected-error @below {{needs types of one width, but has 32 bits in and 16 bits out}}
  %0 = tt.bitcast %x : f32 -> i16
  tt.return
}

// -----

tt.func @bitcast_pointer(%x: i64) {
  // expected-error @below {{cannot turn 'i64' into '!tt.ptr<f32>'; tt.ptr_to_int and tt.int_to_ptr can}}
  %0 = tt.bitcast %x : i64 -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @no_rounding(%x: f32) {
  // expected-error @below {{needs a rounding mode to go from 'f32' to the narrower 'f8E4M3FN'}}
  %0 = tt.fp_to_fp %x : f32 -> f8E4M3FN
  tt.return
}

// -----

tt.func @rounding(%x: f16) {
  // expected-error @below {{takes no rounding mode to go from 'f16' to the wider 'f32'}}
  %0 = tt.fp_to_fp %x, rounding = rtz : f16 -> f32
  tt.return
}

// -----

tt.func @no_result() {
  // expected-error @below {{needs at least one result}}
  "tt.elementwise_inline_asm"() <{asm_string = "nop;", constraints = "", packed_element = 1 : i32, pure = true}> : () -> ()
  tt.return
}

// -----

tt.func @no_pack(%x: i32) {
  // expected-error @below {{needs a positive packed_element, but has 0}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %x : i32 -> i32
  tt.return
}

// -----

tt.func @pack(%x: tensor<2xi8>) {
  // expected-error @below {{takes 4 elements at a time, which does not divide the 2 elements of 'tensor<2xi8>'}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x : tensor<2xi8> -> tensor<2xi8>
  tt.return
}

// -----

tt.func @integer_pointer(%x: i32) {
  // expected-error @below {{operand #0 must be 64-bit signless integer or ranked tensor of 64-bit signless integer values, but got 'i32'}}
  %0 = tt.int_to_ptr %x : i32 -> !tt.ptr<f32>
  tt.return
}
