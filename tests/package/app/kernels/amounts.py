"""What add.py imports."""

import triton.language as tl

EXTRA = tl.constexpr(2)
