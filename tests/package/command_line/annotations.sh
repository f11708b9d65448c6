#!/usr/bin/env bash
# Sources that say themselves what they are to be compiled for: `nereid build k.py`.
#
#   annotations.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >scale.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def helper(x):
    return 3 * x


# nereid: grid = cdiv(n, BLOCK)
# nereid: targets = cpu:x86-64-v2
# nereid: function = triple
# nereid: signature = *fp32:16, i32:16, 32
# nereid: signature = *fp32, i32, 32
# nereid: define = UNUSED=1
@triton.jit
def triple_kernel(x_ptr, n, BLOCK: tl.constexpr):
    """# nereid: this is no annotation"""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(x_ptr + offsets, helper(tl.load(x_ptr + offsets, mask=mask)), mask=mask)


UNUSED = 0
PY
"$nereid" build scale.py -o out >log 2>&1 || fail "the annotated source was refused"
cat >main.c <<'C'
#include "scale.h"
int main(void) {
  float x[4] = {1, 2, 3, 7};
  if (triple(nrd_cpu_stream(), x, 3) != NRD_OK)
    return 1;
  return x[0] != 3 || x[2] != 9 || x[3] != 7;
}
C
cc -Iout main.c -o main -Lout -lscale -Wl,-rpath,"$work/out" >log 2>&1 || fail "the program does not compile"
./main || fail "the results are wrong"

"$nereid" build scale.py -o named -n other -t cpu:x86-64-v3 >log 2>&1 || fail "another name and target were refused"
"$nereid" inspect named/libother.so >log
grep -qF "cpu:x86-64-v3" log || fail "the target of the command line was not taken"
! grep -qF "cpu:x86-64-v2" log || fail "the target of the annotations was taken, too"

cat >fill.tc <<'TC'
// nereid: targets = cpu:x86-64-v2
// nereid: signature = *fp32, i32
__global__ void fill(float *x, int n) { x[0] = n; }
TC
"$nereid" build fill.tc -o filled >log 2>&1 || fail "an annotated Triton-C file was refused"
grep -q "nrd_status fill_grid(" filled/fill.h || fail "Triton-C's kernel has no function"

cat >choose.py <<'PY'
import triton
import triton.language as tl


# nereid: grid = 1
# nereid: targets = cpu:x86-64-v2
# nereid: dispatch = EVEN, TIMES
# nereid: signature = *fp32, i32, [True, False], [2, 3]
# nereid: when = n > 0
@triton.jit
def choose(x_ptr, n, EVEN: tl.constexpr, TIMES: tl.constexpr):
    tl.store(x_ptr, EVEN * 10 + TIMES + n)
PY
"$nereid" build choose.py -o out >log 2>&1 || fail "lists were refused"
cat >chosen.c <<'C'
#include "choose.h"
int main(void) {
  float x[2];
  if (choose(nrd_cpu_stream(), x, 1, true, 2) != NRD_OK || choose(nrd_cpu_stream(), x + 1, 1, false, 3) != NRD_OK)
    return 1;
  return x[0] != 13 || x[1] != 4 || choose(nrd_cpu_stream(), x, 0, true, 2) != NRD_ERROR_NO_VARIANT;
}
C
cc -Iout chosen.c -o chosen -Lout -lchoose -Wl,-rpath,"$work/out" >log 2>&1 || fail "the program does not compile"
./chosen || fail "the wrong variants were chosen"
sed -i 's/dispatch = EVEN, TIMES/dispatch = EVEN, 3/' choose.py
! "$nereid" build choose.py -o out >log 2>&1 || fail "a number was taken for a parameter"
grep -qF "choose.py:7:28: error: expected the name of a parameter" log || fail "the mistake is not shown in place"

# Kernels that stand in a class, in a function and under a condition.
cat >inner.py <<'PY'
import triton
import triton.language as tl


class Ops:
    # nereid: grid = 1
    # nereid: targets = cpu:x86-64-v2
    # nereid: signature = *fp32, i32
    @staticmethod
    @triton.jit
    def add(x_ptr, n):
        tl.store(x_ptr, tl.load(x_ptr) + n)


def make():
    # nereid: grid = 1
    # nereid: targets = cpu:x86-64-v2
    # nereid: signature = *fp32, i32
    @triton.jit
    def scaled(x_ptr, n):
        tl.store(x_ptr, tl.load(x_ptr) * n)

    return scaled


class Layer:
    kernels = {}

    def run(self, x):
        if "negated" not in self.kernels:
            # nereid: grid = 1
            # nereid: targets = cpu:x86-64-v2
            # nereid: signature = *fp32
            @triton.jit
            def negated(x_ptr):
                tl.store(x_ptr, -tl.load(x_ptr))

            self.kernels["negated"] = negated
        self.kernels["negated"][(1, )](x)


if not hasattr(triton, "sub"):
    # nereid: grid = 1
    # nereid: targets = cpu:x86-64-v2
    # nereid: signature = *fp32, i32
    @triton.jit
    def sub(x_ptr, n):
        tl.store(x_ptr, tl.load(x_ptr) - n)
PY
"$nereid" build inner.py -o out >log 2>&1 || fail "kernels in a class, a function or a method were refused"
cat >inner.c <<'C'
#include "inner.h"
int main(void) {
  float x[1] = {1};
  return add(nrd_cpu_stream(), x, 4) || scaled(nrd_cpu_stream(), x, 3) || sub(nrd_cpu_stream(), x, 5) ||
         negated(nrd_cpu_stream(), x) || x[0] != -10;
}
C
cc -Iout inner.c -o inner -Lout -linner -Wl,-rpath,"$work/out" >log 2>&1 || fail "the program does not compile"
./inner || fail "the results are wrong"
"$nereid" inspect inner.py >log
for kernel in Ops.add make.scaled Layer.run.negated sub; do grep -qF "kernel $kernel (line " log || fail "$kernel is not listed"; done

sed -i 's/signature = \*fp32, i32, 32/signature = *fp33, i32, 32/' scale.py
! "$nereid" build scale.py -o out >log 2>&1 || fail "an unknown type was accepted"
grep -qF "scale.py:14:24: error: " log || fail "the mistake is not shown in place"
./main || fail "the library of before is gone"
sed -i '/nereid: targets/d' scale.py
! "$nereid" build scale.py -o out >log 2>&1 || fail "no targets were accepted"
grep -qF "scale.py:10:11: error: no targets are given for 'triple_kernel'" log || fail "missing targets are not named"
