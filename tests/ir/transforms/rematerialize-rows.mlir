// RUN: nereid-opt %s --nereid-ttg-rematerialize --canonicalize --cse | FileCheck %s

// A thread has 16 sums of rows, as each of 16 lanes has; behind the conversion it has one. So the sums are converted, and one is divided and
// raised to a power. A step that is cheap stays where it is, and so does what is used in both layouts.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  // CHECK-LABEL: @scales
  // CHECK: %[[SUMS:.+]] = "tt.reduce"
  // CHECK: ttg.convert_layout %{{.+}} : tensor<128xf32, #{{.+}}> -> tensor<128xf32, #blocked1>
  // CHECK: arith.divf {{.*}} : tensor<128xf32, #blocked1>
  // CHECK-NEXT: math.exp2 {{.*}} : tensor<128xf32, #blocked1>
  // CHECK-NEXT: tt.return
  tt.func @scales(%tile: tensor<128x128xf32, #blocked>) -> tensor<128xf32, #line> {
    %one = arith.constant dense<1.0> : tensor<128xf32, #rows>
    %sums = "tt.reduce"(%tile) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128x128xf32, #blocked>) -> tensor<128xf32, #rows>
    %x = arith.divf %one, %sums : tensor<128xf32, #rows>
    %y = math.exp2 %x : tensor<128xf32, #rows>
    %z = ttg.convert_layout %y : tensor<128xf32, #rows> -> tensor<128xf32, #line>
    tt.return %z : tensor<128xf32, #line>
  }

  // CHECK-LABEL: @cheap
  // CHECK: arith.addf %{{.+}}, %{{.+}} : tensor<128xf32, #ttg.slice
  // CHECK-NEXT: ttg.convert_layout
  tt.func @cheap(%sums: tensor<128xf32, #rows>) -> tensor<128xf32, #line> {
    %one = arith.constant dense<1.0> : tensor<128xf32, #rows>
    %x = arith.addf %one, %sums : tensor<128xf32, #rows>
    %z = ttg.convert_layout %x : tensor<128xf32, #rows> -> tensor<128xf32, #line>
    tt.return %z : tensor<128xf32, #line>
  }

  // CHECK-LABEL: @both
  // CHECK: %[[X:.+]] = arith.divf %{{.+}}, %{{.+}} : tensor<128xf32, #ttg.slice
  // CHECK-NEXT: ttg.convert_layout %[[X]]
  tt.func @both(%sums: tensor<128xf32, #rows>) -> (tensor<128xf32, #rows>, tensor<128xf32, #line>) {
    %one = arith.constant dense<1.0> : tensor<128xf32, #rows>
    %x = arith.divf %one, %sums : tensor<128xf32, #rows>
    %z = ttg.convert_layout %x : tensor<128xf32, #rows> -> tensor<128xf32, #line>
    tt.return %x, %z : tensor<128xf32, #rows>, tensor<128xf32, #line>
  }
}
