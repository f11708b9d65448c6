// RUN: nereid-lower %s cuda:80 | FileCheck %s

// A thread has 8 rows and 4 columns: an access of the left factor for each row has four steps along the reduced axis, and
// one of the right factor all columns of one step.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#left = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#right = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 20480 : i32} {
  // CHECK-LABEL: define internal {{.*}}@flat
  // CHECK-COUNT-8: load <4 x float>, ptr addrspace(3)
  // CHECK-NOT: br
  // CHECK: load <4 x float>, ptr addrspace(3)
  // CHECK-COUNT-32: call contract float @llvm.fma.f32
  // CHECK: load <4 x float>, ptr addrspace(3)
  // CHECK-COUNT-96: call contract float @llvm.fma.f32
  // CHECK-NOT: llvm.fma
  // CHECK: ret
  tt.func private @flat(%c: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<32x4xf32, #right, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 1024 : i32} : () -> !ttg.memdesc<4x32xf32, #right, #smem, mutable>
    %d = ttg.local_dot %a, %b, %c : !ttg.memdesc<32x4xf32, #right, #smem, mutable> * !ttg.memdesc<4x32xf32, #right, #smem, mutable> -> tensor<32x32xf32, #blocked>
    tt.return %d : tensor<32x32xf32, #blocked>
  }

  // Rows of 64 steps are permuted within 32 of them, which a loop's body covers.
  // CHECK-LABEL: define internal {{.*}}@deep
  // CHECK: br label %product
  // CHECK: product:
  // CHECK: phi i32 [ 0, {{.*}} ], [ %[[NEXT:[0-9]+]], %product ]
  // CHECK: %[[NEXT]] = add nuw nsw i32 %{{[0-9]+}}, 32
  // CHECK: icmp ult i32 %[[NEXT]], 64
  tt.func private @deep(%c: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<32x64xf32, #left, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 8192 : i32} : () -> !ttg.memdesc<64x32xf32, #right, #smem, mutable>
    %d = ttg.local_dot %a, %b, %c : !ttg.memdesc<32x64xf32, #left, #smem, mutable> * !ttg.memdesc<64x32xf32, #right, #smem, mutable> -> tensor<32x32xf32, #blocked>
    tt.return %d : tensor<32x32xf32, #blocked>
  }

  // 128 elements of the result for each thread: so long a body would not fit, and addresses are computed in each round.
  // CHECK-LABEL: define internal {{.*}}@wide
  // CHECK: product:
  // CHECK: phi i32 [ 0, {{.*}} ], [ %[[NEXT:[0-9]+]], %product ]
  // CHECK: xor i32
  // CHECK: %[[NEXT]] = add nuw nsw i32 %{{[0-9]+}}, 4
  tt.func private @wide(%c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x32xf32, #left, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 8192 : i32} : () -> !ttg.memdesc<32x64xf32, #right, #smem, mutable>
    %d = ttg.local_dot %a, %b, %c : !ttg.memdesc<64x32xf32, #left, #smem, mutable> * !ttg.memdesc<32x64xf32, #right, #smem, mutable> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
  tt.func public @kernel() {
    tt.return
  }
}
