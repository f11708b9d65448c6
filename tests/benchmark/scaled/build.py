"""Compiles every case of cases.py into one library, for compare.py. Needs no GPU.

    build.py NEREID OUT [TARGET]
"""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cases import CASES, CONFIGS, function, signature  # noqa: E402

nereid, out = sys.argv[1], Path(sys.argv[2])
target = sys.argv[3] if len(sys.argv) > 3 else "cuda:90a"
out.mkdir(parents=True, exist_ok=True)
images = []
for case in CASES:
    for index, config in enumerate(CONFIGS):
        name = function(case, index)
        images.append(out / f"{name}.nko")
        subprocess.run([
            nereid, "compile", Path(__file__).parent / "kernels.py", "-k", "scaled_matmul", "--function", name, "-s",
            signature(case, config), "-g", "cdiv(M, BM), cdiv(N, BN)", "--num-warps", str(config[3]), "--num-stages",
            str(config[4]), "-t", target, "-o", images[-1]
        ], check=True)
subprocess.run([nereid, "link", *images, "-n", "scaled", "-o", out, "--shared"], check=True)
