#!/usr/bin/env bash
# The completions of bash, and of zsh and fish where they are installed; and the manual page, which must have every option
# and every variable of the environment that the sources ask for.
#
#   completion.sh NEREID SOURCES
set -u
sources=$(realpath "$2")
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

# completes LINE WORD…: what bash offers behind LINE.
completes() {
  local line=$1
  shift
  COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=(poisoned)
  _nereid
  [ "${COMPREPLY[*]}" = "$*" ] || fail "bash completes '$line' with '${COMPREPLY[*]}', not '$*'"
}
exits 0 "" "$nereid" completion bash
cp stdout nereid.bash
. ./nereid.bash
complete -p nereid >log 2>&1 || fail "bash knows no completion"
completes "nereid comp" compile completion
completes "nereid --ver" --version
completes "nereid compile add.py --no-t" --no-tensor-maps
completes "nereid compile -t cp" cpu cpu:x86-64-v2 cpu:x86-64-v3 cpu:x86-64-v4 cpu:aarch64
# Readline replaces what stands behind a colon, a '=' or a blank.
completes "nereid compile -t cpu:aa" aarch64
completes "nereid compile --target cpu,hip:gfx90" gfx90a
completes "nereid build m.json --target=cpu,hip:gfx90" gfx90a
completes "nereid compile --host=a" aarch64
completes "nereid compile add.py --host " x86_64 aarch64
completes "nereid completion " bash zsh fish
completes "nereid build m.json --progress=" auto line plain none
completes "nereid link x.nko --we" --werror
# A command's own commands, and their options.
completes "nereid cache t" trim
completes "nereid cache trim --h" --help
# Files, which bash completes by itself.
completes "nereid compile ad"
completes "nereid compile -o ad"
# Without colons among its word breaks.
breaks=$COMP_WORDBREAKS
COMP_WORDBREAKS=' '
completes "nereid compile -t cpu:aa" cpu:aarch64
COMP_WORDBREAKS=$breaks
exits 2 "" "$nereid" completion tcsh

"$nereid" completion zsh >_nereid
"$nereid" completion fish >nereid.fish
"$nereid" manual >nereid.1
if command -v zsh >/dev/null; then
  run zsh -n _nereid
else
  echo "zsh is not here: its completion was not tried"
fi
if command -v fish >/dev/null; then
  fish -c 'source nereid.fish; complete -C "nereid compile --target cpu,hip:gfx90"' >log 2>&1 || fail "fish"
  expect "cpu,hip:gfx90a"
  fish -c 'source nereid.fish; complete -C "nereid compile --no-t"' >log 2>&1 || fail "fish"
  expect "--no-tensor-maps"
else
  echo "fish is not here: its completion was not tried"
fi
if command -v man >/dev/null; then
  LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=100 man --warnings -E UTF-8 -l -Tutf8 -Z nereid.1 2>log >page || fail "the manual page"
  [ ! -s log ] || fail "the manual page has mistakes"
else
  echo "man is not here: the manual page was not formatted"
fi

# Everything that --help lists.
count=0
for command in $("$nereid" --help | sed -n '/^Subcommands:/,$s/^  \([a-z-]*\) .*/\1/p'); do
  for option in $("$nereid" "$command" --help | grep -oE '^  (-[A-Za-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    count=$((count + 1))
    grep -qF -- "'$command $option'" nereid.bash || grep -qE -- "'$command/-'.*[ ']$option[ ']" nereid.bash ||
      fail "bash does not know $command $option"
    grep -qF -- "$option" _nereid || fail "zsh does not know $command $option"
    grep -q -- "from $command'.* -l ${option#--} " nereid.fish || grep -q -- "from $command; .* -l ${option#--} " nereid.fish ||
      fail "fish does not know $command $option"
    grep -qF -- "${option//-/\\-}" nereid.1 || fail "the manual page does not know $command $option"
  done
done
[ $count -gt 80 ] || fail "only $count options were found"
for variable in $(cd "$sources" && grep -rhoE 'get(Environment|env)\("[A-Z_]+"' aot compiler linker toolkits | grep -oE '[A-Z_]{2,}') \
  $(cd "$sources" && grep -rhoE '"NEREID_[A-Z_]+"' aot compiler linker toolkits | tr -d '"'); do
  case $variable in
  # For tests; the system's; a macro of the build.
  NEREID_CRASH | PATH | HOME | TMPDIR | XDG_* | COLUMNS | TERM | NEREID_VERSION | NEREID_BIN_TO_LIB) ;;
  *) grep -q "$variable" nereid.1 || fail "the manual page does not tell of $variable" ;;
  esac
done
finish completion
