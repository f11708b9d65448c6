// RUN: nereid-opt %s --split-input-file --nereid-tt-make-tensor-maps | FileCheck %s

// CHECK: #[[TILE:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>

// The address comes from memory. Sizes begin with the innermost axis, strides are in bytes; what a tensor without elements
// and one of a single row are is seen to.
// CHECK-LABEL: @loaded(
// CHECK: %[[BASE:.+]] = tt.load %arg0
// CHECK: %[[NOCOLUMNS:.+]] = arith.cmpi slt, %arg3, %[[ONE:.+]] : i32
// CHECK: %[[COLUMNS:.+]] = arith.maxsi %arg3, %[[ONE]]
// CHECK: %[[NOROWS:.+]] = arith.cmpi slt, %arg2, %[[ONE]] : i32
// CHECK: %[[EMPTY:.+]] = arith.ori %[[NOCOLUMNS]], %[[NOROWS]] : i1
// CHECK: %[[ROWS:.+]] = arith.maxsi %arg2, %[[ONE]]
// CHECK: %[[BYTES:.+]] = arith.muli %{{.+}}, %c2_i64
// CHECK: %[[ISONE:.+]] = arith.cmpi eq, %[[ROWS]], %[[ONE]]
// CHECK: %[[STRIDE:.+]] = arith.select %[[ISONE]], %c16_i64, %[[BYTES]]
// CHECK: %[[MAP:.+]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
// CHECK: ttng.tensormap_create %[[MAP]], %[[BASE]], [%c64_i32, %c128_i32], [%[[COLUMNS]], %[[ROWS]]], [%[[STRIDE]]], [%[[ONE]], %[[ONE]]]
// CHECK-SAME: elem_type = 1 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32
// CHECK: ttng.tensormap_fenceproxy_acquire %[[MAP]]
// CHECK: %[[D:.+]] = ttng.reinterpret_tensor_descriptor %[[MAP]] : !tt.ptr<i8> to !tt.tensordesc<tensor<128x64xf16, #[[TILE]]>>
// CHECK: scf.for
// CHECK: %[[ROW:.+]] = arith.select %[[EMPTY]], %c-1073741824_i32, %{{.+}} : i32
// CHECK: tt.descriptor_load %[[D]][%[[ROW]], %{{.+}}]
tt.func public @loaded(%pointers: !tt.ptr<!tt.ptr<f16>>, %out: !tt.ptr<f32>, %m: i32, %k: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %pitch = arith.extsi %k : i32 to i64
  %base = tt.load %pointers : !tt.ptr<!tt.ptr<f16>>
  %d = tt.make_tensor_descriptor %base, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<128x64xf16>>
  scf.for %i = %zero to %k step %one : i32 {
    %x = tt.descriptor_load %d[%zero, %i] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
    tt.print " " {hex = false, isSigned = array<i32: 0>} : %x : tensor<128x64xf16>
  }
  tt.return
}

// -----

// Threads that copy by 16 bytes are as fast as the unit, and need no map: it pays for several tiles, behind a loop in a
// loop, or where the loop is known to be long.
// CHECK-LABEL: @aligned(
// CHECK: tt.make_tensor_descriptor %{{.+}} : <f16>, <tensor<64x64xf16>>
// CHECK-NOT: tensormap_create
// CHECK: scf.for
// CHECK: ttng.tensormap_create
// CHECK: scf.for
// CHECK: scf.for
tt.func public @aligned(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %id = tt.get_program_id x : i32
  %place = arith.muli %id, %k : i32
  %own = tt.addptr %base, %place : !tt.ptr<f16>, i32
  %pitch = arith.extsi %k : i32 to i64
  %d = tt.make_tensor_descriptor %own, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  scf.for %i = %zero to %k step %one : i32 {
    %x = tt.descriptor_load %d[%zero, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    tt.print " " {hex = false, isSigned = array<i32: 0>} : %x : tensor<64x64xf16>
  }
  %e = tt.make_tensor_descriptor %own, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<128x64xf16>>
  scf.for %j = %zero to %m step %one : i32 {
    scf.for %i = %zero to %k step %one : i32 {
      %x = tt.descriptor_load %e[%j, %i] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
      tt.print " " {hex = false, isSigned = array<i32: 0>} : %x : tensor<128x64xf16>
    }
  }
  tt.return
}

// -----

// A round of four products takes long, and registers are short in it: maps for what it loads and, with those, stores.
// CHECK-LABEL: @many_products(
// CHECK-COUNT-2: ttng.tensormap_create
// CHECK-NOT: tt.make_tensor_descriptor
// CHECK: scf.for
tt.func public @many_products(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %result: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %id = tt.get_program_id x : i32
  %place = arith.muli %id, %k : i32
  %own = tt.addptr %base, %place : !tt.ptr<f16>, i32
  %own_result = tt.addptr %result, %place : !tt.ptr<f16>, i32
  %pitch = arith.extsi %k : i32 to i64
  %d = tt.make_tensor_descriptor %own, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  %e = tt.make_tensor_descriptor %own_result, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  scf.for %i = %zero to %k step %one : i32 {
    %x = tt.descriptor_load %d[%zero, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %1 = tt.dot %x, %x, %none : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %2 = tt.dot %x, %x, %1 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %3 = tt.dot %x, %x, %2 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %4 = tt.dot %x, %x, %3 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %y = arith.truncf %4 : tensor<64x64xf32> to tensor<64x64xf16>
    tt.descriptor_store %e[%zero, %i], %y : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  }
  tt.return
}

// -----

// No loop, or one of two rounds: the threads load, however slowly.
// CHECK-LABEL: @short(
// CHECK-NOT: tensormap_create
tt.func public @short(%base: !tt.ptr<f16>, %m: i32, %k: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %unit = arith.constant 1 : i64
  %id = tt.get_program_id x : i32
  %own = tt.addptr %base, %id : !tt.ptr<f16>, i32
  %pitch = arith.extsi %k : i32 to i64
  scf.for %j = %zero to %m step %one : i32 {
    %d = tt.make_tensor_descriptor %own, [%j, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
    %y = tt.descriptor_load %d[%zero, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    scf.for %i = %zero to %two step %one : i32 {
      %x = tt.descriptor_load %d[%zero, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      tt.print " " {hex = false, isSigned = array<i32: 0, 0>} : %x, %y : tensor<64x64xf16>, tensor<64x64xf16>
    }
  }
  tt.return
}

// -----

// A tensor that the program writes, too, is loaded in the order of its accesses; so is one whose address comes from the
// same array. A store comes with the loads, and needs an order where somebody else may read what it writes.
// CHECK-LABEL: @order(
// CHECK: ttng.reinterpret_tensor_descriptor %{{.+}} {nereid.ordered}
// CHECK: ttng.reinterpret_tensor_descriptor %{{[0-9]+}} : {{.*}} to !tt.tensordesc<tensor<32x64xf16
// CHECK: ttng.reinterpret_tensor_descriptor %{{.+}} {nereid.ordered} : {{.*}} to !tt.tensordesc<tensor<16x64xf16
tt.func public @order(%ins: !tt.ptr<!tt.ptr<f16>>, %outs: !tt.ptr<!tt.ptr<f16>>, %others: !tt.ptr<!tt.ptr<f16>>, %m: i32, %k: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %pitch = arith.extsi %k : i32 to i64
  %in = tt.load %ins : !tt.ptr<!tt.ptr<f16>>
  %second = tt.addptr %ins, %one : !tt.ptr<!tt.ptr<f16>>, i32
  %out = tt.load %second : !tt.ptr<!tt.ptr<f16>>
  %other = tt.load %others : !tt.ptr<!tt.ptr<f16>>
  %d = tt.make_tensor_descriptor %in, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  %o = tt.make_tensor_descriptor %other, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
  %e = tt.make_tensor_descriptor %out, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<16x64xf16>>
  scf.for %i = %zero to %k step %one : i32 {
    %x = tt.descriptor_load %d[%zero, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %y = tt.descriptor_load %o[%zero, %i] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
    %z = tt.descriptor_load %e[%zero, %i] : !tt.tensordesc<tensor<16x64xf16>> -> tensor<16x64xf16>
    tt.print " " {hex = false, isSigned = array<i32: 0, 0>} : %x, %y : tensor<64x64xf16>, tensor<32x64xf16>
    tt.descriptor_store %e[%zero, %i], %z : !tt.tensordesc<tensor<16x64xf16>>, tensor<16x64xf16>
  }
  tt.return
}
