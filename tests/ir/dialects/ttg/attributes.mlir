// Every layout and type prints back as it was written, under the name that upstream gives it.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s | nereid-opt | FileCheck %s

// CHECK-DAG: #blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{\[\[1, 0\], \[0, 1\]\]}}}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0], [0, 1]]}>
// CHECK-DAG: #linear = #ttg.linear<{register = {{\[\[0, 1\], \[0, 2\]\]}}, lane = {{\[\[0, 4\], \[0, 8\], \[0, 16\], \[1, 0\], \[2, 0\]\]}}, warp = {{\[\[4, 0\], \[0, 0\]\]}}, block = []}>
#c = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]], block = []}>
// CHECK-DAG: #mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#d = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK-DAG: #mma1 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = {{\[\[1, 0\]\]}}, instrShape = [16, 128, 16]}>
#e = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], instrShape = [16, 128, 16]}>
// CHECK-DAG: #mma2 = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#f = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-DAG: #mma3 = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = false, tilesPerWarp = [2, 1], elementBitWidth = 64}>
#g = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = false, tilesPerWarp = [2, 1], elementBitWidth = 64}>
// CHECK-DAG: #mma4 = #ttg.amd_wmma<{version = 1, isTranspose = true, warpsPerCTA = [2, 2]}>
#h = #ttg.amd_wmma<{version = 1, isTranspose = true, warpsPerCTA = [2, 2]}>
// CHECK-DAG: #mma5 = #ttg.amd_wmma<{version = 3, isTranspose = false, warpsPerCTA = [2, 2], tilesPerWarp = [2, 2], instrShape = [16, 16, 32]}>
#i = #ttg.amd_wmma<{version = 3, isTranspose = false, warpsPerCTA = [2, 2], tilesPerWarp = [2, 2], instrShape = [16, 16, 32]}>
// CHECK-DAG: #shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#j = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-DAG: #shared1 = #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>
#k = #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>
// CHECK-DAG: #shared2 = #ttg.padded_shared<[32:+4, 128:+8] {order = [1, 0], shape = [16, 32]}>
#l = #ttg.padded_shared<[32:+4, 128:+8] {order = [1, 0], shape = [16, 32]}>
// CHECK-DAG: #shared3 = #ttg.padded_shared<[4:+2] {offset = {{\[\[0, 1\], \[0, 2\], \[1, 0\]\]}}, block = []}>
#m = #ttg.padded_shared<[4:+2] {offset = [[0, 1], [0, 2], [1, 0]], block = []}>
// CHECK-DAG: #shared4 = #ttg.shared_linear<{offset = {{\[\[0, 1\], \[0, 2\], \[1, 2\]\]}}, block = []}, alignment = 16>
#n = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 2]]}>
// CHECK-DAG: #shared5 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#o = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #shared6 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8, fp4Padded = true, CGALayout = {{\[\[1, 0\]\]}}}>
#p = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8, fp4Padded = true, CGALayout = [[1, 0]]}>
// CHECK-DAG: #smem = #ttg.shared_memory
#smem = #ttg.shared_memory

// CHECK-LABEL: @distributed
tt.func private @distributed(tensor<16x32xf32, #a>, tensor<16x32xf32, #b>, tensor<8x32xf32, #c>, tensor<16x16xf32, #d>, tensor<64x128xf32, #e>, tensor<32x32xf32, #f>, tensor<32x32xf64, #g>, tensor<32x32xf32, #h>, tensor<32x32xf32, #i>)
// CHECK-LABEL: @nested
// CHECK-SAME: tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
// CHECK-SAME: tensor<16xf32, #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 2, parent = #blocked2}>}>>
// CHECK-SAME: tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
// CHECK-SAME: tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>
tt.func private @nested(tensor<16xf32, #ttg.slice<{dim = 1, parent = #a}>>, tensor<16xf32, #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 1, 4], order = [2, 1, 0]}>}>}>>, tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #d, kWidth = 2}>>, tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #a}>>)
// CHECK-LABEL: @memory
// CHECK-SAME: !ttg.memdesc<16x32xf16, #shared, #smem>
// CHECK-SAME: !ttg.memdesc<3x16x32xf16, #shared1, #smem, mutable>
// CHECK-SAME: !ttg.memdesc<16x32xf16, #shared2, #smem, mutable, 4x16x32>
// CHECK-SAME: !ttg.memdesc<8x16xf16, #shared, #smem, 16x32>
// CHECK-SAME: !ttg.async.token
tt.func private @memory(!ttg.memdesc<16x32xf16, #j, #smem>, !ttg.memdesc<3x16x32xf16, #k, #smem, mutable>, !ttg.memdesc<16x32xf16, #l, #smem, mutable, 4x16x32>, !ttg.memdesc<8x16xf16, #j, #smem, 16x32>, !ttg.memdesc<2x4xf16, #m, #smem>, !ttg.memdesc<2x4xf16, #n, #smem>, !ttg.memdesc<16x64xf16, #o, #smem>, !ttg.memdesc<16x64xi8, #p, #smem>, !ttg.async.token)
