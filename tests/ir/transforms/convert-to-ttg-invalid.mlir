// RUN: nereid-opt %s --nereid-convert-tt-to-ttg --verify-diagnostics

tt.func @block_pointer(%p: !tt.ptr<f32>, %n: i64, %s: i64, %o: i32) -> tensor<16xf32> {
  %b = tt.make_tensor_ptr %p, [%n], [%s], [%o] {order = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  // expected-error @below {{block pointers must be rewritten as tensors of pointers before layouts are chosen}}
  %x = tt.load %b : !tt.ptr<tensor<16xf32>>
  tt.return %x : tensor<16xf32>
}
