// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:80 num-stages=3" --canonicalize | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Variables that hand their values on, to one another and out of the loop's counter.
  // CHECK-LABEL: @rotation
  // CHECK-COUNT-2: ttg.async_copy_global_to_local
  // CHECK: scf.for %[[I:[^ ]+]] = {{.*}} iter_args(%{{[^,]*}}, %{{[^,]*}}, %[[SECOND:[^ ]+]] =
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: ttg.async_copy_global_to_local
  // CHECK-NOT: unrealized
  // CHECK: scf.yield %{{[^,]*}}, %[[SECOND]], %[[I]],
  tt.func public @rotation(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32) -> (tensor<128x128xf32, #mma>, i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %first = %n, %second = %c1) -> (tensor<128x128xf32, #mma>, i32, i32) : i32 {
      %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d, %second, %i : tensor<128x128xf32, #mma>, i32, i32
    }
    tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, i32
  }

  // An address that a branch computes with a division, as kernels do that walk through the rounds of all their tiles in
  // one loop. In a round that there is not, it divides by 1.
  // CHECK-LABEL: @division
  // CHECK: scf.if
  // CHECK: arith.divsi
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.for
  // CHECK: %[[THERE:.+]] = arith.cmpi slt
  // CHECK: scf.if
  // CHECK: %[[DIVISOR:.+]] = arith.select %[[THERE]], %arg4, %c1_i32
  // CHECK: arith.divsi %{{.+}}, %[[DIVISOR]]
  // CHECK: ttg.async_copy_global_to_local
  tt.func public @division(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32, %m: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %tile = %c0) -> (tensor<128x128xf32, #mma>, i32) : i32 {
      %first = arith.cmpi eq, %i, %m : i32
      %now = scf.if %first -> i32 {
        %d = arith.divsi %i, %m : i32
        scf.yield %d : i32
      } else {
        scf.yield %tile : i32
      }
      %far = arith.muli %now, %c16 : i32
      %offsets = tt.splat %far : i32 -> tensor<64x128xi32, #blocked>
      %p = tt.addptr %x, %offsets : tensor<64x128x!tt.ptr<f32>, #blocked>, tensor<64x128xi32, #blocked>
      %v = tt.load %p : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d, %now : tensor<128x128xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<128x128xf32, #mma>
  }

  // An address that a branch computes from what was loaded is loaded one round before the copy.
  // CHECK-LABEL: @branch
  // CHECK: %[[FIRST:.+]] = tt.load %arg1, %{{.+}} : !tt.ptr<i32>
  // CHECK: %[[SECOND:.+]] = tt.load
  // CHECK: scf.if
  // CHECK: arith.muli %[[FIRST]],
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: %[[THIRD:.+]] = tt.load
  // CHECK: arith.muli %[[SECOND]],
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.for {{.*}} iter_args(%{{.+}} = %arg3, {{.*}}%[[INDEX:[^ ,]+]] = %[[THIRD]])
  // CHECK: arith.subi %arg4, %c3_i32
  // CHECK: %[[NEXT:.+]] = tt.load
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: tt.dot
  // CHECK: arith.muli %[[INDEX]],
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.yield {{.*}}%[[NEXT]] :
  tt.func public @branch(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %table: !tt.ptr<i32>, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32, %far: i1) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %entry = tt.addptr %table, %i : !tt.ptr<i32>, i32
      %index = tt.load %entry : !tt.ptr<i32>
      %offset = scf.if %far -> i32 {
        %scaled = arith.muli %index, %c16 : i32
        scf.yield %scaled : i32
      } else {
        %shifted = arith.shli %i, %c16 : i32
        scf.yield %shifted : i32
      }
      %offsets = tt.splat %offset : i32 -> tensor<64x128xi32, #blocked>
      %p = tt.addptr %x, %offsets : tensor<64x128x!tt.ptr<f32>, #blocked>, tensor<64x128xi32, #blocked>
      %v = tt.load %p : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }

  // Nor can what leads from one entry to the next be known a round before itself.
  // CHECK-LABEL: @chain
  // CHECK-NOT: ttg.async_copy_global_to_local
  // CHECK: tt.return
  tt.func public @chain(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %table: !tt.ptr<i32>, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %place = %c0) -> (tensor<128x128xf32, #mma>, i32) : i32 {
      %entry = tt.addptr %table, %place : !tt.ptr<i32>, i32
      %index = tt.load %entry : !tt.ptr<i32>
      %offset = arith.muli %index, %c16 : i32
      %offsets = tt.splat %offset : i32 -> tensor<64x128xi32, #blocked>
      %p = tt.addptr %x, %offsets : tensor<64x128x!tt.ptr<f32>, #blocked>, tensor<64x128xi32, #blocked>
      %v = tt.load %p : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d, %index : tensor<128x128xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<128x128xf32, #mma>
  }

  // Indices that the loop writes are read when their round comes.
  // CHECK-LABEL: @written
  // CHECK-NOT: ttg.async_copy_global_to_local
  // CHECK: tt.return
  tt.func public @written(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %table: !tt.ptr<i32>, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %entry = tt.addptr %table, %i : !tt.ptr<i32>, i32
      %index = tt.load %entry : !tt.ptr<i32>
      %next = tt.addptr %entry, %c1 : !tt.ptr<i32>, i32
      tt.store %next, %index : !tt.ptr<i32>
      %offset = arith.muli %index, %c16 : i32
      %offsets = tt.splat %offset : i32 -> tensor<64x128xi32, #blocked>
      %p = tt.addptr %x, %offsets : tensor<64x128x!tt.ptr<f32>, #blocked>, tensor<64x128xi32, #blocked>
      %v = tt.load %p : tensor<64x128x!tt.ptr<f32>, #blocked>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }

  // A number that each round needs beside its tile is loaded a round before, at the beginning, and kept in a register.
  // One that the loop writes is not.
  // CHECK-LABEL: @small
  // CHECK: %[[FIRST:.+]] = tt.load %arg1, %{{.+}} : !tt.ptr<f32>
  // CHECK: scf.for {{.*}}%[[NOW:[^ ]+]] = %[[FIRST]]
  // CHECK: %[[NEXT:.+]] = tt.load %{{.+}}, %{{.+}} : !tt.ptr<f32>
  // CHECK: tt.splat %[[NOW]] : f32
  // CHECK: ttg.async_wait
  // CHECK: scf.yield {{.*}}%[[NEXT]]
  // CHECK: scf.for
  // CHECK: tt.store
  // CHECK: %[[LATE:.+]] = tt.load %{{.+}} : !tt.ptr<f32>
  // CHECK: tt.splat %[[LATE]] : f32
  tt.func public @small(%x: tensor<64x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %table: !tt.ptr<f32>, %a: tensor<128x64xf32, #left>, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %entry = tt.addptr %table, %i : !tt.ptr<f32>, i32
      %decay = tt.load %entry : !tt.ptr<f32>
      %tile = tt.splat %decay : f32 -> tensor<128x128xf32, #mma>
      %s = arith.mulf %sum, %tile : tensor<128x128xf32, #mma>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %s, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    %q = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %r) -> (tensor<128x128xf32, #mma>) : i32 {
      %v = tt.load %x : tensor<64x128x!tt.ptr<f32>, #blocked>
      %entry = tt.addptr %table, %i : !tt.ptr<f32>, i32
      tt.store %entry, %zero : !tt.ptr<f32>
      %decay = tt.load %entry : !tt.ptr<f32>
      %tile = tt.splat %decay : f32 -> tensor<128x128xf32, #mma>
      %s = arith.mulf %sum, %tile : tensor<128x128xf32, #mma>
      %b = ttg.convert_layout %v : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #right>
      %d = tt.dot %a, %b, %s, inputPrecision = tf32 : tensor<128x64xf32, #left> * tensor<64x128xf32, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %q : tensor<128x128xf32, #mma>
  }
}
