// Calls of kernels on the CPU from inside tbb::parallel_for: what a call takes, and how many threads the
// system had to run at a time.
//
//     inside_tbb LIBRARY alone|pool|single CALLERS add|matmul N CALLS
//
// `alone` calls from one thread, one call after the other; `pool` from CALLERS threads of TBB's; `single`
// from as many, with nrd_cpu_stream_with_threads(1), so that the libraries' threads cannot help. The best of
// five rounds is printed, with its processor time and the mean and the most of runnable threads over all
// looks at /proc.
#define NRD_NO_ABI_CHECK
#include "lib.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <dlfcn.h>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using Clock = std::chrono::steady_clock;

// Threads of this process that run or could, without the one that looks.
static int countRunnable() {
  int count = -1;
  DIR *folder = opendir("/proc/self/task");
  while (dirent *entry = readdir(folder)) {
    if (entry->d_name[0] == '.')
      continue;
    std::ifstream file("/proc/self/task/" + std::string(entry->d_name) + "/stat");
    std::string text;
    std::getline(file, text);
    size_t name = text.rfind(") ");
    count += name != std::string::npos && text[name + 2] == 'R';
  }
  closedir(folder);
  return count;
}

template <typename Function> static Function find(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  Function function;
  std::memcpy(&function, &symbol, sizeof function);
  return function;
}

int main(int argc, char **argv) {
  if (argc != 7)
    return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  auto add = find<nrd_status (*)(nrd_stream, const float *, const float *, float *, int32_t)>(
      library, "lib_add_kernel");
  auto matmul = find<nrd_status (*)(nrd_stream, nrd_dim3, const float *, const float *, float *, int32_t)>(
      library, "lib_matmul_kernel_grid");
  std::string mode = argv[2];
  bool isMatmul = !std::strcmp(argv[4], "matmul"), isAlone = mode == "alone";
  int callers = std::atoi(argv[3]), n = std::atoi(argv[5]), calls = std::atoi(argv[6]);
  nrd_stream stream = mode == "single" ? nrd_cpu_stream_with_threads(1) : nrd_cpu_stream();
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, callers);
  size_t size = isMatmul ? size_t(n) * n : n;
  std::vector<std::vector<float>> a(callers), b(callers), c(callers);
  for (int i = 0; i < callers; ++i) {
    a[i].assign(size, 1);
    b[i].assign(size, 2);
    c[i].assign(size, 3);
  }
  nrd_dim3 grid = {uint32_t(n) / 64, uint32_t(n) / 64, 1};
  auto call = [&](int i) {
    if ((isMatmul ? matmul(stream, grid, a[i].data(), b[i].data(), c[i].data(), n)
                  : add(stream, a[i].data(), b[i].data(), c[i].data(), n)) != NRD_OK)
      std::abort();
  };

  std::atomic<bool> isDone{false};
  long looks = 0, sum = 0, most = 0;
  std::thread looker([&] {
    while (!isDone) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      long now = countRunnable();
      ++looks;
      sum += now;
      most = now > most ? now : most;
    }
  });
  double best = 1e30, least = 1e30;
  for (int round = 0; round < 5; ++round) {
    auto begin = Clock::now();
    std::clock_t used = std::clock();
    if (isAlone)
      for (int i = 0; i < callers * calls; ++i)
        call(i % callers);
    else
      tbb::parallel_for(
          0, callers,
          [&](int i) {
            for (int j = 0; j < calls; ++j)
              call(i);
          },
          tbb::simple_partitioner());
    double took = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    best = took < best ? took : best;
    double processor = double(std::clock() - used) / CLOCKS_PER_SEC * 1e6 / callers;
    least = processor < least ? processor : least;
  }
  isDone = true;
  looker.join();
  std::printf("%-6s %2d callers, %6s %7d: %10.1f us for each one's call, %10.1f us of processor time a call, "
              "%.1f threads runnable, at most %ld\n",
              mode.c_str(), callers, argv[4], n, best / calls, least / calls,
              double(sum) / double(looks ? looks : 1), most);
  return 0;
}
