// RUN: nereid-opt %s --nereid-tt-combine --split-input-file | FileCheck %s

// CHECK-LABEL: tt.func @elementwise_of_splats
// CHECK: %[[PTR:.+]] = tt.addptr %arg0, %arg1 : !tt.ptr<f32>, i32
// CHECK: tt.splat %[[PTR]] : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
tt.func @elementwise_of_splats(%p: !tt.ptr<f32>, %i: i32) -> tensor<16x!tt.ptr<f32>> {
  %0 = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %1 = tt.splat %i : i32 -> tensor<16xi32>
  %2 = tt.addptr %0, %1 : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.return %2 : tensor<16x!tt.ptr<f32>>
}

// -----

// CHECK-LABEL: tt.func @comparison_of_splats
// CHECK: %[[C:.+]] = arith.cmpi slt, %arg0, %arg1 : i32
// CHECK: tt.splat %[[C]] : i1 -> tensor<16xi1>
tt.func @comparison_of_splats(%a: i32, %b: i32) -> tensor<16xi1> {
  %0 = tt.splat %a : i32 -> tensor<16xi32>
  %1 = tt.splat %b : i32 -> tensor<16xi32>
  %2 = arith.cmpi slt, %0, %1 : tensor<16xi32>
  tt.return %2 : tensor<16xi1>
}

// -----

// CHECK-LABEL: tt.func @elementwise_of_broadcasts
// CHECK: %[[S:.+]] = tt.splat %arg1 : f32 -> tensor<16x1xf32>
// CHECK: %[[M:.+]] = arith.mulf %arg0, %[[S]] : tensor<16x1xf32>
// CHECK: tt.broadcast %[[M]] : tensor<16x1xf32> -> tensor<16x64xf32>
tt.func @elementwise_of_broadcasts(%a: tensor<16x1xf32>, %b: f32) -> tensor<16x64xf32> {
  %0 = tt.broadcast %a : tensor<16x1xf32> -> tensor<16x64xf32>
  %1 = tt.splat %b : f32 -> tensor<16x64xf32>
  %2 = arith.mulf %0, %1 : tensor<16x64xf32>
  tt.return %2 : tensor<16x64xf32>
}

// -----

// Broadcasts along different axes stay.
// CHECK-LABEL: tt.func @crossing_broadcasts
// CHECK: arith.addi {{.*}} : tensor<16x64xi32>
tt.func @crossing_broadcasts(%a: tensor<16x1xi32>, %b: tensor<1x64xi32>) -> tensor<16x64xi32> {
  %0 = tt.broadcast %a : tensor<16x1xi32> -> tensor<16x64xi32>
  %1 = tt.broadcast %b : tensor<1x64xi32> -> tensor<16x64xi32>
  %2 = arith.addi %0, %1 : tensor<16x64xi32>
  tt.return %2 : tensor<16x64xi32>
}

// -----

// CHECK-LABEL: tt.func @addptr_wide
// CHECK: %[[S:.+]] = arith.addi %arg1, %arg2 : i64
// CHECK: tt.addptr %arg0, %[[S]] : !tt.ptr<f32>, i64
tt.func @addptr_wide(%p: !tt.ptr<f32>, %a: i64, %b: i64) -> !tt.ptr<f32> {
  %0 = tt.addptr %p, %a : !tt.ptr<f32>, i64
  %1 = tt.addptr %0, %b : !tt.ptr<f32>, i64
  tt.return %1 : !tt.ptr<f32>
}

// -----

// The sum of two 32-bit offsets could wrap around.
// CHECK-LABEL: tt.func @addptr_narrow
// CHECK: tt.addptr
// CHECK: tt.addptr
tt.func @addptr_narrow(%p: !tt.ptr<f32>, %a: i32, %b: i32) -> !tt.ptr<f32> {
  %0 = tt.addptr %p, %a : !tt.ptr<f32>, i32
  %1 = tt.addptr %0, %b : !tt.ptr<f32>, i32
  tt.return %1 : !tt.ptr<f32>
}

// -----

// CHECK-LABEL: tt.func @select_of_load
// CHECK: tt.load %arg0, %arg1, %arg2
// CHECK-NOT: arith.select
tt.func @select_of_load(%p: tensor<16x!tt.ptr<f32>>, %m: tensor<16xi1>, %x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = tt.load %p, %m : tensor<16x!tt.ptr<f32>>
  %1 = arith.select %m, %0, %x : tensor<16xi1>, tensor<16xf32>
  tt.return %1 : tensor<16xf32>
}

// -----

// CHECK-LABEL: tt.func @select_of_load_with_another_mask
// CHECK: arith.select
tt.func @select_of_load_with_another_mask(%p: tensor<16x!tt.ptr<f32>>, %m: tensor<16xi1>, %n: tensor<16xi1>, %x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = tt.load %p, %m : tensor<16x!tt.ptr<f32>>
  %1 = arith.select %n, %0, %x : tensor<16xi1>, tensor<16xf32>
  tt.return %1 : tensor<16xf32>
}

// -----

// The choice that a load has made is not made again behind a conversion.
// CHECK-LABEL: tt.func @select_of_converted_load
// CHECK: %[[loaded:.*]] = tt.load
// CHECK-NEXT: %[[wide:.*]] = arith.extf %[[loaded]]
// CHECK-NEXT: tt.return %[[wide]]
tt.func @select_of_converted_load(%p: tensor<16x!tt.ptr<bf16>>, %m: tensor<16xi1>) -> tensor<16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16xbf16>
  %wide_zero = arith.constant dense<0.0> : tensor<16xf32>
  %0 = tt.load %p, %m, %zero : tensor<16x!tt.ptr<bf16>>
  %1 = arith.extf %0 : tensor<16xbf16> to tensor<16xf32>
  %2 = arith.select %m, %1, %wide_zero : tensor<16xi1>, tensor<16xf32>
  tt.return %2 : tensor<16xf32>
}

// -----

// What is loaded has other uses, which do not mind.
// CHECK-LABEL: tt.func @select_of_used_load
// CHECK-NOT: arith.select
tt.func @select_of_used_load(%p: tensor<16x!tt.ptr<i8>>, %m: tensor<16xi1>) -> (tensor<16xi8>, tensor<16xi32>) {
  %c = arith.constant dense<-1> : tensor<16xi8>
  %wide = arith.constant dense<-1> : tensor<16xi32>
  %0 = tt.load %p, %m, %c : tensor<16x!tt.ptr<i8>>
  %1 = arith.extsi %0 : tensor<16xi8> to tensor<16xi32>
  %2 = arith.select %m, %1, %wide : tensor<16xi1>, tensor<16xi32>
  tt.return %0, %2 : tensor<16xi8>, tensor<16xi32>
}

// -----

// CHECK-LABEL: tt.func @select_of_load_with_another_rest
// CHECK: arith.select
// CHECK: arith.select
// CHECK: arith.select
tt.func @select_of_load_with_another_rest(%p: tensor<16x!tt.ptr<i8>>, %h: tensor<16x!tt.ptr<f16>>, %m: tensor<16xi1>)
    -> (tensor<16xi32>, tensor<16xf32>, tensor<16xf32>) {
  %c = arith.constant dense<-1> : tensor<16xi8>
  %wide = arith.constant dense<-1> : tensor<16xi32>
  %0 = tt.load %p, %m, %c : tensor<16x!tt.ptr<i8>>
  %1 = arith.extui %0 : tensor<16xi8> to tensor<16xi32>
  %2 = arith.select %m, %1, %wide : tensor<16xi1>, tensor<16xi32>
  %minus_zero = arith.constant dense<-0.0> : tensor<16xf16>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %3 = tt.load %h, %m, %minus_zero : tensor<16x!tt.ptr<f16>>
  %4 = arith.extf %3 : tensor<16xf16> to tensor<16xf32>
  %5 = arith.select %m, %4, %zero : tensor<16xi1>, tensor<16xf32>
  %6 = tt.load %h, %m : tensor<16x!tt.ptr<f16>>
  %7 = arith.extf %6 : tensor<16xf16> to tensor<16xf32>
  %8 = arith.select %m, %7, %zero : tensor<16xi1>, tensor<16xf32>
  tt.return %2, %5, %8 : tensor<16xi32>, tensor<16xf32>, tensor<16xf32>
}

// -----

// CHECK-LABEL: tt.func @dot_plus
// CHECK: tt.dot %arg0, %arg1, %arg2
// CHECK-NOT: arith.addf
tt.func @dot_plus(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tt.dot %a, %b, %zero : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  tt.return %1 : tensor<16x16xf32>
}

// -----

// A step of a recurrent network multiplies while it waits for its input. Where a factor is loaded as well, it waits anyway.
// CHECK-LABEL: tt.func @dot_plus_loaded
// CHECK: %[[X:.+]] = tt.load
// CHECK: %[[D:.+]] = tt.dot %{{.*}}, %{{.*}}, %cst
// CHECK: arith.addf %[[D]], %[[X]]
// CHECK: %[[Y:.+]] = tt.load
// CHECK: tt.load
// CHECK: tt.dot %{{.*}}, %{{.*}}, %[[Y]]
tt.func @dot_plus_loaded(%h: tensor<16x16xf32>, %w: tensor<16x16xf32>, %p: tensor<16x16x!tt.ptr<f32>>, %n: i32) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %h) -> (tensor<16x16xf32>) : i32 {
    %x = tt.load %p : tensor<16x16x!tt.ptr<f32>>
    %0 = tt.dot %s, %w, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %1 = arith.addf %0, %x : tensor<16x16xf32>
    %y = tt.load %p : tensor<16x16x!tt.ptr<f32>>
    %f = tt.load %p : tensor<16x16x!tt.ptr<f32>>
    %2 = tt.dot %1, %f, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %3 = arith.addf %2, %y : tensor<16x16xf32>
    scf.yield %3 : tensor<16x16xf32>
  }
  tt.return %r : tensor<16x16xf32>
}

// -----

// A tensor whose rows are turned round after their halves were: the halves change places.
// CHECK-LABEL: tt.func @flip_of_flip
// CHECK-SAME: %[[X:.+]]: tensor<4x64xf16>
// CHECK-DAG: %[[HALF:.+]] = arith.constant dense<32> : tensor<64xi32>
// CHECK-DAG: %[[ALONG:.+]] = tt.make_range {end = 64 : i32, start = 0 : i32}
// CHECK: %[[OTHER:.+]] = arith.xori %[[ALONG]], %[[HALF]]
// CHECK: %[[ROW:.+]] = tt.expand_dims %[[OTHER]] {axis = 0 : i32}
// CHECK: %[[PLACES:.+]] = tt.broadcast %[[ROW]]
// CHECK: %[[Y:.+]] = tt.gather {{.*}}[%[[PLACES]]] {axis = 1 : i32}
// CHECK-NOT: tt.gather
// CHECK: tt.return %[[Y]]
tt.func @flip_of_flip(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %r = tt.reshape %x : tensor<4x64xf16> -> tensor<4x2x32xf16>
  %last = arith.constant dense<31> : tensor<32xi32>
  %along = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %i0 = arith.subi %last, %along : tensor<32xi32>
  %i1 = tt.expand_dims %i0 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %i2 = tt.expand_dims %i1 {axis = 0 : i32} : tensor<1x32xi32> -> tensor<1x1x32xi32>
  %i = tt.broadcast %i2 : tensor<1x1x32xi32> -> tensor<4x2x32xi32>
  %f = tt.gather %r[%i] {axis = 2 : i32} : (tensor<4x2x32xf16>, tensor<4x2x32xi32>) -> tensor<4x2x32xf16>
  %s = tt.reshape %f : tensor<4x2x32xf16> -> tensor<4x64xf16>
  %last2 = arith.constant dense<63> : tensor<64xi32>
  %along2 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %j0 = arith.subi %last2, %along2 : tensor<64xi32>
  %j1 = tt.expand_dims %j0 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %j = tt.broadcast %j1 : tensor<1x64xi32> -> tensor<4x64xi32>
  %y = tt.gather %s[%j] {axis = 1 : i32} : (tensor<4x64xf16>, tensor<4x64xi32>) -> tensor<4x64xf16>
  tt.return %y : tensor<4x64xf16>
}

// -----

// The same turn twice is none; turns along two axes stay two.
// CHECK-LABEL: tt.func @flips_of_flips
// CHECK-SAME: %[[X:.+]]: tensor<4x32xf16>
// CHECK-COUNT-2: tt.gather
// CHECK-NOT: tt.gather
// CHECK: tt.return %[[X]], %{{.+}}
tt.func @flips_of_flips(%x: tensor<4x32xf16>) -> (tensor<4x32xf16>, tensor<4x32xf16>) {
  %last = arith.constant dense<31> : tensor<32xi32>
  %along = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %i0 = arith.subi %last, %along : tensor<32xi32>
  %i1 = tt.expand_dims %i0 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %i = tt.broadcast %i1 : tensor<1x32xi32> -> tensor<4x32xi32>
  %a = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x32xf16>, tensor<4x32xi32>) -> tensor<4x32xf16>
  %b = tt.gather %a[%i] {axis = 1 : i32} : (tensor<4x32xf16>, tensor<4x32xi32>) -> tensor<4x32xf16>
  %last2 = arith.constant dense<3> : tensor<4xi32>
  %along2 = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %j0 = arith.subi %last2, %along2 : tensor<4xi32>
  %j1 = tt.expand_dims %j0 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %j = tt.broadcast %j1 : tensor<4x1xi32> -> tensor<4x32xi32>
  %c = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x32xf16>, tensor<4x32xi32>) -> tensor<4x32xf16>
  %d = tt.gather %c[%j] {axis = 0 : i32} : (tensor<4x32xf16>, tensor<4x32xi32>) -> tensor<4x32xf16>
  tt.return %b, %d : tensor<4x32xf16>, tensor<4x32xf16>
}

// -----

// A quotient that is chosen where its divisor is zero: an infinity with the divisor's sign, multiplied.
// CHECK-LABEL: tt.func @quotients_by_zero
// CHECK-SAME: %[[X:.+]]: tensor<64xf32>, %[[Y:.+]]: tensor<64xf32>
// CHECK: %[[INFINITY:.+]] = arith.constant dense<2139095040> : tensor<64xi32>
// CHECK: %[[BITS:.+]] = tt.bitcast %[[Y]] : tensor<64xf32> -> tensor<64xi32>
// CHECK: %[[SIGNED:.+]] = arith.ori %[[BITS]], %[[INFINITY]]
// CHECK: %[[FACTOR:.+]] = tt.bitcast %[[SIGNED]] : tensor<64xi32> -> tensor<64xf32>
// CHECK: %[[QUOTIENT:.+]] = arith.mulf %[[X]], %[[FACTOR]]
// CHECK: arith.select %{{.+}}, %[[X]], %[[QUOTIENT]]
tt.func @quotients_by_zero(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %quotient = arith.divf %x, %y : tensor<64xf32>
  %whole = arith.cmpf une, %y, %zero : tensor<64xf32>
  %z = arith.select %whole, %x, %quotient : tensor<64xi1>, tensor<64xf32>
  tt.return %z : tensor<64xf32>
}

// -----

// The same of numbers that were widened; a number.
// CHECK-LABEL: tt.func @widened_quotient
// CHECK-NOT: arith.divf
// CHECK: arith.ori %{{.+}}, %c2139095040_i32
// CHECK-NOT: arith.divf
tt.func @widened_quotient(%x: f32, %y: f16) -> f32 {
  %zero = arith.constant -0.0 : f16
  %wide = arith.extf %y : f16 to f32
  %quotient = arith.divf %x, %wide : f32
  %none = arith.cmpf oeq, %y, %zero : f16
  %z = arith.select %none, %quotient, %x : f32
  tt.return %z : f32
}

// -----

// Not where divisors that are no number choose it, too, where they choose the other one, or where it is
// needed elsewhere.
// CHECK-LABEL: tt.func @other_quotients
// CHECK-COUNT-3: arith.divf
tt.func @other_quotients(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %a = arith.divf %x, %y : f32
  %maybe = arith.cmpf ueq, %y, %zero : f32
  %chosen = arith.select %maybe, %a, %x : f32
  %b = arith.divf %x, %y : f32
  %none = arith.cmpf oeq, %y, %zero : f32
  %other = arith.select %none, %x, %b : f32
  %c = arith.divf %y, %x : f32
  %noneOfX = arith.cmpf oeq, %x, %zero : f32
  %twice = arith.select %noneOfX, %c, %y : f32
  tt.return %chosen, %other, %twice, %c : f32, f32, f32, f32
}
