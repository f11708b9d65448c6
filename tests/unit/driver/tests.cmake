# compile() and what it is made of, which need all of the compiler.
nereid_unit_test(driver_test MLIR
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/CompileTest.cpp ${CMAKE_CURRENT_LIST_DIR}/CrashGuardTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/MLIRDiagnosticBridgeTest.cpp ${CMAKE_CURRENT_LIST_DIR}/RunPassesTest.cpp
  LINK nereid_compiler)
