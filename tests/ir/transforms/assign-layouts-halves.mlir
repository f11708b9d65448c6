// RUN: nereid-opt %s --nereid-convert-tt-to-ttg="target=cuda:90" --nereid-ttg-coalesce --nereid-ttg-assign-layouts --canonicalize --cse | FileCheck %s

// What is loaded to be split into halves has the say: the angle, which is nearer to the product, is brought to the
// halves, and not each of the halves to the angle.
// CHECK-DAG: #[[ANGLE:.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8]
// CHECK-DAG: #[[PAIRS:.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16]
// CHECK-LABEL: tt.func public @rotate
// CHECK: %[[T:.+]] = tt.load {{.*}} : tensor<64x32x!tt.ptr<f32>, #[[ANGLE]]>
// CHECK: %[[X:.+]] = tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[PAIRS]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: %[[LEFT:.+]], %[[RIGHT:.+]] = tt.split {{.*}} -> tensor<64x32xf32, #[[HALF:.+]]>
// CHECK: %[[MOVED:.+]] = ttg.convert_layout %[[T]] : tensor<64x32xf32, #[[ANGLE]]> -> tensor<64x32xf32, #[[HALF]]>
// CHECK: arith.mulf %[[LEFT]], %[[MOVED]] : tensor<64x32xf32, #[[HALF]]>
// CHECK: arith.mulf %[[RIGHT]], %[[MOVED]] : tensor<64x32xf32, #[[HALF]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.join
tt.func public @rotate(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %half = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %t_row = arith.muli %row, %c32 : tensor<64x1xi32>
  %t_rows = tt.broadcast %t_row : tensor<64x1xi32> -> tensor<64x32xi32>
  %t_column = tt.expand_dims %half {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %t_columns = tt.broadcast %t_column : tensor<1x32xi32> -> tensor<64x32xi32>
  %t_offsets = arith.addi %t_rows, %t_columns : tensor<64x32xi32>
  %t_base = tt.splat %p : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %t_pointers = tt.addptr %t_base, %t_offsets : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %x_row = arith.muli %row, %c64 : tensor<64x1xi32>
  %x_rows = tt.broadcast %x_row : tensor<64x1xi32> -> tensor<64x64xi32>
  %x_column = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %x_columns = tt.broadcast %x_column : tensor<1x64xi32> -> tensor<64x64xi32>
  %x_offsets = arith.addi %x_rows, %x_columns : tensor<64x64xi32>
  %x_base = tt.splat %q : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %x_pointers = tt.addptr %x_base, %x_offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %t = tt.load %t_pointers : tensor<64x32x!tt.ptr<f32>>
  %x = tt.load %x_pointers : tensor<64x64x!tt.ptr<f32>>
  %scaled = arith.addf %x, %x : tensor<64x64xf32>
  %pairs = tt.reshape %scaled : tensor<64x64xf32> -> tensor<64x32x2xf32>
  %left, %right = tt.split %pairs : tensor<64x32x2xf32> -> tensor<64x32xf32>
  %new_left = arith.mulf %left, %t : tensor<64x32xf32>
  %new_right = arith.mulf %right, %t : tensor<64x32xf32>
  %joined = tt.join %new_left, %new_right : tensor<64x32xf32> -> tensor<64x32x2xf32>
  %y = tt.reshape %joined : tensor<64x32x2xf32> -> tensor<64x64xf32>
  tt.store %x_pointers, %y : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
