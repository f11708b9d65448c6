"""vllm's operations for serving: attention over pages, experts, adapters, products of quantized numbers, state spaces and
sampling. vllm is not imported as a whole: what its modules ask for and kernels do not need is made up."""
import contextlib
import types

import bare
import torch
import triton
import triton.language as tl
import triton.language.extra.libdevice as libdevice
from workloads_products import launch
from workloads_serving import fp8, routed, serve, whole
from workloads_training import of


class Platform(bare.Anything):
    """An H200, as vllm asks for it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        yes = name in ("is_cuda", "is_cuda_alike", "supports_fp8", "has_device_capability", "is_arch_support_pdl")
        return lambda *arguments, **options: yes

    def is_device_capability(self, number):
        return number in (90, (9, 0))

    def get_device_capability(self, *arguments):
        return types.SimpleNamespace(major=9, minor=0)

    def fp8_dtype(self):
        return torch.float8_e4m3fn


def register(op_name, op_func, *arguments, **options):
    setattr(torch.ops.vllm, op_name, op_func)


bare.part("vllm")
bare.stub("vllm.config", "vllm.ir", "vllm.utils.import_utils", "vllm._custom_ops", "vllm.model_executor.models.utils",
          "vllm.model_executor.layers.attention", "regex", "pydantic", "transformers", "tqdm", "flashinfer")
bare.stub("vllm.triton_utils", HAS_TRITON=True, triton=triton, tl=tl, tldevice=libdevice, LOG2E=1.4426950408889634,
          LOGE2=0.6931471805599453)
bare.stub("vllm.platforms", current_platform=Platform())
bare.stub("vllm.utils.gpu_sync_debug", gpu_sync_allowed=contextlib.nullcontext)
bare.stub("vllm.utils.mem_utils", get_max_shared_memory_bytes=lambda *arguments: 232448)
bare.stub("vllm.utils.platform_utils", get_device_name_as_file_name=lambda: "NVIDIA_H200",
          num_compute_units=lambda *arguments: 132)
bare.stub("vllm.utils.torch_utils", direct_register_custom_op=register, async_tensor_h2d=torch.tensor,
          is_quantized_kv_cache=lambda kind: kind.startswith("fp8"))
BF16, FP16, FP32, FP8, INT8 = torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn, torch.int8
BATCH, LENGTH, HEADS, GROUPS, SIZE = 8, 2048, 32, 8, 128


def cast(n, dtype, *sizes):
    return whole(n, 127, *sizes, dtype=dtype) if dtype == INT8 else n(*sizes).to(dtype)


def filled(n, value, *sizes, dtype=torch.int32):
    return torch.full(sizes, value, device=n.device, dtype=dtype)


def steps(n, by, count=BATCH):
    return torch.arange(0, (count + 1) * by, by, device=n.device, dtype=torch.int32)


def table(n, batch=BATCH, length=LENGTH, block=16):
    return torch.randperm(batch * length // block, device=n.device).to(torch.int32).view(batch, -1)


def unified(new=256, heads=HEADS, groups=GROUPS, size=SIZE, dtype=BF16, cached=None, window=-1, split=False, softcap=0.0,
            batch=BATCH, block=16, kind=0, **others):
    """Attention of new tokens, or of one, to pages of keys and values."""

    def run(device):
        n = lambda *sizes, dtype=dtype: torch.randn(*sizes, device=device).to(dtype)
        n.device = device
        shape = (batch * LENGTH // block, block, groups, size)
        q, k, v = n(batch * new, heads, size), cast(n, cached or dtype, *shape), cast(n, cached or dtype, *shape)
        options = {name: make(n) for name, make in others.items()}
        scales = [torch.ones(batch, groups, device=device) if kind == 1 else None for _ in range(2)]
        if kind > 1:
            options |= {f"{name}_scale_cache": torch.rand(shape[:3], device=device) for name in "kv"}
        if split:
            parts = (batch * new, heads, 16)
            options |= {"seq_threshold_3D": 128, "num_par_softmax_segments": 16,
                        "softmax_segm_output": torch.empty(*parts, size, device=device),
                        "softmax_segm_max": torch.empty(parts, device=device),
                        "softmax_segm_expsum": torch.empty(parts, device=device)}
        of("vllm.v1.attention.ops.triton_unified_attention.unified_attention")(
            q, k, v, torch.empty_like(q), steps(n, new, batch), new, filled(n, LENGTH - 5, batch), LENGTH, size**-0.5, True,
            (window, 0 if window >= 0 else -1), table(n, batch, block=block), softcap, None, *scales,
            kv_quant_mode=of("vllm.v1.kv_cache_interface.KVQuantMode")(kind), **options)

    return run


def decoded(heads, groups, size, values, dtype=BF16, page=16, latent=False):

    def make(n):
        batch, splits = 32, 8
        q, keys = n(batch, heads, size), n(batch * LENGTH // page, page, groups, size).to(dtype)
        return [q, keys, keys[..., :values], torch.empty(batch, heads, values, device=n.device, dtype=BF16),
                torch.empty(batch, heads, device=n.device), table(n, batch, block=page), filled(n, LENGTH - 5, batch),
                torch.empty(batch, heads, splits, values + 1, device=n.device), splits, size**-0.5, page, 0.0, None, None,
                latent]

    return make


def prefixed(dtype=BF16, cached="auto", heads=HEADS, groups=GROUPS, size=SIZE, new=512, block=16, batch=BATCH, **others):
    """What attention to a prefix in pages of vllm's first layout takes."""

    def make(n):
        kind = FP8 if cached == "fp8" else dtype
        x = 16 // kind.itemsize
        q, k, v = (n(batch * new, count, size, dtype=dtype) for count in (heads, groups, groups))
        pages = batch * LENGTH // block
        one = torch.ones(1, device=n.device)
        return [q, k, v, torch.empty_like(q), cached, n(pages, groups, size // x, block, x).to(kind),
                n(pages, groups, size, block).to(kind), table(n, batch, block=block), steps(n, new, batch),
                filled(n, LENGTH - 5, batch), LENGTH, new, one, one]

    return make


def strided(n):
    """Rows that do not lie together, which C++ is not asked for."""
    return n(8192, 8192)[:, :4096]


def prefilled(n):
    q, k, v = (n(BATCH * LENGTH, count, SIZE) for count in (HEADS, GROUPS, GROUPS))
    return [q, k, v, torch.empty_like(q), steps(n, LENGTH)[:-1].contiguous(), filled(n, LENGTH, BATCH), LENGTH]


def cached(kind="auto", block=16):

    def make(n):
        tokens = 8192
        to = torch.uint8 if kind == "fp8" else BF16
        caches = [torch.zeros(tokens // block, block, GROUPS, SIZE, device=n.device, dtype=to) for _ in range(2)]
        one = torch.ones(1, device=n.device)
        return [n(tokens, GROUPS, SIZE), n(tokens, GROUPS, SIZE), *caches, torch.randperm(tokens, device=n.device), kind, one,
                one]

    return make


MOE = "vllm.model_executor.layers.fused_moe"


def experts(kind, tokens=4096, count=16, chosen=2, width=2048, inner=1024, block=64, shape=None, weighted=False, bias=False,
            per_channel=False, naive=False, depth=64):
    """A layer of experts' first product. Kind: what of it is quantized."""

    def run(device):
        n = lambda *sizes: torch.randn(*sizes, device=device, dtype=BF16)
        n.device = device
        ids, order, owners, total = routed(device, tokens, count, chosen, block)
        whole_types = {"fp8_w8a8": (FP8, FP8), "int8_w8a8": (INT8, INT8), "int8_w8a16": (BF16, INT8)}
        left, right = whole_types.get(kind, (BF16, BF16))
        rand = lambda *sizes: torch.rand(*sizes, device=device)
        if shape:
            scales = [rand(tokens, width // shape[1]), rand(count, inner // shape[0], width // shape[1])]
        elif per_channel:
            scales = [rand(tokens, 1) if left != BF16 else None, rand(count, inner)]
        else:
            scales = [rand(1), rand(count)] if kind else [None, None]
        config = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": depth, "GROUP_SIZE_M": 8, "num_warps": 4,
                  "num_stages": 3}
        flags = [kind == name for name in ("fp8_w8a8", "int8_w8a8", "int8_w8a16", "int4_w4a16")]
        of(f"{MOE}.fused_moe.invoke_fused_moe_triton_kernel")(
            cast(n, left, tokens, width), cast(n, right, count, inner, width),
            torch.empty(tokens, chosen, inner, device=device, dtype=BF16), *scales, rand(tokens, chosen),
            None if naive else order, ids.flatten() if naive else owners, total, weighted, chosen, config, tl.bfloat16, *flags,
            per_channel, shape, n(count, inner) if bias else None)

    return run


def packed_experts(bits, zeros=False, tokens=512, count=16, chosen=2, width=2048, inner=1024, group=128, block=32):
    """Experts with weights of four or eight bits."""

    def run(device):
        n = lambda *sizes: torch.randn(*sizes, device=device, dtype=BF16)
        n.device = device
        ids, order, owners, total = routed(device, tokens, count, chosen, block)
        numbers = lambda *sizes: torch.randint(0, 255, sizes, device=device, dtype=torch.uint8)
        config = {"BLOCK_SIZE_M": block, "GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 3, "SPLIT_K": 1}
        of(f"{MOE}.fused_moe.invoke_fused_moe_wna16_triton_kernel")(
            n(tokens, width), numbers(count, inner, width * bits // 8), n(tokens, chosen, inner),
            n(count, inner, width // group),
            numbers(count, inner * bits // 8, width // group) if zeros else None, torch.rand(tokens, chosen, device=device),
            order, owners, total, False, chosen, config, tl.bfloat16, bits == 8, bits == 4, [0, group])

    return run


LORA = "vllm.lora.ops.triton_ops"


def adapters(n, tokens, count=4):
    """Tokens of sequences that have one of four adapters."""
    mapping = torch.arange(tokens, device=n.device, dtype=torch.int32) * count // tokens
    starts = torch.arange(0, tokens + 1, tokens // count, device=n.device, dtype=torch.int32)
    return [mapping, torch.arange(tokens, device=n.device, dtype=torch.int32), filled(n, tokens // count, count), starts,
            torch.arange(count, device=n.device, dtype=torch.int32), torch.zeros(1, dtype=torch.bool),
            torch.full((1, ), count, dtype=torch.int32)]


def shrunk(tokens=4096, width=4096, rank=16, slices=1):
    return lambda n: [n(tokens, width), [n(4, 1, rank, width) for _ in range(slices)],
                      torch.empty(slices, tokens, rank, device=n.device), *adapters(n, tokens), 0.5]


def expanded(tokens=4096, width=4096, rank=16, slices=1):
    return lambda n: [n(slices, tokens, rank, dtype=FP32), [n(4, 1, width, rank) for _ in range(slices)],
                      n(tokens, width * slices), *adapters(n, tokens), 0, True]


MAMBA = "vllm.model_executor.layers.mamba.ops"


def convolved(n):
    channels, width, tokens = 4096, 4, BATCH * LENGTH
    return [n(tokens, channels).T, n(channels, width), n(channels), n(64, width - 1, channels).transpose(1, 2),
            steps(n, LENGTH),
            torch.arange(1, BATCH + 1, device=n.device, dtype=torch.int32), filled(n, True, BATCH, dtype=torch.bool)]


def convolved_again(n):
    channels, width, batch = 4096, 4, 64
    return [n(batch, channels), n(batch + 1, width - 1, channels).transpose(1, 2), n(channels, width), n(channels), "silu",
            torch.arange(1, batch + 1, device=n.device, dtype=torch.int32)]


def updated(dtype=BF16, size=64, states=128, batch=64, heads=64, groups=8):
    """A token's step of mamba's states."""

    def run(device):
        n = lambda *sizes, dtype=BF16: torch.randn(*sizes, device=device, dtype=dtype)
        of_heads = lambda *sizes: n(*sizes)[..., None].expand(*sizes, size)
        x = n(batch, heads, size)
        of(f"{MAMBA}.mamba_ssm.selective_state_update")(
            n(batch + 1, heads, size, states, dtype=dtype), x, of_heads(batch, heads),
            -torch.rand(heads, 1, 1, device=device).expand(-1, size, states), n(batch, groups, states),
            n(batch, groups, states), of_heads(heads), of_heads(heads), torch.randn_like(x), True,
            torch.arange(1, batch + 1, device=device, dtype=torch.int32), out=torch.empty_like(x))

    return run


def scanned(n, chunk=256, heads=64, groups=8, size=64, states=128):
    tokens = BATCH * LENGTH
    chunks = tokens // chunk
    return [n(tokens, heads, size), n(tokens, heads), -torch.rand(heads, device=n.device), n(tokens, groups, states),
            n(tokens, groups, states), chunk, steps(n, LENGTH), steps(n, chunk, chunks),
            torch.arange(LENGTH // chunk - 1, chunks, LENGTH // chunk, device=n.device, dtype=torch.int32),
            torch.arange(chunks, device=n.device, dtype=torch.int32) * BATCH // chunks, n(tokens, heads, size)]


def logits(*others, count=64, vocabulary=128256):
    """What samplers take: logits, whose request each row is, and what requests ask for."""
    return lambda n: [n(count, vocabulary, dtype=FP32), torch.arange(count, device=n.device, dtype=torch.int32),
                      *(make(n) for make in others)]


def of_requests(n):
    return torch.rand(64, device=n.device)


SAMPLE = "vllm.v1.worker.gpu.sample"
ATTENTION = "vllm.v1.attention.ops"
INVARIANT = "vllm.model_executor.determinism.batch_invariant"
QUANT = "vllm.model_executor.layers.quantization"
WORKLOADS = {
    "unified": unified(),
    "unified window": unified(window=511, new=1024),
    "unified 64 sinks": unified(size=64, heads=64, dtype=FP16, sinks=lambda n: n(64)),
    "unified softcap": unified(softcap=30.0, heads=16, groups=16, size=256),
    "unified fp8": unified(cached=FP8, kind=1),
    "unified int8 of tokens": unified(cached=INT8, kind=2),
    "unified fp8 of tokens": unified(cached=FP8, kind=3),
    "unified slopes": unified(alibi_slopes=lambda n: torch.rand(HEADS, device=n.device)),
    "unified token": unified(1, batch=32, split=True),
    "unified token fp8": unified(1, batch=32, split=True, cached=FP8, kind=1),
    "unified token window": unified(1, batch=32, split=True, window=127, size=64, heads=64),
    "decoded": serve(f"{ATTENTION}.triton_decode_attention.decode_attention_fwd", decoded(32, 8, 128, 128)),
    "decoded fp8": serve(f"{ATTENTION}.triton_decode_attention.decode_attention_fwd", decoded(32, 8, 128, 128, FP8)),
    "decoded alone": serve(f"{ATTENTION}.triton_decode_attention.decode_attention_fwd", decoded(16, 16, 128, 128)),
    "decoded latent": serve(f"{ATTENTION}.triton_decode_attention.decode_attention_fwd",
                            decoded(16, 1, 576, 512, page=64, latent=True)),
    "decoded latent fp8": serve(f"{ATTENTION}.triton_decode_attention.decode_attention_fwd",
                                decoded(128, 1, 576, 512, FP8, 64, True)),
    "prefixed": serve(f"{ATTENTION}.prefix_prefill.context_attention_fwd", prefixed()),
    "prefixed fp8": serve(f"{ATTENTION}.prefix_prefill.context_attention_fwd", prefixed(cached="fp8")),
    "prefixed window": serve(f"{ATTENTION}.prefix_prefill.context_attention_fwd", prefixed(FP16, size=64), sliding_window=256),
    "prefixed slopes": serve(f"{ATTENTION}.prefix_prefill.context_attention_fwd", lambda n: [
        *prefixed(groups=HEADS)(n), torch.rand(HEADS, device=n.device)]),
    "chunked": serve(f"{ATTENTION}.chunked_prefill_paged_decode.chunked_prefill_paged_decode", prefixed(new=1, batch=32)),
    "chunked fp8": serve(f"{ATTENTION}.chunked_prefill_paged_decode.chunked_prefill_paged_decode",
                         prefixed(new=1, batch=32, cached="fp8"), sliding_window=512),
    "prefilled": serve(f"{ATTENTION}.triton_prefill_attention.context_attention_fwd", prefilled),
    "prefilled window": serve(f"{ATTENTION}.triton_prefill_attention.context_attention_fwd", prefilled, sliding_window_q=256,
                              sliding_window_k=256),
    "merged": serve(f"{ATTENTION}.triton_merge_attn_states.merge_attn_states", lambda n: [
        n(8192, 32, 128), n(8192, 32, 128), n(32, 8192, dtype=FP32), n(8192, 32, 128), n(32, 8192, dtype=FP32)]),
    "cached": serve(f"{ATTENTION}.triton_reshape_and_cache_flash.triton_reshape_and_cache_flash", cached()),
    "cached fp8": serve(f"{ATTENTION}.triton_reshape_and_cache_flash.triton_reshape_and_cache_flash", cached("fp8")),
    "experts": experts(None),
    "experts weighted": experts(None, tokens=64, count=64, chosen=8, block=16, weighted=True, bias=True),
    "experts alone": experts(None, tokens=4, count=64, chosen=4, block=16, naive=True),
    "experts fp8": experts("fp8_w8a8", block=128),
    "experts fp8 blocks": experts("fp8_w8a8", shape=[128, 128], depth=128),
    "experts fp8 channels": experts("fp8_w8a8", per_channel=True, depth=128),
    "experts int8": experts("int8_w8a8", per_channel=True, depth=128),
    "experts eight bits": experts("int8_w8a16", per_channel=True, tokens=512),
    "experts packed": packed_experts(4),
    "experts packed zeros": packed_experts(4, True),
    "experts packed of 8": packed_experts(8, True),
    "adapters": serve(f"{LORA}.lora_shrink_op._lora_shrink", shrunk()),
    "adapters of three": serve(f"{LORA}.lora_shrink_op._lora_shrink", shrunk(tokens=64, rank=64, slices=3)),
    "adapters back": serve(f"{LORA}.lora_expand_op._lora_expand", expanded()),
    "adapters back of three": serve(f"{LORA}.lora_expand_op._lora_expand", expanded(tokens=64, rank=64, slices=3)),
    "awq": serve(f"{QUANT}.awq_triton.awq_dequantize_triton", lambda n: [
        whole(n, 1 << 30, 4096, 512), n(32, 4096, dtype=FP16), whole(n, 1 << 30, 32, 512)]),
    "awq products": serve(f"{QUANT}.awq_triton.awq_gemm_triton", lambda n: [
        n(64, 4096, dtype=FP16), whole(n, 1 << 30, 4096, 512), n(32, 4096, dtype=FP16), whole(n, 1 << 30, 32, 512), 8]),
    "scaled": serve(f"{QUANT}.compressed_tensors.triton_scaled_mm.triton_scaled_mm", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096).T, torch.rand(4096, 1, device=n.device), torch.rand(4096, 1, device=n.device),
        BF16, n(4096)]),
    "scaled int8": serve(f"{QUANT}.compressed_tensors.triton_scaled_mm.triton_scaled_mm", lambda n: [
        cast(n, INT8, 128, 4096), cast(n, INT8, 4096, 4096).T, torch.rand(1, 1, device=n.device),
        torch.rand(4096, 1, device=n.device), BF16]),
    "fp8 blocks": serve(f"{QUANT}.utils.fp8_utils.w8a8_triton_block_scaled_mm", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), torch.rand(4096, 32, device=n.device), torch.rand(32, 32, device=n.device),
        [128, 128], BF16]),
    "fp8 blocks, few rows": serve(f"{QUANT}.utils.fp8_utils.w8a8_triton_block_scaled_mm", lambda n: [
        fp8(n, 32, 4096), fp8(n, 4096, 4096), torch.rand(32, 32, device=n.device), torch.rand(32, 32, device=n.device),
        [128, 128], BF16]),
    "four bits": serve("vllm.model_executor.kernels.linear.mixed_precision.triton_w4a16._triton_w4a16_gemm_impl", lambda n: [
        n(512, 4096), whole(n, 1 << 30, 4096, 512), n(32, 4096), None, 128]),
    "four bits, few rows": serve(
        "vllm.model_executor.kernels.linear.mixed_precision.triton_w4a16._triton_w4a16_gemm_impl", lambda n: [
            n(16, 4096, dtype=FP16), whole(n, 1 << 30, 4096, 512), n(32, 4096, dtype=FP16), whole(n, 1 << 30, 32, 512), 128]),
    "fp8 of groups": serve(f"{QUANT}.utils.fp8_utils.per_token_group_quant_fp8", lambda n: [strided(n), 128]),
    "fp8 of groups in columns": serve(f"{QUANT}.utils.fp8_utils.per_token_group_quant_fp8", lambda n: [strided(n), 128],
                                      column_major_scales=True, use_ue8m0=True),
    "fp8 of gates": serve(f"{QUANT}.utils.fp8_utils.silu_mul_per_token_group_quant_fp8_colmajor", lambda n: [n(8192, 4096)]),
    "fp8 of gates packed": serve(f"{QUANT}.utils.fp8_utils.silu_mul_quant_fp8_packed_triton", lambda n: [n(8192, 4096)]),
    "int8 of tokens": serve(f"{QUANT}.utils.int8_utils.per_token_quant_int8", lambda n: [n(8192, 4096)]),
    "int8 of groups": launch(f"{QUANT}.utils.int8_utils._per_token_group_quant_int8", lambda n: [
        n(8192, 4096), cast(n, INT8, 8192, 4096), torch.empty(8192, 32, device=n.device), 128, 128, 1e-10], (8192 * 32, ), {
            "int8_min": -128, "int8_max": 127, "BLOCK": 128, "num_warps": 1, "num_stages": 1}),
    "invariant": serve(f"{INVARIANT}.matmul_persistent", lambda n: [n(4096, 4096), n(4096, 4096), n(4096)]),
    "invariant fp32": serve(f"{INVARIANT}.matmul_persistent", lambda n: [
        n(2048, 2048, dtype=FP32), n(2048, 2048, dtype=FP32)]),
    "invariant descriptors": serve(f"{INVARIANT}.matmul_descriptor_persistent", lambda n: [n(4096, 4096), n(4096, 4096).T]),
    "invariant batch": serve(f"{INVARIANT}.bmm_batch_invariant", lambda n: [n(64, 512, 128), n(64, 128, 512)]),
    "invariant log softmax": serve(f"{INVARIANT}.log_softmax", lambda n: [n(1024, 128256)]),
    "invariant softmax": serve(f"{INVARIANT}.softmax", lambda n: [n(1024, 32768)]),
    "invariant mean": serve(f"{INVARIANT}.mean_dim", lambda n: [n(64, 2048, 512), 1]),
    "invariant norm": serve(f"{INVARIANT}.rms_norm_batch_invariant", lambda n: [n(8192, 4096), n(4096)]),
    "convolved": serve(f"{MAMBA}.causal_conv1d.causal_conv1d_fn", convolved),
    "convolved again": serve(f"{MAMBA}.causal_conv1d.causal_conv1d_update", convolved_again),
    "states": updated(),
    "states fp32": updated(FP32),
    "scanned": serve(f"{MAMBA}.ssd_combined.mamba_chunk_scan_combined_varlen", scanned),
    "gated norm": serve(f"{MAMBA}.layernorm_gated.rms_norm_gated", lambda n: [n(8192, 4096), n(4096), None, n(8192, 4096)],
                        group_size=512),
    "lightning": serve("vllm.model_executor.layers.lightning_attn.lightning_attention", lambda n: [
        *(n(4, 16, LENGTH, 128, dtype=FP32) for _ in range(3)), torch.rand(16, device=n.device)]),
    "lightning token": serve("vllm.model_executor.layers.lightning_attn.linear_decode_forward_triton", lambda n: [
        *(n(64, 16, 1, 128) for _ in range(3)), n(65, 16, 128, 128, dtype=FP32), torch.rand(16, device=n.device),
        torch.arange(64, device=n.device)]),
    "rotation": serve("vllm.model_executor.layers.rotary_embedding.mrope.triton_mrope", lambda n: [
        n(8192, 32 * 128), n(8192, 8 * 128), n(3, 8192, 64), n(3, 8192, 64), [16, 24, 24], 128, 128, False, True]),
    "top": serve("vllm.v1.sample.ops.topk_topp_triton.apply_top_k_top_p_triton", lambda n: [
        n(64, 128256, dtype=FP32), whole(n, 100, 64) + 1, torch.rand(64, device=n.device)]),
    "top p": serve("vllm.v1.sample.ops.topk_topp_triton.apply_top_k_top_p_triton", lambda n: [
        n(16, 128256, dtype=FP32), None, torch.rand(16, device=n.device)]),
    "temperatures": serve(f"{SAMPLE}.gumbel.apply_temperature", logits(of_requests)),
    "least p": serve(f"{SAMPLE}.min_p.apply_min_p", logits(of_requests)),
    "penalties": serve(f"{SAMPLE}.penalties.apply_penalties", logits(
        lambda n: whole(n, 128256, 64), lambda n: whole(n, 1, 64), of_requests, of_requests, of_requests,
        lambda n: whole(n, 1 << 30, 64, 4008), lambda n: whole(n, 3, 64, 128256))),
    "ranks": launch(f"{SAMPLE}.logprob._ranks_kernel", lambda n: [
        whole(n, 1, 64, dtype=torch.int64), n(64, 128256, dtype=FP32), 128256, whole(n, 128256, 64, dtype=torch.int64),
        128256], (64, ), {"BLOCK_SIZE": 8192}),
    "log softmax of chosen": launch(f"{SAMPLE}.logprob._topk_log_softmax_kernel", lambda n: [
        torch.empty(64, 20, device=n.device), n(64, 128256, dtype=FP32), 128256, whole(n, 128256, 64, 20, dtype=torch.int64),
        20, 20, 128256], (64, ), {"BLOCK_SIZE": 1024, "TOPK_BLOCK_SIZE": 32}),
    "drafts expanded": serve("vllm.v1.sample.rejection_sampler.expand_batch_to_tokens", lambda n: [
        of_requests(n), steps(n, 4, 64)[1:], 256]),
}
