// The packaged kernels, as the model calls them.
#ifndef KERNELS_H
#define KERNELS_H

#include "libraries.h" // written by CMake: all headers, and the functions that tell what failed

#include <cstdio>
#include <cstdlib>

// Ends the program if a call failed. Every library remembers its own last failure; there is one, as this is
// the first.
inline void check(nrd_status status) {
  if (status == NRD_OK)
    return;
  for (const char *(*lastError)() : lastErrors)
    if (*lastError())
      std::fprintf(stderr, "%s\n", lastError());
  std::exit(1);
}

// Kernels whose variants differ in the size of heads, chosen by value.
#define CHOOSE_BY_HEAD(name, function)                                                                       \
  template <typename... Arguments> nrd_status name(int head, Arguments... arguments) {                       \
    if (head == 64)                                                                                          \
      return function##_64(arguments...);                                                                    \
    if (head == 128)                                                                                         \
      return function##_128(arguments...);                                                                   \
    std::fprintf(stderr, "there are no kernels for heads of %d numbers, only for 64 and 128\n", head);       \
    std::exit(2);                                                                                            \
  }
CHOOSE_BY_HEAD(rotate, rotate)
CHOOSE_BY_HEAD(promptAttention, prompt_attention)
CHOOSE_BY_HEAD(tokenAttention, token_attention)
CHOOSE_BY_HEAD(combine, combine)
#undef CHOOSE_BY_HEAD

#endif
