"""One launch through both compilers: the same arrays before, what each leaves in them, and how long each takes."""
import contextlib
import ctypes
import math
import os

import torch

from compiling import library_name, other_folder

TOLERANCES = {torch.float64: 1e-6, torch.float32: 5e-3, torch.float16: 1e-2, torch.bfloat16: 1e-2}  # of others: 5e-2
WHOLE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
MOST_BYTES = 24 << 30


class Stream(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int32), ("handle", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


class Refused(Exception):
    """The library returned an error."""


class Call:
    """A launch through Nereid's C function."""

    def __init__(self, launch, folder):
        name = library_name(launch.specialization.id)
        self.library = ctypes.CDLL(f"{folder}/lib{name}.so")
        self.function = self.library[f"{name}_kernel_grid"]
        self.last_error = self.library[f"{name}_last_error"]
        self.last_error.restype = ctypes.c_char_p
        self.grid, self.arguments = Dim3(*launch.grid), launch.c_arguments()

    def __call__(self):
        stream = Stream(1, torch.cuda.current_stream().cuda_stream)
        if self.function(stream, self.grid, *self.arguments) != 0:
            raise Refused(self.last_error().decode())


class Arrays:
    """All memory that a launch's tensors are parts of."""

    def __init__(self, launch):
        self.named = {}
        for name, tensor in launch.tensors():
            storage = tensor.untyped_storage()
            if storage.nbytes() and storage.data_ptr() not in self.named:
                live = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
                self.named[storage.data_ptr()] = (name, tensor.dtype, live)

    def bytes(self):
        return sum(live.numel() for _, _, live in self.named.values())

    def save(self):
        return {key: live.clone() for key, (_, _, live) in self.named.items()}

    def restore(self, saved):
        for key, copy in saved.items():
            self.named[key][2].copy_(copy)

    def changed(self, before):
        return [key for key, (_, _, live) in self.named.items() if not torch.equal(live, before[key])]


def view(data, dtype):
    return data[:data.numel() // dtype.itemsize * dtype.itemsize].view(dtype)


def difference(before, theirs, ours, dtype):
    """Of the elements that either wrote: the relative error, and how many are not comparable, as NaN and a number are not
    (of integers, how many differ). None if nothing was written."""
    if dtype.is_complex:
        dtype = {torch.complex64: torch.float32, torch.complex128: torch.float64}[dtype]
    whole = WHOLE[dtype.itemsize]
    old, t, o = (view(data, whole) for data in (before, theirs, ours))
    written = (t != old) | (o != old)
    t, o = t[written], o[written]
    if not t.numel():
        return None
    if not dtype.is_floating_point:
        different = int((t != o).sum())
        return different / t.numel(), different
    t, o = t.view(dtype).double(), o.view(dtype).double()
    finite = t.isfinite() & o.isfinite()
    odd = ~finite & (t != o) & ~(t.isnan() & o.isnan())
    t, o = t[finite], o[finite]
    size, distance = t.norm().item(), (t - o).norm().item()
    return (distance / size if size else distance), int(odd.sum())


def compare(arrays, before, theirs, ours):
    """The worst array: (its relative error, what is wrong with it or "", its name and type)."""
    worst = (0.0, "", "nothing written")
    for key, (name, dtype, _) in arrays.named.items():
        found = difference(before[key], theirs[key], ours[key], dtype)
        if found is None:
            continue
        error, odd = found
        kind = str(dtype).removeprefix("torch.")
        wrong = ""
        if odd:
            wrong = f"{odd} elements of {name} {'are NaN or infinite in one alone' if dtype.is_floating_point else 'differ'}"
        elif dtype.is_floating_point and not error <= TOLERANCES.get(dtype, 5e-2):
            wrong = f"{name} has a relative error of {error:.2e}"
        if (bool(wrong), error) >= (bool(worst[1]), worst[0]):
            worst = (error, wrong, f"{name} {kind}")
    return worst


_flushed = None


def flush():
    """Puts other data in the cache."""
    global _flushed
    if _flushed is None:
        _flushed = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    _flushed.zero_()


def run_once(calls, prepare, times):
    """Events are recorded while the GPU sleeps, so that the host's time for a launch does not show."""
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(calls[1])]
    torch.cuda._sleep(3_000_000)
    for start, end in events:
        prepare()
        flush()
        start.record()
        calls[0]()
        end.record()
    torch.cuda.synchronize()
    times += [start.elapsed_time(end) for start, end in events]


def times_of(calls, prepare):
    """The calls' times in µs, taken in turns: the GPU's clock falls as it warms up."""
    counts = []
    for call in calls:
        first = []
        run_once((call, 2), prepare, first)
        counts.append(max(2, min(10, math.ceil(8 / (min(first) + 0.1)))) if min(first) < 50 else 1)
    times = [[] for _ in calls]
    for _ in range(3):
        for call, count, of in zip(calls, counts, times):
            run_once((call, count), prepare, of)
    return [1000 * sorted(of)[len(of) // 2] for of in times]


PROFILED = [False]


@contextlib.contextmanager
def profiled():
    """What a profiler looks at that was told not to begin by itself (ncu --profile-from-start off)."""
    torch.cuda.synchronize()
    if PROFILED[0]:
        torch.cuda.profiler.start()
    yield
    torch.cuda.synchronize()
    if PROFILED[0]:
        torch.cuda.profiler.stop()


def call_otherwise(launch, folder, also):
    """{words: call} of the libraries that were compiled with other words and are different."""
    name = library_name(launch.specialization.id)
    folders = {words: other_folder(folder, words) for words in also}
    return {words: Call(launch, other) for words, other in folders.items() if os.path.exists(f"{other}/lib{name}.so")}


def measure(launch, folder, stage, also=()):
    """What is known of a launch afterwards. Leaves what Triton made of the arrays. `stage` is told what comes next."""
    arrays = Arrays(launch)
    if arrays.bytes() > MOST_BYTES:
        launch.run()
        return {"skipped": f"{arrays.bytes() >> 30} GiB of arrays"}
    before = arrays.save()
    kernel = launch.run()
    torch.cuda.synchronize()
    theirs = arrays.save()
    if PROFILED[0]:
        arrays.restore(before)
        with profiled():
            launch.run()
    result = {"triton registers": kernel.n_regs, "local memory of Triton": 4 * kernel.n_spills,
              "shared": kernel.metadata.shared}
    try:
        arrays.restore(before)
        stage("run")
        call = Call(launch, folder)
        with profiled():
            call()
        ours = arrays.save()
        error, wrong, where = compare(arrays, before, theirs, ours)
        result.update(error=error, where=where)
        if wrong:
            # Where Triton's own results differ from run to run, nothing can be said.
            arrays.restore(before)
            launch.run()
            torch.cuda.synchronize()
            _, unstable, _ = compare(arrays, before, theirs, arrays.save())
            result["unstable" if unstable else "wrong"] = wrong
        others = call_otherwise(launch, folder, also)
        for words, other in others.items():
            arrays.restore(before)
            other()
            torch.cuda.synchronize()
            _, problem, _ = compare(arrays, before, theirs, arrays.save())
            if problem and not wrong:
                result["wrong"] = f"with {words}: {problem}"
        written = {key: before[key] for key in before
                   if not torch.equal(before[key], theirs[key]) or not torch.equal(before[key], ours[key])}
        del ours
        stage("time")
        result["ours"], result["triton"], *rest = times_of([call, launch.run, *others.values()],
                                                           lambda: arrays.restore(written))
        result["also"] = dict(zip(others, rest))
    except Refused as problem:
        result["wrong"] = f"refused: {problem}"
    arrays.restore(theirs)
    torch.cuda.synchronize()
    return result
