nereid_unit_test(lowering_cpu_test MLIR
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/KernelRunner.cpp
          ${CMAKE_CURRENT_LIST_DIR}/AssertionTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ControlFlowTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/DeviceLibraryTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/DoubleMathTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ElementwiseTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/MemoryTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ReductionTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ShapeTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/VectorMathTest.cpp
  LINK nereid_lowering_cpu)
