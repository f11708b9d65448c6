// Variants that differ in what the kernel makes no use of have the same code under two symbols, `add__7eef…`
// and `add__7b53…`. Symbols are of one length, so nothing moves: what differs is the symbol itself, wherever
// it stands, and the hash tables of ELF files that are linked, as AMD's are, which are made of symbols. Both
// are blanked.
#include "linker/ImageDigest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>

using namespace llvm;

namespace nereid {

static void blankSymbol(std::string &bytes, const std::string &symbol) {
  if (symbol.empty())
    return;
  for (size_t at = bytes.find(symbol); at != std::string::npos; at = bytes.find(symbol, at + 1))
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), symbol.size(), '\0');
}

/// What is no ELF file of 64 bits stays as it is.
static void blankHashTables(std::string &bytes) {
  auto file = object::ELFFile<object::ELF64LE>::create(bytes);
  if (!file)
    return consumeError(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return consumeError(sections.takeError());
  for (const auto &section : *sections)
    if ((section.sh_type == ELF::SHT_HASH || section.sh_type == ELF::SHT_GNU_HASH) &&
        section.sh_offset <= bytes.size() && section.sh_size <= bytes.size() - section.sh_offset)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(section.sh_offset), section.sh_size, '\0');
}

std::vector<uint8_t> digestImages(const TargetCode &code) {
  SHA256 hash;
  hash.update(code.target.str());
  for (const KernelImage &image : code.images) {
    std::string bytes = image.bytes;
    blankSymbol(bytes, code.info.symbol);
    if (image.format == ImageFormat::HSACO)
      blankHashTables(bytes);
    hash.update(getImageFormatName(image.format));
    hash.update(utostr(bytes.size()) + ";");
    hash.update(bytes);
  }
  auto digest = hash.final();
  return {digest.begin(), digest.end()};
}

} // namespace nereid
