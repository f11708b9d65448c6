// An element's place in plain rows, the last axis' neighbours side by side: 32 * row + index, of two bytes each.
//
// RUN: nereid-lower %s cuda:90a | FileCheck %s
// RUN: nereid-lower %s hip:gfx1100 > /dev/null

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 128 : i32} {
  // CHECK-LABEL: define {{.*}} @rows
  // CHECK: %[[I:.+]] = load i32, ptr addrspace(1)
  // CHECK: %[[J:.+]] = load i32, ptr addrspace(1)
  // CHECK: %[[FIRST:.+]] = add i32 0, %[[I]]
  // CHECK: load half, ptr addrspace(3) %{{.*}}, align 2
  // CHECK: %[[SECOND:.+]] = add i32 32, %[[J]]
  // CHECK: %[[E:.+]] = xor i32 %[[SECOND]], 0
  // CHECK: %[[BYTES:.+]] = mul i32 %[[E]], 2
  // CHECK: load half, ptr addrspace(3) %{{.*}}, align 2
  tt.func public @rows(%p: tensor<2x32x!tt.ptr<f16>, #b>, %at: tensor<2x32x!tt.ptr<i32>, #b>) {
    %x = tt.load %p : tensor<2x32x!tt.ptr<f16>, #b>
    %m = ttg.local_alloc %x {alignment = 16 : i32, allocation.offset = 0 : i32} : (tensor<2x32xf16, #b>) -> !ttg.memdesc<2x32xf16, #plain, #smem>
    ttg.local_barrier
    %i = tt.load %at : tensor<2x32x!tt.ptr<i32>, #b>
    %y = ttg.local_gather %m[%i] {axis = 1 : i32} : !ttg.memdesc<2x32xf16, #plain, #smem>, tensor<2x32xi32, #b> -> tensor<2x32xf16, #b>
    tt.store %p, %y : tensor<2x32x!tt.ptr<f16>, #b>
    tt.return
  }
}
