// Down the columns of this tile warps take turns, so that a scan there would have a sum for every element, more than AMD's
// GPUs have memory on chip. It gets a layout in which a warp has whole columns.
// RUN: nereid-opt %s --nereid-ttg-assign-layouts | FileCheck %s

// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.blocked<{sizePerThread = [512, 1], threadsPerWarp = [1, 64], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  // CHECK-LABEL: @large
  tt.func public @large(%p: tensor<512x512x!tt.ptr<i32>, #rows>) {
    %x = tt.load %p : tensor<512x512x!tt.ptr<i32>, #rows>
    // CHECK: %[[IN:.*]] = ttg.convert_layout %{{.*}} : tensor<512x512xi32, #[[ROWS]]> -> tensor<512x512xi32, #[[COLUMNS]]>
    // CHECK: "tt.scan"(%[[IN]])
    // CHECK: ttg.convert_layout %{{.*}} : tensor<512x512xi32, #[[COLUMNS]]> -> tensor<512x512xi32, #[[ROWS]]>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: i32, %b: i32):
      %sum = arith.addi %a, %b : i32
      tt.scan.return %sum : i32
    }) : (tensor<512x512xi32, #rows>) -> tensor<512x512xi32, #rows>
    tt.store %p, %s : tensor<512x512x!tt.ptr<i32>, #rows>
    tt.return
  }

  // CHECK-LABEL: @small
  tt.func public @small(%p: tensor<32x256x!tt.ptr<i32>, #rows>) {
    %x = tt.load %p : tensor<32x256x!tt.ptr<i32>, #rows>
    // CHECK-NOT: convert_layout
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: i32, %b: i32):
      %sum = arith.addi %a, %b : i32
      tt.scan.return %sum : i32
    }) : (tensor<32x256xi32, #rows>) -> tensor<32x256xi32, #rows>
    tt.store %p, %s : tensor<32x256x!tt.ptr<i32>, #rows>
    tt.return
  }
}
