// RUN: nereid-lower %s cuda:90a | FileCheck %s

// Four groups beside each other with 32 columns each, of rows that are swizzled by 128 bytes: two groups share a column
// of tiles, 64 bytes apart (4 units of 16), and the next column begins 64 rows of 128 bytes further (512 units).
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 4], instrShape = [16, 32, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 16 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 24576 : i32} {
  // CHECK-LABEL: define {{.*}} @kernel
  // CHECK: %[[GROUP:.+]] = lshr i32 %{{.+}}, 2
  // CHECK: %[[ACROSS:.+]] = lshr i32 %[[GROUP]], 0
  // CHECK: %[[COLUMN:.+]] = lshr i32 %[[ACROSS]], 1
  // CHECK: %[[INSIDE:.+]] = and i32 %[[ACROSS]], 1
  // CHECK: %[[FAR:.+]] = mul i32 %[[COLUMN]], 512
  // CHECK: %[[NEAR:.+]] = mul i32 %[[INSIDE]], 4
  // CHECK: add i32 %[[FAR]], %[[NEAR]]
  // CHECK: wgmma.mma_async.sync.aligned.m64n32k16
  tt.func public @kernel(%out: !tt.ptr<f32>) {
    %c = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %a = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 1024 : i32} : () -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 8192 : i32, alignment = 1024 : i32} : () -> !ttg.memdesc<64x128xf16, #tile, #smem, mutable>
    %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #tile, #smem, mutable> * !ttg.memdesc<64x128xf16, #tile, #smem, mutable> -> tensor<64x128xf32, #mma>
    %p = tt.splat %out : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>, #mma>
    tt.store %p, %d : tensor<64x128x!tt.ptr<f32>, #mma>
    tt.return
  }
}
