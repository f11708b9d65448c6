// RUN: nereid-lower %s cuda:90a | FileCheck %s
// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefix=WORK
// RUN: nereid-lower %s cuda:90a | FileCheck %s --check-prefix=META
// RUN: not nereid-lower %s cuda:80 2>&1 | FileCheck %s --check-prefix=OLD

// A partition of one warp beside four of the kernel's own. With registers to hand over, the block has whole groups of
// four: 8 warps.
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#own = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #plain, #smem, mutable>
// OLD: 'ttng.init_barrier' is not supported on this target
// META-DAG: "nvvm.maxnreg"="128"
// META-DAG: "nvvm.reqntid"="256"
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 32 : i32} {
  // CHECK-LABEL: define {{.*}} @kernel(
  // CHECK: %[[WARP:.+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(
  // CHECK: %[[IS_OWN:.+]] = icmp ult i32 %[[WARP]], 4
  // CHECK: br i1 %[[IS_OWN]], label %own, label %workers
  tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {
    %two = arith.constant 2 : i32
    %bar = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !bar
    // Two arrivals end a phase.
    // CHECK: mbarrier.init.shared::cta.b64 [$0], 2;
    ttng.init_barrier %bar, 2 : !bar
    %m = arith.muli %n, %two : i32
    // What is computed goes through memory; the place of the barrier and the argument do not. Then all 256 threads meet,
    // and registers that others have given back are taken.
    // CHECK: %[[M:.+]] = mul i32 %
    // CHECK: st.shared{{.*}}i32 %[[M]], i1
    // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 256)
    // CHECK-NEXT: call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 232)
    ttg.warp_specialize(%bar, %p, %m) attributes {actualRegisters = array<i32: 232, 24>, allocation.offset = 16 : i32, requestedRegisters = array<i32: 24>}
    default {
      // A barrier of the kernel's own threads alone.
      // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 0, i32 128)
      ttg.local_barrier
      // Each warp arrives for itself, when its lanes are done.
      // CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
      // CHECK: mbarrier.arrive.shared::cta.b64 _, [$0], 1;
      ttng.arrive_barrier %bar, 1 {eachWarp = true} : !bar
      ttg.warp_yield
    }
    partition0(%b: !bar, %q: !tt.ptr<i32>, %k: i32) num_warps(1) {
      %lanes = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #one>
      %all = tt.splat %k : i32 -> tensor<32xi32, #one>
      %sum = arith.addi %lanes, %all : tensor<32xi32, #one>
      %qs = tt.splat %q : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #one>
      %to = tt.addptr %qs, %lanes : tensor<32x!tt.ptr<i32>, #one>, tensor<32xi32, #one>
      tt.store %to, %sum : tensor<32x!tt.ptr<i32>, #one>
      ttg.local_barrier
      ttng.arrive_barrier %b, 2 : !bar
      ttg.warp_return
    } : (!bar, !tt.ptr<i32>, i32) -> ()
    // Something follows, so all meet again.
    // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 256)
    // CHECK: ret void
    tt.store %p, %n : !tt.ptr<i32>
    tt.return
    // WORK: define {{.*}} @kernel(
    // WORK: %[[WARP:.+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(
    // WORK: {{^}}workers:
    // WORK-NEXT: call void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32 24)
    // WORK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 256)
    // WORK: %[[K:.+]] = load i32, ptr addrspace(3)
    // WORK: sub i32 %[[WARP]], 4
    // WORK: icmp ult i32 %{{.+}}, 1
    // Threads are counted from the partition's first one.
    // WORK: partition.entry:
    // WORK: call range(i32 128, 160) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    // WORK-NEXT: sub i32 %{{.+}}, 128
    // WORK: add i32 %{{.+}}, %[[K]]
    // WORK: call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 32)
    // WORK: mbarrier.arrive.shared::cta.b64 _, [$0], 2;
    // WORK-NEXT: br label %workers1
  }
}
