// RUN: split-file %s %t
// RUN: not nereid-lower %t/number.mlir cuda:90a 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not nereid-lower %t/letter.mlir cuda:90a 2>&1 | FileCheck %s --check-prefix=LETTER
// RUN: not nereid-lower %t/brace.mlir cuda:90a 2>&1 | FileCheck %s --check-prefix=BRACE
// RUN: not nereid-lower %t/packed.mlir cuda:90a 2>&1 | FileCheck %s --check-prefix=PACKED
// RUN: nereid-lower %t/fine.mlir cuda:90a | FileCheck %s --check-prefix=FINE

// What is wrong with a piece of inline assembly is said where it stands.

//--- number.mlir
// NUMBER: number.mlir:4:8: error: in the inline assembly, '$7' names an operand that is not there; the constraints have 2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @asm(%p: !tt.ptr<i32>, %x: i32) {
  %y = tt.elementwise_inline_asm "mov.u32 $0, $7;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
  }
}

//--- letter.mlir
// LETTER: letter.mlir:4:8: error: in the inline assembly, '$x' names no operand; a dollar sign is written $$
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @asm(%p: !tt.ptr<i32>, %x: i32) {
  %y = tt.elementwise_inline_asm "mov.u32 $0, $x;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
  }
}

//--- brace.mlir
// BRACE: brace.mlir:4:8: error: in the inline assembly, '${1' is not closed by a '}'
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @asm(%p: !tt.ptr<i32>, %x: i32) {
  %y = tt.elementwise_inline_asm "mov.u32 $0, ${1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
  }
}

//--- packed.mlir
// PACKED: packed.mlir:4:8: error: the constraints '=r,r' do not fit: they name 1 output and 1 input, and there are 4 outputs and 1 input of 32 bits for 4 elements at a time (pack=4)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @asm(%p: !tt.ptr<i32>, %x: tensor<128xi8, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>) {
  %y = tt.elementwise_inline_asm "mov.u32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = false} %x : tensor<128xi8, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>> -> tensor<128xi32, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
  tt.return
  }
}

//--- fine.mlir
// FINE: asm "mov.u32 $0, ${1:x}; // $$7 ${:uid}"
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @asm(%p: !tt.ptr<i32>, %x: i32) {
  %y = tt.elementwise_inline_asm "mov.u32 $0, ${1:x}; // $$7 ${:uid}" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
  }
}
