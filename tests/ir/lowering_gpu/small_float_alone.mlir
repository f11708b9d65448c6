// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefix=BITS

// A number that is alone is narrowed to 8 bits, and widened, beside a zero, where the hardware does that in pairs.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @alone
  // CHECK: call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float 0.0{{.*}}, float %
  // CHECK: %[[BYTE:.+]] = load i8
  // CHECK: %[[BYTES:.+]] = zext i8 %[[BYTE]] to i16
  // CHECK: call {{.*}}<2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 %[[BYTES]])
  // BITS-LABEL: define {{.*}} @alone
  // BITS-NOT: {{.*}} = {{.*}}x2.rn(
  // BITS: ret void
  tt.func public @alone(%p: !tt.ptr<f32>, %q: !tt.ptr<f8E4M3FN>) {
    %x = tt.load %p : !tt.ptr<f32>
    %y = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E4M3FN
    tt.store %q, %y : !tt.ptr<f8E4M3FN>
    %z = tt.load %q : !tt.ptr<f8E4M3FN>
    %w = tt.fp_to_fp %z : f8E4M3FN -> f32
    tt.store %p, %w : !tt.ptr<f32>
    tt.return
  }
}
