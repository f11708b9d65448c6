// Calls of kernels from inside of other pools of threads, TBB's and OpenMP's: all threads of such a pool call
// at once, and none of them may bring helpers along while the others are at work. One case a run.
//
//     inside_pools_test CASE
#include "synthetic.h"

#ifdef HAS_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static int failures;
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      std::fprintf(stderr, "%s:%d: not true: %s\n    last error: %s\n", __FILE__, __LINE__, #condition,      \
                   synthetic_last_error());                                                                  \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (0)

// Both of the other pool and of the libraries': NEREID_NUM_THREADS.
static constexpr int threads = 4;

// How many programs of any call run now, and the most that did since that was set to 0.
static std::int32_t programs[2];

static bool nap(std::int32_t count) {
  return synthetic_nap(nrd_cpu_stream(), reinterpret_cast<float *>(programs), count) == NRD_OK;
}

// Runs `work` on a thread of its own, and looks at how many programs run at once while it does. The first
// calls find nobody else at work, and have helpers until the others come.
template <typename Work> static bool keepsWidth(Work work) {
  std::atomic<bool> isDone{false};
  std::thread runner([&] {
    work();
    isDone = true;
  });
  int least = 1 << 20, most = 0, looks = 0;
  while (!isDone) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::int32_t now = __atomic_exchange_n(&programs[1], 0, __ATOMIC_ACQ_REL);
    // The first look sees the beginning, the last one the end.
    if (isDone || ++looks < 3)
      continue;
    least = now < least ? now : least;
    most = now > most ? now : most;
  }
  runner.join();
  if (looks >= 5 && least == threads && most == threads)
    return true;
  std::fprintf(stderr, "%d looks: from %d to %d programs at once\n", looks, least, most);
  return false;
}

// The machine may be busy.
template <typename Work> static bool keepsWidthOnce(Work work) {
  for (int i = 0; i < 5; ++i)
    if (keepsWidth(work))
      return true;
  return false;
}

#ifdef HAS_TBB
static void testTBB() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  std::atomic<int> wrong{0};
  // Calls of 40 programs, a millisecond each: with helpers for all callers there would be 16 at once.
  CHECK(keepsWidthOnce([&] { tbb::parallel_for(0, 80, [&](int) { wrong += !nap(40); }); }));
  // A loop in a loop, whose inner bodies call.
  CHECK(keepsWidthOnce([&] {
    tbb::parallel_for(0, 8, [&](int) { tbb::parallel_for(0, 10, [&](int) { wrong += !nap(40); }); });
  }));
  // One task in an arena of its own has the libraries' threads for itself.
  tbb::task_arena arena(1);
  CHECK(keepsWidthOnce([&] { arena.execute([&] { wrong += !nap(2000); }); }));
  CHECK(wrong == 0);
}
#endif

#ifdef HAS_OPENMP
static void testOpenMP() {
  int wrong = 0;
  CHECK(keepsWidthOnce([&] {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(+ : wrong)
    for (int i = 0; i < 80; ++i)
      wrong += !nap(40);
  }));
  CHECK(wrong == 0);
}
#endif

int main(int argc, char **argv) {
  const char *name = argc == 2 ? argv[1] : "";
  bool isKnown = false;
#ifdef HAS_TBB
  if (!std::strcmp(name, "tbb"))
    isKnown = (testTBB(), true);
#endif
#ifdef HAS_OPENMP
  if (!std::strcmp(name, "openmp"))
    isKnown = (testOpenMP(), true);
#endif
  if (!isKnown)
    std::fprintf(stderr, "there is no case '%s'\n", name);
  return !isKnown || failures != 0;
}
