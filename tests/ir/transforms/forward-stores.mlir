// RUN: nereid-opt %s --nereid-tt-forward-stores | FileCheck %s

// What is loaded from a row that has just been stored is taken from registers, also at other places of it. Then one of the stores is for
// nothing, and so is a barrier.
// CHECK-LABEL: tt.func @butterfly
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<64xf32>
// CHECK-NOT: tt.store
// CHECK: gpu.barrier
// CHECK-NOT: tt.load
// CHECK: %[[OTHER:.+]] = tt.gather %[[X]][%{{.+}}] {axis = 0 : i32}
// CHECK-NEXT: %[[SUM:.+]] = arith.addf %[[X]], %[[OTHER]]
// CHECK-NEXT: tt.store %{{.+}}, %[[SUM]]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tt.return %[[SUM]]
tt.func @butterfly(%p: !tt.ptr<f32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %four = arith.constant dense<4> : tensor<64xi32>
  %end = arith.constant dense<64> : tensor<64xi32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %m = arith.cmpi slt, %i, %end : tensor<64xi32>
  %j = arith.xori %i, %four : tensor<64xi32>
  %mj = arith.cmpi slt, %j, %end : tensor<64xi32>
  %row = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %row, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %there = tt.addptr %row, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %at, %x, %m : tensor<64x!tt.ptr<f32>>
  gpu.barrier
  %mine = tt.load %at, %m : tensor<64x!tt.ptr<f32>>
  %other = tt.load %there, %mj : tensor<64x!tt.ptr<f32>>
  gpu.barrier
  %sum = arith.addf %mine, %other : tensor<64xf32>
  tt.store %at, %sum, %m : tensor<64x!tt.ptr<f32>>
  gpu.barrier
  %again = tt.load %at, %m : tensor<64x!tt.ptr<f32>>
  tt.return %again : tensor<64xf32>
}

// Elements that the load leaves out have its other value.
// CHECK-LABEL: tt.func @left_out
// CHECK: %[[THERE:.+]] = tt.gather
// CHECK-NEXT: arith.select %[[MASK:.+]], %[[THERE]], %[[ELSE:.+]] :
tt.func @left_out(%p: !tt.ptr<f32>, %x: tensor<64xf32>, %m: tensor<32xi1>, %else: tensor<32xf32>) -> tensor<32xf32> {
  %two = arith.constant dense<2> : tensor<32xi32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %h = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %row, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %even = arith.muli %h, %two : tensor<32xi32>
  %half = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %there = tt.addptr %half, %even : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %at, %x : tensor<64x!tt.ptr<f32>>
  %y = tt.load %there, %m, %else : tensor<32x!tt.ptr<f32>>
  tt.return %y : tensor<32xf32>
}

// Not where a part of the row was stored, past its end, or where something else may have been stored since.
// CHECK-LABEL: tt.func @memory
// CHECK: tt.store
// CHECK: tt.load
// CHECK: tt.store
// CHECK: tt.load
// CHECK: tt.store
// CHECK: tt.store
// CHECK: tt.load
tt.func @memory(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %x: tensor<64xf32>, %m: tensor<64xi1>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %one = arith.constant dense<1> : tensor<64xi32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %row, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %next = arith.addi %i, %one : tensor<64xi32>
  %beside = arith.xori %i, %one : tensor<64xi32>
  %after = tt.addptr %row, %next : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %there = tt.addptr %row, %beside : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %others = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %elsewhere = tt.addptr %others, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %at, %x, %m : tensor<64x!tt.ptr<f32>>
  %a = tt.load %there : tensor<64x!tt.ptr<f32>>
  tt.store %at, %x : tensor<64x!tt.ptr<f32>>
  %b = tt.load %after : tensor<64x!tt.ptr<f32>>
  tt.store %at, %x : tensor<64x!tt.ptr<f32>>
  tt.store %elsewhere, %a : tensor<64x!tt.ptr<f32>>
  %c = tt.load %there : tensor<64x!tt.ptr<f32>>
  tt.return %a, %b, %c : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// Nor where elements may have one place, or what is loaded comes from another row.
// CHECK-LABEL: tt.func @rows
// CHECK: tt.store
// CHECK: tt.load
// CHECK: tt.store
// CHECK: tt.load
tt.func @rows(%p: !tt.ptr<f32>, %n: i32, %x: tensor<64xf32>, %j: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %row, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %somewhere = tt.addptr %row, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q = tt.addptr %p, %n : !tt.ptr<f32>, i32
  %second = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %below = tt.addptr %second, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %somewhere, %x : tensor<64x!tt.ptr<f32>>
  %a = tt.load %somewhere : tensor<64x!tt.ptr<f32>>
  tt.store %at, %x : tensor<64x!tt.ptr<f32>>
  %b = tt.load %below : tensor<64x!tt.ptr<f32>>
  tt.return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// Nor where other programs may write meanwhile.
// CHECK-LABEL: tt.func @contested
// CHECK: tt.store
// CHECK: tt.load
// CHECK: tt.store
// CHECK: tt.load {{.*}}isVolatile
tt.func @contested(%p: !tt.ptr<f32>, %x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %row, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %at, %x : tensor<64x!tt.ptr<f32>>
  %a = tt.load %at : tensor<64x!tt.ptr<f32>>
  tt.store %at, %x : tensor<64x!tt.ptr<f32>>
  %b = tt.load %at {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  tt.return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// A volatile load of other memory may be what the program waits for others by.
// CHECK-LABEL: tt.func @waited
// CHECK: tt.store
// CHECK: isVolatile
// CHECK: tt.load
tt.func @waited(%p: !tt.ptr<f32>, %flag: !tt.ptr<i32>, %x: tensor<64xf32>) -> (i32, tensor<64xf32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %row, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %at, %x : tensor<64x!tt.ptr<f32>>
  %a = tt.load %flag {isVolatile = true} : !tt.ptr<i32>
  %b = tt.load %at : tensor<64x!tt.ptr<f32>>
  tt.return %a, %b : i32, tensor<64xf32>
}

// What is read between two stores of a row, the first of them has to store.
// CHECK-LABEL: tt.func @read
// CHECK: tt.store
// CHECK: tt.load
// CHECK: tt.store
tt.func @read(%p: !tt.ptr<f32>, %q: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %row, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %at, %x : tensor<64x!tt.ptr<f32>>
  %a = tt.load %q : tensor<64x!tt.ptr<f32>>
  %b = tt.load %at : tensor<64x!tt.ptr<f32>>
  %c = arith.addf %a, %b : tensor<64xf32>
  tt.store %at, %c : tensor<64x!tt.ptr<f32>>
  tt.return %b : tensor<64xf32>
}
