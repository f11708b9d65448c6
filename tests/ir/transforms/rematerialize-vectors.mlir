// RUN: nereid-opt %s --nereid-ttg-rematerialize | FileCheck %s

// A row that goes with a tile's columns: 8 neighbours for each thread, of which it loads one.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#columns = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // All eight are one vector, whose address and mask are no more work than one element's: eight shuffles are more.
  // CHECK-LABEL: @vector
  // CHECK: tt.load {{.*}} tensor<32x!tt.ptr<bf16>, #ttg.slice
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @vector(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}) -> tensor<32xbf16, #columns> {
    %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #row>
    %first = tt.splat %m : i32 -> tensor<32xi32, #row>
    %at = arith.addi %range, %first : tensor<32xi32, #row>
    %end = tt.splat %n : i32 -> tensor<32xi32, #row>
    %mask = arith.cmpi slt, %at, %end : tensor<32xi32, #row>
    %base = tt.splat %p : !tt.ptr<bf16> -> tensor<32x!tt.ptr<bf16>, #row>
    %where = tt.addptr %base, %at : tensor<32x!tt.ptr<bf16>, #row>, tensor<32xi32, #row>
    %x = tt.load %where, %mask : tensor<32x!tt.ptr<bf16>, #row>
    %y = ttg.convert_layout %x : tensor<32xbf16, #row> -> tensor<32xbf16, #columns>
    tt.return %y : tensor<32xbf16, #columns>
  }

  // Where neighbours may lie apart, each would be loaded for itself.
  // CHECK-LABEL: @apart
  // CHECK: %[[X:.+]] = tt.load
  // CHECK: ttg.convert_layout %[[X]]
  tt.func public @apart(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %stride: i32) -> tensor<32xbf16, #columns> {
    %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #row>
    %by = tt.splat %stride : i32 -> tensor<32xi32, #row>
    %at = arith.muli %range, %by : tensor<32xi32, #row>
    %base = tt.splat %p : !tt.ptr<bf16> -> tensor<32x!tt.ptr<bf16>, #row>
    %where = tt.addptr %base, %at : tensor<32x!tt.ptr<bf16>, #row>, tensor<32xi32, #row>
    %x = tt.load %where : tensor<32x!tt.ptr<bf16>, #row>
    %y = ttg.convert_layout %x : tensor<32xbf16, #row> -> tensor<32xbf16, #columns>
    tt.return %y : tensor<32xbf16, #columns>
  }
}
