#!/usr/bin/env bash
# `nereid compile --emit` of several stages, and targets, into a folder: each target compiled once, files named after
# both, all of them or none.
#
#   stages.sh NEREID
set -uo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >add.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1.0, mask=i < n)
PY
compile=("$nereid" compile add.py -k add -s '*fp32:16, *fp32:16, i32:16, 1024')
targets=cpu:x86-64-v3,cuda:90a,hip:gfx942

run "${compile[@]}" -t $targets --emit all -o out/
for file in add.cpu-x86-64-v3.{ttir,llir,asm,obj} add.cuda-90a.{ttir,ttgir,llir,ptx} add.hip-gfx942.{ttir,ttgir,llir,amdgcn,hsaco}; do
  [ -s out/$file ] || fail "no $file among $(ls out)"
done
# What one stage alone is, it is among others. (PTX beside a cubin is what that was made of.)
for case in 'cpu:x86-64-v3 ttir' 'cpu:x86-64-v3 asm' 'cpu:x86-64-v3 obj' 'cuda:90a ttgir' 'cuda:90a llir' 'hip:gfx942 amdgcn' 'hip:gfx942 hsaco'; do
  read -r target stage <<<"$case"
  run "${compile[@]}" -t "$target" --emit "$stage" -o one
  cmp -s one "out/add.${target/:/-}.$stage" || fail "$stage of $target differs"
done

# Named stages, in any order; each target gives those that it has. A folder that exists needs no slash.
mkdir some
run "${compile[@]}" -t $targets --emit ptx,ttir -o some
[ "$(ls some | tr '\n' ' ')" = "add.cpu-x86-64-v3.ttir add.cuda-90a.ptx add.cuda-90a.ttir add.hip-gfx942.ttir " ] ||
  fail "other files: $(ls some)"
run "${compile[@]}" -t cuda:90a --emit ptx -o single/ --depfile single.d
[ "$(ls single)" = add.cuda-90a.ptx ] || fail "a single stage in a folder: $(ls single)"
tr -d '\\\n' <single.d | grep -q '^single/add.cuda-90a.ptx: .*add.py'  || fail "the rule is $(cat single.d)"

refused "no target has a stage 'asm': cuda:90a has ttir, ttgir, llir, ptx, cubin" "${compile[@]}" -t cuda:90a --emit ttir,asm -o no/
refused "target hip:gfx942 has none of the stages" "${compile[@]}" -t cuda:90a,hip:gfx942 --emit ptx -o no/
refused "<--emit>:1:6: error: unknown stage 'foo'" "${compile[@]}" -t cuda:90a --emit ttir,foo -o no/
refused "several stages need a folder to go to: --output DIR/" "${compile[@]}" -t cuda:90a --emit ttir,ptx
refused "several stages need a folder to go to" "${compile[@]}" -t cuda:90a --emit all -o file
refused "has no module-level name 'NONE'" "${compile[@]}" -t cuda:90a -D NONE=1 --emit all -o no/
[ ! -e no ] || fail "a refused compile left $(ls no)"
# A second target that cannot be compiled leaves nothing of the first.
refused "the number of warps must be a power of two from 1 to 16 for hip:gfx942" "$nereid" compile add.py -k add -s '*fp32:16, *fp32:16, i32:16, 1024' --num-warps 32 -t cuda:90a,hip:gfx942 --emit all -o no/
[ ! -e no ] || fail "a refused target left $(ls no)"

finish stages
