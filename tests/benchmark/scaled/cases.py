"""What build.py compiles and compare.py runs: formats of the two factors, and configurations for each."""
# Types in memory, formats, elements in a byte, which factors have scales, whether b's columns are contiguous.
CASES = {
    "mxfp8 x mxfp8": ("*fp8e4nv", "*fp8e5", "e4m3", "e5m2", 1, 1, True, True, True),
    "mxfp4 x mxfp4": ("*u8", "*u8", "e2m1", "e2m1", 2, 2, True, True, True),
    "bf16 x mxfp4": ("*bf16", "*u8", "bf16", "e2m1", 1, 2, False, True, True),
    "bf16 x mxfp8": ("*bf16", "*fp8e4nv", "bf16", "e4m3", 1, 1, False, True, False),
    "mxfp4 x bf16": ("*u8", "*bf16", "e2m1", "bf16", 2, 1, True, False, False),
    "fp16 x mxfp4": ("*fp16", "*u8", "fp16", "e2m1", 1, 2, False, True, True),
}
# Rows, columns, depth, warps, stages.
CONFIGS = [(128, 128, 128, 8, 3), (128, 128, 64, 4, 3), (128, 256, 64, 8, 3)]


def constants(case, config):
    _, _, left, right, left_pack, right_pack, left_scaled, right_scaled, columns = CASES[case]
    rows, cols, depth, _, _ = config
    return dict(FA=left, FB=right, PA=left_pack, PB=right_pack, A_SCALED=left_scaled, B_SCALED=right_scaled,
                B_COL=columns, FAST=True, BM=rows, BN=cols, BK=depth)


def signature(case, config):
    left, right = CASES[case][:2]
    types = [left, "*u8", right, "*u8", "*fp32", "i32", "i32", "i32"]
    values = [f'"{v}"' if isinstance(v, str) else repr(v) for v in constants(case, config).values()]
    return ", ".join([f"{t}:16" for t in types] + values)


def function(case, index):
    return f"{case.replace(' x ', '_')}_{index}"
