// RUN: nereid-lower %s cuda:89 | FileCheck %s --check-prefix=BYTES
// RUN: nereid-lower %s cuda:90 | FileCheck %s --check-prefix=HALVES
// RUN: nereid-lower %s cuda:120 | FileCheck %s --check-prefix=BYTES

// Where the matrix unit takes no 8-bit floats, they are widened: the lower two of each register are one step of f16, the
// upper two another that goes on with its sums.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // BYTES: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
  // BYTES-NOT: mma.sync
  // HALVES: define internal {{.*}} @product
  // HALVES-COUNT-4: <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16
  // HALVES-COUNT-2: <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn(i16
  // HALVES: %[[LOWER:.*]] = call contract { float, float, float, float } asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  // HALVES: %[[SUM:.*]] = extractvalue { float, float, float, float } %[[LOWER]], 0
  // HALVES-COUNT-4: <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16
  // HALVES-COUNT-2: <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn(i16
  // HALVES: asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{.*}}, float %[[SUM]], float
  // HALVES-NOT: mma.sync
  tt.func private @product(%x: tensor<16x32xf8E4M3FN, #a>, %y: tensor<32x8xf8E5M2, #b>, %c: tensor<16x8xf32, #mma>) -> tensor<16x8xf32, #mma> {
    %d = tt.dot %x, %y, %c : tensor<16x32xf8E4M3FN, #a> * tensor<32x8xf8E5M2, #b> -> tensor<16x8xf32, #mma>
    tt.return %d : tensor<16x8xf32, #mma>
  }
  tt.func public @kernel() {
    tt.return
  }
}
