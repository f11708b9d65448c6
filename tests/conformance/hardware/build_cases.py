"""Compiles every case into one library, for compare_with_triton.py. Needs neither a GPU nor Triton.

    build_cases.py NEREID OUT [TARGETS]
"""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cases import CASES  # noqa: E402

nereid, out = sys.argv[1], Path(sys.argv[2])
targets = sys.argv[3] if len(sys.argv) > 3 else "cuda:90a"
kernels = Path(__file__).parent.parent / "kernels"


def compile_case(indexed):
    index, case = indexed
    name = f"case_{index}"
    command = [nereid, "compile", kernels / f"{case.file}.py", "-k", case.kernel, "--function", name, "-s",
               case.signature(), "--num-warps", str(case.warps), "-t", targets, "-o", out / f"{name}.nko"]
    result = subprocess.run(command, capture_output=True, text=True)
    return (name, case.kernel, case.signature(), result.stderr) if result.returncode else None


out.mkdir(parents=True, exist_ok=True)
with ThreadPoolExecutor() as pool:
    failures = [failure for failure in pool.map(compile_case, enumerate(CASES)) if failure]
for failure in failures:
    print(*failure, sep="\n  ")
if failures:
    sys.exit(f"{len(failures)} of {len(CASES)} cases did not compile")
objects = [out / f"case_{index}.nko" for index in range(len(CASES))]
subprocess.run([nereid, "link", *objects, "-n", "cases", "-o", out, "--shared"], check=True)
print(f"{len(CASES)} cases in {out / 'libcases.so'}")
