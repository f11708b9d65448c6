// RUN: nereid-lower %s cuda:90a | FileCheck %s

// An access without mask and hints is LLVM's own; hints become PTX modifiers, and what nobody needs again
// a policy of the second cache.
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @hints
  // CHECK: %[[POLICY:.+]] = call i64 asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;"
  // CHECK-NOT: createpolicy
  tt.func public @hints(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #b>
    %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f16>, #b>, tensor<64xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<64xi32, #b>
    %mask = arith.cmpi slt, %range, %ns : tensor<64xi32, #b>
    // CHECK: load <2 x half>, ptr addrspace(1) %{{.*}}, align 4
    %a = tt.load %xp : tensor<64x!tt.ptr<f16>, #b>
    // CHECK: ld.global.cg.b32 $0, [$1];
    %b = tt.load %xp cacheModifier = cg : tensor<64x!tt.ptr<f16>, #b>
    // CHECK: ld.global.L1::evict_last.b32 $0, [$1];
    %c = tt.load %xp evictionPolicy = evict_last : tensor<64x!tt.ptr<f16>, #b>
    // CHECK: load volatile <2 x half>
    %d = tt.load %xp {isVolatile = true, ttg.last_load} : tensor<64x!tt.ptr<f16>, #b>
    // CHECK: ld.global.L2::cache_hint.b32 $0, [$1], $2;{{.+}}i64 %[[POLICY]])
    %e = tt.load %xp {ttg.last_load} : tensor<64x!tt.ptr<f16>, #b>
    // CHECK: @$2 ld.global.L2::cache_hint.b32 $0, [$1], $3;{{.+}}i64 %[[POLICY]])
    %f = tt.load %xp, %mask {ttg.last_load} : tensor<64x!tt.ptr<f16>, #b>
    // Loads down columns are found again by a comment.
    // CHECK: ld.global.b32 $0, [$1]; // column"
    %g = tt.load %xp {ttg.column_load} : tensor<64x!tt.ptr<f16>, #b>
    // CHECK: @$2 ld.global.b32 $0, [$1]; // column"
    %h = tt.load %xp, %mask {ttg.column_load} : tensor<64x!tt.ptr<f16>, #b>
    %ab = arith.addf %a, %b : tensor<64xf16, #b>
    %cd = arith.addf %c, %d : tensor<64xf16, #b>
    %ef = arith.addf %e, %f : tensor<64xf16, #b>
    %abcd = arith.addf %ab, %cd : tensor<64xf16, #b>
    %gh = arith.addf %g, %h : tensor<64xf16, #b>
    %efgh = arith.addf %ef, %gh : tensor<64xf16, #b>
    %s = arith.addf %abcd, %efgh : tensor<64xf16, #b>
    // CHECK: st.global.cs.b32 [$0], $1;
    tt.store %xp, %s cacheModifier = cs : tensor<64x!tt.ptr<f16>, #b>
    // CHECK: store <2 x half> %{{.*}}, ptr addrspace(1) %{{.*}}, align 4
    tt.store %xp, %s : tensor<64x!tt.ptr<f16>, #b>
    tt.return
  }
}
