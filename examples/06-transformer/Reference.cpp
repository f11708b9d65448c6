// Plain loops: see Reference.h.
#include "Reference.h"
#include "Numbers.h"

#include <algorithm>
#include <numeric>
#include <thread>

template <typename T> std::vector<T> Reference<T>::weights(const Config &config, Part part, int layer) {
  ::Numbers numbers = numbersOf(config, part, layer);
  std::vector<T> result(numbers.count);
  for (size_t i = 0; i < numbers.count; ++i) {
    uint32_t x = uint32_t(i) + uint32_t(numbers.seed) * 0x9E3779B9u;
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    x ^= x >> 16;
    float product = (float(x >> 8) * 0x1p-23f - 1.0f) * numbers.scale;
    result[i] = fromFloat<T>(product + numbers.middle);
  }
  return result;
}

template <typename T>
Reference<T>::Reference(const Config &config, bool rounded) : config(config), rounded(rounded) {
  auto make = [&](Part part, int layer) {
    std::vector<float> result;
    for (T number : weights(config, part, layer))
      result.push_back(toFloat(number));
    return result;
  };
  table = make(Part::Table, config.layers);
  finalNorm = make(Part::FinalNorm, config.layers);
  logitWeights = make(Part::Logits, config.layers);
  for (int i = 0; i < config.layers; ++i)
    layers.push_back({make(Part::AttentionNorm, i),
                      make(Part::QKV, i),
                      make(Part::Output, i),
                      make(Part::MLPNorm, i),
                      make(Part::GateUp, i),
                      make(Part::Down, i),
                      {},
                      {}});
}

template <typename T> std::vector<double> Reference<T>::round(Numbers x) const {
  if (rounded)
    for (double &number : x)
      number = toFloat(fromFloat<T>(float(number)));
  return x;
}

template <typename T>
std::vector<double> Reference<T>::norm(const Numbers &x, const std::vector<float> &scale) const {
  double squares = 0;
  for (double number : x)
    squares += number * number;
  double factor = 1 / std::sqrt(squares / double(x.size()) + double(config.eps));
  Numbers result(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    result[i] = x[i] * factor * double(scale[i]);
  return round(std::move(result));
}

template <typename T>
std::vector<double> Reference<T>::product(const std::vector<float> &matrix, const Numbers &x) const {
  Numbers result(matrix.size() / x.size());
  auto someRows = [&](size_t first, size_t last) {
    for (size_t row = first; row < last; ++row) {
      const float *weights = matrix.data() + row * x.size();
      double sum = 0;
      for (size_t i = 0; i < x.size(); ++i)
        sum += double(weights[i]) * x[i];
      result[row] = sum;
    }
  };
  // Large matrices by several threads.
  size_t threads = matrix.size() < 1000000 ? 1 : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (size_t i = 1; i < threads; ++i)
    others.emplace_back(someRows, result.size() * i / threads, result.size() * (i + 1) / threads);
  someRows(0, result.size() / threads);
  for (std::thread &other : others)
    other.join();
  return result;
}

template <typename T> std::vector<double> Reference<T>::read(int32_t token) {
  const size_t width = size_t(config.width), head = size_t(config.head), heads = size_t(config.heads),
               kvHeads = size_t(config.kvHeads), inner = size_t(config.inner);
  Numbers hidden(width);
  for (size_t i = 0; i < width; ++i)
    hidden[i] = double(table[size_t(token) * width + i]);
  for (Layer &layer : layers) {
    Numbers qkv = round(product(layer.qkv, norm(hidden, layer.attentionNorm)));
    double position = double(layer.keys.size());
    for (size_t h = 0; h < heads + kvHeads; ++h)
      for (size_t i = 0; i < head / 2; ++i) {
        double angle = position * std::pow(config.base, -double(i) / (double(head) / 2));
        double &x = qkv[h * head + i], &y = qkv[h * head + head / 2 + i], before = x;
        x = before * std::cos(angle) - y * std::sin(angle);
        y = y * std::cos(angle) + before * std::sin(angle);
      }
    qkv = round(std::move(qkv));
    auto keys = qkv.begin() + long(heads * head), values = keys + long(kvHeads * head);
    layer.keys.emplace_back(keys, values);
    layer.values.emplace_back(values, qkv.end());

    Numbers attended(heads * head);
    for (size_t h = 0; h < heads; ++h) {
      size_t shared = h / (heads / kvHeads) * head;
      Numbers scores;
      for (const Numbers &key : layer.keys) {
        double sum = 0;
        for (size_t i = 0; i < head; ++i)
          sum += qkv[h * head + i] * key[shared + i];
        scores.push_back(sum / std::sqrt(double(head)));
      }
      double largest = *std::max_element(scores.begin(), scores.end()), total = 0;
      for (double &score : scores)
        total += score = std::exp(score - largest);
      scores = round(std::move(scores));
      for (size_t j = 0; j < scores.size(); ++j)
        for (size_t i = 0; i < head; ++i)
          attended[h * head + i] += scores[j] / total * layer.values[j][shared + i];
    }
    Numbers more = round(product(layer.output, round(std::move(attended))));
    for (size_t i = 0; i < width; ++i)
      hidden[i] += more[i];

    Numbers both = product(layer.gateUp, norm(hidden, layer.mlpNorm)), gated(inner);
    for (size_t i = 0; i < inner; ++i)
      gated[i] = both[i] / (1 + std::exp(-both[i])) * both[inner + i];
    more = round(product(layer.down, round(std::move(gated))));
    for (size_t i = 0; i < width; ++i)
      hidden[i] += more[i];
  }
  return product(logitWeights, norm(hidden, finalNorm));
}

// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) of the counter (x, 0,
// 0, 0).
static uint32_t philox(uint64_t key, uint32_t x) {
  uint32_t counter[4] = {x, 0, 0, 0}, low = uint32_t(key), high = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(counter[0]) * 0xD2511F53u, b = uint64_t(counter[2]) * 0xCD9E8D57u;
    uint32_t next[4] = {uint32_t(b >> 32) ^ counter[1] ^ low, uint32_t(b),
                        uint32_t(a >> 32) ^ counter[3] ^ high, uint32_t(a)};
    std::copy(next, next + 4, counter);
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  return counter[0];
}

int32_t chooseToken(const std::vector<float> &logits, const Sampling &sampling, int position,
                    bool &ambiguous) {
  ambiguous = false;
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  size_t top = std::min(size_t(sampling.top), order.size());
  std::partial_sort(order.begin(), order.begin() + long(top), order.end(), [&](int32_t a, int32_t b) {
    return logits[size_t(a)] != logits[size_t(b)] ? logits[size_t(a)] > logits[size_t(b)] : a < b;
  });
  if (sampling.top == 1)
    return order[0];
  double best = -INFINITY, second = -INFINITY;
  int32_t chosen = 0;
  for (size_t i = 0; i < top; ++i) {
    // A number from 0 to 1, as Triton's tl.rand makes it of 32 random bits.
    int32_t bits = int32_t(philox(uint64_t(int64_t(sampling.seed + position)), uint32_t(order[i])));
    float chance = std::max(float(bits < 0 ? -bits - 1 : bits) * 4.6566127342e-10f, 1e-10f);
    double score =
        double(logits[size_t(order[i])]) / double(sampling.temperature) - std::log(-std::log(double(chance)));
    if (score > best) {
      second = best;
      best = score;
      chosen = order[i];
    } else {
      second = std::max(second, score);
    }
  }
  ambiguous = best - second < 1e-4 * (1 + std::fabs(best));
  return chosen;
}

template class Reference<float>;
template class Reference<nrd_f16>;
template class Reference<nrd_bf16>;
