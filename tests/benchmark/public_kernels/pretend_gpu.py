"""Makes Triton and PyTorch believe that there is an H200, so that kernels can be recorded and compiled, though not run,
on a machine without a GPU. Tensors lie in the host's memory."""
import contextlib
import functools
import types

import torch
import triton
from torch.overrides import TorchFunctionMode
from triton.backends.compiler import GPUTarget

PROPERTIES = {
    "max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32,
    "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144
}


class Driver:
    utils = types.SimpleNamespace(get_device_properties=lambda device: PROPERTIES)

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=0):
        return (9, 0)

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return torch.cuda

    def get_benchmarker(self):
        raise RuntimeError("nothing can be measured without a GPU")


class CurrentDevice(contextlib.nullcontext):
    """In place of torch.cuda.device."""
    idx = 0

    def __init__(self, device=None):
        super().__init__()


def on_host(function, args, kwargs):
    """What is asked of the GPU is done by the host."""
    host = lambda value: "cpu" if isinstance(value, (str, torch.device)) and str(value).startswith("cuda") else value
    return function(*map(host, args), **{name: host(value) for name, value in kwargs.items()})


def implement(library, register, name, function, key="", **options):
    """What is registered for GPUs is asked of the host, unless it has something of its own."""
    with contextlib.suppress(RuntimeError):
        return register(library, name, function, "CPU" if key == "CUDA" else key, **options)
    return register(library, name, function, key, **options)


class OnHost(TorchFunctionMode):

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return on_host(function, args, kwargs or {})


def install():
    triton.runtime.driver.set_active(Driver())
    cuda = torch.cuda
    properties = types.SimpleNamespace(name="NVIDIA H200", major=9, minor=0, multi_processor_count=132,
                                       total_memory=140 << 30, shared_memory_per_block_optin=232448,
                                       shared_memory_per_block=49152, warp_size=32, L2_cache_size=50 << 20,
                                       regs_per_multiprocessor=65536, shared_memory_per_multiprocessor=233472,
                                       max_threads_per_multi_processor=2048)
    cuda.get_device_name = lambda device=None: properties.name
    cuda.get_device_capability = lambda device=None: (9, 0)
    cuda.get_device_properties = lambda device=None: properties
    # Tensors are on the host for those who ask for their device's module.
    torch.cpu.get_device_properties = cuda.get_device_properties
    cuda.current_device = lambda: 0
    cuda.device_count = lambda: 1
    cuda.is_available = lambda: True
    cuda.synchronize = lambda device=None: None
    cuda.empty_cache = lambda: None
    cuda.is_current_stream_capturing = lambda: False
    cuda.is_bf16_supported = lambda including_emulation=True: True
    cuda.current_stream = lambda device=None: types.SimpleNamespace(cuda_stream=0)
    cuda.device = torch.accelerator.device_index = CurrentDevice
    cuda.default_generators = (types.SimpleNamespace(get_state=lambda: torch.zeros(16, dtype=torch.uint8),
                                                     set_state=lambda state: None), )
    torch.Tensor.is_cuda = property(lambda self: True)
    torch.Tensor.is_cpu = property(lambda self: False)
    # Packages ask what the device with the tensor's number can do.
    device = torch.device("cuda", 0)
    torch.Tensor.device = property(lambda self: device)
    torch.library.Library.impl = functools.partialmethod(implement, torch.library.Library.impl)
    OnHost().__enter__()
    # Modes are not in force where autograd calls back.
    for name in ("arange", "empty", "empty_like", "empty_strided", "full", "full_like", "ones", "ones_like", "tensor", "zeros",
                 "zeros_like"):
        function = getattr(torch, name)
        setattr(torch, name, lambda *args, _function=function, **kwargs: on_host(_function, args, kwargs))
