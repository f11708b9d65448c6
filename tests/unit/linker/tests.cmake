nereid_unit_test(linker_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/CNamesTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ConditionTest.cpp ${CMAKE_CURRENT_LIST_DIR}/DecisionTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/DispatchPlanTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/FatBinaryTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/GridExpressionTest.cpp ${CMAKE_CURRENT_LIST_DIR}/JsonDepthTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/StageArchiveTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/KernelObjectTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/LinkTest.cpp ${CMAKE_CURRENT_LIST_DIR}/OutputSetTest.cpp ${CMAKE_CURRENT_LIST_DIR}/SharesTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TritonNamesTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TuningDecisionTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TuningResultsTest.cpp
  LINK nereid_linker)
# LLVM's own tools say whether the files are what they claim to be.
target_compile_definitions(linker_test PRIVATE LLVM_TOOLS="${LLVM_TOOLS_BINARY_DIR}")
