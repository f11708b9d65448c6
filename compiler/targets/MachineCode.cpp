// Cubins are ELF files with a machine number of their own; the compute capability is in the header's flags,
// in the lowest byte up to Hopper's format and in the second one after (llvm/BinaryFormat/ELF.h). What ptxas
// spilled stands nowhere in them, so its report is read:
//
//     ptxas info    : Function properties for add__1
//         32 bytes stack frame, 24 bytes spill stores, 40 bytes spill loads
//     ptxas info    : Used 255 registers, used 1 barriers, 32 bytes cumulative stack size, 1024 bytes smem
//
// So is what it says about products of warp groups that it could not leave running beside other instructions;
// whether that is a line of information or a warning depends on the version:
//
//     ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to
//     … in the
//                     function 'matmul__1'
//
// A code object of AMD's has a note in MessagePack, with a list of kernels under `amdhsa.kernels`.
#include "compiler/targets/MachineCode.h"

#include "compiler/model/Target.h"
#include "compiler/targets/nvidia/Instructions.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"

#include <algorithm>

using namespace llvm;

namespace nereid {

Error checkCubin(StringRef bytes, unsigned computeCapability, StringRef symbol) {
  if (bytes.empty())
    return createStringError("it is empty");
  if (!bytes.starts_with("\x7f"
                         "ELF"))
    return createStringError("it does not begin like an ELF file");
  auto file = object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "cubin"));
  if (!file)
    return file.takeError();
  auto *elf = cast<object::ELFObjectFileBase>(file->get());
  if (!elf->isLittleEndian() || elf->getBytesInAddress() != 8 || elf->getEMachine() != ELF::EM_CUDA)
    return createStringError("it is an ELF file for another machine");
  unsigned flags = elf->getPlatformFlags();
  unsigned older = flags & ELF::EF_CUDA_SM, newer = (flags & ELF::EF_CUDA_SM_MASK) >> ELF::EF_CUDA_SM_OFFSET;
  if (older != computeCapability && newer != computeCapability)
    return createStringError("it is for another architecture");
  for (const object::ELFSymbolRef &entry : elf->symbols()) {
    Expected<StringRef> name = entry.getName();
    Expected<uint32_t> what = entry.getFlags();
    if (!name || !what) {
      Error error =
          joinErrors(name ? Error::success() : name.takeError(), what ? Error::success() : what.takeError());
      return error;
    }
    if (*name == symbol && entry.getELFType() == ELF::STT_FUNC &&
        !(*what & object::SymbolRef::SF_Undefined)) {
      Expected<object::section_iterator> section = entry.getSection();
      if (!section)
        return section.takeError();
      Expected<StringRef> code = (*section)->getContents();
      if (!code)
        return code.takeError();
      return code->empty() ? createStringError("'" + symbol + "' has no code in it") : Error::success();
    }
  }
  return createStringError("it does not define '" + symbol + "'");
}

StringRef findCode(StringRef cubin, StringRef symbol) {
  auto file = object::ObjectFile::createELFObjectFile(MemoryBufferRef(cubin, "cubin"));
  if (!file) {
    consumeError(file.takeError());
    return {};
  }
  for (const object::SectionRef &section : (*file)->sections()) {
    Expected<StringRef> name = section.getName(), contents = section.getContents();
    if (name && contents && *name == (".text." + symbol).str())
      return *contents;
    consumeError(name.takeError());
    consumeError(contents.takeError());
  }
  return {};
}

size_t countGlobalLoads(StringRef code) {
  size_t count = 0;
  for (uint64_t at = 0; at + Instruction::bytes <= code.size(); at += Instruction::bytes)
    count += Instruction::read(code, at).getOperation() == operation::globalLoad;
  return count;
}

size_t countLoadsBehindStores(StringRef code) {
  size_t count = 0;
  bool isBehind = false;
  for (uint64_t at = 0; at + Instruction::bytes <= code.size(); at += Instruction::bytes) {
    unsigned done = Instruction::read(code, at).getOperation();
    if (done == operation::sharedStore || done == operation::sharedStoreUniform)
      isBehind = true;
    else if (done == operation::barrier || done == operation::branch)
      isBehind = false;
    else if (done == operation::globalLoad)
      count += isBehind;
  }
  return count;
}

namespace {
struct Waiting {
  size_t loads = 0, loopLoads = 0; // that stand behind a wait for others
  size_t waits = 0;                // with loads in front of them and behind
};
} // namespace

static Waiting findWaiting(StringRef code) {
  Waiting found;
  std::vector<uint64_t> behind; // loads that are in none of the loops so far
  unsigned loading = 0;         // counters of loads under way
  bool isBehind = false, hasWaited = false;
  auto begin = [&] {
    loading = 0;
    isBehind = hasWaited = false;
  };
  for (uint64_t at = 0; at + Instruction::bytes <= code.size(); at += Instruction::bytes) {
    Instruction instruction = Instruction::read(code, at);
    unsigned waits = instruction.getWaits(), counter = instruction.getResultCounter();
    bool waitsForLoads = (waits & loading) != 0;
    isBehind |= waitsForLoads;
    hasWaited |= waitsForLoads;
    loading &= ~waits;
    unsigned done = instruction.getOperation();
    if (done == operation::globalLoad) {
      if (isBehind)
        behind.push_back(at);
      found.waits += hasWaited;
      hasWaited = false;
      found.loads += isBehind;
      if (counter < Instruction::numCounters)
        loading |= 1u << counter;
    } else if (done == operation::barrier) {
      begin();
    } else if (done == operation::branch) {
      begin();
      if (int64_t target = instruction.getBranchTarget(at); target <= int64_t(at)) {
        auto first = llvm::lower_bound(behind, uint64_t(std::max<int64_t>(target, 0)));
        found.loopLoads += behind.end() - first;
        behind.clear();
      }
    }
  }
  return found;
}

size_t countLoadsBehindWaits(StringRef code) { return findWaiting(code).loads; }
size_t countLoopLoadsBehindWaits(StringRef code) { return findWaiting(code).loopLoads; }
size_t countWaitsBetweenLoads(StringRef code) { return findWaiting(code).waits; }

bool hasWarpGroupProducts(StringRef code) {
  for (uint64_t at = 0; at + Instruction::bytes <= code.size(); at += Instruction::bytes)
    if (Instruction::read(code, at).isWarpGroupProduct())
      return true;
  return false;
}

bool keepsProductLoopsInRegisters(StringRef code) {
  std::vector<uint64_t> products, spills;
  bool hasLoop = false;
  for (uint64_t at = 0; at + Instruction::bytes <= code.size(); at += Instruction::bytes) {
    Instruction instruction = Instruction::read(code, at);
    unsigned done = instruction.getOperation();
    if (instruction.isWarpGroupProduct())
      products.push_back(at);
    else if (done == operation::localLoad || done == operation::localStore)
      spills.push_back(at);
    if (done != operation::branch)
      continue;
    int64_t begin = instruction.getBranchTarget(at);
    if (begin > int64_t(at) || products.empty() || int64_t(products.back()) < begin)
      continue;
    hasLoop = true;
    if (!spills.empty() && int64_t(spills.back()) >= begin)
      return false;
  }
  return hasLoop;
}

bool branchesAmongProducts(StringRef code) {
  std::vector<uint64_t> products;
  std::vector<std::pair<uint64_t, int64_t>> branches; // where, and where to
  for (uint64_t at = 0; at + Instruction::bytes <= code.size(); at += Instruction::bytes) {
    Instruction instruction = Instruction::read(code, at);
    if (instruction.getOperation() == operation::branch) {
      branches.push_back({at, instruction.getBranchTarget(at)});
    } else if (instruction.isWarpGroupProduct()) {
      products.push_back(at);
    }
  }
  for (auto [end, begin] : branches) {
    if (begin > int64_t(end))
      continue;
    auto first = llvm::lower_bound(products, uint64_t(begin)), last = llvm::lower_bound(products, end);
    if (last - first < 2)
      continue;
    // Of loops in one another the innermost counts.
    bool hasInner = llvm::any_of(branches, [&, end = end, begin = begin](auto other) {
      auto [otherEnd, otherBegin] = other;
      if (otherBegin > int64_t(otherEnd) || otherBegin < begin || otherEnd >= end)
        return false;
      return llvm::lower_bound(products, uint64_t(otherBegin)) != llvm::lower_bound(products, otherEnd);
    });
    if (!hasInner && llvm::any_of(branches, [&](auto other) {
          return other.first > *first && other.first < *std::prev(last);
        }))
      return true;
  }
  return false;
}

std::string readToolVersion(StringRef text) {
  return text.split(", release ")
      .second.split(", V")
      .second.take_while([](char c) { return isDigit(c) || c == '.'; })
      .str();
}

std::string readAssemblerVersion(StringRef cubin) {
  auto file = object::ObjectFile::createELFObjectFile(MemoryBufferRef(cubin, "cubin"));
  if (!file) {
    consumeError(file.takeError());
    return "";
  }
  for (const object::SectionRef &section : (*file)->sections()) {
    Expected<StringRef> name = section.getName(), contents = section.getContents();
    if (name && contents && *name == ".note.nv.tkinfo")
      return readToolVersion(*contents);
    consumeError(name.takeError());
    consumeError(contents.takeError());
  }
  return "";
}

/// The number before `unit` in `line`, as in `24 bytes spill stores, 40 bytes spill loads`.
static std::optional<uint64_t> getCount(StringRef line, StringRef unit) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef before = line.take_front(at).rtrim();
  StringRef digits = before.drop_front(before.find_last_not_of("0123456789") + 1);
  uint64_t count = 0;
  if (digits.getAsInteger(10, count))
    return std::nullopt;
  return count;
}

std::optional<KernelResources> readPtxasReport(StringRef output) {
  std::optional<KernelResources> resources;
  uint64_t spilled = 0, frame = 0, stack = 0;
  SmallVector<StringRef> lines;
  output.split(lines, '\n');
  for (StringRef line : lines) {
    // More may be loaded again than was stored, and the other way round.
    spilled += std::max(getCount(line, "bytes spill stores").value_or(0),
                        getCount(line, "bytes spill loads").value_or(0));
    frame = std::max(frame, getCount(line, "bytes stack frame").value_or(0));
    stack = std::max(stack, getCount(line, "bytes cumulative stack size").value_or(0));
    if (std::optional<uint64_t> registers = getCount(line, "registers")) {
      if (!resources)
        resources.emplace();
      resources->staticSharedBytes =
          std::max(resources->staticSharedBytes, getCount(line, "bytes smem").value_or(0));
      resources->registers = std::max(resources->registers, unsigned(*registers));
    }
  }
  if (resources) {
    resources->spilledBytes = spilled;
    resources->localBytes = std::max(frame, stack);
  }
  return resources;
}

std::optional<KernelResources> readCodeObjectResources(StringRef bytes) {
  auto elf = object::ELFFile<object::ELF64LE>::create(bytes);
  if (!elf) {
    consumeError(elf.takeError());
    return std::nullopt;
  }
  auto headers = elf->program_headers();
  if (!headers) {
    consumeError(headers.takeError());
    return std::nullopt;
  }
  std::optional<KernelResources> resources;
  for (const auto &header : *headers) {
    if (header.p_type != ELF::PT_NOTE)
      continue;
    Error error = Error::success();
    for (const auto &note : elf->notes(header, error)) {
      msgpack::Document document;
      if (note.getName() != "AMDGPU" || note.getType() != ELF::NT_AMDGPU_METADATA ||
          !document.readFromBlob(note.getDescAsStringRef(header.p_align), /*Multi=*/false))
        continue;
      auto kernels = document.getRoot().getMap()["amdhsa.kernels"];
      if (!kernels.isArray() || kernels.getArray().empty())
        continue;
      auto &kernel = kernels.getArray()[0].getMap();
      auto get = [&](StringRef key) -> uint64_t {
        auto node = kernel.find(key);
        return node != kernel.end() && node->second.getKind() == msgpack::Type::UInt ? node->second.getUInt()
                                                                                     : 0;
      };
      // A spilled scalar register has a lane of a vector register for its place, and is no memory.
      constexpr unsigned registerBytes = 4;
      resources =
          KernelResources{unsigned(get(".vgpr_count")),       get(".vgpr_spill_count") * registerBytes,
                          get(".private_segment_fixed_size"), get(".group_segment_fixed_size"),
                          unsigned(get(".sgpr_count")),       unsigned(get(".agpr_count"))};
    }
    consumeError(std::move(error));
  }
  return resources;
}

void warnOfSpills(const KernelInfo &info, const Target &target, std::vector<std::string> &warnings) {
  if (!info.resources || info.resources->spilledBytes == 0)
    return;
  warnings.push_back(
      "'" + info.name + "' needs more registers on " + target.str() + " than the " +
      std::to_string(info.resources->registers) +
      " that a thread has: " + std::to_string(info.resources->spilledBytes) +
      " bytes a thread are spilled (local memory: " + std::to_string(info.resources->localBytes) +
      " bytes); smaller tiles or more warps are faster");
}

void warnOfLostFactors(const KernelInfo &info, const Target &target, std::vector<std::string> &warnings) {
  warnings.push_back("'" + info.name + "' for " + target.str() +
                     " has a branch between products of warp groups whose left factor stays in registers, "
                     "which ptxas is known to give away there: its results may be wrong");
}

void warnOfSlowCode(StringRef output, const KernelInfo &info, const Target &target,
                    std::vector<std::string> &warnings) {
  constexpr StringLiteral mark = "Potential Performance Loss:",
                          products = "wgmma.mma_async instructions are ";
  SetVector<StringRef> notes;
  SmallVector<StringRef> lines;
  output.split(lines, '\n');
  for (StringRef line : lines) {
    size_t at = line.find(mark);
    if (at == StringRef::npos)
      continue;
    // The function's mangled name is behind.
    StringRef note = line.substr(at + mark.size()).split(" in the function").first.trim();
    if (note.empty() || !notes.insert(note))
      continue;
    // The note's number, in brackets, if there is one.
    StringRef number = line.take_front(at).rtrim();
    number = number.ends_with(")") ? number.substr(number.rfind('(')) : StringRef();
    std::string who = "ptxas" + (number.empty() ? "" : " " + number.str());
    if (note.consume_front(products))
      warnings.push_back("'" + info.name + "' on " + target.str() +
                         ": products of warp groups (wgmma) wait for one another in the whole kernel; " +
                         who + " says that they are " + note.str());
    else
      warnings.push_back("'" + info.name + "' on " + target.str() + " is slower than it could be; " + who +
                         " says: " + note.str());
  }
}

} // namespace nereid
