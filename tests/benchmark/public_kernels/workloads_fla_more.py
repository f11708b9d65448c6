"""Further operations of flash-linear-attention with matrix products: younger ones, and those of workloads_fla.py with other
types, head sizes and options."""
import importlib

import torch
from workloads_fla import Inputs, delta, dplr, gated, kda, operation, packed, qkv

GATE = torch.float32


def of_fp16(arguments):
    return lambda i: arguments(Inputs(i.device, dtype=torch.float16))


def few_heads(arguments):
    """Long sequences of a small batch."""
    return lambda i: arguments(Inputs(i.device, 1, 8192, 8))


def small(arguments):
    return lambda i: arguments(Inputs(i.device, 2, 2048, 8))


def grouped(size=128, groups=4, **options):
    """Several heads of queries share one of keys and values."""

    def make(i):
        batch, length, heads = i.shape
        kv = Inputs(i.device, batch, length, heads // groups)
        return dict(q=i.normal(size), k=kv.normal(size), v=kv.normal(size), **options)

    return make


def wide_values(i):
    """Each head of queries and keys has two of values."""
    batch, length, heads = i.shape
    qk = Inputs(i.device, batch, length, heads // 2)
    return dict(q=qk.unit(128), k=qk.unit(128), v=i.normal(128), beta=i.share(), g=i.gate(dtype=GATE))


def householder(i, count=2):
    batch, length, heads = i.shape
    more = Inputs(i.device, batch, length * count, heads)
    return dict(q=i.unit(128), k=more.unit(128), v=more.normal(128), g=i.gate(dtype=GATE), beta=more.share(),
                num_householder=count)


def preconditioned(arguments):
    return lambda i: dict(arguments(i), g_atk=i.gate(dtype=GATE), beta_atk=i.share())


def in_the_kernel(i):
    """The gate is computed in the kernels."""
    heads = i.shape[2]
    return dict(kda(i), g=i.normal(128), use_gate_in_kernel=True, use_qk_l2norm_in_kernel=True,
                A_log=torch.rand(heads, device=i.device).requires_grad_(),
                dt_bias=torch.rand(heads * 128, device=i.device).requires_grad_())


def renamed(names, arguments):
    return lambda i: {names.get(name, name): value for name, value in arguments(i).items() if names.get(name, name)}


def compressed(i):
    """Native sparse attention that chooses its blocks itself."""
    batch, length, heads = i.shape
    kv = Inputs(i.device, batch, length, heads // 16)
    return dict(q=i.normal(64), k=kv.normal(64), v=kv.normal(64), g_cmp=i.share(), g_slc=i.share(), g_swa=None,
                block_counts=16, block_size=32)


def triangles(device):
    solve = importlib.import_module("fla.ops.utils.solve_tril").solve_tril
    for size in (16, 32, 64):
        solve(torch.randn(4, 2048, 16, size, device=device).tril(-1) * 0.1)


def product(device):
    matmul = importlib.import_module("fla.ops.utils.matmul")
    normal = lambda *sizes: torch.randn(*sizes, device=device, dtype=torch.bfloat16)
    matmul.matmul(normal(4096, 2048), normal(2048, 4096))
    matmul.addmm(normal(4096, 4096), normal(4096, 2048), normal(2048, 4096))


WORKLOADS = {
    "log linear": operation("log_linear_attn.chunk_log_linear_attn", small(lambda i: qkv(
        i, 64, g=i.gate(dtype=GATE), level_scales=i.share(12, dtype=GATE)))),
    "deltaformer": operation("deltaformer.deltaformer_attn", small(lambda i: dict(qkv(i, 64), beta=i.share()))),
    "gated delta product": operation("gated_delta_product.chunk_gated_delta_product", householder),
    "preconditioned kda": operation("precond_kda.chunk_precond_kda", preconditioned(kda)),
    "preconditioned gated delta": operation("precond_gated_delta_rule.chunk_precond_gated_delta_rule",
                                            preconditioned(gated)),
    "iplr": operation("generalized_delta_rule.chunk_iplr_delta_rule", renamed({"r": "q", "w": None}, dplr)),
    "dplr": operation("generalized_delta_rule.chunk_dplr_delta_rule", renamed({"r": "q", "w": "gk"}, dplr)),
    "dplr 128": operation("generalized_delta_rule.chunk_dplr_delta_rule",
                          renamed({"r": "q", "w": "gk"}, lambda i: dplr(i, 128))),
    "lightnet": operation("lightnet.chunk_lightnet", qkv),
    "compressed": operation("nsa.parallel_nsa", compressed),
    "triangles": triangles,
    "product": product,
    "gla fp16": operation("gla.chunk_gla", of_fp16(lambda i: qkv(i, g=i.gate(128)))),
    "gla wide": operation("gla.chunk_gla", few_heads(lambda i: qkv(i, 256, 512, g=i.gate(256)))),
    "simple_gla fp16": operation("simple_gla.chunk_simple_gla", of_fp16(lambda i: qkv(i, g=i.gate(dtype=GATE)))),
    "simple_gla wide": operation("simple_gla.chunk_simple_gla",
                                 few_heads(lambda i: qkv(i, 256, 256, g=i.gate(dtype=GATE)))),
    "delta fp16": operation("delta_rule.chunk_delta_rule", of_fp16(delta)),
    "delta packed": operation("delta_rule.chunk_delta_rule", lambda i: packed(i, delta)),
    "gated delta 64": operation("gated_delta_rule.chunk_gated_delta_rule", lambda i: gated(i, 64)),
    "gated delta long": operation("gated_delta_rule.chunk_gated_delta_rule", few_heads(gated)),
    "gated delta grouped": operation("gated_delta_rule.chunk_gated_delta_rule", wide_values),
    "kda 64": operation("kda.chunk_kda", lambda i: kda(i, 64)),
    "kda packed": operation("kda.chunk_kda", lambda i: packed(i, kda)),
    "kda with its gate": operation("kda.chunk_kda", in_the_kernel),
    "kda safe": operation("kda.chunk_kda", lambda i: dict(kda(i), safe_gate=True, lower_bound=-5.0)),
    "attention fp16": operation("attn.parallel_attn", of_fp16(qkv)),
    "attention 96": operation("attn.parallel_attn", lambda i: qkv(i, 96)),
    "attention 256": operation("attn.parallel_attn", few_heads(lambda i: qkv(i, 256))),
    "attention grouped": operation("attn.parallel_attn", grouped()),
    "attention in a window": operation("attn.parallel_attn", lambda i: qkv(i, 64, window_size=512)),
    "attention with decay": operation("attn.parallel_attn", lambda i: qkv(i, 64, g=i.gate(dtype=GATE))),
    "rwkv7 128": operation("rwkv7.chunk_rwkv7", lambda i: dplr(i, 128)),
}
