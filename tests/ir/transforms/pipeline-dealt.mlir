// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --canonicalize --cse | FileCheck %s

// With rings that last as long as the loop over tiles there is room for five blocks in place of seven. That is no loss
// where a multiprocessor has no more than one program: where 132 of them deal the tiles out.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#out = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @dealt(
  // CHECK-NOT: scf.for
  // CHECK: ttg.local_alloc {{.*}} !ttg.memdesc<3x64x64xf16
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.for
  tt.func public @dealt(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32>, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %n: i32, %count: i32) {
    %c0 = arith.constant 0 : i32
    %step = arith.constant 132 : i32
    %c64 = arith.constant 64 : i32
    %c4096 = arith.constant 4096 : i32
    %pid = tt.get_program_id x : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %within = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %within2 = tt.expand_dims %within {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %offsets = tt.broadcast %within2 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %base = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %out = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #out>
    scf.for %i = %pid to %count step %step : i32 {
      %first = arith.muli %i, %c4096 : i32
      %firsts = tt.splat %first : i32 -> tensor<64x64xi32, #blocked>
      %of_tile = arith.addi %firsts, %offsets : tensor<64x64xi32, #blocked>
      %p = tt.addptr %base, %of_tile : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
        %ks = tt.splat %k : i32 -> tensor<64x64xi32, #blocked>
        %q = tt.addptr %p, %ks : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
        %x = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
        %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
        ttng.fence_async_shared
        %d = ttng.warp_group_dot %mx, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      %stored = ttg.convert_layout %r : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #out>
      tt.store %out, %stored : tensor<64x64x!tt.ptr<f32>, #out>
    }
    tt.return
  }

  // Seven programs of each multiprocessor.
  // CHECK-LABEL: @dealt_to_more(
  // CHECK-NOT: ttg.local_alloc
  // CHECK: scf.for
  // CHECK: ttg.local_alloc
  tt.func public @dealt_to_more(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32>, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %n: i32, %count: i32) {
    %c0 = arith.constant 0 : i32
    %step = arith.constant 924 : i32
    %c64 = arith.constant 64 : i32
    %c4096 = arith.constant 4096 : i32
    %pid = tt.get_program_id x : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %within = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %within2 = tt.expand_dims %within {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %offsets = tt.broadcast %within2 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %base = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %out = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #out>
    scf.for %i = %pid to %count step %step : i32 {
      %first = arith.muli %i, %c4096 : i32
      %firsts = tt.splat %first : i32 -> tensor<64x64xi32, #blocked>
      %of_tile = arith.addi %firsts, %offsets : tensor<64x64xi32, #blocked>
      %p = tt.addptr %base, %of_tile : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
        %ks = tt.splat %k : i32 -> tensor<64x64xi32, #blocked>
        %q = tt.addptr %p, %ks : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
        %x = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
        %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
        ttng.fence_async_shared
        %d = ttng.warp_group_dot %mx, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      %stored = ttg.convert_layout %r : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #out>
      tt.store %out, %stored : tensor<64x64x!tt.ptr<f32>, #out>
    }
    tt.return
  }

  // There may be many more programs of the same number along x.
  // CHECK-LABEL: @of_other_axes(
  // CHECK-NOT: ttg.local_alloc
  // CHECK: scf.for
  // CHECK: ttg.local_alloc
  tt.func public @of_other_axes(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32>, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %n: i32, %count: i32) {
    %c0 = arith.constant 0 : i32
    %step = arith.constant 132 : i32
    %c64 = arith.constant 64 : i32
    %c4096 = arith.constant 4096 : i32
    %pid = tt.get_program_id x : i32
    %row = tt.get_program_id y : i32
    %first_tile = arith.addi %pid, %row : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %within = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %within2 = tt.expand_dims %within {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %offsets = tt.broadcast %within2 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %base = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %out = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #out>
    scf.for %i = %first_tile to %count step %step : i32 {
      %first = arith.muli %i, %c4096 : i32
      %firsts = tt.splat %first : i32 -> tensor<64x64xi32, #blocked>
      %of_tile = arith.addi %firsts, %offsets : tensor<64x64xi32, #blocked>
      %p = tt.addptr %base, %of_tile : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
        %ks = tt.splat %k : i32 -> tensor<64x64xi32, #blocked>
        %q = tt.addptr %p, %ks : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
        %x = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
        %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
        ttng.fence_async_shared
        %d = ttng.warp_group_dot %mx, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      %stored = ttg.convert_layout %r : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #out>
      tt.store %out, %stored : tensor<64x64x!tt.ptr<f32>, #out>
    }
    tt.return
  }

  // Each program has a part of its own, in steps.
  // CHECK-LABEL: @own_parts(
  // CHECK-NOT: ttg.local_alloc
  // CHECK: scf.for
  // CHECK: ttg.local_alloc
  tt.func public @own_parts(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32>, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %n: i32, %count: i32) {
    %c0 = arith.constant 0 : i32
    %step = arith.constant 132 : i32
    %c64 = arith.constant 64 : i32
    %c4096 = arith.constant 4096 : i32
    %pid = tt.get_program_id x : i32
    %begin = arith.muli %pid, %c4096 : i32
    %end = arith.addi %begin, %c4096 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %within = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %within2 = tt.expand_dims %within {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %offsets = tt.broadcast %within2 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %base = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %out = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #out>
    scf.for %i = %begin to %end step %step : i32 {
      %first = arith.muli %i, %c4096 : i32
      %firsts = tt.splat %first : i32 -> tensor<64x64xi32, #blocked>
      %of_tile = arith.addi %firsts, %offsets : tensor<64x64xi32, #blocked>
      %p = tt.addptr %base, %of_tile : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
        %ks = tt.splat %k : i32 -> tensor<64x64xi32, #blocked>
        %q = tt.addptr %p, %ks : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
        %x = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
        %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
        ttng.fence_async_shared
        %d = ttng.warp_group_dot %mx, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      %stored = ttg.convert_layout %r : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #out>
      tt.store %out, %stored : tensor<64x64x!tt.ptr<f32>, #out>
    }
    tt.return
  }
}
