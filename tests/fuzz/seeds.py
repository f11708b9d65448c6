"""Seeds for the fuzzers: one file a kernel of the conformance tests, and one an IR test.

    seeds.py TESTS OUT

A kernel's signature is made up from its parameters: pointers where the name says so, 16 for constexprs, i32 otherwise.
Many of these are wrong for the kernel, which is just as well: errors are what is to be explored.
"""
import ast
import json
import random
import re
import sys
from pathlib import Path

tests, out = Path(sys.argv[1]), Path(sys.argv[2])


def is_kernel(node):
    return isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in node.decorator_list)


def signature(function):
    parts = []
    for argument in function.args.args:
        if argument.annotation is not None and "constexpr" in ast.unparse(argument.annotation):
            parts.append("16")
        elif re.search(r"ptr|^[A-Z]$|^[A-Z][a-z]*$|^out|^x$|^y$", argument.arg):
            parts.append("*fp32:16")
        else:
            parts.append("i32")
    return ", ".join(parts)


count = 0
for path in sorted((tests / "conformance" / "kernels").glob("*.py")):
    source = path.read_text()
    tree = ast.parse(source)
    kept = [n for n in tree.body if not is_kernel(n)]
    kernels = [n for n in tree.body if is_kernel(n)]
    names = {n.name for n in kernels}
    for kernel in kernels:
        used = {n.id for n in ast.walk(kernel) if isinstance(n, ast.Name)} & names
        body = kept + [n for n in kernels if n.name in used or n is kernel]
        text = f"# kernel {kernel.name} {signature(kernel)}\n" + ast.unparse(ast.Module(body, []))
        (out / "python" / f"{path.stem}-{kernel.name}.py").write_text(text)
        count += 1
for path in sorted((tests / "conformance" / "kernels" / "triton_c").glob("*.tc")):
    # A kernel a seed, with all that is not a kernel.
    parts = re.split(r"(?m)^(?=__global__ )", path.read_text())
    for part in parts[1:]:
        kernel, _, rest = part.partition("\n}\n")
        name = re.match(r"__global__ void (\w+)", kernel).group(1)
        # Functions that stand between the kernels before it.
        others = "".join(other.partition("\n}\n")[2] for other in parts[1:] if parts.index(other) < parts.index(part))
        (out / "tritonc" / f"{path.stem}-{name}.tc").write_text(f"// kernel {name} \n{parts[0]}{others}{kernel}\n}}\n{rest}")
        count += 1
for path in sorted((tests / "ir").rglob("*.mlir")) + sorted((tests / "ir").rglob("*.ttir")):
    text = path.read_text()
    for index, part in enumerate(text.split("// -----")):
        name = re.search(r"@(\w+)", part)
        if name and len(part) < 12000:
            (out / "tritonir" / f"{path.stem}-{index}.ttir").write_text(f"// kernel {name.group(1)} \n{part}")
            count += 1
for index, text in enumerate(["*fp32:16, i32:1, 1024, None, 'a'", "x=*fp16, n=i64, B=tl.float16, (*fp32, (i32, 3))",
                              "cdiv(n, BLOCK) * 2, max(n, 3) % 5, next_power_of_2(n)", "cpu", "cuda:90a:32"]):
    for kind in range(4):
        (out / "text" / f"{index}-{kind}").write_bytes(bytes([kind]) + text.encode())
        count += 1
choices = random.Random(7)
for index in range(300):
    (out / "compiletime" / str(index)).write_bytes(choices.randbytes(choices.randrange(20, 600)))
    count += 1
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
metadata = {"version": 2, "images": 1, "source": "add.py", "signature": "*fp32:16, i32, 4", "hash": "", "grid": "cdiv(n, 4)",
            "function": "add", "target": "cpu:x86-64-v3", "kernel": "add", "symbol": "add__1", "num_warps": 1, "num_stages": 3,
            "warp_size": 1, "shared_bytes": 0, "scratch_bytes": 0, "format": "obj",
            "parameters": [{"name": "x", "type": "*fp32", "divisible_by": 16}, {"name": "n", "type": "i32"},
                           {"name": "B", "constant": {"type": "int", "value": 4}}]}
manifest = {"name": "lib", "kind": "shared", "targets": ["cpu", "cuda:90a"], "import_paths": ["k"],
            "kernels": [{"source": "k/add.py", "kernel": "add", "function": "f", "grid": "cdiv(n, B)", "num_warps": 4, "config": 0,
                         "signatures": ["*fp32:16, i32", {"signature": "*fp16, i32", "num_stages": 2, "compile_limit": 5}]}]}
cases = {"cases": [{"function": ["f"], "key": ["n"], "values": {"n": {"from": 1, "to": 64, "times": 2}, "m": [3]}, "grid": "n, 2",
                    "arguments": {"x": {"shape": ["n", "m * 2"], "contents": {"integers": [-3, 5]}}, "e": 0.5, "t": {"text": "a"},
                                  "d": {"dtype": "fp16"}, "o": None}, "tolerance": 0.1},
                   {"function": "f", "values": {"n": {"from": 1, "to": 9, "plus": 4}},
                    "arguments": {"x": None, "e": 1, "t": None, "d": None, "o": "n % 3"}}]}
results = {"nereid_tuning": 1, "measurements": [
    {"function": "f", "device": "d", "target": "cpu:x86-64-v2", "key": {"n": 3}, "variant": "v", "nanoseconds": 8.5, "spread": 0.1,
     "runs": 5, "outliers": 1, "default": True, "driver": "1", "nereid": "0.1.0", "date": "2026-01-01"},
    {"function": "f", "device": "d", "target": "cpu:x86-64-v2", "key": {"n": 3}, "variant": "w", "failed": "no"}]}
for name, content in {
    "cases": b"\3" + json.dumps(cases, indent=1).encode(),
    "results": b"\4" + json.dumps(results).encode(),
    "manifest": b"\0" + json.dumps(manifest, indent=1).encode(),
    "comments": b'\0{"name": /* } */ "lib", // "\n "kernels": [1e999, [[[]]]]}',
    "npy1": b"\1\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(16),
    "npy2": b"\1\x93NUMPY\2\0" + len(header).to_bytes(4, "little") + header + bytes(16),
    "object": b"\2" + json.dumps(metadata).encode() + b"\0\x7fELF",
}.items():
    (out / "files" / name).write_bytes(content)
    count += 1
print(f"{count} seeds")
