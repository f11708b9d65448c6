// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:90a" --nereid-ttg-choose-matrix-instructions="target=cuda:90a" | FileCheck %s

// A factor that the loop does not change stays in registers, if they are enough, as does one that the round computes.
// The former could be moved.
// CHECK: module attributes {{.*}}nereid.movable_factors
// CHECK-LABEL: @registers
// CHECK: scf.for
// CHECK: ttng.warp_group_dot {{.*}} : tensor<64x64xf16, #ttg.dot_op
// CHECK: ttng.warp_group_dot {{.*}} : tensor<64x64xf16, #ttg.dot_op
module {
  tt.func public @registers(%p: tensor<64x64x!tt.ptr<f16>>, %q: tensor<64x64x!tt.ptr<f16>>, %out: tensor<64x64x!tt.ptr<f32>>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
      %b = tt.load %q : tensor<64x64x!tt.ptr<f16>>
      %s = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
      %d = tt.dot %t, %b, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tt.store %out, %r : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// Where ptxas would lose the former, it is in memory.
// CHECK-LABEL: @lasting
// CHECK: scf.for
// CHECK: ttng.warp_group_dot {{.*}} : !ttg.memdesc<64x64xf16
// CHECK: ttng.warp_group_dot {{.*}} : tensor<64x64xf16, #ttg.dot_op
module attributes {nereid.lasting_factors_in_memory} {
  tt.func public @lasting(%p: tensor<64x64x!tt.ptr<f16>>, %q: tensor<64x64x!tt.ptr<f16>>, %out: tensor<64x64x!tt.ptr<f32>>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
      %b = tt.load %q : tensor<64x64x!tt.ptr<f16>>
      %s = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
      %d = tt.dot %t, %b, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tt.store %out, %r : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// CHECK-LABEL: @all
// CHECK: scf.for
// CHECK: ttng.warp_group_dot {{.*}} : !ttg.memdesc<64x64xf16
// CHECK: ttng.warp_group_dot {{.*}} : !ttg.memdesc<64x64xf16
module attributes {nereid.factors_in_memory} {
  tt.func public @all(%p: tensor<64x64x!tt.ptr<f16>>, %q: tensor<64x64x!tt.ptr<f16>>, %out: tensor<64x64x!tt.ptr<f32>>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
      %b = tt.load %q : tensor<64x64x!tt.ptr<f16>>
      %s = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
      %d = tt.dot %t, %b, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tt.store %out, %r : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// So could one that something else takes.
// CHECK: module attributes {{.*}}nereid.movable_factors
// CHECK-LABEL: @taken_twice
// CHECK: ttng.warp_group_dot {{.*}} : tensor<64x64xf16, #ttg.dot_op
module {
  tt.func public @taken_twice(%q: tensor<64x64x!tt.ptr<f16>>, %out: tensor<64x64x!tt.ptr<f32>>, %factors: tensor<64x64x!tt.ptr<f16>>, %a: tensor<64x64xf16>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
      %b = tt.load %q : tensor<64x64x!tt.ptr<f16>>
      %t = math.absf %b : tensor<64x64xf16>
      %d = tt.dot %t, %b, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      tt.store %factors, %t : tensor<64x64x!tt.ptr<f16>>
      scf.yield %d : tensor<64x64xf32>
    }
    tt.store %out, %r : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// One that is only for its product is nowhere better.
// CHECK-NOT: nereid.movable_factors
// CHECK-LABEL: @taken_once
// CHECK: ttng.warp_group_dot {{.*}} : tensor<64x64xf16, #ttg.dot_op
module {
  tt.func public @taken_once(%q: tensor<64x64x!tt.ptr<f16>>, %out: tensor<64x64x!tt.ptr<f32>>, %factors: tensor<64x64x!tt.ptr<f16>>, %a: tensor<64x64xf16>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
      %b = tt.load %q : tensor<64x64x!tt.ptr<f16>>
      %t = math.absf %b : tensor<64x64xf16>
      %d = tt.dot %t, %b, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tt.store %out, %r : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
