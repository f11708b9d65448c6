"""A driver for Triton on a machine without a GPU: kernels are compiled for a GPU, and launches of them do nothing. So a
program can be recorded; its results are right only once it is served."""
import operator
import os
import types

import triton
from triton.backends.compiler import GPUTarget

launches = []
images = []  # what was loaded
loaded = 4 if triton.__version__ < "3.4" else 5  # what a binary that is loaded tells


class Launcher:

    def __init__(self, source, metadata):
        self.name = metadata.name

    def __call__(self, *arguments, **options):
        for size in map(operator.index, arguments[:3]):  # as PyArg_ParseTuple reads them
            if not -2**31 <= size < 2**31:
                raise OverflowError("signed integer is too large or too small")
        launches.append(self.name)


class Driver:
    launcher_cls = Launcher
    utils = types.SimpleNamespace(
        get_device_properties=lambda device: {
            "max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32,
            "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144},
        load_binary=lambda name, image, shared, device: (images.append((name, image)) or object(), 0, 32, 0, 1024)[:loaded])

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_benchmarker(self):

        def measure(call, quantiles=None, **_):
            before = len(launches)
            call()
            assert len(launches) == before + 1, "a measurement is one launch"
            return [0.1 + len(launches) * 5 % 7] * 3  # so that winners differ

        return measure


if os.environ.get("NEREID_SERVE_DEVICE") != "cpu" and os.environ.get("DEVICE", "cpu") == "cpu":
    triton.runtime.driver.set_active(Driver())
