/* What the CPU back end would make of `twice`: y = x * 2, programs of 64 elements, the first of
 * which is asserted not to be negative. LEVEL is 2, 3 or 4 for the
 * x86-64 level that this stands for; it is left in y[n] so that a test sees which code ran. */
#include "failure.h"

#include <stdint.h>
#include <string.h>

void twice(void *const *arguments, const uint32_t *grid, uint64_t first, uint64_t last, void *scratch,
           failure *record) {
  const float *x = *(const float *const *)arguments[0];
  float *y = *(float *const *)arguments[1];
  /* The variant for n == 1 is not passed n; there is no telling from here, so the tests use another n on the
   * CPU. */
  int32_t n = *(const int32_t *)arguments[2];
  float *block = (float *)scratch;
  uint64_t program;
  for (program = first; program != last; ++program) {
    int64_t start = (int64_t)program * 64, i;
    int64_t count = n - start < 64 ? n - start : 64;
    if (has_failed(record))
      return;
    if (count > 0 && x[start] < 0) {
      fail(record, program, "not negative");
      return;
    }
    if (program >= (uint64_t)grid[0] * grid[1] * grid[2])
      continue;
    memcpy(block, x + start, (size_t)count * sizeof *block);
    for (i = 0; i < count; ++i)
      y[start + i] = block[i] * 2;
    if (start + count == n)
      y[n] = LEVEL;
  }
}
