"""Runs the library of build.py on a GPU and compares each product with one in double precision.

    check.py OUT [KERNELS]

KERNELS is a regular expression that kernels' names match. Needs PyTorch. An element may be off by what its type and the sum's length allow: the roundings of the factors and of
the sum, relative to the sum of the products' magnitudes.
"""
import ctypes
import math
import os
import re
import sys
from pathlib import Path

import torch
from torch.nn.functional import pad

sys.path.insert(0, str(Path(__file__).parent))
from cases import CASES  # noqa: E402

TYPES = {
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64, "i8": torch.int8,
    "i32": torch.int32, "fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2
}
# The unit roundoff of a type.
ROUNDING = {"fp16": 2**-11, "bf16": 2**-8, "fp32": 2**-24, "fp64": 2**-53, "fp8e4nv": 2**-4, "fp8e5": 2**-3}


class Stream(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int32), ("handle", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


def make(type, shape, generator):
    if type == "i8":
        return torch.randint(-100, 100, shape, device="cuda", generator=generator).to(torch.int8)
    return torch.randn(shape, device="cuda", generator=generator).to(TYPES[type])


def stored(matrix, columns):
    """The matrix in memory with its columns contiguous."""
    return matrix.transpose(-1, -2).contiguous() if columns else matrix.contiguous()


def precision(case):
    """What a factor is off by in relation to itself: less the parts that it is split into, and half of the parts' products
    that are left out."""
    if case.type != "fp32":
        return 0.0
    kept = {"tf32": 2**-10, "tf32x3": 2**-23 + 2**-23, "bf16x3": 2**-16 + 2**-17, "bf16x6": 2**-24 + 2**-24}
    return kept.get(case.constants.get("PRECISION", "tf32"), 0.0)


def of_sum(case, length):
    """What a sum of so many products is off by in relation to its magnitudes. Hopper adds products of 8-bit floats, 32 at
    a time, with 13 bits behind the largest one's first, and cuts off the rest."""
    if case.form in ("half", "halves"):  # rounded to f16 behind each 16 products
        return (math.sqrt(length / 16) + 2) * 2**-11
    if case.type.startswith("fp8"):
        return 2**-12 * (1 if case.form == "imprecise" else math.sqrt(length / 32))
    return (2 * math.sqrt(length) + 2) * (2**-53 if case.out == "fp64" else 2**-24)


E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6]


def make_scaled(format, rows, depth, columns, generator):
    """A factor of tl.dot_scaled with `depth` summed elements in each of `rows`: as it is stored, its scales (bytes), and
    its values. The first row of a factor with scales has one that is not a number."""
    random = lambda low, high, *shape: torch.randint(low, high, shape, device="cuda", generator=generator)
    if format in ("bf16", "fp16"):
        values = make(format, (rows, depth), generator)
        data, scales = values, random(0, 255, 1).byte()
        values = values.double()
    else:
        if format == "e2m1":
            codes = random(0, 16, rows, depth)
            data = (codes[:, 0::2] | codes[:, 1::2] << 4).byte()
            values = torch.tensor(E2M1, device="cuda", dtype=torch.float64)[codes]
        else:
            values = make("fp8e4nv" if format == "e4m3" else "fp8e5", (rows, depth), generator)
            data, values = values.view(torch.uint8), values.double()
        scales = random(127 - 6, 127 + 6, rows, depth // 32)
        factors = torch.exp2((scales - 127).double())
        scales[0, 1], factors[0, 1] = 255, math.nan
        values, scales = values * factors.repeat_interleave(32, 1), scales.byte()
    return data.contiguous() if columns else data.T.contiguous(), scales, values


def check_scaled(index, case, library):
    generator = torch.Generator(device="cuda").manual_seed(index)
    constants = case.constants
    a, a_scale, x = make_scaled(constants["LEFT"], constants["M"], case.depth, True, generator)
    b, b_scale, y = make_scaled(constants["RIGHT"], constants["N"], case.depth, constants["COLUMNS_B"], generator)
    want = x @ y.T
    # Factors are exact.
    allowed = (2 * math.sqrt(case.depth) + 2) * 2**-24 * (x.abs() @ y.abs().T)
    return launch_and_compare(index, library, [a, b, a_scale, b_scale], case, want, allowed)


def check(index, case, library):
    if case.kernel == "scaled_in_loop":
        return check_scaled(index, case, library)
    generator = torch.Generator(device="cuda").manual_seed(index)
    constants, form = case.constants, case.form
    batch = (constants["B"], ) if "B" in constants else ()
    m, n, k = constants["M"], constants["N"], case.depth or constants["K"]
    a, b = make(case.type, (*batch, m, k), generator), make(case.type, (*batch, k, n), generator)
    if form == "infinite":
        a[0, 0], a[1, 1], a[2, 2] = math.inf, -math.inf, math.nan
    columns_a, columns_b = constants.get("COLUMNS_A", False), constants.get("COLUMNS_B", False)
    x, y = a.double(), b.double()
    arguments = [stored(a, columns_a or form == "trans"), stored(b, columns_b or form == "trans")]
    roundings = 2 * precision(case) + of_sum(case, k)
    if case.kernel == "product_under_condition":
        steps = torch.arange(k, device="cuda") // constants["BK"]
        x = x * ((steps % 3 == 0) | (steps == steps[-1]))
    if form == "filled":
        missing = -k % constants["BK"]
        x, y = pad(x, (0, missing), value=2.0), pad(y, (0, 0, 0, missing), value=2.0)
    want, size = x @ y, x.abs() @ y.abs()
    if case.kernel == "product":
        shape = {"bias": (n, ), "erf": (m, n)}.get(form, (n, n))
        third = make("fp32" if form == "bias" else case.type, shape, generator)
        arguments.append(third)
        if form == "bias":
            want, size = want + third.double(), size + third.double().abs()
        elif form == "sums":
            total = want.abs().sum(1, keepdim=True)
            size = size / total + want.abs() / total**2 * size.sum(1, keepdim=True)
            want = want / total
        elif form == "erf":
            factor = third.double().erf()
            roundings += 4 * 2**-24
            want, size = want * factor, size * factor.abs()
        elif form == "computed":
            roundings += 2 * ROUNDING[case.type] if case.type.startswith("fp8") else 0
        elif form == "chain":
            z = third.double()
            roundings = 2 * roundings + 2 * precision(case) + ROUNDING[case.type]
            want, size = want @ z, size @ z.abs()
    elif form == "two":
        roundings *= 3
    elif form == "scaled":
        rounds = [slice(s, s + constants["BK"]) for s in range(0, k, constants["BK"])]
        want, size = torch.zeros_like(want), torch.zeros_like(size)
        for part in rounds:
            want = want / 2 + x[:, part] @ y[part]
            size = size / 2 + x[:, part].abs() @ y[part].abs()
    elif form == "used":
        d, c = torch.zeros_like(want), torch.zeros_like(want)
        for s in range(0, k, constants["BK"]):
            d = d + x[:, s:s + constants["BK"]] @ y[s:s + constants["BK"]]
            c = torch.maximum(c, d)
        want, size = c + d, 2 * size
    allowed = roundings * size
    if case.out in ROUNDING:
        allowed = allowed + ROUNDING[case.out] * want.abs() * (8 if case.out == "fp16" else 1)
    if case.out == "i32":
        allowed = torch.zeros_like(want)
    return launch_and_compare(index, library, arguments, case, want, allowed)


def launch_and_compare(index, library, arguments, case, want, allowed):
    out = torch.full(want.shape, -7, device="cuda").to(TYPES[case.out])
    arguments.append(out)

    stream = Stream(1, torch.cuda.current_stream().cuda_stream)
    passed = [ctypes.c_void_p(t.data_ptr()) for t in arguments]
    if case.depth:
        passed.append(ctypes.c_int32(case.depth))
    status = library[f"products_case_{index}_grid"](stream, Dim3(1, 1, 1), *passed)
    if status != 0:
        return library.products_last_error().decode()
    torch.cuda.synchronize()
    off = (out.double() - want).abs()
    same = (out.double() == want) | (out.isnan() & want.isnan())
    bad = ~((off <= allowed) & want.isfinite() | same)
    if bad.any():
        at = (off - allowed).nan_to_num(float("inf")).argmax().item()
        return (f"{int(bad.sum())} of {bad.numel()} elements, worst {at}: {out.flatten()[at].item()} for "
                f"{want.flatten()[at].item()}, allowed {allowed.flatten()[at].item():.3g}")
    return None


def main():
    library = ctypes.CDLL(str(Path(sys.argv[1]) / "libproducts.so"))
    library.products_last_error.restype = ctypes.c_char_p
    kernels = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    first, failures, tried = map(int, sys.argv[3:6] or (0, 0, 0))
    for index, case in enumerate(CASES[first:], first):
        if not kernels.match(case.kernel):
            continue
        tried += 1
        message = fatal = None
        if not hasattr(library, f"products_case_{index}_grid"):
            message = "it did not compile"
        else:
            try:
                message = check(index, case, library)
            except RuntimeError as problem:  # of the GPU, which then takes no more work from this process
                message = fatal = str(problem).splitlines()[0]
        if message:
            failures += 1
            print(f"case {index}, {case}: {message}", flush=True)
        if fatal:
            rest = [sys.argv[1], kernels.pattern, str(index + 1), str(failures), str(tried)]
            os.execv(sys.executable, [sys.executable, __file__, *rest])
    print(f"{torch.cuda.get_device_name()}: {tried - failures} of {tried} products are right")
    sys.exit(failures != 0)


main()
