// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefix=CUDA
// RUN: nereid-lower %s hip:gfx1100 | FileCheck %s --check-prefix=HIP

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16 : i32} {
  tt.func public @atomics(%x: !tt.ptr<f32>, %lock: !tt.ptr<i32>, %mask: i1) {
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %range : tensor<32x!tt.ptr<f32>, #b>, tensor<32xi32, #b>
    %one = arith.constant dense<1.0> : tensor<32xf32, #b>
    %m = tt.splat %mask : i1 -> tensor<32xi1, #b>
    // CUDA: "@$2 red.global.relaxed.gpu.add.f32 [$0], $1;", "l,r,b,~{memory}"
    // HIP: atomicrmw fadd ptr addrspace(1) %{{.*}}, float 1.000000e+00 syncscope("agent") monotonic{{.*}} !amdgpu.no.fine.grained.memory
    %0 = tt.atomic_rmw fadd, relaxed, gpu, %xp, %one, %m : (tensor<32x!tt.ptr<f32>, #b>, tensor<32xf32, #b>, tensor<32xi1, #b>) -> tensor<32xf32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // What came before is released by a barrier and the access, which one thread makes; all get what it saw.
    // CUDA: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    // CUDA: atom.global.acq_rel.sys.cas.b32 $0, [$1], $2, $3;
    // CUDA: st.shared.b32
    // CUDA: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    // CUDA: load i32, ptr addrspace(3)
    // HIP: cmpxchg ptr addrspace(1) %{{.*}}, i32 0, i32 1 acq_rel acquire
    // HIP: load i32, ptr addrspace(3)
    %old = tt.atomic_cas acq_rel, sys, %lock, %c0, %c1 {allocation.offset = 0 : i32} : (!tt.ptr<i32>, i32, i32) -> i32
    tt.store %lock, %old : !tt.ptr<i32>
    tt.return
  }
}
