// Functions that are one kernel for several element types, and the one that takes any of them.
//
// `x=*[fp16,fp32], w=*[fp16,fp32], n=i32` makes the C functions norm_fp16 and norm_fp32, a family, and
// besides
//
//     nrd_status norm(nrd_stream stream, nrd_dtype x_dtype, const void *x, const void *w, int32_t n);
//
// which calls the member for the dtype, and norm_grid and norm_explain likewise. Arguments whose types go
// together in all members share a dtype, which stands in front of the first of them. What types a member has
// is seen from its arguments: a family needs no more than its name. A number whose type differs is passed by
// its address.
#ifndef NEREID_LINKER_TYPEFAMILIES_H
#define NEREID_LINKER_TYPEFAMILIES_H

#include "linker/DispatchPlan.h"

#include <string>
#include <vector>

namespace nereid {

/// Fills in the families of a plan's kernels. Reports members that have not the same arguments otherwise, and
/// names that C has no room for.
void addTypeFamilies(DispatchPlan &plan, Diagnostics &diagnostics);

/// What the function for all types takes.
struct FamilyParameter {
  enum class Form {
    DType,   ///< what type an argument and those of its group have
    Address, ///< of a tensor or a number of that type
    Plain    ///< an argument whose type is the same in all members
  };
  Form form;
  std::string name;
  /// Its number, as one of the members' arguments.
  unsigned argument;
  /// Of an address.
  bool isConst;
};

/// `names` are those of the members' arguments.
std::vector<FamilyParameter> getFamilyParameters(const DispatchPlan &plan, const TypeFamily &family,
                                                 llvm::ArrayRef<std::string> names);

/// What the symbols of its functions end in.
std::string getSymbolTag(const DispatchPlan &plan, const TypeFamily &family);

/// Their functions' part of the header, and of the short names.
void declareTypeFamilies(const DispatchPlan &plan, std::string &declarations, std::string &shortNames);

/// The functions.
std::string generateTypeFamilies(const DispatchPlan &plan);

} // namespace nereid

#endif // NEREID_LINKER_TYPEFAMILIES_H
