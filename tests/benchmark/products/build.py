"""Compiles the cases of cases.py, each into one library in OUT.

    build.py [--wide PATTERN | --only PATTERN] NEREID OUT [TARGETS [OPTION…]]

With --only, of the cases those whose kind and name match. Options go to `nereid compile`, as --no-tensor-maps. With --wide, of the search's cases those whose kind and name match the
pattern, such as 'attention 64 full'; the same option of compare.py ranks them.
"""
import argparse
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cases import CASES, WIDE, matching

here = Path(__file__).parent
parser = argparse.ArgumentParser()
parser.add_argument("--wide", metavar="PATTERN")
parser.add_argument("--only", metavar="PATTERN", default="")
parser.add_argument("nereid")
parser.add_argument("out", type=Path)
parser.add_argument("targets", nargs="?", default="cuda:90a")
arguments, options = parser.parse_known_args()
cases = matching(WIDE, arguments.wide) if arguments.wide is not None else matching(CASES, arguments.only)


def build(case):
    start = time.monotonic()
    image = arguments.out / f"{case.name}.nko"
    done = subprocess.run([
        arguments.nereid, "compile", here / "kernels.py", "-k", case.kernel, "-s", case.signature(), "--num-warps",
        str(case.warps), "--num-stages", str(case.stages), "-t", arguments.targets, "-o", image, *options
    ], capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode == 0:
        done = subprocess.run([arguments.nereid, "link", image, "-n", case.name, "-o", arguments.out, "--shared"],
                              capture_output=True, text=True)
    return f"{case.name:44} {seconds:6.2f} s  {done.stderr.strip()}"


arguments.out.mkdir(parents=True, exist_ok=True)
with ThreadPoolExecutor(2) as pool:
    for line in pool.map(build, {case.name: case for case in cases}.values()):
        print(line, flush=True)
