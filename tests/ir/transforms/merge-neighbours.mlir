// RUN: nereid-opt %s --nereid-ttg-merge-neighbours --canonicalize --cse --split-input-file | FileCheck %s

// Real and imaginary parts are loaded together and stored together: the new axis is in registers, below those that a thread
// has. Parts keep their layout.
// CHECK-DAG: #[[B:.+]] = #ttg.blocked
// CHECK-DAG: #[[PAIRS:.+]] = #ttg.linear<{register = {{\[}}[0, 1], [128, 0]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[}}[32, 0], [64, 0]], block = []}>
// CHECK-LABEL: @pairs
// CHECK: %[[PAIR:.+]] = tt.load %{{.+}}, %{{.+}} : tensor<256x2x!tt.ptr<f32>, #[[PAIRS]]>
// CHECK-NOT: tt.load
// CHECK: tt.split %[[PAIR]] : tensor<256x2xf32, #[[PAIRS]]> -> tensor<256xf32
// CHECK: %[[OUT:.+]] = tt.join
// CHECK: tt.store {{.+}} : tensor<256x2x!tt.ptr<f32>, #[[PAIRS]]>
// CHECK-NOT: tt.store
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pairs(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %one = arith.constant dense<1> : tensor<256xi32, #b>
    %two = arith.constant dense<2> : tensor<256xi32, #b>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<256xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #b>
    %at = arith.muli %i, %two : tensor<256xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %at : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %re = tt.load %p, %m : tensor<256x!tt.ptr<f32>, #b>
    %at1 = arith.addi %at, %one : tensor<256xi32, #b>
    %p1 = tt.addptr %xs, %at1 : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %im = tt.load %p1, %m : tensor<256x!tt.ptr<f32>, #b>
    %minus = arith.negf %im : tensor<256xf32, #b>
    tt.store %p1, %minus, %m : tensor<256x!tt.ptr<f32>, #b>
    tt.store %p, %re, %m : tensor<256x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

// Eight of 16 bits are a vector, in the order of their addresses whatever the order of the loads.
// CHECK-LABEL: @eight
// CHECK: tt.load %{{.+}} : tensor<128x8x!tt.ptr<bf16>
// CHECK-NOT: tt.load
// CHECK-COUNT-7: tt.split
// CHECK: tt.return
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @eight(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %out: tensor<128x!tt.ptr<bf16>, #b>) {
    %c8 = arith.constant dense<8> : tensor<128xi32, #b>
    %c1 = arith.constant dense<1> : tensor<128xi32, #b>
    %c2 = arith.constant dense<2> : tensor<128xi32, #b>
    %c3 = arith.constant dense<3> : tensor<128xi32, #b>
    %c4 = arith.constant dense<4> : tensor<128xi32, #b>
    %c5 = arith.constant dense<5> : tensor<128xi32, #b>
    %c6 = arith.constant dense<6> : tensor<128xi32, #b>
    %c7 = arith.constant dense<7> : tensor<128xi32, #b>
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %at = arith.muli %i, %c8 : tensor<128xi32, #b>
    %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>, #b>
    %p = tt.addptr %xs, %at : tensor<128x!tt.ptr<bf16>, #b>, tensor<128xi32, #b>
    %x0 = tt.load %p : tensor<128x!tt.ptr<bf16>, #b>
    %p2 = tt.addptr %p, %c2 : tensor<128x!tt.ptr<bf16>, #b>, tensor<128xi32, #b>
    %x2 = tt.load %p2 : tensor<128x!tt.ptr<bf16>, #b>
    %p1 = tt.addptr %p, %c1 : tensor<128x!tt.ptr<bf16>, #b>, tensor<128xi32, #b>
    %x1 = tt.load %p1 : tensor<128x!tt.ptr<bf16>, #b>
    %p3 = tt.addptr %p, %c3 : tensor<128x!tt.ptr<bf16>, #b>, tensor<128xi32, #b>
    %x3 = tt.load %p3 : tensor<128x!tt.ptr<bf16>, #b>
    %p4 = tt.addptr %p, %c4 : tensor<128x!tt.ptr<bf16>, #b>, tensor<128xi32, #b>
    %x4 = tt.load %p4 : tensor<128x!tt.ptr<bf16>, #b>
    %p5 = tt.addptr %p, %c5 : tensor<128x!tt.ptr<bf16>, #b>, tensor<128xi32, #b>
    %x5 = tt.load %p5 : tensor<128x!tt.ptr<bf16>, #b>
    %p6 = tt.addptr %p, %c6 : tensor<128x!tt.ptr<bf16>, #b>, tensor<128xi32, #b>
    %x6 = tt.load %p6 : tensor<128x!tt.ptr<bf16>, #b>
    %p7 = tt.addptr %p, %c7 : tensor<128x!tt.ptr<bf16>, #b>, tensor<128xi32, #b>
    %x7 = tt.load %p7 : tensor<128x!tt.ptr<bf16>, #b>
    %a = arith.addf %x0, %x1 : tensor<128xbf16, #b>
    %b = arith.addf %a, %x2 : tensor<128xbf16, #b>
    %c = arith.addf %b, %x3 : tensor<128xbf16, #b>
    %d = arith.addf %c, %x4 : tensor<128xbf16, #b>
    %e = arith.addf %d, %x5 : tensor<128xbf16, #b>
    %f = arith.addf %e, %x6 : tensor<128xbf16, #b>
    %g = arith.addf %f, %x7 : tensor<128xbf16, #b>
    tt.store %out, %g : tensor<128x!tt.ptr<bf16>, #b>
    tt.return
  }
}

// -----

// Not with a store between, which may change the second; not with a store of something else between two stores; not where a
// pair is not aligned, as in a window that goes on by one; not under two masks.
// CHECK-LABEL: @left
// CHECK-NOT: tt.split
// CHECK-NOT: tt.join
// CHECK: tt.return
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @left(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %one = arith.constant dense<1> : tensor<256xi32, #b>
    %two = arith.constant dense<2> : tensor<256xi32, #b>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<256xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #b>
    %at = arith.muli %i, %two : tensor<256xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %at : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %q = tt.addptr %ys, %at : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %p1 = tt.addptr %p, %one : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %q1 = tt.addptr %q, %one : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %re = tt.load %p : tensor<256x!tt.ptr<f32>, #b>
    tt.store %q, %re : tensor<256x!tt.ptr<f32>, #b>
    %im = tt.load %p1 : tensor<256x!tt.ptr<f32>, #b>
    tt.store %p, %im : tensor<256x!tt.ptr<f32>, #b>
    tt.store %q1, %im : tensor<256x!tt.ptr<f32>, #b>
    tt.store %p1, %re : tensor<256x!tt.ptr<f32>, #b>
    %w = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %w1 = tt.addptr %w, %one : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %a = tt.load %w : tensor<256x!tt.ptr<f32>, #b>
    %b = tt.load %w1 : tensor<256x!tt.ptr<f32>, #b>
    %c = tt.load %p, %m : tensor<256x!tt.ptr<f32>, #b>
    %d = tt.load %p1 : tensor<256x!tt.ptr<f32>, #b>
    %ab = arith.addf %a, %b : tensor<256xf32, #b>
    %cd = arith.addf %c, %d : tensor<256xf32, #b>
    %sum = arith.addf %ab, %cd : tensor<256xf32, #b>
    tt.store %q, %sum : tensor<256x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

// A pair is not stored behind what may be another one's: two elements further on, where the next one begins.
// CHECK-LABEL: @ordered
// CHECK: tt.store
// CHECK: tt.store
// CHECK: tt.store
// CHECK: tt.return
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ordered(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %v: tensor<256xf32, #b>, %w: tensor<256xf32, #b>) {
    %one = arith.constant dense<1> : tensor<256xi32, #b>
    %two = arith.constant dense<2> : tensor<256xi32, #b>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %at = arith.muli %i, %two : tensor<256xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %at : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %p1 = tt.addptr %p, %one : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %p2 = tt.addptr %p, %two : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    tt.store %p, %v : tensor<256x!tt.ptr<f32>, #b>
    tt.store %p2, %w : tensor<256x!tt.ptr<f32>, #b>
    tt.store %p1, %v : tensor<256x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

// A load that reads what other threads have written waits for them, which others need not.
// CHECK-LABEL: @noted
// CHECK: tt.load %{{[^{]*}} : tensor<256x!tt.ptr<f32>
// CHECK: tt.load %{{.+}} {ttg.moved} : tensor<256x!tt.ptr<f32>
// CHECK: tt.return
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @noted(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<256xf32, #b> {
    %one = arith.constant dense<1> : tensor<256xi32, #b>
    %two = arith.constant dense<2> : tensor<256xi32, #b>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %at = arith.muli %i, %two : tensor<256xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %at : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %p1 = tt.addptr %p, %one : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %a = tt.load %p : tensor<256x!tt.ptr<f32>, #b>
    %b = tt.load %p1 {ttg.moved} : tensor<256x!tt.ptr<f32>, #b>
    %c = arith.addf %a, %b : tensor<256xf32, #b>
    tt.return %c : tensor<256xf32, #b>
  }
}
