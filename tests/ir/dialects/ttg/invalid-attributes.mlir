// RUN: nereid-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{layout 'blocked' needs a field 'order'}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4]}>

// -----

// expected-error @below {{layout 'blocked' has no field 'orders'}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], orders = [0]}>

// -----

// expected-error @below {{field 'order' of layout 'blocked' takes a list, not 0 : i64}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = 0}>

// -----

// expected-error @below {{field 'sizePerThread' of layout 'blocked' takes non-negative integers, not -1 : i64}}
#a = #ttg.blocked<{sizePerThread = [-1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// -----

// expected-error @below {{each number of threadsPerWarp must be a power of two, but one is 24}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [24], warpsPerCTA = [4], order = [0]}>

// -----

// expected-error @below {{sizePerThread, threadsPerWarp, warpsPerCTA and order must have one number for each axis, but have 2, 1, 1 and 1}}
#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// -----

// expected-error @below {{a blocked layout needs at least one axis}}
#a = #ttg.blocked<{sizePerThread = [], threadsPerWarp = [], warpsPerCTA = [], order = []}>

// -----

// expected-error @below {{order must name each axis from 0 to 1 once, but is [1, 1]}}
#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 1]}>

// -----

// expected-error @below {{field 'CGALayout' of layout 'blocked' needs vectors of 1 numbers, but one has 2}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1, 0]]}>

// -----

// expected-error @below {{CGALayout must hold zeros and powers of two, but holds 3}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[3]]}>

// -----

// expected-error @below {{field 'register' of layout 'linear' takes a list of vectors, but holds 1 : i64}}
#a = #ttg.linear<{register = [1], lane = [], warp = [], block = []}>

// -----

// expected-error @below {{field 'lane' of layout 'linear' takes a list of vectors, not true}}
#a = #ttg.linear<{register = [], lane = true, warp = [], block = []}>

// -----

// expected-error @below {{each vector of lane must move along at most one axis}}
#a = #ttg.linear<{register = [], lane = [[1, 1]], warp = [], block = []}>

// -----

// expected-error @below {{the parent of a slice must be a layout over threads, but is 1 : i64}}
#a = #ttg.slice<{dim = 0, parent = 1}>

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
// expected-error @below {{a slice along axis 2 needs a parent with more axes than 2}}
#a = #ttg.slice<{dim = 2, parent = #b}>

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @below {{the parent of a slice must have at least two axes}}
#a = #ttg.slice<{dim = 0, parent = #b}>

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
// expected-error @below {{opIdx of a dot operand must be 0 or 1, but is 2}}
#a = #ttg.dot_op<{opIdx = 2, parent = #b}>

// -----

// expected-error @below {{the parent of a dot operand must be a layout over threads, but is "mma"}}
#a = #ttg.dot_op<{opIdx = 0, parent = "mma"}>

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
// expected-error @below {{a dot operand of a blocked layout takes no kWidth}}
#a = #ttg.dot_op<{opIdx = 0, parent = #b, kWidth = 2}>

// -----

#b = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// expected-error @below {{a dot operand of an NVIDIA matrix instruction needs a kWidth}}
#a = #ttg.dot_op<{opIdx = 0, parent = #b}>

// -----

#b = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// expected-error @below {{the second operand of a Hopper matrix instruction cannot be in registers}}
#a = #ttg.dot_op<{opIdx = 1, parent = #b, kWidth = 2}>

// -----

#b = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// expected-error @below {{a dot operand of an AMD matrix instruction needs a kWidth}}
#a = #ttg.dot_op<{opIdx = 0, parent = #b}>

// -----

// expected-error @below {{versionMajor of an NVIDIA matrix instruction must be 2 or 3, but is 7}}
#a = #ttg.nvidia_mma<{versionMajor = 7, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>

// -----

// expected-error @below {{warpsPerCTA of a matrix layout must have two or three numbers}}
#a = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4], instrShape = [16, 8]}>

// -----

// expected-error @below {{instrShape of an NVIDIA matrix instruction must have two or three numbers}}
#a = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16]}>

// -----

// expected-error @below {{version of an mfma layout must be from 1 to 4, but is 5}}
#a = #ttg.amd_mfma<{version = 5, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>

// -----

// expected-error @below {{elementBitWidth of an mfma layout must be 32 or 64, but is 16}}
#a = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true, elementBitWidth = 16}>

// -----

// expected-error @below {{warpsPerCTA and tilesPerWarp of a matrix layout must have two or three numbers each}}
#a = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true, tilesPerWarp = [1]}>

// -----

// expected-error @below {{field 'isTransposed' of layout 'amd_mfma' takes true or false, not 1 : i64}}
#a = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = 1}>

// -----

// expected-error @below {{instrShape of an AMD matrix instruction must have three numbers}}
#a = #ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [2, 2], instrShape = [16, 16]}>

// -----

// expected-error @below {{version of a wmma layout must be from 1 to 3, but is 4}}
#a = #ttg.amd_wmma<{version = 4, isTranspose = true, warpsPerCTA = [2, 2]}>

// -----

// expected-error @below {{each number of maxPhase must be a power of two, but one is 3}}
#a = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 3, order = [1, 0]}>

// -----

// expected-error @below {{a padded layout needs at least one pair of interval and padding}}
#a = #ttg.padded_shared<[] {order = [0], shape = [16]}>

// -----

// expected-error @below {{the intervals of a padded layout must differ, but 4 is there twice}}
#a = #ttg.padded_shared<[4:+4, 4:+8] {order = [0], shape = [16]}>

// -----

// expected-error @below {{order and shape of a padded layout must have one number for each axis}}
#a = #ttg.padded_shared<[4:+4] {order = [0], shape = [16, 16]}>

// -----

// expected-error @below {{offset must hold at least one vector}}
#a = #ttg.shared_linear<{offset = []}>

// -----

// expected-error @below {{each number of alignment must be a power of two, but one is 12}}
#a = #ttg.shared_linear<{offset = [[1]]}, alignment = 12>

// -----

// expected-error @below {{swizzlingByteWidth must be 0, 32, 64 or 128, but is 16}}
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 16, transposed = false, elementBitWidth = 16}>

// -----

// expected-error @below {{elementBitWidth must be 4, 8, 16, 32 or 64, but is 12}}
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 12}>

// -----

#smem = #ttg.shared_memory
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @below {{memory needs a layout of memory, but has one over threads}}
tt.func private @memory(!ttg.memdesc<16xf32, #b, #smem>)

// -----

#smem = #ttg.shared_memory
// expected-error @below {{shared memory needs a layout of shared memory, but has "row-major"}}
tt.func private @memory(!ttg.memdesc<16xf32, "row-major", #smem>)

// -----

#smem = #ttg.shared_memory
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @below {{a layout of 1 axes does not fit memory of 3}}
tt.func private @memory(!ttg.memdesc<4x4x16xf32, #s, #smem>)

// -----

#smem = #ttg.shared_memory
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @below {{memory holds numbers or pointers, not 'vector<4xf32>'}}
tt.func private @memory(!ttg.memdesc<16xvector<4xf32>, #s, #smem>)

// -----

#smem = #ttg.shared_memory
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @below {{memory needs at least one axis}}
tt.func private @memory(!ttg.memdesc<f32, #s, #smem>)

// -----

#smem = #ttg.shared_memory
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @below {{memory needs positive sizes, but one is 0}}
tt.func private @memory(!ttg.memdesc<0xf32, #s, #smem>)

// -----

#smem = #ttg.shared_memory
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @below {{a view of size 16 does not fit its allocation of size 8}}
tt.func private @memory(!ttg.memdesc<16xf32, #s, #smem, mutable, 8>)

// -----

#smem = #ttg.shared_memory
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @below {{an allocation has at least as many axes as a view of it}}
tt.func private @memory(!ttg.memdesc<16x16xf32, #s, #smem, mutable, 16>)
