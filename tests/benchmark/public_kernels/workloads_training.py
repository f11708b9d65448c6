"""Operations of packages for training, forward and backward where they have both: flash-attn, xformers, unsloth, deepspeed,
stk and megablocks (sparse experts), cut-cross-entropy, accelerated-scan. Most of them cannot be imported as a whole."""
import importlib

import bare
import packaging.version
import torch
from bare import of
from operations import both_passes

bare.bare("flash_attn", "xformers", "deepspeed", "unsloth", "megablocks")
bare.stub("unsloth_zoo", "fused_dense_lib", "deepspeed.utils", "accelerate", "pynvml", "pandas",
          "unsloth.bnb_availability", "unsloth.import_fixes")
bare.stub("bitsandbytes", "transformers", __version__="0")
bare.stub("unsloth_zoo.utils", Version=packaging.version.parse)
bare.stub("unsloth.device_type", DEVICE_TYPE="cuda", DEVICE_TYPE_TORCH="cuda", DEVICE_COUNT=0)
importlib.import_module("unsloth").DEVICE_TYPE = "cuda"
ROWS, WIDTH = 8192, 2048


def call(path, make, backward=True, **options):
    """Runs PATH with what `make` makes, by a function that makes tensors: a list of arguments."""

    def run(device):

        def normal(*sizes, dtype=torch.bfloat16, scale=1.0):
            return (torch.randn(*sizes, device=device) * scale).to(dtype).requires_grad_(backward)

        normal.device = device
        function, given = of(path), make(normal)
        both_passes(lambda: function(*given, **options)) if backward else function(*given, **options)

    return run


def targets(n, rows, count):
    return torch.randint(0, count, (rows, ), device=n.device)


def rotation(n, length=2048, size=64, dtype=torch.bfloat16):
    angles = torch.rand(length, size, device=n.device) * 6.0
    return angles.cos().to(dtype), angles.sin().to(dtype)


def heads(n, size=128, count=16):
    return n(4, 2048, count, size)


def flash_norm(name, width=WIDTH, residual=False, **options):
    return call(f"flash_attn.ops.triton.layer_norm.{name}", lambda n: [
        n(ROWS, width), n(width), n(width) if name.startswith("layer") else None, n(ROWS, width) if residual else None],
        **options)


def cut(rows=4096, width=2048, count=32768, **options):
    return call("cut_cross_entropy.cce.cce_linear_cross_entropy", lambda n: [
        n(rows, width), n(count, width, scale=0.02), targets(n, rows, count)], **options)


def blocks(device, rows, columns):
    """Every third block of 128 x 128 of a matrix, as experts have blocks on a diagonal."""
    import stk
    mask = torch.rand(rows // 128, columns // 128, device=device) < 0.35
    mask[:, 0] = True
    indices = mask.nonzero()
    counts = mask.sum(1)
    offsets = torch.nn.functional.pad(counts.cumsum(0), (1, 0)).to(torch.int32)
    data = torch.randn(len(indices), 128, 128, device=device, dtype=torch.bfloat16)
    by_column = (indices[:, 1] * len(mask) + indices[:, 0]).argsort()
    offsets_t = torch.nn.functional.pad(mask.sum(0).cumsum(0), (1, 0)).to(torch.int32)
    return stk.Matrix((rows, columns), data.requires_grad_(), indices[:, 0].to(torch.int16),
                      indices[:, 1].to(torch.int16), offsets, indices[by_column, 0].to(torch.int16), offsets_t,
                      by_column.to(torch.int32))


def sparse(device):
    import stk
    rows, inner, columns = 4096, 2048, 4096
    matrix = blocks(device, rows, columns)
    normal = lambda *sizes: torch.randn(*sizes, device=device, dtype=torch.bfloat16).requires_grad_()
    both_passes(lambda: stk.ops.dsd(matrix, normal(columns, inner)))
    both_passes(lambda: stk.ops.dds(normal(inner, rows), matrix))
    out = stk.ops.sdd(normal(rows, inner), normal(inner, columns), matrix)
    out.data.backward(torch.randn_like(out.data))


def permuted(device):
    """Tokens to their experts and back."""
    kernels = importlib.import_module("megablocks.backend.kernels")
    tokens, experts, chosen = 8192, 16, 2
    order = torch.randint(0, experts, (tokens * chosen, ), device=device).sort()
    counts = torch.bincount(order.values, minlength=experts)
    bins = counts.cumsum(0).to(torch.int32)
    padded = ((counts + 127) // 128 * 128).cumsum(0).to(torch.int32)
    indices, bin_ids = order.indices.to(torch.int32), order.values.to(torch.int32)
    x = torch.randn(tokens, WIDTH, device=device, dtype=torch.bfloat16)
    weights = torch.rand(tokens * chosen, device=device, dtype=torch.bfloat16)
    gathered = kernels.padded_gather(x, indices, bin_ids, None, bins, padded, chosen)
    kernels.padded_scatter(gathered, indices, bin_ids, weights, bins, padded, chosen)
    kernels.padded_scatter_wgrad(gathered, x, indices, bin_ids, bins, padded, chosen)
    kernels.binned_gather(x, indices, None, bins, 1024, chosen)


def tiled(device):
    launch = importlib.import_module("xformers.ops._triton.tiled_matmul_kernels")._launch_triton_matmul
    sizes = [1024, 2048], [2048, 1024], [512, 1536]
    make = lambda rows, columns: [[torch.randn(r, c, device=device, dtype=torch.bfloat16) for c in columns] for r in rows]
    launch(make(sizes[0], sizes[2]), make(sizes[2], sizes[1]), make(sizes[0], sizes[1]), *sizes)


def grouped(n):
    ends = torch.tensor([1000, 2048, 2304, 4096], device=n.device, dtype=torch.int32)
    return [n(4096, 2048), n(4, 2048, 1024, scale=0.02), ends]


def added(device):
    """xformers' sums of rows that are chosen by indices, as of stochastic depth."""
    normal = lambda *sizes: torch.randn(*sizes, device=device, dtype=torch.bfloat16)
    index = torch.randperm(16, device=device)[:8]
    x, source, scaling = normal(16, 1024, 1024), normal(8, 1024, 1024), normal(1024)
    module = "xformers.ops._triton"
    of(f"{module}.k_scaled_index_add.scaled_index_add_fwd")(x, index, source, scaling, 0.5)
    of(f"{module}.k_scaled_index_add.scaled_index_add_bwd")(x, torch.empty_like(source), torch.empty_like(source), source,
                                                           scaling, index, 0.5)
    rows = torch.randperm(8192, device=device)[:4096]
    of(f"{module}.k_index_select_cat.index_select_cat_fwd")(normal(4096, 1024), normal(8192, 1024), rows)
    of(f"{module}.k_index_select_cat.index_select_cat_bwd")(normal(8192, 1024), rows, normal(4096, 1024))


def scan(path, dtype=torch.float32):

    def run(device):
        shape = (8, 512, 8192)
        forget = (torch.rand(*shape, device=device) * 0.9).to(dtype).requires_grad_()
        both_passes(lambda: of(path)(forget, torch.randn(*shape, device=device, dtype=dtype).requires_grad_()))

    return run


WORKLOADS = {
    "flash-attn layer norm": flash_norm("layer_norm_fn"),
    "flash-attn rms norm": flash_norm("rms_norm_fn"),
    "flash-attn rms norm residual": flash_norm("rms_norm_fn", residual=True, prenorm=True),
    "flash-attn rms norm dropout": flash_norm("rms_norm_fn", residual=True, dropout_p=0.1),
    "flash-attn norm wide": flash_norm("rms_norm_fn", 8192),
    "flash-attn norm narrow": flash_norm("layer_norm_fn", 384),
    "flash-attn cross entropy": call("flash_attn.ops.triton.cross_entropy.cross_entropy_loss", lambda n: [
        n(4096, 32000), targets(n, 4096, 32000)]),
    "flash-attn cross entropy long": call("flash_attn.ops.triton.cross_entropy.cross_entropy_loss", lambda n: [
        n(2048, 128256, dtype=torch.float32), targets(n, 2048, 128256)], label_smoothing=0.1, lse_square_scale=1e-4),
    "flash-attn rotary": call("flash_attn.ops.triton.rotary.apply_rotary", lambda n: [heads(n), *rotation(n)],
                              backward=False),
    "flash-attn rotary interleaved": call("flash_attn.ops.triton.rotary.apply_rotary",
                                          lambda n: [heads(n), *rotation(n)], backward=False, interleaved=True),
    "xformers rms norm": call("xformers.ops._triton.rmsnorm_kernels._rms_norm_forward", lambda n: [
        n(ROWS, 4096), n(4096), 1e-6], backward=False),
    "xformers add and norm": call("xformers.ops._triton.rmsnorm_kernels._rms_norm_add_forward", lambda n: [
        n(ROWS, 4096), n(ROWS, 4096), n(4096), 1e-6], backward=False),
    "xformers tiled": tiled,
    "xformers chosen rows": added,
    "unsloth geglu": call("unsloth.kernels.geglu.geglu_exact_forward_kernel", lambda n: [
        n(4, 2048, 8192), n(4, 2048, 8192)], backward=False),
    "unsloth geglu backward": call("unsloth.kernels.geglu.geglu_exact_backward_kernel", lambda n: [
        n(8192, 8192), n(8192, 8192), n(8192, 8192)], backward=False),
    "unsloth geglu approximate": call("unsloth.kernels.geglu.geglu_approx_forward_kernel", lambda n: [
        n(4, 2048, 8192), n(4, 2048, 8192)], backward=False),
    "unsloth geglu approximate backward": call("unsloth.kernels.geglu.geglu_approx_backward_kernel", lambda n: [
        n(8192, 8192), n(8192, 8192), n(8192, 8192)], backward=False),
    "unsloth swiglu": call("unsloth.kernels.swiglu.swiglu_fg_kernel", lambda n: [
        n(4, 2048, 8192), n(4, 2048, 8192)], backward=False),
    "unsloth swiglu backward": call("unsloth.kernels.swiglu.swiglu_DWf_DW_dfg_kernel", lambda n: [
        n(8192, 8192), n(8192, 8192), n(8192, 8192)], backward=False),
    "unsloth cross entropy": call("unsloth.kernels.cross_entropy_loss.Fast_CrossEntropyLoss.apply", lambda n: [
        n(4096, 32000) * 1.0, targets(n, 4096, 32000)]),
    "unsloth cross entropy long": call("unsloth.kernels.cross_entropy_loss.Fast_CrossEntropyLoss.apply", lambda n: [
        n(2048, 128256) * 1.0, targets(n, 2048, 128256), 30.0]),
    "unsloth rope": call("unsloth.kernels.rope_embedding.Fast_RoPE_Embedding.apply", lambda n: [
        heads(n) * 1.0, *rotation(n)]),
    "unsloth rms norm": call("unsloth.kernels.rms_layernorm.Fast_RMS_Layernorm.apply", lambda n: [
        n(4, 2048, 4096), n(4096), 1e-6]),
    "unsloth rms norm of heads": call("unsloth.kernels.rms_layernorm.Fast_RMS_Layernorm.apply", lambda n: [
        n(4, 2048, 16, 128), n(128), 1e-6]),
    "unsloth layer norm": call("unsloth.kernels.layernorm.Fast_Layernorm.apply", lambda n: [
        n(4, 2048, 2048), n(2048), n(2048), 1e-6]),
    "unsloth grouped": call("unsloth.kernels.moe.grouped_gemm.interface.grouped_gemm_forward", lambda n: [
        n(8192, 2048), n(8, 1024, 2048, scale=0.02), 1, torch.full((8, ), 1024, device=n.device, dtype=torch.int32)],
        backward=False, BLOCK_SIZE_M=128, BLOCK_SIZE_N=128, BLOCK_SIZE_K=64, num_warps=8, num_stages=3),
    "deepspeed swiglu": call("deepspeed.ops.triton_ops.swiglu_triton.swiglu", lambda n: [n(ROWS, 8192), n(ROWS, 8192)]),
    "deepspeed swiglu packed": call("deepspeed.ops.triton_ops.swiglu_triton.swiglu_packed", lambda n: [n(ROWS, 8192)]),
    "deepspeed rms norm": call("deepspeed.ops.triton_ops.fused_rms_norm.fused_rms_norm", lambda n: [
        n(4, 2048, 2048), n(2048), 1e-6]),
    "deepspeed rotary": call("deepspeed.ops.triton_ops.fused_rotary_pos_emb.fused_apply_rotary_pos_emb", lambda n: [
        n(4, 16, 2048, 128), n(4, 8, 2048, 128),
        *(torch.cat((x, x), -1).expand(4, -1, -1).contiguous() for x in rotation(n))]),
    "deepspeed grouped": call("deepspeed.ops.triton_ops.group_gemm_triton.group_gemm_triton", grouped),
    "deepspeed cross entropy": call("deepspeed.runtime.chunked_cross_entropy.chunked_cross_entropy", lambda n: [
        n(4096, 32000), targets(n, 4096, 32000)], backend="triton"),
    "deepspeed restored tokens": call("deepspeed.ops.triton_ops.autoep_fused_token_ops.fused_row_weighting", lambda n: [
        n(16384, WIDTH), n(16384, 1, dtype=torch.float32)]),
    "stk": sparse,
    "megablocks": permuted,
    "cut cross entropy": cut(),
    "cut cross entropy capped": cut(softcap=30.0, filter_eps=None),
    "cut cross entropy shifted": call("cut_cross_entropy.cce.cce_linear_cross_entropy", lambda n: [
        n(4, 1024, 1024, dtype=torch.float16), n(32000, 1024, dtype=torch.float16, scale=0.02),
        targets(n, 4096, 32000).view(4, 1024)], shift=True),
    "scan": scan("accelerated_scan.scalar.scan"),
    "scan complex": scan("accelerated_scan.complex.scan", torch.complex64),
}
