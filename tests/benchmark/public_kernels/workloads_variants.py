"""New kinds of attention, recurrences and contrastive losses, most with gradients: attention of energies and of relative
positions, slices of meshes, recurrent units, matrix scans, quantized caches of keys and values, adapters within singular
spaces. Of parallax-kernel, memeff, siglip-kernel, flashslice, gru-qat, mingru-scans, ebt-flash-attention, dsalt,
turboquant-vllm, eigentune and disentangled-flash."""
import importlib

import bare
import torch
from workloads_serving import serve, whole
from workloads_training import both_passes, call, of

bare.bare("turboquant_vllm", "gru_qat", "dsalt", "eigentune")
bare.stub("transformers")
FP16, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32
SIGLIP, GRU, SCANS, TQ4 = "siglip_kernel", "gru_qat.triton_kernels", "mingru.triton_scans", "turboquant_vllm.triton"


def scalar(n, value=0.0):
    return torch.full((), value, device=n.device, requires_grad=True)


def paired(n, size=1024, rows=4096):
    return [n(rows, size, scale=size**-0.5), n(rows, size, scale=size**-0.5)]


def siglip(n):
    return [*paired(n), scalar(n, 2.0), scalar(n, -10.0)]


def groups(n):
    return [*siglip(n), *(whole(n, 1024, 4096, dtype=torch.int64) for _ in range(2))]


def loss(name, *given, **options):
    """A loss of pairs of rows; `given` are what its module is made with."""

    def run(device):
        x, y = (torch.randn(4096, 1024, device=device, dtype=BF16, requires_grad=True) for _ in range(2))
        module = of(f"memeff.{name}")(*given, **options)
        both_passes(lambda: module(x, y))

    return run


def parallax(n, heads=16, groups=4, length=2048, size=128):
    return [n(2, heads, length, size), n(2, heads, length, size), n(2, groups, length, size), n(2, groups, length, size)]


def packed(n, heads=16, groups=4, length=4096, size=64):
    rows = [n(1, length, count, size) for count in (heads, heads, groups, groups)]
    return [*rows, None, -1, torch.tensor([0, 1000, 1500, 3500, length], device=n.device, dtype=torch.int32)]


def mesh(mode, dot="ieee", width=32, dtype=FP32):
    """To slices and back, by either kind of kernel."""

    def run(device):
        ops = importlib.import_module("flashslice.kernels.slice_ops")
        n = lambda *sizes: torch.randn(*sizes, device=device, dtype=dtype).requires_grad_()
        batch, points, heads, slices = 2, 16384, 8, 64
        ops.set_kernel_mode(mode)
        ops.set_dot_mode(dot)
        x, values = n(batch, points, heads, width), n(batch, points, heads, width)
        weight, bias, tau = n(slices, width), n(slices), torch.full((heads, ), 0.5, device=device, requires_grad=True)
        both_passes(lambda: ops.fused_slice(x, values, weight, bias, tau)[0])
        tokens = torch.randn(batch, heads, slices, width, device=device).requires_grad_()
        both_passes(lambda: ops.fused_deslice(x, weight, bias, tau, tokens))

    return run


def recurrent(n, steps=64, batch=64, width=256):
    return [n(steps, batch, 3 * width, dtype=FP32), n(batch, width, dtype=FP32),
            n(3 * width, width, dtype=FP32, scale=width**-0.5), n(3 * width, dtype=FP32)]


def recurrent_blocks(n, blocks=4):
    steps, state, weight, bias = recurrent(n)
    return [steps, state, n(3, blocks, 64, 64, dtype=FP32, scale=0.125), bias]


def recurrent_butterflies(n):
    steps, state, weight, bias = recurrent(n)
    return [steps, state, n(3, 1, 8, 128, 2, 2, dtype=FP32, scale=0.7), bias]


def rotated(n, batch=4, length=1024, width=1024):
    decay, step = torch.rand(batch, length, width, device=n.device) * 1.8 - 0.9, n(batch, length, width, dtype=FP32)
    return [decay.requires_grad_(), step]


def matrices(n):
    """Steps by matrices of 4 x 4."""
    batch, length, count, size = 4, 512, 64, 4
    return [n(batch, length, count, size, size, dtype=FP32, scale=0.3), n(batch, length, count, size, 4, dtype=FP32)]


def delta(device):
    module = importlib.import_module(SCANS)
    given = module._delta_inputs(4, 8, 1024, 1, 64, 64, device)
    both_passes(lambda: module.delta_scan_impl(*(x.requires_grad_() for x in given), chunk_size=64)[0])


def energies(n, batch=2, heads=16, length=1024, size=64):
    return [n(batch, heads, length, size, dtype=FP16) for _ in range(6)]


def landmarks(train):

    def run(device):
        n = lambda *sizes, dtype=BF16: torch.randn(*sizes, device=device).to(dtype)
        length, heads, size, count = 4096, 8, 64, 32
        q, k, v = (n(length, heads, size).requires_grad_() for _ in range(3))
        starts = torch.tensor([0, 1500, length], device=device, dtype=torch.int32)
        chosen = torch.randint(0, 1500, (heads, 2, count), device=device).sort().values
        module = importlib.import_module("dsalt.kernels.dsalt_triton_" + ("train" if train else "attn"))
        module._maybe_autotune = module._maybe_autotune_train = lambda *given: None
        windows = torch.randint(64, 256, (length, ), device=device)
        if train:
            both_passes(lambda: module.dsalt_triton_train_attention(
                q, k, v, chosen, n(heads, 2, count, dtype=FP32).requires_grad_(), windows.float().requires_grad_(), starts))
        else:
            both_passes(lambda: module.dsalt_triton_attention(
                q, k, v, chosen, n(heads, 2, count, dtype=FP32), windows, starts))

    return run


def rotation_of(n, size=128):
    return torch.linalg.qr(torch.randn(size, size)).Q.to(n.device)


def levels(n):
    return torch.linspace(-0.2, 0.2, 16, device=n.device)


def cached(n, batch=2, heads=16, groups=4, length=2048, size=128):
    codes = lambda: whole(n, 256, batch, groups, length, size // 2, dtype=torch.uint8)
    norms = lambda: torch.rand(batch, groups, length, device=n.device)
    return [n(batch, heads, length, size, dtype=FP16), codes(), norms(), codes(), norms(), levels(n), rotation_of(n)]


def half_cached(n):
    q, codes, norms, _, _, centroids, rotation = cached(n)
    return [q, codes, norms, centroids, rotation, n(2, 4, 2048, 128, dtype=FP16)]


def paged(n, rows, sequences, heads=32, groups=8, size=128, block=16, length=2048):
    width = 2 * groups * (size // 2 + 4)
    blocks = sequences * length // block
    cache = torch.zeros(blocks, block, width, device=n.device, dtype=torch.uint8)
    cache[:, :, :groups * size] = whole(n, 256, blocks, block, groups * size, dtype=torch.uint8)
    table = torch.randperm(blocks, device=n.device).to(torch.int32).view(sequences, -1)
    return [n(rows, heads, size, dtype=FP16), cache, table,
            torch.full((sequences, ), length, device=n.device, dtype=torch.int32), levels(n), rotation_of(n), groups, size,
            block]


def disentangled(length=512, heads=16, size=64, layout="padded"):

    def run(device):
        tune = importlib.import_module("disentangled_flash.tune")
        kernels = importlib.import_module("disentangled_flash.training._kernels")
        plan = tune.SharedPositionPlanCache(position_buckets=256, max_relative_positions=512, position_embedding_size=256,
                                            uses_position_bias=True).compact(length, torch.empty(0, device=device).device)
        n = lambda *sizes: torch.randn(*sizes, device=device, dtype=FP16).requires_grad_()
        slots = tune.aligned_slot_count(plan.active_slots.numel())
        tables, options = [n(heads, slots, size) for _ in range(2)], {"score_scale": (3 * size)**-0.5, "strict_fp32": False,
                                                                      "gradient_band": plan.gradient_band}
        if layout == "packed":
            starts = torch.tensor([0, 300, 800, 1300, 1700, 4 * length], device=device, dtype=torch.int32)
            rows = [n(heads, 4 * length, size) for _ in range(3)]
            both_passes(lambda: kernels.training_attention_packed(*rows, *tables, plan.delta_to_local, starts,
                                                                  max_seqlen=length, **options))
        else:
            rows = [n(4, heads, length, size) for _ in range(3)]
            mask = torch.ones(4, length, device=device, dtype=torch.bool)
            both_passes(lambda: kernels.training_attention(*rows, *tables, plan.delta_to_local, mask, has_padding=True,
                                                           **options))

    return run


MRL = (128, 256, 512, 1024)
WORKLOADS = {
    "parallax": call("parallax.triton.parallax_func", parallax),
    "parallax, windows": call("parallax.triton.parallax_func", lambda n: parallax(n, size=64), window_size_left=512),
    "parallax, packed": call("parallax.triton.parallax_varlen_func", packed),
    "parallax, decoding": serve("parallax.triton.parallax_decode", lambda n: [
        n(16, 1, 32, 128), n(16, 1, 32, 128), n(16, 2048, 8, 128), n(16, 2048, 8, 128)]),
    "memeff clip": loss("MemoryEfficientCLIPLoss"),
    "memeff lit": loss("MemoryEfficientLiTLoss"),
    "memeff qwen3": loss("MemoryEfficientQwen3Loss", use_qq_negatives=True, use_dd_negatives=True),
    "memeff nested clip": loss("MemoryEfficientMatryoshkaCLIPLoss", MRL),
    "memeff nested qwen3": loss("MemoryEfficientMatryoshkaQwen3Loss", MRL),
    **{f"siglip {name}": call(f"{SIGLIP}.{name}_siglip_loss", siglip) for name in (
        "fused_chunked_epilogue", "fully_fused", "hopper_fused", "chunked")},
    "siglip of eight bits": call(f"{SIGLIP}.fused_chunked_epilogue_siglip_loss", siglip, use_fp8=True),
    "siglip v2": call(f"{SIGLIP}.fused_siglip_v2_loss", siglip),
    "siglip plus": call(f"{SIGLIP}.fused_siglip_plus_loss", groups),
    "slices": mesh("single-tile"), "slices by blocks": mesh("blocked"),
    "slices of tf32": mesh("single-tile", "tf32"), "slices by blocks of tf32": mesh("blocked", "tf32"),
    "slices of bf16": mesh("blocked", "ieee", 64, BF16),
    "recurrent": call(f"{GRU}.scan.gru_scan", recurrent),
    "recurrent, resident": call(f"{GRU}.scan.gru_scan_persistent", recurrent),
    "recurrent by blocks": call(f"{GRU}.scan_blockdiag.gru_scan_blockdiag", recurrent_blocks),
    "recurrent by butterflies": call(f"{GRU}.scan_butterfly.gru_scan_butterfly_triton", recurrent_butterflies),
    "scan": call(f"{SCANS}._linear_scan_impl", rotated),
    "scan of logarithms": call(f"{SCANS}._parallel_scan_log_impl", lambda n: [
        -torch.rand(4, 1024, 1024, device=n.device).requires_grad_(), n(4, 1025, 1024, dtype=FP32)]),
    "scan of matrices": call(f"{SCANS}._matrix_affine_scan_impl", matrices),
    "scan of differences": delta,
    "energies": call("ebt_flash_attention.ebt_attention.EBTAttn.fwd_dual", energies),
    "landmarks": landmarks(False), "landmarks, training": landmarks(True),
    "quantized keys": serve(f"{TQ4}.flash_attention_tq4.triton_flash_attention_tq4", half_cached, is_causal=True),
    "quantized cache": serve(f"{TQ4}.flash_attention_tq4_kv.triton_flash_attention_tq4_kv", cached, is_causal=True),
    "quantized pages": serve(f"{TQ4}.fused_paged_tq4_attention.fused_paged_tq4_decode", lambda n: paged(n, 32, 32)),
    "quantized pages of a prompt": serve(f"{TQ4}.fused_paged_tq4_int8_prefill.fused_paged_tq4_int8_prefill",
                                         lambda n: paged(n, 2048, 1)),
    "quantizing": serve(f"{TQ4}.tq4_compress.tq4_compress", lambda n: [
        n(8192, 8, 128, dtype=FP16), *(rotation_of(n).T[:, start::2].contiguous() for start in (0, 1)), levels(n)[1:]]),
    "dequantizing": serve(f"{TQ4}.tq4_decompress.tq4_decompress", lambda n: [
        whole(n, 256, 8192, 8, 64, dtype=torch.uint8), torch.rand(8192, 8, 1, device=n.device), levels(n)]),
    "plain attention": serve(f"{TQ4}.flash_attention.triton_flash_attention", lambda n: [
        n(2, 16, 2048, 128, dtype=FP16), n(2, 4, 2048, 128, dtype=FP16), n(2, 4, 2048, 128, dtype=FP16)], is_causal=True),
    "to singular space": serve("eigentune.kernels.triton_backend.down", lambda n: [n(8192, 4096), n(64, 4096), 1]),
    "from singular space": serve("eigentune.kernels.triton_backend.up", lambda n: [
        n(8192, 64), n(64), n(4096, 64), 0, "diag"]),
    "disentangled": disentangled(), "disentangled, packed": disentangled(layout="packed"),
}
