"""Compares the machine code that Nereid and Triton make of published packages' kernels with matrix products, or with --rows
of those without any, without a GPU: registers, stack, and instructions in all and in loops (see machine_code.py).

    compare_machine_code.py OUT [PATTERN] [--nereid NEREID] [--packages DIR] [--of fla,liger,gems] [--before JSON] …

Launches are recorded as public_kernels.py --pretend does; needs Triton, PyTorch for CPUs, cuobjdump and nvdisasm. PATTERN
chooses kernels by "package.kernel", --workloads what is run to find them. Of each kernel up to --variants
specializations are taken. A configuration that Triton cannot compile, or that needs too much shared memory, is left to the
next of the autotuner's list, as on a GPU. The results are in OUT/machine_code.json, the cubins in OUT/cubins. Printed are
totals, then the kernels that are farthest from Triton's. With --before, the results of an earlier run, its figures for
Nereid stand beside the new ones, and the kernels that got worse since are named.
"""
import json
import math
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import machine_code
from public_kernels import SHARED_MEMORY, Session, make_parser, mean, say

SECONDS = 120  # for one compilation


def parse_arguments():
    parser = make_parser(__doc__, jobs=os.cpu_count())
    parser.add_argument("--before", help="machine_code.json of an earlier run")
    parser.add_argument("--rows", action="store_true", help="compare kernels without matrix products")
    parser.add_argument("--worst", type=int, default=15, help="how many kernels a list has")
    # What else a Session asks for.
    parser.set_defaults(pretend=True, also=[], quiet=False, profile=False, sample=1, seconds=math.inf, begun=time.time())
    settings = parser.parse_args()
    settings.out, settings.packages = str(Path(settings.out).resolve()), str(Path(settings.packages).resolve())
    return settings


def with_triton(triton, specialization, cubin):
    """Compiles in this process, as kernels cannot be sent to another."""
    try:
        kernel = triton.compile(triton.compiler.ASTSource(specialization.jit, *specialization.source),
                                target=triton.runtime.driver.active.get_current_target(),
                                options=specialization.options.__dict__)
    except Exception as problem:
        return {"error": f"{type(problem).__name__}: {' '.join(str(problem).split())[-300:]}"}
    if kernel.metadata.shared > SHARED_MEMORY:
        return {"error": f"{kernel.metadata.shared} bytes of shared memory"}
    cubin.write_bytes(kernel.asm["cubin"])
    return machine_code.statistics(cubin)


def with_nereid(specialization, cubin, settings):
    if specialization.problem:
        return {"error": f"no signature: {specialization.problem}"}
    command = [
        settings.nereid, "compile", *specialization.nereid_arguments(), "--function", "kernel", "-I", settings.packages,
        "-t", settings.target, "--emit", "cubin", "-o", str(cubin)
    ]
    try:
        _, done = specialization.compile(command, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {SECONDS} s"}
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        errors = [line for line in lines if "error: " in line] or lines[-1:] or [f"exit status {done.returncode}"]
        return {"error": errors[0]}
    return machine_code.statistics(cubin)


def record(session, cubins):
    """{id: (specialization, what is known of it)} for what is compared, with Triton's figures."""
    found = {}

    def visit(workload, launch):
        specialization = launch.specialization
        if specialization.id not in found:
            found[specialization.id] = None
            if session.recording.multiplies(specialization.jit) != session.settings.rows and session.choose(specialization):
                found[specialization.id] = specialization, {
                    "name": specialization.name, "signature": specialization.signature, "workload": workload,
                    "warps": specialization.options.num_warps, "stages": specialization.options.num_stages,
                    "triton": with_triton(session.triton, specialization, cubins / f"{specialization.id}.triton.cubin")
                }
                say(f"{session.seconds():.0f} s: {specialization.name} {specialization.id}, {workload}")
        if found[specialization.id] and "error" in found[specialization.id][1]["triton"]:
            raise session.triton.runtime.errors.OutOfResources(0, 0, found[specialization.id][1]["triton"]["error"])

    with session.zeros_for_results():
        session.run_workloads(visit)
    return {id: one for id, one in found.items() if one}


def compile_and_count(settings):
    cubins = Path(settings.out) / "cubins"
    cubins.mkdir(parents=True, exist_ok=True)
    found = record(Session(settings), cubins)
    # Where Triton has nothing, there is nothing to compare with.
    chosen = {id: one for id, one in found.items() if "error" not in one[1]["triton"]}
    say(f"{time.time() - settings.begun:.0f} s: {len(chosen)} specializations for Nereid")
    with ThreadPoolExecutor(settings.jobs) as pool:
        made = pool.map(lambda id: with_nereid(chosen[id][0], cubins / f"{id}.nereid.cubin", settings), chosen)
        for id, result in zip(chosen, made):
            chosen[id][1]["nereid"] = result
    results = {id: known for id, (_, known) in found.items()}
    (Path(settings.out) / "machine_code.json").write_text(json.dumps(results, indent=1))
    return results


def count(figures, *kinds):
    return sum(figures["instructions"].get(kind, 0) for kind in kinds)


def size(figures, part="instructions"):
    return sum(figures[part].values())


def over(figures, triton, part="instructions"):
    return size(figures, part) / size(triton, part)


def compared_part(*figures):
    """Loops, where all have some."""
    return "in loops" if all(one["in loops"] for one in figures) else "instructions"


def print_totals(columns):
    """columns: {title: figures of the same kernels in the same order}, Triton's first."""
    triton = next(iter(columns.values()))
    loops = [i for i in range(len(triton)) if all(column[i]["in loops"] for column in columns.values())]
    rows = {
        "kernels that spill": lambda them: sum(one["stack"] > 0 for one in them),
        "stack of all, bytes": lambda them: sum(one["stack"] for one in them),
        "kernels with more stack than Triton's": lambda them: sum(
            one["stack"] > other["stack"] for one, other in zip(them, triton)),
        "registers, mean": lambda them: f"{sum(one['registers'] for one in them) / len(them):.0f}",
        "instructions over Triton's, geometric mean": lambda them: f"{mean(list(map(over, them, triton))):.2f}",
        f"the same in loops ({len(loops)} kernels)": lambda them: (
            f"{mean([over(them[i], triton[i], 'in loops') for i in loops]):.2f}" if loops else "-"),
        "loads and stores of shared memory": lambda them: sum(count(one, "shared loads", "shared stores") for one in them),
        "ldmatrix": lambda them: sum(count(one, "ldmatrix") for one in them),
    }
    say(f"\n{'':44}" + "".join(f"{title:>10}" for title in columns))
    for title, value in rows.items():
        say(f"{title:44}" + "".join(f"{value(them):>10}" for them in columns.values()))


def describe(id, known, figures):
    """A kernel's registers / bytes of stack / instructions, and by how many instructions of each class Nereid's code
    differs from Triton's."""
    part = compared_part(*figures.values())
    columns = [f"{title} {one['registers']} / {one['stack']} / {size(one, part)}" for title, one in figures.items()]
    ours, triton = figures["now"][part], figures["Triton"][part]
    differences = {kind: ours.get(kind, 0) - triton.get(kind, 0) for kind in [*machine_code.CLASSES, "other"]}
    where = "in loops" if part == "in loops" else "in all"
    return (f"  {known['name']} {id} {known['warps']}w: {', '.join(columns)} {where}\n      " +
            ", ".join(f"{kind} {by:+}" for kind, by in differences.items() if by))


def print_comparison(results, earlier, worst):
    failed = {"Triton": [], "Nereid": []}
    kernels = {}
    for id, known in results.items():
        failing = [title for title in failed if "error" in known.get(title.lower(), {})]
        for title in failing:
            failed[title].append(f"  {known['name']} {id}: {known[title.lower()]['error']}")
        if failing or earlier is not None and "registers" not in earlier.get(id, {}).get("nereid", {}):
            continue
        kernels[id] = {"Triton": known["triton"], **({"before": earlier[id]["nereid"]} if earlier is not None else {}),
                       "now": known["nereid"]}
    for title, lines in failed.items():
        if lines:
            say("\n".join([f"\n{len(lines)} specializations that {title} did not compile:", *sorted(lines)]))
    say(f"\n{len(kernels)} of {len(results)} specializations are compared")
    if not kernels:
        return
    print_totals({title: [figures[title] for figures in kernels.values()] for title in next(iter(kernels.values()))})

    def print_worst(title, excess, least):
        them = sorted((id for id in kernels if excess(kernels[id]) > least), key=lambda id: -excess(kernels[id]))
        say(f"\n{title}: {len(them)}" + (f", the first {worst}" if len(them) > worst else ""))
        for id in them[:worst]:
            say(describe(id, results[id], kernels[id]))

    def more_stack(than):
        return lambda figures: figures["now"]["stack"] - figures[than]["stack"]

    def more_instructions(than):
        return lambda figures: over(figures["now"], figures[than], compared_part(figures["now"], figures[than]))

    say("\nKernels: registers / bytes of stack / instructions; then Nereid's instructions less Triton's")
    print_worst("More stack than Triton's", more_stack("Triton"), 0)
    print_worst("Over 1.05 of Triton's instructions", more_instructions("Triton"), 1.05)
    if earlier is not None:
        print_worst("More stack than before", more_stack("before"), 0)
        print_worst("Over 1.05 of the instructions before", more_instructions("before"), 1.05)


def main():
    settings = parse_arguments()
    earlier = json.loads(Path(settings.before).read_text()) if settings.before else None
    for name in ("cuobjdump", "nvdisasm"):
        machine_code.tool(name)
    print_comparison(compile_and_count(settings), earlier, settings.worst)
    sys.stdout.flush()
    os._exit(0)  # as ending a process full of libraries takes long


if __name__ == "__main__":
    main()
