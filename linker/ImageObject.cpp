// Data objects are written byte by byte (an ELF file with data and symbols, but no relocations, is a header,
// the sections and three tables). CPU code objects are changed by LLVM's objcopy and merged by lld, both as
// library calls.
#include "linker/ImageObject.h"

#include "linker/Subprocess.h"
#include "linker/TemporaryFolder.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace nereid {

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

void DataSection::append(StringRef symbol, StringRef contents) {
  bytes.resize(alignTo(bytes.size(), alignment));
  symbols.push_back({symbol.str(), bytes.size(), contents.size()});
  bytes += contents;
}

namespace {
/// Collects the parts of an ELF file. Both machines that Nereid knows are little-endian, as are the hosts it
/// runs on, so structures are copied as they are.
class ElfWriter {
public:
  ElfWriter() {
    file.resize(sizeof(ELF::Elf64_Ehdr));
    headers.emplace_back(); // Section 0 is reserved.
  }

  /// Returns the section's index.
  unsigned addSection(StringRef name, unsigned type, uint64_t flags, uint64_t alignment, StringRef bytes,
                      unsigned link = 0, unsigned info = 0, uint64_t entrySize = 0) {
    file.resize(alignTo(file.size(), std::max<uint64_t>(alignment, 1)));
    ELF::Elf64_Shdr header = {};
    header.sh_name = names.size();
    names += name.str() + '\0';
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_offset = file.size();
    header.sh_size = bytes.size();
    header.sh_link = link;
    header.sh_info = info;
    header.sh_addralign = alignment;
    header.sh_entsize = entrySize;
    headers.push_back(header);
    file += bytes;
    return headers.size() - 1;
  }

  std::string finish(uint16_t machine) {
    names += StringRef(".shstrtab").str() + '\0';
    std::string table = names;
    size_t nameOffset = table.size() - sizeof ".shstrtab";
    unsigned index = addSection("", ELF::SHT_STRTAB, 0, 1, table);
    headers.back().sh_name = nameOffset;
    file.resize(alignTo(file.size(), 8));

    ELF::Elf64_Ehdr header = {};
    memcpy(header.e_ident, ELF::ElfMagic, 4);
    header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
    header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
    header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
    header.e_type = ELF::ET_REL;
    header.e_machine = machine;
    header.e_version = ELF::EV_CURRENT;
    header.e_shoff = file.size();
    header.e_ehsize = sizeof(ELF::Elf64_Ehdr);
    header.e_shentsize = sizeof(ELF::Elf64_Shdr);
    header.e_shnum = headers.size();
    header.e_shstrndx = index;
    memcpy(file.data(), &header, sizeof header);
    file.append(reinterpret_cast<const char *>(headers.data()), headers.size() * sizeof(ELF::Elf64_Shdr));
    return std::move(file);
  }

private:
  std::string file;
  std::string names = std::string(1, '\0');
  std::vector<ELF::Elf64_Shdr> headers;
};
} // namespace

std::string writeDataObject(ArrayRef<DataSection> sections, uint16_t machine) {
  ElfWriter writer;
  std::string strings(1, '\0');
  std::vector<ELF::Elf64_Sym> symbols(1); // Symbol 0 is reserved.
  for (const DataSection &section : sections) {
    unsigned index = writer.addSection(section.name, ELF::SHT_PROGBITS, section.isLoaded ? ELF::SHF_ALLOC : 0,
                                       section.alignment, section.bytes);
    for (const DataSection::Symbol &symbol : section.symbols) {
      ELF::Elf64_Sym entry = {};
      entry.st_name = strings.size();
      strings += symbol.name + '\0';
      entry.setBindingAndType(ELF::STB_GLOBAL, ELF::STT_OBJECT);
      entry.st_other = ELF::STV_HIDDEN;
      entry.st_shndx = index;
      entry.st_value = symbol.offset;
      entry.st_size = symbol.size;
      symbols.push_back(entry);
    }
  }
  // Says that this object does not ask for an executable stack.
  writer.addSection(".note.GNU-stack", ELF::SHT_PROGBITS, 0, 1, "");
  unsigned stringIndex = writer.addSection(".strtab", ELF::SHT_STRTAB, 0, 1, strings);
  StringRef symbolBytes(reinterpret_cast<const char *>(symbols.data()),
                        symbols.size() * sizeof(ELF::Elf64_Sym));
  writer.addSection(".symtab", ELF::SHT_SYMTAB, 0, 8, symbolBytes, stringIndex,
                    /*info: first global symbol*/ 1, sizeof(ELF::Elf64_Sym));
  return writer.finish(machine);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static Expected<std::unique_ptr<object::ObjectFile>> openObject(const CodeObject &code) {
  auto object = object::ObjectFile::createELFObjectFile(MemoryBufferRef(code.bytes, code.description));
  if (!object)
    return createStringError(code.description +
                             ": its CPU code is not an ELF object: " + toString(object.takeError()));
  if (!(*object)->isRelocatableObject() || !(*object)->is64Bit())
    return createStringError(code.description + ": its CPU code is not a 64-bit relocatable object");
  return object;
}

Expected<uint16_t> getMachine(const CodeObject &code) {
  auto object = openObject(code);
  if (!object)
    return object.takeError();
  return cast<object::ELFObjectFileBase>(**object).getEMachine();
}

uint64_t countLoadedBytes(StringRef bytes) {
  auto object = object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "object"));
  if (!object) {
    consumeError(object.takeError());
    return 0;
  }
  uint64_t count = 0;
  for (const object::ELFSectionRef section : (*object)->sections())
    if (section.getFlags() & ELF::SHF_ALLOC)
      count += section.getSize();
  return count;
}

Expected<std::string> isolateCodeObject(const CodeObject &code) {
  auto object = openObject(code);
  if (!object)
    return object.takeError();
  bool isDefined = false;
  for (const object::ELFSymbolRef symbol : cast<object::ELFObjectFileBase>(**object).symbols()) {
    Expected<StringRef> name = symbol.getName();
    Expected<uint32_t> flags = symbol.getFlags();
    if (name && flags && *name == code.symbol)
      isDefined |= !(*flags & object::SymbolRef::SF_Undefined) && (*flags & object::SymbolRef::SF_Global);
    consumeError(name.takeError());
    consumeError(flags.takeError());
  }
  if (!isDefined)
    return createStringError(code.description + ": its CPU code does not define '" + code.symbol + "'");

  objcopy::ConfigManager config;
  config.Common.OutputFilename = "-";
  config.Common.SymbolsToRename[code.symbol] = code.newSymbol;
  config.Common.SymbolsToRename["sched_yield"] = code.yieldSymbol;
  // What is kept global, and hidden, goes by the name it has before it is renamed.
  auto literal = [](StringRef name) {
    return objcopy::NameOrPattern::create(name, objcopy::MatchStyle::Literal,
                                          [](Error error) { return error; });
  };
  if (Error error = config.Common.SymbolsToKeepGlobal.addMatcher(literal(code.symbol)))
    return std::move(error);
  objcopy::NameMatcher hidden;
  if (Error error = hidden.addMatcher(literal(code.symbol)))
    return std::move(error);
  config.ELF.SymbolsToSetVisibility.emplace_back(std::move(hidden), uint8_t(ELF::STV_HIDDEN));
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  if (Error error = objcopy::executeObjcopyOnBinary(config, **object, stream))
    return createStringError(code.description + ": " + toString(std::move(error)));
  return bytes.str().str();
}

Expected<std::string> mergeObjects(ArrayRef<std::string> objects) {
  if (objects.size() == 1)
    return objects.front();
  TemporaryFolder folder;
  if (Error error = folder.createAnywhere())
    return std::move(error);
  std::string output = folder.getPath("merged.o");
  // In one archive, as a library may have thousands of them, and to make a file takes longer than to read
  // one.
  std::string archive = folder.getPath("images.a");
  std::vector<NewArchiveMember> members;
  for (const std::string &object : objects)
    members.emplace_back(MemoryBufferRef(object, "image.o"));
  if (Error error = writeArchive(archive, members, SymtabWritingMode::NoSymtab, object::Archive::K_GNU,
                                 /*Deterministic=*/true, /*Thin=*/false))
    return std::move(error);
  std::vector<std::string> command = {"ld.lld",          "-r",   "--threads=1", "-o", output,
                                      "--whole-archive", archive};
  std::vector<const char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(word.c_str());

  std::string text;
  raw_string_ostream stream(text);
  {
    // lld keeps state in globals: one link at a time, and none after one that crashed.
    static std::mutex mutex;
    static bool isUsable = true;
    std::lock_guard<std::mutex> lock(mutex);
    if (!isUsable)
      return createStringError("the linker crashed earlier and cannot be used again in this process");
    lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    isUsable = result.canRunAgain;
    if (result.retCode != 0)
      return createStringError("cannot merge the images: " + StringRef(text).trim());
  }
  return readFile(output);
}

} // namespace nereid
