// With `-gi` nvdisasm says of an inlined instruction where the call stands, too, line by line:
//
//     //## File "helper.py", line 4 inlined at "add.py", line 9
//     //## File "add.py", line 9
#include "aot/MachineCodeText.h"

#include "toolkits/RunTool.h"
#include "toolkits/ToolMemory.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace nereid {

ArchivedStage readDisassembly(StringRef text) {
  ArchivedStage stage;
  stage.name = "sass";
  std::vector<std::pair<std::string, unsigned>> places;
  bool beginsPlaces = true;
  unsigned number = 0;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  if (!lines.empty() && lines.back().empty())
    lines.pop_back();
  for (StringRef line : lines) {
    StringRef rest = line.trim();
    if (rest.consume_front("//## File \"")) {
      if (std::exchange(beginsPlaces, false))
        places.clear();
      auto [path, behind] = rest.split("\", line ");
      unsigned place = 0;
      if (!behind.consumeInteger(10, place))
        places.push_back({path.str(), place});
      continue;
    }
    beginsPlaces = true;
    // Sections begin without a place.
    if (rest.starts_with(".section") || rest.starts_with("//-----"))
      places.clear();
    stage.text += line.rtrim().str() + '\n';
    ++number;
    if (rest.starts_with("/*"))
      for (const auto &[path, place] : places)
        stage.map.add(number, path, place);
  }
  return stage;
}

std::optional<ArchivedStage> disassembleCubin(StringRef cubin, StringRef nvdisasm) {
  ToolMemory *memory = ToolMemory::get();
  ToolQuestion question;
  if (memory) {
    question.add("nvdisasm -gi -c");
    question.addProgram(nvdisasm);
    question.add(cubin);
    if (std::optional<std::string> known = memory->find(question))
      return readDisassembly(*known);
  }
  TemporaryFile file;
  if (Error error = file.create("cubin", cubin)) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  Expected<ToolResult> run = runTool(nvdisasm, {"-gi", "-c", file.getPath()});
  if (!run) {
    consumeError(run.takeError());
    return std::nullopt;
  }
  if (run->exitCode != 0)
    return std::nullopt;
  // Its warnings stand in front.
  StringRef text = run->output;
  while (text.starts_with("nvdisasm "))
    text = text.split('\n').second;
  text = text.ltrim('\n');
  if (memory)
    memory->keep(question, {}, text);
  return readDisassembly(text);
}

} // namespace nereid
