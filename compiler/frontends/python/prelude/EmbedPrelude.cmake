# Writes files of prelude/ as one C++ string:
# cmake -DOUTPUT=… -DFUNCTION=getPreludeText -DINPUTS=a.py;b.py -P EmbedPrelude.cmake
#
# A string literal has a length limit in some compilers, so each file is a literal of its own.
set(text "// Generated from prelude/*.py.\n#include \"compiler/frontends/python/prelude/Prelude.h\"\n\n")
string(APPEND text "std::string nereid::python::${FUNCTION}() {\n  std::string text;\n")
foreach(input ${INPUTS})
  file(READ "${input}" content)
  string(APPEND text "  text += R\"PRELUDE(${content})PRELUDE\";\n")
endforeach()
string(APPEND text "  return text;\n}\n")
file(WRITE "${OUTPUT}" "${text}")
