#!/usr/bin/env python3
"""Times kernels that Nereid compiled for the CPU beside NumPy and plain C, and prints a table for docs/performance.md.

    compare.py NEREID [--threads 1,all] [--runs 15] [--only NAME]

Needs NumPy and a C compiler. The number of threads is fixed when a library is loaded, so each is a process of its own.
Every figure is the best of the runs, which go round the competitors in turn so that a disturbance meets all of them;
with one thread it is the processor time that the process used, which other load on the machine changes little. Results
are compared before anything is timed.
"""
import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROWS, COLS, SIZE, HEADS, LENGTH, WIDTH, COUNT = 4096, 1024, 1024, 8, 1024, 64, 1 << 22
F, H = "*fp32:16", "*fp16:16"
# name, file, kernel, signature, grid
LIBRARIES = [
    ("add", "../kernels.py", "add_kernel", f"{F}, {F}, {F}, i32, 1024", "cdiv(n, BLOCK)"),
    ("softmax", "../kernels.py", "softmax_kernel", f"{F}, {F}, i32:16, i32, {COLS}", None),
    ("layer_norm", "../kernels.py", "layer_norm_kernel", f"{F}, {F}, {F}, {F}, i32:16, i32, fp32, {COLS}", None),
    ("matmul", "kernels.py", "matmul_kernel", f"{F}, {F}, {F}, i32, i32, i32, i32:16, i32:16, i32:16, 64, 128, 128, 4",
     "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"),
    ("matmul_half", "kernels.py", "matmul_kernel",
     f"{H}, {H}, {H}, i32, i32, i32, i32:16, i32:16, i32:16, 64, 128, 128, 4", "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"),
    ("attention", "kernels.py", "attention_kernel", f"{F}, {F}, {F}, {F}, fp32, i32, {WIDTH}, 64, 64", None),
]


def build(nereid, folder):
    for name, file, kernel, signature, grid in LIBRARIES:
        command = [nereid, "compile", HERE / file, "-k", kernel, "--function", f"{name}_run", "-s", signature, "-t", "cpu",
                   "-o", folder / f"{name}.nko"]
        subprocess.run(command + (["-g", grid] if grid else []), check=True)
        subprocess.run([nereid, "link", folder / f"{name}.nko", "-n", name, "-o", folder, "--shared"], check=True)
    subprocess.run([os.environ.get("CC", "cc"), "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC",
                    HERE / "plain.c", "-o", folder / "libplain.so", "-lm"], check=True)


class Stream(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int32), ("handle", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


def measure(folder, runs, one_thread, only):
    import numpy as np

    clock = time.process_time if one_thread else time.perf_counter
    plain = ctypes.CDLL(str(folder / "libplain.so"))
    long, real, word = ctypes.c_int64, ctypes.c_float, ctypes.c_int32
    stream = Stream(0, None)

    def address(array):
        return ctypes.c_void_p(array.ctypes.data)

    def kernel(name, *arguments, grid=None):
        library = ctypes.CDLL(str(folder / f"lib{name}.so"))
        function = library[f"{name}_run_grid" if grid else f"{name}_run"]
        arguments = (stream,) + ((Dim3(*grid),) if grid else ()) + arguments

        def call():
            status = function(*arguments)
            if status:
                raise RuntimeError(f"{name} returned {status}")

        return call

    def report(name, work, unit, out, ours, c, numpy, tolerance):
        if only and name != only:
            return
        want = numpy()
        for label, call in (("Nereid", ours), ("C", c)):
            out.fill(float("nan"))
            call()
            error = np.abs(out.astype(np.float64) - want.astype(np.float64)).max() / np.abs(want).max()
            if not error < tolerance:
                raise SystemExit(f"{name}: {label} gives a wrong result, relative error {error}")
        best = {}
        for run in range(runs):
            for label, call in (("Nereid", ours), ("C", c), ("NumPy", numpy)):
                if label in best and best[label] > 0.5 and run > 2:
                    continue
                start = clock()
                call()
                best[label] = min(best.get(label, 1e9), clock() - start)
        figures = " | ".join(f"{work / best[label] / 1e9:.1f}" for label in ("Nereid", "C", "NumPy"))
        print(f"| {name} | {unit} | {figures} |", flush=True)

    random = np.random.default_rng(1)

    def numbers(*shape, dtype=np.float32):
        return random.standard_normal(shape, dtype=np.float32).astype(dtype)

    x, y, out = numbers(COUNT), numbers(COUNT), np.empty(COUNT, np.float32)
    # NumPy too writes to memory that is there already.
    room = np.empty_like(out)
    report("add f32, 2^22", 12 * COUNT, "GB/s", out,
           kernel("add", address(x), address(y), address(out), word(COUNT)),
           lambda: plain.c_add(address(x), address(y), address(out), long(COUNT)),
           lambda: np.add(x, y, out=room), 1e-6)

    x, out = numbers(ROWS, COLS), np.empty((ROWS, COLS), np.float32)

    def numpy_softmax():
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    report(f"softmax f32, {ROWS}×{COLS}", 8 * ROWS * COLS, "GB/s", out,
           kernel("softmax", address(out), address(x), word(COLS), word(COLS), grid=(ROWS, 1, 1)),
           lambda: plain.c_softmax(address(x), address(out), long(ROWS), long(COLS)), numpy_softmax, 1e-5)

    w, b = numbers(COLS), numbers(COLS)

    def numpy_layer_norm():
        centered = x - x.mean(axis=1, keepdims=True)
        return centered / np.sqrt((centered * centered).mean(axis=1, keepdims=True) + np.float32(1e-5)) * w + b

    report(f"layer norm f32, {ROWS}×{COLS}", 8 * ROWS * COLS, "GB/s", out,
           kernel("layer_norm", address(x), address(out), address(w), address(b), word(COLS), word(COLS), real(1e-5),
                  grid=(ROWS, 1, 1)),
           lambda: plain.c_layer_norm(address(x), address(out), address(w), address(b), long(ROWS), long(COLS),
                                      real(1e-5)), numpy_layer_norm, 1e-4)

    for name, dtype, c_function, tolerance in (("matmul", np.float32, plain.c_matmul, 1e-4),
                                               ("matmul_half", np.float16, plain.c_matmul_half, 1e-2)):
        p, q, out = numbers(SIZE, SIZE, dtype=dtype), numbers(SIZE, SIZE, dtype=dtype), np.empty((SIZE, SIZE), dtype)
        n = word(SIZE)
        report(f"matmul f{out.itemsize * 8}, {SIZE}³", 2 * SIZE**3, "GFLOP/s", out,
               kernel(name, address(p), address(q), address(out), n, n, n, n, n, n),
               lambda: c_function(address(p), address(q), address(out), long(SIZE)), lambda: p @ q, tolerance)

    q, k, v = (numbers(HEADS, LENGTH, WIDTH) for _ in range(3))
    out, scale = np.empty_like(q), 1 / WIDTH**0.5

    def numpy_attention():
        scores = q @ k.transpose(0, 2, 1) * np.float32(scale)
        e = np.exp(scores - scores.max(axis=2, keepdims=True))
        return e / e.sum(axis=2, keepdims=True) @ v

    report(f"attention f32, {HEADS}×{LENGTH}×{WIDTH}", 4 * HEADS * LENGTH**2 * WIDTH, "GFLOP/s", out,
           kernel("attention", address(q), address(k), address(v), address(out), real(scale), word(LENGTH),
                  grid=((LENGTH + 63) // 64, HEADS, 1)),
           lambda: plain.c_attention(address(q), address(k), address(v), address(out), long(HEADS), long(LENGTH),
                                     long(WIDTH), real(scale)), numpy_attention, 1e-4)

    # What a call costs when there is little to do: all in C, where the call itself is a few nanoseconds.
    if not only or only == "small":
        x, y, out = numbers(1000), numbers(1000), np.empty(1000, np.float32)
        source = folder / "small.c"
        source.write_text(
            '#include "add.h"\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n'
            "static double now(void) {\n"
            "  struct timespec t;\n  clock_gettime(CLOCK_MONOTONIC, &t);\n  return t.tv_sec * 1e9 + t.tv_nsec;\n}\n"
            "static int compare(const void *a, const void *b) {\n"
            "  return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b);\n}\n"
            "double small(const float *x, const float *y, float *out, int n, int calls) {\n"
            "  double start = now();\n"
            "  for (int i = 0; i < calls; ++i)\n    if (add_run(nrd_cpu_stream(), x, y, out, n))\n      return -1;\n"
            "  return (now() - start) / calls;\n}\n"
            "double after_pauses(const float *x, const float *y, float *out, int n, int calls) {\n"
            "  double *took = malloc(calls * sizeof *took), median;\n"
            "  for (int i = 0; i < calls; ++i) {\n    usleep(500);\n    double start = now();\n"
            "    if (add_run(nrd_cpu_stream(), x, y, out, n))\n      return -1;\n    took[i] = now() - start;\n  }\n"
            "  qsort(took, calls, sizeof *took, compare);\n  median = took[calls / 2];\n  free(took);\n"
            "  return median;\n}\n")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", f"-I{folder}", source, "-o",
                        folder / "libsmall.so", folder / "libadd.so", f"-Wl,-rpath,{folder}"], check=True)
        library = ctypes.CDLL(str(folder / "libsmall.so"))
        small, after_pauses = library.small, library.after_pauses
        small.restype = after_pauses.restype = ctypes.c_double
        for n in (1000, 5000):
            x, y, out = numbers(n), numbers(n), np.empty(n, np.float32)
            best = min(small(address(x), address(y), address(out), n, 1000) for _ in range(30))
            paused = after_pauses(address(x), address(y), address(out), n, 400)
            print(f"one call of add with {n} elements, {(n + 1023) // 1024} programs: {best:.0f} ns, "
                  f"{paused:.0f} ns in the median after pauses of 500 µs", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nereid")
    parser.add_argument("--threads", default="1,all")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--only")
    parser.add_argument("--folder", help="where the libraries are already built; used by the script itself")
    options = parser.parse_args()
    if options.folder:
        measure(Path(options.folder), options.runs, options.threads == "1", options.only)
        return
    with tempfile.TemporaryDirectory() as folder:
        build(str(Path(options.nereid).resolve()), Path(folder))
        for threads in options.threads.split(","):
            count = str(os.cpu_count()) if threads == "all" else threads
            print(f"\n{count} thread{'s' if count != '1' else ''}\n\n| work | | Nereid | C | NumPy |\n| --- | --- | --- | --- | --- |")
            sys.stdout.flush()
            environment = dict(os.environ, NEREID_NUM_THREADS=count, OMP_NUM_THREADS=count, OPENBLAS_NUM_THREADS=count)
            command = [sys.executable, __file__, options.nereid, "--folder", folder, "--threads", count, "--runs",
                       str(options.runs)]
            subprocess.run(command + (["--only", options.only] if options.only else []), env=environment, check=True)


if __name__ == "__main__":
    main()
