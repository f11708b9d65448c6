"""What build.py compiles and compare.py runs: kernels with their specializations.

CASES are the usual configurations, over which figures are given. WIDE is a search: for the same work all tiles, warps and
stages that could fit a multiprocessor.
"""
import re
from dataclasses import dataclass
from itertools import product


@dataclass
class Case:
    name: str
    kernel: str
    types: str  # of the signature, up to the constants
    constants: dict
    warps: int
    stages: int
    kind: str  # work that several cases do in different ways
    size: tuple

    def signature(self):
        return self.types + "".join(f", {to_text(value)}" for value in self.constants.values())

    def label(self):
        return f"{self.kind}: {self.name}"


def to_text(value):
    return value if isinstance(value, str) else repr(value)


def matching(cases, pattern):
    return [case for case in cases if re.search(pattern, case.label())]


MATMULS = [  # rows, columns, depth, warps, stages
    (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (256, 128, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3),
    (128, 128, 32, 4, 4), (64, 256, 32, 4, 4)
]
SHARED_BYTES = 220 << 10
WIDE_MATMULS = [(m, n, k, warps, stages)
                for m, n, k, warps, stages in product((64, 128, 256), (64, 128, 256), (32, 64, 128), (4, 8), (2, 3, 4, 5))
                if m * n <= 32768 and m * n // (32 * warps) <= 128 and (m + n) * k * 2 * stages <= SHARED_BYTES]
WIDE_ATTENTIONS = [(m, n, warps, stages)
                   for m, n, warps, stages in product((64, 128, 256), (32, 64, 128), (4, 8), (2, 3, 4))
                   if m % n == 0 and m * n // (32 * warps) <= 128]


def matmuls(dtype, element, transposed, sizes, shapes):
    kernel = "matmul_transposed_kernel" if transposed else "matmul_kernel"
    out = {"fp16": "fp16", "bf16": "bf16", "fp32": "fp32", "i8": "i32", "fp8e4nv": "fp16"}[dtype]
    types = f"*{dtype}:16, *{dtype}:16, *{out}:16, i32:16, i32:16, i32:16, i32:16, i32:16, i32:16"
    for m, n, k, warps, stages in shapes:
        k = k * 2 // element
        if (m + n) * k * element * (stages - 1) > SHARED_BYTES:
            continue
        constants = dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP=8, ACC="i32" if dtype == "i8" else "fp32")
        for size in sizes:
            yield Case(f"matmul_{dtype}{'_t' if transposed else ''}_{m}x{n}x{k}_{warps}_{stages}", kernel, types,
                       constants, warps, stages, f"matmul {dtype}{' transposed' if transposed else ''} {size}",
                       (dtype, size, transposed))


def descriptors(shapes):
    for kernel in ("matmul_descriptor_kernel", "matmul_persistent_kernel", "matmul_persistent_flat_kernel",
                   "matmul_persistent_pointer_kernel"):
        for m, n, k, warps, stages in shapes:
            constants = dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP=8)
            for size in (2048, 4096, 8192):
                yield Case(f"{kernel[:-7]}_{m}x{n}x{k}_{warps}_{stages}", kernel,
                           "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16", constants, warps, stages,
                           f"{kernel[:-7]} {size}", ("fp16", size, True))


def attentions(shapes):
    for head in (64, 128):
        for causal in (False, True):
            for m, n, warps, stages in shapes:
                constants = dict(HEAD=head, BLOCK_M=m, BLOCK_N=n, CAUSAL=causal)
                yield Case(f"attention_{head}_{'causal' if causal else 'full'}_{m}x{n}_{warps}_{stages}",
                           "attention_kernel", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, fp32", constants, warps,
                           stages, f"attention {head} {'causal' if causal else 'full'}", (head, causal))


def attentions_by_descriptors(shapes):
    for head in (64, 128):
        for causal in (False, True):
            for m, n, warps, stages in shapes:
                constants = dict(HEAD=head, BLOCK_M=m, BLOCK_N=n, CAUSAL=causal)
                yield Case(f"attention_descriptor_{head}_{'causal' if causal else 'full'}_{m}x{n}_{warps}_{stages}",
                           "attention_descriptor_kernel",
                           "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, fp32", constants, warps,
                           stages, f"attention by descriptors {head} {'causal' if causal else 'full'}", (head, causal))


def backwards(shapes):
    for head in (64, 128):
        for causal in (False, True):
            for few, many, warps, stages in shapes:
                constants = dict(HEAD=head, FEW=few, MANY=many, CAUSAL=causal)
                yield Case(f"backward_{head}_{'causal' if causal else 'full'}_{many}x{few}_{warps}_{stages}",
                           "attention_backward_kernel",
                           "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, *fp16:16, *fp16:16, *fp16:16, "
                           "i32:16, fp32", constants, warps, stages,
                           f"attention backward {head} {'causal' if causal else 'full'}", (head, causal))


def groups(shapes):
    """As many programs as the processors of an H200 run at a time."""
    for m, n, k, warps, stages in shapes:
        constants = dict(PROGRAMS=132, BLOCK_M=m, BLOCK_N=n, BLOCK_K=k)
        for count, size in ((16, (1024, 1024, 1024)), (4, (4096, 4096, 512)), (64, (256, 1024, 4096))):
            yield Case(f"grouped_{m}x{n}x{k}_{warps}_{stages}", "grouped_kernel", "*i64, *i64, *i64, *i32, i32", constants,
                       warps, stages, f"grouped {count} of {' x '.join(map(str, size))}", (count, size))


CASES = [
    *matmuls("fp16", 2, False, (2048, 4096, 8192), MATMULS),
    *matmuls("bf16", 2, False, (4096,), MATMULS[:4]),
    *matmuls("fp32", 4, True, (4096,), MATMULS[:4]),
    *matmuls("i8", 1, True, (4096,), MATMULS[:4]),
    *matmuls("fp8e4nv", 1, True, (4096,), MATMULS[:4]),
    *matmuls("fp32", 4, False, (4096,), MATMULS[:4]),
    *descriptors(((128, 256, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 4))),
    *groups(((128, 128, 64, 4, 3), (128, 256, 64, 8, 3))),
    *attentions(((128, 64, 4, 3), (128, 128, 8, 2), (128, 128, 8, 3), (64, 64, 4, 3))),
    *attentions_by_descriptors(((128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2), (64, 64, 4, 3))),
    *backwards(((32, 128, 4, 3), (32, 128, 4, 5), (64, 128, 8, 2), (64, 64, 4, 2))),
]

WIDE = [
    *matmuls("fp16", 2, False, (4096,), WIDE_MATMULS),
    *matmuls("bf16", 2, False, (4096,), WIDE_MATMULS),
    *matmuls("fp32", 4, True, (4096,), WIDE_MATMULS),
    *matmuls("i8", 1, True, (4096,), WIDE_MATMULS),
    *matmuls("fp8e4nv", 1, True, (4096,), WIDE_MATMULS),
    *descriptors(WIDE_MATMULS),
    *attentions(WIDE_ATTENTIONS),
    *attentions_by_descriptors(WIDE_ATTENTIONS),
    *backwards([(n, m, warps, stages) for m, n, warps, stages in WIDE_ATTENTIONS if m <= 128]),
]
