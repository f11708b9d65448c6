// RUN: nereid-opt %s --nereid-convert-tt-to-ttg="target=cuda:90" --nereid-ttg-coalesce --nereid-ttg-assign-layouts --canonicalize --cse | FileCheck %s

// Elements change places by twos in the layout in which they were loaded, and are stored in it. Other gathers have a
// layout of their own.
// CHECK-DAG: #[[LOADED:.+]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-LABEL: tt.func public @butterflies
// CHECK: tt.load {{.*}} : tensor<512x!tt.ptr<f32>, #[[LOADED]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.gather {{.*}} -> tensor<512xf32, #[[LOADED]]>
// CHECK: arith.maximumf {{.*}} : tensor<512xf32, #[[LOADED]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store {{.*}} : tensor<512x!tt.ptr<f32>, #[[LOADED]]>
// CHECK: tt.gather
// CHECK: %[[BACK:.+]] = ttg.convert_layout
// CHECK: tt.store {{.*}}, %[[BACK]] : tensor<512x!tt.ptr<f32>, #[[LOADED]]>
tt.func public @butterflies(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %range : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %pointers : tensor<512x!tt.ptr<f32>>
  %two = arith.constant dense<2> : tensor<512xi32>
  %partners = arith.xori %range, %two : tensor<512xi32>
  %y = tt.gather %x[%partners] {axis = 0 : i32} : (tensor<512xf32>, tensor<512xi32>) -> tensor<512xf32>
  %larger = arith.maximumf %x, %y : tensor<512xf32>
  tt.store %pointers, %larger : tensor<512x!tt.ptr<f32>>
  %one = arith.constant dense<1> : tensor<512xi32>
  %halved = arith.shrui %range, %one : tensor<512xi32>
  %z = tt.gather %x[%halved] {axis = 0 : i32} : (tensor<512xf32>, tensor<512xi32>) -> tensor<512xf32>
  tt.store %pointers, %z : tensor<512x!tt.ptr<f32>>
  tt.return
}
