// Everything is brought into JSON first (InspectedFile.h); texts and pages are made of that.
#include "linker/Inspect.h"

#include "linker/InspectPage.h"
#include "linker/InspectText.h"
#include "linker/InspectedFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

/// Shows a file that was read, whose description anybody may have written.
static Expected<std::string> show(StringRef path,
                                  function_ref<void(const InspectedFile &, raw_ostream &)> print) {
  Expected<InspectedFile> file = readInspectedFile(path);
  if (!file)
    return file.takeError();
  std::string text;
  raw_string_ostream os(text);
  try {
    print(*file, os);
  } catch (const Json::exception &error) {
    return createStringError("'" + path + "': its description is not understood: " + error.what());
  }
  return text;
}

Expected<std::string> inspect(StringRef path, InspectForm form) {
  return show(path, [&](const InspectedFile &file, raw_ostream &os) {
    if (form == InspectForm::Json)
      os << file.asJson().dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    else if (form == InspectForm::Page)
      os << drawInspectPage(file);
    else
      for (const Json &part : file.parts)
        file.isLibrary ? printLibrary(os, part) : printKernelObject(os, part);
  });
}

Expected<std::string> describeSizes(StringRef path) {
  return show(path, [](const InspectedFile &file, raw_ostream &os) {
    for (const Json &part : file.parts)
      printSizes(os, part, 0);
  });
}

} // namespace nereid
