// RUN: nereid-opt %s --nereid-tt-pipeline --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Twelve additions become one, which has the places of a few of them.
// CHECK-LABEL: tt.func public @chain
// CHECK-NOT: loc(fused[{{([^],]+, ){8}.*}}
// CHECK: arith.addi {{.*}} loc(fused["chain":
// CHECK-NOT: loc(fused[{{([^],]+, ){8}.*}}
tt.func public @chain(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 1 : i32 loc("chain":1:4)
  %0 = arith.addi %n, %c0 : i32 loc("chain":1:0)
  %c1 = arith.constant 2 : i32 loc("chain":2:4)
  %1 = arith.addi %0, %c1 : i32 loc("chain":2:0)
  %c2 = arith.constant 3 : i32 loc("chain":3:4)
  %2 = arith.addi %1, %c2 : i32 loc("chain":3:0)
  %c3 = arith.constant 4 : i32 loc("chain":4:4)
  %3 = arith.addi %2, %c3 : i32 loc("chain":4:0)
  %c4 = arith.constant 5 : i32 loc("chain":5:4)
  %4 = arith.addi %3, %c4 : i32 loc("chain":5:0)
  %c5 = arith.constant 6 : i32 loc("chain":6:4)
  %5 = arith.addi %4, %c5 : i32 loc("chain":6:0)
  %c6 = arith.constant 7 : i32 loc("chain":7:4)
  %6 = arith.addi %5, %c6 : i32 loc("chain":7:0)
  %c7 = arith.constant 8 : i32 loc("chain":8:4)
  %7 = arith.addi %6, %c7 : i32 loc("chain":8:0)
  %c8 = arith.constant 9 : i32 loc("chain":9:4)
  %8 = arith.addi %7, %c8 : i32 loc("chain":9:0)
  %c9 = arith.constant 10 : i32 loc("chain":10:4)
  %9 = arith.addi %8, %c9 : i32 loc("chain":10:0)
  %c10 = arith.constant 11 : i32 loc("chain":11:4)
  %10 = arith.addi %9, %c10 : i32 loc("chain":11:0)
  %c11 = arith.constant 12 : i32 loc("chain":12:4)
  %11 = arith.addi %10, %c11 : i32 loc("chain":12:0)
  tt.store %p, %11 : !tt.ptr<i32>
  tt.return
}
