#!/usr/bin/env bash
# A kernel whose blocks could be fewer and faster is compiled in two forms, of which calls take one by the number of programs;
# `inspect` shows both, the cache keeps both, and a library has one variant.
#
#   forms.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
export NEREID_PTXAS=none NEREID_FATBINARY=none
cat >states.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def states(k_ptr, v_ptr, decay_ptr, out_ptr, rounds, HEAD: tl.constexpr):
    """Each program adds up products of its rounds. With heads of 64 a round's tiles take 28 KiB."""
    d = tl.arange(0, HEAD)
    t = tl.arange(0, 64)
    e = tl.arange(0, 32)
    first = tl.program_id(0) * rounds * 64
    k_ptrs = k_ptr + (first + t[None, :]) * HEAD + d[:, None]
    decay_ptrs = decay_ptr + (first + t[None, :]) * HEAD + d[:, None]
    v_ptrs = v_ptr + (first + t[:, None]) * 32 + e[None, :]
    state = tl.zeros((HEAD, 32), tl.float32)
    for i in range(rounds):
        k = tl.load(k_ptrs) * tl.load(decay_ptrs).to(tl.bfloat16)
        state += tl.dot(k, tl.load(v_ptrs))
        k_ptrs += 64 * HEAD
        decay_ptrs += 64 * HEAD
        v_ptrs += 64 * 32
    tl.store(out_ptr + (tl.program_id(0) * HEAD + d[:, None]) * 32 + e[None, :], state)
PY
# make TARGETS HEAD OUT [OPTION …], with two stages, or as many as `stages` says
make() {
  run "$nereid" compile states.py -k states -s "*bf16:16, *bf16:16, *fp32:16, *fp32:16, i32, $2" -t "$1" \
    --num-stages "${stages:-2}" -g "rounds" -o "$3" "${@:4}"
}
# The targets' lines of what is inspected, which are in two forms if they say so.
count() { "$nereid" inspect "$1" | grep -c "$2"; }

export NEREID_CACHE_DIR=$work/cache
make cuda:90a,cuda:80,cpu:x86-64-v3,hip:gfx942 64 first.nko --num-warps 1
[ "$(count first.nko 'the form for few programs')" = 2 ] || fail "two targets have a second form"
[ "$(count first.nko '^    cuda:90a')" = 2 ] || fail "both forms are shown"
make cuda:90a,cuda:80,cpu:x86-64-v3,hip:gfx942 64 again.nko --num-warps 1
run cmp first.nko again.nko
run "$nereid" link again.nko -n states -o .
[ "$(count libstates.so 'the form for few programs')" = 2 ] || fail "the library has both forms"
run python3 - <<PY
import json, subprocess
library = json.loads(subprocess.run(["$nereid", "inspect", "--json", "libstates.so"], capture_output=True).stdout)["libraries"][0]
[kernel] = library["kernels"]
[variant] = kernel["variants"]
few = [target for target in variant["targets"] if target.get("for_few_programs")]
assert [target["target"] for target in few] == ["cuda:90a", "cuda:80"], few
for form in few:
    [other] = [t for t in variant["targets"] if t["target"] == form["target"] and t is not form]
    assert form["shared_bytes"] > other["shared_bytes"] and form["occupancy"]["blocks"] < other["occupancy"]["blocks"]
assert all(row["variants"] == 1 for row in library["sizes"]), library["sizes"]
PY
grep -q 'for cuda:90a, cuda:80, cpu:x86-64-v3, hip:gfx942$' states.h || fail "the header names each target once"

# Where as many blocks find room with all buffers, there is nothing to choose.
make cuda:90a 16 small.nko --num-warps 1
[ "$(count small.nko 'the form for few programs')" = 0 ] || fail "one form for small tiles"
make cuda:90a 64 wide.nko --num-warps 8
[ "$(count wide.nko 'the form for few programs')" = 0 ] || fail "one form for many warps"

# Eight warps are enough, with all buffers. Where more blocks find room with a buffer less, that is the first form while
# blocks are few; of more of them, it is a form for grids that take fewer turns by it. It takes machine code to know, as
# registers bound the blocks, too.
unset NEREID_PTXAS
ptxas=$("$nereid" --version | sed -n 's/^ptxas: \(.*\), .*/\1/p')
if [ -n "$ptxas" ]; then
  stages=3 make cuda:90a 64 fewer.nko --num-warps 4
  stages=3 make cuda:90a 32 turns.nko --num-warps 4
  run python3 - <<PY
import json, subprocess
def forms(name):
    return json.loads(subprocess.run(["$nereid", "inspect", "--json", name], capture_output=True).stdout)["targets"]
def has_more_room(form, other):
    return form["shared_bytes"] < other["shared_bytes"] and form["occupancy"]["blocks"] > other["occupancy"]["blocks"]
first, second = forms("fewer.nko")
assert second["for_few_programs"] and not first.get("for_few_programs") and has_more_room(first, second)
first, second = forms("turns.nko")
assert second["for_fewer_turns"] and not first.get("for_fewer_turns") and has_more_room(second, first)
PY
else
  echo "without a form for fewer turns, as there is no ptxas"
fi
finish forms
