// RUN: nereid-opt %s --nereid-convert-tt-to-ttg="target=cuda:90" --nereid-ttg-coalesce --nereid-ttg-assign-layouts --canonicalize --cse | FileCheck %s

// A tile that is loaded element by element, by rows, meets one that is loaded and stored in vectors, by columns: the
// first is brought to the other, though it comes first, and the sum is stored as it lies.
// CHECK: #[[VECTORS:.+]] = #ttg.blocked<{sizePerThread = [8, 1], {{.*}}, order = [0, 1]}>
// CHECK-LABEL: tt.func public @joined
// CHECK: %[[SINGLE:.+]] = tt.load
// CHECK: %[[LOADED:.+]] = tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[VECTORS]]>
// CHECK: %[[BROUGHT:.+]] = ttg.convert_layout %[[SINGLE]] : tensor<64x64xf16, {{.*}}> -> tensor<64x64xf16, #[[VECTORS]]>
// CHECK: %[[SUM:.+]] = arith.addf %[[BROUGHT]], %[[LOADED]] : tensor<64x64xf16, #[[VECTORS]]>
// CHECK: tt.store %{{.*}}, %[[SUM]] : tensor<64x64x!tt.ptr<f16>, #[[VECTORS]]>
tt.func public @joined(%x: tensor<64x64x!tt.ptr<f16>>, %y: tensor<64x64x!tt.ptr<f16>> {tt.contiguity = dense<[64, 1]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %z: tensor<64x64x!tt.ptr<f16>> {tt.contiguity = dense<[64, 1]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}) {
  %0 = tt.load %x : tensor<64x64x!tt.ptr<f16>>
  %1 = tt.load %y : tensor<64x64x!tt.ptr<f16>>
  %2 = arith.addf %0, %1 : tensor<64x64xf16>
  tt.store %z, %2 : tensor<64x64x!tt.ptr<f16>>
  tt.return
}
