// RUN: nereid-opt %s --nereid-ttg-rematerialize --split-input-file | FileCheck %s
// RUN: sed 's/^module attributes {/&ttg.maxnreg = 128 : i32, /' %s > %t.mlir
// RUN: nereid-opt %t.mlir --nereid-ttg-rematerialize --split-input-file | FileCheck %s --check-prefix=LIMIT

#blocked = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 2], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  // Two sums and the tile take 192 of a thread's registers, too many to keep the tile for the conversion: it is read again.
  // CHECK-LABEL: @short
  // CHECK: scf.for
  // CHECK-DAG: ttg.local_load {{.*}} -> tensor<64x64xf32, #blocked>
  // CHECK-DAG: ttg.local_load {{.*}} -> tensor<64x64xf32, #ttg.dot_op
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  tt.func @short(%m: !ttg.memdesc<64x64xf32, #shared, #smem, mutable>, %a: tensor<64x64xbf16, #left>, %c: tensor<64x64xf32, #mma>, %s: tensor<64x64xf32, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c, %y = %c, %z = %s) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #blocked>) : i32 {
      %h = ttg.local_load %m : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> tensor<64x64xf32, #blocked>
      %w = arith.addf %z, %h : tensor<64x64xf32, #blocked>
      %t = arith.truncf %h : tensor<64x64xf32, #blocked> to tensor<64x64xbf16, #blocked>
      %b = ttg.convert_layout %t : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #right>
      %d = tt.dot %a, %b, %x : tensor<64x64xbf16, #left> * tensor<64x64xbf16, #right> -> tensor<64x64xf32, #mma>
      %e = tt.dot %a, %b, %y : tensor<64x64xbf16, #left> * tensor<64x64xbf16, #right> -> tensor<64x64xf32, #mma>
      scf.yield %d, %e, %w : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #blocked>
    }
    tt.return %r#0, %r#1, %r#2 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #blocked>
  }

  // With one sum there are enough, but not of 128.
  // LIMIT-LABEL: @enough
  // LIMIT: scf.for
  // LIMIT-NOT: ttg.convert_layout
  // LIMIT: scf.yield
  // CHECK-LABEL: @enough
  // CHECK: scf.for
  // CHECK: ttg.convert_layout
  // CHECK: scf.yield
  tt.func @enough(%m: !ttg.memdesc<64x64xf32, #shared, #smem, mutable>, %a: tensor<64x64xbf16, #left>, %c: tensor<64x64xf32, #mma>, %s: tensor<64xf32, #ttg.slice<{dim = 0, parent = #blocked}>>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #ttg.slice<{dim = 0, parent = #blocked}>>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c, %z = %s) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #ttg.slice<{dim = 0, parent = #blocked}>>) : i32 {
      %h = ttg.local_load %m : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> tensor<64x64xf32, #blocked>
      %u = "tt.reduce"(%h) <{axis = 0 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %o = arith.addf %p, %q : f32
        tt.reduce.return %o : f32
      }) : (tensor<64x64xf32, #blocked>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #blocked}>>
      %w = arith.addf %z, %u : tensor<64xf32, #ttg.slice<{dim = 0, parent = #blocked}>>
      %t = arith.truncf %h : tensor<64x64xf32, #blocked> to tensor<64x64xbf16, #blocked>
      %b = ttg.convert_layout %t : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #right>
      %d = tt.dot %a, %b, %x : tensor<64x64xbf16, #left> * tensor<64x64xbf16, #right> -> tensor<64x64xf32, #mma>
      scf.yield %d, %w : tensor<64x64xf32, #mma>, tensor<64xf32, #ttg.slice<{dim = 0, parent = #blocked}>>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64xf32, #ttg.slice<{dim = 0, parent = #blocked}>>
  }
}

// -----

#column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#plain = #ttg.swizzled_shared<{vec = 4, perPhase = 32, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  // A thread has 64 registers of the column in the sums' layout, but two different numbers: two divisions, not 64.
  // CHECK-LABEL: @copies
  // CHECK: ttg.local_load {{.*}} -> tensor<64x1xf32, #mma
  // CHECK: arith.divf {{.*}} : tensor<64x1xf32, #mma
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @copies(%m: !ttg.memdesc<64x1xf32, #plain, #smem, mutable>, %c: tensor<64x128xf32, #wide>) -> tensor<64x128xf32, #wide> {
    %one = arith.constant dense<1.0> : tensor<64x1xf32, #column>
    %h = ttg.local_load %m : !ttg.memdesc<64x1xf32, #plain, #smem, mutable> -> tensor<64x1xf32, #column>
    %d = arith.divf %one, %h : tensor<64x1xf32, #column>
    %t = ttg.convert_layout %d : tensor<64x1xf32, #column> -> tensor<64x1xf32, #wide>
    %b = tt.broadcast %t : tensor<64x1xf32, #wide> -> tensor<64x128xf32, #wide>
    %r = arith.mulf %c, %b : tensor<64x128xf32, #wide>
    tt.return %r : tensor<64x128xf32, #wide>
  }
}
