// RUN: nereid-opt %s --nereid-ttg-place-product-waits | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A product that may outlast its round: the one before it is done at the end of the round, it is after the loop.
  // CHECK-LABEL: tt.func @chain
  // CHECK: %[[LOOP:.+]] = scf.for {{.*}} iter_args(%[[SUM:.+]] = %{{.*}})
  // CHECK-NEXT: %[[D:.+]] = ttng.warp_group_dot {{.*}}, %[[SUM]] {{.*}}isAsync = true
  // CHECK-NEXT: %[[E:.+]] = ttng.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
  // CHECK-NEXT: scf.yield %[[E]]
  // CHECK: %[[W:.+]] = ttng.warp_group_dot_wait %[[LOOP]] {pendings = 0 : i32}
  // CHECK-NEXT: tt.return %[[W]]
  tt.func @chain(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> tensor<64x64xf32, #mma> : i32 {
      %d = ttng.warp_group_dot %x, %x, %sum {isAsync = true} : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // One that only a branch needs is waited for there. In rounds that do not take it, it goes on.
  // CHECK-LABEL: tt.func @stored
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:.+]] = %{{.*}})
  // CHECK-NEXT: %[[D:.+]] = ttng.warp_group_dot {{.*}}, %[[SUM]] {{.*}}isAsync = true
  // CHECK-NEXT: %[[E:.+]] = ttng.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
  // CHECK-NEXT: arith.cmpi
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: %[[THERE:.+]]:2 = ttng.warp_group_dot_wait %[[E]], %arg0 {pendings = 0 : i32}
  // CHECK-NEXT: tt.store {{.*}}, %[[THERE]]#0
  // CHECK: scf.yield %[[E]]
  tt.func @stored(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %p: tensor<64x64x!tt.ptr<f32>, #mma>, %c: tensor<64x64xf32, #mma>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> tensor<64x64xf32, #mma> : i32 {
      %d = ttng.warp_group_dot %x, %x, %sum {isAsync = true} : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %last = arith.cmpi eq, %i, %c1 : i32
      scf.if %last {
        tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #mma>
      }
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return
  }

  // One that may not is waited for in its round, with the memory it reads.
  // CHECK-LABEL: tt.func @in_round
  // CHECK: %[[D:.+]] = ttng.warp_group_dot %[[M:.+]], %[[M]]
  // CHECK-NEXT: %[[E:.+]]:2 = ttng.warp_group_dot_wait %[[D]], %[[M]] {pendings = 0 : i32}
  // CHECK-NEXT: scf.yield %[[E]]#0
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.return
  tt.func @in_round(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> tensor<64x64xf32, #mma> : i32 {
      %d = ttng.warp_group_dot %x, %x, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // A wait at the end of the round stands behind one for an older product.
  // CHECK-LABEL: tt.func @two
  // CHECK: %[[D1:.+]] = ttng.warp_group_dot
  // CHECK: %[[D2:.+]] = ttng.warp_group_dot
  // CHECK: %[[E:.+]]:{{[0-9]}} = ttng.warp_group_dot_wait %[[D1]],{{.*}} {pendings = 1 : i32}
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  tt.func @two(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %other = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %d1 = ttng.warp_group_dot %x, %x, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %d2 = ttng.warp_group_dot %x, %x, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %e = math.exp2 %d1 : tensor<64x64xf32, #mma>
      scf.yield %d2, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // Of an unrolled sum four products are under way, so that the others' memory can be used again.
  // CHECK-LABEL: tt.func @unrolled
  // CHECK-COUNT-3: ttng.warp_group_dot
  // CHECK: %[[D4:.+]] = ttng.warp_group_dot
  // CHECK-NEXT: %[[W:.+]]:2 = ttng.warp_group_dot_wait %[[D4]], %{{.+}} {pendings = 3 : i32}
  // CHECK-NEXT: %[[D5:.+]] = ttng.warp_group_dot {{.*}}, %[[W]]#0 {
  // CHECK-NEXT: %[[V:.+]]:2 = ttng.warp_group_dot_wait %[[D5]], %{{.+}} {pendings = 3 : i32}
  // CHECK-NEXT: ttng.warp_group_dot {{.*}}, %[[V]]#0 {
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  tt.func @unrolled(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %d1 = ttng.warp_group_dot %x, %x, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d2 = ttng.warp_group_dot %x, %x, %d1 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d3 = ttng.warp_group_dot %x, %x, %d2 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d4 = ttng.warp_group_dot %x, %x, %d3 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d5 = ttng.warp_group_dot %x, %x, %d4 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d6 = ttng.warp_group_dot %x, %x, %d5 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d6 : tensor<64x64xf32, #mma>
  }

  // Of a long one each is done before the next one starts.
  // CHECK-LABEL: tt.func @long
  // CHECK: %[[D1:.+]] = ttng.warp_group_dot
  // CHECK-NEXT: %[[W:.+]]:2 = ttng.warp_group_dot_wait %[[D1]], %{{.+}} {pendings = 0 : i32}
  // CHECK-NEXT: %[[D2:.+]] = ttng.warp_group_dot {{.*}}, %[[W]]#0 {
  // CHECK-NEXT: ttng.warp_group_dot_wait %[[D2]], %{{.+}} {pendings = 0 : i32}
  tt.func @long(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %d1 = ttng.warp_group_dot %x, %x, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d2 = ttng.warp_group_dot %x, %x, %d1 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d3 = ttng.warp_group_dot %x, %x, %d2 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d4 = ttng.warp_group_dot %x, %x, %d3 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d5 = ttng.warp_group_dot %x, %x, %d4 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d6 = ttng.warp_group_dot %x, %x, %d5 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d7 = ttng.warp_group_dot %x, %x, %d6 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %d8 = ttng.warp_group_dot %x, %x, %d7 : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d8 : tensor<64x64xf32, #mma>
  }

  // As in attention: the last round's second product is under way while the first one starts; the wait for the first
  // ends both, and the sums are scaled behind it.
  // CHECK-LABEL: tt.func @attention
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:.+]] = %{{.*}})
  // CHECK: %[[S:.+]] = ttng.warp_group_dot %[[Q:.+]], %[[K:.+]], %{{.*}} {{.*}}isAsync = true
  // CHECK-NEXT: %[[BOTH:.+]]:3 = ttng.warp_group_dot_wait %[[SUM]], %[[S]], %[[K]] {pendings = 0 : i32}
  // CHECK-NEXT: math.exp2 %[[BOTH]]#1
  // CHECK: arith.mulf %[[BOTH]]#0
  // CHECK: %[[D:.+]] = ttng.warp_group_dot {{.*}}isAsync = true
  // CHECK-NEXT: scf.yield %[[D]]
  // CHECK: ttng.warp_group_dot_wait
  tt.func @attention(%q: tensor<64x64xf16, #a>, %k: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %half = arith.constant dense<0.5> : tensor<64x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> tensor<64x64xf32, #mma> : i32 {
      %s = ttng.warp_group_dot %q, %k, %zero : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %p = math.exp2 %s : tensor<64x64xf32, #mma>
      %scaled = arith.mulf %sum, %half : tensor<64x64xf32, #mma>
      %h = arith.truncf %p : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %d = ttng.warp_group_dot %left, %k, %scaled {isAsync = true} : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Products in a row, of which only the older one is needed: the younger goes on. Nothing goes on into a branch that
  // holds products of its own.
  // CHECK-LABEL: tt.func @older
  // CHECK: %[[D1:.+]] = ttng.warp_group_dot
  // CHECK: %[[D2:.+]] = ttng.warp_group_dot
  // CHECK-NEXT: %[[W:.+]]:3 = ttng.warp_group_dot_wait %[[D1]], %[[D2]], %{{.*}} {pendings = 1 : i32}
  // CHECK-NEXT: arith.addf %[[W]]#0, %[[W]]#0
  // CHECK-NEXT: %[[V:.+]]:2 = ttng.warp_group_dot_wait %[[W]]#1, %{{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: scf.if
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK: arith.addf {{.*}}, %[[V]]#0
  tt.func @older(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %p: i1) -> tensor<64x64xf32, #mma> {
    %d1 = ttng.warp_group_dot %x, %x, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %d2 = ttng.warp_group_dot %x, %x, %zero : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %twice = arith.addf %d1, %d1 : tensor<64x64xf32, #mma>
    %e = scf.if %p -> tensor<64x64xf32, #mma> {
      %d3 = ttng.warp_group_dot %x, %x, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d3 : tensor<64x64xf32, #mma>
    } else {
      scf.yield %c : tensor<64x64xf32, #mma>
    }
    %sum = arith.addf %twice, %e : tensor<64x64xf32, #mma>
    %all = arith.addf %sum, %d2 : tensor<64x64xf32, #mma>
    tt.return %all : tensor<64x64xf32, #mma>
  }

  // Two sums that the next round scales: both are waited for where the first is.
  // CHECK-LABEL: tt.func @scaled
  // CHECK: scf.for {{.*}} iter_args(%[[FIRST:.+]] = %{{.*}}, %[[SECOND:.+]] = %{{.*}})
  // CHECK-NEXT: %[[BOTH:.+]]:2 = ttng.warp_group_dot_wait %[[FIRST]], %[[SECOND]] {pendings = 0 : i32}
  // CHECK-NEXT: arith.mulf %[[BOTH]]#0
  // CHECK-NEXT: arith.mulf %[[BOTH]]#1
  tt.func @scaled(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%first = %c, %second = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %a = arith.mulf %first, %c : tensor<64x64xf32, #mma>
      %b = arith.mulf %second, %c : tensor<64x64xf32, #mma>
      %d = ttng.warp_group_dot %x, %x, %a {isAsync = true} : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %e = ttng.warp_group_dot %x, %x, %b {isAsync = true} : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    %sum = arith.addf %r#0, %r#1 : tensor<64x64xf32, #mma>
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // With sums of 64x256 a thread has no registers for both products at once: the first is done before anything else.
  // CHECK-LABEL: tt.func @short
  // CHECK: %[[D1:.+]] = ttng.warp_group_dot %
  // CHECK-NEXT: ttng.warp_group_dot_wait %[[D1]], {{.*}} {pendings = 0 : i32}
  // CHECK: math.exp2
  // CHECK: ttng.warp_group_dot
  tt.func @short(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %w: !ttg.memdesc<64x256xf16, #rows, #smem>, %c: tensor<64x256xf32, #mma>, %n: i32) -> tensor<64x256xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x256xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> tensor<64x256xf32, #mma> : i32 {
      %d1 = ttng.warp_group_dot %x, %w, %zero : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x256xf16, #rows, #smem> -> tensor<64x256xf32, #mma>
      %e = math.exp2 %sum : tensor<64x256xf32, #mma>
      %d2 = ttng.warp_group_dot %x, %w, %zero : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x256xf16, #rows, #smem> -> tensor<64x256xf32, #mma>
      %f = arith.addf %d1, %d2 : tensor<64x256xf32, #mma>
      %g = arith.addf %e, %f : tensor<64x256xf32, #mma>
      scf.yield %g : tensor<64x256xf32, #mma>
    }
    tt.return %r : tensor<64x256xf32, #mma>
  }

  // 128 sums a thread and 128 numbers more of a row and a column are too many: ptxas would compute these meanwhile.
  // CHECK-LABEL: tt.func @meets_rows_and_columns
  // CHECK: %[[D:.+]] = ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait %[[D]]
  // CHECK: arith.addf
  tt.func @meets_rows_and_columns(%x: !ttg.memdesc<128x64xf16, #rows, #smem>, %y: !ttg.memdesc<64x128xf16, #rows, #smem>, %rows: tensor<128x1xf32, #wide>, %columns: tensor<1x128xf32, #wide>, %c: tensor<128x128xf32, #wide>) -> tensor<128x128xf32, #wide> {
    %r = tt.broadcast %rows : tensor<128x1xf32, #wide> -> tensor<128x128xf32, #wide>
    %d = ttng.warp_group_dot %x, %y, %c : !ttg.memdesc<128x64xf16, #rows, #smem> * !ttg.memdesc<64x128xf16, #rows, #smem> -> tensor<128x128xf32, #wide>
    %k = tt.broadcast %columns : tensor<1x128xf32, #wide> -> tensor<128x128xf32, #wide>
    %s = arith.addf %r, %k : tensor<128x128xf32, #wide>
    %e = arith.subf %s, %d : tensor<128x128xf32, #wide>
    tt.return %e : tensor<128x128xf32, #wide>
  }

  // Of 32 and 32 they are computed while the product goes on.
  // CHECK-LABEL: tt.func @meets_few_rows_and_columns
  // CHECK: %[[D:.+]] = ttng.warp_group_dot
  // CHECK: arith.addf
  // CHECK-NEXT: ttng.warp_group_dot_wait %[[D]]
  tt.func @meets_few_rows_and_columns(%x: !ttg.memdesc<64x64xf16, #rows, #smem>, %y: !ttg.memdesc<64x64xf16, #rows, #smem>, %rows: tensor<64x1xf32, #mma>, %columns: tensor<1x64xf32, #mma>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %r = tt.broadcast %rows : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %x, %y, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
    %k = tt.broadcast %columns : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %s = arith.addf %r, %k : tensor<64x64xf32, #mma>
    %e = arith.subf %s, %d : tensor<64x64xf32, #mma>
    tt.return %e : tensor<64x64xf32, #mma>
  }
}
