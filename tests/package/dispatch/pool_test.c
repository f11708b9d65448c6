/* Several libraries in one process, which share one pool of threads: the one that this program is linked to,
 * and copies of it in folders of their own, which are opened so that they do not see each other. One case a
 * run.
 *
 *     pool_test CASE COPY… */
#include "synthetic.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: not true: %s\n    last error: %s\n", __FILE__, __LINE__, #condition,           \
              synthetic_last_error());                                                                       \
      __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                                    \
    }                                                                                                        \
  } while (0)

typedef struct library {
  void *handle;
  nrd_status (*twice)(nrd_stream, const float *, float *, int32_t);
  nrd_status (*hold)(nrd_stream, float *, int32_t);
  nrd_status (*nap)(nrd_stream, float *, int32_t);
  nrd_status (*meet)(nrd_stream, float *, int32_t);
  uint32_t (*num_threads)(void);
  nrd_status (*set_num_threads)(uint32_t);
  void (*unload)(void);
} library;

static void find(void *handle, const char *name, void *function) {
  void *found = dlsym(handle, name);
  if (!found) {
    fprintf(stderr, "%s: %s\n", name, dlerror());
    exit(1);
  }
  memcpy(function, &found, sizeof found);
}
static library open_library(const char *path) {
  library result;
  result.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!result.handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  find(result.handle, "synthetic_twice", &result.twice);
  find(result.handle, "synthetic_hold", &result.hold);
  find(result.handle, "synthetic_nap", &result.nap);
  find(result.handle, "synthetic_meet", &result.meet);
  find(result.handle, "synthetic_num_threads", &result.num_threads);
  find(result.handle, "synthetic_set_num_threads", &result.set_num_threads);
  find(result.handle, "synthetic_unload", &result.unload);
  return result;
}
static library linked_library(void) {
  library result = {NULL,
                    synthetic_twice,
                    synthetic_hold,
                    synthetic_nap,
                    synthetic_meet,
                    synthetic_num_threads,
                    synthetic_set_num_threads,
                    synthetic_unload};
  return result;
}

#define MAX_COPIES 8
static const char *paths[MAX_COPIES];
static int copy_count;

static int twice_is_right(const library *library, int32_t n) {
  float *x = malloc((size_t)n * sizeof *x), *y = malloc(((size_t)n + 1) * sizeof *y);
  int32_t i;
  int right;
  for (i = 0; i < n; ++i)
    x[i] = (float)i;
  right = library->twice(nrd_cpu_stream(), x, y, n) == NRD_OK;
  for (i = 0; i < n; ++i)
    right &= y[i] == 2 * x[i];
  free(x);
  free(y);
  return right;
}

/* Of this process; the sanitizers may have one of their own. */
static int count_threads(void) {
  DIR *folder = opendir("/proc/self/task");
  int count = -2; /* . and .. */
  while (folder && readdir(folder))
    ++count;
  if (folder)
    closedir(folder);
  return count;
}

/* True if as many programs of a call run at once, never more, and after some tries not fewer: the machine may
 * be busy. */
static int has_width(const library *library, nrd_stream stream, int width) {
  int i;
  for (i = 0; i < 50; ++i) {
    int32_t x[2] = {0, 0};
    if (library->nap(stream, (float *)x, 40) != NRD_OK || x[0] != 0 || x[1] > width)
      return 0;
    if (x[1] == width)
      return 1;
  }
  return 0;
}

/* All use the same threads, four of them. */
static void test_one_pool(void) {
  library libraries[MAX_COPIES + 1] = {linked_library()};
  int i, before = count_threads();
  for (i = 0; i < copy_count; ++i)
    libraries[i + 1] = open_library(paths[i]);
  CHECK(count_threads() == before); /* Nothing is started before it is needed. */
  for (i = 0; i <= copy_count; ++i) {
    CHECK(twice_is_right(&libraries[i], 300000));
    CHECK(libraries[i].num_threads() == 4);
    CHECK(has_width(&libraries[i], nrd_cpu_stream(), 4));
    CHECK(count_threads() == before + 3);
  }
  /* They go with the last library that unloads. */
  for (i = 0; i <= copy_count; ++i) {
    CHECK(count_threads() == before + 3);
    libraries[i].unload();
  }
  CHECK(count_threads() == before);
  CHECK(twice_is_right(&libraries[copy_count], 300000) && count_threads() == before + 3);
  /* The first one to be closed started them; the next call starts others. */
  for (i = copy_count; i >= 1; --i) {
    CHECK(dlclose(libraries[i].handle) == 0);
    CHECK(dlopen(paths[i - 1], RTLD_NOW | RTLD_NOLOAD) == NULL);
    CHECK(twice_is_right(&libraries[i - 1], 300000) && count_threads() == before + 3);
  }
}

/* By call, by function and by environment. */
static void test_counts(void) {
  library mine = linked_library(), other = open_library(paths[0]);
  int before = count_threads();
  CHECK(has_width(&mine, nrd_cpu_stream(), 4));
  CHECK(has_width(&mine, nrd_cpu_stream_with_threads(0), 4));
  CHECK(has_width(&mine, nrd_cpu_stream_with_threads(1), 1));
  CHECK(has_width(&mine, nrd_cpu_stream_with_threads(2), 2));
  CHECK(has_width(&mine, nrd_cpu_stream_with_threads(100), 4));
  CHECK(other.set_num_threads(2) == NRD_OK && mine.num_threads() == 2);
  CHECK(has_width(&mine, nrd_cpu_stream(), 2) && has_width(&other, nrd_cpu_stream_with_threads(3), 2));
  CHECK(mine.set_num_threads(6) == NRD_OK && other.num_threads() == 6);
  CHECK(has_width(&other, nrd_cpu_stream(), 6) && count_threads() == before + 5);
  CHECK(mine.set_num_threads(1) == NRD_OK && has_width(&other, nrd_cpu_stream(), 1));
  CHECK(mine.set_num_threads(0) == NRD_OK && has_width(&other, nrd_cpu_stream(), 4));
  CHECK(mine.set_num_threads(100000) == NRD_ERROR_INVALID_ARGUMENT &&
        strstr(synthetic_last_error(), "100000 threads are more than"));
  CHECK(setenv("NEREID_NUM_THREADS", "3", 1) == 0);
  CHECK(mine.set_num_threads(0) == NRD_OK && has_width(&other, nrd_cpu_stream(), 3));
  CHECK(dlclose(other.handle) == 0);
}

/* What is no number is told to whoever needs it, again and again, until there is one. */
static void test_wrong_environment(void) {
  static const char *const wrong[] = {"four", "-1", "3x", "2.5", "100000", "99999999999999999999"},
                           *const right[] = {"", " ", "0", " 3 ", "+3"};
  library mine = linked_library();
  int32_t x[2] = {0, 0};
  char expected[100];
  size_t i;
  for (i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(setenv("NEREID_NUM_THREADS", wrong[i], 1) == 0);
    snprintf(expected, sizeof expected, "the environment variable NEREID_NUM_THREADS is '%s': expected",
             wrong[i]);
    CHECK(mine.set_num_threads(0) == NRD_ERROR_INVALID_ARGUMENT && strstr(synthetic_last_error(), expected));
    CHECK(mine.nap(nrd_cpu_stream(), (float *)x, 4) == NRD_ERROR_INVALID_ARGUMENT && x[0] == 0);
    CHECK(mine.num_threads() == 0 && strstr(synthetic_last_error(), "synthetic_num_threads: "));
    /* Those do not ask how many there are. */
    CHECK(has_width(&mine, nrd_cpu_stream_with_threads(1), 1));
    CHECK(mine.set_num_threads(2) == NRD_OK && has_width(&mine, nrd_cpu_stream(), 2));
    memset(x, 0, sizeof x);
  }
  for (i = 0; i < sizeof right / sizeof *right; ++i)
    CHECK(setenv("NEREID_NUM_THREADS", right[i], 1) == 0 && mine.set_num_threads(0) == NRD_OK &&
          mine.num_threads() > 0);
  CHECK(mine.num_threads() == 3);
}

/* As many threads call as there are processors to use: each is on its own. */
typedef struct caller {
  pthread_t thread;
  library library;
  int32_t *x, count;
  int result;
} caller;
static void *call_nap(void *argument) {
  caller *self = argument;
  self->result = self->library.nap(nrd_cpu_stream(), (float *)self->x, self->count) == NRD_OK;
  return NULL;
}
static void test_crowd(void) {
  caller callers[8];
  int32_t x[2] = {0, 0}, alone[2] = {0, 0};
  int i, n;
  for (n = 4; n <= 8; n += 4) {
    int is_right = 0, tries;
    memset(x, 0, sizeof x);
    for (i = 0; i < n; ++i) {
      callers[i].library = i % 2 ? open_library(paths[0]) : linked_library();
      callers[i].x = x;
      callers[i].count = 1500;
      CHECK(pthread_create(&callers[i].thread, NULL, call_nap, &callers[i]) == 0);
    }
    /* The first callers took workers, which leave when the others come. */
    for (tries = 0; tries < 20 && !is_right; ++tries) {
      __atomic_store_n(&x[1], 0, __ATOMIC_RELEASE);
      usleep(50000);
      is_right = __atomic_load_n(&x[1], __ATOMIC_ACQUIRE) == n;
    }
    CHECK(is_right);
    for (i = 0; i < n; ++i) {
      CHECK(pthread_join(callers[i].thread, NULL) == 0 && callers[i].result);
      if (i % 2)
        dlclose(callers[i].library.handle);
    }
  }
  /* A call that goes on when the others have ended gets their processors. */
  for (i = 0; i < 4; ++i) {
    callers[i].library = linked_library();
    callers[i].x = i ? x : alone;
    callers[i].count = i ? 50 : 1000;
    CHECK(pthread_create(&callers[i].thread, NULL, call_nap, &callers[i]) == 0);
  }
  for (i = 3; i >= 1; --i)
    CHECK(pthread_join(callers[i].thread, NULL) == 0 && callers[i].result);
  __atomic_store_n(&alone[1], 0, __ATOMIC_RELEASE);
  CHECK(pthread_join(callers[0].thread, NULL) == 0 && callers[0].result);
  CHECK(alone[0] == 0 && alone[1] == 4);
}

/* Libraries come and go, whoever's threads run the calls of the others. */
static void *call_often(void *argument) {
  caller *self = argument;
  int i;
  for (i = 0; i < self->count; ++i)
    self->result &= twice_is_right(&self->library, i % 3 ? 200000 : 700);
  return NULL;
}
static void *open_call_close(void *argument) {
  caller *self = argument;
  const char *path = paths[1 + self->count % (copy_count - 1)];
  int i;
  for (i = 0; i < 40; ++i) {
    library copy = open_library(path);
    self->result &= twice_is_right(&copy, i % 2 ? 300000 : 100);
    if (i % 4 == 0) {
      float x[31] = {0};
      self->result &= copy.meet(nrd_cpu_stream(), x, 20) == NRD_OK && x[1] == 3 && x[20] == 3;
    }
    if (i % 8 == 0)
      copy.unload();
    dlclose(copy.handle);
  }
  return NULL;
}
static void test_coming_and_going(void) {
  caller callers[6];
  int i;
  for (i = 0; i < 6; ++i) {
    callers[i].library = linked_library();
    callers[i].count = i < 3 ? 150 : i;
    callers[i].result = 1;
    CHECK(pthread_create(&callers[i].thread, NULL, i < 3 ? call_often : open_call_close, &callers[i]) == 0);
  }
  for (i = 0; i < 6; ++i)
    CHECK(pthread_join(callers[i].thread, NULL) == 0 && callers[i].result);
}

/* The library whose threads work for a call of another one is closed meanwhile. */
static int32_t held[2];
static void *call_hold(void *argument) {
  caller *self = argument;
  self->result = self->library.hold(nrd_cpu_stream(), (float *)held, 8) == NRD_OK;
  return NULL;
}
static void *close_library(void *handle) { return (void *)(intptr_t)dlclose(handle); }
static void test_host_closes(void) {
  library host = open_library(paths[0]);
  caller holder;
  pthread_t closer;
  void *result = NULL;
  CHECK(twice_is_right(&host, 300000));
  holder.library = linked_library();
  CHECK(pthread_create(&holder.thread, NULL, call_hold, &holder) == 0);
  while (__atomic_load_n(&held[0], __ATOMIC_ACQUIRE) != 4)
    usleep(1000);
  CHECK(pthread_create(&closer, NULL, close_library, host.handle) == 0);
  usleep(50000);
  /* Others go on, with workers of their own. */
  CHECK(twice_is_right(&holder.library, 300000));
  __atomic_store_n(&held[1], 1, __ATOMIC_RELEASE);
  CHECK(pthread_join(closer, &result) == 0 && result == NULL);
  CHECK(pthread_join(holder.thread, NULL) == 0 && holder.result && held[0] == 8);
  CHECK(dlopen(paths[0], RTLD_NOW | RTLD_NOLOAD) == NULL);
  CHECK(has_width(&holder.library, nrd_cpu_stream(), 4));
}

/* A child of a process in which several libraries were called, while one of them is. */
static void test_fork(void) {
  library libraries[3] = {linked_library(), open_library(paths[0]), open_library(paths[1])};
  caller holder;
  int i, round, status;
  CHECK(twice_is_right(&libraries[1], 300000) && twice_is_right(&libraries[0], 300000));
  holder.library = libraries[0];
  CHECK(pthread_create(&holder.thread, NULL, call_hold, &holder) == 0);
  while (__atomic_load_n(&held[0], __ATOMIC_ACQUIRE) != 4)
    usleep(1000);
  for (round = 0; round < 3; ++round) {
    pid_t child = fork();
    if (child == 0) {
      int right = 1;
      alarm(60);
      /* The third one comes to the pool in the child. */
      for (i = 2; i >= 0; --i)
        right &= twice_is_right(&libraries[i], 300000) && has_width(&libraries[i], nrd_cpu_stream(), 4);
      exit(right ? 0 : 1);
    }
    status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  __atomic_store_n(&held[1], 1, __ATOMIC_RELEASE);
  CHECK(pthread_join(holder.thread, NULL) == 0 && holder.result);
  for (i = 0; i < 3; ++i)
    CHECK(twice_is_right(&libraries[i], 300000));
}

/* The process ends while calls run that never return, helped by workers of another library. */
static void test_exit(void) {
  static caller holder;
  library host = open_library(paths[0]);
  CHECK(twice_is_right(&host, 300000));
  holder.library = linked_library();
  CHECK(pthread_create(&holder.thread, NULL, call_hold, &holder) == 0);
  while (__atomic_load_n(&held[0], __ATOMIC_ACQUIRE) != 4)
    usleep(1000);
}

/* The first caller is bound to one processor; the pool is for all of the process. */
static void *call_bound(void *argument) {
  cpu_set_t set;
  library mine = linked_library();
  (void)argument;
  CPU_ZERO(&set);
  CPU_SET(sched_getcpu(), &set);
  CHECK(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
  return (void *)(intptr_t)mine.num_threads();
}
static void test_bound_caller(void) {
  pthread_t thread;
  void *count = NULL;
  cpu_set_t set;
  CHECK(unsetenv("NEREID_NUM_THREADS") == 0 && sched_getaffinity(0, sizeof set, &set) == 0);
  CHECK(pthread_create(&thread, NULL, call_bound, NULL) == 0 && pthread_join(thread, &count) == 0);
  CHECK((intptr_t)count == CPU_COUNT(&set));
}

/* Calls in which the caller waits for others, from cancelled threads: they return first, and leave nothing
 * behind. */
static void *call_until_cancelled(void *argument) {
  const library *library = argument;
  for (;;) {
    float x[65] = {0};
    CHECK(library->meet(nrd_cpu_stream(), x, 64) == NRD_OK);
    CHECK(twice_is_right(library, 300000));
    pthread_testcancel();
  }
  return NULL;
}
static void test_cancelled(void) {
  library library = linked_library();
  int i;
  alarm(100);
  for (i = 0; i < 20; ++i) {
    pthread_t thread;
    void *result = NULL;
    CHECK(pthread_create(&thread, NULL, call_until_cancelled, &library) == 0);
    usleep((useconds_t)i * 500);
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    library.unload();
  }
  CHECK(twice_is_right(&library, 300000));
}

/* A call that is too small to be shared asks nothing of the system and of malloc, and neither does one on one
 * thread. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <linux/seccomp.h>
#include <sys/prctl.h>
static int allocations;
void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}
void *__libc_memalign(size_t alignment, size_t bytes);
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : 12;
}
static void test_quiet(void) {
  static float x[200000], y[200001];
  int i, status = -1, before;
  pid_t child;
  for (i = 0; i < 100; ++i)
    CHECK(synthetic_twice(nrd_cpu_stream(), x, y, 1000) == NRD_OK);
  before = __atomic_load_n(&allocations, __ATOMIC_RELAXED);
  CHECK(before > 0); /* Those of the first call are seen. */
  for (i = 0; i < 100; ++i) {
    CHECK(synthetic_twice(nrd_cpu_stream(), x, y, 1000) == NRD_OK);
    CHECK(synthetic_twice(nrd_cpu_stream(), x, y, 200000) == NRD_OK);
  }
  /* Each worker may have needed scratch memory. */
  CHECK(__atomic_load_n(&allocations, __ATOMIC_RELAXED) - before <= 3);
  fflush(stderr);
  child = fork();
  if (child == 0) {
    /* From here on any system call but read, write and the end of the thread ends the process, which has one.
     */
    before = __atomic_load_n(&allocations, __ATOMIC_RELAXED);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
      _exit(1);
    for (i = 0; i < 1000; ++i) {
      synthetic_twice(nrd_cpu_stream(), x, y, 50);
      synthetic_twice(nrd_cpu_stream_with_threads(1), x, y, 200000);
    }
    syscall(SYS_exit, allocations == before && y[0] == 0 ? 0 : 2);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

static void *do_nothing(void *nothing) { return nothing; }

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {
      {"one_pool", test_one_pool},
      {"counts", test_counts},
      {"wrong_environment", test_wrong_environment},
      {"crowd", test_crowd},
      {"coming_and_going", test_coming_and_going},
      {"host_closes", test_host_closes},
      {"fork", test_fork},
      {"exit", test_exit},
      {"bound_caller", test_bound_caller},
      {"cancelled", test_cancelled},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
      {"quiet", test_quiet},
#endif
  };
  pthread_t first;
  size_t i;
  for (copy_count = 0; copy_count < argc - 2 && copy_count < MAX_COPIES; ++copy_count)
    paths[copy_count] = argv[copy_count + 2];
  /* ThreadSanitizer has a thread of its own, from when the first other one is made. */
  CHECK(pthread_create(&first, NULL, do_nothing, NULL) == 0 && pthread_join(first, NULL) == 0);
  for (i = 0; i < sizeof cases / sizeof *cases && argc > 1; ++i)
    if (!strcmp(argv[1], cases[i].name)) {
      cases[i].run();
      return failures != 0;
    }
  fprintf(stderr, "unknown case\n");
  return 2;
}
