#!/bin/bash
# Packs what public_kernels.py needs for a machine with a GPU and without a network: nereid with LLVM linked in, the packages
# and the scripts.
#
#     bundle.sh BUILD OUT.tar.gz [DOWNLOADS]
#
# BUILD is a build folder of Nereid; DOWNLOADS a folder of wheels and source distributions, which is filled by pip if it does
# not exist (fetch_packages.sh, fetch_more_packages.sh, fetch_unseen_packages.sh). There, unpacked:
#
#     ./run.sh RESULTS [PATTERN] [OPTION…]
#     PACKAGES=unseen ./run.sh RESULTS --of pictures,atoms,optimizers,decoding
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) out=$(realpath -m "$2")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/public_kernels
mkdir -p "$root"
"$here/fetch_packages.sh" "${3:-$stage/downloads}" "$root/packages"
"$here/fetch_more_packages.sh" "${3:-$stage/downloads}/more" "$root/packages"
"$here/fetch_unseen_packages.sh" "${3:-$stage/downloads}/unseen" "$root/unseen"
cp "$here"/*.py "$root/"

"$here/../static_nereid.sh" "$build" "$root/nereid"

cat > "$root/run.sh" <<'RUN'
#!/bin/bash
# run.sh RESULTS [PATTERN] [OPTION…]: see public_kernels.py
here=$(cd "$(dirname "$0")" && pwd)
export PATH=$PATH:/usr/local/cuda/bin TRITON_CACHE_DIR=${TRITON_CACHE_DIR:-/tmp/triton-public-kernels} PYTHONUNBUFFERED=1
export PYTHONDONTWRITEBYTECODE=1 FLAGGEMS_CACHE_DIR=${FLAGGEMS_CACHE_DIR:-/tmp/flaggems-public-kernels}
exec python3 "$here/public_kernels.py" "$@" --nereid "$here/nereid" --packages "$here/${PACKAGES:-packages}"
RUN
chmod +x "$root/run.sh"
mkdir -p "$(dirname "$out")"
tar -C "$stage" -cf - public_kernels | gzip -6 > "$out"
ls -l "$out"
