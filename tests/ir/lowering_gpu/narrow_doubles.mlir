// RUN: nereid-lower %s cuda:90 | FileCheck %s --check-prefixes=CHECK,HALF,BF16
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefixes=CHECK,HALF,ODD
// RUN: nereid-lower %s hip:gfx1100 | FileCheck %s --check-prefixes=CHECK,ODDHALF,ODD

// Doubles are rounded once on their way to 16 bits: by the hardware where it does that, or by way of the f32 next to them
// whose last bit is set. NVIDIA's conversions keep bits of a NaN, which a product by one makes the one that there is; not
// behind a maximum, which is always a number. Where bits are cut off, as toward zero, nothing may be left of a NaN but
// infinity, which no product makes a NaN again: that takes a choice.
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @narrow(
  // HALF: fptrunc{{.*}} double %{{.+}} to half
  // ODDHALF: fptrunc{{.*}} double %{{.+}} to float
  // ODDHALF: fptrunc{{.*}} float %{{.+}} to half
  // HALF-NEXT: call{{.*}} half asm "mul.rn.f16 $0, $1, $2;"
  // BF16-NOT: fptrunc
  // BF16: fptrunc{{.*}} double %{{.+}} to bfloat
  // BF16-NEXT: call{{.*}} bfloat asm "mul.rn.bf16 $0, $1, $2;"
  // ODD: fptrunc{{.*}} double %{{.+}} to float
  // HALF: fptrunc{{.*}} double %{{.+}} to float
  // HALF-NEXT: call{{.*}} float @llvm.canonicalize.f32(
  // HALF: call{{.*}} @llvm.maxnum.f64
  // HALF-NEXT: fptrunc{{.*}} double %{{.+}} to half
  // HALF-NOT: mul.rn
  // HALF: fcmp{{.*}} uno float
  // HALF-NEXT: bitcast bfloat
  // HALF-NEXT: select i1 %{{.+}}, i16 32767, i16
  // HALF-NOT: mul.rn
  // CHECK: ret void
  tt.func public @narrow(%x: f64, %p: !tt.ptr<f16>, %q: !tt.ptr<bf16>, %r: !tt.ptr<f32>) {
    %rs = tt.splat %r : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #blocked>
    %qs = tt.splat %q : !tt.ptr<bf16> -> tensor<32x!tt.ptr<bf16>, #blocked>
    %tile = tt.load %rs : tensor<32x!tt.ptr<f32>, #blocked>
    %one = arith.constant 1.0 : f64
    %half = arith.truncf %x : f64 to f16
    tt.store %p, %half : !tt.ptr<f16>
    %brain = arith.truncf %x : f64 to bf16
    tt.store %q, %brain : !tt.ptr<bf16>
    %single = arith.truncf %x : f64 to f32
    tt.store %r, %single : !tt.ptr<f32>
    %number = arith.maxnumf %x, %one : f64
    %last = arith.truncf %number : f64 to f16
    tt.store %p, %last : !tt.ptr<f16>
    %cut = tt.fp_to_fp %tile, rounding = rtz : tensor<32xf32, #blocked> -> tensor<32xbf16, #blocked>
    tt.store %qs, %cut : tensor<32x!tt.ptr<bf16>, #blocked>
    tt.return
  }
}
