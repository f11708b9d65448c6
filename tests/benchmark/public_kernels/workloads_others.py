"""Operations mostly far from language models: denoised and recoloured images, circuits of quantum gates, decoders of quantum
codes, random numbers for ciphers, curves that fill space, greedy choices, trees, scores of documents by quantized vectors, and
attention to spans that a search finds. Of bm3d-triton, colortransfer-triton, colsearch, cuzipnn, fasterkernels, flash-colsum,
flash-kmeans, hilbertsfc, ibu-boost, lanczos-triton, localcorr, otf-llm, qattn, superlinear, tridec, triton-augment,
triton-csprng, triton-qml, triton-submodular, turboadam and turbopress."""
import functools
import importlib
import types
from pathlib import Path
from unittest import mock

import bare
import numpy
import torch
from workloads_serving import serve, whole
from workloads_training import both_passes, call, of

bare.bare("colsearch", "cuzipnn", "fskernels", "hilbertsfc", "otf_llm", "qattn", "superlinear", "tridec", "turbopress")
bare.stub("scipy", "torchvision", "triton.ops", "hilbertsfc.torch._tuning_mode")
# What is made in that mode cannot be put back for the second compiler's run.
torch.inference_mode = lambda mode=True: torch.no_grad() if mode else torch.enable_grad()
FP16, BF16, FP32, FP64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
ROQ, SPLIT, DECODE = "colsearch._internal.kernels", "ibu_boost.kernels.screening_split_triton", "fskernels.triton"
KMEANS, CURVES, AUGMENT = "flash_kmeans", "hilbertsfc.torch._kernels.triton", "triton_augment.functional"
SPANS, ZIP = "superlinear.kernels.superlinear", "cuzipnn._kernels"


def table(name, device, cache):
    folder = Path(importlib.import_module("hilbertsfc").__path__[0])
    return torch.from_numpy(numpy.load(folder / "_data" / f"lut_{name}_u16.npy").view(numpy.int16)).to(device)


# What reads these tables is written for a later Python.
bare.stub("hilbertsfc.torch._luts", **{f"lut_{name}_i16": functools.partial(table, name) for name in (
    "2d4b_sb_sq", "2d4b_sq_sb", "3d2b_sb_so", "3d2b_so_sb")})


def anywhere(run):
    """RUN, also where the GPU is a pretended one: generators are the host's then, tensors are where they shall be, and
    there is nothing to wait for."""

    def patched(device):
        if device != "cpu":
            return run(device)
        generator, stream = torch.Generator, types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None)
        with mock.patch.object(torch, "Generator", lambda device=None: generator()), \
                mock.patch.object(torch.Tensor, "cuda", lambda tensor: tensor), \
                mock.patch.object(torch.cuda, "current_stream", lambda device=None: stream):
            run(device)

    return patched


def uniform(n, *sizes):
    return torch.rand(*sizes, device=n.device)


def images(n, *sizes):
    return uniform(n, *(sizes or (2, 3, 1080, 1920)))


def pictures(count):
    return lambda n: [images(n) for _ in range(count)]


def batch(n):
    return uniform(n, 64, 3, 256, 256)


def flow(device, channels=256, levels=4, radius=4):
    """Features of two frames, and where each pixel of the first is looked for in the second."""
    f1, *rest = (torch.randn(2, 64 >> level, 96 >> level, channels, device=device).requires_grad_()
                 for level in (0, *range(levels)))
    grid = torch.stack(torch.meshgrid(torch.arange(64.0), torch.arange(96.0), indexing="ij")[::-1], -1).to(device)
    return f1, rest, grid.expand(2, 1, 64, 96, 2).contiguous(), radius


def local(channels):

    def run(device):
        f1, rest, coordinates, radius = flow(device, channels)
        both_passes(lambda: of("localcorr.triton.LocalCorrTriton.apply")(f1, rest[0], coordinates, radius))

    return run


def pyramid(channels):

    def run(device):
        f1, rest, coordinates, radius = flow(device, channels)
        sizes = [x.shape[1:3] for x in rest]
        ends = torch.tensor([x.numel() for x in rest]).cumsum(0)
        starts = [0, *ends[:-1].tolist()]
        of("localcorr.triton.LocalCorrTritonFused.apply")(
            f1, torch.cat([x.flatten() for x in rest]), coordinates, torch.tensor(starts, device=device),
            torch.tensor(sizes, device=device, dtype=torch.int32), torch.tensor([0.5**i for i in range(4)], device=device),
            starts, sizes, radius)

    return run


def code(checks=252, bits=2232, each=3):
    """A parity check of a quantum code, and how likely its errors are."""
    matrix = torch.zeros(checks, bits, dtype=torch.uint8)
    matrix[torch.rand(checks, bits).argsort(0)[:each], torch.arange(bits)] = 1
    return matrix.numpy(), torch.full((bits, ), 0.003).numpy()


def decode(kind, **options):

    def run(device):
        matrix, chances = code()
        decoder = of(f"tridec.backends.{kind}")(matrix, chances, **options)
        syndromes = torch.rand(2000, len(matrix), device=device) < 0.05
        if hasattr(decoder, "_relay_posteriors"):
            decoder._relay_posteriors(syndromes, torch.device(device))
        else:
            decoder.run_iterations_batch(syndromes.cpu().numpy(), device=device)

    return run


def stream(device, nonce=0):
    made = of("triton_csprng.stream.ChaCha20Rng")(key=range(8), nonce=[nonce, 1], device=device)
    made.device = made._pending_bytes.device  # as tensors have it, also those of a pretended GPU
    return made


MODULI = [(1 << 50) - 27 - 2 * i for i in range(16)]


def random_numbers(device):
    rng = stream(device)
    rng.uint32((1024, 4096))
    rng.discrete_gaussian((16, 32768))
    rng.randint(MODULI, (16, 32768))
    rng.stochastic_round(torch.randn(16, 32768, device=device, dtype=FP64) * 1e6)


def two_streams(device):
    rngs = stream(device), stream(device, 1)
    sampling = "triton_csprng.sampling"
    of(f"{sampling}.bounded_uint64_two_streams")(*rngs, MODULI, (16, 32768), first_channels=12)
    of(f"{sampling}.discrete_gaussian_two_streams")(*rngs, (16, 32768), first_channels=12)


def simulator(device, qubits=18, size="float32", **options):
    made = of("triton_qml.simulator.FunctionalQuantumSimulator")(qubits, device, "triton", size, **options)
    state = torch.randn(16, 2**qubits, device=device, dtype=made.complex_dtype)
    return made, (state / state.abs().square().sum(1, keepdim=True).sqrt()).requires_grad_()


def circuit(*steps, size="float32", **options):
    """STEPS are functions of a simulator, a state and a function that makes angles, and give the next state."""

    def run(device):
        made, state = simulator(device, size=size, **options)

        def angle():
            return torch.rand(16, device=device, dtype=FP64 if size == "float64" else FP32).requires_grad_()

        def all_steps():
            after = state
            for step in steps:
                after = step(made, after, angle)
            return torch.view_as_real(after)

        both_passes(all_steps)

    return run


def gates(*names):
    return [lambda made, state, angle, name=name: getattr(made, f"apply_{name}_gate")(state, 5) for name in names]


def turns(*names):
    return [lambda made, state, angle, name=name: getattr(made, f"apply_{name}_gate")(
        state, angle(), *((5, ) if len(name) == 2 else (5, 9))) for name in names]


def pairs(*names):
    return [lambda made, state, angle, name=name: getattr(made, f"apply_{name}_gate")(state, 4, 11) for name in names]


def fused(*qubits):
    """A block of gates on these qubits."""

    def step(made, state, angle):
        turned = [[name, qubit, angle()] for qubit in qubits for name in ("rx", "rz")]
        entangled = [["cnot", list(two)] for two in zip(qubits, qubits[1:])] + [["rzz", list(two), angle()]
                                                                              for two in zip(qubits, qubits[1:])]
        return made.apply_fused_gates(state, [*turned, ["h", qubits[0]], ["t", qubits[-1]], *entangled])

    return step


def rotated(*qubits):

    def step(made, state, angle):
        return made.apply_1q2q_pauli_rotation_gate_sequence(state, [
            *[[name, qubit, angle()] for qubit in qubits for name in ("rx", "ry", "rz")],
            *[[name, list(two), angle()] for two in zip(qubits, qubits[1:]) for name in ("rxx", "ryy", "rzz")]])

    return step


def layer(kind):
    neighbours = [[qubit, qubit + 1] for qubit in range(17)]
    return lambda made, state, angle: getattr(made, f"apply_fused_{kind}_gate")(state, neighbours)


def expectation(device):
    made, state = simulator(device)
    both_passes(lambda: made.calc_exp_val(state, "XYZI" * 4 + "XZ"))


def chosen(kind, optimizer, *rest, features=512, **options):

    def run(device):
        data = torch.rand(1024, features, device=device)
        of(f"triton_submodular.functions.{kind}")(data, *rest).maximize(16, optimizer, **options)

    return anywhere(run)


def samples(n, features=32):
    return [whole(n, 65, 262144, features) - 1, n(262144, dtype=FP32), uniform(n, 262144), whole(n, 16, 262144)]


def splits(n):
    return [n(64, 128, 64, dtype=FP32), uniform(n, 64, 128, 64), of("ibu_boost.screening_split.ScreeningParams")(),
            n(64, 128, dtype=FP32), uniform(n, 64, 128)]


QUERIES, DOCUMENTS, ASKED, TOKENS, SIZE = 8, 2048, 32, 128, 128


def codes(n, width, dtype=torch.uint8):
    """Codes and what scales them, of queries' tokens and of documents'."""
    return [whole(n, 256, QUERIES, ASKED, width, dtype=dtype), uniform(n, QUERIES, ASKED, 4),
            whole(n, 256, DOCUMENTS, TOKENS, width, dtype=dtype), uniform(n, DOCUMENTS, TOKENS, 4)]


def bits(n):
    words = SIZE // 32
    return [whole(n, 1 << 31, QUERIES, ASKED, 4, words), whole(n, 1 << 31, DOCUMENTS, TOKENS, words),
            uniform(n, QUERIES, ASKED, 4)]


def residuals(n, count=1024):
    """What documents' vectors have of centres, and how much of what is left."""
    return [uniform(n, QUERIES, ASKED, count), whole(n, count, DOCUMENTS, TOKENS), uniform(n, DOCUMENTS, TOKENS),
            uniform(n, DOCUMENTS, TOKENS)]


def ternary(n):
    words, planes = SIZE // 32, [whole(n, 1 << 31, DOCUMENTS, TOKENS, SIZE // 32) for _ in range(2)]
    return [whole(n, 1 << 31, QUERIES, ASKED, 4, words), uniform(n, QUERIES, ASKED, 2), *residuals(n), *planes,
            uniform(n, DOCUMENTS, TOKENS, words)]


def four_bits(n, groups=4):
    return [n(QUERIES, ASKED, SIZE, dtype=FP32), n(QUERIES, ASKED, groups, dtype=FP32), *residuals(n),
            whole(n, 256, DOCUMENTS, TOKENS, SIZE // 2, dtype=torch.uint8), uniform(n, DOCUMENTS, TOKENS, groups),
            uniform(n, DOCUMENTS, TOKENS, groups)]


def inverted(n, documents=65536, length=64):
    return [uniform(n, ASKED * 4096), whole(n, 4096, documents * length),
            torch.arange(0, documents * length, length, device=n.device, dtype=torch.int32),
            whole(n, length, documents) + 1, ASKED, 4096]


def documents(n):
    return [n(QUERIES, ASKED, SIZE, dtype=FP16), n(DOCUMENTS, TOKENS, SIZE, dtype=FP16)]


def cache(n, sequences=32, length=4096):
    """A query of each sequence, and what it looks at."""
    return [n(sequences, 32, 128, dtype=FP16), n(sequences, 8, length, 128, dtype=FP16),
            n(sequences, 8, length, 128, dtype=FP16),
            torch.full((sequences, ), length - 5, device=n.device, dtype=torch.int32)]


def packed(n, sequences=32, length=2048):
    ends = torch.arange(0, (sequences + 1) * length, length, device=n.device, dtype=torch.int32)
    return [n(sequences, 32, 128, dtype=FP16), n(sequences * length, 8, 128, dtype=FP16),
            n(sequences * length, 8, 128, dtype=FP16), ends]


def narrow(n):
    *made, lengths = cache(n)
    return [*(x.to(torch.float8_e4m3fn) for x in made), lengths, *(torch.ones((), device=n.device) for _ in range(3)), FP16]


def adam(device):
    parameter = torch.nn.Parameter(torch.randn(4096, 4096, device=device))
    optimizer = of("turboadam.optimizer.TurboAdam")([parameter])
    for _ in range(2):
        parameter.grad = torch.randn_like(parameter)
        optimizer.step()


def trellis(n, width, rows=16, outputs=4096, inputs=4096):
    """Activations, and weights as codes of WIDTH bits."""
    return [n(rows, inputs, dtype=FP16), types.SimpleNamespace(
        in_features=inputs, out_features=outputs, bits=width - 1, scales=n(outputs, dtype=FP16),
        codebook=n(2**width, dtype=FP16), levels_packed=whole(n, 256, outputs, inputs * width // 8, dtype=torch.uint8))]


def bytes_of(n, *sizes):
    return whole(n, 127, *sizes, dtype=torch.int8)


def scales(n, count=3):
    return [torch.full((1, ), 0.01, device=n.device) for _ in range(count)]


def clusters(n, size=128, count=1024, dtype=FP16):
    points, centres = n(4, 32768, size, dtype=dtype), n(4, count, size, dtype=dtype)
    return [points, centres, points.float().square().sum(-1).to(dtype)]


def members(n):
    points, centres, _ = clusters(n)
    return [points, whole(n, centres.shape[1], *points.shape[:2]), centres]


def coordinates(count):
    return lambda n: [whole(n, 1 << 32 // count, 1 << 22) for _ in range(count)]


def indices(n):
    return [whole(n, 1 << 30, 1 << 22)]


def positions(n):
    return torch.arange(2048, 4096, device=n.device)


def spans(n, heads=4):
    """Queries, keys and values, and three spans of keys for each query."""
    ends = (uniform(n, 1, 16, 2048, 3) * 0.9 * positions(n)[:, None]).to(torch.int32)
    starts = (ends - 2 * ends.sqrt()).clamp(min=0).to(torch.int32)
    return [n(1, 16, 2048, 128), n(1, heads, 4096, 128), n(1, heads, 4096, 128), starts, ends, positions(n)]


def window(device):

    def n(*sizes):
        return torch.randn(*sizes, device=device, dtype=BF16).requires_grad_()

    both_passes(lambda: of(f"{SPANS}.attention._sliding_window.sliding_window_attention_triton_gqa")(
        n(1, 16, 2048, 128), n(1, 4, 2048, 128), n(1, 4, 2048, 128), cache_position=torch.arange(2048, device=device),
        sw_index=15))


def together(n, dtype, chunk=1 << 18, count=1 << 24):
    """Chunks of the numbers' bytes, one after the other, and where they begin."""
    begins = torch.arange(0, count * dtype.itemsize, chunk, device=n.device)
    return [begins, bytes_of(n, count * dtype.itemsize).view(torch.uint8), n(count, dtype=dtype), chunk, True]


def copied(device, chunk=1 << 18, count=256):
    source, target = (torch.zeros(count * chunk, device=device, dtype=torch.uint8) for _ in range(2))
    begins = torch.arange(0, count * chunk, chunk, device=device)
    sizes = torch.full((count, ), chunk - 3, device=device)
    of(f"{ZIP}.copy_chunks")(begins + source.data_ptr(), begins + target.data_ptr(), sizes, chunk, True)


COLOURS = dict(brightness_factor=1.2, contrast_factor=0.9, saturation_factor=0.7, mean=(0.485, 0.456, 0.406),
               std=(0.229, 0.224, 0.225))
GREEDY = {"naive": "NaiveGreedyTriton", "lazy": "LazyGreedyTriton", "stochastic": "StochasticGreedyTriton"}
WORKLOADS = {
    "denoised": serve("bm3d_triton._backend.denoise", lambda n: [images(n, 1, 1, 256, 384), 0.01]),
    "colours by moments": serve("colortransfer_triton.api.adain", pictures(2)),
    "colours by wavelets": serve("colortransfer_triton.api.wavelet", pictures(2)),
    "colours by slices": anywhere(serve("colortransfer_triton.ot.sliced_ot", pictures(2), iterations=2)),
    "colours by many slices": serve("colortransfer_triton.ot.sliced_transport", lambda n: [
        uniform(n, 65536, 3), uniform(n, 65536, 3)], iterations=2),
    "colours by transport": anywhere(serve("colortransfer_triton.ot.sinkhorn", pictures(2), iterations=2, samples=2048)),
    "colours by partial transport": anywhere(serve("colortransfer_triton.ot.partial_sinkhorn", pictures(2), iterations=2)),
    "colours by flow": anywhere(serve("colortransfer_triton.colorfm.colorfm", pictures(2), steps=4)),
    "smaller": serve("lanczos_triton.resize.resize", lambda n: [images(n), (540, 960)]),
    "much smaller": serve("lanczos_triton.resize.resize", lambda n: [images(n), (108, 192)]),
    "larger": serve("lanczos_triton.resize.resize", lambda n: [images(n, 4, 3, 540, 960), (1080, 1920)]),
    "flow": local(128), "flow of many features": local(512), "flow by levels": pyramid(128),
    "flow of many features by levels": pyramid(512),
    "flow in a plane": serve("localcorr.triton.TritonSpatialCorrelationFunction.apply", lambda n: [
        n(4, 196, 64, 96, dtype=FP32), n(4, 196, 64, 96, dtype=FP32), 4]),
    "beliefs": decode("bp_triton.BpTriton", max_iter=2), "beliefs at once": decode("megakernel.BpMegaTriton", max_iter=30),
    "relay": decode("relay_triton.RelayBpTriton", pre_iter=2, num_sets=1, set_max_iter=2),
    "relay at once": decode("megakernel.RelayBpMegaTriton", pre_iter=20, num_sets=4, set_max_iter=20),
    "relay at once in f32": decode("megakernel.RelayBpMegaTriton", pre_iter=20, num_sets=4, set_max_iter=20, dtype="float32"),
    "random numbers": random_numbers, "random numbers of two streams": two_streams,
    "gates": circuit(*gates("H", "X", "Y", "Z", "S", "T", "sqrtX")),
    "turns": circuit(*turns("Rx", "Ry", "Rz", "Rxx", "Ryy", "Rzz")),
    "turns in f64": circuit(*turns("Rx", "Rzz"), size="float64"),
    "gates of two": circuit(*pairs("cz", "cnot", "swap")),
    "controlled turns": circuit(*(lambda made, state, angle, name=name: getattr(made, f"apply_{name}_gate")(
        state, angle(), 4, 11) for name in ("crx", "cry", "crz", "cp"))),
    "gates of three": circuit(lambda made, state, angle: made.apply_ccx_gate(state, 3, 7, 12)),
    "fused gates": circuit(fused(5)), "fused gates of two": circuit(fused(5, 9)),
    "fused gates of three": circuit(fused(2, 5, 9)), "fused gates of four": circuit(fused(2, 5, 9, 12)),
    "fused gates of two in f64": circuit(fused(5, 9), size="float64"),
    "fused gates of three, saving memory": circuit(fused(2, 5, 9), memory_save_mode=True),
    "fused turns": circuit(rotated(5)), "fused turns of two": circuit(rotated(5, 9)),
    "fused turns of three": circuit(rotated(2, 5, 9)), "fused turns of four": circuit(rotated(2, 5, 9, 12)),
    "layer of phases": circuit(layer("cz")), "layer of flips": circuit(layer("cnot")), "expectation": expectation,
    "grey": serve(f"{AUGMENT}.rgb_to_grayscale", lambda n: [batch(n), 3]),
    "brightness": serve(f"{AUGMENT}.adjust_brightness", lambda n: [batch(n), 1.2]),
    "contrast": serve(f"{AUGMENT}.adjust_contrast", lambda n: [batch(n), 0.9]),
    "saturation": serve(f"{AUGMENT}.adjust_saturation", lambda n: [batch(n), 0.9]),
    "normal colours": serve(f"{AUGMENT}.normalize", lambda n: [batch(n), COLOURS["mean"], COLOURS["std"]]),
    "crop": serve(f"{AUGMENT}.crop", lambda n: [batch(n), 16, 16, 224, 224]),
    "flip": serve(f"{AUGMENT}.horizontal_flip", lambda n: [batch(n)]),
    "turned": serve(f"{AUGMENT}.rotate", lambda n: [batch(n), 30.0]),
    "sheared": serve(f"{AUGMENT}.affine", lambda n: [batch(n), 30.0, [4.0, 8.0], 1.1, [5.0, 0.0]], interpolation="bilinear"),
    "augmented": serve(f"{AUGMENT}.fused_augment", lambda n: [batch(n), 16, 16, 224, 224, True], **COLOURS),
    "augmented and turned": serve(f"{AUGMENT}.fused_augment", lambda n: [batch(n), 16, 16, 224, 224, True, 20.0],
                                  interpolation="bilinear", **COLOURS),
    **{f"{name} places": chosen("facility_location.FacilityLocation", kind) for name, kind in GREEDY.items()},
    **{f"{name} cuts": chosen("graph_cut.GraphCut", kind) for name, kind in GREEDY.items()},
    "lazy features": chosen("feature_based.FeatureBased", GREEDY["lazy"], "sqrt"),
    "naive features": chosen("feature_based.FeatureBased", GREEDY["naive"], "log"),
    "naive coverage": chosen("max_coverage.MaxCoverage", GREEDY["naive"]),
    "histograms": serve(f"{SPLIT}.build_histogram_triton", lambda n: [*samples(n), 16, 64]),
    "missing values": serve(f"{SPLIT}.build_missing_stats_triton", lambda n: [*samples(n), 16]),
    "splits": serve(f"{SPLIT}.screening_split_triton", splits),
    "documents": anywhere(serve(f"{ROQ}.triton_maxsim.fast_colbert_scores", documents)),
    "documents of bytes": anywhere(serve(f"{ROQ}.triton_maxsim.fast_colbert_scores", documents, use_quantization=True)),
    "documents of 8 bits": serve(f"{ROQ}.triton_roq.roq_maxsim_8bit", lambda n: codes(n, SIZE)),
    "documents of 4 bits": serve(f"{ROQ}.triton_roq.roq_maxsim_4bit", lambda n: codes(n, SIZE // 2)),
    "documents of 2 bits": serve(f"{ROQ}.triton_roq.roq_maxsim_2bit", lambda n: codes(n, SIZE // 4)),
    "documents of a bit": serve(f"{ROQ}.triton_roq.roq_maxsim_1bit", lambda n: codes(n, SIZE // 8)[::2]),
    "documents of a bit, queries of 4": serve(f"{ROQ}.triton_roq.roq_maxsim_1bit", bits),
    "documents of centres and signs": serve(f"{ROQ}.triton_roq_rroq158.roq_maxsim_rroq158", ternary),
    "documents of centres and 4 bits": serve(f"{ROQ}.triton_roq_rroq4_riem.roq_maxsim_rroq4_riem", four_bits),
    "documents of centres": serve("colsearch._internal.inference.index_core.triton_qch_kernel.qch_max_gather_gpu", inverted),
    "attention": serve(f"{DECODE}.triton_fa2.flash_attention_2_fwd", lambda n: [n(4, 16, 2048, 128, dtype=FP16)] * 3),
    "decoding": serve(f"{DECODE}.triton_gqa_decode_hf.flash_decode_gqa_hf_dense_optimized", cache),
    "decoding by parts": serve(f"{DECODE}.triton_gqa_decode_hf.flash_decode_gqa_hf_dense_optimized", cache, num_splits=8),
    "decoding of eight bits": serve(f"{DECODE}.triton_gqa_decode_hf_fp8.flash_decode_gqa_hf_fp8", narrow),
    "decoding of several lengths": serve(f"{DECODE}.triton_gqa_decode.flash_decode_gqa_varlen", packed),
    "sums of attention": serve("flash_colsum.ops.flash_colsum", lambda n: [n(1, 16, 4096, 128), n(1, 16, 4096, 128)]),
    "sums of attentions": serve("flash_colsum.ops.flash_colsum", lambda n: [n(4, 16, 2048, 64), n(4, 16, 2048, 64)]),
    "sums of attention to the past": serve("flash_colsum.ops.flash_colsum", lambda n: [
        n(1, 32, 128, 128), n(1, 32, 16384, 128)], is_causal=True),
    "nearest centres": serve(f"{KMEANS}.assign_euclid_triton.euclid_assign_triton", clusters),
    "nearest centres of f32": serve(f"{KMEANS}.assign_euclid_triton.euclid_assign_triton", lambda n: clusters(n, dtype=FP32)),
    "nearest centres of long rows": serve(f"{KMEANS}.assign_euclid_triton.euclid_assign_triton", lambda n: clusters(n, 1024)),
    "nearest by angle": serve(f"{KMEANS}.assign_euclid_triton.cosine_assign_triton", lambda n: clusters(n)[:2]),
    "centres": serve(f"{KMEANS}.centroid_update_triton.triton_centroid_update_euclid", members),
    "centres of sorted": serve(f"{KMEANS}.centroid_update_triton.triton_centroid_update_sorted_euclid", members),
    "products of 4 bits": serve("otf_llm.otf_triton_kernel.triton_fused_int4_linear", lambda n: [
        n(256, 4096, dtype=FP16), whole(n, 256, 4096, 2048, dtype=torch.uint8), n(4096, 64, dtype=FP16)]),
    "products of bytes": serve("qattn.nn.functional._matmul._matmul.apply", lambda n: [
        bytes_of(n, 4096, 1024), bytes_of(n, 1024, 4096), *scales(n), None, False, False]),
    "attention of bytes": serve("qattn.nn.functional._flash_attention._attention.apply", lambda n: [
        *(bytes_of(n, 16, 12, 1024, 64) for _ in range(3)), 0.125, *scales(n, 2)]),
    "adam of few bits": adam,
    "products of a trellis": serve("turbopress.triton_kernel.packed_gemv", lambda n: trellis(n, 4)),
    "products of a trellis of 3 bits": serve("turbopress.triton_kernel.packed_gemv", lambda n: trellis(n, 3)),
    "hadamard": serve("turbopress.triton_kernel.fwht_scale", lambda n: [n(4096, 4096, dtype=FP16), n(4096, dtype=FP16), 1024]),
    "hadamard of small blocks": serve("turbopress.triton_kernel.fwht_scale", lambda n: [
        n(4096, 4096, dtype=FP16), n(4096, dtype=FP16), 128]),
    **{f"{curve} of a {space}": serve(f"{CURVES}.{curve}{count}d_encode.{curve}_encode_{count}d_triton", coordinates(count),
                                      nbits=32 // count)
       for curve in ("hilbert", "morton") for space, count in (("plane", 2), ("room", 3))},
    **{f"back from {curve} of a {space}": serve(f"{CURVES}.{curve}{count}d_decode.{curve}_decode_{count}d_triton", indices,
                                                nbits=32 // count)
       for curve in ("hilbert", "morton") for space, count in (("plane", 2), ("room", 3))},
    "spans": anywhere(call(f"{SPANS}.span._triton_gqa.fused_span_attention_gqa", spans)),
    "spans of all heads": call(f"{SPANS}.span._triton_impl.fused_span_attention", lambda n: spans(n, 16)),
    "spans beside a window": call(f"{SPANS}.span._triton_precomputed_sw_gqa.fused_span_attention_with_precomputed_sw_gqa",
                                  lambda n: [*spans(n), n(1, 16, 2048, 128), n(1, 16, 2048, dtype=FP32)]),
    "spans in buckets": call(f"{SPANS}.span._triton_bucketed_gqa.span_attention_bucketed_packed_tiles_gqa_independent",
                             lambda n: spans(n)[:-1], attention_mask=None, span_len_factor=2.0, span_power=0.5),
    "spans merged": serve(f"{SPANS}.span._triton_bucketed_gqa.merge_gate_qmajor", lambda n: [
        n(1, 16, 2048, 128), n(1, 16, 2048, dtype=FP32), n(1, 16, 2048, 3, 128), n(1, 16, 2048, 3, dtype=FP32),
        n(1, 16, 2048, 3, dtype=FP32), spans(n)[4]]),
    "search for spans": anywhere(serve(f"{SPANS}.search._triton_gqa.span_search_with_values_gqa", lambda n: [
        n(1, 16, 2048, 128), n(1, 4, 4096, 128), positions(n)])),
    "search for spans of all heads": serve(f"{SPANS}.search._triton.span_search_with_values", lambda n: [
        n(1, 16, 2048, 128), n(1, 16, 4096, 128), positions(n)]),
    "window": window,
    "bytes apart": serve(f"{ZIP}.split", lambda n: [n(1 << 24), bytes_of(n, 1 << 25).view(torch.uint8), 1 << 24, True]),
    "bytes of f32 apart": serve(f"{ZIP}.split", lambda n: [
        n(1 << 24, dtype=FP32), bytes_of(n, 1 << 26).view(torch.uint8), 1 << 24, False]),
    "bytes together": serve(f"{ZIP}.merge", lambda n: together(n, BF16)),
    "bytes of f32 together": serve(f"{ZIP}.merge", lambda n: together(n, FP32)),
    "copied chunks": copied,
}
