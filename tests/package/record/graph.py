"""Launches kernels as torch.compile does: files as PyTorch's compiler writes them, compiled by its AsyncCompile and run by its
own launcher. One has several configurations to measure. With --served it would be an error to send them to other processes,
or to measure."""
import concurrent.futures
import sys

import torch
import torch._inductor.async_compile as processes
import torch._inductor.config
import torch._inductor.runtime.triton_heuristics as tuners
import torch._inductor.runtime.triton_helpers
from torch._dynamo.device_interface import CudaInterface

import stand_in

# What it asks of a GPU.
torch.cuda.current_device = lambda: 0
torch.cuda.synchronize = lambda device=None: None
CudaInterface.exchange_device = CudaInterface.maybe_exchange_device = staticmethod(lambda device: 0)
CudaInterface.current_device = staticmethod(lambda: 0)
CudaInterface.synchronize = staticmethod(lambda device=None: None)
CudaInterface.get_raw_stream = staticmethod(lambda device=None: 0)
torch._inductor.runtime.triton_helpers.set_driver_to_gpu = lambda: None
torch._inductor.config.use_static_cuda_launcher = False
KERNEL = '''
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties

@triton_heuristics.pointwise(
    size_hints={'x': 4096}, filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
                 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9,
                                            regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, warp_size=32),
                 'constants': {}, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]],
                                               (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_relu_0',
                   'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'num_load': 2, 'num_reduction': 0,
                   'backend_hash': 'none', 'are_deterministic_algorithms_enabled': False, 'assert_indirect_indexing': True,
                   'autotune_local_cache': False, 'autotune_pointwise': False, 'autotune_remote_cache': None,
                   'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False,
                   'max_autotune_pointwise': TUNED, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False},
    min_elem_per_thread=0)
@triton.jit
def triton_poi_fused_add_relu_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = triton_helpers.maximum(tl.full([1], 0, tl.int32), tmp0 + tmp1)
    tl.store(out_ptr0 + (x0), tmp2, xmask)
'''


def measure(self, launcher, *arguments, **options):
    assert "--served" not in sys.argv, "a configuration is measured"
    return 1.0 + (launcher.config.kwargs["XBLOCK"] != 512)


def main():
    tuners.CachingAutotuner.bench = measure
    torch._inductor.config.compile_threads = 1
    if "--served" in sys.argv:
        torch._inductor.config.compile_threads = 4
        processes.AsyncCompile._ready_future = concurrent.futures.Future()
        processes.AsyncCompile._ready_future.set_result(True)
    for tuned in (False, True):
        text = KERNEL.replace("TUNED", str(tuned)).replace("fused_add_relu_0", f"fused_add_relu_{int(tuned)}")
        kernel = processes.AsyncCompile().triton(f"triton_poi_fused_add_relu_{int(tuned)}", text)
        for n in (1000, 3333):
            kernel.run(torch.zeros(n), torch.zeros(n), torch.zeros(n), n, stream=0)
    print(len(stand_in.images), len(stand_in.launches))


main()
