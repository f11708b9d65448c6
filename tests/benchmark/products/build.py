"""Compiles the cases of cases.py, each into one library in OUT.

    build.py NEREID OUT [TARGETS [OPTION…]]

Options go to `nereid compile`, as --no-tensor-maps.
"""
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cases import CASES

here = Path(__file__).parent
nereid, out = sys.argv[1], Path(sys.argv[2])
targets = sys.argv[3] if len(sys.argv) > 3 else "cuda:90a"
options = sys.argv[4:]


def build(case):
    start = time.monotonic()
    image = out / f"{case.name}.nko"
    done = subprocess.run([
        nereid, "compile", here / "kernels.py", "-k", case.kernel, "-s", case.signature(), "--num-warps",
        str(case.warps), "--num-stages", str(case.stages), "-t", targets, "-o", image, *options
    ], capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode == 0:
        done = subprocess.run([nereid, "link", image, "-n", case.name, "-o", out, "--shared"], capture_output=True,
                              text=True)
    return f"{case.name:44} {seconds:6.2f} s  {done.stderr.strip()}"


out.mkdir(parents=True, exist_ok=True)
with ThreadPoolExecutor(2) as pool:
    for line in pool.map(build, {case.name: case for case in CASES}.values()):
        print(line, flush=True)
