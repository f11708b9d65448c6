// What a form of a kernel's code is for, where there are several.
#ifndef NEREID_COMPILER_MODEL_FORMUSE_H
#define NEREID_COMPILER_MODEL_FORMUSE_H

namespace nereid {

/// The grids that a form of a kernel's code is for, where there are several (docs/dispatch.md).
enum class FormUse {
  /// The first form: all that no other one is for.
  Other,
  /// Those whose programs run in no more turns by it. Its blocks take more of a multiprocessor than the first
  /// form's, and are faster.
  FewPrograms,
  /// Those whose programs run in clearly fewer turns by it. Its blocks take less of a multiprocessor, and are
  /// slower.
  FewerTurns,
  /// Those of so few programs that a multiprocessor has little to do: up to KernelInfo::mostPrograms of it,
  /// all at a time. Rounds of loops ask the cache for what the next ones load, or long programs have the
  /// registers to overlap what they compute.
  SmallGrids
};

/// All but the first.
inline constexpr FormUse otherFormUses[] = {FormUse::FewPrograms, FormUse::FewerTurns, FormUse::SmallGrids};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_FORMUSE_H
