/* Devices, contexts and streams of CUDA: what is loaded for which, once, and found again. */
#include "dispatch_test.h"

/* That fit the first device, whose capability is 9.0. */
enum { IMAGES = 25 };

static void test_cuda_load(void) {
  int loads;
  open_fake("libcuda.so.1");
  CHECK(synthetic_load(cuda(0)) == NRD_OK);
  /* On 9.0: three variants of twice, one of picky, two of tiled, named, two of mixed, one of checked, one of
   * tiles, packed, one of hopper, together, early, two of cluster. */
  loads = fake->loads;
  CHECK(loads == IMAGES);
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && mixed(cuda(0), aligned) == NRD_OK &&
        fake->loads == loads);
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads == loads);
  CHECK(synthetic_load(cuda(1)) == NRD_OK && fake->loads > loads);
  synthetic_unload();
  CHECK(fake->unloads == fake->loads);
  /* One image that cannot be loaded, and one that needs too much, leave the others alone. */
  fake->bad_image = "checked|";
  fake->max_shared = 1000;
  fake->loads = fake->unloads = 0;
  CHECK(synthetic_load(cuda(0)) == NRD_ERROR_OUT_OF_RESOURCES && fake->loads - fake->unloads == IMAGES - 2);
  CHECK(says("synthetic_load: 2 of 21 images cannot be loaded: picky: ") &&
        says("needs 102400 bytes of shared memory") && says("; checked: its code cannot be loaded: ") &&
        says("('*fp32, u64, i32' for cuda:80)"));
  CHECK(mixed(cuda(0), aligned) == NRD_OK && fake->loads - fake->unloads == IMAGES - 2);
  /* One in whose place another one can be taken is no failure. */
  fake->bad_image = "tiled|*fp32:16";
  fake->max_shared = 232448;
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads - fake->unloads == IMAGES);
  synthetic_unload();
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads - fake->unloads == IMAGES - 1);
  fake->bad_image = NULL;
  CHECK(synthetic_load(cuda(0)) == NRD_OK && fake->loads - fake->unloads == IMAGES);
  synthetic_unload();
  CHECK(fake->unloads == fake->loads);
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->loads == fake->unloads + 1);
}

static void *call_first(void *unused) {
  intptr_t wrong = 0;
  int i;
  (void)unused;
  for (i = 0; i < 1000; ++i)
    wrong += twice(cuda(i % 2), aligned, aligned, 160) != NRD_OK;
  return (void *)wrong;
}

static void test_cuda_threads(void) {
  pthread_t threads[8];
  open_fake("libcuda.so.1");
  start_threads(threads, 8, call_first, NULL);
  join_threads(threads, 8);
  /* Once a context, however many threads were first. */
  CHECK(fake->loads == 2 && fake->launches == 8000);
}

/* Another context comes to be where one was that is gone. */
static void test_contexts(int has_modules) {
  void *const legacy = (void *)1, *const per_thread = (void *)2;
  open_fake("libcuda.so.1");
  int (*push)(void *) = NULL, (*pop)(void **) = NULL;
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol, *popped;
  symbol = dlsym(library, "cuCtxPushCurrent_v2");
  memcpy(&push, &symbol, sizeof symbol);
  symbol = dlsym(library, "cuCtxPopCurrent_v2");
  memcpy(&pop, &symbol, sizeof symbol);

  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
  CHECK(fake->loads == 2);
  fake->context_id[0] = 200;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->stale == 0);
  if (has_modules) {
    /* What was loaded for the old one went with it. */
    CHECK(fake->loads == 3 && fake->unloads == 0);
    CHECK(twice(cuda(1), aligned, aligned, 160) == NRD_OK && fake->loads == 3);
    /* The new one may be of another device. */
    fake->context_id[0] = 201;
    fake->capability[0] = 80;
    CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK &&
          ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:80|cubin"));
    CHECK(fake->loads == 4 && fake->stale == 0);
    CHECK(hopper(cuda(0), (nrd_f16 *)aligned, 100) == NRD_ERROR_NO_VARIANT);
    fake->capability[0] = 90;
    synthetic_unload();
    CHECK(fake->unloads == 2);
  } else {
    /* Libraries serve whatever context there is. */
    CHECK(fake->loads == 2 && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
    fake->context_id[1] = 202;
    synthetic_unload();
    CHECK(fake->unloads == 2);
  }

  /* Streams without a context of their own are of the current one. */
  CHECK(mixed(nrd_cuda_stream(legacy), aligned) == NRD_ERROR_INVALID_ARGUMENT &&
        says("no CUDA context is current"));
  push((void *)2);
  CHECK(mixed(nrd_cuda_stream(NULL), aligned) == NRD_OK && last_launch()->context == 1 &&
        !last_launch()->stream);
  CHECK(mixed(nrd_cuda_stream(legacy), aligned) == NRD_OK && last_launch()->context == 1 &&
        last_launch()->stream == legacy);
  CHECK(mixed(nrd_cuda_stream(per_thread), aligned) == NRD_OK && last_launch()->context == 1 &&
        last_launch()->stream == per_thread);
  /* A stream of a context that is not current, and a driver that wants it to be. */
  CHECK(mixed(cuda(3), aligned) == NRD_OK && last_launch()->context == 3 && last_launch()->current == 1);
  for (int i = 0; i < 3; ++i) {
    fake->wants_current = i == 0 ? 201 : i == 1 ? 400 : 709;
    CHECK(mixed(cuda(3), aligned) == NRD_OK && last_launch()->context == 3 && last_launch()->current == 3);
    CHECK(fake->context_depth == 1);
  }
  pop(&popped);
  CHECK(mixed(cuda(3), aligned) == NRD_OK && last_launch()->current == 3 && fake->context_depth == 0);
  CHECK(fake->stale == 0);
}

static void test_cuda_contexts(void) { test_contexts(!HAS_LIBRARIES); }
static void test_cuda_eager_contexts(void) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  test_contexts(1);
}

/* Devices of one model: what is loaded for one is launched on all, and nobody asks whose a stream is. */
static void test_cuda_uniform(void) {
  int i, queries;
  if (!HAS_LIBRARIES)
    return;
  open_fake("libcuda.so.1");
  make_devices_alike();
  CHECK(twice(cuda(2), aligned, aligned, 160) == NRD_OK && last_launch()->context == 2);
  CHECK(fake->loads == 1);
  queries = fake->queries;
  for (i = 0; i < FAKE_CONTEXTS; ++i)
    CHECK(twice(cuda(i), aligned, aligned, 160) == NRD_OK && last_launch()->context == i);
  fake->context_id[2] = 200;
  CHECK(twice(cuda(2), aligned, aligned, 160) == NRD_OK && last_launch()->context == 2);
  CHECK(fake->loads == 1 && fake->queries == queries && fake->stale == 0);
  /* What another device than the first has loaded serves all as well. */
  CHECK(mixed(cuda(1), aligned) == NRD_OK && fake->loads == 2);
  queries = fake->queries;
  for (i = 0; i < FAKE_CONTEXTS; ++i)
    CHECK(mixed(cuda(i), aligned) == NRD_OK && last_launch()->context == i);
  CHECK(fake->loads == 2 && fake->queries == queries);
  /* Shared memory is asked for on each device. */
  CHECK(picky(cuda(0), aligned, 16) == NRD_OK && picky(cuda(1), aligned, 16) == NRD_OK &&
        picky(cuda(1), aligned, 16) == NRD_OK && last_launch()->context == 1);
  CHECK(fake->loads == 4);
  /* Load loads into the stream's context what others have. */
  CHECK(synthetic_load(cuda(2)) == NRD_OK);
  queries = fake->functions;
  i = fake->loads;
  CHECK(synthetic_load(cuda(2)) == NRD_OK && fake->functions == queries + IMAGES && fake->loads == i);
  fake->failing = "cuKernelGetFunction";
  fake->failing_with = 999;
  CHECK(synthetic_load(cuda(2)) == NRD_ERROR_DRIVER &&
        says("twice: its code cannot be loaded into the context: CUDA_ERROR (999"));
  fake->failing = NULL;
  /* A grid of the variant's own is computed once more for the device that the stream is of. */
  synthetic_unload();
  CHECK(tiled(cuda(1), unaligned, 1000) == NRD_OK && tiled(cuda(1), aligned, 1000) == NRD_OK &&
        last_launch()->grid[0] == 8);
  fake->launch_result = 400;
  CHECK(tiled(cuda(0), unaligned, 1000) == NRD_OK && last_launch()->context == 0 &&
        last_launch()->grid[0] == 32);
  /* Errors name the stream's device, or say that there is none. */
  fake->launch_result = 700;
  CHECK(tiled(cuda(1), aligned, 1000) == NRD_ERROR_DRIVER &&
        says("tiled: the launch failed: CUDA_ERROR (700"));
  CHECK(tiled(nrd_cuda_stream(NULL), aligned, 1000) == NRD_ERROR_INVALID_ARGUMENT &&
        says("no CUDA context is current"));
  CHECK(picky(cuda(3), unaligned, 16) == NRD_ERROR_NO_VARIANT && says("CUDA device 3 (Fake GPU,"));
  fake->bad_image = "hopper|";
  CHECK(hopper(cuda(3), (nrd_f16 *)aligned, 100) == NRD_ERROR_DRIVER && says("its code cannot be loaded"));
  CHECK(hopper(cuda(3), (nrd_f16 *)unaligned, 100) == NRD_ERROR_DRIVER);
  fake->bad_image = NULL;
  CHECK(hopper(cuda(3), (nrd_f16 *)aligned, 100) == NRD_OK);
  synthetic_unload();
  CHECK(fake->loads == fake->unloads && fake->context_depth == 0 && fake->stale == 0);
}

/* A stream that was seen before is not asked for again, unless its context is another one. */
static void test_cuda_known_streams(void) {
  int queries, i;
  if (HAS_LIBRARIES)
    return;
  open_fake("libcuda.so.1");
  for (i = 0; i < 3; ++i)
    CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
  queries = fake->queries;
  for (i = 0; i < 10; ++i)
    CHECK(twice(cuda(i % 2), aligned, aligned, 160) == NRD_OK && last_launch()->context == i % 2);
  CHECK(fake->queries == queries && fake->retained == 0 && fake->loads == 2);
  fake->context_id[0] = 200;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->loads == 3 && fake->queries > queries);
  synthetic_unload();
  /* That of 0 before went with its context. */
  CHECK(fake->unloads == 2);
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->loads == 4 && fake->stale == 0);
  fake->context_id[0] = 201;
  synthetic_unload();
  CHECK(fake->unloads == 2);
  /* Of other contexts than primary ones nothing is remembered. */
  fake->failing = "cuDevicePrimaryCtxRetain";
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK);
  queries = fake->queries;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->queries == queries + 1 && fake->stale == 0);
}

/* A stream was destroyed, and one of another device came to lie at its address. */
static void test_cuda_moved_streams(void) {
  int i;
  open_fake("libcuda.so.1");
  for (i = 0; i < FAKE_CONTEXTS; ++i)
    fake->capability[i] = 90;
  for (i = 0; i < 6; ++i) {
    fake->streams_moved = i % 2 ? i % 4 : 0;
    CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK &&
          last_launch()->context == fake->streams_moved % 4);
    CHECK(tiled(cuda(0), aligned, 1000) == NRD_OK && last_launch()->grid[0] == 8 &&
          last_launch()->context == fake->streams_moved % 4);
  }
  /* Not loaded there, special, with memory and with maps: each is loaded where the stream is. */
  fake->streams_moved = 0;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK);
  fake->streams_moved = 3;
  CHECK(together(cuda(0), aligned, 10) == NRD_OK && last_launch()->context == 3);
  fake->streams_moved = 0;
  CHECK(together(cuda(0), aligned, 10) == NRD_OK && last_launch()->context == 0);
  fake->streams_moved = 3;
  CHECK(together(cuda(0), aligned, 10) == NRD_OK && last_launch()->context == 3);
  CHECK(tiles(cuda(0), (nrd_f16 *)aligned, 100, 16, 1) == NRD_OK && last_launch()->context == 3);
  CHECK(scratch(cuda(0), aligned, 1, 3) == NRD_OK && last_launch()->context == 3);
  fake->streams_moved = 0;
  CHECK(tiles(cuda(0), (nrd_f16 *)aligned, 100, 16, 1) == NRD_OK && last_launch()->context == 0);
  CHECK(scratch(cuda(0), aligned, 1, 3) == NRD_OK && last_launch()->context == 0);
  CHECK(fake->stale == 0 && fake->context_depth == 0);
}

/* Devices that cannot be compared are taken to differ. */
static void test_unlike(const char *function) {
  if (!HAS_LIBRARIES)
    return;
  open_fake("libcuda.so.1");
  make_devices_alike();
  if (function)
    fake->failing = function;
  else
    fake->name = NULL;
  fake->failing_with = 999;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && twice(cuda(1), aligned, aligned, 160) == NRD_OK);
  CHECK(fake->loads == 2);
}
static void test_cuda_unlike_count(void) { test_unlike("cuDeviceGetCount"); }
static void test_cuda_unlike_name(void) { test_unlike(NULL); }
static void test_cuda_unlike_device(void) { test_unlike("cuDeviceGet"); }

/* An image that the driver refuses is skipped for the next one that accepts the call. */
static void test_cuda_refused(void) {
  int loads;
  open_fake("libcuda.so.1");
  /* Machine code, PTX of the same variant, of another variant, of an older architecture. */
  fake->bad_image = "twice|*fp32:16, *fp32:16, i32:16, 64|cuda:90a|cubin";
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && ran("twice|*fp32, *fp32, i32, 64|cuda:90a|cubin"));
  CHECK(last_launch()->grid[0] == 3);
  loads = fake->loads;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK && fake->loads == loads);
  fake->bad_image = "mixed|*fp32|cuda:90a";
  CHECK(mixed(cuda(0), aligned) == NRD_OK && ran("mixed|*fp32:16|cuda:80|ptx"));
  fake->bad_image = "checked|*fp32, u64, i32|cuda:80|cubin";
  CHECK(checked(cuda(1), aligned, 10, 7) == NRD_OK && ran("checked|*fp32, u64, i32|cuda:80|ptx"));
  /* The grid is that of the variant which is taken. */
  fake->bad_image = "tiled|*fp32:16";
  CHECK(tiled(cuda(1), aligned, 1000) == NRD_OK && ran("tiled|*fp32, i64, 32|") &&
        last_launch()->grid[0] == 32);
  /* Nothing is left: the reasons; and then it is tried again. */
  fake->bad_image = "hopper|";
  CHECK(hopper(cuda(0), (nrd_f16 *)aligned, 100) == NRD_ERROR_DRIVER &&
        says("hopper: its code cannot be loaded: CUDA_ERROR (218: "));
  fake->bad_image = "twice|";
  CHECK(twice(cuda(3), aligned, aligned, 1) == NRD_ERROR_DRIVER &&
        says("twice: none of the 6 images that accept this call on CUDA device 3 (Fake GPU 3, compute "
             "capability 10.0) can be "
             "loaded: twice: its code cannot be loaded: CUDA_ERROR (218: the fake driver was told to fail) "
             "('*fp32, *fp32, "
             "i32:1, 64' for cuda:100); "));
  CHECK(twice(cuda(3), aligned, aligned, 1) == NRD_ERROR_DRIVER && says("none of the 6 images"));
  fake->bad_image = NULL;
  CHECK(twice(cuda(3), aligned, aligned, 1) == NRD_OK && ran("twice|*fp32, *fp32, i32:1, 64|cuda:100|cubin"));
  CHECK(hopper(cuda(0), (nrd_f16 *)aligned, 100) == NRD_OK);
  /* An error that is not of the image's making is not remembered. */
  synthetic_unload();
  fake->load_result = 2;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("its code cannot be loaded"));
  fake->load_result = 0;
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:90a|cubin"));
  synthetic_unload();
  CHECK(fake->loads == fake->unloads && fake->context_depth == 0);
}

/* A load that takes for ever on one device: calls on others, and of what is loaded on that one, go on. */
static void test_cuda_slow_load(void) {
  pthread_t loader;
  void *result = NULL;
  open_fake("libcuda.so.1");
  CHECK(mixed(cuda(0), aligned) == NRD_OK);
  fake->waiting_context = 1;
  fake->load_waits = 1;
  CHECK(pthread_create(&loader, NULL, load_slowly, NULL) == 0);
  while (__atomic_load_n(&fake->load_waits, __ATOMIC_SEQ_CST) == 1)
    usleep(1000);
  alarm(60);
  CHECK(twice(cuda(1), aligned, aligned, 160) == NRD_OK && last_launch()->context == 1);
  CHECK(synthetic_load(cuda(3)) == NRD_OK && twice(cuda(3), aligned, aligned, 160) == NRD_OK);
  CHECK(mixed(cuda(0), aligned) == NRD_OK && last_launch()->context == 0);
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK);
  CHECK(twice_is_right(1000));
  __atomic_store_n(&fake->load_waits, 0, __ATOMIC_SEQ_CST);
  pthread_join(loader, &result);
  CHECK((intptr_t)result == NRD_OK);
}

const test_case cuda_device_cases[] = {{"cuda_load", test_cuda_load},
                                       {"cuda_threads", test_cuda_threads},
                                       {"cuda_contexts", test_cuda_contexts},
                                       {"cuda_refused", test_cuda_refused},
                                       {"cuda_slow_load", test_cuda_slow_load},
                                       {"cuda_known_streams", test_cuda_known_streams},
                                       {"cuda_moved_streams", test_cuda_moved_streams},
                                       {"cuda_uniform", test_cuda_uniform},
                                       {"cuda_unlike_count", test_cuda_unlike_count},
                                       {"cuda_unlike_device", test_cuda_unlike_device},
                                       {"cuda_unlike_name", test_cuda_unlike_name},
                                       {"cuda_eager_contexts", test_cuda_eager_contexts},
                                       {NULL, NULL}};
