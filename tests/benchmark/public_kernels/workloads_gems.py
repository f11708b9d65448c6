"""Operations of FlagGems with matrix products: general, batched and quantized ones, attention, experts, convolutions."""
import importlib
import os
import sys
import types

import torch

os.environ.setdefault("GEMS_VENDOR", "nvidia")


class Memory(dict):
    """In place of the package's data base of measured configurations, which needs SQLAlchemy."""

    def __init__(self, *arguments, **options):
        super().__init__()

    def __getattr__(self, name):
        return lambda *arguments, **options: None


sys.modules.setdefault("flag_gems.utils.models", types.SimpleNamespace(PersistantModel=Memory, SQLPersistantModel=Memory))
import flag_gems  # noqa: E402
from flag_gems.utils.libentry import LibEntry  # noqa: E402

flag_gems.device = torch.empty(0, device="cuda").device.type  # the host's memory, where a GPU is pretended
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("flag_gems.") and getattr(module, "device", None) == "cuda":
        module.device = flag_gems.device
# It keeps compiled kernels and launches them itself.
LibEntry.run = lambda self, *args, **kwargs: (self.fn.run(*args, **kwargs), {})


def of(path):
    module, name = path.rsplit(".", 1)
    return getattr(importlib.import_module(f"flag_gems.{module}"), name)


def on_device(make):

    def run(device):
        torch.set_default_device(device)
        try:
            make()
        finally:
            torch.set_default_device(None)

    return run


def normal(*sizes, dtype=torch.bfloat16, scale=1.0):
    return (torch.randn(*sizes) * scale).to(dtype)


def fp8(*sizes):
    return torch.randn(*sizes).to(torch.float8_e4m3fn)


def mm(m, n, k, dtype=torch.bfloat16, transposed=False, path=None):

    def run():
        a = normal(m, k, dtype=dtype)
        b = normal(n, k, dtype=dtype).T if transposed else normal(k, n, dtype=dtype)
        (of(path) if path else flag_gems.mm)(a, b)

    return on_device(run)


def attention(head, causal, groups=1):

    def run():
        q = normal(4, 16, 2048, head).requires_grad_()
        k, v = (normal(4, 16 // groups, 2048, head).requires_grad_() for _ in range(2))
        out = of("ops.attention.scaled_dot_product_attention")(q, k, v, None, 0.0, causal, None, groups > 1)
        if groups == 1:
            out.backward(torch.randn_like(out))

    return on_device(run)


def flash(head, causal):
    run = lambda: of("ops.attention.flash_attention_forward")(
        *(normal(4, 2048, 16, head) for _ in range(3)), None, None, 2048, 2048, 0.0, causal, False)
    return on_device(run)


def grouped():
    ends = torch.tensor([1000, 2048, 2304, 4096], dtype=torch.int32)
    of("ops.group_gemm.group_mm")(normal(4096, 2048), normal(4, 2048, 2048), ends)


def blocks_of_fp8(path):

    def run():
        a, b = fp8(4096, 4096), fp8(4096, 4096)
        of(path)(a, b, torch.rand(4096, 32), torch.rand(32, 32), [128, 128], torch.bfloat16)

    return on_device(run)


def scaled_fp8():
    c = torch.empty(4096, 4096, dtype=torch.bfloat16)
    flag_gems.cutlass_scaled_mm(c, fp8(4096, 2048), fp8(4096, 2048).T, torch.rand(4096, 1), torch.rand(1, 4096))


def experts():
    tokens, wide, narrow, count = 4096, 2048, 1024, 16
    best = torch.rand(tokens, count).topk(4)
    flag_gems.fused_experts_impl(normal(tokens, wide), normal(count, 2 * narrow, wide, scale=0.02),
                                 normal(count, wide, narrow, scale=0.02), best.values, best.indices.to(torch.int32))


def latent_attention():
    batch, length, block = 64, 2048, 64
    pages = batch * length // block
    flag_gems.flash_mla(normal(batch, 1, 128, 576), torch.arange(pages, dtype=torch.int32).view(batch, -1),
                        normal(pages, block, 1, 576), length, block, batch, 1,
                        torch.full((batch, ), length - 7, dtype=torch.int32), 128, 1, 576, 512, True)


def sparse_latent_attention():
    queries, keys = 512, 4096
    flag_gems.flash_mla_sparse_fwd(normal(queries, 128, 576), normal(keys, 1, 576),
                                   torch.randint(0, keys, (queries, 1, 512), dtype=torch.int32), 0.05)


def sparse_attention():
    flag_gems.sparse_attn_triton(normal(1, 1024, 64, 128), normal(1, 2048, 128), torch.randn(64),
                                 torch.randint(0, 2048, (1, 1024, 512), dtype=torch.int32), 0.09)


def delta():
    shape = (4, 2048, 16)
    k = torch.nn.functional.normalize(torch.randn(*shape, 128), dim=-1).to(torch.bfloat16)
    gate = torch.nn.functional.logsigmoid(torch.randn(*shape) + 3)
    flag_gems.chunk_gated_delta_rule_fwd(k, k, normal(*shape, 128), gate, torch.rand(*shape).to(torch.bfloat16), 0.09,
                                         None, True, None)


WORKLOADS = {
    "mm": mm(4096, 4096, 4096),
    "mm transposed": mm(4096, 4096, 4096, transposed=True),
    "mm fp16": mm(8192, 2048, 4096, torch.float16),
    "mm fp32": mm(2048, 2048, 2048, torch.float32),
    "mm odd": mm(4001, 1999, 2047),
    "mm of any device": mm(4096, 4096, 4096, path="ops.mm.mm"),
    "mm of any device, odd": mm(4001, 1999, 2047, path="ops.mm.mm"),
    "bmm": on_device(lambda: flag_gems.bmm(normal(64, 1024, 1024), normal(64, 1024, 512))),
    "bmm fp32": on_device(lambda: flag_gems.bmm(*(normal(32, 1024, 512, dtype=torch.float32).transpose(1, 2)
                                                  if i else normal(32, 1024, 512, dtype=torch.float32)
                                                  for i in range(2)))),
    "addmm": on_device(lambda: flag_gems.addmm(normal(4096), normal(4096, 2048), normal(2048, 4096))),
    "baddbmm": on_device(lambda: flag_gems.baddbmm(normal(32, 1024, 1024), normal(32, 1024, 512),
                                                   normal(32, 512, 1024))),
    "attention 64": attention(64, False),
    "attention 64 causal": attention(64, True),
    "attention 128 causal": attention(128, True),
    "attention grouped": attention(128, True, 4),
    "flash 64": flash(64, True),
    "flash 128": flash(128, True),
    "flash 128 full": flash(128, False),
    "grouped mm": on_device(grouped),
    "fp8 in blocks": blocks_of_fp8("ops.w8a8_block_fp8_matmul.w8a8_block_fp8_matmul"),
    "fp8 scaled": on_device(scaled_fp8),
    "experts": on_device(experts),
    "latent attention": on_device(latent_attention),
    "sparse latent attention": on_device(sparse_latent_attention),
    "sparse attention": on_device(sparse_attention),
    "delta": on_device(delta),
    "conv2d": on_device(lambda: flag_gems.conv2d(normal(32, 128, 56, 56), normal(128, 128, 3, 3), None, 1, 1)),
    "conv3d": on_device(lambda: flag_gems.conv3d(normal(4, 64, 16, 28, 28), normal(64, 64, 3, 3, 3), None, 1, 1)),
}
