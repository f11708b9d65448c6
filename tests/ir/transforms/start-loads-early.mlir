// RUN: nereid-opt %s --nereid-ttg-start-loads-early | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#square = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #square}>
#right = #ttg.dot_op<{opIdx = 1, parent = #square}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // With what its address is computed with, a load goes before the quotient; the last one stays behind the store.
  // CHECK-LABEL: tt.func @divided
  // CHECK: tt.load
  // CHECK-NEXT: tt.addptr
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.precise_divf
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.load
  tt.func @divided(%p: tensor<256x!tt.ptr<f32>, #blocked>, %i: tensor<256xi32, #blocked>, %a: tensor<256xf32, #blocked>) -> (tensor<256xf32, #blocked>, tensor<256xf32, #blocked>, tensor<256xf32, #blocked>) {
    %x = tt.load %p : tensor<256x!tt.ptr<f32>, #blocked>
    %s = tt.precise_divf %a, %x : tensor<256xf32, #blocked>
    %q = tt.addptr %p, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    %y = tt.load %q : tensor<256x!tt.ptr<f32>, #blocked>
    tt.store %p, %s : tensor<256x!tt.ptr<f32>, #blocked>
    %z = tt.load %q : tensor<256x!tt.ptr<f32>, #blocked>
    tt.return %s, %y, %z : tensor<256xf32, #blocked>, tensor<256xf32, #blocked>, tensor<256xf32, #blocked>
  }

  // One whose address is computed from the root waits for it.
  // CHECK-LABEL: tt.func @addressed
  // CHECK: tt.precise_sqrt
  // CHECK: tt.load
  tt.func @addressed(%p: tensor<256x!tt.ptr<f32>, #blocked>, %a: tensor<256xf32, #blocked>) -> tensor<256xf32, #blocked> {
    %s = tt.precise_sqrt %a : tensor<256xf32, #blocked>
    %i = arith.fptosi %s : tensor<256xf32, #blocked> to tensor<256xi32, #blocked>
    %q = tt.addptr %p, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    %y = tt.load %q : tensor<256x!tt.ptr<f32>, #blocked>
    tt.return %y : tensor<256xf32, #blocked>
  }

  // An assertion may be about its address.
  // CHECK-LABEL: tt.func @asserted
  // CHECK: tt.precise_sqrt
  // CHECK: tt.assert
  // CHECK: tt.load
  tt.func @asserted(%p: tensor<256x!tt.ptr<f32>, #blocked>, %a: tensor<256xf32, #blocked>, %c: tensor<256xi1, #blocked>) -> (tensor<256xf32, #blocked>, tensor<256xf32, #blocked>) {
    %s = tt.precise_sqrt %a : tensor<256xf32, #blocked>
    tt.assert %c, "inside" : tensor<256xi1, #blocked>
    %y = tt.load %p : tensor<256x!tt.ptr<f32>, #blocked>
    tt.return %s, %y : tensor<256xf32, #blocked>, tensor<256xf32, #blocked>
  }

  // In a loop, before threads meet for a sum or a conversion; not the sum's own load, nor one whose address needs the sum.
  // CHECK-LABEL: tt.func @rounds
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.addptr
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.reduce
  // CHECK: ttg.convert_layout
  // CHECK: tt.splat
  // CHECK: tt.load
  tt.func @rounds(%p: tensor<256x!tt.ptr<i32>, #blocked>, %i: tensor<256xi32, #blocked>, %n: i32) -> tensor<256xi32, #other> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0> : tensor<256xi32, #other>
    %r = scf.for %k = %zero to %n step %one iter_args(%sums = %none) -> (tensor<256xi32, #other>) : i32 {
      %x = tt.load %p : tensor<256x!tt.ptr<i32>, #blocked>
      %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %c = arith.addi %a, %b : i32
        tt.reduce.return %c : i32
      }) : (tensor<256xi32, #blocked>) -> i32
      %y = ttg.convert_layout %x : tensor<256xi32, #blocked> -> tensor<256xi32, #other>
      %q = tt.addptr %p, %i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
      %z = tt.load %q : tensor<256x!tt.ptr<i32>, #blocked>
      %t = tt.splat %s : i32 -> tensor<256xi32, #blocked>
      %u = tt.addptr %p, %t : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
      %v = tt.load %u : tensor<256x!tt.ptr<i32>, #blocked>
      %w = arith.addi %z, %v : tensor<256xi32, #blocked>
      %o = ttg.convert_layout %w : tensor<256xi32, #blocked> -> tensor<256xi32, #other>
      %d = arith.addi %o, %y : tensor<256xi32, #other>
      %e = arith.addi %d, %sums : tensor<256xi32, #other>
      scf.yield %e : tensor<256xi32, #other>
    }
    tt.return %r : tensor<256xi32, #other>
  }

  // Beside a product and its sums there is one register for that: the first of the vectors, which has one for each thread.
  // CHECK-LABEL: tt.func @multiplied
  // CHECK: scf.for
  // CHECK: tt.load {{.*}} : tensor<128x!tt.ptr<i32>
  // CHECK-NEXT: tt.reduce
  // CHECK: tt.load {{.*}} : tensor<256x!tt.ptr<i32>
  // CHECK-NEXT: tt.load {{.*}} : tensor<128x!tt.ptr<i32>
  tt.func @multiplied(%p: tensor<256x!tt.ptr<i32>, #blocked>, %q: tensor<128x!tt.ptr<i32>, #other>, %x: tensor<256xi32, #blocked>, %a: tensor<32x32xf32, #left>, %b: tensor<32x32xf32, #right>, %n: i32) -> (tensor<32x32xf32, #square>, tensor<128xi32, #other>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<32x32xf32, #square>
    %nothing = arith.constant dense<0> : tensor<128xi32, #other>
    %r:2 = scf.for %k = %zero to %n step %one iter_args(%sums = %none, %t = %nothing) -> (tensor<32x32xf32, #square>, tensor<128xi32, #other>) : i32 {
      %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%c: i32, %d: i32):
        %e = arith.addi %c, %d : i32
        tt.reduce.return %e : i32
      }) : (tensor<256xi32, #blocked>) -> i32
      %y = tt.load %p : tensor<256x!tt.ptr<i32>, #blocked>
      %v = tt.load %q {isVolatile = false} : tensor<128x!tt.ptr<i32>, #other>
      %w = tt.load %q evictionPolicy = evict_first : tensor<128x!tt.ptr<i32>, #other>
      %u = tt.splat %s : i32 -> tensor<128xi32, #other>
      %f = arith.addi %u, %v : tensor<128xi32, #other>
      %g = arith.addi %f, %w : tensor<128xi32, #other>
      %h = arith.addi %g, %t : tensor<128xi32, #other>
      tt.store %p, %y : tensor<256x!tt.ptr<i32>, #blocked>
      %m = tt.dot %a, %b, %sums : tensor<32x32xf32, #left> * tensor<32x32xf32, #right> -> tensor<32x32xf32, #square>
      scf.yield %m, %h : tensor<32x32xf32, #square>, tensor<128xi32, #other>
    }
    tt.return %r#0, %r#1 : tensor<32x32xf32, #square>, tensor<128xi32, #other>
  }

  // Without a loop, other programs load meanwhile.
  // CHECK-LABEL: tt.func @once
  // CHECK: tt.reduce
  // CHECK: tt.load
  tt.func @once(%p: tensor<256x!tt.ptr<i32>, #blocked>, %x: tensor<256xi32, #blocked>) -> (i32, tensor<256xi32, #blocked>) {
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<256xi32, #blocked>) -> i32
    %y = tt.load %p : tensor<256x!tt.ptr<i32>, #blocked>
    tt.return %s, %y : i32, tensor<256xi32, #blocked>
  }
}
