// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefix=CUDA
// RUN: nereid-lower %s hip:gfx942 | FileCheck %s --check-prefix=HIP

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32} {
  tt.func public @math(%out: !tt.ptr<f32>, %outh: !tt.ptr<f16>, %outd: !tt.ptr<f64>, %x: f32, %h: f16, %d: f64) {
    // CUDA: fmul contract float %{{.*}}, 0x3FF7154760000000
    // CUDA-NEXT: @llvm.nvvm.ex2.approx.f32
    // HIP: @llvm.amdgcn.exp2.f32
    %0 = math.exp %x : f32
    // CUDA: @llvm.nvvm.ex2.approx.ftz.f32
    // HIP: @llvm.{{.*}}exp2.f32
    %exp2 = math.exp2 %x : f32
    // CUDA: @llvm.nvvm.sqrt.approx.ftz.f(
    // HIP: @llvm.amdgcn.sqrt.f32
    %1 = math.sqrt %0 : f32
    // CUDA: @__nv_erff(
    // HIP: @__ocml_erf_f32(
    %2 = math.erf %1 : f32
    // CUDA: @llvm.nvvm.div.full(
    // HIP: fdiv contract float %{{.*}}, !fpmath
    %3 = arith.divf %2, %x : f32
    // CUDA: @llvm.nvvm.sqrt.rn.f(
    // HIP: @llvm.sqrt.f32(
    %4 = tt.precise_sqrt %3 : f32
    // CUDA: fdiv contract float
    // HIP: fdiv contract float
    // HIP-NOT: !fpmath
    %5 = tt.precise_divf %4, %x : f32
    tt.store %out, %5 : !tt.ptr<f32>
    // CUDA: @llvm.nvvm.rsqrt.approx.ftz.f(
    %inverse = math.rsqrt %x : f32
    tt.store %out, %inverse : !tt.ptr<f32>
    // Sixteen bits are computed in 32, and rounded once.
    // CUDA: fpext contract half %{{.*}} to float
    // CUDA: @__nv_sinf(
    // CUDA: fptrunc contract float %{{.*}} to half
    // HIP: @__ocml_sin_f32(
    %6 = math.sin %h : f16
    tt.store %outh, %6 : !tt.ptr<f16>
    // CUDA: @__nv_exp(double
    // HIP: @__ocml_exp_f64(double
    %7 = math.exp %d : f64
    tt.store %outd, %7 : !tt.ptr<f64>
    tt.return
  }
}
