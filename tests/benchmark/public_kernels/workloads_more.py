"""Operations of younger packages, most of them without products: optimizers, quantization, norms, losses, rotations, routing and
sparse convolutions, of bitsandbytes, torchao, transformer-engine, chalk, lightllm, flashnn, spconv-triton, mase-triton,
triton-kernels, native-sparse-attention-pytorch and late-interaction-kernels."""
import importlib

import bare
import torch
from workloads_serving import fp8, serve, whole
from workloads_training import call, of, rotation, targets

bare.bare("bitsandbytes", "torchao", "transformer_engine", "lightllm", "flashnn", "chalk", "spconv_triton",
          "native_sparse_attention_pytorch")
bare.stub("torchao.utils", "torchao.float8", "torchao.prototype.custom_fp_utils", "transformer_engine.pytorch.cpp_extensions",
          "einx", "jaxtyping")
bare.stub("torchao.float8.config", e4m3_dtype=torch.float8_e4m3fn)
bare.stub("torch.distributed.tensor.experimental", register_sharding=lambda operation: lambda function: function)
# triton-kernels asks for a younger Triton's name.
importlib.import_module("triton.language.target_info").is_hip_gfx1250 = lambda: False
BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32
ROWS, WIDTH = 8192, 4096


def table(n):
    """The 256 numbers that eight bits stand for."""
    return torch.linspace(-1, 1, 256, device=n.device)


def updated(name, second=True, eight_bits=False):
    """An optimizer's step with states of 32 or 8 bits."""

    def make(n):
        count = 1 << 24
        g, p = n(count), n(count)
        if not eight_bits:
            return [name, g, p, torch.zeros(count, device=n.device), torch.zeros(count, device=n.device) if second else None,
                    None, 0.0, 0.0, 0.9, 0.999, 0.0, 0.0, 1e-8, 0.01, 3, 1e-3]
        states = [torch.zeros(count, device=n.device, dtype=torch.uint8) for _ in range(2)]
        largest = [torch.ones(count // 256, device=n.device) for _ in range(2)]
        return [p, g, *states, 0.9, 0.999, 0.0, 0.0, 1e-8, 3, 1e-3, table(n), table(n), *largest, 0.01, 1.0, False]

    return serve(f"{BITS}.kernels_optim.optimizer_update_{'8bit_blockwise_triton_quant' if eight_bits else '32bit_impl'}",
                 make, **({"optimizer_name": name} if eight_bits else {}))


def quantized(kind):

    def make(n):
        count = ROWS * WIDTH
        return [n(ROWS, WIDTH), 64, kind, count // 64, torch.empty(count // 64, device=n.device), count,
                torch.empty(count // 2, 1, device=n.device, dtype=torch.uint8)]

    return make


def dequantized(kind):

    def make(n):
        count = ROWS * WIDTH
        return [whole(n, 255, count // 2, 1, dtype=torch.uint8), torch.rand(count // 64, device=n.device), 64, kind, FP16,
                torch.empty(ROWS, WIDTH, device=n.device, dtype=FP16)]

    return make


def grouped_scales(column_major):

    def make(n):
        x = n(ROWS, WIDTH)
        return [x.T.contiguous().T if column_major else x,
                torch.arange(1024, ROWS + 1, 1024, device=n.device, dtype=torch.int32)]

    return make


def routed(device):
    """Tokens sent to experts by a mask, and back."""
    count, width, most = 8192, 2048, 16
    mask = torch.zeros(count, most, device=device, dtype=torch.int32)
    mask.scatter_(1, torch.rand(count, most, device=device).topk(2).indices, 1)
    x = torch.randn(count, width, device=device, dtype=BF16)
    probabilities = torch.rand(count, most, device=device)
    make = importlib.import_module("transformer_engine.pytorch.triton.permutation")
    rows = make.make_row_id_map(mask, count, most)
    made = make.permute_with_mask_map(x, rows, probabilities, None, None, count, most, 2 * count, width, 0)
    make.unpermute_with_mask_map(made[0].view(2 * count, width), rows, probabilities, None, None, count, most, width)
    make.unpermute_with_mask_map_bwd_with_merging_probs(x, rows, torch.randn(2 * count, width, device=device, dtype=BF16),
                                                        probabilities, None, count, most, 2 * count, width)


def entropy(device):
    losses = importlib.import_module("transformer_engine.pytorch.triton.cross_entropy")
    logits = torch.randn(2, 2048, 32768, device=device, dtype=BF16)
    labels = torch.randint(0, 32768, (2, 2048), device=device)
    made = losses.cross_entropy_forward(logits, labels, 0.1, False, None, -100, False)
    losses.cross_entropy_backward(logits, *made[1:2], labels, *made[2:3], torch.ones(2, 2048, device=device), 0.1, False, 0, 1,
                                  -100)


def convolved(dtype, masked):
    """A sparse convolution of 3 x 3 x 3 over 100,000 points."""

    def run(device):
        count, channels = 100_000, 64
        normal = lambda *sizes: torch.randn(*sizes, device=device).to(dtype)
        pairs = torch.randint(-1, count, (27, count), device=device, dtype=torch.int32)
        gemm = importlib.import_module("spconv_triton.pytorch._impl.gemm")
        x, weights = normal(count, channels), normal(128, 27, channels)
        masks = [torch.randint(0, 1 << 27, (count, ), device=device, dtype=torch.int32),
                 torch.randperm(count, device=device).to(torch.int32)] if masked else [None, None]
        gemm.conv_forward(x, weights, pairs, count, normal(128), None, *masks)
        gemm.conv_backward_input(normal(count, 128), weights, pairs, count, *masks)
        gemm.conv_backward_weight(x, normal(count, 128), pairs, weights.shape)
        pool = importlib.import_module("spconv_triton.pytorch._impl.pool")
        pool.maxpool_forward(x, pairs, count)
        pool.maxpool_backward(x, x, x, pairs)

    return run


def sorted_tokens(device):
    """Where the blocks of experts' tokens lie."""
    of("triton_kernels.tensor.make_ragged_tensor_metadata")(torch.full((32, ), 256, device=device, dtype=torch.int32), ROWS)


def selected(dtype=BF16, size=64):
    """Attention to chosen blocks of keys."""

    def make(n):
        batch, heads, groups, length, chosen = 2, 16, 4, 2048, 8
        return [n(batch, heads, length, size, dtype=dtype), *(n(batch, groups, length, size, dtype=dtype) for _ in range(2)),
                whole(n, length // 64, batch, groups, length, chosen, dtype=torch.int64),
                torch.ones(batch, groups, length, chosen, device=n.device, dtype=torch.bool), 64]

    return make


def selected_back(size=64):

    def make(n):
        q, k, v, indices, mask, block = selected(size=size)(n)
        like = lambda x: torch.zeros(x.shape, device=n.device)
        attended = [torch.randn_like(q), torch.randn_like(q), torch.zeros(*q.shape[:3], device=n.device)]
        return [attended[0], q, k, v, indices, mask, torch.zeros(mask.shape, device=n.device), *attended[1:], like(q), like(k),
                like(v), *attended]

    return make


BITS = "bitsandbytes.backends.triton"
AO = "torchao.prototype"
TRAINED = f"{AO}.blockwise_fp8_training.kernels"
MOE = f"{AO}.moe_training.kernels"
ENGINE = "transformer_engine.pytorch.triton"
CHALK = "chalk.ops.arch"
LIGHT = "lightllm.models.llama.triton_kernel"
FLASHNN = "flashnn.triton_kernels"
LATE = "late_interaction_kernels"
SPARSE = "native_sparse_attention_pytorch.triton_native_sparse_attention"
WORKLOADS = {
    "bits adam": updated("adam"),
    "bits lion": updated("lion", False),
    "bits momentum": updated("momentum", False),
    "bits adam of 8": updated("adam", eight_bits=True),
    "bits quantized nf4": serve(f"{BITS}.kernels_4bit.quantize_4bit_blockwise_triton", quantized("nf4")),
    "bits quantized fp4": serve(f"{BITS}.kernels_4bit.quantize_4bit_blockwise_triton", quantized("fp4")),
    "bits dequantized nf4": serve(f"{BITS}.kernels_4bit.dequantize_4bit_impl", dequantized("nf4")),
    "bits dequantized fp4": serve(f"{BITS}.kernels_4bit.dequantize_4bit_impl", dequantized("fp4")),
    "bits quantized": serve(f"{BITS}.kernels_8bit_quant.quantize_blockwise_triton", lambda n: [n(ROWS, WIDTH), table(n), 256]),
    "bits dequantized": serve(f"{BITS}.kernels_8bit_quant.dequant_8bit_blockwise", lambda n: [
        whole(n, 255, ROWS, WIDTH, dtype=torch.uint8), torch.rand(ROWS * WIDTH // 256, device=n.device), table(n), 256, FP16]),
    **{f"ao {name}": serve(f"{TRAINED}.triton_fp8_blockwise_{name}", lambda n: [n(ROWS, WIDTH)])
       for name in ("act_quant_lhs", "act_quant_rhs", "act_quant_transposed_lhs", "weight_quant_rhs",
                    "weight_quant_transposed_rhs")},
    "ao rows scaled": serve(f"{MOE}.float8_rowwise.triton_fp8_rowwise_3d_transpose_rhs", lambda n: [
        n(16, 2048, 1024)], round_scales_to_power_of_2=True),
    "ao rows scaled in one": serve(f"{MOE}.float8_rowwise.triton_fp8_rowwise_3d_transpose_rhs_fused_reduction", lambda n: [
        n(16, 2048, 1024)]),
    "ao columns scaled": serve(f"{MOE}.float8_rowwise.triton_fp8_colwise_3d_scale_and_cast", lambda n: [n(16, 2048, 1024)]),
    "ao groups by rows": serve(f"{MOE}.jagged_float8_scales.triton_fp8_per_group_rowwise_scales", grouped_scales(False)),
    "ao groups by columns": serve(f"{MOE}.jagged_float8_scales.triton_fp8_per_group_colwise_scales", grouped_scales(True)),
    "ao attention": serve(f"{AO}.attention.quantization.triton_qkv_quantization.triton_fp8_sdpa_quantize", lambda n: [
        *(n(4, 16, 2048, 128) for _ in range(3))]),
    "ao rotated attention": serve(f"{AO}.attention.quantization.triton_rope_qkv_quantization.triton_fp8_rope_sdpa_quantize",
                                  lambda n: [*(n(4, 2048, 16, 128) for _ in range(3)), *rotation(n, size=128)]),
    "ao hadamard attention": serve(
        f"{AO}.attention.quantization.triton_hadamard_qkv_quantization.triton_fp8_hadamard_sdpa_quantize",
        lambda n: [*(n(4, 16, 2048, 128) for _ in range(3))]),
    "ao hadamard back": serve(f"{AO}.attention.quantization.triton_hadamard_utils.inverse_hadamard_transform",
                              lambda n: [n(4, 16, 2048, 128)]),
    "engine entropy": entropy,
    "engine routed": routed,
    "engine doubly stochastic": call(f"{ENGINE}.mhc.mHCSinkhornOp.apply", lambda n: [n(2048, 4, 4, 4, dtype=FP32)]),
    "engine scaled": call(f"{ENGINE}.mhc.mHCScaleFusedOp.apply", lambda n: [
        n(ROWS, 32, dtype=FP32), n(3, dtype=FP32), n(1, 24, dtype=FP32), torch.rand(ROWS, device=n.device), 4]),
    "chalk rotation": call(f"{CHALK}.sm90.rope._RoPE.apply", lambda n: [
        n(4, 16, 2048, 128), n(4, 4, 2048, 128), *(x[None].expand(4, -1, -1).contiguous() for x in rotation(n, 2048, 64))]),
    "chalk gated norm": call(f"{CHALK}.sm90.gdn_gated_rmsnorm._GatedRMSNorm.apply", lambda n: [
        n(ROWS, 16, 128), n(ROWS, 16, 128), n(128), 1e-6]),
    "chalk norm": call(f"{CHALK}.sm100.rmsnorm._RMSNorm.apply", lambda n: [n(ROWS, WIDTH), n(WIDTH), 1e-6]),
    "chalk fp8": call(f"{CHALK}.sm89.fp8_base._FP8Linear.apply", lambda n: [n(4096, 4096), n(4096, 4096)]),
    "chalk adapters": serve("chalk.ops.lora.lora_fwd", lambda n: [n(ROWS, 4096), n(16, 4096), n(4096, 16), 2.0]),
    "chalk adapters back": serve("chalk.ops.lora.lora_bwd", lambda n: [
        n(ROWS, 4096), n(ROWS, 4096), n(16, 4096), n(4096, 16), 2.0, n(ROWS, 16)]),
    "light norm": serve(f"{LIGHT}.rmsnorm.rmsnorm_forward", lambda n: [n(ROWS, WIDTH, dtype=FP16), n(WIDTH, dtype=FP16), 1e-6]),
    "light swish": serve(f"{LIGHT}.silu_and_mul.silu_and_mul_fwd", lambda n: [n(ROWS, 8192, dtype=FP16)]),
    "light gelu": serve("lightllm.models.gemma_2b.triton_kernel.gelu_and_mul.gelu_and_mul_fwd",
                        lambda n: [n(ROWS, 8192, dtype=FP16)]),
    "light rotation": serve(f"{LIGHT}.rotary_emb.rotary_emb_fwd", lambda n: [
        n(ROWS, 32, 128, dtype=FP16), n(ROWS, 8, 128, dtype=FP16), *rotation(n, ROWS, 64, FP16)]),
    "light quantized keys": serve("lightllm.common.basemodel.triton_kernel.destindex_copy_kv.destindex_copy_quantize_kv",
                                  lambda n: [n(ROWS, 16, 128, dtype=FP16), torch.randperm(ROWS, device=n.device).to(torch.int32),
                                             whole(n, 1, ROWS, 16, 128, dtype=torch.int8), n(ROWS, 16, 1, dtype=FP16)]),
    "light int8 of rows": serve("lightllm.common.basemodel.triton_kernel.quantize_gemm_int8.quantize_int8_perrow",
                                lambda n: [n(ROWS, WIDTH, dtype=FP16)]),
    "flashnn norm": serve(f"{FLASHNN}.rms_norm.triton_rmsnorm_forward", lambda n: [
        n(ROWS, WIDTH, dtype=FP16), n(WIDTH, dtype=FP16), 1e-6]),
    "flashnn norm to int8": serve(f"{FLASHNN}.rms_norm_dquant.triton_rmsnorm_dquant_forward", lambda n: [
        n(ROWS, WIDTH, dtype=FP16), n(WIDTH, dtype=FP16), 1e-6]),
    "flashnn layer norm": serve(f"{FLASHNN}.layer_norm.triton_layer_norm_forward", lambda n: [
        n(ROWS, WIDTH, dtype=FP16), n(WIDTH, dtype=FP16), n(WIDTH, dtype=FP16), 1e-6]),
    "flashnn layer norm to int8": serve(f"{FLASHNN}.layer_norm_dquant.triton_layer_norm_dquant_forward", lambda n: [
        n(ROWS, WIDTH, dtype=FP16), n(WIDTH, dtype=FP16), n(WIDTH, dtype=FP16), 1e-6]),
    "flashnn int8": serve(f"{FLASHNN}.dynamic_quant.triton_dynamic_quantize", lambda n: [
        whole(n, 1, ROWS, WIDTH, dtype=torch.int8), n(ROWS, WIDTH, dtype=FP16), n(ROWS, dtype=FP16)]),
    "sparse convolution": convolved(FP16, False),
    "sparse convolution masked": convolved(BF16, True),
    "sparse convolution tf32": convolved(FP32, False),
    "kernels' sorted tokens": sorted_tokens,
    "kernels' choice": serve("triton_kernels.topk.topk", lambda n: [n(ROWS, 128, dtype=FP32), 4]),
    "selected": serve(f"{SPARSE}.native_sparse_attn_forward", selected()),
    "selected 128": serve(f"{SPARSE}.native_sparse_attn_forward", selected(FP16, 128), return_sliding_window_out=True),
    "selected back": serve(f"{SPARSE}.native_sparse_attn_backward", selected_back(), block_size=64),
    "late residuals": serve(f"{LATE}.plaid.maxsim_residual", lambda n: [
        n(16, 32, 128, dtype=FP16), whole(n, 1024, 256, 256), whole(n, 255, 256, 256, 64, dtype=torch.uint8),
        torch.full((256, ), 256, device=n.device, dtype=torch.int32), n(1024, 128, dtype=FP16), n(16, dtype=FP16), 4]),
    "late sequences": call(f"{LATE}.varlen.maxsim_varlen", lambda n: [
        n(2048, 128, dtype=FP16), n(65536, 128, dtype=FP16), torch.arange(0, 2049, 32, device=n.device, dtype=torch.int32),
        torch.arange(0, 65537, 256, device=n.device, dtype=torch.int32), 32, 256]),
    "mase minifloat": serve("mase_triton.minifloat.kernels.cast.extract_minifloat_component", lambda n: [
        n(ROWS, WIDTH), of("mase_triton.minifloat.meta.MinifloatMeta")(4, 3, True, "rn")]),
    "mase bits flipped": serve("mase_triton.random_bitflip.core.random_bitflip_fn", lambda n: [
        n(ROWS, WIDTH, dtype=FP32), 4, 4, 1, 2, 1.25]),
    "mase optical": serve("mase_triton.optical_compute.core.optical_transformer.linear.ot_qlinear_fn", lambda n: [
        n(4096, 2048, dtype=FP16), n(2048, 2048, dtype=FP16), n(2048, dtype=FP16), -1.0, 1.0, -1.0, 1.0, 0.01, -1.0, 1.0,
        256, 1]),
}
