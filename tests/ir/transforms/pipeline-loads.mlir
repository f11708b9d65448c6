// RUN: nereid-opt %s --nereid-ttg-pipeline | FileCheck %s
// RUN: nereid-opt %s --nereid-convert-tt-to-ttg="target=cuda:90a num-warps=4" --nereid-ttg-coalesce --nereid-ttg-choose-matrix-instructions="target=cuda:90a" --nereid-ttg-assign-layouts --nereid-ttg-rematerialize --canonicalize --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --canonicalize --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s --check-prefix=GROUP

// Three stages: two rounds' copies before the loop, and in each round those of the round after the next. A round waits
// for its own copies and passes one barrier, behind which the buffers of the round before are free.
// CHECK: #[[LEFT:.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK: #[[RIGHT:.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-LABEL: tt.func public @product
// CHECK-DAG: %[[X:.+]] = ttg.local_alloc {{.*}} : () -> !ttg.memdesc<3x64x32xf16, #[[LEFT]], #smem, mutable>
// CHECK-DAG: %[[Y:.+]] = ttg.local_alloc {{.*}} : () -> !ttg.memdesc<3x32x64xf16, #[[RIGHT]], #smem, mutable>
// The first rounds may not take place.
// CHECK: %[[RUNS:.+]] = arith.cmpi sgt, %[[N:.+]], %c0_i32
// CHECK: tt.splat %[[RUNS]] : i1
// CHECK-COUNT-2: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK-COUNT-2: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: scf.for
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: ttg.local_barrier
// CHECK-COUNT-2: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK-NOT: ttg.local_barrier
// CHECK: ttg.local_load {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0
// CHECK: ttg.local_load {{.*}} -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1
// CHECK-NOT: ttg.local_barrier
// CHECK: tt.dot
// CHECK-NOT: ttg.local_barrier
// CHECK: scf.yield
// Behind the loop the buffers are free.
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK: ttg.local_dealloc

// A warp group's product may still read when the next round begins. It is waited for behind the next one, and a second
// barrier is before the copies to what it has read. What copies bring needs no fence.
// GROUP-DAG: %[[X:.+]] = ttg.local_alloc {{.*}} : () -> !ttg.memdesc<3x64x32xf16
// GROUP-DAG: %[[Y:.+]] = ttg.local_alloc {{.*}} : () -> !ttg.memdesc<3x32x64xf16
// GROUP: scf.for
// GROUP: ttg.async_wait {num = 1 : i32}
// GROUP-NOT: fence
// GROUP: ttg.local_barrier
// GROUP-NOT: {{barrier|fence}}
// GROUP: ttng.warp_group_dot {{.*}}isAsync = true
// GROUP-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// GROUP-NOT: ttg.async_copy
// GROUP: ttg.local_barrier
// GROUP-COUNT-2: ttg.async_copy_global_to_local
// GROUP: ttg.async_commit_group
// GROUP-NOT: {{barrier|fence}}
// GROUP: scf.yield
tt.func public @product(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %depth = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %k = tt.expand_dims %depth {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %width = arith.constant dense<32> : tensor<64x1xi32>
  %rowStart = arith.muli %row, %width : tensor<64x1xi32>
  %rowsB = tt.broadcast %rowStart : tensor<64x1xi32> -> tensor<64x32xi32>
  %kB = tt.broadcast %k : tensor<1x32xi32> -> tensor<64x32xi32>
  %xOffsets = arith.addi %rowsB, %kB : tensor<64x32xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %xOffsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %down = tt.expand_dims %depth {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %height = arith.constant dense<64> : tensor<32x1xi32>
  %downStart = arith.muli %down, %height : tensor<32x1xi32>
  %downB = tt.broadcast %downStart : tensor<32x1xi32> -> tensor<32x64xi32>
  %columnB = tt.broadcast %column : tensor<1x64xi32> -> tensor<32x64xi32>
  %yOffsets = arith.addi %downB, %columnB : tensor<32x64xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %yOffsets : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %step = arith.constant dense<2048> : tensor<64x32xi32>
  %stepY = arith.constant dense<2048> : tensor<32x64xi32>
  %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %px = %xp, %py = %yp) -> (tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>) : i32 {
    %a = tt.load %px : tensor<64x32x!tt.ptr<f16>>
    %b = tt.load %py : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %nextX = tt.addptr %px, %step : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %nextY = tt.addptr %py, %stepY : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    scf.yield %d, %nextX, %nextY : tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %wide = arith.constant dense<64> : tensor<64x1xi32>
  %outRow = arith.muli %row, %wide : tensor<64x1xi32>
  %op = tt.addptr %os, %outRow : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %opB = tt.broadcast %op : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %columnAll = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %outp = tt.addptr %opB, %columnAll : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %outp, %sum#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
