#!/usr/bin/env python3
"""How long a library of 2,016 images takes: 3 kernels, 84 variants of each, 8 targets.

    many_images.py NEREID [--jobs N] [--keep FOLDER] [--targets LIST]

Builds it with an empty cache, again, again with nothing but the cache, after one of the three kernels was
changed, and without a cache. Prints wall time, processor time, the most memory that any process had (nereid's own,
as a rule) and the sizes of the library and of the cache. That libraries are alike where they should be is checked.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

TARGETS = "cpu:x86-64-v2,cpu:x86-64-v3,cpu:x86-64-v4,cuda:80,cuda:89,cuda:90a,hip:gfx942,hip:gfx1100"

HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
SCALE = HEAD + """def scale(x_ptr, y_ptr, n, ACT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    if ACT == 1:
        x = tl.maximum(x, 0.0)
    if ACT == 2:
        x = x * tl.sigmoid(x)
    if ACT == 3:
        x = tl.exp(x)
    tl.store(y_ptr + at, x * 2, mask=at < n)
"""
SOFTMAX = HEAD + """def softmax(x_ptr, y_ptr, stride, cols, LOG: tl.constexpr, MASKED: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    keep = at < cols
    x = tl.load(x_ptr + row * stride + at, mask=keep, other=-float("inf"))
    if MASKED:
        x = tl.where(at <= row, x, -float("inf"))
    x = x - tl.max(x, 0)
    total = tl.sum(tl.exp(x), 0)
    y = x - tl.log(total) if LOG else tl.exp(x) / total
    tl.store(y_ptr + row * stride + at, y, mask=keep)
"""
NORM = HEAD + """def norm(x_ptr, y_ptr, w_ptr, stride, cols, eps, CENTER: tl.constexpr, WEIGHT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    keep = at < cols
    x = tl.load(x_ptr + row * stride + at, mask=keep, other=0.0)
    if CENTER:
        x = tl.where(keep, x - tl.sum(x, 0) / cols, 0.0)
    y = x * tl.rsqrt(tl.sum(x * x, 0) / cols + eps)
    if WEIGHT:
        y = y * tl.load(w_ptr + at, mask=keep)
    tl.store(y_ptr + row * stride + at, y, mask=keep)
"""


def write_project(folder: pathlib.Path, targets: str) -> int:
    blocks = [64, 128, 256, 512, 1024, 2048, 4096]
    traits = [("", ""), (":16", ""), (":16", ":16")]
    kernels = []
    for name, text, signature, first, second in (
        ("scale", SCALE, "*fp32{p}, *fp32{p}, i32{i}, {a}, {block}", range(4), [None]),
        ("softmax", SOFTMAX, "*fp32{p}, *fp32{p}, i32{i}, i32{i}, {a}, {b}, {block}", range(2), range(2)),
        ("norm", NORM, "*fp32{p}, *fp32{p}, *fp32{p}, i32{i}, i32{i}, fp32, {a}, {b}, {block}", range(2), range(2)),
    ):
        (folder / f"{name}.py").write_text(text)
        kernels.append({
            "source": f"{name}.py", "kernel": name,
            "dispatch": {"scale": ["ACT"], "softmax": ["LOG", "MASKED"], "norm": ["CENTER", "WEIGHT"]}[name] + ["BLOCK"],
            "signatures": [signature.format(p=p, i=i, a=a, b=b, block=block)
                           for a in first for b in second for block in blocks for p, i in traits]})
    (folder / "m.json").write_text(json.dumps({"name": "many", "targets": targets.split(","), "kernels": kernels}))
    return sum(len(kernel["signatures"]) for kernel in kernels) * len(targets.split(","))


def size_of(folder: pathlib.Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nereid", type=os.path.abspath)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--keep", type=pathlib.Path, help="work there, and leave everything")
    options = parser.parse_args()
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="nereid-many-"))
    folder.mkdir(parents=True, exist_ok=True)
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    images = write_project(folder, options.targets)
    print(f"{images} images, {options.jobs} at a time")
    print(f"{'':32}{'wall':>9}{'processor':>11}{'memory':>10}{'library':>10}{'cache':>10}")

    def build(title: str, output: str, cache_dir: str) -> bytes:
        environment = dict(os.environ, NEREID_CACHE_DIR=cache_dir)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        process = subprocess.Popen([options.nereid, "build", "m.json", "-o", output, "-j", str(options.jobs)],
                                   cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(errors.decode())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        library = (folder / output / "libmany.so").read_bytes()
        print(f"{title:32}{wall:7.2f} s{busy:9.2f} s{usage.ru_maxrss / 1024:7.0f} MB{len(library) / 1e6:7.1f} MB"
              f"{size_of(cache) / 1e6 if cache.exists() else 0:7.1f} MB", flush=True)
        return library

    first = build("cache empty", "out", str(cache))
    again = build("again", "out", str(cache))
    assert again == first, "a build from the cache gives other bytes"
    shutil.rmtree(folder / "out")
    assert build("again, into an empty folder", "out", str(cache)) == first
    (folder / "scale.py").write_text(SCALE.replace("x * 2", "x * 3"))
    changed = build("one kernel of three changed", "out", str(cache))
    assert changed != first
    assert build("no cache", "plain", "off") == changed, "a build without the cache gives other bytes"
    if not options.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
