// Tiles of more than 1024 elements a thread become loops whose code does not grow with the tile.
// RUN: nereid-lower %s cuda:90a | FileCheck %s

// CHECK-LABEL: define ptx_kernel void @kernel
// What was loaded is kept in memory of the thread; a round starts eight loads.
// CHECK: alloca [2048 x i32], align 16
// CHECK: tile:
// CHECK: phi i32 [ 0, %{{.*}} ], [ [[NEXT:%.*]], %tile ]
// CHECK-COUNT-8: load <4 x i32>
// CHECK-NOT: load <4 x i32>
// CHECK: [[NEXT]] = add nuw nsw i32 %{{.*}}, 32
// CHECK: icmp ult i32 [[NEXT]], 2048
// CHECK: br i1 %{{.*}}, label %tile, label %tile.end, !llvm.loop
// CHECK: tile{{[0-9]+}}:
// CHECK: phi i32 [ 0, %{{.*}} ], [ [[NEXT2:%.*]], %{{.*}} ]
// CHECK: icmp ult i32 %{{.*}}, 2048
// CHECK-NOT: icmp ult i32 %{{.*}}, 2048
// CHECK: ret void
// CHECK: !"llvm.loop.unroll.disable"
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  tt.func public @kernel(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {start = 0 : i32, end = 262144 : i32} : tensor<262144xi32, #blocked>
    %base = tt.splat %x : !tt.ptr<i32> -> tensor<262144x!tt.ptr<i32>, #blocked>
    %pointers = tt.addptr %base, %range : tensor<262144x!tt.ptr<i32>, #blocked>, tensor<262144xi32, #blocked>
    %values = tt.load %pointers : tensor<262144x!tt.ptr<i32>, #blocked>
    %twice = arith.addi %values, %values : tensor<262144xi32, #blocked>
    tt.store %pointers, %twice : tensor<262144x!tt.ptr<i32>, #blocked>
    tt.return
  }
}
