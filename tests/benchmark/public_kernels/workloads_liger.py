"""Operations of Liger-Kernel with matrix products of their own, forward and backward, and a few without any."""
import importlib

import torch

importlib.import_module("liger_kernel.ops")


def function(module, name, make):
    """Runs an autograd function of liger_kernel.ops with what `make` makes: a list of arguments."""

    def run(device):
        torch.set_default_device(device)
        try:
            apply = getattr(importlib.import_module(f"liger_kernel.ops.{module}"), name).apply
            result = apply(*make())
            outputs = [x for x in (result if isinstance(result, tuple) else (result, ))
                       if isinstance(x, torch.Tensor) and x.requires_grad]
            torch.autograd.backward(outputs, [torch.randn_like(x) if x.dim() else torch.full_like(x, 0.5)
                                              for x in outputs])
        finally:
            torch.set_default_device(None)

    return run


def normal(*sizes, dtype=torch.bfloat16, scale=1.0):
    return (torch.randn(*sizes) * scale).to(dtype).requires_grad_()


def mlp():
    return [normal(4, 2048, 2048), normal(5632, 2048, scale=0.02), normal(5632, 2048, scale=0.02),
            normal(2048, 5632, scale=0.02)]


def experts():
    tokens, wide, narrow, count, chosen = 8192, 2048, 1024, 16, 4
    best = torch.rand(tokens, count).topk(chosen)
    return [normal(tokens, wide), normal(count, 2 * narrow, wide, scale=0.02), normal(count, wide, narrow, scale=0.02),
            best.indices.to(torch.int32), best.values.to(torch.bfloat16).requires_grad_()]


def neighborhood(dtype):
    return lambda: [*(normal(2, 8, 1024, 64, dtype=dtype) for _ in range(3)), 7, 1, None]


def hyper_connections():
    streams, width = 4, 2048
    outputs = streams * streams + 2 * streams
    scalar = lambda: torch.full((), 0.5).requires_grad_()
    return [normal(4096, streams, width), normal(streams * width, outputs, scale=0.02),
            torch.zeros(outputs).requires_grad_(), scalar(), scalar(), scalar(), False, 20, 1e-6, 1e-6, 1e-6, 2.0]


def packed_weights(device):
    module = importlib.import_module("liger_kernel.ops.experimental.mm_int8int2")
    a = torch.randint(-128, 127, (4096, 4096), dtype=torch.int8, device=device)
    b = torch.randint(0, 255, (1024, 4096), dtype=torch.uint8, device=device)
    module.matmul(a, b)


def loss():
    return [normal(4096, 2048), normal(32768, 2048, scale=0.02), torch.randint(0, 32768, (4096, ))]


WORKLOADS = {
    "mlp": function("mlp", "LigerMLPFunction", mlp),
    "experts": function("fused_moe", "LigerFusedMoEFunction", experts),
    "neighborhood": function("fused_neighborhood_attention", "LigerFusedNeighborhoodAttentionFunction",
                             neighborhood(torch.bfloat16)),
    "neighborhood fp32": function("fused_neighborhood_attention", "LigerFusedNeighborhoodAttentionFunction",
                                  neighborhood(torch.float32)),
    "hyper connections": function("mhc", "LigerMHCCoeffsFunction", hyper_connections),
    "packed weights": packed_weights,
    "linear cross entropy": function("fused_linear_cross_entropy", "LigerFusedLinearCrossEntropyFunction", loss),
    "rms norm": function("rms_norm", "LigerRMSNormFunction", lambda: [normal(8192, 4096), normal(4096), 1e-6]),
    "layer norm": function("layer_norm", "LigerLayerNormFunction",
                           lambda: [normal(8192, 4096), normal(4096), normal(4096), 1e-6]),
    "swiglu": function("swiglu", "LigerSiLUMulFunction", lambda: [normal(8192, 8192), normal(8192, 8192)]),
}
