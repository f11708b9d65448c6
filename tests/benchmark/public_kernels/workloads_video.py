"""Operations of packages that nothing else here measures: products of four and eight bits, scores of documents by their
tokens' vectors and what training them asks for, distances of clouds of points, videos' sparse attention with what sorts,
clusters and chooses its blocks, and attention and products of rotated eight-bit numbers. Of autoawq, flash-hog,
flash-maxsim, leetdecoding, piper-kernels, rotalabs-accel, sparsevideo, special-attentions-pack and vsa."""
import dataclasses
import importlib
import importlib.util
import sys
import types
from pathlib import Path
from unittest import mock

import bare
import torch
from workloads_serving import serve, whole
from workloads_training import both_passes, call, of

bare.bare("awq", "flash_hog", "leetDecoding", "rotalabs_accel", "sparsevideo", "special_attentions", "vsa")
bare.stub("matplotlib", "pytest", "pycuda", "pycuda.autoinit", "torchmetrics", "vsa_cuda", "triton_kernels.quantization",
          "sparsevideo_flashinfer")  # the last one would be fetched and built
bare.stub("pycuda.driver", Device=lambda number: types.SimpleNamespace(name=lambda: "NVIDIA A100 80GB PCIe"))
bare.stub("piper_kernels.attention.kernels.piper", "piper_kernels.attention.piper_attention._amd")
if importlib.util.find_spec("triton_kernels") is None:
    bare.stub("triton_kernels")
# What is made in that mode cannot be put back for the second compiler's run.
torch.inference_mode = lambda mode=True: torch.no_grad() if mode else torch.enable_grad()


def skip_init(package, *names):
    """Takes these packages within one without running their __init__, unlike what else is in them."""
    for place in importlib.util.find_spec(package).submodule_search_locations:
        for name in (package, *(f"{package}.{name}" for name in names)):
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = [str(Path(place).parent.joinpath(*name.split(".")))]


skip_init("piper_kernels", "attention", "attention.sparse_piper_attention", "conv3d", "conv3d.convrot", "conv3d.convrot.int8",
          "linear", "linear.convrot", "linear.convrot.int8", "linear.nvfp4", "weights", "weights.convrot",
          "weights.convrot.int8", "weights.convrot.nvfp4", "weights.nvfp4")
FP16, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32
AWQ, ROTA, MAXSIM, VSA = "awq.modules.triton.gemm", "rotalabs_accel.kernels", "flash_maxsim", "vsa.block_sparse_wrapper"
VIDEO, NATIVE, POOLED = "sparsevideo.kernels", "sparsevideo.kernels.native", "special_attentions.utils"
SAGE, SPARGE = f"{NATIVE}.sageattention.sageattention.triton", f"{NATIVE}.spargeattn.spas_sage_attn"


def uniform(n, *sizes):
    return torch.rand(*sizes, device=n.device)


def bytes_of(n, *sizes):
    return whole(n, 127, *sizes, dtype=torch.int8)


def four_bits(n, inputs=4096, outputs=4096, group=128):
    """Weights of four bits, their scales and zeros."""
    return [whole(n, 1 << 30, inputs, outputs // 8), n(inputs // group, outputs, dtype=FP16, scale=0.01),
            whole(n, 1 << 30, inputs // group, outputs // 8)]


def awq(rows, parts, **options):
    return serve(f"{AWQ}.awq_gemm_triton", lambda n: [n(rows, 4096, dtype=FP16), *four_bits(n), parts], **options)


def eight_bits(rows, inputs=4096, outputs=4096):
    return lambda n: [n(rows, inputs, dtype=FP16), bytes_of(n, outputs, inputs), uniform(n, outputs) * 0.01]


def lightning(block, size=64, decay=False, dtype=FP16):
    """The package knows blocks for older GPUs."""

    def run(device):
        attention = of("leetDecoding.methods.lightningAttention2.LightningAttention2")
        with mock.patch.object(attention, "lightning_block_size", block):
            attention.apply(*(torch.randn(4, 16, 2048, size, device=device).to(dtype) for _ in range(3)),
                            torch.rand(16, device=device) * 0.1 if decay else None)

    return run


# Documents and queries


def asked(n, queries, length=32, size=128, dtype=FP16):
    return n(*([queries] if queries else []), length, size, dtype=dtype, scale=size**-0.25)


def documents(n, count=4096, length=128, size=128, dtype=FP16):
    return n(count, length, size, dtype=dtype, scale=size**-0.25)


def lengths(n, count=4096, most=128):
    return whole(n, most // 2, count) + most // 2


def ends(n, count=4096, most=128):
    return torch.nn.functional.pad(lengths(n, count, most).cumsum(0), (1, 0)).to(torch.int32)


def packed(n, count=4096, most=128, size=128):
    """Documents of several lengths, one after the other, and where they end."""
    each = ends(n, count, most)
    return [n(int(each[-1]), size, dtype=FP16, scale=size**-0.25), each]


def pairs(n, count=4096):
    queries, documents = packed(n, count, 32), packed(n, count, 128)
    return [queries[0], documents[0], queries[1], documents[1], 32, 128]


def scattered(n):
    tensor, each = packed(n)
    return [asked(n, 0), tensor, each[:-1], each[1:] - each[:-1], 128]


def maxsim(name, make, **options):
    return serve(f"{MAXSIM}.{name}", make, **options)


def trained(name, queries=64, count=64, length=256, size=128, **options):
    """Each query with each document."""
    return call(f"{MAXSIM}.{name}", lambda n: [asked(n, queries, size=size), documents(n, count, length, size)], **options)


def with_path(path, run):
    def patched(device):
        with mock.patch.dict("os.environ", FLASH_BWD_PATH=path):
            run(device)

    return patched


def without_other_sums(run):
    """The package forgets arguments of the kernel before the one that is meant."""

    def patched(device):
        module = importlib.import_module(f"{MAXSIM}.flash_maxsim_persistbwd_proposal")
        with mock.patch.object(module, "_maxsim_bwd_dQ_batched_kernel", bare.Anything()):
            run(device)

    return patched


def own_documents(n):
    return [asked(n, 32), n(32, 32, 256, 128, dtype=FP16, scale=0.3)]


def quantized(how, *shape):

    def make(n):
        return [asked(n, 0, *shape), *of(f"{MAXSIM}.flash_maxsim_quant.{how}")(documents(n))]

    return make


def sorted_gradients(name):

    def run(device):
        queries, count, length, most, size = 64, 64, 32, 256, 128
        where = torch.randint(0, most, (queries * count, length), device=device, dtype=torch.int32)
        of(f"{MAXSIM}.{name}")(torch.randn(queries, length, size, device=device).half(), where,
                               torch.randn(queries, count, device=device), queries, count, length, most, size, True)

    return run


def cloud(n, count=16384, size=3):
    return n(count, size, dtype=FP32)


# Videos


FRAMES, AREA, HEADS, TEXT = 16, 1024, 12, 256
LENGTH = FRAMES * AREA


def tokens(n, count=1, length=LENGTH, size=128, dtype=BF16, heads=HEADS):
    made = [n(1, heads, length, size, dtype=dtype) for _ in range(count)]
    return made if count > 1 else made[0]


def sizes(n, count, length=LENGTH, heads=HEADS):
    """How many of the tokens each cluster has."""
    found = torch.zeros(heads, count, device=n.device, dtype=torch.int64)
    return found.scatter_add_(1, whole(n, count, heads, length, dtype=torch.int64), torch.ones(
        heads, length, device=n.device, dtype=torch.int64))[None]


def chosen(n, queries, keys, share=0.2):
    """The clusters of keys that clusters of queries look at."""
    return uniform(n, 1, HEADS, queries, keys) < share


def rows(n, width=1536, dtype=BF16):
    return n(1, LENGTH, width, dtype=dtype)


def batched_rows(n, *others):
    return [n(2, LENGTH // 2, 1536), *(n(2, LENGTH // 2, 1536) if x == "rows" else n(2, 1, 1536) for x in others)]


def estimated(n, queries=100, keys=500):
    q, k, v = tokens(n, 3)
    return [q, k, v, sizes(n, queries), sizes(n, keys), *(tokens(n, length=x) for x in (queries, keys, keys))]


def pruned(device, queries=100, keys=500):

    def n(*sizes, dtype=BF16):
        return torch.randn(*sizes, device=device).to(dtype)

    n.device = device
    module = importlib.import_module(f"{VIDEO}.flashinfer_block_sparse")
    q, k, v = tokens(n, 3)

    def attention(q, *rest, **options):
        return q.clone(), torch.ones(q.shape[:2], device=device)

    with mock.patch.object(module, "variable_block_sparse_attn", attention):
        module.dynamic_block_sparse_prune_fwd_flashinfer(
            q, k, v, tokens(n, length=keys), tokens(n, length=keys), chosen(n, queries, keys),
            sizes(n, queries).int(), sizes(n, keys).int())


def clustered(n, queries=200, keys=400):
    q, k, v = tokens(n, 3)
    return [q, k, v, chosen(n, queries, keys, 0.06), *(sizes(n, x).cumsum(-1).int() for x in (queries, keys)), 0.09]


def nearest(n, queries=200, keys=400, count=24):
    q, k, v, mask, *rest = clustered(n, queries, keys)
    return [q, k, v, uniform(n, *mask.shape).topk(count).indices.int(), *rest]


def members(n, count=256, dtype=BF16):
    x = tokens(n, dtype=dtype)[0]
    return [x, whole(n, count, *x.shape[:2], dtype=torch.int64), tokens(n, length=count, dtype=dtype)[0]]


def starts(n, sequences=4, length=4096):
    return torch.arange(0, (sequences + 1) * length, length, device=n.device, dtype=torch.int32)


def joined(n, sequences=4, length=4096, size=128):
    each = starts(n, sequences, length)
    return [n(sequences * length, HEADS, size, dtype=FP16), n(sequences * length, HEADS, size, dtype=FP16), each, each, length,
            length]


def joined_bytes(name, size=128):

    def run(device):

        def n(*sizes, dtype=FP16):
            return torch.randn(*sizes, device=device).to(dtype)

        n.device = device
        q, k, each, _, length, _ = joined(n, size=size)
        scale = lambda block: (uniform(n, len(q) // block, HEADS) * 0.01, starts(n, length=length // block))
        (q_scale, q_ends), (k_scale, k_ends) = scale(128), scale(64)
        of(f"{SAGE}.{name}.forward")(bytes_of(n, *q.shape), bytes_of(n, *k.shape), n(*k.shape), each, each, length, q_scale,
                                     k_scale, q_ends, k_ends)

    return run


def scaled_bytes(n, length=4096, size=128):
    q = [bytes_of(n, 2, HEADS, length, size) for _ in range(2)]
    return [*q, n(2, HEADS, length, size, dtype=FP16), *(uniform(n, 2, HEADS, length // block) * 0.01 for block in (128, 64))]


def angles(n, size=128, length=LENGTH):
    made = uniform(n, length, size) * 6
    return made.cos(), made.sin()


def rope(n):
    return [n(1, LENGTH, HEADS, 128), n(1, LENGTH, HEADS, 128), *angles(n)]


def placed(n, count):
    made = tokens(n, count, LENGTH + TEXT)
    return [*(made if count > 1 else [made]), whole(n, 2, 1, HEADS), TEXT, FRAMES, AREA]


def without_native(run):
    def patched(device):
        with mock.patch.dict("os.environ", SPARSEVIDEO_FUSED_KERNEL_BACKEND="triton"):
            run(device)

    return patched


def attention_by_descriptors(device, length=4096):
    module = importlib.import_module("flash_hog._jax_refs.flash_impl_herman")
    q, k, v = (torch.randn(1, 16, length, 64, device=device, dtype=BF16).requires_grad_() for _ in range(3))
    with mock.patch.object(module, "SEQ_LEN", length):
        both_passes(lambda: module.FlashAttention2.apply(q, k, v, True))


def blocks(n, length=8192, block=64, share=0.2, heads=HEADS):
    return torch.rand(1, heads, length // block, length // block, device=n.device) < share


def attended(n, length=8192):
    return [*(n(1, HEADS, length, 128) for _ in range(3)), blocks(n, length),
            torch.full((length // 64, ), 64, device=n.device, dtype=torch.int32)]


# Rotated numbers of eight bits


PIPER, SPARSE = "piper_kernels", "piper_kernels.attention.sparse_piper_attention"
ROTATED, WEIGHTS = f"{PIPER}.linear.convrot.int8", f"{PIPER}.weights.convrot.int8.triton"
GROUP, ROWS, WIDTH, STREAMS = 256, 8192, 3072, 24


def made(device):
    """What makes tensors on the device."""

    def n(*sizes, dtype=BF16, scale=1.0):
        return (torch.randn(*sizes, device=device) * scale).to(dtype)

    n.device = device
    return n


def empty(n, *sizes, dtype=FP32):
    return torch.empty(sizes, device=n.device, dtype=dtype)


def rotated_weights(n, inputs, outputs):
    return [bytes_of(n, outputs, inputs), uniform(n, outputs) * 0.01]


def rotated(inputs, outputs, rows=ROWS, activation=None, bias=True, grouped=False, apart=False):
    """A product after a rotation of the rows; its implementation for one kind of GPU or another may be asked for."""

    def run(device):
        n = made(device)
        plans, weights = importlib.import_module(f"{ROTATED}._nvidia.policy"), rotated_weights(n, inputs, outputs)
        plan = of(f"{ROTATED}._nvidia.dispatch.default_execution_plan")(weights[0], rows=rows)
        plan = plans.grouped_triton_plan(plan) if grouped else plan
        plan = dataclasses.replace(plan, fuse_rotation_quantization=not apart)
        of(f"{ROTATED}._nvidia.dispatch.run_linear")(
            n(rows, inputs * (2 if activation == "swiglu" else 1)), *weights, n(outputs) if bias else None, GROUP,
            activation_fn=activation, execution_plan=plan)

    return run


def both_products(device):
    n = made(device)
    first, second = (rotated_weights(n, WIDTH, WIDTH) for _ in range(2))
    of(f"{ROTATED}._nvidia.dispatch.execute_prepared_linear")(
        bytes_of(n, ROWS, WIDTH), uniform(n, ROWS) * 0.01, *first, None, BF16,
        of(f"{ROTATED}._nvidia.dispatch.default_execution_plan")(first[0], rows=ROWS), second_projection=(*second, None))


def converted(name, kind, block, inputs=4096, outputs=4096):
    return serve(f"{WEIGHTS}.{name}", lambda n: [
        whole(n, 60, outputs, inputs // 256 * block, dtype=torch.uint8), kind, GROUP,
        empty(n, outputs, inputs, dtype=torch.int8), empty(n, outputs)])  # such bytes are parts of small numbers


def updated(name, *sizes, seed=None):
    return serve(f"{WEIGHTS}.{name}", lambda n: [*rotated_weights(n, 4096, 4096), *(n(*x) for x in sizes), GROUP], alpha=0.5,
                 rounding_seed=seed, **(dict(beta=1.0) if name == "addmm_" else {}))


def projected(path, outputs, rope=True, **options):
    """A product of bytes that ends in what attention takes, as `outputs` makes it of the numbers of rows and heads."""

    def run(device):
        n = made(device)
        plan = of(f"{PIPER}.fusions.convrot_int8_projection._plan.ProjectionExecutionPlan")(
            block_k=128, heads_per_program=2, num_warps=8, num_stages=3, round_rsqrt_to_nearest=True)
        inputs = [bytes_of(n, 1, ROWS, WIDTH), uniform(n, 1, ROWS) * 0.01]
        if path.endswith("sparse_piper.triton.project_value"):
            inputs.append(n(1, WIDTH, dtype=FP32))
        with mock.patch.object(importlib.import_module(f"{ROTATED}._ops"), "dequantized_input_mean",
                               of(f"{ROTATED}._generic.mean.dequantized_input_mean")):
            of(f"{PIPER}.fusions.{path}")(
                *inputs, *rotated_weights(n, WIDTH, STREAMS * 128), *([n(128), *angles(n, 128, ROWS)] if rope else []),
                execution_plan=plan, out=outputs(n), **options)

    return run


def as_queries(n):
    return [empty(n, 1, STREAMS, ROWS, 128, dtype=torch.int8), empty(n, 1, STREAMS, ROWS // 32)]


def as_keys(n):
    return [empty(n, 1, STREAMS, ROWS, 128, dtype=torch.int8), empty(n, 1, STREAMS, ROWS // 64)]


def as_values(n):
    return [empty(n, 1, STREAMS, 128, ROWS, dtype=torch.int8), empty(n, 1, STREAMS, ROWS), empty(n, 1, STREAMS, ROWS),
            empty(n, 1, STREAMS, 128)]


def as_tiles_of_values(n):
    return [empty(n, 1, STREAMS, 128, ROWS, dtype=torch.int8), empty(n, 1, STREAMS, ROWS // 64, 1), empty(n, 1, STREAMS, 128),
            summaries(n)]


def summaries(n):
    return empty(n, 1, STREAMS, ROWS // 64, 128)


def ending(name, outputs, *rest, rope=True, **options):
    """What follows a product of four bits."""
    return serve(f"{PIPER}.fusions.nvfp4_sparse_piper._epilogue.launch_{name}", lambda n: [
        n(ROWS, STREAMS * 128), torch.full((), 0.5, device=n.device), torch.full((), 0.5, device=n.device), n(STREAMS * 128),
        *([n(128), *angles(n, 128, ROWS)] if rope else []), *outputs(n), *rest], **options)


def mean_of_four_bits(n, rows=ROWS, inputs=4096, outputs=4096):

    def matrix(count):
        return [whole(n, 256, count, inputs // 2, dtype=torch.uint8),
                uniform(n, -(-count // 128) * 32, inputs // 64 * 16).to(torch.float8_e4m3fn), torch.ones((), device=n.device)]

    return [*matrix(rows), *matrix(outputs), n(outputs), 2, rows // 2]


def heads_of(n, count, length=4096, size=128, heads=16, batch=2):
    return [n(batch, heads, length, size) for _ in range(count)]


def prepared(causal):
    """The attention itself has products that neither this GPU nor other compilers know."""

    def run(device):
        n = made(device)
        module = importlib.import_module(f"{PIPER}.attention.piper_attention._nvidia.triton")
        q, k, v = heads_of(n, 3)
        plan = module.default_execution_plan(q, causal)
        with mock.patch.object(module, "install_uint8_int8_dot_hook", lambda: None):
            module._prepare_piper_attention(q, k, v, 0.09, causal, execution_plan=plan)

    return run


def sparse_operands(**options):

    def run(device):
        q, k, v = heads_of(made(device), 3)
        of(f"{SPARSE}.triton._prepare_sparse_piper_operands")(
            q, 0.09, sparse_key_blocks=q.shape[2] // 64, combined_key=k, combined_value=v, **options)

    return run


def routes(n, blocks=256, kept=51):
    return [uniform(n, 1, STREAMS, blocks, blocks), empty(n, 1, blocks, STREAMS * kept, dtype=torch.uint16),
            torch.full((STREAMS, ), kept, device=n.device, dtype=torch.int32),
            torch.arange(0, (STREAMS + 1) * kept, kept, device=n.device, dtype=torch.int32)]


def gated(device):
    n, ffn = made(device), importlib.import_module(f"{PIPER}.fusions.ffn.triton")
    x, base, update = (n(ROWS, WIDTH) for _ in range(3))
    updates = ffn.IndexedGatedUpdates(base, update, n(4, WIDTH), n(4, WIDTH), whole(n, 4, ROWS), True)
    ffn.apply_indexed_gated_updates(x, base, update, updates, ffn.validate_indexed_gated_updates(x, updates, WIDTH), 0)


def convolved(channels, outputs, group_norm=False, frames=5, size=96):

    def run(device):
        n, rows = made(device), frames * size * size
        plan = of(f"{PIPER}.conv3d.convrot.int8._nvidia.policy.select_execution_plan")(
            types.SimpleNamespace(is_cuda_capability=lambda major, minor=None: major == 12), channels=channels, outputs=outputs,
            input_rows=rows, output_rows=rows, output_height=size, weight_aligned=True, group_norm=group_norm)
        weights = [*rotated_weights(n, 27 * channels, outputs), n(outputs, dtype=FP16), 64,
                   torch.full((), 0.05, device=device), (1, 1, 1)]
        norm = [n(channels, dtype=FP16), n(channels, dtype=FP16), 32, 1e-6] if group_norm else []
        of(f"{PIPER}.conv3d.convrot.int8.triton.{'group_norm_silu_' if group_norm else ''}conv3d")(
            n(1, channels, frames, size, size, dtype=FP16), *norm, *weights, execution_plan=plan, accelerator_backend="cuda",
            padding=(1, 1, 1, 1, 2, 0), spatial_reflection=False,
            residual=n(1, outputs, frames, size, size, dtype=FP16) if group_norm else None)

    return run


WORKLOADS = {
    # piper-kernels
    "piper: attention": serve(f"{PIPER}.attention.sage_attention_2pp.triton._run_sage_attention_2pp", lambda n: [
        *heads_of(n, 3), 0.09, False]),
    "piper: attention to the past": serve(f"{PIPER}.attention.sage_attention_2pp.triton._run_sage_attention_2pp", lambda n: [
        *heads_of(n, 3), 0.09, True]),
    "piper: attention of small heads": serve(f"{PIPER}.attention.sage_attention_2pp.triton._run_sage_attention_2pp",
                                             lambda n: [*heads_of(n, 3, size=64), 0.125, False]),
    "piper: prepared": prepared(False), "piper: prepared for the past": prepared(True),
    "piper: prepared for sparse attention": sparse_operands(),
    "piper: prepared for sparse attention with summaries": sparse_operands(emit_summaries=True),
    "piper: summaries": serve(f"{SPARSE}._summaries_triton.sequence_block_summaries", lambda n: [*heads_of(n, 2), 0]),
    "piper: means of blocks": serve(f"{SPARSE}._summaries_triton.sequence_block_summaries", lambda n: [*heads_of(n, 2), 1]),
    "piper: scores of blocks": serve(f"{SPARSE}._scores_triton.minmax_scores", lambda n: [
        n(1, STREAMS, 512, 128, dtype=FP32) for _ in range(3)]),
    "piper: routes": serve(f"{SPARSE}._routes_triton.tiled_radix_select_packed_routes", routes, query_block_offset=0),
    "piper: all routes": serve(f"{SPARSE}._routes_triton.fill_full_keep_routes", lambda n: [
        empty(n, 1, 512, STREAMS * 512, dtype=torch.uint16), 512]),
    "piper: product": rotated(4096, 4096), "piper: product of few rows": rotated(4096, 4096, rows=64),
    "piper: product of a gate": rotated(12288, WIDTH, rows=4096, activation="swiglu"),
    "piper: product after gelu": rotated(12288, WIDTH, rows=4096, activation="gelu_tanh", bias=False),
    "piper: product in groups": rotated(WIDTH, WIDTH, grouped=True), "piper: product apart": rotated(WIDTH, WIDTH, apart=True),
    "piper: two products": both_products,
    "piper: mean of rows": serve(f"{ROTATED}._generic.mean.dequantized_input_mean", lambda n: [
        bytes_of(n, 2, ROWS, WIDTH), uniform(n, 2, ROWS)]),
    "piper: weights of q4": converted("convert_gguf_out", 12, 144),
    "piper: weights of q6": converted("convert_gguf_out", 14, 210),
    "piper: weights of iq4": converted("convert_gguf_out", 23, 136),
    "piper: tiles of weights of q5": converted("_convert_gguf_tiled_out", 13, 176),
    "piper: updated by a product": updated("addmm_", (4096, 16), (16, 4096)),
    "piper: updated by a product at random": updated("addmm_", (4096, 16), (16, 4096), seed=5),
    "piper: updated": updated("add_", (4096, 4096)),
    "piper: projected queries": projected("convrot_int8_piper.triton.project_query", as_queries, norm_epsilon=1e-6,
                                          softmax_scale=0.09),
    "piper: projected keys": projected("convrot_int8_sage_qk.key.project_key", as_keys, norm_epsilon=1e-6),
    "piper: projected values": projected("convrot_int8_piper.triton.project_value", as_values, rope=False, is_causal=False,
                                         packed_amd=False, mean_block_n=32),
    "piper: projected values for the past": projected("convrot_int8_piper.triton.project_value", as_values, rope=False,
                                                      is_causal=True, packed_amd=False, mean_block_n=32),
    "piper: projected queries for sparse attention": projected(
        "convrot_int8_sparse_piper.triton.project_query", lambda n: [*as_queries(n), summaries(n)], norm_epsilon=1e-6,
        softmax_scale=0.09, routing_mode=0, block_lengths=None, chunk_start=0, chunk_rows=ROWS),
    "piper: projected keys for sparse attention": projected(
        "convrot_int8_sparse_piper.triton.project_key", lambda n: [*as_keys(n), summaries(n), summaries(n)], norm_epsilon=1e-6,
        routing_mode=0, block_lengths=None),
    "piper: projected values for sparse attention": projected(
        "convrot_int8_sparse_piper.triton.project_value", as_tiles_of_values, rope=False, block_lengths=None,
        emit_block_mean=True),
    "piper: queries of four bits": ending("query", lambda n: [*as_queries(n), summaries(n)], 0, 1e-6, 0.09, False, None),
    "piper: keys of four bits": ending("key", lambda n: [*as_keys(n), summaries(n), summaries(n)], 0, ROWS, 1e-6, False, None),
    "piper: values of four bits": ending("value", lambda n: [n(1, STREAMS, 128, dtype=FP32), *(
        as_tiles_of_values(n)[i] for i in (0, 1, 3))], None, 0, ROWS, rope=False, emit_block_mean=True),
    "piper: mean of four bits": serve(f"{PIPER}.linear.nvfp4.triton.linear_mean", mean_of_four_bits),
    "piper: bias": serve(f"{PIPER}.linear.nvfp4.triton.add_bias_out", lambda n: [
        n(ROWS, WIDTH), n(WIDTH), empty(n, ROWS, WIDTH, dtype=BF16)]),
    "piper: scale of all": serve(f"{PIPER}._triton.nvfp4.dynamic_scale", lambda n: [n(ROWS, 4096)]),
    "piper: scale of q4": serve(f"{PIPER}.weights.convrot.nvfp4.triton._gguf_dynamic_scale", lambda n: [
        whole(n, 60, 4096, 16 * 144, dtype=torch.uint8), 12, GROUP, 4096, 4096]),
    "piper: gated": gated,
    "piper: convolved": convolved(256, 256), "piper: convolved with many channels": convolved(512, 512, size=64),
    "piper: normal and convolved": convolved(128, 128, True),
    # autoawq
    "awq: products": awq(16, 8), "awq: products of more rows": awq(512, 1),
    "awq: products in larger blocks": awq(512, 1, block_size_m=64, block_size_n=128, block_size_k=64),
    "awq: weights": serve(f"{AWQ}.awq_dequantize_triton", four_bits),
    # rotalabs-accel
    "rota: norm": serve(f"{ROTA}.normalization.rmsnorm", lambda n: [n(8, 2048, 4096), n(4096)]),
    "rota: norm of rows of 5120": serve(f"{ROTA}.normalization.rmsnorm", lambda n: [n(8, 2048, 5120), n(5120)]),
    "rota: norm of a sum": serve(f"{ROTA}.normalization.rmsnorm_residual_fused", lambda n: [
        n(8, 2048, 4096), n(8, 2048, 4096), n(4096)]),
    "rota: gate": serve(f"{ROTA}.activations.swiglu_fused", lambda n: [n(4, 2048, 11008) for _ in range(2)]),
    "rota: gate with biases": serve(f"{ROTA}.swiglu.swiglu_with_bias", lambda n: [
        n(4, 2048, 11008), n(4, 2048, 11008), n(11008), n(11008)]),
    "rota: rotation": serve(f"{ROTA}.rope.apply_rope", lambda n: [
        n(4, 2048, 32, 128), n(4, 2048, 32, 128), *(x.to(BF16) for x in angles(n, 64, 2048))]),
    "rota: products of bytes": serve(f"{ROTA}.gemm.int8_gemm", eight_bits(4096)),
    "rota: products of bytes of few rows": serve(f"{ROTA}.gemm.int8_gemm", eight_bits(16)),
    "rota: products of rounded rows": serve(f"{ROTA}.quantized_matmul._int8_gemm_fused", eight_bits(4096)),
    # leetdecoding
    "leet: fleet": serve("leetDecoding.methods.FleetAttention_triton.FleetAttention_triton", lambda n: [
        *(n(4, 16, 512, 16, dtype=FP32) for _ in range(2)), n(4, 16, 512, 64, dtype=FP32)]),
    "leet: fleet with decay": serve("leetDecoding.methods.FleetAttention_triton.FleetAttention_triton", lambda n: [
        *(n(4, 16, 512, 16, dtype=FP32) for _ in range(2)), n(4, 16, 512, 64, dtype=FP32), uniform(n, 16)]),
    "leet: fleet of one": serve("leetDecoding.methods.FleetAttention_triton.FleetAttention_triton", lambda n: [
        *(n(8, 16, 512, 1, dtype=FP32) for _ in range(2)), n(8, 16, 512, 64, dtype=FP32), uniform(n, 16)]),
    "leet: lightning": lightning(128), "leet: lightning with decay": lightning(128, decay=True),
    "leet: lightning of larger heads": lightning(64, 128),
    "leet: lightning of larger heads with decay": lightning(64, 128, True),
    "leet: lightning in f32": lightning(64, dtype=FP32, decay=True),
    # special-attentions-pack
    "special: blocks": serve(f"{POOLED}.block_sparse_attn_kernel.block_sparse_triton_fn", lambda n: [
        *(n(1, 16, 4096, 128) for _ in range(3)), blocks(n, 4096, heads=16), 128**-0.5]),
    "special: blocks of small heads": serve(f"{POOLED}.block_sparse_attn_kernel.block_sparse_triton_fn", lambda n: [
        *(n(1, 30, 4096, 64) for _ in range(3)), blocks(n, 4096, heads=30), 0.125]),
    "special: pooled": serve(f"{POOLED}.attn_pooling_kernel.attn_with_pooling", lambda n: [
        *(n(1, 16, 4096, 64, dtype=FP16) for _ in range(3)), False, 0.125, 64]),
    "special: pooled to the past": serve(f"{POOLED}.attn_pooling_kernel.attn_with_pooling", lambda n: [
        *(n(1, 16, 4096, 128, dtype=FP16) for _ in range(3)), True, 128**-0.5, 64]),
    # vsa
    "vsa: attention": call(f"{VSA}.block_sparse_attn_triton", attended),
    "vsa: indices": serve("vsa.index.map_to_index", lambda n: [blocks(n, 32768)]),
    "vsa: map": serve("vsa.index.topk_index_to_map", lambda n: [
        uniform(n, 1, HEADS, 512, 512).topk(32).indices, 512]),
    # flash-hog
    "hog: attention": attention_by_descriptors,
    # flash-maxsim
    "maxsim: documents": maxsim("flash_maxsim", lambda n: [asked(n, 0), documents(n)]),
    "maxsim: documents of several lengths": maxsim("flash_maxsim", lambda n: [asked(n, 0), documents(n), lengths(n)]),
    "maxsim: few documents": maxsim("flash_maxsim", lambda n: [asked(n, 0), documents(n, 400, 512)]),
    "maxsim: pages": maxsim("flash_maxsim", lambda n: [asked(n, 0, 1024), documents(n, 256, 1024)]),
    "maxsim: pages in parts": maxsim("flash_maxsim", lambda n: [asked(n, 0, 1024), documents(n, 64, 1024)], splitk=True),
    "maxsim: pages, queries kept": maxsim("flash_maxsim_qreuse", lambda n: [asked(n, 0, 128), documents(n, 1024, 1024)]),
    "maxsim: queries": maxsim("flash_maxsim_batched", lambda n: [asked(n, 8), documents(n)]),
    "maxsim: queries in bf16": maxsim("flash_maxsim_batched", lambda n: [asked(n, 8, dtype=BF16), documents(n, dtype=BF16)]),
    "maxsim: long vectors": maxsim("flash_maxsim", lambda n: [asked(n, 0, size=1024), documents(n, 1024, size=1024)]),
    "maxsim: persistent": maxsim("flash_maxsim_persistent", lambda n: [asked(n, 0), documents(n), lengths(n)]),
    "maxsim: pairs": maxsim("flash_maxsim_pairs", lambda n: [asked(n, 4096), documents(n)]),
    "maxsim: pairs of several lengths": maxsim("flash_maxsim_varlen", pairs),
    "maxsim: packed": maxsim("flash_maxsim_packed", lambda n: [asked(n, 0), *packed(n)]),
    "maxsim: reranked": maxsim("flash_maxsim_rerank_direct", scattered),
    "maxsim: documents of bytes": maxsim("flash_maxsim_int8", quantized("quantize_int8")),
    "maxsim: documents of symmetric bytes": maxsim("flash_maxsim_int8_symmetric", quantized("quantize_int8_symmetric")),
    "maxsim: products of bytes": maxsim("flash_maxsim_int8x8", quantized("quantize_int8_symmetric", 128)),
    "maxsim: some of a query": serve(f"{MAXSIM}.flash_maxsim_sparse.flash_maxsim_sparse", lambda n: [
        asked(n, 0, 128), documents(n), whole(n, 128, 4096, 32)]),
    "maxsim: by rule": serve(f"{MAXSIM}.flash_maxsim_exp.flash_maxsim_heuristic", lambda n: [asked(n, 0), documents(n)]),
    "maxsim: trained": call(f"{MAXSIM}.flash_maxsim_train", lambda n: [asked(n, 0), documents(n, 1024)]),
    "maxsim: trained together": trained("flash_maxsim_batched_train"),
    "maxsim: trained together in bf16": call(f"{MAXSIM}.flash_maxsim_batched_train", lambda n: [
        asked(n, 64, dtype=BF16), documents(n, 64, 256, dtype=BF16)]),
    "maxsim: trained with long vectors": trained("flash_maxsim_batched_train", size=768),
    "maxsim: trained apart": call(f"{MAXSIM}.flash_maxsim_batched_train", own_documents, shared_docs=False),
    "maxsim: trained with gathered sums": with_path("invgrid", trained("flash_maxsim_batched_train")),
    "maxsim: trained with sparse sums": with_path("sparse_dd", call(
        f"{MAXSIM}.flash_maxsim_batched_train", own_documents, shared_docs=False)),
    "maxsim: trained with bytes": trained("flash_maxsim_int8_batched_train", 32, 32),
    "maxsim: trained with one kernel": trained("flash_maxsim_fusedbwd_proposal.flash_maxsim_batched_train_fused"),
    "maxsim: trained with persistent sums": without_other_sums(trained(
        "flash_maxsim_persistbwd_proposal.flash_maxsim_batched_train_persistbwd")),
    "maxsim: sorted sums": sorted_gradients("flash_maxsim_sortbwd_proposal._launch_bwd_dD_sorted"),
    "maxsim: sparse sums": sorted_gradients("flash_maxsim_sparse_dd._launch_bwd_dD_sparse"),
    "maxsim: contrasted": serve(f"{MAXSIM}.flash_maxsim_contrastive.colbert_contrastive_step", lambda n: [
        asked(n, 64), documents(n, 64, 128)]),
    "chamfer: distances": serve(f"{MAXSIM}.flash_chamfer", lambda n: [cloud(n), cloud(n)]),
    "chamfer: distances of features": serve(f"{MAXSIM}.flash_chamfer", lambda n: [cloud(n, size=64), cloud(n, size=64)]),
    "chamfer: sums of distances": serve(f"{MAXSIM}.flash_chamfer", lambda n: [cloud(n, 8192), cloud(n, 8192)], metric="l1"),
    "chamfer: trained": call(f"{MAXSIM}.flash_chamfer_invgrid_train", lambda n: [cloud(n), cloud(n)]),
    # sparsevideo
    "video: length": serve(f"{VIDEO}.l2norm.triton_l2norm_forward", lambda n: [n(HEADS * 4096, 512)]),
    "video: long length": serve(f"{VIDEO}.l2norm.triton_l2norm_forward", lambda n: [rows(n)[0]]),
    "video: norm": serve(f"{VIDEO}.layernorm.triton_layernorm_forward", lambda n: [
        rows(n), n(1536, dtype=FP32), n(1536, dtype=FP32), 1e-6]),
    "video: norm without weights": serve(f"{VIDEO}.layernorm.triton_layernorm_forward", lambda n: [
        rows(n), None, None, 1e-6, False]),
    "video: norm of small rows": serve(f"{VIDEO}.layernorm.triton_layernorm_forward", lambda n: [
        n(1, LENGTH * 4, 128), n(128, dtype=FP32), n(128, dtype=FP32), 1e-6]),
    "video: shifted": serve(f"{VIDEO}.modulate.triton_modulate_shift_forward", lambda n: [rows(n), n(1536), n(1536)]),
    "video: gated": serve(f"{VIDEO}.modulate.triton_modulate_gate_residual_forward", lambda n: [
        rows(n), rows(n), n(1536)]),
    "video: shifted in batches": serve(f"{VIDEO}.modulate.triton_modulate_shift_forward", lambda n: batched_rows(n, "", "")),
    "video: gated in batches": serve(f"{VIDEO}.modulate.triton_modulate_gate_residual_forward", lambda n: batched_rows(
        n, "rows", "")),
    "video: norm in place": without_native(serve(f"{VIDEO}.fused_norm_rope.triton_rmsnorm_inplace", lambda n: [
        n(1, LENGTH, HEADS, 128), n(128), 1e-6])),
    "video: norm of rows in place": without_native(serve(f"{VIDEO}.fused_norm_rope.triton_rmsnorm_inplace", lambda n: [
        rows(n), n(1536), 1e-6])),
    "video: rotation": without_native(serve(f"{VIDEO}.fused_norm_rope.triton_rope_wan_inplace", rope)),
    "video: rotation of halves": without_native(serve(f"{VIDEO}.fused_norm_rope.triton_rope_hyvideo_inplace", rope)),
    "video: estimated blocks": serve(f"{VIDEO}.dynamic_map.identify_dynamic_map_estimated", estimated),
    "video: indices": serve(f"{VIDEO}.flashinfer_block_sparse._block_mask_map_to_expanded_indices", lambda n: [
        chosen(n, 100, 500)[0], sizes(n, 500)[0].int()]),
    "video: pruned": pruned,
    "video: means": serve(f"{VIDEO}.scatter_mean.scatter_mean_fused", lambda n: [tokens(n), sizes(n, 500)]),
    "video: sorted": serve(f"{VIDEO}.permute.permute_tensor_by_labels_triton", lambda n: [
        tokens(n), whole(n, 500, 1, HEADS, LENGTH), 2]),
    "video: unsorted": serve(f"{VIDEO}.permute.apply_inverse_permutation_triton", lambda n: [
        tokens(n), uniform(n, 1, HEADS, LENGTH).argsort(-1), 2]),
    "video: counts": serve(f"{VIDEO}.sparsity.counts_from_sorted_probabilities_triton", lambda n: [
        n(HEADS * 128, LENGTH, dtype=FP32).softmax(-1).sort(-1, descending=True).values, 0.9], return_margins=True),
    "video: clusters of both": serve(f"{VIDEO}.co_cluster.co_cluster_tokens", lambda n: [
        *(x[0] for x in tokens(n, 2, 8192)), 100, 500, 1]),
    "video: clusters": serve("sparsevideo.methods.svg2.kmeans.batch_kmeans_Euclid", lambda n: [tokens(n)[0], 256], max_iters=1),
    "video: clusters of f16": serve("sparsevideo.methods.svg2.kmeans.batch_kmeans_Euclid", lambda n: [
        tokens(n, size=64, dtype=FP16)[0], 512], max_iters=1),
    "video: clusters at once": serve(f"{NATIVE}.adacluster.fast_kmeans_single.flash_kmeans_single", lambda n: [
        tokens(n, length=400), tokens(n)], iter_time=1),
    "video: attention of clusters": serve(f"{NATIVE}.adacluster.triton_cluster_sparse_attn.triton_cluster_sparse_attn",
                                          clustered),
    "video: attention of nearest clusters": serve(
        f"{NATIVE}.adacluster.triton_cluster_sparse_attn_topk.triton_cluster_sparse_attn_topk", nearest),
    "video: bytes of blocks": serve(f"{SPARGE}.quant_per_block.per_block_int8", lambda n: tokens(n, 2)),
    "video: bytes of warps": serve(f"{SPARGE}.quant_per_block.per_warp_int8", lambda n: tokens(n, 2)),
    "video: bytes of threads": serve(f"{SAGE}.quant_per_thread.per_thread_int8", lambda n: tokens(n, 2)),
    "video: bytes of centred blocks": serve(f"{SAGE}.quant_per_block.per_block_int8", lambda n: [
        *tokens(n, 2, dtype=FP16), n(1, HEADS, 1, 128, dtype=FP16)]),
    "video: bytes of several lengths": serve(f"{SAGE}.quant_per_block_varlen.per_block_int8", joined),
    "video: chosen blocks": serve(f"{SPARGE}.utils.get_block_map_meansim", lambda n: tokens(n, 2), is_causal=True,
                                  return_lut=True),
    "video: chosen blocks and bytes": serve(f"{SPARGE}.utils.get_block_map_meansim_fuse_quant", lambda n: [
        *tokens(n, 2), n(1, HEADS, 1, 128)], return_lut=True),
    "video: centred bytes": serve(f"{SPARGE}.utils.get_vanilla_qk_quant", lambda n: [*tokens(n, 2), n(1, HEADS, 1, 128)]),
    "video: attention of bytes": serve(f"{SAGE}.attn_qk_int8_per_block.forward", scaled_bytes, return_lse=True),
    "video: attention of bytes to the past": serve(f"{SAGE}.attn_qk_int8_per_block_causal.forward", scaled_bytes),
    "video: attention of bytes of several lengths": joined_bytes("attn_qk_int8_block_varlen"),
    "video: attention of bytes to the past of several lengths": joined_bytes("attn_qk_int8_per_block_causal_varlen", 64),
    "video: mean": serve("sparsevideo.methods.flashomni.policy._hunyuan_mean_tokens_triton", lambda n: [tokens(n)]),
    "video: pooled": serve("sparsevideo.methods.flashomni.policy._hunyuan_pool_blocks_triton", lambda n: [
        tokens(n), n(1, HEADS, 1, 128), 64, torch.full((HEADS, ), 0.1, device=n.device)]),
    "video: placed": serve("sparsevideo.methods.svg1.placement.sparse_head_placement", lambda n: placed(n, 3)),
    "video: placed back": serve("sparsevideo.methods.svg1.placement.hidden_states_placement", lambda n: placed(n, 1)),
}
