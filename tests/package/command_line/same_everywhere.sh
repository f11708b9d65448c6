#!/usr/bin/env bash
# What nereid makes is the same bytes wherever and whenever: in folders with names of other lengths, without a cache, with an empty one and
# with one that another folder has filled, by one thread or several, in parts and as a whole, with another time zone, language and umask.
# For every target: kernel objects, libraries of each kind, headers, Python packages, wheels.
#
#   same_everywhere.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
unset NEREID_CACHE_SIZE NEREID_CACHE_READONLY NEREID_COMPILER_LAUNCHER SOURCE_DATE_EPOCH MAKEFLAGS
python=${PYTHON:-python3}
targets=$("$nereid" targets --json | "$python" -c 'import json, sys; print(",".join(entry["target"] for entry in json.load(sys.stdin) if entry["target"] != "cpu"))')
native=$(tr , '\n' <<<"$targets" | grep -v aarch64 | paste -sd,)

some=cpu:x86-64-v2,cpu:x86-64-v4,cuda:80,cuda:90a,hip:gfx942,hip:gfx1100

project() { # FOLDER
  mkdir -p "$1/lib"
  cat >"$1/k.py" <<'PY'
import triton
import triton.language as tl
from shapes import FACTOR


@triton.jit
def scale(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(n > 0, "nothing to do")
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * FACTOR, mask=i < n)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))
PY
  echo 'FACTOR = 3' >"$1/lib/shapes.py"
  cat >"$1/scaled.tc" <<'C'
__global__ void scaled(float *x __readonly, float *y, int n) {
  int i[64] = get_program_id(0) * 64 + 0 ... 64;
  *?(i < n)(y + i) = *?(i < n)(x + i) * 2.0f;
}
C
  cat >"$1/m.json" <<'JSON'
{"name": "all", "import_paths": ["lib"], "targets": ["cpu:x86-64-v3"], "kernels": [
 {"source": "k.py", "kernel": "scale", "grid": "cdiv(n, BLOCK)", "signatures": ["*[fp32,fp16]:16, *[fp32,fp16]:16, i32, 64"]},
 {"source": "k.py", "kernel": "product", "grid": "1", "signatures": ["*fp16:16, *fp16:16, *fp32:16, 32, 32, 32"]},
 {"source": "scaled.tc", "kernel": "scaled", "grid": "cdiv(n, 64)", "signatures": ["*fp32, *fp32, i32"]}]}
JSON
}

make() { # FOLDER JOBS: everything, in that folder
  local kind
  cd "$1"
  run "$nereid" build m.json -o shared -t "$native" -j "$2" --python --package-version 1.0 --stages
  run "$nereid" build m.json -o compressed -t $some -j "$2" --compress --debug-info --debug
  run "$nereid" build m.json -o static -t $some -j "$2" --static
  run "$nereid" build m.json -o source -t cpu:aarch64,cuda:90a,hip:gfx942 --host aarch64 -j "$2" --source
  for kind in 1 2 3; do run "$nereid" build m.json -o parts -t "$targets" -j "$2" --shard $kind/3; done
  run "$nereid" compile k.py -k scale -s '*fp32, *fp32, i32, 128' -I lib -t "$targets" -j "$2" -o one.nko --depfile one.d
  for kind in cpu:x86-64-v4 cpu:aarch64 cuda:100a hip:gfx1201; do
    run "$nereid" compile k.py -k product -s '*fp16, *fp16, *fp32, 16, 16, 16' -I lib -t $kind --emit all -o "stages-${kind/:/-}/"
  done
  mkdir wheel
  (cd shared/all && "$python" -B -c "import _nereid_build as b; b.build_wheel('../../wheel'); b.build_sdist('../../wheel')") >log 2>&1 || fail "no wheel"
  run "$nereid" inspect --json shared/liball.so; cp log inspected.json; rm log
  cd "$work"
}

project a; project "folder with a longer name/and another"; project c/d
NEREID_CACHE_DIR=off TZ=UTC make a 1
(umask 077; NEREID_CACHE_DIR=$work/cache TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 HOME=$work make "folder with a longer name/and another" 3)
NEREID_CACHE_DIR=$work/cache make c/d 2
hits=$(NEREID_CACHE_DIR=$work/cache "$nereid" cache --json | "$python" -c 'import json, sys; print(json.load(sys.stdin)["hits"])')
[ "$hits" -gt 50 ] || fail "the cache was hardly used: $hits hits"
for other in "folder with a longer name/and another" c/d; do
  diff -rq a "$other" >log || fail "what was made in '$other' differs"
done
! grep -rlF "$work" a >log || fail "these say where they were made"
echo "same_everywhere: $(find a -type f | wc -l) files for $(tr , '\n' <<<"$targets" | wc -l) targets are the same three times"
