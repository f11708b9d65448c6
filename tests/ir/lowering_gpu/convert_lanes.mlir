// RUN: nereid-lower %s cuda:90 | FileCheck %s

// Eight f16 of a lane, which change places with three other lanes' in pairs: three shuffles, not six.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @narrow
  // CHECK-COUNT-3: call i32 @llvm.nvvm.shfl.sync
  // CHECK-NOT: llvm.nvvm.shfl.sync
  // CHECK: ret void
  tt.func public @narrow(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %r1 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %c1 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %w = arith.constant dense<32> : tensor<8x1xi32, #mma>
    %r = tt.expand_dims %r1 {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<8x1xi32, #mma>
    %c = tt.expand_dims %c1 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x32xi32, #mma>
    %rw = arith.muli %r, %w : tensor<8x1xi32, #mma>
    %rb = tt.broadcast %rw : tensor<8x1xi32, #mma> -> tensor<8x32xi32, #mma>
    %cb = tt.broadcast %c : tensor<1x32xi32, #mma> -> tensor<8x32xi32, #mma>
    %o = arith.addi %rb, %cb : tensor<8x32xi32, #mma>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #mma>
    %pp = tt.addptr %ps, %o : tensor<8x32x!tt.ptr<f16>, #mma>, tensor<8x32xi32, #mma>
    %x = tt.load %pp : tensor<8x32x!tt.ptr<f16>, #mma>
    %y = ttg.convert_layout %x : tensor<8x32xf16, #mma> -> tensor<8x32xf16, #rows>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #rows>
    tt.store %q, %y : tensor<8x32x!tt.ptr<f16>, #rows>
    tt.return
  }
}
