nereid_unit_test(nereid_frontend_triton_c_test MLIR
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/EmitTritonC.cpp
          ${CMAKE_CURRENT_LIST_DIR}/TritonCEmissionTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/TritonCErrorTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/TritonCParametersTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/TritonCLimitsTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/SameIRTest.cpp
  LINK nereid_compiler)
