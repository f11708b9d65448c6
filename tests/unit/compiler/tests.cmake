nereid_unit_test(compiler_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/SignatureTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TargetTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/DiagnosticsTest.cpp
  LINK nereid_specialization nereid_diagnostics)

# compile() and what it is made of, which need all of the compiler.
nereid_unit_test(compile_test MLIR
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/CompileTest.cpp ${CMAKE_CURRENT_LIST_DIR}/CrashGuardTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/MLIRDiagnosticBridgeTest.cpp
  LINK nereid_compiler)
