#!/bin/bash
# Launches and starts of served programs on this machine's GPU, beside Triton's JIT: see measure.py.
#
#     run.sh OUT [OPTION…]                        with `nereid` at hand
#     run.sh OUT --bundle FOLDER [OPTION…]        with what bundle.sh has packed
#
# A ptxas is found in Triton's own package where there is no CUDA toolkit.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
out=$1
shift
if [ "${1:-}" = --bundle ]; then
  bundle=$(mktemp -d)
  trap 'rm -rf "$bundle"' EXIT
  "$python" -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2], filter="data")' "$2/bundle.tar.xz" "$bundle"
  shift 2
  set -- --nereid "$bundle/nereid" --packages "$bundle/packages" "$@"
fi
if ! command -v ptxas >/dev/null && [ -d /usr/local/cuda/bin ]; then
  PATH=$PATH:/usr/local/cuda/bin
fi
if [ -z "${NEREID_PTXAS:-}" ] && ! command -v ptxas >/dev/null; then
  NEREID_PTXAS=$("$python" -c 'import pathlib, triton; print(pathlib.Path(triton.__file__).parent / "backends/nvidia/bin/ptxas")')
  export NEREID_PTXAS
fi
"$python" -c 'import torch, triton; print(torch.__version__, triton.__version__, torch.cuda.is_available() and torch.cuda.get_device_name())'
"$python" "$here/measure.py" "$out" "$@"
