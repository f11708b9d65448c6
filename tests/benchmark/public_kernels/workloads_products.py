"""Products of younger packages, plain, grouped and of quantized numbers, and attention for serving: flash-swiglu-mlp,
grouped-mm-bf16, moe-ops, tritonblas, torchao, lightllm, flashnn, transformer-engine, modelopt, flash-sinkhorn,
late-interaction-kernels."""
import bare
import torch
from workloads_serving import fp8, serve, whole
from workloads_training import call, of

bare.bare("torchao", "lightllm", "transformer_engine", "modelopt", "flashnn")
bare.stub("origami", "transformer_engine.pytorch.cpp_extensions",
          "torchao.float8", "torchao.utils")
bare.stub("torchao.float8.config", e4m3_dtype=torch.float8_e4m3fn)
bare.stub("torch.distributed.tensor.experimental", register_sharding=lambda operation: lambda function: function)
BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32


def launch(path, make, grid, options):
    """Launches a kernel by itself: its package's own function is for GPUs of another kind."""

    def run(device):

        def normal(*sizes, dtype=BF16):
            return torch.randn(*sizes, device=device).to(dtype)

        normal.device = device
        of(path)[grid](*make(normal), **options)

    return run


def ends(n, rows, groups, first=0):
    """Where groups end, of rows that are shared out evenly."""
    return torch.arange(rows // groups * (1 - first), rows + 1, rows // groups, device=n.device, dtype=torch.int32)


def column_major(tensor):
    return tensor.T.contiguous().T


def blas(extra, options, outputs=BF16, bias=False):
    """Operands of tritonblas's kernels: 4096 x 4096 x 4096."""
    size = 4096

    def make(n):
        quantized = options.get("QUANTIZED", False)
        a, b = (whole(n, 127, size, size, dtype=torch.int8) if quantized else n(size, size) for _ in range(2))
        scales = [torch.rand(size, device=n.device) for _ in range(2)] if quantized else [None, None]
        return [a, b.T, torch.empty(size, size, device=n.device, dtype=outputs), *scales, n(size) if bias else None,
                *extra(n), size, size, size, size, size, size, 1, 1 if bias else 0]

    return make


def blas_options(block=(128, 128, 64), **others):
    return {"stride_ak": 1, "stride_bk": 1, "BLOCK_SIZE_M": block[0], "BLOCK_SIZE_N": block[1], "BLOCK_SIZE_K": block[2],
            "GROUP_SIZE_M": 8, "CACHE_MODIFIER_A": None, "CACHE_MODIFIER_B": None, "BIAS": False, "EVEN_K": True,
            "num_warps": 8, "num_stages": 3, **others}


def pages(batch=8, new=512, earlier=1024, heads=32, groups=8, size=128, dtype=FP16):
    """What lightllm's attention takes: new tokens of sequences that have earlier ones, and each one's keys and values in
    rows of a pool."""

    def make(n):
        total = earlier + new
        table = torch.randperm(batch * total, device=n.device).to(torch.int32).view(batch, total)
        of_all = lambda value: torch.full((batch, ), value, device=n.device, dtype=torch.int32)
        q, keys, values = n(batch * new, heads, size, dtype=dtype), *(n(batch * total, groups, size, dtype=dtype)
                                                                      for _ in range(2))
        starts = torch.arange(0, batch * new, new, device=n.device, dtype=torch.int32)
        numbers = torch.arange(batch, device=n.device, dtype=torch.int32)
        return q, keys, values, torch.empty_like(q), table, numbers, starts, of_all(total), of_all(earlier), of_all(new)

    return make


def with_cache(n):
    q, k, v, out, table, numbers, starts, lengths, earlier, _ = pages()(n)
    return [q, k, v, out, numbers, starts, lengths, earlier, 1536, table]


def without_cache(n):
    q, k, v, out, _, _, starts, _, _, lengths = pages(earlier=0)(n)
    return [q, k, v, out, starts, lengths, 512]


def windowed(n):
    return [*without_cache(n), 256]


def with_slopes(n):
    q, k, v, out, table, numbers, starts, lengths, earlier, _ = pages(groups=32)(n)
    return [q, k, v, out, numbers, torch.rand(32, device=n.device), starts, lengths, earlier, 512, table]


def split(n):
    q, k, v, out, table, numbers, starts, lengths, earlier, _ = pages()(n)
    return [q, k, v, out, 8, table, numbers, starts, earlier, lengths, 512]


def token(n):
    q, k, v, out, table, numbers, _, lengths, _, _ = pages(batch=32, new=1, earlier=2047)(n)
    return [q, k, v, out, table, numbers, lengths]


def stage(groups):

    def make(n):
        q, k, v, _, table, numbers, _, lengths, _, _ = pages(batch=32, new=1, earlier=2047, groups=groups)(n)
        block = 256
        middle = [torch.empty(32, 32, 2048 // block, 128, device=n.device),
                  torch.empty(32, 32, 2048 // block, device=n.device)]
        if groups == 32:
            return [q, k, v, table, numbers, lengths, 2048, *middle, block]
        sequences = torch.arange(32, device=n.device, dtype=torch.int32).repeat_interleave(2048 // block)
        starts = (torch.arange(len(sequences), device=n.device, dtype=torch.int32) % (2048 // block)) * block
        return [sequences, starts, q, k, v, table, numbers, lengths, *middle, block]

    return make


def four_bits(rows, zeros="packed", k=4096, columns=4096, group=128):
    """Weights of four bits, eight of them in a number."""

    def make(n):
        return [n(rows, k, dtype=FP16), whole(n, 1 << 30, k // 8, columns), n(k // group, columns, dtype=FP16),
                whole(n, 1 << 30, k // group, columns // 8), group]

    return make


def eight_bits(rows):
    return lambda n: [whole(n, 127, rows, 4096, dtype=torch.int8), n(rows, 1, dtype=FP16),
                      whole(n, 127, 4096, 4096, dtype=torch.int8).T, n(4096, dtype=FP16), n(rows, 4096, dtype=FP16)]


def flashnn_products(rows, bits=8):
    def make(n):
        x = n(rows, 4096, dtype=FP16)
        return [torch.empty_like(x), x, whole(n, 127, 4096 if bits == 8 else 2048, 4096, dtype=torch.int8),
                n(4096, dtype=FP16)]

    return make


def cached_in_pages(heads=32, groups=8, size=128):

    def make(n):
        batch, length, block = 32, 2048, 16
        keys, values = (n(batch * length // block, groups, block, size, dtype=FP16) for _ in range(2))
        q = n(batch, heads, size, dtype=FP16)
        return [torch.empty_like(q), q, keys, values, torch.full((batch, ), length, device=n.device, dtype=torch.int32),
                torch.randperm(batch * length // block, device=n.device).to(torch.int32).view(batch, -1), 0.09, length]

    return make


def chosen_experts(kind):
    """flashnn's layers of experts, tokens sorted by expert."""

    def run(device):
        tokens, count, chosen, block, width, inner = 4096, 16, 2, 64, 2048, 1024
        ids = torch.rand(tokens, count, device=device).topk(chosen).indices.to(torch.int32)
        rows = tokens * chosen
        normal = lambda *sizes: torch.randn(*sizes, device=device, dtype=FP16)
        order = ids.flatten().argsort().to(torch.int32)
        config = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8}
        routing = [torch.rand(tokens, chosen, device=device), ids, order,
                   (torch.arange(rows // block, device=device) * count // (rows // block)).to(torch.int32),
                   torch.tensor([rows], device=device, dtype=torch.int32), False, chosen, config]
        out = torch.empty(tokens, chosen, inner, device=device, dtype=FP16)
        integers = lambda *sizes: torch.randint(-100, 100, sizes, device=device, dtype=torch.int8)
        of(f"flashnn.triton_kernels.fused_moe_{kind}.fused_moe_{kind}_forward")(*{
            "fp16": lambda: [normal(tokens, width), normal(count, inner, width), out],
            "a8w8": lambda: [integers(tokens, width), integers(count, inner, width), out, normal(tokens),
                             normal(count, inner)],
            "a16w4": lambda: [normal(tokens, width), integers(count, inner // 2, width), out, normal(count, inner), None],
        }[kind](), *routing)

    return run


def hyper(name, *sizes, **options):
    """Hyper-connections with four streams of 2048 tokens of width 2048, through autograd functions of transformer-engine."""
    return call(f"transformer_engine.pytorch.triton.mhc.{name}", lambda n: [
        size(n) if callable(size) else n(*size) for size in sizes], **options)


def varlen(groups=8, size=128, batch=4, length=2048):

    def make(n):
        starts = torch.arange(0, batch * length, length, device=n.device, dtype=torch.int32)
        return [n(batch * length, 16, size), n(batch * length, groups, size), n(batch * length, groups, size), starts,
                torch.full((batch, ), length, device=n.device, dtype=torch.int32), length]

    return make


def points(n, count=8192, size=64):
    """Two clouds of points and their potentials."""
    return [n(count, size, dtype=FP32), n(count, size, dtype=FP32), n(count, dtype=FP32), n(count, dtype=FP32)]


def transported(n):
    x, y, f, g = points(n)
    weights = torch.full((len(x), ), 1 / len(x), device=n.device).log()
    return [x, y, f, g, weights, weights, n(len(y), 64, dtype=FP32)]


def queries(documents=512, length=256, size=128, dtype=FP16):
    return lambda n: [n(64, 32, size, dtype=dtype), n(documents, length, size, dtype=dtype)]


GROUPED = "grouped_mm_bf16.api.grouped_mm"
MOE = "moe_ops"
BLAS = "tritonblas.kernels"
AO = "torchao.prototype"
LIGHT = "lightllm.models.llama.triton_kernel"
LIGHT_PRODUCTS = "lightllm.common.basemodel.triton_kernel"
FLASHNN = "flashnn.triton_kernels"
SINKHORN = "flash_sinkhorn.kernels"
LATE = "late_interaction_kernels"
WORKLOADS = {
    "swiglu": call("flash_swiglu_mlp.ops.flash_swiglu", lambda n: [
        n(4, 2048, 2048), n(5632, 2048), n(5632, 2048), n(2048, 5632)]),
    "swiglu fp16 inference": serve("flash_swiglu_mlp.ops.gemm_swiglu", lambda n: [
        n(4, 2048, 2048, dtype=FP16), n(5632, 2048, dtype=FP16), n(5632, 2048, dtype=FP16), 1.0, False]),
    "grouped rows": call(GROUPED, lambda n: [n(8192, 2048), n(16, 2048, 1024), ends(n, 8192, 16)]),
    "grouped depth": call(GROUPED, lambda n: [n(2048, 8192), n(8192, 1024), ends(n, 8192, 16)]),
    "grouped batch": call(GROUPED, lambda n: [n(16, 512, 2048), n(16, 2048, 1024)]),
    "grouped columns": call(GROUPED, lambda n: [n(16, 512, 1024), n(1024, 8192), ends(n, 8192, 16)]),
    "experts": call(f"{MOE}.grouped_gemm_ops.grouped_gemm", lambda n: [
        n(8192, 2048), n(16, 1024, 2048), ends(n, 8192, 16, first=1)]),
    "experts by descriptors": serve(f"{MOE}.grouped_gemm_ops_sm90.group_gemm_tma_fn", lambda n: [
        n(8192, 2048), n(16, 1024, 2048), ends(n, 8192, 16)]),
    "experts by descriptors, back": serve(f"{MOE}.grouped_gemm_ops_sm90.group_gemm_tma_fn", lambda n: [
        n(8192, 1024), n(16, 1024, 2048), ends(n, 8192, 16), False]),
    "chosen experts": call(f"{MOE}.fused_topk_softmax_ops.FusedTopkSoftmaxFunction.apply", lambda n: [
        n(8192, 64, dtype=FP32), 8]),
    "blas": launch(f"{BLAS}.persistent_gemm.persistent_matmul", blas(lambda n: [], {}), (132, ),
                   blas_options(NUM_SMS=132, NUM_XCDS=1, CHUNK_SIZE=64)),
    "blas wide": launch(f"{BLAS}.persistent_gemm.persistent_matmul", blas(lambda n: [], {}, bias=True), (132, ),
                        blas_options((128, 256, 64), NUM_SMS=132, NUM_XCDS=1, CHUNK_SIZE=64, BIAS=True)),
    "blas int8": launch(f"{BLAS}.persistent_gemm.persistent_matmul", blas(lambda n: [], {"QUANTIZED": True}), (132, ),
                        blas_options((128, 128, 128), NUM_SMS=132, NUM_XCDS=1, CHUNK_SIZE=64, QUANTIZED=True)),
    "blas in one": launch(f"{BLAS}.persistent_gemm_monolithic.persistent_matmul", blas(lambda n: [], {}), (132, ),
                          blas_options(NUM_SMS=132, NUM_XCDS=4, CHUNK_SIZE=32)),
    "blas streaming": launch(
        f"{BLAS}.streamk_gemm.streamk_matmul", blas(lambda n: [
            torch.zeros(132, 128 * 128, device=n.device), torch.zeros(132, device=n.device, dtype=torch.uint8)], {}), (132, ),
        blas_options(NUM_SMS=132, NUM_XCDS=1, CHUNK_SIZE=64, STREAMK_TILES=1024 % 132)),
    "ao fp8 blocks": serve(f"{AO}.blockwise_fp8_training.kernels.triton_fp8_gemm_1x128_128x128", lambda n: [
        fp8(n, 4096, 2048), column_major(fp8(n, 2048, 4096)), column_major(torch.rand(4096, 16, device=n.device)),
        column_major(torch.rand(16, 32, device=n.device))]),
    "ao fp8 columns": serve(f"{AO}.blockwise_fp8_training.kernels.triton_fp8_gemm_1x128_128x1", lambda n: [
        fp8(n, 4096, 2048), column_major(fp8(n, 2048, 4096)), column_major(torch.rand(4096, 16, device=n.device)),
        torch.rand(16, 4096, device=n.device)]),
    "ao fp8": serve("torchao.kernel.blockwise_quantization.blockwise_fp8_gemm", lambda n: [
        fp8(n, 4096, 2048), torch.rand(4096, 16, device=n.device), fp8(n, 4096, 2048), torch.rand(32, 16, device=n.device)]),
    "ao four bits": serve(f"{AO}.hqq.mixed_mm.triton_mixed_mm", lambda n: [
        n(512, 4096, dtype=FP16), whole(n, 255, 2048, 4096, dtype=torch.uint8), n(64, 4096, dtype=FP16),
        n(64, 4096, dtype=FP16), 64]),
    "ao four bits, back": serve(f"{AO}.hqq.mixed_mm.triton_mixed_mm", lambda n: [
        n(512, 4096, dtype=FP16), whole(n, 255, 2048, 4096, dtype=torch.uint8), n(64, 4096, dtype=FP16),
        n(64, 4096, dtype=FP16), 64, True]),
    "ao int8 training": serve(f"{AO}.quantized_training.int8_mm.scaled_int8_mm_cuda", lambda n: [
        whole(n, 127, 4096, 2048, dtype=torch.int8), whole(n, 127, 4096, 2048, dtype=torch.int8).T,
        n(4096), n(4096)]),
    "light cached": serve(f"{LIGHT}.context_flashattention_nopad.context_attention_fwd", with_cache),
    "light": serve(f"{LIGHT}.context_flashattention_nopad.context_attention_fwd_no_prompt_cache", without_cache),
    "light window": serve("lightllm.models.mistral.triton_kernel.context_flashattention_nopad.context_attention_fwd",
                          windowed),
    "light slopes": serve("lightllm.models.bloom.triton_kernel.context_flashattention_nopad.context_attention_fwd",
                          with_slopes),
    "light split": serve(f"{LIGHT}.splitfuse_context_flashattention_nopad.splitfuse_context_attention_fwd", split),
    "light token": serve(f"{LIGHT}.gqa_decode_flashattention_nopad.gqa_decode_attention_fwd", token),
    "light token in parts": serve(f"{LIGHT}.gqa_flash_decoding_stage1.flash_decode_stage1", stage(8)),
    "light token of heads in parts": serve(f"{LIGHT}.flash_decoding_stage1.flash_decode_stage1", stage(32)),
    "light four bits": serve(f"{LIGHT_PRODUCTS}.dequantize_gemm_int4.matmul_dequantize_int4_s2", four_bits(512)),
    "light four bits, few rows": serve(f"{LIGHT_PRODUCTS}.dequantize_gemm_int4.matmul_dequantize_int4_s2", four_bits(16)),
    "light four bits whole": serve(f"{LIGHT_PRODUCTS}.dequantize_gemm_int4.matmul_dequantize_int4_gptq", four_bits(64)),
    "light int8": serve(f"{LIGHT_PRODUCTS}.quantize_gemm_int8.matmul_int8", eight_bits(4096)),
    "flashnn": serve(f"{FLASHNN}.flash_attn_v2.triton_flash_attention_forward", lambda n: [
        *(n(4, 2048, many, 128, dtype=FP16) for many in (32, 8, 8)), True]),
    "flashnn full": serve(f"{FLASHNN}.flash_attn_v2.triton_flash_attention_forward", lambda n: [
        *(n(4, 2048, 16, 64, dtype=FP16) for _ in range(3)), False]),
    "flashnn pages": serve(f"{FLASHNN}.paged_attn.paged_attention", cached_in_pages()),
    "flashnn pages alone": serve(f"{FLASHNN}.paged_attn.paged_attention", cached_in_pages(16, 16)),
    "flashnn int8": serve(f"{FLASHNN}.gemm_a8w8.triton_gemm_a8w8_forward", lambda n: [
        torch.empty(4096, 4096, device=n.device, dtype=FP16), whole(n, 127, 4096, 4096, dtype=torch.int8),
        whole(n, 127, 4096, 4096, dtype=torch.int8), n(4096, dtype=FP16), n(4096, dtype=FP16)]),
    "flashnn eight bits": serve(f"{FLASHNN}.gemm_a16w8.triton_gemm_a16w8_forward", flashnn_products(512)),
    "flashnn four bits": serve(f"{FLASHNN}.gemm_a16w4.triton_gemm_a16w4_forward", lambda n: [
        torch.empty(512, 8192, device=n.device, dtype=FP16), n(512, 4096, dtype=FP16),
        whole(n, 127, 4096, 4096, dtype=torch.int8), n(8192, dtype=FP16)]),
    "flashnn experts": chosen_experts("fp16"),
    "flashnn experts int8": chosen_experts("a8w8"),
    "flashnn experts four bits": chosen_experts("a16w4"),
    "hyper projection": hyper("mHCProjectionOp.apply", (8192, 8192), (24, 8192), (8192, )),
    "hyper projection tf32": hyper("mHCProjectionOp.apply", lambda n: n(8192, 8192, dtype=FP32),
                                   lambda n: n(24, 8192, dtype=FP32), lambda n: n(8192, dtype=FP32)),
    "hyper aggregate": hyper("mHCAggregateOp.apply", (2048, 4, 2048, 4), lambda n: n(2048, 4, 4, dtype=FP32), lambda n: 4),
    "hyper expand": hyper("mHCExpandCombineOp.apply", (2048, 4, 2048), lambda n: None, lambda n: n(2048, 4, 4, dtype=FP32),
                          (2048, 4, 2048, 4), lambda n: n(2048, 4, 4, 4, dtype=FP32), lambda n: 4),
    "modelopt": call("modelopt.torch.kernels.common.attention.triton_fa.attention", varlen()),
    "modelopt sparse": call("modelopt.torch.kernels.common.attention.triton_fa.attention", varlen(16, 64), sparsity_n=2),
    "modelopt calibration": serve("modelopt.torch.kernels.sparsity.attention.calibrate.attention_calibrate", varlen(),
                                  threshold_trials=[0.01, 0.1]),
    "sinkhorn": serve(f"{SINKHORN}.sinkhorn_flashstyle_sqeuclid.flashsinkhorn_lse", lambda n: [*points(n)[:3], 0.1]),
    "sinkhorn wide": serve(f"{SINKHORN}.sinkhorn_flashstyle_sqeuclid.flashsinkhorn_lse",
                           lambda n: [*points(n, size=512)[:3], 0.1]),
    "sinkhorn step": serve(f"{SINKHORN}.sinkhorn_flashstyle_sqeuclid.flashsinkhorn_symmetric_step", lambda n: [
        *points(n), n(8192, dtype=FP32), n(8192, dtype=FP32), 0.1]),
    "sinkhorn transport": serve(f"{SINKHORN}.apply_flash.apply_plan_mat_flashstyle", transported, eps=0.1, axis=1),
    "sinkhorn back": serve(f"{SINKHORN}.apply_flash.apply_plan_mat_flashstyle", transported, eps=0.1, axis=0),
    "sinkhorn gradients": serve(f"{SINKHORN}.sinkhorn_triton_grad_sqeuclid.sinkhorn_geomloss_online_grad_sqeuclid",
                                lambda n: [*points(n)[:2], *(torch.full((8192, ), 1 / 8192, device=n.device)
                                                             for _ in range(2)), *points(n)[2:]], eps=0.1),
    "late": call(f"{LATE}.maxsim", queries()),
    "late in little": call(f"{LATE}.maxsim", queries(128, 180, 96)),
    "late fp8": serve(f"{LATE}.fp8.maxsim_inference_fp8", lambda n: [fp8(n, 64, 32, 128), fp8(n, 512, 256, 128)],
                      scale_Q=torch.ones(()), scale_D=torch.ones(())),
    "late head": serve(f"{LATE}.fused_head.maxsim_from_hidden", lambda n: [
        n(16, 32, 128, dtype=FP16), n(256, 256, 768, dtype=FP16), n(128, 768, dtype=FP16)]),
}
