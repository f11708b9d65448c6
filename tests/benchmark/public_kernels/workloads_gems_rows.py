"""Operations of FlagGems without matrix products: of single elements, reductions and scans along several axes, softmax,
norms, losses, sorting, gathering, resampling. Backward passes are called where they are functions of their own."""
import torch
from workloads_gems import normal, of, on_device

TALL, WIDE = (65536, 64), (1024, 65536)
BF16, FP32 = torch.bfloat16, torch.float32


def calls(*lines):
    """Each of them an operation's path in flag_gems, then what makes its arguments, then named ones."""

    def run():
        for path, make, *options in lines:
            try:
                of(path)(*make(), **(options[0] if options else {}))
            except Exception as problem:
                # One that does not run must not hide the others.
                print(f"flag_gems.{path} ends early: {type(problem).__name__}: {' '.join(str(problem).split())[:150]}",
                      flush=True)

    return on_device(run)


def one(*sizes, dtype=BF16):
    return lambda: [normal(*sizes, dtype=dtype)]


def two(*sizes, dtype=BF16):
    return lambda: [normal(*sizes, dtype=dtype), normal(*sizes, dtype=dtype)]


def along(axis, *sizes, dtype=FP32):
    return lambda: [normal(*sizes, dtype=dtype), axis]


def whole(*sizes, most=1000, dtype=torch.int64):
    return torch.randint(0, most, sizes, dtype=dtype)


def truths(*sizes):
    return torch.rand(*sizes) < 0.3


def of_elements(names, make):
    return calls(*((f"ops.{name}.{name}", make) for name in names.split()))


def reduced(names, several=False):
    """Along the last, the first and a middle axis, of long and of short rows. `several`: axes come as a list."""
    axis = (lambda number: [number]) if several else (lambda number: number)
    return calls(*((f"ops.{name}", make) for name in names.split() for make in (
        along(axis(-1), 4096, 4096), along(axis(0), 4096, 4096, dtype=BF16), along(axis(1), 64, 512, 512),
        along(axis(-1), *TALL), along(axis(0), *TALL, dtype=BF16), along(axis(-1), *WIDE, dtype=BF16))))


def scanned(name):
    return calls(*((f"ops.{name}.{name}", make) for make in (
        along(-1, 4096, 4096), along(0, 4096, 4096), along(1, 64, 512, 512), along(-1, *TALL), along(0, 2048, 64),
        along(-1, 64, 262144), along(-1, 4096, 1000, dtype=BF16), along(0, 128, 65536, dtype=BF16))))


def picture(channels=256, size=56, dtype=BF16):
    return normal(16, channels, size, size, dtype=dtype)


def batch_norms():
    x, weight, bias = picture(dtype=FP32), torch.ones(256), torch.zeros(256)
    of("ops.batch_norm.batch_norm")(x, weight, bias, torch.zeros(256), torch.ones(256), True)
    of("ops.batch_norm.batch_norm_backward")(picture(dtype=FP32), x, weight, torch.zeros(256), torch.ones(256),
                                             torch.zeros(256), torch.ones(256), True, 1e-5, [True, True, True])


def group_norms():
    x, weight, bias = picture(), normal(256), normal(256)
    of("ops.groupnorm.group_norm")(x, weight, bias, 16, 256, 56 * 56, 32)
    of("ops.groupnorm.group_norm_backward")(picture(), x, torch.zeros(16, 32), torch.ones(16, 32), weight, 16, 256,
                                            56 * 56, 32, [True, True, True])


def layer_norms(rows, width, dtype=BF16):

    def run():
        x, weight, bias = normal(rows, width, dtype=dtype), normal(width, dtype=dtype), normal(width, dtype=dtype)
        of("ops.layernorm.layer_norm")(x, [width], weight, bias)
        of("ops.layernorm.layer_norm_backward")(normal(rows, width, dtype=dtype), x, [width], torch.zeros(rows, 1),
                                                torch.ones(rows, 1), weight, bias, [True, True, True])

    return on_device(run)


def rms_norms(rows, width):

    def run():
        x, weight = normal(rows, width), normal(width)
        of("ops.rms_norm.rms_norm_forward")(x, [width], weight)
        of("ops.rms_norm.rms_norm_backward")(normal(rows, width), x, torch.ones(rows), [width], weight)

    return on_device(run)


def both_softmaxes(name, axis, *sizes, dtype=BF16):

    def run():
        x = normal(*sizes, dtype=dtype)
        of(f"ops.{name}.{name}")(x, axis)
        of(f"ops.{name}.{name}_backward")(normal(*sizes, dtype=dtype), x, axis, dtype)

    return on_device(run)


def embeddings():
    indices = whole(4, 2048, most=32768)
    of("ops.embedding.embedding")(normal(32768, 2048), indices)
    of("ops.embedding.embedding_backward")(normal(4, 2048, 2048), indices, 32768)


def rotated():
    q, k = normal(4, 2048, 32, 128), normal(4, 2048, 8, 128)
    cos, sin = torch.rand(2048, 64, dtype=BF16), torch.rand(2048, 64, dtype=BF16)
    of("fused.rotary_embedding.apply_rotary_pos_emb")(q, k, cos, sin)
    of("fused.rotary_embedding.apply_rotary_pos_emb")(q, k, cos, sin, rotary_interleaved=True)


def cross_entropy(rows=4096, count=32768, **options):

    def run():
        logits = normal(rows, count).requires_grad_()
        loss = of("fused.cross_entropy_loss.cross_entropy_loss")(logits, whole(rows, most=count), **options)
        loss.backward(torch.full_like(loss, 0.5))

    return on_device(run)


def with_gradient(path, *make):

    def run():
        given = [x.requires_grad_() if x.is_floating_point() else x for x in (f() for f in make)]
        out = of(path)(*given)
        out.backward(torch.randn_like(out))

    return on_device(run)


def routing():
    tokens, experts, chosen = 8192, 128, 8
    scores = torch.randn(tokens, experts)
    weights, indices, rows = (torch.empty(tokens, chosen, dtype=dtype) for dtype in (FP32, torch.int32, torch.int32))
    of("fused.topk_softmax.topk_softmax")(weights, indices, rows, scores)
    of("fused.grouped_topk.grouped_topk")(scores, 8, 4, chosen, True, 2.5, torch.randn(experts), 1)
    of("fused.moe_align_block_size.moe_align_block_size")(whole(tokens, chosen, most=experts, dtype=torch.int32), 64,
                                                          experts)
    of("fused.moe_sum.moe_sum")(normal(tokens, chosen, 2048), torch.empty(tokens, 2048, dtype=BF16))


def caches():
    tokens, heads, size, block = 8192, 8, 128, 16
    slots = torch.randperm(tokens)
    key, value = normal(tokens, heads, size), normal(tokens, heads, size)
    scale = torch.ones(1)
    paged = [torch.zeros(tokens // block, block, heads, size, dtype=BF16) for _ in range(2)]
    of("fused.reshape_and_cache_flash.reshape_and_cache_flash")(key, value, *paged, slots, "auto", scale, scale)
    of("fused.reshape_and_cache.reshape_and_cache")(
        key, value, torch.zeros(tokens // block, heads, size // 8, block, 8, dtype=BF16),
        torch.zeros(tokens // block, heads, size, block, dtype=BF16), slots, "auto", scale, scale)
    of("fused.concat_and_cache_mla.concat_and_cache_mla")(
        normal(tokens, 512), normal(tokens, 64), torch.zeros(tokens // block, block, 576, dtype=BF16), slots, "auto", scale)


BIG, HALF = (4096, 4096), (4096, 2048)
WORKLOADS = {
    "elements": of_elements("abs exp exp2 sin cos tanh rsqrt sqrt sigmoid silu relu reciprocal erf log gelu neg isnan "
                            "isfinite tan atan expm1 log10 ceil", one(*BIG)),
    "elements fp32": of_elements("exp sin cos tanh gelu silu i0 erf log elu celu softplus", one(*BIG, dtype=FP32)),
    "pairs": of_elements("add sub mul maximum minimum eq lt ge logaddexp hypot atan2 copysign fmin", two(*BIG)),
    "pairs fp32": of_elements("add mul", two(*BIG, dtype=FP32)),
    "pairs spread": calls(("ops.add.add", lambda: [normal(*BIG), normal(4096)]),
                          ("ops.mul.mul", lambda: [normal(*BIG), normal(4096, 1)]),
                          ("ops.sub.sub", lambda: [normal(*BIG), normal(*BIG).T]),
                          ("ops.add.add", lambda: [normal(*BIG), 2.5])),
    "divisions": calls(("ops.div.true_divide", two(*BIG)), ("ops.div.floor_divide", two(*BIG, dtype=FP32)),
                       ("ops.div.remainder", lambda: [whole(*BIG), whole(*BIG) + 1]),
                       ("ops.div.trunc_divide", two(*BIG)), ("ops.pow.pow_tensor_tensor", two(*BIG)),
                       ("ops.pow.pow_tensor_scalar", lambda: [normal(*BIG), 3]),
                       ("ops.rsqrt.rsqrt", one(*BIG, dtype=FP32))),
    "chosen elements": calls(("ops.where.where_self", lambda: [truths(*BIG), normal(*BIG), normal(*BIG)]),
                             ("ops.masked_fill.masked_fill", lambda: [normal(*BIG), truths(*BIG), -1e9]),
                             ("ops.clamp.clamp", lambda: [normal(*BIG), -1.0, 1.0]),
                             ("ops.nan_to_num.nan_to_num", one(*BIG)),
                             ("ops.lerp.lerp_tensor", lambda: [normal(*BIG) for _ in range(3)]),
                             ("ops.addcmul.addcmul", lambda: [normal(*BIG) for _ in range(3)]),
                             ("ops.addcdiv.addcdiv", lambda: [normal(*BIG) for _ in range(3)]),
                             ("ops.isclose.isclose", two(*BIG, dtype=FP32)),
                             ("ops.threshold.threshold", lambda: [normal(*BIG), 0.0, 0.5])),
    "gradients of elements": calls(("ops.gelu.gelu_backward", two(*BIG)), ("ops.silu.silu_backward", two(*BIG)),
                                   ("ops.sigmoid.sigmoid_backward", two(*BIG)), ("ops.tanh.tanh_backward", two(*BIG)),
                                   ("ops.gelu.gelu_backward", two(*BIG), dict(approximate="tanh")),
                                   ("ops.glu.glu", one(*BIG)),
                                   ("ops.glu.glu_backward", lambda: [normal(4096, 2048), normal(*BIG)])),
    "bits": calls(("ops.bitwise_and.bitwise_and_tensor", lambda: [whole(*BIG), whole(*BIG)]),
                  ("ops.bitwise_not.bitwise_not", lambda: [whole(*BIG, dtype=torch.int32)]),
                  ("ops.bitwise_left_shift.bitwise_left_shift",
                   lambda: [whole(*BIG, dtype=torch.int32), whole(*BIG, most=5, dtype=torch.int32)]),
                  ("ops.logical_and.logical_and", lambda: [truths(*BIG), truths(*BIG)])),
    "conversions": calls(("ops.to.to_copy", one(*BIG), dict(dtype=FP32)),
                         ("ops.to.to_copy", one(*BIG, dtype=FP32), dict(dtype=BF16)),
                         ("ops.contiguous.contiguous", lambda: [normal(*BIG).T]),
                         ("ops.copy.copy", lambda: [normal(*BIG), normal(*BIG).T])),
    "sums": reduced("sum.sum_dim mean.mean_dim amax.amax", several=True),
    "logical reductions": calls(*((f"ops.{name}", make) for name in ("any.any_dim", "all.all_dim") for make in (
        lambda: [truths(*BIG), -1], lambda: [truths(*BIG), 0], lambda: [truths(*TALL), -1]))),
    "extremes": reduced("max.max_dim argmax.argmax"),
    "least": reduced("min.min_dim argmin.argmin"),
    "products": reduced("prod.prod_dim"),
    "variances": reduced("var_mean.var_mean std.std", several=True),
    "norms of vectors": calls(*(("ops.vector_norm.vector_norm", make) for make in (
        lambda: [normal(*BIG), 2, [-1]], lambda: [normal(*BIG), 2, [0]], lambda: [normal(*BIG, dtype=FP32), 1, [-1]],
        lambda: [normal(*BIG, dtype=FP32), float("inf"), [-1]], lambda: [normal(*BIG, dtype=FP32)],
        lambda: [normal(*TALL, dtype=FP32), 3, [-1]]))),
    "of all": calls(*((f"ops.{name}.{name}", one(*BIG, dtype=dtype)) for name in (
        "sum", "mean", "max", "min", "prod", "argmax", "amax", "aminmax") for dtype in (BF16, FP32))),
    "counts": calls(("ops.count_nonzero.count_nonzero", one(*BIG, dtype=FP32)),
                    ("ops.any.any", lambda: [truths(*BIG)]),
                    ("ops.dot.dot", two(1 << 24, dtype=FP32)), ("ops.trace.trace", one(*BIG, dtype=FP32)),
                    ("fused.bincount.bincount", lambda: [whole(1 << 22)]),
                    ("ops.mse_loss.mse_loss", two(*BIG, dtype=FP32)),
                    ("ops.mv.mv", lambda: [normal(*BIG), normal(4096)]),
                    ("ops.addmv.addmv", lambda: [normal(4096), normal(*BIG), normal(4096)])),
    "sums so far": scanned("cumsum"),
    "greatest so far": scanned("cummax"),
    "least so far": scanned("cummin"),
    "shares so far": calls(("ops.cumsum.normed_cumsum", along(-1, 4096, 4096)),
                           ("ops.cumsum.cumsum", along(0, 1 << 22))),
    "softmax": both_softmaxes("softmax", -1, 8192, 4096),
    "softmax of short rows": both_softmaxes("softmax", -1, 65536, 128),
    "softmax of long rows": both_softmaxes("softmax", -1, 1024, 32768),
    "softmax of columns": both_softmaxes("softmax", 0, 4096, 4096),
    "softmax in the middle": both_softmaxes("softmax", 1, 64, 512, 256, dtype=FP32),
    "logarithm of softmax": both_softmaxes("log_softmax", -1, 4096, 32768),
    "logarithm of softmax of columns": both_softmaxes("log_softmax", 1, 32, 512, 512, dtype=FP32),
    "softmax scaled": calls(("ops.scaled_softmax.scaled_softmax_forward", lambda: [normal(4, 16, 1024, 1024), 0.1]),
                            ("ops.scaled_softmax.scaled_softmax_backward",
                             lambda: [normal(4, 16, 1024, 1024), normal(4, 16, 1024, 1024), 0.1])),
    "layer norm": layer_norms(8192, 4096),
    "layer norm of short rows": layer_norms(65536, 128, FP32),
    "layer norm of long rows": layer_norms(512, 16384),
    "rms norm": rms_norms(8192, 4096),
    "rms norm of short rows": rms_norms(65536, 128),
    "batch norm": on_device(batch_norms),
    "group norm": on_device(group_norms),
    "instance norm": with_gradient("fused.instance_norm.instance_norm", lambda: picture(64, dtype=FP32)),
    "weight norm": with_gradient("fused.weight_norm.weight_norm", lambda: normal(4096, 2048, dtype=FP32),
                                 lambda: normal(4096, 1, dtype=FP32)),
    "add and norm": calls(
        ("fused.fused_add_rms_norm.fused_add_rms_norm", lambda: [*two(8192, 4096)(), [4096], normal(4096)]),
        ("fused.skip_layernorm.skip_layer_norm", lambda: [*two(8192, 4096)(), [4096], normal(4096), normal(4096)])),
    "gates": calls(("fused.silu_and_mul.silu_and_mul", two(8192, 8192)),
                   ("fused.gelu_and_mul.gelu_and_mul", two(8192, 8192)),
                   ("fused.geglu.geglu", one(8192, 8192)), ("fused.swiglu.swiglu", one(8192, 8192)),
                   ("fused.reglu.reglu", one(8192, 8192)),
                   ("fused.geglu.dgeglu", lambda: [normal(8192, 4096), normal(8192, 8192)]),
                   ("fused.swiglu.dswiglu", lambda: [normal(8192, 4096), normal(8192, 8192)]),
                   ("fused.reglu.dreglu", lambda: [normal(8192, 4096), normal(8192, 8192)])),
    "cross entropy": cross_entropy(),
    "cross entropy smoothed": cross_entropy(label_smoothing=0.1),
    "nll": calls(("ops.nllloss.nll_loss_forward", lambda: [normal(8192, 32768, dtype=FP32), whole(8192, most=32768)]),
                 ("ops.nllloss.nll_loss_backward",
                  lambda: [torch.ones(()), normal(8192, 32768, dtype=FP32), whole(8192, most=32768)],
                  dict(total_weight=torch.tensor(8192.0))),
                 ("ops.nllloss.nll_loss2d_forward",
                  lambda: [normal(16, 64, 128, 128, dtype=FP32), whole(16, 128, 128, most=64)])),
    "embedding": on_device(embeddings),
    "rotary": on_device(rotated),
    "dropout": calls(("ops.dropout.dropout", lambda: [normal(*BIG), 0.1]),
                     ("ops.dropout.dropout_backward", lambda: [normal(*BIG), truths(*BIG), 1.1])),
    "random": calls(("ops.rand.rand", lambda: [[4096, 4096]]), ("ops.randn.randn", lambda: [[4096, 4096]]),
                    ("ops.uniform.uniform_", one(*BIG, dtype=FP32)),
                    ("ops.exponential_.exponential_", one(*BIG, dtype=FP32)),
                    ("ops.multinomial.multinomial", lambda: [torch.rand(64, 4096), 4, True])),
    "sorting": calls(("ops.sort.sort", one(1024, 4096, dtype=FP32)), ("ops.sort.sort", one(4096, 512)),
                     ("ops.sort.sort", lambda: [whole(64, 32768, dtype=torch.int32)]),
                     ("ops.sort.sort", along(0, 2048, 256)),
                     ("ops.randperm.randperm", lambda: [100000])),
    "greatest": calls(("ops.topk.topk", lambda: [normal(4096, 4096, dtype=FP32), 8]),
                      ("ops.topk.topk", lambda: [normal(8192, 128, dtype=FP32), 8]),
                      ("ops.topk.topk", lambda: [normal(256, 32768), 50]),
                      ("ops.topk.topk", lambda: [normal(4096, 1024, dtype=FP32), 100, -1, False])),
    "distinct": calls(("ops.unique._unique2", lambda: [whole(100000)]),
                      ("ops.unique._unique2", lambda: [whole(100000), True, True, True]),
                      ("ops.isin.isin", lambda: [whole(1 << 20), whole(1000)]),
                      ("ops.isin.isin", lambda: [whole(1 << 20), whole(100000)]),
                      ("ops.nonzero.nonzero", lambda: [truths(*BIG)]),
                      ("ops.masked_select.masked_select", lambda: [normal(*BIG), truths(*BIG)])),
    "gathering": calls(("ops.gather.gather", lambda: [normal(*BIG), 1, whole(4096, 2048, most=4096)]),
                       ("ops.gather.gather", lambda: [normal(*BIG), 0, whole(2048, 4096, most=4096)]),
                       ("ops.index_select.index_select", lambda: [normal(*BIG), 0, whole(2048, most=4096)]),
                       ("ops.index_select.index_select", lambda: [normal(*BIG), 1, whole(2048, most=4096)]),
                       ("ops.index.index", lambda: [normal(*BIG), [whole(2048, most=4096)]]),
                       ("ops.repeat_interleave.repeat_interleave_self_int", lambda: [normal(2048, 2048), 4, 0])),
    "scattering": calls(("ops.scatter.scatter",
                         lambda: [normal(*BIG, dtype=FP32), 1, whole(*HALF, most=4096), normal(*HALF, dtype=FP32)]),
                        ("ops.scatter_add_.scatter_add_",
                         lambda: [normal(*BIG, dtype=FP32), 1, whole(*HALF, most=4096), normal(*HALF, dtype=FP32)]),
                        ("ops.index_add.index_add",
                         lambda: [normal(*BIG, dtype=FP32), 0, torch.randperm(4096)[:2048], normal(2048, 4096, dtype=FP32)]),
                        ("ops.index_put.index_put",
                         lambda: [normal(*BIG), [torch.randperm(4096)[:2048]], normal(2048, 4096)]),
                        ("ops.select_scatter.select_scatter", lambda: [normal(64, 512, 512), normal(64, 512), 1, 7]),
                        ("ops.slice_scatter.slice_scatter", lambda: [normal(*BIG), normal(2048, 4096), 0, 0, 4096, 2])),
    "shapes": calls(("ops.cat.cat", lambda: [[normal(2048, 4096), normal(2048, 4096)], 0]),
                    ("ops.cat.cat", lambda: [[normal(4096, 2048), normal(4096, 1000)], 1]),
                    ("ops.stack.stack", lambda: [[normal(2048, 2048) for _ in range(4)], 1]),
                    ("ops.repeat.repeat", lambda: [normal(1024, 1024), [4, 3]]),
                    ("ops.tile.tile", lambda: [normal(1024, 1024), [2, 5]]),
                    ("ops.pad.pad", lambda: [normal(64, 256, 256), [3, 5, 1, 2]]),
                    ("ops.pad.pad", lambda: [normal(16, 64, 56, 56), [3, 3, 3, 3], "reflect"]),
                    ("ops.flip.flip", lambda: [normal(*BIG), [1]]), ("ops.roll.roll", lambda: [normal(*BIG), 5, 1]),
                    ("ops.triu.triu", one(*BIG)), ("ops.tril.tril", one(*BIG)),
                    ("ops.diag.diag", one(4096)), ("ops.eye.eye", lambda: [4096]),
                    ("ops.arange.arange", lambda: [1 << 24]), ("ops.linspace.linspace", lambda: [0.0, 1.0, 1 << 22]),
                    ("ops.full.full", lambda: [[4096, 4096], 0.5]), ("ops.kron.kron", two(64, 64)),
                    ("ops.one_hot.one_hot", lambda: [whole(65536, most=64)]),
                    ("ops.diag_embed.diag_embed", one(64, 256)), ("ops.pixel_unshuffle.pixel_unshuffle",
                                                                 lambda: [picture(64, 64), 2]),
                    ("fused.outer.outer", lambda: [normal(4096), normal(4096)])),
    "resampling": calls(("ops.upsample_nearest2d.upsample_nearest2d", lambda: [picture(64), [112, 112]]),
                        ("ops.upsample_bicubic2d_aa._upsample_bicubic2d_aa", lambda: [picture(64), [112, 112], False]),
                        ("ops.upsample_bicubic2d.upsample_bicubic2d", lambda: [picture(64), [112, 112]]),
                        ("ops.upsample_nearest1d.upsample_nearest1d", lambda: [normal(16, 256, 2048), [4096]]),
                        ("ops.upsample_linear1d.upsample_linear1d", lambda: [normal(16, 256, 2048), [4096], False])),
    "pooling": calls(("ops.max_pool2d_with_indices.max_pool2d_with_indices", lambda: [picture(64), 3, 2, 1]),
                     ("ops.avg_pool2d.avg_pool2d", lambda: [picture(64), 3, 2, 1]),
                     ("ops.avg_pool2d.avg_pool2d_backward",
                      lambda: [normal(16, 64, 28, 28), picture(64), [3, 3], [2, 2], [1, 1], False, True, None]),
                     ("ops.max_pool2d_with_indices.max_pool2d_backward",
                      lambda: [normal(16, 64, 28, 28), picture(64), whole(16, 64, 28, 28, most=3136), [3, 3], [2, 2],
                               [1, 1], [1, 1], False])),
    "depthwise": calls(("ops.conv_depthwise2d._conv_depthwise2d",
                        lambda: [picture(64), normal(64, 1, 3, 3), [3, 3], None, [1, 1], [1, 1], [1, 1]])),
    "quantizing": calls(("ops.per_token_group_quant_fp8.per_token_group_quant_fp8", lambda: [normal(4096, 4096), 128]),
                        ("ops.act_quant.act_quant_triton", lambda: [normal(4096, 4096)]),
                        ("ops.hadamard_transform.hadamard_transform", one(8192, 1024)),
                        ("ops.quantile.quantile", lambda: [normal(256, 1024, dtype=FP32), torch.tensor([0.25, 0.5]), -1]),
                        ("fused.apply_repetition_penalties.apply_repetition_penalties",
                         lambda: [normal(64, 32768, dtype=FP32), truths(64, 32768), truths(64, 32768), torch.rand(64) + 1]),
                        ("fused.rwkv_ka_fusion.rwkv_ka_fusion", lambda: [*(normal(2048) for _ in range(4)), 32, 64]),
                        ("fused.rwkv_mm_sparsity.rwkv_mm_sparsity", lambda: [normal(8192), normal(8192, 2048)])),
    "routing": on_device(routing),
    "caches": on_device(caches),
    "rarer elements": of_elements("acos angle cosh square selu relu6 hardsigmoid logit special_i0e special_i1 digamma_ i0_",
                                  one(*BIG, dtype=FP32)),
    "rarer elements bf16": of_elements("square selu relu6 hardsigmoid softshrink log_sigmoid", one(*BIG)),
    "rarer pairs": calls(("ops.polar.polar", two(*HALF, dtype=FP32)), ("ops.prelu.prelu", lambda: [picture(), normal(256)]),
                         ("ops.addr.addr", lambda: [normal(*BIG), normal(4096), normal(4096)]),
                         ("ops.round.round", one(*BIG, dtype=FP32)), ("experimental_ops.xlogy.xlogy", two(*BIG, dtype=FP32)),
                         ("experimental_ops.sinc.sinc", one(*BIG, dtype=FP32)),
                         ("experimental_ops.erfinv.erfinv", one(*BIG, dtype=FP32))),
    "rarer losses": calls(("ops.soft_margin_loss.soft_margin_loss", two(*BIG, dtype=FP32)),
                          ("ops.margin_ranking_loss.margin_ranking_loss", lambda: [normal(1 << 24) for _ in range(3)]),
                          ("experimental_ops.huber_loss.huber_loss", two(*BIG, dtype=FP32)),
                          ("experimental_ops.smooth_l1_loss.smooth_l1_loss", two(*BIG, dtype=FP32)),
                          ("experimental_ops._log_softmax_backward_data._log_softmax_backward_data",
                           lambda: [normal(*BIG), normal(*BIG), -1, BF16]),
                          ("ops._safe_softmax._safe_softmax", one(8192, 1024))),
    "losses of any shape": calls(
        ("ops.nll_loss_nd.nll_loss_nd_forward", lambda: [normal(16, 64, 8192, dtype=FP32), whole(16, 8192, most=64)]),
        ("ops.nll_loss_nd.nll_loss_nd_backward",
         lambda: [torch.ones(()), normal(16, 64, 8192, dtype=FP32), whole(16, 8192, most=64)],
         dict(total_weight=torch.tensor(131072.0)))),
    "gradients of shapes": calls(
        ("ops.embedding_dense_backward.embedding_dense_backward",
         lambda: [normal(4, 2048, 2048, dtype=FP32), whole(4, 2048, most=32768), 32768, -1, False]),
        ("ops.embedding_dense_backward.embedding_dense_backward",
         lambda: [normal(4, 2048, 2048, dtype=FP32), whole(4, 2048, most=32768), 32768, -1, True]),
        ("ops.select_backward.select_backward", lambda: [normal(64, 512), [64, 512, 512], 1, 7]),
        ("ops.slice_backward.slice_backward", lambda: [normal(2048, 4096), [4096, 4096], 0, 0, 4096, 2]),
        ("ops.unfold_backward.unfold_backward", lambda: [normal(64, 255, 512, 4), [64, 512, 512], 1, 4, 2]),
        ("ops.diagonal.diagonal_backward", lambda: [normal(64, 512), [64, 512, 512], 0, 1, 2]),
        ("ops.rrelu_with_noise_backward.rrelu_with_noise_backward",
         lambda: [*(normal(*BIG, dtype=FP32) for _ in range(3)), 0.1, 0.3, True])),
    "weight norm of each axis": calls(
        *(("ops.weightnorm.weight_norm_interface", lambda axis=axis: [
            normal(4096, 2048, dtype=FP32), normal(4096, 1) if axis == 0 else normal(1, 2048), axis]) for axis in (0, 1)),
        *(("ops.weightnorm.weight_norm_interface_backward", lambda axis=axis: [
            normal(4096, 2048, dtype=FP32), normal(4096, 2048, dtype=FP32),
            *(normal(4096, 1, dtype=FP32) if axis == 0 else normal(1, 2048, dtype=FP32) for _ in range(2)), axis])
          for axis in (0, 1))),
    "variances by Welford": calls(*(("ops.var.var", lambda make=make: [*make(), [axis]]) for axis in (-1, 0) for make in (
        one(*BIG, dtype=FP32), one(*TALL, dtype=FP32)))),
    "products of vectors": calls(("ops.vdot.vdot", two(1 << 24, dtype=FP32)), ("ops.vdot.vdot", two(1 << 20)),
                                 ("experimental_ops.mv.mv", lambda: [normal(*BIG), normal(4096)]),
                                 ("experimental_ops.rmsnorm.rmsnorm", lambda: [normal(8192, 4096), normal(4096)])),
    "borders": calls(("ops.reflection_pad1d.reflection_pad1d", lambda: [normal(16, 256, 2048), [3, 5]]),
                     ("ops.reflection_pad2d.reflection_pad2d", lambda: [picture(64), [3, 3, 3, 3]]),
                     ("ops.replication_pad1d.replication_pad1d", lambda: [normal(16, 256, 2048), [3, 5]]),
                     ("experimental_ops.replication_pad2d.replication_pad2d", lambda: [picture(64), [3, 3, 3, 3]]),
                     ("ops.replication_pad3d.replication_pad3d", lambda: [normal(2, 16, 32, 56, 56), [1, 1, 1, 1, 1, 1]])),
    "other shapes": calls(("ops.vstack.vstack", lambda: [[normal(2048, 4096), normal(2048, 4096)]]),
                          ("ops.hstack.hstack", lambda: [[normal(4096, 2048), normal(4096, 1000)]]),
                          ("ops.eye_m.eye_m", lambda: [4096, 2048]), ("ops.logspace.logspace", lambda: [0.0, 1.0, 1 << 22]),
                          ("ops.rand_like.rand_like", one(*BIG, dtype=FP32)),
                          ("ops.bernoulli_.bernoulli_", one(*BIG, dtype=FP32)),
                          ("ops.unique_consecutive.unique_consecutive", lambda: [whole(100000, most=10)]),
                          ("ops.masked_scatter.masked_scatter", lambda: [normal(*BIG), truths(*BIG), normal(1 << 24)]),
                          ("experimental_ops.im2col.im2col", lambda: [picture(64), [3, 3], 1, 1]),
                          ("experimental_ops.permute.permute", lambda: [normal(64, 512, 512), [2, 0, 1]]),
                          ("experimental_ops.pixel_shuffle.pixel_shuffle", lambda: [picture(64), 2]),
                          ("experimental_ops.take.take", lambda: [normal(*BIG), whole(1 << 22, most=1 << 24)]),
                          ("ops._upsample_nearest_exact1d._upsample_nearest_exact1d", lambda: [normal(16, 256, 2048), [4096]]),
                          ("ops.upsample_nearest3d.upsample_nearest3d", lambda: [normal(2, 16, 16, 28, 28), [32, 56, 56]])),
}
