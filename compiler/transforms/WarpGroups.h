// How groups of four warps, which Hopper's matrix units multiply for (wgmma), stand over a product's result.
#ifndef NEREID_COMPILER_TRANSFORMS_WARPGROUPS_H
#define NEREID_COMPILER_TRANSFORMS_WARPGROUPS_H

#include <algorithm>
#include <cstdint>
#include <optional>

namespace nereid {

/// Warps of a group.
constexpr unsigned warpsOfGroup = 4;

/// The registers of a thread that a left factor may take which each round of a loop reads anew, or keeps.
constexpr unsigned mostFactorRegisters = 64;

struct WarpGroups {
  unsigned down, across;
  /// Of the part of the result that one group has.
  unsigned columns;
};

/// Groups below each other as far as there are rows for them, 64 for each, then beside each other. None where
/// the warps come in no groups, or the result has too few rows or columns for any.
inline std::optional<WarpGroups> placeWarpGroups(unsigned numWarps, int64_t rows, int64_t columns) {
  constexpr unsigned rowsOfGroup = 64, fewestColumns = 16;
  if (numWarps % warpsOfGroup || rows < rowsOfGroup)
    return std::nullopt;
  unsigned groups = numWarps / warpsOfGroup, down = std::min<unsigned>(groups, rows / rowsOfGroup);
  WarpGroups placed{down, groups / down, unsigned(columns / (groups / down))};
  return placed.columns < fewestColumns ? std::nullopt : std::optional(placed);
}

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_WARPGROUPS_H
