// How the frontend stops: an exception, thrown where the program makes no sense and caught once, by the entry
// functions, which turn it into one error with notes.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_REFUSAL_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_REFUSAL_H

#include "llvm/Support/SMLoc.h"

#include <string>
#include <vector>

namespace nereid::triton_c {

struct Refusal {
  struct Note {
    llvm::SMRange range;
    std::string message;
  };
  llvm::SMRange range;
  std::string message;
  std::vector<Note> notes = {};
};

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_REFUSAL_H
