#!/usr/bin/env bash
# Sources that are saved while they are being compiled: what is made says what it was made from, and nothing is made of two
# states of a file.
#
#   saved_meanwhile.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
export NEREID_CACHE_DIR=$work/cache

# The sources as they are at first, which is not in the cache.
begin() {
  echo 'EXTRA = 2' >amounts.py
  cat >k.py <<'PY'
# nereid: targets = cuda:80
import triton
import triton.language as tl
from amounts import EXTRA


# nereid: signature = *fp32, i32, 64
# nereid: grid = cdiv(n, BLOCK)
@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + EXTRA, mask=i < n)
PY
  first=$(sha256sum k.py amounts.py)
  "$nereid" cache clear >stdout
}

# says_first FILE: it says that it was made from the sources as they were at first, and one of them is not so any more.
says_first() {
  local hash
  "$nereid" inspect "$1" --json >stdout
  for hash in $(cut -d' ' -f1 <<<"$first"); do
    grep -q "\"sha256\": \"$hash\"" stdout || fail "$1 does not say what it was made from: $(grep sha256 stdout)"
  done
  [ "$first" != "$(sha256sum k.py amounts.py)" ] || fail "nothing was saved meanwhile"
}

# An assembler that is too old, so that the PTX is kept, and gives somebody the time to save.
cat >ptxas <<'SH'
#!/bin/sh
./save
echo "ptxas fatal   : Value 'sm_80' is not defined for option 'gpu-name'" >&2
exit 1
SH
# Somebody who saves when a compilation is done.
cat >launcher <<'SH'
#!/bin/sh
"$@"
code=$?
./save
exit $code
SH
# Once, lest the third state be the first again.
cat >save <<'SH'
#!/bin/sh
grep -q 'EXTRA = 2' amounts.py && grep -q '+ EXTRA' k.py && sed -i 's/+ EXTRA/+ 5/; s/EXTRA = 2/EXTRA = 5/' "$SAVED"
exit 0
SH
chmod +x ptxas launcher save
export NEREID_PTXAS=$PWD/ptxas SAVED
cat >m.json <<'JSON'
{"name": "lib", "targets": ["cuda:80"], "kernels": [{"source": "k.py", "kernel": "add", "grid": "1", "signatures": ["*fp32, i32, 64"]}]}
JSON
sed 's/64"/[64,128]"/; s/"grid"/"dispatch": ["BLOCK"], "grid"/' m.json >two.json

for SAVED in k.py amounts.py; do
  echo "-- what is made says what it was made from ($SAVED)"
  begin
  run "$nereid" compile k.py -k add -s "*fp32, i32, 64" -g 1 -t cuda:80 -o one.nko
  says_first one.nko
  begin
  run "$nereid" build m.json -o lib
  says_first lib/liblib.so
  begin
  run env NEREID_PTXAS=none "$nereid" build m.json -o lib --launcher ./launcher
  says_first lib/liblib.so

  echo "-- and so does what comes from the cache ($SAVED)"
  begin
  run "$nereid" compile k.py -k add -s "*fp32, i32, 64" -g 1 -t cuda:80 -o one.nko
  cp $SAVED later
  begin_hash=$first
  run "$nereid" compile k.py -k add -s "*fp32, i32, 64" -g 1 -t cuda:80 -o other.nko
  ! cmp -s one.nko other.nko || fail "the same object for other sources"
  sed -i 's/+ 5/+ EXTRA/; s/EXTRA = 5/EXTRA = 2/' $SAVED
  [ "$begin_hash" = "$(sha256sum k.py amounts.py)" ] || fail "not as it was"
  run env NEREID_PTXAS="$PWD/ptxas" "$nereid" compile k.py -k add -s "*fp32, i32, 64" -g 1 -t cuda:80 -o again.nko --time
  cmp one.nko again.nko || fail "another object"

  echo "-- nothing is made of two states ($SAVED)"
  for more in "" "--launcher ./launcher"; do
    begin
    before=$(sha256sum lib/*)
    # shellcheck disable=SC2086 # two words
    refused "$SAVED' changed while it was being compiled" "$nereid" build two.json -o lib -j 1 $more
    [ "$before" = "$(sha256sum lib/*)" ] || fail "the earlier library is not as it was"
  done
  begin
  refused "$SAVED' changed while it was being compiled" "$nereid" compile k.py -k add -s "*fp32, i32, [64,128]" --dispatch BLOCK -g 1 -t cuda:80 -o two.nko
  begin
  refused "$SAVED' changed while it was being compiled" "$nereid" compile k.py -k add -s "*fp32, i32, 64" -g 1 -t cuda:80 --stages -o two.nko
  [ ! -e two.nko ] || fail "something was written"
  begin
  refused "$SAVED' changed while it was being compiled" "$nereid" build two.json -o parts --shard 1/1 -j 1
  [ "$(ls parts)" = lib-0.nko ] || fail "not one part: $(ls parts)"
  says_first parts/lib-0.nko
  rm -r parts
done
echo "-- done"
