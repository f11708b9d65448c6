"""Operations of attn-gym, fbgemm-gpu, megatron-core and auto-round: linear attention with its gradients, attention to chosen
and to jagged sequences, and products of numbers of eight and of four bits."""
import bare
import torch
from workloads_runtimes import for_any_gpu, rand
from workloads_serving import fp8, serve, whole
from workloads_training import of

bare.bare("fbgemm_gpu", "auto_round", "auto_round_extension")
bare.part("megatron")


def take_the_middle(tuner, *arguments, config, **options):
    """In place of a measurement in auto-round's tuners."""
    return abs(tuner.configs.index(config) - len(tuner.configs) // 2)


def launch_the_middle(tuner, grid):
    """In place of measurements in attn-gym's."""

    def launch(*arguments, **options):
        given = tuner.bind(arguments, options)
        choices = tuner.configs(grid, given)
        tuner.launch(tuner.compile(), choices[len(choices) // 2], grid, given)

    return launch


of("attn_gym._backends.triton.tune.TritonTuner").__getitem__ = launch_the_middle
for tuners in ("triton_utils", "triton_utils_zp"):
    of(f"auto_round_extension.triton.{tuners}.custom_autotune.CustomizedTritonAutoTuner")._bench = take_the_middle
BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32
LENGTH, HEADS, SIZE, CHUNK = 4096, 16, 128, 64


def steps(n, by, count, dtype=torch.int32):
    return torch.arange(0, (count + 1) * by, by, device=n.device, dtype=dtype)


def chunks(names, *others, size=SIZE, heads=HEADS):
    """Tensors of linear attention in chunks, by letters: rows, matrices of chunks, gates of heads and of channels, states of
    chunks, an initial state; capitals are of 32 bits. They are small enough that states do not grow from chunk to chunk."""
    sizes = {
        "q": (1, LENGTH, heads, size), "m": (1, LENGTH, heads, CHUNK), "g": (1, LENGTH, heads), "c": (1, LENGTH, heads, size),
        "h": (1, LENGTH // CHUNK, heads, size, size), "i": (1, heads, size, size)
    }
    return lambda n: [*(n(*sizes[name.lower()], dtype=FP32 if name.isupper() else BF16) * 0.06 for name in names), *others]


def jagged(names, *others, batch=32, most=512, width=128, dtype=BF16):
    """Sequences that kernels know as of different lengths, by letters: rows, offsets, dense matrices, logarithms of sums,
    their longest number; rows and exponents of heads."""

    def make(n):
        made = {"r": lambda: n(batch * most, width, dtype=dtype), "o": lambda: steps(n, most, batch, torch.int64),
                "d": lambda: n(batch, width, width, dtype=dtype), "l": lambda: torch.zeros(batch * most, device=n.device),
                "h": lambda: n(8, batch * most, width, dtype=dtype),
                "e": lambda: torch.zeros(8, batch * most, device=n.device), "n": lambda: most}
        return [*(made[name]() for name in names), *others]

    return make


def transposed(make):
    """With the keys of attention in columns."""

    def turned(n):
        q, k, *others = make(n)
        return [q, k.T.contiguous(), *others]

    return turned


def dense(back, batch=32, width=128, length=64, most=512):
    """Attention of jagged rows to a dense tensor."""

    def make(n):
        dtype = FP32 if back else BF16
        q, v = (n(batch * most, width, dtype=dtype) for _ in range(2))
        k, bias = n(batch, width, length, dtype=dtype), n(batch, most, length, dtype=dtype)
        between = [n(batch, length, width, dtype=dtype), torch.zeros(batch, length, device=n.device),
                   n(batch, length, width, dtype=dtype)] if back else []
        return [q, k, v, *between, bias, steps(n, most, batch, torch.int64), most]

    return make


def squares(n, batch=32, most=256):
    """Products of a square of each sequence and its rows."""
    lengths = torch.full((batch, ), most, device=n.device, dtype=torch.int64)
    return [n(batch * most * most), n(batch * most, 128), lengths, lengths, lengths, steps(n, most * most, batch, torch.int64),
            steps(n, most, batch, torch.int64), steps(n, most, batch, torch.int64), most]


def outer(n, batch=32, most=256):
    lengths = torch.full((batch, ), most, device=n.device, dtype=torch.int64)
    return [n(batch * most, 128), n(128, batch * most), most, lengths, lengths, lengths * lengths,
            steps(n, most, batch, torch.int64), steps(n, most, batch, torch.int64), steps(n, most * most, batch, torch.int64)]


def gathered(n, batch=1, heads=16, length=2048, size=128, count=64):
    """Queries, keys of a summary, those near by, and which of the former each query has chosen."""
    return [n(batch, heads, length, size), n(batch, heads, length // 4, size), n(batch, heads, length, size),
            whole(n, length // 4, batch, length, count), n(heads, dtype=FP32)]


def groups(n, kind, rows=8192, width=2048, columns=2048, count=16):
    sizes = torch.full((count, ), rows // count, device=n.device, dtype=torch.int32)
    if kind == "fp8":
        return [fp8(n, rows, width), fp8(n, count * columns, width), sizes, rand(n, rows), rand(n, count * columns)]
    return [n(rows, width), n(count * columns, width), sizes]


def packed(back, bits=4, rows=256, width=4096, columns=4096, group=128):
    """Products of numbers of few bits that lie in whole ones of 32."""

    def make(n):
        each = 32 // bits
        return [n(rows, columns if back else width, dtype=FP16), whole(n, 1 << 30, width // each, columns),
                n(width // group, columns, dtype=FP16), whole(n, 1 << 30, width // group, columns // each),
                (torch.arange(width, device=n.device) // group).to(torch.int32), bits, 2**bits - 1]

    return make


KDA, GDN = "attn_gym.linear.kda", "attn_gym.linear.gdn"
JAGGED, GEMM = "fbgemm_gpu.sll.triton", "fbgemm_gpu.experimental.gemm.triton_gemm"
ROUND = "auto_round_extension.triton"
WORKLOADS = {
    "gdn inside": serve(f"{GDN}.fwd.triton.chunk_gdn_fwd_intra.chunk_gdn_fwd_intra_dense", chunks("qqGG")),
    "gdn rows": serve(f"{GDN}.fwd.triton.chunk_gdn_fwd_intra.chunk_gdn_recompute_w_u_qg_kg", chunks("qqqGGm", None)),
    "gdn states": serve(f"{GDN}.fwd.triton.chunk_gdn_fwd_recurrence.chunk_gdn_fwd_recurrence_dense", chunks("qqqGI")),
    "gdn outputs": serve(f"{GDN}.fwd.triton.chunk_gdn_fwd_output.chunk_gdn_fwd_output_dense", chunks("qqqhG", 0.09)),
    "gdn rows back": serve(f"{GDN}.bwd.triton.chunk_gdn_bwd_wy.chunk_gdn_bwd_wy", chunks("qqqqqGGmhqhq", None, 0.09)),
    "gdn states back": serve(f"{GDN}.bwd.triton.chunk_gdn_bwd_delta_h.chunk_gdn_bwd_delta_h",
                             chunks("qqqGq", None, None, None, 0.09)),
    "gdn inside back": serve(f"{GDN}.bwd.triton.chunk_gdn_bwd_intra.chunk_gdn_bwd_intra_dense", chunks("qqGGMMG")),
    "gdn again": serve(f"{GDN}.bwd.triton.chunk_gdn_bwd_recompute.chunk_gdn_recompute_aqk_dense", chunks("qqG", 0.09)),
    "kda diagonal": serve(f"{KDA}.fwd.triton.chunk_kda_fwd_intra_sub_chunk_forloop.chunk_kda_fwd_intra_diagonal",
                          chunks("qqCG", 0.09, None)),
    "kda aside": serve(f"{KDA}.fwd.triton.chunk_kda_fwd_k3_triton.chunk_kda_fwd_k3b_triton", chunks("qqCGm", 0.09, None)),
    "kda rows": serve(f"{KDA}.fwd.triton.recompute_w_u.recompute_w_u_fwd_triton", lambda n: [
        *chunks("qqGm")(n), None, *chunks("qC")(n)]),
    "kda states": serve(f"{KDA}.fwd.triton.chunk_delta_h._delta_h_launch", chunks(
        "qqqC", None, None, None, None, None, LENGTH // CHUNK, None)),
    "kda outputs": serve(f"{KDA}.fwd.triton.chunk_gla_fwd_o.chunk_gla_fwd_o_gk", chunks("qqCmh", 0.09)),
    "kda products back": serve(f"{KDA}.bwd.triton.chunk_kda_bwd_daqk.chunk_kda_bwd_daqk", chunks("qq", 0.09)),
    "kda rows back": serve(f"{KDA}.bwd.triton.chunk_kda_bwd_wy_triton.chunk_kda_bwd_wy_triton", chunks(
        "qqqqCGmhqhq", None), scale=0.09),
    "kda states back": lambda device: serve(
        f"{KDA}.bwd.triton.chunk_kda_bwd_delta_h_triton.chunk_kda_bwd_delta_h_triton", chunks("qqqqm"),
        gk=torch.randn(1, LENGTH, HEADS, SIZE, device=device), initial_state=None, d_final_state=None, scale=0.09,
        metadata=None)(device),
    "gathered": serve("attn_gym.sparse.gather_attn.impl.triton.forward._launch_forward", lambda n: [
        *gathered(n), None, None, 128, 0.09]),
    "index": serve("attn_gym.sparse.indexer.impl.triton.launch", lambda n: [
        n(1, 2048, 64, 128), n(1, 512, 128), rand(n, 1, 2048, 64), 128, True, 4]),
    "jagged attention": serve(f"{JAGGED}.triton_jagged_flash_attention_basic.jagged_flash_attention_basic_fwd",
                              transposed(jagged("rrron", True))),
    "jagged attention back": serve(f"{JAGGED}.triton_jagged_flash_attention_basic.jagged_flash_attention_basic_backward",
                                   jagged("rrrrorln", True)),
    "jagged attention tf32": serve(f"{JAGGED}.triton_jagged_flash_attention_basic.jagged_flash_attention_basic_fwd",
                                   transposed(jagged("rrron", True, True, dtype=FP32, width=64))),
    "jagged heads": serve(f"{JAGGED}.triton_multi_head_jagged_flash_attention.multi_head_jagged_flash_attention_fwd",
                          jagged("hhhon")),
    "jagged heads back": serve(f"{JAGGED}.triton_multi_head_jagged_flash_attention.multi_head_jagged_flash_attention_bwd",
                               jagged("hhhhohen")),
    "jagged and dense": serve(f"{JAGGED}.triton_jagged_dense_flash_attention.jagged_dense_flash_attention_fwd", dense(False)),
    "jagged and dense back": serve(f"{JAGGED}.triton_jagged_dense_flash_attention.jagged_dense_flash_attention_bwd",
                                   dense(True)),
    "jagged products": serve(f"{JAGGED}.triton_jagged_bmm.triton_jagged_dense_bmm", jagged("rdon", False)),
    "jagged products tf32": serve(f"{JAGGED}.triton_jagged_bmm.triton_jagged_dense_bmm", jagged("rdon", True, dtype=FP32)),
    "jagged products of both": serve(f"{JAGGED}.triton_jagged_bmm.triton_jagged_jagged_bmm", lambda n: [
        n(128, 32 * 512), n(32 * 512, 128), steps(n, 512, 32, torch.int64), 512, False]),
    "jagged squares": serve(f"{JAGGED}.triton_jagged_bmm_jagged_out.triton_array_jagged_bmm_jagged_out", squares),
    "jagged outer": serve(f"{JAGGED}.triton_jagged_bmm_jagged_out.triton_jagged_jagged_bmm_jagged_out", outer),
    "groups": serve(f"{GEMM}.grouped_gemm.grouped_gemm", lambda n: groups(n, "bf16"), _use_warp_specialization=False),
    "groups fp8": serve(f"{GEMM}.grouped_gemm.grouped_gemm_fp8_rowwise", lambda n: groups(n, "fp8"),
                        _use_warp_specialization=False),
    "fp8 rows": for_any_gpu(serve(f"{GEMM}.fp8_gemm.matmul_fp8_row", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 4096), rand(n, 4096)], no_use_persistent=True)),
    "fp8 rows persistent": serve(f"{GEMM}.fp8_gemm.matmul_fp8_row", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 4096), rand(n, 4096)], tma_persistent=False),
    "fp8 rows slowly": serve(f"{GEMM}.fp8_gemm.matmul_fp8_row", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 4096), rand(n, 4096)], fp8_fast_accum=False, tma_persistent=False),
    "fp8 blocks": serve(f"{GEMM}.fp8_gemm.matmul_fp8_block", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 16, 16), rand(n, 16, 16)]),
    "fp8 blocks slowly": serve(f"{GEMM}.fp8_gemm.matmul_fp8_block", lambda n: [
        fp8(n, 4096, 4096), fp8(n, 4096, 4096), rand(n, 16, 16), rand(n, 16, 16)], fp8_fast_accum=False),
    "invariant": serve("megatron.core.transformer.custom_layers.batch_invariant_kernels.matmul_persistent", lambda n: [
        n(4096, 4096), n(4096, 4096), n(4096)]),
    "rounded": serve(f"{ROUND}.triton_utils.kernels.quant_matmul_248_core", packed(False)),
    "rounded back": serve(f"{ROUND}.triton_utils.kernels.transpose_quant_matmul_248_core", packed(True)),
    "rounded to two bits": serve(f"{ROUND}.triton_utils_zp.kernels.quant_matmul_248_core", packed(False, 2)),
    "rounded to eight bits": serve(f"{ROUND}.triton_utils_zp.kernels.quant_matmul_248_core", packed(False, 8)),
    "rounded by hadamard": serve("auto_round.algorithms.transforms.hadamard.utils.triton.mxfp4.mxfp4_forward_kernel_wrapper",
                                 lambda n: [n(4096, 4096), n(32, 32)]),
}
