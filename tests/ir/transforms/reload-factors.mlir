// RUN: nereid-opt %s --nereid-ttg-reload-factors --split-input-file | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#narrow = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Of a factor of mma.sync with 64 registers or more there is only what a step needs; a smaller one stays.
  // CHECK-LABEL: tt.func @of_two_warps
  // CHECK: %[[M:.+]] = ttg.local_alloc %{{.*}} : (tensor<128x64xf16, #blocked>)
  // CHECK-NEXT: scf.for
  // CHECK: %[[R:.+]] = ttg.local_load %[[M]] : {{.*}} -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0
  // CHECK-NEXT: tt.dot %[[R]], %{{.*}}
  // CHECK-NOT: ttg.local_load
  tt.func @of_two_warps(%q: tensor<128x64xf16, #blocked>, %k: tensor<64x16xf16, #b>, %h: tensor<64x64xf16, #a>, %c: tensor<128x16xf32, #mma>, %e: tensor<64x16xf32, #mma>, %n: i32) -> (tensor<128x16xf32, #mma>, tensor<64x16xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %left = ttg.convert_layout %q : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c, %y = %e) -> (tensor<128x16xf32, #mma>, tensor<64x16xf32, #mma>) : i32 {
      %s = tt.dot %left, %k, %x : tensor<128x64xf16, #a> * tensor<64x16xf16, #b> -> tensor<128x16xf32, #mma>
      %t = tt.dot %h, %k, %y : tensor<64x64xf16, #a> * tensor<64x16xf16, #b> -> tensor<64x16xf32, #mma>
      scf.yield %s, %t : tensor<128x16xf32, #mma>, tensor<64x16xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<128x16xf32, #mma>, tensor<64x16xf32, #mma>
  }

  // One of 32 registers stays in a loop that has some to spare. Two sums of 64 leave none, as what is computed of the scores takes
  // as many as those.
  // CHECK-LABEL: tt.func @of_short_loop
  // CHECK: scf.for
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.yield
  // CHECK: %[[M:.+]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf16, #blocked>)
  // CHECK: scf.for
  // CHECK: %[[R:.+]] = ttg.local_load %[[M]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
  // CHECK: tt.dot %[[R]], %{{.*}}
  tt.func @of_short_loop(%q: tensor<64x64xf16, #blocked>, %kp: tensor<64x32x!tt.ptr<f16>, #b>, %vp: tensor<32x64x!tt.ptr<f16>, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
    %left = ttg.convert_layout %q : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %one = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %k = tt.load %kp : tensor<64x32x!tt.ptr<f16>, #b>
      %v = tt.load %vp : tensor<32x64x!tt.ptr<f16>, #b>
      %s = tt.dot %left, %k, %zero : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %h = arith.truncf %s : tensor<64x32xf32, #mma> to tensor<64x32xf16, #mma>
      %p = ttg.convert_layout %h : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #a>
      %d = tt.dot %p, %v, %x : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %two:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c, %y = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %k = tt.load %kp : tensor<64x32x!tt.ptr<f16>, #b>
      %v = tt.load %vp : tensor<32x64x!tt.ptr<f16>, #b>
      %s = tt.dot %left, %k, %zero : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %h = arith.truncf %s : tensor<64x32xf32, #mma> to tensor<64x32xf16, #mma>
      %p = ttg.convert_layout %h : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #a>
      %d = tt.dot %p, %v, %x : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %e = tt.dot %p, %v, %y : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %one, %two#0, %two#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // Three of 32 registers are too many beside a sum of 64 and what is computed of the scores: one of them is loaded again, and the
  // others stay.
  // CHECK-LABEL: tt.func @together
  // CHECK: scf.for
  // CHECK: ttg.local_load {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.yield
  tt.func @together(%q0: tensor<64x64xf16, #blocked>, %q1: tensor<64x64xf16, #blocked>, %q2: tensor<64x64xf16, #blocked>, %kp: tensor<64x32x!tt.ptr<f16>, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
    %left0 = ttg.convert_layout %q0 : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %left1 = ttg.convert_layout %q1 : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %left2 = ttg.convert_layout %q2 : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %k = tt.load %kp : tensor<64x32x!tt.ptr<f16>, #b>
      %s0 = tt.dot %left0, %k, %zero : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %s1 = tt.dot %left1, %k, %s0 : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %s2 = tt.dot %left2, %k, %s1 : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %h = arith.truncf %s2 : tensor<64x32xf32, #mma> to tensor<64x32xf16, #mma>
      %p = ttg.convert_layout %h : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #a>
      %v = arith.constant dense<1.0> : tensor<32x64xf16, #b>
      %d = tt.dot %p, %v, %x : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Two of them stay; but not beside the addresses of 16 rows that a thread finds by their numbers.
  // CHECK-LABEL: tt.func @beside_rows
  // CHECK: scf.for
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.yield
  // CHECK: scf.for
  // CHECK: ttg.local_load {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.yield
  tt.func @beside_rows(%q0: tensor<64x64xf16, #blocked>, %q1: tensor<64x64xf16, #blocked>, %kp: tensor<64x32x!tt.ptr<f16>, #b>, %numbers: tensor<64x32x!tt.ptr<i32>, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
    %left0 = ttg.convert_layout %q0 : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %left1 = ttg.convert_layout %q1 : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %one = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %k = tt.load %kp : tensor<64x32x!tt.ptr<f16>, #b>
      %s0 = tt.dot %left0, %k, %zero : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %s1 = tt.dot %left1, %k, %s0 : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %h = arith.truncf %s1 : tensor<64x32xf32, #mma> to tensor<64x32xf16, #mma>
      %p = ttg.convert_layout %h : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #a>
      %v = arith.constant dense<1.0> : tensor<32x64xf16, #b>
      %d = tt.dot %p, %v, %x : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %two = scf.for %i = %c0 to %n step %c1 iter_args(%x = %one) -> (tensor<64x64xf32, #mma>) : i32 {
      %number = tt.load %numbers : tensor<64x32x!tt.ptr<i32>, #b>
      %row = tt.addptr %kp, %number : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x32xi32, #b>
      %k = tt.load %row : tensor<64x32x!tt.ptr<f16>, #b>
      %s0 = tt.dot %left0, %k, %zero : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %s1 = tt.dot %left1, %k, %s0 : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %h = arith.truncf %s1 : tensor<64x32xf32, #mma> to tensor<64x32xf16, #mma>
      %p = ttg.convert_layout %h : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #a>
      %v = arith.constant dense<1.0> : tensor<32x64xf16, #b>
      %d = tt.dot %p, %v, %x : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %two : tensor<64x64xf32, #mma>
  }

  // What is converted in a branch would be in each round, and moves nowhere by itself; with the cast behind it.
  // CHECK-LABEL: tt.func @in_a_branch
  // CHECK: %[[WIDE:.+]] = arith.extf %arg0 : tensor<64x16xbf16, #blocked> to tensor<64x16xf32, #blocked>
  // CHECK: %[[M:.+]] = ttg.local_alloc %[[WIDE]] {{.*}}: (tensor<64x16xf32, #blocked>)
  // CHECK: scf.for
  // CHECK-NEXT: scf.if
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[R:.+]] = ttg.local_load %[[M]] : {{.*}} -> tensor<64x16xf32, #ttg.dot_op<{opIdx = 0
  // CHECK-NEXT: tt.dot %[[R]], %{{.*}}
  tt.func @in_a_branch(%q: tensor<64x16xbf16, #blocked>, %k: tensor<16x16xf32, #narrow>, %c: tensor<64x16xf32, #mma>, %n: i32, %p: i1) -> tensor<64x16xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> (tensor<64x16xf32, #mma>) : i32 {
      %y = scf.if %p -> tensor<64x16xf32, #mma> {
        %left = ttg.convert_layout %q : tensor<64x16xbf16, #blocked> -> tensor<64x16xbf16, #left>
        %wide = arith.extf %left : tensor<64x16xbf16, #left> to tensor<64x16xf32, #left>
        %s = tt.dot %wide, %k, %x : tensor<64x16xf32, #left> * tensor<16x16xf32, #narrow> -> tensor<64x16xf32, #mma>
        scf.yield %s : tensor<64x16xf32, #mma>
      } else {
        scf.yield %x : tensor<64x16xf32, #mma>
      }
      scf.yield %y : tensor<64x16xf32, #mma>
    }
    tt.return %r : tensor<64x16xf32, #mma>
  }
}

// -----

// A factor of 32 registers beside sums of 128, and twelve tiles of 8 that a round has loaded before it uses any: they, too, take
// registers. With six there are enough.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: tt.func @of_long_round
  // CHECK: scf.for
  // CHECK: %[[R:.+]] = ttg.local_load
  // CHECK-NEXT: tt.dot %{{.*}}, %[[R]]
  tt.func @of_long_round(%w: tensor<64x64xf32, #blocked>, %p: tensor<16x64x!tt.ptr<f32>, #mma>, %h: tensor<16x64xf32, #mma>, %sums: tensor<128x128xf32, #blocked>, %n: i32) -> (tensor<16x64xf32, #mma>, tensor<128x128xf32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
    %right = ttg.convert_layout %w : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #b>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y0 = %h, %sum = %sums) -> (tensor<16x64xf32, #mma>, tensor<128x128xf32, #blocked>) : i32 {
      %x0 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x1 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x2 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x3 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x4 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x5 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x6 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x7 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x8 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x9 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x10 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x11 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %y1 = arith.mulf %y0, %x0 : tensor<16x64xf32, #mma>
      %y2 = arith.mulf %y1, %x1 : tensor<16x64xf32, #mma>
      %y3 = arith.mulf %y2, %x2 : tensor<16x64xf32, #mma>
      %y4 = arith.mulf %y3, %x3 : tensor<16x64xf32, #mma>
      %y5 = arith.mulf %y4, %x4 : tensor<16x64xf32, #mma>
      %y6 = arith.mulf %y5, %x5 : tensor<16x64xf32, #mma>
      %y7 = arith.mulf %y6, %x6 : tensor<16x64xf32, #mma>
      %y8 = arith.mulf %y7, %x7 : tensor<16x64xf32, #mma>
      %y9 = arith.mulf %y8, %x8 : tensor<16x64xf32, #mma>
      %y10 = arith.mulf %y9, %x9 : tensor<16x64xf32, #mma>
      %y11 = arith.mulf %y10, %x10 : tensor<16x64xf32, #mma>
      %y12 = arith.mulf %y11, %x11 : tensor<16x64xf32, #mma>
      %l = ttg.convert_layout %y12 : tensor<16x64xf32, #mma> -> tensor<16x64xf32, #a>
      %d = tt.dot %l, %right, %zero : tensor<16x64xf32, #a> * tensor<64x64xf32, #b> -> tensor<16x64xf32, #mma>
      %more = arith.addf %sum, %sum : tensor<128x128xf32, #blocked>
      scf.yield %d, %more : tensor<16x64xf32, #mma>, tensor<128x128xf32, #blocked>
    }
    tt.return %r#0, %r#1 : tensor<16x64xf32, #mma>, tensor<128x128xf32, #blocked>
  }

  // CHECK-LABEL: tt.func @of_shorter_round
  // CHECK-NOT: ttg.local_load
  // CHECK: tt.return
  tt.func @of_shorter_round(%w: tensor<64x64xf32, #blocked>, %p: tensor<16x64x!tt.ptr<f32>, #mma>, %h: tensor<16x64xf32, #mma>, %sums: tensor<128x128xf32, #blocked>, %n: i32) -> (tensor<16x64xf32, #mma>, tensor<128x128xf32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
    %right = ttg.convert_layout %w : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #b>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y0 = %h, %sum = %sums) -> (tensor<16x64xf32, #mma>, tensor<128x128xf32, #blocked>) : i32 {
      %x0 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x1 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x2 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x3 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x4 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %x5 = tt.load %p : tensor<16x64x!tt.ptr<f32>, #mma>
      %y1 = arith.mulf %y0, %x0 : tensor<16x64xf32, #mma>
      %y2 = arith.mulf %y1, %x1 : tensor<16x64xf32, #mma>
      %y3 = arith.mulf %y2, %x2 : tensor<16x64xf32, #mma>
      %y4 = arith.mulf %y3, %x3 : tensor<16x64xf32, #mma>
      %y5 = arith.mulf %y4, %x4 : tensor<16x64xf32, #mma>
      %y6 = arith.mulf %y5, %x5 : tensor<16x64xf32, #mma>
      %l = ttg.convert_layout %y6 : tensor<16x64xf32, #mma> -> tensor<16x64xf32, #a>
      %d = tt.dot %l, %right, %zero : tensor<16x64xf32, #a> * tensor<64x64xf32, #b> -> tensor<16x64xf32, #mma>
      %more = arith.addf %sum, %sum : tensor<128x128xf32, #blocked>
      scf.yield %d, %more : tensor<16x64xf32, #mma>, tensor<128x128xf32, #blocked>
    }
    tt.return %r#0, %r#1 : tensor<16x64xf32, #mma>, tensor<128x128xf32, #blocked>
  }
}
