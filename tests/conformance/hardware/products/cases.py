"""What build.py compiles and check.py runs."""
import itertools
from dataclasses import dataclass, field


@dataclass
class Case:
    kernel: str
    type: str
    out: str
    constants: dict
    warps: int = 4
    stages: int = 3
    depth: int = 0  # of a loop
    form: str = "plain"

    def signature(self):
        if self.kernel == "scaled_in_loop":
            formats = [self.constants[side] for side in ("LEFT", "RIGHT")]
            types = [f"*{f}:16" if f in ("bf16", "fp16") else "*u8:16" for f in formats]
            return ", ".join([*types, "*u8:16", "*u8:16", "*fp32:16", "i32:16"] +
                             [f'"{v}"' if isinstance(v, str) else repr(v) for v in self.constants.values()])
        types = [f"*{self.type}:16", f"*{self.type}:16"]
        if self.kernel == "product":
            types.append("*fp32:16" if self.form == "bias" else f"*{self.type}:16")
        types.append(f"*{self.out}:16")
        if self.depth:
            types.append("i32:16" if self.depth % 16 == 0 else "i32")
        return ", ".join(types + [f'"{v}"' if isinstance(v, str) else repr(v) for v in self.constants.values()])

    def __str__(self):
        return f"{self.kernel} {self.type}->{self.out} {self.constants} warps={self.warps} stages={self.stages} K={self.depth}"


OUT = {"fp16": "fp32", "bf16": "fp32", "fp32": "fp32", "fp64": "fp64", "i8": "i32", "fp8e4nv": "fp32", "fp8e5": "fp32"}


def tile(type, m, n, k, warps=4, form="plain", columns_a=False, columns_b=False, precision="tf32", out=None):
    constants = dict(FORM=form, COLUMNS_A=columns_a, COLUMNS_B=columns_b, PRECISION=precision, M=m, N=n, K=k)
    form_out = {"half": "fp16", "int": "i32", "double": "fp64"}.get(form)
    return Case("product", type, out or form_out or OUT[type], constants, warps, 3, 0, form)


def loop(type, m, n, bk, depth, warps=4, stages=3, form="plain", columns_b=False, precision="tf32", columns_a=False):
    constants = dict(FORM=form, COLUMNS_A=columns_a, COLUMNS_B=columns_b, PRECISION=precision, M=m, N=n, BK=bk)
    return Case("product_in_loop", type, OUT[type], constants, warps, stages, depth, form)


def form_of(type):
    return {"i8": "int", "fp64": "double"}.get(type, "plain")


CASES = []
for type in OUT:
    least = 32 if type in ("i8", "fp8e4nv", "fp8e5") else 16
    shapes = [(16, 16, least), (32, 16, 32), (16, 64, 64), (64, 32, 64), (64, 64, 32), (64, 128, 128), (128, 128, 64),
              (128, 32, 128), (16, 256, 32), (256, 16, 32)]
    if type == "fp64":
        shapes = [(16, 16, 16), (32, 16, 32), (64, 64, 32), (16, 64, 64)]
    for m, n, k in shapes:
        for warps in (1, 4, 8):
            if m * n <= 64 * 64 * warps:
                CASES.append(tile(type, m, n, k, warps, form_of(type)))
    for columns_a, columns_b in ((True, False), (False, True), (True, True)):
        for m, n, k in ((64, 64, 64), (32, 64, 32), (128, 64, 64)):
            if type != "fp64" or m < 128:
                CASES.append(tile(type, m, n, k, 4, form_of(type), columns_a, columns_b))
for type in ("fp16", "bf16", "fp32", "fp8e5"):
    for form in ("trans", "computed", "bias", "sums") + (("chain",) if type != "fp8e5" else ()):
        for m, n, k, warps in ((64, 64, 64, 4), (128, 64, 32, 4), (32, 32, 64, 4), (128, 128, 64, 8)):
            CASES.append(tile(type, m, n, k, warps, form))
for type in ("fp16", "bf16", "fp32"):
    for m, n, k, warps in ((64, 64, 64, 4), (128, 64, 32, 4), (32, 32, 64, 4), (128, 128, 64, 8)):
        CASES.append(tile(type, m, n, k, warps, "erf"))
for type in ("fp8e4nv", "fp8e5"):
    for m, n, k, warps in ((64, 64, 128, 4), (128, 128, 64, 8), (16, 16, 64, 4)):
        CASES.append(tile(type, m, n, k, warps, "imprecise"))
for precision in ("ieee", "tf32x3", "bf16x3", "bf16x6"):
    for m, n, k, warps in ((16, 16, 16, 1), (16, 16, 64, 1), (16, 16, 16, 4), (32, 64, 64, 4), (64, 32, 16, 2), (64, 64, 32, 4),
                           (128, 64, 64, 4), (128, 64, 64, 8), (128, 128, 32, 8)):
        CASES.append(tile("fp32", m, n, k, warps, "plain", False, False, precision))
    for columns_a, columns_b in ((True, False), (False, True), (True, True)):
        for m, n, k in ((64, 64, 32), (32, 16, 64), (128, 64, 32)):
            CASES.append(tile("fp32", m, n, k, 4, "plain", columns_a, columns_b, precision))
    for form in ("trans", "computed", "chain", "infinite"):
        for m, n, k, warps in ((16, 16, 16, 1), (64, 64, 64, 4), (32, 32, 64, 4)):
            CASES.append(tile("fp32", m, n, k, warps, form, False, False, precision))
    for form in ("plain", "two", "scaled"):
        for m, n, bk, warps in ((64, 64, 32, 4), (16, 16, 64, 1), (32, 64, 64, 4), (128, 64, 32, 8)):
            for stages, columns_b in ((1, False), (3, False), (3, True)):
                CASES.append(loop("fp32", m, n, bk, 200 if form == "plain" else 256, warps, stages, form, columns_b,
                                  precision))
for m, n, k in ((16, 16, 16), (64, 64, 64), (128, 128, 32)):
    CASES.append(tile("fp16", m, n, k, 4, "half"))
for form in ("half", "halves"):
    for m, n, bk, warps in ((64, 64, 32, 4), (128, 128, 64, 8), (32, 32, 32, 4), (64, 16, 64, 4)):
        for stages in (1, 3):
            CASES.append(loop("fp16", m, n, bk, 200, warps, stages, form, columns_b=stages == 3))
for type in ("fp16", "bf16", "fp32", "fp8e4nv"):
    for (m, n, bk, warps), stages, depth in itertools.product(
        ((64, 64, 32, 4), (128, 128, 64, 8), (16, 32, 64, 2), (128, 32, 32, 4), (32, 128, 128, 4)), (1, 2, 3, 5),
        (512, 200, 48)):
        if stages == 5 and depth != 512:
            continue
        CASES.append(loop(type, m, n, bk, depth, warps, stages))
# Loads with and without a mask, which are one; and of other values than zeros where there is nothing.
for form in ("even", "filled"):
    for type in ("fp16", "fp32", "fp8e4nv"):
        for (m, n, bk, warps), (stages, depth), columns_b in itertools.product(
            ((64, 64, 32, 4), (128, 128, 64, 8), (16, 32, 64, 2)), ((3, 512), (3, 208), (4, 48)), (False, True)):
            CASES.append(loop(type, m, n, bk, depth, warps, stages, form, columns_b))
# A left factor of columns; and right ones of rows, in f32, which warp groups multiply turned round.
for type in ("fp16", "fp32", "fp8e4nv"):
    for (m, n, bk, warps), stages, columns_b in itertools.product(
        ((64, 64, 32, 4), (128, 128, 64, 8), (64, 256, 32, 8), (32, 128, 32, 4)), (1, 3, 4), (False, True)):
        CASES.append(loop(type, m, n, bk, 208, warps, stages, columns_b=columns_b, columns_a=True))
for (m, n, bk, warps), stages, depth in itertools.product(
    ((128, 256, 32, 8), (256, 128, 32, 8), (16, 128, 64, 4), (64, 64, 16, 4), (128, 64, 8, 4)), (2, 3, 4), (512, 204)):
    CASES.append(loop("fp32", m, n, bk, depth, warps, stages))
for form in ("two", "scaled", "used"):
    for type in ("fp16", "fp32"):
        for m, n, bk, warps in ((64, 64, 32, 4), (128, 128, 64, 8), (32, 32, 32, 4)):
            for stages in (1, 3):
                for columns_b in (False, True):
                    CASES.append(loop(type, m, n, bk, 256, warps, stages, form, columns_b))
for type in ("fp16", "bf16", "fp32", "fp8e4nv"):
    for (m, n, bk, warps), stages, columns_b, depth in itertools.product(
        ((64, 64, 32, 4), (128, 128, 64, 8), (16, 32, 64, 2), (128, 32, 32, 4), (64, 256, 64, 4), (256, 64, 128, 8)), (1, 3, 4),
        (False, True), (512, 208)):
        if type != "fp32" or bk < 128:
            CASES.append(Case("descriptors_in_loop", type, OUT[type],
                              dict(COLUMNS_B=columns_b, PRECISION="tf32", M=m, N=n, BK=bk), warps, stages, depth))
# Warp groups beside each other, whose columns are fewer than a swizzle is long.
for m, n, bk, warps in ((64, 64, 128, 8), (64, 128, 64, 16), (64, 32, 64, 8), (64, 64, 64, 16)):
    for columns_b in (False, True):
        CASES.append(Case("descriptors_in_loop", "fp16", "fp32",
                          dict(COLUMNS_B=columns_b, PRECISION="tf32", M=m, N=n, BK=bk), warps, 3, 512))
for type in ("fp16", "bf16", "fp32", "fp8e4nv"):
    for (m, n, bk, warps), stages, columns_b, depth in itertools.product(
        ((64, 64, 32, 4), (128, 128, 64, 8), (32, 32, 64, 4), (64, 256, 64, 4)), (1, 2, 3, 5), (False, True), (512, 208, 48)):
        if type not in ("fp32", "fp8e4nv") or stages == 3:
            tiles = dict(COLUMNS_B=columns_b, PRECISION="tf32", M=3 * m + 16, N=2 * n, TM=m, TN=n, BK=bk)
            CASES.append(Case("tiles_in_turn", type, "fp32", tiles, warps, stages, depth))
            CASES.append(Case("rounds_of_tiles", type, "fp32", {**tiles, "PROGRAMS": 1}, warps, stages, depth))
for type in ("fp16", "fp32"):
    for m, n, bk, warps in ((128, 64, 64, 4), (64, 64, 64, 8), (32, 32, 32, 4)):
        for columns_b in (False, True):
            CASES.append(Case("descriptors_of_three_axes", type, "fp32",
                              dict(COLUMNS_B=columns_b, PRECISION="tf32", M=m, N=n, BK=bk), warps, 3, 208))
for type in ("fp16", "bf16", "fp32"):
    for b, m, n, k, warps in ((2, 16, 16, 16, 1), (4, 32, 32, 32, 4), (8, 64, 32, 64, 8), (1, 64, 64, 32, 4)):
        CASES.append(Case("batched_product", type, "fp32", dict(B=b, M=m, N=n, K=k), warps))
# Microscaled formats, with matrix units of warps and of warp groups.
for left, right in (("e4m3", "e5m2"), ("e2m1", "e2m1"), ("e4m3", "e2m1"), ("bf16", "e2m1"), ("bf16", "e4m3"),
                    ("e5m2", "bf16"), ("fp16", "e2m1"), ("e4m3", "fp16")):
    for m, n, bk, warps in ((16, 32, 64, 2), (64, 64, 64, 4), (128, 128, 128, 8)):
        for stages, columns_b in ((1, False), (3, False), (3, True)):
            CASES.append(Case("scaled_in_loop", "scaled", "fp32",
                              dict(LEFT=left, RIGHT=right, COLUMNS_B=columns_b, M=m, N=n, BK=bk), warps, stages, 512))
# Loads, or loads and products, that only some rounds make.
for type in ("fp16", "fp32"):
    for m, n, bk, warps in ((64, 64, 64, 4), (16, 32, 64, 2), (128, 128, 32, 8)):
        for stages, zeros in itertools.product((1, 3, 4), (False, True)):
            CASES.append(Case("product_under_condition", type, "fp32",
                              dict(ZEROS=zeros, PRECISION="tf32", M=m, N=n, BK=bk), warps, stages, 512))
for type in ("fp16", "bf16"):
    for m, n, k, warps in ((16, 16, 16, 1), (32, 64, 64, 2), (64, 64, 64, 4), (32, 128, 128, 4)):
        for columns_a, columns_b in itertools.product((False, True), (False, True)):
            CASES.append(tile(type, m, n, k, warps, "widened", columns_a, columns_b))
# Sums in f16 of factors of 8 bits, which warp groups have.
for type in ("fp8e4nv", "fp8e5"):
    for m, n, k, warps in ((64, 64, 64, 4), (128, 128, 64, 8), (16, 16, 64, 4), (64, 256, 32, 4)):
        CASES.append(tile(type, m, n, k, warps, "half"))
    for m, n, bk, warps in ((64, 64, 32, 4), (128, 128, 64, 8), (32, 32, 32, 4)):
        for stages in (1, 3):
            CASES.append(loop(type, m, n, bk, 208, warps, stages, "half", columns_b=stages == 3))
