// A decoder: what LLaMA and many after it are. It reads tokens and says how likely each token is to come
// next.
//
//   hidden = table[token]
//   each layer:  hidden += attention(norm(hidden)) Wₒᵀ          queries and keys turned by their positions
//                hidden += (silu(x Gᵀ) · (x Uᵀ)) Dᵀ, x = norm(hidden)
//   logits = norm(hidden) Lᵀ
//
// A prompt's tokens go through it together, by products of matrices; after that, each token alone, by kernels
// that read all weights once. Both ways write keys and values into the same cache.
#ifndef MODEL_H
#define MODEL_H

#include "Device.h"

#include <cstdint>
#include <functional>

struct Config {
  int width, layers, heads, kvHeads, head, inner, vocabulary, capacity;
  float eps = 1e-5f;
  double base = 500000; // of the positions' angles
  int seed = 1;

  int qkvRows() const { return (heads + 2 * kvHeads) * head; }
  int attended() const { return heads * head; }
  float scale() const;
  double parameters() const;
};

// How a weight's numbers are made: see kernels/weights.py.
struct Numbers {
  size_t count;
  int seed;
  float scale, middle;
};
enum class Part { Table, AttentionNorm, QKV, Output, MLPNorm, GateUp, Down, FinalNorm, Logits };
Numbers numbersOf(const Config &config, Part part, int layer);

// Cosines and sines of all positions, as kernels/rotation.py wants them.
std::vector<float> turnsOf(const Config &config);

struct Sampling {
  int top = 1; // 1: the likeliest token; more: one of these, by chance
  float temperature = 1;
  int seed = 7;
  static constexpr int mostTop = 64;
};

template <typename T> class Model {
public:
  // `longestPrompt`: of those that go through together.
  Model(Device &device, const Config &config, int longestPrompt);

  // Moves to a position; what the cache has of earlier ones stays.
  void moveTo(int position);
  // Tokens from a position on. They are not read yet.
  void write(int position, const std::vector<int32_t> &tokens);
  // Reads the next `count` tokens, leaves the last one's logits, and chooses the token that follows them.
  void readPrompt(int count, const Sampling &sampling);
  // The same for one token, which may be the one that was chosen last. It starts kernels and nothing else,
  // always the same ones: a graph of them can be recorded.
  void readToken(const Sampling &sampling);

  // What a layer does to a prompt's tokens, and to one token: kernels, what they have to compute, and to
  // read.
  struct Step {
    const char *name;
    double operations, bytes; // of one layer; bytes of weights and of the cache
    std::function<void(int layer)> run;
  };
  std::vector<Step> promptSteps(int count);
  std::vector<Step> tokenSteps(int length);

  std::vector<int32_t> tokens(int first, int count) const {
    return tokenArray.read(size_t(first), size_t(count));
  }
  std::vector<float> logits() const { return logitArray.read(); }
  std::vector<T> weights(Part part, int layer) const;

  // Parts of the cache's length that one token's attention has, at most Model::mostSplits.
  int splits;
  static constexpr int mostSplits = 64;

private:
  struct Layer {
    Array<T> attentionNorm, qkv, output, mlpNorm, gateUp, down, keys, values;
  };
  Array<T> makeWeights(Part part, int layer);
  void project(const float *last); // to logits
  void sample(int count, const Sampling &sampling);

  Device &device;
  Config config;
  int longestPrompt, candidateBlocks;
  Array<T> table, finalNorm, logitWeights;
  std::vector<Layer> layers;
  Array<float> turns;
  Array<int32_t> tokenArray, state;
  Array<float> hidden;
  Array<T> normed, qkv, attended, more, inner;
  Array<float> partSums, partLargest, partTotal, logitArray;
  Array<int64_t> candidates;
};

#endif
