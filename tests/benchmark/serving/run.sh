#!/bin/bash
# Cold start to the first result on this machine's GPU, by Triton's JIT and by a library: see measure.py.
#
#     run.sh OUT [OPTION…]       with `nereid` and its wheel's modules, or this repository's, at hand
#
# A ptxas is found in Triton's own package where there is no CUDA toolkit.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
if [ -z "${NEREID_PTXAS:-}" ] && ! command -v ptxas >/dev/null; then
  NEREID_PTXAS=$("$python" -c 'import pathlib, triton; print(pathlib.Path(triton.__file__).parent / "backends/nvidia/bin/ptxas")')
  export NEREID_PTXAS
fi
"$python" -c 'import torch, triton; print(torch.__version__, triton.__version__, torch.cuda.get_device_name())'
exec "$python" "$here/measure.py" "$@"
