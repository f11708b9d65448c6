// RUN: nereid-opt %s --nereid-ttg-load-before-branches | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // With what its address is computed with, a load goes before the quotient; the last one stays behind the store.
  // CHECK-LABEL: tt.func @divided
  // CHECK: tt.load
  // CHECK-NEXT: tt.addptr
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.precise_divf
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.load
  tt.func @divided(%p: tensor<256x!tt.ptr<f32>, #blocked>, %i: tensor<256xi32, #blocked>, %a: tensor<256xf32, #blocked>) -> (tensor<256xf32, #blocked>, tensor<256xf32, #blocked>, tensor<256xf32, #blocked>) {
    %x = tt.load %p : tensor<256x!tt.ptr<f32>, #blocked>
    %s = tt.precise_divf %a, %x : tensor<256xf32, #blocked>
    %q = tt.addptr %p, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    %y = tt.load %q : tensor<256x!tt.ptr<f32>, #blocked>
    tt.store %p, %s : tensor<256x!tt.ptr<f32>, #blocked>
    %z = tt.load %q : tensor<256x!tt.ptr<f32>, #blocked>
    tt.return %s, %y, %z : tensor<256xf32, #blocked>, tensor<256xf32, #blocked>, tensor<256xf32, #blocked>
  }

  // One whose address is computed from the root waits for it.
  // CHECK-LABEL: tt.func @addressed
  // CHECK: tt.precise_sqrt
  // CHECK: tt.load
  tt.func @addressed(%p: tensor<256x!tt.ptr<f32>, #blocked>, %a: tensor<256xf32, #blocked>) -> tensor<256xf32, #blocked> {
    %s = tt.precise_sqrt %a : tensor<256xf32, #blocked>
    %i = arith.fptosi %s : tensor<256xf32, #blocked> to tensor<256xi32, #blocked>
    %q = tt.addptr %p, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    %y = tt.load %q : tensor<256x!tt.ptr<f32>, #blocked>
    tt.return %y : tensor<256xf32, #blocked>
  }

  // An assertion may be about its address.
  // CHECK-LABEL: tt.func @asserted
  // CHECK: tt.precise_sqrt
  // CHECK: tt.assert
  // CHECK: tt.load
  tt.func @asserted(%p: tensor<256x!tt.ptr<f32>, #blocked>, %a: tensor<256xf32, #blocked>, %c: tensor<256xi1, #blocked>) -> (tensor<256xf32, #blocked>, tensor<256xf32, #blocked>) {
    %s = tt.precise_sqrt %a : tensor<256xf32, #blocked>
    tt.assert %c, "inside" : tensor<256xi1, #blocked>
    %y = tt.load %p : tensor<256x!tt.ptr<f32>, #blocked>
    tt.return %s, %y : tensor<256xf32, #blocked>, tensor<256xf32, #blocked>
  }
}
