// A mask is computed once more where it is wanted in another layout, of a column's number, say. But random bits, which
// take many instructions of each thread, are exchanged.
// RUN: nereid-opt %s --nereid-ttg-rematerialize | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @column
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @column(%seed: i32, %p: tensor<128x64xf32, #mma>) -> (tensor<128x64xf32, #mma>, tensor<128x64xi1, #blocked>) {
    %zeros = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    %limit = arith.constant dense<1000> : tensor<128x64xi32, #mma>
    %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xi32, #mma>
    %where = tt.broadcast %row : tensor<1x64xi32, #mma> -> tensor<128x64xi32, #mma>
    %seeds = tt.splat %seed : i32 -> tensor<128x64xi32, #mma>
    %x0 = arith.muli %seeds, %where : tensor<128x64xi32, #mma>
    %x1 = arith.xori %x0, %where : tensor<128x64xi32, #mma>
    %kept = arith.cmpi slt, %x1, %limit : tensor<128x64xi32, #mma>
    %r = arith.select %kept, %p, %zeros : tensor<128x64xi1, #mma>, tensor<128x64xf32, #mma>
    %mask = ttg.convert_layout %kept : tensor<128x64xi1, #mma> -> tensor<128x64xi1, #blocked>
    tt.return %r, %mask : tensor<128x64xf32, #mma>, tensor<128x64xi1, #blocked>
  }

  // CHECK-LABEL: @random
  // CHECK-COUNT-10: arith.muli {{.*}}#mma>
  // CHECK-NOT: arith.muli
  // CHECK: ttg.convert_layout {{.*}}xi1, #mma> -> tensor<128x64xi1, #blocked>
  // CHECK: tt.return
  tt.func public @random(%seed: i32, %p: tensor<128x64xf32, #mma>) -> (tensor<128x64xf32, #mma>, tensor<128x64xi1, #blocked>) {
    %zeros = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    %limit = arith.constant dense<1000> : tensor<128x64xi32, #mma>
    %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xi32, #mma>
    %where = tt.broadcast %row : tensor<1x64xi32, #mma> -> tensor<128x64xi32, #mma>
    %seeds = tt.splat %seed : i32 -> tensor<128x64xi32, #mma>
    %x0 = arith.muli %seeds, %where : tensor<128x64xi32, #mma>
    %x1 = arith.xori %x0, %where : tensor<128x64xi32, #mma>
    %x2 = arith.muli %x1, %where : tensor<128x64xi32, #mma>
    %x3 = arith.xori %x2, %where : tensor<128x64xi32, #mma>
    %x4 = arith.muli %x3, %where : tensor<128x64xi32, #mma>
    %x5 = arith.xori %x4, %where : tensor<128x64xi32, #mma>
    %x6 = arith.muli %x5, %where : tensor<128x64xi32, #mma>
    %x7 = arith.xori %x6, %where : tensor<128x64xi32, #mma>
    %x8 = arith.muli %x7, %where : tensor<128x64xi32, #mma>
    %x9 = arith.xori %x8, %where : tensor<128x64xi32, #mma>
    %x10 = arith.muli %x9, %where : tensor<128x64xi32, #mma>
    %x11 = arith.xori %x10, %where : tensor<128x64xi32, #mma>
    %x12 = arith.muli %x11, %where : tensor<128x64xi32, #mma>
    %x13 = arith.xori %x12, %where : tensor<128x64xi32, #mma>
    %x14 = arith.muli %x13, %where : tensor<128x64xi32, #mma>
    %x15 = arith.xori %x14, %where : tensor<128x64xi32, #mma>
    %x16 = arith.muli %x15, %where : tensor<128x64xi32, #mma>
    %x17 = arith.xori %x16, %where : tensor<128x64xi32, #mma>
    %x18 = arith.muli %x17, %where : tensor<128x64xi32, #mma>
    %x19 = arith.xori %x18, %where : tensor<128x64xi32, #mma>
    %kept = arith.cmpi slt, %x19, %limit : tensor<128x64xi32, #mma>
    %r = arith.select %kept, %p, %zeros : tensor<128x64xi1, #mma>, tensor<128x64xf32, #mma>
    %mask = ttg.convert_layout %kept : tensor<128x64xi1, #mma> -> tensor<128x64xi1, #blocked>
    tt.return %r, %mask : tensor<128x64xf32, #mma>, tensor<128x64xi1, #blocked>
  }
}
