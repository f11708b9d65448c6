// RUN: nereid-opt %s --nereid-convert-tt-to-ttg="target=cuda:90" --nereid-ttg-coalesce --nereid-ttg-assign-layouts --canonicalize --cse --split-input-file | FileCheck %s

// A thread loads four rows that follow one another, and narrows them with the columns' neighbours in its registers:
// what changes threads are words of four bytes.
// CHECK-DAG: #[[LOADS:.+]] = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[BETWEEN:.+]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [0, 1], [0, 2], [0, 4], [64, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [4, 0], [8, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []}>
// CHECK-DAG: #[[STORES:.+]] = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-LABEL: tt.func public @quantized
// CHECK: %[[LOADED:.+]] = tt.load {{.*}} {ttg.moved} : tensor<128x64x!tt.ptr<bf16>, #[[LOADS]]>
// CHECK: ttg.convert_layout %[[LOADED]] : tensor<128x64xbf16, #[[LOADS]]> -> tensor<128x64xbf16, #[[BETWEEN]]>
// CHECK: %[[BYTES:.+]] = tt.fp_to_fp {{.*}} -> tensor<128x64xf8E4M3FN, #[[BETWEEN]]>
// CHECK: ttg.convert_layout %[[BYTES]] : tensor<128x64xf8E4M3FN, #[[BETWEEN]]> -> tensor<128x64xf8E4M3FN, #[[STORES]]>
tt.func public @quantized(%x: tensor<128x64x!tt.ptr<bf16>> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %y: tensor<128x64x!tt.ptr<f8E4M3FN>> {tt.contiguity = dense<[128, 1]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}) {
  %0 = tt.load %x : tensor<128x64x!tt.ptr<bf16>>
  %1 = tt.fp_to_fp %0, rounding = rtne : tensor<128x64xbf16> -> tensor<128x64xf8E4M3FN>
  tt.store %y, %1 : tensor<128x64x!tt.ptr<f8E4M3FN>>
  tt.return
}

// -----

// So it is where the tile itself is turned, and its largest number is looked for. What is stored by rows, too, is stored
// by those that have loaded it.
// CHECK-DAG: #[[LOADS:.+]] = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func public @turned
// CHECK: tt.load {{.*}} {ttg.moved} : tensor<128x64x!tt.ptr<bf16>, #[[LOADS]]>
// CHECK: tt.trans
// CHECK: tt.store {{.*}} : tensor<128x64x!tt.ptr<bf16>, #[[LOADS]]>
tt.func public @turned(%x: tensor<128x64x!tt.ptr<bf16>> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %y: tensor<64x128x!tt.ptr<f8E4M3FN>> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %z: tensor<128x64x!tt.ptr<bf16>> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}) {
  %0 = tt.load %x : tensor<128x64x!tt.ptr<bf16>>
  %1 = arith.extf %0 : tensor<128x64xbf16> to tensor<128x64xf32>
  %flat = tt.reshape %1 allow_reorder : tensor<128x64xf32> -> tensor<8192xf32>
  %most = "tt.reduce"(%flat) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<8192xf32>) -> f32
  %scale = tt.splat %most : f32 -> tensor<128x64xf32>
  %2 = arith.mulf %1, %scale : tensor<128x64xf32>
  %3 = tt.fp_to_fp %2, rounding = rtne : tensor<128x64xf32> -> tensor<128x64xf8E4M3FN>
  %4 = tt.trans %3 {order = array<i32: 1, 0>} : tensor<128x64xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
  tt.store %y, %4 : tensor<64x128x!tt.ptr<f8E4M3FN>>
  %5 = arith.truncf %2 : tensor<128x64xf32> to tensor<128x64xbf16>
  tt.store %z, %5 : tensor<128x64x!tt.ptr<bf16>>
  tt.return
}

// -----

// Halves have matrix instructions to change places (ConvertThroughBuffers), and what looks at what other programs write
// stays where it is, as does a tile of a row a thread.
// CHECK-LABEL: tt.func public @halves
// CHECK-NOT: ttg.moved
tt.func public @halves(%x: tensor<128x64x!tt.ptr<f16>> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %y: tensor<128x64x!tt.ptr<f16>> {tt.contiguity = dense<[128, 1]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}) {
  %0 = tt.load %x : tensor<128x64x!tt.ptr<f16>>
  tt.store %y, %0 : tensor<128x64x!tt.ptr<f16>>
  tt.return
}

// -----

// CHECK-LABEL: tt.func public @looks
// CHECK-NOT: ttg.moved
tt.func public @looks(%x: tensor<128x64x!tt.ptr<i8>> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %y: tensor<128x64x!tt.ptr<i8>> {tt.contiguity = dense<[128, 1]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}) {
  %0 = tt.load %x {isVolatile = true} : tensor<128x64x!tt.ptr<i8>>
  tt.store %y, %0 : tensor<128x64x!tt.ptr<i8>>
  tt.return
}

// -----

// CHECK-LABEL: tt.func public @small
// CHECK-NOT: ttg.moved
tt.func public @small(%x: tensor<32x64x!tt.ptr<i8>> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %y: tensor<32x64x!tt.ptr<i8>> {tt.contiguity = dense<[32, 1]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}) {
  %0 = tt.load %x : tensor<32x64x!tt.ptr<i8>>
  tt.store %y, %0 : tensor<32x64x!tt.ptr<i8>>
  tt.return
}
