// RUN: nereid-opt %s --canonicalize | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// CHECK-DAG: #[[A:.*]] = #ttg.blocked<{sizePerThread = [1]
// CHECK-DAG: #[[B:.*]] = #ttg.blocked<{sizePerThread = [4]

// CHECK-LABEL: @conversions
// CHECK-SAME: (%[[X:.*]]: tensor<512xf32, #[[A]]>)
// CHECK-NEXT: tt.return %[[X]]
tt.func @conversions(%x: tensor<512xf32, #a>) -> tensor<512xf32, #a> {
  %0 = ttg.convert_layout %x : tensor<512xf32, #a> -> tensor<512xf32, #b>
  %1 = ttg.convert_layout %0 : tensor<512xf32, #b> -> tensor<512xf32, #a>
  tt.return %1 : tensor<512xf32, #a>
}

// CHECK-LABEL: @sources
// CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<512xf32, #[[B]]>
// CHECK-DAG: tt.splat %{{.*}} : f32 -> tensor<512xf32, #[[B]]>
// CHECK-DAG: tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #[[B]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func @sources(%x: f32) -> (tensor<512xf32, #b>, tensor<512xf32, #b>, tensor<512xi32, #b>) {
  %c = arith.constant dense<0.0> : tensor<512xf32, #a>
  %0 = ttg.convert_layout %c : tensor<512xf32, #a> -> tensor<512xf32, #b>
  %1 = tt.splat %x : f32 -> tensor<512xf32, #a>
  %2 = ttg.convert_layout %1 : tensor<512xf32, #a> -> tensor<512xf32, #b>
  %3 = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>
  %4 = ttg.convert_layout %3 : tensor<512xi32, #a> -> tensor<512xi32, #b>
  tt.return %0, %2, %4 : tensor<512xf32, #b>, tensor<512xf32, #b>, tensor<512xi32, #b>
}

// A read in another layout stays before the write that follows it.
// CHECK-LABEL: @local_load
// CHECK: %[[V:.*]] = ttg.local_load %{{.*}} -> tensor<512xf32, #[[B]]>
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: tt.return %[[V]]
tt.func @local_load(%m: !ttg.memdesc<512xf32, #shared, #smem, mutable>, %x: tensor<512xf32, #a>) -> tensor<512xf32, #b> {
  %0 = ttg.local_load %m : !ttg.memdesc<512xf32, #shared, #smem, mutable> -> tensor<512xf32, #a>
  ttg.local_store %x, %m : tensor<512xf32, #a> -> !ttg.memdesc<512xf32, #shared, #smem, mutable>
  %1 = ttg.convert_layout %0 : tensor<512xf32, #a> -> tensor<512xf32, #b>
  tt.return %1 : tensor<512xf32, #b>
}

// Memory that nobody reads goes where it cannot change, and stays where it can.
// CHECK-LABEL: @unused
// CHECK-NEXT: ttg.local_alloc : () -> !ttg.memdesc<512xf32, #shared, #smem, mutable>
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: tt.return
tt.func @unused(%x: tensor<512xf32, #a>) {
  %0 = ttg.local_alloc %x : (tensor<512xf32, #a>) -> !ttg.memdesc<512xf32, #shared, #smem>
  %1 = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #shared, #smem, mutable>
  ttg.local_store %x, %1 : tensor<512xf32, #a> -> !ttg.memdesc<512xf32, #shared, #smem, mutable>
  tt.return
}
