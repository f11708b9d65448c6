// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefix=CUDA
// RUN: nereid-lower %s hip:gfx1100 | FileCheck %s --check-prefix=HIP

// What another program may be changing is loaded by one thread for all that hold copies: a loop that waits
// for it ends in the same round for all, and may have barriers in it.
#half = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 64 : i32} {
  tt.func public @looks(%flag: !tt.ptr<i32>, %bits: !tt.ptr<i1>, %out: !tt.ptr<i32>) {
    // CUDA: %[[FIRST:.*]] = icmp eq i32 %{{.*}}, 0
    // CUDA: @$2 ld.volatile.global.b32 $0, [$1];"
    // CUDA-SAME: i1 %[[FIRST]])
    // CUDA: "@$2 st.shared.b32 [$0], $1;"
    // CUDA: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    // CUDA: load i32, ptr addrspace(3)
    // HIP: load volatile i32, ptr addrspace(1)
    // HIP: store i32 %{{.*}}, ptr addrspace(3)
    // HIP: load i32, ptr addrspace(3)
    %x = tt.load %flag {isVolatile = true, allocation.offset = 0 : i32} : !tt.ptr<i32>
    tt.store %out, %x : !tt.ptr<i32>

    // Each element of 16 is held by two lanes.
    // CUDA: %[[COPY:.*]] = and i32 %{{.*}}, 16
    // CUDA: %[[OWNER:.*]] = icmp eq i32 %[[COPY]], 0
    // CUDA: @$2 ld.volatile.global.b8
    // CUDA-SAME: i1 %[[OWNER]])
    // CUDA: st.shared.b8
    // CUDA: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    // CUDA: load i8, ptr addrspace(3)
    %few = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #half>
    %bs = tt.splat %bits : !tt.ptr<i1> -> tensor<16x!tt.ptr<i1>, #half>
    %bp = tt.addptr %bs, %few : tensor<16x!tt.ptr<i1>, #half>, tensor<16xi32, #half>
    %b = tt.load %bp {isVolatile = true, allocation.offset = 16 : i32} : tensor<16x!tt.ptr<i1>, #half>
    %wide = arith.extui %b : tensor<16xi1, #half> to tensor<16xi32, #half>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #half>
    %op = tt.addptr %os, %few : tensor<16x!tt.ptr<i32>, #half>, tensor<16xi32, #half>
    tt.store %op, %wide : tensor<16x!tt.ptr<i32>, #half>

    // Nothing is handed around that nobody uses; and plain loads are made by all.
    // CUDA: load volatile i32
    // CUDA-NOT: addrspace(3)
    // CUDA: ret void
    %unused = tt.load %flag {isVolatile = true} : !tt.ptr<i32>
    %plain = tt.load %flag : !tt.ptr<i32>
    tt.store %out, %plain : !tt.ptr<i32>
    tt.return
  }
}
