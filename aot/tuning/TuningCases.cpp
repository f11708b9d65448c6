// Ranges are expanded when they are read, within a bound: nobody waits for a million cases.
#include "aot/tuning/TuningCases.h"

#include "aot/CheckedJson.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using nlohmann::json;

namespace nereid {

static constexpr uint64_t mostCases = 100'000;

uint64_t TuningGroup::countCases() const {
  uint64_t count = 1;
  for (const auto &[name, members] : values)
    count *= members.size();
  return count;
}

std::map<std::string, int64_t> TuningGroup::getCase(uint64_t number) const {
  std::map<std::string, int64_t> result;
  for (const auto &[name, members] : reverse(values)) {
    result[name] = members[number % members.size()];
    number /= members.size();
  }
  return result;
}

namespace {

class CaseReader {
public:
  CaseReader(CheckedJson &file, Diagnostics &diagnostics) : file(file), diagnostics(diagnostics) {}

  std::optional<std::vector<TuningGroup>> read() {
    const json &document = file.getDocument();
    if (!file.expectObject(document, "", {"cases"}))
      return std::nullopt;
    if (!document.contains("cases") || !document["cases"].is_array() || document["cases"].empty()) {
      file.fail(document.contains("cases") ? "/cases" : "",
                "expected \"cases\", a list with a group or more");
      return std::nullopt;
    }
    std::vector<TuningGroup> groups;
    for (size_t i = 0; i < document["cases"].size(); ++i)
      if (!readGroup(document["cases"][i], "/cases/" + std::to_string(i), groups.emplace_back()))
        return std::nullopt;
    return groups;
  }

private:
  bool readGroup(const json &value, const std::string &pointer, TuningGroup &group) {
    if (!file.expectObject(value, pointer, {"function", "key", "values", "arguments", "grid", "tolerance"}))
      return false;
    group.range = file.rangeOfValue(pointer);
    return readFunctions(value, pointer, group) && readValues(value, pointer, group) &&
           readKey(value, pointer, group) && readArguments(value, pointer, group) &&
           readGrid(value, pointer, group) && readTolerance(value, pointer, group);
  }

  bool readFunctions(const json &value, const std::string &pointer, TuningGroup &group) {
    std::string place = pointer + "/function";
    const json none, &function = value.contains("function") ? value["function"] : none;
    if (function.is_string()) {
      group.functions.push_back(file.view(function, place));
      return true;
    }
    if (!function.is_array() || function.empty())
      return file.fail(value.contains("function") ? place : pointer,
                       "expected \"function\", the name of one of the library's, or a list of names");
    for (size_t i = 0; i < function.size(); ++i) {
      std::string inner = place + "/" + std::to_string(i);
      if (!function[i].is_string())
        return file.fail(inner, "expected a name");
      group.functions.push_back(file.view(function[i], inner));
    }
    return true;
  }

  bool readGrid(const json &value, const std::string &pointer, TuningGroup &group) {
    if (!value.contains("grid"))
      return true;
    std::string place = pointer + "/grid";
    if (!value["grid"].is_string())
      return file.fail(place, "expected \"grid\", up to three expressions over the values, such as "
                              "\"cdiv(n, 1024), 4\"");
    return readExpression(value["grid"], place, group, group.grid, /*mostDimensions=*/3);
  }

  bool readKey(const json &value, const std::string &pointer, TuningGroup &group) {
    if (!value.contains("key"))
      return true;
    const json &key = value["key"];
    if (!key.is_array())
      return file.fail(pointer + "/key", "expected \"key\", a list of names");
    group.key.emplace();
    for (size_t i = 0; i < key.size(); ++i) {
      std::string place = pointer + "/key/" + std::to_string(i);
      if (!key[i].is_string())
        return file.fail(place, "expected a name");
      StringRef name = file.view(key[i], place);
      if (is_contained(*group.key, name))
        return file.fail(place, "'" + name + "' is in the key already");
      group.key->push_back(name);
    }
    return true;
  }

  bool readTolerance(const json &value, const std::string &pointer, TuningGroup &group) {
    if (!value.contains("tolerance"))
      return true;
    if (!value["tolerance"].is_number() || value["tolerance"].get<double>() < 0)
      return file.fail(pointer + "/tolerance", "expected \"tolerance\", a number that is not negative");
    group.tolerance = value["tolerance"].get<double>();
    return true;
  }

  bool readValues(const json &value, const std::string &pointer, TuningGroup &group) {
    if (!value.contains("values"))
      return true;
    std::string place = pointer + "/values";
    if (!value["values"].is_object())
      return file.fail(place, "expected \"values\", an object such as {\"M\": [512, 1024]}");
    for (const auto &item : value["values"].items()) {
      std::vector<int64_t> members;
      if (!readMembers(item.value(), place + "/" + item.key(), members))
        return false;
      group.values.emplace_back(item.key(), std::move(members));
      if (group.countCases() > mostCases)
        return file.fail(place, "these are more than " + Twine(mostCases) + " cases");
    }
    return true;
  }

  /// Of 64 bits, with a sign.
  static std::optional<int64_t> getInteger(const json &value) {
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX))
      return std::nullopt;
    return value.get<int64_t>();
  }

  bool readMembers(const json &value, const std::string &pointer, std::vector<int64_t> &members) {
    if (std::optional<int64_t> integer = getInteger(value)) {
      members.push_back(*integer);
      return true;
    }
    if (value.is_array() && !value.empty()) {
      for (size_t i = 0; i < value.size(); ++i) {
        std::optional<int64_t> integer = getInteger(value[i]);
        if (!integer)
          return file.fail(pointer + "/" + std::to_string(i), "expected an integer");
        members.push_back(*integer);
      }
      return true;
    }
    if (value.is_object())
      return readRange(value, pointer, members);
    return file.fail(pointer,
                     "expected an integer, a list of them, or a range such as {\"from\": 256, \"to\": 4096, "
                     "\"times\": 2}");
  }

  bool readRange(const json &value, const std::string &pointer, std::vector<int64_t> &members) {
    if (!file.expectObject(value, pointer, {"from", "to", "plus", "times"}))
      return false;
    for (const char *key : {"from", "to"})
      if (!value.contains(key) || !getInteger(value[key]))
        return file.fail(value.contains(key) ? pointer + "/" + key : pointer,
                         "expected \"" + Twine(key) + "\", an integer");
    int64_t from = value["from"].get<int64_t>(), to = value["to"].get<int64_t>();
    bool grows = value.contains("times");
    if (grows == value.contains("plus"))
      return file.fail(pointer, "expected either \"plus\" or \"times\", how far apart the members are");
    const char *key = grows ? "times" : "plus";
    if (!value[key].is_number_integer() || value[key].get<int64_t>() < (grows ? 2 : 1))
      return file.fail(pointer + "/" + key,
                       "expected \"" + Twine(key) + "\", an integer of " + (grows ? "2" : "1") + " or more");
    int64_t step = value[key].get<int64_t>();
    if (from > to || (grows && from < 1))
      return file.fail(pointer, grows && from < 1
                                    ? "a range that grows by \"times\" is from 1 or more"
                                    : "the range is empty: it is from " + Twine(from) + " to " + Twine(to));
    for (int64_t member = from; member <= to;) {
      if (members.size() >= mostCases)
        return file.fail(pointer, "these are more than " + Twine(mostCases) + " values");
      members.push_back(member);
      if (grows ? MulOverflow(member, step, member) : AddOverflow(member, step, member))
        break;
    }
    return true;
  }

  bool readArguments(const json &value, const std::string &pointer, TuningGroup &group) {
    if (!value.contains("arguments"))
      return true;
    std::string place = pointer + "/arguments";
    if (!value["arguments"].is_object())
      return file.fail(place, "expected \"arguments\", an object such as {\"x_ptr\": {\"shape\": [\"n\"]}}");
    for (const auto &item : value["arguments"].items()) {
      TuningArgument argument;
      std::string inner = place + "/" + item.key();
      argument.range = file.rangeOfValue(inner);
      const json &given = item.value();
      if (given.is_object() && (given.contains("text") || given.contains("dtype"))) {
        if (!readWord(given, inner, argument))
          return false;
      } else if (given.is_object()) {
        if (!readTensor(given, inner, group, argument))
          return false;
      } else if (given.is_string()) {
        if (!readExpression(given, inner, group, argument.expression))
          return false;
      } else if (given.is_number()) {
        argument.number = given.get<double>();
        // An expression keeps integers that a double does not.
        if (given.is_number_integer() && !readExpression(given, inner, group, argument.expression))
          return false;
      } else if (given.is_boolean()) {
        argument.number = given.get<bool>();
      } else if (!given.is_null()) {
        return file.fail(inner,
                         "expected a tensor such as {\"shape\": [\"n\"]}, a number, an expression, null, "
                         "{\"text\": …} or {\"dtype\": …}");
      }
      group.arguments.emplace(item.key(), std::move(argument));
    }
    return true;
  }

  bool readWord(const json &value, const std::string &pointer, TuningArgument &argument) {
    const char *key = value.contains("text") ? "text" : "dtype";
    if (!file.expectObject(value, pointer, {key}))
      return false;
    std::string place = pointer + "/" + key;
    if (!value[key].is_string())
      return file.fail(place, "expected a string");
    argument.text = value[key].get<std::string>();
    if (value.contains("text"))
      return true;
    argument.dtype = parseScalarKind(*argument.text);
    if (!argument.dtype)
      return file.fail(place, "'" + *argument.text + "' is no dtype: expected fp16, bf16, fp32, i32, …");
    argument.text.reset();
    return true;
  }

  bool readExpression(const json &value, const std::string &pointer, const TuningGroup &group,
                      std::shared_ptr<GridExpression> &out, size_t mostDimensions = 1) {
    StringRef text =
        value.is_string() ? file.view(value, pointer) : diagnostics.addSource("<number>", value.dump());
    auto expression = GridExpression::parse(text, diagnostics, mostDimensions);
    if (!expression)
      return false;
    for (const std::string &name : expression->getNames())
      if (none_of(group.values, [&](const auto &value) { return value.first == name; }))
        return file.fail(pointer, "'" + name + "' is not among the \"values\"");
    out = std::make_shared<GridExpression>(std::move(*expression));
    return true;
  }

  bool readTensor(const json &value, const std::string &pointer, const TuningGroup &group,
                  TuningArgument &argument) {
    if (!file.expectObject(value, pointer, {"shape", "contents"}))
      return false;
    if (!value.contains("shape") || !value["shape"].is_array() || value["shape"].empty())
      return file.fail(value.contains("shape") ? pointer + "/shape" : pointer,
                       "expected \"shape\", a list of lengths: numbers or expressions over the values");
    for (size_t i = 0; i < value["shape"].size(); ++i) {
      const json &length = value["shape"][i];
      std::string place = pointer + "/shape/" + std::to_string(i);
      if (!length.is_string() && !length.is_number_unsigned())
        return file.fail(place, "expected a length: a number or an expression over the values");
      if (!readExpression(length, place, group, argument.shape.emplace_back()))
        return false;
    }
    return !value.contains("contents") ||
           readContents(value["contents"], pointer + "/contents", group, argument.contents.emplace());
  }

  bool readContents(const json &value, const std::string &pointer, const TuningGroup &group,
                    ContentsOfCases &contents) {
    using Kind = TensorContents::Kind;
    static const std::pair<StringRef, Kind> kinds[] = {{"normal", Kind::Normal},
                                                       {"uniform", Kind::Uniform},
                                                       {"zeros", Kind::Zeros},
                                                       {"ones", Kind::Ones},
                                                       {"indices", Kind::Indices}};
    if (value.is_string())
      for (auto [name, kind] : kinds)
        if (value.get_ref<const std::string &>() == name) {
          contents.kind = kind;
          return true;
        }
    if (!value.is_object())
      return file.fail(
          pointer, "expected \"normal\", \"uniform\", \"zeros\", \"ones\", \"indices\", {\"indices\": step} "
                   "or {\"integers\": [least, most]}");
    if (!file.expectObject(value, pointer, {"integers", "indices"}))
      return false;
    if (value.contains("indices") && value.size() == 1) {
      contents.kind = Kind::Indices;
      return readNumber(value["indices"], pointer + "/indices", group, contents);
    }
    const json *bounds = value.contains("integers") ? &value["integers"] : nullptr;
    if (!bounds || value.size() != 1 || !bounds->is_array() || bounds->size() != 2)
      return file.fail(pointer, "expected {\"integers\": [least, most]} or {\"indices\": step}");
    contents.kind = Kind::Integers;
    return readNumber((*bounds)[0], pointer + "/integers/0", group, contents) &&
           readNumber((*bounds)[1], pointer + "/integers/1", group, contents);
  }

  bool readNumber(const json &value, const std::string &pointer, const TuningGroup &group,
                  ContentsOfCases &contents) {
    if (!value.is_string() && !value.is_number_integer())
      return file.fail(pointer, "expected an integer or an expression over the values");
    return readExpression(value, pointer, group, contents.numbers.emplace_back());
  }

  CheckedJson &file;
  Diagnostics &diagnostics;
};

} // namespace

std::optional<std::vector<TuningGroup>> readTuningCases(StringRef path, Diagnostics &diagnostics) {
  std::optional<CheckedJson> file = CheckedJson::read(path, diagnostics);
  if (!file)
    return std::nullopt;
  return CaseReader(*file, diagnostics).read();
}

} // namespace nereid
