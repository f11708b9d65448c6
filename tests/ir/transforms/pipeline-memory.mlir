// RUN: nereid-opt %s -split-input-file --nereid-ttg-pipeline-loads="target=cuda:80 num-stages=3" | FileCheck %s
// RUN: nereid-opt %s -split-input-file --nereid-ttg-pipeline-loads="target=cuda:80 num-stages=3 form=few-programs" | FileCheck %s --check-prefix=FEW
// RUN: nereid-opt %s -split-input-file --nereid-ttg-pipeline-loads="target=cuda:80 num-stages=3 form=fewer-turns" | FileCheck %s --check-prefix=TURNS

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
#smem = #ttg.shared_memory
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // That this was a question of blocks is written down; for few programs it is none.
  // CHECK: module attributes {{.*}}"ttg.short-rings" = false
  // FEW-NOT: ttg.short-rings
  // FEW-LABEL: @alone
  // FEW: ttg.local_alloc {{.*}}memdesc<3x64x128xf32
  // FEW: scf.for
  // FEW: ttg.async_wait {num = 1 : i32}
  // FEW: ttg.async_copy_global_to_local
  // FEW: ttg.local_load
  // FEW: tt.dot

  // Three tiles of 32 KiB fit into the 163 KiB that there are, but with two a second block finds room. Copies then
  // go to the buffer that the round has just read.
  // CHECK-LABEL: @alone
  // CHECK: ttg.local_alloc {{.*}}memdesc<2x64x128xf32
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: ttg.local_load
  // CHECK: tt.dot
  // CHECK: ttg.async_copy_global_to_local
  tt.func public @alone(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }

  // A conversion in the loop needs 64 KiB.
  // CHECK-LABEL: @beside_conversion
  // CHECK: ttg.local_alloc {{.*}}memdesc<2x64x128xf32
  tt.func public @beside_conversion(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32, %y: tensor<128x128xf32, #turned>) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #turned>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %other = %y) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #turned>) : i32 {
      %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      %e = ttg.convert_layout %d : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #turned>
      %f = arith.addf %e, %other : tensor<128x128xf32, #turned>
      scf.yield %d, %f : tensor<128x128xf32, #mma>, tensor<128x128xf32, #turned>
    }
    tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x128xf32, #turned>
  }

  // As many are in use by a buffer that was filled before the loop.
  // CHECK-LABEL: @beside_buffer
  // CHECK: ttg.local_alloc {{.*}}memdesc<2x64x128xf32
  tt.func public @beside_buffer(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<128x128xf32, #blocked>, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %kept = ttg.local_alloc %a : (tensor<128x128xf32, #blocked>) -> !ttg.memdesc<128x128xf32, #shared, #smem>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %w = ttg.local_load %kept : !ttg.memdesc<128x128xf32, #shared, #smem> -> tensor<128x128xf32, #mma>
      %l = arith.constant dense<1.0> : tensor<128x64xf32, #left>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %l, %b, %w, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      %f = arith.addf %d, %sum : tensor<128x128xf32, #mma>
      scf.yield %f : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }

  // A round that stores the last one's sums before it reads waits for copies only then.
  // CHECK-LABEL: @stores_first
  // CHECK: scf.for
  // CHECK: tt.store
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: ttg.local_load
  // CHECK: tt.dot
  // CHECK: ttg.async_copy_global_to_local
  tt.func public @stores_first(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %y: !tt.ptr<f32>, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %bases = tt.splat %y : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %offsets = tt.splat %i : i32 -> tensor<128x128xi32, #mma>
      %p = tt.addptr %bases, %offsets : tensor<128x128x!tt.ptr<f32>, #mma>, tensor<128x128xi32, #mma>
      tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
      %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
// Programs whose lengths are loaded end at very different times.
// CHECK: module attributes {{.*}}"ttg.short-rings" = true
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @packed(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %lengths: !tt.ptr<i32>) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id x : i32
    %p = tt.addptr %lengths, %pid : !tt.ptr<i32>, i32
    %length = tt.load %p : !tt.ptr<i32>
    %n = arith.divsi %length, %c64 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
// Three tiles of 16 KiB leave room for three blocks, which is warps enough, two for five. That is for grids that take
// fewer turns by it.
// CHECK: module attributes {{.*}}"ttg.long-rings" = false
// CHECK-LABEL: @thin
// CHECK: ttg.local_alloc {{.*}}memdesc<3x32x128xf32
// CHECK: ttg.async_copy_global_to_local
// CHECK: tt.dot
// TURNS-NOT: ttg.long-rings
// TURNS-LABEL: @thin
// TURNS: ttg.local_alloc {{.*}}memdesc<2x32x128xf32
// TURNS: scf.for
// TURNS: tt.dot
// TURNS: ttg.async_copy_global_to_local
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @thin(%x: tensor<32x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<16x32xf32, #left>, %c: tensor<16x128xf32, #mma>, %n: i32) -> tensor<16x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<16x128xf32, #mma>) : i32 {
      %v = tt.load %x : tensor<32x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<32x128xf32, #blocked> -> tensor<32x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<16x32xf32, #left> * tensor<32x128xf32, #right> -> tensor<16x128xf32, #mma>
      scf.yield %d : tensor<16x128xf32, #mma>
    }
    tt.return %r : tensor<16x128xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
// Rounds of 48 KiB leave room for no second block with two buffers, but with one.
// CHECK: module attributes {{.*}}"ttg.short-rings" = false
// CHECK-LABEL: @two_factors
// CHECK: ttg.local_alloc {{.*}}memdesc<1x64x128xf32
// CHECK: ttg.local_alloc {{.*}}memdesc<1x32x128xf32
// CHECK: scf.for
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK-COUNT-2: tt.dot
// CHECK: ttg.async_copy_global_to_local
// FEW-LABEL: @two_factors
// FEW: ttg.local_alloc {{.*}}memdesc<3x64x128xf32
// FEW: ttg.local_alloc {{.*}}memdesc<3x32x128xf32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two_factors(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %y: tensor<32x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<32x64xf32, #left>, %b: tensor<32x32xf32, #left>, %c: tensor<32x128xf32, #mma>, %n: i32) -> tensor<32x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<32x128xf32, #mma>) : i32 {
      %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %w = tt.load %y : tensor<32x128x!tt.ptr<f32>, #blocked>
      %f = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %g = ttg.convert_layout %w : tensor<32x128xf32, #blocked> -> tensor<32x128xf32, #right>
      %d = tt.dot %a, %f, %sum, inputPrecision = tf32 : tensor<32x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<32x128xf32, #mma>
      %e = tt.dot %b, %g, %d, inputPrecision = tf32 : tensor<32x32xf32, #left> * tensor<32x128xf32, #right> -> tensor<32x128xf32, #mma>
      scf.yield %e : tensor<32x128xf32, #mma>
    }
    tt.return %r : tensor<32x128xf32, #mma>
  }
}
