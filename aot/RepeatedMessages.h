// Messages that several variants have in common, each shown once, with how many variants it concerns.
//
// What a kernel's file is warned of is the same for all signatures that it is compiled under. One command
// that compiles many sees that by itself. CMake has a command for each signature, so those leave their
// warnings in a file beside the kernel object, and the command that links shows them all together.
#ifndef NEREID_AOT_REPEATEDMESSAGES_H
#define NEREID_AOT_REPEATEDMESSAGES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace nereid {

class RepeatedMessages {
public:
  /// A variant that there is, whatever is said of it.
  void addVariant(llvm::StringRef variant) { variants.add(variant); }
  /// Messages with their notes, one after the other as they were printed, and the variant that they concern.
  void add(llvm::StringRef texts, llvm::StringRef variant);

  /// The same for all variants that there are.
  void addForAll(llvm::StringRef texts);

  bool isEmpty() const { return messages.empty(); }
  /// Each message once, in the order in which they came first. Warnings that concern several variants have
  /// a note that says so.
  void print(llvm::raw_ostream &os) const;

  /// As a file has them.
  std::string serialize() const;
  /// Adds those of a file.
  llvm::Error read(llvm::StringRef path);

private:
  /// In the order in which they came, each once.
  struct Names {
    std::vector<std::string> list;
    llvm::StringSet<> known;
    void add(llvm::StringRef name) {
      if (known.insert(name).second)
        list.push_back(name.str());
    }
  };
  struct Message {
    std::string text;
    Names variants;
  };
  Names &variantsOf(llvm::StringRef text);

  Names variants;
  std::vector<Message> messages;
  llvm::StringMap<size_t> places;
};

/// The file with the warnings of a kernel object.
std::string getWarningsFile(llvm::StringRef kernelObject);

} // namespace nereid

#endif // NEREID_AOT_REPEATEDMESSAGES_H
