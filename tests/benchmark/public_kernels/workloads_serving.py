"""Operations of packages for serving: attention over pages, products of quantized numbers, experts, adapters, sampling; of
conch, sageattention, gemlite and sglang."""
import importlib
import types

import bare
import torch
from workloads_training import call, of

bare.bare("sglang")
bare.stub("sglang.srt", "sglang.jit_kernel", "sglang.kernels.jit", "sgl_kernel", "tqdm", "sglang.kernels.kernel_api_logging",
          "sglang.kernels.registry", "sglang.kernels.selector", "sglang.kernels.spec", "sglang.kernels.fused_op")
BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32


def serve(path, make, **options):
    return call(path, make, backward=False, **options)


def whole(n, most, *sizes, dtype=torch.int32):
    return torch.randint(0, most, sizes, device=n.device, dtype=dtype)


def fp8(n, *sizes):
    return torch.randn(*sizes, device=n.device).to(torch.float8_e4m3fn)


def paged(n, batch, length, heads, size, block=32):
    """Pages of keys and values, and which of them sequences have."""
    count = batch * length // block
    shape = (count, block, heads, size)
    return (n(*shape, dtype=FP16), n(*shape, dtype=FP16),
            torch.randperm(count, device=n.device).to(torch.int32).view(batch, -1))


def varlen(causal=True, new=512):

    def make(n):
        batch, length, heads, groups, size = 8, 2048, 32, 8, 128
        keys, values, table = paged(n, batch, length, groups, size)
        starts = torch.arange(0, (batch + 1) * new, new, device=n.device, dtype=torch.int32)
        return [n(batch * new, heads, size, dtype=FP16), keys, values, starts, new,
                torch.full((batch, ), length - 5, device=n.device, dtype=torch.int32), length, table, None, causal]

    return make


def single(n):
    batch, length, heads, groups, size = 32, 2048, 32, 8, 128
    keys, values, table = paged(n, batch, length, groups, size)
    return [n(batch, heads, size, dtype=FP16), keys, values, table,
            torch.full((batch, ), length - 5, device=n.device, dtype=torch.int32)]


def unified(n):
    batch, length, heads, groups, size, new = 8, 2048, 32, 8, 128, 256
    keys, values, table = paged(n, batch, length, groups, size)
    q = n(batch * new, heads, size, dtype=FP16)
    starts = torch.arange(0, (batch + 1) * new, new, device=n.device, dtype=torch.int32)
    return [q, keys, values, torch.empty_like(q), starts, new,
            torch.full((batch, ), length - 5, device=n.device, dtype=torch.int32), length, 0.09, True, (-1, -1), table,
            0.0, None, None, None]


def four_bits(rows):
    return lambda n: [n(rows, 4096, dtype=FP16), whole(n, 1 << 30, 512, 4096), n(32, 4096, dtype=FP16), None, 4, 8, 128]


def ragged(device):
    """New tokens after a prefix: lengths, and where each one's keys lie."""
    batch, prefix, new = 8, 1024, 512
    steps = lambda by: torch.arange(0, (batch + 1) * by, by, device=device, dtype=torch.int32)
    return batch, prefix, new, steps


def extended(size=128, heads=32, groups=8):

    def make(n):
        batch, prefix, new, steps = ragged(n.device)
        total = batch * (prefix + new)
        q, k, v = (n(batch * new, count, size) for count in (heads, groups, groups))
        return [q, k, v, torch.empty_like(q), n(total, groups, size), n(total, groups, size), steps(new), steps(prefix),
                torch.randperm(total, device=n.device)[:batch * prefix], None, True, None, new, 1.0, 1.0]

    return make


def decoded(heads, groups, size, values):

    def make(n):
        batch, length, splits = 32, 2048, 8
        q = n(batch, heads, size)
        keys = n(batch * length, groups, size)
        return [q, keys, n(batch * length, groups, values) if values == size else keys[..., :values],
                torch.empty(batch, heads, values, device=n.device, dtype=BF16),
                torch.arange(0, (batch + 1) * length, length, device=n.device, dtype=torch.int32),
                torch.randperm(batch * length, device=n.device),
                torch.empty(batch, heads, splits, values, device=n.device),
                torch.empty(batch, heads, splits, device=n.device),
                torch.full((batch, ), splits, device=n.device, dtype=torch.int32), splits, 0.09, 1.0, 1.0]

    return make


def prefilled(n):
    batch, _, new, steps = ragged(n.device)
    q, k, v = (n(batch * new, count, 128) for count in (32, 8, 8))
    return [q, k, v, torch.empty_like(q), steps(new)[:-1].contiguous(),
            torch.full((batch, ), new, device=n.device, dtype=torch.int32), new]


def routed(device, tokens, count, chosen, block):
    """Tokens sorted by expert, padded to blocks: their numbers, the blocks' experts, and how many there are."""
    ids = torch.rand(tokens, count, device=device).topk(chosen).indices.to(torch.int32)
    order = ids.flatten().sort(stable=True)
    counts = torch.bincount(ids.flatten(), minlength=count)
    blocks = (counts + block - 1) // block
    padded = torch.full((int(blocks.sum()) * block, ), tokens * chosen, device=device, dtype=torch.int32)
    starts = (blocks.cumsum(0) - blocks) * block
    place = torch.arange(tokens * chosen, device=device) - (counts.cumsum(0) - counts)[order.values.long()]
    padded[starts[order.values.long()] + place] = order.indices.to(torch.int32)
    return (ids, padded, torch.repeat_interleave(torch.arange(count, device=device), blocks).to(torch.int32),
            torch.tensor([len(padded)], device=device, dtype=torch.int32))


def experts(quantized):
    """The products of a layer of experts, with tokens sorted by expert and padded to blocks."""

    def run(device):
        import triton.language as tl
        tokens, count, chosen, block, width, inner = 4096, 16, 2, 128, 2048, 1024
        ids, padded, owners, total = routed(device, tokens, count, chosen, block)
        x = torch.randn(tokens, width, device=device, dtype=BF16)
        w = torch.randn(count, inner, width, device=device, dtype=BF16)
        scales = (None, None, None)
        if quantized:
            w = w.to(torch.float8_e4m3fn)
            x = x.to(torch.float8_e4m3fn)
            scales = (torch.rand(tokens, width // 128, device=device),
                      torch.rand(count, inner // 128, width // 128, device=device), None)
        config = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 128 if quantized else 64, "GROUP_SIZE_M": 8,
                  "num_warps": 8, "num_stages": 3}
        of("sglang.kernels.ops.moe.fused_moe_triton_kernels.invoke_fused_moe_kernel")(
            x, w, None, torch.empty(tokens, chosen, inner, device=device, dtype=BF16), *scales,
            torch.rand(tokens, chosen, device=device), ids, padded,
            owners, total, False, chosen, config, tl.bfloat16, quantized,
            False, False, False, False, [128, 128] if quantized else None)

    return run


def adapters(name, rank=16):
    """Eight sequences, each with an adapter of four."""

    def run(device):
        batch, length, width = 8, 512, 4096
        info = types.SimpleNamespace(
            bs=batch, num_segments=batch, max_len=length, use_cuda_graph=False, permutation=None,
            seg_lens=torch.full((batch, ), length, device=device, dtype=torch.int32),
            seg_indptr=torch.arange(0, (batch + 1) * length, length, device=device, dtype=torch.int32),
            weight_indices=torch.arange(batch, device=device, dtype=torch.int32) % 4,
            lora_ranks=torch.full((4, ), rank, device=device, dtype=torch.int32),
            scalings=torch.ones(4, device=device))
        normal = lambda *sizes: torch.randn(*sizes, device=device, dtype=BF16)
        function = of(f"sglang.kernels.ops.lora.dense.{name}.{name}_fwd")
        if name == "sgemm_lora_a":
            function(normal(batch * length, width), normal(4, 3 * rank, width), info, 3)
        else:
            function(normal(batch * length, rank), normal(4, width, rank), info)

    return run


def gemlite(bits, rows, kind="GEMM"):
    """Products with packed weights."""

    def run(device):
        core = importlib.import_module("gemlite.core")
        layer = core.GemLiteLinearTriton(bits, group_size=64, in_features=4096, out_features=4096,
                                         input_dtype=core.DType.FP16, output_dtype=core.DType.FP16)
        layer.pack(torch.randint(0, 1 << bits, (4096, 4096), device=device, dtype=torch.uint8),
                   torch.rand(4096 * 64, 1, device=device, dtype=FP16), torch.rand(4096 * 64, 1, device=device, dtype=FP16))
        layer.forward_manual(torch.randn(rows, 4096, device=device, dtype=FP16), matmul_type=kind)

    return run


def sage(causal, size=64, values=FP16):
    return serve("sageattention.core.sageattn", lambda n: [
        n(4, 16, 2048, size, dtype=values), n(4, 16, 2048, size, dtype=values), n(4, 16, 2048, size, dtype=values)],
        is_causal=causal)


SGLANG = "sglang.kernels.ops"
WORKLOADS = {
    "conch varlen": serve("conch.ops.attention.varlen_attention.varlen_attention", varlen()),
    "conch varlen full": serve("conch.ops.attention.varlen_attention.varlen_attention", varlen(False, 256)),
    "conch paged": serve("conch.ops.attention.paged_attention.paged_attention", single),
    "conch unified": serve("conch.third_party.vllm.unified_attention.unified_attention", unified),
    "conch four bits": serve("conch.ops.quantization.gemm.mixed_precision_gemm", four_bits(4096)),
    "conch four bits, few rows": serve("conch.ops.quantization.gemm.mixed_precision_gemm", four_bits(16)),
    "conch fp8": serve("conch.ops.quantization.gemm.scaled_gemm", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), torch.rand(4096, 1, device=n.device),
        torch.rand(4096, 1, device=n.device), BF16]),
    "conch int8": serve("conch.ops.quantization.gemm.scaled_gemm", lambda n: [
        whole(n, 127, 4096, 4096, dtype=torch.int8), whole(n, 127, 4096, 4096, dtype=torch.int8),
        torch.rand(1, device=n.device), torch.rand(1, device=n.device), BF16]),
    "conch rms norm": serve("conch.ops.normalization.rms_norm.rms_norm", lambda n: [n(8192, 4096), n(4096), 1e-6]),
    "conch add and norm": serve("conch.ops.normalization.rms_norm.fused_add_rms_norm", lambda n: [
        n(8192, 4096), n(8192, 4096), n(4096), 1e-6]),
    "conch gemma norm": serve("conch.ops.normalization.gemma_rms_norm.gemma_rms_norm", lambda n: [
        n(8192, 4096), n(4096), 1e-6]),
    "conch silu": serve("conch.ops.activation.silu_and_mul.silu_and_mul", lambda n: [n(8192, 8192)]),
    "conch gelu": serve("conch.ops.activation.gelu_tanh_and_mul.gelu_tanh_and_mul", lambda n: [
        n(8192, 8192, dtype=FP32)]),
    "conch rotary": serve("conch.ops.embedding.rotary_embedding.rotary_embedding", lambda n: [
        torch.arange(8192, device=n.device), n(8192, 32 * 128), n(8192, 8 * 128), 128, n(8192, 128)]),
    "conch quantized blocks": serve("conch.ops.quantization.bitsandbytes.functional.quantize_4bit",
                                    lambda n: [n(4096, 4096)]),
    "conch fp8 numbers": serve("conch.ops.quantization.fp8.scaled_fp8_quant", lambda n: [
        n(8192, 4096), torch.ones(1, device=n.device)]),
    "conch int8 numbers": serve("conch.ops.quantization.int8.scaled_int8_quant", lambda n: [
        n(8192, 4096), torch.ones(1, device=n.device)]),
    "conch suppression": serve("conch.ops.vision.nms.nms", lambda n: [
        torch.rand(4096, 4, device=n.device) * 100, torch.rand(4096, device=n.device), 0.5]),
    "sage": sage(False),
    "sage causal": sage(True, 128),
    "sage 96": sage(True, 96),
    "sage varlen": serve("sageattention.core.sageattn_varlen", lambda n: [
        *(n(8192, 16, 64, dtype=FP16) for _ in range(3)),
        *(torch.tensor([0, 2048, 4096, 8192], device=n.device, dtype=torch.int32) for _ in range(2)), 4096, 4096]),
    "gemlite four bits": gemlite(4, 256),
    "gemlite eight bits": gemlite(8, 256),
    "gemlite four bits, few rows": gemlite(4, 16, "GEMM_SPLITK"),
    "gemlite four bits, a row": gemlite(4, 1, "GEMV_REVSPLITK"),
    "gemlite four bits, a row split": gemlite(4, 1, "GEMV_SPLITK"),
    "sglang extended": serve(f"{SGLANG}.attention.extend_attention.extend_attention_fwd", extended()),
    "sglang extended 64": serve(f"{SGLANG}.attention.extend_attention.extend_attention_fwd", extended(64, 16, 16)),
    "sglang decoded": serve(f"{SGLANG}.attention.decode_attention.decode_attention_fwd", decoded(32, 8, 128, 128)),
    "sglang decoded alone": serve(f"{SGLANG}.attention.decode_attention.decode_attention_fwd", decoded(16, 16, 128, 128)),
    "sglang decoded latent": serve(f"{SGLANG}.attention.decode_attention.decode_attention_fwd", decoded(16, 1, 576, 512)),
    "sglang prefilled": serve(f"{SGLANG}.attention.prefill_attention.context_attention_fwd", prefilled),
    "sglang merged": serve(f"{SGLANG}.attention.merge_state.merge_state_triton", lambda n: [
        n(4096, 32, 128), n(4096, 32, dtype=FP32), n(4096, 32, 128), n(4096, 32, dtype=FP32)]),
    "sglang experts": experts(False),
    "sglang experts fp8": experts(True),
    "sglang fp8 in blocks": serve(f"{SGLANG}.gemm.fp8_kernel.w8a8_block_fp8_matmul_triton", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), torch.rand(4096, 32, device=n.device),
        torch.rand(32, 32, device=n.device), [128, 128], BF16]),
    "sglang int8 in blocks": serve(f"{SGLANG}.gemm.int8_kernel.w8a8_block_int8_matmul", lambda n: [
        whole(n, 127, 4096, 4096, dtype=torch.int8), whole(n, 127, 4096, 4096, dtype=torch.int8),
        torch.rand(4096, 32, device=n.device), torch.rand(32, 32, device=n.device), [128, 128], BF16]),
    "sglang scaled": serve(f"{SGLANG}.gemm.fp8_kernel.triton_scaled_mm", lambda n: [
        fp8(n, 4096, 2048), fp8(n, 4096, 2048).T, torch.rand(4096, 1, device=n.device),
        torch.rand(4096, 1, device=n.device), BF16]),
    "sglang adapters a": adapters("sgemm_lora_a"),
    "sglang adapters b": adapters("sgemm_lora_b"),
    "sglang int8 of tokens": serve(f"{SGLANG}.quantization.int8_kernel.per_token_quant_int8", lambda n: [n(8192, 4096)]),
    "sglang int8 of groups": serve(f"{SGLANG}.quantization.int8_kernel.per_token_group_quant_int8",
                                   lambda n: [n(8192, 4096), 128]),
    "sglang fp8 of groups": serve(f"{SGLANG}.quantization.fp8_kernel.per_token_group_quant_fp8",
                                  lambda n: [n(8192, 4096), 128]),
    "sglang awq": serve(f"{SGLANG}.quantization.awq_triton.awq_dequantize_triton", lambda n: [
        whole(n, 1 << 30, 4096, 512), n(32, 4096, dtype=FP16), whole(n, 1 << 30, 32, 512)]),
    "sglang rms norm": serve(f"{SGLANG}.layernorm.fused_rmsnorm.fused_rmsnorm", lambda n: [n(8192, 4096), n(4096), 1e-6]),
    "sglang norms of residual": serve(f"{SGLANG}.layernorm.fused_rmsnorm.fused_dual_residual_rmsnorm", lambda n: [
        n(4096, 2048), n(4096, 2048), n(2048), n(2048), 1e-6]),
    "sglang top p": serve(f"{SGLANG}.sampling.renorm_triton.top_p_renorm_probs_triton", lambda n: [
        torch.rand(64, 32768, device=n.device).softmax(-1), torch.rand(64, device=n.device)]),
    "sglang top k": serve(f"{SGLANG}.sampling.renorm_triton.top_k_renorm_probs_triton", lambda n: [
        torch.rand(64, 32768, device=n.device).softmax(-1), whole(n, 100, 64) + 1]),
    "sglang temperatures": serve(f"{SGLANG}.sampling.temperature_softmax.temperature_softmax", lambda n: [
        n(64, 131072, dtype=FP32), torch.rand(64, 1, device=n.device) + 0.5]),
    "sglang sum of experts": serve(f"{SGLANG}.moe.fused_moe_triton_kernels.moe_sum_reduce_triton", lambda n: [
        n(8192, 8, 2048), torch.empty(8192, 2048, device=n.device, dtype=BF16), 1.0]),
}
