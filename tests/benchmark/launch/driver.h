/* The functions of libcuda.so.1 that the programs here need, so that they compile without CUDA and start
 * without a driver. */
#ifndef LAUNCH_DRIVER_H
#define LAUNCH_DRIVER_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER_FUNCTIONS(F)                                                                                  \
  F(init, "cuInit", (unsigned))                                                                              \
  F(get_version, "cuDriverGetVersion", (int *))                                                              \
  F(get_device, "cuDeviceGet", (int *, int))                                                                 \
  F(get_device_count, "cuDeviceGetCount", (int *))                                                           \
  F(retain_primary, "cuDevicePrimaryCtxRetain", (void **, int))                                              \
  F(reset_primary, "cuDevicePrimaryCtxReset_v2", (int))                                                      \
  F(create_context, "cuCtxCreate_v2", (void **, unsigned, int))                                              \
  F(destroy_context, "cuCtxDestroy_v2", (void *))                                                            \
  F(set_current, "cuCtxSetCurrent", (void *))                                                                \
  F(get_current, "cuCtxGetCurrent", (void **))                                                               \
  F(synchronize, "cuCtxSynchronize", (void))                                                                 \
  F(create_stream, "cuStreamCreate", (void **, unsigned))                                                    \
  F(destroy_stream, "cuStreamDestroy_v2", (void *))                                                          \
  F(wait_for_stream, "cuStreamSynchronize", (void *))                                                        \
  F(query_stream, "cuStreamQuery", (void *))                                                                 \
  F(begin_capture, "cuStreamBeginCapture_v2", (void *, int))                                                 \
  F(end_capture, "cuStreamEndCapture", (void *, void **))                                                    \
  F(make_graph, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long))                        \
  F(launch_graph, "cuGraphLaunch", (void *, void *))                                                         \
  F(destroy_graph, "cuGraphExecDestroy", (void *))                                                           \
  F(allocate, "cuMemAlloc_v2", (uint64_t *, size_t))                                                         \
  F(release, "cuMemFree_v2", (uint64_t))                                                                     \
  F(set_memory, "cuMemsetD32_v2", (uint64_t, unsigned, size_t))                                              \
  F(copy_to_host, "cuMemcpyDtoH_v2", (void *, uint64_t, size_t))                                             \
  F(get_memory, "cuMemGetInfo_v2", (size_t *, size_t *))                                                     \
  F(load_module, "cuModuleLoadData", (void **, const void *))                                                \
  F(get_function, "cuModuleGetFunction", (void **, void *, const char *))                                    \
  F(can_access_peer, "cuDeviceCanAccessPeer", (int *, int, int))                                             \
  F(enable_peer, "cuCtxEnablePeerAccess", (void *, unsigned))                                                \
  F(create_event, "cuEventCreate", (void **, unsigned))                                                      \
  F(record_event, "cuEventRecord", (void *, void *))                                                         \
  F(destroy_event, "cuEventDestroy_v2", (void *))                                                            \
  F(wait_for_event, "cuStreamWaitEvent", (void *, void *, unsigned))                                         \
  F(launch, "cuLaunchKernel",                                                                                \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,          \
     void **))

#define DRIVER_MEMBER(member, name, arguments) int(*member) arguments;
static struct driver {
  DRIVER_FUNCTIONS(DRIVER_MEMBER)
} driver;

static void open_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
#define DRIVER_LOOK_UP(member, name, arguments)                                                              \
  symbol = dlsym(library, name);                                                                             \
  if (!symbol)                                                                                               \
    fprintf(stderr, "no %s\n", name);                                                                        \
  memcpy(&driver.member, &symbol, sizeof symbol);
  DRIVER_FUNCTIONS(DRIVER_LOOK_UP)
  if (driver.init(0)) {
    fprintf(stderr, "the driver does not start\n");
    exit(1);
  }
}

#endif
