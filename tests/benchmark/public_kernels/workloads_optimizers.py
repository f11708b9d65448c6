"""Operations that train and serve language models: optimizers with what they keep in few bits, losses, norms and rotations of
speech models, keys and weights of few bits, recurrences of linear attention. Of aqlm, auto-gptq, bf16-fused-adam,
crossentropy-triton, flashoptim, gptq-triton, lion-pytorch, omnivoice-triton, onebitllms, optimi, quack, qwen3-tts-triton,
rwkv-ops, triton-muon-adamw, trl and unsloth-zoo."""
import contextlib
import functools
import importlib
import importlib.abc
import importlib.util
import math
import os
import sys
import types
from pathlib import Path
from unittest import mock

import bare
import torch
from bare import of
from operations import both_passes, call, maker, serve, whole

bare.bare("aqlm", "auto_gptq", "bf16_fused_adam", "gptq_triton", "omnivoice_triton", "quack", "qwen3_tts_triton", "trl",
          "unsloth_zoo")
bare.stub("keras")
bare.stub("keras.src.backend.torch.core", cast=lambda x, dtype: x.to(getattr(torch, dtype)))
bare.stub("keras.src.backend.torch.numpy", transpose=lambda x, axes: x.permute(axes))
bare.stub("transformers", "pandas")
bare.stub("transformers.utils", is_triton_available=lambda: True)
bare.stub("trl.trainer")
bare.stub("trl.trainer.utils", maybe_gather_lm_head_ctx=lambda *parameters: contextlib.nullcontext())
bare.stub("qwen3_tts_triton.kernels.turboquant", pack_3bit=lambda x: x, pack_4bit=lambda x: x)
bare.stub("quack.cross_entropy", "quack.epilogue", "quack.gemm_interface", "quack.linear", "quack.operand_transform")
bare.stub("unsloth_zoo.temporary_patches.common", TEMPORARY_PATCHES=[])
bare.stub("unsloth_zoo.temporary_patches.moe_ready_epoch", "unsloth_zoo.temporary_patches.moe_grouped_modulelist",
          "unsloth_zoo.temporary_patches.moe_utils")


class There(importlib.abc.MetaPathFinder):
    """Finds modules of unsloth-zoo, also where others take all of it for a stub."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("unsloth_zoo."):
            return None
        for folder in sys.path:
            if (file := Path(folder, *name.split(".")).with_suffix(".py")).exists():
                return importlib.util.spec_from_file_location(name, file)
        return None


sys.meta_path.insert(0, There())
FP16, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32


def targets(n, rows, count):
    return whole(n, count, rows, dtype=torch.int64)


def uniform(n, *sizes, dtype=FP32):
    return torch.rand(*sizes, device=n.device).to(dtype)


# Optimizers

PARAMETERS = 4096, 4096


def optimized(path, *sizes, dtype=FP32, steps=1, scale=0.02, **options):
    """Steps of an optimizer."""
    shape = sizes or PARAMETERS

    def run(device):
        parameter = torch.nn.Parameter((torch.randn(*shape, device=device) * scale).to(dtype))
        optimizer = of(path)([parameter], **options)
        parameter.grad = (torch.randn(*shape, device=device) * scale).to(dtype)
        for _ in range(steps):
            optimizer.step()

    return run


def optimi(name, **options):
    return optimized(f"optimi.{name}", triton=True, lr=1e-3, weight_decay=options.pop("weight_decay", 0.01), **options)


def flash(name, dtype=BF16, **options):
    return optimized(f"flashoptim.{name}", dtype=dtype, steps=2, **options)


def corrected(bytewidth, dtype=BF16):
    """Weights, and the bits that their narrow ones lack."""

    def run(device):
        wide = torch.randn(*PARAMETERS, device=device) * 0.02
        narrow = wide.to(dtype)
        bits = of("flashoptim.compute_ecc_bits")(wide, narrow, bytewidth)
        of("flashoptim.reconstruct_fp32_param")(narrow, bits)

    return run


def quantized_state(**options):

    def run(device):
        x = torch.randn(*PARAMETERS, device=device)
        x = x if options.get("signed", True) else x.abs()
        of("flashoptim.optimizers.dequantize")(*of("flashoptim.optimizers.quantize")(x, **options), **options)

    return run


def muon(rows, columns, dtype=FP32):

    def run(device):
        make = lambda *sizes: torch.nn.Parameter((torch.randn(*sizes, device=device) * 0.02).to(dtype))
        matrix, embedding = make(rows, columns), make(32000, 2048)
        config = of("triton_muon_adamw.MuonConfig")(ns_steps=2)
        optimizer = of("triton_muon_adamw.MuonAdamW")({"muon": [matrix], "adam": [embedding]}, muon_config=config,
                                                      parameter_split="explicit")
        for one in (matrix, embedding):
            one.grad = torch.randn_like(one) * 0.02
        optimizer.step()

    return run


def lion(dtype):
    return serve("lion_pytorch.triton.update_fn", lambda n: [
        *(n(*PARAMETERS, dtype=dtype) for _ in range(3)), 1e-4, 1e-2, 0.9, 0.99])


def halves(device):
    """Two narrow numbers for each wide one, and back."""
    high, low = of("bf16_fused_adam.triton_ops.bit_split")(torch.randn(*PARAMETERS, device=device))
    of("bf16_fused_adam.triton_ops.bit_concat")(high, low)


# Losses

def labeled(dtype, rows=2048, classes=32000):
    """Its backward multiplies in place what the forward left."""

    def run(device):
        logits = torch.randn(2, rows, classes, device=device).to(dtype).requires_grad_()
        labels = torch.randint(0, classes, (2, rows), device=device)
        (of("crossentropy_triton.CrossEntropyFunction").apply(logits, labels, -100) * 0.5).backward()

    return run


def log_probabilities(rows=4096, classes=32768, mask=False, **options):

    def make(n):
        return [n(4, rows // 4, classes), targets(n, rows, classes).view(4, -1), 0.9,
                (torch.rand(4, rows // 4, device=n.device) < 0.9) if mask else None]

    def run(device):
        n = lambda *sizes: torch.randn(*sizes, device=device, dtype=BF16).requires_grad_()
        n.device = device
        logs, entropies = of("trl.kernels.logprob_entropy.selective_log_softmax_and_entropy")(*make(n))
        (logs.mean() + entropies.mean()).backward()

    return run


def portable(run):
    """On a host there is no product of narrow numbers with wide results."""

    def patched(device):
        with contextlib.ExitStack() as stack:
            for name in ("logprob", "divergence") if device == "cpu" else ():
                module = importlib.import_module(f"trl.kernels.chunked_{name}")
                stack.enter_context(mock.patch.object(module, "_MM_OUT_DTYPE", False))
            run(device)

    return patched


def chunked(rows=4096, width=128, classes=32768, softcap=None, bias=False):

    @portable
    def run(device):
        n = lambda *sizes: (torch.randn(*sizes, device=device) * 0.1).to(BF16).requires_grad_()
        results = of("trl.kernels.chunked_logprob.ChunkedLogProbFunction").apply(
            n(rows, width), n(classes, width), n(classes) if bias else None, torch.randint(0, classes, (rows, ), device=device),
            0.9, 16384, softcap, 1.0)
        (results[0].mean() + results[1].mean()).backward()

    return run


def divergence(beta, rows=2048, width=128, classes=32768, softcap=None):

    @portable
    def run(device):
        n = lambda *sizes: (torch.randn(*sizes, device=device) * 0.1).to(BF16).requires_grad_()
        student, weight = n(rows, width), n(classes, width)
        with torch.no_grad():
            teacher, known = n(rows, width).detach(), n(classes, width).detach()
        results = of("trl.kernels.chunked_divergence.ChunkedDivergenceFunction").apply(
            student, weight, None, teacher, known, None, beta, 0.9, 1.0, softcap, 1.0, softcap)
        results[0].mean().backward()

    return run


def glued(scale, rows=4096, width=4096, classes=32768, tile=256):
    """What is between products of a loss, of a tile's exponents, sums and the chosen logits."""

    def make(n):
        return [whole(n, 8, rows, classes // tile).float(), uniform(n, rows, classes // tile) * 100 + 1, n(rows, width),
                targets(n, rows, classes), n(rows, dtype=FP32), n(rows, classes), torch.zeros(rows, device=n.device),
                torch.zeros(classes // 64, rows, device=n.device, dtype=BF16), torch.zeros(rows, device=n.device),
                torch.zeros(rows, width, device=n.device, dtype=BF16), tile, -100,
                torch.full((), 1 / rows, device=n.device) if scale else None]

    return serve("quack.linear_cross_entropy.lce_glue", make)


# Speech

TTS, VOICE = "qwen3_tts_triton.kernels", "omnivoice_triton.kernels"


def rotated(n, batch=4, length=2048, heads=16, groups=8, size=128, dtype=BF16):
    angles = torch.rand(3, batch, length, size, device=n.device) * 6.0
    return [n(batch, heads, length, size, dtype=dtype), n(batch, groups, length, size, dtype=dtype), angles.cos().to(dtype),
            angles.sin().to(dtype), [24, 20, 20]]


def rotations(n, heads=8, size=128):
    return n(heads, size, size, dtype=FP32, scale=size**-0.5)


def few_bits(bits, length=2048, heads=8, size=128):

    def run(device):
        n = lambda *sizes, dtype=BF16, scale=1.0: (torch.randn(*sizes, device=device) * scale).to(dtype)
        levels = torch.linspace(-2.5, 2.5, 2**bits, device=device)
        n.device = device
        turn = rotations(n)
        of(f"{TTS}.fused_dequant.triton_fused_quant")(n(2, heads, length, size), turn, (levels[1:] + levels[:-1]) / 2, bits)
        packed = whole(n, 256, 2, heads, length, size * bits // 8, dtype=torch.uint8)
        of(f"{TTS}.fused_dequant.triton_fused_dequant")(packed, uniform(n, 2, heads, length, 1, dtype=BF16), turn, levels, size,
                                                        bits)

    return run


# Weights of few bits

ROWS = 4096


def untuned(path):
    """With a package's own tuner, which goes on with a configuration that takes some memory and not too much."""

    def taken(tuner, *arguments, config, **options):
        sizes = config.kwargs
        took = config.num_stages * sizes["BLOCK_SIZE_K"] * (sizes["BLOCK_SIZE_M"] + sizes["BLOCK_SIZE_N"]) * 2
        return (abs(took - 65536), ) * 3

    def decorate(run):

        def patched(device):
            with mock.patch.object(of(path), "_bench", taken):
                run(device)

        return patched

    return decorate


def gptq(n, inputs=4096, outputs=4096, group=128):
    return [whole(n, 1 << 30, inputs // 8, outputs), uniform(n, inputs // group, outputs, dtype=FP16) * 0.01,
            whole(n, 1 << 30, inputs // group, outputs // 8)]


def order_of(n, inputs=4096, group=128):
    return torch.arange(inputs, device=n.device, dtype=torch.int32) // group


GPTQ = "auto_gptq.nn_modules.triton_utils"
gptq_tuned = untuned(f"{GPTQ}.custom_autotune.CustomizedTritonAutoTuner")
older_tuned = untuned("gptq_triton.custom_autotune.Autotuner")


def gptq_llama(n, rows, inputs, outputs, group):
    return [group, n(rows, inputs, dtype=FP16), *gptq(n, inputs, outputs, group), *gptq(n, inputs, outputs, group)]


@gptq_tuned
def gptq_mlp(device):
    n = lambda *sizes: torch.randn(*sizes, device=device, dtype=FP16)
    n.device = device

    def layer():
        weights, scales, zeros = gptq(n, 4096, 11008)
        return types.SimpleNamespace(qweight=weights, scales=scales, qzeros=zeros, g_idx=order_of(n), infeatures=4096,
                                     outfeatures=11008, bits=4, maxq=15)

    gate, up = layer(), layer()
    given = types.SimpleNamespace(gate_proj=gate, up_proj=up, intermediate_size=11008, bits=4, maxq=15)
    of("auto_gptq.nn_modules.fused_llama_mlp.FusedLlamaMLPForQuantizedModel").triton_llama_mlp(given, n(512, 4096))


def aqlm(books, bits, outputs=4096, inputs=4096, rows=2, tall=1, bias=False, wide=True):

    def make(n):
        kind = torch.int8 if bits == 8 else torch.int16
        codes = torch.randint(-(1 << bits - 1), 1 << bits - 1, (outputs // tall, inputs // 8, books), device=n.device).to(kind)
        return [n(rows, inputs, dtype=FP16), codes, n(books, 1 << bits, tall, 8, dtype=FP16),
                n(outputs // tall, 1, 1, 1, dtype=FP16), n(outputs, dtype=FP16) if bias else None, wide]

    return serve("aqlm.inference_kernels.triton_kernel.triton_matmul", make)


# Recurrences

RWKV = "rwkv_ops"


class Sequences:
    """Tensors of sequences, which take part in the backward pass."""

    def __init__(self, device, batch=8, length=512, heads=16, size=64, chunk=16, dtype=BF16, backward=True):
        self.device, self.shape, self.size, self.chunk = device, (batch, length, heads), size, chunk
        self.dtype, self.backward = dtype, backward

    def leaf(self, x, dtype=None):
        return x.to(dtype or self.dtype).requires_grad_(self.backward)

    def normal(self, scale=1.0):
        return self.leaf(torch.randn(*self.shape, self.size, device=self.device) * scale)

    def share(self):
        return self.leaf(torch.rand(*self.shape, device=self.device), FP32)

    def decay(self):
        return self.leaf(-torch.rand(*self.shape, device=self.device), FP32)

    def state(self):
        batch, _, heads = self.shape
        return self.leaf(torch.randn(batch, heads, self.size, self.size, device=self.device) * 0.1, FP32)

    def most(self):
        """What the state is held below at the ends of chunks."""
        batch, length, heads = self.shape
        return self.leaf(torch.rand(batch, length // self.chunk, heads, device=self.device) + 2.0, FP32)

    def ends(self):
        batch, length, _ = self.shape
        return (torch.rand(batch, length // self.chunk, device=self.device) < 0.5).float()


def rwkv7(held=False, mask=False, **options):

    def run(device):
        n = Sequences(device, **options)
        direction = torch.nn.functional.normalize(torch.randn(*n.shape, n.size, device=device), dim=-1)
        given = [n.normal(), n.leaf(torch.randn(*n.shape, n.size, device=device) - 3.0), n.normal(), n.normal(),
                 n.leaf(-direction), n.leaf(direction * 0.5)]
        rest = {"initial_state": n.state(), "chunk_size": n.chunk}
        if held:
            name = "rwkv7_sane_kernel.torch_triton_kernel.generalized_delta_rule_sane"
            given.append(n.most())
            rest["mask"] = n.ends() if mask else None
        else:
            name = "rwkv7_kernel.torch_triton_kernel.generalized_delta_rule"
            rest["mask"] = (torch.rand(n.shape[:2], device=device) < 0.9).float() if mask else None
        both_passes(lambda: of(f"{RWKV}.{name}")(*given, **rest))

    return run


def delta(name, gated=False, held=False, mask=False, final=True, **options):
    """The delta rule, by steps or by chunks."""
    kind = name.split(".")[-1]

    def run(device):
        n = Sequences(device, backward="inference" not in name, **options)
        given = [n.normal(), n.normal(), n.normal(), *([n.decay()] if gated else []), n.share()]
        rest = {"initial_state": n.state(), "output_final_state": final, "chunk_size": n.chunk}
        if held:
            given.append(n.most())
            rest["mask"] = n.ends() if mask else None
        function = of(f"{RWKV}.{name.split('.')[0]}.torch_triton_kernel.{kind}")
        both_passes(lambda: function(*given, **rest)) if n.backward else function(*given, **rest)

    return run


def step(name, gated=False, held=False, batch=128, heads=16, size=128):
    """One token's."""

    def run(device):
        n = maker(device)
        given = [n(batch, heads, size), n(batch, heads, size), n(batch, heads, size),
                 *([-uniform(n, batch, heads)] if gated else []), uniform(n, batch, heads)]
        given += [uniform(n, batch, heads) + 2.0, (uniform(n, batch) < 0.5).float()] if held else []
        folder, kind = name.split(".")
        of(f"{RWKV}.{folder}.torch_triton_kernel.{kind}")(*given, initial_state=n(batch, heads, size, size, dtype=FP32))

    return run


def streams(device, batch=4, length=2048, count=4, width=2048):
    """Several streams of numbers, which a layer's input gathers and to which its output goes."""
    n = maker(device, True)
    x, mixed, gathered = n(batch, length, count, width), n(batch, length, count, count, dtype=FP32), n(
        batch, length, count, dtype=FP32)
    both_passes(lambda: of(f"{RWKV}.mhc_kernel.torch_triton_op.mhc_pre_op.mhc_pre_op_fused")(x, mixed, gathered))
    both_passes(lambda: of(f"{RWKV}.mhc_kernel.torch_triton_op.mhc_post_op.mhc_post_op")(
        n(batch, length, width), x, gathered, mixed))


# Experts and losses of unsloth-zoo

ZOO, PATCHES = "unsloth_zoo", "unsloth_zoo.temporary_patches"
LOSS, ROUTED, HALVES = f"{ZOO}.fused_losses.fused_linear", f"{PATCHES}.moe_routed", f"{PATCHES}.moe_grouped_fp16"


def bits(n, *sizes):
    return whole(n, 256, *sizes, dtype=torch.uint8)


def nf4(n, rows, columns, experts=16, nested=True, bias=False):
    """Weights of experts in four bits, and scales, which have scales."""
    blocks = experts * rows * columns // 64
    scales = uniform(n, 1 if nested else blocks) * 0.01
    return {
        "w": bits(n, experts * rows * columns // 2), "a": bits(n, blocks) if nested else scales,
        "a2": uniform(n, -(-blocks // 256)) if nested else scales, "c2": uniform(n, 256) * 0.05 if nested else scales,
        "off": scales, "lut": torch.linspace(-1, 1, 16, device=n.device),
        "bias": n(experts, rows, dtype=FP32) if bias else None, "bias_kind": 4 if bias else 0, "N": rows, "K": columns,
        "blocksize": 64, "blocksize2": 256, "nested": nested, "stacked": True}


def apart(n, rows, columns, experts=16):
    """The same, with each expert's in its own place, of which there are addresses."""
    each = [nf4(n, rows, columns, 1) for _ in range(experts)]
    table = {name: torch.tensor([one[name].data_ptr() for one in each], device=n.device) for name in ("w", "a", "a2", "c2")}
    return {**each[0], **table, "off": torch.cat([one["off"] for one in each]), "stacked": False, "each": each}


def routed(device, tokens=8, chosen=4, experts=16, width=2880, inner=2880, rank=0, act=0, together=True, bias=True,
           nested=True, interleaved=True):
    """A few tokens' experts of four bits: up, and down and summed."""
    n = maker(device)
    make = (lambda rows, columns: nf4(n, rows, columns, experts, nested, bias)) if together else (
        lambda rows, columns: apart(n, rows, columns, experts))
    slots = tokens * chosen
    choice = whole(n, experts, slots, dtype=torch.int64)
    adapter = lambda outputs: (n(experts, outputs, rank), n(slots, rank, dtype=FP32), 2.0) if rank else None
    up, down = make(2 * inner, width), make(width, inner)
    of(f"{ROUTED}.routed_gate_up")(n(tokens, width), choice, up, chosen, 1.702, 7.0, adapter(2 * inner), act, interleaved)
    of(f"{ROUTED}.routed_down")(n(slots, inner, dtype=FP32), choice, uniform(n, tokens, chosen), False, down, chosen, BF16,
                                adapter(width))


def adapted(device, tokens=16, chosen=4, experts=32, width=2880, outputs=5760, rank=16):
    """Adapters of tokens' experts."""
    n = maker(device)
    slots = tokens * chosen
    choice = whole(n, experts, slots, dtype=torch.int64)
    x, first, second = n(tokens, width), n(experts, width, rank), n(experts, rank, outputs)
    of(f"{ROUTED}.routed_lora_add")(n(slots, outputs), x, choice, [(first, second, 2.0), (first, second, 1.0)], chosen)
    of(f"{ROUTED}.routed_lora_h")(x, choice, [n(rank, width) for _ in range(experts)], chosen)
    of(f"{ROUTED}.nf4_select_dequant")(nf4(n, outputs, width), torch.randperm(16, device=device)[:8], BF16)
    of(f"{ROUTED}.nf4_select_dequant")(nf4(n, outputs, width, nested=False), torch.randperm(16, device=device)[:8], FP16)


def bf16_experts(rank=0, tokens=16, act=1):

    def run(device, chosen=4, experts=32, width=2880, inner=2880):
        n = maker(device)
        choice = whole(n, experts, tokens * chosen, dtype=torch.int64)
        adapter = lambda inputs, outputs: {
            "lora_a": n(experts, inputs, rank, scale=0.02), "lora_b": n(experts, rank, outputs), "scaling": 2.0} if rank else {}
        inside = of(f"{ROUTED}.routed_bf16_gate_up_act")(
            n(tokens, width), choice, n(experts, width, 2 * inner, scale=0.02), n(experts, 2 * inner), top_k=chosen, act=act,
            interleaved=act == 0, **adapter(width, 2 * inner))
        of(f"{ROUTED}.routed_bf16_down_sum")(torch.randn_like(inside).to(BF16), choice, uniform(n, tokens, chosen),
                                             n(experts, inner, width, scale=0.02), n(experts, width), top_k=chosen,
                                             **adapter(inner, width))

    return run


def counts_of(n, experts, rows):
    """How many of the rows experts have, all of them together."""
    some = torch.arange(experts) % 3 + 1
    some = some * (rows // int(some.sum()))
    some[-1] += rows - some.sum()
    return some.to(torch.int32).to(n.device)


def ends_of(n, experts, rows):
    return counts_of(n, experts, rows).cumsum(0).to(torch.int32)


def halves_of(kind, rows=4096, experts=16, width=2048, outputs=1536):
    """Products of rows with their experts' matrices."""

    def run(device):
        n = maker(device)
        counts, bias = counts_of(n, experts, rows), n(experts, outputs, dtype=FP32)
        x, weights = n(rows, width, dtype=FP32), n(experts, outputs, width, dtype=FP16, scale=0.02)
        gemm = of(f"{HALVES}.grouped_gemm")
        if kind == "halves":
            gemm(x.half(), weights, counts, FP16, b_trans=True, backend="triton", bias=bias)
            of(f"{HALVES}.grouped_wgrad")(n(rows, outputs, dtype=FP16), x.half(), counts, FP32, backend="triton")
        elif kind == "narrowed":
            gemm(x, weights, counts, FP32, b_trans=True, backend="triton", a_mode=1,
                 row_scale=of(f"{HALVES}.row_pow2_scale")(x), bias=bias)
        elif kind == "split":
            gemm(x, weights, counts, FP32, b_trans=True, backend="triton", a_mode=2)
        else:
            ends, one = ends_of(n, experts, rows), n(rows, width)
            of(f"{HALVES}.generic_grouped_mm")(one, n(experts, width, outputs, scale=0.02), ends)
            of(f"{HALVES}.generic_grouped_wgrad")(one, n(rows, outputs), ends, experts)

    return run


def grouped_nf4(rows, turned=False, nested=True, dtype=BF16, experts=16, width=2048, outputs=1536):

    def run(device):
        n = maker(device)
        t = nf4(n, width, outputs, experts, nested)
        of(f"{PATCHES}.moe_nf4_grouped._launch")(
            n(rows, width, dtype=dtype), t["w"], t["a"], t["c2"], t["a2"], t["off"], t["lut"], ends_of(n, experts, rows), width,
            outputs, *((1, width) if turned else (outputs, 1)), 64, 256, nested, dtype)

    return run


def stacked_nf4(device):
    n = maker(device)
    of(f"{PATCHES}.gpt_oss_grouped_qlora.nf4_dequant_expert_stack")(apart(n, 5760, 2880), BF16)


def mxfp4(n, *shape):
    """Blocks of 32, and their powers of two."""
    *rows, columns = shape
    return [bits(n, *rows, columns // 32, 16), whole(n, 8, *rows, columns // 32, dtype=torch.uint8) + 118]


def decoded_mxfp4(turned, dtype=BF16, exact=False):

    def run(device):
        n = maker(device)
        with mock.patch.dict(os.environ, UNSLOTH_MXFP4_EXACT_ROUND="1" if exact else "0"):
            of(f"{ZOO}.mxfp4_dequant._kernel_dequantize")(*mxfp4(n, 8, 5760, 2880), dtype, turned, None, None, None)

    return run


def asm(run, yes):
    """With or without instructions of the machine in the kernels."""

    def patched(device):
        with mock.patch.object(importlib.import_module(f"{ZOO}.mxfp4_gemm"), "_asm_ok", lambda *arguments, **options: yes):
            run(device)

    return patched


def grouped_mxfp4(rows, yes=True, turned=True, experts=16, width=2880, outputs=5760):
    return asm(serve(f"{ZOO}.mxfp4_gemm.mxfp4_grouped_mm", lambda n: [
        n(rows, width if turned else outputs), *mxfp4(n, experts, outputs, width), counts_of(n, experts, rows), turned]), yes)


def dense_mxfp4(rows, yes=True, turned=False, bias=True, outputs=4096, width=4096):
    return asm(serve(f"{ZOO}.mxfp4_gemm.mxfp4_matmul", lambda n: [
        n(rows, outputs if turned else width), *mxfp4(n, outputs, width), turned, None,
        n(width if turned else outputs) if bias else None]), yes)


def chosen_experts(rows, experts, top, mode, dtype=FP32, **options):

    def make(n):
        bias = {"bias": n(experts, dtype=FP32).detach()} if mode == "sigmoid" else {}
        router = functools.partial(of(f"{PATCHES}.moe_router_triton.moe_router"), **bias, **options)
        return [router, n(rows, experts, dtype=dtype), top, mode]

    return call(f"{__name__}.applied", make)


def applied(function, *arguments):
    return function(*arguments)


def sorted_tokens(tokens, experts, chosen):
    return serve(f"{PATCHES}.moe_routing_triton._launch", lambda n: [
        torch.rand(tokens, experts, device=n.device).topk(chosen).indices, experts])


def gated_experts(act, interleaved, dtype=BF16, rows=8192, inner=2880):
    return call(f"{PATCHES}.moe_fused_swiglu.moe_fused_swiglu", lambda n: [n(rows, 2 * inner, dtype=dtype), act, interleaved])


def combined(dtype, tokens=4096, chosen=4, width=2880):
    """Sums of what tokens' experts made, and the gradients."""

    def make(n):
        return [n(tokens * chosen, width, dtype=dtype), torch.randperm(tokens * chosen, device=n.device),
                n(tokens * chosen, dtype=FP32), tokens, chosen]

    return call(f"{PATCHES}.moe_triton_kernels.weighted_unpermute", make)


def decoded_nf4(nested, dtype=BF16, rows=4096, columns=14336):

    def run(device):
        n = maker(device)
        t = nf4(n, rows, columns, 1, nested)
        state = types.SimpleNamespace(
            quant_type="nf4", blocksize=64, code=t["lut"], absmax=t["a"], nested=nested, shape=(rows, columns), dtype=dtype,
            offset=t["off"], state2=types.SimpleNamespace(code=t["c2"], absmax=t["a2"], blocksize=256))
        of(f"{PATCHES}.moe_triton_kernels.nf4_dequant_triton")(t["w"], state)

    return run


def on_first(run):
    """Where the GPU is a pretended one, tensors are on that one."""

    def patched(device):
        with contextlib.ExitStack() as stack:
            if device == "cpu":
                stack.enter_context(mock.patch.object(torch._C, "_cuda_getDevice", lambda: -1, create=True))
            run(device)

    return patched


def convolved(documents=False, bias=True, act="silu", batch=4, length=2048, width=8192, dtype=BF16):

    @on_first
    def run(device):
        n = maker(device, True)
        x = torch.randn(batch, length, width, device=device, dtype=dtype).requires_grad_()
        ids = (torch.arange(length, device=device, dtype=torch.int32) // 700).repeat(batch, 1) if documents else None
        both_passes(lambda: of(f"{PATCHES}.gdn_causal_conv1d._CausalConv1dFunction").apply(
            x.transpose(1, 2), n(width, 4, dtype=dtype), n(width, dtype=dtype) if bias else None, act, ids))

    return run


@on_first
def convolved_token(device, batch=256, width=8192):
    n = maker(device)
    of(f"{PATCHES}.gdn_causal_conv1d.triton_causal_conv1d_update")(
        n(batch, width, 1), n(batch, width, 4), n(width, 4), n(width), "silu")


def replayed(device, batch=128, heads=16, groups=32, size=128, length=16):
    """A token of the gated delta rule, of which the last ones' keys and values are kept."""
    n = maker(device)
    of(f"{ZOO}._vendored.vllm.gdn_replayssm_decode.fused_recurrent_gated_delta_rule_replayssm")(
        n(batch, (2 * heads + groups) * size), n(batch, groups), n(batch, groups), n(groups, dtype=FP32), n(groups, dtype=FP32),
        size**-0.5, n(batch + 1, groups, size, size), n(batch + 1, groups, length, size), n(batch + 1, heads, length, size),
        -uniform(n, batch + 1, groups, length), torch.zeros(batch, 1, groups, size, device=device, dtype=BF16),
        torch.arange(batch, device=device, dtype=torch.int32) + 1, whole(n, length, batch),
        whole(n, 2, batch, dtype=torch.int8), True)


def merged(device, rows=4096, columns=4096, rank=16):
    """An adapter added to weights and taken away once more, with what that loses."""
    n = maker(device)
    target = of(f"{ZOO}.merged_rollout_exact.ExactFoldTarget")(
        n(1, rows, columns, scale=0.02), n(1, rank, columns, scale=0.02), n(1, rows, rank, scale=0.02), 0.5)
    count = math.prod(target.grid())
    target.counts = torch.zeros(count, device=device, dtype=torch.int32)
    target.checksum = torch.zeros(1, device=device, dtype=torch.int64)
    target.launch(0)
    # Places where each block's might go, however many it has.
    offsets = torch.arange(count, device=device) * (rows * columns // count)
    target.launch(1, offsets, torch.zeros(rows * columns, device=device, dtype=torch.int32),
                  torch.zeros(rows * columns, device=device, dtype=BF16))
    target.launch(2)


def row_loss(classes, rows=2048, dtype=BF16, wants=(True, False, False, False), bias=False, exact=False, cap=0.0):
    """Losses of rows of logits and their gradients, which take the logits' place."""

    def run(device):
        n = maker(device)
        x = n(rows, classes, dtype=dtype)
        of(f"{LOSS}._row_forward")(
            x.device, x, x, targets(n, rows, classes), n(classes) if bias else None, n(rows, dtype=FP32) if exact else None,
            torch.full((), 1e-3, device=device), (1.1, 0.9 if cap else 1.0, cap, 1.0, 0.0), wants, True)

    return run


def row_gradient(classes=32768, rows=2048, entropy=True, tops=False):

    def run(device):
        n = maker(device)
        x, label = n(rows, classes), targets(n, rows, classes)
        high = x.float().view(rows, classes // 128, 128).topk(2).values.flatten(1) if tops else None
        of(f"{LOSS}._row_backward")(
            x.device, x, torch.zeros_like(x), label, None, uniform(n, rows) + 11.0, -uniform(n, rows) - 5.0,
            uniform(n, rows) * 5.0, n(rows, dtype=FP32), n(rows, dtype=FP32) if entropy else None, (1.0, 1.0, 0.0), 0, classes,
            block_top=high)

    return run


def tiled_loss(flash, tops=False, classes=65536, rows=4096, width=1024, wants=(True, True, True, True), cap=0.0):
    """The same without all logits at a time, and the gradient of what they are made of."""

    def run(device):
        module = importlib.import_module(LOSS)
        n = maker(device)
        hidden, weights = n(rows, width), n(classes, width, scale=0.02)
        outs = {name: torch.zeros(rows, device=device) for name in ("logp", "lse", "ent", "sum", "lssp")}
        outs["top1"] = torch.zeros(rows, device=device, dtype=torch.bool)
        with contextlib.ExitStack() as stack:
            if device == "cpu":
                stack.enter_context(mock.patch.object(module, "_logits_into", lambda x, w, out, wide: out))
                stack.enter_context(mock.patch.object(module, "_dz_w_acc", lambda *arguments: None))
            module._tiled_forward(
                hidden.device, hidden, torch.arange(rows, device=device), rows, weights, None, targets(n, rows, classes), False,
                (1.0, 1.0, cap), wants, True, BF16, outs, 1024,
                torch.zeros(rows, classes // 64, device=device) if tops else None,
                torch.zeros(rows, width, device=device, dtype=BF16) if flash else None, 8.0,
                torch.full((), 0.5, device=device) if flash else None)

    return run


def divergence_of_rows(beta, rows=1024, classes=32768, cap=0.0):
    return serve(f"{LOSS}._jsd_triton", lambda n: [
        n(rows, classes, dtype=FP32), n(rows, classes, dtype=FP32), torch.full((), 0.5, device=n.device), beta, 1.0, 1.0, cap,
        1.0, cap, True, BF16])


def scaled_rows(device):
    n = maker(device)
    for scales in (n(8192, dtype=FP32), n(1, dtype=FP32)):
        of(f"{LOSS}._scale_rows_impl")(n(8192, 4096), scales, BF16)


WORKLOADS = {
    **{f"{name.lower()} of optimi": optimi(name, **options) for name, options in (
        ("Adam", {}), ("AdamW", {}), ("Adan", {}), ("Lion", {}), ("RAdam", {"steps": 7}), ("Ranger", {"steps": 7}),
        ("SGD", {"momentum": 0.9}),
        ("StableAdamW", {}))},
    **{f"{name.lower()} of optimi with sums of what is lost": optimi(name, dtype=BF16, **options) for name, options in (
        ("Adam", {"decouple_lr": True, "weight_decay": 1e-5}), ("Adan", {"kahan_sum": True, "adam_wd": True}), ("Lion", {}),
        ("RAdam", {"decouple_wd": True, "steps": 7}), ("Ranger", {"k": 7, "steps": 7}),
        ("SGD", {"momentum": 0.9, "decouple_wd": True}), ("StableAdamW", {}))},
    "adam of optimi of narrow numbers": optimi("Adam", dtype=FP16, kahan_sum=False, weight_decay=0.0),
    "sgd of optimi without momentum": optimi("SGD", dtype=BF16, weight_decay=0.0),
    "adam of flashoptim": flash("FlashAdam"),
    "adamw of flashoptim with longer weights": flash("FlashAdamW", master_weight_bits=32),
    "adamw of flashoptim of wide numbers": flash("FlashAdamW", dtype=FP32, quantize=False, master_weight_bits=None),
    "adamw of flashoptim of f16": flash("FlashAdamW", dtype=FP16, master_weight_bits=24),
    "lion of flashoptim": flash("FlashLion"),
    "lion of flashoptim of wide numbers": flash("FlashLion", dtype=FP32, master_weight_bits=None),
    "sgd of flashoptim": flash("FlashSGD", momentum=0.9, nesterov=True),
    "sgdw of flashoptim": flash("FlashSGDW", momentum=0.9, weight_decay=0.01, quantize=False),
    "bits of errors": corrected(3),
    "more bits of errors": corrected(4),
    "quantized momenta": quantized_state(),
    "quantized squares": quantized_state(signed=False, sqrt=True, softsign=False),
    "muon and adamw": muon(2048, 4096),
    "muon of a tall matrix": muon(5632, 2048),
    "lion": lion(FP32),
    "lion of narrow numbers": lion(BF16),
    "halves of numbers": halves,
    "loss of labels": labeled(BF16),
    "loss of labels of wide numbers": labeled(FP32, 1024, 50257),
    "probabilities and entropies": log_probabilities(),
    "probabilities and entropies of some": log_probabilities(mask=True, classes=50257),
    "probabilities by chunks": chunked(),
    "probabilities by chunks, soft and biased": chunked(softcap=30.0, bias=True),
    "divergence": divergence(0.0),
    "divergence the other way": divergence(1.0, softcap=30.0),
    "divergence both ways": divergence(0.5),
    "between products of a loss": glued(False),
    "between products of a mean loss": glued(True),
    "speech: rms norm": serve(f"{TTS}.rms_norm.triton_rms_norm", lambda n: [n(ROWS, 2048), n(2048)]),
    "speech: rms norm of sums": serve(f"{TTS}.fused_norm_residual.triton_fused_add_rms_norm", lambda n: [
        n(ROWS, 2048), n(ROWS, 2048), n(2048)]),
    "speech: swiglu": serve(f"{TTS}.swiglu.triton_swiglu_forward", lambda n: [n(ROWS, 6144), n(ROWS, 6144)]),
    "speech: rotations": serve(f"{TTS}.rope.triton_mrope_forward", rotated),
    "speech: keys of four bits": few_bits(4),
    "speech: keys of three bits": few_bits(3),
    "voice: rms norm": serve(f"{VOICE}.rms_norm.triton_rms_norm", lambda n: [
        n(2 * ROWS, 1024, dtype=FP16), n(1024, dtype=FP16)]),
    "voice: rms norm of sums": serve(f"{VOICE}.fused_norm_residual.triton_fused_add_rms_norm", lambda n: [
        n(2 * ROWS, 1024, dtype=FP16), n(2 * ROWS, 1024, dtype=FP16), n(1024, dtype=FP16)]),
    "voice: swiglu": serve(f"{VOICE}.swiglu.triton_swiglu_forward", lambda n: [
        n(2 * ROWS, 3072, dtype=FP16), n(2 * ROWS, 3072, dtype=FP16)]),
    "activations of eight bits": serve("onebitllms.activation_quant_triton", lambda n: [n(4, 2048, 4096)]),
    "weights of three values": serve("onebitllms.weight_quant_triton", lambda n: [n(4096, 4096, scale=0.02)]),
    "weights of three values of f32": serve("onebitllms.weight_quant_triton", lambda n: [
        n(4096, 4096, dtype=FP32, scale=0.02)]),
    "rows of a book": aqlm(1, 16),
    "rows of two books": aqlm(2, 8, outputs=11008, bias=True),
    "rows of two books of f16": aqlm(2, 8, wide=False),
    "gptq": gptq_tuned(call(f"{GPTQ}.kernels.QuantLinearFunction", lambda n: [
        n(2048, 4096, dtype=FP16), *gptq(n), order_of(n), 4, 15])),
    "gptq of few rows": gptq_tuned(serve(f"{GPTQ}.kernels.quant_matmul_inference_only_248", lambda n: [
        n(16, 4096, dtype=FP16), *gptq(n, outputs=11008), order_of(n), 4, 15])),
    "gptq mlp": gptq_mlp,
    "older gptq": older_tuned(serve("gptq_triton.quant_linear.triton_matmul4", lambda n: [
        128, n(2048, 4096, dtype=FP16), *gptq(n)])),
    "older gptq of one group": older_tuned(serve("gptq_triton.quant_linear.triton_matmul4", lambda n: [
        4096, n(64, 4096, dtype=FP16), *gptq(n, group=4096)])),
    "older gptq mlp": older_tuned(serve("gptq_triton.fused_mlp.triton_llama_mlp_4", lambda n: gptq_llama(
        n, 512, 4096, 11008, 128))),
    "rwkv 7": rwkv7(),
    "rwkv 7 with gaps": rwkv7(mask=True),
    "rwkv 7 held": rwkv7(held=True),
    "rwkv 7 held at some chunks": rwkv7(held=True, mask=True),
    "delta rule by steps": delta("delta_net_recurrent.delta_net_recurrent"),
    "delta rule by steps alone": delta("delta_net_recurrent.delta_net_recurrent_inference", size=128),
    "delta rule of a step": step("delta_net_recurrent.delta_net_recurrent_single_step"),
    "gated delta rule by steps": delta("gdn_recurrent.gated_delta_net_recurrent", gated=True),
    "gated delta rule by steps alone": delta("gdn_recurrent.gated_delta_net_recurrent_inference", gated=True, size=128),
    "gated delta rule of a step": step("gdn_recurrent.gated_delta_net_recurrent_single_step", gated=True),
    "held delta rule by steps": delta("delta_net_recurrent_sane.delta_net_recurrent_sane", held=True),
    "held delta rule by steps at some chunks": delta("delta_net_recurrent_sane.delta_net_recurrent_sane", held=True, mask=True),
    "held delta rule by steps alone": delta("delta_net_recurrent_sane.delta_net_recurrent_sane_inference", held=True),
    "held delta rule by steps alone at some chunks": delta("delta_net_recurrent_sane.delta_net_recurrent_sane_inference",
                                                           held=True, mask=True),
    "held delta rule of a step": step("delta_net_recurrent_sane.delta_net_recurrent_sane_single_step", held=True),
    "held gated delta rule by steps": delta("gdn_recurrent_sane.gated_delta_net_recurrent_sane", gated=True, held=True),
    "held gated delta rule by steps at some chunks": delta("gdn_recurrent_sane.gated_delta_net_recurrent_sane", gated=True,
                                                           held=True, mask=True),
    "held gated delta rule by steps alone": delta("gdn_recurrent_sane.gated_delta_net_recurrent_sane_inference", gated=True,
                                                  held=True),
    "held gated delta rule by steps alone at some chunks": delta(
        "gdn_recurrent_sane.gated_delta_net_recurrent_sane_inference", gated=True, held=True, mask=True),
    "held gated delta rule of a step": step("gdn_recurrent_sane.gated_delta_net_recurrent_sane_single_step", gated=True,
                                            held=True),
    "delta rule by chunks": delta("delta_net_chunk.delta_net_chunk", length=2048, size=128, chunk=64, batch=4),
    "delta rule by short chunks": delta("delta_net_chunk.delta_net_chunk", length=2048),
    "gated delta rule by chunks": delta("gdn_chunk.gated_delta_net_chunk", gated=True, length=2048, size=128, chunk=64,
                                        batch=4),
    "gated delta rule by short chunks": delta("gdn_chunk.gated_delta_net_chunk", gated=True, length=2048, dtype=FP16),
    "held delta rule by chunks": delta("delta_net_chunk_sane.delta_net_chunk_sane", held=True, length=2048, chunk=64),
    "held delta rule by chunks at some of them": delta("delta_net_chunk_sane.delta_net_chunk_sane", held=True, mask=True,
                                                       length=2048, chunk=64),
    "held gated delta rule by chunks": delta("gdn_chunk_sane.gated_delta_net_chunk_sane", gated=True, held=True, length=2048,
                                             chunk=64),
    "held gated delta rule by chunks at some of them": delta("gdn_chunk_sane.gated_delta_net_chunk_sane", gated=True,
                                                             held=True, mask=True, length=2048, chunk=64),
    "streams": streams,
    "a few tokens' experts of nf4": routed,
    "a few tokens' experts of nf4 with adapters": functools.partial(routed, rank=16, act=1, interleaved=False, width=2048,
                                                                    inner=2048),
    "a few tokens' experts of nf4 of plain scales": functools.partial(routed, act=2, nested=False, bias=False),
    "a few tokens' experts of nf4 at addresses": functools.partial(routed, together=False, act=3),
    "adapters of tokens' experts": adapted,
    "a few tokens' experts": bf16_experts(),
    "a few tokens' experts with adapters": bf16_experts(rank=16, act=0),
    "more tokens' experts": bf16_experts(tokens=32),
    **{f"products with experts, {kind}": halves_of(kind) for kind in ("halves", "narrowed", "split", "any")},
    "products with experts of nf4": grouped_nf4(4096),
    "products with experts of nf4 of few rows": grouped_nf4(256, nested=False, dtype=FP16),
    "products with experts of turned nf4": grouped_nf4(2048, turned=True),
    "experts of nf4 at addresses": stacked_nf4,
    "decoded mxfp4": decoded_mxfp4(False),
    "decoded and turned mxfp4": decoded_mxfp4(True),
    "decoded mxfp4 of f16": decoded_mxfp4(True, FP16),
    "exactly decoded mxfp4": decoded_mxfp4(False, exact=True),
    "exactly decoded mxfp4 of f16": decoded_mxfp4(True, FP16, exact=True),
    "products with experts of mxfp4": grouped_mxfp4(2048),
    "products with experts of turned mxfp4": grouped_mxfp4(2048, turned=False),
    "products with experts of mxfp4 without assembly": grouped_mxfp4(2048, False),
    "products with experts of turned mxfp4 without assembly": grouped_mxfp4(2048, False, turned=False),
    "rows with experts of mxfp4": grouped_mxfp4(16, experts=32),
    "rows with experts of mxfp4 without assembly": grouped_mxfp4(16, False, experts=32),
    "products with mxfp4": dense_mxfp4(512),
    "products with turned mxfp4": dense_mxfp4(512, turned=True, bias=False),
    "few rows with mxfp4": dense_mxfp4(16, False),
    "experts by softmax": chosen_experts(8192, 128, 8, "softmax_topk", renorm=True, dtype=BF16),
    "experts by logits": chosen_experts(8192, 32, 4, "topk_softmax", dtype=BF16),
    "experts by groups": chosen_experts(8192, 256, 8, "sigmoid", renorm=True, n_group=8, topk_group=4, scale=2.5),
    "tokens by experts": sorted_tokens(8192, 128, 8),
    "few tokens by experts": sorted_tokens(128, 32, 4),
    "gated experts": gated_experts(1, False),
    "gated experts of gpt-oss": gated_experts(0, True),
    "gated experts of gpt-oss of f32": gated_experts(0, True, FP32, rows=4096),
    "gradient of gated experts": serve(f"{PATCHES}.moe_utils_sonic._swiglu_backward_interleaved", lambda n: [
        n(8192, 5760), n(8192, 2880)]),
    "combined experts": combined(BF16),
    "combined experts of f32": combined(FP32, tokens=2048, chosen=8),
    "decoded nf4": decoded_nf4(True),
    "decoded nf4 of plain scales": decoded_nf4(False, FP16),
    "convolutions": convolved(),
    "convolutions of documents": convolved(True, bias=False),
    "convolutions alone": convolved(act=None, dtype=FP32, batch=2, width=4096),
    "convolutions of a token": convolved_token,
    "replayed token": replayed,
    "merged adapter": merged,
    "losses of rows": row_loss(32768),
    "losses of rows, and more of them": row_loss(32000, dtype=FP32, wants=(True, True, True, True), bias=True, exact=True,
                                                 cap=30.0),
    "losses of long rows": row_loss(131072, rows=1024, wants=(True, True, True, True)),
    "gradients of rows": row_gradient(),
    "gradients of rows with exact ones": row_gradient(tops=True, entropy=False),
    "losses by tiles": tiled_loss(False, tops=True),
    "losses and gradients by tiles": tiled_loss(True, wants=(False, False, False, False)),
    "losses and gradients by tiles, soft": tiled_loss(True, cap=30.0),
    **{f"divergence of rows by {beta}": divergence_of_rows(beta) for beta in (0.0, 0.5, 1.0)},
    "divergence of soft rows": divergence_of_rows(0.5, cap=30.0),
    "scaled rows": scaled_rows,
}
