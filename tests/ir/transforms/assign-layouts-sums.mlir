// RUN: nereid-opt %s --nereid-ttg-assign-layouts --cse --canonicalize | FileCheck %s

#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 2], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // All that is computed from the tile meets sums: it is loaded where they are.
  // CHECK-LABEL: tt.func @loaded
  // CHECK: tt.load {{.*}} {ttg.moved} : tensor<64x64x!tt.ptr<f32>, #mma>
  // CHECK: math.exp2 {{.*}} : tensor<64x64xf32, #mma>
  // CHECK: arith.negf {{.*}} : tensor<64x64xf32, #mma>
  // CHECK-NOT: ttg.convert_layout {{.*}} : tensor<64x64xf32
  // CHECK: tt.return
  tt.func @loaded(%p: !tt.ptr<f32>, %x: tensor<64x64xf16, #a>, %y: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %e = tt.dot %x, %y, %d : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #default>
    %q = ttg.convert_layout %s : tensor<64x64x!tt.ptr<f32>, #default> -> tensor<64x64x!tt.ptr<f32>, #wide>
    %g = tt.load %q : tensor<64x64x!tt.ptr<f32>, #wide>
    %h = ttg.convert_layout %g : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #default>
    %i = math.exp2 %h : tensor<64x64xf32, #default>
    %j = arith.negf %h : tensor<64x64xf32, #default>
    %k = math.exp2 %j : tensor<64x64xf32, #default>
    %l = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #default>
    %m = ttg.convert_layout %e : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #default>
    %n = arith.mulf %l, %i : tensor<64x64xf32, #default>
    %o = arith.mulf %m, %k : tensor<64x64xf32, #default>
    %r = ttg.convert_layout %n : tensor<64x64xf32, #default> -> tensor<64x64xf32, #mma>
    %t = ttg.convert_layout %o : tensor<64x64xf32, #default> -> tensor<64x64xf32, #mma>
    tt.return %r, %t : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // Tiles of 16 bits would fill half sectors. They are converted once, and as they are; so is one whose columns are
  // contiguous.
  // CHECK-LABEL: tt.func @converted
  // CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<bf16>, #[[W:blocked[0-9]*]]>
  // CHECK: ttg.convert_layout {{.*}} : tensor<64x64xbf16, #[[W]]> -> tensor<64x64xbf16, #mma>
  // CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[T:blocked[0-9]*]]>
  // CHECK: ttg.convert_layout {{.*}} : tensor<64x64xf32, #[[T]]> -> tensor<64x64xf32, #mma>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @converted(%p: tensor<64x64x!tt.ptr<bf16>, #wide>, %q: tensor<64x64x!tt.ptr<f32>, #turned>, %x: tensor<64x64xf16, #a>, %y: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %g = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #wide>
    %h = ttg.convert_layout %g : tensor<64x64xbf16, #wide> -> tensor<64x64xbf16, #default>
    %i = arith.extf %h : tensor<64x64xbf16, #default> to tensor<64x64xf32, #default>
    %j = math.exp2 %i : tensor<64x64xf32, #default>
    %t = tt.load %q : tensor<64x64x!tt.ptr<f32>, #turned>
    %u = ttg.convert_layout %t : tensor<64x64xf32, #turned> -> tensor<64x64xf32, #default>
    %v = math.exp2 %u : tensor<64x64xf32, #default>
    %l = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #default>
    %m = arith.mulf %l, %i : tensor<64x64xf32, #default>
    %n = arith.mulf %m, %j : tensor<64x64xf32, #default>
    %o = arith.mulf %n, %v : tensor<64x64xf32, #default>
    %r = ttg.convert_layout %o : tensor<64x64xf32, #default> -> tensor<64x64xf32, #mma>
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // A tile that takes few registers is loaded as is best for memory.
  // CHECK-LABEL: tt.func @small
  // CHECK: tt.load {{.*}} : tensor<32x64x!tt.ptr<f32>, #[[W:blocked[0-9]*]]>
  // CHECK: ttg.convert_layout {{.*}} : tensor<32x64xf32, #[[W]]> -> tensor<32x64xf32, #mma>
  // CHECK: math.exp2 {{.*}} : tensor<32x64xf32, #mma>
  // CHECK: tt.return
  tt.func @small(%p: tensor<32x64x!tt.ptr<f32>, #wide>, %x: tensor<32x64xf16, #a>, %y: tensor<64x64xf16, #b>, %c: tensor<32x64xf32, #mma>) -> tensor<32x64xf32, #mma> {
    %d = tt.dot %x, %y, %c : tensor<32x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<32x64xf32, #mma>
    %g = tt.load %p : tensor<32x64x!tt.ptr<f32>, #wide>
    %h = ttg.convert_layout %g : tensor<32x64xf32, #wide> -> tensor<32x64xf32, #default>
    %i = math.exp2 %h : tensor<32x64xf32, #default>
    %l = ttg.convert_layout %d : tensor<32x64xf32, #mma> -> tensor<32x64xf32, #default>
    %m = arith.mulf %l, %i : tensor<32x64xf32, #default>
    %r = ttg.convert_layout %m : tensor<32x64xf32, #default> -> tensor<32x64xf32, #mma>
    tt.return %r : tensor<32x64xf32, #mma>
  }
}
