nereid_unit_test(layouts_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/F2Test.cpp ${CMAKE_CURRENT_LIST_DIR}/LinearLayoutTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ConversionPlanTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ReductionPlanTest.cpp
  LINK nereid_layouts)
