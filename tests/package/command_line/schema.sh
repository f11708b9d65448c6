#!/usr/bin/env bash
# The published schema of manifests and the tool agree: on the keys there are, and on what a good manifest becomes if any
# part of it is left out or replaced by something else.
#
#   schema.sh NEREID SCHEMA
set -euo pipefail
exec python3 "$(dirname "$0")/check_schema.py" "$1" "$2"
