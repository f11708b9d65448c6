// Rows of eight become columns of eight: a thread of the one side has in registers what lanes' upper three bits are on
// the other, so that vectors are written, and transposed matrices read.
// RUN: nereid-opt %s --nereid-ttg-convert-through-buffers="target=cuda:90" | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK: #[[SHARED:.+]] = #ttg.shared_linear
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @transposed
  // CHECK: %[[BUFFER:.+]] = ttg.local_alloc %{{.+}} -> !ttg.memdesc<64x64xbf16, #[[SHARED]], #smem>
  // CHECK: ttg.local_load %[[BUFFER]]
  tt.func public @transposed(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %j = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %b = tt.broadcast %j : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %f = arith.sitofp %b : tensor<64x64xi32, #rows> to tensor<64x64xbf16, #rows>
    %c = ttg.convert_layout %f : tensor<64x64xbf16, #rows> -> tensor<64x64xbf16, #columns>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>, #columns>
    tt.store %ps, %c : tensor<64x64x!tt.ptr<bf16>, #columns>
    tt.return
  }
}
