#!/usr/bin/env bash
# Dependencies point one way (docs/architecture.md): a file may include its own folder's headers and those that the
# table below allows it, and no others of this repository.
#
#   include_directions.sh ROOT
set -euo pipefail
cd "$1"

# The plain headers: what a kernel, a signature, a target and a message are.
plain='compiler/(Diagnostics|KernelInfo|Specialization|Target)\.h'
layouts='compiler/layouts/.*'
dialects='compiler/dialects/.*'
transforms='compiler/transforms/.*'

# FOLDER: the headers that files under it may include besides their own.
declare -A allowed=(
  [compiler/layouts]='none'
  [compiler/dialects/tt]='none'
  [compiler/dialects/ttg]="$layouts|compiler/dialects/tt/.*"
  [compiler/frontends]="$plain|compiler/Compiler\.h|$dialects"
  [compiler/transforms]="$plain|$layouts|$dialects"
  [compiler/lowering/cpu]="$plain|$layouts|$dialects|$transforms"
  [compiler/lowering/gpu]="$plain|$layouts|$dialects|$transforms"
  [compiler/lowering/nvidia]="$plain|compiler/lowering/gpu/.*"
  [compiler/lowering/amd]="$plain|compiler/lowering/gpu/.*"
  [compiler/targets]="$plain|toolkits/.*|compiler/Compiler\.h|$transforms|compiler/lowering/.*"
  [aot]="$plain|compiler/Compiler\.h|linker/.*"
  [linker]="$plain|toolkits/.*"
  [toolkits]='none'
)

wrong=0
checked=0
for folder in "${!allowed[@]}"; do
  while IFS=: read -r file line include; do
    checked=$((checked + 1))
    header=${include#*\"}
    header=${header%%\"*}
    if [[ ! $header =~ ^($folder/.*|${allowed[$folder]})$ ]]; then
      echo "$file:$line: error: files in $folder must not include $header"
      wrong=1
    fi
  done < <(grep -rnE '^ *# *include "(aot|compiler|linker|toolkits|tools|tests)/' --include='*.h' --include='*.cpp' "$folder")
done
if [ "$checked" -lt 100 ]; then
  echo "only $checked includes were found in $PWD"
  wrong=1
fi
exit $wrong
