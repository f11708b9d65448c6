// RUN: nereid-opt %s -split-input-file -verify-diagnostics

tt.func @count() -> (f32, i32) {
  %0 = arith.constant 1.0 : f32
  // expected-error @below {{returns 1 values, but function @count has 2 results}}
  tt.return %0 : f32
}

// -----

tt.func @type() -> i32 {
  %0 = arith.constant 1.0 : f32
  // expected-error @below {{returns 'f32' as result 0, but function @type gives 'i32'}}
  tt.return %0 : f32
}

// -----

tt.func @unknown() {
  // expected-error @below {{'nobody' does not reference a valid function}}
  tt.call @nobody() : () -> ()
  tt.return
}

// -----

tt.func private @f(i32) -> i32
tt.func @few() {
  // expected-error @below {{passes 0 operands, but function @f takes 1}}
  %0 = tt.call @f() : () -> i32
  tt.return
}

// -----

tt.func private @f(i32) -> i32
tt.func @operand(%x: f32) {
  // expected-error @below {{passes 'f32' as operand 0, but function @f takes 'i32'}}
  %0 = tt.call @f(%x) : (f32) -> i32
  tt.return
}

// -----

tt.func private @f(i32) -> i32
tt.func @result(%x: i32) {
  // expected-error @below {{gives 'f32', but function @f gives 'i32'}}
  %0 = tt.call @f(%x) : (i32) -> f32
  tt.return
}

// -----

tt.func @print(%x: i32) {
  // expected-error @below {{needs one entry of isSigned for each of its 1 arguments, but has 2}}
  tt.print "x" {hex = false, isSigned = array<i32: 0, 1>} : %x : i32
  tt.return
}

// -----

tt.func @axis() {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'axis' [x, y, z]}}
  %0 = tt.get_program_id w : i32
  tt.return
}
