// Variants are known by what their signatures say, with what was chosen for them.
#include "aot/RepeatedMessages.h"

#include "compiler/model/InputFile.h"
#include "compiler/model/PrintDiagnostic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using nlohmann::json;

namespace nereid {

RepeatedMessages::Names &RepeatedMessages::variantsOf(StringRef text) {
  auto [place, isNew] = places.try_emplace(text, messages.size());
  if (isNew)
    messages.push_back({text.str(), {}});
  return messages[place->second].variants;
}

void RepeatedMessages::add(StringRef texts, StringRef variant) {
  addVariant(variant);
  for (StringRef text : splitDiagnostics(texts))
    variantsOf(text).add(variant);
}

void RepeatedMessages::addForAll(StringRef texts) {
  for (StringRef text : splitDiagnostics(texts))
    for (const std::string &variant : variants.list)
      variantsOf(text).add(variant);
}

/// `'a', 'b' and 6 more`
static std::string listVariants(ArrayRef<std::string> variants) {
  constexpr size_t most = 3;
  std::string text;
  for (size_t i = 0; i < std::min(variants.size(), most); ++i)
    text += (i == 0 ? "'" : i + 1 == variants.size() ? " and '" : ", '") + variants[i] + "'";
  return variants.size() > most ? text + " and " + utostr(variants.size() - most) + " more" : text;
}

void RepeatedMessages::print(raw_ostream &os) const {
  for (const Message &message : messages) {
    std::string shown = message.text;
    const std::vector<std::string> &concerned = message.variants.list;
    if (concerned.size() > 1 && isWarning(message.text)) {
      std::string count = utostr(concerned.size()), total = utostr(variants.list.size());
      shown += "nereid: note: this concerns " +
               (count == total ? "all " + count + " variants"
                               : count + " of " + total + " variants: " + listVariants(concerned)) +
               "\n";
    }
    printDiagnostic(os, shown);
  }
}

std::string RepeatedMessages::serialize() const {
  json document = {{"nereid_warnings", 1}, {"variants", variants.list}, {"messages", json::array()}};
  for (const Message &message : messages)
    document["messages"].push_back({{"text", message.text}, {"variants", message.variants.list}});
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Error RepeatedMessages::read(StringRef path) {
  auto buffer = readInputFile(path, largestText, /*isText=*/true);
  if (!buffer)
    return buffer.takeError();
  try {
    json document = json::parse((*buffer)->getBuffer().str());
    if (document.at("nereid_warnings").get<int>() != 1)
      return createStringError("'" + path + "' has warnings of another version");
    for (const json &variant : document.at("variants"))
      addVariant(variant.get<std::string>());
    for (const json &message : document.at("messages"))
      for (const json &variant : message.at("variants"))
        add(message.at("text").get<std::string>(), variant.get<std::string>());
  } catch (const json::exception &) {
    return createStringError("'" + path + "' is no file of warnings");
  }
  return Error::success();
}

std::string getWarningsFile(StringRef kernelObject) { return (kernelObject + ".warnings").str(); }

} // namespace nereid
