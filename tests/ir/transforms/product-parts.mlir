// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:80 num-warps=4" --nereid-ttg-choose-matrix-instructions="target=cuda:80" --nereid-ttg-assign-layouts --canonicalize --cse | FileCheck %s
// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:75 num-warps=4" --nereid-ttg-choose-matrix-instructions="target=cuda:75" | FileCheck %s --check-prefix=THREADS
// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=hip:gfx942 num-warps=4" --nereid-ttg-choose-matrix-instructions="target=hip:gfx942" | FileCheck %s --check-prefix=THREADS
// RUN: nereid-opt %s --split-input-file --nereid-convert-tt-to-ttg="target=cuda:90a num-warps=4" --nereid-ttg-choose-matrix-instructions="target=cuda:90a" --canonicalize | FileCheck %s --check-prefix=GROUP

// The small products begin with zero, what they give is added where it is finite, and the sum of all joins the old sum as
// a whole. An operand is moved once, and split where it is multiplied.
// CHECK-LABEL: tt.func @two_of_tf32
// CHECK-SAME: %[[A:[^:]+]]: tensor<32x16xf32, {{.*}}>, %[[B:[^:]+]]: tensor<16x32xf32, {{.*}}>, %[[C:[^:]+]]: tensor<32x32xf32
// CHECK-DAG: %[[INF:.+]] = arith.constant dense<0x7F800000> : tensor<32x32xf32, #mma>
// CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<32x32xf32, #mma>
// CHECK: %[[AM:.+]] = ttg.convert_layout %[[A]] : {{.*}} -> tensor<32x16xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
// CHECK-NEXT: %[[A0:.+]] = ttg.factor_part %[[AM]] {part = 0 : i32}
// CHECK-NEXT: %[[A1:.+]] = ttg.factor_part %[[AM]] {part = 1 : i32}
// CHECK-NEXT: %[[BM:.+]] = ttg.convert_layout %[[B]]
// CHECK-NEXT: %[[B0:.+]] = ttg.factor_part %[[BM]] {part = 0 : i32}
// CHECK-NEXT: %[[B1:.+]] = ttg.factor_part %[[BM]] {part = 1 : i32}
// CHECK: %[[S0:.+]] = tt.dot %[[A1]], %[[B0]], %[[ZERO]], inputPrecision = tf32
// CHECK: %[[S1:.+]] = tt.dot %[[A0]], %[[B1]], %[[S0]], inputPrecision = tf32
// CHECK: %[[ABS:.+]] = math.absf %[[S1]]
// CHECK: %[[FINITE:.+]] = arith.cmpf olt, %[[ABS]], %[[INF]]
// CHECK: %[[SMALL:.+]] = arith.select %[[FINITE]], %[[S1]], %[[ZERO]]
// CHECK: %[[ALL:.+]] = tt.dot %[[A0]], %[[B0]], %[[SMALL]], inputPrecision = tf32
// CHECK: arith.addf %{{.*}}, %[[ALL]]
// THREADS-LABEL: tt.func @two_of_tf32
// THREADS-NOT: ttg.factor_part
// THREADS: tt.dot {{.*}} -> tensor<32x32xf32, #blocked
tt.func @two_of_tf32(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// -----

// Nothing is added to a sum of zero.
// CHECK-LABEL: tt.func @two_of_bf16
// CHECK: %[[A0:.+]] = ttg.factor_part %{{.*}} {part = 0 : i32} : tensor<32x16xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> -> tensor<32x16xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
// CHECK-COUNT-3: tt.dot {{.*}} : tensor<32x16xbf16, {{.*}} -> tensor<32x32xf32, #mma>
// CHECK-NOT: arith.addf
// THREADS-LABEL: tt.func @two_of_bf16
// THREADS-NOT: ttg.factor_part
tt.func @two_of_bf16(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>) -> tensor<32x32xf32> {
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// -----

// CHECK-LABEL: tt.func @three_of_bf16
// CHECK: %[[A0:.+]] = ttg.factor_part {{.*}} {part = 0 : i32}
// CHECK: %[[A1:.+]] = ttg.factor_part {{.*}} {part = 1 : i32}
// CHECK: %[[A2:.+]] = ttg.factor_part {{.*}} {part = 2 : i32}
// CHECK: %[[B0:.+]] = ttg.factor_part {{.*}} {part = 0 : i32}
// CHECK: %[[B1:.+]] = ttg.factor_part {{.*}} {part = 1 : i32}
// CHECK: %[[B2:.+]] = ttg.factor_part {{.*}} {part = 2 : i32}
// CHECK: tt.dot %[[A1]], %[[B1]],
// CHECK: tt.dot %[[A2]], %[[B0]],
// CHECK: tt.dot %[[A0]], %[[B2]],
// CHECK: tt.dot %[[A1]], %[[B0]],
// CHECK: tt.dot %[[A0]], %[[B1]],
// CHECK: arith.select
// CHECK: tt.dot %[[A0]], %[[B0]],
tt.func @three_of_bf16(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// -----

// Warp groups have the left operand's parts in registers and the right one's in memory. Parts of bf16 lie there as they
// were computed; those of tf32 are turned.
// GROUP-LABEL: tt.func @group
// GROUP: %[[A:.+]] = ttg.convert_layout %{{.*}} -> tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
// GROUP: %[[A0:.+]] = ttg.factor_part %[[A]] {part = 0 : i32}
// GROUP: %[[A1:.+]] = ttg.factor_part %[[A]] {part = 1 : i32}
// GROUP: ttg.factor_part %[[B:.+]] {part = 0 : i32} : tensor<32x64xf32, #blocked
// GROUP: ttg.factor_part %[[B]] {part = 1 : i32}
// GROUP: %[[B0:.+]] = ttg.local_alloc
// GROUP: %[[B1:.+]] = ttg.local_alloc
// GROUP: ttng.fence_async_shared
// GROUP-NEXT: %[[S0:.+]] = ttng.warp_group_dot %[[A1]], %[[B0]], %{{[^ ]*}} {inputPrecision = 0 : i32}
// GROUP-NEXT: %[[S1:.+]] = ttng.warp_group_dot %[[A0]], %[[B1]], %[[S0]] {inputPrecision = 0 : i32}
// GROUP: ttng.warp_group_dot %[[A0]], %[[B0]], %{{[^ ]*}} {inputPrecision = 0 : i32}
// GROUP: tt.return
tt.func @group(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// -----

// Only f32 is split.
// CHECK-LABEL: tt.func @halves
// CHECK-NOT: ttg.factor_part
// CHECK: tt.dot {{.*}} -> tensor<32x32xf32, #mma>
tt.func @halves(%a: tensor<32x16xf16>, %b: tensor<16x32xf16>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<32x16xf16> * tensor<16x32xf16> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}
