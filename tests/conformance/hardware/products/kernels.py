"""Products of all shapes and types, in the forms in which kernels have them."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, out_ptr, FORM: tl.constexpr, COLUMNS_A: tl.constexpr, COLUMNS_B: tl.constexpr,
            PRECISION: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One tile. COLUMNS_A, COLUMNS_B: the operand's columns are contiguous in memory, not its rows."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    if COLUMNS_A:
        a = tl.load(a_ptr + m[:, None] + k[None, :] * M)
    else:
        a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    if COLUMNS_B:
        b = tl.load(b_ptr + k[:, None] + n[None, :] * K)
    else:
        b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    if FORM == "trans":
        # What was loaded as [K, M] and [N, K], turned in the kernel.
        a = tl.trans(tl.load(a_ptr + k[:, None] * M + m[None, :]))
        b = tl.load(b_ptr + n[:, None] * K + k[None, :]).T
    if FORM == "computed":
        a = (a.to(tl.float32) * 2.0).to(a.dtype)
        b = (b.to(tl.float32) * 0.5).to(b.dtype)
    if FORM == "half":
        c = tl.dot(a, b, out_dtype=tl.float16)
    elif FORM == "imprecise":
        c = tl.dot(a, b, max_num_imprecise_acc=32)
    elif FORM == "int":
        c = tl.dot(a, b, out_dtype=tl.int32)
    elif FORM == "double":
        c = tl.dot(a, b, out_dtype=tl.float64)
    else:
        c = tl.dot(a, b, input_precision=PRECISION)
    if FORM == "bias":
        c += tl.load(c_ptr + n)[None, :]
    if FORM == "sums":
        c = c / tl.sum(tl.abs(c), 1)[:, None]
    if FORM == "chain":
        # [M, N] times [N, N]
        second = tl.load(c_ptr + n[:, None] * N + n[None, :])
        c = tl.dot(c.to(a.dtype), second, input_precision=PRECISION)
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)


@triton.jit
def product_in_loop(a_ptr, b_ptr, out_ptr, K, FORM: tl.constexpr, COLUMNS_B: tl.constexpr,
                    PRECISION: tl.constexpr, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """K need not be a multiple of BK, nor positive."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    if COLUMNS_B:
        b_ptrs = b_ptr + k[:, None] + n[None, :] * K
        step = BK
    else:
        b_ptrs = b_ptr + k[:, None] * N + n[None, :]
        step = BK * N
    c = tl.zeros((M, N), tl.float32)
    d = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptrs, mask=k[None, :] < K - start, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - start, other=0.0)
        if FORM == "two":
            d = tl.dot(a, b, d, input_precision=PRECISION)
            c = tl.dot(a * 2.0, b, c, input_precision=PRECISION)
        elif FORM == "scaled":
            c = c * 0.5
            c = tl.dot(a, b, c, input_precision=PRECISION)
        elif FORM == "used":
            d += tl.dot(a, b, input_precision=PRECISION)
            c = tl.maximum(c, d)
        else:
            c = tl.dot(a, b, c, input_precision=PRECISION)
        a_ptrs += BK
        b_ptrs += step
    if FORM == "two":
        c -= d
    if FORM == "used":
        c += d
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)


@triton.jit
def descriptors_in_loop(a_ptr, b_ptr, out_ptr, K, COLUMNS_B: tl.constexpr, PRECISION: tl.constexpr, M: tl.constexpr,
                        N: tl.constexpr, BK: tl.constexpr):
    """Rows of K elements are a multiple of 16 bytes."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [M, BK])
    if COLUMNS_B:
        b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [N, BK])
    else:
        b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, N])
    out_desc = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [M, N])
    c = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = a_desc.load([0, start])
        if COLUMNS_B:
            b = b_desc.load([0, start]).T
        else:
            b = b_desc.load([start, 0])
        c = tl.dot(a, b, c, input_precision=PRECISION)
    out_desc.store([0, 0], c)


@triton.jit
def descriptors_of_three_axes(a_ptr, b_ptr, out_ptr, K, COLUMNS_B: tl.constexpr, PRECISION: tl.constexpr,
                              M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """As above, with a leading axis; what is stored is loaded and stored again."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [1, M, K], [M * K, K, 1], [1, M, BK])
    if COLUMNS_B:
        b_desc = tl.make_tensor_descriptor(b_ptr, [1, N, K], [N * K, K, 1], [1, N, BK])
    else:
        b_desc = tl.make_tensor_descriptor(b_ptr, [1, K, N], [K * N, N, 1], [1, BK, N])
    out_desc = tl.make_tensor_descriptor(out_ptr, [1, M, N], [M * N, N, 1], [1, M, N])
    c = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = a_desc.load([0, 0, start]).reshape(M, BK)
        if COLUMNS_B:
            b = b_desc.load([0, 0, start]).reshape(N, BK).T
        else:
            b = b_desc.load([0, start, 0]).reshape(BK, N)
        c = tl.dot(a, b, c, input_precision=PRECISION)
    out_desc.store([0, 0, 0], (c - 1)[None, :, :])
    out_desc.store([0, 0, 0], out_desc.load([0, 0, 0]) + 1)


@triton.jit
def batched_product(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    z = tl.arange(0, B)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + (z * M + m[None, :, None]) * K + k[None, None, :])
    b = tl.load(b_ptr + (z * K + k[None, :, None]) * N + n[None, None, :])
    tl.store(out_ptr + (z * M + m[None, :, None]) * N + n[None, None, :], tl.dot(a, b))
