#!/usr/bin/env bash
# The programs of tests/benchmark/launch, which try and measure libraries on real drivers, with drivers that pretend: what
# they check holds there, and they themselves are right.
#
#   pretended_gpus.sh NEREID LAUNCH
set -euo pipefail
launch=$(realpath "$2")
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
export NEREID_PTXAS=none

run python3 "$launch/make_libraries.py" "$nereid" .
mkdir pretended idle
run cc -O2 -fPIC -shared -pthread -Wall -Wextra -Werror "$launch/pretended_gpus.c" -o pretended/libcuda.so.1
run cc -O2 -fPIC -shared -Wall -Wextra -Werror "$launch/idle_driver.c" -o idle/libcuda.so.1
for program in gpu_runtime several_gpus launch_overhead; do
  library=runtime_kernels
  [ $program != launch_overhead ] || library=nothing
  run cc -O2 -Wall -Wextra -Werror -I. "$launch/$program.c" -L. -l$library -ldl -pthread -o $program
done
cp libruntime_kernels.so copy.so
export LD_LIBRARY_PATH=pretended:.
run timeout 120 ./several_gpus
expect "peers: passed"
run timeout 120 ./gpu_runtime ./copy.so
expect "fork: passed"

# Once more under ThreadSanitizer, the library and the driver, too. gcc brings it along; clang's is a package of its own.
run "$nereid" build runtime_kernels.json -o source --source
mkdir thread
flags=(-fsanitize=thread -g -O1 -fPIC -pthread)
run gcc "${flags[@]}" -shared "$launch/pretended_gpus.c" -o thread/libcuda.so.1
run gcc "${flags[@]}" -fvisibility=hidden -shared source/runtime_kernels.c source/runtime_kernels_images.o -o thread/libruntime_kernels.so \
  -lm -ldl
run gcc "${flags[@]}" -Isource "$launch/several_gpus.c" -Lthread -lruntime_kernels -ldl -o thread/several_gpus
TSAN_OPTIONS=halt_on_error=1 LD_LIBRARY_PATH=thread run timeout 240 thread/several_gpus
expect "peers: passed"

LD_LIBRARY_PATH=idle:. run timeout 120 ./launch_overhead 2 10 2
expect "       30       64 last"
echo "pretended gpus: all checks passed"
