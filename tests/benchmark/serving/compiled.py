"""Programs of PyTorch's compiler: a layer forward and backward by torch.compile, and a feed-forward network under max_autotune, once with
templates in Triton alone and once beside cuBLAS. Prints when its first result is there, what PyTorch measured, and saves all.

    compiled.py RESULTS.pt
"""
import sys

import torch
import torch._inductor.config
from torch._dynamo.utils import counters

from model import seconds_since_start


def normal(*sizes, scale=1.0):
    return (torch.randn(*sizes, device="cpu") * scale).to(torch.bfloat16).cuda()


def layer(x, weight, bias, scale):
    y = torch.nn.functional.gelu(x @ weight + bias)
    y = torch.nn.functional.layer_norm(y + x, (x.shape[1], ), scale)
    return torch.softmax(y.float(), -1).to(x.dtype)


def network(x, gate, up, down):
    normed = x * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-5).to(x.dtype)
    return x + (torch.nn.functional.silu(normed @ gate) * (normed @ up)) @ down


def trained():
    tensors = [normal(512, 768).requires_grad_(), normal(768, 768, scale=0.05).requires_grad_(), normal(768).requires_grad_(),
               normal(768).requires_grad_()]
    out = torch.compile(layer)(*tensors)
    out.backward(torch.linspace(-1, 1, out.numel(), device="cuda", dtype=out.dtype).view_as(out))
    return [out.detach(), *[tensor.grad for tensor in tensors]]


def tuned(backends, rows):
    def run():
        tensors = normal(rows, 512), normal(512, 1024, scale=0.05), normal(512, 1024, scale=0.05), normal(1024, 512, scale=0.05)
        with torch._inductor.config.patch(max_autotune_gemm_backends=backends), torch.no_grad():
            return [torch.compile(network, mode="max-autotune-no-cudagraphs")(*tensors)]

    return run


def main(path):
    results = []
    for part in (trained, tuned("TRITON", 384), tuned("ATEN,TRITON", 2048)):
        torch.manual_seed(len(results))
        torch.compiler.reset()
        results.append([x.float().cpu() for x in part()])
        if len(results) == 1:
            print(f"first result {seconds_since_start():.3f}", flush=True)
    torch.cuda.synchronize()
    print(f"all results {seconds_since_start():.3f}")
    print(f"selections measured: {counters['inductor']['select_algorithm_autotune']}")
    torch.save(results, path)


if __name__ == "__main__":
    main(sys.argv[1])
