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
