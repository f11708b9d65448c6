nereid_unit_test(dialects_test MLIR
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/TTOpsTest.cpp ${CMAKE_CURRENT_LIST_DIR}/BlockedLayoutTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/MatrixLayoutTest.cpp
  LINK nereid_dialect_ttg nereid_dialect_tt MLIR LLVM)
