// The fatbin's format is NVIDIA's own, so `fatbinary` writes it. The offload bundle is documented by Clang
// (ClangOffloadBundler): a magic string, the number of entries, and for each its offset, size and identifier;
// the first entry is the host's, which here is empty.
#include "linker/FatBinary.h"

#include "linker/Subprocess.h"
#include "linker/TemporaryFolder.h"
#include "toolkits/ToolMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/OffloadBundle.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

using namespace llvm;

namespace nereid {

/// Whether `bytes` is one whole fatbin: a header with a magic number, its own size, and that of what follows
/// it.
static Error checkFatbin(StringRef bytes) {
  constexpr uint32_t magic = 0xBA55ED50;
  constexpr size_t sizeAt = 6, payloadAt = 8, smallestHeader = 16;
  if (bytes.size() < smallestHeader || support::endian::read32le(bytes.data()) != magic)
    return createStringError("it does not begin like one");
  uint64_t header = support::endian::read16le(bytes.data() + sizeAt);
  uint64_t payload = support::endian::read64le(bytes.data() + payloadAt);
  if (header < smallestHeader || header > bytes.size() || payload == 0 || payload > bytes.size() - header)
    return createStringError("a size in it is wrong");
  return Error::success();
}

/// What fatbinary is asked for: images of one architecture in one file.
static ToolQuestion askToPack(const TargetCode &code, StringRef fatbinary, Compression compression) {
  ToolQuestion question;
  question.add("fatbinary -64");
  question.addProgram(fatbinary);
  question.add(code.target.arch);
  question.add(utostr(static_cast<unsigned>(compression)));
  for (const KernelImage &image : code.images) {
    question.add(getImageFormatName(image.format));
    question.add(image.bytes);
  }
  return question;
}

/// Runs `fatbinary`, an older one that does not know modes of compression without, which is speed.
static Error runFatbinary(const std::vector<std::string> &command, Compression compression) {
  if (compression == Compression::None)
    return runProgram(command);
  std::vector<std::string> all = command;
  all.push_back("--compress-all");
  std::vector<std::string> withMode = all;
  withMode.push_back(std::string("--compress-mode=") +
                     (compression == Compression::Speed ? "speed" : "size"));
  Error error = runProgram(withMode);
  if (!error || compression != Compression::Speed)
    return error;
  Error second = runProgram(all);
  if (second)
    return joinErrors(std::move(error), std::move(second));
  consumeError(std::move(error));
  return Error::success();
}

Expected<std::vector<CudaBinary>> packCuda(const TargetCode &code, StringRef fatbinary,
                                           Compression compression) {
  std::vector<CudaBinary> result;
  if (fatbinary.empty()) {
    for (const KernelImage &image : code.images) {
      bool isPTX = image.format == ImageFormat::PTX;
      // The driver takes PTX as text that ends with a NUL.
      result.push_back({isPTX ? image.bytes + '\0' : image.bytes, !isPTX, isPTX});
    }
    return result;
  }

  CudaBinary binary;
  for (const KernelImage &image : code.images)
    (image.format == ImageFormat::PTX ? binary.hasPTX : binary.hasMachineCode) = true;
  ToolQuestion question;
  ToolMemory *memory = ToolMemory::get();
  if (memory) {
    question = askToPack(code, fatbinary, compression);
    if (std::optional<std::string> bytes = memory->find(question)) {
      binary.bytes = std::move(*bytes);
      result.push_back(std::move(binary));
      return result;
    }
  }
  TemporaryFolder folder;
  if (Error error = folder.createAnywhere())
    return std::move(error);
  Expected<std::string> plain = folder.getPlainPath();
  if (!plain)
    return plain.takeError();
  std::string output = *plain + "/out.fatbin";
  std::vector<std::string> command = {fatbinary.str(), "-64", "--create=" + output};
  for (auto [i, image] : enumerate(code.images)) {
    bool isPTX = image.format == ImageFormat::PTX;
    std::string path = *plain + "/" + utostr(i) + (isPTX ? ".ptx" : ".cubin");
    if (Error error = writeFile(path, image.bytes))
      return std::move(error);
    command.push_back(std::string("--image3=kind=") + (isPTX ? "ptx" : "elf") + ",sm=" + code.target.arch +
                      ",file=" + path);
  }
  if (Error error = runFatbinary(command, compression))
    return std::move(error);
  Expected<std::string> bytes = readFile(output);
  if (!bytes)
    return createStringError("'" + fatbinary + "' reported success, but " + toString(bytes.takeError()));
  if (Error error = checkFatbin(*bytes))
    return createStringError("'" + fatbinary + "' reported success, but what it wrote is no fat binary: " +
                             toString(std::move(error)));
  if (memory)
    memory->keep(question, {}, *bytes);
  binary.bytes = std::move(*bytes);
  result.push_back(std::move(binary));
  return result;
}

HipBundle packHip(ArrayRef<const TargetCode *> codes) {
  std::vector<std::string> identifiers = {"host-x86_64-unknown-linux--"};
  for (const TargetCode *code : codes)
    identifiers.push_back("hipv4-amdgcn-amd-amdhsa--" + code->target.arch);
  const StringRef magic = "__CLANG_OFFLOAD_BUNDLE__";
  uint64_t offset = magic.size() + 8;
  for (const std::string &identifier : identifiers)
    offset += 24 + identifier.size();

  HipBundle bundle;
  raw_string_ostream os(bundle.bytes);
  support::endian::Writer writer(os, endianness::little);
  os << magic;
  writer.write<uint64_t>(identifiers.size());
  for (auto [i, identifier] : enumerate(identifiers)) {
    uint64_t size = i == 0 ? 0 : codes[i - 1]->images.front().bytes.size();
    offset = alignTo(offset, hipBundleAlignment);
    if (i != 0)
      bundle.offsets.push_back(offset);
    writer.write<uint64_t>(offset);
    writer.write<uint64_t>(size);
    writer.write<uint64_t>(identifier.size());
    os << identifier;
    offset += size;
  }
  for (auto [i, code] : enumerate(codes)) {
    os.write_zeros(bundle.offsets[i] - os.tell());
    os << code->images.front().bytes;
  }
  return bundle;
}

Expected<std::string> packHipCompressed(const TargetCode &code) {
  // Version 3 is for bundles beyond 4 GiB, and younger.
  constexpr uint16_t version = 2;
  const compression::Format format =
      compression::zstd::isAvailable() ? compression::Format::Zstd : compression::Format::Zlib;
  std::unique_ptr<MemoryBuffer> bundle = MemoryBuffer::getMemBufferCopy(packHip({&code}).bytes);
  auto packed = object::CompressedOffloadBundle::compress(compression::Params(format), *bundle, version);
  if (!packed)
    return packed.takeError();
  return (*packed)->getBuffer().str();
}

} // namespace nereid
