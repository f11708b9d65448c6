"""Times the libraries of build.py beside Triton's JIT of the same kernels and the vendor's libraries, on one GPU, in one
process.

    compare.py [--wide] [--alone] OUT [PATTERN]

With --alone, Triton is left out. With --wide it is the search's cases that are run, of those that were built, and ranked. Needs PyTorch and Triton. Results are compared with PyTorch before anything is timed. A line is one case: TFLOP/s of
Nereid and of Triton, and their ratio. Then, for each kind of work, the best of either and the library's.
"""
import argparse
import ctypes
import sys
from collections import defaultdict
from pathlib import Path

import torch
import triton
import triton.language as tl

sys.path.insert(0, str(Path(__file__).parent))
import kernels  # noqa: E402
from cases import CASES, WIDE, matching  # noqa: E402

TYPES = {
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "i8": torch.int8,
    "fp8e4nv": torch.float8_e4m3fn
}


class Stream(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int32), ("handle", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


class Library:
    """A library made by Nereid, called through its C interface."""

    def __init__(self, folder, name):
        self.name = name
        self.library = ctypes.CDLL(str(Path(folder) / f"lib{name}.so"))
        self.library[f"{name}_last_error"].restype = ctypes.c_char_p

    def call(self, function, *arguments):
        stream = Stream(1, torch.cuda.current_stream().cuda_stream)
        status = self.library[f"{self.name}_{function}"](stream, *arguments)
        if status != 0:
            raise RuntimeError(self.library[f"{self.name}_last_error"]().decode())


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def difference(got, want):
    return ((got.double() - want.double()).norm() / want.double().norm()).item()


class Matmul:

    def __init__(self, dtype_name, size, transposed):
        dtype = TYPES[dtype_name]
        self.size, self.flops = size, 2 * size**3
        make = lambda: (torch.randint(-8, 8, (size, size), device="cuda") if dtype_name == "i8" else torch.randn(
            size, size, device="cuda")).to(dtype)
        self.a, self.b = make(), make()
        out = {torch.int8: torch.int32, torch.float8_e4m3fn: torch.float16}.get(dtype, dtype)
        self.ours, self.theirs = (torch.full((size, size), -1, device="cuda", dtype=out) for _ in range(2))
        b = self.b.T if transposed else self.b
        torch.backends.cuda.matmul.allow_tf32 = True
        self.want = self.a.double() @ b.double()
        if dtype == torch.int8:
            self.vendor = lambda: torch._int_mm(self.a, b)
        elif dtype == torch.float8_e4m3fn:
            one = torch.tensor(1.0, device="cuda")
            self.vendor = lambda: torch._scaled_mm(self.a, b, one, one, out_dtype=torch.float16, use_fast_accum=True)
        else:
            self.vendor = lambda: torch.matmul(self.a, b)
        # The sums' rounding to the result's type, or that of the operands to tf32.
        self.tolerance = {torch.float32: 2e-3, torch.int8: 0.0, torch.bfloat16: 4e-3, torch.float16: 5e-4}.get(
            dtype, 2e-3)

    def calls(self, case, library):
        constants = dict(case.constants)
        blocks = triton.cdiv(self.size, constants["BLOCK_M"]) * triton.cdiv(self.size, constants["BLOCK_N"])
        if "persistent" in case.kernel:
            blocks = min(blocks, torch.cuda.get_device_properties("cuda").multi_processor_count)
        count = 3 if "ACC" not in constants else 6  # of sizes and strides
        numbers = [ctypes.c_int32(self.size)] * count
        tensors = (self.a, self.b, self.ours)
        if "ACC" in constants:
            constants["ACC"] = tl.int32 if constants["ACC"] == "i32" else tl.float32
        ours = lambda: library.call(case.kernel + "_grid", Dim3(blocks, 1, 1), *map(pointer, tensors), *numbers)
        theirs = lambda: getattr(kernels, case.kernel)[(blocks,)](self.a, self.b, self.theirs, *[self.size] * count,
                                                                  **constants, num_warps=case.warps,
                                                                  num_stages=case.stages)
        return ours, theirs


class Grouped:
    """Products of one size, of which the kernel knows nothing: neither addresses nor sizes."""

    def __init__(self, count, size):
        m, n, k = size
        self.count, self.flops = count, 2 * count * m * n * k
        a, b = (torch.randn(count, rows, k, device="cuda", dtype=torch.float16) for rows in (m, n))
        self.ours, self.theirs = (torch.full((count, m, n), -1, device="cuda", dtype=torch.float16) for _ in range(2))
        self.vendor = lambda: torch.bmm(a, b.transpose(1, 2))
        self.want, self.tolerance, self.operands = self.vendor(), 1e-3, (a, b)
        self.sizes = torch.tensor([size] * count, device="cuda", dtype=torch.int32)

    def calls(self, case, library):
        addresses = lambda tensors: torch.tensor([x.data_ptr() for x in tensors], device="cuda")
        operands, ours, theirs = map(addresses, self.operands), addresses(self.ours), addresses(self.theirs)
        a, b = operands
        blocks = case.constants["PROGRAMS"]
        tensors = (a, b, ours, self.sizes)
        run = lambda: library.call("grouped_kernel_grid", Dim3(blocks, 1, 1), *map(pointer, tensors),
                                   ctypes.c_int32(self.count))
        triton_run = lambda: kernels.grouped_kernel[(blocks,)](a, b, theirs, self.sizes, self.count, **case.constants,
                                                               num_warps=case.warps, num_stages=case.stages)
        return run, triton_run


class Attention:

    def __init__(self, head, causal):
        length, heads = 8192, 32 if head == 64 else 16
        self.grid, self.length, self.scale = heads, length, head**-0.5
        self.flops = 4 * heads * length * length * head // (2 if causal else 1)
        self.q, self.k, self.v = (torch.randn(heads, length, head, device="cuda", dtype=torch.float16)
                                  for _ in range(3))
        self.lse = torch.empty(heads, length, device="cuda")
        self.ours, self.theirs = (torch.full_like(self.q, float("nan")) for _ in range(2))
        four = [x[None] for x in (self.q, self.k, self.v)]
        self.vendor = lambda: torch.nn.functional.scaled_dot_product_attention(*four, is_causal=causal)
        self.want = self.vendor()[0]
        self.tolerance = 2e-3

    def calls(self, case, library):
        grid = (triton.cdiv(self.length, case.constants["BLOCK_M"]), self.grid, 1)
        more, lengths = [], [self.length]
        if case.kernel == "attention_descriptor_kernel":
            more, lengths = [self.lse], [self.length, self.grid * self.length]
        ours = lambda: library.call(f"{case.kernel}_grid", Dim3(*grid),
                                    *map(pointer, [self.q, self.k, self.v, self.ours, *more]),
                                    *map(ctypes.c_int32, lengths), ctypes.c_float(self.scale))
        theirs = lambda: getattr(kernels, case.kernel)[grid](self.q, self.k, self.v, self.theirs, *more, *lengths,
                                                             self.scale, **case.constants, num_warps=case.warps,
                                                             num_stages=case.stages)
        return ours, theirs


class Backward:
    """The gradients of attention. What the kernel gets from the forward pass is computed here, in double precision."""

    def __init__(self, head, causal):
        length, heads = 8192, 16 if head == 64 else 8
        self.heads, self.length, self.scale = heads, length, head**-0.5
        self.flops = 10 * heads * length * length * head // (2 if causal else 1)
        q, k, v, do = (torch.randn(heads, length, head, device="cuda", dtype=torch.float16) for _ in range(4))
        four = [x[None].requires_grad_() for x in (q, k, v)]
        out = torch.nn.functional.scaled_dot_product_attention(*four, is_causal=causal)
        self.vendor = lambda: torch.autograd.grad(out, four, do[None], retain_graph=True)
        self.want = torch.cat([x[0] for x in self.vendor()])
        delta = (out[0].detach().double() * do.double()).sum(-1).float()
        lse = torch.empty(heads, length, device="cuda")
        seen = torch.ones(length, length, device="cuda", dtype=torch.bool).tril() if causal else None
        for one in range(heads):
            scores = q[one].float() @ k[one].float().T * (self.scale * 1.4426950408889634)
            if causal:
                scores.masked_fill_(~seen, float("-inf"))
            lse[one] = torch.logsumexp(scores * 0.6931471805599453, 1) * 1.4426950408889634
        scaled = (q * (self.scale * 1.4426950408889634)).to(torch.float16)
        self.tensors = [scaled, k, v, do, lse, delta]
        self.ours, self.theirs = (torch.full((3 * heads, length, head), float("nan"), device="cuda", dtype=torch.float16)
                                  for _ in range(2))
        self.tolerance = 2e-3

    def calls(self, case, library):
        grid = (triton.cdiv(self.length, case.constants["MANY"]), self.heads, 1)
        kernel = kernels.attention_backward_kernel
        ours = lambda: library.call("attention_backward_kernel_grid", Dim3(*grid), *map(
            pointer, (*self.tensors, *self.ours.chunk(3))), ctypes.c_int32(self.length), ctypes.c_float(self.scale))
        theirs = lambda: kernel[grid](*self.tensors, *self.theirs.chunk(3), self.length, self.scale, **case.constants,
                                      num_warps=case.warps, num_stages=case.stages)
        return ours, theirs


def time_of(*calls):
    """The calls' times in ms, taken in turns: the GPU's clock falls as it warms up."""
    times = [[] for _ in calls]
    for _ in range(3):
        for call, of in zip(calls, times):
            of.append(triton.testing.do_bench(call, warmup=10, rep=25, return_mode="median"))
    return [sorted(of)[1] for of in times]


def work_of(kind):
    if kind.startswith("attention"):
        return Backward if "backward" in kind else Attention
    return Grouped if kind.startswith("grouped") else Matmul


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("folder", type=Path)
    parser.add_argument("pattern", nargs="?", default="")
    arguments = parser.parse_args()
    folder = arguments.folder
    cases = matching(WIDE if arguments.wide else CASES, arguments.pattern)
    if arguments.wide:
        cases = [case for case in cases if (folder / f"lib{case.name}.so").exists()]
    # For descriptors that kernels make.
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}")
    works, best, ranks = {}, defaultdict(lambda: [0.0, 0.0]), defaultdict(list)
    for case in cases:
        label = case.label()
        try:
            if case.kind not in works:
                works.clear()
                torch.cuda.empty_cache()
                works[case.kind] = work_of(case.kind)(*case.size)
            work = works[case.kind]
            runs, rates = {}, [float("nan")] * 2
            for i, (side, run, out) in enumerate(
                    zip(("Nereid", "Triton"), work.calls(case, Library(folder, case.name)),
                        (work.ours, work.theirs))):
                if side == "Triton" and arguments.alone:
                    continue
                try:
                    run()
                    torch.cuda.synchronize()
                    error = difference(out, work.want)
                    if not error <= work.tolerance:
                        print(f"{label}: {side}'s result is wrong, relative error {error:.2e}", flush=True)
                    runs[i] = run
                except Exception as problem:  # one side's limits should not hide the other's figure
                    print(f"{label}: {side}: {' '.join(str(problem).split())[-300:]}", flush=True)
            for i, milliseconds in zip(runs, time_of(*runs.values())):
                rates[i] = work.flops / milliseconds / 1e9
            print(f"{label:64} {rates[0]:8.1f} {rates[1]:8.1f} {rates[0] / rates[1]:7.3f}", flush=True)
            ranks[case.kind].append((rates[0], case.name))
            for i in range(2):
                best[case.kind][i] = max(best[case.kind][i], rates[i] if rates[i] == rates[i] else 0.0)
            if len(best[case.kind]) == 2:
                best[case.kind].append(work.flops / time_of(work.vendor)[0] / 1e9)
        except Exception as problem:
            print(f"{label}: {' '.join(str(problem).split())[-300:]}", flush=True)
    if arguments.wide:
        for kind, cases in ranks.items():
            print(f"\n{kind}, TFLOP/s of Nereid")
            for rate, name in sorted(((rate, name) for rate, name in cases if rate == rate), reverse=True):
                print(f"{name:64} {rate:8.1f}")
    print(f"\n{'best of all configurations, TFLOP/s':40} {'Nereid':>8} {'Triton':>8} {'ratio':>7} {'library':>8}")
    for kind, (ours, theirs, vendor) in best.items():
        print(f"{kind:40} {ours:8.1f} {theirs:8.1f} {ours / max(theirs, 1e-9):7.3f} {vendor:8.1f}")


main()
