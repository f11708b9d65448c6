// RUN: nereid-lower %s cuda:75 | FileCheck %s --check-prefix=SM75
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefix=SM80

// One step along K: an instruction on Ampere, two halves of it on Turing. Sums are read where they are written. All
// lanes take part, so that no such call may move into a branch.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#a8 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b8 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @halves(%x: tensor<16x16xf16, #a>, %y: tensor<16x8xf16, #b>, %c: tensor<16x8xf32, #mma>) -> tensor<16x8xf32, #mma> {
    // SM75: call contract { float, float, float, float } asm "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5}, {$6}, {$7, $8, $9, $10};", "=f,=f,=f,=f,r,r,r,0,1,2,3"{{.*}}) #[[ATTRIBUTES:[0-9]+]]
    // SM75: mma.sync.aligned.m16n8k8
    // SM75-NOT: mma.sync.aligned.m16n8
    // SM80: call contract { float, float, float, float } asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3"{{.*}}) #[[ATTRIBUTES:[0-9]+]]
    // SM80-NOT: mma.sync.aligned.m16n8k16
    %d = tt.dot %x, %y, %c : tensor<16x16xf16, #a> * tensor<16x8xf16, #b> -> tensor<16x8xf32, #mma>
    tt.return %d : tensor<16x8xf32, #mma>
  }
  tt.func private @bytes(%x: tensor<16x32xi8, #a8>, %y: tensor<32x8xi8, #b8>, %c: tensor<16x8xi32, #mma>) -> tensor<16x8xi32, #mma> {
    // SM75-COUNT-4: mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
    // SM80: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
    %d = tt.dot %x, %y, %c : tensor<16x32xi8, #a8> * tensor<32x8xi8, #b8> -> tensor<16x8xi32, #mma>
    tt.return %d : tensor<16x8xi32, #mma>
  }
  tt.func public @kernel() {
    tt.return
  }
  // SM75: attributes #[[ATTRIBUTES]] = { convergent nounwind memory(none)
  // SM80: attributes #[[ATTRIBUTES]] = { convergent nounwind memory(none)
}
