// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefix=SM80
// RUN: nereid-lower %s cuda:75 | FileCheck %s --check-prefix=SM75

// One i32 operation over a whole warp is one instruction since sm_80.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @max(%out: !tt.ptr<i32>, %n: i32) {
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<32xi32, #b>
    %x = arith.xori %range, %ns : tensor<32xi32, #b>
    // SM80: @llvm.nvvm.redux.sync.max(i32 %{{.*}}, i32 -1)
    // SM80-NOT: shfl
    // SM75-COUNT-5: call i32 @llvm.nvvm.shfl.sync.bfly.i32
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %c: i32):
      %t = arith.maxsi %a, %c : i32
      tt.reduce.return %t : i32
    }) : (tensor<32xi32, #b>) -> i32
    tt.store %out, %s : !tt.ptr<i32>
    tt.return
  }
}
