nereid_unit_test(triton_c_syntax_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/ReadSource.cpp
          ${CMAKE_CURRENT_LIST_DIR}/LexerTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ParserTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/PreprocessorTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/SyntaxLimitsTest.cpp
  LINK nereid_triton_c_syntax)
