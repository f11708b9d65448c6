// Composes what repeats (arguments, table rows, functions) and fills it into the templates. The header uses
// the kernel's own parameter names, changed where C or the API has that name already; the source says a0, a1,
// … and has no such cases to think of.
#include "linker/LibrarySource.h"

#include "compiler/model/Backends.h"
#include "compiler/model/Occupancy.h"
#include "linker/CNames.h"
#include "linker/CTypes.h"
#include "linker/DispatchSource.h"
#include "linker/Template.h"
#include "linker/TuningSource.h"
#include "linker/TvmFfi.h"
#include "linker/TypeFamilies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MathExtras.h"

#include <functional>
#include <set>

using namespace llvm;

namespace nereid {

/// True if C, C++ or the header itself means something else by this parameter's name. A name that the C
/// library gives to a function is no obstacle: a parameter may hide it. A macro or a type is.
static bool isTaken(StringRef name) {
  // Macros in small letters, and the arguments that every function has.
  static const StringRef taken[] = {"errno",     "stdin",   "stdout", "stderr", "complex",
                                    "imaginary", "h_errno", "stream", "grid"};
  bool mayBeMacroOrType = none_of(name, isLower) || name.ends_with("_t") || name.starts_with("PRI") ||
                          name.starts_with("SCN"); // PRId64
  return isReservedInC(name) || is_contained(taken, name) || name.starts_with("nrd_") ||
         name.starts_with("NRD_") || (mayBeMacroOrType && isCLibraryName(name));
}

/// Another name to try. One that C or this header keeps for itself because of how it begins needs another
/// beginning: `arg_M` for `_M`, which begins with an underscore and a capital.
static std::string nextName(StringRef name) {
  std::string longer = (name + "_").str();
  if (!isTaken(name) || !isTaken(longer))
    return longer;
  return ((name.front() == '_' ? "arg" : "arg_") + name).str();
}

std::vector<std::string> getParameterNames(const PlannedKernel &kernel, const DispatchPlan &plan) {
  StringSet<> used;
  for (const char *suffix : getFunctionSuffixes())
    used.insert(plan.getSymbol(kernel) + suffix);
  for (const PlannedArgument &argument : kernel.arguments)
    if (!isTaken(argument.name) && isCIdentifier(argument.name))
      used.insert(argument.name);
  std::vector<std::string> names;
  // A name is changed as often as it takes to be free and unique.
  for (const PlannedArgument &argument : kernel.arguments) {
    std::string name = spellInC(argument.name);
    bool hides = any_of(getFunctionSuffixes(),
                        [&](const char *suffix) { return name == plan.getSymbol(kernel) + suffix; });
    while (isTaken(name) || ((hides || name != argument.name) && !used.insert(name).second))
      name = nextName(name);
    names.push_back(std::move(name));
  }
  return names;
}

/// `, const float *x_ptr, int32_t n`.
static std::string parametersOf(const PlannedKernel &kernel, function_ref<std::string(unsigned)> name) {
  std::string text;
  for (auto [i, argument] : enumerate(kernel.arguments))
    text += ", " + typeInC(argument) + name(i);
  return text;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Of types.h and of how functions are called. A change of either needs another number: NRD_ABI_VERSION.
static constexpr unsigned abiVersion = 2;

unsigned getABIVersion() { return abiVersion; }

std::string getSymbolTag() { return "__nrd" + utostr(abiVersion); }

std::string getSymbolTag(const PlannedKernel &kernel) {
  // Names are part of it: two parameters that change places mostly have the same type.
  std::string text;
  for (const PlannedArgument &argument : kernel.arguments)
    text += argument.getType() + " " + argument.name + ",";
  MD5 hash;
  hash.update(text);
  MD5::MD5Result result = hash.final();
  return getSymbolTag() + "_" + result.digest().substr(0, 8).str();
}

/// Behind a function's declaration.
static std::string labelOf(const std::string &symbol, const std::string &tag) {
  return " NRD_LABEL(\"" + symbol + tag + "\")";
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

/// One line a variant, and the targets it is compiled for.
static std::string summarize(const PlannedKernel &kernel) {
  std::string text = " * " + kernel.name + "\n";
  for (const PlannedVariant &variant : kernel.variants)
    text += " *   " + variant.title + "  for " + variant.listTargets() + "\n";
  // A signature may hold a string constant, which must neither end the comment nor seem to begin another.
  for (size_t at = 1; at < text.size(); ++at)
    if ((text[at - 1] == '*' && text[at] == '/') || (text[at - 1] == '/' && text[at] == '*'))
      text.insert(at, 1, ' ');
  return text;
}

/// What there is to know of a kernel's variants, and to override.
static void declareChoice(const PlannedKernel &kernel, const std::string &symbol, const std::string &tag,
                          const std::string &parameters, const std::string &passed, std::string &declarations,
                          std::string &shortNames) {
  auto add = [&](const std::string &suffix, const std::string &comment, const std::string &before,
                 const std::string &after, const std::string &passedBefore, const std::string &passedAfter) {
    std::string list = "(nrd_stream stream" + before + parameters + after + ")";
    declarations += "/* " + comment + " */\nNRD_API nrd_status " + symbol + suffix + list +
                    labelOf(symbol + suffix, tag) + ";\n\n";
    shortNames += "static inline nrd_status " + kernel.name + suffix + list + " {\n  return " + symbol +
                  suffix + "(stream" + passedBefore + passed + passedAfter + ");\n}\n";
  };
  // Without a short name: its arguments do not tell overloads apart.
  declarations += "/* The variants of " + kernel.name +
                  ", in the order of preference; their numbers count from 0. Returns how many there are. */\n"
                  "NRD_API uint32_t " +
                  symbol + "_variants(const nrd_variant **nrd_list);\n\n";
  add("_explain",
      "Runs nothing: says in words which variant such a call would run, and why. What does not fit is cut "
      "off.",
      "", ", char *nrd_text, size_t nrd_size", "", ", nrd_text, nrd_size");
  if (kernel.hasGrid())
    add("_force", "Runs the variant of this number, or fails if it does not accept the call.",
        ", uint32_t nrd_number", "", ", nrd_number", "");
  add("_force_grid", "The same on a grid that the caller gives.", ", uint32_t nrd_number, nrd_dim3 grid", "",
      ", nrd_number, grid", "");
  declarations +=
      std::string("/* The same with pointers to the arguments, each to a value of the type above") +
      (kernel.hasGrid() ? "; without a grid, if that is null" : "") + ". */\nNRD_API nrd_status " + symbol +
      "_force_packed(nrd_stream stream, uint32_t nrd_number, const nrd_dim3 *nrd_grid,\n"
      "                                const void *const *nrd_arguments);\n\n"
      "/* Runs nothing. If *number is UINT32_MAX it becomes that of the variant which such a call would "
      "run, otherwise the one of\n * that number has to accept the call. *target becomes that of its "
      "code for the stream's device. */\nNRD_API nrd_status " +
      symbol +
      "_choose_packed(nrd_stream stream, const void *const *nrd_arguments, uint32_t *nrd_number,\n"
      "                                 const char **nrd_target);\n\n";
}

std::string generateHeader(const DispatchPlan &plan) {
  std::string summary, declarations, shortNames;
  for (const PlannedKernel &kernel : plan.kernels) {
    summary += summarize(kernel);
    std::vector<std::string> names = getParameterNames(kernel, plan);
    std::string parameters = parametersOf(kernel, [&](unsigned i) { return names[i]; });
    std::string passed;
    for (const std::string &name : names)
      passed += ", " + name;
    std::string symbol = plan.getSymbol(kernel), tag = getSymbolTag(kernel);
    if (kernel.hasGrid()) {
      std::string grid = kernel.variants.front().object->grid;
      declarations += "/* Runs " + kernel.name + " on a grid of " +
                      (kernel.hasCommonGrid() ? grid : "the chosen variant's own size") + " programs. */\n";
      declarations += "NRD_API nrd_status " + symbol + "(nrd_stream stream" + parameters + ")" +
                      labelOf(symbol, tag) + ";\n\n";
      shortNames += "static inline nrd_status " + kernel.name + "(nrd_stream stream" + parameters +
                    ") {\n  return " + symbol + "(stream" + passed + ");\n}\n";
    }
    declarations += "/* Runs " + kernel.name + " on a grid that the caller gives. */\n";
    declarations += "NRD_API nrd_status " + symbol + "_grid(nrd_stream stream, nrd_dim3 grid" + parameters +
                    ")" + labelOf(symbol + "_grid", tag) + ";\n\n";
    shortNames += "static inline nrd_status " + kernel.name + "_grid(nrd_stream stream, nrd_dim3 grid" +
                  parameters + ") {\n  return " + symbol + "_grid(stream, grid" + passed + ");\n}\n";
    declareChoice(kernel, symbol, tag, parameters, passed, declarations, shortNames);
  }
  declareTypeFamilies(plan, declarations, shortNames);
  return fillTemplate("header.h", {{"name", plan.name},
                                   {"version", NEREID_VERSION},
                                   {"summary", summary},
                                   {"types", fillTemplate("types.h", {{"abi", utostr(abiVersion)}})},
                                   {"abi", utostr(abiVersion)},
                                   {"tag", getSymbolTag()},
                                   {"declarations", declarations},
                                   {"short_names", shortNames}});
}

//===----------------------------------------------------------------------===//
// Source
//===----------------------------------------------------------------------===//

/// What generated code calls a back end: NRD_CUDA.
static std::string getConstant(const BackendInfo &backend) {
  return "NRD_" + StringRef(backend.name).upper();
}

namespace {
class SourceGenerator {
public:
  SourceGenerator(const DispatchPlan &plan, ArrayRef<PlannedImage> images, ArrayRef<PythonFunction> functions)
      : plan(plan), images(images), functions(functions) {}

  std::string generate() {
    size_t maxArguments = 1, maxTensorMaps = 0, numLeaves = 0;
    bool hasSpecialLaunches = false, hasDeviceScratch = false, hasForms = false;
    for (const PlannedImage &image : images) {
      maxTensorMaps = std::max(maxTensorMaps, image.code->tensorMaps.size());
      const TargetCode &code = *image.code->code;
      hasSpecialLaunches |= needsSpecialLaunch(code);
      hasForms |= code.isOtherForm();
      hasDeviceScratch |= code.target.backend == Backend::CUDA && code.info.scratchBytes != 0;
    }
    for (const PlannedKernel &kernel : plan.kernels) {
      maxArguments = std::max(maxArguments, kernel.arguments.size());
      decisions.emplace_back(kernel, decisions.size(), numLeaves);
      numLeaves += decisions.back().countLeaves();
    }
    TuningSource tuning(plan, decisions);

    std::string backends, loaders, launchCases, loadCases, unloadCalls, kernels;
    bool hasCPU = plan.hasBackend(Backend::CPU);
    bool hasGPU = any_of(getBackends(), [&](const BackendInfo &backend) {
      return backend.backend != Backend::CPU && plan.hasBackend(backend.backend);
    });
    if (hasGPU)
      loaders += fillTemplate("gpu_devices.c", {});
    for (const BackendInfo &backend : getBackends()) {
      backends += (backends.empty() ? "" : ", ") + getConstant(backend) + " = " +
                  utostr(static_cast<unsigned>(backend.backend));
      addBackend(backend, loaders, launchCases, loadCases, unloadCalls);
    }
    for (const PlannedKernel &kernel : plan.kernels)
      kernels += generateFunctions(kernel);
    kernels += generateTypeFamilies(plan);
    return fillTemplate(
        "dispatch.c",
        {{"name", plan.name},
         {"version", NEREID_VERSION},
         {"backends", backends},
         {"kernel_count", utostr(plan.kernels.size())},
         {"image_count", utostr(images.size())},
         {"max_arguments", utostr(maxArguments)},
         {"max_tensor_maps", utostr(maxTensorMaps)},
         {"has_special_launches", hasSpecialLaunches ? "1" : "0"},
         {"has_device_scratch", hasDeviceScratch ? "1" : "0"},
         {"has_forms", hasForms ? "1" : "0"},
         {"few_programs", utostr(unsigned(FormUse::FewPrograms))},
         {"small_grids", utostr(unsigned(FormUse::SmallGrids))},
         {"leaf_count", utostr(numLeaves)},
         {"has_cuda", plan.hasBackend(Backend::CUDA) ? "1" : "0"},
         {"tuned_count", utostr(tuning.countLeaves())},
         {"member_count", utostr(tuning.countMembers())},
         {"fastest_count", utostr(tuning.countFastest())},
         {"tuning", tuning.isNeeded() ? fillTemplate("tuning.c", {}) : ""},
         {"grid", fillTemplate("grid.c", {})},
         {"tables", generateTables(tuning) + (tuning.isNeeded() ? tuning.generateLeaves(numLeaves) : "")},
         {"loaders", loaders},
         {"launch_cases", launchCases},
         {"load_cases", loadCases},
         {"explain_cases", explainCases},
         {"before_fork", hasCPU ? "  nrd_cpu_before_fork();\n" : ""},
         {"after_fork_in_parent", hasCPU ? "  nrd_cpu_after_fork(0);\n" : ""},
         {"after_fork_in_child", (hasCPU ? "  nrd_cpu_after_fork(1);\n" : std::string()) +
                                     (hasGPU ? "  nrd_gpu_after_fork();\n" : "") + gpuAfterFork},
         {"close_function", generateCloseFunction()},
         {"num_threads", hasCPU ? "nrd_cpu_count_threads()" : "0"},
         {"set_num_threads", hasCPU ? "  return nrd_cpu_set_threads(threads);\n"
                                    : "  (void)threads;\n  return nrd_fail(NRD_ERROR_NO_VARIANT, "
                                      "NRD_LIBRARY \"_set_num_threads: this library has no CPU "
                                      "code\");\n"},
         {"tag", getSymbolTag()},
         {"unload_calls", StringRef(unloadCalls).rtrim('\n').str()},
         {"kernels", StringRef(kernels).rtrim('\n').str()},
         {"tvm_ffi", StringRef(generateTvmFfi(plan, functions)).rtrim('\n').str()},
         {"python_call", fillTemplate("python_call.c", {{"name", plan.name}, {"tag", getSymbolTag()}})}});
  }

private:
  /// A back end that the library has code for brings its loader; for the others a call is told so.
  void addBackend(const BackendInfo &backend, std::string &loaders, std::string &launchCases,
                  std::string &loadCases, std::string &unloadCalls) {
    std::string label = "  case " + getConstant(backend) + ":\n";
    std::string prefix = backend.name, words = StringRef(backend.name).upper() + " code";
    bool isHost = backend.backend == Backend::CPU;
    if (!plan.hasBackend(backend.backend)) {
      launchCases += label + "    return nrd_fail(NRD_ERROR_NO_VARIANT, \"%s: this library has no " + words +
                     "\", call->kernel->name);\n";
      explainCases += label + "    status = nrd_fail(NRD_ERROR_NO_VARIANT, \"%s: this library has no " +
                      words + "\", call->kernel->name);\n    break;\n";
      loadCases += label +
                   "    return nrd_fail(NRD_ERROR_NO_VARIANT, NRD_LIBRARY \"_load: this library has no " +
                   words + "\");\n";
      return;
    }
    if (isHost)
      loaders +=
          fillTemplate("cpu_quota.c", {}) + "\n" + fillTemplate("cpu_pool.c", {{"name", plan.name}}) + "\n";
    loaders += fillTemplate(std::string(backend.loader) + ".c", {{"name", plan.name}}) + "\n";
    launchCases += label + "    return nrd_" + prefix + "_launch(call, stream.handle);\n";
    loadCases += label + "    return nrd_" + prefix + "_load(" + (isHost ? "" : "stream.handle") + ");\n";
    explainCases += label;
    if (isHost)
      explainCases +=
          "    device = nrd_cpu_find();\n    status = device ? nrd_answer(device, call, question)\n"
          "                    : nrd_fail(NRD_ERROR_OUT_OF_RESOURCES, \"%s: out of memory\", "
          "call->kernel->name);\n    break;\n";
    else
      explainCases +=
          "  {\n    nrd_entry entry = nrd_enter();\n    status = nrd_" + prefix +
          "_find(call->kernel->name, stream.handle, &device);\n    if (status == NRD_OK)\n      status = "
          "nrd_answer(device, call, question);\n    nrd_leave(entry);\n    break;\n  }\n";
    if (isHost) {
      unloadCalls += "  nrd_" + prefix + "_unload();\n";
      return;
    }
    // All at once, so that calls are waited for once.
    if (gpuAfterFork.empty())
      unloadCalls += "  nrd_gpu_unload();\n";
    std::string devices = prefix + "_devices";
    gpuLists += std::string(gpuLists.empty() ? "" : ", ") + "*" + devices;
    gpuTakes +=
        "  " + devices + " = nrd_take_devices(&nrd_" + devices + ", nrd_" + prefix + "_forget_streams);\n";
    gpuFrees += "  nrd_free_devices(" + devices + ", nrd_" + prefix + "_free_device);\n";
    gpuAfterFork += "  nrd_" + prefix + "_after_fork();\n";
  }

  /// Gives back what GPUs have; and what runs when the library is closed, or the process ends. The CPU's
  /// loader has that of its own.
  std::string generateCloseFunction() const {
    if (gpuLists.empty())
      return "";
    return "static void nrd_gpu_unload(void) {\n  nrd_device " + gpuLists +
           ";\n  pthread_mutex_lock(&nrd_unload_lock);\n" + gpuTakes + "  nrd_wait_for_calls();\n" +
           gpuFrees +
           "  pthread_mutex_unlock(&nrd_unload_lock);\n}\n\n"
           "/* A call that has just counted itself out still has to return. */\n"
           "__attribute__((destructor)) static void nrd_close(void) {\n"
           "  static const struct timespec moment = {0, 1000000};\n"
           "  if (nrd_is_exit())\n    return;\n  nrd_wait_for_calls();\n  nrd_gpu_unload();\n"
           "  nanosleep(&moment, NULL);\n}\n\n";
  }

  static bool needsSpecialLaunch(const TargetCode &code) {
    const KernelInfo &info = code.info;
    return code.target.isGPU() && (info.isCooperative || info.overlapsWithLast || info.numCTAs > 1);
  }

  /// Of a multiprocessor of the code's own target. Newer ones have as much room or more. Where programs are
  /// of very different lengths many of them have ended early, and what counts is how long the longest take:
  /// so twice as many still count as few.
  static unsigned countResidentPrograms(const TargetCode &code) {
    if (!code.target.isGPU())
      return 0;
    const KernelInfo &info = code.info;
    BlockNeeds needs{info.countThreads() / info.warpSize, 0, info.sharedBytes};
    if (info.resources) {
      needs.registers = info.resources->registers;
      needs.sharedBytes += info.resources->staticSharedBytes;
    }
    unsigned blocks = countResidentBlocks(needs, code.target);
    if (code.use == FormUse::SmallGrids)
      return std::min(blocks, info.mostPrograms);
    return blocks * (code.use == FormUse::FewPrograms && info.hasUnevenPrograms ? 2 : 1);
  }

  std::string generateTables(const TuningSource &tuning) {
    const std::string data = "__attribute__((visibility(\"hidden\"))) extern const unsigned char ";
    std::string text = data + plan.name + "_nrd_manifest[];\n";
    if (plan.hasBackend(Backend::CPU))
      text += "__attribute__((visibility(\"hidden\"))) int " + plan.name + "_nrd_yield(void);\n";
    for (const PlannedImage &image : images)
      if (image.stored != image.code)
        continue; // Declared for the code that it shares.
      else if (image.dataSymbol.empty())
        text +=
            "__attribute__((visibility(\"hidden\"))) void " + image.stored->entrySymbol +
            "(void *const *arguments, const uint32_t *grid, uint64_t first, uint64_t last, void *scratch, "
            "nrd_failure *failure);\n";
      else
        text += data + image.dataSymbol + "[];\n";
    text = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + text + "#ifdef __cplusplus\n}\n#endif\n\n";

    for (auto [k, kernel] : enumerate(plan.kernels)) {
      text += generateGridFunctions(k);
      text += generateArguments(k);
      text += decisions[k].generate();
      for (auto [v, variant] : enumerate(kernel.variants))
        if (variant.passedArguments.size() != kernel.arguments.size())
          text += generatePassed(k, v);
    }
    std::set<std::pair<unsigned, unsigned>> packed;
    for (const PlannedImage &image : images)
      if (isPacked(image) && packed.insert({image.kernel, image.variant}).second)
        text += generatePacking(image.kernel, image.variant);
    for (size_t i = 0; i < images.size(); ++i)
      if (!images[i].code->tensorMaps.empty())
        text += generateTensorMaps(i);
    for (auto [k, kernel] : enumerate(plan.kernels)) {
      text += "static const nrd_image nrd_images_" + utostr(k) + "[] = {\n";
      for (const PlannedImage &image : images)
        if (image.kernel == k)
          text += generateRow(image);
      text += "};\n";
    }
    auto isTuned = [&](const PlannedKernel &kernel) { return tuning.isNeeded() && kernel.isTuned(); };
    for (auto [k, kernel] : enumerate(plan.kernels))
      if (isTuned(kernel))
        text += tuning.generateTables(k);
    text += "\nstatic const nrd_kernel nrd_kernels[NRD_KERNEL_COUNT] = {\n";
    for (auto [k, kernel] : enumerate(plan.kernels)) {
      size_t count =
          count_if(images, [index = k](const PlannedImage &image) { return image.kernel == index; });
      text += "    {" + quoteInC(kernel.name) + ", nrd_images_" + utostr(k) + ", nrd_arguments_" + utostr(k) +
              ", " + decisions[k].getTables() + ", " + utostr(count) + ", " +
              utostr(kernel.arguments.size()) + ", " + utostr(k) + ", " +
              (isTuned(kernel) ? "&nrd_tuned_" + utostr(k) : "NULL") + "},\n";
    }
    return text + "};\n";
  }

  /// `nrd_grid_K_V` of the first variant with the same grid: where functions are the same, so are grids.
  static std::string nameGrid(const PlannedKernel &kernel, unsigned k, unsigned v) {
    auto first = find_if(kernel.variants, [&](const PlannedVariant &variant) {
      return variant.gridC == kernel.variants[v].gridC;
    });
    return "nrd_grid_" + utostr(k) + "_" + utostr(first - kernel.variants.begin());
  }

  /// nrd_grid_K_V.
  std::string generateGridFunctions(unsigned k) {
    const PlannedKernel &kernel = plan.kernels[k];
    std::string text;
    if (!kernel.hasGrid())
      return text;
    for (auto [v, variant] : enumerate(kernel.variants)) {
      if (nameGrid(kernel, k, v) != "nrd_grid_" + utostr(k) + "_" + utostr(v))
        continue;
      text +=
          "static inline int nrd_grid_" + utostr(k) + "_" + utostr(v) +
          "(void *const *arguments, int64_t *grid) {\n  int flag = 0, *bad = &flag;\n  (void)arguments;\n";
      for (const std::string &statement : variant.gridC)
        text += "  " + statement + "\n";
      text += "  return *bad;\n}\n\n";
    }
    return text;
  }

  /// nrd_extents_I_M, one a tensor map of image I, and the table nrd_maps_I.
  std::string generateTensorMaps(unsigned i) {
    std::string text, rows;
    for (auto [m, planned] : enumerate(images[i].code->tensorMaps)) {
      std::string name = "nrd_extents_" + utostr(i) + "_" + utostr(m);
      text +=
          "static int " + name +
          "(void *const *arguments, int64_t *grid) {\n  int flag = 0, *bad = &flag;\n  (void)arguments;\n";
      for (const std::string &statement : planned.extentsC)
        text += "  " + statement + "\n";
      text += "  return *bad;\n}\n\n";
      const TensorMap &map = *planned.map;
      std::vector<std::string> box;
      for (unsigned size : reverse(map.box))
        box.push_back(utostr(size));
      rows += "    {" + name + ", " + utostr(planned.base) + ", " + utostr(map.elementBytes) + ", " +
              utostr(map.box.size()) + ", {" + join(box, ", ") + "}, " + utostr(map.swizzleBytes) + "},\n";
    }
    return text + "static const nrd_tensor_map nrd_maps_" + utostr(i) + "[] = {\n" + rows + "};\n";
  }

  /// nrd_argument's letters.
  static char kindOf(const PlannedArgument &argument) {
    switch (argument.form) {
    case PlannedArgument::Form::Plain:
      break;
    case PlannedArgument::Form::Text:
      return 't';
    case PlannedArgument::Form::DType:
      return 'd';
    case PlannedArgument::Form::OptionalInteger:
      return 'o';
    case PlannedArgument::Form::OptionalFloat:
      return 'r';
    }
    return argument.isPointer                     ? 'p'
           : argument.element == ScalarKind::Int1 ? 'b'
           : !isInteger(argument.element)         ? 'f'
           : isUnsigned(argument.element)         ? 'u'
                                                  : 'i';
  }

  std::string generateArguments(unsigned k) {
    std::string text = "static const nrd_argument nrd_arguments_" + utostr(k) + "[] = {\n";
    for (const PlannedArgument &argument : plan.kernels[k].arguments) {
      text += "    {" + quoteInC(argument.name) + ", " + decisions[k].describeValues(argument) + ", '" +
              kindOf(argument) + "', " + utostr(getScalarBytes(argument.element)) + ", " +
              (argument.isNullable ? "1" : "0") + "},\n";
    }
    if (plan.kernels[k].arguments.empty()) // C has no empty arrays.
      text += "    {\"\", NULL, 'p', 1, 0},\n";
    return text + "};\n";
  }

  std::string generatePassed(unsigned k, unsigned v) {
    std::vector<std::string> indices;
    for (unsigned index : plan.kernels[k].variants[v].passedArguments)
      indices.push_back(utostr(index));
    if (indices.empty())
      indices.push_back("0");
    return "static const uint32_t nrd_passed_" + utostr(k) + "_" + utostr(v) + "[] = {" +
           join(indices, ", ") + "};\n";
  }

  /// Parameters lie behind one another, each at a multiple of its size (PTX ISA, "Kernel Function
  /// Parameters"). Those of one size are moved one after the other.
  ///
  ///     f(x: pointer, a: i8, n: i32, y: pointer)   offsets 0, 8, 12, 16   moves x 0, y 16, n 12, a 8
  std::string generatePacking(unsigned k, unsigned v) {
    const PlannedVariant &variant = plan.kernels[k].variants[v];
    std::string suffix = utostr(k) + "_" + utostr(v);
    auto passed = make_filter_range(*variant.parameters, std::mem_fn(&KernelParameter::isPassedToImage));
    std::vector<std::string> moves[4];
    unsigned bytes = 0;
    for (auto [index, parameter] : zip_equal(variant.passedArguments, passed)) {
      unsigned size = parameter.isPointer ? 8 : getScalarBytes(parameter.element);
      bytes = alignTo(bytes, size);
      moves[3 - Log2_32(size)].push_back(utostr(index) + ", " + utostr(bytes));
      bytes += size;
    }
    std::vector<std::string> all, counts;
    for (const std::vector<std::string> &ofSize : moves) {
      append_range(all, ofSize);
      counts.push_back(utostr(ofSize.size()));
    }
    return "static const uint16_t nrd_moves_" + suffix + "[] = {" + join(all, ", ") + "};\n" +
           "static const nrd_packing nrd_packing_" + suffix + " = {nrd_moves_" + suffix + ", {" +
           join(counts, ", ") + "}, " + utostr(bytes) + "};\n";
  }

  /// Whether a launch of an image hands over its arguments in one piece.
  bool isPacked(const PlannedImage &image) {
    const TargetCode &code = *image.code->code;
    return code.target.backend == Backend::CUDA && !needsSpecialLaunch(code) &&
           image.code->tensorMaps.empty() && !code.info.scratchBytes &&
           !plan.kernels[image.kernel].variants[image.variant].passedArguments.empty();
  }

  std::string generateRow(const PlannedImage &image) {
    const PlannedKernel &kernel = plan.kernels[image.kernel];
    const PlannedVariant &variant = kernel.variants[image.variant];
    const TargetCode &code = *image.code->code;
    const KernelInfo &info = code.info;
    bool hasTensorMaps = !image.code->tensorMaps.empty();
    bool passesAll = variant.passedArguments.size() == kernel.arguments.size();
    std::string suffix = utostr(image.kernel) + "_" + utostr(image.variant);
    std::string grid = kernel.hasGrid() ? nameGrid(kernel, image.kernel, image.variant) : "NULL";
    ArchNumber arch = getArchNumber(code.target);
    std::string backend = getConstant(getBackendInfo(code.target.backend));
    std::vector<std::string> fields = {
        quoteInC(code.target.str()),
        quoteInC(variant.title),
        quoteInC(image.stored->code->info.symbol),
        image.dataSymbol.empty() ? "NULL" : image.dataSymbol,
        image.dataSymbol.empty() ? image.stored->entrySymbol : "NULL",
        grid,
        passesAll ? "NULL" : "nrd_passed_" + suffix,
        isPacked(image) ? "&nrd_packing_" + suffix : "NULL",
        hasTensorMaps ? "nrd_maps_" + utostr(&image - images.data()) : "NULL",
        "UINT64_C(" + utostr(info.scratchBytes) + ")",
        utostr(variant.passedArguments.size()),
        utostr(image.code->tensorMaps.size()),
        utostr(info.countThreads()),
        utostr(info.sharedBytes),
        utostr(image.variant),
        backend,
        utostr(arch.number),
        arch.suffix ? std::string("'") + arch.suffix + "'" : "0",
        image.hasMachineCode ? "1" : "0",
        image.hasPTX ? "1" : "0",
        info.programsWait ? "1" : "0",
        needsSpecialLaunch(code) ? "1" : "0",
        info.isCooperative ? "1" : "0",
        info.overlapsWithLast ? "1" : "0",
        utostr(info.numCTAs),
        info.resources && info.resources->spilledBytes ? "1" : "0",
        utostr(info.resources ? info.resources->registers : 0),
        utostr(countResidentPrograms(code)),
        utostr(unsigned(code.use)),
        utostr(TuningSource::numberCode(kernel, image.variant, unsigned(image.code - variant.codes.data())))};
    return "    {" + join(fields, ", ") + "},\n";
  }

  /// What the functions of a kernel begin with: its arguments, and whether some pointer is none.
  static std::string gatherArguments(const PlannedKernel &kernel) {
    std::string text = "  void *arguments[" + utostr(std::max<size_t>(kernel.arguments.size(), 1)) + "];\n";
    std::vector<std::string> unusable;
    for (auto [i, argument] : enumerate(kernel.arguments)) {
      std::string name = "a" + utostr(i);
      text += "  arguments[" + utostr(i) + "] = (void *)&" + name + ";\n";
      if (argument.isPointer)
        unusable.push_back((argument.isNullable ? "nrd_is_misaligned(" : "nrd_is_unusable(") + name + ", " +
                           utostr(getScalarBytes(argument.element)) + ")");
    }
    return text + "  const int unusable = " + (unusable.empty() ? "0" : join(unusable, " | ")) + ";\n";
  }

  /// What they hand on: `(stream, kernel, arguments, leaf, unusable` for `(stream, ` and the leaf.
  static std::string passCall(const std::string &first, unsigned index, const std::string &variant) {
    return "(" + first + "&nrd_kernels[" + utostr(index) + "], arguments, " + variant + ", unusable";
  }

  std::string generateFunctions(const PlannedKernel &kernel) {
    unsigned index = &kernel - plan.kernels.data();
    std::string parameters = parametersOf(kernel, [](unsigned i) { return "a" + utostr(i); });
    std::string body = gatherArguments(kernel), symbol = plan.getSymbol(kernel);
    std::string call = passCall("stream, ", index, "nrd_decide_" + utostr(index) + "(arguments)");
    std::string text;
    if (kernel.hasGrid()) {
      text += "nrd_status " + symbol + "(nrd_stream stream" + parameters + ") {\n" + body;
      // Which of those that are tuned runs depends on whether the caller gave the grid.
      if (kernel.hasCommonGrid() && !kernel.isTuned())
        text += "  int64_t grid[3] = {1, 1, 1};\n  const int is_bad = nrd_grid_" + utostr(index) +
                "_0(arguments, grid);\n  return nrd_run_on_common_grid" + call + ", is_bad, grid);\n}\n\n";
      else
        text += "  return nrd_run_on_own_grid" + call + ");\n}\n\n";
    }
    text += "nrd_status " + symbol + "_grid(nrd_stream stream, nrd_dim3 grid" + parameters + ") {\n" + body +
            "  return nrd_run_on_grid" + call + ", grid);\n}\n\n";
    std::string tag = getSymbolTag(kernel);
    if (kernel.hasGrid())
      text += generateAlias(index, "", symbol, tag, parameters);
    text += generateAlias(index, "_grid", symbol + "_grid", tag, ", nrd_dim3 grid" + parameters);
    return text + generateChoice(kernel, index, symbol, tag, parameters);
  }

  /// KERNEL_variants, KERNEL_explain and KERNEL_force.
  std::string generateChoice(const PlannedKernel &kernel, unsigned index, const std::string &symbol,
                             const std::string &tag, const std::string &parameters) {
    std::string text = "uint32_t " + symbol + "_variants(const nrd_variant **list) {\n  *list = nrd_listed_" +
                       utostr(index) + ";\n  return " + utostr(kernel.variants.size()) + ";\n}\n\n";
    auto add = [&](const std::string &suffix, const std::string &before, const std::string &after,
                   const std::string &body) {
      text += "nrd_status " + symbol + suffix + "(nrd_stream stream" + before + parameters + after + ") {\n" +
              gatherArguments(kernel) + body + "}\n\n" +
              generateAlias(index, suffix, symbol + suffix, tag, before + parameters + after);
    };
    add("_explain", "", ", char *text, size_t size",
        "  nrd_call call = nrd_make_call" +
            passCall("", index, "nrd_decide_" + utostr(index) + "(arguments)") +
            ");\n  return nrd_explain(stream, &call, text, size);\n");
    std::string forced = passCall("stream, ", index, "number");
    if (kernel.hasGrid())
      add("_force", ", uint32_t number", "", "  return nrd_force_on_own_grid" + forced + ");\n");
    add("_force_grid", ", uint32_t number, nrd_dim3 grid", "",
        "  return nrd_force_on_grid" + forced + ", grid);\n");
    return text + generatePacked(kernel, index, symbol);
  }

  /// KERNEL_force_packed and KERNEL_choose_packed: without types, for callers that read of those elsewhere.
  std::string generatePacked(const PlannedKernel &kernel, unsigned index, const std::string &symbol) {
    std::string values = kernel.arguments.empty() ? "  (void)values;\n" : "";
    for (auto [i, argument] : enumerate(kernel.arguments)) {
      std::string type = typeInC(argument);
      values += "  " + type + "a" + utostr(i) + " = *(" + type + (StringRef(type).ends_with(" ") ? "" : " ") +
                "const *)values[" + utostr(i) + "];\n";
    }
    values += gatherArguments(kernel);
    std::string forced = passCall("stream, ", index, "number");
    std::string withoutGrid =
        kernel.hasGrid() ? "return nrd_force_on_own_grid" + forced + ");\n"
                         : "return nrd_fail(NRD_ERROR_INVALID_ARGUMENT, \"%s: there is no grid, and no "
                           "expression for one\", nrd_kernels[" +
                               utostr(index) + "].name);\n";
    return "nrd_status " + symbol +
           "_force_packed(nrd_stream stream, uint32_t number, const nrd_dim3 *grid, const void *const "
           "*values) {\n" +
           values + "  if (grid)\n    return nrd_force_on_grid" + forced + ", *grid);\n  " + withoutGrid +
           "}\n\nnrd_status " + symbol +
           "_choose_packed(nrd_stream stream, const void *const *values, uint32_t *number, const char "
           "**target) {\n" +
           values + "  nrd_call call = nrd_make_call" +
           passCall("", index, "nrd_decide_" + utostr(index) + "(arguments)") +
           ");\n  return nrd_choose_for(stream, &call, number, target);\n}\n\n";
  }

  /// The function's plain name, for programs that look it up by that.
  static std::string generateAlias(unsigned index, const std::string &suffix, const std::string &symbol,
                                   const std::string &tag, const std::string &parameters) {
    return "NRD_EXPORT nrd_status nrd_plain_" + utostr(index) + suffix + "(nrd_stream stream" + parameters +
           ") __asm__(\"" + symbol + "\") __attribute__((alias(\"" + symbol + tag + "\")));\n\n";
  }

  const DispatchPlan &plan;
  ArrayRef<PlannedImage> images;
  ArrayRef<PythonFunction> functions;
  /// For each GPU's back end: its list of devices, how that is taken and given back, and what a child process
  /// does.
  std::string gpuLists, gpuTakes, gpuFrees, gpuAfterFork;
  /// How the device of a stream is found, for an explanation.
  std::string explainCases;
  /// Of each kernel.
  std::vector<DecisionSource> decisions;
};
} // namespace

std::string generateSource(const DispatchPlan &plan, ArrayRef<PlannedImage> images,
                           ArrayRef<PythonFunction> functions) {
  return SourceGenerator(plan, images, functions).generate();
}

} // namespace nereid
