// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:80" --nereid-ttg-choose-matrix-instructions="target=cuda:80" | FileCheck %s
// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:75" --nereid-ttg-choose-matrix-instructions="target=cuda:75" | FileCheck %s --check-prefix=SM75
// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:89" --nereid-ttg-choose-matrix-instructions="target=cuda:89" | FileCheck %s --check-prefix=SM89
// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=hip:gfx1100" --nereid-ttg-choose-matrix-instructions="target=hip:gfx1100" | FileCheck %s --check-prefix=HIP

// Warps tile the result so that each has a part as square as can be: 64x64 of 128x128 for 4 warps.
// CHECK: #[[MMA:.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK-LABEL: tt.func @halves
// CHECK: tt.dot {{.*}} : tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>> * tensor<32x128xf16, #ttg.dot_op<{opIdx = 1, parent = #[[MMA]], kWidth = 2}>> -> tensor<128x128xf32, #[[MMA]]>
// SM75: tt.dot {{.*}} -> tensor<128x128xf32, #mma>
// HIP-NOT: #mma
tt.func @halves(%a: tensor<128x32xf16>, %b: tensor<32x128xf16>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %d = tt.dot %a, %b, %c : tensor<128x32xf16> * tensor<32x128xf16> -> tensor<128x128xf32>
  tt.return %d : tensor<128x128xf32>
}

// -----

// A wide result: all warps beside each other before a warp's part is wider than high.
// CHECK: warpsPerCTA = [1, 4]
// CHECK-LABEL: tt.func @wide
tt.func @wide(%a: tensor<16x32xbf16>, %b: tensor<32x256xbf16>, %c: tensor<16x256xf32>) -> tensor<16x256xf32> {
  // SM75-LABEL: tt.func @wide
  // SM75: tt.dot {{.*}} -> tensor<16x256xf32, #blocked
  %d = tt.dot %a, %b, %c : tensor<16x32xbf16> * tensor<32x256xbf16> -> tensor<16x256xf32>
  tt.return %d : tensor<16x256xf32>
}

// -----

// One product's result is the other's left operand: rows stay with their warps.
// CHECK: warpsPerCTA = [4, 1]
// CHECK-NOT: warpsPerCTA = [2, 2], instrShape
// CHECK-LABEL: tt.func @chain
tt.func @chain(%q: tensor<64x64xf16>, %k: tensor<64x64xf16>, %v: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = tt.dot %q, %k, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %p = math.exp2 %s : tensor<64x64xf32>
  %n = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xf16>
  %d = tt.dot %n, %v, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// -----

// f32 as tf32 only where the kernel says so.
// CHECK-LABEL: tt.func @floats
tt.func @floats(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  // CHECK: tt.dot {{.*}} inputPrecision = tf32 : tensor<32x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
  %tf32 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  // CHECK: tt.dot {{.*}} -> tensor<32x32xf32, #blocked
  %full = tt.dot %a, %b, %c : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.return %tf32, %full : tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// Sums in f16 stay in f16 where that is asked for; bytes of fp8 are read as f16 before the GPUs that multiply them.
// CHECK-LABEL: tt.func @small
// SM89-LABEL: tt.func @small
tt.func @small(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %c: tensor<32x32xf16>, %x: tensor<32x32xf8E4M3FN>, %y: tensor<32x32xf8E5M2>, %z: tensor<32x32xf32>) -> (tensor<32x32xf16>, tensor<32x32xf32>) {
  // CHECK-NOT: arith.extf
  // CHECK: tt.dot {{.*}} -> tensor<32x32xf16, #mma
  // CHECK-NOT: arith.truncf
  // SM89: tt.dot {{.*}} -> tensor<32x32xf16, #mma
  %d = tt.dot %a, %b, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf16>
  // CHECK: tt.fp_to_fp {{.*}} -> tensor<32x32xf16
  // CHECK: tt.fp_to_fp {{.*}} -> tensor<32x32xf16
  // CHECK: tt.dot {{.*}} tensor<32x32xf16, {{.*}}kWidth = 4{{.*}} -> tensor<32x32xf32, #mma
  // SM89: tt.dot {{.*}} tensor<32x32xf8E4M3FN, {{.*}}kWidth = 4{{.*}} * tensor<32x32xf8E5M2
  %e = tt.dot %x, %y, %z : tensor<32x32xf8E4M3FN> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  tt.return %d, %e : tensor<32x32xf16>, tensor<32x32xf32>
}

// -----

// Lower and narrower than an instruction: rows and columns are repeated. Not as deep: left to the threads.
// CHECK-LABEL: tt.func @tiny
// SM75-LABEL: tt.func @tiny
tt.func @tiny(%a: tensor<8x32xf16>, %b: tensor<32x32xf16>, %c: tensor<8x32xf32>, %d: tensor<32x1xf16>, %e: tensor<8x1xf32>, %f: tensor<8x8xf16>, %g: tensor<8x32xf16>) -> (tensor<8x32xf32>, tensor<8x1xf32>, tensor<8x32xf32>) {
  // CHECK: tt.dot {{.*}} : tensor<8x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> {{.*}} -> tensor<8x32xf32, #mma
  // SM75: tt.dot {{.*}} -> tensor<8x32xf32, #mma
  %low = tt.dot %a, %b, %c : tensor<8x32xf16> * tensor<32x32xf16> -> tensor<8x32xf32>
  // CHECK: tt.dot {{.*}} * tensor<32x1xf16, #ttg.dot_op<{opIdx = 1, parent = #mma{{.*}} -> tensor<8x1xf32, #mma
  %column = tt.dot %a, %d, %e : tensor<8x32xf16> * tensor<32x1xf16> -> tensor<8x1xf32>
  // CHECK: tt.dot {{.*}} -> tensor<8x32xf32, #blocked
  %flat = tt.dot %f, %g, %c : tensor<8x8xf16> * tensor<8x32xf16> -> tensor<8x32xf32>
  tt.return %low, %column, %flat : tensor<8x32xf32>, tensor<8x1xf32>, tensor<8x32xf32>
}

// -----

// Operands that are both widened lie in lanes as products of the narrow type have them. Where one is not, or the tile is too
// short for that, they lie as the instruction asks.
// CHECK-LABEL: tt.func @widened
tt.func @widened(%a: tensor<32x32xbf16>, %b: tensor<32x32xbf16>, %f: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %x = arith.extf %a : tensor<32x32xbf16> to tensor<32x32xf32>
  %y = arith.extf %b : tensor<32x32xbf16> to tensor<32x32xf32>
  %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
  // CHECK: tt.dot {{.*}} : tensor<32x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<32x32xf32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
  %both = tt.dot %x, %t, %c, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  // CHECK: tt.dot {{.*}} : tensor<32x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
  %one = tt.dot %x, %f, %c, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.return %both, %one : tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// CHECK-LABEL: tt.func @widened_bytes
tt.func @widened_bytes(%a: tensor<32x16xf8E5M2>, %b: tensor<16x32xf8E5M2>, %m: tensor<32x32xf8E5M2>, %n: tensor<32x32xf8E5M2>, %c: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %x = tt.fp_to_fp %a : tensor<32x16xf8E5M2> -> tensor<32x16xbf16>
  %y = tt.fp_to_fp %b : tensor<16x32xf8E5M2> -> tensor<16x32xbf16>
  %v = tt.fp_to_fp %m : tensor<32x32xf8E5M2> -> tensor<32x32xbf16>
  %w = tt.fp_to_fp %n : tensor<32x32xf8E5M2> -> tensor<32x32xbf16>
  // CHECK: tt.dot {{.*}} : tensor<32x16xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  %short = tt.dot %x, %y, %c : tensor<32x16xbf16> * tensor<16x32xbf16> -> tensor<32x32xf32>
  // CHECK: tt.dot {{.*}} : tensor<32x32xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<32x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %long = tt.dot %v, %w, %c : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  tt.return %short, %long : tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// One operand is widened in each round of a loop and lies along the reduced axis, the other one was read before: they lie in
// lanes as products of the narrow type have them. Not so if the former lies along the other axis, or the latter is too large
// for its registers to be kept.
// CHECK-LABEL: tt.func @widened_in_rounds
tt.func @widened_in_rounds(%a: tensor<32x64xbf16>, %large: tensor<32x256xbf16>, %p: tensor<32x64x!tt.ptr<f8E5M2>>, %q: tensor<64x32x!tt.ptr<f8E5M2>>, %r: tensor<32x256x!tt.ptr<f8E5M2>>, %c: tensor<32x32xf32>, %n: i32) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s:3 = scf.for %i = %zero to %n step %one iter_args(%x = %c, %y = %c, %z = %c) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %k = tt.load %p : tensor<32x64x!tt.ptr<f8E5M2>>
    %t = tt.trans %k {order = array<i32: 1, 0>} : tensor<32x64xf8E5M2> -> tensor<64x32xf8E5M2>
    %u = tt.fp_to_fp %t : tensor<64x32xf8E5M2> -> tensor<64x32xbf16>
    // CHECK: tt.dot {{.*}} : tensor<32x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %along = tt.dot %a, %u, %x : tensor<32x64xbf16> * tensor<64x32xbf16> -> tensor<32x32xf32>
    %v = tt.load %q : tensor<64x32x!tt.ptr<f8E5M2>>
    %w = tt.fp_to_fp %v : tensor<64x32xf8E5M2> -> tensor<64x32xbf16>
    // CHECK: tt.dot {{.*}} : tensor<32x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %across = tt.dot %a, %w, %y : tensor<32x64xbf16> * tensor<64x32xbf16> -> tensor<32x32xf32>
    %l = tt.load %r : tensor<32x256x!tt.ptr<f8E5M2>>
    %m = tt.trans %l {order = array<i32: 1, 0>} : tensor<32x256xf8E5M2> -> tensor<256x32xf8E5M2>
    %o = tt.fp_to_fp %m : tensor<256x32xf8E5M2> -> tensor<256x32xbf16>
    // CHECK: tt.dot {{.*}} : tensor<32x256xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %beyond = tt.dot %large, %o, %z : tensor<32x256xbf16> * tensor<256x32xbf16> -> tensor<32x32xf32>
    scf.yield %along, %across, %beyond : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  }
  tt.return %s#0, %s#1, %s#2 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// An operand that is widened before a loop, and too large for its registers to be kept, is read as the instruction asks.
// CHECK-LABEL: tt.func @widened_before
tt.func @widened_before(%a: tensor<32x256xbf16>, %p: tensor<256x32x!tt.ptr<bf16>>, %c: tensor<32x32xf32>, %n: i32) -> tensor<32x32xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = arith.extf %a : tensor<32x256xbf16> to tensor<32x256xf32>
  %s = scf.for %i = %zero to %n step %one iter_args(%sum = %c) -> tensor<32x32xf32> : i32 {
    %k = tt.load %p : tensor<256x32x!tt.ptr<bf16>>
    %y = arith.extf %k : tensor<256x32xbf16> to tensor<256x32xf32>
    // CHECK: tt.dot {{.*}} : tensor<32x256xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
    %d = tt.dot %x, %y, %sum, inputPrecision = tf32 : tensor<32x256xf32> * tensor<256x32xf32> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tt.return %s : tensor<32x32xf32>
}
