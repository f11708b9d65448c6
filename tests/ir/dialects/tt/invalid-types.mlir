// RUN: nereid-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{a pointer must point to an integer, a floating-point number, a pointer, or a tensor of them, but points to 'vector<4xf32>'}}
tt.func @pointee(%p: !tt.ptr<vector<4xf32>>)

// -----

// expected-error @below {{address space of a pointer must not be negative, but is -1}}
tt.func @space(%p: !tt.ptr<f32, -1>)

// -----

tt.func @not_power_of_two(%x: f32) {
  // expected-error @below {{needs tensors whose sizes are powers of two, but result 0 has type 'tensor<12xf32>'}}
  %0 = tt.splat %x : f32 -> tensor<12xf32>
  tt.return
}

// -----

tt.func @too_large(%x: f32) {
  // expected-error @below {{needs tensors of at most 1048576 elements, but result 0 has 2097152}}
  %0 = tt.splat %x : f32 -> tensor<2048x1024xf32>
  tt.return
}

// -----

tt.func @dynamic(%x: tensor<?xf32>) {
  // expected-error @below {{needs sizes known at compile time, but operand 0 has type 'tensor<?xf32>'}}
  %0 = tt.precise_sqrt %x : tensor<?xf32>
  tt.return
}

// -----

tt.func @tile_not_power_of_two(%p: !tt.ptr<tensor<3x4xf32>>) {
  // expected-error @below {{needs tensors whose sizes are powers of two, but operand 0 has type '!tt.ptr<tensor<3x4xf32>>'}}
  %0 = tt.load %p : !tt.ptr<tensor<3x4xf32>>
  tt.return
}
