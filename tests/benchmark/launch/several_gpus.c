/* What generated libraries promise of several GPUs in one process, tried on a real driver: threads on all of
 * them at once, streams of other devices and contexts than the current one, loading and unloading, memory of
 * a peer, graphs, contexts that go while others are in use. Prints a line for each case and exits with 1 if
 * one failed, with 2 on one GPU.
 *
 *     make_libraries.py NEREID OUT
 *     cc -O2 -IOUT several_gpus.c -LOUT -lruntime_kernels -ldl -pthread -o several_gpus
 *     LD_LIBRARY_PATH=OUT ./several_gpus
 */
#include "gpu_cases.h"

enum { MOST = 8 };
static int count;
static void *contexts[MOST]; /* the primary ones */

/* A stream of each device, and numbers in its memory. */
typedef struct place {
  void *stream;
  uint64_t x;
} place;
static void make_places(place *places, void *const *of) {
  int i;
  for (i = 0; i < count; ++i) {
    CHECK(driver.set_current(of[i]) == 0);
    CHECK(driver.create_stream(&places[i].stream, 1) == 0);
    places[i].x = make_numbers();
  }
}
static void check_places(const place *places, void *const *of, float value) {
  int i;
  for (i = 0; i < count; ++i) {
    CHECK(driver.set_current(of[i]) == 0);
    CHECK(are(places[i].x, value));
  }
}
static void free_places(place *places, void *const *of) {
  int i;
  for (i = 0; i < count; ++i) {
    driver.set_current(of[i]);
    driver.destroy_stream(places[i].stream);
    driver.release(places[i].x);
  }
}

static void test_threads(void) { run_workers(contexts, count, 100); }

/* Any context is current, or none. */
static void *call_all(void *argument) {
  place *places = argument;
  intptr_t failed = 0;
  int i;
  for (i = 0; i < count; ++i)
    failed += bump_all(places[i].stream, places[i].x) != NRD_OK;
  return (void *)failed;
}
static void test_other_streams(void) {
  place places[MOST];
  pthread_t thread;
  void *failed = NULL, *current = NULL;
  int round, i, calls = 0;
  make_places(places, contexts);
  for (round = 0; round < count; ++round) {
    driver.set_current(contexts[round]);
    for (i = 0; i < 100; ++i, ++calls)
      CHECK(call_all(places) == NULL);
    driver.get_current(&current);
    CHECK(current == contexts[round]);
  }
  pthread_create(&thread, NULL, call_all, places);
  pthread_join(thread, &failed);
  CHECK(failed == NULL);
  check_places(places, contexts, (float)(calls + 1));
  /* The null stream is that of the current device. */
  for (i = 0; i < count; ++i) {
    driver.set_current(contexts[i]);
    CHECK(bump_all(NULL, places[i].x) == NRD_OK);
  }
  check_places(places, contexts, (float)(calls + 2));
  free_places(places, contexts);
}

/* Threads that go from device to device with each launch, while the library is unloaded. */
static void *go_round(void *argument) {
  long *launched = argument;
  place places[MOST];
  make_places(places, contexts);
  while (!__atomic_load_n(&should_end, __ATOMIC_RELAXED) && *launched < 200000) {
    CHECK(call_all(places) == NULL);
    if (++*launched % 200 == 0)
      check_places(places, contexts, (float)*launched);
  }
  check_places(places, contexts, (float)*launched);
  free_places(places, contexts);
  return NULL;
}
static void test_threads_on_all(void) {
  pthread_t threads[4];
  long launched[4] = {0, 0, 0, 0};
  int i;
  __atomic_store_n(&should_end, 0, __ATOMIC_RELAXED);
  for (i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, go_round, &launched[i]);
  for (i = 0; i < 50; ++i) {
    usleep(5000);
    runtime_kernels_unload();
  }
  __atomic_store_n(&should_end, 1, __ATOMIC_RELAXED);
  for (i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  printf("  %ld launches on each device\n", launched[0] + launched[1] + launched[2] + launched[3]);
}

/* Both devices are loaded at once, and by many threads; memory comes back. */
static void *load_one(void *stream) {
  return (void *)(intptr_t)runtime_kernels_load(nrd_cuda_stream(stream));
}
static void test_load(void) {
  place places[MOST];
  pthread_t threads[2 * MOST];
  size_t before[MOST], after[MOST], total;
  int round, i;
  make_places(places, contexts);
  for (round = 0; round < 10; ++round) {
    runtime_kernels_unload();
    for (i = 0; i < count; ++i) {
      driver.set_current(contexts[i]);
      driver.get_memory(round ? &after[i] : &before[i], &total);
    }
    for (i = 0; i < 2 * count; ++i)
      pthread_create(&threads[i], NULL, load_one, places[i % count].stream);
    for (i = 0; i < 2 * count; ++i) {
      void *status = NULL;
      pthread_join(threads[i], &status);
      CHECK((intptr_t)status == NRD_OK);
    }
    CHECK(call_all(places) == NULL);
  }
  check_places(places, contexts, 10);
  for (i = 0; i < count; ++i)
    printf("  device %d: free memory changed by %ld KiB in 9 rounds\n", i,
           ((long)after[i] - (long)before[i]) / 1024);
  free_places(places, contexts);
}

/* A program on one device writes to the other's memory. */
static void test_peers(void) {
  place places[MOST];
  int i, able = 1;
  make_places(places, contexts);
  for (i = 0; i < count; ++i) {
    int to = (i + 1) % count, can = 0, result;
    driver.can_access_peer(&can, i, to);
    driver.set_current(contexts[i]);
    result = can ? driver.enable_peer(contexts[to], 0) : 0;
    CHECK(result == 0 || result == 704 /* already */);
    able &= can;
  }
  printf("  devices %s each other's memory\n", able ? "access" : "do not all access");
  if (able) {
    for (i = 0; i < count; ++i) {
      CHECK(bump_all(places[i].stream, places[(i + 1) % count].x) == NRD_OK);
      CHECK(driver.wait_for_stream(places[i].stream) == 0);
    }
    check_places(places, contexts, 1);
  }
  free_places(places, contexts);
}

/* A graph for each device, recorded by two threads at once; and one of both devices. */
typedef struct recorder {
  pthread_t thread;
  int device;
  place at;
  int failed;
} recorder;
static void *record(void *argument) {
  recorder *self = argument;
  void *graph = NULL, *made = NULL;
  int round, i;
  driver.set_current(contexts[self->device]);
  for (round = 0; round < 20; ++round) {
    self->failed += driver.begin_capture(self->at.stream, 1 /* this thread's calls only */) != 0;
    for (i = 0; i < 5; ++i)
      self->failed += bump_all(self->at.stream, self->at.x) != NRD_OK;
    self->failed +=
        driver.end_capture(self->at.stream, &graph) != 0 || driver.make_graph(&made, graph, 0) != 0;
    if (self->failed)
      return NULL;
    for (i = 0; i < 5; ++i)
      self->failed += driver.launch_graph(made, self->at.stream) != 0;
    driver.wait_for_stream(self->at.stream);
    driver.destroy_graph(made);
  }
  return NULL;
}
static void test_graphs(void) {
  place places[MOST];
  recorder recorders[MOST];
  void *fork = NULL, *join = NULL, *graph = NULL, *made = NULL;
  int i;
  make_places(places, contexts);
  for (i = 0; i < count; ++i)
    CHECK(runtime_kernels_load(nrd_cuda_stream(places[i].stream)) == NRD_OK);
  for (i = 0; i < count; ++i) {
    recorders[i] = (recorder){.device = i, .at = places[i]};
    pthread_create(&recorders[i].thread, NULL, record, &recorders[i]);
  }
  for (i = 0; i < count; ++i) {
    pthread_join(recorders[i].thread, NULL);
    CHECK(recorders[i].failed == 0);
  }
  check_places(places, contexts, 20 * 5 * 5);
  /* Work of one device forks to the other and joins again, all within the capture of the first stream. */
  driver.set_current(contexts[0]);
  CHECK(driver.create_event(&fork, 2) == 0);
  driver.set_current(contexts[1]);
  CHECK(driver.create_event(&join, 2) == 0);
  CHECK(driver.begin_capture(places[0].stream, 0) == 0);
  CHECK(bump_all(places[0].stream, places[0].x) == NRD_OK);
  CHECK(driver.record_event(fork, places[0].stream) == 0);
  CHECK(driver.wait_for_event(places[1].stream, fork, 0) == 0);
  CHECK(bump_all(places[1].stream, places[1].x) == NRD_OK);
  CHECK(driver.record_event(join, places[1].stream) == 0);
  CHECK(driver.wait_for_event(places[0].stream, join, 0) == 0);
  CHECK(driver.end_capture(places[0].stream, &graph) == 0 && graph);
  CHECK(driver.make_graph(&made, graph, 0) == 0);
  for (i = 0; i < 10; ++i)
    CHECK(driver.launch_graph(made, places[0].stream) == 0);
  CHECK(driver.wait_for_stream(places[0].stream) == 0);
  for (i = 0; i < 2; ++i) {
    driver.set_current(contexts[i]);
    CHECK(are(places[i].x, 20 * 5 * 5 + 10));
  }
  driver.destroy_graph(made);
  driver.destroy_event(fork);
  driver.destroy_event(join);
  free_places(places, contexts);
}

/* Contexts beside the primary ones, on all devices, which come and go. */
static void test_contexts(void) {
  place primary[MOST], places[MOST];
  void *made[MOST];
  int round, i;
  make_places(primary, contexts);
  for (round = 0; round < 4; ++round) {
    for (i = 0; i < count; ++i)
      CHECK(driver.create_context(&made[i], 0, i) == 0);
    make_places(places, made);
    driver.set_current(contexts[round % count]);
    CHECK(call_all(places) == NULL && call_all(primary) == NULL);
    driver.set_current(made[round % count]);
    CHECK(call_all(places) == NULL && call_all(primary) == NULL);
    check_places(places, made, 2);
    check_places(primary, contexts, (float)(2 * round + 2));
    free_places(places, made);
    runtime_kernels_unload();
    for (i = 0; i < count; ++i)
      driver.destroy_context(made[i]);
  }
  free_places(primary, contexts);
}

/* Streams are made and destroyed on one device after the other, and come to lie at each other's addresses. */
static void test_reused_addresses(void) {
  enum { ROUNDS = 2000, SEEN = 64 };
  static struct {
    void *stream;
    int device;
  } seen[SEEN];
  uint64_t x[MOST];
  int round, i, filled = 0, again = 0, elsewhere = 0, calls[MOST] = {0};
  for (i = 0; i < count; ++i) {
    driver.set_current(contexts[i]);
    x[i] = make_numbers();
  }
  for (round = 0; round < ROUNDS; ++round) {
    int device = round * 7 / 5 % count;
    void *stream;
    driver.set_current(contexts[device]);
    CHECK(driver.create_stream(&stream, 1) == 0);
    for (i = 0; i < filled && seen[i].stream != stream; ++i)
      ;
    again += i < filled;
    elsewhere += i < filled && seen[i].device != device;
    if (i < SEEN) {
      filled += i == filled;
      seen[i].stream = stream;
      seen[i].device = device;
    }
    CHECK(bump_all(stream, x[device]) == NRD_OK);
    ++calls[device];
    CHECK(driver.wait_for_stream(stream) == 0);
    driver.destroy_stream(stream);
  }
  printf("  %d of %d streams were where one was before, %d of them where one of another device was\n", again,
         ROUNDS, elsewhere);
  for (i = 0; i < count; ++i) {
    driver.set_current(contexts[i]);
    CHECK(are(x[i], (float)calls[i]));
    driver.release(x[i]);
  }
}

/* One device is reset while others are in use. */
static void test_reset(void) {
  worker other;
  int round;
  memset(&other, 0, sizeof other);
  __atomic_store_n(&should_end, 0, __ATOMIC_RELAXED);
  other.context = contexts[0];
  pthread_create(&other.thread, NULL, launch_on, &other);
  for (round = 0; round < 3; ++round) {
    void *stream;
    uint64_t x;
    driver.set_current(contexts[1]);
    driver.create_stream(&stream, 1);
    x = make_numbers();
    CHECK(bump_all(stream, x) == NRD_OK && are(x, 1));
    CHECK(driver.reset_primary(1) == 0);
    CHECK(driver.retain_primary(&contexts[1], 1) == 0);
    driver.set_current(contexts[1]);
    driver.create_stream(&stream, 1);
    x = make_numbers();
    CHECK(bump_all(stream, x) == NRD_OK && are(x, 1));
    driver.release(x);
    driver.destroy_stream(stream);
  }
  __atomic_store_n(&should_end, 1, __ATOMIC_RELAXED);
  pthread_join(other.thread, NULL);
  CHECK(other.failed == 0 && other.right);
  printf("  %ld launches on the other device meanwhile\n", other.launched);
}

int main(void) {
  static const gpu_case cases[] = {{"threads", test_threads},
                                   {"other streams", test_other_streams},
                                   {"threads on all devices", test_threads_on_all},
                                   {"load", test_load},
                                   {"graphs", test_graphs},
                                   {"contexts", test_contexts},
                                   {"reused addresses", test_reused_addresses},
                                   {"reset", test_reset},
                                   {"peers", test_peers}};
  int i;
  open_driver();
  driver.get_device_count(&count);
  count = count > MOST ? MOST : count;
  printf("%d devices\n", count);
  if (count < 2)
    return 2;
  for (i = 0; i < count; ++i)
    driver.retain_primary(&contexts[i], i);
  return run_cases(cases, sizeof cases / sizeof *cases) != 0;
}
