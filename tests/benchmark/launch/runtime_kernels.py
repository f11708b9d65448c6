"""Kernels whose work can be seen, for gpu_runtime.c."""
import triton
import triton.language as tl


@triton.jit
def bump(x_ptr, n, BLOCK: tl.constexpr):
    """Adds 1."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x + 1, mask=offsets < n)


@triton.jit
def spin(x_ptr, rounds):
    """Takes some nanoseconds a round, one after the other; then adds 1."""
    x = tl.load(x_ptr)
    y = x
    for _ in range(rounds):
        y = y * 0.5 + 0.25
    tl.store(x_ptr, x + 1 + tl.where(y > 1e30, 1.0, 0.0))


@triton.jit
def early(x_ptr, n, BLOCK: tl.constexpr):
    """Adds 1, launched before the launch before has ended."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.extra.cuda.gdc_wait()
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x + 1, mask=offsets < n)
    tl.extra.cuda.gdc_launch_dependents()


@triton.jit
def together(x_ptr, count_ptr, rounds):
    """Adds 1 in each round, behind which all programs wait for one another."""
    program = tl.program_id(0)
    programs = tl.num_programs(0)
    for i in range(rounds):
        x = tl.load(x_ptr + program)
        tl.store(x_ptr + program, x + 1)
        tl.atomic_add(count_ptr, 1, sem="acq_rel")
        target = (i + 1) * programs
        while tl.atomic_add(count_ptr, 0, sem="acquire") < target:
            pass
