# What the scripts that fetch packages begin with; they source it. Their arguments are DOWNLOADS, which keeps what PyPI brings
# and is used as it is if it exists, and PACKAGES. What is unpacked lies in a folder that goes when they end.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
downloads=$(realpath -m "$1") packages=$(realpath -m "$2")
python=${PYTHON:-python3}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$packages"
