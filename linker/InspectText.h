// What `nereid inspect` prints for people, of the JSON that it has for programs.
#ifndef NEREID_LINKER_INSPECTTEXT_H
#define NEREID_LINKER_INSPECTTEXT_H

#include "nlohmann/json.hpp"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace nereid {

void printKernelObject(llvm::raw_ostream &os, const nlohmann::ordered_json &object);
void printLibrary(llvm::raw_ostream &os, const nlohmann::ordered_json &library);

/// The table of sizes by kernel and target of either.
void printSizes(llvm::raw_ostream &os, const nlohmann::ordered_json &part, unsigned indent);

} // namespace nereid

#endif // NEREID_LINKER_INSPECTTEXT_H
