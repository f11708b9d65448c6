"""What a cubin shows without a GPU: the registers and the stack of a kernel, and how many instructions of each class it has,
in all and in loops.

    machine_code.py CUBIN…

Needs cuobjdump and nvdisasm, in PATH or from pip (nvidia-cuda-cuobjdump, nvidia-cuda-nvdisasm), no older than the ptxas that
made the cubin. Counted is what stands in the code, not what is executed: a loop of four rounds unrolled has four times
the instructions. In a loop is what stands between the target of a backward branch and that branch, so a block
that ptxas puts behind the code and that branches back makes one of all between.
"""
import collections
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Classes of instructions and what their names begin with; the first that matches counts, so LDSM stands before LDS.
CLASSES = {
    "products": r"\w*MMA",
    "ldmatrix": r"LDSM",
    "stmatrix": r"STSM",
    "barriers": r"BAR|WARPSYNC|DEPBAR|LDGDEPBAR|SYNCS",
    "asynchronous copies": r"LDGSTS|UTMA|UBLKCP",
    "shared loads": r"LDS",
    "shared stores": r"STS",
    "global loads": r"LDG",
    "global stores": r"STG",
    "local loads": r"LDL",
    "local stores": r"STL",
    "shuffles": r"SHFL",
    "special functions": r"MUFU",
    "floating point": r"[FHD](FMA|MUL|ADD|SEL|MNMX|SET|CHK)|[FI]2[FI]",
    "integers and moves": r"U?(IMAD|IADD|IMNMX|ISETP|LEA|LOP|PLOP|SHF|SEL|PRMT|MOV)|VI|IABS|R2UR",
}

INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)([^;]*);")
LABEL = re.compile(r"\s*(\.L\w+):")


@functools.cache
def tool(name):
    """Where NVIDIA's program `name` is."""
    if found := shutil.which(name):
        return found
    for folder in sys.path:
        for path in sorted(Path(folder or ".").glob(f"nvidia/*/bin/{name}")):
            if os.access(path, os.X_OK):
                return str(path)
    sys.exit(f"error: there is no {name}; 'pip install nvidia-cuda-{name}' brings one")


def output_of(name, *arguments):
    done = subprocess.run([tool(name), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout + done.stderr


def resources(cubin):
    """Registers of a thread, and bytes of its stack, which is mostly spilled registers."""
    found = re.findall(r"REG:(\d+) STACK:(\d+)", output_of("cuobjdump", "-res-usage", cubin))
    if not found:
        raise RuntimeError(f"cuobjdump names no registers for {cubin}")
    return max(int(registers) for registers, _ in found), max(int(stack) for _, stack in found)


def disassemble(cubin):
    """[(name, operands)] of all instructions, and {label: index of the instruction after it}."""
    instructions, labels = [], {}
    for line in output_of("nvdisasm", "-c", cubin).splitlines():
        if label := LABEL.match(line):
            labels[label[1]] = len(instructions)
        elif instruction := INSTRUCTION.match(line):
            instructions.append(instruction.groups())
    return instructions, labels


def indices_in_loops(instructions, labels):
    inside = set()
    for i, (name, operands) in enumerate(instructions):
        target = re.search(r"`\((\.L\w+)\)", operands) if name.startswith("BRA") else None
        # Code ends with a branch to itself, which is no loop.
        if target and labels.get(target[1], i) < i:
            inside.update(range(labels[target[1]], i + 1))
    return inside


def class_of(name):
    return next((kind for kind, begins in CLASSES.items() if re.match(begins, name)), "other")


def statistics(cubin):
    instructions, labels = disassemble(cubin)
    registers, stack = resources(cubin)
    kinds = [class_of(name) for name, _ in instructions]
    inside = indices_in_loops(instructions, labels)
    return {
        "registers": registers, "stack": stack, "instructions": dict(collections.Counter(kinds)),
        "in loops": dict(collections.Counter(kinds[i] for i in inside))
    }


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for cubin in sys.argv[1:]:
        print(cubin, json.dumps(statistics(cubin)))
