"""What build.py compiles and compare.py runs: kernels with their specializations."""
from dataclasses import dataclass


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


def to_text(value):
    return value if isinstance(value, str) else repr(value)


MATMULS = [  # rows, columns, depth, warps, stages
    (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (256, 128, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3),
    (128, 128, 32, 4, 4), (64, 256, 32, 4, 4)
]
ATTENTIONS = [  # rows, columns, warps, stages
    (128, 64, 4, 3), (128, 128, 8, 2), (128, 128, 8, 3), (64, 64, 4, 3)
]


def matmuls(dtype, element, acc, transposed, sizes, shapes):
    kernel = "matmul_transposed_kernel" if transposed else "matmul_kernel"
    out = {"fp16": "fp16", "bf16": "bf16", "fp32": "fp32", "i8": "i32", "fp8e4nv": "fp16"}[dtype]
    types = f"*{dtype}:16, *{dtype}:16, *{out}:16, i32:16, i32:16, i32:16, i32:16, i32:16, i32:16"
    for m, n, k, warps, stages in shapes:
        k = k * 2 // element
        if (m + n) * k * element * (stages - 1) > 220 << 10:
            continue
        constants = dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP=8, ACC="i32" if dtype == "i8" else "fp32")
        for size in sizes:
            yield Case(f"matmul_{dtype}{'_t' if transposed else ''}_{m}x{n}x{k}_{warps}_{stages}", kernel, types,
                       constants, warps, stages, f"matmul {dtype}{' transposed' if transposed else ''} {size}",
                       (dtype, size, transposed))


def descriptors():
    for kernel in ("matmul_descriptor_kernel", "matmul_persistent_kernel"):
        for m, n, k, warps, stages in ((128, 256, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 4)):
            constants = dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP=8)
            for size in (4096, 8192):
                yield Case(f"{kernel[:-7]}_{m}x{n}x{k}_{warps}_{stages}", kernel,
                           "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16", constants, warps, stages,
                           f"{kernel[:-7]} {size}", ("fp16", size, True))


def attentions():
    for head in (64, 128):
        for causal in (False, True):
            for m, n, warps, stages in ATTENTIONS:
                constants = dict(HEAD=head, BLOCK_M=m, BLOCK_N=n, CAUSAL=causal)
                yield Case(f"attention_{head}_{'causal' if causal else 'full'}_{m}x{n}_{warps}_{stages}",
                           "attention_kernel", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, fp32", constants, warps,
                           stages, f"attention {head} {'causal' if causal else 'full'}", (head, causal))


def attentions_by_descriptors():
    for head in (64, 128):
        for causal in (False, True):
            for m, n, warps, stages in ((128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2), (64, 64, 4, 3)):
                constants = dict(HEAD=head, BLOCK_M=m, BLOCK_N=n, CAUSAL=causal)
                yield Case(f"attention_descriptor_{head}_{'causal' if causal else 'full'}_{m}x{n}_{warps}_{stages}",
                           "attention_descriptor_kernel",
                           "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, fp32", constants, warps,
                           stages, f"attention by descriptors {head} {'causal' if causal else 'full'}", (head, causal))


def backwards():
    for head in (64, 128):
        for causal in (False, True):
            for few, many, warps, stages in ((32, 128, 4, 3), (32, 128, 4, 5), (64, 128, 8, 2), (64, 64, 4, 2)):
                constants = dict(HEAD=head, FEW=few, MANY=many, CAUSAL=causal)
                yield Case(f"backward_{head}_{'causal' if causal else 'full'}_{many}x{few}_{warps}_{stages}",
                           "attention_backward_kernel",
                           "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, *fp16:16, *fp16:16, *fp16:16, "
                           "i32:16, fp32", constants, warps, stages,
                           f"attention backward {head} {'causal' if causal else 'full'}", (head, causal))


CASES = [
    *matmuls("fp16", 2, "fp32", False, (2048, 4096, 8192), MATMULS),
    *matmuls("bf16", 2, "fp32", False, (4096,), MATMULS[:4]),
    *matmuls("fp32", 4, "fp32", True, (4096,), MATMULS[:4]),
    *matmuls("i8", 1, "i32", True, (4096,), MATMULS[:4]),
    *matmuls("fp8e4nv", 1, "fp32", True, (4096,), MATMULS[:4]),
    *matmuls("fp32", 4, "fp32", False, (4096,), MATMULS[:4]),
    *descriptors(),
    *attentions(),
    *attentions_by_descriptors(),
    *backwards(),
]
