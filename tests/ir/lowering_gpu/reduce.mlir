// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: nereid-lower %s hip:gfx1100 | FileCheck %s --check-prefixes=CHECK,HIP

// Eight registers, five lane bits, four warps: seven combinations, five shuffles, one trip through shared memory.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16 : i32} {
  // CHECK: @block_memory = external addrspace(3) global [0 x i8], align 16
  // CHECK-LABEL: @sum
  tt.func public @sum(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) {
    %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    // CHECK-COUNT-2: load <4 x float>
    %v = tt.load %xp : tensor<1024x!tt.ptr<f32>, #b>
    // CHECK-COUNT-7: fadd contract float
    // CUDA: @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 16, i32 31)
    // HIP: @llvm.amdgcn.ds.swizzle(i32 %{{.*}}, i32 16415)
    // CHECK: fadd
    // CUDA: @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 8, i32 31)
    // HIP: @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %{{.*}}, i32 360,
    // CHECK: fadd
    // CUDA: @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 4, i32 31)
    // CHECK: fadd
    // CUDA: @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 2, i32 31)
    // HIP: @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %{{.*}}, i32 78,
    // CHECK: fadd
    // CUDA: @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 1, i32 31)
    // HIP: @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %{{.*}}, i32 177,
    // CHECK: fadd
    // CUDA: "@$2 st.shared.b32 [$0], $1;"
    // CUDA: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    // HIP: fence syncscope("workgroup") release
    // HIP-NEXT: call void @llvm.amdgcn.s.barrier()
    // HIP-NEXT: fence syncscope("workgroup") acquire
    // CHECK: load <4 x float>, ptr addrspace(3)
    // CHECK-COUNT-3: fadd
    // CHECK-NOT: barrier
    // CHECK: ret void
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %c: f32):
      %t = arith.addf %a, %c : f32
      tt.reduce.return %t : f32
    }) {allocation.offset = 0 : i32} : (tensor<1024xf32, #b>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
}
