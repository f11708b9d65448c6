# Has a nereid that was just linked write its manual page and the shells' completions, to be installed with it.
#
#   cmake -DNEREID=… -DOUTPUT=folder -P WriteCommandLineTexts.cmake
file(MAKE_DIRECTORY "${OUTPUT}")
foreach(shell bash zsh fish)
  execute_process(COMMAND "${NEREID}" completion ${shell} OUTPUT_FILE "${OUTPUT}/nereid.${shell}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND "${NEREID}" manual COMMAND gzip -9n OUTPUT_FILE "${OUTPUT}/nereid.1.gz" COMMAND_ERROR_IS_FATAL ANY)
