#!/usr/bin/env bash
# The job server of GNU Make: all builds of a make together do no more at a time than its -j says, and as much as that; every token is
# given back, however a build ends.
#
#   job_server.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL NEREID_COMPILER_LAUNCHER
export NEREID=$nereid
ulimit -c 0

cat >k.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr, AMOUNT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.static_assert(AMOUNT != 3, "not three")
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + AMOUNT, mask=i < n)
PY
# manifest NAME AMOUNTS
manifest() {
  printf '{"name": "%s", "targets": ["cpu:x86-64-v2", "cuda:80"], "kernels": [{"source": "k.py", "kernel": "add",
    "grid": "cdiv(n, BLOCK)", "dispatch": ["AMOUNT"], "signatures": ["*fp32, i32, BLOCK=64, AMOUNT=[%s]"]}]}' "$1" "$2" >"$1.json"
}
manifest a 10,11,12,13
manifest b 20,21,22,23
manifest wrong 1,2,3,4
manifest few 30
manifest large "$(seq -s, 100 400)"

# A launcher that writes down when something begins and ends; what it writes is longer than most of it takes.
cat >noting <<'SH'
#!/bin/sh
echo + >>noted
sleep 0.2
"$@"
code=$?
echo - >>noted
exit $code
SH
# Ends a build with a signal when it is at work.
cat >ending <<'SH'
#!/bin/bash
# A crash is to end it, not one compilation.
NEREID_CRASH=1 LLVM_DISABLE_SYMBOLIZATION=1 env --default-signal=INT,QUIT "$NEREID" build large.json -o killed --no-cache --progress plain >out.$1 2>log.$1 &
for _ in $(seq 500); do grep -q '^\[' log.$1 && break; sleep 0.02; done
kill -$1 $!
wait $!
[ $? -gt 128 ]
SH
# Says how many tokens the server has, and leaves them there.
cat >tokens.py <<'PY'
import os, sys

auth = [word.split("=", 1)[1] for word in os.environ["MAKEFLAGS"].split() if word.startswith("--jobserver-auth=")][-1]
if auth.startswith("fifo:"):
    read = write = os.open(auth[5:], os.O_RDWR | os.O_NONBLOCK)
else:
    read, write = (int(end) for end in auth.split(","))
    read = os.open(f"/proc/self/fd/{read}", os.O_RDONLY | os.O_NONBLOCK)
try:
    tokens = os.read(read, 1000)
except BlockingIOError:
    tokens = b""
os.write(write, tokens)
print(len(tokens), file=open(sys.argv[1], "w"))
PY
chmod +x noting ending
cat >Makefile <<'MAKE'
BUILD = $(NEREID) build $@.json -o $@.lib --no-cache --launcher ./noting --quiet
.PHONY: all a b wrong unmarked ask plain given TERM INT HUP QUIT SEGV ABRT
all: a b
	+python3 tokens.py tokens
a b:
	+$(BUILD)
given:
	+$(NEREID) build a.json -o a.lib --no-cache --launcher ./noting --quiet -j 2
	+python3 tokens.py tokens
unmarked:
	$(NEREID) build a.json -o a.lib --no-cache --launcher ./noting --quiet
compiled:
	+$(NEREID) compile k.py -k add -s '*fp32, i32, 64, 1' -t cpu,cuda:80,cuda:90a,hip:gfx942,hip:gfx90a -j 0 -o k.nko --no-cache
	+python3 tokens.py tokens
wrong:
	-+$(NEREID) build wrong.json -o wrong.lib --no-cache --quiet
	+python3 tokens.py tokens
TERM INT HUP QUIT SEGV ABRT:
	+./ending $@
	+python3 tokens.py tokens
MAKE

# most: how many there were at a time.
most() { awk '/[+]/ { now++; if (now > most) most = now } /-/ { now-- } END { print most + 0 }' noted; }
# made MOST TOKENS COMMAND…
made() {
  local expected=$1 left=$2
  shift 2
  : >noted
  rm -f tokens
  run "$@"
  [ -z "$expected" ] || [ "$(most)" = "$expected" ] || fail "$(most) at a time instead of $expected: $*"
  [ -z "$left" ] || [ "$(cat tokens)" = "$left" ] || fail "$(cat tokens) tokens are left instead of $left: $*"
}

echo "-- builds share what make -j allows"
made 3 2 make -j3
made 5 4 make -j5
[ -e a.lib/liba.so ] && [ -e b.lib/libb.so ] || fail "no libraries"
echo "-- -j of a build is the most it takes"
made 2 4 make -j5 given
echo "-- without the server's pipe it is one at a time, which is said"
made 1 "" make -j4 unmarked
expect "warning: the job server of MAKEFLAGS cannot be used, as it is for recipes that begin with '+'"
echo "-- so do compilations for several targets"
made "" 3 make -j4 compiled

echo "-- every token is given back after errors and signals"
made "" 3 make -j4 wrong
expect "not three"
for signal in TERM INT HUP QUIT SEGV ABRT; do
  made "" 3 make -j4 $signal
  [ ! -e killed/liblarge.so ] || fail "the build was not ended"
done

echo "-- a server with a name, as of Make from 4.4 on and of Ninja"
cat >server.py <<'PY'
import os, subprocess, sys

os.mkfifo("server")
ends = os.open("server", os.O_RDWR)
os.write(ends, b"ab")
flags = f"k -j3 --jobserver-auth=9,9 --jobserver-auth=fifo:{os.getcwd()}/server -- CFLAGS=--jobserver-auth=7,8"
code = subprocess.run(sys.argv[1:], env=dict(os.environ, MAKEFLAGS=flags), close_fds=True).returncode
tokens = os.read(ends, 100)
assert sorted(tokens) == [97, 98], tokens
sys.exit(code)
PY
made 3 "" python3 server.py "$nereid" build a.json -o a.lib --no-cache --launcher ./noting --quiet
[ ! -s log ] || fail "something was said"
echo "-- a server that is not there"
for auth in fifo:/nowhere/server fifo:/dev/null 77,78 0,1 -2,-2 nonsense; do
  MAKEFLAGS="-j4 --jobserver-auth=$auth" made 1 "" "$nereid" build few.json -o few.lib --no-cache --launcher ./noting --quiet </dev/null
  expect "the job server of MAKEFLAGS cannot be used"
  MAKEFLAGS="-j4 --jobserver-auth=$auth" made 2 "" "$nereid" build few.json -o few.lib --no-cache --launcher ./noting --quiet -j 2 </dev/null
done
echo "-- done"
