// Where addresses are looked up, a warp sees whether all its lanes have the same one, and accesses that once.
//
// RUN: split-file %s %t
// RUN: nereid-lower %t/sorted.mlir cuda:90a | FileCheck %t/sorted.mlir
// RUN: nereid-lower %t/sorted.mlir hip:gfx1100 | FileCheck %t/sorted.mlir --check-prefix=HIP
// RUN: nereid-lower %t/rows.mlir cuda:90a | FileCheck %t/rows.mlir
// RUN: nereid-lower %t/computed.mlir cuda:90a | FileCheck %t/computed.mlir
// RUN: nereid-lower %t/wanted.mlir cuda:90a | FileCheck %t/wanted.mlir
// RUN: nereid-lower %t/many.mlir cuda:90a | FileCheck %t/many.mlir

//--- sorted.mlir

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @sorted
  // CHECK: [[FOUND:%.*]] = call { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32 -1, i64 {{.*}})
  // CHECK: [[MET:%.*]] = extractvalue { i32, i1 } [[FOUND]], 1
  // CHECK: br i1 [[MET]]
  // CHECK-COUNT-5: fadd contract float
  // CHECK: icmp eq i32 {{.*}}, 0
  // CHECK: red.global.release.gpu.add.f32
  // HIP-LABEL: define {{.*}} @sorted
  // HIP: atomicrmw fadd
  tt.func public @sorted(%index: !tt.ptr<i64>, %x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %m = arith.cmpi slt, %range, %ns : tensor<128xi32, #b>
    %is = tt.splat %index : !tt.ptr<i64> -> tensor<128x!tt.ptr<i64>, #b>
    %ip = tt.addptr %is, %range : tensor<128x!tt.ptr<i64>, #b>, tensor<128xi32, #b>
    %i = tt.load %ip, %m : tensor<128x!tt.ptr<i64>, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %range : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %v = tt.load %xp, %m : tensor<128x!tt.ptr<f32>, #b>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %op = tt.addptr %os, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi64, #b>
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %op, %v, %m : (tensor<128x!tt.ptr<f32>, #b>, tensor<128xf32, #b>, tensor<128xi1, #b>) -> tensor<128xf32, #b>
    tt.return
  }
}

//--- rows.mlir

// The rows are looked up, but a warp's lanes are at neighbouring columns.
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @rows
  // CHECK-NOT: match.all
  // CHECK: red.global
  // CHECK-NOT: match.all
  tt.func public @rows(%index: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %c = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %is = tt.splat %index : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #b}>>
    %ip = tt.addptr %is, %r : tensor<4x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #b}>>, tensor<4xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %i = tt.load %ip : tensor<4x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #b}>>
    %ie = tt.expand_dims %i {axis = 1 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<4x1xi32, #b>
    %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #b>
    %ib = tt.broadcast %ie : tensor<4x1xi32, #b> -> tensor<4x32xi32, #b>
    %cb = tt.broadcast %ce : tensor<1x32xi32, #b> -> tensor<4x32xi32, #b>
    %offsets = arith.addi %ib, %cb : tensor<4x32xi32, #b>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<4x32x!tt.ptr<i32>, #b>
    %op = tt.addptr %os, %offsets : tensor<4x32x!tt.ptr<i32>, #b>, tensor<4x32xi32, #b>
    %all = arith.constant dense<true> : tensor<4x32xi1, #b>
    %old = tt.atomic_rmw add, relaxed, gpu, %op, %offsets, %all : (tensor<4x32x!tt.ptr<i32>, #b>, tensor<4x32xi32, #b>, tensor<4x32xi1, #b>) -> tensor<4x32xi32, #b>
    tt.return
  }
}

//--- computed.mlir

// Addresses that the program computes itself are seldom the same.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @computed
  // CHECK-NOT: match.all
  // CHECK: red.global
  // CHECK-NOT: match.all
  tt.func public @computed(%out: !tt.ptr<i32>, %stride: i32) {
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %ss = tt.splat %stride : i32 -> tensor<128xi32, #b>
    %offsets = arith.muli %range, %ss : tensor<128xi32, #b>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %op = tt.addptr %os, %offsets : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %all = arith.constant dense<true> : tensor<128xi1, #b>
    %old = tt.atomic_rmw add, relaxed, gpu, %op, %range, %all : (tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>, tensor<128xi1, #b>) -> tensor<128xi32, #b>
    tt.return
  }
}

//--- wanted.mlir

// Whoever wants to know what was there before accesses memory for itself.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @wanted
  // CHECK-NOT: match.all
  // CHECK: atom.global
  // CHECK-NOT: match.all
  tt.func public @wanted(%index: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %is = tt.splat %index : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %ip = tt.addptr %is, %range : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %i = tt.load %ip : tensor<128x!tt.ptr<i32>, #b>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %op = tt.addptr %os, %i : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %all = arith.constant dense<true> : tensor<128xi1, #b>
    %old = tt.atomic_rmw add, relaxed, gpu, %op, %range, %all : (tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>, tensor<128xi1, #b>) -> tensor<128xi32, #b>
    tt.store %ip, %old : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }
}

//--- many.mlir

// Of 64 elements a thread it would be much code.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @many
  // CHECK-NOT: match.all
  // CHECK: red.global
  // CHECK-NOT: match.all
  tt.func public @many(%index: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 8192 : i32} : tensor<8192xi32, #b>
    %is = tt.splat %index : !tt.ptr<i32> -> tensor<8192x!tt.ptr<i32>, #b>
    %ip = tt.addptr %is, %range : tensor<8192x!tt.ptr<i32>, #b>, tensor<8192xi32, #b>
    %i = tt.load %ip : tensor<8192x!tt.ptr<i32>, #b>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<8192x!tt.ptr<i32>, #b>
    %op = tt.addptr %os, %i : tensor<8192x!tt.ptr<i32>, #b>, tensor<8192xi32, #b>
    %all = arith.constant dense<true> : tensor<8192xi1, #b>
    %old = tt.atomic_rmw add, relaxed, gpu, %op, %range, %all : (tensor<8192x!tt.ptr<i32>, #b>, tensor<8192xi32, #b>, tensor<8192xi1, #b>) -> tensor<8192xi32, #b>
    tt.return
  }
}
