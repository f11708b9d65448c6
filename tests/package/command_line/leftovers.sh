#!/usr/bin/env bash
# Folders for temporary files that killed processes leave beside the outputs: the next one removes them, but none that
# somebody works in.
#
#   leftovers.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >add.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n) + 2, mask=offsets < n)
PY
"$nereid" compile add.py -k add_kernel -s "*fp32, i32, 4" -t cpu:x86-64-v2 -g 1 -o good.nko 2>stderr || fail "cannot compile good.nko"
mkdir kept

# A compiler that takes its time.
printf '#!/bin/sh\necho >%s\nexec sleep 5\n' "$work/started" >slow
chmod +x slow

wait_for() { for _ in $(seq 300); do [ -e "$1" ] && break || sleep 0.1; done; }

# begin_slow_link [VARIABLE=VALUE…]: in the background.
begin_slow_link() {
  rm -f started
  env "$@" CC="$work/slow" "$nereid" link good.nko -n lib -o kept >stdout 2>stderr &
}

link_slowly() {
  begin_slow_link
  wait_for started
}

link_slowly
kill -KILL $!
wait $! 2>stderr
[ "$(find kept -maxdepth 1 -name '.nereid-*' | wc -l)" = 1 ] || fail "not one folder: $(ls -A kept)"
dead=$(find kept -maxdepth 1 -name '.nereid-*')
link_slowly
[ ! -e "$dead" ] || fail "what was killed is still there"
alive=$(find kept -maxdepth 1 -name '.nereid-*')
mkdir kept/.nereid-0000ff kept/.nereid-other
touch -d '2 days ago' "$alive" kept/.nereid-0000ff/file
exits 0 "" "$nereid" link good.nko -n lib -o kept
[ -e "$alive/lib.c" ] || fail "the folder of somebody who works in it is gone"
[ -e kept/.nereid-0000ff/file ] && [ -d kept/.nereid-other ] || fail "a folder of nobody's was removed"
kill -TERM $!
wait $! 2>stderr
rm -r kept/.nereid-0000ff kept/.nereid-other
# Many at a time, none of which takes another's for left.
for _ in $(seq 4); do
  processes=()
  for number in $(seq 12); do
    "$nereid" link good.nko -n "lib$number" -o kept --source >stdout 2>"stderr$number" &
    processes+=($!)
  done
  for process in "${processes[@]}"; do wait "$process" || fail "one of many failed: $(cat stderr?*)"; done
done
[ -z "$(find kept -name '.nereid-*')" ] || fail "something was left: $(find kept -name '.nereid-*')"

# One is looked at that has been made and not been locked yet: who made it takes another.
cat >halt.c <<'C'
// Halts before a process first locks a file, or behind that (HALT). Makes the file HALTED then, and waits for the file GO.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void halt(void) {
  close(creat(getenv("HALTED"), 0666));
  while (access(getenv("GO"), F_OK) != 0)
    usleep(1000);
}

int fcntl(int descriptor, int command, ...) {
  static int calls;
  __builtin_va_list arguments;
  __builtin_va_start(arguments, command);
  void *argument = __builtin_va_arg(arguments, void *);
  __builtin_va_end(arguments);
  int (*next)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
  int halts = command == F_OFD_SETLK && calls++ == 0;
  int before = strcmp(getenv("HALT"), "before") == 0;
  if (halts && before)
    halt();
  int result = next(descriptor, command, argument);
  if (halts && !before)
    halt();
  return result;
}
C
"${CC:-cc}" -shared -fPIC -o halt.so halt.c -ldl 2>stderr || fail "cannot compile halt.c"
begin_slow_link LD_PRELOAD="$work/halt.so" HALT=before HALTED="$work/made" GO="$work/looked_at"
wait_for made
made=$(find kept -maxdepth 1 -name '.nereid-*')
exits 0 "" env LD_PRELOAD="$work/halt.so" HALT=behind HALTED="$work/looked_at" GO="$work/started" "$nereid" link good.nko -n other -o kept --source
[ ! -e "$made" ] || fail "what was taken for left is still there"
[ -n "$(find kept -path 'kept/.nereid-*/lib.c')" ] || fail "there is no folder to work in"
kill -TERM $!
wait $! 2>stderr
[ -z "$(find kept -name '.nereid-*')" ] || fail "something was left: $(find kept -name '.nereid-*')"

finish "leftovers"
