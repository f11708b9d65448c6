// RUN: nereid-opt %s --nereid-convert-tt-to-ttg="target=cuda:90 num-warps=4" | FileCheck %s
// RUN: nereid-opt %s --nereid-convert-tt-to-ttg="target=hip:gfx942 num-warps=8 threads-per-warp=64" | FileCheck %s --check-prefix=AMD

// CHECK-DAG: #[[D1:.+]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[D2:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK: "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32
// AMD: "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32
module {
  // CHECK-LABEL: tt.func @reduce_and_back
  // CHECK: %[[X:.+]] = tt.load {{.*}} : tensor<8x64x!tt.ptr<f32>, #[[D2]]>
  // CHECK: %[[R:.+]] = "tt.reduce"(%[[X]])
  // CHECK: (tensor<8x64xf32, #[[D2]]>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #[[D2]]}>>
  // CHECK: %[[C:.+]] = ttg.convert_layout %[[R]] : {{.*}} -> tensor<8xf32, #[[D1]]>
  // CHECK: %[[S:.+]] = ttg.convert_layout %[[C]] : tensor<8xf32, #[[D1]]> -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #[[COL:.+]]}>>
  // CHECK: %[[E:.+]] = tt.expand_dims %[[S]] {axis = 1 : i32}
  // CHECK: tt.broadcast {{.*}} -> tensor<8x64xf32, #[[D2]]>
  tt.func @reduce_and_back(%p: tensor<8x64x!tt.ptr<f32>>) {
    %x = tt.load %p : tensor<8x64x!tt.ptr<f32>>
    %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maxnumf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<8x64xf32>) -> tensor<8xf32>
    %e = tt.expand_dims %m {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
    %b = tt.broadcast %e : tensor<8x1xf32> -> tensor<8x64xf32>
    tt.store %p, %b : tensor<8x64x!tt.ptr<f32>>
    tt.return
  }

  // Loops, branches, constants and functions carry layouts too.
  // CHECK-LABEL: tt.func @control_flow
  // CHECK: arith.constant dense<0.000000e+00> : tensor<64xf32, #[[D1]]>
  // CHECK: scf.for {{.*}} -> (tensor<64xf32, #[[D1]]>)
  // CHECK: scf.if {{.*}} -> (tensor<64xf32, #[[D1]]>)
  tt.func @control_flow(%n: i32, %c: i1) -> tensor<64xf32> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %one = arith.constant dense<1.0> : tensor<64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64xf32>) : i32 {
      %y = scf.if %c -> (tensor<64xf32>) {
        %s = arith.addf %x, %one : tensor<64xf32>
        scf.yield %s : tensor<64xf32>
      } else {
        scf.yield %x : tensor<64xf32>
      }
      scf.yield %y : tensor<64xf32>
    }
    tt.return %r : tensor<64xf32>
  }
}
