// RUN: nereid-opt %s --nereid-ttg-assign-layouts --canonicalize --cse | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  // Which of 256 numbers are equal: a thread has 32 rows and 16 columns of them, not all rows and two columns.
  // CHECK-DAG: #[[EVEN:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
  // CHECK-LABEL: tt.func @ranks
  // CHECK: arith.cmpi eq, {{.*}} : tensor<256x256xi32, #[[EVEN]]>
  tt.func @ranks(%p: tensor<256x!tt.ptr<i32>, #row>, %q: tensor<256x!tt.ptr<i32>, #row>) {
    %x = tt.load %p : tensor<256x!tt.ptr<i32>, #row>
    %down = ttg.convert_layout %x : tensor<256xi32, #row> -> tensor<256xi32, #ttg.slice<{dim = 1, parent = #tile}>>
    %across = ttg.convert_layout %x : tensor<256xi32, #row> -> tensor<256xi32, #ttg.slice<{dim = 0, parent = #tile}>>
    %a = tt.expand_dims %down {axis = 1 : i32} : tensor<256xi32, #ttg.slice<{dim = 1, parent = #tile}>> -> tensor<256x1xi32, #tile>
    %b = tt.expand_dims %across {axis = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #tile}>> -> tensor<1x256xi32, #tile>
    %c = tt.broadcast %a : tensor<256x1xi32, #tile> -> tensor<256x256xi32, #tile>
    %d = tt.broadcast %b : tensor<1x256xi32, #tile> -> tensor<256x256xi32, #tile>
    %same = arith.cmpi eq, %c, %d : tensor<256x256xi32, #tile>
    %one = arith.extui %same : tensor<256x256xi1, #tile> to tensor<256x256xi32, #tile>
    %sum = "tt.reduce"(%one) <{axis = 1 : i32}> ({
    ^bb0(%m: i32, %n: i32):
      %o = arith.addi %m, %n : i32
      tt.reduce.return %o : i32
    }) : (tensor<256x256xi32, #tile>) -> tensor<256xi32, #ttg.slice<{dim = 1, parent = #tile}>>
    %r = ttg.convert_layout %sum : tensor<256xi32, #ttg.slice<{dim = 1, parent = #tile}>> -> tensor<256xi32, #row>
    tt.store %q, %r : tensor<256x!tt.ptr<i32>, #row>
    tt.return
  }
}
