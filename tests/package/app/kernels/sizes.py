# A kernel whose file leaves a choice open, and whose configurations differ.
import triton
import triton.language as tl
from fast_kernels import fast_path

STEP = tl.constexpr(1 if fast_path() else 2)
LABEL = "plain"


@triton.autotune(configs=[triton.Config({"SIZE": 100}), triton.Config({"SIZE": 200}, maxnreg=64)], key=[])
@triton.jit
def sizes_kernel(x_ptr, SIZE: tl.constexpr):
    tl.store(x_ptr, SIZE * STEP + (1 if LABEL == "a b" else 0))
