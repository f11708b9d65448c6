#!/usr/bin/env bash
# A kernel with 300 arguments, the first two of which the variant does not pass on, and a grid of 3000 terms.
#
#   many_arguments.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

names=$(seq -f 'a%g' -s ', ' 0 297)
{
  printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef weigh(one, other, out_ptr, %s):\n' "$names"
  for i in $(seq 0 297); do printf '    tl.store(out_ptr + %d, a%d)\n' "$i" "$i"; done
} >weigh.py
signature="i32:1, i32:1, *i32$(printf ', i32%.0s' $(seq 298))"
"$nereid" compile weigh.py -k weigh -s "$signature" -t cpu:x86-64-v2 -g "one$(printf ' + 0%.0s' $(seq 3000))" -o weigh.nko
"$nereid" link weigh.nko -n weights -o .
{
  printf '#include "weights.h"\n#include <stdio.h>\nint main(void) {\n  int32_t out[299], i;\n'
  printf '  for (i = 0; i < 299; ++i)\n    out[i] = -1;\n'
  printf '  if (weigh(nrd_cpu_stream(), 1, 1, out%s) != NRD_OK) {\n' "$(seq -f ', %g' -s '' 1000 1297)"
  printf '    puts(weights_last_error());\n    return 2;\n  }\n'
  printf '  for (i = 0; i < 298; ++i)\n    if (out[i] != 1000 + i) {\n      printf("out[%%d] = %%d\\n", i, out[i]);\n'
  printf '      return 1;\n    }\n  return out[298] != -1;\n}\n'
} >main.c
cc main.c -I. -L. -lweights -Wl,-rpath,. -o main
./main
echo "many arguments: all checks passed"
