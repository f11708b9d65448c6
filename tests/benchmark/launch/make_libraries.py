#!/usr/bin/env python3
"""Compiles the library that launch_overhead.c measures, and the one that gpu_runtime.c tests.

Nine kernels that do nothing: with 3, 12 and 30 arguments, and in 1, 8 and 64 variants that differ in what they promise of
their arguments. Anywhere; needs no GPU:

    make_libraries.py NEREID OUT [TARGET]
"""
import itertools
import json
import pathlib
import subprocess
import sys

ARGUMENTS = {3: 2, 12: 6, 30: 10}  # how many, and how many of them are pointers; the rest are numbers


def signatures(count, pointers, variants):
    """The most special one first, and last the one that promises nothing."""
    if variants == 1:
        promises = [()]
    elif variants == 8:
        promises = itertools.product(["", ":16"], repeat=3)
    elif count == 3:
        promises = itertools.product(["", ":4", ":8", ":16"], repeat=3)
    else:
        promises = itertools.product(["", ":16"], repeat=6)
    for promise in promises:
        types = ["*fp32"] * pointers + ["i32"] * (count - pointers)
        # From both ends, so that pointers and numbers take part.
        for i, text in enumerate(promise):
            types[i // 2 if i % 2 == 0 else -1 - i // 2] += text
        yield ", ".join(types)


def main():
    nereid, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    targets = (sys.argv[3] if len(sys.argv) > 3 else "cuda:90").split(",")
    here = pathlib.Path(__file__).resolve().parent
    out.mkdir(parents=True, exist_ok=True)
    source = "import triton\n"
    kernels = []
    for count, pointers in ARGUMENTS.items():
        names = ", ".join(f"a{i}" for i in range(count))
        source += f"\n\n@triton.jit\ndef nothing_{count}({names}):\n    pass\n"
        for variants in (1, 8, 64):
            kernels.append({"source": "nothing.py", "kernel": f"nothing_{count}",
                            "function": f"nothing_{count}_{variants}", "grid": "1",
                            "signatures": list(signatures(count, pointers, variants))})
    (out / "nothing.py").write_text(source)
    manifest = {"name": "nothing", "targets": targets, "kernels": kernels}
    (out / "nothing.json").write_text(json.dumps(manifest, indent=1))
    subprocess.run([nereid, "build", out / "nothing.json", "-o", out], check=True)
    manifest = {"name": "runtime_kernels", "targets": targets, "kernels": [
        {"source": str(here / "runtime_kernels.py"), "kernel": "bump", "grid": "cdiv(n, BLOCK)",
         "signatures": ["*fp32:16, i32:16, 256", "*fp32, i32, 256"]},
        {"source": str(here / "runtime_kernels.py"), "kernel": "spin", "grid": "1", "signatures": ["*fp32, i32"]},
        {"source": str(here / "runtime_kernels.py"), "kernel": "early", "grid": "cdiv(n, BLOCK)", "launch_pdl": True,
         "signatures": ["*fp32:16, i32:16, 256"]},
        {"source": str(here / "runtime_kernels.py"), "kernel": "together", "launch_cooperative_grid": True,
         "signatures": ["*fp32, *i32, i32"]}]}
    (out / "runtime_kernels.json").write_text(json.dumps(manifest, indent=1))
    subprocess.run([nereid, "build", out / "runtime_kernels.json", "-o", out], check=True)


main()
