// RUN: nereid-opt %s --nereid-ttg-mark-column-loads | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#vectors = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#across = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90a", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @lanes_in_rows(
tt.func public @lanes_in_rows(%x: !tt.ptr<f32>, %numbers: !tt.ptr<i32>, %out: !tt.ptr<f32>,
                              %stride: i32 {tt.divisibility = 16 : i32}, %any: i32) {
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id y : i32
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #rows>
  %strides = tt.splat %stride : i32 -> tensor<1024xi32, #rows>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #rows>
  %rows = arith.muli %range, %strides : tensor<1024xi32, #rows>

  // A column of a matrix to each program. Along the axis of columns its neighbours' numbers lead to the same
  // lines.
  // CHECK: tt.load %{{[^ ]+}} {ttg.column_load} : tensor<1024x!tt.ptr<f32>
  %of = tt.get_program_id x : i32
  %matrix0 = arith.muli %of, %stride : i32
  %start0 = arith.addi %matrix0, %pid : i32
  %starts0 = tt.splat %start0 : i32 -> tensor<1024xi32, #rows>
  %at0 = arith.addi %rows, %starts0 : tensor<1024xi32, #rows>
  %p0 = tt.addptr %xs, %at0 : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
  %v0 = tt.load %p0 : tensor<1024x!tt.ptr<f32>, #rows>

  // Volatile loads stay as they are.
  // CHECK: tt.load %{{[^ ]+}} {isVolatile = true} : tensor<1024x!tt.ptr<f32>
  %v1 = tt.load %p0 {isVolatile = true} : tensor<1024x!tt.ptr<f32>, #rows>

  // Nothing is known to divide the stride, which may be 1.
  // CHECK: tt.load %{{[^ ]+}} : tensor<1024x!tt.ptr<f32>
  %pids = tt.splat %pid : i32 -> tensor<1024xi32, #rows>
  %anys = tt.splat %any : i32 -> tensor<1024xi32, #rows>
  %anyRows = arith.muli %range, %anys : tensor<1024xi32, #rows>
  %at2 = arith.addi %anyRows, %pids : tensor<1024xi32, #rows>
  %p2 = tt.addptr %xs, %at2 : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
  %v2 = tt.load %p2 : tensor<1024x!tt.ptr<f32>, #rows>

  // First elements: the program's number says of which rows.
  // CHECK: tt.load %{{[^ ]+}} : tensor<1024x!tt.ptr<f32>
  %first = arith.muli %pid, %c1024 : i32
  %firsts = tt.splat %first : i32 -> tensor<1024xi32, #rows>
  %numbered = arith.addi %firsts, %range : tensor<1024xi32, #rows>
  %at3 = arith.muli %numbered, %strides : tensor<1024xi32, #rows>
  %p3 = tt.addptr %xs, %at3 : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
  %v3 = tt.load %p3 : tensor<1024x!tt.ptr<f32>, #rows>

  // One number says which column of which matrix: neighbours' mostly have the same matrix.
  // CHECK: tt.load %{{[^ ]+}} {ttg.column_load} : tensor<1024x!tt.ptr<f32>
  %c64 = arith.constant 64 : i32
  %column = arith.remsi %pid, %c64 : i32
  %number = arith.divsi %pid, %c64 : i32
  %matrix = arith.muli %number, %stride : i32
  %start = arith.addi %matrix, %column : i32
  %starts = tt.splat %start : i32 -> tensor<1024xi32, #rows>
  %at4 = arith.addi %rows, %starts : tensor<1024xi32, #rows>
  %p4 = tt.addptr %xs, %at4 : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
  %v4 = tt.load %p4 : tensor<1024x!tt.ptr<f32>, #rows>

  // Rows that lie anywhere.
  // CHECK: tt.load %{{[^ ]+}} : tensor<1024x!tt.ptr<i32>
  // CHECK: tt.load %{{[^ ]+}} : tensor<1024x!tt.ptr<f32>
  %ns = tt.splat %numbers : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #rows>
  %np = tt.addptr %ns, %range : tensor<1024x!tt.ptr<i32>, #rows>, tensor<1024xi32, #rows>
  %loaded = tt.load %np : tensor<1024x!tt.ptr<i32>, #rows>
  %loadedRows = arith.muli %loaded, %strides : tensor<1024xi32, #rows>
  %at5 = arith.addi %loadedRows, %pids : tensor<1024xi32, #rows>
  %p5 = tt.addptr %xs, %at5 : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
  %v5 = tt.load %p5 : tensor<1024x!tt.ptr<f32>, #rows>

  // Two lanes read from each line.
  // CHECK: tt.load %{{[^ ]+}} : tensor<1024x!tt.ptr<f32>
  %c16 = arith.constant dense<16> : tensor<1024xi32, #rows>
  %shortRows = arith.muli %range, %c16 : tensor<1024xi32, #rows>
  %at6 = arith.addi %shortRows, %pids : tensor<1024xi32, #rows>
  %p6 = tt.addptr %xs, %at6 : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
  %v6 = tt.load %p6 : tensor<1024x!tt.ptr<f32>, #rows>

  %s1 = arith.addf %v0, %v1 : tensor<1024xf32, #rows>
  %s2 = arith.addf %s1, %v2 : tensor<1024xf32, #rows>
  %s3 = arith.addf %s2, %v3 : tensor<1024xf32, #rows>
  %s4 = arith.addf %s3, %v4 : tensor<1024xf32, #rows>
  %s5 = arith.addf %s4, %v5 : tensor<1024xf32, #rows>
  %s6 = arith.addf %s5, %v6 : tensor<1024xf32, #rows>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #rows>
  %q = tt.addptr %os, %range : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
  tt.store %q, %s6 : tensor<1024x!tt.ptr<f32>, #rows>
  tt.return
}

// Four columns of f32 are half of a sector, of 32 bytes.
// CHECK-LABEL: @half_a_sector(
// CHECK: tt.load %{{[^ ]+}} {ttg.column_load} : tensor
tt.func public @half_a_sector(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}) {
  %width = arith.constant 4 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %width : i32
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 1, parent = #vectors}>>
  %j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #ttg.slice<{dim = 0, parent = #vectors}>>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<256xi32, #ttg.slice<{dim = 1, parent = #vectors}>> -> tensor<256x1xi32, #vectors>
  %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 0, parent = #vectors}>> -> tensor<1x4xi32, #vectors>
  %ns = tt.splat %n : i32 -> tensor<256x1xi32, #vectors>
  %rows = arith.muli %i2, %ns : tensor<256x1xi32, #vectors>
  %firsts = tt.splat %first : i32 -> tensor<1x4xi32, #vectors>
  %columns = arith.addi %firsts, %j2 : tensor<1x4xi32, #vectors>
  %a = tt.broadcast %rows : tensor<256x1xi32, #vectors> -> tensor<256x4xi32, #vectors>
  %b = tt.broadcast %columns : tensor<1x4xi32, #vectors> -> tensor<256x4xi32, #vectors>
  %at = arith.addi %a, %b : tensor<256x4xi32, #vectors>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x4x!tt.ptr<f32>, #vectors>
  %p = tt.addptr %xs, %at : tensor<256x4x!tt.ptr<f32>, #vectors>, tensor<256x4xi32, #vectors>
  %v = tt.load %p : tensor<256x4x!tt.ptr<f32>, #vectors>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x4x!tt.ptr<f32>, #vectors>
  %q = tt.addptr %os, %at : tensor<256x4x!tt.ptr<f32>, #vectors>, tensor<256x4xi32, #vectors>
  tt.store %q, %v : tensor<256x4x!tt.ptr<f32>, #vectors>
  tt.return
}

// Eight are a whole one.
// CHECK-LABEL: @a_sector(
// CHECK: tt.load %{{[^ ]+}} : tensor
tt.func public @a_sector(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}) {
  %width = arith.constant 8 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %width : i32
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 1, parent = #vectors}>>
  %j = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #vectors}>>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<256xi32, #ttg.slice<{dim = 1, parent = #vectors}>> -> tensor<256x1xi32, #vectors>
  %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #vectors}>> -> tensor<1x8xi32, #vectors>
  %ns = tt.splat %n : i32 -> tensor<256x1xi32, #vectors>
  %rows = arith.muli %i2, %ns : tensor<256x1xi32, #vectors>
  %firsts = tt.splat %first : i32 -> tensor<1x8xi32, #vectors>
  %columns = arith.addi %firsts, %j2 : tensor<1x8xi32, #vectors>
  %a = tt.broadcast %rows : tensor<256x1xi32, #vectors> -> tensor<256x8xi32, #vectors>
  %b = tt.broadcast %columns : tensor<1x8xi32, #vectors> -> tensor<256x8xi32, #vectors>
  %at = arith.addi %a, %b : tensor<256x8xi32, #vectors>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x8x!tt.ptr<f32>, #vectors>
  %p = tt.addptr %xs, %at : tensor<256x8x!tt.ptr<f32>, #vectors>, tensor<256x8xi32, #vectors>
  %v = tt.load %p : tensor<256x8x!tt.ptr<f32>, #vectors>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x8x!tt.ptr<f32>, #vectors>
  %q = tt.addptr %os, %at : tensor<256x8x!tt.ptr<f32>, #vectors>, tensor<256x8xi32, #vectors>
  tt.store %q, %v : tensor<256x8x!tt.ptr<f32>, #vectors>
  tt.return
}

// Two lanes read from each line.
// CHECK-LABEL: @two_lanes(
// CHECK: tt.load %{{[^ ]+}} : tensor
tt.func public @two_lanes(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}) {
  %width = arith.constant 2 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %width : i32
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 1, parent = #across}>>
  %j = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #across}>>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<256xi32, #ttg.slice<{dim = 1, parent = #across}>> -> tensor<256x1xi32, #across>
  %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #across}>> -> tensor<1x2xi32, #across>
  %ns = tt.splat %n : i32 -> tensor<256x1xi32, #across>
  %rows = arith.muli %i2, %ns : tensor<256x1xi32, #across>
  %firsts = tt.splat %first : i32 -> tensor<1x2xi32, #across>
  %columns = arith.addi %firsts, %j2 : tensor<1x2xi32, #across>
  %a = tt.broadcast %rows : tensor<256x1xi32, #across> -> tensor<256x2xi32, #across>
  %b = tt.broadcast %columns : tensor<1x2xi32, #across> -> tensor<256x2xi32, #across>
  %at = arith.addi %a, %b : tensor<256x2xi32, #across>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x2x!tt.ptr<f32>, #across>
  %p = tt.addptr %xs, %at : tensor<256x2x!tt.ptr<f32>, #across>, tensor<256x2xi32, #across>
  %v = tt.load %p : tensor<256x2x!tt.ptr<f32>, #across>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x2x!tt.ptr<f32>, #across>
  %q = tt.addptr %os, %at : tensor<256x2x!tt.ptr<f32>, #across>, tensor<256x2xi32, #across>
  tt.store %q, %v : tensor<256x2x!tt.ptr<f32>, #across>
  tt.return
}
}
