// A block of 16 warps does not ask ptxas to schedule for latency: so many registers would leave room for two blocks.
// RUN: nereid-lower %s cuda:90a | FileCheck %s

// CHECK: attributes #{{[0-9]+}} = { convergent nounwind "nvvm.reqntid"="512" }
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 16 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  tt.func public @kernel(%out: !tt.ptr<i32>) {
    %pid = tt.get_program_id x : i32
    tt.store %out, %pid : !tt.ptr<i32>
    tt.return
  }
}
