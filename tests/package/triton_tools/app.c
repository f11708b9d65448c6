/* A program for kernels linked as `matmul_fp16`: what is called here exists, with these types, whichever
 * tools made them. Prints every result. */
#include "matmul.h"

#include <stdint.h>
#include <stdio.h>

int main(void) {
  CUstream stream = (CUstream)(uintptr_t)0x5000;
  CUdeviceptr c = 0x10000, a = 0x20000, b = 0x30000;
  CUresult (*call)(CUstream, CUdeviceptr, CUdeviceptr, CUdeviceptr, int32_t, int32_t, int32_t, int32_t,
                   int32_t, int32_t, int32_t, int32_t, int32_t, int) = matmul_fp16;
  int count = matmul_fp16_get_num_algos();
  printf("%d algorithms\n", count);
  load_matmul_fp16();
  printf("default: %d\n", (int)matmul_fp16_default(stream, c, a, b, 64, 96, 128, 96, 1, 128, 1, 96, 1));
  for (int id = 0; id < count; ++id) {
    printf("%d, both divisible: %d\n", id, (int)call(stream, c, a, b, 64, 96, 128, 96, 1, 128, 1, 96, 1, id));
    printf("%d, the first: %d\n", id, (int)call(stream, c, a, b, 64, 96, 128, 96, 1, 128, 1, 97, 1, id));
    printf("%d, the second: %d\n", id, (int)call(stream, c, a, b, 64, 96, 128, 96, 1, 129, 1, 96, 1, id));
    printf("%d, none: %d\n", id, (int)call(stream, c, a, b, 64, 96, 128, 96, 1, 129, 1, 97, 1, id));
    printf("%d, a stride that is not 1: %d\n", id,
           (int)call(stream, c, a, b, 64, 96, 128, 96, 2, 128, 1, 96, 1, id));
    printf("%d, a pointer that is not divisible: %d\n", id,
           (int)call(stream, c, a + 2, b, 64, 96, 128, 96, 1, 128, 1, 96, 1, id));
  }
  unload_matmul_fp16();
  return 0;
}
