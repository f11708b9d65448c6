// RUN: nereid-opt %s --nereid-convert-tt-to-ttg="target=cuda:90" --nereid-ttg-coalesce --nereid-ttg-assign-layouts --canonicalize --cse --split-input-file | FileCheck %s

// All that comes of a tile that is loaded by columns is stored by rows, twice: the 16 bits that were loaded move once,
// rather than 32 bits twice, and the sums run along the lanes that store neighbours.
// CHECK-DAG: #[[COLUMNS:.+]] = #ttg.blocked<{{.*}}, order = [0, 1]}>
// CHECK-DAG: #[[ROWS:.+]] = #ttg.blocked<{{.*}}, order = [1, 0]}>
// CHECK-LABEL: tt.func public @both_stored
// CHECK: %[[LOADED:.+]] = tt.load {{.*}} : tensor<16x256x!tt.ptr<bf16>, #[[COLUMNS]]>
// CHECK: ttg.convert_layout %[[LOADED]] : tensor<16x256xbf16, #[[COLUMNS]]> -> tensor<16x256xbf16, #[[ROWS]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store {{.*}} : tensor<16x256x!tt.ptr<f32>, #[[ROWS]]>
// CHECK: tt.scan
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store {{.*}} : tensor<16x256x!tt.ptr<f32>, #[[ROWS]]>
tt.func public @both_stored(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %columns = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %r0 = tt.expand_dims %rows {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %r = tt.broadcast %r0 : tensor<16x1xi32> -> tensor<16x256xi32>
  %c0 = tt.expand_dims %columns {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %c = tt.broadcast %c0 : tensor<1x256xi32> -> tensor<16x256xi32>
  %c16 = arith.constant dense<16> : tensor<16x256xi32>
  %c256 = arith.constant dense<256> : tensor<16x256xi32>
  %down = arith.muli %c, %c16 : tensor<16x256xi32>
  %by_columns = arith.addi %down, %r : tensor<16x256xi32>
  %across = arith.muli %r, %c256 : tensor<16x256xi32>
  %by_rows = arith.addi %across, %c : tensor<16x256xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<16x256x!tt.ptr<bf16>>
  %px = tt.addptr %xs, %by_columns : tensor<16x256x!tt.ptr<bf16>>, tensor<16x256xi32>
  %loaded = tt.load %px : tensor<16x256x!tt.ptr<bf16>>
  %wide = arith.extf %loaded : tensor<16x256xbf16> to tensor<16x256xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x256x!tt.ptr<f32>>
  %py = tt.addptr %ys, %by_rows : tensor<16x256x!tt.ptr<f32>>, tensor<16x256xi32>
  tt.store %py, %wide : tensor<16x256x!tt.ptr<f32>>
  %sums = "tt.scan"(%wide) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.scan.return %s : f32
  }) : (tensor<16x256xf32>) -> tensor<16x256xf32>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<16x256x!tt.ptr<f32>>
  %pz = tt.addptr %zs, %by_rows : tensor<16x256x!tt.ptr<f32>>, tensor<16x256xi32>
  tt.store %pz, %sums : tensor<16x256x!tt.ptr<f32>>
  tt.return
}
