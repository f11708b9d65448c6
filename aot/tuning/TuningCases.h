// What `nereid tune` measures: the sizes that a user's programs have, as a file says.
//
//     {"cases": [
//       {"function": "matmul", "key": ["M", "N", "K"],
//        "values": {"M": [512, 4096], "N": {"from": 1024, "to": 8192, "times": 2}, "K": 1024},
//        "arguments": {"a_ptr": {"shape": ["M", "K"], "contents": "normal"}, "b_ptr": {"shape": ["K", "N"]},
//                      "c_ptr": {"shape": ["M", "N"]}, "stride_am": "K", "alpha": 0.5, "bias_ptr": null},
//        "tolerance": 0.01}]}
//
// `values` are names with a number, a list, or a range whose members are `plus` or `times` a number apart;
// all combinations are measured, here 2 × 4. An argument of the function's that has the name of a value gets
// it; all others stand under `arguments`: a scalar as a number or an expression over the values
// (GridExpression.h), a tensor as its shape, whose product is how many elements it has, {"text": "relu"} and
// {"dtype": "fp16"} what calls choose by. `contents` are "normal" (if nothing is said), "uniform" (from 0 to
// 1), "zeros", "ones", "indices" (0, 1, …), {"indices": STEP} (0, STEP, 2 * STEP, …), or {"integers": [LEAST,
// MOST]}, whose numbers may be expressions; a tensor that kernels write has none if nothing is said.
// `function` may be a list of functions, as one kernel has for several element types. `key` names the
// arguments by which calls will choose: the integers among the values if it is left out. `grid` is for
// functions without an expression of their own. Results of variants may differ by `tolerance`, relative to
// the largest element; if it is left out by what the element type is rounded to.
#ifndef NEREID_AOT_TUNING_TUNINGCASES_H
#define NEREID_AOT_TUNING_TUNINGCASES_H

#include "compiler/model/Diagnostics.h"
#include "compiler/model/Specialization.h"
#include "linker/GridExpression.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

struct TensorContents {
  enum class Kind { Normal, Uniform, Zeros, Ones, Indices, Integers };
  Kind kind = Kind::Normal;
  /// Of Integers, both included.
  int64_t least = 0, most = 0;
  /// Of Indices, how far they are apart.
  int64_t step = 1;
};

/// The contents of a tensor in each case of a group.
struct ContentsOfCases {
  TensorContents::Kind kind = TensorContents::Kind::Normal;
  /// The least and the most of Integers, the step of Indices.
  std::vector<std::shared_ptr<GridExpression>> numbers;
};

/// What an argument gets: one of a tensor, an expression, a number, a text, a dtype, or null.
struct TuningArgument {
  /// Where the file says so.
  llvm::SMRange range;
  /// Of a tensor, the axes' lengths.
  std::vector<std::shared_ptr<GridExpression>> shape;
  /// Where it is not said, kernels that write a tensor find nothing in it that means anything.
  std::optional<ContentsOfCases> contents;
  std::shared_ptr<GridExpression> expression;
  std::optional<double> number;
  std::optional<std::string> text;
  std::optional<ScalarKind> dtype;
  bool isTensor() const { return !shape.empty(); }
  bool isNull() const { return shape.empty() && !expression && !number && !text && !dtype; }
};

/// Cases that differ in their values alone. Names are views into the file.
struct TuningGroup {
  llvm::SMRange range;
  /// One or more.
  std::vector<llvm::StringRef> functions;
  std::optional<std::vector<llvm::StringRef>> key;
  std::shared_ptr<GridExpression> grid;
  /// In the order of the file, each with what it may be.
  std::vector<std::pair<std::string, std::vector<int64_t>>> values;
  std::map<std::string, TuningArgument> arguments;
  std::optional<double> tolerance;

  uint64_t countCases() const;
  /// The values of one case; the last name's change first.
  std::map<std::string, int64_t> getCase(uint64_t number) const;
};

/// Reads and checks such a file; reports and returns nothing if it is not one.
std::optional<std::vector<TuningGroup>> readTuningCases(llvm::StringRef path, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_TUNING_TUNINGCASES_H
