// RUN: nereid-lower %s cuda:75 | FileCheck %s

// Booleans are joined over a warp by one vote, on every GPU.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define {{.*}} @votes
  tt.func public @votes(%out: !tt.ptr<i32>, %n: i32) {
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<32xi32, #b>
    %x = arith.cmpi slt, %range, %ns : tensor<32xi32, #b>
    // CHECK-NOT: shfl
    // CHECK: call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1
    %any = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i1, %c: i1):
      %t = arith.ori %a, %c : i1
      tt.reduce.return %t : i1
    }) : (tensor<32xi1, #b>) -> i1
    // CHECK: call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1
    // CHECK-NOT: shfl
    %all = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i1, %c: i1):
      %t = arith.andi %a, %c : i1
      tt.reduce.return %t : i1
    }) : (tensor<32xi1, #b>) -> i1
    // An odd number of them is not voted on.
    // CHECK-COUNT-5: shfl.sync.bfly
    %odd = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i1, %c: i1):
      %t = arith.xori %a, %c : i1
      tt.reduce.return %t : i1
    }) : (tensor<32xi1, #b>) -> i1
    %both = arith.andi %any, %all : i1
    %more = arith.ori %both, %odd : i1
    %number = arith.extui %more : i1 to i32
    tt.store %out, %number : !tt.ptr<i32>
    tt.return
  }
}
