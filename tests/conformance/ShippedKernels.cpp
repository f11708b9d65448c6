// A case is known by a hash of its words, which is also the name of its C function.
#include "tests/conformance/ShippedKernels.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include "nlohmann/json.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

using namespace llvm;

namespace nereid::test {

static std::string getFunctionName(const ShippedCase &which) {
  std::string words;
  for (const std::string *word : {&which.source, &which.kernel, &which.signature, &which.grid})
    words += *word + '\n';
  for (const std::string &definition : which.definitions)
    words += definition + '\n';
  return "k" + utohexstr(xxh3_64bits(words), /*LowerCase=*/true, /*Width=*/16);
}

bool isRunningShipped() { return getenv("NEREID_SHIPPED") != nullptr; }

namespace {

/// What link_kernels.py left in the folder.
class ShippedFolder {
public:
  explicit ShippedFolder(const std::string &folder) : folder(folder) {
    std::ifstream file(folder + "/shipped.json");
    if (!file)
      throw std::runtime_error("there is no " + folder + "/shipped.json: run link_kernels.py");
    cases = nlohmann::json::parse(file);
  }

  std::optional<ShippedKernel> find(const std::string &function) {
    auto it = cases.find(function);
    if (it == cases.end())
      return std::nullopt;
    void *library = open(folder + "/" + it->at("library").get<std::string>());
    auto *call = reinterpret_cast<int (*)(void *const *)>(dlsym(library, ("call_" + function).c_str()));
    auto *lastError = reinterpret_cast<const char *(*)()>(dlsym(library, "last_error"));
    if (!call || !lastError)
      throw std::runtime_error(dlerror());
    ShippedKernel kernel;
    for (const nlohmann::json &entry : it->at("arguments")) {
      KernelParameter parameter;
      parameter.name = entry.at("name");
      parameter.isPointer = entry.at("pointer");
      parameter.readOnly = entry.at("const");
      parameter.element = *parseScalarKind(entry.at("type").get<std::string>());
      kernel.parameters.push_back(std::move(parameter));
    }
    kernel.launch = [=](const std::vector<void *> &arguments) -> std::string {
      int status = call(arguments.data());
      return status ? "status " + std::to_string(status) + ": " + lastError() : "";
    };
    return kernel;
  }

private:
  void *open(const std::string &path) {
    void *&handle = libraries[path];
    if (!handle)
      handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      throw std::runtime_error(dlerror());
    return handle;
  }

  std::string folder;
  nlohmann::json cases;
  std::map<std::string, void *> libraries;
};

} // namespace

std::optional<ShippedKernel> findShippedKernel(const ShippedCase &which) {
  if (!isRunningShipped())
    return std::nullopt;
  static ShippedFolder folder(getenv("NEREID_SHIPPED"));
  return folder.find(getFunctionName(which));
}

void keepForShipping(const ShippedCase &which, const std::vector<KernelParameter> &parameters) {
  const char *path = getenv("NEREID_KEEP_KERNELS");
  if (!path)
    return;
  static std::ofstream file(path);
  static std::set<std::string> kept;
  std::string function = getFunctionName(which);
  if (!kept.insert(function).second)
    return;
  nlohmann::json line = {{"function", function},
                         {"source", which.source},
                         {"kernel", which.kernel},
                         {"signature", which.signature},
                         {"grid", which.grid},
                         {"target", which.target},
                         {"definitions", which.definitions},
                         {"arguments", nlohmann::json::array()}};
  for (const KernelParameter &parameter : parameters)
    line["arguments"].push_back({{"name", parameter.name},
                                 {"pointer", parameter.isPointer},
                                 {"const", parameter.readOnly},
                                 {"type", getScalarName(parameter.element).str()}});
  file << line.dump() << std::endl;
}

} // namespace nereid::test
