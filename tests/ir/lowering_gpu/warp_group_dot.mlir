// RUN: nereid-lower %s cuda:90a | FileCheck %s

// 64 columns, 32 deep: two instructions in one group, with nothing between them. Descriptors are a constant apart: 32
// bytes along the left operand's rows, 16 rows of 128 bytes down the right one, each in units of 16 bytes.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 32]}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#bytesTransposed = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16384 : i32} {
  // CHECK-LABEL: @product
  tt.func private @product(%c: tensor<128x64xf32, #mma>) -> tensor<128x64xf32, #mma> {
    %a = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 512 : i32} : () -> !ttg.memdesc<128x32xf16, #narrow, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 8192 : i32, alignment = 1024 : i32} : () -> !ttg.memdesc<32x64xf16, #wide, #smem, mutable>
    // Each thread makes what it wrote visible.
    // CHECK: call void asm sideeffect "fence.proxy.async.shared::cta;", "~{memory}"() #[[CONVERGENT:[0-9]+]]
    ttng.fence_async_shared
    // The group's number is the same for all lanes.
    // CHECK: %[[GROUP:.+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32
    // CHECK: add i64 %[[A:.+]], 2
    // CHECK: add i64 %[[B:.+]], 128
    // The sums pass through the fence, so that nothing is moved to their registers behind it.
    // CHECK: call contract { float, {{.*}} } asm sideeffect "wgmma.fence.sync.aligned;", "=f,
    // CHECK-NOT: add
    // CHECK: asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, $32, $33, p, 1, 1, 0, 1; }"
    // CHECK-NOT: add
    // CHECK: asm sideeffect {{.*}}wgmma.mma_async.sync.aligned.m64n64k16
    // CHECK-NOT: wgmma.mma_async
    // CHECK: asm sideeffect "wgmma.commit_group.sync.aligned;"
    // CHECK-NOT: wgmma.wait_group
    %d = ttng.warp_group_dot %a, %b, %c {isAsync = true} : !ttg.memdesc<128x32xf16, #narrow, #smem, mutable> * !ttg.memdesc<32x64xf16, #wide, #smem, mutable> -> tensor<128x64xf32, #mma>
    // The sums pass through the wait, so that nothing reads them before.
    // CHECK: call contract { float, {{.*}} } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,
    %e = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<128x64xf32, #mma>
    tt.return %e : tensor<128x64xf32, #mma>
  }

  // Sums that begin at zero are not read, nor set before. What the instructions need besides is part of them.
  // CHECK-LABEL: @fresh
  tt.func private @fresh() -> tensor<128x64xf32, #mma> {
    %a = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 512 : i32} : () -> !ttg.memdesc<128x32xf16, #narrow, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 8192 : i32, alignment = 1024 : i32} : () -> !ttg.memdesc<32x64xf16, #wide, #smem, mutable>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    // CHECK: call void asm sideeffect "wgmma.fence.sync.aligned;"
    // CHECK-NEXT: asm sideeffect {{.*}}wgmma.mma_async{{.*}}"=f,{{.*}},n,0,{{.*}}(i64 %{{[^,]*}}, i64 %{{[^,]*}}, i32 0, float poison, float poison,
    // CHECK: asm sideeffect {{.*}}wgmma.mma_async{{.*}}(i64 %{{[^,]*}}, i64 %{{[^,]*}}, i32 1, float %
    %d = ttng.warp_group_dot %a, %b, %zero : !ttg.memdesc<128x32xf16, #narrow, #smem, mutable> * !ttg.memdesc<32x64xf16, #wide, #smem, mutable> -> tensor<128x64xf32, #mma>
    tt.return %d : tensor<128x64xf32, #mma>
  }

  // Neighbours in f16 share a register, on the way into the instructions, from one to the next and through the wait.
  // CHECK-LABEL: @halves
  tt.func private @halves(%c: tensor<128x64xf16, #mma>) -> tensor<128x64xf16, #mma> {
    %a = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 512 : i32} : () -> !ttg.memdesc<128x32xf16, #narrow, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 8192 : i32, alignment = 1024 : i32} : () -> !ttg.memdesc<32x64xf16, #wide, #smem, mutable>
    // CHECK: %[[PAIR:.+]] = insertelement <2 x half> %{{.+}}, half %{{.+}}, i64 1
    // CHECK: bitcast <2 x half> %[[PAIR]] to i32
    // CHECK: call { i32, {{.*}} } asm sideeffect "wgmma.fence.sync.aligned;", "=r,
    // CHECK: asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $18, 0; wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {$0, {{.*}}, $15}, $16, $17, p, 1, 1, 0, 1; }"
    // CHECK-NOT: bitcast
    // CHECK: asm sideeffect {{.*}}wgmma.mma_async.sync.aligned.m64n64k16.f16
    // CHECK: asm sideeffect "wgmma.commit_group.sync.aligned;"
    %d = ttng.warp_group_dot %a, %b, %c {isAsync = true} : !ttg.memdesc<128x32xf16, #narrow, #smem, mutable> * !ttg.memdesc<32x64xf16, #wide, #smem, mutable> -> tensor<128x64xf16, #mma>
    // CHECK: call { i32, {{.*}} } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=r,
    // CHECK: bitcast i32 %{{.+}} to <2 x half>
    %e = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<128x64xf16, #mma>
    tt.return %e : tensor<128x64xf16, #mma>
  }

  // No more than 32 products of bytes may be added by the unit: two groups, which the threads add.
  // CHECK-LABEL: @parts
  tt.func private @parts(%c: tensor<128x64xf32, #mma8>) -> tensor<128x64xf32, #mma8> {
    %a = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 512 : i32} : () -> !ttg.memdesc<128x64xf8E4M3FN, #bytes, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 8192 : i32, alignment = 512 : i32} : () -> !ttg.memdesc<64x64xf8E4M3FN, #bytesTransposed, #smem, mutable>
    // CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3
    // CHECK-NEXT: extractvalue
    // CHECK: asm sideeffect "wgmma.commit_group.sync.aligned;"
    // CHECK: asm sideeffect "wgmma.wait_group.sync.aligned 0;"
    // CHECK: fadd
    // CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3
    // CHECK: asm sideeffect "wgmma.wait_group.sync.aligned 0;"
    // CHECK: fadd
    %d = ttng.warp_group_dot %a, %b, %c {maxNumImpreciseAcc = 32 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #bytes, #smem, mutable> * !ttg.memdesc<64x64xf8E4M3FN, #bytesTransposed, #smem, mutable> -> tensor<128x64xf32, #mma8>
    tt.return %d : tensor<128x64xf32, #mma8>
  }

  // Sums in f16 are the unit's alone, however few it may add: threads would add them no better.
  // CHECK-LABEL: @narrow_sums
  tt.func private @narrow_sums(%c: tensor<128x64xf16, #mma8>) -> tensor<128x64xf16, #mma8> {
    %a = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 512 : i32} : () -> !ttg.memdesc<128x64xf8E4M3FN, #bytes, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 8192 : i32, alignment = 512 : i32} : () -> !ttg.memdesc<64x64xf8E4M3FN, #bytesTransposed, #smem, mutable>
    // CHECK: asm sideeffect {{.*}}wgmma.mma_async.sync.aligned.m64n64k32.f16.e4m3.e4m3 {$0, {{.*}}, $15}, $16, $17, p, 1, 1; }"
    // CHECK: asm sideeffect {{.*}}wgmma.mma_async.sync.aligned.m64n64k32.f16.e4m3.e4m3
    // CHECK-NOT: fadd
    // CHECK: ret
    %d = ttng.warp_group_dot %a, %b, %c {maxNumImpreciseAcc = 32 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #bytes, #smem, mutable> * !ttg.memdesc<64x64xf8E4M3FN, #bytesTransposed, #smem, mutable> -> tensor<128x64xf16, #mma8>
    tt.return %d : tensor<128x64xf16, #mma8>
  }
  tt.func public @kernel() {
    tt.return
  }
  // CHECK: attributes #[[CONVERGENT]] = { convergent
}
