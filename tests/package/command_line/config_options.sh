#!/usr/bin/env bash
# Configurations that depend on the target, and what they hold besides values: each target gets its own, and what a
# configuration asks for is done, left out with a warning, or refused.
#
#   config_options.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
export NEREID_PTXAS=none
cat >vendors.py <<'PY'
import torch
import triton
import triton.language as tl


def is_hip():
    return torch.version.hip is not None


@triton.autotune(configs=[triton.Config({"BLOCK": 256 if is_hip() else 128}, num_warps=8 if is_hip() else 4)], key=[])
@triton.jit
def vendors(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, BLOCK, mask=offsets < n)
PY
"$nereid" compile vendors.py -k vendors -s '*i32, i32' -t cpu:x86-64-v3,cuda:90,hip:gfx942 --config 0 \
  -g 'cdiv(n, BLOCK)' -o vendors.nko 2>stderr || fail "several targets with configurations of their own"
"$nereid" inspect vendors.nko --json >inspect.json || fail "inspect several signatures"
python3 - <<'PY' 2>stderr || fail "configurations for each target"
import json
objects = json.load(open("inspect.json"))
found = {target["target"]: (next(p["value"] for p in object["parameters"] if p["name"] == "BLOCK"),
                            target.get("num_warps"), object["config"])
         for object in objects for target in object["targets"]}
assert found == {"cpu:x86-64-v3": ("128", None, 0), "cuda:90": ("128", 4, 0), "hip:gfx942": ("256", 8, 0)}, found
PY
"$nereid" link vendors.nko -n vendors -o vendorlib >stdout 2>stderr || fail "link of several signatures"
"$nereid" inspect vendorlib/libvendors.so >stdout
[ "$(grep -c 'BLOCK=' stdout)" = 2 ] || fail "not two variants: $(cat stdout)"
"$nereid" inspect vendors.py -t hip:gfx942 | grep 'config 0: BLOCK=256, num_warps=8' >/dev/null || fail "inspect -t"
cat >vendors.json <<'JSON'
{"name": "vendors", "targets": ["cpu:x86-64-v3", "hip:gfx942"],
 "kernels": [{"source": "vendors.py", "kernel": "vendors", "config": 0, "grid": "cdiv(n, BLOCK)",
              "signatures": ["*i32, i32"]}]}
JSON
"$nereid" build vendors.json -o built >stdout 2>stderr || fail "build with configurations for each target"
"$nereid" inspect built/libvendors.so >stdout
grep -q 'BLOCK=256' stdout && grep -q 'BLOCK=128' stdout || fail "configurations for each target: $(cat stdout)"

cat >options.py <<'PY'
import triton
import triton.language as tl


def zero(arguments):
    arguments["out_ptr"].zero_()


@triton.autotune(configs=[
    triton.Config({"BLOCK": 64}, maxnreg=40),
    triton.Config({"BLOCK": 64}, pre_hook=zero),
    triton.Config({"BLOCK": 64}, num_ctas=2),
    triton.Config({"BLOCK": 64, "launch_cooperative_grid": True}),
    triton.Config({"BLOCK": 64, "launch_pdl": True}),
    triton.Config({"BLOCK": 64, "waves_per_eu": 4, "kpack": 2}),
    triton.Config({"BLOCK": 64, "enable_fp_fusion": False}),
    triton.Config({"BLOCK": 64, "num_warps": 8}),
    triton.Config({"BLOCK": 64, "warp_size": 16}),
    triton.Config({"BLOCK": 64, "nonsense": 1}),
    triton.Config({"BLOCK": 64, "launch_pdl": False, "launch_cooperative_grid": False, "kpack": 0, "maxnreg": None}),
], key=["n"], reset_to_zero=["out_ptr"])
@triton.jit
def options(out_ptr, n, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), n)
PY
"$nereid" inspect options.py >stdout || fail "inspect options"
grep -q 'config 0: BLOCK=64, num_warps=4, num_stages=3, maxnreg=40' stdout || fail "inspect shows no maxnreg"
grep -q "config 1: BLOCK=64, num_warps=4, num_stages=3, pre_hook=function 'zero'" stdout || fail "inspect shows no pre_hook"
grep -q 'config 2: .*num_ctas=2' stdout || fail "inspect shows no num_ctas"
grep -q 'autotune: key=\["n"\], reset_to_zero=\["out_ptr"\]' stdout || fail "inspect shows nothing of autotune"

# option CONFIG TARGET: compiles it to assembly.
option() {
  local stage=asm
  case $2 in
  cuda*) stage=ptx ;;
  hip*) stage=amdgcn ;;
  esac
  "$nereid" compile options.py -k options -s '*i32, i32' -t "$2" --config "$1" --emit $stage -o assembly >stdout 2>stderr
}
option 0 cuda:90 && [ ! -s stderr ] && grep -q '\.maxnreg 40' assembly || fail "maxnreg on cuda"
option 0 hip:gfx942 && [ ! -s stderr ] || fail "maxnreg on hip"
option 0 cpu:x86-64-v3 && [ ! -s stderr ] || fail "maxnreg on the CPU"
"$nereid" compile options.py -k options -s '*i32, i32, 64' -t cuda:90 --maxnreg 48 -o m.nko 2>stderr &&
  "$nereid" inspect m.nko | grep 'at most 48 registers a thread' >/dev/null || fail "--maxnreg"
"$nereid" compile options.py -k options -s '*i32, i32, 64' -t cuda:90 --maxnreg 48 --emit ttgir -o m.ttgir 2>stderr &&
  grep -q 'ttg.maxnreg = 48' m.ttgir || fail "layouts do not know of --maxnreg"
option 2 cuda:90 && [ ! -s stderr ] && grep -q '\.reqnctapercluster 2' assembly || fail "num_ctas on cuda:90"
option 2 cpu:x86-64-v3 && grep -q "<--config>:1:1: warning: num_ctas=2 has no effect on 'options'" stderr ||
  fail "num_ctas on the CPU"
"$nereid" compile options.py -k options -s '*i32, i32, 64' -t cuda:90 --num-ctas 4 -o m.nko 2>stderr &&
  "$nereid" inspect m.nko | grep 'clusters of 4 blocks' >/dev/null || fail "--num-ctas"
"$nereid" compile options.py -k options -s '*i32, i32, 64' -t cuda:90 --num-ctas 3 -o m.nko 2>stderr &&
  fail "clusters of 3 blocks"
grep -q "<--num-ctas>:1:1: error: the number of blocks in a cluster is 3" stderr || fail "--num-ctas 3"
cat >blocks.ttgir <<'IR'
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @blocks(%p: !tt.ptr<i32>) {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
    tt.store %s, %r : tensor<256x!tt.ptr<i32>, #blocked>
    tt.return
  }
}
IR
"$nereid" compile blocks.ttgir -k blocks -s '*i32' -t cuda:90 -o blocks.nko 2>stderr && fail "layouts of clusters were taken"
grep -q "blocks.ttgir' has layouts that share tensors out over the blocks of a cluster (CGALayout)" stderr ||
  fail "layouts of clusters"
for index in 1 6 8; do
  option $index cuda:90 && fail "configuration $index was taken"
  grep -q "<--config>:1:1: error: configuration $index of 'options' cannot be taken: it has " stderr ||
    fail "configuration $index"
done
option 1 cpu:x86-64-v3 && fail "a pre_hook was dropped on the CPU"
grep -q "pre_hook=function 'zero', and a library runs nothing before a launch" stderr || fail "no reason"
# launch FILE KERNEL TARGET OPTION…: compiles it, and shows how it is launched.
launch() {
  "$nereid" compile "$1" -k "$2" -s '*i32, i32, 64' -t "$3" "${@:4}" -o launch.nko 2>stderr && "$nereid" inspect launch.nko >stdout
}
for target in cuda:90 hip:gfx942; do
  launch options.py options $target --launch-cooperative-grid && ! grep -q launch stderr && grep -q 'all programs at a time' stdout ||
    fail "--launch-cooperative-grid for $target"
done
launch options.py options cpu:x86-64-v3 --launch-cooperative-grid && ! grep -q launch stderr && ! grep -q 'at a time' stdout ||
  fail "--launch-cooperative-grid on the CPU"
launch options.py options cuda:90 && ! grep -q 'at a time' stdout || fail "cooperative without being asked to"
"$nereid" compile options.py -k options -s '*i32, i32' -t cuda:90 --config 3 -o launch.nko 2>stderr && ! grep -q launch stderr &&
  "$nereid" inspect launch.nko | grep 'all programs at a time' >/dev/null || fail "launch_cooperative_grid"
# Without a wait of its own the kernel has to be waited for.
"$nereid" compile options.py -k options -s '*i32, i32' -t cuda:90 --config 4 -o launch.nko 2>stderr || fail "launch_pdl"
grep -q "warning: launch_pdl has no effect on 'options' for cuda:90: the kernel does not call tl.extra.cuda.gdc_wait()" stderr ||
  fail "launch_pdl: $(cat stderr)"
"$nereid" inspect launch.nko | grep 'begins before' && fail "launch_pdl of a kernel that does not wait"
cat >early.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def early(out_ptr, n, BLOCK: tl.constexpr):
    tl.extra.cuda.gdc_wait()
    tl.store(out_ptr + tl.arange(0, BLOCK), n)
    tl.extra.cuda.gdc_launch_dependents()
PY
launch early.py early cuda:90 --launch-pdl && ! grep -q launch stderr && grep -q 'begins before the last launch has ended' stdout ||
  fail "--launch-pdl"
launch early.py early cuda:90 && ! grep -q 'begins before' stdout || fail "pdl without being asked to"
cat >early.json <<'JSON'
{"name": "early", "targets": ["cuda:90"],
 "kernels": [{"source": "early.py", "kernel": "early", "launch_pdl": true, "launch_cooperative_grid": true,
              "signatures": ["*i32, i32, 64"]}]}
JSON
"$nereid" build early.json -o earlylib >stdout 2>stderr && "$nereid" inspect earlylib/libearly.so >stdout || fail "a manifest's"
grep -q 'all programs at a time, begins before the last launch has ended' stdout || fail "a manifest's: $(cat stdout)"
option 5 cuda:90 && [ ! -s stderr ] || fail "options of AMD's on cuda"
option 5 hip:gfx942 && grep -q 'warning: kpack=2 .* has no effect' stderr && ! grep -q waves_per_eu stderr ||
  fail "options of AMD's"
option 7 cuda:90 && grep -q 'warning: num_warps=8 .*triton.Config has an argument of that name, which is 4' stderr ||
  fail "num_warps among the values"
option 9 cuda:90 && fail "an option that nobody knows was taken"
grep -q "'options' has no parameter 'nonsense'" stderr || fail "an option that nobody knows"
option 10 hip:gfx942 && [ ! -s stderr ] || fail "options that are off"
finish "config options"
