/* Which image a call on CUDA takes, what reaches the driver, and what is refused. */
#include "dispatch_test.h"

static void test_cuda_choice(void) {
  nrd_dim3 grid = {3, 2, 1};
  char text[1000];
  open_fake("libcuda.so.1");
  /* Traits: all hold; a pointer that is not aligned; n == 1 beats nothing; n == 16. */
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:90a|cubin"));
  CHECK(last_launch()->grid[0] == 3 && last_launch()->grid[1] == 1 && last_launch()->block == 128);
  CHECK(last_launch()->context == 0 && last_launch()->stream == cuda(0).handle && last_launch()->shared == 0);
  CHECK(last_launch()->argument == aligned && !strcmp(last_launch()->symbol, "twice"));
  CHECK(twice(cuda(0), unaligned, aligned, 160) == NRD_OK && ran("twice|*fp32, *fp32, i32, 64|cuda:90a"));
  CHECK(twice(cuda(0), aligned, aligned, 161) == NRD_OK && ran("twice|*fp32, *fp32, i32, 64|cuda:90a"));
  CHECK(twice(cuda(0), unaligned, aligned, 1) == NRD_OK && ran("twice|*fp32, *fp32, i32:1, 64|cuda:90a"));
  /* Architectures: 8.0 exactly; 7.5 has nothing; 10.0 exactly; then 8.6, 9.1 and 12.0. */
  CHECK(twice(cuda(1), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:80|cubin"));
  CHECK(last_launch()->context == 1);
  CHECK(twice(cuda(2), aligned, aligned, 160) == NRD_ERROR_NO_VARIANT);
  CHECK(says("Fake GPU 2") && says("7.5") && says("cuda:90a") && says("n=160"));
  CHECK(twice(cuda(3), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:100|cubin"));
  synthetic_unload();
  CHECK(fake->unloads == fake->loads && fake->context_depth == 0);
  fake->capability[1] = 86;
  fake->capability[2] = 91;
  fake->capability[3] = 120;
  CHECK(twice(cuda(1), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:80|cubin"));
  CHECK(twice(cuda(2), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:80|ptx"));
  CHECK(twice(cuda(3), aligned, aligned, 160) == NRD_OK &&
        ran("twice|*fp32:16, *fp32:16, i32:16, 64|cuda:100|ptx"));
  /* The architecture comes before the traits. */
  CHECK(mixed(cuda(0), aligned) == NRD_OK && ran("mixed|*fp32|cuda:90a"));
  CHECK(mixed(cuda(1), aligned) == NRD_OK && ran("mixed|*fp32:16|cuda:80"));
  /* Grids of the variant's own, and of the caller. */
  CHECK(tiled(cuda(0), aligned, 1000) == NRD_OK && last_launch()->grid[0] == 8 &&
        last_launch()->grid[1] == 7);
  CHECK(tiled(cuda(0), unaligned, 1000) == NRD_OK && last_launch()->grid[0] == 32);
  {
    static const struct {
      int64_t n;
      unsigned power;
    } powers[] = {{1, 1}, {2, 2}, {3, 4}, {64, 64}, {65, 128}, {99, 128}, {100, 0}};
    for (size_t i = 0; i != sizeof powers / sizeof *powers; ++i)
      CHECK(tiled(cuda(0), unaligned, powers[i].n) == NRD_OK &&
            last_launch()->grid[2] == powers[i].power + 1);
  }
  CHECK(tiled_grid(cuda(0), grid, unaligned, 1000) == NRD_OK && last_launch()->grid[0] == 3);
  CHECK(named_grid(cuda(2), grid, (nrd_f16 *)aligned, 1, 2) == NRD_OK &&
        ran("named|*fp16, i32, i32|cuda:75|ptx"));
  /* Explained, and overridden. */
  CHECK(mixed_explain(cuda(0), aligned, text, sizeof text) == NRD_OK &&
        strstr(text, "variant 1 runs, '*fp32' for cuda:90a") &&
        strstr(text, "'*fp32:16', accepts the call too, but its code is for an older architecture"));
  CHECK(mixed_force(cuda(0), 0, aligned) == NRD_OK && ran("mixed|*fp32:16|cuda:80"));
  CHECK(mixed_force(cuda(0), 0, unaligned) == NRD_ERROR_NO_VARIANT && says("x is divisible by 16"));
}

/* The form for few programs runs where it takes no more turns than the other: a device of 10 multiprocessors
 * runs 20 of its programs at a time, and 30 of the other's. */
static void test_cuda_forms(void) {
  static const struct {
    int32_t n; /* of 2 programs each */
    int is_few;
  } cases[] = {{1, 1},  {10, 1}, {11, 0}, {15, 0}, {16, 1},  {20, 1},
               {21, 0}, {30, 0}, {31, 0}, {40, 0}, {1000, 0}};
  nrd_dim3 grid = {5, 4, 1};
  const nrd_variant *list;
  char text[1000];
  setenv("FAKE_SIZES", "10 2048 233472 65536", 1);
  open_fake("libcuda.so.1");
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i != sizeof cases / sizeof *cases; ++i) {
      int is_right = forms(cuda(0), aligned, cases[i].n) == NRD_OK &&
                     ran(cases[i].is_few ? "forms|few|" : "forms|*fp32") &&
                     last_launch()->shared == (cases[i].is_few ? 2000u : 1000u) &&
                     last_launch()->grid[0] == (unsigned)cases[i].n && last_launch()->grid[1] == 2;
      if (!is_right)
        fprintf(stderr, "%d programs: %s\n", 2 * cases[i].n, last_launch()->image);
      CHECK(is_right);
    }
    /* A grid of the caller's, on a stream that was not the last one, and a variant that is named. */
    CHECK(forms_grid(cuda(0), grid, aligned, 1000) == NRD_OK && ran("forms|few|"));
    grid.x = 6;
    CHECK(forms_grid(cuda(0), grid, aligned, 1) == NRD_OK && ran("forms|*fp32"));
    grid.x = 5;
    CHECK(mixed(cuda(1), aligned) == NRD_OK && forms(cuda(0), aligned, 10) == NRD_OK && ran("forms|few|"));
    CHECK(forms_force(cuda(0), 0, aligned, 10) == NRD_OK && ran("forms|few|"));
    CHECK(forms_explain(cuda(0), aligned, 10, text, sizeof text) == NRD_OK &&
          strstr(text, "the first, of which 30 run at a time, or where it takes no more turns that for few "
                       "programs, of which 20 do"));
    synthetic_unload();
    CHECK(synthetic_load(cuda(0)) == NRD_OK);
  }
  CHECK(synthetic_forms_variants(&list) == 1 && !strcmp(list->targets, "cuda:90a"));
  /* If the driver refuses the one, the other takes its calls. */
  synthetic_unload();
  fake->bad_image = "forms|few|";
  CHECK(synthetic_load(cuda(0)) == NRD_OK);
  CHECK(forms(cuda(0), aligned, 10) == NRD_OK && ran("forms|*fp32"));
  synthetic_unload();
  CHECK(forms(cuda(0), aligned, 10) == NRD_OK && ran("forms|*fp32"));
  synthetic_unload();
  CHECK(fake->unloads == fake->loads && fake->stale == 0);
}

/* The form for fewer turns runs where the other one's last turn would be nearly empty: a device of 10
 * multiprocessors runs 40 of its programs at a time, and 30 of the other's. Of as many turns, or of many, it
 * has no gain: 151 programs are 6 turns or 4, but not at the same pace. */
static void test_cuda_turns(void) {
  static const struct {
    int32_t programs;
    int is_fewer;
  } cases[] = {{1, 0},  {30, 0}, {31, 1}, {40, 1},  {41, 0},  {60, 0},   {61, 1},
               {80, 1}, {81, 0}, {91, 0}, {120, 0}, {151, 0}, {10000, 0}};
  char text[1000];
  setenv("FAKE_SIZES", "10 2048 233472 65536", 1);
  open_fake("libcuda.so.1");
  for (size_t i = 0; i != sizeof cases / sizeof *cases; ++i) {
    int is_right = turns(cuda(0), aligned, cases[i].programs) == NRD_OK &&
                   ran(cases[i].is_fewer ? "turns|fewer|" : "turns|*fp32");
    if (!is_right)
      fprintf(stderr, "%d programs: %s\n", cases[i].programs, last_launch()->image);
    CHECK(is_right);
  }
  CHECK(turns_explain(cuda(0), aligned, 31, text, sizeof text) == NRD_OK &&
        strstr(text,
               "the first, of which 30 run at a time, or where it takes clearly fewer turns that for those, "
               "of which 40 do"));
  synthetic_unload();
  fake->bad_image = "turns|fewer|";
  CHECK(turns(cuda(0), aligned, 31) == NRD_OK && ran("turns|*fp32"));
  synthetic_unload();
  CHECK(fake->unloads == fake->loads && fake->stale == 0);
}

/* Of three forms that for small grids runs where all programs do at a time; of the others the better one. */
static void test_cuda_small_grids(void) {
  static const struct {
    int32_t programs;
    const char *form;
  } cases[] = {{1, "grids|small|"},  {20, "grids|small|"}, {21, "grids|*fp32"},
               {31, "grids|fewer|"}, {41, "grids|*fp32"},  {10000, "grids|*fp32"}};
  char text[1000];
  setenv("FAKE_SIZES", "10 2048 233472 65536", 1);
  open_fake("libcuda.so.1");
  for (size_t i = 0; i != sizeof cases / sizeof *cases; ++i) {
    int is_right = grids(cuda(0), aligned, cases[i].programs) == NRD_OK && ran(cases[i].form);
    if (!is_right)
      fprintf(stderr, "%d programs: %s\n", cases[i].programs, last_launch()->image);
    CHECK(is_right);
  }
  CHECK(grids_explain(cuda(0), aligned, 31, text, sizeof text) == NRD_OK &&
        strstr(text, "of which 40 do, or of no more than 20 programs that for small grids"));
  synthetic_unload();
  /* If the driver refuses one, the others take its calls. */
  fake->bad_image = "grids|fewer|";
  CHECK(grids(cuda(0), aligned, 31) == NRD_OK && ran("grids|*fp32"));
  CHECK(grids(cuda(0), aligned, 20) == NRD_OK && ran("grids|small|"));
  synthetic_unload();
  fake->bad_image = "grids|small|";
  CHECK(grids(cuda(0), aligned, 20) == NRD_OK && ran("grids|*fp32"));
  CHECK(grids(cuda(0), aligned, 31) == NRD_OK && ran("grids|fewer|"));
  synthetic_unload();
  CHECK(fake->unloads == fake->loads && fake->stale == 0);
}

/* The launch hands over all arguments in one piece, each at the offset that it has in a C structure, and none
 * behind the last. That of a call on another stream than the last goes another way. */
static void test_cuda_packed(void) {
  struct {
    float *x;
    int8_t a;
    int64_t b;
    bool c;
    int16_t d;
    double e;
    float f;
    int8_t g;
  } expected, found;
  unsigned end = offsetof(__typeof__(expected), g) + 1;
  int i;
  open_fake("libcuda.so.1");
  for (i = 0; i < 3; ++i) {
    CHECK(packed(cuda(0), aligned, -3, INT64_C(-0x123456789abcdef), 1, 1, -30000, 2.5 + i, -0.75f, 100) ==
              NRD_OK &&
          ran("packed|"));
    CHECK(last_launch()->argument == aligned);
  }
  CHECK(last_launch()->packed_bytes == end);
  memset(&expected, 0, sizeof expected);
  memset(&found, 0, sizeof found);
  memcpy(&found, last_launch()->packed, end);
  CHECK(found.x == aligned && found.a == -3 && found.b == INT64_C(-0x123456789abcdef) && found.c &&
        found.d == -30000 && found.e == 4.5 && found.f == -0.75f && found.g == 100);
  /* A launch that fails is tried again in the other form. */
  fake->launch_result = 709;
  CHECK(packed(cuda(0), aligned, 1, 2, 0, 1, 3, 4, 5, 6) == NRD_OK || says("packed: the launch failed"));
  CHECK(packed(cuda(0), aligned, 1, 2, 0, 1, 3, 4, 5, 6) == NRD_OK && last_launch()->argument == aligned);
}

static void test_cuda_tensor_maps(void) {
  nrd_f16 *x = (nrd_f16 *)aligned;
  const fake_map *wide, *narrow, *line, *batch;
  int launches, encodings;
  open_fake("libcuda.so.1");
  CHECK(tiles(cuda(0), x, 100, 16, 1) == NRD_OK && ran("tiles|*fp16, i32, i32, i32:1|cuda:90a|cubin"));
  wide = &last_launch()->maps[0];
  narrow = &last_launch()->maps[1];
  /* Columns come first; the distance of rows is in bytes. */
  CHECK(wide->rank == 2 && wide->base == x && wide->sizes[0] == 24 && wide->sizes[1] == 100 &&
        wide->pitches[0] == 64);
  CHECK(wide->type == 1 && wide->box[0] == 64 && wide->box[1] == 64);
  CHECK(wide->swizzle == 3 && wide->fill == 0 && wide->interleave == 0);
  CHECK(narrow->base == x && narrow->sizes[0] == 100 && narrow->sizes[1] == 16 && narrow->pitches[0] == 32);
  CHECK(narrow->type == 2 && narrow->box[0] == 8 && narrow->box[1] == 16 && narrow->swizzle == 1);
  /* One axis, and five. How far an axis of size 1 would go is of no interest. */
  line = &last_launch()->maps[2];
  CHECK(line->rank == 1 && line->sizes[0] == 100 && line->box[0] == 0 && line->swizzle == 0 &&
        line->type == 0);
  batch = &last_launch()->maps[3];
  CHECK(batch->rank == 5 && batch->sizes[0] == 16 && batch->sizes[1] == 100 && batch->sizes[2] == 3 &&
        batch->sizes[3] == 2 && batch->sizes[4] == 1);
  CHECK(batch->pitches[0] == 32 && batch->pitches[1] == 16384 && batch->pitches[2] == 32768 &&
        batch->pitches[3] == 16);
  CHECK(batch->box[0] == 32 && batch->box[1] == 32 && batch->box[2] == 2 && batch->box[3] == 1 &&
        batch->box[4] == 1 && batch->swizzle == 2);
  /* A launch like one before makes no maps anew; another one does. */
  encodings = fake->encodings;
  CHECK(encodings == 4);
  CHECK(tiles(cuda(0), x, 100, 16, 1) == NRD_OK && fake->encodings == encodings);
  CHECK(tiles(cuda(0), x + 8, 100, 16, 1) == NRD_OK && fake->encodings == encodings + 4);
  CHECK(last_launch()->maps[0].base == x + 8 && last_launch()->maps[3].base == x + 8);
  CHECK(tiles(cuda(0), x, 104, 16, 1) == NRD_OK && fake->encodings == encodings + 8);
  CHECK(last_launch()->maps[0].sizes[1] == 104 && last_launch()->maps[0].base == x);
  CHECK(tiles(cuda(0), x, 100, 16, 1) == NRD_OK && fake->encodings == encodings + 8);
  CHECK(last_launch()->maps[0].sizes[1] == 100 && last_launch()->maps[1].sizes[0] == 100);
  /* Code for another architecture takes the arguments alone. */
  CHECK(tiles(cuda(1), x, 100, 16, 1) == NRD_OK && ran("tiles|*fp16, i32, i32, i32:1|cuda:80"));
  launches = fake->launches;
  CHECK(tiles(cuda(0), (nrd_f16 *)unaligned, 100, 16, 1) == NRD_ERROR_INVALID_ARGUMENT &&
        says("tiles: the descriptor of 'x'") && says("not divisible by 16"));
  CHECK(tiles(cuda(0), x, 100, 15, 1) == NRD_ERROR_INVALID_ARGUMENT && says("along axis 0") &&
        says("30 elements of 2 bytes apart"));
  CHECK(tiles(cuda(0), x, 100, -16, 1) == NRD_ERROR_INVALID_ARGUMENT && says("100 x -8 elements"));
  CHECK(tiles(cuda(0), x, 100, INT32_MAX, 1) == NRD_ERROR_INVALID_ARGUMENT && says("4294967294 elements"));
  CHECK(tiles(cuda(0), x, 0, 16, 1) == NRD_ERROR_INVALID_ARGUMENT && says("0 x 24 elements"));
  CHECK(tiles(cuda(0), x, -5, 16, 1) == NRD_ERROR_INVALID_ARGUMENT && says("-5 x 24 elements"));
  CHECK(fake->launches == launches);
}

static void test_cuda_old_driver(void) {
  nrd_f16 *x = (nrd_f16 *)aligned;
  open_fake("libcuda.so.1");
  /* What needs no tensor maps runs, an older image in place of a newer one, too. */
  CHECK(twice(cuda(0), aligned, aligned, 160) == NRD_OK);
  CHECK(tiles(cuda(0), x, 100, 16, 1) == NRD_OK && ran("tiles|*fp16, i32, i32, i32:1|cuda:80|ptx"));
  CHECK(hopper(cuda(0), x, 100) == NRD_ERROR_NO_DRIVER && says("cuTensorMapEncodeTiled") && says("cuda:90a"));
}

/* Several threads make, keep and take the same maps, more than the table has room for at times. */
static void *launch_tiles(void *argument) {
  intptr_t me = (intptr_t)argument;
  for (int i = 0; i < 2000; ++i) {
    nrd_f16 *x = (nrd_f16 *)aligned + 8 * ((i + me) % 50);
    if (tiles(cuda(0), x, 100, 16, 1) != NRD_OK)
      return (void *)1;
  }
  return NULL;
}
static void test_cuda_tensor_map_threads(void) {
  pthread_t threads[4];
  open_fake("libcuda.so.1");
  start_threads(threads, 4, launch_tiles, NULL);
  join_threads(threads, 4);
  CHECK(!fake->wrong_maps);
  /* How many of so many find room depends on their addresses. A few do: four maps each, ten times. */
  int before = fake->encodings;
  for (int i = 0; i < 10 * 12; ++i)
    CHECK(tiles(cuda(0), (nrd_f16 *)aligned + 8 * (i % 12), 100, 16, 1) == NRD_OK);
  CHECK(fake->encodings - before < 10 * 12 * 4 / 2);
  CHECK(!fake->wrong_maps);
}

static void test_cuda_errors(void) {
  nrd_dim3 none = {1, 0, 1}, wide = {2147483647, 65535, 65535}, tall = {1, 65536, 1};
  nrd_stream wrong = {7, NULL};
  int launches;
  open_fake("libcuda.so.1");
  CHECK(picky(cuda(1), aligned, 17) == NRD_ERROR_NO_VARIANT && says("accepts this call") &&
        says("not divisible by 16"));
  CHECK(picky(cuda(1), unaligned, 16) == NRD_ERROR_NO_VARIANT && says("0x20004"));
  CHECK(picky(cuda(1), NULL, 16) == NRD_ERROR_INVALID_ARGUMENT && says("null"));
  fake->max_shared = 64 * 1024;
  CHECK(picky(cuda(1), aligned, 16) == NRD_ERROR_OUT_OF_RESOURCES && says("102400 bytes of shared memory"));
  fake->max_shared = 200 * 1024;
  CHECK(picky(cuda(1), aligned, 16) == NRD_OK && last_launch()->shared == 102400);
  launches = fake->launches;
  CHECK(picky_grid(cuda(1), none, NULL, 3) == NRD_OK && fake->launches == launches);
  CHECK(picky_grid(cuda(1), wide, aligned, 16) == NRD_OK && last_launch()->grid[2] == 65535);
  CHECK(picky_grid(cuda(1), tall, aligned, 16) == NRD_ERROR_INVALID_ARGUMENT && says("1 x 65536 x 1"));
  CHECK(tiled(cuda(1), aligned, INT64_C(1) << 40) == NRD_ERROR_INVALID_ARGUMENT &&
        says("8589934592 x 3 x 1"));
  CHECK(tiled(cuda(1), unaligned, 0) == NRD_OK);
  CHECK(checked(cuda(1), aligned, 10, 7) == NRD_OK && last_launch()->grid[0] == 20 &&
        last_launch()->grid[1] == 14);
  CHECK(checked(cuda(1), aligned, 10, 0) == NRD_ERROR_INVALID_ARGUMENT && says("divides by zero"));
  CHECK(checked(cuda(1), aligned, UINT64_MAX, 1) == NRD_ERROR_INVALID_ARGUMENT && says("overflows"));
  CHECK(checked(cuda(1), aligned, INT64_MAX, 1) == NRD_ERROR_INVALID_ARGUMENT && says("overflows"));
  fake->launch_result = 701;
  CHECK(mixed(cuda(1), aligned) == NRD_ERROR_OUT_OF_RESOURCES && says("LAUNCH_OUT_OF_RESOURCES"));
  fake->launch_result = 700;
  CHECK(mixed(cuda(1), aligned) == NRD_ERROR_DRIVER && says("700"));
  /* A thread without a current context launches with the stream's. */
  fake->launch_result = 201;
  CHECK(mixed(cuda(1), aligned) == NRD_OK && fake->context_depth == 0);
  fake->load_result = 209;
  CHECK(twice(cuda(1), aligned, aligned, 16) == NRD_ERROR_DRIVER && says("cannot be loaded") &&
        fake->context_depth == 0);
  fake->load_result = 0;
  CHECK(twice(cuda(1), aligned, aligned, 16) == NRD_OK);
  CHECK(mixed(nrd_cuda_stream(NULL), aligned) == NRD_ERROR_INVALID_ARGUMENT &&
        says("no CUDA context is current"));
  CHECK(mixed(wrong, aligned) == NRD_ERROR_INVALID_ARGUMENT && says("nrd_cuda_stream"));
  CHECK(synthetic_load(wrong) == NRD_ERROR_INVALID_ARGUMENT);
}

static void test_cuda_special(void) {
  nrd_dim3 wide = {2147483647, 1, 1};
  open_fake("libcuda.so.1");
  CHECK(together(cuda(0), aligned, 10) == NRD_OK && ran("together|") && last_launch()->cooperative == 1);
  CHECK(last_launch()->overlaps == 0 && last_launch()->cluster == 0 && last_launch()->grid[0] == 10 &&
        last_launch()->grid[1] == 1 && last_launch()->block == 128 &&
        last_launch()->stream == cuda(0).handle);
  CHECK(together(cuda(0), aligned, 5000) == NRD_ERROR_OUT_OF_RESOURCES &&
        says("together: its programs have to run at a time, and a grid of 5000 x 1 x 1 of them is more than "
             "CUDA device 0"));
  CHECK(early(cuda(0), aligned, 10) == NRD_OK && ran("early|") && last_launch()->cooperative == 0 &&
        last_launch()->overlaps == 1);
  CHECK(cluster(cuda(0), aligned, 10) == NRD_OK && last_launch()->cluster == 2 &&
        last_launch()->grid[0] == 20 && last_launch()->spread == 1 && last_launch()->overlaps == 0);
  CHECK(cluster(cuda(0), unaligned, 10) == NRD_OK && last_launch()->cluster == 16 &&
        last_launch()->grid[0] == 160);
  CHECK(cluster_grid(cuda(0), wide, aligned, 10) == NRD_ERROR_INVALID_ARGUMENT &&
        says("2147483647 programs in x, each of 2 blocks"));
  CHECK(mixed(cuda(0), aligned) == NRD_OK && last_launch()->cooperative == -1);
  open_fake("libamdhip64.so");
  CHECK(together(hip(0), aligned, 10) == NRD_OK && last_launch()->cooperative == 1 &&
        last_launch()->grid[0] == 10);
  CHECK(together(hip(0), aligned, 5000) == NRD_ERROR_OUT_OF_RESOURCES && says("more than HIP device 0"));
  CHECK(twice(hip(0), aligned, aligned, 160) == NRD_OK && last_launch()->cooperative == -1);
}

const test_case cuda_call_cases[] = {{"cuda_choice", test_cuda_choice},
                                     {"cuda_packed", test_cuda_packed},
                                     {"cuda_tensor_maps", test_cuda_tensor_maps},
                                     {"cuda_tensor_map_threads", test_cuda_tensor_map_threads},
                                     {"cuda_old_driver", test_cuda_old_driver},
                                     {"cuda_errors", test_cuda_errors},
                                     {"cuda_special", test_cuda_special},
                                     {"cuda_forms", test_cuda_forms},
                                     {"cuda_turns", test_cuda_turns},
                                     {"cuda_small_grids", test_cuda_small_grids},
                                     {NULL, NULL}};
