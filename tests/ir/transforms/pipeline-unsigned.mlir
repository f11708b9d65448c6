// RUN: nereid-opt %s --nereid-ttg-pipeline | FileCheck %s

// MLIR's pipeliner takes no unsigned bounds: such a loop makes its loads as it goes.
// CHECK-LABEL: tt.func public @product
// CHECK-NOT: ttg.async_copy
// CHECK: scf.for unsigned
// CHECK-COUNT-2: tt.load
// CHECK: tt.dot
// CHECK: scf.yield
tt.func public @product(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %depth = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %k = tt.expand_dims %depth {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %width = arith.constant dense<32> : tensor<64x1xi32>
  %rowStart = arith.muli %row, %width : tensor<64x1xi32>
  %rowsB = tt.broadcast %rowStart : tensor<64x1xi32> -> tensor<64x32xi32>
  %kB = tt.broadcast %k : tensor<1x32xi32> -> tensor<64x32xi32>
  %xOffsets = arith.addi %rowsB, %kB : tensor<64x32xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %xOffsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %down = tt.expand_dims %depth {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %height = arith.constant dense<64> : tensor<32x1xi32>
  %downStart = arith.muli %down, %height : tensor<32x1xi32>
  %downB = tt.broadcast %downStart : tensor<32x1xi32> -> tensor<32x64xi32>
  %columnB = tt.broadcast %column : tensor<1x64xi32> -> tensor<32x64xi32>
  %yOffsets = arith.addi %downB, %columnB : tensor<32x64xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %yOffsets : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %step = arith.constant dense<2048> : tensor<64x32xi32>
  %stepY = arith.constant dense<2048> : tensor<32x64xi32>
  %sum:3 = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%acc = %zero, %px = %xp, %py = %yp) -> (tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>) : i32 {
    %a = tt.load %px : tensor<64x32x!tt.ptr<f16>>
    %b = tt.load %py : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %nextX = tt.addptr %px, %step : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %nextY = tt.addptr %py, %stepY : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    scf.yield %d, %nextX, %nextY : tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %wide = arith.constant dense<64> : tensor<64x1xi32>
  %outRow = arith.muli %row, %wide : tensor<64x1xi32>
  %op = tt.addptr %os, %outRow : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %opB = tt.broadcast %op : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %columnAll = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %outp = tt.addptr %opB, %columnAll : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %outp, %sum#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
