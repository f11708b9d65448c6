"""Operations of packages for attention residuals, images and video, quantization, and their serving: fast-attnres,
flash-attn-res, comfy-kitchen, cache-dit, diffsynth, stable-fast, kestrel-kernels, moe-kernels, fused-turboquant,
ultra-fused-transformer and exllamav3."""
import importlib
import importlib.util
import re
import textwrap
from pathlib import Path
from unittest import mock

import bare
import torch
from bare import of
from operations import both_passes, call, maker, serve, whole
import triton
import triton.language as tl

FP16, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32
FP8 = torch.float8_e4m3fn
ROWS, WIDTH = 4096, 4096


class Settings:
    from_kwargs = None


bare.bare("cache_dit", "comfy_kitchen", "diffsynth", "exllamav3", "fused_turboquant", "kestrel_kernels", "moe_kernels", "sfast",
          "ultra_fused")
bare.stub("moe_kernels._custom_ops", "moe_kernels.platforms", "exllamav3.ext", "exllamav3.exllamav3_ext")
bare.stub("diffsynth.core.quant", BackendConfig=Settings)


def by_itself(module, name, head, *patterns):
    """A module beside MODULE with kernels that it makes within functions, or of functions, as their text is there."""
    importlib.import_module(module.rpartition(".")[0])
    source = Path(importlib.util.find_spec(module).origin)
    text = source.read_text()
    kernels = [f"@triton.jit\n{textwrap.dedent(re.search(pattern, text, re.S)[1]).rstrip()}\n" for pattern in patterns]
    path = source.with_name(f"{source.stem}_{name}.py")
    path.write_text("\n\n".join([f"import triton\nimport triton.language as tl\n{head}", *kernels]))
    importlib.invalidate_caches()
    return importlib.import_module(f"{module}_{name}")


def uniform(n, *sizes, dtype=FP32):
    return torch.rand(*sizes, device=n.device).to(dtype)


def bytes_of(n, *sizes):
    return whole(n, 255, *sizes, dtype=torch.int16).sub(127).to(torch.int8)


def number(n, value, dtype=FP32):
    return torch.full((1, ), value, device=n.device, dtype=dtype)


# fast-attnres: each token mixes what earlier blocks gave, by the softmax of a query's products with them

def sources(n, count, width, rows=ROWS):
    return [n(rows, width) for _ in range(count)]


def resting(count, width, rank=None, packed=True, rows=ROWS):
    """One query for all tokens."""
    return call("attnres.attnres", lambda n: [
        n(count, rows, width) if packed else sources(n, count, width, rows), n(rank or width, scale=width**-0.5)])


def many(count, width, queries, rank=None, packed=True, rows=ROWS, **options):
    """Some queries for all tokens."""
    return call("attnres.attnres_multi", lambda n: [
        n(count, rows, width) if packed else sources(n, count, width, rows), n(queries, rank or width, scale=width**-0.5)],
        **options)


def chosen(count, width, queries, rank=None, packed=True, rows=ROWS, experts=64, **options):
    """Some queries of a bank for each token."""
    return call("attnres.attnres_selected", lambda n: [
        n(count, rows, width) if packed else sources(n, count, width, rows), n(experts, rank or width, scale=width**-0.5),
        whole(n, experts, rows, queries)], **options)


def transposed_gradient(device):
    """Of what later layers read as columns."""
    n = maker(device, True)
    out = of("attnres.attnres")(sources(n, 6, 2048), n(512, scale=0.02))
    out.backward(maker(device)(2048, ROWS).t())


# flash-attn-res

def batched(count, width, queries, batch=4, length=1024):
    return call("flash_attn_res.ops.phase_1.phase_1_batched_attention_triton_op", lambda n: [
        n(count, batch, length, width), n(queries, width, scale=width**-0.5), 1e-6])


def merged(width, batch=4, length=2048):
    return call("flash_attn_res.ops.phase_2.phase_2_online_softmax_merge_triton_op", lambda n: [
        n(batch, length, width), n(width, scale=width**-0.5), n(batch, length, width), n(batch, length, dtype=FP32), 1e-6])


def residual_layers(device):
    """Four layers in blocks of two, whose gradients are added to what is there."""
    n = maker(device, True)
    layers = [torch.nn.Linear(1024, 1024, bias=False, device=device, dtype=BF16) for _ in range(4)]
    weights = [parameter for layer in layers for parameter in layer.parameters()]
    apply = of("flash_attn_res.experimental.autograd.BlockAttentionResiduals.apply")
    both_passes(lambda: apply(n(4, 1024, 1024), n(4, 1024, scale=0.03), layers, 2, 1e-6, *weights))


# comfy-kitchen

KITCHEN = "comfy_kitchen.backends.triton"
HEADS, LENGTH = 24, 4096


def angles(n, size=128, dtype=FP32, length=LENGTH):
    return n(1, 1, length, size // 2, 2, 2, dtype=dtype)


def heads(n, count=HEADS, size=128, dtype=BF16, batch=2):
    return n(batch, count, LENGTH, size, dtype=dtype)


def strided(n, count=HEADS, size=128):
    """Heads as they lie beside each other in tokens."""
    return n(2, LENGTH, count, size).transpose(1, 2)


def kitchen(name, make, **options):
    return serve(f"{KITCHEN}.{name}", make, **options)


def weights_of_four_bits(n, group=64, bits=4, outputs=8192, inputs=WIDTH):
    codebook = torch.linspace(-100, 100, 16, device=n.device) if bits == 4 else None
    return [bytes_of(n, outputs, inputs * bits // 8), uniform(n, outputs, inputs // group), codebook, group]


def eight_bits(n, channels=True, bias=True, rows=ROWS, outputs=WIDTH, dtype=BF16):
    return [n(rows, WIDTH, dtype=dtype), bytes_of(n, outputs, WIDTH), uniform(n, outputs if channels else 1) * 0.01,
            n(outputs) if bias else None]


def nearby(n, size=64, dtype=BF16, heads=8):
    return [n(1, 8, 32, 64, heads, size, dtype=dtype) for _ in range(3)] + [[3, 7, 7]]


# cache-dit

CACHE = "cache_dit.kernels.triton._ops_registery"


def there_and_back(device):
    """What is sent to other GPUs as bytes with their scales."""
    n = maker(device)
    of(f"{CACHE}.fp8_comm_per_token_dequant")(of(f"{CACHE}.fp8_comm_per_token_quant")(n(2, LENGTH, 3072)))


def heads_there_and_back(device):
    n = maker(device)
    quantized = of(f"{CACHE}.fp8_comm_qkv_permute_quant")(n(2, LENGTH, 3, HEADS, 128))
    of(f"{CACHE}.fp8_comm_qkv_permute_dequant")(quantized[0].contiguous())


# diffsynth

VDN = "diffsynth.models.minimax_h3_dit_vdn"


def through_time(length):
    """A convolution over frames, and what follows it."""

    def run(device):
        n = maker(device)
        module = by_itself(VDN, "alone", "", r"@triton.jit\n( +def _tconv_act_kernel.*?)\n\n")
        frames, places, heads, size = 32, 1024, HEADS, 128
        x = n(frames, places, heads * size)
        module._tconv_act_kernel[(frames // 16, places, heads)](
            x, n(heads * size, 5, scale=0.4), torch.zeros_like(x), frames, places, heads * size, BLOCK_T=16, D_=size, L2=length,
            num_warps=4, num_stages=2)

    return run


# stable-fast

FAST = "sfast.triton.ops"


def copied(*sizes, dtype=FP16, order=(0, 2, 1)):
    """With its dimensions in another order."""

    def make(n):
        source = n(*sizes, dtype=dtype).permute(order)
        return [torch.zeros(source.shape, device=n.device, dtype=dtype), source]

    return serve(f"{FAST}.copy.copy", make)


def gradients_of_weights(n, rows=128, width=WIDTH):
    return [n(rows, width, dtype=FP16) for _ in range(2)], [torch.zeros(width, device=n.device, dtype=FP16) for _ in range(2)]


def summed(device):
    parts, results = gradients_of_weights(maker(device), 4096)
    of(f"{FAST}.layer_norm._layer_norm_bwd_dwdb")[(triton.cdiv(WIDTH, 128), )](
        *parts, *results, 4096, WIDTH, BLOCK_SIZE_M=32, BLOCK_SIZE_N=128)


def image(n, channels=640, size=64, batch=4, last=True, dtype=FP16):
    x = n(batch, channels, size, size, dtype=dtype)
    return x.to(memory_format=torch.channels_last) if last else x


def grouped(gate, last, channels=640, size=64, groups=32, weights=True):
    """Channels in groups, as planes or last, and what follows."""

    def run(device):
        n = maker(device)
        module = by_itself(f"{FAST}.group_norm", gate, f"""from . import activation
from .utils import welford_combine

act = activation.{gate}
""", *(rf"\n(def group_norm_4d_{name}forward_{kind}kernel\(.*?)\n\n\n" for name, kind in (("", ""), ("channels_last_", "apply_"))))
        x, results = image(n, channels, size, last=last), [torch.zeros(4, groups, device=device, dtype=FP16) for _ in range(2)]
        given = [n(channels, dtype=FP16) if weights else None for _ in range(2)]
        y, pixels, part = torch.zeros_like(x), size * size, channels // groups
        if last:
            of(f"{FAST}.group_norm.group_norm_4d_channels_last_forward_collect_stats_kernel")[(groups, 4)](
                x, 4, channels, pixels, groups, 1e-5, *results)
            row = triton.next_power_of_2(channels)
            block = max(1, min(pixels, 4096 // row))
            module.group_norm_4d_channels_last_forward_apply_kernel[(triton.cdiv(pixels, block), 4)](
                x, *given, *results, 4, channels, pixels, groups, 1e-5, y, C_G=part, ROW_SIZE=row, BLOCK_SIZE=block,
                num_warps=max(1, min(16, row * block // 128)))
        else:
            module.group_norm_4d_forward_kernel[(groups, 4)](
                x, *given, 4, channels, pixels, groups, 1e-5, y, *results, part, part * pixels, BLOCK_SIZE=min(4096, pixels),
                num_warps=max(1, min(16, triton.next_power_of_2(pixels // 128))))

    return run


def stages_of_statistics(device):
    """Statistics of groups of channels, of parts of the image first."""
    n, groups, parts = maker(device), 32, 32
    x = image(n, 320, 128)
    count, channels, height, width = x.shape
    means = [torch.zeros(count, groups, parts, device=device) for _ in range(3)]
    results = [torch.zeros(count, groups, device=device, dtype=FP16) for _ in range(2)]
    stages = [of(f"{FAST}.group_norm.group_norm_4d_channels_last_forward_collect_stats_kernel_stage_{i}") for i in (1, 2)]
    stages[0][(groups, parts, count)](x, count, channels, height * width, groups, height * width // parts, parts, *means)
    stages[1][(groups, count)](*means, count, groups, parts, 1e-5, *results)


def convolved(size, padding=0, bias=True, dtype=FP16, channels=320, outputs=640):
    return serve(f"{FAST}.conv.conv_forward", lambda n: [
        image(n, channels, batch=2, dtype=dtype),
        n(outputs, channels, size, size, dtype=dtype).to(memory_format=torch.channels_last),
        n(outputs, dtype=dtype) if bias else None, (1, 1), (padding, padding)])


# Experts

EXPERTS, INNER, MODEL, TOP = 32, 1536, 2048, 4


def routed(n, rows, block, experts=EXPERTS, top=TOP):
    """Rows in the order of their experts, whose number each block of them has, and how many there are."""
    ids = torch.randint(0, experts, (rows, top), device=n.device)
    order = ids.flatten().argsort(stable=True).cpu()
    counts = torch.bincount(ids.flatten().cpu(), minlength=experts)
    places, owners, begin = [], [], 0
    for expert, count in enumerate(counts.tolist()):
        padded = -(-count // block) * block
        places += [order[begin:begin + count], torch.full((padded - count, ), rows * top)]
        owners += [expert] * (padded // block)
        begin += count
    places = torch.cat(places).to(torch.int32).to(n.device)
    return (ids.to(torch.int32), uniform(n, rows, top).softmax(-1), places,
            torch.tensor(owners, dtype=torch.int32, device=n.device),
            torch.tensor([len(places)], dtype=torch.int32, device=n.device))


def kestrel(rows=2048, weighted=False, bias=False, block=64, dtype=BF16):

    def run(device):
        n = maker(device)
        _, weights, places, owners, total = routed(n, rows, block)
        of("kestrel_kernels.moe_triton.invoke_fused_moe_kernel")(
            n(rows, MODEL, dtype=dtype), n(EXPERTS, INNER, MODEL, dtype=dtype, scale=0.02),
            torch.zeros(rows, TOP, INNER, device=device, dtype=dtype), topk_weights=weights, sorted_token_ids=places,
            expert_ids=owners, num_tokens_post_padded=total, mul_routed_weight=weighted, top_k=TOP, config={
                "BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, "NUM_WARPS": 4,
                "NUM_STAGES": 3}, compute_type=of("kestrel_kernels.moe_triton.dtype_to_triton")(dtype),
            bias=n(EXPERTS, INNER, dtype=dtype) if bias else None)

    return run


def experts(kind="", rows=2048, weighted=False, blocks=None, dtype=BF16, **config):
    """moe-kernels: weights as they are, as bytes, or in f8 with scales of all or of blocks."""
    config = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, **config}
    if blocks:
        config.update(BLOCK_SIZE_N=blocks[0], BLOCK_SIZE_K=blocks[1])

    def run(device):
        n = maker(device)
        ids, weights, places, owners, total = routed(n, rows, config["BLOCK_SIZE_M"])
        x, experts, scale = n(rows, MODEL, dtype=dtype), n(EXPERTS, INNER, MODEL, dtype=dtype, scale=0.02), None
        if kind == "bytes":
            experts, scale = bytes_of(n, EXPERTS, INNER, MODEL), uniform(n, EXPERTS, INNER) * 0.01
        elif kind == "f8":
            experts = experts.to(FP8)
            scale = uniform(n, EXPERTS, *((INNER // blocks[0], MODEL // blocks[1]) if blocks else ()))
        with mock.patch("moe_kernels.fused_moe.scaled_fp8_quant", lambda x, scale: (x.to(FP8), number(n, 0.5))):
            of("moe_kernels.fused_moe.invoke_fused_moe_kernel")(
                x, experts, torch.zeros(rows, TOP, INNER, device=device, dtype=dtype), None, scale, weights, ids, places, owners,
                total, weighted, TOP, config, tl.bfloat16 if dtype == BF16 else tl.float16, kind == "f8", kind == "bytes", blocks)

    return run


def f8(n, *sizes):
    return n(*sizes).to(FP8)


# fused-turboquant: rows are rotated, and their directions rounded to a few bits

TURBO = "fused_turboquant.kernels"


def signs(n, size=128):
    return torch.where(uniform(n, size) < 0.5, -1.0, 1.0)


def encoded(bits, size=128):
    return serve(f"{TURBO}.triton_encode.triton_fused_encode", lambda n: [
        n(4, 8, 4096, size), signs(n, size), torch.linspace(-0.3, 0.3, (1 << bits) + 1, device=n.device), bits])


def packed_bits(n, bits, length=8192, size=128, batch=4):
    return whole(n, 256, batch, 8, length, size * bits // 8, dtype=torch.uint8)


def decoded(bits, size=128):
    return serve(f"{TURBO}.triton_decode.triton_fused_decode", lambda n: [
        packed_bits(n, bits, 4096, size), uniform(n, 4, 8, 4096) + 0.5,
        torch.linspace(-0.3, 0.3, 1 << bits, device=n.device), signs(n, size), bits, size])


def scored(bits, size=128, new=1):
    return serve(f"{TURBO}.triton_attention.fused_qk_scores_rht", lambda n: [
        n(4, 32, new, size, dtype=FP32), packed_bits(n, bits, size=size), uniform(n, 4, 8, 8192) + 0.5,
        torch.linspace(-0.3, 0.3, 1 << bits, device=n.device), size**-0.5], bits=bits)


# ultra-fused-transformer

ULTRA = "ultra_fused.kernels"


def mxfp4(rows=2048, outputs=4096, inputs=4096):

    def run(device):
        n = maker(device)
        of(f"{ULTRA}.triton_kernels.mxfp4_gemm_kernel")[(rows // 64, outputs // 64)](
            n(rows, inputs, dtype=FP16), whole(n, 256, outputs, inputs // 2, dtype=torch.uint8),
            torch.zeros(rows, outputs, device=device, dtype=FP16), uniform(n, rows // 64) * 0.1, uniform(n, outputs // 64) * 0.1,
            rows, outputs, inputs, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)

    return run


# exllamav3

LINEAR = "exllamav3.vendor.fla.__init__"  # which is not run by itself
EXL, PAGE = "exllamav3.modules.attention_fn", 256


def attend(name, make, **options):
    """Runs a function of attention with the first of its configurations, which is what larger GPUs have."""

    def run(device):
        module, function = name.split(".")
        with mock.patch(f"{EXL}.{module}.pick_config", lambda device, name, key, candidates, probe: candidates[0]):
            made = make(maker(device))
            made, named = made if isinstance(made, tuple) else (made, {})
            of(f"{EXL}.{module}.{function}")(*made, **named, **options)

    return run


def table(n, batch, length):
    """Which pages sequences have."""
    return torch.randperm(batch * length // PAGE, device=n.device).to(torch.int32).view(batch, -1)


def lengths(n, batch, length):
    return torch.full((batch, ), length, device=n.device, dtype=torch.int32)


def words(n, *sizes):
    return torch.randint(-2**31, 2**31 - 1, sizes, device=n.device).to(torch.int32)


def paged(batch, new, length, heads=32, groups=8, size=128, appended=True):
    """Queries, what is appended, pages, which of them are whose, and how much there is."""

    def make(n):
        return [n(batch, new, heads, size, dtype=FP16),
                *(n(batch, new, groups, size, dtype=FP16) if appended else None for _ in range(2)),
                *(n(batch * length // PAGE, PAGE, groups, size, dtype=FP16) for _ in range(2)),
                table(n, batch, length), lengths(n, batch, length - new)]

    return make


def packed_pages(batch, new, length, bits=(4, 4), heads=32, groups=8, size=128):
    """As paged, with pages of some bits."""

    def make(n):
        pages, width = batch * length // PAGE, groups * size // 32
        scales = [uniform(n, pages, PAGE, width, dtype=FP16) for _ in range(2)]
        return [n(batch, new, heads, size, dtype=FP16), None, None, *(words(n, pages, PAGE, width * count) for count in bits),
                table(n, batch, length), lengths(n, batch, length - new)], {
                    "qc": (*scales, *bits), "pre_appended_len": new, "n_kv_heads_override": groups}

    return make


def new_alone(n, batch=2, length=2048):
    """Without pages."""
    return [n(batch, length, 32, 128, dtype=FP16), *[None] * 6], {
        "k_new": n(batch, length, 8, 128, dtype=FP16), "v_new": n(batch, length, 8, 128, dtype=FP16)}


def joined(n, count=8, length=1024, size=128):
    """Sequences after each other."""
    ends = torch.arange(0, (count + 1) * length, length, device=n.device, dtype=torch.int32)
    return [n(count * length, 16, size, dtype=FP16), *(n(count * length, 8, size, dtype=FP16) for _ in range(2)), ends, length]


def appended_heads(device, batch=8, new=512, length=2048, groups=8, size=128):
    """By head, as within captured graphs."""
    n = maker(device)
    _, k, v, *pages, pages_of, there = paged(batch, new, length)(n)
    of(f"{EXL}.triton_paged._paged_kv_update_kernel")[(batch * new, groups, 1)](
        k, v, *pages, pages_of, there, length // PAGE, new, groups, PAGE, size, size, num_warps=2, num_stages=3)


def latent(batch, new, length, heads=16, bits=0):
    """Queries in the latent space, and pages of latent rows and of keys that are rotated."""

    def make(n):
        pages = batch * length // PAGE
        rows = words(n, pages, PAGE, 16 * bits) if bits else n(pages, PAGE, 1, 512, dtype=FP16)
        return [n(heads, batch * new, 512, dtype=FP16), n(heads, batch * new, 64, dtype=FP16), rows,
                n(pages, PAGE, 1, 64, dtype=FP16), table(n, batch, length), lengths(n, batch, length - new), batch, new], {
                    "pre_appended_len": new, "qc": (uniform(n, pages, PAGE, 16, dtype=FP16), bits) if bits else None}

    return make


def expanded(bits=0, new=1024, length=2048, heads=16):
    """Keys and values of all heads from latent rows."""

    def make(n):
        pages = length // PAGE
        rows = words(n, pages, PAGE, 16 * bits) if bits else n(pages, PAGE, 1, 512, dtype=FP16)
        return [n(new, heads, 192, dtype=FP16), n(512, heads * 128, dtype=FP16, scale=0.04),
                n(512, heads * 128, dtype=FP16, scale=0.04), rows, n(pages, PAGE, 1, 64, dtype=FP16), table(n, 1, length),
                [length - new], 1, new, 128, 128, 192**-0.5], {
                    "pre_appended_len": new, "qc": (uniform(n, pages, PAGE, 16, dtype=FP16), bits) if bits else None}

    return make


def latent_appended(n, batch=16, new=512, length=1024):
    pages = batch * length // PAGE
    return [n(batch, new, 512, dtype=FP16), n(batch, new, 64, dtype=FP16), n(pages, PAGE, 1, 512, dtype=FP16),
            n(pages, PAGE, 1, 64, dtype=FP16), table(n, batch, length), lengths(n, batch, length - new)]


def packed_appended(device, batch=16, new=512, length=1024, bits=6):
    n = maker(device)
    pages, width = batch * length // PAGE, 16 * bits
    of(f"{EXL}.mla_triton._mla_kv_quant_scatter_kernel")[(batch * new, )](
        words(n, batch * new, width), uniform(n, batch * new, 16, dtype=FP16), n(batch * new, 64, dtype=FP16),
        words(n, pages, PAGE, width), uniform(n, pages, PAGE, 16, dtype=FP16), n(pages, PAGE, 1, 64, dtype=FP16),
        table(n, batch, length), lengths(n, batch, length - new), length // PAGE, new, PAGE, width, triton.next_power_of_2(width),
        16, 64, num_warps=2, num_stages=2)


def normal_keys(device, rows=65536, size=128):
    n = maker(device)
    of(f"{EXL}.mla_triton._mla_idx_norm_kernel")[(rows, )](
        n(rows, size, dtype=FP16), n(size, dtype=FP16), n(size, dtype=FP16), torch.zeros(rows, size, device=device, dtype=FP16),
        rows, 1e-6, size)


def staged(device, rows=4096, heads=16):
    n = maker(device)
    zeros = lambda *sizes: torch.zeros(*sizes, device=device, dtype=FP16)
    of(f"{EXL}.mla_triton._mla_stage_kernel")[(rows, )](
        n(rows, heads * 192, dtype=FP16), n(rows, 640, dtype=FP16), n(512, dtype=FP16), zeros(rows, heads, 64), zeros(rows, 512),
        zeros(rows, 64), 1e-6, heads, 192, heads * 192, 640, 128, 512, 64)


def pooled(rows, chosen=0, heads=64, latent=448, length=8192, bits=0, window=True, **options):
    """Queries that attend to latent rows, those `chosen` or all, and to what comes just before them."""

    def make(n):
        size, pages, start = latent + 64, length // PAGE, 2048
        rows_of = words(n, pages, PAGE, latent // 32 * bits) if bits else n(pages, PAGE, latent, dtype=FP16)
        named = {"pool_len": length, "q_pos0": start * (1 if chosen else 4), "compress_rate": 1 if chosen else 4, **options}
        if window:
            named.update(ring=n(128, size, dtype=FP16), kv_chunk=n(rows, size, dtype=FP16), win_len=128,
                         ring_beg=named["q_pos0"] - 128, sinks=n(heads, dtype=FP32), derot_inv_freq=-uniform(n, 32))
        if chosen:
            named["indices"] = whole(n, length, rows, chosen)
        if bits:
            named["qc"] = (uniform(n, pages, PAGE, latent // 32, dtype=FP16), bits)
        return [n(rows, heads, size, dtype=FP16), rows_of, n(pages, PAGE, 64, dtype=FP16), table(n, 1, length)], named

    return make


def absorbed(rows, chosen, heads=32, length=8192):
    """Queries in the latent space."""

    def make(n):
        pages = length // PAGE
        return [n(heads, rows, 512, dtype=FP16), n(pages, PAGE, 512, dtype=FP16), n(pages, PAGE, 64, dtype=FP16),
                table(n, 1, length)], {"q_pe": n(rows, heads, 64, dtype=FP16), "indices": whole(n, length, rows, chosen),
                                       "pool_len": length, "out_latent": True, "scale": 192**-0.5}

    return make


def as_elsewhere(run):
    """With the kernels that other GPUs have."""

    def patched(device):
        with mock.patch(f"{EXL}.dsa_triton.DSA_MQA", True):
            run(device)

    return patched


def indexed(rows, keys=4096, heads=32):
    return lambda n: [n(rows, heads, 128, dtype=FP16), n(rows, heads, dtype=FP16), n(keys, 128, dtype=FP16), 4 * keys - rows, 4,
                      keys]


def pools(device, batch=32, new=2048, length=4096, size=128, pool=4):
    """Keys of pools of tokens."""
    n = maker(device)
    rows = batch * length
    of(f"{EXL}.dsa_triton._dsa_pool_update_kernel")[(batch, new // pool + 1)](
        n(rows, 2 * size, dtype=FP16), torch.zeros(rows // pool, size, device=device, dtype=FP16), n(pool, size, dtype=FP16),
        table(n, batch, length), lengths(n, batch, length - new), length // PAGE, new, PAGE, pool, size, new // pool + 1)


def tokens_of_pools(device, rows=8192, chosen=512, pool=4, width=2304):
    n = maker(device)
    of(f"{EXL}.dsa_triton._dsa_pool_expand_kernel")[(rows, width // 256)](
        whole(n, 2048, rows, chosen) - 1, torch.zeros(rows, width, device=device, dtype=torch.int32), 8192, pool, chosen, width,
        chosen, 1, SEQ=rows)


def apart(device, rows=8192, heads=8, size=128):
    """Queries and keys of one product."""
    n = maker(device)
    of(f"{EXL}.qsa_triton._qsa_stage_kernel")[(rows, heads + 1)](
        n(rows, (heads + 1) * size, dtype=FP16), n(size, dtype=FP16), torch.zeros(rows, heads, size, device=device, dtype=FP16),
        torch.zeros(rows, size, device=device, dtype=FP16), rows, 1e-6, heads, size)


def rotated_pools(device, batch=32, new=2048, length=4096, size=128, pool=16, rotated=64):
    n = maker(device)
    rows = batch * length
    of(f"{EXL}.qsa_triton._qsa_pool_update_kernel")[(batch, new // pool + 1)](
        n(rows, size, dtype=FP16), torch.zeros(rows // pool, size, device=device, dtype=FP16), n(size, dtype=FP16),
        uniform(n, rotated // 2), table(n, batch, length), lengths(n, batch, length - new), length // PAGE, new, PAGE, pool, size,
        rotated, 1.0, 1e-6, new // pool + 1)


def gathered(rows, length=8192, chosen=2048, bits=0, pages=False):
    """Queries that each have keys."""

    def make(n):
        q, indices = n(rows, 32, 128, dtype=FP16), whole(n, length, rows, chosen)
        if not pages:
            return [q, n(length, 8, 128, dtype=FP16), n(length, 8, 128, dtype=FP16), indices, 128**-0.5]
        count = rows * length // PAGE
        if not bits:
            return [q, *(n(count * PAGE, 8, 128, dtype=FP16) for _ in range(2)), indices, 128**-0.5, table(n, rows, length), PAGE]
        scales = [uniform(n, count, PAGE, 32, dtype=FP16) for _ in range(2)]
        return [q, *(words(n, count, PAGE, 32 * bits) for _ in range(2)), indices, 128**-0.5, table(n, rows, length), PAGE], {
            "qc": (*scales, bits, bits), "n_kv_heads": 8}

    return make


def attend_rows(make):

    def run(device):
        made = make(maker(device))
        made, named = made if isinstance(made, tuple) else (made, {})
        of(f"{EXL}.qsa_triton.qsa_sparse_attend_rows")(*made, **named)

    return run


def short_convolution(batch, length, by_token=False, state=4, bias=True, width=8192, **options):

    def make(n):
        x = n(batch, length, width) if by_token else n(batch, width, length)
        return [x, n(2 * batch, width, state), torch.randperm(2 * batch, device=n.device)[:batch].to(torch.int32), n(width, 4),
                n(width) if bias else None]

    return serve("exllamav3.modules.gated_delta_net_fn.conv1d.causal_conv1d_update_slotted_triton", make, token_major=by_token,
                 **options)


def products_of_columns(rows, width, dtype=FP16):

    def run(device):
        module = "exllamav3.modules.quant.exl3_lib.hessian_packed"
        of(f"{module}.accumulate_")(torch.zeros(of(f"{module}.packed_numel")(width), device=device),
                                    maker(device)(rows, width, dtype=dtype))

    return run


def delta(n, channels=False, heads=16, size=128, batch=4, length=2048):
    gates = torch.nn.functional.logsigmoid(n(batch, length, heads, *([size] if channels else []), dtype=FP32)) / 16
    return [n(batch, length, heads, size), torch.nn.functional.normalize(n(batch, length, heads, size), dim=-1),
            n(batch, length, heads, size), gates, n(batch, length, heads, dtype=FP32).sigmoid()]


def within_chunks(n):
    """As delta for channels, with gates summed in their chunks."""
    q, k, v, gates, beta = delta(n, True)
    return [q, k, v, gates.view(4, -1, 64, *gates.shape[2:]).cumsum(2).view(gates.shape), beta, 128**-0.5]


def triangles(chunk):
    """Matrices of chunks, with nothing on and above their diagonals."""
    return lambda n: [n(4, 2048 // chunk, chunk, 16, chunk, dtype=FP32, scale=0.1).transpose(2, 3).tril(-1).transpose(
        2, 3).reshape(4, 2048, 16, chunk)]


VOCABULARY = 128256
WORKLOADS = {
    # fast-attnres
    "attnres: packed": resting(8, 4096), "attnres: packed, low rank": resting(8, 4096, 256),
    "attnres: packed, medium rank": resting(12, 2048, 1024), "attnres: packed, odd width": resting(8, 3072, 1024),
    "attnres: listed": resting(8, 4096, packed=False), "attnres: listed, low rank": resting(8, 4096, 512, False),
    "attnres: few listed": resting(3, 2048, packed=False), "attnres: listed, odd width": resting(6, 2560, 640, False),
    "attnres: transposed gradient": transposed_gradient,
    "attnres: queries": many(8, 1024, 4), "attnres: many queries": many(8, 2048, 8),
    "attnres: queries in tiles": many(8, 2048, 8, 512, strategy="tiled"),
    "attnres: queries by tokens": many(6, 4096, 4, 256, output_layout="token_major"),
    "attnres: queries of listed": many(8, 1024, 4, packed=False), "attnres: many queries of listed": many(8, 2048, 8, 512, False),
    "attnres: chosen queries": chosen(8, 1024, 2), "attnres: chosen queries of low rank": chosen(8, 2048, 4, 256),
    "attnres: chosen queries of listed": chosen(6, 2048, 4, packed=False),
    # flash-attn-res
    "flash-attn-res: batched": batched(8, 1024, 4), "flash-attn-res: batched, few sources": batched(3, 2048, 4),
    "flash-attn-res: batched, one query": batched(6, 1024, 1),
    "flash-attn-res: merged": merged(2048), "flash-attn-res: merged narrow": merged(1024),
    "flash-attn-res: layers": residual_layers,
    # comfy-kitchen
    "kitchen: f8": kitchen("quantization.quantize_per_tensor_fp8", lambda n: [n(8192, WIDTH), number(n, 0.01)]),
    "kitchen: f8 of f16": kitchen("quantization.quantize_per_tensor_fp8", lambda n: [
        n(8192, WIDTH, dtype=FP16), number(n, 0.01), torch.float8_e5m2]),
    "kitchen: from f8": kitchen("quantization.dequantize_per_tensor_fp8", lambda n: [f8(n, 8192, WIDTH), number(n, 0.01)]),
    "kitchen: from f8 to f32": kitchen("quantization.dequantize_per_tensor_fp8", lambda n: [
        n(8192, WIDTH).to(torch.float8_e5m2), number(n, 0.01), FP32]),
    "kitchen: mxfp8": kitchen("quantization.quantize_mxfp8", lambda n: [n(ROWS, WIDTH)]),
    "kitchen: bytes": kitchen("quantization.triton_quantize_rowwise", lambda n: [n(8192, WIDTH)]),
    "kitchen: bytes of f16": kitchen("quantization.triton_quantize_rowwise", lambda n: [n(8192, 3072, dtype=FP16)]),
    "kitchen: bytes of f32": kitchen("quantization.triton_quantize_rowwise", lambda n: [n(8192, WIDTH, dtype=FP32)]),
    "kitchen: products of bytes": kitchen("quantization.int8_linear", lambda n: eight_bits(n)),
    "kitchen: products of bytes of a scale": kitchen("quantization.int8_linear", lambda n: eight_bits(n, False, False)),
    "kitchen: products of few bytes": kitchen("quantization.int8_linear", lambda n: eight_bits(n, rows=64, dtype=FP16), out_dtype=FP16),
    "kitchen: weights of four bits": kitchen("w4a8_int8._dequant_int4_grouped_to_int8", weights_of_four_bits),
    "kitchen: weights of six bits": kitchen("w4a8_int8._dequant_int4_grouped_to_int8", lambda n: weights_of_four_bits(n, 16, 6)),
    "kitchen: rotation": kitchen("rope.apply_rope", lambda n: [heads(n), heads(n), angles(n)]),
    "kitchen: rotation in bf16": kitchen("rope.apply_rope", lambda n: [strided(n), strided(n), angles(n, dtype=BF16)]),
    "kitchen: rotation of one": kitchen("rope.apply_rope1", lambda n: [heads(n), angles(n)]),
    "kitchen: rotation of halves": kitchen("rope.apply_rope_split_half", lambda n: [heads(n), heads(n), angles(n)]),
    "kitchen: rotation of halves in place": kitchen("rope.apply_rope_split_half_", lambda n: [strided(n), strided(n), angles(n)]),
    "kitchen: norm and rotation": kitchen("rms_rope.rms_rope", lambda n: [heads(n), heads(n), angles(n), n(128)]),
    "kitchen: norm and rotation of halves": kitchen("rms_rope.rms_rope_split_half", lambda n: [
        strided(n), strided(n), angles(n, dtype=BF16), n(128), n(128)]),
    "kitchen: norm and rotation in place": kitchen("rms_rope.rms_rope1_", lambda n: [heads(n, size=64), angles(n, 64), n(64)]),
    "kitchen: modulated": kitchen("adaln.adaln", lambda n: [n(4, LENGTH, 3072), n(4, 1, 3072), n(4, 1, 3072)]),
    "kitchen: modulated wide": kitchen("adaln.adaln", lambda n: [
        n(2, LENGTH, 5120, dtype=FP32), n(2, 1, 5120, dtype=FP32), n(2, 1, 5120, dtype=FP32)]),
    "kitchen: modulated without mean": kitchen("adaln.rms_adaln", lambda n: [n(4, LENGTH, 4096), n(4, 1, 4096), n(4, 1, 4096)]),
    "kitchen: neighbours": kitchen("na.na3d", nearby), "kitchen: neighbours before": kitchen("na.na3d", lambda n: [
        *nearby(n, 128, FP16), [True, False, False]]),
    # cache-dit
    "cache-dit: bytes of tokens": there_and_back, "cache-dit: bytes of heads": heads_there_and_back,
    "cache-dit: merged": serve(f"{CACHE}.fused_merge_attn_states", lambda n: [
        t for _ in range(2) for t in (n(2, LENGTH, HEADS, 128), n(2, LENGTH, HEADS, 1, dtype=FP32))]),
    # diffsynth
    "diffsynth: rows": serve(f"{VDN}_fp8.quantize_rows", lambda n: [n(8192, 5120)]),
    "diffsynth: all": serve(f"{VDN}_fp8.quantize_tensor", lambda n: [n(8192, 5120)]),
    "diffsynth: through time": through_time(False), "diffsynth: through time to length": through_time(True),
    # stable-fast
    "sfast: copied matrix": copied(8192, WIDTH, order=(1, 0)), "sfast: copied": copied(16, 2048, 1024),
    "sfast: copied images": copied(8, 320, 128, 128, order=(0, 2, 3, 1)),
    "sfast: copied heads": copied(8, 2048, 16, 64, order=(0, 2, 1, 3)),
    "sfast: norm": serve(f"{FAST}.layer_norm.layer_norm", lambda n: [
        n(8, 2048, 1280, dtype=FP16), (1280, ), n(1280, dtype=FP16), n(1280, dtype=FP16), 1e-5]),
    "sfast: trained norm": call(f"{FAST}.layer_norm.layer_norm", lambda n: [
        n(4, 2048, WIDTH), (WIDTH, ), n(WIDTH), n(WIDTH), 1e-5]),
    "sfast: gradients of a norm's weights": summed,
    "sfast: group norm": grouped("identity", True), "sfast: group norm of planes": grouped("identity", False),
    "sfast: group norm and gate": grouped("silu", True, 320, 128),
    "sfast: group norm of planes and gate": grouped("silu", False, 320, 128),
    "sfast: group norm without weights": grouped("identity", False, weights=False),
    "sfast: statistics in stages": stages_of_statistics,
    "sfast: convolved": convolved(3, 1), "sfast: convolved within": convolved(3), "sfast: convolved points": convolved(1),
    "sfast: convolved in bf16": convolved(3, 1, False, BF16), "sfast: convolved points in f32": convolved(1, dtype=FP32),
    # Experts
    "kestrel: experts": kestrel(), "kestrel: weighted experts": kestrel(weighted=True, bias=True, dtype=FP16),
    "kestrel: experts of few rows": kestrel(64, block=16),
    "moe: experts": experts(), "moe: weighted experts of few rows": experts(rows=64, weighted=True, BLOCK_SIZE_M=16),
    "moe: experts of bytes": experts("bytes"), "moe: experts of f8": experts("f8"),
    "moe: experts of blocks of f8": experts("f8", blocks=(128, 128)),
    "moe: f8 of groups": serve("moe_kernels.fp8_utils.per_token_group_quant_fp8", lambda n: [n(8192, WIDTH), 128]),
    "moe: products of blocks of f8": serve("moe_kernels.fp8_utils.w8a8_block_fp8_matmul", lambda n: [
        f8(n, ROWS, WIDTH), f8(n, WIDTH, WIDTH), uniform(n, ROWS, WIDTH // 128), uniform(n, WIDTH // 128, WIDTH // 128),
        [128, 128], BF16]),
    # fused-turboquant
    "turbo: rotated": serve(f"{TURBO}.triton_rht.triton_rht", lambda n: [n(4, 32, 2048, 128, dtype=FP32), signs(n)]),
    "turbo: rotated back": serve(f"{TURBO}.triton_rht.triton_rht", lambda n: [
        n(4, 32, 2048, 64, dtype=FP32), signs(n, 64)], inverse=True),
    **{f"turbo: rounded to {bits} bits": encoded(bits) for bits in (2, 3, 4)},
    **{f"turbo: from {bits} bits": decoded(bits) for bits in (2, 3, 4)},
    **{f"turbo: products with {bits} bits": scored(bits) for bits in (2, 3, 4, 8)},
    # ultra-fused-transformer
    "ultra: norm and projections": serve(f"{ULTRA}.fused_sdla_kernel.fused_sdla_rmsnorm_qkv", lambda n: [
        n(4, 1024, 1024, dtype=FP16), *(n(1024, 1024, dtype=FP16, scale=0.03) for _ in range(5)), n(1024, dtype=FP16)]),
    "ultra: products with four bits": mxfp4(),
    # exllamav3
    "exl: likelihoods": serve("exllamav3.util.measures.compute_target_log_probs", lambda n: [
        n(2048, VOCABULARY, dtype=FP16), whole(n, VOCABULARY, 2048, dtype=torch.int64), VOCABULARY]),
    "exl: divergence": serve("exllamav3.util.measures.compute_kl_div", lambda n: [
        n(1024, VOCABULARY, dtype=FP16), n(1024, VOCABULARY, dtype=FP16), VOCABULARY]),
    "exl: short convolution": short_convolution(16, 128), "exl: long convolution": short_convolution(4, 2048),
    "exl: short convolution of tokens": short_convolution(32, 64, True, 8, False, transpose_output=True, history=True),
    "exl: long convolution of tokens": short_convolution(4, 2048, True, transpose_output=True),
    "exl: products of columns": products_of_columns(2048, 4096),
    "exl: products of columns in f32": products_of_columns(512, 4096, FP32),
    "exl: appended": attend("triton_paged._paged_kv_update", lambda n: [
        *paged(16, 512, 1024)(n)[1:], 1024 // PAGE, 16, 512, 8, PAGE, 128]),
    "exl: appended by heads": appended_heads,
    "exl: attention to pages": attend("triton_paged.paged_attn_triton", paged(4, 64, 2048), causal=True),
    "exl: attention of many queries": attend("triton_paged.paged_attn_triton_longq", paged(2, 512, 2048), causal=True),
    "exl: attention of one query": attend("triton_paged.paged_attn_triton_decode", paged(32, 1, 4096)),
    "exl: attention of few queries": attend("triton_paged.paged_attn_triton_decode", paged(
        8, 4, 8192, size=64), causal=True, window_size=2048, softcap=30.0),
    "exl: attention of one query to four bits": attend("triton_paged.paged_attn_triton_decode", packed_pages(4, 1, 16384)),
    "exl: attention of one query to some bits": attend("triton_paged.paged_attn_triton_decode", packed_pages(8, 2, 8192, (8, 5))),
    "exl: attention": attend("triton_paged.paged_attn_triton_prefill", paged(2, 1024, 2048), causal=True),
    "exl: attention in parts": attend("triton_paged.paged_attn_triton_prefill", paged(1, 256, 16384, 16, 4), causal=True),
    "exl: attention of wide heads": attend("triton_paged.paged_attn_triton_prefill", paged(2, 1024, 2048, 16, 4, 256), causal=True,
                                           window_size=1024),
    "exl: attention without pages": attend("triton_paged.paged_attn_triton_prefill", new_alone, causal=True),
    "exl: attention to four bits": attend("triton_paged.paged_attn_triton_prefill", packed_pages(8, 128, 2048), causal=True),
    "exl: attention to six bits": attend("triton_paged.paged_attn_triton_prefill", packed_pages(8, 128, 2048, (6, 6)), causal=True),
    "exl: attention of several lengths": attend("triton_paged.varlen_attn_triton", joined, causal=True),
    "exl: attention of windows": attend("triton_paged.varlen_attn_triton", lambda n: joined(n, 128, 64, 80)),
    "exl: latent appended": attend("mla_triton.mla_kv_append", latent_appended),
    "exl: plane appended": attend("mla_triton.mla_plane_append", lambda n: [
        n(32, 512, 128, dtype=FP16), n(32 * 4, PAGE, 128, dtype=FP16), table(n, 32, 1024), lengths(n, 32, 512)]),
    "exl: packed latent appended": packed_appended, "exl: normal keys": normal_keys, "exl: latent staged": staged,
    "exl: latent attention of one query": attend("mla_triton.mla_attn_triton_decode", latent(16, 1, 4096, 32)),
    "exl: latent attention of few queries": attend("mla_triton.mla_attn_triton_decode", latent(8, 4, 4096)),
    "exl: latent attention of one query to bits": attend("mla_triton.mla_attn_triton_decode", latent(16, 1, 4096, 32, 6)),
    "exl: latent attention": attend("mla_triton.mla_attn_triton_prefill", latent(1, 1024, 2048)),
    "exl: latent attention to bits": attend("mla_triton.mla_attn_triton_prefill", latent(1, 512, 1024, bits=4)),
    "exl: expanded attention": attend("mla_triton.mla_attn_triton_prefill_mha", expanded()),
    "exl: expanded attention of bits": attend("mla_triton.mla_attn_triton_prefill_mha", expanded(6), tile_size=1024),
    "exl: absorbed": attend("mla_triton.mla_absorb", lambda n: [
        n(4096, 16, 192, dtype=FP16), n(512, 16 * 128, dtype=FP16, scale=0.04), 16, 128]),
    "exl: unfolded": attend("mla_triton.mla_unfold", lambda n: [
        n(16, 4096, 512, dtype=FP16), n(512, 16 * 128, dtype=FP16, scale=0.04), 128]),
    "exl: sparse attention": attend("dsa_triton.dsa_attn", pooled(256, 1024)),
    "exl: sparse attention to all": attend("dsa_triton.dsa_attn", pooled(256), groups=8),
    "exl: sparse attention to bits": attend("dsa_triton.dsa_attn", pooled(48, 1024, bits=4)),
    "exl: sparse attention of few queries": attend("dsa_triton.dsa_attn", pooled(8, 1024)),
    "exl: sparse attention of few queries to bits": attend("dsa_triton.dsa_attn", pooled(4, 2048, bits=6)),
    "exl: sparse attention in the latent space": attend("dsa_triton.dsa_attn", absorbed(256, 1024)),
    "exl: sparse attention of few queries in the latent space": attend("dsa_triton.dsa_attn", absorbed(8, 2048)),
    "exl: sparse attention elsewhere": as_elsewhere(attend("dsa_triton.dsa_attn", pooled(256, 1024))),
    "exl: sparse attention to bits elsewhere": as_elsewhere(attend("dsa_triton.dsa_attn", pooled(48, 1024, bits=4))),
    "exl: sparse attention of few queries elsewhere": as_elsewhere(attend("dsa_triton.dsa_attn", pooled(8, 1024))),
    "exl: scores of keys": attend("dsa_triton.dsa_indexer_scores", indexed(2048)),
    "exl: scores of keys for few queries": attend("dsa_triton.dsa_indexer_scores", indexed(4, 65536)),
    "exl: pools": pools, "exl: tokens of pools": tokens_of_pools, "exl: queries and keys apart": apart,
    "exl: rotated pools": rotated_pools,
    "exl: gathered attention": attend_rows(gathered(256)), "exl: gathered attention to pages": attend_rows(gathered(16, pages=True)),
    "exl: gathered attention to bits": attend_rows(gathered(16, bits=4, pages=True)),
    "exl: delta rule": serve(f"{LINEAR}.chunk_gated_delta_rule", delta, output_final_state=True),
    "exl: delta rule in small chunks": serve(f"{LINEAR}.chunk_gated_delta_rule", delta, chunk_size=32, output_final_state=True),
    "exl: delta rule of channels": serve(f"{LINEAR}.chunk_kda", lambda n: delta(n, True), output_final_state=True),
    "exl: gated": serve(f"{LINEAR}.chunk_simple_gla", lambda n: delta(n)[:4], output_final_state=True),
    "exl: delta rule of channels with safe gates": serve("exllamav3.vendor.fla.kda_chunk_intra.chunk_kda_fwd_intra", within_chunks,
                                                         safe_gate=True),
    "exl: inverses": serve("exllamav3.vendor.fla.solve_tril.solve_tril", triangles(64)),
    "exl: small inverses": serve("exllamav3.vendor.fla.solve_tril.solve_tril", triangles(16)),
    "exl: lengths": serve("exllamav3.vendor.fla.l2norm.l2norm_fwd", lambda n: [n(8, 2048, 32, 128)]),
    "exl: lengths of long rows": serve("exllamav3.vendor.fla.l2norm.l2norm_fwd", lambda n: [n(16384, 2048)]),
}
