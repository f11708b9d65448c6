// A loop is what lies between a label and a branch back to it, as LLVM lays out loops in one piece:
//
//     $L__BB0_2:
//         ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd5];      16 bytes
//         …
//     @%p2 bra $L__BB0_2;
#include "compiler/targets/nvidia/LoopLoads.h"

#include "compiler/targets/nvidia/PtxLines.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace nereid {

static constexpr StringLiteral weak = "ld.global.", relaxed = "ld.relaxed.cta.global.";

/// `ld.global.L1::evict_first.v4.b32 {…` loads 16 bytes; 0 of what is no load of global memory.
static unsigned countLoadedBytes(StringRef line) {
  size_t at = std::min(line.find(weak), line.find(relaxed));
  if (at == StringRef::npos)
    return 0;
  StringRef opcode = line.substr(at).take_until([](char c) { return isSpace(c); });
  unsigned count = 1, bits = 0;
  for (StringRef part : split(opcode, '.')) {
    unsigned number = 0;
    if (part.starts_with("v") && !part.drop_front().getAsInteger(10, number))
      count = number;
    else if (!part.empty() && StringRef("bufs").contains(part[0]) &&
             !part.drop_front().getAsInteger(10, number))
      bits = number;
  }
  return count * bits / 8;
}

LoopLoads measureLoopLoads(StringRef ptx) {
  DenseMap<StringRef, size_t> positions; // of labels
  struct Access {
    size_t at;
    uint64_t bytes; // 0: a store
  };
  SmallVector<Access> accesses;
  LoopLoads loads;
  size_t at = 0;
  for (StringRef line : split(ptx, '\n')) {
    ++at;
    line = line.trim();
    if (line.starts_with("$L") && line.contains(':')) {
      positions[line.take_until([](char c) { return c == ':'; })] = at;
      continue;
    }
    if (unsigned bytes = countLoadedBytes(line); bytes || line.contains("st.global")) {
      accesses.push_back({at, bytes});
      loads.bytes += bytes;
    }
    auto [before, target] = line.split("bra");
    if (target.empty() || (!before.empty() && !isSpace(before.back())))
      continue;
    target.consume_front(".uni");
    auto known = positions.find(target.trim(" \t;"));
    if (known == positions.end())
      continue;
    unsigned bytesOfRound = 0, bytesBehindStores = 0;
    bool isBehind = false;
    for (const Access &access : accesses) {
      if (access.at < known->second)
        continue;
      isBehind |= access.bytes == 0;
      bytesOfRound += access.bytes;
      bytesBehindStores += isBehind ? access.bytes : 0;
    }
    if (bytesOfRound > loads.bytesOfRound) {
      loads.bytesOfRound = bytesOfRound;
      loads.bytesBehindStores = bytesBehindStores;
    }
  }
  return loads;
}

std::string keepLoadsTogether(StringRef ptx) {
  std::string text;
  while (true) {
    size_t at = ptx.find(weak);
    if (at == StringRef::npos)
      return text + ptx.str();
    StringRef rest = ptx.drop_front(at + weak.size());
    // Others say how to use caches in words that only weak loads take (`.cs`, `.nc`).
    bool isPlain = rest.starts_with("L1::") || (!rest.empty() && StringRef("bv").contains(rest[0]));
    text += ptx.take_front(at);
    text += isPlain ? relaxed : weak;
    ptx = rest;
  }
}

/// Whether an instruction writes memory, orders accesses of it, or may be followed by another one than the
/// next.
static bool isSeenByOthers(StringRef line) {
  if (line.consume_front("@"))
    line = line.drop_until([](char c) { return isSpace(c); }).ltrim();
  return any_of(ArrayRef<StringRef>{"bra", "ret", "exit", "call", "st.", "atom.", "red.", "bar", "mbarrier.",
                                    "fence.", "membar.", "cp.", "wgmma."},
                [&](StringRef opcode) { return line.starts_with(opcode); });
}

std::string fenceLoads(StringRef ptx) {
  constexpr unsigned fewest = 4; // loads of a group that is worth a fence
  SmallVector<StringRef> lines(split(ptx, '\n'));
  SmallVector<size_t> fences;  // behind these lines
  DenseSet<StringRef> waiting; // registers that are computed of what is loaded
  unsigned count = 0;
  size_t last = 0;
  auto finish = [&] {
    if (count >= fewest)
      fences.push_back(last);
    count = 0;
    waiting.clear();
  };
  for (auto [at, untrimmed] : enumerate(lines)) {
    StringRef line = untrimmed.trim();
    bool isLoad = countLoadedBytes(line) != 0;
    // Arithmetic may still go behind the fence, but nothing that others see may.
    bool isSeen = line.starts_with("$L") || isSeenByOthers(line);
    StringRef results = line.take_front(line.find(line.contains('{') && isLoad ? '}' : ','));
    bool waits = false;
    forEachPtxRegister(line.drop_front(results.size()),
                       [&](StringRef name) { waits |= waiting.contains(name); });
    if (isSeen || (isLoad && waits))
      finish();
    if (isLoad || (waits && !isSeen))
      forEachPtxRegister(results, [&](StringRef name) { waiting.insert(name); });
    if (isLoad) {
      ++count;
      last = at;
    }
  }
  std::string text;
  const size_t *next = fences.begin();
  for (auto [at, line] : enumerate(lines)) {
    text += line;
    text += at + 1 == lines.size() ? "" : "\n";
    if (next != fences.end() && *next == at) {
      text += "\tfence.acq_rel.cta;\n";
      ++next;
    }
  }
  return text;
}

bool exchangesBetweenThreads(StringRef ptx) {
  return ptx.contains("shfl.sync") || ptx.contains("redux.sync") || ptx.contains("bar.sync") ||
         ptx.contains("bar.warp.sync") || ptx.contains("barrier.sync") || ptx.contains("barrier.cta.sync");
}

} // namespace nereid
