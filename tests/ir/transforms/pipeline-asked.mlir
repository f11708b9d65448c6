// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --canonicalize | FileCheck %s

// A loop that says itself how many rounds are under way together means all that it loads, also where it multiplies nothing.
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @asks
  // CHECK: ttg.local_alloc {{.*}}-> !ttg.memdesc<4x512xf32
  // CHECK-COUNT-3: ttg.async_commit_group
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 2 : i32}
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.local_load
  // CHECK: arith.addf
  // CHECK: scf.yield
  // CHECK-LABEL: @does_not
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.load
  tt.func public @asks(%x: tensor<512x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[512]> : tensor<1xi32>, tt.divisibility = dense<[16]> : tensor<1xi32>}, %zero: tensor<512xf32, #blocked>, %n: i32) -> tensor<512xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<512xf32, #blocked>) : i32 {
      %u = tt.load %x : tensor<512x!tt.ptr<f32>, #blocked>
      %d = arith.addf %sum, %u : tensor<512xf32, #blocked>
      scf.yield %d : tensor<512xf32, #blocked>
    } {tt.num_stages = 4 : i32}
    tt.return %r : tensor<512xf32, #blocked>
  }
  tt.func public @does_not(%x: tensor<512x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[512]> : tensor<1xi32>, tt.divisibility = dense<[16]> : tensor<1xi32>}, %zero: tensor<512xf32, #blocked>, %n: i32) -> tensor<512xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<512xf32, #blocked>) : i32 {
      %u = tt.load %x : tensor<512x!tt.ptr<f32>, #blocked>
      %d = arith.addf %sum, %u : tensor<512xf32, #blocked>
      scf.yield %d : tensor<512xf32, #blocked>
    }
    tt.return %r : tensor<512xf32, #blocked>
  }

  // A copy leaves zeros where the mask is off. The load's own value for that is put in where the buffer is read, by a mask
  // computed for that round.
  // CHECK-LABEL: @another_value
  // CHECK: ttg.local_alloc {{.*}}-> !ttg.memdesc<4x512xf32
  // CHECK: scf.for %[[I:[a-z0-9]+]] = %c0_i32
  // CHECK: %[[READ:.+]] = ttg.local_load
  // CHECK-NEXT: %[[AT:.+]] = tt.splat %[[I]]
  // CHECK: %[[MASK:.+]] = arith.cmpi slt, %[[AT]]
  // CHECK: %[[U:.+]] = arith.select %[[MASK]], %[[READ]], %{{.+}}
  // CHECK: arith.maxnumf %{{.+}}, %[[U]]
  tt.func public @another_value(%x: tensor<512x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[512]> : tensor<1xi32>, tt.divisibility = dense<[16]> : tensor<1xi32>}, %zero: tensor<512xf32, #blocked>, %ends: tensor<512xi32, #blocked> {tt.constancy = dense<[512]> : tensor<1xi32>}, %n: i32) -> tensor<512xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %least = arith.constant dense<0xFF800000> : tensor<512xf32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%greatest = %zero) -> (tensor<512xf32, #blocked>) : i32 {
      %at = tt.splat %i : i32 -> tensor<512xi32, #blocked>
      %mask = arith.cmpi slt, %at, %ends : tensor<512xi32, #blocked>
      %u = tt.load %x, %mask, %least : tensor<512x!tt.ptr<f32>, #blocked>
      %d = arith.maxnumf %greatest, %u : tensor<512xf32, #blocked>
      scf.yield %d : tensor<512xf32, #blocked>
    } {tt.num_stages = 4 : i32}
    tt.return %r : tensor<512xf32, #blocked>
  }
}
