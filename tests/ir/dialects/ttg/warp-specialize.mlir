// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --canonicalize --cse | FileCheck %s --check-prefix=APART

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#own = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #plain, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @regions
  tt.func @regions(%p: !tt.ptr<i32>, %n: i32) {
    %bar = ttg.local_alloc : () -> !bar
    // CHECK: ttg.warp_specialize(%{{.+}}, %{{.+}}) attributes {requestedRegisters = array<i32: 24, 48>, warpGroupStartIds = array<i32: 6, 4>}
    // CHECK-NEXT: default {
    // CHECK: ttg.warp_yield %{{.+}} : tensor<128xi32
    // CHECK: partition0(%{{.+}}: !ttg.memdesc<1xi64, {{.*}}, mutable>, %{{.+}}: !tt.ptr<i32>) num_warps(1) {
    // CHECK: ttng.arrive_barrier %{{.+}}, 2 :
    // CHECK: ttg.warp_return
    // CHECK: partition1(%{{.+}}: !ttg.memdesc<1xi64, {{.*}}, mutable>, %{{.+}}: !tt.ptr<i32>) num_warps(2) {
    // CHECK: ttng.arrive_barrier %{{.+}}, 1, %{{.+}} deps %{{.+}} {eachWarp = true}
    // CHECK: } : (!ttg.memdesc<1xi64, {{.*}}, mutable>, !tt.ptr<i32>) -> tensor<128xi32
    // A partition keeps its constants.
    // APART: partition0
    // APART-NEXT: %[[ONE:.+]] = arith.constant 1 : i32
    // APART: tt.store %{{.+}}, %[[ONE]]
    %r = ttg.warp_specialize(%bar, %p) attributes {requestedRegisters = array<i32: 24, 48>, warpGroupStartIds = array<i32: 6, 4>}
    default {
      %one = arith.constant 1 : i32
      %sum = arith.addi %n, %one : i32
      %all = tt.splat %sum : i32 -> tensor<128xi32, #own>
      ttg.warp_yield %all : tensor<128xi32, #own>
    }
    partition0(%b: !bar, %q: !tt.ptr<i32>) num_warps(1) {
      %one = arith.constant 1 : i32
      %lanes = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #one>
      ttng.arrive_barrier %b, 2 : !bar
      tt.store %q, %one : !tt.ptr<i32>
      ttg.warp_return
    }
    partition1(%b: !bar, %q: !tt.ptr<i32>) num_warps(2) {
      %true = arith.constant true
      ttng.arrive_barrier %b, 1, %true deps %b {eachWarp = true} : !bar, !bar
      ttg.warp_return
    } : (!bar, !tt.ptr<i32>) -> tensor<128xi32, #own>
    tt.return
  }
}
