// Of indices that are compared a bit each is left. They lie in the layout in which they are loaded, and what they choose
// from in that of the row beside them: what is brought from one to the other is the bits, once, for all that is chosen
// by them.
//
// RUN: nereid-opt %s --nereid-ttg-assign-layouts --cse --nereid-ttg-rematerialize --canonicalize --cse | FileCheck %s

#default = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#indices = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  // CHECK-DAG: #[[I:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [2],
  // CHECK-DAG: #[[R:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [8],
  // CHECK-LABEL: tt.func @chosen
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[SAME:.+]] = arith.cmpi eq, {{.*}} : tensor<2048xi64, #[[I]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: ttg.convert_layout %[[SAME]] : tensor<2048xi1, #[[I]]> -> tensor<2048xi1, #[[R]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @chosen(%ids: tensor<2048x!tt.ptr<i64>, #indices>, %x: tensor<2048x!tt.ptr<bf16>, #row>, %id: i64) {
    %one = arith.constant dense<1.0> : tensor<2048xf32, #default>
    %zero = arith.constant dense<0.0> : tensor<2048xf32, #default>
    %loadedIds = tt.load %ids : tensor<2048x!tt.ptr<i64>, #indices>
    %i = ttg.convert_layout %loadedIds : tensor<2048xi64, #indices> -> tensor<2048xi64, #default>
    %loaded = tt.load %x : tensor<2048x!tt.ptr<bf16>, #row>
    %u = ttg.convert_layout %loaded : tensor<2048xbf16, #row> -> tensor<2048xbf16, #default>
    %wide = arith.extf %u : tensor<2048xbf16, #default> to tensor<2048xf32, #default>
    %all = tt.splat %id : i64 -> tensor<2048xi64, #default>
    %same = arith.cmpi eq, %all, %i : tensor<2048xi64, #default>
    %label = arith.select %same, %one, %zero : tensor<2048xi1, #default>, tensor<2048xf32, #default>
    %weight = arith.select %same, %wide, %one : tensor<2048xi1, #default>, tensor<2048xf32, #default>
    %difference = arith.subf %wide, %label : tensor<2048xf32, #default>
    %product = arith.mulf %weight, %difference : tensor<2048xf32, #default>
    %narrow = arith.truncf %product : tensor<2048xf32, #default> to tensor<2048xbf16, #default>
    %stored = ttg.convert_layout %narrow : tensor<2048xbf16, #default> -> tensor<2048xbf16, #row>
    tt.store %x, %stored : tensor<2048x!tt.ptr<bf16>, #row>
    tt.return
  }
}
