// Every operation parses and prints back as it was written, and from the generic form as well.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s
// RUN: nereid-opt %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @types(
// CHECK-SAME: %{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32, 3>, %{{.*}}: !tt.ptr<tensor<16x32xf16>>,
// CHECK-SAME: %{{.*}}: !tt.ptr<!tt.ptr<i8>>, %{{.*}}: tensor<4x!tt.ptr<bf16>>, %{{.*}}: !tt.tensordesc<tensor<16x64xui8>>)
tt.func public @types(%a: !tt.ptr<f32, 1>, %b: !tt.ptr<f32, 3>, %c: !tt.ptr<tensor<16x32xf16>>, %d: !tt.ptr<!tt.ptr<i8>>, %e: tensor<4x!tt.ptr<bf16>>, %f: !tt.tensordesc<tensor<16x64xui8>>) {
  tt.return
}

// CHECK-LABEL: tt.func public @arguments(%{{.*}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.*}}: i32 {tt.constancy = 2 : i32, tt.contiguity = 4 : i32}) attributes {noinline = false} {
tt.func public @arguments(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: i32 {tt.constancy = 2 : i32, tt.contiguity = 4 : i32}) attributes {noinline = false} {
  tt.return
}

// CHECK-LABEL: tt.func private @declared(f32, i32) -> (f32, i32)
tt.func private @declared(f32, i32) -> (f32, i32)

// CHECK-LABEL: tt.func @program
tt.func @program(%x: f32, %n: i32, %v: tensor<8xf32>, %c: tensor<8xi1>) -> f32 {
  // CHECK: tt.get_program_id x : i32
  %0 = tt.get_program_id x : i32
  // CHECK: tt.get_program_id z : i32
  %1 = tt.get_program_id z : i32
  // CHECK: tt.get_num_programs y : i32
  %2 = tt.get_num_programs y : i32
  // CHECK: tt.call @declared(%{{.*}}, %{{.*}}) : (f32, i32) -> (f32, i32)
  %3:2 = tt.call @declared(%x, %n) : (f32, i32) -> (f32, i32)
  // CHECK: tt.assert %{{.*}}, "in range" : tensor<8xi1>
  tt.assert %c, "in range" : tensor<8xi1>
  // CHECK: tt.print "values: " {hex = false, isSigned = array<i32: 0, 1>} : %{{.*}}, %{{.*}} : tensor<8xf32>, i32
  tt.print "values: " {hex = false, isSigned = array<i32: 0, 1>} : %v, %n : tensor<8xf32>, i32
  // CHECK: tt.print "done" {hex = true, isSigned = array<i32>}
  tt.print "done" {hex = true, isSigned = array<i32>}
  // CHECK: tt.return %{{.*}} : f32
  tt.return %3#0 : f32
}

// CHECK-LABEL: tt.func @elementwise
tt.func @elementwise(%p: tensor<8x!tt.ptr<f32>>, %i: tensor<8xi32>, %l: tensor<8xi64>, %f: tensor<8xf32>, %s: !tt.ptr<f16>, %n: i64, %x: f64) {
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %0 = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f16>, i64
  %1 = tt.addptr %s, %n : !tt.ptr<f16>, i64
  // CHECK: tt.int_to_ptr %{{.*}} : tensor<8xi64> -> tensor<8x!tt.ptr<f32>>
  %2 = tt.int_to_ptr %l : tensor<8xi64> -> tensor<8x!tt.ptr<f32>>
  // CHECK: tt.ptr_to_int %{{.*}} : !tt.ptr<f16> -> i64
  %3 = tt.ptr_to_int %s : !tt.ptr<f16> -> i64
  // CHECK: tt.bitcast %{{.*}} : tensor<8xf32> -> tensor<8xi32>
  %4 = tt.bitcast %f : tensor<8xf32> -> tensor<8xi32>
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %5 = tt.fp_to_fp %f, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  // CHECK: tt.fp_to_fp %{{.*}} : tensor<8xf8E5M2> -> tensor<8xf32>
  %6 = tt.fp_to_fp %5 : tensor<8xf8E5M2> -> tensor<8xf32>
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : tensor<8xf32>
  %7 = tt.clampf %f, %f, %f, propagateNan = none : tensor<8xf32>
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all : f64
  %8 = tt.clampf %x, %x, %x, propagateNan = all : f64
  // CHECK: tt.precise_sqrt %{{.*}} : tensor<8xf32>
  %9 = tt.precise_sqrt %f : tensor<8xf32>
  // CHECK: tt.precise_divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %10 = tt.precise_divf %f, %f : tensor<8xf32>
  // CHECK: tt.mulhiui %{{.*}}, %{{.*}} : tensor<8xi32>
  %11 = tt.mulhiui %i, %i : tensor<8xi32>
  // CHECK: tt.extern_elementwise %{{.*}}, %{{.*}} {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %12 = tt.extern_elementwise %f, %f {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tt.elementwise_inline_asm "add.f32 $0, $1, $2;" {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %13 = tt.elementwise_inline_asm "add.f32 $0, $1, $2;" {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %f, %f : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: tt.elementwise_inline_asm "mov.u32 $0, %clock;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %14 = tt.elementwise_inline_asm "mov.u32 $0, %clock;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  tt.return
}

// CHECK-LABEL: tt.func @shape
tt.func @shape(%x: f32, %p: !tt.ptr<f32>, %one: tensor<1x1xf32>, %v: tensor<8xf32>, %m: tensor<4x8xf32>, %i: tensor<8xi32>, %c: tensor<8xi1>, %pair: tensor<8x2xf32>) {
  // CHECK: tt.make_range {end = 16 : i32, start = 8 : i32} : tensor<8xi32>
  %0 = tt.make_range {end = 16 : i32, start = 8 : i32} : tensor<8xi32>
  // CHECK: tt.splat %{{.*}} : f32 -> tensor<4x8xf32>
  %1 = tt.splat %x : f32 -> tensor<4x8xf32>
  // CHECK: tt.splat %{{.*}} : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %2 = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  // CHECK: tt.unsplat %{{.*}} : tensor<1x1xf32>
  %3 = tt.unsplat %one : tensor<1x1xf32>
  // CHECK: tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %4 = tt.expand_dims %v {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK: tt.broadcast %{{.*}} : tensor<1x8xf32> -> tensor<4x8xf32>
  %5 = tt.broadcast %4 : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK: tt.reshape %{{.*}} : tensor<4x8xf32> -> tensor<32xf32>
  %6 = tt.reshape %m : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: tt.reshape %{{.*}} allow_reorder : tensor<4x8xf32> -> tensor<2x16xf32>
  %7 = tt.reshape %m allow_reorder : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK: tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<2x16xf32>
  %8 = tt.reshape %m allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %9 = tt.trans %m {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: tt.cat %{{.*}}, %{{.*}} : tensor<8xf32> -> tensor<16xf32>
  %10 = tt.cat %v, %v : tensor<8xf32> -> tensor<16xf32>
  // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<8xf32> -> tensor<8x2xf32>
  %11 = tt.join %v, %v : tensor<8xf32> -> tensor<8x2xf32>
  // CHECK: %{{.*}}, %{{.*}} = tt.split %{{.*}} : tensor<8x2xf32> -> tensor<8xf32>
  %12, %13 = tt.split %pair : tensor<8x2xf32> -> tensor<8xf32>
  // CHECK: tt.histogram %{{.*}} : tensor<8xi32> -> tensor<16xi32>
  %14 = tt.histogram %i : tensor<8xi32> -> tensor<16xi32>
  // CHECK: tt.histogram %{{.*}}, %{{.*}} : tensor<8xi32> -> tensor<16xi32>
  %15 = tt.histogram %i, %c : tensor<8xi32> -> tensor<16xi32>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  %16 = tt.gather %v[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32, efficient_layout} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  %17 = tt.gather %v[%i] {axis = 0 : i32, efficient_layout} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  tt.return
}

// CHECK-LABEL: tt.func @memory
tt.func @memory(%p: tensor<8x!tt.ptr<f32>>, %s: !tt.ptr<f32>, %m: tensor<8xi1>, %v: tensor<8xf32>, %x: f32, %c: i1, %b: !tt.ptr<tensor<8x4xf32>>) {
  // CHECK: tt.load %{{.*}} : tensor<8x!tt.ptr<f32>>
  %0 = tt.load %p : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>
  %1 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %2 = tt.load %p, %m, %v evictionPolicy = evict_last cacheModifier = cg {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %3 = tt.load %s, %c, %x : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<8x4xf32>>
  %4 = tt.load %b {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<8x4xf32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>
  tt.store %p, %v : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = wt evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  tt.store %p, %v, %m cacheModifier = wt evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8x4xf32>>
  tt.store %b, %4 {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// CHECK-LABEL: tt.func @atomics
tt.func @atomics(%p: tensor<8x!tt.ptr<f32>>, %q: tensor<8x!tt.ptr<i32>>, %s: !tt.ptr<i64>, %m: tensor<8xi1>, %v: tensor<8xf32>, %i: tensor<8xi32>, %n: i64) {
  // CHECK: tt.atomic_rmw fadd, relaxed, sys, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %0 = tt.atomic_rmw fadd, relaxed, sys, %p, %v, %m : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  // CHECK: tt.atomic_rmw umax, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %1 = tt.atomic_rmw umax, acq_rel, gpu, %q, %i : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tt.atomic_rmw exch, release, cta, %{{.*}}, %{{.*}} : (!tt.ptr<i64>, i64) -> i64
  %2 = tt.atomic_rmw exch, release, cta, %s, %n : (!tt.ptr<i64>, i64) -> i64
  // CHECK: tt.atomic_cas acquire, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i64>, i64, i64) -> i64
  %3 = tt.atomic_cas acquire, gpu, %s, %n, %n : (!tt.ptr<i64>, i64, i64) -> i64
  tt.return
}

// CHECK-LABEL: tt.func @block_pointers
tt.func @block_pointers(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<16x32xf16>>
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<16x32xf16>>
  // CHECK: tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<16x32xf16>>
  %1 = tt.advance %0, [%i, %i] : <tensor<16x32xf16>>
  tt.return
}

// CHECK-LABEL: tt.func @descriptors
tt.func @descriptors(%p: !tt.ptr<f32>, %raw: !tt.ptr<i8>, %n: i32, %s: i64, %rows: tensor<8xi32>) {
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f32>, <tensor<8x16xf32>>
  %0 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <f32>, <tensor<8x16xf32>>
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {padding = 2 : i32} : <f32>, <tensor<1x16xf32>>
  %1 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] {padding = 2 : i32} : <f32>, <tensor<1x16xf32>>
  // CHECK: tt.reinterpret_tensor_descriptor %{{.*}} : !tt.ptr<i8> to !tt.tensordesc<tensor<8x16xf32>>
  %2 = tt.reinterpret_tensor_descriptor %raw : !tt.ptr<i8> to !tt.tensordesc<tensor<8x16xf32>>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] cacheModifier = ca : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  %3 = tt.descriptor_load %0[%n, %n] cacheModifier = ca : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  // CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  tt.descriptor_store %0[%n, %n], %3 : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  // CHECK: tt.descriptor_reduce add, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  tt.descriptor_reduce add, %0[%n, %n], %3 : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  // CHECK: tt.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : (!tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32) -> tensor<8x16xf32>
  %4 = tt.descriptor_gather %1[%rows, %n] : (!tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32) -> tensor<8x16xf32>
  // CHECK: tt.descriptor_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32, tensor<8x16xf32>
  tt.descriptor_scatter %1[%rows, %n], %4 : !tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32, tensor<8x16xf32>
  // CHECK: tt.experimental_descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  %5 = tt.experimental_descriptor_load %0[%n, %n] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  // CHECK: tt.experimental_descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  tt.experimental_descriptor_store %0[%n, %n], %5 : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  // CHECK: tt.experimental_tensormap_create %{{.*}}, %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}], [%{{.*}}, %{{.*}}] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f32>, i32, i32, i32, i32, i64, i32, i32) -> ()
  tt.experimental_tensormap_create %raw, %p, [%n, %n], [%n, %n], [%s], [%n, %n] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f32>, i32, i32, i32, i32, i64, i32, i32) -> ()
  // CHECK: tt.experimental_tensormap_fenceproxy_acquire %{{.*}} : !tt.ptr<i8>
  tt.experimental_tensormap_fenceproxy_acquire %raw : !tt.ptr<i8>
  tt.return
}

// CHECK-LABEL: tt.func @products
tt.func @products(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>, %ba: tensor<2x16x32xi8>, %bb: tensor<2x32x8xi8>, %bc: tensor<2x16x8xi32>, %sa: tensor<16x64xf8E4M3FN>, %sb: tensor<32x8xi8>, %as: tensor<16x2xi8>, %bs: tensor<8x2xi8>) {
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %0 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32x3 {maxNumImpreciseAcc = 4 : i32} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %1 = tt.dot %a, %b, %c, inputPrecision = tf32x3 {maxNumImpreciseAcc = 4 : i32} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x32xi8> * tensor<2x32x8xi8> -> tensor<2x16x8xi32>
  %2 = tt.dot %ba, %bb, %bc : tensor<2x16x32xi8> * tensor<2x32x8xi8> -> tensor<2x16x8xi32>
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<32x8xi8>, tensor<8x2xi8> -> tensor<16x8xf32>
  %3 = tt.dot_scaled %sa scale %as, %sb scale %bs, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<32x8xi8>, tensor<8x2xi8> -> tensor<16x8xf32>
  // CHECK: tt.dot_scaled %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = bf16 rhs = e2m1 {fastMath = true} : tensor<16x64xbf16> * tensor<32x8xi8>, tensor<8x2xi8> -> tensor<16x8xf32>
  %w = arith.constant dense<1.0> : tensor<16x64xbf16>
  %4 = tt.dot_scaled %w, %sb scale %bs, %c lhs = bf16 rhs = e2m1 {fastMath = true} : tensor<16x64xbf16> * tensor<32x8xi8>, tensor<8x2xi8> -> tensor<16x8xf32>
  tt.return
}

// CHECK-LABEL: tt.func @regions
tt.func @regions(%v: tensor<16xf32>, %m: tensor<4x16xf32>, %k: tensor<4x16xi32>) {
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tt.reduce.return %[[S]] : f32
  // CHECK-NEXT: }) : (tensor<16xf32>) -> f32
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<16xf32>) -> f32
  // CHECK: }) : (tensor<4x16xf32>, tensor<4x16xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %1:2 = "tt.reduce"(%m, %k) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %x = arith.select %less, %a, %b : f32
    %y = arith.select %less, %i, %j : i32
    tt.reduce.return %x, %y : f32, i32
  }) : (tensor<4x16xf32>, tensor<4x16xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 1 : i32, reverse = true}> ({
  // CHECK: tt.scan.return %{{.*}} : f32
  // CHECK: }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = "tt.scan"(%m) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tt.scan.return %s : f32
  }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: "tt.map_elementwise"(%{{.*}}, %{{.*}}) <{pack = 1 : i32}> ({
  // CHECK: tt.map_elementwise.return %{{.*}} : f32
  // CHECK: }) : (tensor<4x16xf32>, tensor<4x16xi32>) -> tensor<4x16xf32>
  %3 = "tt.map_elementwise"(%m, %k) <{pack = 1 : i32}> ({
  ^bb0(%a: f32, %i: i32):
    %zero = arith.constant 0 : i32
    %c = arith.cmpi sgt, %i, %zero : i32
    cf.cond_br %c, ^bb1, ^bb2(%a : f32)
  ^bb1:
    %n = arith.negf %a : f32
    cf.br ^bb2(%n : f32)
  ^bb2(%r: f32):
    tt.map_elementwise.return %r : f32
  }) : (tensor<4x16xf32>, tensor<4x16xi32>) -> tensor<4x16xf32>
  tt.return
}
