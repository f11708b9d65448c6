// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefix=WIDE

// What is computed of two numbers of bf16 in f32, and then cut down to bf16, is computed in bf16 where the hardware does that. Each step is
// rounded, as written. Where the wide number is used as well, or a factor is no number of bf16, nothing changes.
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @rotate
  // CHECK: %[[A:.+]] = call {{.*}}bfloat asm "mul.rn.bf16 $0, $1, $2;", "=h,h,h"(bfloat %{{.+}}, bfloat %{{.+}})
  // CHECK: %[[B:.+]] = call {{.*}}bfloat asm "mul.rn.bf16 $0, $1, $2;", "=h,h,h"(bfloat %{{.+}}, bfloat 0xR3F00)
  // CHECK: call {{.*}}bfloat asm "sub.rn.bf16 $0, $1, $2;", "=h,h,h"(bfloat %[[A]], bfloat %[[B]])
  // CHECK: call {{.*}}bfloat asm "add.rn.bf16 $0, $1, $2;"
  // CHECK-NOT: .rn.bf16
  // CHECK: ret void
  // WIDE-LABEL: define {{.*}} @rotate
  // WIDE-NOT: .rn.bf16
  // WIDE: fptrunc
  // WIDE: ret void
  tt.func public @rotate(%p: !tt.ptr<bf16>) {
    %half = arith.constant dense<0.5> : tensor<32xf32, #blocked>
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<32x!tt.ptr<bf16>, #blocked>
    %pp = tt.addptr %ps, %r : tensor<32x!tt.ptr<bf16>, #blocked>, tensor<32xi32, #blocked>
    %x = tt.load %pp : tensor<32x!tt.ptr<bf16>, #blocked>
    %y = tt.load %pp : tensor<32x!tt.ptr<bf16>, #blocked>
    %wx = arith.extf %x : tensor<32xbf16, #blocked> to tensor<32xf32, #blocked>
    %wy = arith.extf %y : tensor<32xbf16, #blocked> to tensor<32xf32, #blocked>
    %a = arith.mulf %wx, %wy : tensor<32xf32, #blocked>
    %b = arith.mulf %wx, %half : tensor<32xf32, #blocked>
    %na = arith.truncf %a : tensor<32xf32, #blocked> to tensor<32xbf16, #blocked>
    %nb = arith.truncf %b : tensor<32xf32, #blocked> to tensor<32xbf16, #blocked>
    %wa = arith.extf %na : tensor<32xbf16, #blocked> to tensor<32xf32, #blocked>
    %wb = arith.extf %nb : tensor<32xbf16, #blocked> to tensor<32xf32, #blocked>
    %c = arith.subf %wa, %wb : tensor<32xf32, #blocked>
    %nc = arith.truncf %c : tensor<32xf32, #blocked> to tensor<32xbf16, #blocked>
    tt.store %pp, %nc : tensor<32x!tt.ptr<bf16>, #blocked>
    %d = arith.addf %wa, %wb : tensor<32xf32, #blocked>
    %nd = arith.truncf %d : tensor<32xf32, #blocked> to tensor<32xbf16, #blocked>
    tt.store %pp, %nd : tensor<32x!tt.ptr<bf16>, #blocked>
    %q = tt.bitcast %p : !tt.ptr<bf16> -> !tt.ptr<f32>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #blocked>
    %qq = tt.addptr %qs, %r : tensor<32x!tt.ptr<f32>, #blocked>, tensor<32xi32, #blocked>
    %e = arith.mulf %wx, %wx : tensor<32xf32, #blocked>
    tt.store %qq, %e : tensor<32x!tt.ptr<f32>, #blocked>
    %ne = arith.truncf %e : tensor<32xf32, #blocked> to tensor<32xbf16, #blocked>
    tt.store %pp, %ne : tensor<32x!tt.ptr<bf16>, #blocked>
    %third = arith.constant dense<0.3333> : tensor<32xf32, #blocked>
    %f = arith.mulf %wx, %third : tensor<32xf32, #blocked>
    %nf = arith.truncf %f : tensor<32xf32, #blocked> to tensor<32xbf16, #blocked>
    tt.store %pp, %nf : tensor<32x!tt.ptr<bf16>, #blocked>
    tt.return
  }
}
