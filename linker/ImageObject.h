// The relocatable ELF object with a library's images: GPU binaries as data, CPU code as code.
//
// Writing the object here, rather than generating assembler text, means that `nereid link --source` needs no
// assembler and that a project needs no assembler language: it compiles one C file and adds one object.
#ifndef NEREID_LINKER_IMAGEOBJECT_H
#define NEREID_LINKER_IMAGEOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid {

/// A read-only section of data.
struct DataSection {
  std::string name;
  uint64_t alignment = 1;
  std::string bytes;
  /// Global symbols in it, hidden from other libraries.
  struct Symbol {
    std::string name;
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  std::vector<Symbol> symbols;
  /// Whether a program has it in memory.
  bool isLoaded = true;

  /// Adds bytes, aligned, and a symbol for them.
  void append(llvm::StringRef symbol, llvm::StringRef contents);
};

/// The bytes of an ELF object for the machine (EM_X86_64, …) with these sections.
std::string writeDataObject(llvm::ArrayRef<DataSection> sections, uint16_t machine);

/// An ELF object of CPU code, and the name its entry point should have in the library.
struct CodeObject {
  llvm::StringRef bytes;
  std::string symbol;
  std::string newSymbol;
  /// What it calls instead of sched_yield in loops that wait for other programs.
  std::string yieldSymbol;
  /// For messages.
  std::string description;
};

/// EM_X86_64 and so on, if the bytes are a 64-bit relocatable ELF object.
llvm::Expected<uint16_t> getMachine(const CodeObject &object);

/// What a program that is linked with an object has in memory of it, in bytes.
uint64_t countLoadedBytes(llvm::StringRef object);

/// Renames the entry point and hides it; makes every other symbol that the object defines local to it, so
/// that two variants of a kernel can be in one library. Calls of sched_yield become calls of the library's
/// own.
llvm::Expected<std::string> isolateCodeObject(const CodeObject &object);

/// Merges relocatable objects, each the contents of a file, into one.
llvm::Expected<std::string> mergeObjects(llvm::ArrayRef<std::string> objects);

} // namespace nereid

#endif // NEREID_LINKER_IMAGEOBJECT_H
