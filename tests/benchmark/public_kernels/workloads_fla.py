"""Operations of flash-linear-attention, forward and backward, at sizes of training."""
import importlib

import fla.ops
import fla.ops.common.chunk_o
import torch
import torch.nn.functional as F
from operations import both_passes

# The package refuses to run kernels that Triton 3.6 miscompiles on this GPU (its issue 640). Here both compilers' code
# is compared, so they do run.
fla.ops.common.chunk_o.TRITON_ABOVE_3_7_1 = True

BATCH, LENGTH, HEADS = 4, 2048, 16


class Inputs:
    """Tensors of the usual forms; those of numbers take part in the backward pass."""

    def __init__(self, device, batch=BATCH, length=LENGTH, heads=HEADS, dtype=torch.bfloat16):
        self.device, self.shape, self.dtype = device, (batch, length, heads), dtype

    def leaf(self, tensor, dtype=None):
        return tensor.to(dtype or self.dtype).requires_grad_()

    def normal(self, *tail, dtype=None, scale=1.0):
        return (torch.randn(*self.shape, *tail, device=self.device) * scale).to(dtype or self.dtype).requires_grad_()

    def unit(self, size, dtype=None):
        return self.leaf(F.normalize(torch.randn(*self.shape, size, device=self.device), dim=-1), dtype)

    def gate(self, *tail, dtype=None):
        """Logarithms of what a step keeps."""
        x = F.logsigmoid(torch.randn(*self.shape, *tail, device=self.device) + 3.0)
        return x.to(dtype or self.dtype).requires_grad_()

    def share(self, *tail, dtype=None):
        """Numbers between 0 and 1."""
        return torch.rand(*self.shape, *tail, device=self.device).to(dtype or self.dtype).requires_grad_()


def operation(path, arguments):
    """Runs fla.ops.PATH with what `arguments` makes of Inputs."""
    module, name = path.rsplit(".", 1)

    def run(device):
        function = getattr(importlib.import_module(f"fla.ops.{module}"), name)
        given = arguments(Inputs(device))
        both_passes(lambda: function(**given))

    return run


def qkv(i, size=128, values=None, **others):
    return dict(q=i.normal(size), k=i.normal(size), v=i.normal(values or size), **others)


def delta(i, size=128, **others):
    return dict(q=i.unit(size), k=i.unit(size), v=i.normal(size), beta=i.share(), **others)


def small_dot_heads(i, size=16):
    return dict(q=i.normal(size), k=i.normal(size), v=i.normal(128))


def dplr(i, size=64):
    a = F.normalize(torch.randn(*i.shape, size, device=i.device), dim=-1)
    b = -a * torch.rand(*i.shape, size, device=i.device)
    w = -torch.exp(torch.randn(*i.shape, size, device=i.device) - 3.0)
    return dict(r=i.normal(size), w=i.leaf(w), k=i.normal(size), v=i.normal(size), a=i.leaf(a), b=i.leaf(b))


def slots(i):
    return dict(q=i.normal(128), k=i.normal(128), v=i.normal(128), s=i.normal(64), g=i.gate(64, dtype=torch.float32))


def mesa(i):
    heads = i.shape[2]
    return delta(i, g=i.gate(dtype=torch.float32),
                 lamb=(torch.rand(heads, 128, device=i.device) * 0.75 + 0.25).requires_grad_(), max_CG_iteration=5)


def ttt(i, size=64):
    batch, length, heads = i.shape
    return dict(q=i.unit(size), k=i.unit(size), v=i.normal(size),
                w=i.leaf(torch.randn(heads, size, device=i.device)),
                b=i.leaf(torch.randn(heads, size, device=i.device)),
                eta=i.leaf(torch.rand(batch, length, heads, 1, device=i.device) * 0.005), chunk_size=16)


def sparse(i):
    """Grouped queries over blocks of keys that are all in the past."""
    batch, length, heads = i.shape
    block, chosen, groups = 64, 16, heads // 16
    now = torch.arange(length, device=i.device) // block
    blocks = (torch.rand(batch, length, groups, chosen, device=i.device) * (now + 1).view(1, -1, 1, 1)).long()
    kv = Inputs(i.device, batch, length, groups)
    return dict(q=i.normal(128), k=kv.normal(128), v=kv.normal(128), g_cmp=None, g_slc=i.share(), g_swa=i.share(),
                block_indices=blocks.sort(-1)[0], block_counts=chosen, block_size=block, window_size=0)


def packed(i, make):
    """Sequences of several lengths behind each other."""
    batch, length, heads = i.shape
    ends = torch.tensor([0, 300, 1111, 2048, 4099, batch * length], device=i.device, dtype=torch.int64)
    return dict(make(Inputs(i.device, 1, batch * length, heads)), cu_seqlens=ends)


def gated(i, size=128):
    return dict(delta(i, size), g=i.gate(dtype=torch.float32))


def kda(i, size=128):
    return dict(delta(i, size), g=i.gate(size, dtype=torch.float32))


WORKLOADS = {
    "gla": operation("gla.chunk_gla", lambda i: qkv(i, g=i.gate(128))),
    "gla 64": operation("gla.chunk_gla", lambda i: qkv(i, 64, g=i.gate(64))),
    "gla packed": operation("gla.chunk_gla", lambda i: packed(i, lambda j: qkv(j, g=j.gate(128)))),
    "simple_gla": operation("simple_gla.chunk_simple_gla", lambda i: qkv(i, g=i.gate(dtype=torch.float32))),
    "simple_gla 64": operation("simple_gla.chunk_simple_gla", lambda i: qkv(i, 64, g=i.gate(dtype=torch.float32))),
    "simple_gla parallel": operation("simple_gla.parallel_simple_gla",
                                     lambda i: qkv(i, g=i.gate(dtype=torch.float32))),
    "retention": operation("retention.chunk_retention", lambda i: qkv(i, 128, 256)),
    "retention parallel": operation("retention.parallel_retention", lambda i: qkv(i, 128, 256)),
    "delta": operation("delta_rule.chunk_delta_rule", delta),
    "delta 64": operation("delta_rule.chunk_delta_rule", lambda i: delta(i, 64)),
    "gated delta": operation("gated_delta_rule.chunk_gated_delta_rule", gated),
    "gated delta normalized": operation("gated_delta_rule.chunk_gated_delta_rule",
                                        lambda i: dict(gated(i), use_qk_l2norm_in_kernel=True)),
    "gated delta packed": operation("gated_delta_rule.chunk_gated_delta_rule", lambda i: packed(i, gated)),
    "kda": operation("kda.chunk_kda", kda),
    "gdn2": operation("gdn2.chunk_gdn2", lambda i: dict(
        q=i.unit(128), k=i.unit(128), v=i.normal(128), g=i.gate(128, dtype=torch.float32), b=i.share(128),
        w=i.share(128))),
    "comba": operation("comba.chunk_comba", lambda i: dict(gated(i), p=i.unit(128))),
    "gsa": operation("gsa.chunk_gsa", slots),
    "rwkv6": operation("rwkv6.chunk_rwkv6", lambda i: dict(
        r=i.normal(64), k=i.normal(64), v=i.normal(64), w=i.gate(64),
        u=i.leaf(torch.randn(i.shape[2], 64, device=i.device)))),
    "rwkv7": operation("rwkv7.chunk_rwkv7", dplr),
    "linear": operation("linear_attn.chunk_linear_attn", lambda i: qkv(i, normalize=False)),
    "lightning": operation("lightning_attn.chunk_lightning_attn", lambda i: qkv(i, layer_idx=3, num_layers=24)),
    "attention": operation("attn.parallel_attn", qkv),
    "attention 64": operation("attn.parallel_attn", lambda i: qkv(i, 64)),
    "attention packed": operation("attn.parallel_attn", lambda i: packed(i, qkv)),
    "forgetting": operation("forgetting_attn.parallel_forgetting_attn",
                            lambda i: qkv(i, g=i.gate(dtype=torch.float32))),
    "path": operation("path_attn.parallel_path_attn", lambda i: dict(
        q=i.normal(64), k=i.normal(64), v=i.normal(64), w=i.unit(64, torch.float32),
        beta=i.share(dtype=torch.float32), g=i.gate(dtype=torch.float32))),
    "stickbreaking": operation("stickbreaking_attn.parallel_stickbreaking_attn", lambda i: qkv(i, 64)),
    "nsa": operation("nsa.parallel_nsa", sparse),
    "based": operation("based.parallel_based", small_dot_heads),
    "based fused": operation("based.fused_chunk_based", small_dot_heads),
    "rebased": operation("rebased.parallel_rebased", small_dot_heads),
    "abc": operation("abc.chunk_abc", lambda i: qkv(i, s=i.normal(64))),
    "mesa": operation("mesa_net.chunk_mesa_net", mesa),
    "ttt": operation("ttt.chunk_ttt_linear", ttt),
    "ttt fused": operation("ttt.fused_chunk_ttt_linear", ttt),
    "momentum delta": operation("momentum_delta_rule.chunk_momentum_delta_rule", lambda i: delta(
        i, log_alpha=i.gate(dtype=torch.float32), log_mu=i.gate(dtype=torch.float32))),
    "wall": operation("wall_attn.parallel_wall_attn", lambda i: qkv(i, 64, g=i.gate(64, dtype=torch.float32))),
    "parallax": operation("parallax.parallel_parallax", lambda i: qkv(i, 64, r=i.normal(64))),
    "oja": operation("gated_oja_rule.chunk_gated_oja_rule", lambda i: delta(i, 64, gv=i.gate(64, dtype=torch.float32))),
}
