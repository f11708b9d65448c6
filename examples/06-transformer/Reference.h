// The decoder in plain loops and double precision, one token at a time, without any of the kernels.
#ifndef REFERENCE_H
#define REFERENCE_H

#include "Model.h"

template <typename T> class Reference {
public:
  // `rounded`: every array that the kernels keep in T is rounded to T. What differs between a reference that
  // does and one that does not is what the type costs; how far the kernels may be off is a few times that.
  Reference(const Config &config, bool rounded);
  // The logits behind this token, which comes after those of the calls before.
  std::vector<double> read(int32_t token);

  // As the kernel makes them, from the same description, by other code.
  static std::vector<T> weights(const Config &config, Part part, int layer);

private:
  using Numbers = std::vector<double>;
  struct Layer {
    std::vector<float> attentionNorm, qkv, output, mlpNorm, gateUp, down; // numbers of T
    std::vector<Numbers> keys, values;                                    // by position
  };
  Numbers round(Numbers x) const;
  Numbers norm(const Numbers &x, const std::vector<float> &scale) const;
  Numbers product(const std::vector<float> &matrix, const Numbers &x) const;

  Config config;
  bool rounded;
  std::vector<float> table, finalNorm, logitWeights;
  std::vector<Layer> layers;
};

// The token that the kernels have to choose from these logits: what kernels/sampling.py says, by other code.
// Where two scores are so close that the last digits of logarithms decide, `ambiguous` is set.
int32_t chooseToken(const std::vector<float> &logits, const Sampling &sampling, int position,
                    bool &ambiguous);

#endif
