"""A program for torch.compile with max_autotune, on a machine without a GPU: PyTorch's compiler takes the host's tensors for a
GPU's, and the stand-in driver launches nothing. Measurements give what makes a template of Triton's win here, and the library's
own function there. With --served it would be an error to measure, or to compile more than what was chosen.
"""
import sys

import torch
import torch._inductor.codegen.triton
import torch._inductor.config as config
import torch._inductor.runtime.hints as hints
import torch._inductor.runtime.static_cuda_launcher as static
import torch._inductor.runtime.triton_helpers
import torch._inductor.runtime.triton_heuristics as tuners
import torch._inductor.scheduler
import torch._inductor.select_algorithm as selection
from torch._dynamo.device_interface import CpuInterface
from torch._inductor.codegen.cpu_device_op_overrides import CpuDeviceOpOverrides

import stand_in

properties = hints.DeviceProperties(type="cuda", index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536,
                                    max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32)
hints.DeviceProperties.create = classmethod(lambda cls, device: properties)
CpuInterface.get_compute_capability = staticmethod(lambda device=None: 90)
CpuInterface.is_triton_capable = staticmethod(lambda device=None: True)
CpuInterface.raise_if_triton_unavailable = staticmethod(lambda device=None: None)
CpuInterface.get_raw_stream = staticmethod(lambda device=None: 0)
torch.cuda.current_device = lambda: 0
torch.cuda.synchronize = lambda device=None: None
for name, value in dict(exchange_device=lambda device: 0, maybe_exchange_device=lambda device: 0, current_device=lambda: 0,
                        synchronize=lambda device=None: None, get_raw_stream=lambda device=None: 0).items():
    setattr(torch._dynamo.device_interface.CudaInterface, name, staticmethod(value))
CpuDeviceOpOverrides.import_get_raw_stream_as = lambda self, name: f"{name} = lambda device: 0"
CpuDeviceOpOverrides.device_guard = lambda self, device: "torch.no_grad()"
torch._inductor.runtime.triton_helpers.set_driver_to_gpu = lambda: None
config.cpu_backend = "triton"
config.use_static_cuda_launcher = "--static" in sys.argv
config.compile_threads, config.worker_start_method = (2 if "--workers" in sys.argv else 1), "fork"
config.max_autotune = True
config.coordinate_descent_tuning = True
config.max_autotune_gemm_backends = "ATEN,TRITON"
measured = []


class StaticLauncher(static.StaticallyLaunchedCudaKernel):
    """PyTorch's own launcher, but for the GPU: it finds the kernel in the file by its name."""

    def load_kernel(self, device):
        with open(self.cubin_path, "rb") as file:
            image = file.read()
        assert b"\0" + self.name.encode() + b"\0" in image, self.name
        stand_in.images.append((self.name, image))
        self.function, self.n_regs, self.n_spills, self.cubin_path = 1, 32, 0, None

    def run(self, x, y, z, stream, *arguments):
        assert len(arguments) == len(self.arg_tys), (arguments, self.arg_tys)
        stand_in.launches.append(self.name)


if "--static" in sys.argv:
    tuners.StaticallyLaunchedCudaKernel = StaticLauncher
    config.strict_static_cuda_launcher = True


def measure_choices(self, choices, *args, **kwargs):
    """The third template that there is wins, but for products whose inner size is 96: there the library's function."""
    measured.append(len(choices))
    assert "--served" not in sys.argv, "choices are measured"
    is_extern = [type(choice).__name__ == "ExternKernelCaller" for choice in choices]
    own = 0.5 if choices[0].input_nodes[-1].get_size()[0] == 96 else 9.0
    return {choice: own if extern else abs(number - 2) + 1.0 for number, (choice, extern) in enumerate(zip(choices, is_extern))}


def measure_module(self, module, *args, **kwargs):
    """Taking in a relu pays, taking in a sigmoid does not."""
    assert "--served" not in sys.argv, "a fusion is measured"
    text = open(module.__file__).read()
    module.triton_.precompile()
    return (99.0 if "sigmoid" in text and "tl.dot" in text else 0.1), module.__file__


def measure_config(self, launcher, *args, **kwargs):
    """Two warps are the fastest, with which no kernel begins that is not a template: coordinate descent leads there."""
    assert "--served" not in sys.argv, "a configuration is measured"
    return 1.0 + abs(launcher.config.num_warps - 2)


selection.AlgorithmSelectorCache.benchmark = measure_choices
torch._inductor.scheduler.Scheduler.benchmark_codegened_module = measure_module
torch._inductor.scheduler.Scheduler.benchmark_fused_nodes = lambda self, nodes: (0.1, "")
tuners.CachingAutotuner.bench = measure_config


def model(x, w, v, u):
    return torch.sigmoid(torch.relu(x @ w) @ v) @ u


def main():
    torch.manual_seed(0)
    sizes = (128, 64), (64, 192), (192, 96), (96, 256)
    torch.compile(model)(*(torch.randn(*size) for size in sizes))
    print(len(measured), len(stand_in.images), len(stand_in.launches), *sorted(set(stand_in.launches)))


main()
