// RUN: nereid-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{has attribute 'ttg.num-warps', which must be a power of two, but is 3 : i32}}
module attributes {"ttg.num-warps" = 3 : i32} {
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @warps(%x: f32) {
    // expected-error @below {{has result 0 whose layout does not fit: #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}> is for 8 warps, and the module has 4}}
    %0 = tt.splat %x : f32 -> tensor<32xf32, #a>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @lanes(%x: f32) {
    // expected-error @below {{is for warps of 64 threads, and the module's have 32}}
    %0 = tt.splat %x : f32 -> tensor<32xf32, #a>
    tt.return
  }
}

// -----

#a = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @linear_warps(%x: f32) {
    // expected-error @below {{is for 2 warps, and the module has 4}}
    %0 = tt.splat %x : f32 -> tensor<32xf32, #a>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @rank(%x: f32) {
  // expected-error @below {{is for 1 axes, and 'tensor<32x32xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>' has 2}}
  %0 = tt.splat %x : f32 -> tensor<32x32xf32, #a>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func @memory_layout(%x: f32) {
  // expected-error @below {{a tensor is spread over threads, but #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}> is no layout for that}}
  %0 = tt.splat %x : f32 -> tensor<32xf32, #s>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @convert_shape(%x: tensor<64xf32, #a>) {
  // expected-error @below {{changes the layout only, but goes from}}
  %0 = ttg.convert_layout %x : tensor<64xf32, #a> -> tensor<32xf32, #a>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @convert_nothing(%x: tensor<64xf32, #a>) {
  // expected-error @below {{needs a layout on both of its types, but goes from}}
  %0 = ttg.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @expand_without_slice(%x: tensor<64x64xf32, #a>) {
  // expected-error @below {{needs an operand with a slice layout, but it has}}
  %0 = tt.expand_dims %x {axis = 0 : i32} : tensor<64x64xf32, #a> -> tensor<1x64x64xf32>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @expand_other_axis(%x: tensor<64xf32, #ttg.slice<{dim = 0, parent = #a}>>) {
  // expected-error @below {{adds axis 1 to a tensor that is a slice along axis 0}}
  %0 = tt.expand_dims %x {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<64x1xf32, #a>
  tt.return
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @reduce_layout(%x: tensor<64x64xf32, #a>) {
  // expected-error @below {{but is written to give}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    tt.reduce.return %l : f32
  }) : (tensor<64x64xf32, #a>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @split_lanes(%x: tensor<64x2xf32, #a>) {
  // expected-error @below {{'tt.split' op needs both halves in each thread, but layout}}
  %0, %1 = tt.split %x : tensor<64x2xf32, #a> -> tensor<64xf32, #b>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @dot_operands(%x: tensor<64x64xf32, #a>) {
  // expected-error @below {{needs operands with dot_op layouts, but they have}}
  %0 = tt.dot %x, %x, %x : tensor<64x64xf32, #a> * tensor<64x64xf32, #a> -> tensor<64x64xf32, #a>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #a}>
tt.func @dot_sides(%x: tensor<64x64xf32, #left>, %c: tensor<64x64xf32, #a>) {
  // expected-error @below {{needs dot_op layouts of opIdx 0 and 1, but they have 0 and 0}}
  %0 = tt.dot %x, %x, %c : tensor<64x64xf32, #left> * tensor<64x64xf32, #left> -> tensor<64x64xf32, #a>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #a}>
#right = #ttg.dot_op<{opIdx = 1, parent = #b}>
tt.func @dot_parent(%x: tensor<64x64xf32, #left>, %y: tensor<64x64xf32, #right>, %c: tensor<64x64xf32, #a>) {
  // expected-error @below {{needs operands whose layouts are for its result's}}
  %0 = tt.dot %x, %y, %c : tensor<64x64xf32, #left> * tensor<64x64xf32, #right> -> tensor<64x64xf32, #a>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @alloc() {
  // expected-error @below {{without a tensor to hold gives mutable memory, but its type is}}
  %0 = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #s, #smem>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @alloc_shape(%x: tensor<32xf32, #a>) {
  // expected-error @below {{moves whole tensors, but has}}
  %0 = ttg.local_alloc %x : (tensor<32xf32, #a>) -> !ttg.memdesc<64xf32, #s, #smem>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @load_type(%m: !ttg.memdesc<64xf32, #s, #smem>) {
  // expected-error @below {{moves whole tensors, but has}}
  %0 = ttg.local_load %m : !ttg.memdesc<64xf32, #s, #smem> -> tensor<64xi32, #a>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @store_immutable(%m: !ttg.memdesc<64xf32, #s, #smem>, %x: tensor<64xf32, #a>) {
  // expected-error @below {{cannot write to immutable memory}}
  ttg.local_store %x, %m : tensor<64xf32, #a> -> !ttg.memdesc<64xf32, #s, #smem>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @index_shape(%m: !ttg.memdesc<2x64xf32, #s, #smem>, %i: i32) {
  // expected-error @below {{takes one buffer along the first axis, but goes from}}
  %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x64xf32, #s, #smem> -> !ttg.memdesc<32xf32, #s, #smem>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @index_mutable(%m: !ttg.memdesc<2x64xf32, #s, #smem>, %i: i32) {
  // expected-error @below {{gives a view with the element type and memory space of its source, and mutable only if that is, but goes from}}
  %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x64xf32, #s, #smem> -> !ttg.memdesc<64xf32, #s, #smem, mutable>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @subslice_offsets(%m: !ttg.memdesc<64xf32, #s, #smem>) {
  // expected-error @below {{needs an offset for each axis and keeps their number}}
  %0 = ttg.memdesc_subslice %m[0, 0] : !ttg.memdesc<64xf32, #s, #smem> -> !ttg.memdesc<32xf32, #s, #smem, 64>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @subslice_range(%m: !ttg.memdesc<64xf32, #s, #smem>) {
  // expected-error @below {{leaves its source along axis 0: offset 48 and size 32 of 64}}
  %0 = ttg.memdesc_subslice %m[48] : !ttg.memdesc<64xf32, #s, #smem> -> !ttg.memdesc<32xf32, #s, #smem, 64>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @trans(%m: !ttg.memdesc<64x32xf32, #s, #smem>) {
  // expected-error @below {{permutes the axes by its order [1, 0], but goes from}}
  %0 = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #s, #smem> -> !ttg.memdesc<64x32xf32, #s, #smem>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @reshape(%m: !ttg.memdesc<64x32xf32, #s, #smem>) {
  // expected-error @below {{keeps the number of elements, but goes from}}
  %0 = ttg.memdesc_reshape %m : !ttg.memdesc<64x32xf32, #s, #smem> -> !ttg.memdesc<64x64xf32, #s, #smem>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @async_copy(%m: !ttg.memdesc<64xf32, #s, #smem>, %p: tensor<64x!tt.ptr<f32>, #a>) {
  // expected-error @below {{cannot write to immutable memory}}
  %0 = ttg.async_copy_global_to_local %p, %m : tensor<64x!tt.ptr<f32>, #a> -> <64xf32, #s, #smem>
  tt.return
}

// -----

tt.func @factor_part(%x: tensor<16x16xf32>) {
  // expected-error @below {{splits f32 into two parts of f32 or three of bf16, but gives part 2 of 'f32' as 'f32'}}
  %0 = ttg.factor_part %x {part = 2 : i32} : tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @local_dot(%a: !ttg.memdesc<16x32xf32, #shared, #smem>, %b: !ttg.memdesc<16x16xf32, #shared, #smem>, %c: tensor<16x16xf32>) {
  // expected-error @below {{multiplies matrices of f32 with sizes that fit, but not}}
  %0 = ttg.local_dot %a, %b, %c : !ttg.memdesc<16x32xf32, #shared, #smem> * !ttg.memdesc<16x16xf32, #shared, #smem> -> tensor<16x16xf32>
  tt.return
}
