// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: nereid-lower %s cuda:80 | FileCheck %s --check-prefix=OLD

// Sums of products go to memory on chip eight rows of 16 bytes at a time, four such matrices in each instruction; turned
// where memory is. GPUs before sm_90 store what each thread has.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// OLD-NOT: stmatrix
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 8192 : i32} {
  // 64 rows of 32 columns, 16 rows a warp: 16 x 32 elements are 8 matrices.
  // CHECK-LABEL: @rows(
  // CHECK-COUNT-2: call void asm sideeffect "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};", "r,r,r,r,r,~{memory}"(ptr addrspace(3) %{{.+}}, i32 %{{.+}}, i32 %{{.+}}, i32 %{{.+}}, i32 %{{.+}}) #[[CONVERGENT:[0-9]+]]
  // CHECK-NOT: stmatrix
  tt.func private @rows(%x: tensor<64x32xf16, #mma>) {
    %m = ttg.local_alloc %x {allocation.offset = 0 : i32, alignment = 1024 : i32} : (tensor<64x32xf16, #mma>) -> !ttg.memdesc<64x32xf16, #rows, #smem>
    tt.return
  }
  // CHECK-LABEL: @columns(
  // CHECK-COUNT-2: stmatrix.sync.aligned.m8n8.x4.trans.shared.b16
  // CHECK-NOT: stmatrix
  tt.func private @columns(%x: tensor<64x32xf16, #mma>) {
    %m = ttg.local_alloc %x {allocation.offset = 0 : i32, alignment = 1024 : i32} : (tensor<64x32xf16, #mma>) -> !ttg.memdesc<64x32xf16, #columns, #smem>
    tt.return
  }
  // Sums of 32 bits lie in pairs of 8 bytes.
  // CHECK-LABEL: @sums(
  // CHECK-NOT: stmatrix
  tt.func private @sums(%x: tensor<64x32xf32, #mma>) {
    %m = ttg.local_alloc %x {allocation.offset = 0 : i32, alignment = 1024 : i32} : (tensor<64x32xf32, #mma>) -> !ttg.memdesc<64x32xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem>
    tt.return
  }
  tt.func public @kernel() {
    %x = arith.constant dense<1.0> : tensor<64x32xf16, #mma>
    %y = arith.constant dense<1.0> : tensor<64x32xf32, #mma>
    tt.call @rows(%x) : (tensor<64x32xf16, #mma>) -> ()
    tt.call @columns(%x) : (tensor<64x32xf16, #mma>) -> ()
    tt.call @sums(%y) : (tensor<64x32xf32, #mma>) -> ()
    tt.return
  }
  // CHECK: attributes #[[CONVERGENT]] = { convergent
}
