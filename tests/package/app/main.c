/* Compares the libraries with plain C, for lengths that end on a block, inside of one, and before the first.
 */
#include "modes.h"
#include "scaling.h"
#include "sizes.h"
#include "vector_add.h"

#include <stdio.h>
#include <stdlib.h>

static int check(int32_t n, int skew) {
  size_t count = (size_t)n + 5;
  float *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y), *out = malloc(count * sizeof *out);
  int32_t i, wrong = 0;
  for (i = 0; i < (int32_t)count; ++i) {
    x[i] = (float)(i % 1000) - 500;
    y[i] = (float)(i % 77) / 8;
    out[i] = -1;
  }
  if (add_kernel(nrd_cpu_stream(), x + skew, y + skew, out + skew, n) != NRD_OK) {
    fprintf(stderr, "add_kernel: %s\n", vector_add_last_error());
    return 1;
  }
  if (scale_kernel(nrd_cpu_stream(), y, 0.5f, n) != NRD_OK) {
    fprintf(stderr, "scale_kernel: %s\n", scaling_last_error());
    return 1;
  }
  for (i = 0; i < (int32_t)count; ++i) {
    int inside = i >= skew && i < n + skew;
    float original = (float)(i % 77) / 8;
    wrong += out[i] != (inside ? x[i] + original + EXTRA : -1);
    wrong += y[i] != (i < n ? original * 0.5f : original);
  }
  printf("n = %d%s: %s\n", n, skew ? ", unaligned" : "", wrong ? "WRONG" : "right");
  free(x);
  free(y);
  free(out);
  return wrong != 0;
}

int main(void) {
  static const int32_t lengths[] = {0, 1, 1000, 98432, 1000001};
  int failed = 0;
  size_t i;
  float mode = 0;
  if (mode_kernel(nrd_cpu_stream(), &mode) != NRD_OK || mode != 1) {
    fprintf(stderr, "the signature's string did not arrive: %g\n", mode);
    ++failed;
  }
  if (chosen_size(nrd_cpu_stream(), &mode) != NRD_OK || mode != 2001) {
    fprintf(stderr, "the configuration and the definitions did not arrive: %g\n", mode);
    ++failed;
  }
  for (i = 0; i < sizeof lengths / sizeof *lengths; ++i)
    failed += check(lengths[i], 0) + check(lengths[i], 1);
  /* What a machine without drivers answers; one with drivers has no such stream. */
  if (add_kernel(nrd_cuda_stream(NULL), (float *)16, (float *)16, (float *)16, 16) == NRD_OK) {
    fprintf(stderr, "a launch without a CUDA context succeeded\n");
    ++failed;
  }
  vector_add_unload();
  scaling_unload();
  return failed != 0;
}
