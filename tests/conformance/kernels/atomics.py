"""Read-modify-write operations on memory that lanes and programs share."""
import triton
import triton.language as tl


@triton.jit
def distinct(x_ptr, mem_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    p = mem_ptr + i
    if OP == "add":
        old = tl.atomic_add(p, x)
    elif OP == "max":
        old = tl.atomic_max(p, x)
    elif OP == "min":
        old = tl.atomic_min(p, x)
    elif OP == "and":
        old = tl.atomic_and(p, x)
    elif OP == "or":
        old = tl.atomic_or(p, x)
    elif OP == "xor":
        old = tl.atomic_xor(p, x)
    else:
        old = tl.atomic_xchg(p, x)
    tl.store(out_ptr + i, old)


@triton.jit
def to_one_place(x_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    """All lanes of all programs meet at one element."""
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    p = out_ptr + tl.zeros((BLOCK,), tl.int32)
    if OP == "add":
        tl.atomic_add(p, x)
    elif OP == "max":
        tl.atomic_max(p, x)
    elif OP == "min":
        tl.atomic_min(p, x)
    elif OP == "and":
        tl.atomic_and(p, x)
    elif OP == "or":
        tl.atomic_or(p, x)
    else:
        tl.atomic_xor(p, x)


@triton.jit
def masked(x_ptr, mem_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    old = tl.atomic_add(mem_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0), mask=i < n)
    tl.store(out_ptr + i, old, mask=i < n)


@triton.jit
def modes(out_ptr, SEM: tl.constexpr, SCOPE: tl.constexpr):
    tl.atomic_add(out_ptr, 1, sem=SEM, scope=SCOPE)
    tl.atomic_max(out_ptr + 1, 5, sem=SEM, scope=SCOPE)
    tl.atomic_xchg(out_ptr + 2, 7, sem=SEM, scope=SCOPE)
    tl.atomic_cas(out_ptr + 3, 0, 9, sem=SEM, scope=SCOPE)


@triton.jit
def scalar(out_ptr, old_ptr):
    pid = tl.program_id(0)
    old = tl.atomic_add(out_ptr, 1)
    tl.store(old_ptr + old, 1)
    tl.atomic_max(out_ptr + 1, pid)
    tl.atomic_min(out_ptr + 2, pid, mask=pid > 3)


@triton.jit
def compare_and_swap(cmp_ptr, x_ptr, mem_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    old = tl.atomic_cas(mem_ptr + i, tl.load(cmp_ptr + i), tl.load(x_ptr + i))
    tl.store(out_ptr + i, old)


@triton.jit
def spin_lock(lock_ptr, out_ptr, n):
    """Programs add to a plain counter one at a time."""
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr, tl.load(out_ptr, volatile=True) + n)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def methods(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    (out_ptr + i).atomic_add(i)
    (out_ptr + i).atomic_max(2)
    (out_ptr + i).atomic_min(100)
    (out_ptr + i).atomic_or(8)
    (out_ptr + i).atomic_and(15)
    (out_ptr + i).atomic_xor(1)
