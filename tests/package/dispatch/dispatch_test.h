/* What the cases of dispatch_test.c share. */
#ifndef DISPATCH_TEST_H
#define DISPATCH_TEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fake_driver.h"
#include "synthetic.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef HAS_LIBRARIES
#define HAS_LIBRARIES 0 /* or modules */
#endif

/* The program exports what the library takes from it, and nothing else: the fake drivers have names of their
 * own. */
#pragma GCC visibility push(hidden)

extern int failures;
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: not true: %s\n    last error: %s\n", __FILE__, __LINE__, #condition,           \
              synthetic_last_error());                                                                       \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (0)

/* A list of them ends with null. */
typedef struct test_case {
  const char *name;
  void (*run)(void);
} test_case;

/* A copy of the library, to be opened and closed. */
extern const char *library_path;
/* For missing_functions.sh: which function of a driver is not there, and if that matters. */
extern const char *missing;
extern int is_required;

/* Whether the last message has these words. */
int says(const char *words);

/* The driver that was opened last. */
extern fake_state *fake;
void open_fake(const char *name);
const fake_launch *last_launch(void);
/* Whether that was of an image that begins so. */
int ran(const char *image);
/* Devices that no call can tell apart. */
void make_devices_alike(void);

/* Addresses that are only passed along: divisible by 16, and by 4 alone. */
extern float *const aligned, *const unaligned;
nrd_stream cuda(int context);
nrd_stream hip(int device);

/* Whether a call on the CPU writes what it should. */
int twice_is_right(int32_t n);

/* x[0] counts programs in, and x[1] lets them go. */
extern int32_t held[2];
/* Calls synthetic_hold, or what `function` points to, on a thread; returns once every thread that can hold a
 * program does. */
pthread_t start_holding(void *function);

/* Runs so many threads, of which each returns null if all went well; `argument` is null for their numbers. */
void start_threads(pthread_t *threads, int count, void *(*run)(void *), void *argument);
void join_threads(pthread_t *threads, int count);

/* Has a child run this and end. */
int child_succeeds(int (*run)(void));

/* A call that waits in a load, for a thread. */
void *load_slowly(void *unused);

/* Has each of a driver's functions fail, one at a time: what it is for is in the message, and nothing is
 * lost. */
typedef struct failing_call {
  const char *function, *message; /* null: the call succeeds all the same */
} failing_call;
void test_failing_calls(const failing_call *calls, size_t count, nrd_stream stream);

#pragma GCC visibility pop

#endif
