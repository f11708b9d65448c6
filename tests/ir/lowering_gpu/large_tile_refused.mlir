// An operation without loops for large tiles is refused where it stands, with what a thread would hold. This one's old
// values would all travel through shared memory, as four threads share each element.
// RUN: not nereid-lower %s cuda:90a 2>&1 | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [0, 1]}>
#shared = #ttg.slice<{dim = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  tt.func public @kernel(%x: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 262144 : i32} : tensor<262144xi32, #shared>
    %pointer = tt.splat %x : !tt.ptr<i32> -> tensor<262144x!tt.ptr<i32>, #shared>
    // CHECK: large_tile_refused.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'tt.atomic_rmw' of a tile of 262144 elements gives each thread 8192, more than the 1024 that are supported of this operation: take a smaller tile or more warps
    %old = tt.atomic_rmw add, relaxed, gpu, %pointer, %range : (tensor<262144x!tt.ptr<i32>, #shared>, tensor<262144xi32, #shared>) -> tensor<262144xi32, #shared>
    tt.store %pointer, %old : tensor<262144x!tt.ptr<i32>, #shared>
    tt.return
  }
}
