// RUN: nereid-opt %s --nereid-ttg-allocate-shared-memory --split-input-file --verify-diagnostics | FileCheck %s

// Buffers of 16 KiB, which share bytes where they may.
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#smem = #ttg.shared_memory
!ptrs = tensor<64x64x!tt.ptr<f32>, #b>
!tile = tensor<64x64xf32, #b>
!buffer = !ttg.memdesc<64x64xf32, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // One after the other.
  // CHECK-LABEL: tt.func @in_turn
  // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32
  // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32
  tt.func @in_turn(%a: !tile, %b: !tile) -> (!tile, !tile) {
    %m = ttg.local_alloc %a : (!tile) -> !buffer
    %x = ttg.local_load %m : !buffer -> !tile
    %n = ttg.local_alloc %b : (!tile) -> !buffer
    %y = ttg.local_load %n : !buffer -> !tile
    tt.return %x, %y : !tile, !tile
  }

  // A loop yields a buffer that its next iteration reads first: it is alive there, and the buffer that is made in between
  // must not be in its bytes.
  // CHECK-LABEL: tt.func @yielded
  // CHECK: ttg.local_alloc %arg0 {allocation.offset = [[INIT:[0-9]+]] : i32}
  // CHECK: scf.for
  // CHECK: ttg.local_alloc %arg1 {allocation.offset = [[OTHER:[0-9]+]] : i32}
  // CHECK-NOT: allocation.offset = [[OTHER]] : i32
  // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = {{[0-9]+}} : i32}
  tt.func @yielded(%a: !tile, %b: !tile, %n: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = ttg.local_alloc %a : (!tile) -> !buffer
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %init) -> (!buffer) : i32 {
      %other = ttg.local_alloc %b : (!tile) -> !buffer
      %x = ttg.local_load %m : !buffer -> !tile
      %y = ttg.local_load %other : !buffer -> !tile
      %s = arith.addf %x, %y : !tile
      %new = ttg.local_alloc %s : (!tile) -> !buffer
      scf.yield %new : !buffer
    }
    %x = ttg.local_load %r : !buffer -> !tile
    tt.return %x : !tile
  }

  // Behind the loop the yielded buffer is alive until its last use, and so is the first one, which it is if the loop
  // does not run.
  // CHECK-LABEL: tt.func @behind
  // CHECK: ttg.local_alloc %arg0 {allocation.offset = 0 : i32}
  // CHECK: scf.for
  // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 16384 : i32}
  // CHECK: ttg.local_alloc %arg1 {allocation.offset = 32768 : i32}
  tt.func @behind(%a: !tile, %b: !tile, %n: i32) -> (!tile, !tile) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = ttg.local_alloc %a : (!tile) -> !buffer
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %init) -> (!buffer) : i32 {
      %x = ttg.local_load %m : !buffer -> !tile
      %new = ttg.local_alloc %x : (!tile) -> !buffer
      scf.yield %new : !buffer
    }
    %o = ttg.local_alloc %b : (!tile) -> !buffer
    %x = ttg.local_load %r : !buffer -> !tile
    %y = ttg.local_load %o : !buffer -> !tile
    tt.return %x, %y : !tile, !tile
  }

  // A buffer from outside is read again by the next iteration.
  // CHECK-LABEL: tt.func @from_outside
  // CHECK: ttg.local_alloc %arg0 {allocation.offset = 0 : i32}
  // CHECK: scf.while
  // CHECK: ttg.local_alloc %arg1 {allocation.offset = 16384 : i32}
  tt.func @from_outside(%a: !tile, %b: !tile, %c: i1) {
    %m = ttg.local_alloc %a : (!tile) -> !buffer
    scf.while : () -> () {
      %x = ttg.local_load %m : !buffer -> !tile
      scf.condition(%c)
    } do {
      %o = ttg.local_alloc %b : (!tile) -> !buffer
      %y = ttg.local_load %o : !buffer -> !tile
      scf.yield
    }
    tt.return
  }

  // Either of two buffers comes out of a branch; a third one between is apart from both.
  // CHECK-LABEL: tt.func @branch
  // CHECK: scf.if
  // CHECK: ttg.local_alloc %arg0 {allocation.offset = 0 : i32}
  // CHECK: ttg.local_alloc %arg1 {allocation.offset = 16384 : i32}
  // CHECK: ttg.local_alloc %arg2 {allocation.offset = 32768 : i32}
  tt.func @branch(%a: !tile, %b: !tile, %c: !tile, %i: i1) -> (!tile, !tile) {
    %r = scf.if %i -> (!buffer) {
      %m = ttg.local_alloc %a : (!tile) -> !buffer
      scf.yield %m : !buffer
    } else {
      %n = ttg.local_alloc %b : (!tile) -> !buffer
      scf.yield %n : !buffer
    }
    %o = ttg.local_alloc %c : (!tile) -> !buffer
    %x = ttg.local_load %r : !buffer -> !tile
    %y = ttg.local_load %o : !buffer -> !tile
    tt.return %x, %y : !tile, !tile
  }

  // Blocks whose order in the text is not that in which they run.
  // CHECK-LABEL: tt.func @blocks
  // CHECK: ttg.local_alloc %arg0 {allocation.offset = 0 : i32}
  // CHECK: ttg.local_alloc %arg1 {allocation.offset = 16384 : i32}
  tt.func @blocks(%a: !tile, %b: !tile, %c: i1) -> (!tile, !tile) {
    %m = ttg.local_alloc %a : (!tile) -> !buffer
    cf.br ^bb2(%m : !buffer)
  ^bb1(%k: !buffer):
    %x = ttg.local_load %k : !buffer -> !tile
    tt.return %x, %x : !tile, !tile
  ^bb2(%l: !buffer):
    %o = ttg.local_alloc %b : (!tile) -> !buffer
    %y = ttg.local_load %o : !buffer -> !tile
    cf.cond_br %c, ^bb1(%l : !buffer), ^bb1(%o : !buffer)
  }

  // Views keep their buffer alive.
  // CHECK-LABEL: tt.func @views
  // CHECK: ttg.local_alloc {allocation.offset = 0 : i32}
  // CHECK: ttg.local_alloc %arg0 {allocation.offset = 32768 : i32}
  tt.func @views(%a: !tile) -> (!tile, !tile) {
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf32, #s3, #smem, mutable>
    %v = ttg.memdesc_index %m[%c1] : !ttg.memdesc<2x64x64xf32, #s3, #smem, mutable> -> !buffer
    ttg.local_store %a, %v : !tile -> !buffer
    %o = ttg.local_alloc %a : (!tile) -> !buffer
    %y = ttg.local_load %o : !buffer -> !tile
    %x = ttg.local_load %v : !buffer -> !tile
    tt.return %x, %y : !tile, !tile
  }

  // Nobody reads what is copied, but it arrives all the same: until the wait the bytes are taken.
  // CHECK-LABEL: tt.func @under_way
  // CHECK: ttg.local_alloc {allocation.offset = 0 : i32}
  // CHECK: ttg.local_alloc %arg1 {allocation.offset = 16384 : i32}
  // CHECK: ttg.async_wait
  // CHECK: ttg.local_alloc %arg1 {allocation.offset = 0 : i32}
  tt.func @under_way(%p: !ptrs, %a: !tile) -> (!tile, !tile) {
    %m = ttg.local_alloc : () -> !buffer
    %t = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %t
    %n = ttg.local_alloc %a : (!tile) -> !buffer
    %x = ttg.local_load %n : !buffer -> !tile
    %w = ttg.async_wait %g {num = 0 : i32}
    %o = ttg.local_alloc %a : (!tile) -> !buffer
    %y = ttg.local_load %o : !buffer -> !tile
    tt.return %x, %y : !tile, !tile
  }

  // A wait that lets one group run on has not ended it.
  // CHECK-LABEL: tt.func @wait_for_others
  // CHECK: ttg.local_alloc {allocation.offset = 0 : i32}
  // CHECK: ttg.local_alloc %arg1 {allocation.offset = 16384 : i32}
  tt.func @wait_for_others(%p: !ptrs, %a: !tile) -> !tile {
    %m = ttg.local_alloc : () -> !buffer
    %t = ttg.async_copy_global_to_local %p, %m : !ptrs -> !buffer
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 1 : i32}
    %n = ttg.local_alloc %a : (!tile) -> !buffer
    %x = ttg.local_load %n : !buffer -> !tile
    tt.return %x : !tile
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!tile = tensor<64x64xf32, #b>
!buffer = !ttg.memdesc<64x64xf32, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // One buffer cannot hold what this iteration makes and what the last one made.
  tt.func @twice_alive(%a: !tile, %n: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = ttg.local_alloc %a : (!tile) -> !buffer
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %init) -> (!buffer) : i32 {
      // expected-error @below {{this buffer is made again while the one that was made before is still in use}}
      %new = ttg.local_alloc %a : (!tile) -> !buffer
      %x = ttg.local_load %m : !buffer -> !tile
      scf.yield %new : !buffer
    }
    %x = ttg.local_load %r : !buffer -> !tile
    tt.return %x : !tile
  }
}

// -----

// A small factor is kept until the next product, before which there is a barrier in any case. Then its memory is free.
#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @factors
  // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32
  // CHECK: ttg.local_alloc {{.*}}allocation.offset = 4096 : i32
  // CHECK: ttg.local_dot
  // CHECK: ttg.local_alloc {{.*}}allocation.offset = 8192 : i32
  // CHECK: ttg.local_dot
  // CHECK: ttg.local_alloc {{.*}}allocation.offset = 4096 : i32
  // CHECK: ttg.local_dot
  // CHECK: ttg.local_alloc {{.*}}allocation.offset = 8192 : i32
  // CHECK: ttg.local_dot
  tt.func @factors(%a: tensor<32x32xf32, #blocked>, %b: tensor<32x32xf32, #blocked>, %c: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    %x = ttg.local_alloc %a : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %y = ttg.local_alloc %b : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %d = ttg.local_dot %x, %y, %c : !ttg.memdesc<32x32xf32, #shared, #smem> * !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #blocked>
    %y2 = ttg.local_alloc %d : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %d2 = ttg.local_dot %x, %y2, %c : !ttg.memdesc<32x32xf32, #shared, #smem> * !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #blocked>
    %y3 = ttg.local_alloc %d2 : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %d3 = ttg.local_dot %x, %y3, %c : !ttg.memdesc<32x32xf32, #shared, #smem> * !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #blocked>
    %y4 = ttg.local_alloc %d3 : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %d4 = ttg.local_dot %x, %y4, %c : !ttg.memdesc<32x32xf32, #shared, #smem> * !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #blocked>
    tt.return %d4 : tensor<32x32xf32, #blocked>
  }
}
