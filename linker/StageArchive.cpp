// An archive is the length of its JSON, as 8 bytes, little-endian, and the JSON in zlib's format.
#include "linker/StageArchive.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SHA256.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

static constexpr StringLiteral magic = "NRDS";
static constexpr size_t lengthBytes = 4, hashBytes = 32, sizeBytes = 8;
/// Far above any kernel's; what claims more is damaged.
static constexpr uint64_t mostBytes = uint64_t(1) << 30;

std::string packStages(ArrayRef<ArchivedStage> stages,
                       function_ref<ArchivedFile(const std::string &path)> readSource) {
  Json files = Json::array(), texts = Json::array();
  std::map<std::string, unsigned> numbers;
  for (const ArchivedStage &stage : stages) {
    std::vector<unsigned> numberOf;
    for (const std::string &path : stage.map.getFiles()) {
      auto [entry, isNew] = numbers.try_emplace(path, files.size());
      if (isNew) {
        ArchivedFile file = readSource(path);
        files.push_back({{"name", file.name}, {"text", file.text}});
      }
      numberOf.push_back(entry->second);
    }
    Json lines = Json::array();
    for (const auto &places : stage.map.getLines()) {
      Json line = Json::array();
      for (const LineMap::Place &place : places)
        line.push_back({numberOf[place.file], place.line});
      lines.push_back(std::move(line));
    }
    texts.push_back({{"stage", stage.name}, {"text", stage.text}, {"lines", std::move(lines)}});
  }
  std::string json = Json{{"files", std::move(files)}, {"stages", std::move(texts)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
  SmallVector<uint8_t, 0> packed;
  compression::zlib::compress(arrayRefFromStringRef(json), packed);
  std::string archive(sizeBytes, '\0');
  support::endian::write64le(archive.data(), json.size());
  return archive + toStringRef(packed).str();
}

Expected<std::string> unpackStages(StringRef archive) {
  auto fail = [] { return createStringError("the stages in it are damaged"); };
  if (archive.size() < sizeBytes)
    return fail();
  uint64_t size = support::endian::read64le(archive.data());
  if (size > mostBytes)
    return fail();
  SmallVector<uint8_t, 0> json;
  if (Error error =
          compression::zlib::decompress(arrayRefFromStringRef(archive.drop_front(sizeBytes)), json, size)) {
    consumeError(std::move(error));
    return fail();
  }
  return toStringRef(json).str();
}

std::string getArchiveName(StringRef archive) {
  return toHex(SHA256::hash(arrayRefFromStringRef(archive)), /*LowerCase=*/true);
}

std::string wrapArchive(StringRef archive) {
  std::string bytes = magic.str() + std::string(lengthBytes, '\0');
  support::endian::write32le(bytes.data() + magic.size(), archive.size());
  auto hash = SHA256::hash(arrayRefFromStringRef(archive));
  bytes.append(hash.begin(), hash.end());
  return bytes + archive.str();
}

void findArchives(StringRef section, std::map<std::string, std::string> &archives) {
  while (true) {
    section = section.drop_front(std::min(section.find(magic), section.size()));
    if (section.size() < magic.size() + lengthBytes + hashBytes)
      return;
    uint64_t length = support::endian::read32le(section.data() + magic.size());
    StringRef hash = section.substr(magic.size() + lengthBytes, hashBytes),
              archive = section.substr(magic.size() + lengthBytes + hashBytes, length);
    std::string name = toHex(hash, /*LowerCase=*/true);
    if (archive.size() != length || getArchiveName(archive) != name) {
      section = section.drop_front(); // Looks like one, and is none.
      continue;
    }
    archives.emplace(std::move(name), archive.str());
    section = section.drop_front(magic.size() + lengthBytes + hashBytes + length);
  }
}

} // namespace nereid
