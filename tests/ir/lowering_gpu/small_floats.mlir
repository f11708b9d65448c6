// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefix=BITS

// Numbers of 8 bits are widened in pairs where the hardware does that, and by their bits elsewhere.
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @widen
  // CHECK-COUNT-2: <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16
  // CHECK: <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float
  // CHECK-NOT: {{.*}} = {{.*}}llvm.nvvm.e4m3x2
  // CHECK: ret void
  // BITS-LABEL: define {{.*}} @widen
  // BITS-NOT: llvm.nvvm.e4m3x2
  // BITS: ret void
  tt.func public @widen(%p: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %q: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f8E4M3FN> -> tensor<128x!tt.ptr<f8E4M3FN>, #blocked>
    %pp = tt.addptr %ps, %r : tensor<128x!tt.ptr<f8E4M3FN>, #blocked>, tensor<128xi32, #blocked>
    %x = tt.load %pp : tensor<128x!tt.ptr<f8E4M3FN>, #blocked>
    %y = tt.fp_to_fp %x : tensor<128xf8E4M3FN, #blocked> -> tensor<128xbf16, #blocked>
    %qs = tt.splat %q : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>, #blocked>
    %qq = tt.addptr %qs, %r : tensor<128x!tt.ptr<bf16>, #blocked>, tensor<128xi32, #blocked>
    tt.store %qq, %y : tensor<128x!tt.ptr<bf16>, #blocked>
    tt.return
  }
}
