"""Operations of frameworks that train: attention of several kinds with gradients, experts with adapters, losses that are
products with the vocabulary, norms, gates and residual mixes. Of axolotl, verl, NeMo AutoModel and
ring-attention-pytorch."""
import importlib.metadata
import math
import types

import bare
import torch
from workloads_serving import serve, whole
from workloads_training import both_passes, call, of, rotation

bare.bare("axolotl", "nemo_automodel", "ring_attention_pytorch", "verl")
bare.stub("axolotl.utils", "nemo_automodel.shared")
bare.stub("axolotl.utils.logging", "nemo_automodel.shared.import_utils", MISSING_TRITON_MSG="")
bare.stub("verl.utils.device", get_device_capability=lambda: (9, 0), get_device_name=lambda: "cuda",
          get_torch_device=lambda: torch.cuda, is_cuda_available=True)
# ring-attention-pytorch wants a Triton of this name, and ends the process where there is none.
version_of = importlib.metadata.version
importlib.metadata.version = lambda name: "3.6.0" if name == "triton-nightly" else version_of(name)
BF16, FP32 = torch.bfloat16, torch.float32
AXOLOTL, NEMO = "axolotl.integrations.kernels.libs", "nemo_automodel.components"


def ones(n, *sizes, dtype=FP32):
    return torch.ones(*sizes, device=n.device, dtype=dtype)


def chosen(n, batch, length, most, count):
    """For each query some of the keys before it."""
    index = torch.rand(batch, length, most, device=n.device).topk(count).indices
    return torch.minimum(index, torch.arange(length, device=n.device)[:, None]).to(torch.int32)


def sliding(n):
    return [n(2, 16, 2048, 128), n(2, 1, 2048, 128), n(2, 1, 2048, 128), n(16)]


def compressed(n):
    batch, heads, length, size, blocks = 2, 16, 2048, 128, 512
    return [n(batch, heads, length, size), n(batch, 1, length, size), n(batch, 1, blocks, size),
            torch.zeros(batch, 1, length, blocks, device=n.device, dtype=BF16), n(heads)]


def gathered(n):
    return [n(2, 16, 2048, 128), n(2, 1, 2048, 128), n(2, 1, 512, 128), chosen(n, 2, 2048, 512, 64), n(16)]


def hyperconnection(device):
    count, width = 4, 2048

    def n(*sizes, dtype=BF16):
        return torch.randn(*sizes, device=device, dtype=dtype).requires_grad_()

    streams, mix = n(1, 2048, count, width), n(count * (2 + count), count * width)
    base, scale = n(count * (2 + count)), n(3)
    both_passes(lambda: of(f"{AXOLOTL}.dsv4.mhc.hyperconnection_forward")(
        streams, types.SimpleNamespace(eps=1e-6), mix, base, scale, count, 8, 1e-6))


def by_expert(n, tokens=4096, experts=16, count=2, width=2048, inner=1024):
    """Tokens, experts' weights, and the entries sorted by expert."""
    order = torch.rand(tokens, experts, device=n.device).topk(count).indices.flatten().sort(stable=True)
    return n(tokens, width), n(experts, width, inner), order.values, order.indices


def experts(n):
    x, w, expert, entry = by_expert(n)
    return [x, w, expert, entry, 2]


def experts_with_adapters(n):
    x, w, expert, entry = by_expert(n)
    rank = 16 * len(w)
    return [x, w, expert, entry, 2, n(rank, w.shape[1]), n(w.shape[2], rank), 2.0]


def weight_gradients(n):
    x, w, expert, entry = by_expert(n)
    ends = torch.bincount(expert, minlength=len(w)).cumsum(0)
    return [n(len(expert), w.shape[2]), x[entry // 2].contiguous(), ends, len(w)]


def adapter_gradients(n):
    grad, x, ends, count = weight_gradients(n)
    return [grad, x, n(16 * count, x.shape[1]), n(grad.shape[1], 16 * count), ends, count, 2.0]


def entropy(method=None):
    """The loss of a product with the vocabulary, and one of the ways to its gradients."""

    def run(device):
        tokens, width, count = 4096, 2048, 32768
        kernels = "verl.utils.kernel.kernels"
        x, w = (torch.randn(rows, width, device=device, dtype=BF16) * 0.02 for rows in (tokens, count))
        labels = torch.randint(0, count, (tokens, ), device=device)
        if method:
            of(f"{kernels}.set_backward_method")(getattr(of(f"{kernels}.BackwardEnum"), method))
            maximum, total, entropies = (torch.ones(tokens, device=device) for _ in range(3))
            of(f"{kernels}.efficient_entropy_backward")(torch.ones((), device=device), torch.ones(tokens, device=device), x,
                                                        w, labels, maximum, total, entropies)
        else:
            of(f"{kernels}.efficient_entropy_forward")(x, w, labels)

    return run


def ring(causal, size=64, backward=False, bias=False):

    def run(device):
        q, k, v, o = (torch.randn(4, 2048, 16, size, device=device, dtype=torch.float16) for _ in range(4))
        kernels = "ring_attention_pytorch.triton_flash_attn"
        if backward:
            grads = [torch.empty_like(q) for _ in range(3)]
            of(f"{kernels}.flash_attn_backward")(o.clone(), q, k, v, o, torch.ones(4, 16, 2048, device=device), *grads,
                                                 causal=causal, softmax_scale=1 / math.sqrt(size))
        else:
            of(f"{kernels}.flash_attn_forward")(q, k, v, causal=causal, load_accumulated=False, softclamp_qk_sim=bias)

    return run


def residual_mix(device):
    tokens, entries, width = 4096, 6, 4096
    kernels = f"{NEMO}.models.kimi_k3.attn_res_triton"
    x, rest = torch.randn(tokens, width, device=device, dtype=BF16), torch.randn(tokens, entries, width, device=device, dtype=BF16)
    weight, projection = (torch.randn(width, device=device, dtype=BF16) for _ in range(2))
    _, stats = of(f"{kernels}.attn_res_fwd_triton")(x, rest, weight, projection, 1e-6)
    of(f"{kernels}.attn_res_bwd_triton")(x, rest, weight, projection, torch.randn_like(x), stats)


def gradients_of_delta_attention(device):
    length, heads, size = 4096, 16, 128
    q, k, v, out = (torch.randn(1, length, heads, size, device=device, dtype=BF16) for _ in range(4))
    g, beta = -torch.rand(1, length, heads, size, device=device), torch.rand(1, length, heads, device=device)
    starts = torch.tensor([0, 1500, length], device=device, dtype=torch.int32)
    of(f"{NEMO}.models.kimi_k3.kda_fused.chunk_kda_bwd_triton.run")(
        q, k, v, g, beta, starts, out, *(torch.empty_like(x) for x in (q, k, v, g, beta)), cu_seqlens_cpu=[0, 1500, length])


ADAPTERS, FAST = f"{NEMO}._peft.lora_kernel", "axolotl.kernels"
MOE = f"{AXOLOTL}.scattermoe_lora.kernels"
WORKLOADS = {
    "axolotl sliding": call(f"{AXOLOTL}.dsv4.attention.sliding_attn", sliding),
    "axolotl compressed": call(f"{AXOLOTL}.dsv4.attention_csa.csa_attn", compressed),
    "axolotl gathered": call(f"{AXOLOTL}.dsv4.attention_gather.csa_attn_topk", gathered),
    "axolotl streams": hyperconnection,
    "axolotl latent": call(f"{AXOLOTL}.glm_dsa.attention_mla_absorb.mla_absorb_attn", lambda n: [
        n(1, 16, 2048, 576), n(1, 2048, 576), chosen(n, 1, 2048, 2048, 256), 0.05]),
    "axolotl sparse": call(f"{AXOLOTL}.glm_dsa.attention_topk.sparse_attn", lambda n: [
        n(1, 16, 2048, 128), n(1, 16, 2048, 128), n(1, 16, 2048, 128), chosen(n, 1, 2048, 2048, 256), 0.1]),
    "axolotl index": serve(f"{AXOLOTL}.glm_dsa.indexer.indexer_scores", lambda n: [
        n(1, 2048, 32, 128), n(1, 2048, 128), n(1, 2048, 32), 0.1]),
    "axolotl heads of 512": call("axolotl.monkeypatch.attention.flash_attn_d512.flash_d512", lambda n: [
        n(1, 8, 2048, 512), n(1, 8, 2048, 512), n(1, 8, 2048, 512)]),
    "axolotl experts": serve(f"{MOE}.ops.scatter2scatter", experts),
    "axolotl gradients of experts": serve(f"{MOE}.ops.group_bwd_W", weight_gradients),
    "axolotl adapters": serve(f"{MOE}.lora_ops.scatter2scatter_lora", experts_with_adapters),
    "axolotl gradients of adapters": serve(f"{MOE}.lora_ops.group_bwd_lora", adapter_gradients),
    "axolotl gates": serve(f"{FAST}.geglu.geglu_forward", lambda n: [n(4, 2048, 8192), n(4, 2048, 8192)]),
    "axolotl gate of another kind": serve(f"{FAST}.swiglu.swiglu_forward", lambda n: [n(4, 2048, 8192), n(4, 2048, 8192)]),
    "axolotl gates' gradients": serve(f"{FAST}.geglu.geglu_backward", lambda n: [n(4, 2048, 8192) for _ in range(3)]),
    "axolotl gradients of another": serve(f"{FAST}.swiglu.swiglu_backward", lambda n: [n(4, 2048, 8192) for _ in range(3)]),
    "axolotl norm and rotary": call(f"{FAST}.gemma4_fused_rope.fused_rms_norm_rope", lambda n: [
        n(4, 2048, 16, 128), n(128), *(x[None].expand(4, -1, -1).contiguous() for x in rotation(n, 2048, 128))]),
    "axolotl norm": call(f"{FAST}.gemma4_fused_rope.fused_rms_norm_noscale", lambda n: [n(4, 2048, 16, 128)]),
    "axolotl norm and gate": call(f"{FAST}.rms_norm_gated.FusedRMSNormGatedFunction.apply", lambda n: [
        n(8192, 2048), n(8192, 2048), n(2048), 1e-6, 0.0]),
    "axolotl logarithms": serve("axolotl.core.trainers.ebft.kernels.fused_log_softmax_gather", lambda n: [
        n(4, 1024, 32768), whole(n, 32768, 4, 1024, dtype=torch.int64)]),
    "axolotl likeness": serve("axolotl.core.trainers.ebft.kernels.fused_cosine_similarity", lambda n: [
        n(4, 16, 64, 1024), n(4, 16, 64, 1024)]),
    "axolotl diversity": serve("axolotl.core.trainers.ebft.kernels.fused_diversity_penalty", lambda n: [n(64, 8, 1024)]),
    "verl entropy": entropy(),
    **{f"verl gradients {method}": entropy(method) for method in (
        "_Total_Fuse_MN", "_Total_Separate", "_Split_Dlogits_N")},
    "verl blocks of eight bits": serve("verl.utils.kernel.fp8_kernel.scaled_fp8_blockwise_triton", lambda n: [
        n(4096, 4096), [128, 128]]),
    "ring": ring(False), "ring causal": ring(True, 128), "ring clamped": ring(True, bias=True),
    "ring gradients": ring(True, backward=True), "ring gradients full": ring(False, 128, backward=True),
    "nemo entropy": serve(f"{NEMO}.loss.triton.te_cross_entropy.cross_entropy_forward", lambda n: [
        n(4, 1024, 32768), whole(n, 32768, 4, 1024, dtype=torch.int64), 0.0, True, None, -100]),
    "nemo soft entropy": call(f"{NEMO}.loss.triton.soft_cross_entropy.fused_soft_cross_entropy", lambda n: [
        n(4, 1024, 32768), torch.rand(4, 1024, 32768, device=n.device).to(BF16), ones(n, 4, 1024, 1)]),
    "nemo adapter": serve(f"{ADAPTERS}.lora_forward_wrapper", lambda n: [
        n(8192, 4096), n(4096, 16), n(16, 4096), None, 2.0], dtype=BF16),
    "nemo gradients of adapters": serve(f"{ADAPTERS}.lora_da_dx_update_wrapper", lambda n: [
        n(4096, 8192), n(8192, 4096), n(4096, 16), n(16, 4096), 2.0], dtype=BF16),
    "nemo gradients of others": serve(f"{ADAPTERS}.lora_db_update_wrapper", lambda n: [
        n(16, 4096), n(4096, 8192), n(8192, 4096), 2.0], dtype=BF16),
    "nemo residuals": residual_mix,
    "nemo gate": serve(f"{NEMO}.models.kimi_k3.situ_triton.situ_fwd_triton", lambda n: [
        n(8192, 4096), torch.rand(8192, 1, device=n.device), 1.0, None]),
    "nemo delta attention": gradients_of_delta_attention,
}
