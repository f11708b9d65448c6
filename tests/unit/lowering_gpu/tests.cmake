# What runs lowered kernels on the host is shared with the conformance tests.
nereid_library(nereid_emulated_block MLIR
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/EmulatedBlock.cpp ${CMAKE_CURRENT_LIST_DIR}/EmulatedThreads.cpp
          ${CMAKE_CURRENT_LIST_DIR}/EmulatedMemory.cpp ${CMAKE_CURRENT_LIST_DIR}/EmulatedTiles.cpp
          ${CMAKE_CURRENT_LIST_DIR}/EmulatedMatrixUnit.cpp ${CMAKE_CURRENT_LIST_DIR}/HostLowering.cpp
  LINK nereid_lowering_gpu nereid_linker nereid_transforms nereid_dialect_ttng nereid_dialect_ttg nereid_dialect_tt)

nereid_unit_test(lowering_gpu_test MLIR
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/LoadStoreTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ReduceTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ConvertLayoutTest.cpp ${CMAKE_CURRENT_LIST_DIR}/WholeKernelTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ScanTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ElementwiseTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/GatherTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ProductTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/AccessOrderTest.cpp ${CMAKE_CURRENT_LIST_DIR}/SharedMemoryTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TensorMapTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ClusterTest.cpp
  LINK nereid_emulated_block)
