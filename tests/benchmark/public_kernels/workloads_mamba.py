"""Operations of mamba-ssm, forward and backward: the state space dual of Mamba 2, the one of Mamba 3, gated norms, steps of
generation. Its __init__ imports extensions in C++, so that only the modules with Triton kernels are taken."""
import importlib

import bare
import torch
from operations import both_passes

bare.bare("mamba_ssm")
bare.stub("causal_conv1d", "mamba_ssm.ops.selective_scan_interface", "mamba_ssm.distributed")

BATCH, LENGTH, HEADS, GROUPS = 4, 2048, 32, 1


def of(path):
    module, name = path.rsplit(".", 1)
    return getattr(importlib.import_module(f"mamba_ssm.ops.triton.{module}"), name)


def call(path, make, backward=True):
    """Runs mamba_ssm.ops.triton.PATH with what `make` makes, by a function that makes tensors: a list or a dictionary."""

    def run(device):

        def normal(*sizes, dtype=torch.bfloat16, scale=1.0):
            return (torch.randn(*sizes, device=device) * scale).to(dtype).requires_grad_(backward)

        normal.device = device
        given = make(normal)
        launch = lambda: of(path)(**given) if isinstance(given, dict) else of(path)(*given)
        both_passes(launch) if backward else launch()

    return run


def negative(n, *sizes):
    return (-torch.rand(*sizes, device=n.device) - 0.5).requires_grad_()


def dual(size=64, state=128, groups=GROUPS, chunk=256, gated=False, heads=HEADS, **options):

    def make(n):
        x = n(BATCH, LENGTH, heads, size)
        return dict(x=x, dt=n(BATCH, LENGTH, heads), A=negative(n, heads), B=n(BATCH, LENGTH, groups, state),
                    C=n(BATCH, LENGTH, groups, state), chunk_size=chunk, D=n(heads, dtype=torch.float32),
                    z=n(BATCH, LENGTH, heads, size) if gated else None, dt_bias=n(heads, dtype=torch.float32),
                    dt_softplus=True, **options)

    return call("ssd_combined.mamba_chunk_scan_combined", make)


def packed(n):
    total = BATCH * LENGTH
    ends = torch.tensor([0, 300, 1111, 2048, 4099, total], device=n.device, dtype=torch.int32)
    index = torch.repeat_interleave(torch.arange(5, device=n.device, dtype=torch.int32), ends.diff().long()).view(1, -1)
    return dict(x=n(1, total, HEADS, 64), dt=n(1, total, HEADS), A=negative(n, HEADS).detach(), B=n(1, total, 1, 128),
                C=n(1, total, 1, 128), chunk_size=256, D=n(HEADS, dtype=torch.float32), seq_idx=index, cu_seqlens=ends,
                dt_softplus=True, return_final_states=True, return_varlen_states=True)


def third(size=64, state=128, gated=True):

    def make(n):
        heads = 16
        wide = lambda scale=1.0: n(BATCH, heads, LENGTH, dtype=torch.float32, scale=scale)
        steps = torch.nn.functional.softplus(wide())
        return dict(Q=n(BATCH, LENGTH, 1, state), K=n(BATCH, LENGTH, 1, state), V=n(BATCH, LENGTH, heads, size),
                    ADT=-0.1 * steps.detach().requires_grad_(), DT=steps, Trap=n(BATCH, heads, LENGTH),
                    Q_bias=n(heads, state), K_bias=n(heads, state),
                    Angles=n(BATCH, LENGTH, heads, state // 4, dtype=torch.float32), D=n(heads, dtype=torch.float32),
                    Z=n(BATCH, LENGTH, heads, size) if gated else None)

    return call("mamba3.mamba3_siso_combined.mamba3_siso_combined", make)


def norm(name, width=2048, rows=BATCH * LENGTH, residual=False, bias=False, **options):
    return call(f"layer_norm.{name}", lambda n: dict(
        x=n(rows, width), weight=n(width), bias=n(width) if bias else None,
        **(dict(residual=n(rows, width), prenorm=True) if residual else {}), **options))


def gated_norm(name, group=None, bias=False, **options):
    return call(f"layernorm_gated.{name}", lambda n: dict(
        x=n(BATCH * LENGTH, 4096), weight=n(4096), bias=n(4096) if bias else None, z=n(BATCH * LENGTH, 4096),
        group_size=group, **options))


def step(n):
    batch, heads, size, state = 128, 64, 64, 128
    spread = lambda tensor, *sizes: tensor.view(*tensor.shape, *(1 for _ in sizes)).expand(*tensor.shape, *sizes)
    return dict(state=n(batch, heads, size, state, dtype=torch.float32), x=n(batch, heads, size),
                dt=spread(n(batch, heads), size), A=spread(-torch.rand(heads, device=n.device), size, state),
                B=n(batch, 1, state), C=n(batch, 1, state), D=spread(n(heads), size), z=n(batch, heads, size),
                dt_bias=spread(n(heads), size), dt_softplus=True)


WORKLOADS = {
    "dual": dual(),
    "dual 128": dual(128, 128, chunk=128),
    "dual small state": dual(64, 64, chunk=128),
    "dual gated": dual(gated=True),
    "dual grouped": dual(groups=8),
    "dual packed": call("ssd_combined.mamba_chunk_scan_combined", packed, backward=False),
    "chunk scan by parts": call("ssd_combined.mamba_chunk_scan", lambda n: dict(
        x=n(BATCH, LENGTH, 16, 64), dt=n(BATCH, LENGTH, 16), A=negative(n, 16), B=n(BATCH, LENGTH, 1, 64),
        C=n(BATCH, LENGTH, 1, 64), chunk_size=128, dt_softplus=True)),
    "third": third(),
    "third 128": third(128, 64, False),
    "layer norm": norm("layer_norm_fn", bias=True),
    "rms norm": norm("rms_norm_fn"),
    "rms norm residual": norm("rms_norm_fn", residual=True),
    "rms norm narrow": norm("rms_norm_fn", 256, 65536),
    "rms norm dropout": norm("rms_norm_fn", dropout_p=0.1, residual=True),
    "gated rms norm": gated_norm("rmsnorm_fn"),
    "gated rms norm grouped": gated_norm("rmsnorm_fn", 512, norm_before_gate=False),
    "gated layer norm": gated_norm("layernorm_fn", bias=True),
    "swiglu": call("k_activations.swiglu", lambda n: [n(BATCH * LENGTH, 8192)]),
    "a step": call("selective_state_update.selective_state_update", step, backward=False),
    "dacs": call("mamba3.mamba3_mimo_utils.compute_dacs_segsum_triton", lambda n: dict(
        da=n(BATCH, HEADS, LENGTH, dtype=torch.float32), chunk_size=64), backward=False),
}
