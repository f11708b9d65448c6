#!/usr/bin/env bash
# What a call from Python costs: builds the kernels and measures, on a GPU if TARGETS names one.
#
#   run.sh NEREID [TARGETS]        NEREID_TEST_PYTHON names a Python with PyTorch, and with Triton and apache-tvm-ffi if they
#                                  are to be measured
set -euo pipefail
nereid=$(realpath "$1")
targets=${2:-cpu}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nereid" build "$here/kernels.py" -o "$work" -n calls --python -t "$targets" >"$work/log"
if [[ $targets == *cuda* ]]; then
  exec "${NEREID_TEST_PYTHON:-python3}" "$here/measure.py" "$work" cuda
fi
mkdir "$work/idle"
cc -O2 -fPIC -shared "$here/driver.c" -o "$work/idle/libcuda.so.1"
LD_LIBRARY_PATH=$work/idle TRITON_LIBCUDA_PATH=$work/idle TRITON_CACHE_DIR=$work/cache \
  "${NEREID_TEST_PYTHON:-python3}" -W ignore "$here/measure.py" "$work"
