#!/bin/bash
# Packs what run.sh needs on a machine with a GPU and without a network, into a folder for a checkout that is copied there.
#
#     bundle.sh BUILD FOLDER [WHEELS]
#
# BUILD is a build folder of Nereid; WHEELS a folder of wheels of Liger-Kernel, flash-linear-attention, Conch and einops, which pip fetches
# if it is not given. There, in the checkout: tests/benchmark/serving/run.sh OUT --bundle FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
build=$(cd "$1" && pwd) folder=$(cd "$2" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
wheels=${3:-$stage/wheels}
if [ ! -d "$wheels" ]; then
  python3 -m pip download -q --no-deps -d "$wheels" fla-core liger-kernel conch-triton-kernels einops packaging
fi
mkdir -p "$stage/bundle/packages"
for wheel in "$wheels"/*.whl; do python3 -m zipfile -e "$wheel" "$stage/bundle/packages"; done
"$here/../static_nereid.sh" "$build" "$stage/bundle/nereid"
tar -C "$stage/bundle" -c nereid packages | xz -T0 -6 > "$folder/bundle.tar.xz"
ls -l "$folder/bundle.tar.xz"
