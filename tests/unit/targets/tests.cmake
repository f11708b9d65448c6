nereid_unit_test(targets_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/Generated.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/CompareAgainTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/DropMaskedBitsTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/GenerateTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/LocalArraysTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/LoopFormsTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/LoopLoadsTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/MachineCodeTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/OrderForRegistersTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/PaceLoadsTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/PtxasChoicesTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/PtxasWaitsTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/ShareAddressesTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/SinkIntoLoopsTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/SkipFormulasTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/StoresOfOneThreadTest.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/WarpTimeTest.cpp LINK nereid_targets nereid_model)
