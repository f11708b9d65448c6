"""Operations of flash-linear-attention without matrix products, forward and backward: recurrences a token at a time, scans,
norms, gates, losses, convolutions."""
import importlib

import torch
from operations import both_passes
from workloads_fla import BATCH, HEADS, LENGTH, Inputs, delta, dplr, gated, kda, operation, packed, qkv, slots

WIDTH = 2048


def of(path):
    """A function of a module, or an autograd function's apply."""
    module, name = path.removesuffix(".apply").rsplit(".", 1)
    found = getattr(importlib.import_module(f"fla.{module}"), name)
    return found.apply if path.endswith(".apply") else found


def call(path, make):
    """Runs fla.PATH with what `make` makes, by a function that makes tensors: a list or a dictionary of arguments."""

    def run(device):

        def normal(*sizes, dtype=torch.bfloat16, scale=1.0):
            return (torch.randn(*sizes, device=device) * scale).to(dtype).requires_grad_()

        normal.device = device
        given = make(normal)
        both_passes(lambda: of(path)(**given) if isinstance(given, dict) else of(path)(*given))

    return run


def tokens(n, width=WIDTH, **options):
    return n(BATCH, LENGTH, width, **options)


def heads(n, size=128, **options):
    return n(BATCH, LENGTH, HEADS, size, **options)


def norm(name, width=WIDTH, residual=False, bias=False, dtype=torch.bfloat16, **options):
    return call(f"modules.norm.layernorm.{name}", lambda n: dict(
        x=tokens(n, width, dtype=dtype), weight=n(width, dtype=dtype), bias=n(width, dtype=dtype) if bias else None,
        **(dict(residual=tokens(n, width, dtype=dtype), prenorm=True) if residual else {}), **options))


def norm_of_heads(name, size=128, **options):
    return call(f"modules.norm.fused_norm_gate.{name}", lambda n: dict(
        x=heads(n, size), g=heads(n, size), weight=n(size), bias=None, **options))


def ends(device, last=BATCH * LENGTH):
    return torch.tensor([0, 300, 1111, 2048, 4099, last], device=device, dtype=torch.int64)


def rotation(interleaved=False):

    def make(n):
        angles = torch.rand(LENGTH, 64, device=n.device) * 6.0
        return [heads(n), angles.cos().to(torch.bfloat16), angles.sin().to(torch.bfloat16), interleaved]

    return make


def targets(n, rows, count):
    return torch.randint(0, count, (rows, ), device=n.device)


def cross_entropy(rows, vocabulary, dtype=torch.bfloat16, **options):
    return call("modules.fused_cross_entropy.ops.cross_entropy_loss", lambda n: dict(
        logits=n(rows, vocabulary, dtype=dtype), target=targets(n, rows, vocabulary), **options))


def grpo(n):
    return dict(logits=n(4, 513, 32768) * 1.0, ref_logp=n(4, 512, dtype=torch.float32).detach(),
                input_ids=torch.randint(0, 32768, (4, 512), device=n.device),
                advantages=torch.randn(4, device=n.device), beta=0.1, inplace=False)


def scan(name, *tail, dtype=torch.float32, **options):
    """A cumulative sum along the tokens: (batch, length, heads) or (batch, length, heads, size)."""

    def run(device):
        x = torch.randn(BATCH, LENGTH, HEADS, *tail, device=device).to(dtype)
        of(f"ops.utils.cumsum.{name}")(x, **options)

    return run


def packed_scan(name, *tail, **options):

    def run(device):
        x = torch.randn(1, BATCH * LENGTH, HEADS, *tail, device=device)
        of(f"ops.utils.cumsum.{name}")(x, cu_seqlens=ends(device), **options)

    return run


def forward(path, make):
    """Without a backward pass."""

    def run(device):

        def normal(*sizes, dtype=torch.bfloat16, scale=1.0):
            return (torch.randn(*sizes, device=device) * scale).to(dtype)

        normal.device = device
        given = make(normal)
        of(path)(**given) if isinstance(given, dict) else of(path)(*given)

    return run


def convolution(width, taps=4, activation="silu", residual=False, many=False):

    def make(n):
        x = n(1, BATCH * LENGTH, width) if many else tokens(n, width)
        return dict(x=x, weight=n(width, taps), bias=n(width), activation=activation,
                    residual=(n(1, BATCH * LENGTH, width) if many else tokens(n, width)) if residual else None,
                    cu_seqlens=ends(n.device) if many else None)

    return call("modules.causal_conv1d.ops.causal_conv1d", make)


def rwkv4(n):
    width = 1024
    state = torch.zeros(BATCH, 3, 1, width, device=n.device)
    return [n(width, dtype=torch.float32), n(width, dtype=torch.float32), n(BATCH, 512, width, dtype=torch.float32),
            n(BATCH, 512, width, dtype=torch.float32), state]


def rwkv6(i):
    return dict(r=i.normal(64), k=i.normal(64), v=i.normal(64), w=i.gate(64),
                u=i.leaf(torch.randn(i.shape[2], 64, device=i.device)))


def short(arguments):
    """Fewer tokens, as recurrences go through them one by one."""
    return lambda i: arguments(Inputs(i.device, 4, 512))


def decoding(arguments):
    """A step of generation: one token of each of many sequences."""
    return lambda i: arguments(Inputs(i.device, 128, 1))


def hgrn(i):
    batch, length, count = i.shape
    wide = lambda: torch.randn(batch, length, WIDTH, device=i.device)
    return dict(x=i.leaf(wide()), g=i.leaf(torch.nn.functional.logsigmoid(wide() + 3)))


def without_gradients(arguments):

    def make(i):
        return {name: value.detach() if isinstance(value, torch.Tensor) else value
                for name, value in arguments(i).items()}

    return make


def recurrence(name, arguments, change=short):
    # Some of them have no backward pass.
    return operation(name, without_gradients(change(arguments)))


def iplr(i):
    return {name: value for name, value in dplr(i).items() if name not in ("r", "w")} | dict(q=i.normal(64))


WORKLOADS = {
    "layer norm": norm("layer_norm", bias=True),
    "layer norm wide": norm("layer_norm", 4096, bias=True),
    "layer norm narrow": norm("layer_norm", 256, bias=True),
    "layer norm fp32": norm("layer_norm", 1024, bias=True, dtype=torch.float32),
    "rms norm": norm("rms_norm"),
    "rms norm residual": norm("rms_norm", residual=True),
    "rms norm residual narrow": norm("rms_norm", 512, residual=True, residual_in_fp32=True),
    "rms norm of heads": call("modules.norm.layernorm.rms_norm", lambda n: [heads(n), n(128), None]),
    "rms norm of heads 64": call("modules.norm.layernorm.rms_norm", lambda n: [heads(n, 64), n(64), None]),
    "group norm": norm("group_norm", bias=True, num_groups=16),
    "group norm rms": norm("group_norm", is_rms_norm=True, num_groups=32),
    "norm and linear": call("modules.norm.layernorm.rms_norm_linear", lambda n: [
        tokens(n, 1024), n(1024), None, n(1024, 1024, scale=0.02), None]),
    "gated norm": norm_of_heads("rms_norm_gated"),
    "gated norm 64": norm_of_heads("rms_norm_gated", 64),
    "gated norm 256 sigmoid": norm_of_heads("rms_norm_gated", 256, activation="sigmoid"),
    "gated layer norm": norm_of_heads("layer_norm_gated"),
    "gated norm of tokens": call("modules.norm.fused_norm_gate.rms_norm_gated", lambda n: dict(
        x=tokens(n), g=tokens(n), weight=n(WIDTH), bias=None)),
    "gated norm and linear": call("modules.norm.fused_norm_gate.rms_norm_swish_gate_linear", lambda n: [
        tokens(n, 1024), tokens(n, 1024), n(1024), None, n(1024, 1024, scale=0.02), None]),
    "grouped gated norm": call("modules.norm.layernorm_gated.rmsnorm_fn", lambda n: dict(
        x=tokens(n), weight=n(WIDTH), bias=None, z=tokens(n), group_size=256, norm_before_gate=False)),
    "grouped layer norm": call("modules.norm.layernorm_gated.layernorm_fn", lambda n: dict(
        x=tokens(n), weight=n(WIDTH), bias=n(WIDTH), z=tokens(n))),
    "quantized norm": call("modules.fused_bitlinear.rms_norm_linear_quant", lambda n: [
        tokens(n, 1024), n(1024), None, n(1024, 1024, scale=0.02), None]),
    "l2 norm": call("modules.norm.l2norm.l2norm", lambda n: [heads(n)]),
    "l2 norm 64": call("modules.norm.l2norm.l2norm", lambda n: [heads(n, 64)]),
    "l2 norm 256": call("modules.norm.l2norm.l2norm", lambda n: [heads(n, 256)]),
    "l2 norm wide": call("modules.norm.l2norm.l2norm", lambda n: [tokens(n)]),
    "rotary": call("modules.rotary.ops.rotary_embedding", rotation()),
    "rotary interleaved": call("modules.rotary.ops.rotary_embedding", rotation(True)),
    "token shift": call("modules.token_shift.token_shift", lambda n: [tokens(n)]),
    "token shift packed": call("modules.token_shift.token_shift",
                               lambda n: [n(1, BATCH * LENGTH, WIDTH), ends(n.device)]),
    "convolution": convolution(WIDTH),
    "convolution residual": convolution(1024, 3, None, True),
    "convolution packed": convolution(WIDTH, many=True),
    "sigmoid": call("modules.activations.ops.SigmoidFunction.apply", lambda n: [tokens(n, 8192)]),
    "swish": call("modules.activations.ops.SwishFunction.apply", lambda n: [tokens(n, 8192)]),
    "log sigmoid": call("modules.activations.ops.logsigmoid", lambda n: [tokens(n, 2048), 16.0]),
    "elu plus one": call("modules.activations.ops.elu_p1", lambda n: [tokens(n, 2048)]),
    "swiglu": call("modules.activations.ops.SwiGLUFunction.apply", lambda n: [tokens(n, 5632), tokens(n, 5632)]),
    "sigmoid glu": call("modules.activations.ops.SigmoidGLUFunction.apply", lambda n: [tokens(n), tokens(n)]),
    "power glu": call("modules.activations.ops.powglu", lambda n: [tokens(n), tokens(n)]),
    "swiglu and linear": call("modules.activations.ops.swiglu_linear", lambda n: [
        tokens(n, 2048), tokens(n, 2048), n(1024, 2048, scale=0.02), None]),
    "cross entropy": cross_entropy(4096, 32000),
    "cross entropy long": cross_entropy(2048, 128256),
    "cross entropy with all": cross_entropy(4096, 32000, label_smoothing=0.1, lse_square_scale=1e-4),
    "cross entropy capped": cross_entropy(4096, 32000, torch.float32, logit_softcapping=30.0),
    "linear cross entropy": call("modules.fused_linear_cross_entropy.ops.fused_linear_cross_entropy_loss",
                                 lambda n: [n(4096, 1024), targets(n, 4096, 32000), n(32000, 1024, scale=0.02)]),
    "linear kl": call("modules.fused_kl_div.ops.fused_kl_div_loss", lambda n: [
        n(2048, 1024), n(2048, 1024).detach(), n(32000, 1024, scale=0.02), n(32000, 1024, scale=0.02).detach()]),
    "grpo": call("modules.grpo.ops.fused_grpo_loss", grpo),
    "log sum of exponentials": forward("ops.utils.logsumexp.logsumexp_fwd", lambda n: [n(4096, 32000)]),
    "softmax": forward("ops.utils.softmax.softmax_fwd", lambda n: [heads(n)]),
    "local sum": scan("chunk_local_cumsum", chunk_size=64),
    "local sum reverse": scan("chunk_local_cumsum", chunk_size=64, reverse=True),
    "local sum bf16": scan("chunk_local_cumsum", chunk_size=128, dtype=torch.bfloat16),
    "local sum of vectors": scan("chunk_local_cumsum", 128, chunk_size=64),
    "local sum of vectors reverse": scan("chunk_local_cumsum", 64, chunk_size=32, reverse=True),
    "local sum of vectors 16": scan("chunk_local_cumsum", 64, chunk_size=16, dtype=torch.bfloat16),
    "local sum packed": packed_scan("chunk_local_cumsum", 128, chunk_size=64),
    "global sum": scan("chunk_global_cumsum"),
    "global sum reverse": scan("chunk_global_cumsum", reverse=True, dtype=torch.bfloat16),
    "global sum of vectors": scan("chunk_global_cumsum", 128),
    "global sum of vectors reverse": scan("chunk_global_cumsum", 64, reverse=True),
    "global sum packed": packed_scan("chunk_global_cumsum", 64),
    "comba's sums": forward("ops.comba.utils.chunk_comba_cumsum_scalar_fwd",
                            lambda n: [n(BATCH, LENGTH, HEADS, dtype=torch.float32), 64]),
    "pooling": call("ops.utils.pooling.mean_pooling", lambda n: [heads(n), 64]),
    "pooling packed": call("ops.utils.pooling.mean_pooling",
                           lambda n: [n(1, BATCH * LENGTH, HEADS, 64), 32, ends(n.device)]),
    "packing": call("ops.utils.pack.unpack_sequence", lambda n: [n(BATCH * LENGTH, WIDTH), ends(n.device)]),
    "sinkhorn": call("ops.utils.sinkhorn.ops.sinkhorn", lambda n: [n(8192, 4, 4, dtype=torch.float32)]),
    "residual attention": call("ops.attnres.fused.fused_attnres", lambda n: [
        n(WIDTH), [n(2, LENGTH, WIDTH) for _ in range(8)], n(WIDTH)]),
    "norms of queries and keys": forward("ops.cyfa.qk_norm.qk_rmsnorm_fwd", lambda n: dict(
        q=heads(n), k=heads(n), q_weight=n(128), k_weight=n(128), q_eps=1e-6, k_eps=1e-6, store_rstd=True)),
    "beta": call("ops.common.gate.fused_beta_sigmoid", lambda n: [n(BATCH, LENGTH, HEADS), 2.0]),
    "delta's gate": call("ops.gated_delta_rule.gate.fused_gdn_gate", lambda n: [
        n(BATCH, LENGTH, HEADS), n(HEADS, dtype=torch.float32), n(HEADS, dtype=torch.float32)]),
    "delta's gate, sums": forward("ops.gated_delta_rule.gate.gdn_gate_chunk_cumsum", lambda n: dict(
        g=n(BATCH, LENGTH, HEADS), A_log=n(HEADS, dtype=torch.float32), chunk_size=64,
        dt_bias=n(HEADS, dtype=torch.float32))),
    "kda's gate": call("ops.kda.gate.fused_kda_gate", lambda n: [
        heads(n), n(HEADS, dtype=torch.float32), n(HEADS * 128, dtype=torch.float32)]),
    "kda's gate, sums": forward("ops.kda.gate.kda_gate_chunk_cumsum", lambda n: dict(
        g=heads(n), A_log=n(HEADS, dtype=torch.float32), chunk_size=64, dt_bias=n(HEADS * 128, dtype=torch.float32))),
    "gsa's gate": call("ops.gsa.gate.fused_additive_gate", lambda n: [heads(n, 64)]),
    "rwkv7's gate": call("ops.rwkv7.gate_output_correction.gate_output_correction", lambda n: [
        tokens(n, 1024), heads(n, 64), heads(n, 64), n(HEADS, 64), heads(n, 64), tokens(n, 1024)]),
    "rwkv7's mixing": call("ops.rwkv7.fused_addcmul.fused_addcmul_rwkv7", lambda n: [
        tokens(n), tokens(n), *(n(1, 1, WIDTH) for _ in range(6))]),
    "rwkv7's keys": call("ops.rwkv7.fused_k_update.fused_k_rwkv7", lambda n: [tokens(n), tokens(n), n(WIDTH)]),
    "rwkv7's channels": call("ops.rwkv7.channel_mixing.channel_mixing_rwkv7", lambda n: [
        tokens(n, 1024), n(BATCH, 1024), n(1, 1, 1024), n(1024, 4096, scale=0.02), n(4096, 1024, scale=0.02)]),
    "rwkv4": call("ops.rwkv4.fused_recurrent.fused_recurrent_rwkv4", rwkv4),
    "hgrn": operation("hgrn.fused_recurrent_hgrn", hgrn),
    "hgrn in chunks": operation("hgrn.chunk_hgrn", hgrn),
    "recurrent gla": operation("gla.fused_recurrent_gla", short(lambda i: qkv(i, gk=i.gate(128)))),
    "recurrent simple_gla": operation("simple_gla.fused_recurrent_simple_gla",
                                      short(lambda i: qkv(i, g=i.gate(dtype=torch.float32)))),
    "recurrent retention": operation("retention.fused_recurrent_retention", short(qkv)),
    "recurrent linear": operation("linear_attn.fused_recurrent_linear_attn", short(qkv)),
    "recurrent delta": operation("delta_rule.fused_recurrent_delta_rule", short(delta)),
    "recurrent gsa": operation("gsa.fused_recurrent_gsa", short(slots)),
    "recurrent rwkv6": operation("rwkv6.fused_recurrent_rwkv6", short(rwkv6)),
    "recurrent rwkv7": recurrence("rwkv7.fused_recurrent_rwkv7", dplr),
    "recurrent dplr": recurrence("generalized_delta_rule.fused_recurrent_dplr_delta_rule", lambda i: {
        {"r": "q", "w": "gk"}.get(name, name): value for name, value in dplr(i).items()}),
    "recurrent iplr": operation("generalized_delta_rule.fused_recurrent_iplr_delta_rule", short(iplr)),
    "recurrent gated delta": recurrence("gated_delta_rule.fused_recurrent_gated_delta_rule", gated),
    "recurrent gated delta, a step": recurrence("gated_delta_rule.fused_recurrent_gated_delta_rule",
                                                lambda i: dict(gated(i), use_qk_l2norm_in_kernel=True), decoding),
    "recurrent gated delta packed": operation("gated_delta_rule.fused_recurrent_gated_delta_rule",
                                              without_gradients(lambda i: packed(i, gated))),
    "recurrent kda": recurrence("kda.fused_recurrent_kda", kda),
    "recurrent kda, a step": recurrence("kda.fused_recurrent_kda", kda, decoding),
    "recurrent comba": recurrence("comba.fused_recurrent_comba", lambda i: dict(gated(i), p=i.unit(128))),
    "recurrent oja": recurrence("gated_oja_rule.fused_recurrent_gated_oja_rule",
                                lambda i: delta(i, 64, gv=i.gate(64, dtype=torch.float32))),
    "recurrent gdn2": recurrence("gdn2.fused_recurrent_gdn2", lambda i: dict(
        q=i.unit(128), k=i.unit(128), v=i.normal(128), g=i.gate(128, dtype=torch.float32), b=i.share(128),
        w=i.share(128))),
    "decoding": forward("ops.attn.decoding.attn_decoding_one_step", lambda n: dict(
        q=n(1, 5, HEADS, 128), k=n(1, BATCH * LENGTH, HEADS, 128), v=n(1, BATCH * LENGTH, HEADS, 128),
        cu_seqlens=ends(n.device))),
}
