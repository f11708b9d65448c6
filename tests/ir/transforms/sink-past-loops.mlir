// RUN: nereid-opt %s --nereid-ttg-sink-past-loops | FileCheck %s

#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
#rows = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A tile that only what stands behind the loop needs is loaded there, with its mask; not so where the loop may write
  // it.
  // CHECK-LABEL: tt.func @load
  // CHECK: scf.for
  // CHECK: }
  // CHECK: arith.cmpi
  // CHECK: %[[X:.+]] = tt.load
  // CHECK: tt.store %arg1, %[[X]]
  tt.func @load(%p: tensor<64x64x!tt.ptr<f32>, #wide>, %q: tensor<64x64x!tt.ptr<f32>, #wide>, %i: tensor<64x64xi32, #wide>, %a: tensor<64x64xf32, #left>, %b: tensor<64x64xf32, #right>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = arith.cmpi slt, %i, %i : tensor<64x64xi32, #wide>
    %x = tt.load %p, %m : tensor<64x64x!tt.ptr<f32>, #wide>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<64x64xf32, #left> * tensor<64x64xf32, #right> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.store %q, %x : tensor<64x64x!tt.ptr<f32>, #wide>
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // CHECK-LABEL: tt.func @written
  // CHECK: tt.load
  // CHECK: scf.for
  tt.func @written(%p: tensor<64x64x!tt.ptr<f32>, #wide>, %q: tensor<64x64x!tt.ptr<f32>, #wide>, %v: tensor<64x64xf32, #wide>, %a: tensor<64x64xf32, #left>, %b: tensor<64x64xf32, #right>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #wide>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<64x64xf32, #left> * tensor<64x64xf32, #right> -> tensor<64x64xf32, #mma>
      tt.store %p, %v : tensor<64x64x!tt.ptr<f32>, #wide>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.store %q, %x : tensor<64x64x!tt.ptr<f32>, #wide>
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // A buffer is read behind the loop, unless something new comes into it before.
  // CHECK-LABEL: tt.func @buffer
  // CHECK: scf.for
  // CHECK: }
  // CHECK: %[[X:.+]] = ttg.local_load
  // CHECK: tt.store %arg0, %[[X]]
  // CHECK: ttg.local_load
  // CHECK: scf.for
  // CHECK: ttg.local_store
  // CHECK-NOT: ttg.local_load
  tt.func @buffer(%q: tensor<64x64x!tt.ptr<f32>, #wide>, %v: tensor<64x64xf32, #wide>, %a: tensor<64x64xf32, #left>, %b: tensor<64x64xf32, #right>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc %v : (tensor<64x64xf32, #wide>) -> !ttg.memdesc<64x64xf32, #rows, #smem, mutable>
    %x = ttg.local_load %m : !ttg.memdesc<64x64xf32, #rows, #smem, mutable> -> tensor<64x64xf32, #wide>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<64x64xf32, #left> * tensor<64x64xf32, #right> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.store %q, %x : tensor<64x64x!tt.ptr<f32>, #wide>
    %y = ttg.local_load %m : !ttg.memdesc<64x64xf32, #rows, #smem, mutable> -> tensor<64x64xf32, #wide>
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %r) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<64x64xf32, #left> * tensor<64x64xf32, #right> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    ttg.local_store %v, %m : tensor<64x64xf32, #wide> -> !ttg.memdesc<64x64xf32, #rows, #smem, mutable>
    tt.store %q, %y : tensor<64x64x!tt.ptr<f32>, #wide>
    tt.return %s : tensor<64x64xf32, #mma>
  }
}
