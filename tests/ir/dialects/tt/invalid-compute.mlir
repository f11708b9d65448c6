// RUN: nereid-opt %s -split-input-file -verify-diagnostics

tt.func @dot_rank(%a: tensor<8xf16>, %c: tensor<8x8xf32>) {
  // expected-error @below {{multiplies matrices, or batches of matrices, of one number of axes, but has 'tensor<8xf16>' * 'tensor<8xf16>' -> 'tensor<8x8xf32>'}}
  %0 = tt.dot %a, %a, %c : tensor<8xf16> * tensor<8xf16> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @dot_shape(%a: tensor<16x32xf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{cannot multiply these shapes: 'tensor<16x32xf16>' * 'tensor<16x32xf16>' -> 'tensor<16x32xf32>'}}
  %0 = tt.dot %a, %a, %c : tensor<16x32xf16> * tensor<16x32xf16> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @dot_batch(%a: tensor<2x16x16xf16>, %b: tensor<4x16x16xf16>, %c: tensor<2x16x16xf32>) {
  // expected-error @below {{cannot multiply these shapes}}
  %0 = tt.dot %a, %b, %c : tensor<2x16x16xf16> * tensor<4x16x16xf16> -> tensor<2x16x16xf32>
  tt.return
}

// -----

tt.func @dot_kind(%a: tensor<16x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{mixes integers and floating-point numbers: 'tensor<16x16xi8>' * 'tensor<16x16xi8>' -> 'tensor<16x16xf32>'}}
  %0 = tt.dot %a, %a, %c : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_width(%a: tensor<16x16xf16>, %b: tensor<16x16xf32>) {
  // expected-error @below {{needs operands of one width, but has 'tensor<16x16xf16>' * 'tensor<16x16xf32>'}}
  %0 = tt.dot %a, %b, %b : tensor<16x16xf16> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_layouts(%a: tensor<16x16xf16, 1>, %c: tensor<16x16xf32>) {
  // expected-error @below {{needs a layout on all of its types or on none}}
  %0 = tt.dot %a, %a, %c : tensor<16x16xf16, 1> * tensor<16x16xf16, 1> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @scaled_rank(%a: tensor<8xf8E4M3FN>, %c: tensor<8x8xf32>) {
  // expected-error @below {{multiplies matrices, or batches of matrices, of one number of axes}}
  %0 = tt.dot_scaled %a, %a, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<8xf8E4M3FN> * tensor<8xf8E4M3FN> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @scaled_shape(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x8xi8>, %c: tensor<16x8xf32>) {
  // expected-error @below {{cannot multiply these shapes}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x8xi8> -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @scaled_left(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x8xf8E5M2>, %c: tensor<16x8xf32>, %s: tensor<8x2xi8>) {
  // expected-error @below {{needs a left scale for each run along the 64 summed elements of 16 rows, but it has type 'tensor<8x2xi8>'}}
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<8x2xi8> * tensor<64x8xf8E5M2> -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @scaled_right(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x8xf8E5M2>, %c: tensor<16x8xf32>, %s: tensor<2x8xi8>) {
  // expected-error @below {{needs a right scale for each run along the 64 summed elements of 8 rows, but it has type 'tensor<2x8xi8>'}}
  %0 = tt.dot_scaled %a, %b scale %s, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x8xf8E5M2>, tensor<2x8xi8> -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @reduce_axis(%x: tensor<8xf32>) {
  // expected-error @below {{needs an axis from 0 to 0 for 'tensor<8xf32>', but has 1}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_nothing() {
  // expected-error @below {{needs at least one operand}}
  "tt.reduce"() <{axis = 0 : i32}> ({
  ^bb0:
    "tt.reduce.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @reduce_result(%x: tensor<8x4xf32>) {
  // expected-error @below {{gives 'tensor<4xf32>', but is written to give 'tensor<8xf32>'}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8x4xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @reduce_shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{needs operands of one shape, but operand 0 has type 'tensor<8xf32>' and operand 1 has type 'tensor<4xf32>'}}
  %0:2 = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32)
  tt.return
}

// -----

tt.func @region_arguments(%x: tensor<8xf32>) {
  // expected-error @below {{needs a region of 2 arguments, but it has 1}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @region_argument_type(%x: tensor<8xf32>) {
  // expected-error @below {{needs a region whose argument 1 has type 'f32', but it has type 'i32'}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: i32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @region_returns(%x: tensor<8xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{returns 2 values to a region that gives 1}}
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @region_return_type(%x: tensor<8xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant 1 : i32
    // expected-error @below {{returns 'i32' as value 0, which must be 'f32'}}
    tt.reduce.return %c : i32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @region_end(%x: tensor<8xf32>) {
  // expected-error @below {{needs a region that ends with 'tt.scan.return'}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    ub.unreachable
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @region_memory(%x: tensor<8xf32>, %p: !tt.ptr<f32>) {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{touches memory inside of 'tt.scan', whose order of combining is not fixed}}
    tt.store %p, %a : !tt.ptr<f32>
    tt.scan.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @map_nothing() {
  // expected-error @below {{needs at least one operand}}
  "tt.map_elementwise"() <{pack = 1 : i32}> ({
    tt.map_elementwise.return
  }) : () -> ()
  tt.return
}

// -----

tt.func @map_pack(%x: tensor<8xf32>) {
  // expected-error @below {{needs a pack that is a power of two, but has 3}}
  %0 = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32):
    tt.map_elementwise.return %a, %b, %c : f32, f32, f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @map_region(%x: tensor<8xf32>) {
  // expected-error @below {{needs a region with a block}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @map_end(%x: tensor<8xf32>) {
  // expected-error @below {{needs a region whose ends are 'tt.map_elementwise.return'}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    ub.unreachable
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}
