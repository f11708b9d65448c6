// RUN: nereid-lower %s cuda:80 | FileCheck %s
// RUN: nereid-lower %s cuda:75 | FileCheck %s --check-prefix=OLD

// Weights of 8 bits, and codes of 4 less 8, become numbers in pairs, by bits and an addition. Where nothing is known of
// an integer, or the hardware does not add bf16, each is converted.
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  // CHECK-LABEL: define {{.*}} @convert
  // CHECK-NOT: sitofp
  // CHECK-COUNT-2: <2 x bfloat> @llvm.fma.v2bf16(<2 x bfloat>
  // CHECK-NOT: sitofp
  // CHECK-COUNT-2: fadd {{.*}}<2 x half>
  // CHECK-COUNT-4: sitofp i32
  // CHECK: ret void
  // OLD-LABEL: define {{.*}} @convert
  // OLD-COUNT-4: sitofp i8
  // OLD-COUNT-2: fadd {{.*}}<2 x half>
  // OLD: ret void
  tt.func public @convert(%bytes: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %codes: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %any: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %bytes_out: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %codes_out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %any_out: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %c15 = arith.constant dense<15> : tensor<128xi32, #blocked>
    %c8 = arith.constant dense<8> : tensor<128xi32, #blocked>
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #blocked>
    %bytess = tt.splat %bytes : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>, #blocked>
    %bytesp = tt.addptr %bytess, %r : tensor<128x!tt.ptr<i8>, #blocked>, tensor<128xi32, #blocked>
    %bytesx = tt.load %bytesp : tensor<128x!tt.ptr<i8>, #blocked>
    %bytesy = arith.sitofp %bytesx : tensor<128xi8, #blocked> to tensor<128xbf16, #blocked>
    %byteso = tt.splat %bytes_out : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>, #blocked>
    %bytesq = tt.addptr %byteso, %r : tensor<128x!tt.ptr<bf16>, #blocked>, tensor<128xi32, #blocked>
    tt.store %bytesq, %bytesy : tensor<128x!tt.ptr<bf16>, #blocked>
    %codess = tt.splat %codes : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #blocked>
    %codesp = tt.addptr %codess, %r : tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>
    %codesx = tt.load %codesp : tensor<128x!tt.ptr<i32>, #blocked>
    %code = arith.andi %codesx, %c15 : tensor<128xi32, #blocked>
    %n = arith.subi %code, %c8 : tensor<128xi32, #blocked>
    %codesy = arith.sitofp %n : tensor<128xi32, #blocked> to tensor<128xf16, #blocked>
    %codeso = tt.splat %codes_out : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #blocked>
    %codesq = tt.addptr %codeso, %r : tensor<128x!tt.ptr<f16>, #blocked>, tensor<128xi32, #blocked>
    tt.store %codesq, %codesy : tensor<128x!tt.ptr<f16>, #blocked>
    %anys = tt.splat %any : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #blocked>
    %anyp = tt.addptr %anys, %r : tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>
    %anyx = tt.load %anyp : tensor<128x!tt.ptr<i32>, #blocked>
    %anyy = arith.sitofp %anyx : tensor<128xi32, #blocked> to tensor<128xf16, #blocked>
    %anyo = tt.splat %any_out : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #blocked>
    %anyq = tt.addptr %anyo, %r : tensor<128x!tt.ptr<f16>, #blocked>, tensor<128xi32, #blocked>
    tt.store %anyq, %anyy : tensor<128x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
