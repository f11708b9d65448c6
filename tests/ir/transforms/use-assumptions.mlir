// RUN: nereid-opt %s --nereid-tt-use-assumptions | FileCheck %s

// What is promised to be a number is that number behind the promise, and what it was widened from, too.
// CHECK-LABEL: @number
// CHECK: arith.muli %[[N:.+]], %[[N]] : i32
// CHECK: llvm.intr.assume
// CHECK-DAG: %[[FOUR:.+]] = arith.constant 4 : i64
// CHECK-DAG: %[[NARROW:.+]] = arith.constant 4 : i32
// CHECK: arith.addi %[[NARROW]], %[[NARROW]] : i32
// CHECK: arith.addi %[[FOUR]], %[[FOUR]] : i64
tt.func public @number(%p: !tt.ptr<i32>, %q: !tt.ptr<i64>, %n: i32) {
  %c4 = arith.constant 4 : i64
  %before = arith.muli %n, %n : i32
  %w = arith.extsi %n : i32 to i64
  %is = arith.cmpi eq, %w, %c4 : i64
  llvm.intr.assume %is : i1
  %x = arith.addi %n, %n : i32
  %y = arith.addi %w, %w : i64
  %z = arith.addi %x, %before : i32
  tt.store %p, %z : !tt.ptr<i32>
  tt.store %q, %y : !tt.ptr<i64>
  tt.return
}

// A promise in a branch says nothing of the other one. A condition is true behind it.
// CHECK-LABEL: @branch
// CHECK: scf.if
// CHECK: llvm.intr.assume
// CHECK: %[[C:.+]] = arith.constant 8 : i32
// CHECK: llvm.intr.assume %[[FLAG:.+]] : i1
// CHECK: %[[TRUE:.+]] = arith.constant true
// CHECK: tt.store %{{.+}}, %[[C]], %[[TRUE]]
// CHECK: } else {
// CHECK: tt.store %{{.+}}, %{{.+}}, %[[FLAG]]
tt.func public @branch(%p: !tt.ptr<i32>, %n: i32, %c: i1, %flag: i1) {
  %c8 = arith.constant 8 : i32
  scf.if %c {
    %is = arith.cmpi eq, %n, %c8 : i32
    llvm.intr.assume %is : i1
    llvm.intr.assume %flag : i1
    tt.store %p, %n, %flag : !tt.ptr<i32>
  } else {
    tt.store %p, %n, %flag : !tt.ptr<i32>
  }
  tt.return
}

// Multiples: of an argument, which is no part of the signature; less than what is known already; of what is computed; two
// promises at once. What is promised in a branch is not noted at an argument.
// CHECK: tt.func public @multiple(%{{.+}}: !tt.ptr<i32>, %[[S:.+]]: i32 {nereid.promised_divisibility = 16 : i32}, %{{.+}}: i32 {tt.divisibility = 32 : i32}, %{{.+}}: i32 {nereid.promised_divisibility = 8 : i32}, %{{.+}}: i32, %{{.+}}: i1)
// CHECK: arith.muli %[[S]], %{{.+}} {tt.divisibility = 64 : i32} : i32
tt.func public @multiple(%p: !tt.ptr<i32>, %s: i32, %known: i32 {tt.divisibility = 32 : i32}, %both: i32, %inside: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  %c64 = arith.constant 64 : i32
  %r = arith.remsi %s, %c16 : i32
  %is = arith.cmpi eq, %r, %c0 : i32
  llvm.intr.assume %is : i1
  %k = arith.remui %known, %c16 : i32
  %isk = arith.cmpi eq, %k, %c0 : i32
  llvm.intr.assume %isk : i1
  %m = arith.muli %s, %known : i32
  %rm = arith.remsi %m, %c64 : i32
  %ism = arith.cmpi eq, %rm, %c0 : i32
  %b = arith.remsi %both, %c24 : i32
  %isb = arith.cmpi eq, %b, %c0 : i32
  %all = arith.andi %ism, %isb : i1
  llvm.intr.assume %all : i1
  scf.if %c {
    %i = arith.remsi %inside, %c16 : i32
    %isi = arith.cmpi eq, %i, %c0 : i32
    llvm.intr.assume %isi : i1
    tt.store %p, %inside : !tt.ptr<i32>
  }
  tt.store %p, %m : !tt.ptr<i32>
  tt.return
}
