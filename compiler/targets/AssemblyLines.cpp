// LLVM names files in three ways: `.file 1 "add.py"`, with a folder of its own in front (`.file 1 "/src"
// "add.py"`), and with a checksum behind. PTX says where an inlined line was called (`inlined_at 1 9 3`);
// elsewhere a comment does (`@[ add.py:9:3 ]`).
#include "compiler/targets/AssemblyLines.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;

namespace nereid {

namespace {

class Reader {
public:
  explicit Reader(StageRecord &record) : record(record) {}

  void read() {
    SmallVector<StringRef> lines;
    StringRef(record.text).split(lines, '\n');
    if (!lines.empty() && lines.back().empty())
      lines.pop_back();
    // PTX names files behind the code.
    for (StringRef line : lines)
      if (StringRef rest = line.trim(); rest.consume_front(".file"))
        readFile(rest);
    std::string text;
    unsigned number = 0;
    for (StringRef line : lines) {
      if (isLineTable(line.trim()))
        continue;
      text += line.str() + '\n';
      ++number;
      for (const Place &place : current)
        record.map.add(number, place.file, place.line);
    }
    record.text = std::move(text);
  }

private:
  struct Place {
    std::string file;
    unsigned line = 0;
  };

  static std::vector<std::string> readQuoted(StringRef text) {
    std::vector<std::string> strings;
    while (true) {
      text = text.drop_until([](char c) { return c == '"'; });
      if (!text.consume_front("\""))
        return strings;
      std::string string;
      while (!text.empty() && text.front() != '"') {
        if (text.front() == '\\' && text.size() > 1)
          text = text.drop_front();
        string += text.front();
        text = text.drop_front();
      }
      text = text.drop_front(text.empty() ? 0 : 1);
      strings.push_back(std::move(string));
    }
  }

  void readFile(StringRef rest) {
    rest = rest.ltrim();
    unsigned number = 0;
    if (rest.consumeInteger(10, number))
      return;
    std::vector<std::string> names = readQuoted(rest.split(" md5 ").first);
    if (names.empty())
      return;
    std::string name = names.back();
    if (names.size() > 1 && !names.front().empty() && !StringRef(name).starts_with("/"))
      name = names.front() + "/" + name;
    files[number] = std::move(name);
  }

  /// `1 9 26`
  void addPlace(StringRef text) {
    unsigned file = 0, line = 0;
    text = text.ltrim();
    if (text.consumeInteger(10, file))
      return;
    text = text.ltrim();
    if (text.consumeInteger(10, line))
      return;
    if (auto found = files.find(file); found != files.end() && line)
      current.push_back({found->second, line});
  }

  void readLocation(StringRef rest) {
    current.clear();
    addPlace(rest);
    if (size_t at = rest.find("inlined_at"); at != StringRef::npos)
      addPlace(rest.substr(at + strlen("inlined_at")));
    for (size_t at = rest.find("@[ "); at != StringRef::npos; at = rest.find("@[ ", at + 1)) {
      // add.py:9:3 ] or, where that was inlined in turn, add.py:9:3 @[ add.py:20:5 ] ]
      StringRef call = rest.substr(at + 3);
      call = call.take_front(std::min(call.find(" @["), call.find(" ]")));
      auto [path, line] = call.rsplit(':').first.rsplit(':');
      unsigned number = 0;
      if (!line.getAsInteger(10, number) && number)
        current.push_back({path.str(), number});
    }
  }

  /// Whether a line is there for the sake of line tables alone, or begins or ends their sections.
  bool isLineTable(StringRef line) {
    if (line.starts_with(".section") || line == ".text" || line.starts_with(".amdgpu_metadata")) {
      inTables = StringRef(line).contains(".debug_");
      if (inTables)
        current.clear();
      return inTables;
    }
    if (inTables) {
      // PTX puts a section in braces.
      return true;
    }
    if (line.consume_front(".loc\t") || line.consume_front(".loc ")) {
      readLocation(line);
      return true;
    }
    if (line.starts_with(".Lfunc_end") || line == "}")
      current.clear();
    if (line.starts_with(".file") || line.starts_with(".cfi_"))
      return true;
    StringRef label = line;
    return (label.consume_front(".Ltmp") || label.consume_front("$L__tmp")) &&
           label.drop_while(isDigit).starts_with(":");
  }

  StageRecord &record;
  std::map<unsigned, std::string> files;
  std::vector<Place> current;
  bool inTables = false;
};

} // namespace

void takeLineTables(StageRecord &record) { Reader(record).read(); }

} // namespace nereid
