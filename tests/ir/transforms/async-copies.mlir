// RUN: nereid-opt %s --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers --split-input-file | FileCheck %s

// What an asynchronous copy brings is there behind its wait for the thread that issued it, and behind a barrier that
// follows the wait for the others.
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#smem = #ttg.shared_memory
!ptrs = tensor<64x64x!tt.ptr<f32>, #b>
!tile = tensor<64x64xf32, #b>
!buffer = !ttg.memdesc<64x64xf32, #s, #smem, mutable>
!two = !ttg.memdesc<2x64x64xf32, #s3, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @plain
  // CHECK: ttg.async_copy_global_to_local
  // CHECK-NOT: ttg.local_barrier
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.return
  tt.func @plain(%p: !ptrs) -> !tile {
    %m = ttg.local_alloc : () -> !buffer
    %c = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    %w = ttg.async_wait %g {num = 0 : i32}
    %x = ttg.local_load %m token %w : !buffer -> !tile
    tt.return %x : !tile
  }

  // A barrier between the copy and the wait does not help.
  // CHECK-LABEL: tt.func @barrier_before_wait
  // CHECK: ttg.async_commit_group
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @barrier_before_wait(%p: !ptrs) -> !tile {
    %m = ttg.local_alloc : () -> !buffer
    %c = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    ttg.local_barrier
    %w = ttg.async_wait %g {num = 0 : i32}
    %x = ttg.local_load %m token %w : !buffer -> !tile
    tt.return %x : !tile
  }

  // Nor does the barrier inside of a conversion.
  // CHECK-LABEL: tt.func @conversion_before_wait
  // CHECK: ttg.convert_layout
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @conversion_before_wait(%p: !ptrs, %y: !tile) -> (!tile, tensor<64x64xf32, #t>) {
    %m = ttg.local_alloc : () -> !buffer
    %c = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    %z = ttg.convert_layout %y : !tile -> tensor<64x64xf32, #t>
    %w = ttg.async_wait %g {num = 0 : i32}
    %x = ttg.local_load %m token %w : !buffer -> !tile
    tt.return %x, %z : !tile, tensor<64x64xf32, #t>
  }

  // A barrier behind the wait is enough, and so is one that a conversion has behind it.
  // CHECK-LABEL: tt.func @barrier_after_wait
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.return
  tt.func @barrier_after_wait(%p: !ptrs) -> !tile {
    %m = ttg.local_alloc : () -> !buffer
    %c = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    %w = ttg.async_wait %g {num = 0 : i32}
    ttg.local_barrier
    %x = ttg.local_load %m token %w : !buffer -> !tile
    tt.return %x : !tile
  }

  // CHECK-LABEL: tt.func @conversion_after_wait
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.return
  tt.func @conversion_after_wait(%p: !ptrs, %y: !tile) -> (!tile, tensor<64x64xf32, #t>) {
    %m = ttg.local_alloc : () -> !buffer
    %c = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    %w = ttg.async_wait %g {num = 0 : i32}
    %z = ttg.convert_layout %y : !tile -> tensor<64x64xf32, #t>
    %x = ttg.local_load %m token %w : !buffer -> !tile
    tt.return %x, %z : !tile, tensor<64x64xf32, #t>
  }

  // A wait that lets the last group run on ends the first: its buffer needs the barrier, and the other one another
  // barrier, behind its own wait.
  // CHECK-LABEL: tt.func @two_groups
  // CHECK: ttg.async_wait {{.*}} {num = 1 : i32}
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load %[[FIRST:.*]] token
  // CHECK-NEXT: ttg.async_wait {{.*}} {num = 0 : i32}
  // CHECK-NEXT: ttg.local_load %[[FIRST]] :
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.return
  tt.func @two_groups(%p: !ptrs) -> (!tile, !tile, !tile) {
    %m = ttg.local_alloc : () -> !buffer
    %n = ttg.local_alloc : () -> !buffer
    %c = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    %d = ttg.async_copy_global_to_local %p, %n : !ptrs -> !buffer
    %h = ttg.async_commit_group tokens %d
    %w = ttg.async_wait %g {num = 1 : i32}
    %x = ttg.local_load %m token %w : !buffer -> !tile
    %v = ttg.async_wait %h {num = 0 : i32}
    %y = ttg.local_load %m : !buffer -> !tile
    %z = ttg.local_load %n token %v : !buffer -> !tile
    tt.return %x, %y, %z : !tile, !tile, !tile
  }

  // Copies of one group are done together; one whose group is open is not done by any wait.
  // CHECK-LABEL: tt.func @open_group
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.async_commit_group
  // CHECK-NEXT: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @open_group(%p: !ptrs) -> (!tile, !tile) {
    %m = ttg.local_alloc : () -> !buffer
    %n = ttg.local_alloc : () -> !buffer
    %c = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    %d = ttg.async_copy_global_to_local %p, %n : !ptrs -> !buffer
    %w = ttg.async_wait %g {num = 0 : i32}
    %x = ttg.local_load %m token %w : !buffer -> !tile
    %h = ttg.async_commit_group tokens %d
    %v = ttg.async_wait %h {num = 0 : i32}
    %z = ttg.local_load %n token %v : !buffer -> !tile
    tt.return %x, %z : !tile, !tile
  }

  // Other threads may still be reading what a copy is about to overwrite.
  // CHECK-LABEL: tt.func @copy_after_load
  // CHECK: ttg.local_load
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.async_copy_global_to_local
  tt.func @copy_after_load(%p: !ptrs, %y: !tile) -> !tile {
    %m = ttg.local_alloc : () -> !buffer
    ttg.local_store %y, %m : !tile -> !buffer
    ttg.local_barrier
    %x = ttg.local_load %m : !buffer -> !tile
    %c = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    %w = ttg.async_wait %g {num = 0 : i32}
    tt.return %x : !tile
  }

  // Two buffers in turn. The barrier of one iteration stands behind the wait of the next, so there are two in each: for
  // what arrived, and for what is about to be overwritten.
  // CHECK-LABEL: tt.func @pipelined
  // CHECK: scf.for
  // CHECK-NEXT: ttg.async_wait {{.*}} {num = 1 : i32}
  // CHECK-NEXT: ttg.memdesc_index
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.async_copy_global_to_local
  // CHECK-NEXT: ttg.async_commit_group
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func @pipelined(%p: !ptrs, %n: i32, %zero: !tile) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc : () -> !two
    %m0 = ttg.memdesc_index %m[%c0] : !two -> !buffer
    %a0 = ttg.async_copy_global_to_local %p, %m0 : !ptrs -> !buffer
    %g0 = ttg.async_commit_group tokens %a0
    %m1 = ttg.memdesc_index %m[%c1] : !two -> !buffer
    %a1 = ttg.async_copy_global_to_local %p, %m1 : !ptrs -> !buffer
    %g1 = ttg.async_commit_group tokens %a1
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %slot = %c0, %old = %g0, %new = %g1)
        -> (!tile, i32, !ttg.async.token, !ttg.async.token) : i32 {
      %w = ttg.async_wait %old {num = 1 : i32}
      %here = ttg.memdesc_index %m[%slot] : !two -> !buffer
      %x = ttg.local_load %here token %w : !buffer -> !tile
      %a = ttg.async_copy_global_to_local %p, %here : !ptrs -> !buffer
      %g = ttg.async_commit_group tokens %a
      %s = arith.addf %sum, %x : !tile
      %next = arith.subi %c1, %slot : i32
      scf.yield %s, %next, %new, %g : !tile, i32, !ttg.async.token, !ttg.async.token
    }
    %w = ttg.async_wait %r#3 {num = 0 : i32}
    tt.return %r#0 : !tile
  }

  // With the copy between the wait and the load, one barrier does for both.
  // CHECK-LABEL: tt.func @pipelined_copy_first
  // CHECK: scf.for
  // CHECK: ttg.async_wait {{.*}} {num = 0 : i32}
  // CHECK-NOT: ttg.local_load
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: ttg.async_copy_global_to_local
  // CHECK-NOT: ttg.local_barrier
  // CHECK: ttg.local_load
  // CHECK-NOT: ttg.local_barrier
  // CHECK: scf.yield
  tt.func @pipelined_copy_first(%p: !ptrs, %n: i32, %zero: !tile) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc : () -> !two
    %m0 = ttg.memdesc_index %m[%c0] : !two -> !buffer
    %a0 = ttg.async_copy_global_to_local %p, %m0 : !ptrs -> !buffer
    %g0 = ttg.async_commit_group tokens %a0
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %slot = %c0, %old = %g0)
        -> (!tile, i32, !ttg.async.token) : i32 {
      %w = ttg.async_wait %old {num = 0 : i32}
      %next = arith.subi %c1, %slot : i32
      %there = ttg.memdesc_index %m[%next] : !two -> !buffer
      %a = ttg.async_copy_global_to_local %p, %there : !ptrs -> !buffer
      %g = ttg.async_commit_group tokens %a
      %here = ttg.memdesc_index %m[%slot] : !two -> !buffer
      %x = ttg.local_load %here token %w : !buffer -> !tile
      %s = arith.addf %sum, %x : !tile
      scf.yield %s, %next, %g : !tile, i32, !ttg.async.token
    }
    %w = ttg.async_wait %r#2 {num = 0 : i32}
    tt.return %r#0 : !tile
  }

  // Constant indices tell buffers apart.
  // CHECK-LABEL: tt.func @other_slot
  // CHECK: ttg.local_store
  // CHECK-NOT: ttg.local_barrier
  // CHECK: ttg.async_wait
  // CHECK-NOT: ttg.local_barrier
  // CHECK: ttg.local_store
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.return
  tt.func @other_slot(%p: !ptrs, %y: !tile) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc : () -> !two
    %m0 = ttg.memdesc_index %m[%c0] : !two -> !buffer
    %m1 = ttg.memdesc_index %m[%c1] : !two -> !buffer
    ttg.local_store %y, %m0 : !tile -> !buffer
    %c = ttg.async_copy_global_to_local %p, %m1 : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    %w = ttg.async_wait %g {num = 0 : i32}
    %n = ttg.local_alloc : () -> !buffer
    ttg.local_store %y, %n : !tile -> !buffer
    %x = ttg.local_load %m0 : !buffer -> !tile
    tt.return %x : !tile
  }

  // The wait may be in one branch only: what it may have ended needs a barrier behind, in all orders.
  // CHECK-LABEL: tt.func @wait_in_branch
  // CHECK: scf.if
  // CHECK-NEXT: ttg.async_wait
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: }
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @wait_in_branch(%p: !ptrs, %c: i1) -> !tile {
    %m = ttg.local_alloc : () -> !buffer
    %a = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %a
    scf.if %c {
      %w = ttg.async_wait %g {num = 0 : i32}
    } else {
      %w = ttg.async_wait %g {num = 0 : i32}
      ttg.local_barrier
    }
    %x = ttg.local_load %m : !buffer -> !tile
    tt.return %x : !tile
  }

  // Blocks with branches, where the copy of one iteration is waited for in the next.
  // CHECK-LABEL: tt.func @blocks
  // CHECK: ^bb1
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.async_copy_global_to_local
  // CHECK: ^bb2
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func @blocks(%p: !ptrs, %c: i1) -> !tile {
    %m = ttg.local_alloc : () -> !buffer
    %a = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %a
    cf.br ^bb1(%g : !ttg.async.token)
  ^bb1(%t: !ttg.async.token):
    %w = ttg.async_wait %t {num = 0 : i32}
    %x = ttg.local_load %m token %w : !buffer -> !tile
    %b = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %h = ttg.async_commit_group tokens %b
    cf.cond_br %c, ^bb1(%h : !ttg.async.token), ^bb2
  ^bb2:
    %v = ttg.async_wait %h {num = 0 : i32}
    tt.return %x : !tile
  }

  // What a function that is called has under way may end at the caller's wait.
  // CHECK-LABEL: tt.func @calls
  // CHECK: tt.call @copies
  // CHECK-NEXT: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @calls(%p: !ptrs) -> !tile {
    %m = ttg.local_alloc : () -> !buffer
    tt.call @copies(%p, %m) : (!ptrs, !buffer) -> ()
    %w = ttg.async_wait {num = 0 : i32}
    %x = ttg.local_load %m token %w : !buffer -> !tile
    tt.return %x : !tile
  }
  tt.func private @copies(%p: !ptrs, %m: !buffer) {
    %c = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %c
    ttg.local_barrier
    tt.return
  }
}
