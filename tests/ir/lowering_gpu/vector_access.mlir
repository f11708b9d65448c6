// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefixes=CHECK,CUDA

// Four registers in a row, pointers divisible by 16 bytes and a mask that is constant over 16 elements make one access
// of 16 bytes. The coordinate is the thread number shifted, with the register's part folded in without a carry.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CUDA: define ptx_kernel void @masked(ptr addrspace(1) align 16 %{{.*}}, ptr addrspace(1) %{{.*}}, i32 %{{.*}}) #[[KERNEL:[0-9]+]]
  // CUDA: %[[TID:.*]] = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  // CHECK: shl nuw nsw i32 %{{.*}}, 2
  tt.func public @masked(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
    // CHECK: or disjoint i32 %{{.*}}, 3
    %ns = tt.splat %n : i32 -> tensor<512xi32, #b>
    %mask = arith.cmpi slt, %range, %ns : tensor<512xi32, #b>
    %other = arith.constant dense<1.0> : tensor<512xf32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %range : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    // CUDA: call { i32, i32, i32, i32 } asm "mov.b32 $0, 0x3F800000;{{.*}}@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];"
    // CUDA-NOT: ld.global
    %v = tt.load %xp, %mask, %other : tensor<512x!tt.ptr<f32>, #b>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %op = tt.addptr %os, %range : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    // Nothing is known of this pointer's alignment.
    // CUDA-COUNT-4: @$2 st.global.b32 [$0], $1;
    // CUDA-NOT: st.global
    tt.store %op, %v, %mask : tensor<512x!tt.ptr<f32>, #b>
    // CHECK: ret void
    tt.return
  }
}
// CUDA: attributes #[[KERNEL]] = { convergent nounwind "nvvm.minctasm"="1" "nvvm.reqntid"="128" }
