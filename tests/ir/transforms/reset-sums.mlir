// RUN: nereid-opt %s --nereid-ttg-reset-sums --canonicalize | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The product behind a tile's last starts a sum anew; so does the first, whose sums are zero.
  // CHECK-LABEL: @tiles
  // CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0.000000e+00>
  // CHECK-DAG: %[[TRUE:.+]] = arith.constant true
  // CHECK: %[[R:.+]]:2 = scf.for {{.*}} iter_args(%[[SUMS:.+]] = %[[ZERO]], %[[ANEW:.+]] = %[[TRUE]])
  // CHECK: %[[LAST:.+]] = arith.cmpi eq
  // CHECK: %[[ADDS:.+]] = arith.xori %[[ANEW]], %[[TRUE]]
  // CHECK: %[[D:.+]] = ttng.warp_group_dot {{.*}}, %[[SUMS]], %[[ADDS]]
  // CHECK: scf.if %[[LAST]]
  // CHECK-NEXT: tt.store {{.*}}, %[[D]]
  // CHECK-NOT: arith.select
  // CHECK: scf.yield %[[D]], %[[LAST]]
  // CHECK: %[[THERE:.+]] = arith.select %[[R]]#1, %[[ZERO]], %[[R]]#0
  // CHECK: tt.return %[[THERE]]
  tt.func @tiles(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %p: tensor<64x64x!tt.ptr<f32>, #mma>, %n: i32, %m: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x64xf32, #mma> : i32 {
      %last = arith.cmpi eq, %i, %m : i32
      %d = ttng.warp_group_dot %x, %x, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.if %last {
        tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #mma>
      }
      %next = arith.select %last, %zero, %d : tensor<64x64xf32, #mma>
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Sums that begin with something else are added to first. What is not zero has to be there for the product.
  // CHECK-LABEL: @others
  // CHECK-DAG: %[[FALSE:.+]] = arith.constant false
  // CHECK: scf.for {{.*}} iter_args(%[[SUMS:[^ ]+]] = %arg1, %[[OTHER:[^ ]+]] = %arg1, %[[ANEW:.+]] = %[[FALSE]])
  // CHECK: ttng.warp_group_dot %arg0, %arg0, %[[SUMS]], %
  // CHECK: ttng.warp_group_dot %arg0, %arg0, %[[OTHER]] {{.*}}:
  // CHECK: arith.select
  // CHECK-NOT: arith.select
  // CHECK: scf.yield
  tt.func @others(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32, %m: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %one = arith.constant dense<1.0> : tensor<64x64xf32, #mma>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %other = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %last = arith.cmpi eq, %i, %m : i32
      %d = ttng.warp_group_dot %x, %x, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %e = ttng.warp_group_dot %x, %x, %other : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %next = arith.select %last, %zero, %d : tensor<64x64xf32, #mma>
      %next2 = arith.select %last, %one, %e : tensor<64x64xf32, #mma>
      scf.yield %next, %next2 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
}
