// RUN: nereid-opt %s --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // One fence is enough for both factors if both are stored before it.
  // CHECK-LABEL: @together
  // CHECK: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_barrier
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttng.fence_async_shared
  // CHECK: tt.return
  tt.func public @together(%x: tensor<64x64xf16, #blocked>, %y: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %a = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    %b = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    ttng.fence_async_shared
    %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot %a, %b, %d : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    tt.return %e : tensor<64x64xf32, #mma>
  }

  // What is stored behind the fence gets one of its own, before the barrier; also where the store is in a branch.
  // CHECK-LABEL: @behind
  // CHECK: ttng.warp_group_dot
  // CHECK: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttng.warp_group_dot
  // CHECK: scf.if
  // CHECK: ttg.local_store
  // CHECK: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttng.warp_group_dot
  tt.func public @behind(%x: tensor<64x64xf16, #blocked>, %y: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>, %if: i1) -> tensor<64x64xf32, #mma> {
    %a = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    ttng.fence_async_shared
    %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %b = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem, mutable>
    %e = ttng.warp_group_dot %a, %b, %d : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem, mutable> -> tensor<64x64xf32, #mma>
    scf.if %if {
      ttg.local_store %x, %b : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #rows, #smem, mutable>
    }
    %f = ttng.warp_group_dot %a, %b, %e : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return %f : tensor<64x64xf32, #mma>
  }

  // Each factor has a fence behind its store; the second one is enough, as the threads don't meet between the two.
  // CHECK-LABEL: @two_stores
  // CHECK: ttg.local_alloc
  // CHECK-NOT: ttng.fence_async_shared
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttng.warp_group_dot
  tt.func @two_stores(%x: tensor<64x64xf16, #blocked>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %a = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    ttng.fence_async_shared
    %y = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    ttng.fence_async_shared
    %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Where a barrier stands between them, the first product needs no other behind the second fence.
  // CHECK-LABEL: @barrier_between
  // CHECK: ttng.fence_async_shared
  // CHECK: ttg.local_barrier
  // CHECK: ttng.fence_async_shared
  // CHECK-NEXT: ttng.warp_group_dot
  tt.func @barrier_between(%x: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>) {
    %a = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    ttng.fence_async_shared
    %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf16, #blocked>
    ttng.fence_async_shared
    %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d, %y : tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>
  }
}
