// A product that is too large is refused with what a thread holds of it, not with what its operands' layouts would give.
// RUN: not nereid-lower %s cuda:90a 2>&1 | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#right = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  tt.func public @kernel(%x: !tt.ptr<i32>) {
    %zero = arith.constant dense<0> : tensor<256x256xi32, #blocked>
    %ones = arith.constant dense<1> : tensor<256x256xi8, #blocked>
    %a = ttg.convert_layout %ones : tensor<256x256xi8, #blocked> -> tensor<256x256xi8, #left>
    %b = ttg.convert_layout %ones : tensor<256x256xi8, #blocked> -> tensor<256x256xi8, #right>
    // CHECK: large_product_refused.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'tt.dot' of a tile of 256x256 elements gives each thread 2048, more than the 1024 that are supported of this operation
    %c = tt.dot %a, %b, %zero : tensor<256x256xi8, #left> * tensor<256x256xi8, #right> -> tensor<256x256xi32, #blocked>
    tt.return
  }
}
