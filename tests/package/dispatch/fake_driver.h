/* How the tests steer the fake drivers and see what was asked of them. Both fakes are libraries with the real
 * ones' names and functions, as far as generated code uses them; tests reach the state below through
 * dlsym("fake_state"). */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#define FAKE_CONTEXTS 4
#define FAKE_LAUNCHES 64
#define FAKE_AXES 5

/* What the fake cuTensorMapEncodeTiled writes: what it was given. */
typedef struct fake_map {
  signed char type, rank, interleave, swizzle, promotion, fill;
  unsigned char box[FAKE_AXES]; /* 0 for 256 */
  void *base;
  unsigned long long sizes[FAKE_AXES], pitches[FAKE_AXES - 1];
} fake_map;

typedef struct fake_launch {
  char image[200]; /* the first bytes of the module that the function is of */
  char symbol[64];
  int context;
  unsigned grid[3], block, shared;
  void *stream;
  void *argument;   /* the first one, a pointer in every kernel */
  fake_map maps[4]; /* of the kernel "tiles" on 9.0, behind three arguments */
} fake_launch;

typedef struct fake_state {
  /* Set by tests. */
  int init_result;
  int launch_result; /* returned by the next launch, once */
  int load_result;
  const char *bad_image; /* images that begin so cannot be loaded; null for none */
  int load_waits;        /* atomic: loads do not return before this is 0; they count themselves in */
  int max_shared;
  int device_count;
  int capability[FAKE_CONTEXTS];   /* 90 for 9.0 */
  const char *arch[FAKE_CONTEXTS]; /* HIP */
  /* Seen by tests. */
  int launches, loads, unloads, context_depth, encodings;
  int wrong_maps;                    /* launches whose maps are not all of their argument */
  fake_launch launch[FAKE_LAUNCHES]; /* the last ones, at launches % FAKE_LAUNCHES */
} fake_state;

#endif
