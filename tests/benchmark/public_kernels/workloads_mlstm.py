"""The kernels of mLSTM (xLSTM), forward and backward."""
import importlib

import torch
from operations import both_passes

BATCH, HEADS, LENGTH = 4, 8, 2048


def mlstm(path, keys=128, values=256, dtype=torch.bfloat16, length=LENGTH, **options):

    def run(device):
        module, name = path.rsplit(".", 1)
        function = getattr(importlib.import_module(f"mlstm_kernels.torch.{module}"), name)
        normal = lambda *tail: torch.randn(BATCH, HEADS, length, *tail, device=device).to(dtype).requires_grad_()
        q, k, v, i, f = normal(keys), normal(keys), normal(values), normal(), normal()
        both_passes(lambda: function(q, k, v, i, f + 3.0, **options))

    return run


def step(device):
    function = importlib.import_module("mlstm_kernels.torch.recurrent.triton_step").mlstm_recurrent_step__triton
    normal = lambda *tail: torch.randn(64, 8, *tail, device=device)
    function(normal(128), normal(128), normal(256), normal(1), normal(1), normal(128, 256), normal(128), normal(1))


BF16 = torch.bfloat16
WORKLOADS = {
    "large chunks": mlstm("chunkwise.triton_xl_chunk.mlstm_chunkwise__xl_chunk", autocast_kernel_dtype=BF16),
    "large chunks 256": mlstm("chunkwise.triton_xl_chunk.mlstm_chunkwise__xl_chunk", 256, 512, chunk_size=256,
                              autocast_kernel_dtype=BF16),
    "large chunks sigmoid": mlstm("chunkwise.triton_xl_chunk_siging.mlstm_siging_chunkwise__xl_chunk",
                                  autocast_kernel_dtype=BF16),
    "small chunks": mlstm("chunkwise.triton_limit_chunk.mlstm_chunkwise__limit_chunk", autocast_kernel_dtype=BF16),
    "small chunks fp32": mlstm("chunkwise.triton_limit_chunk.mlstm_chunkwise__limit_chunk", 64, 64, torch.float32),
    "parallel": mlstm("parallel.triton_limit_headdim.mlstm_parallel__limit_headdim", 128, 128,
                      autocast_kernel_dtype=BF16),
    "a step": step,
}
