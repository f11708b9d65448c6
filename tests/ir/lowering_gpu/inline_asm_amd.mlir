// RUN: nereid-lower %s hip:gfx1100 | FileCheck %s

// On AMD's GPUs "r" would be a register that all lanes share.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @asm(%x: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    // CHECK: asm "v_add_u32 $0, $1, $2", "=&v,v,s,~{memory}"
    %y = tt.elementwise_inline_asm "v_add_u32 $0, $1, $2" {constraints = "=&r,r,s,~{memory}", packed_element = 1 : i32, pure = true} %range, %range : tensor<32xi32, #b>, tensor<32xi32, #b> -> tensor<32xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %xp = tt.addptr %xs, %range : tensor<32x!tt.ptr<i32>, #b>, tensor<32xi32, #b>
    tt.store %xp, %y : tensor<32x!tt.ptr<i32>, #b>
    tt.return
  }
}
