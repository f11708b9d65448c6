"""Operations of published packages, forward and backward, as a program: prints when its first result is there, and saves all.

    public.py RESULTS.pt PACKAGES      PACKAGES: a folder with liger_kernel, fla and conch
"""
import os
import sys

import torch

from model import seconds_since_start

sys.path.append(sys.argv[2])
os.environ.setdefault("FLA_CI_ENV", "0")


def normal(*sizes, dtype=torch.bfloat16, scale=1.0):
    return (torch.randn(*sizes, device="cpu") * scale).to(dtype).cuda().requires_grad_()


def apply(module, name, *arguments):
    import importlib

    result = getattr(importlib.import_module(module), name).apply(*arguments)
    outputs = [x for x in (result if isinstance(result, tuple) else (result, )) if isinstance(x, torch.Tensor) and x.requires_grad]
    torch.autograd.backward(outputs, [torch.full_like(x, 0.5) for x in outputs])
    return [x.detach().float().cpu() for x in outputs] + [
        x.grad.float().cpu() for x in arguments if isinstance(x, torch.Tensor) and x.grad is not None]


def chunked():
    from fla.ops.simple_gla import chunk_simple_gla

    q, k, v = (normal(1, 512, 4, 64) for _ in range(3))
    gates = torch.nn.functional.logsigmoid(torch.randn(1, 512, 4)).to(torch.float32).cuda().requires_grad_()
    out, _ = chunk_simple_gla(q, k, v, gates)
    out.backward(torch.full_like(out, 0.5))
    return [x.detach().float().cpu() for x in (out, q.grad, k.grad, v.grad)]


def four_bits(rows):
    """Weights of four bits, without offsets: the kernel is given a tensor without elements in their place."""
    from conch.ops.quantization.gemm import mixed_precision_gemm

    weights = torch.randint(0, 1 << 30, (64, 1024), dtype=torch.int32).cuda()
    x, scales = (normal(*sizes, dtype=torch.float16).detach() for sizes in ((rows, 512), (4, 1024)))
    return [mixed_precision_gemm(x, weights, scales, None, 4, 8, 128).float().cpu()]


def main(path):
    torch.manual_seed(0)
    ops = "liger_kernel.ops."
    parts = [
        lambda: apply(ops + "rms_norm", "LigerRMSNormFunction", normal(512, 1024), normal(1024), 1e-6),
        lambda: apply(ops + "layer_norm", "LigerLayerNormFunction", normal(512, 1024), normal(1024), normal(1024), 1e-6),
        lambda: apply(ops + "swiglu", "LigerSiLUMulFunction", normal(512, 2048), normal(512, 2048)),
        lambda: apply(ops + "geglu", "LigerGELUMulFunction", normal(512, 2048), normal(512, 2048)),
        lambda: apply(ops + "fused_linear_cross_entropy", "LigerFusedLinearCrossEntropyFunction", normal(512, 512),
                      normal(4096, 512, scale=0.02), torch.randint(0, 4096, (512, )).cuda()),
        chunked,
        lambda: four_bits(16),
        lambda: four_bits(256),
    ]
    results = []
    for part in parts:
        try:
            results.append(part())
        except Exception as problem:
            print(f"left out: {type(problem).__name__}: {problem}", file=sys.stderr)
            results.append([])
        if len(results) == 1:
            print(f"first result {seconds_since_start():.3f}", flush=True)
    torch.cuda.synchronize()
    print(f"all results {seconds_since_start():.3f}")
    torch.save(results, path)


if __name__ == "__main__":
    main(sys.argv[1])
