// RUN: nereid-opt %s --split-input-file --verify-diagnostics

// Rows of 32 bytes in tiles of 64.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#left = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
#right = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
tt.func public @short(%a: !ttg.memdesc<64x32xf8E4M3FN, #left, #smem>, %b: !ttg.memdesc<32x64xf8E4M3FN, #right, #smem>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @below {{'ttng.warp_group_dot' op reads rows that are as long as their swizzle or longer, but has '!ttg.memdesc<32x64xf8E4M3FN}}
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x32xf8E4M3FN, #left, #smem> * !ttg.memdesc<32x64xf8E4M3FN, #right, #smem> -> tensor<64x64xf32, #mma>
  tt.return
}
