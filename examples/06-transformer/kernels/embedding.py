"""The rows of a table that belong to tokens."""

import triton
import triton.language as tl

from launches import let_next_begin, wait_for_last


@triton.jit
def embed_kernel(tokens_ptr, state_ptr, table_ptr, hidden_ptr, count, width, BLOCK: tl.constexpr):
    """hidden[i] = table[tokens[position + i]], for `count` tokens; the position is the state's first number.

    It lies in the device's memory, so that one recorded sequence of launches serves every position.
    """
    # In this order: what comes after the next one may take for granted that the last token was finished.
    wait_for_last()
    let_next_begin()
    i = tl.program_id(0)
    token = tl.load(tokens_ptr + tl.load(state_ptr) + i)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(table_ptr + token.to(tl.int64) * width + column, mask=column < width)
    tl.store(hidden_ptr + i.to(tl.int64) * width + column, row.to(tl.float32), mask=column < width)
