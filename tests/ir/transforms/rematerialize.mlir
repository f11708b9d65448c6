// RUN: nereid-opt %s --nereid-ttg-rematerialize --canonicalize --cse --split-input-file | FileCheck %s

#narrow = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #tile}>
#flat = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#quad = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[NARROW:.+]] = #ttg.blocked<{sizePerThread = [1],
// CHECK-DAG: #[[WIDE:.+]] = #ttg.blocked<{sizePerThread = [4],
// CHECK-DAG: #[[TILE:.+]] = #ttg.blocked<{sizePerThread = [1, 8],
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Indices are computed in both layouts.
  // CHECK-LABEL: tt.func @indices
  // CHECK-NOT: ttg.convert_layout
  // CHECK-DAG: arith.addi {{.*}} : tensor<1024xi32, #[[NARROW]]>
  // CHECK-DAG: arith.addi {{.*}} : tensor<1024xi32, #[[WIDE]]>
  tt.func @indices(%n: i32) -> (tensor<1024xi32, #narrow>, tensor<1024xi32, #wide>) {
    %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #narrow>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #narrow>
    %i = arith.addi %range, %ns : tensor<1024xi32, #narrow>
    %j = ttg.convert_layout %i : tensor<1024xi32, #narrow> -> tensor<1024xi32, #wide>
    tt.return %i, %j : tensor<1024xi32, #narrow>, tensor<1024xi32, #wide>
  }

  // Loaded data is not loaded again, nor are exponentials computed twice.
  // CHECK-LABEL: tt.func @data
  // CHECK: tt.load
  // CHECK: math.exp
  // CHECK: ttg.convert_layout
  tt.func @data(%p: tensor<8192x!tt.ptr<f32>, #narrow>) -> (tensor<8192xf32, #narrow>, tensor<8192xf32, #wide>) {
    %x = tt.load %p : tensor<8192x!tt.ptr<f32>, #narrow>
    %e = math.exp %x : tensor<8192xf32, #narrow>
    %w = ttg.convert_layout %e : tensor<8192xf32, #narrow> -> tensor<8192xf32, #wide>
    tt.return %e, %w : tensor<8192xf32, #narrow>, tensor<8192xf32, #wide>
  }

  // A row of weights is loaded by each warp as it needs it.
  // CHECK-LABEL: tt.func @weights
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.load {{.*}} : tensor<256x!tt.ptr<f16>, #ttg.slice<{dim = 0, parent = #[[TILE]]}>>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @weights(%w: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<1x256xf16, #tile> {
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #narrow>
    %bases = tt.splat %w : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #narrow>
    %p = tt.addptr %bases, %range : tensor<256x!tt.ptr<f16>, #narrow>, tensor<256xi32, #narrow>
    %x = tt.load %p : tensor<256x!tt.ptr<f16>, #narrow>
    %c = ttg.convert_layout %x : tensor<256xf16, #narrow> -> tensor<256xf16, #row>
    %e = tt.expand_dims %c {axis = 0 : i32} : tensor<256xf16, #row> -> tensor<1x256xf16, #tile>
    tt.return %e : tensor<1x256xf16, #tile>
  }

  // A volatile load happens once.
  // CHECK-LABEL: tt.func @volatile
  // CHECK: tt.load {{.*}} #[[NARROW]]>
  // CHECK: ttg.convert_layout
  tt.func @volatile(%w: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<256xf16, #row> {
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #narrow>
    %bases = tt.splat %w : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #narrow>
    %p = tt.addptr %bases, %range : tensor<256x!tt.ptr<f16>, #narrow>, tensor<256xi32, #narrow>
    %x = tt.load %p {isVolatile = true} : tensor<256x!tt.ptr<f16>, #narrow>
    %c = ttg.convert_layout %x : tensor<256xf16, #narrow> -> tensor<256xf16, #row>
    tt.return %c : tensor<256xf16, #row>
  }

  // Narrow elements travel, wide ones do not.
  // CHECK-LABEL: tt.func @casts
  // CHECK: ttg.convert_layout {{.*}} : tensor<8192xf16, #[[NARROW]]> -> tensor<8192xf16, #[[WIDE]]>
  // CHECK: arith.extf {{.*}} #[[WIDE]]>
  // CHECK: arith.truncf {{.*}} #[[NARROW]]>
  // CHECK: ttg.convert_layout {{.*}} : tensor<8192xf16, #[[NARROW]]> -> tensor<8192xf16, #[[WIDE]]>
  tt.func @casts(%p: tensor<8192x!tt.ptr<f16>, #narrow>, %q: tensor<8192x!tt.ptr<f32>, #narrow>) -> (tensor<8192xf32, #wide>, tensor<8192xf16, #wide>) {
    %x = tt.load %p : tensor<8192x!tt.ptr<f16>, #narrow>
    %e = arith.extf %x : tensor<8192xf16, #narrow> to tensor<8192xf32, #narrow>
    %w = ttg.convert_layout %e : tensor<8192xf32, #narrow> -> tensor<8192xf32, #wide>
    %y = tt.load %q : tensor<8192x!tt.ptr<f32>, #narrow>
    %v = ttg.convert_layout %y : tensor<8192xf32, #narrow> -> tensor<8192xf32, #wide>
    %t = arith.truncf %v : tensor<8192xf32, #wide> to tensor<8192xf16, #wide>
    tt.return %w, %t : tensor<8192xf32, #wide>, tensor<8192xf16, #wide>
  }

  // One range for rows and columns of a square is wanted in two layouts, one of which it has already.
  // CHECK-LABEL: tt.func @square
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @square(%m: i32, %n: i32) -> tensor<32x32xi32, #quad> {
    %start = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #quad}>>
    %range = arith.addi %start, %start : tensor<32xi32, #ttg.slice<{dim = 1, parent = #quad}>>
    %ci = ttg.convert_layout %range : tensor<32xi32, #ttg.slice<{dim = 1, parent = #quad}>> -> tensor<32xi32, #ttg.slice<{dim = 1, parent = #flat}>>
    %ms = tt.splat %m : i32 -> tensor<32xi32, #ttg.slice<{dim = 1, parent = #flat}>>
    %i = arith.addi %ci, %ms : tensor<32xi32, #ttg.slice<{dim = 1, parent = #flat}>>
    %ei = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #flat}>> -> tensor<32x1xi32, #flat>
    %bi = tt.broadcast %ei : tensor<32x1xi32, #flat> -> tensor<32x32xi32, #flat>
    %cj = ttg.convert_layout %range : tensor<32xi32, #ttg.slice<{dim = 1, parent = #quad}>> -> tensor<32xi32, #ttg.slice<{dim = 0, parent = #flat}>>
    %ns = tt.splat %n : i32 -> tensor<32xi32, #ttg.slice<{dim = 0, parent = #flat}>>
    %j = arith.addi %cj, %ns : tensor<32xi32, #ttg.slice<{dim = 0, parent = #flat}>>
    %ej = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #flat}>> -> tensor<1x32xi32, #flat>
    %bj = tt.broadcast %ej : tensor<1x32xi32, #flat> -> tensor<32x32xi32, #flat>
    %s = arith.addi %bi, %bj : tensor<32x32xi32, #flat>
    %r = ttg.convert_layout %s : tensor<32x32xi32, #flat> -> tensor<32x32xi32, #quad>
    tt.return %r : tensor<32x32xi32, #quad>
  }

  // What is loaded in another layout is marked.
  // CHECK-LABEL: tt.func public @store_behind
  // CHECK: tt.load {{.*}} {ttg.moved} {{.*}} #ttg.slice<{dim = 0, parent = #[[TILE]]}>>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @store_behind(%w: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: tensor<1x256x!tt.ptr<f16>, #tile>) {
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #narrow>
    %bases = tt.splat %w : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #narrow>
    %p = tt.addptr %bases, %range : tensor<256x!tt.ptr<f16>, #narrow>, tensor<256xi32, #narrow>
    %x = tt.load %p : tensor<256x!tt.ptr<f16>, #narrow>
    %c = ttg.convert_layout %x : tensor<256xf16, #narrow> -> tensor<256xf16, #row>
    %e = tt.expand_dims %c {axis = 0 : i32} : tensor<256xf16, #row> -> tensor<1x256xf16, #tile>
    tt.store %q, %e : tensor<1x256x!tt.ptr<f16>, #tile>
    tt.return
  }

  // Other programs may be adding to this memory: each element is loaded once.
  // CHECK-LABEL: tt.func public @contested
  // CHECK: tt.load
  // CHECK-NOT: tt.load
  // CHECK: ttg.convert_layout
  // CHECK-NOT: tt.load
  // CHECK: tt.return
  tt.func public @contested(%w: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> (tensor<1x256xf16, #tile>, tensor<256xf16, #narrow>) {
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #narrow>
    %bases = tt.splat %w : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #narrow>
    %p = tt.addptr %bases, %range : tensor<256x!tt.ptr<f16>, #narrow>, tensor<256xi32, #narrow>
    %x = tt.load %p : tensor<256x!tt.ptr<f16>, #narrow>
    %c = ttg.convert_layout %x : tensor<256xf16, #narrow> -> tensor<256xf16, #row>
    %e = tt.expand_dims %c {axis = 0 : i32} : tensor<256xf16, #row> -> tensor<1x256xf16, #tile>
    %old = tt.atomic_rmw fadd, relaxed, gpu, %p, %x : (tensor<256x!tt.ptr<f16>, #narrow>, tensor<256xf16, #narrow>) -> tensor<256xf16, #narrow>
    tt.return %e, %old : tensor<1x256xf16, #tile>, tensor<256xf16, #narrow>
  }

  // A load around the caches that are not shared is made to see what others have written.
  // CHECK-LABEL: tt.func public @around_caches
  // CHECK: tt.load
  // CHECK-NOT: tt.load
  // CHECK: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @around_caches(%w: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<256xf16, #row> {
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #narrow>
    %bases = tt.splat %w : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #narrow>
    %p = tt.addptr %bases, %range : tensor<256x!tt.ptr<f16>, #narrow>, tensor<256xi32, #narrow>
    %x = tt.load %p cacheModifier = cg : tensor<256x!tt.ptr<f16>, #narrow>
    %c = ttg.convert_layout %x : tensor<256xf16, #narrow> -> tensor<256xf16, #row>
    tt.return %c : tensor<256xf16, #row>
  }
}

// -----

#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A row's sum is converted before it is broadcast.
  // CHECK: #[[TILE:.+]] = #ttg.blocked<{sizePerThread = [1, 4]
  // CHECK-LABEL: tt.func @before_broadcast
  // CHECK: %[[C:.+]] = ttg.convert_layout {{.*}} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[TILE]]}>> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
  // CHECK-NEXT: %[[E:.+]] = tt.expand_dims %[[C]]
  // CHECK-NEXT: %[[B:.+]] = tt.broadcast %[[E]]
  // CHECK-NEXT: tt.return %[[B]]
  tt.func @before_broadcast(%x: tensor<64x64xf32, #tile>) -> tensor<64x64xf32, #mma> {
    %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<64x64xf32, #tile>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #tile}>>
    %e = tt.expand_dims %m {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #tile}>> -> tensor<64x1xf32, #tile>
    %b = tt.broadcast %e : tensor<64x1xf32, #tile> -> tensor<64x64xf32, #tile>
    %c = ttg.convert_layout %b : tensor<64x64xf32, #tile> -> tensor<64x64xf32, #mma>
    tt.return %c : tensor<64x64xf32, #mma>
  }

  // What is widened for several users is converted before, in fewer bits.
  // CHECK-LABEL: tt.func @before_widening
  // CHECK-DAG: ttg.convert_layout {{.*}} : tensor<64x64xf16, #[[TILE]]> -> tensor<64x64xf16, #mma>
  // CHECK-DAG: arith.extf {{.*}} : tensor<64x64xf16, #mma> to tensor<64x64xf32, #mma>
  // CHECK-DAG: arith.extf {{.*}} : tensor<64x64xf16, #[[TILE]]> to tensor<64x64xf32, #[[TILE]]>
  // CHECK: tt.return
  tt.func @before_widening(%p: tensor<64x64x!tt.ptr<f16>, #tile>) -> (tensor<64x64xf32, #tile>, tensor<64x64xf32, #mma>) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #tile>
    %w = arith.extf %x : tensor<64x64xf16, #tile> to tensor<64x64xf32, #tile>
    %c = ttg.convert_layout %w : tensor<64x64xf32, #tile> -> tensor<64x64xf32, #mma>
    tt.return %w, %c : tensor<64x64xf32, #tile>, tensor<64x64xf32, #mma>
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#ofTile = #ttg.slice<{dim = 0, parent = #tile}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A row from a pointer that moves on is loaded as it is needed: the loop carries the pointer in that layout, too.
  // CHECK-DAG: #[[ROW:.+]] = #ttg.blocked<{sizePerThread = [1],
  // CHECK-DAG: #[[TILE:.+]] = #ttg.blocked<{sizePerThread = [1, 4],
  // CHECK-LABEL: tt.func @carried
  // CHECK: %[[FIRST:.+]] = tt.addptr {{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[TILE]]}>>
  // CHECK: scf.for {{.*}} = %[[FIRST]])
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.load {{.*}} {ttg.moved} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[TILE]]}>>
  // CHECK: %[[NEXT:.+]] = tt.addptr {{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[TILE]]}>>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield {{.*}}%[[NEXT]] :
  tt.func @carried(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %zero: tensor<16x64xf32, #tile>, %n: i32) -> tensor<16x64xf32, #tile> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<1024> : tensor<64xi32, #row>
    %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %bases = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %first = tt.addptr %bases, %range : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first, %sum = %zero) -> (tensor<64x!tt.ptr<f32>, #row>, tensor<16x64xf32, #tile>) : i32 {
      %v = tt.load %p : tensor<64x!tt.ptr<f32>, #row>
      %w = ttg.convert_layout %v : tensor<64xf32, #row> -> tensor<64xf32, #ofTile>
      %e = tt.expand_dims %w {axis = 0 : i32} : tensor<64xf32, #ofTile> -> tensor<1x64xf32, #tile>
      %b = tt.broadcast %e : tensor<1x64xf32, #tile> -> tensor<16x64xf32, #tile>
      %t = arith.addf %sum, %b : tensor<16x64xf32, #tile>
      %next = tt.addptr %p, %step : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
      scf.yield %next, %t : tensor<64x!tt.ptr<f32>, #row>, tensor<16x64xf32, #tile>
    }
    tt.return %r#1 : tensor<16x64xf32, #tile>
  }
}

// -----

#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#ofWide = #ttg.slice<{dim = 0, parent = #wide}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // What is computed from buffers is read in the layout that is needed, each buffer where it was read before.
  // CHECK-DAG: #[[MMA:.+]] = #ttg.nvidia_mma
  // CHECK-LABEL: tt.func @buffers
  // CHECK-NOT: ttg.convert_layout
  // CHECK: ttg.local_load %{{.*}} -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>>
  // CHECK: ttg.local_load %{{.*}} -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>}>>
  // CHECK: ttg.local_store
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @buffers(%m: !ttg.memdesc<64x64xbf16, #rows, #smem, mutable>, %l: !ttg.memdesc<64xf32, #line, #smem, mutable>, %new: tensor<64x64xbf16, #wide>) -> tensor<64x64xbf16, #a> {
    %x = ttg.local_load %m : !ttg.memdesc<64x64xbf16, #rows, #smem, mutable> -> tensor<64x64xbf16, #wide>
    %g = ttg.local_load %l : !ttg.memdesc<64xf32, #line, #smem, mutable> -> tensor<64xf32, #row>
    ttg.local_store %new, %m : tensor<64x64xbf16, #wide> -> !ttg.memdesc<64x64xbf16, #rows, #smem, mutable>
    %h = ttg.convert_layout %g : tensor<64xf32, #row> -> tensor<64xf32, #ofWide>
    %e = tt.expand_dims %h {axis = 0 : i32} : tensor<64xf32, #ofWide> -> tensor<1x64xf32, #wide>
    %s = tt.broadcast %e : tensor<1x64xf32, #wide> -> tensor<64x64xf32, #wide>
    %f = arith.extf %x : tensor<64x64xbf16, #wide> to tensor<64x64xf32, #wide>
    %y = arith.mulf %f, %s : tensor<64x64xf32, #wide>
    %z = arith.truncf %y : tensor<64x64xf32, #wide> to tensor<64x64xbf16, #wide>
    %c = ttg.convert_layout %z : tensor<64x64xbf16, #wide> -> tensor<64x64xbf16, #a>
    tt.return %c : tensor<64x64xbf16, #a>
  }

  // Four warps beside each other would compute the left factor four times: the product of one goes to all.
  // CHECK-LABEL: tt.func @logarithms
  // CHECK: math.log
  // CHECK: ttg.convert_layout
  tt.func @logarithms(%m: !ttg.memdesc<16x64xf32, #rows, #smem, mutable>) -> tensor<16x64xf32, #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>, kWidth = 1}>> {
    %x = ttg.local_load %m : !ttg.memdesc<16x64xf32, #rows, #smem, mutable> -> tensor<16x64xf32, #wide>
    %y = math.log %x : tensor<16x64xf32, #wide>
    %c = ttg.convert_layout %y : tensor<16x64xf32, #wide> -> tensor<16x64xf32, #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>, kWidth = 1}>>
    tt.return %c : tensor<16x64xf32, #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>, kWidth = 1}>>
  }
}
