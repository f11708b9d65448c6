// CBOR and not JSON's text: paths and digests are bytes, which need not be UTF-8.
#include "aot/cache/CacheEntry.h"

#include "aot/cache/Fingerprint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include "nlohmann/json.hpp"

#include <cstring>

using namespace llvm;
using Json = nlohmann::json;

namespace nereid {

static constexpr StringLiteral magic = "nrdcach1";
static constexpr size_t digestSize = 32;
/// Branches that a team works on at a time, say, with different contents of a file that all import.
static constexpr size_t mostResults = 16;

static Json toJson(const ResultConditions &conditions) {
  Json files = Json::array(), packages = Json::array(), searches = Json::array();
  for (const auto &file : conditions.files)
    files.push_back({file.path, file.digest, file.spelled});
  for (const auto &package : conditions.packages)
    packages.push_back({package.folder, package.name});
  for (const auto &search : conditions.searches)
    searches.push_back({search.name, search.folder, search.parents});
  return {{"files", std::move(files)},         {"missed", conditions.missed},
          {"packages", std::move(packages)},   {"searches", std::move(searches)},
          {"places", conditions.places},       {"in", conditions.currentFolder},
          {"messages", conditions.hasMessages}};
}

static ResultConditions conditionsFromJson(const Json &json) {
  ResultConditions conditions;
  for (const Json &file : json.at("files"))
    conditions.files.push_back({file.at(0), file.at(1), file.at(2)});
  conditions.missed = json.at("missed").get<std::vector<std::string>>();
  for (const Json &package : json.at("packages"))
    conditions.packages.push_back({package.at(0), package.at(1)});
  for (const Json &search : json.at("searches"))
    conditions.searches.push_back({search.at(0), search.at(1), search.at(2)});
  conditions.places = json.at("places").get<std::string>();
  conditions.currentFolder = json.at("in").get<std::string>();
  conditions.hasMessages = json.at("messages").get<bool>();
  return conditions;
}

static std::string toBytes(const Json &json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

bool ResultConditions::operator==(const ResultConditions &other) const {
  return toJson(*this) == toJson(other);
}

std::optional<CacheEntry> CacheEntry::parse(StringRef bytes, StringRef key) {
  if (!bytes.consume_front(magic) || bytes.size() < sizeof(uint64_t) + digestSize)
    return std::nullopt;
  uint64_t headSize = support::endian::read64le(bytes.data());
  StringRef digest = bytes.substr(sizeof headSize, digestSize);
  bytes = bytes.drop_front(sizeof headSize + digestSize);
  if (headSize > bytes.size())
    return std::nullopt;
  StringRef head = bytes.take_front(headSize), rest = bytes.drop_front(headSize);
  if (fingerprintOf(head) != digest)
    return std::nullopt;
  CacheEntry entry;
  try {
    Json json = Json::from_cbor(head.begin(), head.end());
    if (json.at("key").get<std::string>() != key)
      return std::nullopt;
    for (const Json &result : json.at("results")) {
      uint64_t size = result.at("size").get<uint64_t>();
      // One that was cut off is damaged, and those before it need not be.
      entry.results.push_back({conditionsFromJson(result.at("if")), rest.take_front(size).str(),
                               result.at("digest").get<std::string>()});
      rest = rest.drop_front(std::min<uint64_t>(size, rest.size()));
    }
  } catch (const Json::exception &) {
    return std::nullopt;
  }
  return entry;
}

std::optional<StoredResult> CacheEntry::getResult(size_t index) const {
  const Result &result = results[index];
  if (fingerprintOf(result.bytes) != result.digest)
    return std::nullopt;
  try {
    Json json = Json::from_cbor(result.bytes);
    StoredResult stored;
    stored.messages = json.at("messages").get<std::vector<std::string>>();
    stored.misfit = json.at("misfit").get<std::string>();
    stored.object = json.at("object").get<std::string>();
    return stored;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

void CacheEntry::add(ResultConditions conditions, const StoredResult &stored) {
  erase_if(results, [&](const Result &result) { return result.conditions == conditions; });
  Result result;
  result.conditions = std::move(conditions);
  result.bytes =
      toBytes({{"messages", stored.messages}, {"misfit", stored.misfit}, {"object", stored.object}});
  result.digest = fingerprintOf(result.bytes);
  results.insert(results.begin(), std::move(result));
  if (results.size() > mostResults)
    results.resize(mostResults);
}

std::string CacheEntry::serialize(StringRef key) const {
  Json list = Json::array();
  for (const Result &result : results)
    list.push_back(
        {{"if", toJson(result.conditions)}, {"size", result.bytes.size()}, {"digest", result.digest}});
  std::string head = toBytes({{"key", key.str()}, {"results", std::move(list)}});
  std::string bytes(magic), size(sizeof(uint64_t), '\0');
  support::endian::write64le(size.data(), head.size());
  bytes += size + fingerprintOf(head) + head;
  for (const Result &result : results)
    bytes += result.bytes;
  return bytes;
}

} // namespace nereid
