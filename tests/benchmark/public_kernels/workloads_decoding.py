"""Operations of packages that nothing else here has: attention with large heads, masks, tiles, chosen blocks and numbers of
four bits, recurrent networks, a token's steps through a model, experts, and keys and values of few bits. Of
attn-qat-infer, b10-kernel, fastvideo-kernel, ffpa-attn, flash-attention-triton, flash-attention-x, flash-qla,
flashattention2-custom-mask, flashrnn, flex-head-fa, h3-sparse-attn, ring-flash-attn, transformer-nuggets, tritonllm,
turbo-attn and xfuser."""
import contextlib
import functools
import importlib
import importlib.util
import inspect
import os
import re
import sys
import tempfile
import types
from pathlib import Path
from unittest import mock

import bare
import torch
from bare import of
from operations import both_passes, call, maker, serve, whole

bare.bare("attn_qat_infer", "b10_kernel", "fastvideo_kernel", "ffpa_attn", "flash_attention_triton", "flash_qla", "flashrnn",
          "flex_head_fa", "ring_flash_attn", "tkv", "transformer_nuggets", "xfuser")
bare.stub("triton.tools.experimental_descriptor", "triton.language.extra.cuda._experimental_tma", "tilelang", "fp4attn_cuda",
          "fp4quant_cuda", "fastvideo_kernel._C", "pytest")
FP16, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32


def anywhere(run):
    """RUN, also where the GPU is a pretended one."""

    def patched(device):
        with contextlib.ExitStack() as stack:
            if device == "cpu":
                for owner, name in ((torch.cuda, "set_device"), (torch, "set_default_device")):
                    stack.enter_context(mock.patch.object(owner, name, lambda device: None))
            run(device)

    return patched


def with_tensors(run):
    return lambda device: run(maker(device))


def uniform(n, *sizes, dtype=FP32):
    return torch.rand(*sizes, device=n.device).to(dtype)


def of_heads(batch=4, count=16, length=2048, size=64, groups=None, dtype=BF16):
    """Queries, keys and values as [batch, heads, length, size]."""
    return lambda n: [n(batch, many, length, size, dtype=dtype) for many in (count, groups or count, groups or count)]


def of_tokens(batch=4, length=2048, count=16, size=64, groups=None, dtype=BF16):
    """The same as [batch, length, heads, size]."""
    return lambda n: [n(batch, length, many, size, dtype=dtype) for many in (count, groups or count, groups or count)]


# ffpa-attn: attention with large heads

FFPA = "ffpa_attn.triton"


def large(size=512, length=4096, queries=None, batch=1, count=8, groups=None, bias=None, dtype=BF16, forward={}, backward={},
          **options):
    """Forward, and backward where `backward` is not None."""

    def run(device):
        n = maker(device)
        queries_ = queries or length
        q = n(batch, count, queries_, size, dtype=dtype)
        k, v = (n(batch, groups or count, length, size, dtype=dtype) for _ in range(2))
        mask = n(*bias, dtype=dtype) if bias else None
        o, lse = torch.zeros_like(q), torch.zeros(batch, count, -(-queries_ // 128) * 128, device=device)
        common = dict(attn_bias=mask, softmax_scale=size**-0.5, **options)
        of(f"{FFPA}._ffpa_fwd._ffpa_attn_forward_impl")(q, k, v, o, lse, **common, **forward)
        if backward is None:
            return
        native = groups and groups < count
        dk, dv = (torch.zeros_like(x, dtype=FP32 if native else None) for x in (k, v))
        given = dict(backward)
        grad = torch.zeros_like(mask, dtype=FP32) if given.pop("bias", False) else None
        of(f"{FFPA}._ffpa_bwd._ffpa_attn_backward_triton_impl")(
            do=torch.randn_like(o), q=q, k=k, v=v, o=o, lse=lse, dq=torch.zeros_like(q), dk=dk, dv=dv, grad_attn_bias=grad,
            original_nheads_kv=groups or count, **common, **given)

    return run


# flashrnn


def recurrent(name, states, batch=16, length=256, heads=8, size=64, dtype="bfloat16"):

    def run(device):
        n = maker(device)
        kind = getattr(torch, dtype)
        given = [n(states, batch, heads, size, dtype=kind), n(batch, length, 4, heads, size, dtype=kind),
                 n(4, heads, size, size, dtype=kind, scale=0.5 * size**-0.5), n(4, heads, size, dtype=kind)]
        both_passes(lambda: of(f"flashrnn.flashrnn.triton_fused.fwbw.{name}_tr_fwbw")(
            *(x.requires_grad_() for x in given), None, dtype)[0])

    return run


# transformer-nuggets

NUGGETS = "transformer_nuggets"


def by_scales(rows_of_scales, dtype=torch.float8_e4m3fn, rows=4096, inputs=4096, outputs=4096):

    def run(device):
        n = maker(device)
        a, b = n(rows, inputs).to(dtype), n(outputs, inputs).to(dtype).T
        scales = [uniform(n, rows, 1), uniform(n, 1, outputs)] if rows_of_scales else [uniform(n, 1, 1), uniform(n, 1, 1)]
        of(f"{NUGGETS}.fp8.fp8_matmul.matmul_persistent")(a, scales[0], b, scales[1], BF16)

    return run


def from_four_bits(device, rows=4096, columns=4096):
    n, blocks = maker(device), rows * columns // 64
    of(f"{NUGGETS}.quant.dequant_kernel.dequant_nf4_tensor_kernel")[(blocks, )](
        whole(n, 256, blocks * 32, dtype=torch.uint8), torch.zeros(rows, columns, device=device, dtype=BF16),
        whole(n, 127, blocks, dtype=torch.int8), uniform(n, blocks // 256) + 64, n(1, scale=0.01), n(16), 256, 32)


# flash-qla


def state_gradients(first=False, outputs=True, last=True, length=16384, heads=32, groups=16, segments=8):

    def run(device):
        n = maker(device)
        chunks = length // segments // 64
        starts = torch.arange(0, length + 1, length // segments, device=device, dtype=torch.int32)
        module = importlib.import_module("flash_qla.utils")
        module.prepare_chunk_offsets = lambda starts, size: (starts // size, length // size)
        gate = -uniform(n, 1, length // 64, 64, heads).cumsum(2).view(1, length, heads) * 0.05
        of("flash_qla.ops.gated_delta_rule.chunk.blackwell.cp_bwd_triton.fused_gdr_dh_triton")(
            n(1, length, groups, 128, scale=128**-0.5), n(1, length, groups, 128, scale=128**-0.5),
            n(1, length, heads, 64, scale=0.1), gate, uniform(n, 1, length, heads), n(1, length, heads, 128),
            n(segments, heads, 128, 128, dtype=FP32) if last else None, output_dh=outputs, cu_seqlens=starts,
            num_warmup_chunks=torch.full((segments, heads), chunks, device=device, dtype=torch.int32), state_v_first=first)

    return run


# fastvideo-kernel

FAST, VIDEO = "fastvideo_kernel.turbodiffusion_ops", "fastvideo_kernel.triton_kernels"


def near(n, heads=12, queries=128, keys=128, share=0.2):
    """Blocks of keys that blocks of queries look at."""
    mask = uniform(n, 1, heads, queries, keys) < share
    mask[..., 0] = True
    return mask


def listed(mask):
    """Which of a row's are chosen, these first, and how many."""
    return mask.to(torch.int8).sort(dim=-1, descending=True, stable=True).indices.int(), mask.sum(-1).int()


def of_blocks(size=128, length=8192, heads=12):

    def run(device):
        n = maker(device)
        q, k, v = (n(1, heads, length, size) for _ in range(3))
        mask = near(n, heads, length // 64, length // 64)
        sizes = torch.full((length // 64, ), 64, device=device, dtype=torch.int32)
        chosen = listed(mask)
        o, m = of(f"{VIDEO}.block_sparse_attn_triton.triton_block_sparse_attn_forward")(q, k, v, *chosen, sizes)
        of(f"{VIDEO}.block_sparse_attn_triton.triton_block_sparse_attn_backward")(
            n(*o.shape), q, k, v, o, m, *chosen, *listed(mask.transpose(-1, -2)), sizes)

    return run


def sparse_linear(size, block, top=24, length=8192, heads=12):

    def make(n):
        q, k, v = (n(1, heads, length, size) for _ in range(3))
        scores = uniform(n, 1, heads, length // block, length // 64)
        lut = scores.topk(top).indices
        there = torch.zeros_like(scores, dtype=torch.int8).scatter_(-1, lut, 1)
        return [q, k, v, there, lut, top, block, 64]

    return call(f"{VIDEO}.sla_triton._attention.apply", make)


def tiles(windows, text=0, size=128):
    """Attention of a video's tiles to those around them, with some text behind it."""
    length = 115200 + 256 if text else 69120
    return serve(f"{VIDEO}.st_attn_triton.sliding_tile_attention_triton", lambda n: [
        *(n(1, len(windows), length, size) for _ in range(3)), windows, text, bool(text),
        "30x48x80" if text else "18x48x80"])


def four_bit_training(length=2048, keys=2048, size=128, causal=False, **options):
    return call(f"{VIDEO}.attn_qat_train.attention", lambda n: [
        n(1, 16, length, size), n(1, 16, keys, size), n(1, 16, keys, size), causal, size**-0.5], backward=True,
        **dict(dict(use_qat_qkv_backward=True, smooth_k=True, warp_specialize=False, IS_QAT=True, two_level_quant_P=True,
                    fake_quant_P=True, use_high_prec_o=True, smooth_q=False, use_global_sf_P=False,
                    use_global_sf_QKV=True), **options))


def rows(n, count=8192, width=4096, dtype=BF16):
    return n(count, width, dtype=dtype)


# xfuser


def tiled(n, length=16384, tile=64):
    return types.SimpleNamespace(
        total_seq_length=length, num_tiles=length // tile, tile_elements=tile,
        tiled_to_packed_row=torch.randperm(length, device=n.device).int(),
        variable_block_sizes=torch.full((length // tile, ), tile, device=n.device, dtype=torch.int32))


def tiled_attention(n, heads=16, length=16384, size=128, top=32):
    return [*(n(1, heads, length, size) for _ in range(3)),
            uniform(n, 1, heads, length // 64, length // 64).topk(top).indices.int(),
            n(1, heads, length // 64, size), n(1, heads, length, size), tiled(n, length)]


# b10-kernel


def rotated(**options):

    def run(device):
        n = maker(device)
        options_ = {name: make(n) if callable(make) else make for name, make in options.items()}
        angles = uniform(n, 4096, 32, 64) * 6
        shape = (8192, 32, 128) if "cu_seqlens" in options else (4, 2048, 32, 128)
        with mock.patch.object(torch.library, "wrap_triton", lambda kernel: kernel):
            of("b10_kernel.triton.rope.apply_rotary")(n(*shape), angles.cos().to(BF16), angles.sin().to(BF16), **options_)

    return run


def starts(n, count=4, length=2048):
    return torch.arange(0, (count + 1) * length, length, device=n.device, dtype=torch.int32)


# turbo-attn

TKV = "tkv.codec.triton_kernels"


def table(bits):
    return lambda n: n(1 << bits, dtype=FP32).sort().values


def codes(bits, count=65536, size=128):
    return lambda n: [whole(n, 256, count, size * bits // 8, dtype=torch.uint8), uniform(n, count) + 0.5]


def compressed(bits, count=65536, size=128, **options):

    def make(n):
        centroids = table(bits)(n)
        return [n(count, size), n(size, size, dtype=FP32, scale=size**-0.5), (centroids[1:] + centroids[:-1]) / 2, bits, size,
                None, None, centroids]

    return serve(f"{TKV}.triton_compress", make, **options)


def pages_of_codes(n, pages=4096, page=16, heads=8, size=128, bits=4):
    part = heads * size * bits // 8
    layout = dict(k_packed_off=0, v_packed_off=part, k_norm_off=2 * part, v_norm_off=2 * part + 2 * heads, k_packed_bytes=part,
                  v_packed_bytes=part)
    cache = whole(n, 64, pages, page, 2 * part + 4 * heads, dtype=torch.uint8)
    return [cache, starts(n, 8, pages // 8), torch.randperm(pages, device=n.device).int(),
            torch.full((8, ), page, device=n.device, dtype=torch.int32), table(bits)(n), table(bits)(n), layout, heads, size,
            page, bits, bits]


def staged(lanes, count=65536, sequences=64):

    def run(device):
        ring = of("tkv.kernels.loaders.ring.S8Ring").with_lanes(w=512, lanes=sequences, device=device)
        each = count // sequences
        position = torch.arange(count, device=device) % each
        ring.stage(torch.arange(count, device=device) + 64, position, torch.full_like(position, each),
                   lanes=torch.arange(count, device=device) // each if lanes else None)

    return run


def staged_batch(device, slots=False, count=65536, sequences=64):
    n, each = maker(device), count // sequences
    if slots:
        ring = of("tkv.kernels.loaders.ring_slots.SlotRing").with_chunks(w=512, chunks=4096, device=device)
    else:
        ring = of("tkv.kernels.loaders.ring.S8Ring").with_lanes(w=512, lanes=sequences, device=device)
    ring.stage_batch(torch.arange(count, device=device) + 64, starts(n, sequences, each),
                     torch.full((sequences, ), each, device=device, dtype=torch.int32), page_size=64,
                     out=torch.zeros(count, device=device, dtype=torch.int64),
                     block_table=torch.arange(count // 64, device=device, dtype=torch.int32).view(sequences, -1) + 1)


# tritonllm

LLM, EXPERTS = "tritonllm.gpt_oss.triton", "tritonllm.triton_kernels"


def with_sinks(name, queries=2048, keys=2048, batch=2, bandwidth=0, heads=8, groups=8, size=64):
    return serve(f"{LLM}.{name}", lambda n: [
        n(batch, queries, heads, groups, size), n(batch, keys, heads, size), n(batch, keys, heads, size), n(heads * groups),
        size**-0.5, bandwidth, torch.tensor([keys - queries], device=n.device)])


def one_token(name, inputs, outputs, batch=8):
    return serve(f"{LLM}.triton_kernels.{name}", lambda n: [n(batch, 1, inputs), n(outputs, inputs, scale=0.02), n(outputs)])


def cached_token(batch):

    def make(n):
        angles = uniform(n, 4096, 32) * 6
        return [n(batch, 1, 2880), n((64 + 16) * 64, 2880, scale=0.02), n((64 + 16) * 64), angles.sin(), angles.cos(), 4096,
                n(batch, 4096, 8, 64), n(batch, 4096, 8, 64), torch.tensor([1000], device=n.device), 64, 8, 64]

    return serve(f"{LLM}.triton_kernels.qkv_rope_cache_decode_forward", make)


def rotation(n, tokens=2048):
    angles = uniform(n, 4096, 32) * 6
    return [n(4, tokens, 64, 64), n(4, tokens, 8, 64), angles.sin(), angles.cos(), 4096, torch.tensor([5], device=n.device)]


def written(src, module, attrs, **names):
    """What the package makes of a text, as a file has it."""
    title, origin = f"tritonllm.{module.__name__}{re.search('def (.+?)[(]', src)[1]}", names["__name__"]
    lines = ["import triton", "import triton.language as tl"]
    for name, value in names.items():
        if name.startswith("__"):
            continue
        if inspect.ismodule(value):
            lines.append(f"import {value.__name__} as {name}")
        else:
            known = name in vars(sys.modules[origin])
            lines.append(f"from {origin if known else value.fn.__module__} import {name}")
    fixed = f"@triton.jit(do_not_specialize={list(attrs['do_not_specialize'] or ())!r})"
    path = Path(tempfile.gettempdir()) / f"kernels_of_tritonllm_{os.getuid()}" / f"{title.replace('.', '_')}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*lines, src.replace("@triton.jit", fixed, 1), ""]))
    spec = importlib.util.spec_from_file_location(title, path)
    sys.modules[title] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[title])
    return vars(sys.modules[title])[re.search("def (.+?)[(]", src)[1]]


def in_files(run):

    def patched(device):
        with mock.patch.object(importlib.import_module(f"{EXPERTS}.specialize"), "define_kernel", written):
            run(device)

    return patched


def routed(device, tokens=16384, experts=128, active=4, **options):
    n = maker(device)
    of(f"{EXPERTS}.routing.routing")(n(tokens, experts), active, **options)


def experts(tokens=2048, count=32, active=4, width=2880, fused=True):

    def run(device):
        n = maker(device)
        module, swiglu = importlib.import_module(f"{EXPERTS}.matmul_ogs"), importlib.import_module(f"{EXPERTS}.swiglu")
        data, gather, scatter = of(f"{EXPERTS}.routing.routing")(n(tokens, count), active)
        x, activation = n(tokens, width), None
        if fused:
            activation = module.FusedActivation(module.FnSpecs("swiglu", swiglu.swiglu_fn, ("alpha", "limit")), (1.702, 7.0), 2)
        inner = module.matmul_ogs(x, n(count, width, 2 * width, scale=0.02), n(count, 2 * width, dtype=FP32), data,
                                  gather_indx=gather, fused_activation=activation)
        if not fused:
            inner = inner[:, :width].contiguous()
        module.matmul_ogs(inner, n(count, width, width, scale=0.02), n(count, width, dtype=FP32), data, scatter_indx=scatter,
                          gammas=data.gate_scal)

    return run


def four_bit_experts(tokens=1024, count=8, active=4, width=2880):

    def run(device):
        n = maker(device)
        first, second = (of(f"{LLM}.moe.quantize_mx4")(n(count, width, size, scale=0.02)) for size in (2 * width, width))
        of(f"{LLM}.moe.moe")(n(tokens, width), n(width, count), *first, *second, n(count, dtype=FP32),
                             n(count, 2 * width, dtype=FP32), n(count, width, dtype=FP32), active, count)

    return run


def masked_rows(n, count=8192, active=8):
    return [n(count, active), whole(n, 64, count, active), whole(n, 1 << 30, count, 2)]


WORKLOADS = {
    # ffpa-attn
    "ffpa: large heads": large(causal=True),
    "ffpa: heads of 320": large(320, dtype=FP16),
    "ffpa: heads of 128": large(128, 2048, batch=4, count=16, causal=True),
    "ffpa: groups": large(groups=2, causal=True),
    "ffpa: bias": large(length=2048, bias=(1, 8, 2048, 2048), backward=dict(bias=True)),
    "ffpa: bias of keys": large(length=2048, bias=(1, 1, 1, 2048), backward=dict(bias=True)),
    "ffpa: dropout": large(length=2048, dropout_p=0.1, philox_seed=7, philox_offset=0),
    "ffpa: apart": large(backward=dict(enable_split_launch=True, preprocess_d_chunk=True), causal=True),
    "ffpa: one token": large(length=8192, queries=1, batch=2, count=32),
    "ffpa: a few tokens": large(length=8192, queries=4, batch=2, count=32, groups=8, backward=None),
    "ffpa: descriptors": large(enable_tma=True, causal=True),
    "ffpa: descriptors, heads of 256": large(256, enable_tma=True),
    "ffpa: descriptors, apart": large(enable_tma=True, causal=True, backward=dict(enable_split_launch=True)),
    "ffpa: descriptors, apart and persistent": large(enable_tma=True, causal=True, backward=dict(
        enable_split_launch=True, enable_persist_dkdv=True)),
    # flash-attention-x
    "x: attention": anywhere(call("flash_attention_x.flash_attention_causal.flash_attn_full", of_heads(size=64, dtype=FP16))),
    "x: large heads": anywhere(call("flash_attention_x.flash_attention_causal.flash_attn_full", of_heads(size=128))),
    "x: attention to the past": anywhere(serve("flash_attention_x.flash_attention_causal.flash_attn_causal", of_heads(size=128))),
    "x: first attention": anywhere(call("flash_attention_x.flash_attention_causal_og.attention", of_heads(size=64))),
    "x: first attention to the past": anywhere(serve("flash_attention_x.flash_attention_causal_og.attention",
                                                     of_heads(size=128, dtype=FP16), causal=True)),
    # fa2-custom-mask
    "mask: attention": call("fa2_custom_mask.fa2_custom_mask.flash_attention_custom_mask", lambda n: [
        *of_heads(dtype=FP16)(n), None, 0.125]),
    "mask: masked": call("fa2_custom_mask.fa2_custom_mask.flash_attention_custom_mask", lambda n: [
        *of_heads(1, dtype=FP16)(n), uniform(n, 1, 16, 2048, 2048) < 0.9, 0.125]),
    "mask: masked, large heads": call("fa2_custom_mask.fa2_custom_mask.flash_attention_custom_mask", lambda n: [
        *of_heads(1, size=128, dtype=FP16)(n), uniform(n, 1, 16, 2048, 2048) < 0.9, 0.09]),
    # flex-head-fa
    "flex: norm": call("flex_head_fa.ops.triton.layer_norm.layer_norm_fn", lambda n: [
        rows(n), n(4096), n(4096), rows(n)]),
    "flex: rms norm": call("flex_head_fa.ops.triton.layer_norm.rms_norm_fn", lambda n: [rows(n), n(4096), None]),
    "flex: loss": call("flex_head_fa.ops.triton.cross_entropy.cross_entropy_loss", lambda n: [
        n(4096, 32768), torch.randint(0, 32768, (4096, ), device=n.device)]),
    "flex: rotation": serve("flex_head_fa.ops.triton.rotary.apply_rotary", lambda n: [
        n(4, 2048, 32, 128), *(f(uniform(n, 2048, 64) * 6).to(BF16) for f in (torch.cos, torch.sin))]),
    # transformer-nuggets
    "nuggets: products": by_scales(False),
    "nuggets: products with rows' scales": by_scales(True),
    "nuggets: bytes": serve(f"{NUGGETS}.fp8.scaled_quant.scaled_quant", lambda n: [
        n(8192, 4096, dtype=FP32), uniform(n, 1), torch.zeros(1, device=n.device)]),
    "nuggets: saturated bytes": serve(f"{NUGGETS}.fp8.scaled_quant.scaled_quant", lambda n: [
        n(8192, 4096, dtype=FP32), uniform(n, 1), torch.zeros(1, device=n.device), torch.float8_e5m2, True]),
    "nuggets: from four bits": from_four_bits,
    # flash-qla
    "qla: gradients of states": state_gradients(),
    "qla: gradients of transposed states": state_gradients(first=True, last=False),
    "qla: gradients of first states": state_gradients(outputs=False),
    # fastvideo-kernel
    "fastvideo: blocks": of_blocks(),
    "fastvideo: blocks of small heads": of_blocks(64),
    "fastvideo: chosen blocks": sparse_linear(128, 128),
    "fastvideo: chosen blocks of small heads": sparse_linear(64, 64),
    "fastvideo: tiles": tiles([(3, 3, 3), (1, 6, 10)]),
    "fastvideo: tiles and text": tiles([(3, 3, 3), (5, 1, 7)], 200),
    "fastvideo: attention of four bits": four_bit_training(),
    "fastvideo: attention of four bits to other tokens": four_bit_training(4096, 512, smooth_k=False),
    "fastvideo: attention of four bits to the past": four_bit_training(size=64, causal=True, two_level_quant_P=False,
                                                                       use_global_sf_P=True, use_high_prec_o=False),
    "fastvideo: attention": call(f"{VIDEO}.fused_attention.attention", lambda n: [
        *of_heads(size=64)(n), True, 0.125], warp_specialize=False),
    "fastvideo: large attention": call(f"{VIDEO}.fused_attention.attention", lambda n: [
        *of_heads(size=128)(n), False, 0.09], warp_specialize=False),
    "fastvideo: means": call(f"{VIDEO}.fused_compress_topk.fused_block_mean", lambda n: [
        n(1, 24, 16384, 128), torch.full((256, ), 60, device=n.device, dtype=torch.int32), 64]),
    "fastvideo: largest": serve(f"{VIDEO}.fused_compress_topk.fused_topk_mask", lambda n: [n(1, 24, 512, 512, dtype=FP32), 64]),
    "fastvideo: from a map": serve(f"{VIDEO}.index.map_to_index", lambda n: [near(n, 24, 512, 512)]),
    "fastvideo: inverted": serve(f"{VIDEO}.index.invert_indices", lambda n: [*listed(near(n, 24, 512, 512)), 512]),
    "fastvideo: rms norm": serve(f"{FAST}.rmsnorm", lambda n: [rows(n), n(4096), 1e-6]),
    "fastvideo: norm": serve(f"{FAST}.layernorm", lambda n: [rows(n), n(4096), n(4096), 1e-6]),
    "fastvideo: norm without weights": serve(f"{FAST}.layernorm", lambda n: [rows(n, width=1536), None, None, 1e-6, False]),
    # xfuser
    "xfuser: chosen blocks": serve("xfuser.core.sparge_attention.block_mask.get_block_map_meansim", lambda n: [
        n(1, 16, 16384, 128), n(1, 16, 16384, 128)], is_causal=True),
    "xfuser: chosen small blocks": serve("xfuser.core.sparge_attention.block_mask.get_block_map_meansim", lambda n: [
        n(1, 16, 16384, 64, dtype=FP16), n(1, 16, 16384, 64, dtype=FP16)], BLKQ=128),
    "xfuser: means": serve("xfuser.core.vsa_h3_triton.triton_pool_h3_vsa_tiles", lambda n: [n(1, 16, 16384, 128), tiled(n)]),
    "xfuser: tiles": serve("xfuser.core.vsa_h3_triton.triton_h3_vsa_attention", tiled_attention),
    "xfuser: steps": serve("xfuser.core.vsa_attention.block_mask_to_delta_lut", lambda n: [near(n, 24, 512, 512)]),
    # ring-flash-attn, attn-qat-infer, b10-kernel
    "ring: flat": serve("ring_flash_attn.triton_utils.flatten_varlen_lse", lambda n: [
        n(8, 32, 8192, dtype=FP32), starts(n, 8, 8000)]),
    "ring: unflat": serve("ring_flash_attn.triton_utils.unflatten_varlen_lse", lambda n: [
        n(8 * 8000, 32, dtype=FP32), starts(n, 8, 8000), 8192]),
    "qat: means of groups": serve("attn_qat_infer.api.triton_group_mean", lambda n: [n(1, 24, 16384, 128)]),
    "b10: rotation": rotated(),
    "b10: rotation of neighbours": rotated(interleaved=True, conjugate=True),
    "b10: rotation of sequences": rotated(cu_seqlens=starts, max_seqlen=2048, inplace=True),
    "b10: rotation with offsets": rotated(seqlen_offsets=lambda n: whole(n, 2000, 4)),
    "b10: bytes of groups": serve("b10_kernel.triton.quantization.per_token_group_quant_fp8", lambda n: [rows(n), 128]),
    # turbo-attn
    "tkv: four bits": compressed(4),
    "tkv: three bits": compressed(3, norm_correct=True),
    "tkv: from four bits": serve(f"{TKV}.triton_decompress", lambda n: [
        *codes(4)(n), n(128, 128, dtype=FP32, scale=0.1), table(4)(n), 4, 128]),
    "tkv: from three bits": serve(f"{TKV}.triton_decompress", lambda n: [
        *codes(3)(n), n(128, 128, dtype=FP32, scale=0.1), table(3)(n), 3, 128]),
    "tkv: from raw bits": serve(f"{TKV}.triton_decompress_raw", lambda n: [*codes(3, 262144)(n), table(3)(n), 3, 128]),
    "tkv: from raw bits of both": serve(f"{TKV}.triton_decompress_raw_kv", lambda n: [
        *codes(4, 262144)(n), table(4)(n), *codes(2, 262144)(n), table(2)(n), 4, 2, 128]),
    "tkv: pages": serve("tkv.kernels.triton_decompress.fused_decompress_kv", pages_of_codes),
    "tkv: rows": serve("tkv.runtime._rows_matmul.rows_matmul", lambda n: [
        n(4096, 32, 128, dtype=FP32), n(128, 128, dtype=FP32, scale=0.1)]),
    "tkv: rows by heads": serve("tkv.runtime._rows_matmul.rows_matmul", lambda n: [
        n(4096, 32, 128), n(32, 128, 128, scale=0.1)]),
    "tkv: scattered": serve("tkv.runtime.bypass_scatter.bypass_scatter", lambda n: [
        n(4096, 16, 2048), n(32768, 8, 128), n(32768, 8, 128), torch.randperm(65536, device=n.device)[:32768], 32768, 8, 128]),
    "tkv: staged": staged(True),
    "tkv: staged of one": staged(False, sequences=1),
    "tkv: staged batch": staged_batch,
    "tkv: staged slots": functools.partial(staged_batch, slots=True),
    # tritonllm
    "llm: attention with sinks": with_sinks("attention_tt.attention"),
    "llm: attention with sinks to near tokens": with_sinks("attention_tt.attention", bandwidth=128),
    "llm: attention with sinks by descriptors": with_sinks("attention_tt_tma.attention"),
    "llm: a token's attention": with_sinks("attention_tt_decode.attention_decode", 1, 1024, 32),
    "llm: a token's attention to many": with_sinks("attention_tt_decode.attention_decode", 1, 8192, 16),
    "llm: a token's attention to near ones": with_sinks("attention_tt_decode.attention_decode", 1, 8192, 16, 2048),
    "llm: rms norm": serve(f"{LLM}.triton_kernels.rmsnorm_forward", lambda n: [n(4, 2048, 2880), n(2880, dtype=FP32), 1e-5]),
    "llm: rotation": serve(f"{LLM}.triton_kernels.rope_forward", rotation),
    "llm: logits": serve(f"{LLM}.triton_kernels.unembedding_forward", lambda n: [n(1, 1, 2880), n(201088, 2880, scale=0.02)]),
    "llm: queries, keys and values": serve(f"{LLM}.triton_kernels.qkv_decode_forward", lambda n: [
        n(8, 1, 2880), n(80 * 64, 2880, scale=0.02), n(80 * 64), 4096, 512]),
    "llm: cached token": cached_token(1),
    "llm: cached tokens": cached_token(32),
    "llm: output": serve(f"{LLM}.triton_kernels.out_residual_decode_forward", lambda n: [
        n(8, 1, 4096), n(2880, 4096, scale=0.02), n(2880), n(8, 1, 2880)]),
    "llm: chosen experts": call(f"{EXPERTS}.topk.topk", lambda n: [n(16384, 128), 4]),
    "llm: routing": routed,
    "llm: routing to some of the experts": functools.partial(routed, simulated_ep=2),
    "llm: blocks of experts": serve(f"{EXPERTS}.routing.compute_expt_data", lambda n: [
        torch.full((128, ), 512, device=n.device, dtype=torch.int32), 128, 65536]),
    "llm: experts": in_files(experts(fused=False)),
    "llm: experts with swiglu": in_files(experts()),
    "llm: experts of four bits": in_files(four_bit_experts()),
    "llm: swiglu": serve(f"{EXPERTS}.swiglu.swiglu", lambda n: [
        n(8192, 5760), 1.702, of(f"{EXPERTS}.swiglu.PrecisionConfig")(7.0)]),
    "llm: compaction": serve(f"{EXPERTS}.compaction.compaction", masked_rows),
    "llm: to four bits": serve(f"{EXPERTS}.numerics_details.mxfp.downcast_to_mxfp", lambda n: [
        n(4096, 4096), torch.uint8, 1]),
    "llm: to bytes": serve(f"{EXPERTS}.numerics_details.mxfp.downcast_to_mxfp", lambda n: [
        n(4096, 4096), torch.float8_e4m3fn, 1]),
    "llm: from four bits": serve(f"{EXPERTS}.numerics_details.mxfp.upcast_from_mxfp", lambda n: [
        whole(n, 256, 4096, 2048, dtype=torch.uint8), whole(n, 8, 4096, 128, dtype=torch.uint8) + 120, BF16, 1]),
    # flashrnn
    "rnn: slstm": recurrent("slstm", 4),
    "rnn: slstm in f32": recurrent("slstm", 4, size=32, dtype="float32"),
    "rnn: slstm in f16": recurrent("slstm", 4, size=32, batch=64, dtype="float16"),
    "rnn: lstm": recurrent("lstm", 2, dtype="float32"),
    "rnn: small lstm": recurrent("lstm", 2, size=32, batch=64, dtype="float32"),
    # h3-sparse-attn
    "h3: attention": serve("h3_sparse_attn.triton_attn.sparse_attention", of_tokens(1, 8192, 16, 128), top_k=8),
    "h3: attention to blocks alone": serve("h3_sparse_attn.triton_attn.sparse_attention", of_tokens(1, 8192, 16, 64), top_k=8,
                                           taylor=False),
    # flash-attention-triton
    "v2: attention": call("flash_attention_triton.flash_attention_2.flash_attention_v2", of_heads(size=64, dtype=FP16)),
    "v2: large heads": call("flash_attention_triton.flash_attention_2.flash_attention_v2", of_heads(size=128, dtype=FP16),
                            deterministic=True),
}
