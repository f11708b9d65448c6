// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: nereid-lower %s cuda:75 | FileCheck %s --check-prefix=WIDE

// The greatest of numbers that were widened from bf16 is found among these, in each thread. Sums are not.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define {{.*}} @greatest
  // CHECK-COUNT-3: call {{.*}}bfloat @llvm.maxnum.bf16
  // CHECK-COUNT-5: call {{.*}}float @llvm.maxnum.f32
  // CHECK-NOT: call {{.*}}bfloat @llvm
  // CHECK: ret void
  // WIDE-LABEL: define {{.*}} @greatest
  // WIDE-NOT: maxnum.bf16
  // WIDE-COUNT-8: call {{.*}}float @llvm.maxnum.f32
  tt.func public @greatest(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>, #b>
    %pp = tt.addptr %ps, %r : tensor<128x!tt.ptr<bf16>, #b>, tensor<128xi32, #b>
    %x = tt.load %pp : tensor<128x!tt.ptr<bf16>, #b>
    %y = arith.extf %x : tensor<128xbf16, #b> to tensor<128xf32, #b>
    %most = "tt.reduce"(%y) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %c: f32):
      %t = arith.maxnumf %a, %c : f32
      tt.reduce.return %t : f32
    }) : (tensor<128xf32, #b>) -> f32
    %sum = "tt.reduce"(%y) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %c: f32):
      %t = arith.addf %a, %c : f32
      tt.reduce.return %t : f32
    }) : (tensor<128xf32, #b>) -> f32
    %both = arith.addf %most, %sum : f32
    tt.store %out, %both : !tt.ptr<f32>
    tt.return
  }
}
