# Links no MLIR: evaluation does without.
nereid_unit_test(python_evaluation_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/EvaluateSource.cpp ${CMAKE_CURRENT_LIST_DIR}/ExpressionTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/StatementTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ModuleTest.cpp
  LINK nereid_python_modules)
