// Numbers that codes stand for are looked up in a table, each at an address of its own that the round has loaded. The
// table is in the first cache, and gets no ring.
// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:80 num-stages=3" | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @decoded
  // CHECK-NOT: ttg.async_copy_global_to_local
  // CHECK: tt.return
  tt.func public @decoded(%codes: tensor<32x64x!tt.ptr<i8>, #blocked>, %table: !tt.ptr<f32>, %a: tensor<64x32xf32, #left>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %tables = tt.splat %table : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %code = tt.load %codes : tensor<32x64x!tt.ptr<i8>, #blocked>
      %place = arith.extui %code : tensor<32x64xi8, #blocked> to tensor<32x64xi32, #blocked>
      %places = tt.addptr %tables, %place : tensor<32x64x!tt.ptr<f32>, #blocked>, tensor<32x64xi32, #blocked>
      %v = tt.load %places : tensor<32x64x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<32x64xf32, #blocked> -> tensor<32x64xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<64x32xf32, #left> * tensor<32x64xf32, #right> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Rows at loaded numbers are copied, be it element by element.
  // CHECK-LABEL: @rows
  // CHECK: ttg.async_copy_global_to_local {{.*}}tensor<32x64x!tt.ptr<f32>
  // CHECK: scf.for
  tt.func public @rows(%numbers: tensor<32x!tt.ptr<i32>, #rows>, %columns: tensor<32x64xi32, #blocked>, %rows: !tt.ptr<f32>, %a: tensor<64x32xf32, #left>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %starts = tt.splat %rows : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %ahead = tt.splat %i : i32 -> tensor<32xi32, #rows>
      %at = tt.addptr %numbers, %ahead : tensor<32x!tt.ptr<i32>, #rows>, tensor<32xi32, #rows>
      %number = tt.load %at : tensor<32x!tt.ptr<i32>, #rows>
      %column = tt.expand_dims %number {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #blocked>
      %wide = tt.broadcast %column : tensor<32x1xi32, #blocked> -> tensor<32x64xi32, #blocked>
      %offsets = arith.addi %wide, %columns : tensor<32x64xi32, #blocked>
      %places = tt.addptr %starts, %offsets : tensor<32x64x!tt.ptr<f32>, #blocked>, tensor<32x64xi32, #blocked>
      %v = tt.load %places : tensor<32x64x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<32x64xf32, #blocked> -> tensor<32x64xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<64x32xf32, #left> * tensor<32x64xf32, #right> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
