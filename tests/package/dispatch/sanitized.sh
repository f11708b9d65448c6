#!/usr/bin/env bash
# The dispatch tests under a sanitizer. The generated source, the kernels and the test are compiled with it; the drivers
# are the fakes that the build made.
#
#   sanitized.sh thread|address MAKE_LIBRARY FAKES BROKEN
set -euo pipefail
sanitizer=$1 make_library=$2 fakes=$3 broken=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# gcc brings its sanitizers along; clang's are a package of their own.
flags=(-fsanitize="$sanitizer" -fno-omit-frame-pointer -g -O1 -fPIC -pthread)
for level in 2 3 4; do gcc "${flags[@]}" -DLEVEL=$level -c "$here/synthetic_cpu.c" -o $level.o; done
for kind in waiting holding; do gcc "${flags[@]}" -c "$here/${kind}_cpu.c" -o $kind.o; done
NEREID_FATBINARY=none "$make_library" "$work" 2.o 3.o 4.o waiting.o holding.o
build() { # NAME FLAG…
  local name=$1
  shift
  gcc "${flags[@]}" -fvisibility=hidden "$@" -shared synthetic.c synthetic_images.o -o lib$name.so -lm -ldl
  gcc "${flags[@]}" -I. "$here/dispatch_test.c" "$here"/*_cases.c -o $name -rdynamic -L. -l$name -ldl -Wl,-rpath,"$work"
}
build plain
build own_barriers -DNRD_USE_MEMBARRIER=0
build limit -DNRD_MAX_WAITING=64 -DNRD_GIVE_UP=3e8 -Dcalloc=failing_calloc -Dmalloc=counted_malloc \
  -Dpthread_mutex_lock=counted_lock -Dnanosleep=counted_nanosleep -Dsyscall=denied_syscall \
  -Dfopen=redirected_fopen -Dsched_getaffinity=many_processors
cp libplain.so copy.so
for number in 1 2 3 4; do cp libplain.so copy$number.so; done
gcc "${flags[@]}" -D_GNU_SOURCE -I. "$here/pool_test.c" -o pool -L. -lplain -ldl -Wl,-rpath,"$work"

export TSAN_OPTIONS="halt_on_error=1" NEREID_NUM_THREADS=4
failed=0
copies=("$work/copy.so")
run() { # PROGRAM CASE
  local path=$fakes ASAN_OPTIONS=detect_leaks=1
  # What calls in the parent hold is lost to a child.
  if [ "$2" = fork_during_load ] || [ "$2" = cuda_fork ] || [ "$2" = fork ]; then ASAN_OPTIONS=detect_leaks=0; fi
  export ASAN_OPTIONS
  if [ "$2" = no_driver ]; then path=$broken; fi
  if [[ "$2" = cuda_old_* ]]; then path=$fakes/old; fi
  if [ "$2" = hip_loaded ]; then path=$fakes:$fakes/packaged; fi
  if LD_LIBRARY_PATH=$path timeout 120 "./$1" "$2" "${copies[@]}" >log 2>&1; then
    echo "$2: passed"
  else
    echo "$2: FAILED with $?"
    cat log
    failed=1
  fi
}
for case in cpu cpu_assertion cpu_threads cpu_waiting cpu_waiting_slowly cpu_exit cpu_close no_driver no_device cuda_choice cuda_tensor_maps cuda_tensor_map_threads cuda_scratch cuda_old_scratch cuda_old_driver cuda_errors \
  cuda_load cuda_threads cuda_contexts cuda_refused cuda_failing cuda_old_failing cuda_special cuda_slow_load \
  cuda_crowd cuda_unload_threads cuda_unload_waits cuda_unload_threads_uniform cuda_unload_later_calls \
  cuda_uniform cuda_known_streams cuda_moved_streams cuda_unlike_count cuda_unlike_device cuda_unlike_name cuda_eager_contexts cuda_eager_failing cuda_eager_unload_threads cuda_close cuda_exit hip hip_failing hip_loaded; do run plain $case; done
for case in cuda_threads cuda_crowd cuda_unload_threads cuda_unload_waits cuda_unload_later_calls cuda_known_streams cuda_close; do
  run own_barriers $case
done
run limit cpu_quota
run limit cpu_waiting_limit
run limit no_memory
run limit cuda_unload_threads
run limit cuda_unload_waits
run limit quiet
run limit quiet_alike
# ThreadSanitizer knows no threads in the child of a process that has threads.
if [ "$sanitizer" != thread ]; then
  run plain cpu_fork
  run plain fork_during_load
  run plain cuda_fork
fi
copies=("$work"/copy[1-4].so)
for case in one_pool counts wrong_environment crowd coming_and_going host_closes exit bound_caller; do run pool $case; done
if [ "$sanitizer" != thread ]; then run pool fork; fi
exit $failed
