// RUN: nereid-opt %s --nereid-ttg-exchange-without-barriers --nereid-ttg-allocate-shared-memory | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#lanes = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#all = #ttg.slice<{dim = 1, parent = #rows}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90a", "ttg.threads-per-warp" = 32 : i32} {
  // 256 registers of what is loaded would wait for a barrier, although what is needed of it was widened before.
  // CHECK-LABEL: @many
  // CHECK: ttg.convert_layout %{{.+}} {ttg.without_barrier}
  tt.func public @many(%p: tensor<16x4096x!tt.ptr<bf16>, #rows>, %q: tensor<16x!tt.ptr<f32>, #lanes>) -> tensor<16x4096xf32, #rows> {
    %x = tt.load %p : tensor<16x4096x!tt.ptr<bf16>, #rows>
    %wide = arith.extf %x : tensor<16x4096xbf16, #rows> to tensor<16x4096xf32, #rows>
    %mean = tt.load %q : tensor<16x!tt.ptr<f32>, #lanes>
    %row = ttg.convert_layout %mean : tensor<16xf32, #lanes> -> tensor<16xf32, #all>
    %column = tt.expand_dims %row {axis = 1 : i32} : tensor<16xf32, #all> -> tensor<16x1xf32, #rows>
    %means = tt.broadcast %column : tensor<16x1xf32, #rows> -> tensor<16x4096xf32, #rows>
    %r = arith.subf %wide, %means : tensor<16x4096xf32, #rows>
    tt.return %r : tensor<16x4096xf32, #rows>
  }

  // 32 registers may wait, and memory takes fewer instructions.
  // CHECK-LABEL: @few
  // CHECK: ttg.convert_layout %{{.+}} {allocation.offset = 0 : i32}
  tt.func public @few(%p: tensor<16x512x!tt.ptr<bf16>, #rows>, %q: tensor<16x!tt.ptr<f32>, #lanes>) -> (tensor<16x512xbf16, #rows>, tensor<16xf32, #all>) {
    %x = tt.load %p : tensor<16x512x!tt.ptr<bf16>, #rows>
    %mean = tt.load %q : tensor<16x!tt.ptr<f32>, #lanes>
    %row = ttg.convert_layout %mean : tensor<16xf32, #lanes> -> tensor<16xf32, #all>
    tt.return %x, %row : tensor<16x512xbf16, #rows>, tensor<16xf32, #all>
  }

  // Threads meet for the sum anyway, between the load and its first need.
  // CHECK-LABEL: @meetAnyway
  // CHECK: ttg.convert_layout %{{.+}} {allocation.offset = 0 : i32}
  tt.func public @meetAnyway(%p: tensor<16x4096x!tt.ptr<bf16>, #rows>, %q: tensor<16x!tt.ptr<f32>, #lanes>, %s: tensor<128xf32, #lanes>) -> (tensor<16x4096xbf16, #rows>, tensor<16xf32, #all>, f32) {
    %x = tt.load %p : tensor<16x4096x!tt.ptr<bf16>, #rows>
    %mean = tt.load %q : tensor<16x!tt.ptr<f32>, #lanes>
    %row = ttg.convert_layout %mean : tensor<16xf32, #lanes> -> tensor<16xf32, #all>
    %sum = "tt.reduce"(%s) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128xf32, #lanes>) -> f32
    tt.return %x, %row, %sum : tensor<16x4096xbf16, #rows>, tensor<16xf32, #all>, f32
  }
}
