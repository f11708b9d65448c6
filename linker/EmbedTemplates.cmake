# Writes OUTPUT, an initializer list with the name and the text of every file in TEMPLATES (run with cmake -P).
set(text "")
foreach(file ${TEMPLATES})
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "\\.in$" "" name ${name})
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"template(${content})template\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
