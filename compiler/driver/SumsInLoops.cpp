// See SumsInLoops.h.
#include "compiler/driver/SumsInLoops.h"

#include "compiler/driver/ResidentBlocks.h"
#include "compiler/model/CompileResult.h"

namespace nereid {

bool mayWantSumsInLoops(const CompileResult &result, const Target &target) {
  if (!result.reducesPastLoops || !result.info.resources)
    return false;
  constexpr unsigned someWarps = 8;
  const KernelInfo &info = result.info;
  unsigned blocks = countBlocks(info, target), registers = info.resources->registers;
  bool lacksFew = (blocks == 1 && countBlocks(info, registers * 4 / 5, target) > blocks) ||
                  (blocks == 2 && countBlocks(info, registers * 15 / 16, target) > blocks);
  return info.resources->localBytes || (info.countWarps() == someWarps && lacksFew);
}

bool isBetterWithSumsInLoops(const KernelInfo &other, const KernelInfo &now, const Target &target) {
  // Of local memory, for which nothing else has to be given up.
  constexpr unsigned fewBytes = 32;
  return other.resources->localBytes < now.resources->localBytes ||
         (other.resources->localBytes <= fewBytes &&
          2 * countBlocks(other, target) >= 3 * countBlocks(now, target));
}

} // namespace nereid
