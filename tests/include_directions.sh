#!/usr/bin/env bash
# Dependencies point one way (docs/architecture.md): a file may include its own folder's headers and those that the
# table below allows it, and no others of this repository.
#
#   include_directions.sh ROOT
set -euo pipefail
cd "$1"

# What a kernel, a signature, a target, a request and a message are.
model='compiler/model/.*'
layouts='compiler/layouts/.*'
dialects='compiler/dialects/.*'
transforms='compiler/transforms/.*'
types='compiler/frontends/types/.*'
semantics='compiler/frontends/semantics/.*'
python='compiler/frontends/python'
triton_c='compiler/frontends/triton_c'

# FOLDER: the headers that files under it may include besides their own.
declare -A allowed=(
  [compiler/model]='none'
  [compiler/layouts]='none'
  [compiler/dialects/tt]="$model"
  [compiler/dialects/ttg]="$layouts|compiler/dialects/tt/.*"
  [compiler/dialects/ttng]="$layouts|compiler/dialects/(tt|ttg)/.*"
  [compiler/frontends/types]="$model"
  [compiler/frontends/semantics]="$model|$dialects|$types"
  [$python]="$model|$dialects|$types|$semantics|$python/(builtins|emission)/.*"
  [$python/syntax]="$model"
  [$python/prelude]='none'
  [$python/values]="$model|$types|$python/syntax/.*"
  [$python/evaluation]="$model|$types|$python/(syntax|values)/.*"
  [$python/host]="$model|$types|$python/(syntax|values|evaluation)/.*"
  [$python/modules]="$model|$types|$python/(syntax|prelude|values|evaluation|host)/.*"
  [$python/emission]="$model|$dialects|$types|$semantics|$python/(syntax|values|evaluation|modules)/.*"
  [$python/builtins]="$model|$dialects|$types|$semantics|$python/(syntax|values|evaluation|host|modules|emission)/.*"
  [$triton_c]="$model|$dialects|$types|$semantics|$triton_c/(syntax|emission)/.*"
  [$triton_c/syntax]="$model|$types"
  [$triton_c/emission]="$model|$dialects|$types|$semantics|$triton_c/syntax/.*"
  [compiler/frontends/ir]="$model|$dialects"
  [compiler/transforms]="$model|$layouts|$dialects"
  [compiler/lowering/source]="$model"
  [compiler/lowering/cpu]="$model|$layouts|$dialects|$transforms|compiler/lowering/source/.*"
  [compiler/lowering/gpu]="$model|$layouts|$dialects|$transforms|compiler/lowering/source/.*"
  [compiler/lowering/nvidia]="$model|$dialects|compiler/lowering/gpu/.*"
  [compiler/lowering/amd]="$model|compiler/lowering/gpu/.*"
  [compiler/targets]="$model|toolkits/.*|$transforms|compiler/lowering/.*"
  [compiler/driver]="$model|$dialects|$transforms|compiler/frontends/.*|compiler/targets/.*"
  [aot]="$model|compiler/driver/Compiler\.h|linker/.*|toolkits/.*"
  [linker]="$model|toolkits/.*"
  [toolkits]='none'
)

# The innermost folder of the table that a file is in.
owner_of() {
  owner=$1
  while [[ $owner == */* ]]; do
    owner=${owner%/*}
    if [[ -n ${allowed[$owner]+is_there} ]]; then return; fi
  done
  owner=''
}

wrong=0
checked=0
while IFS=: read -r file line include; do
  checked=$((checked + 1))
  header=${include#*\"}
  header=${header%%\"*}
  owner_of "$header"
  included=$owner
  owner_of "$file"
  if [[ -z $owner ]]; then
    echo "$file:$line: error: the folder is not in the table of tests/include_directions.sh"
    wrong=1
  elif [[ $owner != "$included" && ! $header =~ ^(${allowed[$owner]})$ ]]; then
    echo "$file:$line: error: files in $owner must not include $header"
    wrong=1
  fi
done < <(grep -rnE '^ *# *include "(aot|compiler|linker|toolkits|tools|tests)/' --include='*.h' --include='*.cpp' aot compiler linker toolkits)
# The floors of the frontends below the emission evaluate Python, or parse, and know no IR.
if grep -rnE '^ *# *include "mlir/' compiler/frontends/types "$triton_c/syntax" \
  "$python"/{syntax,prelude,values,evaluation,host,modules}; then
  echo "error: these files must not include MLIR"
  wrong=1
fi
if [ "$checked" -lt 100 ]; then
  echo "only $checked includes were found in $PWD"
  wrong=1
fi
exit $wrong
