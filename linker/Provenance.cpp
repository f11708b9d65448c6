// See Provenance.h.
#include "linker/Provenance.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

std::string getSourceHash(ArrayRef<SourceFile> sources) {
  if (sources.empty())
    return "";
  SHA256 hash;
  for (const SourceFile &file : sources)
    hash.update(file.sha256 + "  " + file.name + "\n");
  return toHex(hash.final(), /*LowerCase=*/true);
}

void addProvenance(Json &json, const Provenance &provenance) {
  if (!provenance.place.empty())
    json["asked_by"] = provenance.place;
  if (!provenance.asked.empty())
    json["asked_signature"] = provenance.asked;
  if (!provenance.nereid.empty())
    json["compiled_by"] = provenance.nereid;
  for (const SourceFile &file : provenance.sources)
    json["sources"].push_back({{"file", file.name}, {"sha256", file.sha256}});
  if (!provenance.sources.empty())
    json["source_hash"] = getSourceHash(provenance.sources);
}

Provenance provenanceFromJson(const Json &json) {
  Provenance provenance;
  provenance.place = json.value("asked_by", "");
  provenance.asked = json.value("asked_signature", "");
  provenance.nereid = json.value("compiled_by", "");
  if (json.contains("sources"))
    for (const Json &file : json["sources"])
      provenance.sources.push_back(
          {file.at("file").get<std::string>(), file.at("sha256").get<std::string>()});
  return provenance;
}

} // namespace nereid
