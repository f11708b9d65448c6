// A loop is what lies between a label and a branch back to it, as LLVM lays out loops in one piece:
//
//     $L__BB0_2:
//         ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd5];      16 bytes
//         …
//     @%p2 bra $L__BB0_2;
#include "compiler/targets/nvidia/LoopLoads.h"

#include "llvm/ADT/DenseMap.h"
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

bool exchangesBetweenThreads(StringRef ptx) {
  return ptx.contains("shfl.sync") || ptx.contains("redux.sync") || ptx.contains("bar.sync") ||
         ptx.contains("bar.warp.sync") || ptx.contains("barrier.sync") || ptx.contains("barrier.cta.sync");
}

} // namespace nereid
