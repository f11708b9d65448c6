#!/usr/bin/env bash
# Messages are coloured on a terminal, where nobody has said otherwise, and say the same there as in a file.
#
#   colors.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
unset NO_COLOR CLICOLOR_FORCE
export TERM=xterm NEREID_PTXAS=none
cat >kernel.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def wrong(x_ptr):
    x = tl.load(x_ptr + "a: error: b")


@triton.jit
def helper(x_ptr):
    return missing(x_ptr)


@triton.jit
def calls(x_ptr):
    helper(x_ptr)
PY
command=("$nereid" compile kernel.py -s '*fp32' -t cpu -o k.nko)

# on_terminal [NAME=VALUE…] COMMAND…: what it writes, on a terminal.
cat >terminal.py <<'PY'
import os, pty, sys
chunks = []
def read(fd):
    data = os.read(fd, 1024)
    chunks.append(data)
    return data
pty.spawn(["/usr/bin/env"] + sys.argv[1:], read)
open("terminal", "wb").write(b"".join(chunks).replace(b"\r\n", b"\n"))
PY
on_terminal() { python3 terminal.py "$@" </dev/null >/dev/null 2>&1; }
is_colored() { grep -q $'\033' "$1"; }
without_colors() { sed $'s/\033\\[[0-9;]*m//g' "$1"; }

for kernel in wrong calls; do
  exits 1 "error: " "${command[@]}" -k $kernel
  cp stderr plain
  ! is_colored plain || fail "a pipe is coloured"
  on_terminal "${command[@]}" -k $kernel
  is_colored terminal || fail "a terminal is not coloured"
  without_colors terminal | cmp - plain || fail "colours change the words"
  exits 1 "" "${command[@]}" -k $kernel --color=always
  cmp stderr terminal || fail "--color=always is not as on a terminal"
  exits 1 "" "$nereid" --color=always "${command[@]:1}" -k $kernel
  cmp stderr terminal || fail "--color=always before the command"
done
# The place is bold, the kind red, the message bold, the marks green; the file's line keeps as it is.
exits 1 "" "${command[@]}" -k wrong --color always
e=$'\033'
grep -qE "^$e\[1mkernel\.py:7:[0-9]+: $e\[[0-9;]*31merror: $e\[0m$e\[1m" stderr || fail "the headline: $(cat -v stderr)"
grep -qxF '    x = tl.load(x_ptr + "a: error: b")' stderr || fail "the line of the file is coloured"
grep -qE "^$e\[[0-9;]*32m +[\^~]+$e\[0m\$" stderr || fail "the marks: $(cat -v stderr)"

# What was said otherwise.
for way in "NO_COLOR=1 CLICOLOR_FORCE=1" TERM=dumb "NO_COLOR=1"; do
  # shellcheck disable=SC2086
  on_terminal $way "${command[@]}" -k wrong
  ! is_colored terminal || fail "$way does not turn colours off"
done
on_terminal "${command[@]}" -k wrong --color=never
! is_colored terminal || fail "--color=never"
exits 1 "" env CLICOLOR_FORCE=1 "${command[@]}" -k wrong
is_colored stderr || fail "CLICOLOR_FORCE"
exits 1 "" env CLICOLOR_FORCE=0 "${command[@]}" -k wrong
! is_colored stderr || fail "CLICOLOR_FORCE=0"
exits 1 "" env NO_COLOR=1 "${command[@]}" -k wrong --color=always
is_colored stderr || fail "an option comes before the environment"
exits 2 "" "${command[@]}" -k wrong --color=mauve
# Several targets, compiled at a time.
exits 1 "" "$nereid" compile kernel.py -k wrong -s '*fp32' -t cpu,cuda:90a --color=always -o k.nko
is_colored stderr || fail "several targets"
finish colors
