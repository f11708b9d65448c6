// Which form of a loop with products comes first: with a buffer more in its rings, or with more blocks.
//
// A loop that copies its factors ahead has a buffer more than there are rounds ahead, so that copies start at
// the beginning of a round (RingSizes.cpp). The memory that the buffer takes is often what another block
// lacks. While a multiprocessor has few blocks, another one hides more than the buffer does; where it has
// many, it hardly counts. Of an H200, us, with the buffer and without:
//
//                                              blocks     us             Triton
//     aiter's batched fp4 product, 8 warps     1, 2       217.5, 182.6   393.7
//     fastvideo's _attn_fwd, 8 warps           1, 2       188.1, 159.3   198.1
//     vllm's kernel_unified_attention_diffkv   2, 3      1220.9, 979.1  1415.6
//     vllm's _sparse_attn_prefill_ragged       3, 4       208.5, 183.8   205.5
//     nf4-route's _grouped_bf16_gemm_kernel    3, 5        67.7,  56.8    57.3
//     dense-i8's _gemm_i8_small_kernel         4, 6        48.4,  52.7    53.1
//     flag_gems' mm_kernel_general, 2 warps    4, 5       938.0, 979.5   970.8
//
// So up to three blocks the shorter rings come first, and the longer ones are for grids whose programs take
// no more turns by them; and from four it is the other way round (FormUse). How many blocks there are is
// known only when ptxas has given out registers, so both forms are compiled, and then compared.
#ifndef NEREID_COMPILER_DRIVER_SHORTERRINGS_H
#define NEREID_COMPILER_DRIVER_SHORTERRINGS_H

namespace nereid {

struct CompileResult;
struct Target;

/// Whether a form with shorter rings is worth a try as the first one.
bool mayLeadWithShorterRings(const CompileResult &longer, const Target &target);

/// Whether the form with shorter rings is to be the first one.
bool leadsWithShorterRings(const CompileResult &shorter, const CompileResult &longer, const Target &target);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_SHORTERRINGS_H
