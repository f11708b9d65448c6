nereid_unit_test(python_syntax_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/EncodingTest.cpp ${CMAKE_CURRENT_LIST_DIR}/LimitsTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/LiteralsTest.cpp ${CMAKE_CURRENT_LIST_DIR}/NewSyntaxTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/SourceRangeTest.cpp ${CMAKE_CURRENT_LIST_DIR}/SyntaxErrorTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/WalkTest.cpp
  LINK nereid_python_syntax)
