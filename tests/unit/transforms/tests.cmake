nereid_unit_test(transforms_test MLIR
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/AxisInfoTest.cpp ${CMAKE_CURRENT_LIST_DIR}/EncodingToLinearLayoutTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ReadOnlyArgumentsTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ThreadProductsTest.cpp
  LINK nereid_transforms)
