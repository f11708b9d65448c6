// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefix=BITS

// Numbers are narrowed to 8 bits in pairs where the hardware does that, and by their bits elsewhere. Toward zero it does not.
#blocked = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @narrow
  // CHECK-COUNT-4: call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float
  // Bytes go to memory in words that LLVM can leave in the registers of the pairs.
  // CHECK-COUNT-2: bitcast <4 x i8> %{{.*}} to i32
  // CHECK: bitcast <2 x i32> %{{.*}} to <8 x i8>
  // CHECK-COUNT-4: call i16 @llvm.nvvm.ff.to.e5m2x2.rn(float
  // CHECK-NOT: {{.*}} = {{.*}}x2.rn(
  // CHECK: ret void
  // BITS-LABEL: define {{.*}} @narrow
  // BITS-NOT: {{.*}} = {{.*}}x2.rn(
  // BITS: ret void
  tt.func public @narrow(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %t: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #blocked>
    %pp = tt.addptr %ps, %r : tensor<256x!tt.ptr<bf16>, #blocked>, tensor<256xi32, #blocked>
    %x = tt.load %pp : tensor<256x!tt.ptr<bf16>, #blocked>
    %y = tt.fp_to_fp %x, rounding = rtne : tensor<256xbf16, #blocked> -> tensor<256xf8E4M3FN, #blocked>
    %qs = tt.splat %q : !tt.ptr<f8E4M3FN> -> tensor<256x!tt.ptr<f8E4M3FN>, #blocked>
    %qq = tt.addptr %qs, %r : tensor<256x!tt.ptr<f8E4M3FN>, #blocked>, tensor<256xi32, #blocked>
    tt.store %qq, %y : tensor<256x!tt.ptr<f8E4M3FN>, #blocked>
    %z = tt.fp_to_fp %x, rounding = rtne : tensor<256xbf16, #blocked> -> tensor<256xf8E5M2, #blocked>
    %ts = tt.splat %t : !tt.ptr<f8E5M2> -> tensor<256x!tt.ptr<f8E5M2>, #blocked>
    %tt = tt.addptr %ts, %r : tensor<256x!tt.ptr<f8E5M2>, #blocked>, tensor<256xi32, #blocked>
    tt.store %tt, %z : tensor<256x!tt.ptr<f8E5M2>, #blocked>
    %w = tt.fp_to_fp %x, rounding = rtz : tensor<256xbf16, #blocked> -> tensor<256xf8E5M2, #blocked>
    tt.store %tt, %w : tensor<256x!tt.ptr<f8E5M2>, #blocked>
    tt.return
  }
}
