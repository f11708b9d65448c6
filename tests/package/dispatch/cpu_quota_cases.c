/* Threads by the processor time that a control group has, in a library that is shown made-up files and 16
 * processors. */
#include "dispatch_test.h"

#include <sched.h>

/* Threads by the processor time that a control group has. The library sees files under `file_root`, and 16
 * processors. */
static const char *file_root;
FILE *redirected_fopen(const char *path, const char *mode);
FILE *redirected_fopen(const char *path, const char *mode) {
  char name[4500];
  snprintf(name, sizeof name, "%s%s", file_root ? file_root : "", path);
  return fopen(name, mode);
}
int many_processors(pid_t process, size_t size, cpu_set_t *set);
int many_processors(pid_t process, size_t size, cpu_set_t *set) {
  int i, result = sched_getaffinity(process, size, set);
  for (i = 0; file_root && i < 16; ++i)
    CPU_SET(i, set);
  return file_root ? 0 : result;
}
static void test_cpu_quota(void) {
  static const struct {
    const char *groups;      /* /proc/self/cgroup */
    const char *files[4][2]; /* under /sys/fs/cgroup, and their contents */
    uint32_t threads;
  } cases[] = {
      {NULL, {{NULL}}, 16},
      {"0::/\n", {{NULL}}, 16},
      /* Version 2: no limit, one, one and a half, many, and what cannot be read. */
      {"0::/\n", {{"cpu.max", "max 100000\n"}}, 16},
      {"0::/\n", {{"cpu.max", "100000 100000\n"}}, 1},
      {"0::/\n", {{"cpu.max", "150000 100000\n"}}, 2},
      {"0::/\n", {{"cpu.max", "1000 100000\n"}}, 1},
      {"0::/\n", {{"cpu.max", "6400000 100000\n"}}, 16},
      {"0::/\n", {{"cpu.max", "9223372036854775807 1\n"}}, 16},
      {"0::/\n", {{"cpu.max", "nonsense\n"}}, 16},
      {"0::/\n", {{"cpu.max", "300000 0\n"}}, 16},
      {"nonsense\n0::\n", {{"cpu.max", "300000 100000\n"}}, 3},
      /* The least on the way to the root. */
      {"0::/a.slice/b\n", {{"a.slice/b/cpu.max", "700000 100000"}, {"cpu.max", "max 100000"}}, 7},
      {"0::/a.slice/b\n",
       {{"a.slice/b/cpu.max", "700000 100000"},
        {"a.slice/cpu.max", "250000 50000"},
        {"cpu.max", "900000 100000"}},
       5},
      {"0::/a.slice/b\n", {{"a.slice/b/cpu.max", "max 100000"}, {"a.slice/cpu.max", "250000 50000"}}, 5},
      {"0::/a.slice/b\n", {{"a.slice/c/cpu.max", "100000 100000"}}, 16},
      /* The path is the host's. */
      {"0::/docker/5f2c\n", {{"cpu.max", "400000 100000"}}, 4},
      /* Version 1, and both. */
      {"3:cpuset:/\n2:cpu,cpuacct:/docker/5f2c\n1:name=systemd:/\n",
       {{"cpu,cpuacct/docker/5f2c/cpu.cfs_quota_us", "350000\n"},
        {"cpu,cpuacct/docker/5f2c/cpu.cfs_period_us", "100000\n"},
        {"cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
        {"cpu,cpuacct/cpu.cfs_period_us", "100000\n"}},
       4},
      {"2:cpuacct,cpu:/x\n0::/\n",
       {{"cpu/cpu.cfs_quota_us", "100000"}, {"cpu/cpu.cfs_period_us", "50000"}},
       2},
      {"2:cpu:/\n", {{"cpu/cpu.cfs_quota_us", "-1"}, {"cpu/cpu.cfs_period_us", "50000"}}, 16},
      {"2:cpu:/\n", {{"cpu/cpu.cfs_quota_us", "200000"}}, 16},
      {"2:cpuset,cpuacct:/\n", {{"cpu/cpu.cfs_quota_us", "100000"}, {"cpu/cpu.cfs_period_us", "50000"}}, 16},
      {"2:cpu:/\n0::/\n",
       {{"cpu/cpu.cfs_quota_us", "600000"}, {"cpu/cpu.cfs_period_us", "100000"}, {"unified/cpu.max", "3 1"}},
       3}};
  char root[] = "/tmp/nereid_quota_XXXXXX", command[600];
  size_t i, k;
  CHECK(unsetenv("NEREID_NUM_THREADS") == 0 && mkdtemp(root) != NULL);
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    snprintf(command, sizeof command, "rm -rf %s/* && mkdir -p %s/proc/self", root, root);
    CHECK(system(command) == 0);
    for (k = 0; k < 5; ++k) {
      const char *contents = k < 4 ? cases[i].files[k][1] : cases[i].groups;
      char path[300];
      FILE *file;
      if (!contents)
        continue;
      snprintf(path, sizeof path, "%s/%s%s", root, k < 4 ? "sys/fs/cgroup/" : "proc/self/cgroup",
               k < 4 ? cases[i].files[k][0] : "");
      snprintf(command, sizeof command, "mkdir -p $(dirname '%s')", path);
      CHECK(system(command) == 0 && (file = fopen(path, "w")) != NULL && fputs(contents, file) >= 0 &&
            fclose(file) == 0);
    }
    file_root = root;
    CHECK(synthetic_set_num_threads(0) == NRD_OK);
    if (synthetic_num_threads() != cases[i].threads) {
      fprintf(stderr, "case %zu: %u threads\n", i, synthetic_num_threads());
      ++failures;
    }
    /* What is asked for counts as it is. */
    CHECK(synthetic_set_num_threads(9) == NRD_OK && synthetic_num_threads() == 9);
    file_root = NULL;
  }
  snprintf(command, sizeof command, "rm -rf %s", root);
  CHECK(system(command) == 0 && twice_is_right(100000));
}

const test_case cpu_quota_cases[] = {{"cpu_quota", test_cpu_quota}, {NULL, NULL}};
