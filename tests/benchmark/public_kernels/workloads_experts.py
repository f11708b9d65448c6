"""Operations of packages that nothing else here has: attention and products of protein folding, experts of four bits and
pages of eight, low-rank adapters, sparse autoencoders, losses, and attention to keys that a search finds. Of eai-sparsify,
fastaf, flash-xlstm-exp, fms-acceleration-foak, grouped-nf4-gemm, hip-attn, lightning-thunder, openfold3, rwkv-fla,
saga-activation and xtuner."""
import contextlib
import functools
import importlib
import os
from unittest import mock

import bare
import torch
import triton
from workloads_serving import serve, whole
from workloads_training import both_passes, call, of, targets

# Launches that go around Triton's are not seen, and those that begin before what they follow has ended are not compared.
os.environ.update(GNF4_TRITON_PREBIND="0", GNF4_PDL="0", GNF4_PINNED_RING="0")
bare.bare("fastaf", "fms_acceleration_foak", "hip_attn", "openfold3", "sparsify", "thunder", "xtuner")
bare.stub("biotite", "openfold3.core.config", "openfold3.core.kernels.cueq_utils", "openfold3.core.model.primitives",
          "nvme_residency", "rwkvfla.layers", "rwkvfla.models", "thunder.torch", "cv2", "numba", "matplotlib", "cupy",
          "vllm_flash_attn", "tilelang", "hip_research", "hip_attn.v1_1.offload_runner.tensor_from_pointer",
          "hip_attn.v1_2.attention_extend_bsa_tilelang")
bare.stub("fastaf.kernels.fused_lora_linear._shared_lora_utils", INPUT_SHAPES=[])  # for a later Python
bare.stub("thunder.extend", OperatorExecutor=bare.Anything, register_executor=bare.Anything())
bare.stub("thunder.executors.triton_utils", triton_version=lambda: "3.6", is_triton_version_at_least=lambda version: True)


class Range(contextlib.ContextDecorator, contextlib.nullcontext):
    """What has a name in a profile."""


bare.stub("nvtx", annotate=Range)
FP16, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32
FP8 = torch.float8_e4m3fn


def anywhere(run):
    """RUN, also where the GPU is a pretended one: what goes through memory that is fixed for it goes through other memory."""

    def patched(device):
        with contextlib.ExitStack() as stack:
            if device == "cpu":
                stack.enter_context(mock.patch.object(torch.Tensor, "pin_memory", lambda tensor, device=None: tensor))
                stack.enter_context(mock.patch("nf4_grouped._arena", lambda device: None))
                for owner, name in ((torch.cuda, "set_device"), (torch, "set_default_device")):
                    stack.enter_context(mock.patch.object(owner, name, lambda device: None))
            run(device)

    return patched


def within(run, **variables):
    """RUN with these variables of the environment."""

    def patched(device):
        with mock.patch.dict(os.environ, variables):
            run(device)

    return anywhere(patched)


def uniform(n, *sizes, dtype=FP32):
    return torch.rand(*sizes, device=n.device).to(dtype)


def given(n):
    """As n, without gradients."""

    def normal(*sizes, dtype=BF16, scale=1.0):
        return (torch.randn(*sizes, device=n.device) * scale).to(dtype)

    normal.device = n.device
    return normal


# Folding

TRIANGLE = "openfold3.core.model.layers.triangular_multiplicative_update"
EVOFORMER, SOFTMAX = "openfold3.core.kernels.triton.evoformer", "openfold3.core.kernels.triton.triton_softmax"


def triangle(length, dtype=BF16, heads=4, size=32):
    """Queries, keys and values of pairs of residues, which of them are there, and what is added to their attention."""
    return lambda n: [
        *(n(1, length, length, heads, size, dtype=dtype) for _ in range(3)),
        torch.zeros(1, length, 1, 1, length, device=n.device, dtype=dtype), n(1, 1, heads, length, length, dtype=dtype)]


def evoformer(length, name="TritonEvoformer", **options):
    return call(f"{EVOFORMER}.{name}", triangle(length, **options))


def softmax(length, rows, mask=True):
    """Of the attention of rows of a table of pairs, and its gradient."""

    def run(device):
        x = torch.randn(1, rows, 4, length, length, device=device, dtype=BF16)
        there = (torch.rand(rows, length, device=device) < 0.9).to(BF16) if mask else None
        bias = torch.randn(4, length, length, device=device, dtype=BF16) if mask else None
        y = of(f"{SOFTMAX}.softmax_triton_kernel_wrapper")(x, there, bias, x.numel() // length, length)
        of(f"{SOFTMAX}.softmax_grad_triton_kernel_wrapper")(torch.randn_like(x), y, x.numel() // length, length)

    return run


def pairs(n, dtype=BF16, channels=128):
    return n(1, 512, 512, channels, dtype=dtype)


# Experts of four bits

EXPERTS, INNER, MODEL = 64, 768, 2048


def bits(n, *sizes):
    return whole(n, 256, *sizes, dtype=torch.uint8)


def nf4(n, outputs=2 * INNER, inputs=MODEL, experts=EXPERTS):
    return [bits(n, experts, outputs, inputs // 2), uniform(n, experts, outputs, inputs // 64) * 0.05]


def int4(n, outputs=2 * INNER, inputs=MODEL, experts=EXPERTS):
    return [bits(n, experts, outputs, inputs // 2), uniform(n, experts, outputs, inputs // 32, dtype=FP16) * 0.05]


def mxfp4(n, outputs=5760, inputs=2880, experts=8):
    return [bits(n, experts, outputs, inputs // 2), whole(n, 8, experts, outputs, inputs // 32, dtype=torch.uint8) + 117]


def groups(experts=EXPERTS, rows=64):
    """How many rows experts have, in some disorder."""
    return [rows // 2 + (37 * i) % rows for i in range(experts)]


def grouped(name, weights=nf4, experts=EXPERTS, inputs=MODEL, dtype=BF16, **options):
    """Many rows, those of an expert beside each other."""

    def make(n):
        sizes = groups(experts)
        return [n(sum(sizes), inputs, dtype=dtype), *weights(n), sizes,
                torch.arange(experts, device=n.device, dtype=torch.int32)]

    return anywhere(serve(name, make, **options))


def alone(name, weights=nf4, experts=EXPERTS, inputs=MODEL, rows=64, **options):
    """Rows that each have an expert."""
    return anywhere(serve(name, lambda n: [n(rows, inputs), *weights(n), [1] * rows, whole(n, experts, rows)], **options))


def as_if_larger(run):
    """With what is taken for GPUs of more multiprocessors."""

    def patched(device):
        with mock.patch("nf4_grouped._sm_count", lambda device: 170):
            run(device)

    return within(patched, GNF4_GEMV_BW="0")


def table(n, rows=256, experts=EXPERTS, block=16, **options):
    """Expert of each row; where tiles of an expert's rows begin, how many rows they have, whose they are, and the order."""
    ids = whole(n, experts, rows)
    row0, rows, group, order, *_ = of("int4_b32.build_group_tiles_fused")(ids, experts, block, **options)
    return row0, rows, group, order


def bytes_of(n, rows=8, inputs=MODEL):
    """Activations as bytes, and their scales."""
    return [whole(n, 255, rows, inputs, dtype=torch.int16).sub(127).to(torch.int8), uniform(n, rows, inputs // 32) * 0.02]


def int4_rows(n, rows=64):
    return [*bytes_of(n, rows), *int4(n), whole(n, EXPERTS, rows), 2 * INNER, MODEL]


def small(name, weights, inputs=MODEL, experts=EXPERTS, rows=256, **options):
    """Few rows for each expert."""

    def make(n):
        return [n(rows, inputs), *weights(n), *table(n, rows, experts)]

    return anywhere(serve(name, make, **options))


def scattered(n, rows=256):
    row0, counts, group, order = table(n, rows)
    return [n(rows // 8, MODEL), *int4(n), row0, counts, group, order]


def tokens_to_rows(device):
    """Few rows, which are copied from their tokens as they are read, and written where they belong."""
    n = given_on(device)
    made = scattered(n)
    of("int4_smallm.gemm_int4_b32_grouped_smallm")(*made, gather_div=8, scatter=made[-1])


def given_on(device):

    def n():
        pass

    n.device = device
    return given(n)


def split(device):
    """Tall tiles, and short ones for what is left."""
    n = given_on(device)
    big, little, order, _ = of("nf4_grouped.build_group_tiles_split")(whole(n, EXPERTS, 4096), EXPERTS, 64)
    of("int4_smallm.gemm_int4_b32_grouped_split")(n(4096, MODEL), *int4(n), big, little, 64, order)


def captured(device):
    n = given_on(device)
    row0, rows, group, order, _ = of("nf4_grouped.build_group_tiles_device")(whole(n, EXPERTS, 4096), EXPERTS, 16)
    of("int4_b32.gemm_int4_b32_grouped_captured")(*bytes_of(n, 4096), *int4(n), row0, rows, group)


def tables(rows, **options):

    def run(device):
        table(given_on(device), rows, 128, **options)

    return run


def in_turn(run):
    """With launches that may begin before those that they follow have ended."""

    def patched(device):
        refresh = of("int4_b32.pdl_refresh")
        try:
            with mock.patch.dict(os.environ, GNF4_PDL="1"):
                refresh()
                run(device)
        finally:
            refresh()

    return patched


def one_matrix(n, rows, outputs=14336, inputs=4096):
    return [n(rows, inputs), bits(n, outputs, inputs // 2), uniform(n, outputs, inputs // 32, dtype=FP16) * 0.05]


def a_row(n, *rest):
    return [n(4096), *rest]


def byte_matrix(n, outputs=28672, inputs=4096):
    return [whole(n, 127, outputs, inputs, dtype=torch.int8), uniform(n, outputs) * 0.01]


def added(device):
    n = given_on(device)
    of(f"{INT4}.combine_rows")(n(8 * 4096, MODEL), uniform(n, 8 * 4096), 8, residual=n(4096, MODEL))


def fetched(device):
    """Experts' rows from where many are to where few are."""
    source = torch.zeros(EXPERTS, 1 << 20, device=device, dtype=torch.uint8)
    target = torch.zeros(16, 1 << 20, device=device, dtype=torch.uint8)
    ids = torch.randperm(EXPERTS, device=device)[:16].to(torch.int32)
    of("host_gather.gather_expert_rows")(target, source, ids)
    of("host_gather.gather_expert_rows")(target, source, ids, have=ids.roll(1))
    words = target.shape[1] // 8
    addresses = source.data_ptr() + ids.long() * source.shape[1]
    slots, have = target.view(torch.int64), torch.zeros(16, device=device, dtype=torch.int64)
    of("mxfp4_pipelined._gather_kernel")()[16, -(-words // 2048)](slots, addresses, have, words, BLOCK=2048, num_warps=4)
    pieces = [(0, 1 << 19, 1 << 19), (1 << 19, 0, (1 << 19) - 64)]
    places = [torch.tensor(x, device=device) for x in of("mxfp4_residency._chunk_table")(pieces, 2048)]
    of("mxfp4_residency._perm_gather_kernel")()[16, len(places[0])](slots, addresses, have, *places, words, BLOCK=2048,
                                                                    num_warps=4)


# Pages of eight bits

def pool(n, count, tokens=16, heads=8, size=128, parts=1):
    """Pages, each with its tokens' bytes and their scales."""
    payload = torch.randn(count, tokens * heads * size, device=n.device).to(FP8).view(torch.uint8)
    scales = (uniform(n, count, tokens * heads * parts) * 0.1).view(torch.uint8)
    return torch.cat([payload, scales], 1).flatten()


def paged(parts=1, heads=32, groups=8, size=128, batch=16, length=2048, **options):

    def make(n):
        blocks = length // 16
        return [n(batch, heads, size), pool(n, batch * blocks, heads=groups, size=size, parts=parts),
                pool(n, batch * blocks, heads=groups, size=size),
                torch.randperm(batch * blocks, device=n.device).to(torch.int32).view(batch, blocks),
                torch.full((batch, ), length - 5, device=n.device, dtype=torch.int32)]

    def run(device):
        sinks = {"sinks": torch.zeros(heads, device=device)} if "window" in options else {}
        serve("fp8_paged_attn.fp8_paged_decode_attention", make, n_kv_heads=groups, head_dim=size, k_groups=parts, **options,
              **sinks)(device)

    return run


def appended(n, slots=256, blocks=128, tokens=16, heads=8, size=128, parts=1):
    row = tokens * heads * size + tokens * heads * parts * 4
    return [n(slots, heads, size), torch.zeros(row * slots * 2, device=n.device, dtype=torch.uint8),
            torch.arange(slots, device=n.device, dtype=torch.int32)[:, None].repeat(1, blocks),
            torch.arange(slots, device=n.device, dtype=torch.int32), whole(n, blocks * tokens, slots), row,
            tokens * heads * size, tokens, parts]


def appended_one(n):
    x, pages, places, _, lengths, *rest = appended(n, 4)
    return [x[0], pages, places[0], lengths[:1], *rest]


# Adapters, losses and the rest

def lora(device, rows=2048, width=2048, rank=16):
    """A low-rank adapter beside a linear layer, and its gradients, in the blocks that it comes with."""
    n = given_on(device)
    x, a, b, out = n(rows, width, dtype=FP16), n(rank, width, dtype=FP16), n(width, rank, dtype=FP16), n(rows, width, dtype=FP16)

    def blocks(module):
        made = dict(module.DEFAULT_CFG)
        warps, stages = made.pop("num_warps"), made.pop("num_stages")
        return triton.Config(made, num_warps=warps, num_stages=stages)

    kernels = {name: importlib.import_module(f"fastaf.kernels.fused_lora_linear.{name}") for name in (
        "fwd", "bwd_a", "bwd_b", "bwd_x")}
    launch = {name: functools.partial(getattr(module, f"launch_kernel_lora_fused_linear_{word}"), scale=0.5,
                                      kernel_args=blocks(module))
              for (name, module), word in zip(kernels.items(), ("forward", "backward_a", "backward_b", "backward_x"))}
    launch["fwd"](X=x, A=a, B=b, base=out.clone())
    launch["bwd_a"](X=x, B=b, dL_dout=out)
    launch["bwd_b"](X=x, A=a, dL_dout=out)
    launch["bwd_x"](dL_dout=out, B=b, A=a)


def bag(dtype, width=2048, rows=8192, chosen=32, count=32768):
    """What a sparse autoencoder decodes."""
    return call("sparsify.xformers.xformers_embedding_bag", lambda n: [
        whole(n, count, rows, chosen, dtype=torch.int64), n(count, width, dtype=dtype),
        uniform(n, rows, chosen).to(dtype).requires_grad_()])


def loss(n, rows=4096, count=32768, dtype=BF16):
    return n(rows, count, dtype=dtype), targets(n, rows, count)


def smoothed(device):
    n = given_on(device)
    logits, indices = loss(n)
    both_passes(lambda: of(f"{LOSS}.cross_entropy")(logits.requires_grad_(), indices, uniform(n, 32768), label_smoothing=0.1))


def chances(device):
    n = given_on(device)
    logits = n(2048, 32000).requires_grad_()
    both_passes(lambda: of(f"{LOSS}.cross_entropy")(logits, uniform(n, 2048, 32000).softmax(1), label_smoothing=0.1))


LOSS = "thunder.executors.triton_crossentropy_impl"


def pixels(dtype, *sizes):
    return call("saga.activation.SAGAFusedFunction.apply", lambda n: [*(n(*sizes, dtype=dtype) for _ in range(3)), 0.7])


def mlstm(n, batch=4, heads=8, length=4096, size=128, chunk=128):
    count = length // chunk + 1
    return [*(n(batch, heads, length, size) for _ in range(3)), n(batch, heads, length, dtype=FP32),
            n(batch, heads, length, dtype=FP32) + 3, n(batch, heads, count * size, size, dtype=FP32),
            n(batch, heads, count * size, dtype=FP32), n(batch, heads, count, dtype=FP32)]


def rotary(n, size=128, length=2048):
    angles = uniform(n, length, size // 2) * 6
    return [n(4, length, 32, size), angles.cos().to(BF16), angles.sin().to(BF16)]


def rotary_packed(n, size=128, length=2048):
    _, cos, sin = rotary(n, size, length)
    return [n(4 * length, 32, size), cos, sin]


def rotate_packed(device, **options):
    n = given_on(device)
    ends = torch.arange(0, 4 * 2048 + 1, 2048, device=device, dtype=torch.int32)
    of(f"{XTUNER}.rotary.apply_rotary")(*rotary_packed(n), cu_seqlens=ends, max_seqlen=2048, **options)


XTUNER, FLA, INT4, FOAK = "xtuner.model.modules.dispatch.triton_kernels", "rwkvfla", "int4_b32", "fms_acceleration_foak"


def gptq(n, inputs=4096, outputs=4096, group=128):
    return [whole(n, 1 << 30, inputs // 8, outputs), uniform(n, inputs // group, outputs, dtype=FP16),
            whole(n, 1 << 30, inputs // group, outputs // 8),
            torch.arange(inputs, device=n.device, dtype=torch.int32) // group, 4]


def gates(n, heads=16, size=64, length=2048):
    """For RWKV-7: what is kept, and what is taken away."""
    k = torch.nn.functional.normalize(torch.randn(4, length, heads, size, device=n.device), dim=-1).to(BF16)
    return dict(r=n(4, length, heads, size), k=n(4, length, heads, size), v=n(4, length, heads, size), a=-k,
                b=k * uniform(n, 4, length, heads, size, dtype=BF16),
                log_w=-0.6 * uniform(n, 4, length, heads, size, dtype=BF16))


def rwkv7(device):
    n = given_on(device)
    of(f"{FLA}.ops.rwkv7.fused_recurrent.FusedRecurrentRWKV7Function.apply")(*(
        gates(n)[name] for name in ("r", "k", "v", "log_w", "a", "b")), 1.0, None, True)


def chunks_of_16(device):
    """Gated linear attention, heads before tokens as it was."""
    n = given_on(device)
    q, k, v = (n(4, 8, 2048, size).requires_grad_() for size in (64, 64, 128))
    decay = torch.nn.functional.logsigmoid(n(4, 8, 2048, 64, dtype=FP32)).requires_grad_()
    both_passes(lambda: of(f"{FLA}.ops.gla.fused_chunk.FusedChunkGLAFunction.apply")(q, k, v, decay, 0.125, None, False))


def gated_slots(n, heads=4, size=128, slots=64):
    x = lambda *sizes: n(4, 2048, heads, *sizes)
    decay = torch.nn.functional.logsigmoid(torch.randn(4, 2048, heads, slots, device=n.device)) / 16
    return [x(size), x(size), x(size), x(slots), decay.to(BF16).requires_grad_()]


def blocks_of_keys(n, tokens=8192, heads=4, chosen=16):
    return [whole(n, tokens // 64, 2, tokens, heads, chosen, dtype=torch.int64), chosen, None, 64]


# Attention to keys that a search finds

HIP = "hip_attn.v1_2"


def turned(n, length, size=128):
    angles = torch.outer(torch.arange(length, device=n.device), 10000.0 ** -(torch.arange(size // 2, device=n.device) * 2 / size))
    angles = torch.cat([angles, angles], 1)
    return angles.cos().to(BF16), angles.sin().to(BF16)


def pages_of_one(n, batch, length, heads=4, size=128):
    """Keys and values in pages of a token, and where sequences have theirs."""
    return dict(k_cache=n(batch * length, 1, heads, size), v_cache=n(batch * length, 1, heads, size),
                block_table=torch.randperm(batch * length, device=n.device).to(torch.int32).view(batch, length),
                cache_seq_lens=torch.full((batch, ), length, device=n.device, dtype=torch.int32))


def searched(queries, length, heads=16, groups=4, batch=1, rope=False, paged=False, **options):
    """Queries at the end of so many keys."""

    def run(device):
        n = given_on(device)
        made = importlib.import_module(f"{HIP}.attention_metadata").HiPAttentionArgs
        keys = [None, None] if paged else [n(batch, length, groups, 128) for _ in range(2)]
        more = pages_of_one(n, batch, length, groups) if paged else {}
        if rope:
            more["rope_cos"], more["rope_sin"] = turned(n, length)
        positions = (torch.arange(length - queries, length, device=device))[None].expand(batch, queries).contiguous()
        of(f"{HIP}.attention_extend.dual_stage_quadratic_hip_attention")(
            n(batch, queries, heads, 128), *keys, made(
                position_ids=positions, extend_context_length=length, model_context_length=length, using_extend=rope,
                need_apply_rope=rope, require_cache_statistics=False, require_stage_caches=False, **more, **options))

    return anywhere(run)


def every(n, count=512, length=16384, heads=16, groups=4, paged=False):
    """Some queries of a long sequence, the keys before them, and where they are."""
    positions = torch.arange(count, device=n.device)[None] * (length // count) + 31
    if paged:
        pages = pages_of_one(n, 1, length, groups)
        return [n(1, heads, count, 128), None, None, positions, 0.09, pages["k_cache"], pages["v_cache"],
                pages["block_table"]]
    return [n(1, heads, count, 128), n(1, groups, length, 128), n(1, groups, length, 128), positions, 0.09, None, None, None]


def some(name, paged=False, **options):
    return anywhere(serve(f"{HIP}.query_sparse_attention.{name}", lambda n: every(n, paged=paged), **options))


def differences(n, every_nth=16, length=8192, heads=16):
    """What attention to all keys gives for some queries, and what that to a few gives for all."""
    places = torch.arange(0, length, every_nth, device=n.device)
    rest = torch.arange(length, length + 64, device=n.device)
    return [n(1, len(places) + 64, heads, 128), n(1, length, heads, 128), torch.cat([places, rest]), 64, every_nth, True]


def in_stages(device):
    """As it was before."""
    n, before = given_on(device), "hip_attn.v1_1.attention2_draft_sampling_extend"
    made, stage = of("hip_attn.v1_1.attention2_draft_prefetch.HiPAttentionArgs"), of(f"{before}.ScanStage")
    stages = [stage(stage_block_size_q=64, stage_block_stride_q=1, stage_chunk_size=size, stage_k=count, stage_stride=1)
              for size, count in ((64, None), (32, 16384), (8, 4096))]
    of(f"{before}.dual_stage_quadratic_hip_attention")(
        n(1, 2048, 16, 128), *(n(1, 32768, 4, 128) for _ in range(2)), made(mask_k=256, block_size_q=64, block_size_k=64),
        stages=stages)


ROWS, WIDTH = 8192, 2048
WORKLOADS = {
    "triangle attention": evoformer(256),
    "triangle attention of odd length": evoformer(237),
    "triangle attention of f32": evoformer(192, dtype=FP32),
    "triangle attention, one kernel for all lengths": evoformer(237, "TritonEvoformerDynamic"),
    "triangle attention by powers of two": within(evoformer(256, heads=8), OF3_TRITON_EXP2="1"),
    "softmax of pairs": softmax(384, 64),
    "softmax of few pairs": softmax(128, 512),
    "softmax of many pairs": softmax(1100, 8, mask=False),
    "gated pairs": serve(f"{TRIANGLE}.triton_sigmoid_mul", lambda n: [pairs(n, FP32), pairs(n, FP32)]),
    "norm of pairs": serve(f"{TRIANGLE}.triton_layernorm", lambda n: [pairs(n), n(128), n(128)]),
    "linear of pairs": serve(f"{TRIANGLE}.triton_linear", lambda n: [pairs(n), n(256, 128), n(256)]),
    "linear of pairs of f32": serve(f"{TRIANGLE}.triton_linear", lambda n: [pairs(n, FP32), n(128, 128, dtype=FP32)]),
    "gated linear of pairs": serve(f"{TRIANGLE}.triton_linear_fused", lambda n: [
        pairs(n), n(128, 128), n(128), pairs(n), uniform(n, 1, 512, 512, 1, dtype=BF16)], apply_sigmoid=True),
    "linear added to pairs": serve(f"{TRIANGLE}.triton_linear_fused", lambda n: [
        pairs(n), n(128, 128), None, pairs(n), None, pairs(n)]),
    "experts of nf4": grouped("nf4_grouped.gemm_4bit_grouped"),
    "experts of nf4 by table": grouped("nf4_grouped.gemm_4bit_grouped", prefill_variant=0),
    "experts of nf4 in bf16": grouped("nf4_grouped.gemm_4bit_grouped", prefill_variant=3),
    "experts of nf4 by two groups": grouped("nf4_grouped.gemm_4bit_grouped", prefill_groups=2, prefill_config=(128, 4, 2)),
    "gradients of experts of nf4": grouped("nf4_grouped.dgrad_4bit_grouped", inputs=2 * INNER),
    "experts of decoded nf4": grouped("nf4_route.decoded_forward"),
    "gradients of experts of decoded nf4": grouped("nf4_route.decoded_dgrad", inputs=2 * INNER),
    "rows of experts of nf4": within(alone("nf4_grouped.gemm_4bit_grouped"), GNF4_GEMV_BW="0"),
    "rows of experts of nf4 by words": within(alone("nf4_grouped.gemm_4bit_grouped"), GNF4_GEMV_BW="0",
                                              GNF4_GEMV_WIDE_LOADS="1"),
    "rows of experts of nf4 by vectors": within(alone("nf4_grouped.gemm_4bit_grouped"), GNF4_GEMV_BW="0",
                                                GNF4_GEMV_VEC_LOADS="1"),
    "rows of experts of nf4 by parts": within(alone("nf4_grouped.gemm_4bit_grouped", rows=8, split_k=4), GNF4_GEMV_BW="0"),
    "rows of experts of nf4 by products": as_if_larger(alone("nf4_grouped.gemm_4bit_grouped")),
    "rows of experts of nf4 by products of parts": as_if_larger(alone("nf4_grouped.gemm_4bit_grouped", rows=8, split_k=4)),
    "rows of experts of nf4 by permuted bytes": within(alone("nf4_grouped.gemm_4bit_grouped"), GNF4_GEMV_BW="1"),
    "rows of experts of nf4 by a tree": within(alone("nf4_grouped.gemm_4bit_grouped"), GNF4_GEMV_BW="1",
                                               GNF4_GEMV_BW_DECODE="tree"),
    **{f"few rows of experts of nf4 by {name}": small("nf4_smallm.gemm_nf4_grouped_smallm", nf4, lut=name)
       for name in ("tree", "prmt", "pair", "load")},
    "experts of mxfp4": grouped("mxfp4_grouped.gemm_mxfp4_grouped", mxfp4, 8, 2880),
    "experts of mxfp4 by table": grouped("mxfp4_grouped.gemm_mxfp4_grouped", mxfp4, 8, 2880, prefill_variant=0),
    "rows of experts of mxfp4": alone("mxfp4_grouped.gemm_mxfp4_grouped", mxfp4, 8, 2880, 8),
    "rows of bytes of experts of mxfp4": serve("mxfp4_grouped.gemv_mxfp4_b32", lambda n: [
        *bytes_of(n, 8, 2880), *mxfp4(n), whole(n, 8, 8), 5760, 2880]),
    "few rows of experts of mxfp4": small("mxfp4_grouped.gemm_mxfp4_grouped_smallm", mxfp4, 2880, 8, 64),
    "rows as bytes": serve(f"{INT4}.quant_x_rows", lambda n: [n(1024, 4096)]),
    "gathered rows as bytes": serve(f"{INT4}.quant_x_rows_gathered", lambda n: [
        n(1024, 4096), torch.randperm(1024, device=n.device)]),
    "rows of bytes of experts": serve(f"{INT4}.gemv_int4_b32", int4_rows),
    "rows of bytes of experts at once": serve(f"{INT4}.gemv_int4_b32", int4_rows, fused_reduce=True),
    "rows of bytes of the same experts": serve(f"{INT4}.gemv_int4_b32_grouped", int4_rows),
    "rows of bytes in turn": in_turn(serve(f"{INT4}.gemv_int4_b32", int4_rows)),
    "norm in turn": in_turn(serve(f"{INT4}.rmsnorm_rows", lambda n: [n(256, 4096), n(4096), 1e-6])),
    "experts of bytes": captured,
    "few rows of experts": small("int4_smallm.gemm_int4_b32_grouped_smallm", int4),
    "few rows of experts from tokens": tokens_to_rows,
    "tall and short tiles of experts": split,
    "few rows": serve("int4_smallm.gemm_int4_b32_smallm", lambda n: one_matrix(n, 16)),
    "more rows": serve("int4_smallm.gemm_int4_b32_smallm", lambda n: one_matrix(n, 64)),
    "tables of tiles": tables(256),
    "tables of tiles by sums": tables(1024, rank="cumsum", lean=True, sorted_ids=True),
    "tables of tiles by several": tables(1024, rank="cumsum", lean=True, programs=4),
    "swiglu of rows": serve(f"{INT4}.swiglu_rows", lambda n: [n(8 * ROWS, 2 * INNER)]),
    "combined experts": serve(f"{INT4}.combine_rows", lambda n: [n(8 * 4096, MODEL), uniform(n, 8 * 4096), 8]),
    "combined experts and what was": added,
    "norm of rows": serve(f"{INT4}.rmsnorm_rows", lambda n: [n(ROWS, 4096), n(4096), 1e-6]),
    "norm of sums of rows": serve(f"{INT4}.rmsnorm_resid_rows", lambda n: [n(ROWS, 4096), n(ROWS, 4096), n(4096), 1e-6, 0.22]),
    "sums of rows": serve(f"{INT4}.scaled_resid_add_rows", lambda n: [n(ROWS, 4096), n(ROWS, 4096), 0.22]),
    "rotated norms of heads": serve(f"{INT4}.rope_norm_heads", lambda n: [
        n(4096, 32, 128), n(128), n(4096, 128), n(4096, 128), 1e-6]),
    "rotated norms of queries and keys": serve(f"{INT4}.rope_norm_qk", lambda n: [
        n(4096, 32, 128), n(4096, 4, 128), n(128), n(128), n(4096, 128), n(4096, 128), 1e-6, 1e-6]),
    "rotated heads": serve(f"{INT4}.rope_heads", lambda n: [n(4096, 32, 128), n(4096, 128), n(4096, 128)]),
    "chosen experts": serve(f"{INT4}.router_epilogue", lambda n: [n(ROWS, 128), 8, True]),
    "chosen experts by logits": serve(f"{INT4}.router_epilogue", lambda n: [n(ROWS, 32), 4, False], select_on_logits=True,
                                      weights_dtype=BF16),
    "a row": serve("dense_gemv.gemv_bf16_bw", lambda n: a_row(n, n(14336, 4096))),
    "a row of bytes": serve("dense_gemv.gemv_i8_bw", lambda n: a_row(n, *byte_matrix(n))),
    "a row of bytes by plan": serve("dense_i8.linear_i8", lambda n: a_row(n, *byte_matrix(n))),
    "rows of bytes by plan": serve("dense_i8.linear_i8", lambda n: [n(16, 4096), *byte_matrix(n)]),
    "fetched experts": fetched,
    "pages": paged(compute="f32"),
    "pages exactly": within(paged(compute="f32", fuse_combine=False), GNF4_ATTN_F32_PRECISION="tf32x3"),
    "pages of several scales": paged(4, compute="f32", window=1000),
    "pages of all heads": paged(compute="f32", pack_heads=True),
    "pages as bytes": paged(compute="fp8"),
    "pages as bytes of several scales": paged(4, compute="fp8", fuse_combine=False, window=1000),
    "pages as bytes of heads": paged(2, compute="fp8", layout="heads"),
    "pages as bytes of all heads": paged(compute="fp8", pack_heads=True, groups=4),
    "pages as bytes of all heads of several scales": paged(4, compute="fp8", pack_heads=True, groups=4, window=1000),
    "appended to pages": serve("fp8_kv.fp8_kv_append_bt1", appended),
    "appended to a page": serve("fp8_kv.fp8_kv_append_t1", appended_one),
    "adapter": lora,
    "bags": bag(BF16),
    "bags of odd width": bag(FP32, 768 * 2),
    "loss": call(f"{LOSS}.cross_entropy", loss),
    "loss of smoothed and weighted classes": smoothed,
    "loss of chances": chances,
    "gated pixels": pixels(FP32, 8, 64, 256, 256),
    "gated pixels of f16": pixels(FP16, 8, 64, 256, 256),
    "mlstm": serve("fsp.kernels.autotune.mlstm_chunkwise__parallel_fw_Hintra_autotuned", mlstm, chunk_size=128),
    "rms norm": call(f"{XTUNER}.rms_norm.rms_norm", lambda n: [n(ROWS, 4096), n(4096), 1e-6]),
    "rotary": serve(f"{XTUNER}.rotary.apply_rotary", rotary),
    "rotary by pairs": serve(f"{XTUNER}.rotary.apply_rotary", rotary, interleaved=True, conjugate=True),
    "rotary of packed": rotate_packed,
    "decoded gptq": serve(f"{FOAK}.fused_ops.unsloth_lora.gptq.triton.kernels.dequant248", gptq),
    "l2 norm of long rows": call(f"{FLA}.modules.l2norm.l2norm", lambda n: [n(ROWS, 2048)]),
    "layer norm of long rows": call(f"{FLA}.modules.layernorm.layer_norm", lambda n: [
        n(ROWS, WIDTH), n(WIDTH), n(WIDTH), n(ROWS, WIDTH)], prenorm=True),
    "group norm of long rows": call(f"{FLA}.modules.layernorm.group_norm", lambda n: [
        n(ROWS, 4096), n(4096), n(4096)], num_groups=4),
    "gated norm of long rows": call(f"{FLA}.modules.fused_norm_gate.rms_norm_gated", lambda n: [
        n(ROWS, WIDTH), n(ROWS, WIDTH), n(WIDTH), None]),
    "norm to few bits": call(f"{FLA}.modules.fused_bitlinear.layer_norm_linear_quant_fn", lambda n: [
        n(ROWS, WIDTH), n(WIDTH), None, n(256, WIDTH), None], is_rms_norm=True),
    "loss of a product": call(f"{FLA}.modules.fused_linear_cross_entropy.fused_linear_cross_entropy_loss", lambda n: [
        n(2048, 512), targets(n, 2048, 32768), n(32768, 512, scale=0.02)], use_l2warp=True),
    "rwkv 7": rwkv7,
    "linear attention of short chunks": chunks_of_16,
    "gated slots": call(f"{FLA}.ops.gsa.chunk.chunk_gsa", gated_slots),
    "searched keys by landmarks": searched(8192, 8192),
    "searched keys": searched(2048, 32768, using_landmark=False),
    "searched keys by streams": searched(2048, 32768, rope=True, using_landmark=False, scan_extend_backend="streaming"),
    "searched keys by places": searched(2048, 32768, rope=True, using_landmark=False, scan_extend_backend="relative"),
    "searched pages": searched(2048, 32768, rope=True, paged=True, using_landmark=False, scan_extend_backend="streaming"),
    "searched pages of a token": searched(1, 32768, 32, 8, 8, paged=True, is_decode=True),
    "searched pages of a token, not by parts": within(
        searched(1, 16384, 32, 8, 8, paged=True, is_decode=True), HIP_DISABLE_FLASHDECODE="1"),
    "some queries of pages": some("query_sparse_attention", paged=True),
    "some queries and the best keys": some("query_sparse_attention", return_bsa_indices=True, bsa_top_block_k=64),
    "some queries and a tree of the best keys": some("query_sparse_attention", return_bsa_indices=True, bsa_top_block_k=64,
                                                     online_topk_method="tree"),
    "differences": anywhere(serve(f"{HIP}.delta.apply_delta.apply_delta", differences)),
    "loss of a product at once": anywhere(serve("hip_attn.utils.memory_efficient_llm_ce.memory_efficient_llm_ce", lambda n: [
        n(4096, 1024), n(32768, 1024, scale=0.02), targets(n, 4096, 32768)])),
    "norms of attention": anywhere(serve("hip_attn.utils.attention_norm.attention_norm", lambda n: [
        n(16, 2048, 128, dtype=FP16), n(16, 2048, 128, dtype=FP16)])),
    "loss of attention": anywhere(call("hip_attn.utils.attn_l1_loss.compute_attn_lp_loss_triton", lambda n: [
        n(2, 8, 2048, 64, dtype=FP16), n(2, 8, 2048, 64, dtype=FP16), 0.5], do_average=False)),
    "searched keys in stages": anywhere(in_stages),
    "chosen blocks": serve(f"{FLA}.ops.nsa.parallel.parallel_nsa_block_mask", blocks_of_keys),
}
