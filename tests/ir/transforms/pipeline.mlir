// RUN: nereid-opt %s --nereid-tt-pipeline --nereid-ttg-pipeline --split-input-file | FileCheck %s

// A row softmax ends with one layout, two barriers' worth of scratch memory and nothing else between load and store.
// CHECK: #[[ROW:.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-NOT: #ttg.blocked
// CHECK: ttg.shared = 32 : i32
// CHECK-LABEL: tt.func public @softmax
// CHECK-NOT: ttg.convert_layout
// CHECK-NOT: ttg.local_barrier
// CHECK: tt.return
tt.func public @softmax(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                        %stride: i32 {tt.divisibility = 16 : i32}, %n: i32) {
  %low = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %row = tt.get_program_id x : i32
  %start = arith.muli %row, %stride : i32
  %columns = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %columns, %ns : tensor<1024xi32>
  %inRow = tt.addptr %in, %start : !tt.ptr<f32>, i32
  %ins = tt.splat %inRow : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %pi = tt.addptr %ins, %columns : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %pi, %mask, %low : tensor<1024x!tt.ptr<f32>>
  %max = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maxnumf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<1024xf32>) -> f32
  %maxs = tt.splat %max : f32 -> tensor<1024xf32>
  %d = arith.subf %x, %maxs : tensor<1024xf32>
  %e = math.exp %d : tensor<1024xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<1024xf32>) -> f32
  %sums = tt.splat %sum : f32 -> tensor<1024xf32>
  %y = arith.divf %e, %sums : tensor<1024xf32>
  %outRow = tt.addptr %out, %start : !tt.ptr<f32>, i32
  %outs = tt.splat %outRow : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %po = tt.addptr %outs, %columns : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %po, %y, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// Sums over blocks of several rows: the loop carries pointers and sums in the layout of the loads.
// CHECK: #[[TILE:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: ttg.shared = 0 : i32
// CHECK-LABEL: tt.func public @row_sums
// CHECK: scf.for {{.*}} -> (tensor<8x256xf32, #[[TILE]]>, tensor<8x256x!tt.ptr<f16>, #[[TILE]]>)
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store {{.*}} : tensor<8x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #[[TILE]]}>>
tt.func public @row_sums(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                         %stride: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<8x256xf32>
  %step = arith.constant dense<256> : tensor<8x256xi32>
  %r1 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %c1 = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %r = tt.expand_dims %r1 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %c = tt.expand_dims %c1 {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %s = tt.splat %stride : i32 -> tensor<8x1xi32>
  %rs = arith.muli %r, %s : tensor<8x1xi32>
  %rb = tt.broadcast %rs : tensor<8x1xi32> -> tensor<8x256xi32>
  %cb = tt.broadcast %c : tensor<1x256xi32> -> tensor<8x256xi32>
  %o = arith.addi %rb, %cb : tensor<8x256xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<8x256x!tt.ptr<f16>>
  %p0 = tt.addptr %xs, %o : tensor<8x256x!tt.ptr<f16>>, tensor<8x256xi32>
  %acc:2 = scf.for %i = %c0 to %n step %c256 iter_args(%sum = %zero, %p = %p0) -> (tensor<8x256xf32>, tensor<8x256x!tt.ptr<f16>>) : i32 {
    %v = tt.load %p : tensor<8x256x!tt.ptr<f16>>
    %w = arith.extf %v : tensor<8x256xf16> to tensor<8x256xf32>
    %t = arith.addf %sum, %w : tensor<8x256xf32>
    %q = tt.addptr %p, %step : tensor<8x256x!tt.ptr<f16>>, tensor<8x256xi32>
    scf.yield %t, %q : tensor<8x256xf32>, tensor<8x256x!tt.ptr<f16>>
  }
  %total = "tt.reduce"(%acc#0) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<8x256xf32>) -> tensor<8xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %po = tt.addptr %outs, %r1 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %po, %total : tensor<8x!tt.ptr<f32>>
  tt.return
}
