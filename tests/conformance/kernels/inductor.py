# Kernels in the form in which TorchInductor writes them, with its decorators, its imports and its helpers.
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()


@triton_heuristics.pointwise(
    size_hints={'x': 128},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, warp_size=32), 'constants': {}, 'configs': [{(0,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_gelu_0'},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_gelu_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tmp0 + tmp1
    tmp3 = 0.5
    tmp4 = tmp2 * tmp3
    tmp5 = 0.7071067811865476
    tmp6 = tmp2 * tmp5
    tmp7 = libdevice.erf(tmp6)
    tmp8 = 1.0
    tmp9 = tmp7 + tmp8
    tmp10 = tmp4 * tmp9
    tmp11 = tl.full([1], 0, tl.int32)
    tmp12 = triton_helpers.maximum(tmp11, tmp10)
    tmp13 = triton_helpers.minimum(tmp10, tmp8)
    tmp14 = tl_math.abs(tmp13)
    tl.store(out_ptr0 + (x0), tmp12 + tmp14, xmask)


@triton_heuristics.persistent_reduction(
    size_hints={'x': 8, 'r0_': 64},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_per_fused_native_layer_norm_1', 'mutated_arg_names': ['in_out_ptr0']}
)
@triton.jit
def triton_per_fused_native_layer_norm_1(in_out_ptr0, in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    r0_numel = 50
    R0_BLOCK: tl.constexpr = 64
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = r0_index < r0_numel
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 50*x0), r0_mask & xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(r0_mask & xmask, tmp1, 0)
    tmp4 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
    tmp6 = tl.where(r0_mask & xmask, tmp4, 0)
    tmp7 = tl.sum(tmp6, 1)[:, None]
    tmp8 = tl.full([XBLOCK, 1], 50, tl.int32)
    tmp9 = tmp8.to(tl.float32)
    tmp10 = (tmp7 / tmp9)
    tmp11 = tmp1 - tmp10
    tmp12 = tmp11 * tmp11
    tmp15 = tl.where(r0_mask & xmask, tmp12, 0)
    tmp16 = tl.sum(tmp15, 1)[:, None]
    tmp17 = 50.0
    tmp18 = (tmp16 / tmp17)
    tmp19 = 1e-05
    tmp20 = tmp18 + tmp19
    tmp21 = libdevice.rsqrt(tmp20)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp21, xmask)
    tl.store(out_ptr0 + (r0_1 + 50*x0), (tmp0 - tmp10) * tmp21, r0_mask & xmask)


@triton_heuristics.reduction(
    size_hints={'x': 8, 'r0_': 128},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32'}},
    inductor_meta={'kernel_name': 'triton_red_fused_2', 'num_load': 1, 'num_reduction': 6}
)
@triton.jit
def triton_red_fused_2(in_ptr0, out_mean, out_var, out_max, out_sum, out_index, out_nan, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    x0 = xindex
    tmp2_mean = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    tmp2_m2 = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    tmp2_weight = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    _tmp3_max = tl.full([XBLOCK, R0_BLOCK], float('-inf'), tl.float32)
    _tmp3_sum = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    _tmp5 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
    _tmp5_index = tl.full([XBLOCK, R0_BLOCK], 2147483647, tl.int32)
    _tmp7 = tl.full([XBLOCK, R0_BLOCK], False, tl.int1)
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        tmp0 = tl.load(in_ptr0 + (r0_index + r0_numel*x0), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        tmp2_mean_next, tmp2_m2_next, tmp2_weight_next = triton_helpers.welford_reduce(
            tmp1, tmp2_mean, tmp2_m2, tmp2_weight, r0_offset == 0
        )
        tmp2_mean = tl.where(r0_mask & xmask, tmp2_mean_next, tmp2_mean)
        tmp2_m2 = tl.where(r0_mask & xmask, tmp2_m2_next, tmp2_m2)
        tmp2_weight = tl.where(r0_mask & xmask, tmp2_weight_next, tmp2_weight)
        _tmp3_max_next, _tmp3_sum_next = triton_helpers.online_softmax_combine(
            _tmp3_max, _tmp3_sum, tmp1, False
        )
        _tmp3_max = tl.where(r0_mask & xmask, _tmp3_max_next, _tmp3_max)
        _tmp3_sum = tl.where(r0_mask & xmask, _tmp3_sum_next, _tmp3_sum)
        _tmp5_next, _tmp5_index_next = triton_helpers.maximum_with_index(
            _tmp5, _tmp5_index, tmp1, r0_index
        )
        _tmp5 = tl.where(r0_mask & xmask, _tmp5_next, _tmp5)
        _tmp5_index = tl.where(r0_mask & xmask, _tmp5_index_next, _tmp5_index)
        tmp6 = libdevice.isnan(tmp1).to(tl.int1)
        tmp8 = _tmp7 | tmp6
        _tmp7 = tl.where(r0_mask & xmask, tmp8, _tmp7)
    tmp9, tmp10, tmp11 = triton_helpers.welford(tmp2_mean, tmp2_m2, tmp2_weight, 1)
    tmp2 = tmp9[:, None]
    tmp3 = tmp10[:, None]
    tmp4 = tmp11[:, None]
    tmp12, tmp13 = triton_helpers.online_softmax_reduce(_tmp3_max, _tmp3_sum, 1, False)
    tmp12 = tmp12[:, None]
    tmp13 = tmp13[:, None]
    tmp5_val, tmp5_idx = triton_helpers.max_with_index(_tmp5, _tmp5_index, 1)
    tmp5 = tmp5_idx[:, None]
    tmp7 = triton_helpers.any(_tmp7.to(tl.int8), 1)[:, None].to(tl.int1)
    tl.store(out_mean + (x0), tmp2, xmask)
    tl.store(out_var + (x0), tmp3 / tmp4, xmask)
    tl.store(out_max + (x0), tmp12, xmask)
    tl.store(out_sum + (x0), tmp13, xmask)
    tl.store(out_index + (x0), tmp5, xmask)
    tl.store(out_nan + (x0), tmp7.to(tl.float32), xmask)


@triton.jit
def triton_per_fused_sort_3(in_ptr0, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr, STABLE : tl.constexpr, DESCENDING : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < r0_numel
    tmp0 = tl.load(in_ptr0 + (r0_index + r0_numel*xindex), r0_mask & xmask, other=0.0)
    tmp1 = r0_index
    tmp2 = tmp1.to(tl.int16)
    tmp3 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp4 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp5, tmp6, = triton_helpers.sort_with_index(tmp3, tmp4, r0_numel, 1, stable=STABLE, descending=DESCENDING)
    tl.store(out_ptr0 + (r0_index + r0_numel*xindex), tmp5, r0_mask & xmask)
    tl.store(out_ptr1 + (r0_index + r0_numel*xindex), tmp6.to(tl.int64), r0_mask & xmask)


@triton.jit
def triton_poi_fused_bucketize_4(in_ptr0, in_ptr1, out_ptr0, xnumel, ks0, RIGHT : tl.constexpr, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex), xmask)
    tmp1 = tl.full([XBLOCK], 0, tl.int32)
    tmp2 = triton_helpers.bucketize_binary_search(tmp0, in_ptr1, ks0, ks0, 1, tmp1, tl.int64, RIGHT, None, None, None)
    tl.store(out_ptr0 + (xindex), tmp2, xmask)


@triton.jit
def _triton_helper_fn_add0(arg0_0, arg1_0):
    tmp0 = arg0_0 + arg1_0
    return tmp0


@triton.jit
def triton_spl_fused_cumsum_5(in_ptr0, out_ptr0, ws_ptr, xnumel, R0_BLOCK : tl.constexpr, WIDE : tl.constexpr):
    # A scan over several programs, each of which waits for those before it.
    xindex = tl.program_id(0) * R0_BLOCK + tl.arange(0, R0_BLOCK)
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex), xmask, other=0)
    tmp1 = tl.reduce(tmp0, 0, _triton_helper_fn_add0)
    if WIDE:
        tmp2 = triton_helpers.exclusive_scan_decoupled_lookback_64(
            ws_ptr,
            tmp1.to(tl.int64),
            tl.program_id(0),
            _triton_helper_fn_add0,
        )
    else:
        tmp2 = triton_helpers.exclusive_scan_decoupled_lookback(
            ws_ptr,
            tmp1,
            tl.program_id(0),
            _triton_helper_fn_add0,
            DTYPE_VALUE_AS_UINT=tl.uint32,
            DTYPE_PACK=tl.uint64,
        )
    tmp3 = tl.associative_scan(tmp0, 0, _triton_helper_fn_add0)
    tl.store(out_ptr0 + (xindex), _triton_helper_fn_add0(tmp2, tmp3), xmask)


@triton.jit
def triton_per_fused_6(in_ptr0, in_ptr1, out_ptr0, out_ptr1, ws_ptr, XBLOCK : tl.constexpr, seed):
    xindex = tl.arange(0, XBLOCK)
    tmp0 = tl.load(in_ptr0 + (xindex), triton_helpers.if_mask(None, None), other=triton_helpers.if_mask(None, 0))
    tmp1 = tl.load(in_ptr1 + (xindex))
    tl.store(out_ptr0 + (xindex), triton_helpers.div_floor_integer(tmp0, tmp1))
    tl.store(out_ptr0 + (XBLOCK + xindex), triton_helpers.remainder_integer(tmp0, tmp1))
    tl.store(out_ptr0 + (2*XBLOCK + xindex), triton_helpers.promote_to_tensor(triton_helpers.prod(tmp1, 0)))
    tl.store(out_ptr0 + (3*XBLOCK + xindex), triton_helpers.select_one(tmp0, xindex == 3, 0))
    triton_helpers.x_grid_barrier(ws_ptr)
    tmp2 = triton_helpers.device_assert_then(xindex < XBLOCK, "in range", xindex)
    tmp3, tmp4 = triton_helpers.frexp(tmp0.to(tl.float32))
    tl.store(out_ptr1 + (tmp2), tmp3)
    tl.store(out_ptr1 + (XBLOCK + xindex), tmp4)
    BLOCK: tl.constexpr = triton_helpers.constexpr_next_power_of_2(XBLOCK - 1)
    tl.static_assert(BLOCK == XBLOCK)
    tmp5 = triton_helpers.randint64(seed, xindex.to(tl.uint32), tl.full([XBLOCK], -5, tl.int64), tl.full([XBLOCK], 5, tl.int64))
    tl.store(out_ptr1 + (2*XBLOCK + xindex), tmp5)
