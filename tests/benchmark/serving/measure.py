"""Cold start to the first result: Triton's JIT with an empty cache, with a warm one, and a library made of a recording.

    measure.py OUT [--nereid NEREID] [--packages DIR] [--target cuda:90a] [--runs 3] [--programs launches,model,compiled,public]

Each program is recorded here, with its autotuners' measurements, which is a start with an empty cache as well; the library is built; then
it starts RUNS times each way. Every start is a process of its own. Results of the library are compared with the JIT's, and its starts must
leave no cache folder (but for those of PyTorch's compiler, which keeps its graphs). A table at the end has all of it.
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


class Failed(Exception):
    """A step did not work."""


def say(text):
    print(text, flush=True)


def run(command, **environment):
    begin = time.monotonic()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, **{k: str(v) for k, v in environment.items()}})
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        say(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-1500:]}\n{done.stderr[-3000:]}")
        raise Failed(f"{' '.join(map(str, command))[:200]} ended with {done.returncode}")
    return done, seconds


def compare(expected, found):
    """How many results there are, how many of them only in one of the two, and the largest difference, relative to the
    largest element of each tensor."""
    import torch

    def tensors(value):
        return [value.float()] if isinstance(value, torch.Tensor) else [x for item in value for x in tensors(item)]

    count, missing, worst = 0, 0, 0.0
    for one, other in zip(torch.load(expected), torch.load(found)):
        a, b = tensors(one), tensors(other)
        count += len(a)
        if len(a) != len(b) or not a:
            missing += max(len(a), len(b), 1)
            continue
        for x, y in zip(a, b):
            assert x.shape == y.shape, "results of different sizes"
            worst = max(worst, ((x - y).abs().max() / x.abs().max().clamp(min=1e-6)).item() if not torch.isnan(y).any() else float("inf"))
    return count, missing, worst


def times_of(done):
    return [float(re.search(rf"{what} ([\d.]+)", done.stdout)[1]) for what in ("first result", "all results")]


def last(text, lines=24):
    return "\n  ".join(line[:240] for line in text.strip().splitlines()[-lines:])


def measure(program, arguments, settings):
    out = Path(settings.out) / program
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    script, cache, graphs, none = here / f"{program}.py", out / "cache", out / "graphs", out / "none"
    python = [sys.executable]
    manifest = out / f"{program}.json"
    warm = {"TRITON_CACHE_DIR": cache, "TORCHINDUCTOR_CACHE_DIR": graphs}
    done, seconds = run([*python, "-m", "nereid.record", "-o", manifest, script, out / "recorded.pt", *arguments], **warm)
    starts = {"recorded": [times_of(done)]}
    say(f"{program}: recorded in {seconds:.1f} s:\n  {last(done.stderr, 8)}\n  {last(done.stdout, 3)}")
    done, seconds = run([settings.nereid, "build", manifest, "-o", out / "lib", "-t", settings.target])
    left_out = [line for line in done.stderr.splitlines() if "left out" in line]
    library = out / "lib" / f"lib{program}.so"
    say(f"{program}: built in {seconds:.1f} s, {library.stat().st_size} bytes, {len(left_out)} left out")
    for line in left_out[:6]:
        say(f"  {line[:400]}")
    row = {"built": seconds, "bytes": library.stat().st_size, "left out": len(left_out)}
    for number in range(settings.runs):
        for way in settings.ways.split(","):
            environment, command = warm, [*python, script]
            if way == "empty cache":
                for folder in warm.values():
                    shutil.rmtree(folder, ignore_errors=True)
            elif way == "library":
                shutil.rmtree(out / "its-graphs", ignore_errors=True)
                environment = {"TRITON_CACHE_DIR": none, "TORCHINDUCTOR_CACHE_DIR": out / "its-graphs"}
                command = [*python, "-m", "nereid.serve", *on_host, library, script]
            done, _ = run([*command, out / f"{way.replace(' ', '-')}.pt", *arguments], **environment)
            # -m nereid.serve becomes the program, so that its start counts as well.
            starts.setdefault(way, []).append(times_of(done))
            if number == 0:
                say(f"  {way}:\n  {last(done.stderr)}\n  {last(done.stdout, 3)}")
            if way == "library":
                left = re.search(r"(\d+) specializations, (\d+) launches, were left to Triton", done.stderr)
                row["left to Triton"] = f"{left[1]} specializations, {left[2]} launches" if left else "nothing"
    row["starts"] = starts
    if not on_host and "library" in starts:
        expected = out / ("warm-cache.pt" if "warm cache" in starts else "recorded.pt")
        row["results"], row["missing"], row["difference"] = compare(expected, out / "library.pt")
        row["jit difference"] = compare(out / "recorded.pt", expected)[2]
    row["cache folder"] = "one was made" if none.exists() else "none"
    return row


def measure_launches(settings):
    out = Path(settings.out) / "launches"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    script = here / "launches.py"
    run([sys.executable, "-m", "nereid.record", "-o", out / "launches.json", script])
    run([settings.nereid, "build", out / "launches.json", "-o", out / "lib", "-t", settings.target])
    times = {}
    for way, command in (("Triton", [sys.executable, script]),
                         ("library", [sys.executable, "-m", "nereid.serve", "--strict", *on_host, out / "lib" / "liblaunches.so", script])):
        for _ in range(settings.runs):
            for grid, found in re.findall(r"launch with (.*) as the grid: ([\d.]+) us", run(command)[0].stdout):
                times.setdefault(grid, {}).setdefault(way, []).append(float(found))
    return {"launches": times}


def show(results):
    for program, row in results.items():
        if "launches" in row:
            for grid, ways in row["launches"].items():
                say(f"launch, {grid}: " + ", ".join(f"{way} {min(times):.2f} to {max(times):.2f} us" for way, times in ways.items()))
            continue
        if "problem" in row:
            say(f"{program}: {row['problem']}")
            continue
        say(f"{program}: library of {row['bytes']} bytes, built in {row['built']:.1f} s, {row['left out']} left out; "
            f"left to Triton: {row.get('left to Triton')}; cache folder: {row['cache folder']}")
        for way, starts in row["starts"].items():
            first, total = zip(*starts)
            say(f"  {way:12} first result {statistics.median(first):7.2f} s ({min(first):.2f} to {max(first):.2f}), all {statistics.median(total):7.2f} s")
        if "results" in row:
            say(f"  {row['results']} results, {row['missing']} missing, differ by {row['difference']:.2g} of the largest element; "
                f"two runs of the JIT by {row['jit difference']:.2g}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--nereid", default="nereid")
    parser.add_argument("--packages", default="")
    parser.add_argument("--target", default="cuda:90a")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--programs", default="launches,model,compiled,public")
    parser.add_argument("--ways", default="empty cache,warm cache,library")
    settings = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(here), str(here.parents[2] / "python"),
                                                            os.environ.get("PYTHONPATH", "")]))
    results = {}
    for program in settings.programs.split(","):
        if program == "public" and not settings.packages:
            say("public: left out, as there is no --packages")
            continue
        try:
            results[program] = (measure_launches(settings) if program == "launches" else
                                measure(program, [settings.packages] if program == "public" else [], settings))
        except Failed as problem:  # The others count nevertheless.
            results[program] = {"problem": str(problem)}
        show({program: results[program]})
        (Path(settings.out) / "results.json").write_text(json.dumps(results, indent=1))
    say("\nAll of it:")
    show(results)
    return 1 if any("problem" in row for row in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
