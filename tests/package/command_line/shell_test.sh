# shellcheck shell=bash disable=SC2034
# What the tests beside this file share: a folder of their own, which goes with them, and words for what is expected. They
# source it behind `set`, with their arguments, the first of which is nereid. With `set -e` the first failure ends a
# test; without, all failures are told, and `finish` ends it.
nereid=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# fail WORDS…: with what was said last. The count is a file, as parts of a test run in shells of their own.
fail() {
  local file
  echo "FAILED: $*" >&2
  for file in log stderr; do
    [ -e $file ] || file=$work/$file
    [ ! -s "$file" ] || sed 's/^/    /' "$file" >&2
  done
  case $- in *e*) exit 1 ;; esac
  printf x >>"$work/failures"
}

# run COMMAND…: succeeds.
run() { "$@" >log 2>&1 || fail "$*"; }

# expect WORDS: the last command said so.
expect() { grep -qF -- "$1" log || fail "expected '$1'"; }

# refused WORDS COMMAND…: exit status 1, and those words.
refused() {
  local expected=$1 code=0
  shift
  "$@" >log 2>&1 || code=$?
  [ "$code" = 1 ] || fail "exit code $code: $*"
  expect "$expected"
}

# exits STATUS PATTERN COMMAND…: within a minute, with a match in what it writes to stderr, unless the pattern is empty.
exits() {
  local status=$1 pattern=$2 code=0
  shift 2
  timeout 60 "$@" >stdout 2>stderr || code=$?
  [ "$code" = "$status" ] || fail "status $code instead of $status: $*"
  [ -z "$pattern" ] || grep -Eq -- "$pattern" stderr || fail "no /$pattern/ on stderr: $*"
}

# finish NAME: the end of a test that goes on after failures.
finish() {
  if [ -s "$work/failures" ]; then
    echo "$1: $(stat -c %s "$work/failures") checks failed"
    exit 1
  fi
  echo "$1: all checks passed"
}
