#!/usr/bin/env bash
# Every source file opens with what it is about: a comment, or a docstring, in its first line (in the second where
# the first one names an interpreter). Tests for lit open with what is run instead.
#
#   opening_comments.sh ROOT
set -euo pipefail
cd "$1"

wrong=0
checked=0
while IFS= read -r file; do
  # An empty __init__.py only makes a folder a package.
  if [[ $file == */__init__.py && ! -s $file ]]; then continue; fi
  checked=$((checked + 1))
  first=''
  { IFS= read -r first && [[ $first != '#!'* ]] || IFS= read -r first; } < "$file" || true
  if [[ ! $first =~ ^(//|/\*|\#\ |\"\"\"|\'\'\'|r\"\"\") ]]; then
    echo "$file:1: error: the file does not open with a comment"
    wrong=1
  fi
done < <(git ls-files '*.h' '*.cpp' '*.c' '*.def' '*.td' '*.py' '*.sh')
if [ "$checked" -lt 100 ]; then
  echo "only $checked files were found in $PWD"
  wrong=1
fi
exit $wrong
