// The packaged kernels, as the model calls them: kernels::product and so on, overloaded for the types of the
// model. A call that fails throws an nrd::error.
#ifndef KERNELS_H
#define KERNELS_H

#include "libraries.h" // written by CMake: all headers, and their functions in the namespace `kernels`

#include <stdexcept>

// Kernels whose variants differ in the size of heads, chosen by value.
#define CHOOSE_BY_HEAD(name, function)                                                                       \
  template <typename... Arguments> void name(int head, Arguments... arguments) {                             \
    if (head == 64)                                                                                          \
      kernels::function##_64(arguments...);                                                                  \
    else if (head == 128)                                                                                    \
      kernels::function##_128(arguments...);                                                                 \
    else                                                                                                     \
      throw std::invalid_argument("there are kernels for heads of 64 and 128 numbers alone");                \
  }
namespace kernels {
CHOOSE_BY_HEAD(rotate, rotate)
CHOOSE_BY_HEAD(promptAttention, prompt_attention)
CHOOSE_BY_HEAD(tokenAttention, token_attention)
CHOOSE_BY_HEAD(combine, combine)
} // namespace kernels
#undef CHOOSE_BY_HEAD

#endif
