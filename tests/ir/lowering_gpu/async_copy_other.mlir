// RUN: nereid-lower %s cuda:80 | FileCheck %s
// RUN: sed s/0.0e0/1.0e0/ %s | not nereid-lower - cuda:80 2>&1 | FileCheck %s --check-prefix=ONE

// Upstream gives masked copies a value: zero is what the hardware fills in by itself.
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 512 : i32} {
  // CHECK: asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,b,~{memory}"
  // ONE: error: a copy of 16 bytes at a time, or with a value for masked elements, can't be done asynchronously
  tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %other = arith.constant dense<0.0e0> : tensor<128xf32, #blocked>
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #blocked>
    %limit = tt.splat %n : i32 -> tensor<128xi32, #blocked>
    %mask = arith.cmpi slt, %range, %limit : tensor<128xi32, #blocked>
    %start = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
    %at = tt.addptr %start, %range : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
    %buffer = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
    %token = ttg.async_copy_global_to_local %at, %buffer mask %mask other %other : tensor<128x!tt.ptr<f32>, #blocked> -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
    tt.return
  }
}
