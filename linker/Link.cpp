// The steps of a link: plan, pack the images into one object, generate the C text, compile where asked, move
// into place.
#include "linker/Link.h"

#include "linker/Bindings.h"
#include "linker/CCompiler.h"
#include "linker/CNames.h"
#include "linker/DispatchPlan.h"
#include "linker/FatBinary.h"
#include "linker/ImageDigest.h"
#include "linker/ImageObject.h"
#include "linker/LibraryManifest.h"
#include "linker/LibrarySource.h"
#include "linker/PythonPackage.h"
#include "linker/StageArchive.h"
#include "linker/Subprocess.h"
#include "linker/TemporaryFolder.h"
#include "linker/TuningDecision.h"
#include "toolkits/Toolkits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <map>

using namespace llvm;

namespace nereid {

#if defined(__aarch64__)
static constexpr uint16_t hostMachine = ELF::EM_AARCH64;
#else
static constexpr uint16_t hostMachine = ELF::EM_X86_64;
#endif

namespace {

/// What one link works on.
class Linker {
public:
  Linker(DispatchPlan plan, std::vector<PythonFunction> functions, StringRef outDir, StringRef host,
         std::vector<std::string> pythonTexts, const PackingOptions &packing, OutputSet &outputs,
         Diagnostics &diagnostics)
      : plan(std::move(plan)), functions(std::move(functions)), outDir(outDir),
        pythonTexts(std::move(pythonTexts)), packing(packing), outputs(outputs), diagnostics(diagnostics) {
    if (isCompressed())
      hipFatbin.alignment = nvFatbin.alignment;
    if (!host.empty())
      machineOfLibrary = host == "aarch64" ? ELF::EM_AARCH64 : ELF::EM_X86_64;
  }

  Expected<std::vector<std::string>> run(LinkMode mode) {
    if (std::error_code code = sys::fs::create_directories(outDir, /*IgnoreExisting=*/true, sys::fs::all_all))
      return createStringError("cannot make the folder '" + outDir + "': " + code.message());
    if (Error error = folder->create(outDir))
      return std::move(error);
    if (Error error = writeSources())
      return std::move(error);
    std::vector<std::string> files = getLinkOutputs(plan.name, mode);
    const std::string library = files.back();
    if (mode != LinkMode::Source) {
      if (Error error = compile(mode))
        return std::move(error);
      if (Error error = mode == LinkMode::Shared ? linkShared(library) : archive(library))
        return std::move(error);
    }
    if (!pythonTexts.empty())
      if (Error error = addPython(mode, library, files))
        return std::move(error);
    return addOutputs(files);
  }

private:
  /// The file of a name in a folder of its own, in the temporary folder that has none.
  std::string getTemporaryPath(StringRef file) const {
    std::string flat = file.str();
    std::replace(flat.begin(), flat.end(), '/', '@');
    return folder->getPath(flat);
  }

  Error addPython(LinkMode mode, StringRef library, std::vector<std::string> &files) {
    files = getLinkOutputs(plan.name, mode, /*withPython=*/true);
    for (auto [name, text] : zip_equal(getPythonFiles(), pythonTexts))
      if (Error error = writeFile(getTemporaryPath(plan.name + "/" + name), text))
        return error;
    if (mode == LinkMode::Shared)
      if (std::error_code code =
              sys::fs::copy_file(folder->getPath(library), getTemporaryPath(plan.name + "/" + library.str())))
        return createStringError("cannot copy '" + library + "': " + code.message());
    return outputs.addFolder(outDir + "/" + plan.name);
  }

  Error writeSources() {
    Expected<std::string> object = makeImageObject();
    if (!object)
      return object.takeError();
    if (Error error = writeFile(folder->getPath(plan.name + "_images.o"), *object))
      return error;
    for (const auto &[suffix, text] : {std::pair<const char *, std::string>(".h", generateHeader(plan)),
                                       {".hpp", generateCxxHeader(plan)},
                                       {".rs", generateRustModule(plan)}})
      if (Error error = writeFile(folder->getPath(plan.name + suffix), text))
        return error;
    return writeFile(folder->getPath(plan.name + ".c"), generateSource(plan, images, functions));
  }

  /// The object with every image, and `images`, the table that refers to it.
  Expected<std::string> makeImageObject() {
    for (auto [k, kernel] : enumerate(plan.kernels))
      for (auto [v, variant] : enumerate(kernel.variants)) {
        if (Error error = addCuda(k, v))
          return std::move(error);
        if (Error error = addHip(k, v))
          return std::move(error);
        if (Error error = addCPU(k, v))
          return std::move(error);
      }
    DataSection manifest = {manifestSectionName, 1, "", {}};
    manifest.append(plan.name + "_nrd_manifest", describeLibrary(plan, stored, packing.keepsStages) + '\0');
    std::vector<DataSection> sections = {std::move(manifest)};
    if (packing.keepsStages)
      addStages(sections);
    for (DataSection *section : {&nvFatbin, &hipFatbin})
      if (!section->bytes.empty())
        sections.push_back(std::move(*section));
    objects.insert(objects.begin(), writeDataObject(sections, getMachineOfLibrary()));
    return mergeObjects(objects);
  }

  /// Variants that share code were compiled on their own, so that each has stages.
  void addStages(std::vector<DataSection> &sections) {
    DataSection section = {stagesSectionName, 1, "", {}};
    section.isLoaded = false;
    for (const PlannedKernel &kernel : plan.kernels)
      for (const PlannedVariant &variant : kernel.variants)
        for (const PlannedCode &code : variant.codes)
          if (!code.code->stages.empty())
            section.bytes += wrapArchive(code.code->stages);
    if (section.bytes.empty())
      diagnostics.warning("no stages are kept in the library: none of the kernel objects has any "
                          "(nereid compile --stages)");
    else
      sections.push_back(std::move(section));
  }

  bool isCompressed() const { return packing.compression != Compression::None; }

  std::string makeDataSymbol() { return plan.name + "_nrd_image_" + utostr(images.size()); }

  /// If the same code is stored already, for another variant, adds rows that refer to it.
  bool shareStored(unsigned k, unsigned v, const PlannedCode &code) {
    auto [it, isNew] = storedBy.try_emplace(digestImages(*code.code), &code);
    if (isNew)
      return false;
    stored[&code] = {0, stored[it->second].isCompressed, it->second};
    auto first =
        find_if(images, [&, stored = it->second](const PlannedImage &image) { return image.code == stored; });
    for (size_t i = first - images.begin(); i != images.size() && images[i].code == it->second; ++i) {
      PlannedImage shared = images[i];
      shared.kernel = k;
      shared.variant = v;
      shared.code = &code;
      images.push_back(std::move(shared));
    }
    return true;
  }

  Error addCuda(unsigned k, unsigned v) {
    for (const PlannedCode &code : plan.kernels[k].variants[v].codes) {
      if (code.code->target.backend != Backend::CUDA)
        continue;
      if (!searchedFatbinary) {
        searchedFatbinary = true;
        Expected<std::string> found = findFatbinary();
        if (!found)
          return found.takeError();
        fatbinary = std::move(*found);
        if (fatbinary.empty())
          diagnostics.warning(
              "NVIDIA's 'fatbinary' was not found (NEREID_FATBINARY, CUDA_HOME, PATH): the library "
              "works, but " +
              std::string(isCompressed() ? "its images for NVIDIA's GPUs are not compressed, and " : "") +
              "NVIDIA's tools cannot list its images");
      }
      if (shareStored(k, v, code))
        continue;
      Expected<std::vector<CudaBinary>> binaries = packCuda(*code.code, fatbinary, packing.compression);
      if (!binaries)
        return binaries.takeError();
      for (const CudaBinary &binary : *binaries) {
        std::string symbol = makeDataSymbol();
        nvFatbin.append(symbol, binary.bytes);
        stored[&code].bytes += binary.bytes.size();
        stored[&code].isCompressed = isCompressed() && !fatbinary.empty();
        stored[&code].kept = &code;
        images.push_back({k, v, &code, symbol, binary.hasMachineCode, binary.hasPTX, &code});
      }
    }
    return Error::success();
  }

  Error addHip(unsigned k, unsigned v) {
    std::vector<const PlannedCode *> planned;
    std::vector<const TargetCode *> codes;
    for (const PlannedCode &code : plan.kernels[k].variants[v].codes)
      if (code.code->target.backend == Backend::HIP && !shareStored(k, v, code)) {
        planned.push_back(&code);
        codes.push_back(code.code);
      }
    if (isCompressed()) {
      for (auto [code, target] : zip(planned, codes)) {
        Expected<std::string> packed = packHipCompressed(*target);
        if (!packed)
          return packed.takeError();
        std::string symbol = makeDataSymbol();
        hipFatbin.append(symbol, *packed);
        stored[code] = {packed->size(), true, code};
        images.push_back({k, v, code, symbol, true, false, code});
      }
      return Error::success();
    }
    if (codes.empty())
      return Error::success();
    // The driver is given the code object itself; the bundle around it is for the tools.
    HipBundle bundle = packHip(codes);
    uint64_t start = alignTo(hipFatbin.bytes.size(), hipBundleAlignment);
    hipFatbin.bytes.resize(start);
    hipFatbin.bytes += bundle.bytes;
    for (auto [code, offset] : zip(planned, bundle.offsets)) {
      std::string symbol = makeDataSymbol();
      hipFatbin.symbols.push_back({symbol, start + offset, code->code->images.front().bytes.size()});
      stored[code] = {code->code->images.front().bytes.size(), false, code};
      images.push_back({k, v, code, symbol, true, false, code});
    }
    return Error::success();
  }

  Error addCPU(unsigned k, unsigned v) {
    const PlannedVariant &variant = plan.kernels[k].variants[v];
    for (const PlannedCode &code : variant.codes) {
      if (code.code->target.backend != Backend::CPU)
        continue;
      CodeObject object = {code.code->images.front().bytes, code.code->info.symbol, code.entrySymbol,
                           plan.name + "_nrd_yield",
                           variant.object->describe() + ", " + code.code->target.str()};
      Expected<uint16_t> machine = getMachine(object);
      if (!machine)
        return machine.takeError();
      if (machineOfCode && *machineOfCode != *machine)
        return createStringError(
            object.description +
            ": its CPU code is for another processor family than the rest of the library");
      machineOfCode = *machine;
      if (machineOfLibrary && *machineOfLibrary != *machine)
        return createStringError(object.description + ": its CPU code is not for the processors of '--host'");
      if (shareStored(k, v, code))
        continue;
      Expected<std::string> isolated = isolateCodeObject(object);
      if (!isolated)
        return isolated.takeError();
      stored[&code].bytes = countLoadedBytes(*isolated);
      objects.push_back(std::move(*isolated));
      images.push_back({k, v, &code, "", true, false, &code});
    }
    return Error::success();
  }

  Error compile(LinkMode mode) {
    uint16_t machine = getMachineOfLibrary();
    Expected<std::vector<std::string>> command =
        findCCompiler(machine == hostMachine ? std::nullopt : std::optional(machine));
    if (!command)
      return command.takeError();
    compiler = *command;
    std::vector<std::string> flags = {"-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-pthread", "-c"};
    // What a static library is linked into should not export its functions.
    // And the archive, which is written here, lists no functions of objects that only a compiler can read.
    if (mode == LinkMode::Static)
      flags.insert(flags.end(), {"-DNRD_HIDDEN", "-fno-lto"});
    Expected<std::string> plain = folder->getPlainPath();
    if (!plain)
      return plain.takeError();
    if (Error error =
            compileC(compiler, flags, *plain, plan.name + ".c", {plan.name + ".h"}, plan.name + ".o"))
      return error;
    return checkIsFor(machine, compiler, *plain + "/" + plan.name + ".o");
  }

  uint16_t getMachineOfLibrary() const {
    return machineOfLibrary.value_or(machineOfCode.value_or(hostMachine));
  }

  Error linkShared(StringRef file) {
    Expected<std::string> plain = folder->getPlainPath();
    if (!plain)
      return plain.takeError();
    std::vector<std::string> command = compiler;
    for (const std::string &word :
         {std::string("-shared"), "-o" + *plain + "/" + file.str(), *plain + "/" + plan.name + ".o",
          *plain + "/" + plan.name + "_images.o", "-Wl,-soname," + file.str(), std::string("-Wl,-z,defs"),
          std::string("-Wl,-z,noexecstack"), std::string("-Wl,--as-needed"), std::string("-pthread"),
          std::string("-lm"), std::string("-ldl")})
      command.push_back(word);
    return runProgram(command);
  }

  Error archive(StringRef file) {
    std::vector<NewArchiveMember> members;
    for (const char *suffix : {".o", "_images.o"}) {
      Expected<NewArchiveMember> member =
          NewArchiveMember::getFile(folder->getPath(plan.name + suffix), true);
      if (!member)
        return member.takeError();
      member->MemberName = sys::path::filename(member->MemberName); // Not that of the temporary folder.
      members.push_back(std::move(*member));
    }
    return writeArchive(folder->getPath(file), members, SymtabWritingMode::NormalSymtab,
                        object::Archive::K_GNU,
                        /*Deterministic=*/true, /*Thin=*/false);
  }

  Expected<std::vector<std::string>> addOutputs(ArrayRef<std::string> files) {
    std::vector<std::string> paths;
    for (const std::string &file : files) {
      paths.push_back(outDir + "/" + file);
      if (Error error = outputs.addMade(paths.back(), getTemporaryPath(file)))
        return std::move(error);
    }
    outputs.keep(std::move(folder));
    return paths;
  }

  DispatchPlan plan;
  std::vector<PythonFunction> functions;
  std::string outDir;
  /// The files of the Python package, if there is to be one.
  std::vector<std::string> pythonTexts;
  PackingOptions packing;
  OutputSet &outputs;
  Diagnostics &diagnostics;
  std::unique_ptr<TemporaryFolder> folder = std::make_unique<TemporaryFolder>();
  std::vector<PlannedImage> images;
  /// What became of each code.
  std::map<const PlannedCode *, StoredCode> stored;
  /// By the code's digest, what is stored.
  std::map<std::vector<uint8_t>, const PlannedCode *> storedBy;
  DataSection nvFatbin = {".nv_fatbin", 64, "", {}};
  DataSection hipFatbin = {".hip_fatbin", hipBundleAlignment, "", {}};
  std::vector<std::string> objects;
  std::optional<uint16_t> machineOfCode, machineOfLibrary;
  bool searchedFatbinary = false;
  std::string fatbinary;
  std::vector<std::string> compiler;
};

} // namespace

std::vector<std::string> getLinkOutputs(StringRef name, LinkMode mode, bool withPython) {
  std::string base = name.str(), library = "lib" + base + (mode == LinkMode::Shared ? ".so" : ".a");
  std::vector<std::string> files = {base + ".h", base + ".hpp", base + ".rs"};
  if (withPython) {
    for (const std::string &file : getPythonFiles())
      files.push_back(base + "/" + file);
    if (mode == LinkMode::Shared)
      files.push_back(base + "/" + library);
  }
  if (mode == LinkMode::Source)
    append_range(files, std::vector<std::string>{base + ".c", base + "_images.o"});
  else
    files.push_back(library);
  return files;
}

std::optional<std::vector<std::string>> link(ArrayRef<KernelObject> objects, StringRef name, StringRef outDir,
                                             LinkMode mode, OutputSet &outputs, Diagnostics &diagnostics,
                                             StringRef host, ArrayRef<Measurement> measurements,
                                             const PythonOptions &python, const PackingOptions &packing) {
  const unsigned errors = diagnostics.getErrorCount();
  if (std::string reason = whyNotALibraryName(name); !reason.empty()) {
    diagnostics.error(reason);
    return std::nullopt;
  }
  if (std::string reason = python.isWanted ? whyNotAPackageName(name) : ""; !reason.empty()) {
    diagnostics.error(reason);
    return std::nullopt;
  }
  if (python.isWanted && mode == LinkMode::Static) {
    diagnostics.error("Python loads shared libraries: --python goes with --shared or --source");
    return std::nullopt;
  }
  if (objects.empty()) {
    diagnostics.error("there is nothing to link: no kernel objects were given");
    return std::nullopt;
  }
  std::optional<DispatchPlan> plan = planDispatch(objects, name, diagnostics);
  if (!plan)
    return std::nullopt;
  addTuning(*plan, measurements, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  auto functions = describePythonFunctions(*plan, diagnostics);
  if (!functions)
    return std::nullopt;
  std::vector<std::string> pythonTexts;
  if (python.isWanted) {
    auto texts = generatePythonPackage(*plan, *functions, python.version, diagnostics);
    if (!texts)
      return std::nullopt;
    pythonTexts = std::move(*texts);
  }
  Expected<std::vector<std::string>> files = Linker(std::move(*plan), std::move(*functions), outDir, host,
                                                    std::move(pythonTexts), packing, outputs, diagnostics)
                                                 .run(mode);
  if (!files) {
    diagnostics.error(toString(files.takeError()));
    return std::nullopt;
  }
  // A warning may be an error.
  if (diagnostics.getErrorCount() != errors)
    return std::nullopt;
  return *files;
}

} // namespace nereid
