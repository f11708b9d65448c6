nereid_unit_test(nereid_frontend_python_test MLIR
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/EmitSource.cpp
          ${CMAKE_CURRENT_LIST_DIR}/EmissionTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/CallErrorTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ExpressionErrorTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/StatementErrorTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/LanguageTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/GuessesTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/HostFactsTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/KernelArgumentsTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/LibdeviceTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/MemoryTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/PlainPythonTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/TargetBuiltinsTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/TypePromotionTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/WorkLimitTest.cpp
  LINK nereid_frontend_python)
