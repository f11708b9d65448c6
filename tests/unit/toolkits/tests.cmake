nereid_unit_test(toolkits_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/RunToolTest.cpp
  LINK nereid_toolkits)
