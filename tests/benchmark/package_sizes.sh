#!/usr/bin/env bash
# The figures on packages in docs/performance.md: their sizes, those of a small library, and what the packaged program
# needs to start, beside the one of a plain build, which uses LLVM's shared libraries.
#
#   cmake --build build --target nereid dist
#   tests/benchmark/package_sizes.sh build
set -euo pipefail
build=$(realpath "$1")
kernels=$(realpath "$(dirname "$0")/../../examples/01-vector-add/kernels/vector_add.py")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

echo "bytes of the packages, and of the program in them:"
for file in "$build"/dist/nereid* "$build/packaging/nereid"; do
  printf '%12d %s\n' "$(stat -L -c %s "$file")" "$(basename "$file")"
done
echo "bytes of what a plain build's program needs, without the C and C++ libraries:"
ldd "$build/aot/nereid" | awk '$3 ~ /^\// { print $3 }' | grep -vE '/lib(c|m|stdc\+\+|gcc_s)\.so' | xargs stat -L -c %s |
  awk '{ sum += $1 } END { printf "%12d\n", sum }'

compile=(compile "$kernels" -k add_kernel -s "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024" -g "cdiv(n, BLOCK)" -o add.nko)
echo "bytes of a library with one vector addition:"
for targets in cpu:x86-64-v3 cpu cuda:90a hip:gfx942 cpu,cuda:80,cuda:90a,hip:gfx942; do
  "$build/packaging/nereid" "${compile[@]}" -t $targets
  "$build/packaging/nereid" link add.nko -n vector_add -o .
  strip -o stripped.so libvector_add.so
  printf '%12d %s, of which %d without symbols\n' "$(stat -c %s libvector_add.so)" $targets "$(stat -c %s stripped.so)"
done
python3 - "$build" "$kernels" <<'PY'
import os, subprocess, sys, time

build, kernels = sys.argv[1:]
for name, arguments in (("nereid targets", ["targets"]),
                        ("nereid compile, to PTX", ["compile", kernels, "-k", "add_kernel", "-s", "*fp32, *fp32, *fp32, i32, 1024",
                                                    "-t", "cuda:90a", "--emit", "ptx", "-o", "add.ptx"])):
    for kind, program in (("packaged", "packaging/nereid"), ("plain build", "aot/nereid")):
        times = []
        memory = 0
        for _ in range(30):
            start = time.perf_counter()
            process = subprocess.Popen([f"{build}/{program}"] + arguments, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            times.append(time.perf_counter() - start)
            memory = max(memory, usage.ru_maxrss)
            assert status == 0
        print(f"{name}, {kind}: fastest of 30 {min(times) * 1e3:.1f} ms, {memory // 1024} MiB at the most")
PY
