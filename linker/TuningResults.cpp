// One measurement a line, so that version control shows what a new run changed.
#include "linker/TuningResults.h"

#include "compiler/model/InputFile.h"
#include "linker/JsonDepth.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include "nlohmann/json.hpp"

#include <cmath>

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace nereid {

static constexpr const char *formatKey = "nereid_tuning";
static constexpr unsigned formatVersion = 1;

static auto identify(const Measurement &m) {
  return std::tie(m.function, m.device, m.target, m.key, m.variant);
}

bool Measurement::isSame(const Measurement &other) const { return identify(*this) == identify(other); }

namespace {

/// Reads members of one measurement; what is wrong with the first that is wrong is remembered.
class MeasurementReader {
public:
  explicit MeasurementReader(const Json &json) : json(json) {}

  std::string text(const char *key, bool needed) {
    if (!json.contains(key))
      return needed ? complain("has no", key) : "";
    if (!json[key].is_string())
      return complain("needs a string as", key);
    return json[key].get<std::string>();
  }

  double number(const char *key, bool needed) {
    if (!json.contains(key)) {
      if (needed)
        complain("has no", key);
      return 0;
    }
    double value = json[key].is_number() ? json[key].get<double>() : -1;
    if (!(value >= 0 && std::isfinite(value)))
      complain("needs a number that is not negative as", key);
    return value;
  }

  std::map<std::string, int64_t> numbers(const char *key) {
    std::map<std::string, int64_t> result;
    if (!json.contains(key) || !json[key].is_object()) {
      complain("needs an object as", key);
      return result;
    }
    for (const auto &item : json[key].items()) {
      if (!item.value().is_number_integer())
        complain("needs integers in", key);
      else
        result.emplace(item.key(), item.value().get<int64_t>());
    }
    return result;
  }

  std::string problem;
  /// The member that it is about, if it is there.
  std::string member;

private:
  std::string complain(const char *what, const char *key) {
    if (problem.empty()) {
      problem = std::string(what) + " \"" + key + "\"";
      member = json.contains(key) ? key : "";
    }
    return "";
  }

  const Json &json;
};

} // namespace

char TuningResultsError::ID;

void TuningResultsError::log(raw_ostream &os) const {
  os << "'" << path << "' is no file of tuning results: " << problem;
}

Expected<std::vector<Measurement>> parseTuningResults(StringRef text, StringRef path) {
  auto refuse = [&](const Twine &why, const Twine &pointer = "") {
    return make_error<TuningResultsError>(path, pointer.str(), why.str());
  };
  if (findJsonTooDeep(text))
    return refuse("it is nested too deeply");
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return refuse("it is not JSON, or not all of it is there");
  if (!json.is_object() || !json.contains(formatKey) || !json[formatKey].is_number_unsigned())
    return refuse(Twine("it has no \"") + formatKey + "\"");
  if (json[formatKey].get<uint64_t>() != formatVersion)
    return refuse("it is of format " + Twine(json[formatKey].get<uint64_t>()) + ", and this Nereid reads " +
                      Twine(formatVersion),
                  Twine("/") + formatKey);
  if (!json.contains("measurements") || !json["measurements"].is_array())
    return refuse("it has no list of \"measurements\"");
  std::vector<Measurement> measurements;
  for (const Json &entry : json["measurements"]) {
    std::string number = std::to_string(measurements.size());
    if (!entry.is_object())
      return refuse("measurement " + number + " is no object", "/measurements/" + number);
    MeasurementReader reader(entry);
    Measurement &m = measurements.emplace_back();
    m.function = reader.text("function", true);
    m.device = reader.text("device", true);
    m.target = reader.text("target", true);
    m.key = reader.numbers("key");
    m.variant = reader.text("variant", true);
    m.failed = reader.text("failed", false);
    m.nanoseconds = reader.number("nanoseconds", m.failed.empty());
    m.spread = reader.number("spread", false);
    m.runs = static_cast<unsigned>(std::min(reader.number("runs", false), 1e9));
    m.outliers = static_cast<unsigned>(std::min(reader.number("outliers", false), 1e9));
    m.isDefault = entry.value("default", Json(false)) == Json(true);
    m.nereid = reader.text("nereid", false);
    m.driver = reader.text("driver", false);
    m.date = reader.text("date", false);
    if (!reader.problem.empty()) {
      std::string place = std::to_string(measurements.size() - 1);
      return refuse("measurement " + place + " " + reader.problem,
                    "/measurements/" + place + (reader.member.empty() ? "" : "/" + reader.member));
    }
  }
  return measurements;
}

Expected<std::vector<Measurement>> readTuningResults(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return parseTuningResults((*buffer)->getBuffer(), path);
}

Expected<std::vector<Measurement>> readAllTuningResults(ArrayRef<std::string> paths) {
  std::vector<Measurement> all;
  for (const std::string &path : paths) {
    Expected<std::vector<Measurement>> read = readTuningResults(path);
    if (!read)
      return read.takeError();
    mergeTuningResults(all, *read);
  }
  return all;
}

std::string printTuningResults(ArrayRef<Measurement> measurements) {
  std::string text =
      std::string("{\"") + formatKey + "\": " + std::to_string(formatVersion) + ", \"measurements\": [";
  const char *separator = "\n  ";
  for (const Measurement &m : measurements) {
    Json entry = {{"function", m.function}, {"device", m.device}, {"target", m.target}};
    entry["key"] = Json::object();
    for (const auto &[name, value] : m.key)
      entry["key"][name] = value;
    entry["variant"] = m.variant;
    if (m.failed.empty()) {
      entry["nanoseconds"] = m.nanoseconds;
      entry["spread"] = m.spread;
      entry["runs"] = m.runs;
      entry["outliers"] = m.outliers;
    } else {
      entry["failed"] = m.failed;
    }
    if (m.isDefault)
      entry["default"] = true;
    for (auto [key, value] : {std::pair("nereid", &m.nereid), {"driver", &m.driver}, {"date", &m.date}})
      if (!value->empty())
        entry[key] = *value;
    // What drivers say need not be UTF-8.
    text += separator + entry.dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n  ";
  }
  return text + "\n]}\n";
}

void mergeTuningResults(std::vector<Measurement> &measurements, ArrayRef<Measurement> more) {
  std::map<std::tuple<std::string, std::string, std::string, std::map<std::string, int64_t>, std::string>,
           size_t>
      places;
  for (auto [place, m] : enumerate(measurements))
    places[identify(m)] = place;
  for (const Measurement &m : more) {
    auto [place, isNew] = places.try_emplace(identify(m), measurements.size());
    if (isNew)
      measurements.push_back(m);
    else
      measurements[place->second] = m;
  }
}

} // namespace nereid
