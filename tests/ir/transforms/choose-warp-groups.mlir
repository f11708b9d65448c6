// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:90a num-warps=4" --nereid-ttg-coalesce --nereid-ttg-choose-matrix-instructions="target=cuda:90a" | FileCheck %s

// Both operands come from memory, so that they need not pass through registers. The right one's rows are contiguous,
// and it is wider than the longest swizzle.
// CHECK-DAG: #[[MMA:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
// CHECK-DAG: #[[WIDE:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[NARROW:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-LABEL: tt.func @halves
// CHECK: %[[A:.+]] = ttg.local_alloc %{{.*}} {alignment = 512 : i32} : (tensor<64x32xf16, {{.*}}>) -> !ttg.memdesc<64x32xf16, #[[NARROW]], #smem>
// CHECK: %[[B:.+]] = ttg.local_alloc %{{.*}} {alignment = 1024 : i32} : (tensor<32x128xf16, {{.*}}>) -> !ttg.memdesc<32x128xf16, #[[WIDE]], #smem>
// CHECK: ttng.fence_async_shared
// CHECK-NEXT: ttng.warp_group_dot %[[A]], %[[B]], %{{.*}} -> tensor<64x128xf32, #[[MMA]]>
tt.func @halves(%x: tensor<64x32x!tt.ptr<f16>> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128x!tt.ptr<f16>> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %a = tt.load %x : tensor<64x32x!tt.ptr<f16>>
  %b = tt.load %y : tensor<32x128x!tt.ptr<f16>>
  %d = tt.dot %a, %b, %c : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32>
  tt.return %d : tensor<64x128xf32>
}

// -----

// What was computed stays in registers, and a transposition is another view of the same memory.
// CHECK-LABEL: tt.func @computed
// CHECK: %[[K:.+]] = ttg.local_alloc
// CHECK: %[[T:.+]] = ttg.memdesc_trans %[[K]] {order = array<i32: 1, 0>}
// CHECK: ttng.warp_group_dot %{{[^,]*}}, %[[T]], {{.*}} : tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> *
tt.func @computed(%q: tensor<64x64xbf16>, %y: tensor<128x64x!tt.ptr<bf16>>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %k = tt.load %y : tensor<128x64x!tt.ptr<bf16>>
  %t = tt.trans %k {order = array<i32: 1, 0>} : tensor<128x64xbf16> -> tensor<64x128xbf16>
  %n = arith.negf %q : tensor<64x64xbf16>
  %d = tt.dot %n, %t, %c : tensor<64x64xbf16> * tensor<64x128xbf16> -> tensor<64x128xf32>
  tt.return %d : tensor<64x128xf32>
}

// -----

// What was computed on the way to memory lies there as it was loaded: with its columns contiguous.
// CHECK-DAG: #[[COLUMNS:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: tt.func @widened
// CHECK: %[[B:.+]] = ttg.local_alloc %{{.*}} {alignment = 1024 : i32} : (tensor<64x128xbf16, {{.*}}>) -> !ttg.memdesc<64x128xbf16, #[[COLUMNS]], #smem>
// CHECK: ttng.warp_group_dot %{{[^,]*}}, %[[B]]
tt.func @widened(%x: tensor<64x64xbf16>, %y: tensor<64x128x!tt.ptr<f8E4M3FN>> {tt.contiguity = dense<[64, 1]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %b = tt.load %y : tensor<64x128x!tt.ptr<f8E4M3FN>>
  %w = tt.fp_to_fp %b : tensor<64x128xf8E4M3FN> -> tensor<64x128xbf16>
  %s = arith.mulf %w, %w : tensor<64x128xbf16>
  %d = tt.dot %x, %s, %c : tensor<64x64xbf16> * tensor<64x128xbf16> -> tensor<64x128xf32>
  tt.return %d : tensor<64x128xf32>
}

// -----

// What is loaded element by element, lanes along rows, is 8 neighbours of a column in each thread: columns are contiguous,
// so that these are stored in one go.
// CHECK-DAG: #[[COLUMNS:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: tt.func @elements
// CHECK: %[[B:.+]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x128xf16, #[[COLUMNS]], #smem>
// CHECK: ttng.warp_group_dot %{{[^,]*}}, %[[B]]
tt.func @elements(%x: tensor<64x32xf16>, %y: tensor<32x128x!tt.ptr<f16>>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %b = tt.load %y : tensor<32x128x!tt.ptr<f16>>
  %d = tt.dot %x, %b, %c : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32>
  tt.return %d : tensor<64x128xf32>
}

// -----

// Fewer rows than a group of four warps has.
// CHECK-LABEL: tt.func @low
// CHECK: tt.dot {{.*}} -> tensor<32x128xf32, #mma
tt.func @low(%a: tensor<32x32xf16>, %b: tensor<32x128xf16>, %c: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %d = tt.dot %a, %b, %c : tensor<32x32xf16> * tensor<32x128xf16> -> tensor<32x128xf32>
  tt.return %d : tensor<32x128xf32>
}

// -----

// Operands that do not fit into shared memory together.
// CHECK-LABEL: tt.func @large
// CHECK: tt.dot {{.*}} -> tensor<256x256xf32, #mma
tt.func @large(%x: tensor<256x256x!tt.ptr<f16>>, %y: tensor<256x256x!tt.ptr<f16>>, %c: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %a = tt.load %x : tensor<256x256x!tt.ptr<f16>>
  %b = tt.load %y : tensor<256x256x!tt.ptr<f16>>
  %d = tt.dot %a, %b, %c : tensor<256x256xf16> * tensor<256x256xf16> -> tensor<256x256xf32>
  tt.return %d : tensor<256x256xf32>
}

// -----

// An operand of which each thread would hold 2048 elements stays in memory, where threads multiply one by one.
// CHECK-LABEL: tt.func @deep
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #blocked
tt.func @deep(%x: tensor<64x4096x!tt.ptr<f16>>, %y: tensor<4096x64x!tt.ptr<f16>>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = tt.load %x : tensor<64x4096x!tt.ptr<f16>>
  %b = tt.load %y : tensor<4096x64x!tt.ptr<f16>>
  %d = tt.dot %a, %b, %c : tensor<64x4096xf16> * tensor<4096x64xf16> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// -----

// What all rounds use stays in registers if they are enough: 64 of sums and 64 of scores leave room for the queries' 16.
// CHECK-LABEL: tt.func @kept
// CHECK: scf.for
// CHECK: ttng.warp_group_dot {{.*}} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #{{.*}}, kWidth = 2}>> *
// CHECK: ttng.warp_group_dot {{.*}} : tensor<64x128xf16, #ttg.dot_op<
tt.func @kept(%x: tensor<64x64x!tt.ptr<f16>>, %y: tensor<64x128x!tt.ptr<f16>>, %z: tensor<128x128x!tt.ptr<f16>>, %n: i32) -> tensor<64x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %q = tt.load %x : tensor<64x64x!tt.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = tt.load %y : tensor<64x128x!tt.ptr<f16>>
    %s = tt.dot %q, %k, %zero : tensor<64x64xf16> * tensor<64x128xf16> -> tensor<64x128xf32>
    %p = arith.truncf %s : tensor<64x128xf32> to tensor<64x128xf16>
    %v = tt.load %z : tensor<128x128x!tt.ptr<f16>>
    %d = tt.dot %p, %v, %sum : tensor<64x128xf16> * tensor<128x128xf16> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.return %r : tensor<64x128xf32>
}

// -----

// With 128 of sums and 64 of scores the queries' 64 are too many. The product reads them in memory, where they are put
// before the loop.
// CHECK-LABEL: tt.func @in_memory
// CHECK: scf.for
// CHECK: ttng.warp_group_dot {{.*}} : !ttg.memdesc<128x128xf16, {{.*}}> * !ttg.memdesc<128x64xf16
// CHECK: ttng.warp_group_dot {{.*}} : tensor<128x64xf16, #ttg.dot_op<
tt.func @in_memory(%x: tensor<128x128x!tt.ptr<f16>>, %y: tensor<128x64x!tt.ptr<f16>>, %z: tensor<64x128x!tt.ptr<f16>>, %n: i32) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %q = tt.load %x : tensor<128x128x!tt.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
    %k = tt.load %y : tensor<128x64x!tt.ptr<f16>>
    %s = tt.dot %q, %k, %none : tensor<128x128xf16> * tensor<128x64xf16> -> tensor<128x64xf32>
    %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tt.load %z : tensor<64x128x!tt.ptr<f16>>
    %d = tt.dot %p, %v, %sum : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tt.return %r : tensor<128x128xf32>
}

// -----

// What is loaded in one case only lies as it was loaded, too: depth is contiguous.
// CHECK: #[[COLUMNS:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true
// CHECK-LABEL: @choice
// CHECK: %[[STATE:.+]] = scf.if
// CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<64x64xf16, #[[COLUMNS]], #smem>
// CHECK: ttng.warp_group_dot
module {
  tt.func public @choice(%p: tensor<64x64x!tt.ptr<f16>>, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: tensor<64x64x!tt.ptr<f32>>, %begins: i1) {
    %none = arith.constant dense<0.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %state = scf.if %begins -> (tensor<64x64xf16>) {
      scf.yield %none : tensor<64x64xf16>
    } else {
      %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
      %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %width = arith.constant dense<64> : tensor<1x64xi32>
      %offsets = arith.muli %columns, %width : tensor<1x64xi32>
      %r = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
      %c = tt.broadcast %offsets : tensor<1x64xi32> -> tensor<64x64xi32>
      %o = arith.addi %r, %c : tensor<64x64xi32>
      %base = tt.splat %q : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
      %at = tt.addptr %base, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %b = tt.load %at : tensor<64x64x!tt.ptr<f16>>
      scf.yield %b : tensor<64x64xf16>
    }
    %d = tt.dot %a, %state, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    tt.store %out, %d : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// Threads can read words of a left factor's columns, which the unit can't.
// CHECK-LABEL: tt.func @words
// CHECK: %[[B:.+]] = ttg.local_alloc
// CHECK-NOT: ttg.local_alloc
// CHECK: ttng.warp_group_dot %{{[^,]*}}, %[[B]], {{.*}} : tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> *
tt.func @words(%x: tensor<64x32x!tt.ptr<f32>> {tt.contiguity = dense<[64, 1]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128x!tt.ptr<f32>> {tt.contiguity = dense<[32, 1]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %a = tt.load %x : tensor<64x32x!tt.ptr<f32>>
  %b = tt.load %y : tensor<32x128x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
  tt.return %d : tensor<64x128xf32>
}

// -----

// Sums of fp8 are in f16 where those are asked for, in half the registers; other units than the group's have them in f32.
// CHECK-LABEL: tt.func @narrow_sums
// CHECK: ttng.warp_group_dot {{.*}}f8E4M3FN{{.*}} -> tensor<64x128xf16, #mma>
// CHECK-NOT: arith.truncf
// CHECK: ttng.warp_group_dot {{.*}}f8E5M2{{.*}} -> tensor<64x128xf32, #mma>
// CHECK: tt.return
tt.func @narrow_sums(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<64x128xf16>, %x: tensor<64x64xf8E5M2>, %y: tensor<64x128xf8E5M2>, %z: tensor<64x128xf32>) -> (tensor<64x128xf16>, tensor<64x128xf32>) {
  %d = tt.dot %a, %b, %c : tensor<64x64xf8E4M3FN> * tensor<64x128xf8E4M3FN> -> tensor<64x128xf16>
  %e = tt.dot %x, %y, %z : tensor<64x64xf8E5M2> * tensor<64x128xf8E5M2> -> tensor<64x128xf32>
  tt.return %d, %e : tensor<64x128xf16>, tensor<64x128xf32>
}
