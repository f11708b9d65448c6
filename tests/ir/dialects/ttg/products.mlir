// RUN: nereid-opt %s | nereid-opt | FileCheck %s

// What products are made of, as text and back.
#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @products
  tt.func @products(%x: tensor<16x16xf32, #blocked>, %a: !ttg.memdesc<16x32xf32, #shared, #smem>, %b: !ttg.memdesc<32x16xf32, #shared, #smem>) -> tensor<16x16xf32, #blocked> {
    // CHECK: ttg.factor_part %{{.*}} {part = 2 : i32} : tensor<16x16xf32, #blocked> -> tensor<16x16xbf16, #blocked>
    %part = ttg.factor_part %x {part = 2 : i32} : tensor<16x16xf32, #blocked> -> tensor<16x16xbf16, #blocked>
    // CHECK: ttg.local_dot %{{.*}}, %{{.*}}, %{{.*}} : !ttg.memdesc<16x32xf32, #shared, #smem> * !ttg.memdesc<32x16xf32, #shared, #smem> -> tensor<16x16xf32, #blocked>
    %d = ttg.local_dot %a, %b, %x : !ttg.memdesc<16x32xf32, #shared, #smem> * !ttg.memdesc<32x16xf32, #shared, #smem> -> tensor<16x16xf32, #blocked>
    tt.return %d : tensor<16x16xf32, #blocked>
  }
}
