// RUN: nereid-opt %s --nereid-ttg-mark-last-loads | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#op0 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#op1 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90a", "ttg.threads-per-warp" = 32 : i32} {

// A row is read for its sum, and then scaled by weights that all rows share: the second loop's loads of it are its last.
// CHECK-LABEL: @rows(
// CHECK: scf.for
// CHECK: tt.load %{{[^ ]+}} : tensor
// CHECK: scf.for
// CHECK: tt.load %{{[^ ]+}} {ttg.last_load} : tensor
// CHECK: tt.load %{{[^ ]+}} : tensor
// CHECK: tt.return
tt.func public @rows(%x: !tt.ptr<f32>, %w: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %ws = tt.splat %w : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %wp = tt.addptr %ws, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %wv = tt.load %wp : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %y = arith.mulf %d, %wv : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %y : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}

// Rows that a program takes one after the other, and pointers that a loop moves on.
// CHECK-LABEL: @several(
// CHECK: tt.load %{{[^ ]+}} : tensor
// CHECK: tt.load %{{[^ ]+}} {ttg.last_load} : tensor
// CHECK: tt.return
tt.func public @several(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %step = arith.constant dense<512> : tensor<512xi32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %all = tt.get_num_programs x : i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  scf.for %r = %pid to %n step %all : i32 {
    %start = arith.muli %r, %n : i32
    %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %to = tt.addptr %out, %start : !tt.ptr<f32>, i32
    %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %first = tt.addptr %rows, %range : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %firstTo = tt.addptr %tos, %range : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %sum:2 = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero, %p = %first) -> (tensor<512xf32, #b>, tensor<512x!tt.ptr<f32>, #b>) : i32 {
      %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
      %t = arith.addf %s, %v : tensor<512xf32, #b>
      %next = tt.addptr %p, %step : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
      scf.yield %t, %next : tensor<512xf32, #b>, tensor<512x!tt.ptr<f32>, #b>
    }
    %done:2 = scf.for %i = %c0 to %n step %c512 iter_args(%p = %first, %q = %firstTo) -> (tensor<512x!tt.ptr<f32>, #b>, tensor<512x!tt.ptr<f32>, #b>) : i32 {
      %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
      %d = arith.divf %v, %sum#0 : tensor<512xf32, #b>
      tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
      %next = tt.addptr %p, %step : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
      %nextTo = tt.addptr %q, %step : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
      scf.yield %next, %nextTo : tensor<512x!tt.ptr<f32>, #b>, tensor<512x!tt.ptr<f32>, #b>
    }
  }
  tt.return
}

// Not of an array that is written, nor of a second axis of programs that reads the same, nor of columns whose lines are
// other programs', too, nor where the same is read in each round,
// nor what one loop alone reads, nor loads whose author has said what to do, nor beside products.
// CHECK-LABEL: @written(
// CHECK-NOT: last_load
// CHECK-LABEL: @shared(
// CHECK-NOT: last_load
// CHECK-LABEL: @columns(
// CHECK-NOT: last_load
// CHECK-LABEL: @again(
// CHECK-NOT: last_load
// CHECK-LABEL: @once(
// CHECK-NOT: last_load
// CHECK-LABEL: @before(
// CHECK-NOT: last_load
// CHECK-LABEL: @evicted(
// CHECK-NOT: last_load
// CHECK-LABEL: @cached(
// CHECK-NOT: last_load
// CHECK-LABEL: @volatile(
// CHECK-NOT: last_load
// CHECK-LABEL: @multiplied(
// CHECK-NOT: last_load
// CHECK: tt.return
tt.func public @written(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %start2 = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %x, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
tt.func public @shared(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %other = tt.get_program_id y : i32
  %both = arith.addi %pid, %other : i32
  %start2 = arith.muli %both, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
tt.func public @columns(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.addi %pid, %c0 : i32
  %start2 = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #b>
    %far = arith.muli %offsets, %ns : tensor<512xi32, #b>
    %p = tt.addptr %rows, %far : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #b>
    %far = arith.muli %offsets, %ns : tensor<512xi32, #b>
    %p = tt.addptr %rows, %far : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
tt.func public @again(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %start2 = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %range : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
tt.func public @once(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %start2 = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %v = arith.sitofp %offsets : tensor<512xi32, #b> to tensor<512xf32, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
tt.func public @before(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %start2 = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %first = tt.load %row : !tt.ptr<f32>
  tt.store %to, %first : !tt.ptr<f32>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %v = arith.sitofp %offsets : tensor<512xi32, #b> to tensor<512xf32, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
tt.func public @evicted(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %start2 = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p evictionPolicy = evict_last : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
tt.func public @cached(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %start2 = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p cacheModifier = cg : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
tt.func public @volatile(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %start2 = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p {isVolatile = true} : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
tt.func public @multiplied(%a: tensor<16x16xf16, #op0>, %c: tensor<16x16xf16, #op1>, %d0: tensor<16x16xf32, #mma>, %m: !tt.ptr<f32>, %x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %start2 = arith.muli %pid, %n : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start2 : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%s = %zero) -> (tensor<512xf32, #b>) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %t = arith.addf %s, %v : tensor<512xf32, #b>
    scf.yield %t : tensor<512xf32, #b>
  }
  scf.for %i = %c0 to %n step %c512 : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #b>
    %offsets = arith.addi %at, %range : tensor<512xi32, #b>
    %p = tt.addptr %rows, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %d = arith.divf %v, %sum : tensor<512xf32, #b>
    %q = tt.addptr %tos, %offsets : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %d : tensor<512x!tt.ptr<f32>, #b>
  }
  %d = tt.dot %a, %c, %d0 : tensor<16x16xf16, #op0> * tensor<16x16xf16, #op1> -> tensor<16x16xf32, #mma>
  %most = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  ^bb0(%e: f32, %f: f32):
    %g = arith.addf %e, %f : f32
    tt.reduce.return %g : f32
  }) : (tensor<16x16xf32, #mma>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #mma}>>
  %ms = tt.splat %m : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
  tt.store %ms, %most : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
  tt.return
}
}
