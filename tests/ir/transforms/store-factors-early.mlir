// RUN: nereid-opt %s --nereid-ttg-store-factors-early | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // What no round changes is stored before the loop, with the fence and the barrier that each round would need; the
  // product behind the loop finds it there.
  // CHECK-LABEL: tt.func @invariant
  // CHECK: %[[B:.+]] = tt.load
  // CHECK-NEXT: %[[M:.+]] = ttg.local_alloc %[[B]]
  // CHECK: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: scf.for
  // CHECK-NOT: ttng.fence_async_shared
  // CHECK: %[[T:.+]] = ttg.memdesc_trans %[[M]]
  // CHECK: ttng.warp_group_dot %{{.*}}, %[[T]]
  // CHECK: scf.yield
  // CHECK-NOT: ttg.local_alloc
  // CHECK: ttng.warp_group_dot %{{.*}}, %[[M]]
  tt.func @invariant(%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %f: tensor<64x64xf16, #a>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %e = math.exp %c : tensor<64x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %e) -> tensor<64x64xf32, #mma> : i32 {
      %m = ttg.local_alloc %b {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #rows, #smem> -> !ttg.memdesc<64x64xf16, #columns, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %f, %t, %sum : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #columns, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %m = ttg.local_alloc %b {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    ttng.fence_async_shared
    %d = ttng.warp_group_dot %f, %m, %r : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Both loads start before the first is waited for. The fence must stand before whatever barrier comes next.
  // CHECK-LABEL: tt.func @behind_loads
  // CHECK: %[[X:.+]] = tt.load
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: ttg.local_alloc %[[X]]
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: math.exp
  tt.func @behind_loads(%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %f: tensor<64x64xf16, #a>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %e = math.exp %c : tensor<64x64xf32, #mma>
    %m = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    ttng.fence_async_shared
    %d = ttng.warp_group_dot %f, %m, %e : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d, %y : tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>
  }

  // There is no room for 256 KiB at once.
  // CHECK-LABEL: tt.func @too_large
  // CHECK: scf.for
  // CHECK: ttg.local_alloc
  // CHECK: ttg.local_alloc
  tt.func @too_large(%p: tensor<512x128x!tt.ptr<f16>, #wide>, %f: tensor<64x512xf16, #a>, %c: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<512x128x!tt.ptr<f16>, #wide>
    %y = tt.load %p : tensor<512x128x!tt.ptr<f16>, #wide>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> tensor<64x128xf32, #mma> : i32 {
      %m = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<512x128xf16, #wide>) -> !ttg.memdesc<512x128xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %f, %m, %sum : tensor<64x512xf16, #a> * !ttg.memdesc<512x128xf16, #rows, #smem> -> tensor<64x128xf32, #mma>
      %o = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<512x128xf16, #wide>) -> !ttg.memdesc<512x128xf16, #rows, #smem>
      ttng.fence_async_shared
      %g = ttng.warp_group_dot %f, %o, %d : tensor<64x512xf16, #a> * !ttg.memdesc<512x128xf16, #rows, #smem> -> tensor<64x128xf32, #mma>
      scf.yield %g : tensor<64x128xf32, #mma>
    }
    tt.return %r : tensor<64x128xf32, #mma>
  }

  // Both stores together would take 128 KiB, and leave a multiprocessor one block; with the second where it is needed,
  // two find room.
  // CHECK-LABEL: tt.func @costs_block
  // CHECK: ttg.local_alloc {{.*}}memdesc<256x128xf16
  // CHECK-NOT: ttg.local_alloc
  // CHECK: ttng.warp_group_dot
  // CHECK: math.exp
  // CHECK-NEXT: math.exp
  // CHECK: ttg.local_alloc {{.*}}memdesc<256x128xf16
  tt.func @costs_block(%p: tensor<256x128x!tt.ptr<f16>, #wide>, %f: tensor<64x256xf16, #a>, %c: tensor<64x128xf32, #mma>) -> tensor<64x128xf32, #mma> {
    %x = tt.load %p : tensor<256x128x!tt.ptr<f16>, #wide>
    %y = tt.load %p : tensor<256x128x!tt.ptr<f16>, #wide>
    %m = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<256x128xf16, #wide>) -> !ttg.memdesc<256x128xf16, #rows, #smem>
    ttng.fence_async_shared
    %d = ttng.warp_group_dot %f, %m, %c : tensor<64x256xf16, #a> * !ttg.memdesc<256x128xf16, #rows, #smem> -> tensor<64x128xf32, #mma>
    %e = math.exp %d : tensor<64x128xf32, #mma>
    %g = math.exp %e : tensor<64x128xf32, #mma>
    %o = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<256x128xf16, #wide>) -> !ttg.memdesc<256x128xf16, #rows, #smem>
    ttng.fence_async_shared
    %h = ttng.warp_group_dot %f, %o, %g : tensor<64x256xf16, #a> * !ttg.memdesc<256x128xf16, #rows, #smem> -> tensor<64x128xf32, #mma>
    tt.return %h : tensor<64x128xf32, #mma>
  }
}
