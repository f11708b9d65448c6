"""Operations of packages that nothing else here measures: folding of proteins, atoms' interactions, spiking neurons, tables
of embeddings, quantizing, segments of sequences, and densities. Of fairchem, esm, allegro, spikingjelly, torchrec,
flash-semicrf, flash-sd-kde, flash-colreduce, cuequivariance-ops-torch, torchtitan, llmcompressor and nemo."""
import functools
import importlib
import importlib.util
import os
import sys

import bare
import operations
import torch
from bare import of
from operations import both_passes

os.environ["UMA_NITRO_EXPANDABLE_SEGMENTS"] = "0"  # or fairchem sets up the allocator of all others
bare.bare("esm", "torchrec", "torchtitan", "nemo", "llmcompressor", "compressed_tensors", "spikingjelly", "flash_sd_kde", "fairchem",
          "allegro", "cuequivariance_ops_torch")
bare.stub("loguru", "nequip", "e3nn", "spmd_types", "llmcompressor.modifiers.gptq.helpers", "llmcompressor.observers.base",
          "torchtitan.config", "torchtitan.distributed.utils", "torchtitan.models", "torchtitan.protocols")
FP16, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32


def made(device, backward=False):
    """What makes tensors on the device."""

    def n(*sizes, dtype=BF16, scale=1.0):
        if str(device) == "cpu":  # where nothing is computed
            return torch.zeros(*sizes, dtype=dtype).requires_grad_(backward)
        return (torch.randn(*sizes, device=device) * scale).to(dtype).requires_grad_(backward)

    n.device = device
    return n


call = functools.partial(operations.call, tensors=made)
serve = functools.partial(operations.serve, tensors=made)


def whole(n, most, *sizes, dtype=torch.int32):
    if str(n.device) == "cpu":
        return torch.zeros(*sizes, dtype=dtype)
    return torch.randint(0, most, sizes, device=n.device, dtype=dtype)


def uniform(n, *sizes):
    if str(n.device) == "cpu":
        return torch.zeros(*sizes)
    return torch.rand(*sizes, device=n.device)


# Pairs of a protein's residues

ESM = "esm.models.esmfold2.kernels"
RESIDUES, PAIR = 640, 128


def pairs(n, batch=1, length=RESIDUES, width=PAIR, dtype=BF16):
    return n(batch, length, length, width, dtype=dtype)


def triangle(direction, length=512, dropped=True):

    def run(device):
        n = made(device, backward=True)
        pair = pairs(n, length=length)
        mask = (uniform(n, 1, 1, length, PAIR) > 0.25).to(BF16) / 0.75 if dropped else None
        weights = {f"{name}_weight": n(*sizes, scale=0.1) for name, sizes in (
            ("norm_in", (PAIR, )), ("p_in", (2 * PAIR, PAIR)), ("g_in", (2 * PAIR, PAIR)), ("norm_out", (PAIR, )),
            ("p_out", (PAIR, PAIR)), ("g_out", (PAIR, PAIR)))}
        both_passes(lambda: of(f"{ESM}.trimul_with_residual.triangle_multiplicative_update_with_residual")(
            pair, direction, pair, mask, norm_in_bias=n(PAIR), norm_out_bias=n(PAIR), **weights,
            mask=(uniform(n, 1, length, length) > 0.1).to(BF16)))

    return run


def swiglu(device, backward=True, width=256, inner=1024, length=256):
    n = made(device, backward)
    module = of(f"{ESM}.fused_lnlin_swiglu.FusedLNLinearSwiGLU")(width, inner, device=device, dtype=BF16)
    if backward:
        both_passes(lambda: module(pairs(n, length=length, width=width)))
    else:
        with torch.no_grad():
            module(pairs(n, length=length, width=width))


def dropped(n, length=RESIDUES):
    return [pairs(n), pairs(n), (uniform(n, 1, 1, length, PAIR) > 0.25).to(BF16) / 0.75]


def biased(n, width=PAIR, heads=16):
    return [pairs(n, length=512, width=width), torch.ones(1, 512, device=n.device, dtype=torch.bool),
            n(heads, width, scale=0.1), n(width), n(width)]


# Tables of embeddings


def chosen_rows(n, rows=65536, count=524288, width=128):
    hot = (uniform(n, count)**3 * rows).long().clamp(max=rows - 1)
    return [n(rows, width), hot]


def permuted(keys, batch, most, weights=True):
    """Lists of ids by feature, put into another order."""

    def run(device):
        n = made(device)
        lengths = torch.randint(0, most, (keys, batch), device=device)
        total = int(lengths.sum())
        of("torchrec.sparse.triton_permute_2d.triton_permute_2d_sparse_data")(
            torch.randperm(keys, device=device).int(), lengths, whole(n, 1 << 30, total, dtype=torch.int64),
            uniform(n, total) if weights else None, total)

    return run


def several_tables(groups=2, backward=True, batch=8192, width=128, features=16):
    """Columns of some tensors put into others; the kernel for many of them reads addresses, which outlive no copy."""

    def run(device):
        n = made(device, backward)
        module = importlib.import_module("torchrec.sparse.triton_permute_multi_embedding")
        values = [n(batch, width * features, dtype=FP32) for _ in range(groups)]
        places = torch.randperm(groups * features).tolist()
        rows = [[place // features, i // features, place % features * width, i % features * width, width, 1 << 30]
                for i, place in enumerate(places)]
        whole_of = lambda x: torch.tensor(x, device=device, dtype=torch.int32)
        given = [values, whole_of(rows), whole_of([width * features] * groups), whole_of([width * features] * groups)]
        module._forward_impl(*given, [width * features] * groups)
        if backward:
            module._backward_impl(*given, [width * features] * groups)

    return run


# Quantizing

for name in ("compressed_tensors.quantization", "compressed_tensors.quantization.lifecycle",
             "compressed_tensors.quantization.utils", "compressed_tensors.quantization.lifecycle.forward_helpers"):
    if name not in sys.modules:  # whose __init__ asks for more than there is
        if name.endswith("helpers"):
            bare.stub(name)
        importlib.import_module(name).__getattr__ = bare.Stub("").__getattr__
GRID = "llmcompressor.observers.mse_quant"


def searched(kernel, rows=4096, groups=32, size=128, observations=1, dtype=FP32, kind=0, bits=4, symmetric=True, rounding=0,
             steps=20):
    """Which shrunken range quantizes with the least error."""

    def run(device):
        n = made(device)
        import triton
        module, count = importlib.import_module(GRID), rows * groups
        values = n(observations, count, size, dtype=dtype)
        ends = values.amin((0, 2)).clamp(max=0), values.amax((0, 2)).clamp(min=0)
        zero = torch.zeros(count, device=device) if symmetric else torch.full((count, ), 1.0, device=device)
        points = 1.0 - torch.arange(steps, device=device, dtype=FP32) / 100
        best = torch.zeros(count, device=device, dtype=torch.int32)
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == 0 else (-6.0, 6.0) if bits == 4 else (-448.0, 448.0)
        of_kind = dict(QUANT_TYPE=kind, NUM_BITS=bits, HAS_ZP=not symmetric, SYMMETRIC=symmetric, SCALE_ROUND_TYPE=rounding,
                       OBSERVED_DTYPE={FP32: 0, FP16: 1, BF16: 2}[dtype])
        given, limits = (values, *ends, zero), (float(least), float(most), 2.4)
        total = observations * size
        if kernel == "packed":
            block = triton.next_power_of_2(total)
            tile = max(1, 512 // block)
            module._grid_search_mse_triton_packed_kernel[(triton.cdiv(count, tile), )](
                *given, best, observations, count, size, steps, points, *limits, 5, 0.3, 1.2e-7, BLOCK_VALUES=block,
                TILE_QPARAMS=tile, TOTAL_STEPS=triton.next_power_of_2(steps), **of_kind)
        elif kernel == "whole":
            module._grid_search_mse_triton_kernel[(count, )](
                *given, best, observations, count, size, steps, points, *limits, 5, 0.3, 1.2e-7, BLOCK_VALUES=512,
                TOTAL_STEPS=triton.next_power_of_2(steps), **of_kind)
        else:
            chunks = triton.cdiv(total, 512)
            errors = torch.zeros(steps, count, chunks, device=device)
            module._grid_search_mse_triton_split_kernel[(count * chunks, )](
                *given, errors, observations, count, size, points, *limits, 1.2e-7, BLOCK_VALUES=512, NUM_CHUNKS=chunks,
                TOTAL_STEPS=steps, **of_kind)
            module._grid_search_mse_triton_split_reduce_kernel[(count, )](
                errors, best, count, 5, 0.3, BLOCK_CHUNKS=triton.next_power_of_2(chunks), NUM_CHUNKS=chunks, TOTAL_STEPS=steps)

    return run


def updated_block(kind, least, most, zero=True, dtype=FP32, rows=14336, width=128, batch=4):
    """One block of columns, quantized one after the other with what the error of each does to the others."""

    def run(device):
        n = made(device)
        work = n(batch, rows, width, dtype=FP32)
        hessian = torch.eye(width, device=device) + 0.01 * n(batch, width, width, dtype=FP32)
        scale = (uniform(n, batch, rows, width) * 0.1 + 0.1).to(dtype)
        zeros = whole(n, 3, batch, rows, width, dtype=torch.int8) if zero else None
        of("llmcompressor.modifiers.gptq.gptq_quantize.fused_gptq_block_update")(
            work, hessian, scale, zeros, torch.zeros_like(work), torch.zeros_like(work), least, most, kind)

    return run


# Neurons

SPIKES = "spikingjelly._ops"
NEURONS = 32, 128, 32, 32


def steps_of(n, count, dtype=FP32, last=False, sizes=NEURONS):
    """Values of neurons by time, channels first or last in memory."""
    x = n(count, *sizes, dtype=dtype)
    return x.permute(0, 1, 3, 4, 2).contiguous().permute(0, 1, 4, 2, 3) if last else x


def neurons(kind, *numbers, steps=8, dtype=FP32, kept=1, states=1, last=False, sizes=NEURONS, traced=True, more=(),
            gradients=None):
    """Neurons' spikes and what they get back; `kept` results of the first are given to the second, which has gradients of
    the spikes, of voltages and perhaps of more."""

    def run(device):
        n = made(device)
        module = importlib.import_module(f"{SPIKES}.{kind}.triton")
        x = steps_of(n, steps, dtype, last, sizes)
        given = [n(*sizes, dtype=FP32) for _ in range(states)]
        if kind == "plif":
            given.append(torch.tensor(0.3, device=device))
        module._forward_impl(x, *given, *numbers)
        made_before = [n(steps, *sizes, dtype=FP32) for _ in range(kept)]
        if kind == "plif":
            made_before = [x, *given, *made_before]
        gradient = steps_of(n, steps, dtype, last, sizes)
        module._backward_impl(gradient, *(n(*((steps, ) if traced else ()), *sizes, dtype=FP32) for _ in range(states)),
                              *made_before, *numbers)

    return run


def whole_numbers(device, steps=8):
    n = made(device)
    module = importlib.import_module(f"{SPIKES}.ilif.triton")
    numbers = 2.0, 4.0, 0.0, 4.0, 1.0, False, True
    module._forward_impl(steps_of(n, steps), n(*NEURONS, dtype=FP32), *numbers)
    module._backward_impl(*(steps_of(n, steps) for _ in range(3)), *numbers)


def clif(dtype, size=33554432):

    def run(device):
        n = made(device)
        module = importlib.import_module(f"{SPIKES}.clif.triton")
        module._forward_impl(*(n(size, dtype=dtype) for _ in range(4)), 2.0, 1.0, 4.0, 0)
        module._backward_impl(*(n(size, dtype=dtype) for _ in range(6)), 2.0, 1.0, 4.0, 0)

    return run


def aware(scalar, reset=None, last=False):

    def run(device):
        n = made(device)
        count = 1 if scalar else NEURONS[1]
        of(f"{SPIKES}.activation_aware_if.triton._forward_impl")(
            steps_of(n, 8, last=last), n(*NEURONS, dtype=FP32), uniform(n, count) + 0.5, n(count, dtype=FP32), NEURONS[1],
            NEURONS[2] * NEURONS[3], reset, True)

    return run


def counted(device):
    n = made(device)
    of(f"{SPIKES}.stbif.triton._forward_impl")(
        steps_of(n, 8), n(*NEURONS, dtype=FP32), torch.zeros(NEURONS, device=device), torch.full((1, ), 0.5, device=device),
        torch.full((1, ), 7.0, device=device), torch.full((1, ), -8.0, device=device))


def several_steps(kind, *numbers, steps=8, dtype=FP16, dynamic=False, reset=0.0, detached=False):
    """Neurons whose kernels are chosen among: with steps unrolled, or not."""
    from unittest import mock

    def run(device):
        n = made(device, True)
        module = importlib.import_module(f"{SPIKES}.{kind}.triton_precision")
        x, v = n(steps, *NEURONS, dtype=dtype), n(*NEURONS, dtype=dtype)
        most = 1 if dynamic else None
        with mock.patch.object(module, "use_static_range_for_triton_neuron_kernel", lambda count: not dynamic):
            function = getattr(module, f"multistep_{kind.strip('_')}")
            given = [x, v] + ([torch.tensor(0.5, device=device, dtype=dtype, requires_grad=True)] if kind == "plif" else [])
            both_passes(lambda: function(*given, *numbers, 1.0, reset, detached,
                                         of("spikingjelly.activation_based.surrogate.ATan")()))

    return run


def spikes_in_bits(device):
    n = made(device)
    spikes = (uniform(n, 1 << 28) < 0.2)
    module = importlib.import_module(f"{SPIKES}.spike_compress.triton")
    module._pack(spikes)
    module._unpack(whole(n, 256, 1 << 25, dtype=torch.uint8), [1 << 28], FP32)


def tempotron(device, batch=64, outputs=64, width=512, inputs=2048):
    """Double precision: when neurons' voltages reach the threshold, from the times of what comes in."""
    n = made(device)
    module = importlib.import_module(f"{SPIKES}.tempotron.triton")
    double = lambda *sizes: torch.rand(*sizes, device=device, dtype=torch.float64)
    slow, fast = 15.0, 3.75
    delta, norm = 1 / fast - 1 / slow, torch.tensor(0.4725 * 11.25, device=device, dtype=torch.float64)
    times = double(batch, width).sort(1)[0] * 100
    module._states_impl(times, double(batch, outputs, width) - 0.4, double(batch, outputs), double(batch, outputs),
                        torch.zeros(batch, device=device, dtype=torch.float64), slow, fast, delta, norm)
    order = torch.randperm(batch * width, device=device)
    offsets = torch.arange(0, batch * width + 1, width, device=device)
    module._weight_gradient_impl(
        times.view(-1), torch.randint(0, inputs, (batch * width, ), device=device), double(outputs, inputs), order, offsets,
        double(batch, outputs) * 100, torch.full((batch, outputs), width // 2, device=device), double(batch, outputs), slow,
        delta, norm)
    # What has a root in its bracket: a voltage below the threshold, and a current that takes it above.
    shape = 262144
    module._solve[(shape // 128, )](
        double(shape) * 2, double(shape) * 10 + 20, torch.zeros(shape, device=device, dtype=torch.float64),
        double(shape) * 2 + 4, double(shape) < 0.9, norm, double(shape), whole(n, 1, shape), shape, slow, fast, delta, 1.0, 60,
        128, num_warps=4, enable_fp_fusion=False)


def first_spikes(device, count=4194304, width=64, outputs=64):
    n = made(device)
    module = importlib.import_module(f"{SPIKES}.first_spike")
    f = lambda *sizes: uniform(n, *sizes)
    b = lambda: f(count) < 0.5
    low, step = f(count), f(count)
    blocks = count // 256
    module._propose[(blocks, )](low, low + step, low + step / 2, n(count, dtype=FP32), n(count, dtype=FP32), b(), f(6, count), torch.zeros(
        2, count, device=device, dtype=torch.bool), whole(n, 1, blocks), count, 256, enable_fp_fusion=False)
    module._finish[(blocks, )](low, low + step, f(count), f(count), f(count), f(count), b(), b(), low, low + step / 2,
                               -f(count), f(count), f(4, count), count, 256, enable_fp_fusion=False)
    rows, queries = count // 64, 64
    module._cubic[(blocks, )](f(count), whole(n, 3 * width, count, dtype=torch.int64), n(rows, width, 4, dtype=FP32), f(
        rows // outputs, width), torch.full((1, ), 0.5, device=device), f(count), f(count), count, width, queries, width, outputs,
        False, 256, enable_fp_fusion=False)


# Experts and heads of torchtitan

TITAN = "torchtitan.distributed.minimal_async_ep.kernels"


def gated(rows=8192, width=14336, counted=False):

    def run(device):
        n = made(device)
        module = importlib.import_module("torchtitan.overrides.fused_swiglu")
        gate, up = n(rows, 2, width).unbind(1)
        offsets = torch.arange(1, 9, device=device, dtype=torch.int32) * (rows // 8) - 5 if counted else None
        module.silu_and_mul_forward_kernel(gate, up, offsets)
        module.silu_and_mul_backward_kernel(n(rows, width), gate, up, offsets)

    return run


def latent_heads(device, batch=2, length=4096, count=32, nope=128, rope=64, value=128):
    n = made(device)
    import triton
    module = importlib.import_module("torchtitan.overrides.fused_mla")
    angles = uniform(n, 2 * length, rope // 2) * 6
    cache = torch.stack([angles.cos(), angles.sin()], -1)
    positions = torch.arange(length, device=device).expand(batch, length) + 3
    module._fused_mla_q_rope_op(n(batch, length, count, nope + rope), cache, positions, nope, False)
    module._fused_mla_q_rope_op(n(batch, length, count, nope + rope), cache, positions, nope, True)
    module._fused_mla_k_rope_op(n(batch, length, count, nope + value), n(batch, length, rope), cache, positions, nope)
    module._fused_mla_kv_backward_op(n(batch, length, count, nope + rope), n(batch, length, count, value), cache, positions,
                                     nope, rope)


def routed(device, tokens=8192, top=8, width=4096, ranks=4, local=16, ordered=True):
    n = made(device)
    module = importlib.import_module(TITAN)
    count, experts = tokens * top, ranks * local
    sizes = torch.full((experts, ), count // experts, device=device) + whole(n, 65, experts, dtype=torch.int64) - 32
    sizes[-1] += count - sizes.sum()
    starts = sizes.cumsum(0) - sizes
    most = count // experts + 1200
    module.fill_dispatch_metadata_kernel(sizes, starts % (count // 2), starts, num_routed_tokens=count,
                                         num_local_experts=local, max_tokens_per_segment=most)
    sources = torch.arange(ranks * experts, device=device) * 100
    module.fill_combine_metadata_kernel(sizes, starts, sources, ep_rank=1, ep_size=ranks, num_local_experts=local,
                                        receive_capacity=count, max_tokens_per_segment=most)
    flat = torch.randperm(count, device=device)
    module.invert_flat_indices_kernel(flat, num_rows=count)
    scores, rows = uniform(n, count), n(count, width)
    module.reduce_topk_slots_kernel(rows, torch.argsort(flat), scores, num_tokens=tokens, top_k=top,
                                    scores_are_slot_ordered=ordered)
    out = n(tokens, width)
    module.expand_topk_grad_kernel(out, flat, scores, top_k=top, dtype=BF16, scores_are_slot_ordered=ordered)
    module.topk_scores_grad_kernel(rows, out, flat, top_k=top, dtype=FP32, scores_are_slot_ordered=ordered)


def to_peers(device, rows=16384, width=4096, ranks=4, experts=256):
    """What would be other GPUs' memory is this one's."""
    n = made(device)
    module = importlib.import_module(TITAN)
    addresses = lambda buffers: torch.tensor([x.data_ptr() for x in buffers], device=device, dtype=torch.int64)
    others = [torch.zeros(rows, width, device=device, dtype=BF16) for _ in range(ranks)]
    where = torch.randperm(rows, device=device)
    module.copy_rows_to_peers_kernel(
        n(rows, width), others, where % ranks, where // ranks, ep_size=ranks, num_rows=rows, num_cols=width,
        dst_ptrs=addresses(others), src_rows=torch.randperm(rows, device=device),
        num_valid_rows=torch.full((1, ), rows - 100, device=device))
    counts = [torch.zeros(ranks, experts, device=device, dtype=torch.int64) for _ in range(ranks)]
    module.copy_full_counts_to_peers_kernel(whole(n, 100, experts, dtype=torch.int64), counts, rank=1, ep_size=ranks,
                                            num_experts=experts, dst_ptrs=addresses(counts))
    if str(device) != "cpu":
        torch.cuda.synchronize()


# Densities

KDE = "flash_sd_kde.kernels"


def points(n, count, features=16):
    return n(count, features, dtype=FP32) if features > 1 else n(count, dtype=FP32)


def density(path, count=32768, queries=32768, features=16, **options):
    """Sums over all points, for each query or for each point."""

    def run(device):
        n = made(device)
        given = [points(n, count, features)] + ([points(n, queries, features)] if queries else [])
        of(f"{KDE}.{path}")(*given, 0.5, device=torch.device("cuda"), **options)

    return run


def tiles_of_densities(device, count=32768):
    n = made(device)
    module, scores = (importlib.import_module(f"{KDE}.flash_sd_kde.{name}") for name in ("kde", "empirical"))
    sums = lambda *sizes: torch.zeros(*sizes, device=device)
    x, q = n(count, dtype=FP32), n(count, dtype=FP32)
    options = dict(num_warps=4, num_stages=2)
    module._gaussian_kde_kernel[(count // 128, count // 128)](x, q, sums(count), count, count, 2.0, BLOCK_M=128, BLOCK_N=128, **options)
    module._gaussian_kde_pdf_deriv_kernel[(count // 128, count // 128)](
        x, q, sums(count), sums(count), count, count, 2.0, BLOCK_M=128, BLOCK_N=128, **options)
    x, q = points(n, count), points(n, count)
    module._gaussian_kde_kernel_nd[(count // 64, count // 64)](
        x, q, sums(count), count, count, 16, 16, 0.25, BLOCK_M=64, BLOCK_N=64, BLOCK_K=16, **options)
    scores._empirical_sd_kde_kernel_nd_old[(count // 64, count // 64)](
        x, x, sums(count), sums(count, 16), count, count, 16, 16, 16, 0.25, BLOCK_M=64, BLOCK_N=64, BLOCK_K=16, **options)
    scores._empirical_sd_kde_kernel_nd[(count // 64, count // 2048)](
        x, x, sums(count), sums(16, count), count, count, 16, 16, count, 0.25, BLOCK_M=64, BLOCK_N=2048, BLOCK_K=16, num_warps=2,
        num_stages=2)


# Segments of sequences


def segments(n, batch=256, length=96, labels=24, longest=8, varied=False):
    """Scores of labels, summed along the sequence, and of going from one to another."""
    scores = n(batch, length, labels, dtype=FP32).detach().cumsum(1)
    scores = torch.nn.functional.pad(scores, (0, 0, 1, 0)).requires_grad_()
    return [scores, n(*((longest, ) if varied else ()), labels, labels, dtype=FP32, scale=0.1),
            n(longest, labels, dtype=FP32, scale=0.1), torch.full((batch, ), length, device=n.device, dtype=torch.int64), longest]


def segmented(boundaries=False, varied=False, **options):

    def run(device):
        n = made(device, True)
        given = segments(n, varied=varied, **options)
        batch, length, labels = given[0].shape
        ends = [n(batch, length - 1, labels, dtype=FP32) for _ in range(2)] if boundaries else [None, None]
        both_passes(lambda: of("flash_semicrf.streaming.autograd.SemiCRFStreamingTriton.apply")(*given, "log", *ends, 4, None))

    return run


def best_segments(pointers):

    def run(device):
        with torch.no_grad():
            module = importlib.import_module("flash_semicrf.streaming.triton_forward")
            given = segments(made(device), batch=512, length=128)
            given[0] = given[0].detach()
            if pointers:
                module.semi_crf_streaming_viterbi_triton(*given)
            else:
                module.launch_streaming_triton_kernel(*given, semiring="max")

    return run


# Attention's columns


def reduced(reduction, causal=False, size=128, length=2048, heads=16, batch=4, dtype=BF16):
    return serve("flash_colreduce.flash.flash_colreduce", lambda n: [
        n(batch, heads, length, size, dtype=dtype), n(batch, heads, length, size, dtype=dtype), reduction, causal])


# Speech

NEMO = "nemo.collections.asr.parts"


def transduced(dtype=FP32, batch=4, length=200, labels=60, count=1025):
    return call(f"{NEMO}.k2.rnnt_logprobs_triton.rnnt_logprobs_triton", lambda n: [
        n(batch, length, labels + 1, count, dtype=dtype), whole(n, count - 1, batch, labels, dtype=torch.int64), count - 1,
        whole(n, 40, batch) + length - 39, whole(n, 20, batch) + labels - 19])


def language_model(device, batch=512, words=1024, states=20000, several=0):
    """Steps of an automaton with arcs for some words in each state and for all of them in the first."""
    n = made(device)
    import triton
    counts = whole(n, 12, states, dtype=torch.int64) + 2
    counts[0] = words
    ends = counts.cumsum(0)
    # Each state's arcs have labels that differ: equal steps from some first one.
    which = torch.repeat_interleave(torch.arange(states, device=device), counts)
    within = torch.arange(int(ends[-1]), device=device) - (ends - counts)[which]
    labels = (within * 37 + whole(n, words, states, dtype=torch.int64)[which]) % words
    data = [whole(n, states, len(which)), labels.int(), n(len(which), dtype=FP32),
            torch.stack([ends - counts, ends], 1).int().contiguous(),
            (torch.arange(states, device=device) // 8).int(), n(states, dtype=FP32) * (torch.arange(states, device=device) > 0)]
    out = [torch.full((batch, words), -1, device=device, dtype=torch.int64), torch.zeros(batch, words, device=device)]
    module = importlib.import_module(f"{NEMO}.submodules.ngram_lm.ngram_lm_triton")
    now = whole(n, states, batch, dtype=torch.int64)
    size = triton.next_power_of_2(words)
    if several:
        starts = torch.zeros(several, device=device, dtype=torch.int64)
        module.ngram_multi_advance_triton_kernel[(batch, )](
            words, now, *out, 0, whole(n, several, batch, dtype=torch.int64), starts, starts, *data, BLOCK_SIZE=size)
    else:
        module.ngram_advance_triton_kernel[(batch, )](words, now, *out, 0, *data, BLOCK_SIZE=size)


# Products of spherical harmonics, and projections of pairs


def coupled(mode, atoms=4096, edges=65536, width=64, degree=2, dtype=FP32):
    """Sparse products of each edge's values and those of an atom: which of them is much as for real harmonics."""

    def run(device):
        n = made(device)
        module = importlib.import_module("allegro.nn._strided._flashallegro")
        degrees = range(degree + 1)
        paths = [(a, b, c) for a in degrees for b in degrees for c in degrees if abs(a - b) <= c <= a + b]
        size, numbers = (degree + 1)**2, torch.Generator().manual_seed(0)
        table = torch.zeros(len(paths), size, size, size)
        for path, (a, b, c) in enumerate(paths):
            for i in range(-a, a + 1):
                for j in range(-b, b + 1):
                    for k in {abs(i) + abs(j), abs(abs(i) - abs(j))}:
                        if k <= c:
                            table[path, a * a + a + i, b * b + b + j, c * c + c + (k if i * j >= 0 else -k)] = torch.rand(
                                1, generator=numbers) + 0.5
        found = module._initialize_metadata(table.to(device))
        weights = n(*((width, ) if mode == "up" else ()), len(paths), dtype=dtype)
        x, y, own = n(edges, width, size, dtype=dtype), n(atoms, width, size, dtype=dtype), torch.arange(edges, device=device)
        near, count = whole(n, atoms, edges, dtype=torch.int64), int((table != 0).sum())
        for i, (left, right, where) in enumerate(((x, y, near), (x, y, near), (x, x, own))):
            module._triton_kernel_allegro(mode, left, right, where, *found[3 * i:3 * i + 3], found[9 + i].to(dtype), found[12 + i],
                                          weights, size, size, size, count, dtype)

    return run


CUEQ = "cuequivariance_ops_torch"


def projected_pairs(device, length=384, width=384):
    n = made(device)
    import triton
    module = importlib.import_module(f"{CUEQ}.trimul_sm120_projection_triton")
    rows = length * length
    module._sm120_projection_kernel[lambda meta: (triton.cdiv(rows, meta["BM"]) * (512 // meta["BN"]), )](
        n(rows, width), n(512, width, scale=0.1), n(512, width, scale=0.1), n(512), n(512), n(rows), n(512, rows), rows, width)


def projected_pairs_back(device, batch=1, length=512, width=384, hidden=256):
    """Some of the gradients lie the other way round in memory."""
    n = made(device)
    module = importlib.import_module(f"{CUEQ}.trimul_a1_projection_vjp")
    rows = batch * length * length
    strides = rows, length * length, length, 1
    turned = rows, length * length, 1, length
    for a, b in ((strides, strides), (turned, strides), (strides, turned)):
        module._gate_vjp_producer_kernel[(512 // 2, batch * (length // 8) * (length // 128))](
            n(512, rows), n(512), n(rows), n(hidden, rows), n(hidden, rows), n(hidden * rows), n(hidden * rows), *a, *b,
            n(1024, rows), n(rows // 128, 1024, dtype=FP32), rows, length, 2, 8, 128, a == turned, b == turned, False, num_warps=4)


# Atoms' interactions

UMA, NITRO = "fairchem.core.models.uma.triton", "fairchem.core.models.uma.uma_nitro._inference"
ATOMS, EDGES, CHANNELS, SYSTEMS = 4096, 65536, 128, 8


def edges_of(n, atoms=ATOMS, edges=EDGES, dtype=torch.int64):
    """Atoms and their neighbours, by the second of them."""
    return torch.stack([whole(n, atoms, edges, dtype=dtype), torch.arange(edges, device=n.device).to(dtype) // (edges // atoms)])


def systems(n, atoms=ATOMS):
    return torch.arange(atoms, device=n.device) // (atoms // SYSTEMS)


def permuted_edges(device):
    n = made(device, True)
    importlib.import_module(f"{UMA}.custom_ops")
    both_passes(lambda: of(f"{UMA}.node_to_edge_wigner_permute.NodeToEdgeWignerPermuteFunction.apply")(
        n(ATOMS, 9, CHANNELS, dtype=FP32), edges_of(n), n(EDGES, 9, 9, dtype=FP32)))


def permuted_back(device):
    n = made(device, True)
    importlib.import_module(f"{UMA}.custom_ops")
    both_passes(lambda: of(f"{UMA}.permute_wigner_inv_edge_to_node.PermuteWignerInvEdgeToNodeFunction.apply")(
        n(EDGES, 9, CHANNELS, dtype=FP32), n(EDGES, 9, 9, dtype=FP32)))


def buffers(n, width=1, dtype=FP32, edges=EDGES):
    return [n(edges, count * width * CHANNELS, dtype=dtype) for count in (3, 4, 2)]


def first_convolution(n):
    return [n(ATOMS, 9, CHANNELS, dtype=FP32), edges_of(n), n(EDGES, 35, dtype=FP32), n(EDGES, 12 * CHANNELS, dtype=FP32),
            CHANNELS]


def second_convolution(scattered):
    """The kernels read these as their Python functions give them; those check more than is needed here."""

    def run(device):
        n = made(device)
        module = importlib.import_module(f"{UMA}.fused_wigner")
        grads, weights = buffers(n), n(EDGES, 35, dtype=FP32)
        out = [torch.zeros_like(x) for x in grads] + [torch.zeros_like(weights)]
        if scattered:
            where, nodes = edges_of(n)[1].contiguous(), n(ATOMS, 9, CHANNELS, dtype=FP32)
            torch.ops.fairchem._kernel_wigner_inv_conv2_scatter_fwd(*grads, weights, where, torch.zeros_like(nodes), CHANNELS)
            torch.ops.fairchem._kernel_wigner_inv_conv2_scatter_bwd(nodes, where, *buffers(n), weights, *out, CHANNELS)
        else:
            edges = n(EDGES, 9, CHANNELS, dtype=FP32)
            torch.ops.fairchem._kernel_wigner_inv_conv2_fused_fwd(*grads, weights, torch.zeros_like(edges), CHANNELS)
            torch.ops.fairchem._kernel_wigner_inv_conv2_fused_bwd(edges, *buffers(n), weights, *out, CHANNELS)

    return run


def packed_gates(device):
    n = made(device)
    importlib.import_module(f"{UMA}.packed_gate")
    x = [n(EDGES, count * CHANNELS, dtype=FP32) for count in (5, 4, 2)]
    y = buffers(n)
    torch.ops.fairchem._packed_gate_fwd(*x, *y, CHANNELS)
    torch.ops.fairchem._packed_gate_bwd(*y, *x, *(torch.zeros_like(part) for part in x), CHANNELS)


def nitro(run):
    """Runs what takes the operators, the module and what makes tensors."""

    def imported(device):
        for name in ("cutlass", "cuda"):
            if name not in sys.modules and importlib.util.find_spec(name) is None:
                bare.stub(name)
        bare.stub("fairchem.core.common", "fairchem.core.models.uma.escn_md", "fairchem.core.units")
        n = made(device)
        n.zeros = lambda *sizes, dtype=FP32: torch.zeros(*sizes, device=device, dtype=dtype)
        module = importlib.import_module(NITRO)
        with torch.no_grad():
            run(torch.ops.uma_nitro, module, n)

    return imported


def nodes_of(n, count=None, dtype=FP32):
    return n(ATOMS * 4, 9, CHANNELS, dtype=dtype)


def levels(n):
    """Which of the levels coefficients belong to."""
    return torch.tensor([0, 1, 1, 1, 2, 2, 2, 2, 2], device=n.device)


def normalized(ops, module, n, row=False):
    x, w = nodes_of(n), uniform(n, 9)
    given = [n(3, CHANNELS, dtype=FP32), n(CHANNELS, dtype=FP32), levels(n)]
    inverse = uniform(n, len(x)) + 0.5
    ops.equivariant_rms_norm(x, w, *given, torch.zeros_like(x), torch.zeros_like(inverse), 1e-5,
                             n(len(x), CHANNELS, dtype=FP32) if row else None)
    ops.equivariant_rms_norm_bwd(x, nodes_of(n), inverse, w, given[0], given[2], torch.zeros_like(x))


def first_embedding(ops, module, n):
    starts = torch.arange(0, EDGES + 1, EDGES // ATOMS, device=n.device)
    weights, radial, nodes = n(EDGES, 9, 9, dtype=FP32), n(EDGES, 3 * CHANNELS, dtype=FP32), n(ATOMS, 9, CHANNELS, dtype=FP32)
    ops.fused_m0_segreduce(weights, radial, starts, nodes, torch.zeros_like(nodes), 0.2)
    ops.fused_m0_bwd(nodes, edges_of(n)[1].contiguous(), weights, radial, torch.zeros_like(weights), torch.zeros_like(radial), 0.2)


def rows_of_edges(n, edges=EDGES * 4):
    """Rows, weights and biases, means and deviations."""
    return [n(edges, CHANNELS, dtype=FP32), n(CHANNELS, dtype=FP32), n(CHANNELS, dtype=FP32)], [
        n(edges, dtype=FP32), uniform(n, edges) + 0.5]


def norm_and_silu(ops, module, n):
    given, found = rows_of_edges(n)
    x = given[0]
    ops.ln_silu_fwd(*given, torch.zeros_like(x), *map(torch.zeros_like, found), 1e-5)
    g = n(*x.shape, dtype=FP32)
    ops.ln_silu_bwd_dx(g, *given, *found, torch.zeros_like(x))
    ops.ln_silu_silubwd(g, *given, *found, torch.zeros_like(x))
    half, scale = torch.zeros_like(x, dtype=FP16), torch.zeros_like(found[0])
    ops.ln_silu_fwd_fp16(*given, half, *map(torch.zeros_like, found), scale, 1e-5)
    ops.ln_silu_bwd_dx_fp16(g, *given, *found, half, scale)


def norms_and_silus(ops, module, n, count=5):
    x, w, b = n(EDGES, count * CHANNELS, dtype=FP32), n(count, CHANNELS, dtype=FP32), n(count, CHANNELS, dtype=FP32)
    found = [n(count, EDGES, dtype=FP32), uniform(n, count, EDGES) + 0.5]
    ops.ln_silu_multi_fwd(x, w, b, n.zeros(count, EDGES, CHANNELS), *map(torch.zeros_like, found), 1e-5)
    ops.ln_silu_multi_bwd([n(EDGES, CHANNELS, dtype=FP32) for _ in range(count)], x, w, b, *found, torch.zeros_like(x))
    halves = [n(EDGES, CHANNELS, dtype=FP16 if i else FP32) for i in range(count)]
    ops.ln_silu_multi_bwd_fp16(halves, [uniform(n, EDGES) + 0.5 for _ in range(count)], 0b11110, 64.0, x, w, b, *found,
                               torch.zeros_like(x, dtype=FP16), n.zeros(EDGES))


def neighbours_offsets(ops, module, n):
    edges = EDGES * 8
    cells, rows, offsets = n(SYSTEMS, 3, 3, dtype=FP32), whole(n, ATOMS, edges, dtype=torch.int64), whole(n, 3, edges, 3).float() - 1
    ops.cell_offsets_fwd(offsets, systems(n), rows, cells, n.zeros(edges, 3))
    ops.cell_offsets_bwd(n(edges, 3, dtype=FP32), offsets, systems(n), rows, n.zeros(SYSTEMS, 3, 3))


def distances(ops, module, n, edges=EDGES * 4, base=32):
    numbers = -21.0, 35.0, -15.0  # an envelope's of the fifth power
    far, steps = uniform(n, edges) * 6, torch.linspace(0, 6, base, device=n.device)
    atoms, ends = whole(n, 90, ATOMS, dtype=torch.int64), edges_of(n, edges=edges)
    made_of = [n(100, CHANNELS, dtype=FP32) for _ in range(2)]
    ops.edge_emb_fwd(far, steps, atoms, ends, *made_of, n.zeros(edges, base + 2 * CHANNELS), n.zeros(edges), -14.0, 6.0, *numbers)
    ops.edge_emb_bwd(n(edges, base + 2 * CHANNELS, dtype=FP32), n(edges, dtype=FP32), far, steps, n.zeros(edges), -14.0, 6.0,
                     *numbers)


def rotations(ops, module, n, edges=EDGES * 2):
    v, gamma, env = n(edges, 3, dtype=FP32), uniform(n, edges) * 6, uniform(n, edges)
    comp, w, wi = n(edges, 34, dtype=FP32), n(edges, 81, dtype=FP32), n(edges, 81, dtype=FP32)
    ops.wigner_fwd(v, gamma, n(55, 32, dtype=FP32), env, *map(torch.zeros_like, (comp, w, wi)), 1e-7)
    ops.wigner_bwd(w, wi, v, gamma, n(32, 256, dtype=FP32), comp, env, torch.zeros_like(comp), n.zeros(edges, 3),
                   n.zeros(edges), 1e-7)


def summed(ops, module, n, atoms=ATOMS, edges=EDGES):
    starts = torch.arange(0, edges + 1, edges // atoms, device=n.device)
    x, scale, out = n(edges, 9, CHANNELS, dtype=FP16), uniform(n, edges), n.zeros(atoms, 9, CHANNELS)
    ops.segreduce_tgt_fp16(x, scale, starts, out, CHANNELS)
    module._segreduce_tgt_bal_kernel[(edges // 64, )](x, scale, edges_of(n, atoms, edges)[1].contiguous(), out, edges,
                                                      CHANNELS=CHANNELS, CHUNK=64, num_warps=4)


def turned_and_summed(ops, module, n, split=4):
    """With PTX that adds four numbers at a time where programs share a node."""
    starts = torch.arange(0, EDGES + 1, EDGES // ATOMS, device=n.device)
    residual = n(ATOMS, 9, CHANNELS, dtype=FP32)
    module._invrot_segreduce_kernel[(ATOMS * split, )](
        *buffers(n), n(EDGES, 81, dtype=FP32), starts, residual, torch.zeros_like(residual), ATOMS, C=CHANNELS, GRID=ATOMS * split,
        NSPLIT=1, CBLK=CHANNELS, ESPLIT=split, num_warps=1, num_stages=3, RED=int(split > 1))


def convolved(ops, module, n):
    x, ends, weights, radial = n(ATOMS, 9, CHANNELS, dtype=FP32), edges_of(n), n(EDGES, 81, dtype=FP32), n(
        EDGES, 12 * CHANNELS, dtype=FP32)
    m = buffers(n, 2)
    module.wigner_conv1_fused_fwd_kernel[(EDGES, )](
        x, ends, weights, radial, *m, EDGES, CHANNELS, *x.stride(), ends.stride(0), BLOCK_C=CHANNELS, GRID_E_STRIDE=EDGES,
        num_warps=1, num_stages=3, EV_S="evict_first", EV_R="evict_last")
    ops.conv1_bwd_fp16(*m, weights, radial, x, ends, *(n.zeros(EDGES, 9, CHANNELS, dtype=FP16) for _ in range(2)),
                       torch.zeros_like(x), torch.zeros_like(weights), torch.zeros_like(radial, dtype=FP16), n.zeros(EDGES),
                       n.zeros(EDGES), n(3, EDGES, dtype=FP32), CHANNELS)


def convolved_back(ops, module, n):
    half = buffers(n, dtype=FP16)
    ops.invrot_conv2_bwd_fp16(
        n(ATOMS, 9, CHANNELS, dtype=FP32), edges_of(n, dtype=torch.int32)[1].contiguous(), *buffers(n), n(EDGES, 81, dtype=FP32),
        *map(torch.zeros_like, half), n.zeros(EDGES, 81), torch.full((1, ), 1024.0, device=n.device), n.zeros(EDGES), n.zeros(EDGES),
        8.0, CHANNELS, EDGES, EDGES, 1, True)


def gates(ops, module, n):
    """The coefficients lie behind two rows of gates."""
    row, base = 11 * CHANNELS, 2 * CHANNELS
    x, expand, bias = n(EDGES, row, dtype=FP32), torch.tensor([0, 1, 0, 1, 0, 1, 1, 1], device=n.device), n(5 * CHANNELS, dtype=FP32)
    blocks = torch.ops.uma_nitro_block
    half = torch.zeros_like(x, dtype=FP16)
    blocks.gate(x, x, expand, half, bias, 9, CHANNELS, row, base, row, 0, 3, 16)
    blocks.gate_bwd_split_fp16(
        x, n(EDGES, row, dtype=FP16), *buffers(n, dtype=FP32), half, n.zeros(EDGES), uniform(n, EDGES) + 0.5, expand, bias,
        n.zeros(6, EDGES), [8.0, 8.0, 8.0], True, 9, CHANNELS, row, base, 0, 3, 3, 7, 13, True, 2, 1.0,
        row, True)


def neighbours(ops, module, n, atoms=8192, around=27, capacity=32, buckets=32768):
    """A table of the cells of a grid, and who is near whom."""
    w = lambda most, *sizes, dtype=torch.int64: whole(n, most, *sizes, dtype=dtype)
    sources, total = atoms * 8, atoms * around * capacity
    cells = torch.eye(3, device=n.device).expand(SYSTEMS, 3, 3) * 20 + n(SYSTEMS, 3, 3, dtype=FP32) * 0.1
    positions, batch = uniform(n, atoms, 3) * 20, torch.arange(atoms, device=n.device) // (atoms // SYSTEMS)
    periodic = torch.ones(SYSTEMS, 3, device=n.device, dtype=torch.bool)
    flag, repeats = n.zeros(1, dtype=torch.int64), torch.ones(SYSTEMS, 3, device=n.device)
    ops.replication(cells.contiguous(), periodic, torch.zeros_like(repeats), flag, 6.0, 4)
    atom, moved = w(atoms, sources), whole(n, 3, sources, 3).float() - 1
    place, owner = uniform(n, sources, 3) * 40 - 10, batch[atom]
    ops.source_prep(positions, cells.contiguous(), batch, atom, moved, repeats, torch.zeros_like(place), n.zeros(
        sources, 3, dtype=torch.int64), torch.zeros_like(owner), n.zeros(sources, dtype=torch.bool), 6.0)
    coordinates = (place / 6).floor().long()
    ops.hash_cells_fused(coordinates, owner, torch.zeros_like(owner), buckets)
    flat, counter = n.zeros((buckets + 1) * capacity, dtype=torch.int64), n.zeros(buckets + 1, dtype=torch.int32)
    ops.table_init(flat, counter)
    # One for each bucket, as who comes first gets the first place.
    ops.bucket_fill_direct(torch.randperm(buckets, device=n.device), n.zeros(buckets, dtype=torch.bool) == 0, counter, flat, flag,
                           capacity, buckets)
    table = w(sources, buckets + 1, capacity)
    near = torch.cartesian_prod(*(torch.arange(-1, 2, device=n.device) for _ in range(3)))
    keep, safe = uniform(n, total) < 0.15, w(sources, total)
    ops.fused_candidates(positions, batch, near, table, coordinates, place, owner, torch.zeros_like(keep), torch.zeros_like(safe),
                         6.0, 6.0)
    counts = keep.view(atoms, -1).sum(1)
    ops.count_atom(keep, torch.zeros_like(counts), around * capacity)
    starts, most = counts.cumsum(0) - counts, total // 5
    ops.graph_scan(counts, batch, torch.zeros_like(counts), n.zeros(atoms + 1, dtype=torch.int64), n.zeros(
        SYSTEMS, dtype=torch.int64), flag, most)
    ops.compact_base(keep, starts, n.zeros(most, dtype=torch.int64), around * capacity, most)
    ops.edge_emit(w(total, most), safe, atom, torch.arange(total, device=n.device) // (around * capacity), moved, n.zeros(
        2, most, dtype=torch.int64), n.zeros(most, 3))


def vectors(ops, module, n, edges=EDGES * 8):
    positions, (row, column) = n(ATOMS, 3, dtype=FP32), edges_of(n, edges=edges)
    live, v, far = torch.full((1, ), edges - 1000, device=n.device), n(edges, 3, dtype=FP32), uniform(n, edges) + 0.5
    ops.edge_geom_fwd(positions, row, column, n(edges, 3, dtype=FP32), live, torch.zeros_like(v), torch.zeros_like(far), 6.0)
    ops.edge_geom_bwd(n(edges, 3, dtype=FP32), n(edges, dtype=FP32), v, far, row, column, live, torch.zeros_like(positions),
                      torch.zeros_like(v))


def gated_nodes(ops, module, n):
    x, gate, expand = nodes_of(n), n(ATOMS * 4, 2 * CHANNELS, dtype=FP32), torch.tensor([0, 0, 0, 1, 1, 1, 1, 1], device=n.device)
    ops.node_gate_fwd(x, gate, expand, torch.zeros_like(x))
    ops.node_gate_bwd(nodes_of(n), x, gate, expand, torch.zeros_like(x), torch.zeros_like(gate))


def nodes_begun(ops, module, n):
    x = nodes_of(n)
    count, batch = len(x), torch.arange(len(x), device=n.device) // (len(x) // SYSTEMS)
    w = lambda most, *sizes: whole(n, most, *sizes, dtype=torch.int64)
    ops.node_init(n(SYSTEMS, CHANNELS, dtype=FP32), batch, n(100, CHANNELS, dtype=FP32), w(90, count), n.zeros(count, CHANNELS),
                  torch.zeros_like(x))
    planes, bias = n(9, count, CHANNELS, dtype=FP32), n(9, CHANNELS, dtype=FP32)
    ops.t01_bias(planes, bias, x, torch.zeros_like(x), True)
    ops.row0_split_bwd(planes, n(count, CHANNELS, dtype=FP32), torch.zeros_like(x), True, True)
    ops.row0_bwd(n(count, CHANNELS, dtype=FP32), torch.zeros_like(x))
    ops.sum5(*(nodes_of(n) for _ in range(5)), torch.zeros_like(x), 5)
    ops.add_block_row0(x, n(count, 3, dtype=FP32), torch.zeros_like(x), 2)
    ops.csd_cat(w(5, 1), w(5, 1), n(201, CHANNELS, dtype=FP32), n(101, CHANNELS, dtype=FP32), n(CHANNELS, dtype=FP32), n.zeros(
        3 * CHANNELS), 100, 0)
    ops.bc_reduce(x, batch, n.zeros(SYSTEMS, 3), 0)
    ops.bc_apply(x, n(SYSTEMS, 3, dtype=FP32), w(3, SYSTEMS), torch.full((SYSTEMS, ), count // SYSTEMS, device=n.device), batch,
                 torch.zeros_like(x), 0, True)


def whole_systems(ops, module, n, atoms=1048576, count=4096):
    batch = torch.arange(atoms, device=n.device) // (atoms // count)
    double = torch.float64
    ops.energy_sum(n(atoms, dtype=FP32), batch, n.zeros(count, dtype=double))
    ops.energy_sum_bwd(n(count, dtype=double), batch, n.zeros(atoms))
    cells = n(count, 3, 3, dtype=FP32)
    ops.det3_abs(cells, n.zeros(count))
    ops.pos_virial(n(atoms, 3, dtype=FP32), n(atoms, 3, dtype=FP32), batch, n.zeros(count, 3, 3, dtype=double))
    ops.stress_combine(n(count, 3, 3, dtype=double), cells, uniform(n, count) + 1, n.zeros(count, 3, 3, dtype=double))
    ops.finite_guard(n(atoms, 3, dtype=FP32), n(count, dtype=FP32), n(count, 9, dtype=FP32), n.zeros(1, dtype=torch.int64))
    ops.pow2_scale(n(EDGES, 9 * CHANNELS, dtype=FP32), n.zeros(module.AMX_GRID), n.zeros(1))


def norms_weights(ops, module, n):
    given, found = rows_of_edges(n)
    module._ln_dw_kernel[(8192, )](given[0], n(*given[0].shape, dtype=FP32), *found, n.zeros(8192, CHANNELS), len(given[0]),
                                   CHANNELS, CHANNELS, C=CHANNELS, BLOCK_R=8, GRID=8192, num_warps=4)


WORKLOADS = {
    "allegro: path by path": coupled("p"),
    "allegro: path and channel": coupled("up"),
    "cuequivariance: projected": projected_pairs,
    "cuequivariance: projected, back": projected_pairs_back,
    "fairchem: edges": permuted_edges,
    "fairchem: back to nodes": permuted_back,
    "fairchem: first convolution": call(f"{UMA}.fused_wigner.WignerConv1FusedFunction.apply", first_convolution),
    "fairchem: second convolution": second_convolution(False),
    "fairchem: second convolution, added": second_convolution(True),
    "fairchem: packed gates": packed_gates,
    "nitro: norm": nitro(normalized),
    "nitro: norm and row": nitro(functools.partial(normalized, row=True)),
    "nitro: first embedding": nitro(first_embedding),
    "nitro: norm and SiLU": nitro(norm_and_silu),
    "nitro: norms and SiLUs": nitro(norms_and_silus),
    "nitro: norm's weights": nitro(norms_weights),
    "nitro: neighbours' offsets": nitro(neighbours_offsets),
    "nitro: distances": nitro(distances),
    "nitro: rotations": nitro(rotations),
    "nitro: summed": nitro(summed),
    "nitro: turned and summed": nitro(turned_and_summed),
    "nitro: turned and summed, unsplit": nitro(functools.partial(turned_and_summed, split=1)),
    "nitro: convolved": nitro(convolved),
    "nitro: convolved, back": nitro(convolved_back),
    "nitro: gates": nitro(gates),
    "nitro: neighbours": nitro(neighbours),
    "nitro: vectors": nitro(vectors),
    "nitro: gated nodes": nitro(gated_nodes),
    "nitro: nodes": nitro(nodes_begun),
    "nitro: systems": nitro(whole_systems),
    "esm: triangle, outgoing": triangle("outgoing"),
    "esm: triangle, incoming": triangle("incoming", dropped=False),
    "esm: normalized, linear, gated": swiglu,
    "esm: normalized, linear, gated, 128": lambda device: swiglu(device, width=128, inner=512, length=384),
    "esm: normalized, linear, gated, forward": lambda device: swiglu(device, backward=False),
    "esm: dropped": call(f"{ESM}.fused_dropout_residual.FusedDropoutResidualFn.apply", dropped),
    "esm: bias": call(f"{ESM}.fused_attention_pair_bias.fused_pair_bias", biased, num_heads=16),
    "esm: norm of planes": call(f"{ESM}.fused_ln_residual.fused_ln_transpose", lambda n: [
        n(PAIR, 1, RESIDUES, RESIDUES), n(PAIR), n(PAIR), 1e-5, "dbij->bijd"]),
    "esm: norm": call(f"{ESM}.fused_ln_residual.fused_ln_transpose", lambda n: [pairs(n), n(PAIR), n(PAIR)]),
    "esm: rows of eight bits": serve(f"{ESM}.fp8_quantize.quantize_rows_fp8", lambda n: [n(8192, 2560)]),
    "esm: gated rows of eight bits": serve(f"{ESM}.fp8_quantize.quantize_rows_fp8", lambda n: [n(8192, 2 * 6912)], swiglu=True),
    "esm: normalized rows of eight bits": lambda device: of(f"{ESM}.fp8_quantize.quantize_rows_fp8")(
        made(device)(8192, 2560), norm=(made(device)(2560), made(device)(2560), 1e-5)),
    "torchrec: chosen rows": call("torchrec.modules.sorted_index_select.sorted_index_select", chosen_rows),
    "torchrec: long lists": permuted(64, 256, 1500),
    "torchrec: short lists": permuted(128, 4096, 12),
    "torchrec: short lists without weights": permuted(128, 4096, 12, weights=False),
    "torchrec: two tables": several_tables(),
    "llmcompressor: ranges": searched("packed"),
    "llmcompressor: ranges of BF16": searched("packed", dtype=BF16, symmetric=False),
    "llmcompressor: ranges of FP4": searched("packed", kind=1, rounding=3, groups=256, size=16),
    "llmcompressor: ranges of FP8, scales of powers": searched("packed", kind=1, bits=8, rounding=4, groups=128, size=32,
                                                               dtype=BF16),
    "llmcompressor: ranges of whole rows": searched("split", groups=1, size=4096, bits=8),
    "llmcompressor: ranges of whole rows, FP16": searched("split", groups=1, size=4096, kind=1, bits=8, dtype=FP16),
    "llmcompressor: ranges one by one": searched("whole", groups=1, size=4096, rounding=2, symmetric=False),
    "llmcompressor: a block of four bits": updated_block(0, -8, 7),
    "llmcompressor: a block of FP4": updated_block(1, -6, 6, zero=False, dtype=BF16),
    "llmcompressor: a block of FP8": updated_block(2, -448, 448, zero=False, dtype=FP16),
    "spikes: integrate": neurons("if_", 1.0, None, False, 4.0, True, 0),
    "spikes: integrate, BF16": neurons("if_", 1.0, 0.0, True, 2.0, False, 1, dtype=BF16, traced=False, steps=16),
    "spikes: integrate, channels last": neurons("if_", 1.0, 0.0, False, 2.0, True, 2, last=True),
    "spikes: leaky": neurons("lif", 2.0, True, 1.0, 0.0, False, 2.0, True, 1),
    "spikes: leaky, FP16": neurons("lif", 2.0, False, 1.0, None, True, 4.0, False, 3, dtype=FP16, traced=False, steps=32),
    "spikes: leaky, channels last": neurons("lif", 2.0, True, 1.0, 0.0, False, 2.0, True, 6, last=True),
    "spikes: leak learned": neurons("plif", True, 1.0, 0.0, False, 4.0, True, 0),
    "spikes: leak learned, FP16": neurons("plif", False, 1.0, None, True, 4.0, True, 5, dtype=FP16),
    "spikes: exponential": neurons("eif", 2.0, 0.0, 0.8, 1.0, 1.0, 0.0, False, 4.0, True, 0, kept=2),
    "spikes: quadratic": neurons("qif", 2.0, 0.0, 0.8, 1.0, 1.0, -0.1, False, 4.0, True, 4, kept=2),
    "spikes: izhikevich": neurons("izhikevich", 2.0, 0.0, 0.8, 1.0, 0.1, 0.2, 2.0, 1.0, -0.1, False, 4.0, True, 1, kept=2,
                                  states=2),
    "spikes: whole numbers": lambda device: whole_numbers(device),
    "spikes: complementary": clif(FP32),
    "spikes: complementary, BF16": clif(BF16, 67108864),
    "spikes: thresholds of channels": aware(False),
    "spikes: one threshold, channels last": aware(True, 0.0, last=True),
    "spikes: counted": counted,
    "spikes: steps, integrate": several_steps("if_"),
    "spikes: steps, integrate, not unrolled": several_steps("if_", dynamic=True, steps=32, dtype=FP32),
    "spikes: steps, leaky": several_steps("lif", True, 2.0, dtype=BF16),
    "spikes: steps, leaky, not unrolled": several_steps("lif", False, 2.0, dynamic=True, reset=None),
    "spikes: steps, leak learned": several_steps("plif", True, dtype=FP32),
    "spikes: steps, leak learned, not unrolled": several_steps("plif", True, dynamic=True),
    "spikes: bits": spikes_in_bits,
    "spikes: tempotron": tempotron,
    "spikes: first": first_spikes,
    "titan: gated": gated(),
    "titan: gated, some rows": gated(counted=True, width=5000),
    "titan: heads": latent_heads,
    "titan: routed": routed,
    "titan: to peers": to_peers,
    "titan: routed, FP32 rows' scores": lambda device: routed(device, width=2048, ordered=False),
    "density: one dimension": density("kde_eval_1d_splitk.kde_eval_1d_splitk", features=1, autotune=False),
    "density: one dimension, corrected": density("kde_eval_1d_splitk.kde_eval_1d_splitk", features=1, autotune=True,
                                                 apply_laplacian_correction=True),
    "density: one dimension, added": density("kde_eval_1d_splitk.kde_eval_1d_atomic", features=1),
    "density: 16 dimensions": density("kde_eval_16d_stream_splitk.kde_eval_16d_splitk", precision_mode="fast_tf32",
                                      use_precomputed_norms=True, autotune=False),
    "density: 16 dimensions, FP32": density("kde_eval_16d_stream_splitk.kde_eval_16d_splitk", precision_mode="fp32_ieee",
                                            use_precomputed_norms=False, autotune=True, apply_laplacian_correction=True),
    "density: 16 dimensions, added": density("kde_eval_16d_stream_splitk.kde_eval_16d_atomic", precision_mode="fast_tf32",
                                             use_precomputed_norms=True, autotune=True),
    "density: scores": density("emp_score_16d_ordered_splitk.emp_score_16d_ordered_splitk", queries=0,
                               precision_mode="fast_tf32", use_precomputed_norms=True, autotune=False),
    "density: scores, by pairs": density("emp_score_16d_symmetric_atomic.emp_score_16d_symmetric_atomic", queries=0,
                                         precision_mode="fast_tf32", use_precomputed_norms=True, autotune=True),
    "density: 16 dimensions, added, untuned": density(
        "kde_eval_16d_stream_splitk.kde_eval_16d_atomic", precision_mode="fp32_ieee", use_precomputed_norms=False, autotune=False),
    "density: scores, tuned": density("emp_score_16d_ordered_splitk.emp_score_16d_ordered_splitk", queries=0,
                                      precision_mode="fp32_ieee", use_precomputed_norms=False, autotune=True),
    "density: scores, by pairs, untuned": density(
        "emp_score_16d_symmetric_atomic.emp_score_16d_symmetric_atomic", queries=0, precision_mode="fp32_ieee",
        use_precomputed_norms=False, autotune=False),
    "density: tiles": tiles_of_densities,
    "semicrf: segments": segmented(),
    "semicrf: segments with ends": segmented(boundaries=True, varied=True, labels=12, longest=6),
    "semicrf: best": best_segments(False),
    "semicrf: best, with pointers": best_segments(True),
    "colreduce: sums": reduced("sum"),
    "colreduce: means to the past": reduced("mean", True),
    "colreduce: maxima": reduced("max", True, size=64, dtype=FP16),
    "nemo: transducer": transduced(),
    "nemo: transducer, BF16": transduced(BF16, count=8193, length=100, labels=30),
    "nemo: language model": language_model,
    "nemo: language models": lambda device: language_model(device, several=4),
}
