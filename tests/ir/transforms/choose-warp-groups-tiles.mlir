// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:90a num-warps=8" --nereid-ttg-coalesce --nereid-ttg-choose-matrix-instructions="target=cuda:90a" | FileCheck %s

// Two groups stand beside each other, and each takes 32 columns. A tile that the hardware puts into memory stays as it
// is there, though its rows have a longer swizzle than 32 columns need; others get the shorter one.
// CHECK-DAG: #[[MMA:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 32, 16]}>
// CHECK-DAG: #[[LONG:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[SHORT:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-LABEL: tt.func public @tiles
// CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, #[[LONG]]
// CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, #[[LONG]]
// CHECK: ttng.warp_group_dot {{.*}} -> tensor<64x64xf32, #[[MMA]]>
tt.func public @tiles(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %n: i32, %c: tensor<64x64xf32>, %x: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $2"}}, %y: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 1 : i32, extents = "$2, $2, $2"}}) -> tensor<64x64xf32> {
  %left = tt.descriptor_load %x[%n, %n] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16>
  %right = tt.descriptor_load %y[%n, %n] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16>
  %d = tt.dot %left, %right, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// CHECK-LABEL: tt.func public @pointers
// CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, #[[LONG]]
// CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, #[[SHORT]]
tt.func public @pointers(%x: tensor<64x64x!tt.ptr<f16>> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<64x64x!tt.ptr<f16>> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %left = tt.load %x : tensor<64x64x!tt.ptr<f16>>
  %right = tt.load %y : tensor<64x64x!tt.ptr<f16>>
  %d = tt.dot %left, %right, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// -----

// The right factor's 8-bit elements are turned on the way, after which rows are 32 bytes long, and so is their swizzle. In
// the hardware's tile it is 64.
// CHECK-DAG: #[[TURNED:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#left = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
#right = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
// CHECK-LABEL: tt.func public @turned
// CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x64xf8E4M3FN, #[[TURNED]]
// CHECK: ttng.warp_group_dot
tt.func public @turned(%a: !tt.ptr<f8E4M3FN>, %b: !tt.ptr<f8E4M3FN>, %n: i32, %c: tensor<64x64xf32>, %x: !tt.tensordesc<tensor<64x32xf8E4M3FN, #left>> {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $2"}}, %y: !tt.tensordesc<tensor<32x64xf8E4M3FN, #right>> {nereid.tensor_map = {base = 1 : i32, extents = "$2, $2, $2"}}) -> tensor<64x64xf32> {
  %l = tt.descriptor_load %x[%n, %n] : !tt.tensordesc<tensor<64x32xf8E4M3FN, #left>> -> tensor<64x32xf8E4M3FN>
  %r = tt.descriptor_load %y[%n, %n] : !tt.tensordesc<tensor<32x64xf8E4M3FN, #right>> -> tensor<32x64xf8E4M3FN>
  %d = tt.dot %l, %r, %c : tensor<64x32xf8E4M3FN> * tensor<32x64xf8E4M3FN> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}
