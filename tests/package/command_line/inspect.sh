#!/usr/bin/env bash
# What `nereid inspect` knows: resources, occupancy, where a variant comes from, sizes; of kernel objects and of libraries,
# compressed or not.
#
#   inspect.sh NEREID
set -uo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

mkdir -p project/kernels
cat >project/kernels/helper.py <<'PY'
import triton


@triton.jit
def scale(x, factor):
    return x * factor
PY
cat >project/kernels/rows.py <<'PY'
import triton
import triton.language as tl
from helper import scale


# nereid: grid = n
# nereid: dispatch = BLOCK
# nereid: signature = *fp32:16, *fp32:16, i32, [256, 1024]
@triton.jit
def rows(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, scale(x, 1.0 / tl.sum(tl.exp(x), axis=0)))
PY
cat >project/app.json <<'JSON'
{"name": "app", "targets": ["cpu:x86-64-v2", "cuda:80", "cuda:90a", "hip:gfx942"], "kernels": [
  {"source": "kernels/rows.py", "kernel": "rows", "grid": "n", "for": {"hip": {"num_warps": 8}},
   "signatures": ["*fp32:16, *fp32:16, i32, 1024",
                  "*fp32, *fp32, i32, 1024"]}]}
JSON
targets=cpu:x86-64-v2,cuda:80,cuda:90a,hip:gfx942

# check FILE PROGRAM: Python that knows FILE's JSON as `it`, and `rows(part)` as the pairs of variant and target.
check() {
  "$nereid" inspect --json "$1" >inspect.json 2>log || fail "inspect --json $1"
  python3 - "$2" <<'PY' >log 2>&1 || fail "$1: $2"
import hashlib, json, sys
it = json.load(open("inspect.json"))
kernels = it["libraries"][0]["kernels"] if it["kind"] == "library" else [{"variants": [it]}]
images = [(v, t) for k in kernels for v in k["variants"] for t in v["targets"]]
sizes = (it["libraries"][0] if it["kind"] == "library" else it)["sizes"]
exec(sys.argv[1])
PY
}

(cd project/kernels && run "$nereid" compile rows.py -k rows -s '*fp32:16, *fp32:16, i32, 1024' -t $targets -o "$work/one.nko")
check one.nko '
assert it["asked_by"] == "command line", it["asked_by"]
assert [s["file"] for s in it["sources"]] == ["rows.py", "helper.py"], it["sources"]
lines = ""
for s in it["sources"]:
    digest = hashlib.sha256(open("project/kernels/" + s["file"], "rb").read()).hexdigest()
    assert s["sha256"] == digest
    lines += digest + "  " + s["file"] + "\n"
assert it["source_hash"] == hashlib.sha256(lines.encode()).hexdigest()
for v, t in images:
    assert t["tools"]["llvm"].startswith("22."), t
    if t["target"].startswith("cpu"):
        assert "occupancy" not in t and t["frame_bytes"] >= 0
        continue
    o = t["occupancy"]
    assert o["blocks"] * t["num_warps"] == o["warps"] <= o["most_warps"], o
    assert o["limited_by"], o
    if any(i["format"] == "cubin" for i in t["images"]):
        assert t["tools"]["ptxas"].split(".")[0].isdigit() and t["registers"] > 0, t
    if t["target"] == "cuda:90a":
        assert o["most_warps"] == 64
    assert all("code_bytes" in i for i in t["images"] if i["format"] != "ptx")
assert sorted((s["target"], s["variants"]) for s in sizes) == [(t, 1) for t in "'$targets'".split(",")], sizes
assert all(s["bytes"] == sum(i["bytes"] for i in t["images"]) for s, (v, t) in zip(sizes, images))
'
run "$nereid" inspect one.nko
for words in 'asked by   command line' ' of rows.py, helper.py' 'made by    nereid ' ' of 64 warps ('; do expect "$words"; done

# Nothing but what the files say, wherever they lie.
cp -r project other
for folder in project other; do
  run "$nereid" build $folder/app.json -o $folder/out --sizes
done
cmp -s project/out/libapp.so other/out/libapp.so || fail "another folder gives another library"
expect 'cuda:90a'
grep -Eq '^ *rows +hip:gfx942 +2 +[0-9]+ +[0-9]+$' log || fail "no sizes: $(cat log)"
run "$nereid" inspect project/out/libapp.so
expect 'sizes in bytes'
check project/out/libapp.so '
assert {v["asked_by"] for v, t in images} == {"app.json:3:20", "app.json:4:20"}, [v["asked_by"] for v, t in images]
special = [v for v, t in images if v["signature"].startswith("*fp32:16")][0]
assert special["takes_calls_where"] == ["x_ptr is divisible by 16", "y_ptr is divisible by 16"], special
assert all(t.get("set_for_target") == ("num_warps=8" if t["target"].startswith("hip") else None) for v, t in images)
assert all("stored_bytes" in t for v, t in images)
library = open("project/out/libapp.so", "rb").read()
for v, t in images:
    kept = t.get("kept_image")
    assert (kept is not None) == any(i["format"] in ("cubin", "hsaco") for i in t["images"]), t
    if kept:
        begins = [i for i in range(0, len(library), 8) if library[i:i + 4] == b"\x7fELF"]
        found = [library[i:i + kept["bytes"]] for i in begins]
        found = [image for image in found if hashlib.sha256(image).hexdigest() == kept["sha256"]]
        assert found and kept["kernel"].encode() in found[0], (kept, begins)
'
# Annotations, and the lists that a variant is one of.
run "$nereid" build project/kernels/rows.py -t $targets -o annotated
check annotated/librows.so '
assert {v["asked_by"] for v, t in images} == {"rows.py:8:23"}, [v["asked_by"] for v, t in images]
assert {v["asked_signature"] for v, t in images} == {"*fp32:16, *fp32:16, i32, [256, 1024]"}
'

# Compression: images are what they were, and take less room; a tool of NVIDIA's is needed for its GPUs.
plain=$(stat -c %s project/out/libapp.so)
for mode in --compress --compress=size; do
  run "$nereid" build project/app.json -o small $mode
  check small/libapp.so '
for v, t in images:
    if t["target"].startswith("hip"):
        assert t["compressed"] and 0 < t["stored_bytes"] < sum(i["bytes"] for i in t["images"]), t
    elif t["target"].startswith("cpu"):
        assert "compressed" not in t
    elif t.get("compressed") and t["stored_bytes"]:
        assert t["stored_bytes"] < sum(i["bytes"] for i in t["images"]), t
'
  [ "$(stat -c %s small/libapp.so)" -lt "$plain" ] || fail "$mode saves nothing"
done
run env NEREID_FATBINARY=none "$nereid" build project/app.json -o small --compress
expect "images for NVIDIA's GPUs are not compressed"
refused "expected speed, size or none, not 'lots'" bash -c '"$0" build project/app.json -o small --compress=lots || exit 1' "$nereid"
# What stands behind it alone is a file, unless it could be the word: then neither is guessed.
for word in speed size none; do
  refused "'--compress $word' may be meant in two ways: write '--compress=$word', or './$word' for a file" \
    bash -c '"$0" link good.nko -o small3 --compress '"$word"' || exit 1' "$nereid"
done
refused "cannot open 'sizes'" "$nereid" link -o small3 -n small --compress sizes
sed 's/"name"/"compress": "speed", "name"/' project/app.json >project/small.json
run "$nereid" build project/small.json -o small2
check small2/libapp.so 'assert all(t["compressed"] for v, t in images if t["target"].startswith("hip"))'

# Stages: of a kernel object, and of a library that was asked for them.
run "$nereid" build project/app.json -o staged --stages -t cpu:x86-64-v2,cuda:90a
check staged/libapp.so 'assert all(len(t["stages"]) == 64 for v, t in images)'
check project/out/libapp.so 'assert all("stages" not in t for v, t in images)'
(cd project/kernels && run "$nereid" compile rows.py -k rows -s '*fp32:16, *fp32:16, i32, 1024' -t cuda:90a --stages -o "$work/staged.nko" &&
  run "$nereid" compile rows.py -k rows -s '*fp32:16, *fp32:16, i32, 1024' -t cuda:90a -o "$work/plain.nko")
check staged.nko 'assert len(images) == 1 and "stages" in images[0][1]'
for file in staged plain; do run "$nereid" link $file.nko -n one -o from_$file; done
cmp -s from_staged/libone.so from_plain/libone.so || fail "stages that nobody asked for are in the library, or changed its code"
run "$nereid" link plain.nko -n one -o nothing --stages
expect "no stages are kept in the library"
# A damaged one is refused, not shown.
head -c $(($(stat -c %s staged.nko) - 100)) staged.nko >cut.nko
refused "not a complete kernel object" "$nereid" inspect --html cut.nko

refused "--html shows what was compiled" "$nereid" inspect --html project/kernels/rows.py
finish inspect
