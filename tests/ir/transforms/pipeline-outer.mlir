// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --nereid-ttg-lower-tile-accesses --canonicalize --cse --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The first copies of a tile start before the one before is stored, which has memory of its own then. The numbers of
  // buffers and their phases go on counting. A division of the next tile's number is defined where there is none, too.
  // CHECK-LABEL: @tiles
  // CHECK: %[[RING:.+]] = ttg.local_alloc {{.*}} !ttg.memdesc<3x64x64xf16
  // CHECK: ttg.local_alloc {{.*}} !ttg.memdesc<3x64x64xf16
  // CHECK: ttng.init_barrier
  // CHECK: %[[SOME:.+]] = arith.cmpi slt, %{{.+}}, %arg4
  // CHECK: arith.select %[[SOME]], %arg5, %c1_i32
  // CHECK-COUNT-2: ttng.async_tma_copy_global_to_local
  // CHECK: scf.for %[[I:.+]] = {{.*}} iter_args({{.*}} = %c0_i32, {{.*}} = %c0_i32
  // CHECK: %[[MORE:.+]] = arith.cmpi slt, %[[I]]
  // CHECK: %[[INNER:.+]]:4 = scf.for
  // CHECK: ttng.wait_barrier
  // CHECK: ttng.warp_group_dot
  // CHECK: scf.yield
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK: %[[DIVISOR:.+]] = arith.select %[[MORE]], %arg5, %c1_i32
  // CHECK: arith.divsi %{{.+}}, %[[DIVISOR]]
  // CHECK: ttng.barrier_expect
  // CHECK: ttg.memdesc_index %[[RING]][%[[INNER]]#2]
  // CHECK: ttg.local_barrier
  // CHECK: ttng.async_tma_copy_global_to_local
  // CHECK: arith.truncf
  // CHECK: ttng.async_tma_copy_local_to_global
  // CHECK: scf.yield %[[INNER]]#2, %[[INNER]]#3
  // CHECK: ttng.inval_barrier
  tt.func public @tiles(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f16>, %n: i32, %count: i32, %across: i32, %a: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$3, $3, $3"}}, %b: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 1 : i32, extents = "$3, $3, $3"}}, %c: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 2 : i32, extents = "$3, $3, $3"}}) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %first = tt.get_program_id x : i32
    %programs = tt.get_num_programs x : i32
    scf.for %i = %first to %count step %programs : i32 {
      %row = arith.divsi %i, %across : i32
      %column = arith.remsi %i, %across : i32
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
        %x = tt.descriptor_load %a[%row, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
        %y = tt.descriptor_load %b[%column, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
        %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
        %my = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
        %t = ttg.memdesc_trans %my {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #tile, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
        ttng.fence_async_shared
        %d = ttng.warp_group_dot %mx, %t, %sum : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      %s = arith.truncf %r : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      tt.descriptor_store %c[%row, %column], %s : !tt.tensordesc<tensor<64x64xf16, #tile>>, tensor<64x64xf16, #mma>
    }
    tt.return
  }

  // What is stored may be what the next tile is made from: through the same argument.
  // CHECK-LABEL: @same
  // CHECK-NOT: async_tma_copy
  // CHECK: scf.for
  // CHECK: ttng.init_barrier
  // CHECK: async_tma_copy_global_to_local
  tt.func public @same(%pa: !tt.ptr<f16>, %n: i32, %count: i32, %a: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$1, $1, $1"}}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    scf.for %i = %c0 to %count step %c1 : i32 {
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
        %x = tt.descriptor_load %a[%i, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
        %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
        ttng.fence_async_shared
        %d = ttng.warp_group_dot %mx, %mx, %sum : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      %s = arith.truncf %r : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      tt.descriptor_store %a[%i, %c0], %s : !tt.tensordesc<tensor<64x64xf16, #tile>>, tensor<64x64xf16, #mma>
    }
    tt.return
  }

  // The next tile is not known before this one is made: its number is computed from the sums.
  // CHECK-LABEL: @unknown
  // CHECK-NOT: async_tma_copy
  // CHECK: scf.for
  // CHECK: ttng.init_barrier
  // CHECK: async_tma_copy_global_to_local
  tt.func public @unknown(%pa: !tt.ptr<f16>, %n: i32, %count: i32, %a: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$1, $1, $1"}}) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %last = scf.for %i = %c0 to %count step %c1 iter_args(%row = %c0) -> (i32) : i32 {
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
        %x = tt.descriptor_load %a[%row, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
        %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
        ttng.fence_async_shared
        %d = ttng.warp_group_dot %mx, %mx, %sum : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      %of_rows = "tt.reduce"(%r) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %o = arith.maximumf %p, %q : f32
        tt.reduce.return %o : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
      %most = "tt.reduce"(%of_rows) <{axis = 0 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %o = arith.maximumf %p, %q : f32
        tt.reduce.return %o : f32
      }) : (tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>) -> f32
      %next = arith.fptosi %most : f32 to i32
      scf.yield %next : i32
    }
    tt.return %last : i32
  }
}
