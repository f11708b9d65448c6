#!/usr/bin/env bash
# Whether the driver unpacks compressed images, what they save, and what unpacking costs.
#
#   compression.sh prepare NEREID FOLDER    where the CUDA toolkit is: makes a program for each way of packing
#   compression.sh run FOLDER               where the GPU is, an H200 or another Hopper: runs them
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

case "${1:-}" in
prepare)
  nereid=$2 folder=$3
  mkdir -p "$folder"
  for mode in none speed size; do
    "$nereid" build "$here/rows.py" -o "$folder/$mode" --compress=$mode --sizes >"$folder/$mode.sizes"
    ${CC:-cc} -std=gnu11 -O1 -I "$folder/$mode" "$here/main.c" "$folder/$mode/librows.so" -Wl,-rpath,"\$ORIGIN/$mode" -lm -ldl \
      -o "$folder/$mode.run"
    echo "$mode: $(stat -c %s "$folder/$mode/librows.so") bytes"
  done
  cp "$0" "$folder/"
  ;;
run)
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true
  for round in 1 2 3; do
    for mode in none speed size; do
      # Lest the driver remembers.
      echo "round $round, $mode: $(stat -c %s "$2/$mode/librows.so") bytes, $(CUDA_CACHE_DISABLE=1 "$2/$mode.run" 2>&1)" || true
    done
  done
  ;;
*)
  sed -n '2,6p' "$0"
  exit 2
  ;;
esac
