// RUN: nereid-lower %s cuda:90a | FileCheck %s

// Four bytes make one register, two floats two.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @asm
  tt.func public @asm(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>, #b>
    %xp = tt.addptr %xs, %range : tensor<128x!tt.ptr<i8>, #b>, tensor<128xi32, #b>
    %a = tt.load %xp : tensor<128x!tt.ptr<i8>, #b>
    // CHECK: call i32 asm "prmt.b32 $0, $1, 0, 0x0123;", "=r,r"(i32 %{{.*}})
    // CHECK-NOT: prmt
    %b = tt.elementwise_inline_asm "prmt.b32 $0, $1, 0, 0x0123;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %a : tensor<128xi8, #b> -> tensor<128xi8, #b>
    tt.store %xp, %b : tensor<128x!tt.ptr<i8>, #b>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %yp = tt.addptr %ys, %range : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %c = tt.load %yp : tensor<128x!tt.ptr<f32>, #b>
    // CHECK-COUNT-2: call contract { float, float } asm sideeffect "mov.b32 $0, $3; mov.b32 $1, $2;", "=r,=r,r,r,~{memory}"(float %{{.*}}, float %{{.*}})
    // CHECK: ret void
    %d = tt.elementwise_inline_asm "mov.b32 $0, $3; mov.b32 $1, $2;" {constraints = "=r,=r,r,r", packed_element = 2 : i32, pure = false} %c : tensor<128xf32, #b> -> tensor<128xf32, #b>
    tt.store %yp, %d : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}
