#!/usr/bin/env bash
# The configurations of @triton.autotune: `nereid inspect` lists them, and `--config` (in a manifest "config") completes
# a signature with one. Which one was taken shows in what the kernel computes.
#
#   configs.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
cat >tuned.py <<'PY'
import triton
import triton.language as tl

CONFIGS = [triton.Config({"BLOCK": block, "NAME": name}, num_warps=warps) for block, name, warps in
           [(64, "small", 2), (256, "large", 8)]]


@triton.jit
def helper(x):
    return x + 1


# What a back end understands is no parameter of the kernel's.
@triton.autotune(configs=[triton.Config({**config.kwargs, "waves_per_eu": 2}, num_warps=config.num_warps)
                          for config in CONFIGS], key=["n"])
@triton.jit
def sizes(out_ptr, BLOCK: tl.constexpr, n, NAME: tl.constexpr, EXTRA: tl.constexpr = 0):
    # A block's size and the configuration's name, as numbers.
    value: tl.constexpr = BLOCK + EXTRA + (10000 if NAME == "large" else 0)
    tl.store(out_ptr, helper(value) - 1 + n)
PY
python3 - <<'PY'
import struct
header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open("out.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<i", 0))
PY

# runs EXPECTED ARGUMENT…: what the kernel stores when it is run so.
runs() {
  local expected=$1 got
  shift
  "$nereid" run tuned.py -k sizes -g 1 --arg out_ptr=@out.npy --arg n=0 --out out_ptr=got.npy "$@" 2>stderr ||
    fail "status of run $*"
  got=$(python3 -c 'import struct; print(struct.unpack("<i", open("got.npy", "rb").read()[-4:])[0])')
  [ "$got" = "$expected" ] || fail "got $got instead of $expected: $*"
}
runs 64 -s '*i32, i32' --config 0
runs 10256 -s '*i32, i32' --config 1
runs 10263 -s '*i32, i32, 7' --config 1
runs 10032 -s 'n=i32, out_ptr=*i32, BLOCK=32' --config 1
runs 10262 -s '*i32, n=i32, EXTRA=6' --config 1
runs 10261 -s '*i32, i32, EXTRA=5' --config 1
runs 35 -s '*i32, 32, EXTRA=3, NAME="small", n=i32'
expect_twice() { grep -q "$1:1:.*: error: the signature gives the parameter '$2' twice" stderr || fail "'$2' twice is not refused"; }
"$nereid" run tuned.py -k sizes -g 1 --arg out_ptr=@out.npy --arg n=0 -s '*i32, 32, i32, BLOCK=5' 2>stderr && fail "accepted"
expect_twice "<signature>" BLOCK
"$nereid" run tuned.py -k sizes -g 1 --arg out_ptr=@out.npy --arg n=0 -s '*i32, i32, n=i32' --config 1 2>stderr && fail "accepted"
expect_twice "<signature>" n

compile=("$nereid" compile tuned.py -t cpu:x86-64-v3 -o out.nko)
exits 1 'no configuration 2 .*from 0 to 1' "${compile[@]}" -k sizes -s '*i32, i32' --config 2
exits 1 "'helper' has no configurations" "${compile[@]}" -k helper -s 'i32' --config 0
exits 1 'signature>:1:15: error: .*more entries' "${compile[@]}" -k sizes -s '*i32, i32, 1, 2' --config 0
exits 2 'config' "${compile[@]}" -k sizes -s '*i32, i32' --config -1
[ -e out.nko ] && fail "a refused configuration left an output"

# The warps of a configuration, unless the command says otherwise.
warps() {
  "$nereid" compile tuned.py -k sizes -s '*i32, i32' -t cuda:80 --emit ttgir "${@:2}" 2>stderr |
    grep -q "\"ttg.num-warps\" = $1 : i32" || fail "not $1 warps: ${*:2}"
}
warps 2 --config 0
warps 8 --config 1
warps 4 --config 1 --num-warps 4

"$nereid" inspect tuned.py >stdout 2>stderr || fail "inspect"
grep -q 'config 1: BLOCK=256, NAME="large", waves_per_eu=2, num_warps=8, num_stages=3' stdout || fail "inspect shows no configuration"
"$nereid" inspect tuned.py --json >inspect.json 2>stderr || fail "inspect --json"
python3 - <<'PY' 2>stderr || fail "what inspect --json says"
import json
kernels = json.load(open("inspect.json"))["kernels"]
assert [kernel["name"] for kernel in kernels] == ["helper", "sizes"]
assert [kernel["line"] for kernel in kernels] == [9, 17], kernels
assert kernels[0]["configs"] == []
assert kernels[1]["parameters"][4] == {"name": "EXTRA", "constexpr": True, "default": True}
assert kernels[1]["configs"][0] == {"constants": {"BLOCK": 64, "NAME": "small", "waves_per_eu": 2}, "num_warps": 2, "num_stages": 3}
PY

# Configurations of functions that ask for the GPU that is there, with functions of files that are not; and some that
# cannot be had.
cat >asking.py <<'PY'
import os

import triton
import triton.language as tl

from . import custom_autotune
from .project import is_hip, num_sms


def configs():
    found = []
    for block in [32, 64]:
        if is_hip() and block == 32:
            continue
        found.append(triton.Config({"BLOCK": block, "NAME": "hip" if is_hip() else "cuda"}))
    return found + [triton.Config({"BLOCK": 8, "NAME": "wide"}) for wide in [1] if num_sms() > 100]


@triton.autotune(configs=configs(), key=[])
@triton.jit
def asks(out_ptr, BLOCK: tl.constexpr, NAME: tl.constexpr):
    tl.store(out_ptr, BLOCK)


@custom_autotune.autotune(configs=[triton.Config({"BLOCK": 128})], key=["n"], nearest_power_of_two=True)
@triton.jit
def own(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, BLOCK)


@triton.autotune(configs=[triton.Config({"BLOCK": num_sms()})], key=[])
@triton.jit
def unknown(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, BLOCK)
PY
"$nereid" inspect asking.py >stdout 2>stderr || fail "inspect"
[ "$(grep -c '^  config ' stdout)" = 3 ] && [ ! -s stderr ] && grep -q 'config 0: BLOCK=32, NAME="cuda"' stdout || fail "$(cat stdout)"
grep -q 'its configurations cannot be listed: .*num_sms' stdout || fail "inspect says not why there are none: $(cat stdout)"
exits 1 "num_sms" "$nereid" compile asking.py -t cpu:x86-64-v3 -o out.nko -k unknown -s '*i32' --config 0
grep -q 'give the values in the signature, in place of a configuration' stderr || fail "no advice"
exits 1 "'unknown' has no configurations that can be read from its file: .*num_sms.*\"BLOCK=\[…\], num_warps=\[4,8\]\"" \
  "$nereid" compile asking.py -t cpu:x86-64-v3 -o out.nko -k unknown -s '*i32' --autotune
grep -q 'asking.py:31:26: note: this is what its decorator is given for them' stderr || fail "no place"
grep -q 'note: and this is what of it is not known here' stderr || fail "no place of what is not known"
# A decorator of the project's own, with the configurations where its function has them.
cat >tuner.py <<'PY'
import json

import triton
import triton.language as tl


class Tuner(triton.runtime.Autotuner):
    def __init__(self, fn, configs):
        self.cache = json.load(open("cache.json"))


def tuner(name, configs, strategy="log"):
    return lambda fn: Tuner(fn, configs)


@tuner("block", [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})])
@triton.jit
def block(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, BLOCK)
PY
exits 0 "" "$nereid" compile tuner.py -t cpu:x86-64-v3 -o out.nko -k block -s '*i32' -g 1 --autotune
[ ! -s stderr ] || fail "warnings"
"$nereid" inspect out.nko >stdout
[ "$(grep -c 'signature.*BLOCK=\(64\|128\)$' stdout)" = 2 ] || fail "the configurations of a project's own decorator: $(cat stdout)"

cat >manifest.json <<'JSON'
{"name": "tuned", "targets": ["cpu"],
 "kernels": [{"source": "tuned.py", "kernel": "sizes", "config": 1, "grid": "1",
              "signatures": ["*i32, i32", {"signature": "*i32, i32:16", "config": 0}]}]}
JSON
"$nereid" build manifest.json -o lib >stdout 2>stderr || fail "build"
"$nereid" inspect lib/libtuned.so >stdout 2>stderr
grep -q 'BLOCK=256' stdout && grep -q 'BLOCK=64' stdout || fail "the manifest's configurations: $(cat stdout)"
finish "configs"
