"""Compiles every case of cases.py into one library, for check.py. Needs no GPU.

    build.py NEREID OUT [TARGET]
"""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cases import CASES  # noqa: E402

nereid, out = sys.argv[1], Path(sys.argv[2])
target = sys.argv[3] if len(sys.argv) > 3 else "cuda:90a"
kernels = Path(__file__).parent / "kernels.py"


def compile_case(indexed):
    index, case = indexed
    image = out / f"case_{index}.nko"
    result = subprocess.run([
        nereid, "compile", kernels, "-k", case.kernel, "--function", f"case_{index}", "-s", case.signature(),
        "--num-warps", str(case.warps), "--num-stages", str(case.stages), "-t", target, "-o", image
    ], capture_output=True, text=True)
    if result.returncode or "error" in result.stderr:
        print(f"case {index}, {case}:\n  {result.stderr}", flush=True)
        return None
    return image


out.mkdir(parents=True, exist_ok=True)
with ThreadPoolExecutor(2) as pool:
    images = list(pool.map(compile_case, enumerate(CASES)))
done = [image for image in images if image]
subprocess.run([nereid, "link", *done, "-n", "products", "-o", out, "--shared"], check=True)
print(f"{len(done)} of {len(CASES)} cases in {out / 'libproducts.so'}")
sys.exit(len(done) != len(CASES))
