// RUN: nereid-lower %s cuda:90 | FileCheck %s

// Of a thread's eight f16, neighbours change places with another lane's: four elements leave, and those that leave are
// two registers apart. They go by twos all the same.
#halves = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [], block = []}>
#rows = #ttg.linear<{register = [[1, 0], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 1]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @apart
  // CHECK-COUNT-2: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 16, i32 31)
  // CHECK-NOT: llvm.nvvm.shfl.sync
  // CHECK: ret void
  tt.func public @apart(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %r1 = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #ttg.slice<{dim = 1, parent = #halves}>>
    %c1 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>>
    %w = arith.constant dense<128> : tensor<2x1xi32, #halves>
    %r = tt.expand_dims %r1 {axis = 1 : i32} : tensor<2xi32, #ttg.slice<{dim = 1, parent = #halves}>> -> tensor<2x1xi32, #halves>
    %c = tt.expand_dims %c1 {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>> -> tensor<1x128xi32, #halves>
    %rw = arith.muli %r, %w : tensor<2x1xi32, #halves>
    %rb = tt.broadcast %rw : tensor<2x1xi32, #halves> -> tensor<2x128xi32, #halves>
    %cb = tt.broadcast %c : tensor<1x128xi32, #halves> -> tensor<2x128xi32, #halves>
    %o = arith.addi %rb, %cb : tensor<2x128xi32, #halves>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<2x128x!tt.ptr<f16>, #halves>
    %pp = tt.addptr %ps, %o : tensor<2x128x!tt.ptr<f16>, #halves>, tensor<2x128xi32, #halves>
    %x = tt.load %pp : tensor<2x128x!tt.ptr<f16>, #halves>
    %y = ttg.convert_layout %x : tensor<2x128xf16, #halves> -> tensor<2x128xf16, #rows>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<2x128x!tt.ptr<f16>, #rows>
    tt.store %q, %y : tensor<2x128x!tt.ptr<f16>, #rows>
    tt.return
  }
}
