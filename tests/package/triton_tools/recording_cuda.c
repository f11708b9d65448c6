/* libcuda that does nothing but print what it is asked for. RECORD_ARGUMENTS has a letter for each argument
 * of the kernels that are launched: p or l (8 bytes), i (4), h (2), b (1), f and d (floating point).
 * RECORD_FAILURE names a function that fails with 700. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int loaded;

static int result_of(const char *function) {
  const char *failing = getenv("RECORD_FAILURE");
  return failing && !strcmp(failing, function) ? 700 : 0;
}

int cuModuleLoadData(void **module, const void *image) {
  printf("  cuModuleLoadData %s\n", memcmp(image, "\177ELF", 4) ? "text" : "ELF");
  *module = (void *)(intptr_t)++loaded;
  return result_of("cuModuleLoadData");
}
int cuModuleUnload(void *module) {
  printf("  cuModuleUnload %d\n", (int)(intptr_t)module);
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  printf("  cuModuleGetFunction %d %s\n", (int)(intptr_t)module,
         strncmp(name, "kernel", 6) ? name : "kernel");
  *function = module;
  return result_of("cuModuleGetFunction");
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  printf("  cuFuncSetAttribute %d %d %s\n", (int)(intptr_t)function, attribute,
         value > 48 << 10 ? "above 48 KiB" : "?");
  return result_of("cuFuncSetAttribute");
}
int cuFuncSetCacheConfig(void *function, int config) {
  printf("  cuFuncSetCacheConfig %d %d\n", (int)(intptr_t)function, config);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  printf("  cuDeviceGetAttribute %d %d\n", attribute, device);
  *value = 232448;
  return 0;
}
int cuGetErrorString(int code, const char **text) {
  *text = "an error";
  return code == 0;
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
  const char *letters = getenv("RECORD_ARGUMENTS");
  printf("  cuLaunchKernel %d grid %u %u %u block %u %u %u shared %u stream %p%s:", (int)(intptr_t)function,
         x, y, z, bx, by, bz, shared, stream, extra ? " extra" : "");
  for (; letters && *letters; ++letters, ++arguments) {
    unsigned char bytes[8] = {0};
    float single;
    double real;
    uint64_t number;
    size_t size = strchr("pld", *letters) ? 8 : strchr("if", *letters) ? 4 : *letters == 'h' ? 2 : 1;
    memcpy(bytes, *arguments, size);
    memcpy(&single, bytes, sizeof single);
    memcpy(&real, bytes, sizeof real);
    memcpy(&number, bytes, sizeof number);
    if (*letters == 'f')
      printf(" %g", single);
    else if (*letters == 'd')
      printf(" %g", real);
    else
      printf(" %" PRIx64, number);
  }
  printf("\n");
  return result_of("cuLaunchKernel");
}
