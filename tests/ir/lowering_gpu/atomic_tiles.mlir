// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefix=CUDA
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefix=AMPERE
// RUN: nereid-lower %s hip:gfx1100 | FileCheck %s --check-prefix=HIP

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#v = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16 : i32} {
  tt.func public @tiles(%i: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %h: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    // A thread's several accesses are ordered by fences around them. Without a result they are reductions, and nobody
    // can tell what they come before.
    // CUDA: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    // CUDA: fence syncscope("device") release
    // CUDA: "@$2 red.global.relaxed.gpu.add.u32 [$0], $1;", "l,r,b,~{memory}"
    // CUDA: "@$2 red.global.relaxed.gpu.add.u32 [$0], $1;", "l,r,b,~{memory}"
    // CUDA-NOT: fence
    // HIP: fence syncscope("agent") release
    // HIP: atomicrmw add {{.*}} monotonic
    // HIP: atomicrmw add {{.*}} monotonic
    // HIP-NOT: fence syncscope("agent") acquire
    // HIP: fence syncscope("agent") release
    %few = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %is = tt.splat %i : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %ip = tt.addptr %is, %few : tensor<64x!tt.ptr<i32>, #b>, tensor<64xi32, #b>
    %fewOnes = arith.constant dense<true> : tensor<64xi1, #b>
    %0 = tt.atomic_rmw add, acq_rel, gpu, %ip, %few, %fewOnes : (tensor<64x!tt.ptr<i32>, #b>, tensor<64xi32, #b>, tensor<64xi1, #b>) -> tensor<64xi32, #b>

    // Hopper adds vectors: one access, which is ordered itself.
    // CUDA: "mov.b32 $0, 0x0;{{.*}}@$9 atom.global.acq_rel.gpu.add.v4.f32 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};", "=r,=r,=r,=r,l,r,r,r,r,b,~{memory}"
    // AMPERE: fence syncscope("device") release
    // AMPERE-COUNT-4: "mov.b32 $0, 0x0;{{.*}}@$3 atom.global.relaxed.gpu.add.f32 $0, [$1], $2;"
    // AMPERE: fence syncscope("device") acquire
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #v>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #v>
    %xp = tt.addptr %xs, %range : tensor<128x!tt.ptr<f32>, #v>, tensor<128xi32, #v>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #v>
    %m = arith.cmpi slt, %range, %ns : tensor<128xi32, #v>
    %values = arith.sitofp %range : tensor<128xi32, #v> to tensor<128xf32, #v>
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %xp, %values, %m : (tensor<128x!tt.ptr<f32>, #v>, tensor<128xf32, #v>, tensor<128xi1, #v>) -> tensor<128xf32, #v>
    tt.store %xp, %old : tensor<128x!tt.ptr<f32>, #v>
    // CUDA: "@$5 red.global.relaxed.gpu.add.noftz.v4.f16 [$0], {$1, $2, $3, $4};", "l,h,h,h,h,b,~{memory}"
    // AMPERE-COUNT-4: red.global.relaxed.gpu.add.noftz.f16 [$0], $1;
    %hs = tt.splat %h : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #v>
    %hp = tt.addptr %hs, %range : tensor<128x!tt.ptr<f16>, #v>, tensor<128xi32, #v>
    %halves = arith.truncf %values : tensor<128xf32, #v> to tensor<128xf16, #v>
    %all = arith.constant dense<true> : tensor<128xi1, #v>
    %1 = tt.atomic_rmw fadd, relaxed, gpu, %hp, %halves, %all : (tensor<128x!tt.ptr<f16>, #v>, tensor<128xf16, #v>, tensor<128xi1, #v>) -> tensor<128xf16, #v>
    tt.return
  }
}
// CUDA: !"nereid.ptx", i32 81
