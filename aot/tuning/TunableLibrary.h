// A library that is to be tuned: what its description says of its functions, and those functions once the
// library is open.
//
// Everything is known without opening it: `nereid tune` reads the description in one process, and runs the
// library's code in another, which a kernel may take down.
#ifndef NEREID_AOT_TUNING_TUNABLELIBRARY_H
#define NEREID_AOT_TUNING_TUNABLELIBRARY_H

#include "aot/tuning/TuningDevice.h"
#include "compiler/model/Specialization.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nereid {

/// An argument of the C function.
struct TunableArgument {
  enum class Kind { Pointer, Number, Text, DType, OptionalInteger, OptionalFloat };
  std::string name;
  /// As the description spells it, `*fp32`.
  std::string type;
  Kind kind = Kind::Number;
  /// Pointer, Number.
  ScalarKind element = ScalarKind::Int32;
  /// No variant writes through the pointer.
  bool isConst = false;
  /// Calls can choose by its value.
  bool isInteger() const { return kind == Kind::Number && nereid::isInteger(element); }
};

struct TunableVariant {
  std::string signature;
  /// What it is called in results, for each target that it has code for.
  std::map<std::string, std::string> names;
};

struct TunableFunction {
  std::string name, symbol;
  /// Of the library that it is in.
  std::string library;
  std::vector<TunableArgument> arguments;
  /// By their numbers.
  std::vector<TunableVariant> variants;
  bool hasGrid = true;

  bool hasCodeFor(Backend backend) const;
  const TunableArgument *findArgument(llvm::StringRef name) const;
};

/// The functions of a shared library that Nereid made.
llvm::Expected<std::vector<TunableFunction>> readTunableLibrary(llvm::StringRef path);

/// nrd_dim3 of the generated headers.
struct LibraryGrid {
  uint32_t x, y, z;
};

/// A function of an open library, as its _packed entries.
class OpenFunction {
public:
  static llvm::Expected<OpenFunction> open(void *library, const TunableFunction &function);

  /// Which variant a call runs, or whether the one of that number accepts it; and the target of its code.
  struct Choice {
    uint32_t number = UINT32_MAX;
    std::string target;
  };
  llvm::Expected<Choice> choose(LibraryStream stream, llvm::ArrayRef<const void *> arguments,
                                uint32_t number = UINT32_MAX) const;
  llvm::Error run(LibraryStream stream, uint32_t number, const LibraryGrid *grid,
                  llvm::ArrayRef<const void *> arguments) const;

private:
  OpenFunction() = default;

  int (*forcePacked)(LibraryStream, uint32_t, const LibraryGrid *, const void *const *) = nullptr;
  int (*choosePacked)(LibraryStream, const void *const *, uint32_t *, const char **) = nullptr;
  const char *(*lastError)() = nullptr;
};

} // namespace nereid

#endif // NEREID_AOT_TUNING_TUNABLELIBRARY_H
