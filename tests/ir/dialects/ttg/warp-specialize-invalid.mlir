// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @seesAround(%n: i32) {
  // expected-note @below {{required by region isolation constraints}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(1) {
    // expected-error @below {{'arith.addi' op using value defined outside the region}}
    %m = arith.addi %n, %n : i32
    ttg.warp_return
  } : () -> ()
  tt.return
}

// -----

tt.func @threeWarps() {
  // expected-error @below {{has 3 warps for partition 0, which must be a power of two}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(3) {
    ttg.warp_return
  } : () -> ()
  tt.return
}

// -----

tt.func @registersOfOne() {
  // expected-error @below {{has 2 partitions, but 1 requestedRegisters}}
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(1) {
    ttg.warp_return
  }
  partition1() num_warps(1) {
    ttg.warp_return
  } : () -> ()
  tt.return
}

// -----

tt.func @fewRegisters() {
  // expected-error @below {{gives a thread 24 to 256 registers, but has 16}}
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 16>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @sameWarp() {
    // expected-error @below {{gives warp 3 to two regions}}
    ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 3>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

tt.func @nested() {
  ttg.warp_specialize()
  default {
    // expected-error @below {{cannot be in a region of another one}}
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    ttg.warp_yield
  }
  partition0() num_warps(1) {
    ttg.warp_return
  } : () -> ()
  tt.return
}

// -----

tt.func @otherTypes(%n: i32) {
  // expected-error @below {{has arguments of partition 0 whose types are not those of the captures}}
  ttg.warp_specialize(%n)
  default {
    ttg.warp_yield
  }
  partition0(%m: i64) num_warps(1) {
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}

// -----

tt.func @otherResults(%n: i32) {
  %r = ttg.warp_specialize()
  default {
    // expected-error @below {{passes on values whose types are not those of the results}}
    ttg.warp_yield
  }
  partition0() num_warps(1) {
    ttg.warp_return
  } : () -> i32
  tt.return
}

// -----

tt.func @missingCapture() {
  // expected-error @below {{there are 0 captures, but types of 1}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0(%m: i32) num_warps(1) {
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}
