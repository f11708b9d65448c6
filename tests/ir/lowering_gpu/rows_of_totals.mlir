// RUN: nereid-lower %s cuda:90 | FileCheck %s

// Along the first axis of a tile neighbouring lanes have other columns. What several warps have of them lies in
// shared memory column by column, so that lanes meet different banks and a thread's four columns are a vector.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 2048 : i32} {
  // CHECK-LABEL: @scan
  // CHECK-COUNT-4: st.shared.v4.b32
  // CHECK-NOT: st.shared
  // CHECK: barrier
  // CHECK-COUNT-15: load <4 x float>, ptr addrspace(3)
  // CHECK-NOT: addrspace(3)
  // CHECK: ret void
  tt.func public @scan(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %columns = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %c32 = arith.constant dense<32> : tensor<64x1xi32, #blocked>
    %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %starts = arith.muli %r, %c32 : tensor<64x1xi32, #blocked>
    %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %sb = tt.broadcast %starts : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %cb = tt.broadcast %c : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %o = arith.addi %sb, %cb : tensor<64x32xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %xs, %o : tensor<64x32x!tt.ptr<f32>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #blocked>
    %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.scan.return %t : f32
    }) {allocation.offset = 0 : i32} : (tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked>
    tt.store %p, %s : tensor<64x32x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
