/* A C program that an installed Nereid builds a kernel for: it calls the kernel and checks the sums. */
#include <stdio.h>
#include <vector_add.h>

int main(void) {
  float x[3] = {1, 2, 3}, y[3] = {10, 20, 30}, out[3] = {0, 0, 0};
  if (add_kernel(nrd_cpu_stream(), x, y, out, 3) != NRD_OK) {
    fprintf(stderr, "%s\n", vector_add_last_error());
    return 1;
  }
  return out[0] != 13 || out[1] != 24 || out[2] != 35;
}
