// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: sed 's/"ttg.num-warps" = 1/"ttg.num-warps" = 2/; s/warpsPerCTA = \[1\]/warpsPerCTA = [2]/' %s | nereid-lower - cuda:90 | FileCheck %s --check-prefix=TWO

// The threads of a block of one warp meet as a warp, which takes no barrier of the block.
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @meet
  // CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
  // CHECK-NEXT: ret void
  // TWO-LABEL: define {{.*}} @meet
  // TWO: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // TWO-NOT: bar.warp.sync
  // TWO: ret void
  tt.func public @meet(%p: !tt.ptr<i32>) {
    ttg.local_barrier
    tt.return
  }
}
