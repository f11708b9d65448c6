"""Attention of younger packages, forward and backward where they have both: adasplash, flash-mlm, flash-sparse-attn,
triton-sigmoid, lightning-attn, jvp-flash-attention."""
import importlib

import bare
import torch
from workloads_serving import serve
from workloads_training import call, of

# Its projections ask for an older triton_kernels.
bare.bare("flash_sparse_attn")
bare.stub("flash_sparse_attn.ops.triton.flash_proj_fwd", "flash_sparse_attn.ops.triton.flash_proj_bwd")
# It keeps what Triton compiled and launches that itself, where nothing sees it.
importlib.import_module("flash_sparse_attn.ops.triton.cache_utils").wrap_kernel = lambda kernel: kernel
BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32


def of_heads(batch=4, count=16, length=2048, size=64, groups=None, dtype=BF16):
    """Queries, keys and values as [batch, heads, length, size]."""
    return lambda n: [n(batch, many, length, size, dtype=dtype) for many in (count, groups or count, groups or count)]


def of_tokens(batch=4, length=2048, count=16, size=64, groups=None, dtype=BF16):
    """The same as [batch, length, heads, size]."""
    return lambda n: [n(batch, length, many, size, dtype=dtype) for many in (count, groups or count, groups or count)]


def packed(batch=4, length=2048, count=16, size=64, groups=None):
    """Sequences one behind the other, with where they start."""

    def make(n):
        starts = torch.arange(0, (batch + 1) * length, length, device=n.device, dtype=torch.int32)
        return [*(n(batch * length, many, size) for many in (count, groups or count, groups or count)), starts, starts,
                length, length]

    return make


def cached(batch=32, length=4096, count=32, groups=8, size=128):
    """A new token of each sequence, and keys and values of the earlier ones."""
    return lambda n: [n(batch, count, size), n(batch, length, groups, size), n(batch, length, groups, size)]


def gated(make, axis):
    """With gates of queries and keys before further arguments."""

    def made(n):
        q, k, v, *others = make(n)
        return [q, k, v, n(*q.shape[:-1]), n(*k.shape[:-1]), *others]

    return made


def with_directions(make):
    """With what a derivative is taken along."""
    return lambda n: [*make(n), *make(n)]


def filled_and_read(size, **options):
    """Attention that keeps its keys and values, then one that reads them."""

    def run(device):
        kept = of("flash_mlm.InferenceCache")()
        for prefill in (True, False):
            serve("flash_mlm.flash_attn_mlm", lambda n: [*of_heads(size=size)(n), size**-0.5, kept, 0], prefill=prefill,
                  **options)(device)

    return run


FLASH = "flash_sparse_attn.ops.triton.interface"
DERIVATIVE = "jvp_flash_attention.jvp_attention.JVPAttn"
POINTERS = {"warp_specialize": False, "USE_TMA": False}
QUIET = {"skip_checks": True, "is_autotune": False}
WORKLOADS = {
    "adasplash": call("adasplash.adasplash_v1", of_heads(), is_causal=True),
    "adasplash full 128": call("adasplash.adasplash_v1", of_heads(size=128), is_causal=False),
    "adasplash without blocks": call("adasplash.adasplash_no_block_mask", of_heads(), is_causal=True),
    "adasplash two": call("adasplash.adasplash_v2", of_heads()),
    "adasplash two 128": call("adasplash.adasplash_v2", of_heads(size=128, groups=4)),
    "entmax": call("adasplash.triton_entmax_v1", lambda n: [n(4096, 4096, dtype=FP32)]),
    "entmax two": serve("adasplash.triton_entmax_v2", lambda n: [n(4096, 4096, dtype=FP32)]),
    "flash mlm": filled_and_read(128),
    "flash mlm wide": filled_and_read(64, block_m=128, block_n=64),
    "sigmoid": call("triton_sigmoid.sigmoid_attention", of_tokens()),
    "sigmoid causal 128": call("triton_sigmoid.sigmoid_attention", of_tokens(size=128), is_causal=True),
    "sigmoid padded": call("triton_sigmoid.sigmoid_attention_padded", lambda n: [
        *of_tokens()(n), torch.tensor([2048, 2000, 1024, 17], device=n.device, dtype=torch.int32)]),
    "lightning": call("lightning_attn.ops.lightning_attn_func", lambda n: [
        *of_heads()(n), torch.rand(16, 1, 1, device=n.device)]),
    "lightning 128": call("lightning_attn.ops.lightning_attn_func", lambda n: [
        *of_heads(size=128)(n), torch.rand(16, 1, 1, device=n.device)]),
    "lightning without decay": call("lightning_attn.ops.triton.lightning_attn2_no_decay", of_heads()),
    "simple norm": call("lightning_attn.ops.triton.srmsnorm._SrmsNorm.apply", lambda n: [n(8192, 2048), 1e-6]),
    "derivative": serve(f"{DERIVATIVE}.forward", with_directions(of_heads(2)), **POINTERS),
    "derivative causal": serve(f"{DERIVATIVE}.forward", with_directions(of_heads(2, size=128)), causal=True, **POINTERS),
    "derivative backward": call(f"{DERIVATIVE}.fwd", of_heads(2), **POINTERS),
    "derivative by descriptors": serve(f"{DERIVATIVE}.fwd", of_heads(2, dtype=FP16), causal=True, warp_specialize=False,
                                       USE_TMA=True),
    "dense": call(f"{FLASH}.flash_dense_attn_func", of_tokens(size=128), is_causal=True, **QUIET),
    "dense full": call(f"{FLASH}.flash_dense_attn_func", of_tokens(groups=4), **QUIET),
    "dense packed": call(f"{FLASH}.flash_dense_attn_varlen_func", packed(size=128), is_causal=True, **QUIET),
    "dense cached": serve(f"{FLASH}.flash_dense_attn_with_kvcache_func", cached(), **QUIET),
    "sparse": call(f"{FLASH}.flash_sparse_attn_func", of_tokens(size=128), is_causal=True, softmax_threshold=0.01, **QUIET),
    "sparse packed": call(f"{FLASH}.flash_sparse_attn_varlen_func", packed(), is_causal=True, softmax_threshold=0.01,
                          **QUIET),
    "sparse cached": serve(f"{FLASH}.flash_sparse_attn_with_kvcache_func", cached(), softmax_threshold=0.01, **QUIET),
    "gated": call(f"{FLASH}.flash_gated_attn_func", gated(of_tokens(), 2), is_causal=True, **QUIET),
    "gated cached": serve(f"{FLASH}.flash_gated_attn_with_kvcache_func", gated(cached(), 1), **QUIET),
}
