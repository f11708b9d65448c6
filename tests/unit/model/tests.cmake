nereid_unit_test(model_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/SignatureListsTest.cpp ${CMAKE_CURRENT_LIST_DIR}/SignatureTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/TargetTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/DiagnosticsTest.cpp ${CMAKE_CURRENT_LIST_DIR}/FilesReadTest.cpp
  LINK nereid_model)
