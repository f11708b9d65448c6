"""Rearranging, joining and cutting blocks. Results are stored row by row."""
import triton
import triton.language as tl


@triton.jit
def _grid(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def transpose(x_ptr, out_ptr, FORM: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + _grid(M, N))
    if FORM == "trans":
        y = tl.trans(x)
    elif FORM == "method":
        y = x.trans()
    elif FORM == "T":
        y = x.T
    elif FORM == "permute":
        y = tl.permute(x, (1, 0))
    elif FORM == "permute_numbers":
        y = tl.permute(x, 1, 0)
    elif FORM == "permute_method":
        y = x.permute(1, 0)
    else:
        y = tl.trans(x, 1, 0)
    tl.store(out_ptr + _grid(N, M), y)


@triton.jit
def permute3(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, I: tl.constexpr, J: tl.constexpr,
             K: tl.constexpr):
    x = tl.reshape(tl.load(x_ptr + tl.arange(0, I * J * K)), (I, J, K))
    y = tl.permute(x, (A, B, C))
    tl.store(out_ptr + tl.arange(0, I * J * K), tl.reshape(y, (I * J * K,)))


@triton.jit
def reshape(x_ptr, out_ptr, FORM: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M * N))
    if FORM == "reshape":
        y = tl.reshape(x, (M, N))
    elif FORM == "numbers":
        y = tl.reshape(x, M, N)
    elif FORM == "method":
        y = x.reshape(M, N)
    elif FORM == "list":
        y = x.reshape([M, N])
    elif FORM == "view":
        y = tl.view(x, (M, N))
    elif FORM == "view_method":
        y = x.view(M, N)
    else:
        y = tl.reshape(x, (M, 1, N)).reshape(M, N)
    tl.store(out_ptr + _grid(N, M), tl.trans(y))


@triton.jit
def ravel(x_ptr, out_ptr, FORM: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + _grid(M, N)).T
    if FORM == "ravel":
        y = tl.ravel(x)
    else:
        y = x.ravel()
    tl.store(out_ptr + tl.arange(0, M * N), y)


@triton.jit
def broadcast(x_ptr, out_ptr, FORM: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    if FORM == "broadcast_to":
        y = tl.broadcast_to(x[None, :], (M, N))
    elif FORM == "numbers":
        y = tl.broadcast_to(x[None, :], M, N)
    elif FORM == "method":
        y = x[None, :].broadcast_to(M, N)
    elif FORM == "expand_dims":
        y = tl.broadcast_to(tl.expand_dims(x, 0), (M, N))
    elif FORM == "expand_dims_negative":
        y = tl.broadcast_to(tl.expand_dims(x, axis=-2), [M, N])
    elif FORM == "expand_dims_method":
        y = x.expand_dims(0).broadcast_to((M, N))
    elif FORM == "rank":
        y = tl.zeros((M, N), tl.int32) + x
    elif FORM == "pair":
        y, _ = tl.broadcast(x[None, :], tl.zeros((M, N), tl.int32))
    elif FORM == "scalar":
        y = tl.broadcast_to(tl.load(x_ptr + 1), (M, N))
    else:
        y = x[None, :] + tl.zeros((M, 1), tl.int32)
    tl.store(out_ptr + _grid(M, N), y)


@triton.jit
def expand_axes(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    a = tl.expand_dims(x, (0, 2))
    tl.static_assert(a.shape[0] == 1 and a.shape[1] == N and a.shape[2] == 1)
    b = x[None, :, None]
    c = x[:, None][None, :, :]
    tl.store(out_ptr + tl.arange(0, N), tl.reshape(a + b + c, (N,)))


@triton.jit
def index_scalar(out_ptr, n):
    """A scalar has no dimension for ':', but gets one for each None."""
    a = n[:, None]
    b = n[None, :]
    c = n[None, None]
    tl.static_assert(a.shape[0] == 1 and len(a.shape) == 1 and len(b.shape) == 1 and len(c.shape) == 2)
    tl.store(out_ptr + tl.arange(0, 4), a + b + tl.reshape(c, (1,)))


@triton.jit
def join(x_ptr, y_ptr, out_ptr, FORM: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    y = tl.load(y_ptr + tl.arange(0, N))
    if FORM == "join":
        tl.store(out_ptr + _grid(N, 2), tl.join(x, y))
    elif FORM == "interleave":
        tl.store(out_ptr + tl.arange(0, 2 * N), tl.interleave(x, y))
    else:
        tl.store(out_ptr + tl.arange(0, 2 * N), tl.cat(x, y, can_reorder=True))


@triton.jit
def interleave_tiles(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + _grid(M, N))
    y = tl.load(y_ptr + _grid(M, N))
    tl.store(out_ptr + _grid(M, 2 * N), tl.interleave(x, y))


@triton.jit
def split(x_ptr, out_ptr, FORM: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + _grid(N, 2))
    if FORM == "split":
        a, b = tl.split(x)
    else:
        a, b = x.split()
    tl.store(out_ptr + tl.arange(0, N), a)
    tl.store(out_ptr + N + tl.arange(0, N), b)


@triton.jit
def split_to_scalars(x_ptr, out_ptr):
    a, b = tl.split(tl.load(x_ptr + tl.arange(0, 2)))
    tl.store(out_ptr, a)
    tl.store(out_ptr + 1, b * 2)


@triton.jit
def join_scalars(out_ptr):
    p = tl.program_id(0)
    tl.store(out_ptr + tl.arange(0, 2), tl.join(p + 3, p + 4))


@triton.jit
def flip(x_ptr, out_ptr, FORM: tl.constexpr, DIM: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + _grid(M, N))
    if FORM == "flip":
        y = tl.flip(x, DIM)
    else:
        y = x.flip(DIM)
    tl.store(out_ptr + _grid(M, N), y)


@triton.jit
def flip_line(x_ptr, out_ptr, N: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, N), tl.flip(tl.load(x_ptr + tl.arange(0, N)), 0))


@triton.jit
def item_of_one(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 1))
    tl.store(out_ptr, x.item())


@triton.jit
def rotate_halves(x_ptr, out_ptr, N: tl.constexpr):
    """As rotary embeddings do: a reshape, a permute and a split."""
    x = tl.load(x_ptr + tl.arange(0, 2 * N))
    a, b = x.reshape(2, N).permute(1, 0).split()
    tl.store(out_ptr + tl.arange(0, 2 * N), tl.join(-b, a).permute(1, 0).reshape(2 * N))


@triton.jit
def hadamard(x_ptr, out_ptr, STAGES: tl.constexpr):
    """Each stage adds and subtracts neighbours at a distance, by splits and joins."""
    N: tl.constexpr = 1 << STAGES
    x = tl.load(x_ptr + tl.arange(0, N))
    for stage in tl.static_range(STAGES):
        a, b = x.reshape(N >> (stage + 1), 2, 1 << stage).permute(0, 2, 1).split()
        x = tl.join(a + b, a - b).permute(0, 2, 1).reshape(N)
    tl.store(out_ptr + tl.arange(0, N), x)
