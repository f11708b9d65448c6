"""Operations of Liger-Kernel without matrix products, forward and backward, at sizes of training: norms, losses over a
vocabulary, gates, position embeddings."""
import importlib

import torch
from workloads_liger import function, normal

ROWS, WIDTH, VOCABULARY = 8192, 4096, 32768


def tensor(*sizes, dtype=torch.bfloat16, scale=1.0):
    """One that takes no part in the backward pass."""
    return normal(*sizes, dtype=dtype, scale=scale).detach()


def targets(rows=4096, count=VOCABULARY):
    return torch.randint(0, count, (rows, ))


def ignored(rows=4096, count=VOCABULARY):
    """Every fourth is not asked for."""
    found = targets(rows, count)
    found[::4] = -100
    return found


def logits(rows=4096, dtype=torch.bfloat16):
    # What takes logits writes their gradient over them, which it may not do to a leaf.
    return normal(rows, VOCABULARY, dtype=dtype) * 1.0


def logarithms(rows=2048, dtype=torch.float32):
    return normal(rows, VOCABULARY, dtype=dtype).log_softmax(-1)


def probabilities(rows=2048):
    return normal(rows, VOCABULARY, dtype=torch.float32).softmax(-1)


def rotation(size, length=2048, parts=1):
    angles = torch.rand(parts, length, size // 2) * 6.0
    angles = torch.cat((angles, angles), -1)
    return angles.cos().to(torch.bfloat16), angles.sin().to(torch.bfloat16)


def heads(count, size=128):
    """As models hold them: (batch, heads, length, size), where heads of a token are neighbors."""
    return (normal(4, 2048, count, size) * 1.0).transpose(1, 2)


def grpo(level="token", kind="grpo"):

    def make():
        batch, length, vocabulary = 4, 512, VOCABULARY
        done = torch.ones(batch, length, dtype=torch.int32)
        done[:, 400:] = 0
        return [
            normal(batch, length + 1, vocabulary) * 1.0, tensor(batch, length, dtype=torch.float32, scale=0.1) - 8,
            tensor(batch, length, dtype=torch.float32, scale=0.1) - 8, torch.randint(0, vocabulary, (batch, length)),
            torch.randn(batch), done, 0.9, 0.04, 0.2, 0.2, False, kind, length, True, level
        ]

    return make


def fused_head(module, name, make):
    return function(module, name, lambda: [normal(4096, 2048), normal(VOCABULARY, 2048, scale=0.02), *make()])


def distilled():
    return [normal(2048, 1024), normal(VOCABULARY, 1024, scale=0.02), tensor(2048, 2048),
            tensor(VOCABULARY, 2048, scale=0.02)]


def streams():
    """Hyper connections: four copies of the residual."""
    return normal(4096, 4, 2048)


def angles(batch=4, length=2048, size=128):
    found = torch.rand(length, size // 2) * 6.0
    return torch.polar(torch.ones_like(found), found)


def embedded(device):
    module = importlib.import_module("liger_kernel.ops.experimental.embedding")
    weights = torch.randn(VOCABULARY, 2048, device=device, dtype=torch.bfloat16).requires_grad_()
    out = module.LigerEmbeddingFunction.apply(weights, torch.randint(0, VOCABULARY, (4, 2048), device=device))
    out.backward(torch.randn_like(out))


def norm(width, dtype=torch.bfloat16, mode="llama", rows=ROWS, **options):
    return function("rms_norm", "LigerRMSNormFunction", lambda: [
        normal(rows, width, dtype=dtype) * 1.0, normal(width, dtype=dtype), 1e-6, 0.0, mode, *options.values()])


WORKLOADS = {
    "rms norm": norm(WIDTH),
    "rms norm gemma": norm(WIDTH, mode="gemma"),
    "rms norm of heads": norm(128, rows=131072),
    "rms norm fp32": norm(2048, torch.float32, "none"),
    "rms norm odd": norm(2560),
    "layer norm": function("layer_norm", "LigerLayerNormFunction",
                           lambda: [normal(ROWS, WIDTH), normal(WIDTH), normal(WIDTH), 1e-6]),
    "layer norm narrow": function("layer_norm", "LigerLayerNormFunction",
                                  lambda: [normal(32768, 768), normal(768), normal(768), 1e-6]),
    "layer norm fp32": function("layer_norm", "LigerLayerNormFunction", lambda: [
        normal(ROWS, 2048, dtype=torch.float32), normal(2048, dtype=torch.float32), normal(2048, dtype=torch.float32),
        1e-6]),
    "group norm": function("group_norm", "LigerGroupNormFunction", lambda: [
        normal(16, 256, 32, 32, dtype=torch.float32), normal(256, dtype=torch.float32),
        normal(256, dtype=torch.float32), 256, 32, 1e-6]),
    "group norm bf16": function("group_norm", "LigerGroupNormFunction", lambda: [
        normal(8, 512, 64, 64), normal(512), normal(512), 512, 32, 1e-6]),
    "add and norm": function("fused_add_rms_norm", "LigerFusedAddRMSNormFunction", lambda: [
        normal(ROWS, WIDTH) * 1.0, normal(ROWS, WIDTH) * 1.0, normal(WIDTH), 1e-6, 0.0, "llama", False]),
    "modulated norm": function("modulated_rms_norm", "LigerModulatedRMSNormFunction", lambda: [
        normal(4, 2048, 2048) * 1.0, normal(2048), normal(4, 2048), normal(4, 2048), 1e-6]),
    "dyt": function("dyt", "LigerDyTFunction",
                    lambda: [normal(ROWS, WIDTH), normal(1), normal(WIDTH), normal(WIDTH)]),
    "poly norm": function("poly_norm", "LigerPolyNormFunction", lambda: [
        normal(ROWS, WIDTH) * 1.0, normal(3), torch.zeros((), dtype=torch.bfloat16).requires_grad_(), 1e-6]),
    "residual attention": function("attn_res", "LigerAttnResFunction",
                                   lambda: [normal(8, 4096, 2048), normal(2048), normal(2048), 1e-6]),
    "geglu": function("geglu", "LigerGELUMulFunction", lambda: [normal(ROWS, 8192) * 1.0, normal(ROWS, 8192) * 1.0]),
    "swiglu": function("swiglu", "LigerSiLUMulFunction",
                       lambda: [normal(ROWS, 11008) * 1.0, normal(ROWS, 11008) * 1.0]),
    "swiglu fused": function("swiglu", "LigerFusedGateUpSiLUMulFunction", lambda: [normal(ROWS, 16384) * 1.0]),
    "squared relu": function("relu_squared", "LigerReLUSquaredFunction", lambda: [normal(ROWS, 8192) * 1.0]),
    "rope": function("rope", "LigerRopeFunction", lambda: [heads(32), heads(8), *rotation(128)]),
    "rope 64": function("rope", "LigerRopeFunction", lambda: [heads(16, 64), heads(16, 64), *rotation(64)]),
    "rope of pictures": function("qwen2vl_mrope", "LigerQwen2VLMRopeFunction", lambda: [
        heads(16), heads(4), *(x.view(3, 1, 2048, 128).expand(3, 4, 2048, 128).contiguous()
                               for x in rotation(128, parts=3)), [16, 24, 24]]),
    "rope complex": function("llama4_rope", "LigerLlama4RopeFunction", lambda: [
        normal(4, 2048, 16, 128) * 1.0, normal(4, 2048, 4, 128) * 1.0, angles()]),
    "cross entropy": function("cross_entropy", "LigerCrossEntropyFunction", lambda: [logits(), ignored(), None]),
    "cross entropy fp32": function("cross_entropy", "LigerCrossEntropyFunction",
                                   lambda: [logits(2048, torch.float32), targets(2048), None]),
    "cross entropy with all": function("cross_entropy", "LigerCrossEntropyFunction", lambda: [
        logits(), ignored(), torch.rand(VOCABULARY), -100, 1e-4, 0.1, "mean", 30.0, True, True, True]),
    "cross entropy and tvd": function("fused_ce_tvd", "LigerFusedCETVDFunction",
                                      lambda: [logits(), tensor(4096, VOCABULARY), ignored()]),
    "linear cross entropy": fused_head("fused_linear_cross_entropy", "LigerFusedLinearCrossEntropyFunction",
                                       lambda: [ignored()]),
    "linear cross entropy with all": fused_head(
        "fused_linear_cross_entropy", "LigerFusedLinearCrossEntropyFunction",
        lambda: [targets(), normal(VOCABULARY), None, -100, 1e-4, 0.1, "mean", 30.0, False, torch.float32]),
    "linear jsd": function("fused_linear_jsd", "LigerFusedLinearJSDFunction", lambda: [*distilled(), ignored(2048)]),
    "linear kl": function("fused_linear_kl_div", "LigerFusedLinearKLDivFunction", lambda: [
        normal(2048, 1024), normal(VOCABULARY, 1024, scale=0.02), tensor(2048, VOCABULARY).softmax(-1)]),
    "kl": function("kl_div", "LigerKLDivLossFunction", lambda: [logarithms(), probabilities().detach()]),
    "kl of logarithms": function("kl_div", "LigerKLDivLossFunction",
                                 lambda: [logarithms(), logarithms().detach(), "batchmean", True]),
    "kl of each": function("kl_div", "LigerKLDivLossFunction", lambda: [logarithms(), probabilities().detach(), "none"]),
    "jsd": function("jsd", "LigerJSDFunction", lambda: [logarithms(), logarithms().detach()]),
    "jsd forward": function("jsd", "LigerJSDFunction",
                            lambda: [logarithms(), logarithms().detach(), ignored(2048), 0.0]),
    "jsd bf16": function("jsd", "LigerJSDFunction",
                         lambda: [logarithms(dtype=torch.bfloat16), logarithms(dtype=torch.bfloat16).detach(), None, 0.3]),
    "tvd": function("tvd", "LigerTVDLossFunction", lambda: [probabilities(), probabilities().detach()]),
    "softmax": function("softmax", "LigerSoftmaxFunction", lambda: [normal(ROWS, WIDTH)]),
    "softmax long": function("softmax", "LigerSoftmaxFunction", lambda: [normal(1024, 65536)]),
    "sparsemax": function("sparsemax", "LigerSparsemaxFunction", lambda: [normal(4096, 2048), -1]),
    "sparsemax fp32": function("sparsemax", "LigerSparsemaxFunction",
                               lambda: [normal(4096, 512, dtype=torch.float32), -1]),
    "tokens' attention": function("multi_token_attention", "LigerMultiTokenAttentionFunction", lambda: [
        normal(2, 8, 512, 512), normal(8, 8, 3, 3, scale=0.1), None, 1, 1]),
    "tokens' attention sparse": function("multi_token_attention", "LigerMultiTokenAttentionFunction", lambda: [
        normal(2, 8, 512, 512, dtype=torch.float32), normal(8, 8, 3, 3, dtype=torch.float32, scale=0.1), None, 1, 1,
        1, 1, True]),
    "hyper connections before": function("mhc", "LigerMHCPreFunction",
                                         lambda: [streams(), normal(4096, 4, dtype=torch.float32)]),
    "hyper connections after": function("mhc", "LigerMHCPostResFunction", lambda: [
        streams(), normal(4096, 2048), normal(4096, 4, dtype=torch.float32), normal(4096, 4, 4, dtype=torch.float32)]),
    "grpo": function("grpo_loss", "GrpoLossFunction", grpo()),
    "grpo of sequences": function("grpo_loss", "GrpoLossFunction", grpo("sequence")),
    "grpo dapo": function("grpo_loss", "GrpoLossFunction", grpo(kind="dapo")),
    "embedding": embedded,
}
