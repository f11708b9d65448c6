"""Runs kernels of published packages through Nereid and through Triton's JIT, on one GPU in one process, with the same
arguments and configurations: compares their results, then times both.

    public_kernels.py OUT [PATTERN] [--nereid NEREID] [--packages DIR] [--workloads REGEX] …

Operations of the packages (workloads_*.py) run as programs would run them. First only their launches are recorded and both
compilers make binaries of them, in parallel; then the operations run, and each launch that is new is compared and timed
as it comes by. PATTERN chooses kernels by "package.kernel", or specializations by what stands behind that in the results, as
in "package.kernel 9f5b7f24". A program error of a kernel ends the process, which is then started again without that kernel. Of each kernel with matrix products up to --variants specializations are
taken, of those without one in --sample. Results are in OUT/results.jsonl, what compilers said in OUT/compiled.json.
--quiet writes a line for each launch to OUT/launches.log alone; printed is then what needs attention.

A run may be split: --of chooses modules of workloads, --part 1/3 takes the first third of their workloads. Where one ended
early, the same command goes on from there; --join OTHER… has the summary count other runs' results, too.

With --also 'NAME=VALUE -OPTION …', which may be repeated, kernels are compiled once more with these variables of the
environment and options; where the code is another one, it is compared and timed beside, in the same turns.

With --profile each launch runs once by either compiler's code between cuProfilerStart and -Stop, before it is timed: under
`ncu --profile-from-start off --target-processes all` that is all that is looked at.

With --pretend no GPU is needed: launches are recorded and compiled by Nereid, and that is all.
"""
import argparse
import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARED_MEMORY = 232448  # bytes that a block may have
QUIET = 30  # seconds in which a kernel must have ended
SLOW = {"without products": 0.95, "with products": 0.85}  # of Triton's speed: what deserves a look


def make_parser(description, jobs):
    """With the options of everything that records launches."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--nereid", default="nereid")
    parser.add_argument("--packages", default=".", help="the folder that holds the packages' folders")
    parser.add_argument("--of", default="fla,liger,gems", help="the packages")
    parser.add_argument("--workloads", default="", help="which workloads run, as 'package: workload'")
    parser.add_argument("--part", default="1/1", help="which of how many parts of them runs")
    parser.add_argument("--target", default="cuda:90a")
    parser.add_argument("--jobs", type=int, default=jobs)
    parser.add_argument("--variants", type=int, default=3)
    parser.add_argument("--position", type=float, default=0.5,
                        help="which of an autotuner's configurations is taken, from 0 to 1")
    return parser


def parse_arguments():
    parser = make_parser(__doc__, jobs=14)
    parser.add_argument("--seconds", type=float, default=240, help="no new launch is measured afterwards")
    parser.add_argument("--grids", type=int, default=1, help="launches of one specialization that are measured")
    parser.add_argument("--sample", type=int, default=6)
    parser.add_argument("--pretend", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--also", action="append", default=[], metavar="WORDS")
    parser.add_argument("--join", nargs="*", default=[], metavar="OTHER", help="folders of other runs")
    parser.add_argument("--begun", type=float, help=argparse.SUPPRESS)
    return parser.parse_args()


def say(*words):
    print(*words, flush=True)


def noter(settings):
    """What tells of a launch or of a compilation that went well."""
    if not settings.quiet:
        return say

    def note(*words):
        with open(Path(settings.out) / "launches.log", "a") as file:
            print(*words, file=file)

    return note


class Journal:
    """OUT/results.jsonl: a line when a launch's measurement begins, and one with its result."""

    def __init__(self, out):
        self.path = Path(out) / "results.jsonl"

    def write(self, **line):
        with open(self.path, "a") as file:
            file.write(json.dumps(line) + "\n")

    def read(self):
        """{launch id: its last line}"""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return {line["id"]: line for line in map(json.loads, lines)}


class Session:
    """The process that runs operations."""

    def __init__(self, settings):
        self.settings = settings
        sys.path[:0] = [str(HERE), settings.packages]
        os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")  # as what PyTorch compiles is not what is compared
        import torch
        if settings.pretend:
            import pretend_gpu
            pretend_gpu.install()
        import triton
        import compiling
        import measuring
        import recording
        self.torch, self.triton = torch, triton
        self.compiling, self.measuring, self.recording = compiling, measuring, recording
        measuring.PROFILED[0] = settings.profile
        recording.PACKAGES[0], recording.POSITION[0] = settings.packages, settings.position
        self.device = "cpu" if settings.pretend else "cuda"
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device=self.device, dtype=torch.int8))
        self.journal, self.note = Journal(settings.out), noter(settings)
        self.libraries = Path(settings.out) / "libraries"
        self.workloads, self.counts = {}, {}
        for package in settings.of.split(","):
            try:
                module = __import__(f"workloads_{package}")
            except ImportError as problem:
                say(f"{package} is left out: {problem}")
                continue
            for name, run in module.WORKLOADS.items():
                if re.search(settings.workloads, f"{package}: {name}"):
                    self.workloads[f"{package}: {name}"] = run
        part, parts = map(int, settings.part.split("/"))
        names = list(self.workloads)
        for name in names[:len(names) * (part - 1) // parts] + names[len(names) * part // parts:]:
            del self.workloads[name]

    def past(self, name=None):
        """The workloads that a session after this one need not run."""
        path = Path(self.settings.out) / "workloads.txt"
        if name:
            with open(path, "a") as file:
                file.write(name + "\n")
        return path.read_text().splitlines() if path.exists() else []

    def run_workloads(self, visit, only=None, only_once=False):
        """Gives every launch to visit(workload's name, launch)."""
        past = self.past()
        for name, run in self.workloads.items():
            if name in past or only is not None and name not in only:
                continue
            if self.late():
                return
            self.torch.manual_seed(0)
            undo = self.recording.hook(lambda launch: visit(name, launch))
            try:
                run(self.device)
            except Exception as problem:
                where = traceback.extract_tb(problem.__traceback__)[-1]
                text = " ".join(str(problem).split())[-200:]
                say(f"{name} ends early: {type(problem).__name__}: {text} ({where.filename}:{where.lineno})")
                if "CUDA error" in text or "CUDA driver error" in text:
                    self.past(name)
                    os._exit(3)
            finally:
                undo()
            if only_once and not self.late():
                self.past(name)
            if not self.settings.pretend:
                self.torch.cuda.empty_cache()

    def seconds(self):
        return time.time() - self.settings.begun

    def late(self):
        return self.seconds() > self.settings.seconds

    @contextlib.contextmanager
    def zeros_for_results(self):
        """As recorded kernels do not run, what they would fill is zero: operations go on with it."""
        torch = self.torch
        originals = {(owner, name): getattr(owner, name) for owner, names in (
            (torch, ("empty", "empty_like", "empty_strided")),
            (torch.Tensor, ("new_empty",))) for name in names}
        for (owner, name), function in originals.items():
            setattr(owner, name, lambda *args, _function=function, **kwargs: _function(*args, **kwargs).zero_())
        try:
            yield
        finally:
            for (owner, name), function in originals.items():
                setattr(owner, name, function)

    def plan(self):
        """Records what would be launched, with zeros for results, and compiles it."""
        found, where, bad = {}, {}, {}

        def visit(workload, launch):
            specialization = launch.specialization
            found.setdefault(specialization.id, specialization)
            where.setdefault(specialization.id, set()).add(workload)
            if specialization.id in bad:
                self.refuse(bad[specialization.id])

        plan, workloads = {}, None
        self.libraries.mkdir(parents=True, exist_ok=True)
        with self.zeros_for_results():
            while workloads is None or workloads:
                self.run_workloads(visit, workloads)
                new = {id: specialization for id, specialization in found.items() if id not in plan}
                say(f"{self.seconds():.0f} s: {len(new)} new specializations")
                plan.update(self.compile(new, where))
                # Where the device has not enough for a configuration, the next one is tried.
                now = {id: plan[id]["triton"]["error"] for id in new if "error" in (plan[id]["triton"] or {})}
                bad.update(now)
                workloads = {name for id in now for name in where[id]}
        say(f"{self.seconds():.0f} s: {len(plan)} specializations, {sum(one['chosen'] for one in plan.values())} chosen")
        return plan

    def refuse(self, problem):
        """Has an autotuner go on with its next configuration, and ends other operations."""
        raise self.triton.runtime.errors.OutOfResources(0, 0, problem)

    def compile(self, specializations, where):
        """{id: what is known of it} for specializations by id. Adds it to OUT/compiled.json."""
        settings, tasks, chosen = self.settings, [], set()
        for id, specialization in specializations.items():
            if not settings.pretend:
                tasks.append(("triton", specialization))
            if self.choose(specialization):
                chosen.add(id)
                if not specialization.problem:
                    tasks.append(("nereid", specialization))
        results = self.compiling.compile_all(tasks, {
            "out": settings.out, "libraries": None if settings.pretend else str(self.libraries), "nereid": settings.nereid,
            "packages": settings.packages, "target": settings.target, "jobs": settings.jobs, "also": settings.also,
            "triton target": self.triton.runtime.driver.active.get_current_target()
        }, lambda text: self.note(f"{self.seconds():.0f} s: {text}"))
        for result in results["triton"].values():
            if result.get("shared", 0) > SHARED_MEMORY:
                result["error"] = f"{result['shared']} bytes of shared memory"
        made = {}
        for id, one in specializations.items():
            made[id] = {
                "name": one.name, "module": one.jit.fn.__module__, "signature": one.signature,
                "products": self.recording.multiplies(one.jit), "chosen": id in chosen, "workloads": sorted(where[id]),
                **{tool: results[tool].get(id) for tool in results}
            }
            if one.problem:
                made[id]["nereid"] = {"error": f"no signature: {one.problem}"}
        path = Path(settings.out) / "compiled.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**known, **made}, indent=1))
        return made

    def choose(self, specialization):
        """Whether it is compared."""
        if not re.search(self.settings.pattern, f"{specialization.name} {specialization.id}"):
            return False
        key = (specialization.jit.fn.__module__, specialization.jit.fn.__qualname__)
        if not self.recording.multiplies(specialization.jit):
            number = int(self.recording.digest(str(key)), 16)
            if not self.settings.pattern and number % self.settings.sample:
                return False
        self.counts[key] = self.counts.get(key, 0) + 1
        return self.counts[key] <= self.settings.variants

    def measure(self, plan):
        done, settings = set(self.journal.read()), self.settings
        grids = {}

        def visit(workload, launch):
            specialization = launch.specialization
            if self.late():
                return launch.run()
            if specialization.id not in plan:  # one that depends on results
                plan.update(self.compile({specialization.id: specialization}, {specialization.id: {workload}}))
            known = plan[specialization.id]
            # Triton might not raise an error here, but end the process once more.
            if "error" in (known["triton"] or {}):
                self.refuse(known["triton"]["error"])
            if not known["chosen"] or launch.id in done:
                return launch.run()
            if not known["nereid"] or "error" in known["nereid"] or 0 in launch.grid:
                return launch.run()
            seen = grids.setdefault(specialization.id, set())
            if len(seen) >= self.settings.grids:
                return launch.run()
            seen.add(launch.id)
            done.add(launch.id)
            options = specialization.options
            what = {
                "id": launch.id, "specialization": specialization.id, "name": known["name"], "workload": workload,
                "warps": options.num_warps, "stages": options.num_stages, "grid": launch.grid,
                "products": known["products"], "local memory": known["nereid"]["local memory"]
            }
            try:
                result = self.measuring.measure(launch, self.libraries,
                                                lambda stage: self.journal.write(**what, stage=stage), settings.also)
            except (self.triton.runtime.errors.OutOfResources, self.triton.compiler.errors.CompilationError):
                raise
            except Exception as problem:
                result = {"wrong": f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"}
                self.journal.write(**what, **result)
                say(describe({**what, **result}))
                if "CUDA" in result["wrong"]:
                    os._exit(3)
                raise
            self.journal.write(**what, **result)
            self.note(describe({**what, **result}))

        for line in self.journal.read().values():
            grids.setdefault(line["specialization"], set()).add(line["id"])
        self.run_workloads(visit, only_once=True)


def describe(line):
    head = f"{line['name']:58} {line['specialization']} {line['warps']}w {line['stages']}s {'x'.join(map(str, line['grid'])):>14}"
    if "ours" not in line:
        return f"{head} {line.get('wrong') or line.get('skipped') or line.get('stage')}"
    ratio = line["triton"] / line["ours"]
    told = f"{head} {line['ours']:9.1f} us {line['triton']:9.1f} us {ratio:6.3f} {line['error']:.1e} {line['where']}"
    for words, time in line.get("also", {}).items():
        told += f"  {words}: {time:.1f} us {line['triton'] / time:.3f}"
    if line["local memory"] or line["local memory of Triton"]:
        told += f"  local memory {line['local memory']} bytes, Triton {line['local memory of Triton']}"
    for word in ("wrong", "unstable"):
        if word in line:
            told += f"  {word.upper()}: {line[word]}"
    return told


def run_session(settings):
    session = Session(settings)
    path = Path(settings.out) / "compiled.json"
    plan = json.loads(path.read_text()) if path.exists() else session.plan()
    if not settings.pretend:
        session.measure(plan)
    os._exit(0)  # as ending a process full of libraries takes long


def supervise(settings):
    """Starts sessions until one comes to its end."""
    journal, crashes = Journal(settings.out), 0
    while crashes < 12:
        session = subprocess.Popen([sys.executable, __file__, *sys.argv[1:], f"--begun={settings.begun}"])
        while session.poll() is None:
            time.sleep(0.5)
            running = [line for line in journal.read().values() if "stage" in line]
            if running and time.time() - journal.path.stat().st_mtime > QUIET:
                session.kill()
                session.wait()
        if session.returncode == 0:
            return
        crashes += 1
        say(f"the session ended with {session.returncode}")
        unfinished = [line for line in journal.read().values() if "stage" in line]
        for line in unfinished:
            stage = line.pop("stage")
            ending = "hangs" if session.returncode == -signal.SIGKILL else f"ends the process with {session.returncode}"
            journal.write(**line, wrong=f"{ending} (stage {stage})")
        if not (Path(settings.out) / "compiled.json").exists() or time.time() - settings.begun > settings.seconds:
            return


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def ratio(line):
    return line["triton"] / line["ours"]


def describe_slow(line):
    spilled = f"  local memory {line['local memory']}, {line['local memory of Triton']}" if line["local memory"] else ""
    return (f"{ratio(line):.3f} {line['ours']:8.1f} {line['triton']:8.1f} us  {line['name']} {line['specialization']} "
            f"{line['warps']}w {'x'.join(map(str, line['grid']))}  {line['workload']}{spilled}")


def read_runs(folders):
    """What runs left: ({specialization: what is known of it}, [the last line of each launch])."""
    plan, lines = {}, {}
    for folder in folders:
        path = Path(folder) / "compiled.json"
        plan.update(json.loads(path.read_text()) if path.exists() else {})
        lines.update(Journal(folder).read())
    return plan, list(lines.values())


def summarize(settings):
    plan, lines = read_runs([*settings.join, settings.out])
    if not plan:
        return say("nothing was compiled")
    file = open(Path(settings.out) / "summary.txt", "w")

    def tell(text, printed=True):
        print(text, file=file)
        if printed:
            say(text)

    def told(title, entries, most=10):
        """All of them are in the file; as quiet a run as asked for prints the first."""
        tell(f"\n{len(entries)} {title}")
        for number, entry in enumerate(entries):
            tell("  " + (entry[:200] if settings.quiet else entry), printed=number < most or not settings.quiet)

    refused = [(id, one) for id, one in plan.items() if one["chosen"] and (one["nereid"] or {}).get("error")]
    told("specializations that Nereid did not compile", sorted(
        f"{one['name']} {id}: {one['nereid']['error']}" for id, one in refused))
    told("specializations that Triton did not compile", sorted(
        f"{one['name']} {id}: {one['triton']['error']}" for id, one in plan.items() if (one["triton"] or {}).get("error")),
        most=0)
    if settings.pretend:
        return
    seen = {line["specialization"] for line in lines}
    told("chosen specializations that were not launched", sorted(
        f"{one['name']} {id}" for id, one in plan.items()
        if one["chosen"] and id not in seen and not (one["nereid"] or {}).get("error")), most=0)
    told("results that differ from run to run with Triton alone", [describe(line) for line in lines if "unstable" in line],
         most=0)
    told("wrong results", [describe(line) for line in lines if "wrong" in line])
    timed = sorted((line for line in lines if "ours" in line), key=ratio)
    groups = {"with products": [line for line in timed if line["products"]],
              "without products": [line for line in timed if not line["products"]]}
    for title, least in SLOW.items():
        told(f"{title} that are slower than {least} of Triton's speed",
             [describe_slow(line) for line in groups[title] if ratio(line) < least], most=25)
    tell("\nTriton's time over Nereid's:")
    for package in sorted({line["name"].split(".")[0] for line in timed}):
        for title in SLOW:
            groups[f"{package}, {title}"] = [line for line in groups[title] if line["name"].startswith(package + ".")]
    for title, group in groups.items():
        values = [ratio(line) for line in group]
        if values:
            slow = sum(value < SLOW[title.split(", ")[-1]] for value in values)
            tell(f"  {title:34} {len(values):4}  geometric mean {mean(values):.3f}, median {values[len(values) // 2]:.3f}, "
                 f"least {values[0]:.3f}, most {values[-1]:.3f}, slow {slow}")
    right = sum("wrong" not in line and "unstable" not in line for line in timed)
    tell(f"{right} of {len(lines)} launches agree; {len(refused)} of {sum(one['chosen'] for one in plan.values())} "
         f"specializations were refused; {time.time() - settings.begun:.0f} s")


def main():
    settings = parse_arguments()
    settings.out, settings.packages = str(Path(settings.out).resolve()), str(Path(settings.packages).resolve())
    if settings.begun is not None:
        return run_session(settings)
    settings.begun = time.time()
    Path(settings.out).mkdir(parents=True, exist_ok=True)
    supervise(settings)
    summarize(settings)


if __name__ == "__main__":
    main()
