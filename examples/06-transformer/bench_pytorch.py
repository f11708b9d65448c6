#!/usr/bin/env python3
"""The same model in PyTorch, with the same weights, printing the same figures as `transformer --bench`.

    python3 bench_pytorch.py [--type f16|bf16|f32] [--head 64|128] [--width N] [--layers N] [--prompt N]
                             [--tokens N] [--compile] [--attention sdpa|matmul]

Tokens are generated eagerly, and as a CUDA graph of the same calls; with --compile also by what torch.compile makes of
them, as a graph, too. Needs a GPU; --device cpu --layers 1 shows that the program works.
"""
import argparse
import math
import time

import torch
import torch.nn.functional as F

TABLE, ATTENTION_NORM, QKV, OUTPUT, MLP_NORM, GATE_UP, DOWN, FINAL_NORM, LOGITS = range(9)


def numbers(rows, columns, seed, scale, middle, dtype, device):
    """As kernels/weights.py makes them."""
    result = torch.empty(rows * columns, dtype=dtype, device=device)
    step = 1 << 24
    scale = torch.tensor(scale, dtype=torch.float32, device=device)
    mask = 0xFFFFFFFF
    for first in range(0, rows * columns, step):
        x = torch.arange(first, min(first + step, rows * columns), dtype=torch.int64, device=device)
        x = (x + seed * 0x9E3779B9) & mask
        x = ((x ^ (x >> 16)) * 0x85EBCA6B) & mask
        x = ((x ^ (x >> 13)) * 0xC2B2AE35) & mask
        x = x ^ (x >> 16)
        part = (x >> 8).to(torch.float32) * 2.0**-23 - 1.0
        result[first:first + step] = (part * scale + middle).to(dtype)
    return result.view(rows, columns)


class Model:

    def __init__(self, args, device, dtype):
        self.width, self.layers, self.inner, self.vocabulary = args.width, args.layers, 4 * args.width, 32768
        self.head, self.heads, self.kv_heads = args.head, args.width // args.head, args.width // args.head // 4
        self.capacity = (args.prompt + args.tokens + 64) // 64 * 64
        self.device, self.dtype, self.attention = device, dtype, args.attention
        rows = (self.heads + 2 * self.kv_heads) * self.head

        def matrix(part, layer, rows, columns):
            # Single precision, as in C++.
            scale = torch.sqrt(torch.tensor(3.0) / torch.tensor(1.0 if part == TABLE else float(columns))).item()
            return numbers(rows, columns, 65536 + layer * 16 + part, scale, 0.0, dtype, device)

        def scale(part, layer):
            return numbers(1, self.width, 65536 + layer * 16 + part, 0.25, 1.0, dtype, device)[0]

        n = self.layers
        self.table = matrix(TABLE, n, self.vocabulary, self.width)
        self.final_norm = scale(FINAL_NORM, n)
        self.logits = matrix(LOGITS, n, self.vocabulary, self.width)
        self.weights = [(scale(ATTENTION_NORM, i), matrix(QKV, i, rows, self.width),
                         matrix(OUTPUT, i, self.width, self.heads * self.head), scale(MLP_NORM, i),
                         matrix(GATE_UP, i, 2 * self.inner, self.width), matrix(DOWN, i, self.width, self.inner))
                        for i in range(n)]
        self.keys = torch.zeros(n, 1, self.kv_heads, self.capacity, self.head, dtype=dtype, device=device)
        self.values = torch.zeros_like(self.keys)
        angles = torch.arange(self.capacity, dtype=torch.float64)[:, None] * 500000.0**(
            -torch.arange(self.head // 2, dtype=torch.float64) / (self.head // 2))
        self.cosines, self.sines = angles.cos().float().to(device), angles.sin().float().to(device)
        self.places = torch.arange(self.capacity, device=device)

    def parameters(self):
        return (2 * self.table.numel() + self.width + sum(w.numel() for layer in self.weights for w in layer))

    def turn(self, x, positions):
        half = self.head // 2
        cosines, sines = self.cosines[positions][:, None, :], self.sines[positions][:, None, :]
        a, b = x[..., :half].float(), x[..., half:].float()
        return torch.cat([a * cosines - b * sines, b * cosines + a * sines], -1).to(x.dtype)

    def read(self, tokens, positions, prompt):
        """The logits behind the last of `tokens`; those of a prompt begin at position 0."""
        hidden = self.table[tokens]
        count, q_width, kv_width = len(tokens), self.heads * self.head, self.kv_heads * self.head
        mask = None if prompt else (self.places[None, :] <= positions[:, None])[None, None]
        for layer, (attention_norm, qkv, output, mlp_norm, gate_up, down) in enumerate(self.weights):
            x = F.linear(F.rms_norm(hidden, (self.width, ), attention_norm, 1e-5), qkv)
            q, k, v = x.split([q_width, kv_width, kv_width], -1)
            q = self.turn(q.view(count, self.heads, self.head), positions).transpose(0, 1)[None]
            k = self.turn(k.view(count, self.kv_heads, self.head), positions).transpose(0, 1)
            v = v.view(count, self.kv_heads, self.head).transpose(0, 1)
            keys, values = self.keys[layer], self.values[layer]
            keys.index_copy_(2, positions, k[None])
            values.index_copy_(2, positions, v[None])
            if prompt:
                found = F.scaled_dot_product_attention(q, k[None], v[None], is_causal=True, enable_gqa=True)
            else:
                # Heads that share keys as if they were several tokens: the fused kernels take that.
                q = q.view(1, self.kv_heads, self.heads // self.kv_heads, self.head)
                if self.attention == "sdpa":
                    found = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
                else:
                    scores = (q @ keys.transpose(-1, -2)).float() * self.head**-0.5
                    found = scores.masked_fill(~mask, -math.inf).softmax(-1).to(values.dtype) @ values
                found = found.reshape(1, self.heads, 1, self.head)
            hidden = hidden + F.linear(found[0].transpose(0, 1).reshape(count, q_width), output)
            gate, up = F.linear(F.rms_norm(hidden, (self.width, ), mlp_norm, 1e-5), gate_up).chunk(2, -1)
            hidden = hidden + F.linear(F.silu(gate) * up, down)
        return F.linear(F.rms_norm(hidden[-1:], (self.width, ), self.final_norm, 1e-5), self.logits)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--type", default="f16", choices=["f16", "bf16", "f32"])
    parser.add_argument("--head", type=int, default=64)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--prompt", type=int, default=2048)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--attention", default="sdpa", choices=["sdpa", "matmul"],
                        help="how a token's attention is computed: PyTorch's function, or two products and a softmax")
    args = parser.parse_args()
    gpu = args.device == "cuda"
    dtype = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}[args.type]

    def wait():
        if gpu:
            torch.cuda.synchronize()

    def best(work, rounds=5):
        times = []
        for _ in range(rounds):
            wait()
            start = time.perf_counter()
            work()
            wait()
            times.append(time.perf_counter() - start)
        return min(times)

    with torch.inference_mode():
        model = Model(args, args.device, dtype)
        print(f"PyTorch {torch.__version__}: {model.parameters() * 1e-9:.3g} billion weights in {args.type}, "
              f"{model.layers} layers of {model.width}, {model.heads} heads of {model.head}, {model.kv_heads} for keys")
        prompt = torch.tensor([((i * 2654435761 & 0xFFFFFFFF) >> 8) % model.vocabulary for i in range(args.prompt)],
                              device=args.device)
        positions = torch.arange(args.prompt, device=args.device)
        generated = torch.zeros(args.tokens + 1, dtype=torch.int64, device=args.device)
        token = torch.zeros(1, dtype=torch.int64, device=args.device)
        position = torch.zeros(1, dtype=torch.int64, device=args.device)

        def read_prompt(read=model.read):
            token.copy_(read(prompt, positions, True).argmax(-1))
            position.fill_(args.prompt)

        def read_token(read=model.read):
            generated.index_copy_(0, position - args.prompt, token)
            token.copy_(read(token, position, False).argmax(-1))
            position.add_(1)

        def show_tokens(name, each):
            cache = model.kv_heads * model.head * 2 * (args.prompt + args.tokens // 2) * model.layers
            size = (model.parameters() - model.table.numel() + cache) * model.table.element_size()
            print(f"  {args.tokens} tokens after it, {name}: {each * 1e6:.1f} us for each, {1 / each:.1f} tokens/s, "
                  f"{size / each * 1e-9:.0f} GB/s, {size / each / 4.8e12 * 100:.1f} % of 4.8 TB/s", flush=True)

        def generate(step):
            read_prompt()
            wait()
            start = time.perf_counter()
            for _ in range(args.tokens):
                step()
            wait()
            return (time.perf_counter() - start) / args.tokens

        def record(step):
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                step()
            side.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                step()
            return graph.replay

        def bench(name, read):
            read_prompt(read)
            elapsed = best(lambda: read_prompt(read))
            print(f"  prompt of {args.prompt} tokens, {name}: {elapsed * 1e3:.3f} ms, {args.prompt / elapsed:.0f} tokens/s",
                  flush=True)
            step = lambda: read_token(read)
            step()
            show_tokens(f"{name}, call by call", min(generate(step) for _ in range(2)))
            if gpu:
                read_prompt(read)
                replay = record(step)
                show_tokens(f"{name}, as graphs", min(generate(replay) for _ in range(4)))

        bench("eager", model.read)
        print("  tokens:", *generated[:12].tolist())
        if args.compile:
            start = time.perf_counter()
            bench("torch.compile", torch.compile(model.read))
            print(f"  with torch.compile after {time.perf_counter() - start:.0f} s")
            print("  tokens:", *generated[:12].tolist())


if __name__ == "__main__":
    main()
