// RUN: nereid-opt %s --nereid-tt-lift-descriptors | FileCheck %s

// CHECK: #[[WIDE:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK: #[[NARROW:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>

// Made of arguments alone, wherever that is done: the launch does it.
// CHECK-LABEL: @lifted(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !tt.tensordesc<tensor<128x64xf16, #[[WIDE]]>> {nereid.tensor_map = {base = 0 : i32, extents = "$1, ($2 + 8), ($2 + 8)"}}
// CHECK-SAME: %[[B:[a-z0-9]+]]: !tt.tensordesc<tensor<16x64xui8, #[[NARROW]]>> {nereid.tensor_map = {base = 3 : i32, extents = "$1, 4096, ($2 * 16)"}}
// CHECK-NOT: make_tensor_descriptor
// CHECK: scf.for
// CHECK: tt.descriptor_load %[[A]][
// CHECK: tt.descriptor_load %[[B]][
tt.func public @lifted(%a: !tt.ptr<f16>, %m: i32, %k: i32, %b: !tt.ptr<i8>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %eight = arith.constant 8 : i32
  %sixteen = arith.constant 16 : i64
  %many = arith.constant 4096 : i32
  %unit = arith.constant 1 : i64
  %columns = arith.addi %k, %eight : i32
  %pitch = arith.extsi %columns : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%m, %columns], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<128x64xf16>>
  scf.for %i = %zero to %k step %one : i32 {
    %long = arith.extsi %k : i32 to i64
    %wide = arith.muli %long, %sixteen : i64
    %db = tt.make_tensor_descriptor %b, [%m, %many], [%wide, %unit] : !tt.ptr<i8>, !tt.tensordesc<tensor<16x64xui8>>
    %x = tt.descriptor_load %da[%i, %zero] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
    %y = tt.descriptor_load %db[%zero, %i] : !tt.tensordesc<tensor<16x64xui8>> -> tensor<16x64xi8>
    tt.print " " {hex = false, isSigned = array<i32: 0, 0>} : %x, %y : tensor<128x64xf16>, tensor<16x64xi8>
  }
  tt.return
}

// Stored through only, and nobody is told.
// CHECK-LABEL: @stored(
// CHECK-SAME: !tt.tensordesc<tensor<64x64xf16, #[[WIDE]]>> {nereid.tensor_map = {base = 0 : i32, extents = "$1, $2, $2"}}
// CHECK: tt.descriptor_store %arg4[
tt.func public @stored(%a: !tt.ptr<f16>, %m: i32, %k: i32, %x: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %pitch = arith.extsi %k : i32 to i64
  %d = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  tt.descriptor_store %d[%zero, %zero], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  tt.return
}

// A flag that others wait for would not wait for the copy.
// CHECK-LABEL: @told(
// CHECK: tt.make_tensor_descriptor
tt.func public @told(%a: !tt.ptr<f16>, %flag: !tt.ptr<i32>, %m: i32, %pitch: i64, %x: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %true = arith.constant true
  %d = tt.make_tensor_descriptor %a, [%m, %m], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  tt.descriptor_store %d[%zero, %zero], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  %old = tt.atomic_rmw add, release, gpu, %flag, %m, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// The kernel reads what it stored.
// CHECK-LABEL: @read_back(
// CHECK: tt.make_tensor_descriptor
tt.func public @read_back(%a: !tt.ptr<f16>, %m: i32, %pitch: i64, %x: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%m, %m], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  tt.descriptor_store %d[%zero, %zero], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  %first = tt.load %a : !tt.ptr<f16>
  tt.print " " {hex = false, isSigned = array<i32: 0>} : %first : f16
  tt.return
}

// The unit that copies might see the store late.
// CHECK-LABEL: @written(
// CHECK: tt.make_tensor_descriptor
tt.func public @written(%a: !tt.ptr<f16>, %m: i32, %pitch: i64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %half = arith.constant 1.0 : f16
  %d = tt.make_tensor_descriptor %a, [%m, %m], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  tt.store %a, %half : !tt.ptr<f16>
  scf.for %i = %zero to %m step %one : i32 {
    %x = tt.descriptor_load %d[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    tt.print " " {hex = false, isSigned = array<i32: 0>} : %x : tensor<64x64xf16>
  }
  tt.return
}

// What the launch can't make, or the hardware can't copy, stays.
// CHECK-LABEL: @kept(
// CHECK-NOT: nereid.tensor_map
tt.func public @kept(%a: !tt.ptr<f16>, %m: i32, %k: i32, %pitch: i64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %program = tt.get_program_id x : i32
  // A base of the program's own.
  // CHECK: tt.make_tensor_descriptor
  %moved = tt.addptr %a, %program : !tt.ptr<f16>, i32
  %d0 = tt.make_tensor_descriptor %moved, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  // A shape that the program has read.
  // CHECK: tt.make_tensor_descriptor
  %d1 = tt.make_tensor_descriptor %a, [%program, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  // Columns that do not lie next to each other.
  // CHECK: tt.make_tensor_descriptor
  %d2 = tt.make_tensor_descriptor %a, [%m, %k], [%unit, %pitch] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  // Rows of 16 bytes, and 512 rows.
  // CHECK: tt.make_tensor_descriptor
  // CHECK: tt.make_tensor_descriptor
  %d3 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x8xf16>>
  %d4 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<512x64xf16>>
  // Padded with something else than zeros; stored to; read once.
  // CHECK: tt.make_tensor_descriptor
  // CHECK: tt.make_tensor_descriptor
  // CHECK: tt.make_tensor_descriptor
  %d5 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] {padding = 2 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  %d6 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  %d7 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  %once = tt.descriptor_load %d7[%zero, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
  scf.for %i = %zero to %k step %one : i32 {
    %x0 = tt.descriptor_load %d0[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %x1 = tt.descriptor_load %d1[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %x2 = tt.descriptor_load %d2[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %x3 = tt.descriptor_load %d3[%i, %zero] : !tt.tensordesc<tensor<64x8xf16>> -> tensor<64x8xf16>
    %x4 = tt.descriptor_load %d4[%i, %zero] : !tt.tensordesc<tensor<512x64xf16>> -> tensor<512x64xf16>
    %x5 = tt.descriptor_load %d5[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %x6 = tt.descriptor_load %d6[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    tt.descriptor_store %d6[%i, %one], %x6 : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
    tt.print " " {hex = false, isSigned = array<i32: 0, 0, 0>} : %x0, %x1, %x2 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
    tt.print " " {hex = false, isSigned = array<i32: 0, 0, 0>} : %x3, %x4, %x5 : tensor<64x8xf16>, tensor<512x64xf16>, tensor<64x64xf16>
  }
  tt.print " " {hex = false, isSigned = array<i32: 0>} : %once : tensor<64x64xf16>
  tt.return
}
