// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:80 num-stages=3" --canonicalize | FileCheck %s
// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:80 num-stages=1" --canonicalize | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// A step of a recurrent network multiplies what the last one has left. Its input is loaded a step ahead: the first one before
// the loop, if there is one.
// CHECK-LABEL: tt.func @step
// CHECK: %[[RUNS:.+]] = arith.cmpi sgt, %{{.+}}, %c0_i32
// CHECK: %[[MASK:.+]] = tt.splat %[[RUNS]]
// CHECK: %[[FIRST:.+]] = tt.load %{{.+}}, %[[MASK]]
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %[[INPUT:.+]] = %[[FIRST]])
// CHECK: %[[NEXT:.+]] = tt.load %{{.+}}, %{{.+}}
// CHECK: %[[NUMBERS:.+]] = arith.extf %[[INPUT]]
// CHECK: %[[D:.+]] = tt.dot
// CHECK: arith.addf %[[D]], %[[NUMBERS]]
// CHECK: tt.store
// CHECK: scf.yield %{{.+}}, %[[NEXT]]
tt.func @step(%x: !tt.ptr<f16>, %out: tensor<16x16x!tt.ptr<f16>, #mma>, %w: tensor<16x16xf16, #right>, %h0: tensor<16x16xf16, #mma>, %places: tensor<16x16xi32, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<16x16xf16, #mma>) : i32 {
    %p = tt.addptr %x, %i : !tt.ptr<f16>, i32
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #mma>
    %pointers = tt.addptr %ps, %places : tensor<16x16x!tt.ptr<f16>, #mma>, tensor<16x16xi32, #mma>
    %loaded = tt.load %pointers : tensor<16x16x!tt.ptr<f16>, #mma>
    %input = arith.extf %loaded : tensor<16x16xf16, #mma> to tensor<16x16xf32, #mma>
    %a = ttg.convert_layout %h : tensor<16x16xf16, #mma> -> tensor<16x16xf16, #left>
    %d = tt.dot %a, %w, %zero : tensor<16x16xf16, #left> * tensor<16x16xf16, #right> -> tensor<16x16xf32, #mma>
    %sum = arith.addf %d, %input : tensor<16x16xf32, #mma>
    %next = arith.truncf %sum : tensor<16x16xf32, #mma> to tensor<16x16xf16, #mma>
    tt.store %out, %next : tensor<16x16x!tt.ptr<f16>, #mma>
    scf.yield %next : tensor<16x16xf16, #mma>
  }
  tt.return
}

// The same where the loop asks for no stages.
// CHECK-LABEL: tt.func @asked
// CHECK-NOT: tt.load
// CHECK: scf.for
tt.func @asked(%x: !tt.ptr<f16>, %out: tensor<16x16x!tt.ptr<f16>, #mma>, %w: tensor<16x16xf16, #right>, %h0: tensor<16x16xf16, #mma>, %places: tensor<16x16xi32, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<16x16xf16, #mma>) : i32 {
    %p = tt.addptr %x, %i : !tt.ptr<f16>, i32
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #mma>
    %pointers = tt.addptr %ps, %places : tensor<16x16x!tt.ptr<f16>, #mma>, tensor<16x16xi32, #mma>
    %loaded = tt.load %pointers : tensor<16x16x!tt.ptr<f16>, #mma>
    %input = arith.extf %loaded : tensor<16x16xf16, #mma> to tensor<16x16xf32, #mma>
    %a = ttg.convert_layout %h : tensor<16x16xf16, #mma> -> tensor<16x16xf16, #left>
    %d = tt.dot %a, %w, %zero : tensor<16x16xf16, #left> * tensor<16x16xf16, #right> -> tensor<16x16xf32, #mma>
    %sum = arith.addf %d, %input : tensor<16x16xf32, #mma>
    %next = arith.truncf %sum : tensor<16x16xf32, #mma> to tensor<16x16xf16, #mma>
    tt.store %out, %next : tensor<16x16x!tt.ptr<f16>, #mma>
    scf.yield %next : tensor<16x16xf16, #mma>
  } {tt.num_stages = 1 : i32}
  tt.return
}

// Rounds that only add up their products.
// CHECK-LABEL: tt.func @sums
// CHECK-NOT: tt.load
// CHECK: scf.for
tt.func @sums(%x: !tt.ptr<f16>, %w: tensor<16x16xf16, #right>, %a: tensor<16x16xf16, #left>, %places: tensor<16x16xi32, #mma>, %n: i32) -> tensor<16x16xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32, #mma>) : i32 {
    %p = tt.addptr %x, %i : !tt.ptr<f16>, i32
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #mma>
    %pointers = tt.addptr %ps, %places : tensor<16x16x!tt.ptr<f16>, #mma>, tensor<16x16xi32, #mma>
    %loaded = tt.load %pointers : tensor<16x16x!tt.ptr<f16>, #mma>
    %input = arith.extf %loaded : tensor<16x16xf16, #mma> to tensor<16x16xf32, #mma>
    %start = arith.addf %sum, %input : tensor<16x16xf32, #mma>
    %d = tt.dot %a, %w, %start : tensor<16x16xf16, #left> * tensor<16x16xf16, #right> -> tensor<16x16xf32, #mma>
    scf.yield %d : tensor<16x16xf32, #mma>
  }
  tt.return %r : tensor<16x16xf32, #mma>
}

// What steps write is not loaded before, nor what others may write while a load, volatile or fetched anew, waits for them. What
// is the same in all steps is loaded anew in each, for want of registers.
// CHECK-LABEL: tt.func @others
tt.func @others(%x: !tt.ptr<f16>, %flag: !tt.ptr<i32>, %w: tensor<16x16xf16, #right>, %h0: tensor<16x16xf16, #mma>, %places: tensor<16x16xi32, #mma>, %n: i32) -> tensor<16x16xf16, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<16x16xf16, #mma>) : i32 {
    %p = tt.addptr %x, %i : !tt.ptr<f16>, i32
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #mma>
    %pointers = tt.addptr %ps, %places : tensor<16x16x!tt.ptr<f16>, #mma>, tensor<16x16xi32, #mma>
    // CHECK: tt.load %{{[^,]+}} :
    %loaded = tt.load %pointers : tensor<16x16x!tt.ptr<f16>, #mma>
    %input = arith.extf %loaded : tensor<16x16xf16, #mma> to tensor<16x16xf32, #mma>
    %a = ttg.convert_layout %h : tensor<16x16xf16, #mma> -> tensor<16x16xf16, #left>
    %d = tt.dot %a, %w, %zero : tensor<16x16xf16, #left> * tensor<16x16xf16, #right> -> tensor<16x16xf32, #mma>
    %sum = arith.addf %d, %input : tensor<16x16xf32, #mma>
    %next = arith.truncf %sum : tensor<16x16xf32, #mma> to tensor<16x16xf16, #mma>
    tt.store %pointers, %next : tensor<16x16x!tt.ptr<f16>, #mma>
    scf.yield %next : tensor<16x16xf16, #mma>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%h = %r) -> (tensor<16x16xf16, #mma>) : i32 {
    %f = tt.load %flag {isVolatile = true} : !tt.ptr<i32>
    %p = tt.addptr %x, %i : !tt.ptr<f16>, i32
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #mma>
    %pointers = tt.addptr %ps, %places : tensor<16x16x!tt.ptr<f16>, #mma>, tensor<16x16xi32, #mma>
    // CHECK: tt.load %{{[^,]+}} : tensor
    %loaded = tt.load %pointers : tensor<16x16x!tt.ptr<f16>, #mma>
    %input = arith.extf %loaded : tensor<16x16xf16, #mma> to tensor<16x16xf32, #mma>
    %a = ttg.convert_layout %h : tensor<16x16xf16, #mma> -> tensor<16x16xf16, #left>
    %d = tt.dot %a, %w, %zero : tensor<16x16xf16, #left> * tensor<16x16xf16, #right> -> tensor<16x16xf32, #mma>
    %sum = arith.addf %d, %input : tensor<16x16xf32, #mma>
    %next = arith.truncf %sum : tensor<16x16xf32, #mma> to tensor<16x16xf16, #mma>
    scf.yield %next : tensor<16x16xf16, #mma>
  }
  %v = scf.for %i = %c0 to %n step %c1 iter_args(%h = %s) -> (tensor<16x16xf16, #mma>) : i32 {
    %f = tt.load %flag cacheModifier = cv : !tt.ptr<i32>
    %p = tt.addptr %x, %i : !tt.ptr<f16>, i32
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #mma>
    %pointers = tt.addptr %ps, %places : tensor<16x16x!tt.ptr<f16>, #mma>, tensor<16x16xi32, #mma>
    // CHECK: tt.load %{{[^,]+}} : tensor
    %loaded = tt.load %pointers : tensor<16x16x!tt.ptr<f16>, #mma>
    %input = arith.extf %loaded : tensor<16x16xf16, #mma> to tensor<16x16xf32, #mma>
    %a = ttg.convert_layout %h : tensor<16x16xf16, #mma> -> tensor<16x16xf16, #left>
    %d = tt.dot %a, %w, %zero : tensor<16x16xf16, #left> * tensor<16x16xf16, #right> -> tensor<16x16xf32, #mma>
    %sum = arith.addf %d, %input : tensor<16x16xf32, #mma>
    %next = arith.truncf %sum : tensor<16x16xf32, #mma> to tensor<16x16xf16, #mma>
    scf.yield %next : tensor<16x16xf16, #mma>
  }
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #mma>
  %same = tt.addptr %xs, %places : tensor<16x16x!tt.ptr<f16>, #mma>, tensor<16x16xi32, #mma>
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%h = %v) -> (tensor<16x16xf16, #mma>) : i32 {
    // CHECK: tt.load %{{[^,]+}} : tensor
    %loaded = tt.load %same : tensor<16x16x!tt.ptr<f16>, #mma>
    %input = arith.extf %loaded : tensor<16x16xf16, #mma> to tensor<16x16xf32, #mma>
    %a = ttg.convert_layout %h : tensor<16x16xf16, #mma> -> tensor<16x16xf16, #left>
    %d = tt.dot %a, %w, %zero : tensor<16x16xf16, #left> * tensor<16x16xf16, #right> -> tensor<16x16xf32, #mma>
    %sum = arith.addf %d, %input : tensor<16x16xf32, #mma>
    %next = arith.truncf %sum : tensor<16x16xf32, #mma> to tensor<16x16xf16, #mma>
    scf.yield %next : tensor<16x16xf16, #mma>
  }
  tt.return %t : tensor<16x16xf16, #mma>
}
}
