// Assembly, prints and assertions of large tiles are loops too; each piece stands there as often as a round has elements.
// RUN: nereid-lower %s cuda:90a | FileCheck %s

// CHECK-LABEL: define ptx_kernel void @kernel
// CHECK: tile{{[0-9]*}}:
// CHECK-COUNT-8: asm {{.*}}"add.u32 $0, $2, 1; add.u32 $1, $3, 1;"
// CHECK-NOT: add.u32
// CHECK: icmp ult i32 %{{.*}}, 8192
// CHECK: br i1 %{{.*}}, label %tile
// CHECK: tile{{[0-9]*}}:
// CHECK: call i32 @vprintf
// CHECK-NOT: @vprintf(
// CHECK: icmp ult i32 %{{.*}}, 8192
// CHECK: br i1 %{{.*}}, label %tile
// CHECK: tile{{[0-9]*}}:
// CHECK-COUNT-16: icmp sgt i32
// CHECK-NOT: icmp sgt i32
// CHECK: icmp ult i32 %{{.*}}, 8192
// CHECK: call void @__assertfail
// CHECK-NOT: call void @__assertfail
// CHECK: ret void
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  tt.func public @kernel(%x: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 1048576 : i32} : tensor<1048576xi32, #blocked>
    %base = tt.splat %x : !tt.ptr<i32> -> tensor<1048576x!tt.ptr<i32>, #blocked>
    %pointers = tt.addptr %base, %range : tensor<1048576x!tt.ptr<i32>, #blocked>, tensor<1048576xi32, #blocked>
    %next = tt.elementwise_inline_asm "add.u32 $0, $2, 1; add.u32 $1, $3, 1;" {constraints = "=r,=r,r,r", packed_element = 2 : i32, pure = true} %range : tensor<1048576xi32, #blocked> -> tensor<1048576xi32, #blocked>
    tt.print "x" {hex = false, isSigned = array<i32: 1>} : %next : tensor<1048576xi32, #blocked>
    %seven = arith.constant dense<7> : tensor<1048576xi32, #blocked>
    %holds = arith.cmpi sgt, %next, %seven : tensor<1048576xi32, #blocked>
    tt.assert %holds, "too small" : tensor<1048576xi1, #blocked>
    tt.store %pointers, %next : tensor<1048576x!tt.ptr<i32>, #blocked>
    tt.return
  }
}
