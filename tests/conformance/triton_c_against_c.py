#!/usr/bin/env python3
"""Random programs in what Triton-C and C have in common, run by Nereid and by a C compiler.

    triton_c_against_c.py NEREID CC [COUNT [FIRST]]

Each is a function over ints with every kind of loop, break, continue, early return, shadowing-free scopes, choices and
short circuits, conversions, and a little memory. What it returns and what it leaves in memory must be the same. Programs
keep to what C defines (-fwrapv gives overflow a meaning): no variable is read and changed in one expression. The seed is
the program's number, so that one that fails can be made again.
"""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

INPUTS = [(3, 5), (0, 1), (100, 7)]
CELLS = 8


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0
        self.statements_left = 40
        self.assignable = {"x", "y", "z"}
        body = self.block(["x", "y", "z", "n", "m"], in_loop=False, depth=0)
        self.text = (f"int g(int *mem, int n, int m) {{\n  int x = 1, y = n, z = 2;\n  {body}\n"
                     f"  return x * 31 + y * 7 + z;\n}}\n")

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def expression(self, names, depth=0):
        choose = self.random
        if depth > 3 or choose.random() < .3:
            return choose.choice(names + [str(choose.randrange(20))])
        inner = lambda: self.expression(names, depth + 1)
        return choose.choice([
            lambda: f"({inner()} {choose.choice('+-*&|^')} {inner()} & 1023)",
            lambda: f"({inner()} {choose.choice('+-*&|^')} {inner()} & 1023)",
            lambda: f"({inner()} {choose.choice('/%')} ({inner()} & 7 | 1))",
            lambda: f"({inner()} {choose.choice(['<', '<=', '>', '>=', '==', '!='])} {inner()})",
            lambda: f"({inner()} {choose.choice(['&&', '||'])} {inner()})",
            lambda: f"({inner()} ? {inner()} : {inner()})",
            lambda: f"({inner()} {choose.choice(['<<', '>>'])} ({inner()} & 3) & 1023)",
            lambda: f"(({choose.choice(['int8', 'uint8', 'int16', 'uint32', 'long'])}){inner()} & 255)",
            lambda: f"mem[{inner()} & {CELLS - 1}]",
            lambda: f"(- {inner()})",
            lambda: f"(!{inner()})",
        ])()

    def block(self, names, in_loop, depth):
        local = list(names)
        return "{ " + " ".join(self.statement(local, in_loop, depth) for _ in range(self.random.randrange(1, 5))) + " }"

    def with_effect(self, names, targets):
        """An assignment inside an expression, of a variable that the rest of it does not mention."""
        p, q = self.random.sample(targets, 2)
        rest = [name for name in names if name not in (p, q)]
        e = lambda: self.expression(rest, 2)
        return self.random.choice([
            lambda: f"{q} = {e()} && ({p} = {e()} & 255);", lambda: f"{q} = {e()} || ({p} += {e()} & 255);",
            lambda: f"{q} = {e()} ? ({p} -= {e()} & 255) : {e()};", lambda: f"{q} = {e()} + {p}++;",
            lambda: f"{q} = --{p} * 2 & 255;", lambda: f"if ({e()} > 3 && ({p} ^= {e()} & 255) > 7) {q} = {p};",
            lambda: f"{q} = ({p} = 3, {e()} & 255);"
        ])()

    def loop(self, names, depth):
        choose, counter, turns = self.random, self.name(), self.random.randrange(1, 6)
        kind = choose.choice(["for", "for", "outer", "while", "do", "forever"])
        if kind == "for":
            head = choose.choice([
                f"int {counter} = 0; {counter} < {turns}; {counter}++",
                f"int {counter} = {turns}; {counter} > 0; {counter} -= {choose.randrange(1, 3)}",
                f"int {counter} = 1; {counter} <= ({self.expression(names, 3)} & 7); {counter} = {counter} + 2",
                f"long {counter} = 0; {turns} > {counter}; ++{counter}"
            ])
            return f"for ({head}) {self.block(names + [counter], True, depth + 1)}"
        body_names = names + [counter]
        names.append(counter)
        if kind == "outer":
            return (f"int {counter}; for ({counter} = {choose.randrange(4)}; {counter} < {turns + 2}; "
                    f"{counter} += {choose.randrange(1, 4)}) {self.block(body_names, True, depth + 1)}")
        if kind == "forever":
            return (f"int {counter} = 0; for (;; {counter} += 1) {{ if ({counter} >= {turns}) break; "
                    f"{self.block(body_names, True, depth + 1)} }}")
        if kind == "while":
            return (f"int {counter} = {turns}; while ({counter}-- > 0 && {self.expression(names[:-1], 2)} != 77) "
                    f"{self.block(body_names, True, depth + 1)}")
        return f"int {counter} = 0; do {self.block(body_names, True, depth + 1)} while (++{counter} < {turns});"

    def statement(self, names, in_loop, depth):
        choose = self.random
        self.statements_left -= 1
        is_simple = depth > 3 or self.statements_left < 0
        targets = [name for name in names if name in self.assignable]
        kind = choose.random() * (.35 if is_simple else 1)
        if kind < .22:
            return f"{choose.choice(targets)} {choose.choice(['=', '+=', '-=', '^=', '|='])} {self.expression(names)} & 4095;"
        if kind < .30:
            return self.with_effect(names, targets)
        if kind < .35:
            name, value = self.name(), self.expression(names)
            names.append(name)
            self.assignable.add(name)
            return f"int {name} = {value};"
        if kind < .55:
            text = f"if ({self.expression(names)}) {self.block(names, in_loop, depth + 1)}"
            return text + (f" else {self.block(names, in_loop, depth + 1)}" if choose.random() < .5 else "")
        if kind < .60 and in_loop:
            return f"if ({self.expression(names)}) {choose.choice(['break', 'continue'])};"
        if kind < .64:
            return f"if ({self.expression(names)}) return {self.expression(names)};"
        if kind < .67:
            return f"mem[{self.expression(names)} & {CELLS - 1}] = {self.expression(names)} & 255;"
        return self.loop(names, depth)


def save(path, values):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}i", *values))


def load(path, count):
    return list(struct.unpack(f"<{count}i", path.read_bytes()[-4 * count:]))


MAIN = """
int main(int count, char **values) {
  int mem[%d], result;
  for (int i = 0; i < %d; i++) mem[i] = i * i + 1;
  result = g(mem, atoi(values[1]), atoi(values[2]));
  printf("%%d", result);
  for (int i = 0; i < %d; i++) printf(" %%d", mem[i]);
}
""" % (CELLS, CELLS, CELLS)


def check(seed, nereid, compiler, folder):
    program = Program(seed).text
    (folder / "k.tc").write_text(program + "__global__ void k(int *mem, int *out, int n, int m) { *out = g(mem, n, m); }\n")
    (folder / "k.c").write_text("#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\ntypedef int8_t int8;\n"
                                "typedef uint8_t uint8;\ntypedef int16_t int16;\ntypedef uint32_t uint32;\n" + program + MAIN)
    subprocess.run([compiler, "-w", "-fwrapv", folder / "k.c", "-o", folder / "k"], check=True)
    for n, m in INPUTS:
        try:
            wanted = subprocess.run([folder / "k", str(n), str(m)], capture_output=True, text=True, check=True, timeout=10)
        except subprocess.TimeoutExpired:
            return None  # loops in loops, times loops
        save(folder / "mem.npy", [i * i + 1 for i in range(CELLS)])
        save(folder / "out.npy", [0])
        run = subprocess.run([nereid, "run", folder / "k.tc", "-k", "k", "-g", "1", "--arg", f"mem=@{folder}/mem.npy",
                              "--arg", f"out=@{folder}/out.npy", "--arg", f"n={n}", "--arg", f"m={m}",
                              "--out", f"mem={folder}/mem_after.npy", "--out", f"out={folder}/out_after.npy"],
                             capture_output=True, text=True, timeout=120)
        if run.returncode:
            return f"refused: {run.stderr}{program}"
        got = load(folder / "out_after.npy", 1) + load(folder / "mem_after.npy", CELLS)
        if got != [int(value) for value in wanted.stdout.split()]:
            return f"for n = {n}, m = {m}: got {got}, wanted {wanted.stdout}\n{program}"
    return None


def main():
    nereid, compiler = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            if problem := check(seed, nereid, compiler, pathlib.Path(folder)):
                print(f"program {seed}, {problem}")
                failures += 1
    print(f"{count - failures} of {count} programs do the same")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
