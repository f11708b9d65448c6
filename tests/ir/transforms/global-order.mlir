// RUN: nereid-opt %s --nereid-ttg-place-barriers | FileCheck %s

// Loads whose elements several warps read, and writes of the same memory.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Each thread reads what it writes.
  // CHECK-LABEL: tt.func public @own_elements
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func public @own_elements(%p: !tt.ptr<i32>) {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %pi = tt.addptr %ps, %i : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %x = tt.load %pi : tensor<128x!tt.ptr<i32>, #b>
    tt.store %pi, %x : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  // A load in another layout does not, and two arguments may be the same array.
  // CHECK-LABEL: tt.func public @moved
  // CHECK: tt.load
  // CHECK-NEXT: tt.load {{.*}} {ttg.moved}
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.load {{.*}} {ttg.moved}
  tt.func public @moved(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) -> tensor<128xi32, #b> {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %pi = tt.addptr %ps, %i : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %qi = tt.addptr %qs, %i : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %x = tt.load %pi : tensor<128x!tt.ptr<i32>, #b>
    %y = tt.load %pi {ttg.moved} : tensor<128x!tt.ptr<i32>, #b>
    tt.store %qi, %x : tensor<128x!tt.ptr<i32>, #b>
    tt.store %qi, %y : tensor<128x!tt.ptr<i32>, #b>
    %z = tt.load %pi {ttg.moved} : tensor<128x!tt.ptr<i32>, #b>
    tt.return %z : tensor<128xi32, #b>
  }

  // What grids do about one another is no write; other assembly may be one.
  // CHECK-LABEL: tt.func public @between_grids
  // CHECK-NOT: ttg.local_barrier
  // CHECK: griddepcontrol.wait
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: membar
  tt.func public @between_grids(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) -> i32 {
    %begin = tt.elementwise_inline_asm "griddepcontrol.launch_dependents; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
    %m = tt.load %p : !tt.ptr<i32>
    %wait = tt.elementwise_inline_asm "griddepcontrol.wait; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
    %n = tt.load %q : !tt.ptr<i32>
    %other = tt.elementwise_inline_asm "membar.gl; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
    %sum = arith.addi %m, %n : i32
    tt.return %sum : i32
  }

  // All warps read a scalar, and need it; one thread writes it.
  // CHECK-LABEL: tt.func public @counter
  // CHECK: tt.load
  // CHECK-NOT: tt.store
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: tt.store %arg0
  // CHECK-NEXT: tt.store %arg1
  tt.func public @counter(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) -> i32 {
    %c1 = arith.constant 1 : i32
    %n = tt.load %p : !tt.ptr<i32>
    %m = arith.addi %n, %c1 : i32
    tt.store %p, %m : !tt.ptr<i32>
    tt.store %q, %n : !tt.ptr<i32>
    tt.return %n : i32
  }

  // What is only stored again only that thread needs, which sees its own stores: sums along an array.
  // CHECK-LABEL: tt.func public @sums
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func public @sums(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %c0) -> (i32) : i32 {
      %pi = tt.addptr %p, %i : !tt.ptr<i32>, i32
      %x = tt.load %pi : !tt.ptr<i32>
      %total = arith.addi %before, %x : i32
      %isFirst = arith.cmpi eq, %i, %c0 : i32
      %stored = scf.if %isFirst -> i32 {
        scf.yield %x : i32
      } else {
        scf.yield %total : i32
      }
      tt.store %pi, %stored : !tt.ptr<i32>
      scf.yield %total : i32
    }
    %qs = tt.addptr %q, %sum : !tt.ptr<i32>, i32
    tt.store %qs, %sum : !tt.ptr<i32>
    tt.return
  }

  // Not if it decides something: of the rounds, whether there is another.
  // CHECK-LABEL: tt.func public @rounds
  // CHECK: tt.load
  // CHECK: ttg.local_barrier
  // CHECK: tt.store
  tt.func public @rounds(%p: !tt.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : i32
    %last = scf.while (%before = %c1) : (i32) -> i32 {
      %x = tt.load %p : !tt.ptr<i32>
      %less = arith.subi %x, %before : i32
      %more = arith.cmpi sgt, %less, %c0 : i32
      tt.store %p, %less : !tt.ptr<i32>
      scf.condition(%more) %less : i32
    } do {
    ^bb0(%x: i32):
      scf.yield %x : i32
    }
    tt.return
  }

  // Nor if other threads have written it.
  // CHECK-LABEL: tt.func public @from_a_tile
  // CHECK: tt.store {{.*}} : tensor
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.load
  tt.func public @from_a_tile(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %pi = tt.addptr %ps, %i : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    tt.store %pi, %i : tensor<128x!tt.ptr<i32>, #b>
    %x = tt.load %p : !tt.ptr<i32>
    tt.store %q, %x : !tt.ptr<i32>
    tt.return
  }

  // A scalar of another argument is left to the author.
  // CHECK-LABEL: tt.func public @other_argument
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func public @other_argument(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
    %n = tt.load %p : !tt.ptr<i32>
    tt.store %q, %n : !tt.ptr<i32>
    tt.return
  }

  // Around a loop, both orders meet; pointers are followed through what it carries.
  // CHECK-LABEL: tt.func public @loop
  // CHECK: scf.for
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.atomic_rmw
  tt.func public @loop(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %yes = arith.constant true
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> (!tt.ptr<i32>) : i32 {
      %x = tt.load %a : !tt.ptr<i32>
      %old = tt.atomic_rmw add, relaxed, gpu, %a, %x, %yes : (!tt.ptr<i32>, i32, i1) -> i32
      %b = tt.addptr %a, %c1 : !tt.ptr<i32>, i32
      scf.yield %b : !tt.ptr<i32>
    }
    tt.return
  }

  // A function that is called writes somewhere.
  // CHECK-LABEL: tt.func public @calls
  // CHECK: tt.load
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.call @writes
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.load
  tt.func public @calls(%p: !tt.ptr<i32>) -> (i32, i32) {
    %n = tt.load %p : !tt.ptr<i32>
    tt.call @writes(%p) : (!tt.ptr<i32>) -> ()
    %m = tt.load %p : !tt.ptr<i32>
    tt.return %n, %m : i32, i32
  }
  tt.func private @writes(%p: !tt.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    tt.store %p, %c1 : !tt.ptr<i32>
    tt.return
  }

  // What other programs change is loaded by one thread and handed to the others through scratch memory. Its own
  // barrier is one for all accesses before; the next round writes that memory again.
  // CHECK-LABEL: tt.func public @waiting
  // CHECK: tt.store
  // CHECK: scf.while
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.load
  // CHECK: }
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func public @waiting(%p: !tt.ptr<i32>, %v: i32) {
    tt.store %p, %v : !tt.ptr<i32>
    scf.while : () -> () {
      %x = tt.load %p {isVolatile = true, allocation.offset = 0 : i32} : !tt.ptr<i32>
      %more = arith.cmpi eq, %x, %v : i32
      scf.condition(%more)
    } do {
      scf.yield
    }
    tt.store %p, %v : !tt.ptr<i32>
    tt.return
  }
}
