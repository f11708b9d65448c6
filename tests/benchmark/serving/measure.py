"""Cold start to the first result: Triton's JIT with an empty cache, with a warm one, and a library made of a recording.

    measure.py OUT [--nereid NEREID] [--packages DIR] [--target cuda:90a] [--runs 3] [--programs model,public]

Each program is recorded here, with its autotuners' measurements; the library is built; then it starts RUNS times each way. Every start is
a process of its own. Results of the library are compared with the JIT's, and its starts must leave no cache folder.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

here = Path(__file__).resolve().parent
# DEVICE=cpu is for machines without a GPU: the JIT compiles and launches nothing, the library runs on the host (--target cpu).
on_host = ["--device", "cpu"] if os.environ.get("DEVICE") == "cpu" else []


def say(text):
    print(text, flush=True)


def run(command, **environment):
    begin = time.monotonic()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, **{k: str(v) for k, v in environment.items()}})
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        say(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-1500:]}\n{done.stderr[-3000:]}")
        sys.exit(1)
    return done, seconds


def compare(expected, found):
    """The largest difference of two sets of results, relative to the largest element of each tensor."""
    import torch

    def tensors(value):
        if isinstance(value, torch.Tensor):
            yield value.float()
        else:
            for item in value:
                yield from tensors(item)

    a, b = list(tensors(torch.load(expected))), list(tensors(torch.load(found)))
    assert len(a) == len(b) and a, "different numbers of results"
    worst = 0.0
    for x, y in zip(a, b):
        assert x.shape == y.shape and not torch.isnan(y).any(), "NaN among the results"
        worst = max(worst, ((x - y).abs().max() / x.abs().max().clamp(min=1e-6)).item())
    return len(a), worst


def measure(program, arguments, settings):
    out = Path(settings.out) / program
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    script, cache = here / f"{program}.py", out / "cache"
    python = [sys.executable]
    manifest = out / f"{program}.json"
    done, seconds = run([*python, "-m", "nereid.record", "-o", manifest, script, out / "recorded.pt", *arguments],
                        TRITON_CACHE_DIR=cache)
    say(f"{program}: recorded in {seconds:.1f} s: {done.stderr.strip().splitlines()[-1]}")
    done, seconds = run([settings.nereid, "build", manifest, "-o", out / "lib", "-t", settings.target])
    left_out = done.stderr.count("left out")
    library = out / "lib" / f"lib{program}.so"
    say(f"{program}: built in {seconds:.1f} s, {library.stat().st_size} bytes, {left_out} left out")
    ways = {way: [] for way in settings.ways.split(",")}
    totals = {way: [] for way in ways}
    served = ""
    for _ in range(settings.runs):
        for way in ways:
            environment = {"TRITON_CACHE_DIR": cache}
            command = [*python, script]
            if way == "empty cache":
                shutil.rmtree(cache, ignore_errors=True)
            elif way == "library":
                environment = {"TRITON_CACHE_DIR": out / "none"}
                command = [*python, "-m", "nereid.serve", *on_host, library, script]
            result = out / f"{way.replace(' ', '-')}.pt"
            done, _ = run([*command, result, *arguments], **environment)
            # -m nereid.serve becomes the program, so that its start counts as well.
            ways[way].append(float(re.search(r"first result ([\d.]+)", done.stdout)[1]))
            totals[way].append(float(re.search(r"all results ([\d.]+)", done.stdout)[1]))
            if way == "library":
                served = done.stderr.strip()
    say("  " + served.replace("\n", "\n  "))
    for way in ways:
        say(f"  {way:12} first result {statistics.median(ways[way]):7.2f} s ({min(ways[way]):.2f} to {max(ways[way]):.2f}), "
            f"all {statistics.median(totals[way]):7.2f} s")
    worst = again = None
    if not on_host:
        count, worst = compare(out / "warm-cache.pt", out / "library.pt")
        again = compare(out / "warm-cache.pt", out / ("empty-cache.pt" if "empty cache" in ways else "recorded.pt"))[1]
        say(f"  {count} results differ by {worst:.2g} of the largest element at most; two runs of the JIT by {again:.2g}")
    say("  a cache folder was made" if (out / "none").exists() else "  no cache folder was made")
    return {"first": ways, "all": totals, "difference": worst, "jit_difference": again}


def measure_launches(settings):
    out = Path(settings.out) / "launches"
    out.mkdir(parents=True, exist_ok=True)
    script = here / "launches.py"
    run([sys.executable, "-m", "nereid.record", "-o", out / "launches.json", script])
    run([settings.nereid, "build", out / "launches.json", "-o", out / "lib", "-t", settings.target])
    for way, command in (("Triton", [sys.executable, script]),
                         ("library", [sys.executable, "-m", "nereid.serve", "--strict", *on_host, out / "lib" / "liblaunches.so", script])):
        say(f"{way}:\n  " + run(command)[0].stdout.strip().replace("\n", "\n  "))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--nereid", default="nereid")
    parser.add_argument("--packages", default="")
    parser.add_argument("--target", default="cuda:90a")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--programs", default="model,public")
    parser.add_argument("--ways", default="empty cache,warm cache,library")
    settings = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(here), str(here.parents[2] / "python"),
                                                            os.environ.get("PYTHONPATH", "")]))
    results = {}
    for program in settings.programs.split(","):
        if program == "public" and not settings.packages:
            say("public: left out, as there is no --packages")
            continue
        results[program] = measure(program, [settings.packages] if program == "public" else [], settings)
    measure_launches(settings)
    (Path(settings.out) / "results.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
