// Pieces of ttg IR that the tests put kernels together from.
#ifndef NEREID_TESTS_UNIT_LOWERING_GPU_KERNELTEXT_H
#define NEREID_TESTS_UNIT_LOWERING_GPU_KERNELTEXT_H

#include <string>

namespace nereid::gpu {

/// Replaces every $NAME in `text` by its value: substitute("$M x $N", {{"M", "4"}, {"N", "8"}}).
inline std::string substitute(std::string text,
                              std::initializer_list<std::pair<std::string, std::string>> values) {
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find("$" + name)) != std::string::npos;)
      text.replace(at, name.size() + 1, value);
  return text;
}

/// A whole module around the body of `kernel`, with `layouts` (aliases) before it.
inline std::string kernelModule(const std::string &layouts, const std::string &parameters,
                                const std::string &body, unsigned numWarps = 4, unsigned sharedBytes = 0,
                                unsigned warpSize = 32) {
  return layouts +
         "\nmodule attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = " + std::to_string(numWarps) +
         " : i32, \"ttg.threads-per-warp\" = " + std::to_string(warpSize) +
         " : i32, ttg.shared = " + std::to_string(sharedBytes) + " : i32} {\n  tt.func public @kernel(" +
         parameters + ") {\n" + body + "\n    tt.return\n  }\n}\n";
}

/// Operations that compute, in a tensor of M x N elements of i32 with layout `layout`, each element's
/// row-major number. Names begin with `prefix`; the result is %<prefix>flat.
inline std::string flatIndex(const std::string &prefix, const std::string &layout, unsigned rows,
                             unsigned columns) {
  return substitute(
      R"(
    %$pr = tt.make_range {start = 0 : i32, end = $M : i32} : tensor<$Mxi32, #ttg.slice<{dim = 1, parent = $L}>>
    %$pc = tt.make_range {start = 0 : i32, end = $N : i32} : tensor<$Nxi32, #ttg.slice<{dim = 0, parent = $L}>>
    %$pre = tt.expand_dims %$pr {axis = 1 : i32} : tensor<$Mxi32, #ttg.slice<{dim = 1, parent = $L}>> -> tensor<$Mx1xi32, $L>
    %$pce = tt.expand_dims %$pc {axis = 0 : i32} : tensor<$Nxi32, #ttg.slice<{dim = 0, parent = $L}>> -> tensor<1x$Nxi32, $L>
    %$pwidth = arith.constant dense<$N> : tensor<$Mx1xi32, $L>
    %$prow = arith.muli %$pre, %$pwidth : tensor<$Mx1xi32, $L>
    %$prows = tt.broadcast %$prow : tensor<$Mx1xi32, $L> -> tensor<$Mx$Nxi32, $L>
    %$pcolumns = tt.broadcast %$pce : tensor<1x$Nxi32, $L> -> tensor<$Mx$Nxi32, $L>
    %$pflat = arith.addi %$prows, %$pcolumns : tensor<$Mx$Nxi32, $L>)",
      {{"p", prefix}, {"M", std::to_string(rows)}, {"N", std::to_string(columns)}, {"L", layout}});
}

/// Operations that load so many elements from %x on, one behind the other, into %v, a tensor with layout #b;
/// %range is their numbers.
inline std::string loadVector(unsigned size, const std::string &element) {
  return substitute(R"(
    %range = tt.make_range {start = 0 : i32, end = $N : i32} : tensor<$Nxi32, #b>
    %xs = tt.splat %x : !tt.ptr<$T> -> tensor<$Nx!tt.ptr<$T>, #b>
    %xp = tt.addptr %xs, %range : tensor<$Nx!tt.ptr<$T>, #b>, tensor<$Nxi32, #b>
    %v = tt.load %xp : tensor<$Nx!tt.ptr<$T>, #b>)",
                    {{"N", std::to_string(size)}, {"T", element}});
}

} // namespace nereid::gpu

#endif // NEREID_TESTS_UNIT_LOWERING_GPU_KERNELTEXT_H
