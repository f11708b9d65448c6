"""Operations of runtimes and of libraries of kernels for them: products of quantized numbers, attention over pages, experts,
norms. Of aiter, which has them for AMD's GPUs, lmdeploy, colossalai, gptqmodel, dlblas, flashinfer and
PyTorch."""
import enum
import importlib
import types

import bare
import torch
import triton.language as tl
from triton.language.extra import libdevice
from triton.runtime.jit import JITFunction
from workloads_products import column_major
from workloads_serving import fp8, routed, serve, whole
from workloads_training import call, of

bare.bare("aiter", "colossalai", "dlblas", "flashinfer", "gptqmodel", "lmdeploy")
bare.stub("dlblas.utils", "dlblas.utils.device_utils", "dlblas.utils.utils", infer_device=lambda: "cuda",
          is_cuda=lambda: True, get_tl_exp=lambda: tl.exp, get_tl_log=lambda: tl.log, get_tl_tanh=lambda: libdevice.tanh)
bare.stub("flashinfer.utils", get_compute_capability=lambda device: (9, 0))
bare.stub("lmdeploy.utils", "lmdeploy.pytorch.envs", "tilelang", "gptqmodel.utils.torch", "gptqmodel.utils.logger")
bare.stub("lmdeploy.messages", QuantPolicy=enum.IntEnum("QuantPolicy", {
    "NONE": 0, "INT4": 4, "INT8": 8, "FP8": 16, "FP8_E5M2": 17, "TURBO_QUANT": 42}))
bare.stub("lmdeploy.pytorch.backends", "lmdeploy.pytorch.backends.rejection_sampling", PLACEHOLDER_TOKEN_ID=-1)
# As for a GPU that has the same formats of eight bits as NVIDIA's.
bare.stub("aiter.ops.triton.utils._triton.arch_info", get_arch=lambda: "gfx950", get_device=lambda: "MI350X",
          is_fp4_avail=lambda: True, is_fp8_avail=lambda: True, get_num_sms=lambda: 132)
BF16, FP16, FP32, FP8, INT8 = torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn, torch.int8
OPTIONS = ("grid", "warmup", "num_warps", "num_stages", "num_ctas", "maxnreg")
aiter = importlib.import_module("aiter")
aiter.dtypes = types.SimpleNamespace(fp8=FP8, i8=INT8, fp32=FP32, bf16=BF16, fp16=FP16)
amd_attention = importlib.import_module("aiter.ops.triton._triton_kernels.flash_attn_triton_amd")
for version in (2, 3):
    setattr(amd_attention, f"flash_attn_{version}", importlib.import_module(f"{amd_attention.__name__}.interface_v{version}"))


def for_any_gpu(inner):
    """An operation whose launches come without what only AMD's compiler, or another kernel, takes of a configuration."""

    def run(device):
        launch = JITFunction.run

        def launch_without(jit, *args, **given):
            return launch(jit, *args, **{name: value for name, value in given.items()
                                         if name in OPTIONS or name in jit.arg_names})

        JITFunction.run = launch_without
        try:
            inner(device)
        finally:
            JITFunction.run = launch

    return run


def amd(path, make, backward=False, **options):
    """An operation of aiter."""
    return for_any_gpu(call(f"aiter.ops.triton.{path}", make, backward, **options))


def numbers(n, value, count, dtype=torch.int32):
    return torch.full((count, ), value, device=n.device, dtype=dtype)


def steps(n, by, count, dtype=torch.int32):
    """Where `count` sequences of the same length begin and end."""
    return torch.arange(0, count * by + 1, by, device=n.device, dtype=dtype)


def rand(n, *sizes, dtype=FP32):
    return torch.rand(*sizes, device=n.device).to(dtype)


def empty(n, *sizes, dtype=BF16):
    return torch.zeros(*sizes, device=n.device, dtype=dtype)


def int8(n, *sizes):
    return torch.randint(-127, 127, sizes, device=n.device, dtype=INT8)


def packed(n, *sizes):
    """Pairs of numbers of four bits, or scales that are powers of two."""
    return torch.randint(120, 130, sizes, device=n.device, dtype=torch.uint8)


def shape(rows, columns, depth, whole=0, **others):
    """A configuration for aiter's products."""
    return {"BLOCK_SIZE_M": rows, "BLOCK_SIZE_N": columns, "BLOCK_SIZE_K": depth, "GROUP_SIZE_M": 8, "num_warps": 8,
            "num_stages": 3, "cache_modifier": None, "NUM_KSPLIT": 1, "SPLITK_BLOCK_SIZE": whole, **others}


def amd_experts(name, kind=None, tokens=4096, count=16, chosen=2, width=2048, inner=2048):
    """Products of a layer of experts in aiter."""

    def make(n):
        ids, by_expert, experts, total = routed(n.device, tokens, count, chosen, 64)
        weights = rand(n, tokens, chosen)
        x, w = n(tokens, width), n(count, inner, width)
        scales = [None, None]
        if kind == "fp8":
            x, w = x.to(FP8), w.to(FP8)
            scales = [rand(n, tokens, width // 128), rand(n, count, inner // 128, width // 128)]
        elif kind == "int8":
            w, scales = int8(n, count, inner, width), [None, rand(n, count, inner)]
        elif kind == "int4":
            w, scales = packed(n, count, inner, width // 2), [None, rand(n, count, inner, width // 128, dtype=BF16)]
        columns = inner // 2 if "silu" in name else inner
        out = empty(n, tokens * chosen, columns) if "silu" in name else empty(n, tokens, chosen, columns)
        others = [] if "gelu" in name else [None]
        return [x, w, out, *scales, *others, weights, ids, by_expert, experts, total, False, chosen, tl.bfloat16,
                kind == "fp8", kind == "int8", *([] if "gelu" in name else [kind == "int4"])]

    groups = {"fp8": [128, 128], "int4": [0, 128]}.get(kind)
    config = shape(64, 128, 128 if kind == "fp8" else 64)
    return amd(name, make, block_shape=groups, config=config)


def varlen(heads=32, groups=8, size=128, batch=8, length=1024, dtype=BF16):
    return lambda n: [n(batch * length, heads, size, dtype=dtype), n(batch * length, groups, size, dtype=dtype),
                      n(batch * length, groups, size, dtype=dtype), steps(n, length, batch), steps(n, length, batch),
                      length, length]


def dense(batch=4, length=2048, heads=16, groups=None, size=128, dtype=BF16):
    return lambda n: [n(batch, length, count, size, dtype=dtype) for count in (heads, groups or heads, groups or heads)]


def extended(heads=32, groups=8, size=128, values=128):
    """512 new tokens of eight sequences after 1024 others."""

    def make(n):
        batch, earlier, new = 8, 1024, 512
        return [n(batch * new, heads, size), n(batch * new, groups, size), n(batch * new, groups, values),
                empty(n, batch * new, heads, values), n(batch * earlier, groups, size), n(batch * earlier, groups, values),
                steps(n, new, batch), steps(n, earlier, batch),
                torch.randperm(batch * earlier, device=n.device).to(torch.int32), None, True, None, new]

    return make


def unified(new, sinks=False, window=(-1, -1), cap=0.0, block=16, dtype=BF16, size=128, heads=32, groups=8):

    def make(n):
        batch, length = (64, 2048) if new == 1 else (8, 2048)
        count = batch * length // block
        q = n(batch * new, heads, size)
        keys, values = (n(count, block, groups, size).to(dtype) for _ in range(2))
        scales = [None, *([rand(n, batch, groups), rand(n, batch, groups)] if dtype == FP8 else [None, None])]
        return [q, keys, values, torch.empty_like(q), steps(n, new, batch), new, numbers(n, length - 3, batch), length, 0.09,
                True, window, torch.randperm(count, device=n.device).to(torch.int32).view(batch, -1), cap, *scales,
                None, None, None, n(heads) if sinks else None]

    return make


def latent(n):
    """Decoding with latent keys: 16 heads, 512 and 64 numbers."""
    batch, length, heads, rank, rope, splits = 32, 2048, 16, 512, 64, 8
    keys = n(batch * length, 1, rank + rope)
    return [n(batch, heads, rank + rope), keys, keys[..., :rank], empty(n, batch, heads, rank), steps(n, length, batch),
            torch.randperm(batch * length, device=n.device).to(torch.int32), empty(n, batch, rope), rank, rope,
            n(length, rope * 1), numbers(n, length - 1, batch, torch.int64), empty(n, batch, heads, splits, rank + 1, dtype=FP32),
            splits, 0.06, 0.0, True]


def pages(version, per_token=False, heads=32, groups=8, size=128, block=16):

    def make(n):
        batch, length = 32, 2048
        count = batch * length // block
        q = n(batch, heads, size)
        kept = (lambda *sizes: fp8(n, *sizes)) if per_token else n
        scale = (lambda: rand(n, count, groups, block)) if per_token else (lambda: torch.ones((), device=n.device))
        arguments = [torch.empty_like(q), q, kept(count, groups, block, size), kept(count, groups, block, size),
                     torch.randperm(count, device=n.device).to(torch.int32).view(batch, -1), numbers(n, length, batch), length,
                     tl.bfloat16, groups, 0.09, None, scale(), scale()]
        return arguments + ([length // 256] if version == 2 else [])

    return amd(f"pa_decode.paged_attn_decode_v{version}" + "_per_token_quant" * per_token, make)


def prefixed(window=None, slopes=False):
    """New tokens whose earlier ones lie in pages, keys by eights."""

    def make(n):
        batch, earlier, new, heads, groups, size, block = 8, 1024, 512, 32, 8, 128, 16
        total = batch * (earlier + new) // block
        q, k, v = (n(batch * new, count, size, dtype=FP16) for count in (heads, groups, groups))
        return [q, k, v, torch.empty_like(q), "auto", n(total, groups, size // 8, block, 8, dtype=FP16),
                n(total, groups, size, block, dtype=FP16),
                torch.randperm(total, device=n.device).to(torch.int32).view(batch, -1), steps(n, new, batch),
                numbers(n, earlier + new, batch), new, torch.ones((), device=n.device), torch.ones((), device=n.device),
                rand(n, heads) if slopes else None, window]

    return make


def by_groups(rows=8192, k=2048, columns=1024, groups=16):
    """Rows of groups times a matrix for each."""
    return lambda n: [n(rows, k), n(groups, k, columns), numbers(n, rows // groups, groups)]


def by_groups_back(rows=8192, k=1024, columns=2048, groups=16):
    """The gradients of such matrices: sums over the rows of groups."""
    return lambda n: [column_major(n(k, rows)), n(rows, columns), numbers(n, rows // groups, groups)]


def jagged(n, heads=4, size=128, batch=8, length=2048):
    return [length, 0.09, *(n(batch * length, heads, size) for _ in range(3)), steps(n, length, batch, torch.int64)]


def logits(n):
    """An index of 64 heads that scores keys for sparse attention."""
    tokens, keys = 1024, 8192
    return [fp8(n, tokens, 64, 128), fp8(n, keys, 128), rand(n, keys), rand(n, tokens, 64), numbers(n, 0, tokens),
            torch.arange(keys - tokens, keys, device=n.device, dtype=torch.int32)]


def paged_logits(n):
    batch, length = 32, 2048
    return [fp8(n, batch, 1, 64, 128), torch.zeros(batch * length, 1, 1, 132, device=n.device, dtype=torch.uint8),
            rand(n, batch, 64), empty(n, batch, length, dtype=FP32), numbers(n, length - 5, batch),
            torch.randperm(batch * length, device=n.device).to(torch.int32).view(batch, -1), length]


def chosen_keys(n):
    """Attention of 256 new tokens to 1024 keys for each, latent ones."""
    batch, new, length, block, heads, rank, rope = 4, 256, 2048, 64, 64, 512, 64
    count = batch * length // block
    return [n(batch * new, heads, rank + rope), n(count, block, 1, rank + rope), empty(n, batch * new, heads, rank),
            steps(n, new, batch), new, numbers(n, length, batch), length, 0.06,
            torch.rand(batch * new, length, device=n.device).topk(1024).indices.to(torch.int32),
            torch.randperm(count, device=n.device).to(torch.int32).view(batch, -1), rank]


def lean(causal=False):
    """Attention of 16 tokens of sequences, or of whole ones, that shares all keys out over the multiprocessors."""

    def make(n):
        batch, new, length, heads, size, block, programs = (1, 2048, 2048, 16, 64, 64, 132) if causal else (
            8, 16, 8192, 32, 64, 64, 132)
        rows = 128 if causal else 16
        return [n(batch * new, heads, size, dtype=FP16), n(batch * length, heads, size, dtype=FP16),
                n(batch * length, heads, size, dtype=FP16), empty(n, programs, rows, dtype=FP32),
                empty(n, programs, rows, dtype=FP32), empty(n, programs, new, size, dtype=FP32),
                empty(n, programs, dtype=torch.int32), steps(n, length // block, batch)[1:].contiguous(), programs, rows,
                block, False, causal, batch, False, 4, 1]

    return amd("lean_atten._persistent_lean_attention", make)


def kept(n, bits=16, layout="bshd", heads=8, size=128, batch=8, length=1536, block=64):
    """Pages of keys and values, of numbers of 16, 8 or 4 bits, with scales and zeros where there are fewer than 16."""
    shape = (batch * length // block, *((block, heads) if layout == "bshd" else (heads, block)))
    table = torch.randperm(shape[0], device=n.device).to(torch.int32).view(batch, -1)
    if bits == 16:
        return n(*shape, size, dtype=FP16), n(*shape, size, dtype=FP16), table, None, None
    return (*(whole(n, 255, *shape, size * bits // 8, dtype=torch.uint8) for _ in range(2)), table,
            *(rand(n, *shape, 2, dtype=FP16) for _ in range(2)))


def deployed_token(bits=16, heads=32, groups=8, size=128, new=1, batch=32, length=2048, window=None, cap=None):

    def make(n):
        keys, values, table, *scales = kept(n, bits, heads=groups, size=size, batch=batch, length=length)
        return [n(batch * new, heads, size, dtype=FP16), keys, values, numbers(n, length - 3, batch), table, None, new, None,
                False, window, cap, None, None, *scales, bits if bits < 16 else 0]

    return serve(f"{DEPLOY}.pagedattention.flash_attn_with_kvcache", make)


def deployed_latent(n):
    keys, _, table, *_ = kept(n, heads=1, size=576, batch=32, length=2048)
    return [n(32, 16, 576, dtype=FP16), keys, keys[..., :512], numbers(n, 2045, 32), table]


def deployed(heads=32, groups=8, size=128, values=None, batch=8, length=1024, layout="hsd", dtype=BF16, **options):

    def make(n):
        order = (lambda t: t.transpose(0, 1).contiguous()) if layout == "hsd" else (lambda t: t)
        return [n(batch * length, heads, size, dtype=dtype), order(n(batch * length, groups, size, dtype=dtype)),
                order(n(batch * length, groups, values or size, dtype=dtype)), steps(n, length, batch),
                steps(n, length, batch), length]

    return serve(f"{DEPLOY}.flashattention.flash_attn_varlen_func", make, causal=True, kv_layout=layout, **options)


def filled(bits=16, new=512):

    def make(n):
        batch, length = 8, 1536
        keys, values, table, *scales = kept(n, bits)
        return [n(batch * new, 8, 128, dtype=FP16), n(batch * new, 8, 128, dtype=FP16), keys, values, steps(n, new, batch)[:-1],
                numbers(n, new, batch), numbers(n, length, batch), new, table, *scales, bits if bits < 16 else 0]

    return serve(f"{DEPLOY}.fill_kv_cache.fill_kv_cache", make)


def flattened(bits=16):

    def make(n):
        keys, values, table, *scales = kept(n, bits)
        return [keys, values, numbers(n, 1536, 8), table, None, 8 * 1536, FP16, *scales, bits if bits < 16 else 0]

    return serve(f"{DEPLOY}.flatten_kv_cache.flatten_kv_cache", make)


def chosen(n, tokens=4096, count=16, most=2):
    return [rand(n, tokens, most), torch.rand(tokens, count, device=n.device).topk(most).indices, most]


def deployed_experts(kind, tokens=4096, count=16, width=2048, inner=1024):
    """Layers of experts in lmdeploy: two products, the first of which a gate follows."""

    def make(n):
        up, down = (count, 2 * inner, width), (count, width, inner)
        if kind == "plain":
            return [n(tokens, width), n(*up), n(*down), *chosen(n, tokens, count)]
        if kind == "blocked_fp8":
            return [fp8(n, tokens, width), rand(n, tokens, width // 128), fp8(n, *up),
                    rand(n, count, 2 * inner // 128, width // 128), fp8(n, *down), rand(n, count, width // 128, inner // 128),
                    *chosen(n, tokens, count), None, None, BF16]
        if kind == "w8a8":
            return [int8(n, tokens, width), rand(n, tokens, 1), int8(n, *up), rand(n, count, 2 * inner, 1), int8(n, *down),
                    rand(n, count, width, 1), *chosen(n, tokens, count)]
        if kind == "fp4":
            return [fp8(n, tokens, width), rand(n, tokens, width // 128), packed(n, count, 2 * inner, width // 2).view(INT8),
                    packed(n, count, 2 * inner, width // 32), packed(n, count, width, inner // 2).view(INT8),
                    packed(n, count, width, inner // 32), *chosen(n, tokens, count), None, None, BF16]
        return [n(tokens, width), whole(n, 1 << 30, count, 2 * inner, width // 8), n(count, 2 * inner, width // 32),
                whole(n, 1 << 30, count, width, inner // 8), n(count, width, inner // 32), *chosen(n, tokens, count)]

    path = {"plain": "moe.fused_moe.fused_moe", "blocked_fp8": "moe.blocked_fp8.fused_moe_blocked_fp8",
            "w8a8": "moe.w8a8.fused_moe_w8a8", "fp4": "moe.v4_fp4.fused_moe_v4_fp4",
            "w4a16": "compressed_tensors_w4a16.fused_moe_w4a16"}[kind]
    return serve(f"{DEPLOY}.{path}", make)


def adapted(n, batch=8, length=512, width=4096, rank=16):
    """Eight sequences, each with an adapter of four."""
    return [n(batch * length, width, dtype=FP16), n(4 * rank, width, dtype=FP16), n(4 * rank, width, dtype=FP16),
            torch.ones(4, device=n.device), torch.arange(4, device=n.device) * rank, numbers(n, rank, 4, torch.int64),
            torch.arange(batch, device=n.device) * length, numbers(n, length, batch, torch.int64),
            torch.arange(batch, device=n.device) % 4, rank, length]


def indexed(new):
    """Scores of earlier tokens for sparse attention."""

    def make(n):
        batch, length, block = 8, 2048, 64
        count = batch * length // block
        return [fp8(n, batch * new, 64, 128), rand(n, batch * new, 64), fp8(n, count, block, 128), rand(n, count, block),
                steps(n, new, batch), numbers(n, length, batch),
                torch.randperm(count, device=n.device).to(torch.int32).view(batch, -1), new, length, new > 1]

    return serve(f"{DEPLOY}.ds_index.fp8_index", make)


def paged_context(new_layout=False, slopes=False):
    """colossalai's attention of whole sequences, whose keys and values it writes into pages."""

    def make(n):
        batch, length, heads, groups, size, block = 8, 1024, 32, 32 if slopes else 8, 128, 64
        count = batch * length // block
        q, k, v = (n(batch * length, many, size, dtype=FP16) for many in (heads, groups, groups))
        keys = empty(n, count, groups, *((size // 8, block, 8) if new_layout else (block, size)), dtype=FP16)
        return [q, k, v, keys, empty(n, count, groups, block, size, dtype=FP16), numbers(n, length, batch),
                torch.arange(count, device=n.device, dtype=torch.int32).view(batch, -1), block, None,
                rand(n, heads) if slopes else None, length, None, new_layout]

    return serve("colossalai.kernel.triton.context_attn_unpad.context_attention_unpadded", make)


def paged_token(new_layout=False, slopes=False):

    def make(n):
        batch, length, heads, groups, size, block = 32, 2048, 32, 8, 128, 64
        count = batch * length // block
        keys = n(count, groups, *((size // 8, block, 8) if new_layout else (block, size)), dtype=FP16)
        return [n(batch, heads, size, dtype=FP16), keys, n(count, groups, block, size, dtype=FP16), numbers(n, length, batch),
                torch.randperm(count, device=n.device).to(torch.int32).view(batch, -1), block, length, None, None, None,
                rand(n, heads) if slopes else None, None, heads // groups, 1, new_layout]

    return serve("colossalai.kernel.triton.flash_decoding.flash_decoding_attention", make)


def by_words(rows, bits=4, size=4096, group=128):
    """Weights of gptqmodel: numbers of some bits along columns of words."""
    return lambda n: [n(rows, size, dtype=FP16), whole(n, 1 << 30, size * bits // 32, size), n(size // group, size, dtype=FP16),
                      whole(n, 1 << 30, size // group, size * bits // 32),
                      (torch.arange(size, device=n.device) // group).to(torch.int32)]


def awq(rows, size=4096, group=128):
    """Eight numbers of four bits in words along rows."""
    return lambda n: [n(rows, size, dtype=FP16), whole(n, 1 << 30, size, size // 8), n(size // group, size, dtype=FP16),
                      whole(n, 1 << 30, size // group, size // 8)]


def sparse(n, size=4096, block=64, dtype=BF16):
    """A matrix with every fourth block of 64 x 64."""
    count = size // block
    columns = (torch.arange(0, count, 4) + torch.arange(count)[:, None] % 4).flatten()
    return torch.sparse_bsr_tensor((torch.arange(count + 1) * (count // 4)).to(n.device), columns.to(n.device),
                                   n(count * count // 4, block, block, dtype=dtype), size=(size, size))


def sparse_blocks(depth):
    """Sums of products of blocks, by lists of which with which: three kernels of PyTorch by themselves."""

    def make(n):
        count, size = 64, 64
        pairs = torch.randint(0, count, (count * depth, 2), device=n.device)
        return [n(count, size, size), n(count, size, size), torch.arange(0, count * depth + 1, depth, device=n.device), pairs,
                empty(n, count, size, size)]

    return make


def sparse_latent(n):
    """Attention of 1024 tokens to 512 chosen latent keys each."""
    return [n(1, 1024, 64, 576), n(1, 4096, 1, 576), whole(n, 3000, 1, 1024, 1, 512)]


def low_ranks(n, rows=64, width=4096, rank=16):
    return [n(rows, width, dtype=FP16), n(4 * rank, width, dtype=FP16), torch.arange(rows, device=n.device) % 4,
            torch.arange(4 * rank, device=n.device).view(4, rank) * width, numbers(n, rank, 4, torch.int64), rank]


DEPLOY = "lmdeploy.pytorch.kernels.cuda"
ROWS, WIDTH = 8192, 4096
WORKLOADS = {
    "amd product": amd("gemm_a16w16.gemm_a16w16", lambda n: [n(4096, 4096), n(4096, 4096), n(4096)],
                       config=shape(128, 256, 64, 4096)),
    "amd product fp16": amd("gemm_a16w16.gemm_a16w16", lambda n: [
        n(4096, 4096, dtype=FP16), n(2048, 4096, dtype=FP16), None, FP16], activation="silu"),
    "amd product, few rows": amd("gemm_a16w16.gemm_a16w16", lambda n: [n(32, 8192), n(2048, 8192)],
                                 config=shape(32, 64, 128, 2048, NUM_KSPLIT=4, num_warps=4)),
    "amd product by sums": amd("gemm_a16w16_atomic.gemm_a16w16_atomic", lambda n: [n(64, 8192), n(1024, 8192)],
                               config=shape(64, 64, 64, 1024, NUM_KSPLIT=8, num_warps=4)),
    "amd product gated": amd("gemm_a16w16_gated.gemm_a16w16_gated", lambda n: [n(4096, 4096), n(8192, 4096)],
                             activation="silu", config=shape(128, 128, 64)),
    "amd layer": amd("ff_a16w16_fused_gated.ff_a16w16_fused_gated", lambda n: [n(64, 4096), n(4096, 4096), n(2048, 4096)],
                     activation="silu"),
    "amd layer ungated": amd("ff_a16w16_fused_ungated.ff_a16w16_fused_ungated", lambda n: [
        n(64, 4096), n(4096, 4096), n(4096, 4096)], activation="gelu"),
    "amd fp8": amd("gemm_a8w8.gemm_a8w8", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 4096, 1), rand(n, 1, 4096), n(4096)]),
    "amd int8": amd("gemm_a8w8.gemm_a8w8", lambda n: [
        int8(n, 4096, 4096), int8(n, 4096, 4096), rand(n, 4096, 1), rand(n, 1, 4096)], config=shape(128, 256, 64)),
    "amd fp8 in blocks": amd("gemm_a8w8_blockscale.gemm_a8w8_blockscale", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 4096, 32), rand(n, 32, 32)],
                             config=shape(128, 128, 128)),
    "amd fp8 in blocks, few rows": amd("gemm_a8w8_blockscale.gemm_a8w8_blockscale", lambda n: [
        fp8(n, 16, 7168), fp8(n, 2048, 7168), rand(n, 16, 56), rand(n, 16, 56)]),
    "amd fp8 weights": amd("gemm_a16w8_blockscale.gemm_a16w8_blockscale", lambda n: [
        n(512, 4096), fp8(n, 4096, 4096), rand(n, 32, 32)], config=shape(64, 128, 128)),
    "amd fp8 weights, quantizing": amd("gemm_a16w8_blockscale.gemm_a16w8_blockscale", lambda n: [
        n(512, 4096), fp8(n, 4096, 4096), rand(n, 32, 32)], pre_quant=True, config=shape(64, 128, 128)),
    "amd fp8 of tokens": amd("gemm_a8w8_per_token_scale.gemm_a8w8_per_token_scale", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 4096, 1), rand(n, 4096, 1)],
                             config=shape(128, 128, 128)),
    "amd two products": amd("fused_gemm_a8w8_blockscale_a16w16.fused_gemm_a8w8_blockscale_a16w16", lambda n: [
        fp8(n, 64, 4096), fp8(n, 512, 4096), rand(n, 64, 32), rand(n, 4, 32), n(64, 4096), n(256, 4096)]),
    "amd fp8 by four bits": amd("gemm_a8wfp4.gemm_a8wfp4", lambda n: [
        fp8(n, 512, 4096), packed(n, 4096, 2048), empty(n, 512, 4096), rand(n, 512, 1), packed(n, 4096, 128)],
                                config=shape(128, 128, 128, 8192)),
    "amd four bits": amd("gemm_afp4wfp4.gemm_afp4wfp4", lambda n: [
        packed(n, 512, 2048), packed(n, 4096, 2048), packed(n, 512, 128), packed(n, 4096, 128)],
                         config=shape(128, 128, 128)),
    "amd four bits, shuffled scales": amd("gemm_afp4wfp4.gemm_afp4wfp4_preshuffled_scales", lambda n: [
        packed(n, 512, 2048), packed(n, 4096, 2048), packed(n, 16, 4096), packed(n, 128, 4096)],
                                          config=shape(128, 128, 256)),
    "amd four bits, quantizing": amd("gemm_afp4wfp4_pre_quant_atomic.gemm_afp4wfp4_pre_quant", lambda n: [
        n(512, 4096), packed(n, 4096, 2048), packed(n, 4096, 128)], config=shape(64, 128, 128, 4096)),
    "amd batch": amd("batched_gemm_bf16.batched_gemm_bf16", lambda n: [n(16, 512, 2048), n(16, 1024, 2048)],
                     config=shape(128, 128, 64)),
    "amd batch int8": amd("batched_gemm_a8w8.batched_gemm_a8w8", lambda n: [
        int8(n, 16, 512, 2048), int8(n, 16, 1024, 2048), rand(n, 16, 512, 1), rand(n, 16, 1, 1024)],
                          config=shape(128, 128, 64)),
    "amd batch four bits": amd("batched_gemm_afp4wfp4.batched_gemm_afp4wfp4", lambda n: [
        packed(n, 16, 256, 1024), packed(n, 16, 1024, 1024), packed(n, 16, 256, 64), packed(n, 16, 1024, 64), BF16,
        empty(n, 16, 256, 1024)],
                               config=shape(64, 128, 128, 4096)),
    "amd batch four bits, quantizing": amd("batched_gemm_afp4wfp4_pre_quant.batched_gemm_afp4wfp4_pre_quant", lambda n: [
        n(16, 256, 2048), packed(n, 16, 1024, 1024), packed(n, 16, 1024, 64), BF16,
        empty(n, 16, 256, 1024)], config=shape(64, 128, 128)),
    "amd batch fp8, quantizing": amd(
        "batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant"
        ".batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant", lambda n: [
            n(16, 512, 512), fp8(n, 16, 128, 512), rand(n, 1)], config=shape(64, 128, 128)),
    "amd groups": amd("gmm.gmm", by_groups(), config={
        "BLOCK_SIZE_M": 128, "BLOCK_SIZE_K": 64, "BLOCK_SIZE_N": 128, "GROUP_SIZE": 8, "GRID_DIM": 132, "num_warps": 8,
        "num_stages": 3}),
    "amd groups back": amd("gmm.ptgmm", by_groups_back(), config={
        "BLOCK_SIZE_M": 64, "BLOCK_SIZE_K": 128, "BLOCK_SIZE_N": 128, "GROUP_SIZE": 8, "GRID_DIM": 132, "num_warps": 8,
        "num_stages": 3}),
    "amd groups back, a block each": amd("gmm.nptgmm", by_groups_back(), config={
        "BLOCK_SIZE_M": 64, "BLOCK_SIZE_K": 128, "BLOCK_SIZE_N": 128, "GROUP_SIZE": 8, "num_warps": 8, "num_stages": 3}),
    "amd experts": amd_experts("moe_op.fused_moe"),
    "amd experts fp8": amd_experts("moe_op.fused_moe", "fp8"),
    "amd experts int8": amd_experts("moe_op.fused_moe", "int8"),
    "amd experts int4": amd_experts("moe_op.fused_moe", "int4"),
    "amd experts silu": amd_experts("moe_op_silu_fused.fused_moe_silu"),
    "amd experts silu fp8": amd_experts("moe_op_silu_fused.fused_moe_silu", "fp8"),
    "amd experts gelu": amd_experts("moe_op_gelu.fused_moe_gelu"),
    "amd choice": amd("moe_routing_sigmoid_top1_fused.routing_sigmoid_top1", lambda n: [n(4096, 5120), n(5120, 16), 1]),
    "amd attention": amd("mha.flash_attn_func", dense(), backward=True, causal=True),
    "amd attention full": amd("mha.flash_attn_func", dense(size=64, dtype=FP16), backward=True),
    "amd attention groups": amd("mha.flash_attn_func", dense(heads=32, groups=8), backward=True, causal=True),
    "amd attention varlen": amd("mha.flash_attn_varlen_func", varlen(), backward=True, causal=True),
    "amd attention dropout": amd("mha.flash_attn_func", dense(size=64), backward=True, causal=True, dropout_p=0.1),
    "amd extended": amd("extend_attention.extend_attention_fwd", extended()),
    "amd extended latent": amd("extend_attention.extend_attention_fwd", extended(16, 1, 576, 512)),
    "amd prefilled": amd("prefill_attention.context_attention_fwd", lambda n: [
        n(8 * 512, 32, 128), n(8 * 512, 8, 128), n(8 * 512, 8, 128), empty(n, 8 * 512, 32, 128), steps(n, 512, 8)[:-1],
        numbers(n, 512, 8), 512]),
    "amd prefixed": amd("pa_prefill.context_attention_fwd", prefixed()),
    "amd prefixed window": amd("pa_prefill.context_attention_fwd", prefixed(window=512)),
    "amd prefixed slopes": amd("pa_prefill.context_attention_fwd", prefixed(slopes=True)),
    "amd unified": amd("unified_attention.unified_attention", unified(256)),
    "amd unified window": amd("unified_attention.unified_attention", unified(256, sinks=True, window=(127, 0), size=64, block=64)),
    "amd unified cap": amd("unified_attention.unified_attention", unified(256, cap=30.0, dtype=FP8)),
    "amd unified token": amd("unified_attention.unified_attention", unified(1)),
    "amd unified token fp8": amd("unified_attention.unified_attention", unified(1, dtype=FP8, block=64)),
    "amd pages": pages(1),
    "amd pages in parts": pages(2),
    "amd pages alone": pages(1, groups=32),
    "amd pages alone in parts": pages(2, groups=32),
    "amd pages fp8": pages(1, True),
    "amd pages fp8 in parts": pages(2, True),
    "amd latent": amd("mla_decode_rope.decode_attention_fwd_grouped_rope", latent),
    "amd jagged": amd("hstu_attention.triton_hstu_attention_fwd", lambda n: [*jagged(n), True, None, 0, 0, None]),
    "amd jagged window": amd("hstu_attention.triton_hstu_attention_fwd", lambda n: [
        *jagged(n), True, numbers(n, 20, 8), 512, 64, None]),
    "amd lean": lean(),
    "amd lean causal": lean(True),
    "amd logits": amd("fp8_mqa_logits.fp8_mqa_logits", logits),
    "amd logits of pages": amd("pa_mqa_logits.deepgemm_fp8_paged_mqa_logits", paged_logits),
    "amd logits of pages in parts": amd("pa_mqa_logits.deepgemm_fp8_paged_mqa_logits_stage1", lambda n: [
        *paged_logits(n)[:3], empty(n, 64, 32, 2048, dtype=FP32), *paged_logits(n)[4:]]),
    "amd chosen keys": amd("unified_attention_sparse_mla.unified_attention_sparse_mla", chosen_keys),
    "amd norm": amd("norm.layer_norm", lambda n: [n(ROWS, WIDTH), n(WIDTH), n(WIDTH)], backward=True),
    "amd norm and int8": amd("norm.layernorm2d_fwd_with_add_dynamicquant", lambda n: [
        empty(n, ROWS, WIDTH, dtype=INT8), n(ROWS, WIDTH), n(ROWS, WIDTH), empty(n, ROWS, WIDTH), empty(n, ROWS, 1, dtype=FP32),
        n(WIDTH), n(WIDTH), 1e-5]),
    "amd rms norm": amd("rmsnorm.rms_norm", lambda n: [n(ROWS, WIDTH), n(WIDTH), 1e-5], backward=True),
    "amd rms norm wide": amd("rmsnorm.rms_norm", lambda n: [n(1024, 65536), n(65536), 1e-5]),
    "amd rms norm and int8": amd("rmsnorm.rmsnorm2d_fwd_with_add_smoothquant", lambda n: [
        empty(n, ROWS, WIDTH, dtype=INT8), n(ROWS, WIDTH), n(ROWS, WIDTH), empty(n, ROWS, WIDTH), rand(n, WIDTH),
        empty(n, ROWS, 1, dtype=FP32), n(WIDTH), 1e-5]),
    "amd rms norm and pad": amd("fused_add_rmsnorm_pad.fused_add_rmsnorm_pad", lambda n: [
        n(ROWS, 2880), n(2880), 1e-5, n(ROWS, 2880), 256]),
    "amd rms norm and fp8": amd("fused_fp8_quant.fused_rms_fp8_group_quant", lambda n: [
        n(ROWS, 1536), n(1536), 1e-5, n(ROWS, 512), n(512), 1e-5], res1=None),
    "amd fp8 of groups": amd("fused_fp8_quant.fused_flatten_fp8_group_quant", lambda n: [n(ROWS, 16, 128), 128]),
    "amd sums to fp8": amd("fused_fp8_quant.fused_reduce_act_mul_fp8_group_quant", lambda n: [
        n(4, 1024, 4096, dtype=FP32), "silu", n(4, 1024, 512, dtype=FP32)]),
    "amd rms norm and four bits": amd("fused_mxfp4_quant.fused_rms_mxfp4_quant", lambda n: [
        n(ROWS, 1536), n(1536), 1e-5, n(ROWS, 512), n(512), 1e-5]),
    "amd flat four bits": amd("fused_mxfp4_quant.fused_flatten_mxfp4_quant", lambda n: [n(ROWS, 16, 128)]),
    "amd gate and fp8": amd("activation.act_mul_and_fp8_group_quant", lambda n: [n(ROWS, WIDTH), "silu", 128]),
    "amd gate and four bits": amd("activation.act_mul_and_mxfp4_quant", lambda n: [n(ROWS, WIDTH), "gelu_tanh"]),
    "amd four bits of groups": amd("quant.dynamic_mxfp4_quant", lambda n: [n(ROWS, WIDTH)]),
    "amd fp8 of all": amd("quant.dynamic_per_tensor_quant_fp8_i8", lambda n: [
        empty(n, ROWS, WIDTH, dtype=FP8), n(ROWS, WIDTH), empty(n, 1, dtype=FP32)]),
    "amd int8 of rows": amd("quant.dynamic_per_token_quant_fp8_i8", lambda n: [
        empty(n, ROWS, WIDTH, dtype=INT8), n(ROWS, WIDTH), empty(n, ROWS, dtype=FP32)]),
    "amd fp8 of experts": amd("quant_moe.downcast_to_static_fp8", lambda n: [n(ROWS, WIDTH), rand(n, 1)]),
    "amd four bits of experts": amd("quant_moe.downcast_to_mxfp", lambda n: [n(16, 2048, 1024), torch.uint8, 1]),
    "amd four bits of experts, back": amd("quant_moe.upcast_from_mxfp", lambda n: [
        column_major(packed(n, 2048, 512)), column_major(packed(n, 2048, 32)), BF16, 1]),
    "amd rotary": amd("rope.rope_fwd", lambda n: [n(2048, 4, 32, 128), n(2048, 1, 1, 64), 0, True, False]),
    "amd rotary pairs": amd("rope.rope_cached_fwd", lambda n: [
        n(2048, 4, 32, 128), n(2048, 1, 1, 64), n(2048, 1, 1, 64), 1, True, False]),
    "amd rotary back": amd("rope.rope_bwd", lambda n: [n(2048, 4, 32, 128), n(2048, 1, 1, 64), 0, True, False]),
    "amd rotary of two": amd("rope.rope_cached_thd_positions_2c_fwd", lambda n: [
        n(ROWS, 32, 128), n(ROWS, 8, 128), n(2048, 64), n(2048, 64), whole(n, 2048, ROWS, dtype=torch.int64), 0,
        True, False]),
    "amd rotary varlen": amd("rope.rope_thd_fwd", lambda n: [
        n(ROWS, 32, 128), steps(n, 2048, 4), n(2048, 1, 1, 64), 0, True, False]),
    "amd rotary and keys": amd("fused_kv_cache.fused_qk_rope_reshape_and_cache", lambda n: [
        n(ROWS, 32, 128), n(ROWS, 8, 128), n(ROWS, 8, 128), empty(n, 1024, 16, 8, 128), empty(n, 1024, 16, 8, 128),
        torch.randperm(16384, device=n.device)[:ROWS], whole(n, 2048, ROWS, dtype=torch.int64), n(2048, 64), n(2048, 64),
        torch.ones(1, device=n.device), torch.ones(1, device=n.device), True, True]),
    "amd rotary and latent keys": amd("fused_kv_cache.fused_qk_rope_cat_and_cache_mla", lambda n: [
        n(ROWS, 16, 512), n(ROWS, 16, 64), n(ROWS, 1, 512), n(ROWS, 1, 64), empty(n, 16384, 1, 576),
        torch.randperm(16384, device=n.device)[:ROWS], whole(n, 2048, ROWS, dtype=torch.int64), n(2048, 32), n(2048, 32),
        torch.ones(1, device=n.device), True]),
    "amd rotary of parts": amd("fused_qkv_split_qk_rope.fused_qkv_split_qk_rope", lambda n: [
        n(ROWS, 48 * 128), n(2048, 1, 1, 64), n(2048, 1, 1, 64), whole(n, 2048, ROWS, dtype=torch.int64), 32, 8, 128]),
    "amd rotary and joined": amd("fused_qk_concat.fused_qk_rope_cat", lambda n: [
        n(ROWS, 16, 512), n(ROWS, 16, 64), n(ROWS, 1, 512), n(ROWS, 1, 64), whole(n, 2048, ROWS, dtype=torch.int64),
        n(2048, 32), n(2048, 32), True]),
    "amd parts": amd("split_qkv.split_qkv", lambda n: [n(ROWS, 6144), 4096, 1024]),
    "amd scaled": amd("fused_mul_add.fused_mul_add", lambda n: [n(ROWS, WIDTH), n(1), n(1)]),
    "amd softmax": amd("softmax.softmax", lambda n: [n(4096, 32768)]),
    "amd top": amd("topk.topk", lambda n: [n(4096, 128, dtype=FP32), 8]),
    "amd top of many": amd("topk.topk", lambda n: [n(64, 8192, dtype=FP32), 64]),
    "amd blocks of experts": amd("moe_align_block_size.moe_align_block_size_triton", lambda n: [
        whole(n, 64, 4096, 8), 64, 64, numbers(n, 0, 4096 * 8 + 64 * 64), numbers(n, 0, 4096 * 8 // 64 + 64), numbers(n, 0, 1)]),
    "deployed": deployed(),
    "deployed 64": deployed(16, 16, 64, dtype=FP16),
    "deployed latent": deployed(16, 16, 192, 128),
    "deployed 256": deployed(8, 4, 256, layout="shd"),
    "deployed window": deployed(window_size=(255, 255), softcap=30.0),
    "deployed sinks": deployed(64, 8, 64, layout="shd", window_size=(127, 127)),
    "deployed token": deployed_token(),
    "deployed token alone": deployed_token(heads=32, groups=32),
    "deployed token window": deployed_token(window=256, cap=30.0),
    "deployed tokens": deployed_token(new=4),
    "deployed token int8": deployed_token(8),
    "deployed token int4": deployed_token(4),
    "deployed token latent": serve(f"{DEPLOY}.pagedattention.flash_attn_with_kvcache", deployed_latent),
    "deployed fill": filled(),
    "deployed fill int8": filled(8),
    "deployed fill int4": filled(4),
    "deployed fill fp8": serve(f"{DEPLOY}.fill_kv_cache.fill_kv_cache_blocked_fp8", lambda n: [
        n(4096, 1, 512), None, torch.zeros(192, 64, 1, 512, device=n.device).to(FP8), None, empty(n, 192, 64, 1, 4, dtype=FP32),
        None, steps(n, 512, 8), numbers(n, 1536, 8), 512,
        torch.randperm(192, device=n.device).to(torch.int32).view(8, -1)]),
    "deployed flat": flattened(),
    "deployed flat int8": flattened(8),
    "deployed flat int4": flattened(4),
    "deployed experts": deployed_experts("plain"),
    "deployed experts, few tokens": deployed_experts("plain", 64, 64),
    "deployed experts fp8": deployed_experts("blocked_fp8"),
    "deployed experts int8": deployed_experts("w8a8"),
    "deployed experts four bits": deployed_experts("w4a16"),
    "deployed experts fp4": deployed_experts("fp4"),
    "deployed fp8": serve(f"{DEPLOY}.blocked_gemm_fp8.blocked_gemm_fp8", lambda n: [
        fp8(n, 4096, 4096), rand(n, 4096, 32), fp8(n, 4096, 4096).T, rand(n, 32, 32).T, BF16]),
    "deployed fp8, few rows": serve(f"{DEPLOY}.blocked_gemm_fp8.blocked_gemm_fp8", lambda n: [
        fp8(n, 32, 7168), rand(n, 32, 56), fp8(n, 2048, 7168).T, rand(n, 16, 56).T, BF16]),
    "deployed to fp8": serve(f"{DEPLOY}.blocked_gemm_fp8.quant_fp8", lambda n: [n(8192, 4096), 128]),
    "deployed to fp8, powers": serve(f"{DEPLOY}.blocked_gemm_fp8.quant_fp8", lambda n: [n(8192, 4096), 128],
                                     scale_fmt="ue8m0"),
    "deployed int8": serve(f"{DEPLOY}.w8a8_triton_kernels.matmul_kernel_dynamic_quant", lambda n: [
        int8(n, 4096, 4096), int8(n, 4096, 4096), rand(n, 4096, 1), rand(n, 4096, 1), n(4096, 4096, dtype=FP16)]),
    "deployed fp8 of tokens": serve(f"{DEPLOY}.w8a8_triton_kernels.matmul_kernel_dynamic_quant", lambda n: [
        fp8(n, 512, 4096), fp8(n, 4096, 4096), rand(n, 512, 1), rand(n, 4096, 1), None, n(4096, dtype=FP16)]),
    "deployed fp8 of all": serve(f"{DEPLOY}.w8a8_triton_kernels.matmul_kernel_static_quant", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 1), rand(n, 1)]),
    "deployed int8 of rows": serve(f"{DEPLOY}.w8a8_triton_kernels.per_token_quant_int8", lambda n: [n(8192, 4096), 1e-7]),
    "deployed norm and int8": serve(f"{DEPLOY}.w8a8_triton_kernels.rms_norm_dynamic_quant", lambda n: [
        n(8192, 4096), n(4096), 1e-6, n(8192, 4096)]),
    "deployed norm": serve(f"{DEPLOY}.rms_norm.rms_norm", lambda n: [n(8192, 4096), n(4096), 1e-6, n(8192, 4096)]),
    "deployed awq": serve(f"{DEPLOY}.awq_kernels.awq_linear", lambda n: [
        n(512, 4096, dtype=FP16), whole(n, 1 << 30, 4096, 512), n(32, 4096, dtype=FP16), whole(n, 1 << 30, 32, 512)]),
    "deployed awq, few rows": serve(f"{DEPLOY}.awq_kernels.awq_linear", lambda n: [
        n(16, 14336, dtype=FP16), whole(n, 1 << 30, 14336, 512), n(112, 4096, dtype=FP16), whole(n, 1 << 30, 112, 512)]),
    "deployed adapters": serve(f"{DEPLOY}.fused_lora.fused_lora", adapted),
    "deployed index": indexed(128),
    "deployed index of token": indexed(1),
    "deployed top": serve(f"{DEPLOY}.bitonic_topk.bitonic_topk", lambda n: [
        n(64, 8192, dtype=FP32), numbers(n, 1, 64), numbers(n, 8000, 64), 2048]),
    "deployed rotary": serve(f"{DEPLOY}.apply_rotary_pos_emb.apply_rotary_pos_emb", lambda n: [
        n(8192, 32, 128), n(8192, 8, 128), n(8192, 128), n(8192, 128)]),
    "deployed silu": serve(f"{DEPLOY}.activation.silu_and_mul", lambda n: [n(8192, 8192)]),
    "deployed silu of experts": serve(f"{DEPLOY}.activation.silu_and_mul_moe_ep", lambda n: [
        n(16, 512, 4096), numbers(n, 400, 16)]),
    "deployed sample": serve(f"{DEPLOY}.multinomial_sampling.multinomial_sampling", lambda n: [
        rand(n, 64, 32768).softmax(-1), torch.arange(64, device=n.device), torch.arange(64, device=n.device)]),
    "deployed choice": serve(f"{DEPLOY}.moe.route_noaux_tc.fused_noaux_tc_routing", lambda n: [
        n(4096, 256, dtype=FP32), n(256, dtype=FP32)]),
    "deployed choice of one group": serve(f"{DEPLOY}.moe.route_single_group.fused_single_group_topk_router", lambda n: [
        rand(n, 4096, 192), rand(n, 192)], num_experts=192, top_k=8, routed_scaling_factor=2.5),
    "deployed delta inputs": serve(f"{DEPLOY}.gated_delta_preprocess.gated_delta_preprocess", lambda n: [
        n(1, 8192, 16, 128), n(1, 8192, 16, 128), n(1, 8192, 32), n(1, 8192, 32), n(32), n(32, dtype=FP32), 2]),
    "deployed streams": serve(f"{DEPLOY}.dsv4.hc_prepost.hc_pre_reduce", lambda n: [
        n(4096, 4, 4096), rand(n, 4096, 4), 4]),
    "deployed streams out": serve(f"{DEPLOY}.dsv4.hc_prepost.hc_post_expand", lambda n: [
        n(4096, 4096), n(4096, 4, 4096), rand(n, 4096, 4), rand(n, 4096, 4, 4), 4]),
    "deployed gate and fp8": serve(f"{DEPLOY}.moe.v4_swiglu_quant.v4_swiglu_and_quant_fp8", lambda n: [n(8192, 4096), 7.0]),
    "deployed rejection": serve(f"{DEPLOY}.rejection_sampling.sample_recovered_tokens", lambda n: [
        numbers(n, 0, 256, torch.int64).view(64, 4), whole(n, 32768, 64, 4, dtype=torch.int64), rand(n, 64, 4, 32768),
        rand(n, 64, 4, 32768), rand(n, 64, 32768)]),
    "colossal context": paged_context(),
    "colossal context, other keys": paged_context(new_layout=True),
    "colossal context slopes": paged_context(slopes=True),
    "colossal token": paged_token(),
    "colossal token, other keys": paged_token(new_layout=True),
    "colossal token slopes": paged_token(slopes=True),
    "colossal norm": serve("colossalai.kernel.triton.rms_layernorm.rms_layernorm", lambda n: [
        n(8192, 4096, dtype=FP16), n(4096, dtype=FP16), 1e-6, None, n(8192, 4096, dtype=FP16)]),
    "colossal softmax": serve("colossalai.kernel.triton.softmax.softmax", lambda n: [n(4096, 4096, dtype=FP16)]),
    "colossal gate": call("colossalai.kernel.triton.llama_act_combine_kernel.LlamaActCombine.apply", lambda n: [
        n(4, 2048, 8192), n(4, 2048, 4096), "swiglu"]),
    "colossal rotary": serve("colossalai.kernel.triton.no_pad_rotary_embedding.rotary_embedding", lambda n: [
        n(8192, 32, 128), n(8192, 8, 128), n(8192, 64), n(8192, 64)]),
    "colossal rotary of token": serve("colossalai.kernel.triton.no_pad_rotary_embedding.decoding_fused_rotary_embedding", lambda n: [
        n(32, 32, 128), n(32, 8, 128), n(32, 8, 128), n(32, 64), n(32, 64), empty(n, 1024, 8, 64, 128),
        empty(n, 1024, 8, 64, 128), torch.arange(1024, device=n.device, dtype=torch.int32).view(32, -1), numbers(n, 2000, 32)]),
    "colossal keys": serve("colossalai.kernel.triton.kvcache_copy.copy_kv_to_blocked_cache", lambda n: [
        n(32, 8, 128), n(32, 8, 128), empty(n, 1024, 8, 64, 128), empty(n, 1024, 8, 64, 128), numbers(n, 2000, 32),
        torch.arange(1024, device=n.device, dtype=torch.int32).view(32, -1)]),
    "gptq": serve("gptqmodel.nn_modules.triton_utils.gptq_gemm.gptq_gemm", by_words(64)),
    "gptq eight bits": serve("gptqmodel.nn_modules.triton_utils.gptq_gemm.gptq_gemm", by_words(16, 8), bits=8),
    "gptq a row": serve("gptqmodel.nn_modules.triton_utils.gptq_gemv.gptq_gemv", by_words(1)),
    "gptq to numbers": serve("gptqmodel.nn_modules.triton_utils.dequant.dequant", lambda n: [
        FP16, *by_words(1)(n)[1:], 4, 32, 15]),
    "gptq three bits to numbers": serve("gptqmodel.nn_modules.triton_utils.dequant.dequant", lambda n: [
        FP16, *by_words(1, 3)(n)[1:], 3, 32, 7]),
    "gptq awq": serve("gptqmodel.quantization.awq.modules.triton.gemm.awq_gemm_triton", lambda n: [*awq(64)(n), 8]),
    "gptq awq to numbers": serve("gptqmodel.quantization.awq.modules.triton.gemm.awq_dequantize_triton", lambda n: awq(1)(n)[1:]),
    "gptq rotated": serve("gptqmodel.quantization.paroquant.modules.triton.gemm.paroquant_gemm_triton_prefill", awq(512)),
    "gptq rotated, few rows": serve("gptqmodel.quantization.paroquant.modules.triton.gemm.paroquant_gemm_triton_decode", awq(8)),
    "torch sparse": serve("torch.sparse._triton_ops.bsr_dense_mm", lambda n: [sparse(n), n(4096, 4096)]),
    "torch sparse and sum": serve("torch.sparse._triton_ops.bsr_dense_addmm", lambda n: [
        n(4096, 2048, dtype=FP16), sparse(n, dtype=FP16), n(4096, 2048, dtype=FP16)], beta=0.5, alpha=2.0),
    "torch sampled": serve("torch.sparse._triton_ops.sampled_addmm", lambda n: [sparse(n), n(4096, 512), n(512, 4096)]),
    "torch sparse softmax": serve("torch.sparse._triton_ops.bsr_softmax", lambda n: [sparse(n, dtype=FP32)]),
    "torch blocks": serve("torch.sparse._triton_ops._scatter_mm2", sparse_blocks(16)),
    "torch sparse of blocks": serve("torch.sparse._triton_ops.bsr_scatter_mm", lambda n: [sparse(n), n(4096, 2048)]),
    "flashinfer product": serve("flashinfer.triton.sm_constraint_gemm.gemm_persistent", lambda n: [
        n(4096, 4096), n(4096, 4096).T]),
    "flashinfer product fp8": serve("flashinfer.triton.sm_constraint_gemm.gemm_persistent", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096).T]),
    "flashinfer product of all": serve("flashinfer.triton.sm_constraint_gemm.gemm", lambda n: [
        n(4096, 4096, dtype=FP16), n(4096, 4096, dtype=FP16).T]),
    "flashinfer merge": serve("flashinfer.triton.cascade.merge_state", lambda n: [
        n(4096, 32, 128), rand(n, 4096, 32), n(4096, 32, 128), rand(n, 4096, 32)]),
    "flashinfer merge of many": serve("flashinfer.triton.cascade.merge_states", lambda n: [
        n(1024, 8, 32, 128), rand(n, 1024, 8, 32)]),
    "flashinfer merge of some": serve("flashinfer.triton.cascade.variable_length_merge_states", lambda n: [
        n(8192, 32, 128), rand(n, 8192, 32), steps(n, 8, 1024)]),
    "dl sparse latent": serve("dlblas.kernels.sparse_mla.sparse_mla_fwd_interface", sparse_latent),
    "dl index": serve("dlblas.kernels.lighting_indexer.mqa_attn_return_logits_interface", lambda n: [
        fp8(n, 1024, 64, 128), fp8(n, 4096, 128), rand(n, 4096), rand(n, 1024, 64), numbers(n, 0, 1024),
        torch.arange(3072, 4096, device=n.device, dtype=torch.int32)]),
    "dl attention": serve("dlblas.kernels.flash_attention_v2.call", dense(2, 2048, 16, size=128, dtype=FP16)),
    "dl rotary and attention": serve("dlblas.kernels.fused_rotary_and_fa.call", lambda n: [
        *dense(2, 2048, 16, size=128, dtype=FP16)(n), n(2048, 64, dtype=FP16), n(2048, 64, dtype=FP16)]),
    "dl gate": serve("dlblas.kernels.ffn.call", lambda n: [
        n(4, 1024, 4096, dtype=FP16), n(2048, 4096, dtype=FP16), n(2048, 4096, dtype=FP16), n(4096, dtype=FP16)]),
    "dl groups back": serve("dlblas.kernels.grouped_gemm.BF16.k_grouped_gemm.k_grouped_gemm_general", lambda n: [
        n(8192, 1024), n(8192, 2048), numbers(n, 512, 16)]),
    "dl fp8": serve("dlblas.kernels.fp8_gemm.fp8_gemm", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 4096, 32), rand(n, 32, 32)]),
    "dl product": serve("dlblas.kernels.persistent_matmul.call", lambda n: [
        n(4096, 4096, dtype=FP16), n(4096, 4096, dtype=FP16)]),
    "dl adapters": serve("dlblas.kernels.mbgmv.mbgmv_a", low_ranks),
}
