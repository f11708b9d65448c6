// RUN: nereid-opt %s --split-input-file --verify-diagnostics

module attributes {"ttg.num-ctas" = 2 : i32} {
  tt.func @sizes(%x: tensor<32x4xf32>) {
    // expected-error @+1 {{has types that are no parts of one tensor for 2 blocks}}
    %0 = ttg.exchange_blocks %x from 0 to 1 : tensor<32x4xf32> -> tensor<64x4xf32>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 2 : i32} {
  tt.func @elements(%x: tensor<32xf32>) {
    // expected-error @+1 {{moves elements only}}
    %0 = ttg.exchange_blocks %x from -1 to 0 : tensor<32xf32> -> tensor<16xi32>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 2 : i32} {
  tt.func @scalar(%x: i32) {
    // expected-error @+1 {{moves a scalar from the first block to all}}
    %0 = ttg.exchange_blocks %x from -1 to -1 : i32 -> i32
    tt.return
  }
}
