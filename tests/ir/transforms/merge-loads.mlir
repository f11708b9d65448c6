// RUN: nereid-opt %s --nereid-tt-merge-loads | FileCheck %s

// The greatest element takes what the least one has loaded, and another value for what was left out; where that is not
// said, anything.
// CHECK-LABEL: tt.func @twice
// CHECK-SAME: (%[[P:.+]]: tensor<64x!tt.ptr<f32>>, %[[M:.+]]: tensor<64xi1>)
// CHECK: %[[X:.+]] = tt.load %[[P]], %[[M]]
// CHECK: %[[Y:.+]] = arith.select %[[M]], %[[X]], %{{.+}}
// CHECK-NOT: tt.load
// CHECK: tt.return %[[X]], %[[Y]], %[[X]]
tt.func @twice(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %much = arith.constant dense<0x7F800000> : tensor<64xf32>
  %little = arith.constant dense<0xFF800000> : tensor<64xf32>
  %x = tt.load %p, %m, %much : tensor<64x!tt.ptr<f32>>
  %y = tt.load %p, %m, %little : tensor<64x!tt.ptr<f32>>
  %z = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  tt.return %x, %y, %z : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// A store, a sum, another mask, another cache and a volatile load are in the way.
// CHECK-LABEL: tt.func @apart
// CHECK-NOT: arith.select
// CHECK-COUNT-7: tt.load
tt.func @apart(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %n: tensor<64xi1>) -> f32 {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %a = tt.load %p, %m, %one : tensor<64x!tt.ptr<f32>>
  tt.store %p, %a, %m : tensor<64x!tt.ptr<f32>>
  %b = tt.load %p, %m, %zero : tensor<64x!tt.ptr<f32>>
  %sum = "tt.reduce"(%b) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32>) -> f32
  %c = tt.load %p, %m, %one : tensor<64x!tt.ptr<f32>>
  %d = tt.load %p, %n, %zero : tensor<64x!tt.ptr<f32>>
  %e = tt.load %p, %m, %zero cacheModifier = cg : tensor<64x!tt.ptr<f32>>
  %f = tt.load %p, %m, %zero {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  %g = tt.load %p, %m, %one {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  tt.store %p, %c, %m : tensor<64x!tt.ptr<f32>>
  tt.store %p, %d, %m : tensor<64x!tt.ptr<f32>>
  tt.store %p, %e, %m : tensor<64x!tt.ptr<f32>>
  tt.store %p, %f, %m : tensor<64x!tt.ptr<f32>>
  tt.store %p, %g, %m : tensor<64x!tt.ptr<f32>>
  tt.return %sum : f32
}
