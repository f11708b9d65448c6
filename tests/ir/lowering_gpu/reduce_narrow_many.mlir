// RUN: nereid-lower %s cuda:90 | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The greatest is not found among the narrow ones where a thread has so many that registers are short.
  // CHECK-LABEL: define {{.*}} @many
  // CHECK-NOT: maxnum.bf16
  // CHECK-COUNT-63: call {{.*}}float @llvm.maxnum.f32
  tt.func public @many(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32, #b>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<2048x!tt.ptr<bf16>, #b>
    %pp = tt.addptr %ps, %r : tensor<2048x!tt.ptr<bf16>, #b>, tensor<2048xi32, #b>
    %x = tt.load %pp : tensor<2048x!tt.ptr<bf16>, #b>
    %y = arith.extf %x : tensor<2048xbf16, #b> to tensor<2048xf32, #b>
    %most = "tt.reduce"(%y) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %c: f32):
      %t = arith.maxnumf %a, %c : f32
      tt.reduce.return %t : f32
    }) : (tensor<2048xf32, #b>) -> f32
    tt.store %out, %most : !tt.ptr<f32>
    tt.return
  }
}
