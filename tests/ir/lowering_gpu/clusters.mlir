// RUN: nereid-lower %s cuda:90 | FileCheck %s
// RUN: not nereid-lower %s cuda:80 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: clusters.mlir:[[#@LINE+9]]:3: error: the target has no clusters of 2 blocks (num_ctas)

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 512 : i32} {
  // Each block writes its rows, all meet, and each thread reads a row of the columns that are its block's, from the block
  // that has it; then all meet again.
  //
  // CHECK: define {{.*}} @turned({{.*}} #[[ATTRIBUTES:[0-9]+]]
  //
  tt.func public @turned(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    // CHECK: @llvm.nvvm.read.ptx.sreg.clusterid.x()
    %pid = tt.get_program_id x : i32
    %row = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %base = tt.addptr %p, %pid : !tt.ptr<f32>, i32
    %r = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<32x1xi32, #rows>
    %ps = tt.splat %base : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>, #rows>
    %pp = tt.addptr %ps, %r : tensor<32x1x!tt.ptr<f32>, #rows>, tensor<32x1xi32, #rows>
    %x = tt.load %pp : tensor<32x1x!tt.ptr<f32>, #rows>
    %b = tt.broadcast %x : tensor<32x1xf32, #rows> -> tensor<32x4xf32, #rows>
    // CHECK: store <4 x float> {{.*}}, ptr addrspace(3)
    // CHECK: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
    // CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
    // CHECK: %[[BLOCK:.+]] = udiv i32 %{{.+}}, 32
    // CHECK: %[[THERE:.+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %{{.+}}, i32 %[[BLOCK]])
    // CHECK-NEXT: load <2 x float>, ptr addrspace(7) %[[THERE]], align 8
    // CHECK: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
    // CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
    %t = ttg.exchange_blocks %b from 0 to 1 {allocation.offset = 0 : i32} : tensor<32x4xf32, #rows> -> tensor<64x2xf32, #rows>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<64x2x!tt.ptr<f32>, #rows>
    tt.store %qs, %t : tensor<64x2x!tt.ptr<f32>, #rows>
    tt.return
  }
}
// CHECK: attributes #[[ATTRIBUTES]] = {{.*}} "nvvm.cluster_dim"="2,1,1"
