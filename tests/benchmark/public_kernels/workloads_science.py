"""Operations of molecular and protein models, and attention of long prompts: rotations and mixes of spherical
harmonics in f32, attention over triangles of residues, attention to chosen blocks of keys. Of deepmd-kit, protenix, trifast,
MInference, flash-dmattn, simplicial-attention and gpt-oss."""
import importlib
import importlib.metadata
import os
import tempfile

import bare
import torch
import triton
from workloads_serving import serve, whole
from workloads_training import both_passes, call, of

bare.bare("deepmd", "protenix", "trifast", "minference", "flash_dmattn", "simplicial_attention", "gpt_oss")
bare.stub("array_api_compat", "transformers", "flash_attn", "minference.cuda", "pytest", "jaxtyping",
          "simplicial_attention.simplicial_mha", "minference.ops.pit_sparse_flash_attention_v2", "protenix.utils",
          "protenix.utils.distributed")
bare.stub("platformdirs", user_config_dir=lambda **names: tempfile.mkdtemp())
# Their autotuners keep what they find in the user's folders; Triton's own does as well here.
bare.stub("protenix.model.tri_attention.autotune", "trifast.autotune", autotune=triton.autotune)
version_of = importlib.metadata.version
importlib.metadata.version = lambda name: "0" if name == "trifast" else version_of(name)
os.environ["DP_TRITON_INFER"] = "3"
FP16, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32
DEEPMD, SEZM = "deepmd.kernels.triton", "deepmd.kernels.triton.sezm"
FLEX, STREAM, CROSS = "minference.modules.flexprefill", "minference.ops.streaming_kernel", "minference.ops.xattention_fa"
LMAX, FOCUS, WIDTH, EDGES, ATOMS = 3, 2, 64, 16384, 512
DEGREES, REDUCED = (LMAX + 1)**2, 3 * LMAX + 1


def f32(n, *sizes, scale=1.0):
    return n(*sizes, dtype=FP32, scale=scale)


def rotations(n):
    """A matrix of blocks along the diagonal, one for each degree, of each edge."""
    blocks = torch.zeros(EDGES, DEGREES, DEGREES, device=n.device)
    for degree in range(LMAX + 1):
        part = slice(degree**2, (degree + 1)**2)
        blocks[:, part, part] = torch.randn(EDGES, 2 * degree + 1, 2 * degree + 1, device=n.device)
    return blocks


def index(n):
    return of("deepmd.pt.model.descriptor.sezm_nn.indexing.build_m_major_index")(LMAX, 1, device=n.device)


def sources(n):
    return whole(n, ATOMS, EDGES, dtype=torch.int64)


def row_pointers(n, keys):
    ordered, order = keys.sort()
    bounds = torch.arange(ATOMS + 1, device=n.device)
    return order, torch.searchsorted(ordered, bounds)


def aggregate(n):
    targets = sources(n).sort().values
    return [f32(n, EDGES, FOCUS, REDUCED, WIDTH), rotations(n), torch.rand(DEGREES, device=n.device),
            torch.rand(EDGES, FOCUS, 1, device=n.device), torch.searchsorted(targets, torch.arange(ATOMS + 1, device=n.device)),
            targets, LMAX, 1]


def forces(n):
    return [f32(n, EDGES, 3), f32(n, EDGES, 3), *row_pointers(n, sources(n)), *row_pointers(n, sources(n))]


def environment(n):
    atoms, neighbours, types = 1024, 128, 4
    coordinates = torch.rand(1, 2 * atoms, 3, device=n.device) * 20
    return [coordinates, whole(n, 2 * atoms, 1, atoms, neighbours, dtype=torch.int64),
            whole(n, types, 1, atoms, dtype=torch.int64), torch.zeros(types, neighbours, 4, device=n.device),
            torch.ones(types, neighbours, 4, device=n.device), 6.0, 0.5]


def stack(n):
    tiles = (64, 64, 32, 4, 1)  # as the table has them for another GPU
    of(f"{SEZM}.tile_configs.register_tile_configs")("stack_fp16x3", {(WIDTH, LMAX): (tiles, tiles, tiles, (64, 128, 64, 4, 1))})
    layers, low, high = 3, (LMAX + 1) * WIDTH, 2 * LMAX * WIDTH
    return [f32(n, FOCUS, EDGES, REDUCED * WIDTH), torch.rand(EDGES, FOCUS, device=n.device),
            f32(n, layers, FOCUS, low, low, scale=0.1), f32(n, layers, FOCUS, high, high, scale=0.1),
            f32(n, layers - 1, FOCUS, WIDTH, LMAX * WIDTH, scale=0.1), LMAX, WIDTH, True]


def convolution(n, graph=False):
    atoms, neighbours, width = 1024, 128, 128
    count = atoms * neighbours
    shape = (count, ) if graph else (atoms, neighbours)
    rest = [torch.ones(width, device=n.device), f32(n, 16, width), whole(n, 16, count, dtype=torch.int64)]
    given = [f32(n, *shape, width), f32(n, *shape, width // 2), *rest, torch.rand(*shape, device=n.device),
             f32(n, *shape, 4)]
    if graph:
        given += [whole(n, atoms, count, dtype=torch.int64).sort().values,
                  torch.ones(count, device=n.device, dtype=torch.bool), atoms]
    return [*given, 2, 0, 1]


def triangles(n):
    batch, heads, length, size = 1, 4, 256, 32
    mask = torch.zeros(batch, length, length, device=n.device, dtype=torch.bool)
    return [*(n(batch, heads, length, length, size) for _ in range(3)), n(batch, heads, length, length), mask]


def residues(n):
    batch, heads, length, size = 1, 4, 256, 32
    return [*(n(batch, length, length, heads, size) for _ in range(3)), n(batch, length, 1, 1, length),
            n(batch, 1, heads, length, length)]


def triangles_with_gradients(device):
    module = importlib.import_module("trifast.torch")
    n = lambda *sizes: torch.randn(*sizes, device=device, dtype=BF16)
    n.device = device
    q, k, v, bias, mask = triangles(n)
    out, lse = module._triangle_attention(q, k, v, bias, mask)
    module.triangle_attention_bwd(torch.randn_like(out), q, k, v, bias, out, lse, mask)


def prompts(n, heads=16, length=4096, size=128, dtype=FP16):
    return [n(1, heads, length, size, dtype=dtype) for _ in range(3)]


def pages_of(n, length=4096, heads=16, size=128):
    return [n(1, length, heads, size) for _ in range(3)]


def blocks_of(n, length=4096, heads=16, block=128, count=8):
    """The first, and some others, of each row of blocks, in order, as numbers of a flat grid."""
    rows = length // block
    chosen = torch.rand(heads, rows, rows, device=n.device).tril()
    chosen[:, :, 0] = 2
    chosen.diagonal(dim1=1, dim2=2).fill_(2)
    columns = chosen.topk(count, -1).indices
    numbers = (torch.arange(rows, device=n.device)[:, None] * rows + columns.minimum(
        torch.arange(rows, device=n.device)[:, None])).flatten(1)
    return numbers.unique(dim=1).sort(-1).values[None].contiguous()


def masked(n):
    batch, heads, length, size = 1, 8, 2048, 128
    mask = (torch.rand(batch, heads, length, length, device=n.device) < 0.5).to(BF16)
    return [*(n(batch, length, heads, size) for _ in range(3)), mask, n(batch, heads, length, length)]


def two_keys(n):
    tensor = lambda: n(1, 512, 4, 64)
    return [tensor(), (tensor(), tensor()), (tensor(), tensor())]


def with_sinks(n):
    heads, group, length, size = 8, 8, 2048, 64
    return [n(1, length, heads, group, size), n(1, length, heads, size), n(1, length, heads, size), n(heads * group), 0.125,
            128, torch.zeros(1, device=n.device, dtype=torch.int32)]


def quantized_keys(n):
    heads, rows, depth, length, bits, group = 16, 1, 128, 4096, 2, 64
    return [group, n(1, heads, rows, depth, dtype=FP16), whole(n, 2**31 - 1, 1, heads, depth, length * bits // 32),
            n(1, heads, depth, length // group, dtype=FP16), n(1, heads, depth, length // group, dtype=FP16), bits]


WORKLOADS = {
    "deepmd rotation": call(f"{SEZM}.so2_rotation.rotate_to_local_dense", lambda n: [
        f32(n, ATOMS, DEGREES, FOCUS * WIDTH), sources(n), rotations(n), index(n), DEGREES]),
    "deepmd rotation back": call(f"{SEZM}.so2_rotation.rotate_back_dense", lambda n: [
        f32(n, EDGES, REDUCED, FOCUS * WIDTH), rotations(n), index(n), DEGREES]),
    "deepmd rotation of blocks": call(f"{SEZM}.so2_rotation.rotate_to_local_block", lambda n: [
        f32(n, ATOMS, DEGREES, FOCUS * WIDTH), sources(n), rotations(n), LMAX]),
    "deepmd rotation of blocks back": call(f"{SEZM}.so2_rotation.rotate_back_block", lambda n: [
        f32(n, EDGES, REDUCED, FOCUS * WIDTH), rotations(n), LMAX]),
    "deepmd rotation by focus": call(f"{SEZM}.so2_rotation.rotate_back_block_so2", lambda n: [
        f32(n, EDGES, FOCUS, REDUCED, WIDTH), rotations(n), LMAX]),
    "deepmd radial mix": call(f"{SEZM}.radial_mix.radial_mix_block", lambda n: [
        f32(n, EDGES, DEGREES + LMAX**2, 1), f32(n, EDGES, REDUCED, FOCUS * WIDTH), f32(n, 1, FOCUS * WIDTH), LMAX]),
    "deepmd blocks": call(f"{SEZM}.so2_block_gemm.block_diag_gemm", lambda n: [
        f32(n, FOCUS, EDGES, 640), f32(n, FOCUS, 640, 640), [(0, 256, 0, 256), (256, 640, 256, 640)]]),
    "deepmd aggregate": call(f"{SEZM}.flash_atten.flash_atten_aggregate", aggregate),
    "deepmd forces": serve(f"{SEZM}.force_assembly.edge_force_assembly", forces),
    "deepmd monomials": call(f"{SEZM}.wigner_monomials.wigner_monomials", lambda n: [
        f32(n, EDGES, 4), [int(x) for x in whole(n, 4, 128)], 3]),
    "deepmd stack": serve(f"{SEZM}.so2_stack_fp16x3.mixing_stack_fp16x3", stack),
    "deepmd environment": call(f"{DEEPMD}.env_mat.env_mat", environment),
    "deepmd embedding": call(f"{DEEPMD}.dpa1.gemm_fp16x3.embed_gemm_fp16x3", lambda n: [
        f32(n, 131072, 64), f32(n, 64, 128)]),
    "deepmd convolution": call(f"{DEEPMD}.dpa1.se_conv.se_conv", convolution),
    "deepmd convolution of a graph": call(f"{DEEPMD}.dpa1.edge_conv.edge_conv", lambda n: convolution(n, True)),
    "protenix attention": call("protenix.model.tri_attention.op.TriAttentionFunction.apply", residues),
    "trifast": triangles_with_gradients,
    "minference blocks": serve("minference.ops.block_sparse_flash_attention.block_sparse_attention", lambda n: [
        *prompts(n), 16]),
    "minference streams": serve(f"{STREAM}.streaming_forward", lambda n: [*prompts(n), 128, 1024]),
    "minference decoding": serve("minference.ops.flash_attn_triton._flash_attn_triton_decoding", lambda n: [
        n(4, 1, 16, 128, dtype=FP16), n(4, 4096, 16, 128, dtype=FP16), n(4, 4096, 16, 128, dtype=FP16)]),
    "minference products": serve(f"{CROSS}.flat_group_gemm", lambda n: [*prompts(n)[:2], 0, 4096]),
    "minference strided products": serve(f"{CROSS}.flat_group_gemm_fuse_reshape", lambda n: [*prompts(n)[:2], 8, 0, 512]),
    "minference sums of blocks": serve(f"{CROSS}.softmax_fuse_block_sum", lambda n: [
        n(1, 16, 1024, 4096, dtype=FP16), 16, 1024, 0, 1024, 1024, 0.1]),
    "minference counts": serve(f"{FLEX}.triton_column_count_cumsum", lambda n: [blocks_of(n), 32]),
    "minference chosen blocks": serve(f"{FLEX}.triton_block_wise_prefill_attention", lambda n: [
        *pages_of(n), blocks_of(n), 128]),
    "minference pool": serve(f"{FLEX}.triton_bnhd_pool", lambda n: [n(1, 4096, 16, 128), 128]),
    "minference sums": serve(f"{FLEX}.triton_bhn_sumpool", lambda n: [n(1, 16, 4096), 64]),
    "minference quantized cache": serve("minference.modules.kivi.triton_quantize_and_pack_along_last_dim", lambda n: [
        n(1, 16, 128, 4096, dtype=FP16), 32, 2]),
    "minference quantized product": serve("minference.modules.kivi.triton_bmm_fA_qB_outer", quantized_keys),
    "dmattn": call("flash_dmattn.flash_dmattn_triton.triton_dmattn_func", masked),
    "simplicial": call("simplicial_attention.triton_two_simplicial_attention.sliding_two_simplicial_attn", two_keys),
    "gpt-oss": serve("gpt_oss.triton.attention._attention.apply", with_sinks),
}
