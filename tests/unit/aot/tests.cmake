nereid_unit_test(aot_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/AnnotationsTest.cpp ${CMAKE_CURRENT_LIST_DIR}/CompileCacheTest.cpp ${CMAKE_CURRENT_LIST_DIR}/MachineCodeTextTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ManifestTest.cpp ${CMAKE_CURRENT_LIST_DIR}/NpyTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/OutputFileTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TargetSettingsTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TuningCasesTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TuningDeviceTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TuningTensorsTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ResultsFileTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TuningPageTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/TuningPlanTest.cpp ${CMAKE_CURRENT_LIST_DIR}/WorkerProcessTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/WaitingProgramsTest.cpp ${CMAKE_CURRENT_LIST_DIR}/CompilerLauncherTest.cpp ${CMAKE_CURRENT_LIST_DIR}/MachineTest.cpp
          ${CMAKE_CURRENT_LIST_DIR}/ProgressTest.cpp ${CMAKE_CURRENT_LIST_DIR}/ShardTest.cpp
  LINK nereid_aot)
