"""The next token: the likeliest one, or one of the likeliest by chance, the same in every run with the same seed.

First many programs pick the best of parts of the vocabulary, then one program picks among those. A candidate is one
integer: above, the logit's bits, changed so that they are ordered as the numbers are; below, the token counted from the
end, so that of equals the first one wins. No two candidates are equal, so the result depends on no order of execution.
"""

import triton
import triton.language as tl

from launches import let_next_begin, wait_for_last


@triton.jit
def candidates_kernel(logits_ptr, candidates_ptr, vocabulary, TOP: tl.constexpr, BLOCK: tl.constexpr):
    """The TOP best of BLOCK logits."""
    let_next_begin()
    wait_for_last()
    token = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bits = tl.load(logits_ptr + token, mask=token < vocabulary, other=float("-inf")).to(tl.int32, bitcast=True)
    ordered = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    keys = (ordered.to(tl.int64) << 32) + (0xFFFFFFFF - token.to(tl.int64))
    if TOP == 1:
        tl.store(candidates_ptr + tl.program_id(0), tl.max(keys, 0))
    else:
        tl.store(candidates_ptr + tl.program_id(0) * TOP + tl.arange(0, TOP), tl.topk(keys, TOP))


@triton.jit
def choose_kernel(candidates_ptr, tokens_ptr, state_ptr, candidates, count, top, temperature, seed, TOP: tl.constexpr,
                  BLOCK: tl.constexpr):
    """Writes the token that follows `count` tokens from the state's position, and moves the position behind those.

    Of the `top` best, at most TOP, each is chosen with a probability of softmax(logits / temperature): the largest
    of logit / temperature + noise, where noise has the distribution of Gumbel, and the token and its position decide it.
    """
    let_next_begin()
    wait_for_last()
    i = tl.arange(0, BLOCK)
    keys = tl.load(candidates_ptr + i, mask=i < candidates, other=-0x7FFFFFFFFFFFFFFF)
    position = tl.load(state_ptr) + count
    if TOP == 1:
        best = tl.max(keys, 0)
        token = (0xFFFFFFFF - (best & 0xFFFFFFFF)).to(tl.int32)
    else:
        keys = tl.topk(keys, TOP)
        tokens = (0xFFFFFFFF - (keys & 0xFFFFFFFF)).to(tl.int32)
        ordered = (keys >> 32).to(tl.int32)
        logits = tl.where(ordered < 0, ordered ^ 0x7FFFFFFF, ordered).to(tl.float32, bitcast=True)
        chance = tl.maximum(tl.rand(seed + position, tokens), 1e-10)
        scores = logits / temperature - tl.log(-tl.log(chance))
        scores = tl.where(tl.arange(0, TOP) < top, scores, float("-inf"))
        token = tl.sum(tl.where(tl.arange(0, TOP) == tl.argmax(scores, 0), tokens, 0), 0)
    tl.store(tokens_ptr + position, token)
    tl.store(state_ptr, position)
