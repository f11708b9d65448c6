// RUN: nereid-opt %s --split-input-file --verify-diagnostics | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.local_gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : !ttg.memdesc<256xi16, #shared, #smem>, tensor<32xi32, #blocked> -> tensor<32xi16, #blocked>
tt.func @elements(%m: !ttg.memdesc<256xi16, #plain, #smem>, %i: tensor<32xi32, #b>) -> tensor<32xi16, #b> {
  %0 = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<256xi16, #plain, #smem>, tensor<32xi32, #b> -> tensor<32xi16, #b>
  tt.return %0 : tensor<32xi16, #b>
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#permuted = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @permuted(%m: !ttg.memdesc<8x32xf32, #permuted, #smem>, %i: tensor<8x32xi32, #b>) -> tensor<8x32xf32, #b> {
  // expected-error @+1 {{'ttg.local_gather' op reads elements of plain rows, one for each index, but not from}}
  %0 = ttg.local_gather %m[%i] {axis = 1 : i32} : !ttg.memdesc<8x32xf32, #permuted, #smem>, tensor<8x32xi32, #b> -> tensor<8x32xf32, #b>
  tt.return %0 : tensor<8x32xf32, #b>
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @other_rows(%m: !ttg.memdesc<8x32xf32, #plain, #smem>, %i: tensor<4x32xi32, #b>) -> tensor<4x32xf32, #b> {
  // expected-error @+1 {{along axis 1 to}}
  %0 = ttg.local_gather %m[%i] {axis = 1 : i32} : !ttg.memdesc<8x32xf32, #plain, #smem>, tensor<4x32xi32, #b> -> tensor<4x32xf32, #b>
  tt.return %0 : tensor<4x32xf32, #b>
}
