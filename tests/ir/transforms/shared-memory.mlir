// RUN: nereid-opt %s --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers --split-input-file | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// Two reductions get bytes of their own, so the loop needs no barrier besides those inside of the reductions.
// CHECK: ttg.shared = 32 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @two_reductions
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.reduce
  // CHECK: allocation.offset = 0 : i32
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.reduce
  // CHECK: allocation.offset = 16 : i32
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func @two_reductions(%p: tensor<1024x!tt.ptr<f32>, #rows>, %q: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #rows>
      %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %0 = arith.maxnumf %a, %b : f32
        tt.reduce.return %0 : f32
      }) : (tensor<1024xf32, #rows>) -> f32
      %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %0 = arith.addf %a, %b : f32
        tt.reduce.return %0 : f32
      }) : (tensor<1024xf32, #rows>) -> f32
      %t = arith.addf %m, %s : f32
      tt.store %q, %t : !tt.ptr<f32>
    }
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A single reduction in a loop meets itself.
  // CHECK-LABEL: tt.func @one_reduction
  // CHECK: scf.for
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: tt.reduce
  tt.func @one_reduction(%p: tensor<1024x!tt.ptr<f32>, #rows>, %q: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #rows>
      %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %0 = arith.maxnumf %a, %b : f32
        tt.reduce.return %0 : f32
      }) : (tensor<1024xf32, #rows>) -> f32
      tt.store %q, %m : !tt.ptr<f32>
    }
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// Large conversions share their bytes, at the price of a barrier between them.
// CHECK: ttg.shared = 16384 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @conversions
  // CHECK: ttg.convert_layout %arg0 {allocation.offset = 0 : i32}
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.convert_layout %arg1 {allocation.offset = 0 : i32}
  tt.func @conversions(%a: tensor<64x64xf32, #rows>, %b: tensor<64x64xf32, #rows>) -> (tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>) {
    %0 = ttg.convert_layout %a : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %1 = ttg.convert_layout %b : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.return %0, %1 : tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>
  }

  // A barrier that is there already is enough; conversions inside a thread need neither memory nor barrier.
  // CHECK-LABEL: tt.func @has_barrier
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func @has_barrier(%a: tensor<64x64xf32, #rows>, %b: tensor<64x64xf32, #rows>) -> (tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>) {
    %0 = ttg.convert_layout %a : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    ttg.local_barrier
    %1 = ttg.convert_layout %b : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.return %0, %1 : tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// A buffer that is alive keeps its bytes.
// CHECK: ttg.shared = 32768 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @buffer
  // CHECK: ttg.local_alloc {allocation.offset = 0 : i32}
  // CHECK: ttg.local_store
  // CHECK: ttg.convert_layout %arg1 {allocation.offset = 16384 : i32}
  // The conversion has a barrier inside, so what was stored can be read.
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @buffer(%a: tensor<64x64xf32, #rows>, %b: tensor<64x64xf32, #rows>) -> (tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    ttg.local_store %a, %m : tensor<64x64xf32, #rows> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    %1 = ttg.convert_layout %b : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %0 = ttg.local_load %m : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> tensor<64x64xf32, #columns>
    ttg.local_store %b, %m : tensor<64x64xf32, #rows> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    %2 = ttg.local_load %m : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> tensor<64x64xf32, #columns>
    tt.return %0, %1, %2 : tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// What a callee needs is scratch memory of the call.
// CHECK: ttg.shared = 32 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @caller
  // CHECK: tt.call @callee(%arg0) {allocation.offset = 0 : i32}
  // CHECK: scf.for
  // A callee may still be reading at its end.
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.call @callee(%arg1) {allocation.offset = 16 : i32}
  tt.func public @caller(%a: tensor<1024xf32, #rows>, %b: tensor<1024xf32, #rows>, %p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = tt.call @callee(%a) : (tensor<1024xf32, #rows>) -> f32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %1 = tt.call @callee(%b) : (tensor<1024xf32, #rows>) -> f32
      %2 = arith.addf %0, %1 : f32
      tt.store %p, %2 : !tt.ptr<f32>
    }
    tt.return
  }
  // CHECK-LABEL: tt.func private @callee
  // CHECK-SAME: ttg.shared = 16 : i32
  tt.func private @callee(%x: tensor<1024xf32, #rows>) -> f32 {
    %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maxnumf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<1024xf32, #rows>) -> f32
    tt.return %m : f32
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// Three buffers are too many to be kept apart, the two reductions beside them are not: no barrier between those.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @smallest_first
  // CHECK: tt.reduce
  // CHECK: allocation.offset = [[FIRST:[0-9]+]] : i32
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.reduce
  // CHECK-NOT: allocation.offset = [[FIRST]] : i32
  // CHECK: ttg.local_alloc
  tt.func @smallest_first(%x: tensor<1024xf32, #rows>, %y: tensor<32x32xf32, #tile>) -> (f32, f32, tensor<32x32xf32, #tile>, tensor<32x32xf32, #tile>, tensor<32x32xf32, #tile>) {
    %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maxnumf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<1024xf32, #rows>) -> f32
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<1024xf32, #rows>) -> f32
    %b1 = ttg.local_alloc %y : (tensor<32x32xf32, #tile>) -> !ttg.memdesc<32x32xf32, #s, #smem>
    %l1 = ttg.local_load %b1 : !ttg.memdesc<32x32xf32, #s, #smem> -> tensor<32x32xf32, #tile>
    %b2 = ttg.local_alloc %y : (tensor<32x32xf32, #tile>) -> !ttg.memdesc<32x32xf32, #s, #smem>
    %l2 = ttg.local_load %b2 : !ttg.memdesc<32x32xf32, #s, #smem> -> tensor<32x32xf32, #tile>
    %b3 = ttg.local_alloc %y : (tensor<32x32xf32, #tile>) -> !ttg.memdesc<32x32xf32, #s, #smem>
    %l3 = ttg.local_load %b3 : !ttg.memdesc<32x32xf32, #s, #smem> -> tensor<32x32xf32, #tile>
    tt.return %m, %s, %l1, %l2, %l3 : f32, f32, tensor<32x32xf32, #tile>, tensor<32x32xf32, #tile>, tensor<32x32xf32, #tile>
  }
}

// -----

// With bytes of its own for the conversion, only one block would fit a multiprocessor; it takes some of the buffer's,
// which nobody needs any more.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 114688 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  tt.func @two_blocks(%p: tensor<64x16x!tt.ptr<f32>, #turned>, %x: tensor<64x16xf32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %ring = ttg.local_alloc : () -> !ttg.memdesc<28x64x16xf32, #shared, #smem, mutable>
    %one = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<28x64x16xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x16xf32, #shared, #smem, mutable, 28x64x16>
    ttg.local_store %x, %one : tensor<64x16xf32, #blocked> -> !ttg.memdesc<64x16xf32, #shared, #smem, mutable, 28x64x16>
    %y = ttg.local_load %one : !ttg.memdesc<64x16xf32, #shared, #smem, mutable, 28x64x16> -> tensor<64x16xf32, #blocked>
    ttg.local_dealloc %ring : !ttg.memdesc<28x64x16xf32, #shared, #smem, mutable>
    %z = ttg.convert_layout %y : tensor<64x16xf32, #blocked> -> tensor<64x16xf32, #turned>
    tt.store %p, %z : tensor<64x16x!tt.ptr<f32>, #turned>
    tt.return
  }
}
