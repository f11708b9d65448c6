// RUN: nereid-opt %s --nereid-tt-lift-descriptors | FileCheck %s

// CHECK: #[[WIDE:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK: #[[NARROW:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>

// CHECK: #[[PLAIN:.+]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

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

// A flag that others wait for has to wait for the copy.
// CHECK-LABEL: @told(
// CHECK-SAME: {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $3", ordered}}
tt.func public @told(%a: !tt.ptr<f16>, %flag: !tt.ptr<i32>, %m: i32, %pitch: i64, %x: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %true = arith.constant true
  %d = tt.make_tensor_descriptor %a, [%m, %m], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  tt.descriptor_store %d[%zero, %zero], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  %old = tt.atomic_rmw add, release, gpu, %flag, %m, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// Nobody hears of an atomic operation what others have written, unless its result is used.
// CHECK-LABEL: @counted(
// CHECK-SAME: extents = "$2, $2, $3"}}
// CHECK-LABEL: @heard(
// CHECK-SAME: extents = "$2, $2, $3", ordered}}
tt.func public @counted(%a: !tt.ptr<f16>, %flag: !tt.ptr<i32>, %m: i32, %pitch: i64) {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %true = arith.constant true
  %d = tt.make_tensor_descriptor %a, [%m, %m], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  %old = tt.atomic_rmw add, relaxed, gpu, %flag, %m, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %x = tt.descriptor_load %d[%zero, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
  tt.print " " {hex = false, isSigned = array<i32: 0>} : %x : tensor<64x64xf16>
  tt.return
}
tt.func public @heard(%a: !tt.ptr<f16>, %flag: !tt.ptr<i32>, %m: i32, %pitch: i64) {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %true = arith.constant true
  %d = tt.make_tensor_descriptor %a, [%m, %m], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  %old = tt.atomic_rmw add, acquire, gpu, %flag, %m, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %x = tt.descriptor_load %d[%old, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
  tt.print " " {hex = false, isSigned = array<i32: 0>} : %x : tensor<64x64xf16>
  tt.return
}

// The kernel reads what it stored.
// CHECK-LABEL: @read_back(
// CHECK-SAME: extents = "$1, $1, $2", ordered}}
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
// CHECK-SAME: extents = "$1, $1, $2", ordered}}
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

// Loaded and stored through one descriptor.
// CHECK-LABEL: @both(
// CHECK-SAME: extents = "$1, $1, $2", ordered}}
tt.func public @both(%a: !tt.ptr<f16>, %m: i32, %pitch: i64) {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%m, %m], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  %x = tt.descriptor_load %d[%zero, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
  tt.descriptor_store %d[%m, %zero], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  tt.return
}

// Tiles of any number of axes are matrices on chip: all axes but the last are rows.
// CHECK-LABEL: @axes(
// CHECK-SAME: !tt.tensordesc<tensor<2x64x64xf16, #[[WIDE]]>> {nereid.tensor_map = {base = 0 : i32, extents = "2, $1, $1, $2, $2"}}
// CHECK-SAME: %[[LINE:[a-z0-9]+]]: !tt.tensordesc<tensor<1024xf32, #[[PLAIN]]>> {nereid.tensor_map = {base = 3 : i32, extents = "$1"}}
// CHECK-SAME: !tt.tensordesc<tensor<1x4x64xf16, #[[PLAIN]]>>
// CHECK: scf.for
// CHECK: %[[X:.+]] = tt.descriptor_load %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] : {{.*}} -> tensor<128x64xf16>
// CHECK-NEXT: tt.reshape %[[X]] : tensor<128x64xf16> -> tensor<2x64x64xf16>
// CHECK: tt.descriptor_load %[[LINE]][%{{.+}}] : {{.*}} -> tensor<1x1024xf32>
// Whole patterns of a swizzle have 8 rows, so these have none.
// CHECK: %[[Z:.+]] = tt.reshape %{{.+}} -> tensor<4x64xf16>
// CHECK: tt.descriptor_store %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}], %[[Z]]
tt.func public @axes(%a: !tt.ptr<f16>, %m: i32, %pitch: i64, %b: !tt.ptr<f32>, %c: !tt.ptr<f16>, %z: tensor<1x4x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %unit = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%two, %m, %m], [%pitch, %pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<2x64x64xf16>>
  %line = tt.make_tensor_descriptor %b, [%m], [%unit] : !tt.ptr<f32>, !tt.tensordesc<tensor<1024xf32>>
  %e = tt.make_tensor_descriptor %c, [%two, %m, %m], [%pitch, %pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<1x4x64xf16>>
  scf.for %i = %zero to %m step %one : i32 {
    %x = tt.descriptor_load %d[%zero, %i, %zero] : !tt.tensordesc<tensor<2x64x64xf16>> -> tensor<2x64x64xf16>
    %y = tt.descriptor_load %line[%i] : !tt.tensordesc<tensor<1024xf32>> -> tensor<1024xf32>
    tt.print " " {hex = false, isSigned = array<i32: 0, 0>} : %x, %y : tensor<2x64x64xf16>, tensor<1024xf32>
  }
  tt.descriptor_store %e[%zero, %zero, %zero], %z : !tt.tensordesc<tensor<1x4x64xf16>>, tensor<1x4x64xf16>
  tt.return
}

// What the launch can't make, or the hardware can't copy, stays.
// CHECK-LABEL: @kept(
// CHECK-NOT: nereid.tensor_map
tt.func public @kept(%a: !tt.ptr<f16>, %m: i32, %k: i32, %pitch: i64, %rows: tensor<8xi32>) {
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
  // Rows of 8 bytes; few rows of several boxes; too many bytes.
  // CHECK-COUNT-3: tt.make_tensor_descriptor
  %d3 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x4xf16>>
  %d4 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<4x512xf16>>
  %d5 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<512x128xf16>>
  // Padded with something else than zeros; gathered from; small and read once.
  // CHECK-COUNT-3: tt.make_tensor_descriptor
  %d6 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] {padding = 2 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  %d7 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<1x64xf16>>
  %d8 = tt.make_tensor_descriptor %a, [%m, %k], [%pitch, %unit] : !tt.ptr<f16>, !tt.tensordesc<tensor<16x64xf16>>
  %x8 = tt.descriptor_load %d8[%zero, %zero] : !tt.tensordesc<tensor<16x64xf16>> -> tensor<16x64xf16>
  tt.print " " {hex = false, isSigned = array<i32: 0>} : %x8 : tensor<16x64xf16>
  scf.for %i = %zero to %k step %one : i32 {
    %x0 = tt.descriptor_load %d0[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %x1 = tt.descriptor_load %d1[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %x2 = tt.descriptor_load %d2[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %x3 = tt.descriptor_load %d3[%i, %zero] : !tt.tensordesc<tensor<64x4xf16>> -> tensor<64x4xf16>
    %x4 = tt.descriptor_load %d4[%i, %zero] : !tt.tensordesc<tensor<4x512xf16>> -> tensor<4x512xf16>
    %x5 = tt.descriptor_load %d5[%i, %zero] : !tt.tensordesc<tensor<512x128xf16>> -> tensor<512x128xf16>
    %x6 = tt.descriptor_load %d6[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %x7 = tt.descriptor_gather %d7[%rows, %zero] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<8xi32>, i32) -> tensor<8x64xf16>
    tt.print " " {hex = false, isSigned = array<i32: 0, 0, 0>} : %x0, %x1, %x2 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
    tt.print " " {hex = false, isSigned = array<i32: 0, 0, 0>} : %x3, %x4, %x5 : tensor<64x4xf16>, tensor<4x512xf16>, tensor<512x128xf16>
    tt.print " " {hex = false, isSigned = array<i32: 0, 0>} : %x6, %x7 : tensor<64x64xf16>, tensor<8x64xf16>
  }
  tt.return
}
