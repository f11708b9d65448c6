"""Launches recorded conformance cases on an NVIDIA GPU and compares the arrays with what the CPU computed.

    NEREID_RECORD_CUDA=FOLDER build/tests/conformance/..._test      # where Nereid is built; no GPU needed
    python3 replay_on_gpu.py FOLDER                                 # where the GPU is; needs NumPy and libcuda

NEREID_RECORD_CTAS=2 beside the first records code for clusters of two blocks.

Integers must be equal. Floating-point results may differ by the rounding that the two machines' instructions and orders
of summation allow: 2e-5 for fp32, 4e-3 for fp16, 2e-2 for bf16, 1e-12 for fp64, relative to the element or, as terms may
cancel, to the median of the array's elements that are not 0; fp8 by one step; fp32 by 4e-3 in cases whose code
multiplies it as tf32. NaN must meet NaN. The tables of conversions (ConversionTableTest.cpp) must be equal bit for bit,
NaNs too:

    NEREID_RECORD_CUDA=FOLDER build/tests/conformance/conformance_conversion_test
"""
import ctypes
import json
import sys
from pathlib import Path

import numpy as np

cuda = ctypes.CDLL("libcuda.so.1")
DTYPES = {
    "i1": "u1", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
    "fp16": "f2", "fp32": "f4", "fp64": "f8", "bf16": "u2",
}
TOLERANCE = {"fp16": 4e-3, "fp32": 2e-5, "fp64": 1e-12, "bf16": 2e-2}
TF32_TOLERANCE = 4e-3  # factors have 11 bits, as fp16 has
# Cases whose arrays hold addresses of the machine that recorded them, or that warps may do in another order.
NOT_PORTABLE = ("Language.PointersInMemory-0", "InPlace.", "Memory.DescriptorsKeepToTheOrderOfTheProgram-0")
EXACT = "ConversionTable"


def check(result, what):
    if result:
        raise RuntimeError(f"{what}: CUDA error {result}")


def decode(kind, data):
    values = np.frombuffer(data, DTYPES.get(kind, "u1"))
    if kind == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32)
    return values


def differs(kind, got, want, exact=False, precision="ieee"):
    """A description of the first difference that is too large, or None."""
    a, b = decode(kind, got), decode(kind, want)
    if exact:
        a, b = (np.frombuffer(data, f"u{a.dtype.itemsize if kind != 'bf16' else 2}") for data in (got, want))
        bad = a != b
    elif kind.startswith("fp8"):
        bad = np.abs(a.astype(int) - b.astype(int)) > 1
    elif kind in TOLERANCE:
        tolerance = TF32_TOLERANCE if kind == "fp32" and precision == "tf32" else TOLERANCE[kind]
        a, b = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(all="ignore"):
            sizes = np.abs(b[np.isfinite(b) & (b != 0)])
            typical = np.median(sizes) if sizes.size else 0
            close = np.abs(a - b) <= tolerance * np.maximum(typical, np.abs(b))
        bad = ~(close | (a == b) | (np.isnan(a) & np.isnan(b)))
    else:
        bad = a != b
    if not bad.any():
        return None
    at = int(np.argmax(bad))
    return f"{int(bad.sum())} of {bad.size} differ, first at {at}: {a[at]} instead of {b[at]}"


def run(case, data):
    piece = lambda span: data[span[0] : span[0] + span[1]]
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuModuleLoadData(ctypes.byref(module), piece(case["image"])), "cuModuleLoadData")
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, case["symbol"].encode()), "cuModuleGetFunction")
    if case["shared"] > 48 * 1024:
        check(cuda.cuFuncSetAttribute(function, 8, case["shared"]), "cuFuncSetAttribute")
    storage, addresses = [], {}
    for argument in case["arguments"]:
        if "bits" in argument:
            storage.append(ctypes.c_uint64(argument["bits"]))
            continue
        before = piece(argument["before"])
        address = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(address), max(len(before), 1)), "cuMemAlloc")
        if before:
            check(cuda.cuMemcpyHtoD_v2(address, before, len(before)), "cuMemcpyHtoD")
        addresses[argument["name"]] = address
        storage.append(address)
    pointers = (ctypes.c_void_p * len(storage))(*[ctypes.addressof(s) for s in storage])
    if all(case["grid"]):
        x, y, z = case["grid"]  # of programs, each a cluster of blocks whose size the code says
        check(
            cuda.cuLaunchKernel(function, x * case.get("cluster", 1), y, z, case["threads"], 1, 1, case["shared"], None, pointers, None),
            "cuLaunchKernel",
        )
    check(cuda.cuCtxSynchronize(), "cuCtxSynchronize")
    problems = []
    for argument in case["arguments"]:
        if "bits" in argument or not argument["after"][1]:
            continue
        got = ctypes.create_string_buffer(argument["after"][1])
        check(cuda.cuMemcpyDtoH_v2(got, addresses[argument["name"]], len(got)), "cuMemcpyDtoH")
        problem = differs(
            argument["type"], got.raw, piece(argument["after"]), EXACT in case["name"], case.get("precision", "ieee")
        )
        if problem:
            problems.append(f"{argument['name']}: {problem}")
    for address in addresses.values():
        check(cuda.cuMemFree_v2(address), "cuMemFree")
    check(cuda.cuModuleUnload(module), "cuModuleUnload")
    return problems


def make_context():
    context = ctypes.c_void_p()
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), "cuDevicePrimaryCtxRetain")
    check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")


def main():
    check(cuda.cuInit(0), "cuInit")
    make_context()
    passed = failed = 0
    for path in sorted(Path(sys.argv[1]).glob("*.json")):
        case = json.loads(path.read_text())
        if case["name"].startswith(NOT_PORTABLE):
            continue
        try:
            problems = run(case, path.with_suffix(".bin").read_bytes())
        except RuntimeError as error:
            # An error of a kernel ends the context, in which nothing would run any more.
            problems = [str(error)]
            cuda.cuDevicePrimaryCtxReset_v2(0)
            make_context()
        if problems:
            failed += 1
            print(f"{case['name']}: {'; '.join(problems)}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    raise SystemExit(failed != 0)


main()
