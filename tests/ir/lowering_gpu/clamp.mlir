// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefix=TWICE

// Between a number and its negative a clamp is one instruction from sm_86 on. NaNs that must stay take two, and so do
// bounds of other sizes.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define {{.*}} @clamps
  // CHECK: call {{.*}}float @llvm.nvvm.fmin.xorsign.abs.f(float %{{.*}}, float 4.480000e+02)
  // CHECK: call {{.*}}float @llvm.maximum.f32
  // CHECK: call {{.*}}float @llvm.minimum.f32
  // CHECK: call {{.*}}float @llvm.maxnum.f32
  // CHECK: call {{.*}}float @llvm.minnum.f32
  // TWICE-LABEL: define {{.*}} @clamps
  // TWICE-NOT: xorsign
  // TWICE: ret void
  tt.func public @clamps(%x: f32, %out: !tt.ptr<f32>) {
    %most = arith.constant 448.0 : f32
    %least = arith.constant -448.0 : f32
    %zero = arith.constant 0.0 : f32
    %a = tt.clampf %x, %least, %most, propagateNan = none : f32
    %b = tt.clampf %a, %least, %most, propagateNan = all : f32
    %c = tt.clampf %b, %zero, %most, propagateNan = none : f32
    tt.store %out, %c : !tt.ptr<f32>
    tt.return
  }
}
