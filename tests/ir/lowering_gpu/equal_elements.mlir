// Elements that are known to be equal are computed once: with n divisible by 16, `offsets < n` has one value for the
// eight registers that a thread holds in a row, and two for its sixteen.
// RUN: nereid-lower %s cuda:90 | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @masks(%n: i32 {tt.divisibility = 16 : i32}, %m: i32, %x: f32, %p: !tt.ptr<f32>) {
  %offsets = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #blocked>
  %ns = tt.splat %n : i32 -> tensor<2048xi32, #blocked>
  // CHECK-COUNT-2: icmp slt i32 %{{.*}}, %0
  // CHECK-NOT: icmp slt i32 %{{.*}}, %0
  %below = arith.cmpi slt, %offsets, %ns : tensor<2048xi32, #blocked>
  // Nothing is known of m: each element is compared.
  %ms = tt.splat %m : i32 -> tensor<2048xi32, #blocked>
  // CHECK-COUNT-16: icmp slt i32 %{{.*}}, %1
  %below_m = arith.cmpi slt, %offsets, %ms : tensor<2048xi32, #blocked>
  %both = arith.andi %below, %below_m : tensor<2048xi1, #blocked>
  %xs = tt.splat %x : f32 -> tensor<2048xf32, #blocked>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #blocked>
  %places = tt.addptr %ps, %offsets : tensor<2048x!tt.ptr<f32>, #blocked>, tensor<2048xi32, #blocked>
  // CHECK-COUNT-16: call void asm sideeffect "@$2 st.global.b32
  tt.store %places, %xs, %both : tensor<2048x!tt.ptr<f32>, #blocked>
  tt.return
}
}
