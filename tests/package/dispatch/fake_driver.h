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
  void *argument;             /* the first one, a pointer in every kernel */
  fake_map maps[4];           /* of the kernel "tiles" on 9.0, behind three arguments */
  void *scratch;              /* of the kernel "scratch", behind two arguments */
  unsigned char packed[64];   /* all arguments, if they came in one piece */
  unsigned long packed_bytes; /* of those; 0 if they came one by one */
  int cooperative, overlaps, cluster,
      spread;  /* the attributes of cuLaunchKernelEx; -1 where it was not called */
  int current; /* the context or device that was current, -1 for none */
} fake_launch;

typedef struct fake_state {
  /* Set by tests. */
  int init_result;
  int launch_result; /* returned by the next launch, once */
  int load_result;
  const char *bad_image;   /* images that begin so cannot be loaded; null for none */
  int load_waits;          /* atomic: loads do not return before this is 0; they count themselves in */
  int waiting_context;     /* the only context whose loads wait, plus one; 0 for all */
  int launch_waits;        /* atomic: the same for launches */
  int gate[FAKE_CONTEXTS]; /* atomic: the same for launches of one context */
  const char *failing;     /* the driver's function that fails; null for none */
  int failing_with;
  const char *name;              /* of all devices; null for names of their own */
  int wants_current;             /* launches fail with this, if the context of the function is not current */
  int context_id[FAKE_CONTEXTS]; /* atomic */
  int streams_moved;             /* atomic: stream N is of context N plus this */
  int max_shared;
  int device_count;
  int capability[FAKE_CONTEXTS];   /* 90 for 9.0 */
  const char *arch[FAKE_CONTEXTS]; /* HIP */
  /* Seen by tests. */
  int launches, loads, unloads, context_depth, encodings;
  int wrong_maps; /* launches whose maps are not all of their argument */
  int stale;      /* launches of a function that was, or came to be, unloaded, or of a dead context */
  int inits;
  int retained;                          /* primary contexts */
  int queries;                           /* whose stream is this? */
  int functions;                         /* kernels that were loaded into a context */
  void *scratch_memory, *scratch_stream; /* the last that was allocated for a launch */
  unsigned long scratch_bytes;           /* 0 once it was given back */
  int scratch_pool, pools, destroyed_pools;
  fake_launch launch[FAKE_LAUNCHES]; /* the last ones, at launches % FAKE_LAUNCHES */
} fake_state;

#endif
