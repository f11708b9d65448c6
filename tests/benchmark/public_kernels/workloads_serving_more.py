"""Operations of sglang and vllm that the other modules do not run: linear and sparse attention for serving, drafts, adapters of
experts, and numbers of few bits."""
import types

import bare
import torch
import triton.language as tl
from workloads_products import launch
from workloads_runtimes import empty, for_any_gpu, rand
from workloads_serving import fp8, routed, serve, whole
from workloads_training import of
from workloads_vllm import BATCH, BF16, FP8, FP16, FP32, filled, steps, table


class Off:
    """In place of settings in the environment: none is given."""

    def __getattr__(self, name):
        return types.SimpleNamespace(get=lambda: False)


bare.stub("sglang.srt.environ", envs=Off())
bare.stub("sglang.srt.utils", cached_triton_kernel=lambda key: lambda kernel: kernel)
bare.stub("sglang.srt.utils.common", torch_release=(2, 9))
bare.stub("sglang.srt.runtime_context", get_platform=lambda: types.SimpleNamespace(is_sm90=True))
bare.stub("vllm.platforms.rocm")
LENGTH, HEADS, SIZE = 2048, 16, 128
SGLANG = "sglang.kernels.ops"


def zeros(n, *sizes):
    return filled(n, 0, *sizes)


def chunks(*names, size=SIZE, heads=HEADS, length=LENGTH, batch=2, chunk=64):
    """Tensors of linear attention in chunks, by the letters they go by, so small that states do not grow from chunk to chunk."""
    sizes = {
        "q": (batch, length, heads, size), "matrix": (batch, length, heads, chunk), "gate": (batch, length, heads),
        "gates": (batch, length, heads, size), "state": (batch, heads, size, size),
        "states": (batch, length // chunk, heads, size, size)
    }

    def make(n):
        made = []
        for name in names:
            kind, _, dtype = name.partition(":")
            made.append(n(*sizes[kind], dtype=FP32 if dtype else BF16) * 0.06)
        return made

    return make


def then(make, *others):
    return lambda n: [*make(n), *others]


def chosen_rows(n, queries=512, keys=8192, count=1024, heads=64, rank=512, rope=64):
    """Queries and latent keys, of which each query has chosen some."""
    return (n(queries, heads, rank + rope), n(keys, 1, rank + rope), whole(n, keys, queries, 1, count))


def chosen_parts(n):
    q, keys, ids = chosen_rows(n)
    return [q[..., :512].contiguous(), q[..., 512:].contiguous(), keys, ids, 0.06]


def blocks_of_keys(n, heads=32, groups=2, size=128, new=512, earlier=1536, batch=4, chosen=16, block=128, kind=BF16):
    """New tokens, the cache of keys and values, and for each which blocks it looks at."""
    length = new + earlier
    q = n(batch * new, heads, size).to(kind)
    keys, values = (n(batch * length, groups, size).to(kind) for _ in range(2))
    slots = torch.randperm(batch * length, device=n.device).to(torch.int32).view(batch, length)
    return (q, keys, values, slots, torch.arange(batch, device=n.device, dtype=torch.int32), steps(n, new, batch),
            filled(n, length, batch), filled(n, earlier, batch), new, length,
            whole(n, length // block, groups, batch * new, chosen))


def sparse_prefill(kind=BF16):

    def make(n):
        q, keys, values, slots, owners, starts, lengths, earlier, new, _, chosen = blocks_of_keys(n, kind=kind)
        return [q, keys, values, None, slots, owners, chosen, 1, 128, starts, lengths, earlier, new]

    return serve(f"{MINIMAX}.prefill.topk_sparse.flash_prefill_with_gqa_share_sparse", make, use_tma=False)


def sparse_index(score="max", alone=False):

    def make(n):
        q, keys, values, slots, owners, starts, lengths, earlier, new, length, _ = blocks_of_keys(n, heads=8)
        return [q, keys, None if alone else values, None, slots, owners, starts, lengths, earlier, new, length, 1, 128, 16]

    return serve(f"{MINIMAX}.prefill.flash_with_topk_idx.flash_prefill_with_topk_index", make, score_type=score,
                 disable_index_value=alone)


def sparse_token(kind=BF16):

    def make(n):
        q, keys, values, slots, owners, _, lengths, *_, chosen = blocks_of_keys(n, new=1, earlier=2047, batch=32, kind=kind)
        return [q, None, keys, values, slots, lengths, owners, 128, chosen]

    return serve(f"{MINIMAX}.decode.topk_sparse.flash_decode_with_gqa_share_sparse", make, use_tma=False)


def sparse_token_index(alone=False):

    def make(n):
        q, keys, values, slots, owners, _, lengths, _, _, length, _ = blocks_of_keys(n, heads=8, new=1, earlier=2047, batch=32)
        return [q, None, keys, None if alone else values, slots, lengths, length, owners, 128, 16, 1, 2]

    return serve(f"{MINIMAX}.decode.flash_with_topk_idx.flash_decode_with_topk_idx", make, use_tma=False,
                 disable_index_value=alone)


def frames(precision, frames=8, length=512, batch=2, heads=20, size=112):
    """Linear attention over the frames of a film."""

    def run(device):
        n = lambda *sizes, dtype=BF16: torch.randn(*sizes, device=device, dtype=dtype)
        module = f"{SGLANG}.diffusion.attention.sana_wm_gdn_chunkwise_triton"
        total = frames * length
        qkv, norms = n(batch, total, 3, heads, size), n(2, batch, total, dtype=FP32)
        angles = n(2, total, size, dtype=FP32)
        weights = n(2, heads * size, dtype=FP32)
        beta = torch.rand(batch, heads, frames, length, device=device)
        made = of(f"{module}.phase_a")(qkv, beta, *norms, *weights, *angles, frames, length, dot_precision=precision)
        parts = of(f"{module}.phase_b_triton")(*made, torch.rand(batch * heads, frames, device=device), frames,
                                               dot_precision=precision)
        of(f"{module}.phase_c")(qkv, norms[0], weights[0], *angles, parts[0], parts[1], frames, length,
                                dot_precision=precision)

    return run


def sparse_linear(n, batch=2, heads=16, length=4096, size=128, block=64, chosen=16):
    q, k, v = (n(batch, heads, length, size) for _ in range(3))
    return [q, k, v, 0.09, chosen, whole(n, length // block, batch, heads, length // block, chosen),
            empty(n, batch, heads, length, dtype=FP32), torch.empty_like(q), length, length // block, size, block, block]


def tokens_of_drafts(n, heads=32, groups=2, size=256, batch=16, length=2048, new=4):
    pages = batch * length // 16
    q = n(batch * new, heads, size)
    one = torch.ones(1, device=n.device)
    return [q, *(fp8(n, pages, 16, groups, size) for _ in range(2)), torch.empty_like(q), steps(n, new, batch),
            filled(n, length, batch), new, length, 0.06, table(n, batch, length), one, one]


def extended(size=128, heads=32, groups=8, batch=8, new=512, earlier=1024):
    """Attention to what was in a cache and to new tokens in one."""

    def make(n):
        total = batch * (new + earlier)
        q = n(batch * new, heads, size)
        return [q, torch.empty_like(q), n(total, groups, size), n(total, groups, size), 1.0, 1.0, steps(n, new, batch),
                steps(n, new + earlier, batch), torch.randperm(total, device=n.device), filled(n, earlier, batch), new]

    return make


def prefilled(size=128, values=128, heads=32, groups=32, batch=4, new=1024, earlier=1024):

    def make(n):
        total = batch * (new + earlier)
        return [n(batch * new, heads, size), n(total, groups, size), n(total, groups, values), n(batch * new, heads, values),
                steps(n, new, batch), steps(n, new + earlier, batch), new]

    return make


def verified(size=256, heads=16, groups=2, batch=8, new=4, length=4096):

    def make(n):
        q, k, v = (n(batch * new, count, size) for count in (heads, groups, groups))
        keys, values = (n(batch * length, groups, size) for _ in range(2))
        return [q, k, v, torch.empty_like(q), keys, values, steps(n, new, batch), steps(n, length, batch),
                torch.randperm(batch * length, device=n.device), None, True, None, new, 1.0, 1.0]

    return make


def verified_latent(n, heads=16, batch=8, new=4, length=4096):
    keys = n(batch * length, 1, 576)
    q, k = n(batch * new, heads, 576), n(batch * new, 1, 576)
    return [q, k, k[..., :512], empty(n, batch * new, heads, 512), keys, keys[..., :512], steps(n, new, batch),
            steps(n, length, batch), torch.randperm(batch * length, device=n.device), None, True, None, new, 1.0, 1.0]


def adapters(device, rank, batch=8, length=512):
    full = lambda value, count, dtype=torch.int32: torch.full((count, ), value, device=device, dtype=dtype)
    return types.SimpleNamespace(
        bs=batch, num_segments=batch * length // 64, max_len=64, use_cuda_graph=False, has_active_lora=True,
        expected_tokens=None,
        permutation=torch.randperm(batch * length, device=device).to(torch.int32), seg_lens=full(64, batch * length // 64),
        seg_indptr=torch.arange(0, batch * length + 1, 64, device=device, dtype=torch.int32),
        weight_indices=torch.arange(batch * length // 64, device=device, dtype=torch.int32) % 4,
        lora_ranks=full(rank, 4), scalings=torch.ones(4, device=device))


def adapted(name, *make, rank=32):
    """Operations of adapters on 4096 tokens."""

    def run(device):
        n = lambda *sizes, dtype=BF16: torch.randn(*sizes, device=device, dtype=dtype)
        info = adapters(device, rank)
        of(f"{SGLANG}.lora.dense.{name}")(*(one(n, info) if callable(one) else one for one in make))

    return run


def paged_rows(kind="prefill", heads=64, size=512):

    def make(n):
        tokens, keys, count = 256, 8192, 512
        ids, starts = whole(n, keys, tokens * count), steps(n, count, tokens)
        if kind == "prefill":
            return [n(tokens, heads, size), n(keys, size), ids, starts, n(tokens, size),
                    whole(n, tokens, tokens * 128), steps(n, 128, tokens), n(heads, dtype=FP32), 0.06]
        return [n(tokens, heads, size), n(keys, size), ids, starts, n(heads, dtype=FP32), 0.06]

    return make


MINIMAX = f"{SGLANG}.attention.minimax_sparse"
FLA, DSA = f"{SGLANG}.attention.fla", f"{SGLANG}.attention.dsa"
VERIFY = f"{SGLANG}.attention"
SGLANG_WORKLOADS = {
    "delta states": serve(f"{FLA}.chunk_delta_h.chunk_gated_delta_rule_fwd_h", lambda n: [
        *chunks("q", "q", "q", "gate:fp32")(n), None, n(2, HEADS, SIZE, SIZE, dtype=FP32), torch.arange(2, device=n.device)]),
    "delta inside": serve(f"{FLA}.chunk_fwd.chunk_gated_delta_rule_fwd_intra", chunks("q", "q", "gate:fp32", "gate")),
    "delta outputs": serve(f"{FLA}.chunk_o.chunk_fwd_o", chunks("q", "q", "q", "states", "gate:fp32")),
    "delta rows": serve(f"{FLA}.wy_fast.recompute_w_u_fwd", then(chunks("q", "q", "gate", "gate:fp32", "matrix"), None)),
    "kda inside": serve(f"{FLA}.chunk_intra.chunk_kda_fwd_intra", lambda n: [
        *chunks("q", "q", "q", "gates:fp32", "gate")(n), 0.09]),
    "kda inside safe": serve(f"{FLA}.chunk_intra.chunk_kda_fwd_intra", lambda n: [
        *chunks("q", "q", "q", "gates:fp32", "gate")(n), 0.09], safe_gate=True),
    "kda products": serve(f"{FLA}.kda.chunk_kda_scaled_dot_kkt_fwd", lambda n: [
        *chunks("q", "q", "gates:fp32", "gate")(n), 0.09]),
    "kda rows": serve(f"{FLA}.kda.recompute_w_u_fwd", chunks("q", "q", "gate", "matrix", "gates:fp32")),
    "kda outputs": serve(f"{FLA}.kda.chunk_gla_fwd_o_gk", lambda n: [
        *chunks("q", "q", "gates:fp32", "matrix", "states", "q")(n), 0.09]),
    "latent of chosen": serve(f"{DSA}.triton_sparse_mla._triton_sparse_mla_fwd_single", chosen_parts),
    "latent of chosen in parts": serve(f"{DSA}.triton_sparse_mla._triton_sparse_mla_fwd_splitk", lambda n: [
        *chosen_parts(n), 512, 8]),
    "latent prefill": serve(f"{DSA}.triton_sparse_mla_prefill.sparse_mla_prefill", lambda n: [*chosen_rows(n), 0.06]),
    "latent prefill of two": serve(f"{DSA}.triton_sparse_mla_prefill.sparse_mla_prefill", lambda n: [*chosen_rows(n), 0.06],
                                   union=2),
    "sparse prefill": sparse_prefill(),
    "sparse prefill fp8": sparse_prefill(FP8),
    "sparse index": sparse_index(),
    "sparse index lse": sparse_index("lse"),
    "sparse index alone": sparse_index(alone=True),
    "sparse token": sparse_token(),
    "sparse token fp8": sparse_token(FP8),
    "sparse token index": sparse_token_index(),
    "sparse token index alone": sparse_token_index(True),
    "frames": frames(0),
    "frames tf32": frames(1),
    "sparse linear": launch(f"{SGLANG}.diffusion.attention.sparse_linear_attn_triton._attn_fwd", sparse_linear, (64, 32),
                            {"num_warps": 4, "num_stages": 3}),
    "drafts": for_any_gpu(serve(f"{VERIFY}.unified_attention_3d_mtp.unified_attention_3d_mtp_func", tokens_of_drafts)),
    "extended in one": serve(f"{VERIFY}.extend_attention.extend_attention_fwd_unified", extended()),
    "extended in one 64 window": serve(f"{VERIFY}.extend_attention.extend_attention_fwd_unified", extended(64),
                                       sliding_window_size=255),
    "prefilled dense": serve(f"{VERIFY}.extend_attention.dense_prefill_attention_fwd", prefilled()),
    "prefilled dense 192": serve(f"{VERIFY}.extend_attention.dense_prefill_attention_fwd", prefilled(192)),
    "verified": serve(f"{VERIFY}.verify_splitkv.verify_splitkv_fwd", verified()),
    "verified 128": serve(f"{VERIFY}.verify_splitkv.verify_splitkv_fwd", verified(128, 32, 8)),
    "verified latent": serve(f"{VERIFY}.verify_mla.verify_shared_kv_fwd", verified_latent),
    "paged prefill": serve(f"{VERIFY}.dsv4.unified_kv_kernels.paged_prefill._sparse_attn_v4_paged_prefill_triton",
                           paged_rows()),
    "paged token": serve(f"{VERIFY}.dsv4.unified_kv_kernels.paged_decode._sparse_attn_v4_paged_decode_triton",
                         paged_rows("token")),
    "adapters a": adapted("chunked_sgmv_shrink.chunked_sgmv_lora_shrink_forward", lambda n, info: n(4096, 4096),
                          lambda n, info: n(4, 96, 4096), lambda n, info: info, 3),
    "adapters b": adapted("chunked_sgmv_expand.chunked_sgmv_lora_expand_forward", lambda n, info: n(4096, 96),
                          lambda n, info: n(4, 6144, 32), lambda n, info: info,
                          lambda n, info: torch.tensor([0, 4096, 5120, 6144], device=info.seg_lens.device), 4096, None),
    "adapters qkv": adapted("qkv_lora_b.qkv_lora_b_fwd", lambda n, info: n(4096, 96), lambda n, info: n(4, 6144, 32),
                            lambda n, info: info,
                            lambda n, info: torch.tensor([0, 4096, 5120, 6144], device=info.seg_lens.device,
                                                         dtype=torch.int32), 4096),
    "adapters gate": adapted("gate_up_lora_b.gate_up_lora_b_fwd", lambda n, info: n(4096, 64),
                             lambda n, info: n(4, 8192, 32), lambda n, info: info, 4096),
    "router": serve(f"{SGLANG}.moe.router.fused_moe_router_tensorcore", lambda n: [
        n(4096, 4096), n(8, 4096), 2, 30.0, 32, 16, 256]),
    "mixed": serve(f"{SGLANG}.gemm.hc_mix.fused_hc_mix", lambda n: [n(64, 16384), n(64, 16384), n(16384, 64), 4, 4096]),
}


def different(keys=192, values=128, new=256, cached=None, heads=32, groups=8, block=16):
    """Attention to pages whose values are shorter than keys."""

    def make(n):
        q, k = n(BATCH * new, heads, keys), n(BATCH * LENGTH // block, block, groups, keys)
        v = n(BATCH * LENGTH // block, block, groups, values)
        if cached:
            k, v = k.to(cached), v.to(cached)
        return [q, k, v, empty(n, BATCH * new, heads, values), steps(n, new), filled(n, LENGTH - 5, BATCH), 0.07, True,
                (-1, -1), table(n), 0.0, new]

    return serve(f"{ATTENTION}.triton_unified_attention_diffkv.unified_attention_diffkv", make)


def packed_pages(new=256, heads=32, groups=8, size=128, block=16, split=False):
    """Attention to keys and values of four bits."""

    def run(device):
        n = lambda *sizes, dtype=BF16: torch.randn(*sizes, device=device, dtype=dtype)
        n.device = device
        pages = BATCH * LENGTH // block
        q = n(BATCH * new, heads, size)
        parts = [empty(n, BATCH * new, heads, 16, *tail, dtype=FP32) for tail in ((size, ), (), ())]
        of(f"{ATTENTION}.int4_per_token_head._launch_packed_attn")(
            q=q, k_cache=whole(n, 255, pages, block, groups, size // 2, dtype=torch.uint8),
            v_cache=whole(n, 255, pages, block, groups, size // 2, dtype=torch.uint8), out=torch.empty_like(q),
            cu_seqlens_q=steps(n, new), max_seqlen_q=new, seqused_k=filled(n, LENGTH - 5, BATCH), softmax_scale=0.09,
            window_size=(-1, -1), block_table=table(n), softcap=0.0, sinks=None, alibi_slopes=None, use_alibi_sqrt=False,
            qq_bias=None, output_scale=None, mm_prefix_range=None, k_scale_cache=rand(n, pages, block, groups),
            v_scale_cache=rand(n, pages, block, groups), seq_threshold_3D=128 if split else None,
            num_par_softmax_segments=16 if split else None, softmax_segm_output=parts[0] if split else None,
            softmax_segm_max=parts[1] if split else None, softmax_segm_expsum=parts[2] if split else None, packing_factor=2)

    return run


def segmented(kind=BF16, new=4, heads=32, groups=8, size=128, block=16, splits=8, rows=16, columns=64):

    def make(n):
        q = n(BATCH * new, heads, size)
        keys, values = (n(BATCH * LENGTH // block, block, groups, size).to(kind) for _ in range(2))
        one = torch.ones(1, device=n.device)
        capacity = of(f"{ATTENTION}.segmented_attention.segmented_query_capacity")(new)
        shapes = of(f"{ATTENTION}.segmented_attention.segmented_workspace_shapes")(
            BATCH, capacity, heads, groups, size, splits) or ((1, ), (1, ))
        config = {"splits": splits, "bm": rows, "bn": columns, "bk": size, "warps": 4, "stages": 2}
        return [q, torch.empty_like(q), keys, values, table(n), steps(n, new), filled(n, LENGTH - 5, BATCH), one, one, None,
                0.09, config, *(empty(n, *shape, dtype=FP32) for shape in shapes), capacity, -1, True]

    return for_any_gpu(serve(f"{ATTENTION}.segmented_attention._launch_segmented_attention", make, compile_only=False))


def turbo(new, fp8_keys=False, heads=32, groups=8, size=128, block=16):
    """Attention to pages of numbers that a code book or eight bits stand for."""

    def make(n):
        width = size if fp8_keys else size // 2 + 2
        slot = width + size // 2 + 8
        pages = BATCH * LENGTH // block
        return [n(BATCH * new, heads, size), whole(n, 255, pages, block, groups, slot, dtype=torch.uint8), table(n),
                filled(n, LENGTH - 5, BATCH), steps(n, new), n(size, size, dtype=FP32), rand(n, 16), 0.09, 4, width, 4,
                size // 2 + 4]

    return serve(f"{ATTENTION}.turboquant_soa.triton_turboquant_unified_attention.triton_turboquant_unified_attention", make,
                 key_fp8=fp8_keys, max_query_len=new, max_seq_len=LENGTH)


def latent_pass(n, count=32, tokens=8, rank=256, hidden=512):
    return [whole(n, 1000, count, tokens, dtype=torch.int64), whole(n, 1000, count, dtype=torch.int64), n(count, tokens, rank),
            empty(n, count, tokens - 1, rank), n(1000, rank), n(rank, rank), n(tokens, tokens, rank), n(rank, hidden),
            n(rank, hidden), n(hidden, rank)]


def reranked(n, documents=256, length=180, size=128):
    return [n(32, size, dtype=FP16), n(documents * length, size, dtype=FP16), steps(n, length, documents)[:-1].contiguous(),
            filled(n, length, documents), length]


def expert_adapters(shrink, tokens=1024, count=16, chosen=2, width=2048, inner=2048, rank=32, loras=4, block=64, slices=2):

    def run(device):
        n = lambda *sizes, dtype=BF16: torch.randn(*sizes, device=device, dtype=dtype)
        n.device = device
        _, order, owners, total = routed(device, tokens, count, chosen, block)
        order, owners, total = (one[None].expand(loras, *one.shape).contiguous() for one in (order, owners, total))
        between = empty(n, slices, tokens, chosen, rank)
        common = [rand(n, tokens, chosen), order, owners, total.flatten(), zeros(n, tokens), chosen,
                  torch.arange(loras + 1, device=device, dtype=torch.int32), filled(n, 1, loras + 1), torch.device(device)]
        total_rows = order.shape[1]
        numbers = [tokens, total_rows]
        if shrink:
            of(f"{LORA}.fused_moe_lora_op._fused_moe_lora_shrink")(
                between, n(tokens, width), [n(loras, count, rank, width) for _ in range(slices)], *common, rank, *numbers,
                width, tokens * chosen, count, slices, block, 32, 64, 8, 4, 3, 1, torch.tensor([loras]))
        else:
            of(f"{LORA}.fused_moe_lora_op._fused_moe_lora_expand")(
                n(tokens, chosen, inner * slices), between, [n(loras, count, inner, rank) for _ in range(slices)], *common,
                rank, *numbers, width, tokens * chosen, count, slices, rank, inner, block, 128, 32, 8, 4, 3, 1,
                torch.tensor([loras]))

    return run


def expert_adapters_at_once(tokens=1024, count=16, chosen=2, width=2048, inner=2048, rank=32, loras=4, block=64, slices=2):

    def run(device):
        n = lambda *sizes, dtype=BF16: torch.randn(*sizes, device=device, dtype=dtype)
        n.device = device
        _, order, owners, total = routed(device, tokens, count, chosen, block)
        order, owners, total = (one[None].expand(loras, *one.shape).contiguous() for one in (order, owners, total))
        of(f"{LORA}.fused_moe_lora_op._run_fused_moe_lora_one_shot")(
            n(tokens, chosen, inner * slices), n(tokens, width), [n(loras, count, rank, width) for _ in range(slices)],
            [n(loras, count, inner, rank) for _ in range(slices)], rand(n, tokens, chosen), order, owners, total.flatten(),
            zeros(n, tokens), rank, chosen, torch.arange(loras + 1, device=device, dtype=torch.int32), torch.tensor([loras]),
            filled(n, 1, loras + 1), False, block)

    return run


def expert_batches(kind=None, count=16, tokens=256, width=2048, inner=2048):

    def make(n):
        left, right = n(count, tokens, width), n(count, inner, width)
        if kind:
            left, right = left.to(kind), right.to(kind)
        scales = [rand(n, count, tokens, width // 128), rand(n, count, inner // 128, width // 128)] if kind else [None, None]
        config = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 128 if kind else 64}
        return [left, right, empty(n, count, tokens, inner), filled(n, tokens - 7, count), tl.bfloat16, *scales, None,
                bool(kind), False, False, config, False, [128, 128] if kind else None]

    return serve(f"{MOE}.experts.fused_batched_moe.invoke_moe_batched_triton_kernel", make)


def scaled_experts(n, tokens=2048, count=16, chosen=2, width=2048, inner=1024, block=64):
    _, order, owners, total = routed(n.device, tokens, count, chosen, block)
    return [fp8(n, tokens, width), whole(n, 140, tokens, width // 32, dtype=torch.uint8), fp8(n, count, inner, width),
            whole(n, 140, count, inner, width // 32, dtype=torch.uint8), order, owners, total, tokens * chosen, chosen, block,
            BF16, chosen]


def four_bit_experts(n, tokens=2048, count=16, chosen=2, width=2048, inner=1024, block=64):
    _, order, owners, total = routed(n.device, tokens, count, chosen, block)
    config = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, "num_warps": 4,
              "num_stages": 3}
    return [n(tokens, width), whole(n, 255, count, inner, width // 2, dtype=torch.uint8), empty(n, tokens, chosen, inner),
            whole(n, 120, count, inner, width // 16, dtype=torch.uint8), rand(n, 1), rand(n, count), rand(n, tokens, chosen),
            order, owners, total, False, chosen, config, tl.bfloat16]


def replayed(n, heads=64, groups=8, size=64, states=128, batch=64, most=16):
    of_heads = lambda *sizes: n(*sizes)[..., None].expand(*sizes, size)
    x = n(batch, heads, size)
    return [n(batch, heads, size, states), x, of_heads(batch, heads),
            (-rand(n, heads, 1, 1)).expand(-1, size, states), n(batch, groups, states), n(batch, groups, states)], dict(
                D=of_heads(heads), dt_bias=of_heads(heads), dt_softplus=True, x_cache=n(batch, heads, most, size),
                dt_cache=n(batch, heads, most), B_cache=n(batch, groups, most, states),
                bc_pre=empty(n, batch, groups, most, dtype=FP32), write_pos=zeros(n, batch),
                is_flush=filled(n, 0, batch, dtype=torch.int8), max_cache_len=most,
                state_batch_indices=torch.arange(batch, device=n.device, dtype=torch.int32), out=torch.empty_like(x))


def replay(device):
    n = lambda *sizes, dtype=BF16: torch.randn(*sizes, device=device, dtype=dtype)
    n.device = device
    arguments, options = replayed(n)
    of(f"{MAMBA}.selective_state_update_replayssm_output_only.selective_state_update_replayssm_output_only")(
        *arguments, **options)


ATTENTION = "vllm.v1.attention.ops"
LORA, MAMBA = "vllm.lora.ops.triton_ops", "vllm.model_executor.layers.mamba.ops"
MOE, LINEAR = "vllm.model_executor.layers.fused_moe", "vllm.model_executor.kernels.linear"
ROCM = f"{ATTENTION}.rocm_aiter_mla_sparse"
VLLM_WORKLOADS = {
    "different": different(),
    "different fp8": different(cached=FP8),
    "different token": different(new=1),
    "packed": packed_pages(),
    "packed token": packed_pages(1, split=True),
    "hadamard": serve(f"{ATTENTION}.int4_per_token_head._triton_hadamard_transform", lambda n: [n(8192, 8, 128)]),
    "latent sparse": serve(f"{ATTENTION}.xpu_mla_sparse.triton_bf16_mla_sparse_interface", lambda n: [
        *chosen_rows(n), 0.06]),
    "segmented": segmented(),
    "segmented fp8": segmented(FP8),
    "segmented wide": segmented(rows=64, new=16, splits=1),
    "turbo": turbo(256),
    "turbo token": turbo(1),
    "turbo fp8": turbo(256, True),
    "ragged sparse": serve(f"{ROCM}._rocm_sparse_attn_prefill_ragged_triton", lambda n: [
        n(256, 64, 512), n(8192, 512), whole(n, 8192, 256 * 512), steps(n, 512, 256), 0.06, n(64, dtype=FP32), 448, 64]),
    "ragged sparse token": serve(f"{ROCM}._rocm_sparse_attn_decode_ragged_bf16_triton", lambda n: [
        n(32, 64, 512), n(8192, 512), whole(n, 8192, 32 * 512), steps(n, 512, 32), 0.06, n(64, dtype=FP32), 448, 64, 4]),
    "drafted": serve("vllm.v1.worker.gpu.spec_decode.xpress.kernels.xpress_latent_pass", latent_pass),
    "reranked": serve("vllm.v1.pool.flash_maxsim.flash_maxsim_rerank._run_rerank_kernel", reranked),
    "adapters of experts": expert_adapters(True),
    "adapters of experts back": expert_adapters(False),
    "adapters of experts at once": expert_adapters_at_once(),
    "batches of experts": expert_batches(),
    "batches of experts fp8": expert_batches(FP8),
    "scaled experts": serve(f"{MOE}.experts.mxfp8_native_moe._grouped_gemm_mxfp8", scaled_experts),
    "four bit experts": serve(f"{MOE}.experts.nvfp4_emulation_moe.invoke_fused_moe_nvfp4_emulation_kernel", four_bit_experts),
    "four bits in columns": serve(f"{LINEAR}.mixed_precision.rdna_hybrid_w4a16.triton_w4a16_skinny_fmt_gemm", lambda n: [
        n(512, 4096), whole(n, 1 << 30, 4096, 512), n(4096, 32), 128]),
    "four bits in columns, few rows": serve(
        f"{LINEAR}.mixed_precision.rdna_hybrid_w4a16.triton_w4a16_skinny_fmt_gemm", lambda n: [
            n(16, 4096, dtype=FP16), whole(n, 1 << 30, 4096, 512), n(4096, 32, dtype=FP16), 128]),
    "replayed": replay,
}
WORKLOADS = {**{f"sglang {name}": run for name, run in SGLANG_WORKLOADS.items()},
             **{f"vllm {name}": run for name, run in VLLM_WORKLOADS.items()}}
