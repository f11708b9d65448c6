// RUN: nereid-opt %s --nereid-print-axis-info --verify-diagnostics

tt.func @pointers(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %m: i32) {
  // expected-remark @below {{contiguity = [1], divisibility = [1024], constancy = [1], constant = 1024}}
  %c1024 = arith.constant 1024 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1099511627776], constancy = [1], constant = -9223372036854775808}}
  %lowest = arith.constant -9223372036854775808 : i64
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %pid = tt.get_program_id x : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1024], constancy = [1]}}
  %start = arith.muli %pid, %c1024 : i32
  // expected-remark @below {{contiguity = [1024], divisibility = [1099511627776], constancy = [1]}}
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1024], constancy = [1024]}}
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  // expected-remark @below {{contiguity = [1024], divisibility = [1024], constancy = [1]}}
  %offsets = arith.addi %starts, %range : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1024]}}
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  // Masks that end at a multiple of 16 are on or off for 16 at a time.
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1024]}}
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  // expected-remark @below {{contiguity = [1024], divisibility = [16], constancy = [1]}}
  %pointers = tt.addptr %bases, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  // An offset of which nothing is known leaves the alignment of the element.
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1]}}
  %moved = tt.addptr %x, %m : !tt.ptr<f32>, i32
  tt.return
}

// Along rows addresses run; along columns they jump by a stride that is a multiple of 16 elements.
tt.func @two_dimensions(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [32], divisibility = [1099511627776], constancy = [1]}}
  %rows1 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [1099511627776], constancy = [1]}}
  %cols1 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [32, 1], divisibility = [1099511627776, 1], constancy = [1, 1]}}
  %rows = tt.expand_dims %rows1 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 1099511627776], constancy = [1, 1]}}
  %cols = tt.expand_dims %cols1 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [32, 1]}}
  %strides = tt.splat %stride : i32 -> tensor<32x1xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 1]}}
  %starts = arith.muli %rows, %strides : tensor<32x1xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 64]}}
  %a = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x64xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 1099511627776], constancy = [32, 1]}}
  %b = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 16], constancy = [1, 1]}}
  %offsets = arith.addi %a, %b : tensor<32x64xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [32, 64]}}
  %bases = tt.splat %x : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [2, 16], constancy = [1, 1]}}
  %pointers = tt.addptr %bases, %offsets : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  // expected-remark @below {{contiguity = [64, 1], divisibility = [16, 2], constancy = [1, 1]}}
  %transposed = tt.trans %pointers {order = array<i32: 1, 0>} : tensor<32x64x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
  tt.return
}

// A carried pointer keeps what holds in every iteration: each step of 24 elements moves it by 96 bytes.
tt.func @loop(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  // expected-remark @below {{constant = 0}}
  %c0 = arith.constant 0 : i32
  // expected-remark @below {{constant = 24}}
  %c24 = arith.constant 24 : i32
  // expected-remark @below {{contiguity = [64]}}
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %step = tt.splat %c24 : i32 -> tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %first = tt.addptr %bases, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %last = scf.for %i = %c0 to %n step %c24 iter_args(%p = %first) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    // The induction variable is a multiple of 8.
    // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [64]}}
    %is = tt.splat %i : i32 -> tensor<64xi32>
    // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
    %next = tt.addptr %p, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

tt.func @division_and_remainder(%m: i32) {
  // expected-remark @below {{contiguity = [64]}}
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  // expected-remark @below {{constant = 16}}
  %c16 = arith.constant dense<16> : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %quotient = arith.divsi %range, %c16 : tensor<64xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %remainder = arith.remsi %range, %c16 : tensor<64xi32>
  // Of what is seen to be negative, quotients towards zero do not come in runs; of indices, they do.
  // expected-remark @below {{constancy = [64]}}
  %ms = tt.splat %m : i32 -> tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %multiple = arith.muli %ms, %c16 : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %signed = arith.addi %multiple, %range : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %signedQuotient = arith.divsi %signed, %c16 : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %difference = arith.subi %range, %multiple : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %quotientOfDifference = arith.divsi %difference, %c16 : tensor<64xi32>
  // expected-remark @below {{constant = -16}}
  %cn16 = arith.constant dense<-16> : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %shifted = arith.addi %range, %cn16 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %quotientOfShifted = arith.divsi %shifted, %c16 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %unsignedQuotient = arith.divui %signed, %c16 : tensor<64xi32>
  tt.return
}

// Promises of the kernel's author are taken for true.
tt.func @promises(%m: i32) {
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [32]}}
  %ms = tt.splat %m : i32 -> tensor<32xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [4], constancy = [32]}}
  %promised = arith.muli %ms, %ms {tt.contiguity = dense<8> : tensor<1xi32>, tt.divisibility = dense<12> : tensor<1xi32>} : tensor<32xi32>
  tt.return
}

// An index taken apart by sizes that are only known when the kernel runs: inside 16 it has one quotient, and
// its remainders count up, whatever sign the size has.
tt.func @taken_apart(%n: i32 {tt.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [1024], divisibility = [1099511627776], constancy = [1]}}
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1024]}}
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %row = arith.divsi %range, %ns : tensor<1024xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %column = arith.remsi %range, %ns : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [16]}}
  %start = arith.muli %row, %ns : tensor<1024xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %place = arith.addi %start, %column : tensor<1024xi32>
  tt.return
}

// Booleans are read as bytes, through pointers to i8: their addresses run on. Those of elements of another size do not.
tt.func @booleans(%x: !tt.ptr<i1> {tt.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [1024], divisibility = [1099511627776], constancy = [1]}}
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1024]}}
  %xs = tt.splat %x : !tt.ptr<i1> -> tensor<1024x!tt.ptr<i1>>
  // expected-remark @below {{contiguity = [1024], divisibility = [16], constancy = [1]}}
  %pointers = tt.addptr %xs, %range : tensor<1024x!tt.ptr<i1>>, tensor<1024xi32>
  // expected-remark @below {{contiguity = [1024], divisibility = [16], constancy = [1]}}
  %bytes = tt.bitcast %pointers : tensor<1024x!tt.ptr<i1>> -> tensor<1024x!tt.ptr<i8>>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %words = tt.bitcast %bytes : tensor<1024x!tt.ptr<i8>> -> tensor<1024x!tt.ptr<i32>>
  tt.return
}

// A remainder is not negative where the dividend is not, also where it is written as x - x / n * n, so that it can be
// taken apart further in runs.
tt.func @taken_apart_by_hand(%n: i32 {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [1024], divisibility = [1099511627776], constancy = [1]}}
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1024]}}
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1024]}}
  %ms = tt.splat %m : i32 -> tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %row = arith.divsi %range, %ns : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [16]}}
  %start = arith.muli %row, %ns : tensor<1024xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %column = arith.subi %range, %start : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %part = arith.divsi %column, %ms : tensor<1024xi32>
  // Another difference may be negative.
  // expected-remark @below {{contiguity = [1024], divisibility = [16], constancy = [1]}}
  %other = arith.subi %range, %ns : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %otherPart = arith.divsi %other, %ms : tensor<1024xi32>
  tt.return
}

// What is rounded down is not negative where it was not before, so that quotients of what begins there repeat in runs.
tt.func @rounded_down() {
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1], constant = 4}}
  %c4 = arith.constant 4 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [32], constancy = [1], constant = 32}}
  %c32 = arith.constant 32 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [32], constant = 16}}
  %c16 = arith.constant dense<16> : tensor<32xi32>
  // expected-remark @below {{contiguity = [32], divisibility = [1099511627776], constancy = [1]}}
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %rounds = tt.get_program_id x : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %rest = arith.remsi %rounds, %c4 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %whole = arith.subi %rounds, %rest : i32
  // expected-remark @below {{contiguity = [1], divisibility = [32], constancy = [1]}}
  %start = arith.muli %whole, %c32 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [32], constancy = [32]}}
  %starts = tt.splat %start : i32 -> tensor<32xi32>
  // expected-remark @below {{contiguity = [32], divisibility = [32], constancy = [1]}}
  %tokens = arith.addi %starts, %range : tensor<32xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %pages = arith.divsi %tokens, %c16 : tensor<32xi32>
  tt.return
}
