# Programs that wait for each other, as grid barriers and sums in several parts make them.
import triton
import triton.language as tl


@triton.jit
def exchange(x_ptr, out_ptr, sums_ptr, arrived_ptr, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    """Every program needs what all others have written, ROUNDS times."""
    pid = tl.program_id(0)
    n = tl.num_programs(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    for round in range(ROUNDS):
        tl.atomic_add(sums_ptr + round, tl.sum(x))
        tl.debug_barrier()
        tl.atomic_add(arrived_ptr, 1)
        while tl.atomic_add(arrived_ptr, 0) < n * (round + 1):
            pass
        x += tl.load(sums_ptr + round, volatile=True)
    tl.store(out_ptr + i, x)


@triton.jit
def from_the_last(x_ptr, out_ptr, flags_ptr, BLOCK: tl.constexpr):
    """Each program waits for the one after it."""
    pid = tl.program_id(0)
    total = tl.sum(tl.load(x_ptr + pid * BLOCK + tl.arange(0, BLOCK)))
    if pid < tl.num_programs(0) - 1:
        while tl.load(flags_ptr + pid + 1, volatile=True) == 0:
            pass
        total += tl.load(out_ptr + pid + 1)
    tl.store(out_ptr + pid, total)
    tl.debug_barrier()
    tl.atomic_xchg(flags_ptr + pid, 1)
