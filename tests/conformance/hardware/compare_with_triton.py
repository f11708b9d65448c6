"""Runs the library of build_cases.py and Triton's JIT on the same GPU with the same arguments, and compares every array
afterwards, with what lies behind its end.

    compare_with_triton.py OUT

Needs PyTorch and Triton. Integers must be equal; floating-point numbers may differ by a few units in the last place,
because sums may be taken in another order.
"""
import ctypes
import importlib.util
import sys
from pathlib import Path

import torch

here = Path(__file__).parent
sys.path.insert(0, str(here))
from cases import CASES  # noqa: E402

TYPES = {
    "fp64": torch.float64, "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
    "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8
}
TOLERANCES = {torch.float64: 1e-14, torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}
BEHIND = 64  # elements behind each array, which nobody may write


class Stream(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int32), ("handle", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


def load_module(name):
    if name not in sys.modules:
        path = here.parent / "kernels" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def make_array(argument, generator):
    dtype, length = TYPES[argument.element], argument.value + BEHIND
    if dtype.is_floating_point:
        return (torch.randn(length, device="cuda", generator=generator) * 3).to(dtype)
    return torch.randint(1, 100, (length,), device="cuda", generator=generator).to(dtype)


def to_c(argument, value):
    if argument.is_pointer:
        return ctypes.c_void_p(value.data_ptr())
    return ctypes.c_float(value) if argument.element == "fp32" else ctypes.c_int32(value)


def difference(triton_array, our_array):
    """None if the arrays agree, else where they differ most."""
    if not triton_array.dtype.is_floating_point:
        if torch.equal(triton_array, our_array):
            return None
    else:
        tolerance = TOLERANCES[triton_array.dtype]
        if torch.allclose(our_array.double(), triton_array.double(), rtol=tolerance, atol=10 * tolerance,
                          equal_nan=True):
            return None
    distances = (triton_array.double() - our_array.double()).abs().nan_to_num(float("inf"))
    at = distances.argmax().item()
    return f"element {at}: Triton has {triton_array[at].item()}, Nereid {our_array[at].item()}"


def run(index, case, library):
    generator = torch.Generator(device="cuda").manual_seed(index)
    values = [make_array(a, generator) if a.is_pointer else a.value for a in case.arguments]
    ours = [value.clone() if isinstance(value, torch.Tensor) else value for value in values]
    getattr(load_module(case.file), case.kernel)[case.grid](*values, num_warps=case.warps)

    stream = Stream(1, torch.cuda.current_stream().cuda_stream)
    passed = [to_c(a, value) for a, value in zip(case.arguments, ours) if a.type is not None]
    status = library[f"cases_case_{index}_grid"](stream, Dim3(*case.grid), *passed)
    if status != 0:
        return library.cases_last_error().decode()
    torch.cuda.synchronize()
    for argument, triton_value, our_value in zip(case.arguments, values, ours):
        if argument.is_pointer and (found := difference(triton_value, our_value)):
            return f"{argument.name}, {found}"
    return None


def main():
    library = ctypes.CDLL(str(Path(sys.argv[1]) / "libcases.so"))
    library.cases_last_error.restype = ctypes.c_char_p
    failures = 0
    for index, case in enumerate(CASES):
        if message := run(index, case, library):
            failures += 1
            print(f"case_{index} {case.file}.{case.kernel}({case.signature()}), {case.warps} warps: {message}")
    print(f"{torch.cuda.get_device_name()}: {len(CASES) - failures} of {len(CASES)} cases agree with Triton")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
