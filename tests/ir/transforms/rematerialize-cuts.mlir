// RUN: nereid-opt %s --nereid-ttg-rematerialize --canonicalize --cse | FileCheck %s
// RUN: sed 's/^module attributes {/&ttg.maxnreg = 128 : i32, /' %s > %t.mlir
// RUN: nereid-opt %t.mlir --nereid-ttg-rematerialize --canonicalize --cse | FileCheck %s --check-prefix=LIMIT

// What a conversion is made of is converted in its place where that is less.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  // A tile of halves and a column, not their product in f32.
  // CHECK-LABEL: @product
  // CHECK-SAME: %[[TILE:.+]]: tensor<128x128xbf16, #{{.+}}>, %[[COLUMN:.+]]: tensor<128xf32,
  // CHECK-NOT: tensor<128x128xf32, #blocked>
  // CHECK-DAG: ttg.convert_layout %[[TILE]] : {{.*}} -> tensor<128x128xbf16, #mma>
  // CHECK-DAG: ttg.convert_layout %[[COLUMN]] : {{.*}} -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
  // CHECK: arith.mulf {{.*}} : tensor<128x128xf32, #mma>
  // CHECK: tt.return
  tt.func @product(%tile: tensor<128x128xbf16, #blocked>, %column: tensor<128xf32, #rows>) -> tensor<128x128xf32, #mma> {
    %c = tt.expand_dims %column {axis = 1 : i32} : tensor<128xf32, #rows> -> tensor<128x1xf32, #blocked>
    %b = tt.broadcast %c : tensor<128x1xf32, #blocked> -> tensor<128x128xf32, #blocked>
    %x = arith.extf %tile : tensor<128x128xbf16, #blocked> to tensor<128x128xf32, #blocked>
    %y = arith.mulf %x, %b : tensor<128x128xf32, #blocked>
    %r = ttg.convert_layout %y : tensor<128x128xf32, #blocked> -> tensor<128x128xf32, #mma>
    tt.return %r : tensor<128x128xf32, #mma>
  }

  // Bytes, once, not the low bits of each and its high ones.
  // CHECK-LABEL: @nibbles
  // CHECK-SAME: %[[BYTES:.+]]: tensor<64x64xi8
  // CHECK: ttg.convert_layout %[[BYTES]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @nibbles(%bytes: tensor<64x64xi8, #blocked>) -> (tensor<64x64xf16, #left>, tensor<64x64xf16, #left>) {
    %four = arith.constant dense<4> : tensor<64x64xi8, #blocked>
    %shifted = arith.shli %bytes, %four : tensor<64x64xi8, #blocked>
    %low = arith.shrsi %shifted, %four : tensor<64x64xi8, #blocked>
    %high = arith.shrsi %bytes, %four : tensor<64x64xi8, #blocked>
    %l = arith.sitofp %low : tensor<64x64xi8, #blocked> to tensor<64x64xf16, #blocked>
    %h = arith.sitofp %high : tensor<64x64xi8, #blocked> to tensor<64x64xf16, #blocked>
    %0 = ttg.convert_layout %l : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #left>
    %1 = ttg.convert_layout %h : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #left>
    tt.return %0, %1 : tensor<64x64xf16, #left>, tensor<64x64xf16, #left>
  }

  // Where what is narrowed was two wide tiles, their result.
  // CHECK-LABEL: @narrowed
  // CHECK: arith.truncf {{.*}} to tensor<128x128xbf16, #blocked>
  // CHECK: ttg.convert_layout {{.*}} : tensor<128x128xbf16, #blocked> -> tensor<128x128xbf16, #mma>
  // CHECK-NEXT: tt.return
  tt.func @narrowed(%a: tensor<128x128xf32, #blocked>, %b: tensor<128x128xf32, #blocked>) -> tensor<128x128xbf16, #mma> {
    %x = arith.mulf %a, %b : tensor<128x128xf32, #blocked>
    %n = arith.truncf %x : tensor<128x128xf32, #blocked> to tensor<128x128xbf16, #blocked>
    %r = ttg.convert_layout %n : tensor<128x128xbf16, #blocked> -> tensor<128x128xbf16, #mma>
    tt.return %r : tensor<128x128xbf16, #mma>
  }

  // A tile that is converted for another use as well; but not if it would take 32 of 128 registers until then. One
  // of 16 may stay.
  // CHECK-LABEL: @shared
  // CHECK-COUNT-2: ttg.convert_layout {{.*}}xbf16,
  // CHECK-NOT: tensor<64x128xf32, #blocked>
  // CHECK: tt.return
  // LIMIT-LABEL: @shared
  // LIMIT-DAG: ttg.convert_layout {{.*}} : tensor<64x128xbf16, #blocked> -> tensor<64x128xbf16, #mma>
  // LIMIT-DAG: ttg.convert_layout {{.*}} : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #mma>
  // LIMIT-DAG: ttg.convert_layout {{.*}} : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #mma>
  // LIMIT-NOT: tensor<64x64xf32, #blocked>
  // LIMIT: tt.return
  tt.func @shared(%p: tensor<64x128x!tt.ptr<bf16>, #blocked>, %q: tensor<64x64x!tt.ptr<bf16>, #blocked>, %column: tensor<64xf32, #rows>, %c: tensor<64x128xf32, #mma>, %d: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64x128xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c, %t = %d) -> (tensor<64x128xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %tile = tt.load %p {isVolatile = true} : tensor<64x128x!tt.ptr<bf16>, #blocked>
      %small = tt.load %q {isVolatile = true} : tensor<64x64x!tt.ptr<bf16>, #blocked>
      %k = tt.expand_dims %column {axis = 1 : i32} : tensor<64xf32, #rows> -> tensor<64x1xf32, #blocked>
      %b = tt.broadcast %k : tensor<64x1xf32, #blocked> -> tensor<64x128xf32, #blocked>
      %x = arith.extf %tile : tensor<64x128xbf16, #blocked> to tensor<64x128xf32, #blocked>
      %y = arith.mulf %x, %b : tensor<64x128xf32, #blocked>
      %f = ttg.convert_layout %y : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #mma>
      %s1 = arith.addf %s, %f : tensor<64x128xf32, #mma>
      %g = ttg.convert_layout %tile : tensor<64x128xbf16, #blocked> -> tensor<64x128xbf16, #mma>
      %h = arith.extf %g : tensor<64x128xbf16, #mma> to tensor<64x128xf32, #mma>
      %s2 = arith.mulf %s1, %h : tensor<64x128xf32, #mma>
      %b1 = tt.broadcast %k : tensor<64x1xf32, #blocked> -> tensor<64x64xf32, #blocked>
      %x1 = arith.extf %small : tensor<64x64xbf16, #blocked> to tensor<64x64xf32, #blocked>
      %y1 = arith.mulf %x1, %b1 : tensor<64x64xf32, #blocked>
      %f1 = ttg.convert_layout %y1 : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #mma>
      %t1 = arith.addf %t, %f1 : tensor<64x64xf32, #mma>
      %g1 = ttg.convert_layout %small : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #mma>
      %h1 = arith.extf %g1 : tensor<64x64xbf16, #mma> to tensor<64x64xf32, #mma>
      %t2 = arith.mulf %t1, %h1 : tensor<64x64xf32, #mma>
      scf.yield %s2, %t2 : tensor<64x128xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x128xf32, #mma>, tensor<64x64xf32, #mma>
  }
}
