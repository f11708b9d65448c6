// The decoder as a sequence of calls of packaged kernels: see Model.h.
#include "Model.h"

#include <algorithm>
#include <cmath>

float Config::scale() const { return float(1 / std::sqrt(double(head))); }

double Config::parameters() const {
  double layer = double(width) * qkvRows() + double(width) * attended() + 3.0 * width * inner + 2.0 * width;
  return layers * layer + 2.0 * vocabulary * width + width;
}

Numbers numbersOf(const Config &config, Part part, int layer) {
  size_t rows = 0, columns = size_t(config.width);
  switch (part) {
  case Part::Table:
  case Part::Logits:
    rows = size_t(config.vocabulary);
    break;
  case Part::AttentionNorm:
  case Part::MLPNorm:
  case Part::FinalNorm:
    return {columns, config.seed * 65536 + layer * 16 + int(part), 0.25f, 1.0f};
  case Part::QKV:
    rows = size_t(config.qkvRows());
    break;
  case Part::Output:
    rows = size_t(config.width), columns = size_t(config.attended());
    break;
  case Part::GateUp:
    rows = 2 * size_t(config.inner);
    break;
  case Part::Down:
    rows = size_t(config.width), columns = size_t(config.inner);
    break;
  }
  // The variance of a result is that of its inputs; the table's numbers have a variance of 1.
  float scale = part == Part::Table ? std::sqrt(3.0f) : std::sqrt(3.0f / float(columns));
  return {rows * columns, config.seed * 65536 + layer * 16 + int(part), scale, 0.0f};
}

std::vector<float> turnsOf(const Config &config) {
  int half = config.head / 2;
  std::vector<float> turns(size_t(config.capacity) * size_t(config.head));
  for (int position = 0; position < config.capacity; ++position)
    for (int i = 0; i < half; ++i) {
      double angle = position * std::pow(config.base, -double(i) / half);
      float *row = turns.data() + size_t(position) * size_t(config.head);
      row[i] = float(std::cos(angle));
      row[half + i] = float(std::sin(angle));
    }
  return turns;
}

template <typename T> Array<T> Model<T>::makeWeights(Part part, int layer) {
  Numbers numbers = numbersOf(config, part, layer);
  Array<T> weights(device, numbers.count);
  kernels::fill(device.stream(), weights.data(), int64_t(numbers.count), numbers.seed, numbers.scale,
                numbers.middle);
  return weights;
}

template <typename T>
Model<T>::Model(Device &device, const Config &config, int longestPrompt)
    : splits(device.isGPU() ? std::clamp(264 / config.kvHeads, 1, mostSplits) : 4), device(device),
      config(config), longestPrompt(longestPrompt), candidateBlocks((config.vocabulary + 1023) / 1024),
      table(makeWeights(Part::Table, config.layers)), finalNorm(makeWeights(Part::FinalNorm, config.layers)),
      logitWeights(makeWeights(Part::Logits, config.layers)), turns(device, turnsOf(config)),
      tokenArray(device, size_t(config.capacity) + 1), state(device, 4),
      hidden(device, size_t(longestPrompt) * size_t(config.width)),
      normed(device, size_t(longestPrompt) * size_t(config.width)),
      qkv(device, size_t(longestPrompt) * size_t(config.qkvRows())),
      attended(device, size_t(longestPrompt) * size_t(config.attended())),
      more(device, size_t(longestPrompt) * size_t(config.width)),
      inner(device, size_t(longestPrompt) * size_t(config.inner)),
      partSums(device, size_t(config.attended()) * mostSplits),
      partLargest(device, size_t(config.heads) * mostSplits),
      partTotal(device, size_t(config.heads) * mostSplits), logitArray(device, size_t(config.vocabulary)),
      candidates(device, size_t(candidateBlocks) * Sampling::mostTop) {
  size_t cache = size_t(config.kvHeads) * size_t(config.capacity) * size_t(config.head);
  for (int layer = 0; layer < config.layers; ++layer)
    layers.push_back({makeWeights(Part::AttentionNorm, layer), makeWeights(Part::QKV, layer),
                      makeWeights(Part::Output, layer), makeWeights(Part::MLPNorm, layer),
                      makeWeights(Part::GateUp, layer), makeWeights(Part::Down, layer),
                      Array<T>(device, cache), Array<T>(device, cache)});
}

template <typename T> std::vector<T> Model<T>::weights(Part part, int layer) const {
  switch (part) {
  case Part::Table:
    return table.read();
  case Part::FinalNorm:
    return finalNorm.read();
  case Part::Logits:
    return logitWeights.read();
  case Part::AttentionNorm:
    return layers[size_t(layer)].attentionNorm.read();
  case Part::QKV:
    return layers[size_t(layer)].qkv.read();
  case Part::Output:
    return layers[size_t(layer)].output.read();
  case Part::MLPNorm:
    return layers[size_t(layer)].mlpNorm.read();
  case Part::GateUp:
    return layers[size_t(layer)].gateUp.read();
  case Part::Down:
    return layers[size_t(layer)].down.read();
  }
  return {};
}

template <typename T> void Model<T>::moveTo(int position) { state.write({position, 0, 0, 0}); }

template <typename T> void Model<T>::write(int position, const std::vector<int32_t> &tokens) {
  device.write(tokenArray.data() + position, tokens.data(), tokens.size() * sizeof(int32_t));
}

template <typename T> std::vector<typename Model<T>::Step> Model<T>::promptSteps(int count) {
  nrd::stream stream = device.stream();
  const Config c = config;
  double tokens = count, size = sizeof(T);
  auto ofProduct = [=](double rows, double columns) { return 2 * tokens * rows * columns; };
  auto ofWeights = [=](double rows, double columns) { return size * rows * columns; };
  return {{"norm", 0, 0,
           [=](int i) {
             // Adds what the last layer found, if there was one.
             const Array<T> &scale = layers[size_t(i)].attentionNorm;
             kernels::norm(stream, hidden.data(), i ? more.data() : nullptr, scale.data(), normed.data(),
                           count, c.width, c.eps);
           }},
          {"qkv", ofProduct(c.qkvRows(), c.width), ofWeights(c.qkvRows(), c.width),
           [=](int i) {
             kernels::product(stream, normed.data(), layers[size_t(i)].qkv.data(), qkv.data(), count,
                              c.qkvRows(), c.width);
           }},
          {"rotation", 0, 0,
           [=](int i) {
             const Layer &layer = layers[size_t(i)];
             kernels::rotate(stream, qkv.data(), turns.data(), state.data(), layer.keys.data(),
                             layer.values.data(), count, c.heads, c.kvHeads, c.capacity, c.head);
           }},
          {"attention", 2 * tokens * tokens * c.attended(), 0, // a half of two products
           [=](int i) {
             const Layer &layer = layers[size_t(i)];
             kernels::prompt_attention(stream, qkv.data(), layer.keys.data(), layer.values.data(),
                                       attended.data(), state.data(), count, c.heads, c.kvHeads, c.capacity,
                                       c.scale(), c.head);
           }},
          {"output", ofProduct(c.width, c.attended()), ofWeights(c.width, c.attended()),
           [=](int i) {
             kernels::product(stream, attended.data(), layers[size_t(i)].output.data(), more.data(), count,
                              c.width, c.attended());
           }},
          {"add and norm", 0, 0,
           [=](int i) {
             kernels::norm(stream, hidden.data(), more.data(), layers[size_t(i)].mlpNorm.data(),
                           normed.data(), count, c.width, c.eps);
           }},
          {"gate and up", ofProduct(2 * c.inner, c.width), ofWeights(2 * c.inner, c.width),
           [=](int i) {
             kernels::gated_product(stream, normed.data(), layers[size_t(i)].gateUp.data(), inner.data(),
                                    count, c.inner, c.width);
           }},
          {"down", ofProduct(c.width, c.inner), ofWeights(c.width, c.inner), [=](int i) {
             kernels::product(stream, inner.data(), layers[size_t(i)].down.data(), more.data(), count,
                              c.width, c.inner);
           }}};
}

template <typename T> void Model<T>::readPrompt(int count, const Sampling &sampling) {
  nrd::stream stream = device.stream();
  const Config &c = config;
  kernels::embed(stream, tokenArray.data(), state.data(), table.data(), hidden.data(), count, c.width);
  auto steps = promptSteps(count);
  for (int i = 0; i < c.layers; ++i)
    for (const Step &step : steps)
      step.run(i);
  // Only what follows the last token is asked for.
  size_t last = size_t(count - 1) * size_t(c.width);
  kernels::norm(stream, hidden.data() + last, more.data() + last, finalNorm.data(), normed.data(), 1, c.width,
                c.eps);
  project(hidden.data() + last);
  sample(count, sampling);
}

template <typename T> std::vector<typename Model<T>::Step> Model<T>::tokenSteps(int length) {
  nrd::stream stream = device.stream();
  const Config c = config;
  double size = sizeof(T);
  auto ofWeights = [=](double rows, double columns) { return size * rows * columns; };
  return {{"norm and qkv", 0, ofWeights(c.qkvRows(), c.width),
           [=](int i) {
             const Layer &layer = layers[size_t(i)];
             kernels::project(stream, hidden.data(), layer.attentionNorm.data(), layer.qkv.data(), qkv.data(),
                              c.qkvRows(), c.width, c.eps);
           }},
          {"rotation and attention", 0, ofWeights(2 * length, c.kvHeads * c.head),
           [=](int i) {
             const Layer &layer = layers[size_t(i)];
             kernels::token_attention(stream, qkv.data(), turns.data(), layer.keys.data(),
                                      layer.values.data(), partSums.data(), partLargest.data(),
                                      partTotal.data(), state.data(), c.heads, c.kvHeads, c.capacity, splits,
                                      c.scale(), c.head);
           }},
          {"combination", 0, 0,
           [=](int) {
             kernels::combine(stream, partSums.data(), partLargest.data(), partTotal.data(), attended.data(),
                              c.heads, splits, c.head);
           }},
          {"output and add", 0, ofWeights(c.width, c.attended()),
           [=](int i) {
             kernels::project_add(stream, attended.data(), layers[size_t(i)].output.data(), hidden.data(),
                                  c.width, c.attended(), c.eps);
           }},
          {"norm, gate and up", 0, ofWeights(2 * c.inner, c.width),
           [=](int i) {
             const Layer &layer = layers[size_t(i)];
             kernels::project_gated(stream, hidden.data(), layer.mlpNorm.data(), layer.gateUp.data(),
                                    inner.data(), c.inner, c.width, c.eps);
           }},
          {"down and add", 0, ofWeights(c.width, c.inner), [=](int i) {
             kernels::project_add(stream, inner.data(), layers[size_t(i)].down.data(), hidden.data(), c.width,
                                  c.inner, c.eps);
           }}};
}

template <typename T> void Model<T>::readToken(const Sampling &sampling) {
  kernels::embed(device.stream(), tokenArray.data(), state.data(), table.data(), hidden.data(), 1,
                 config.width);
  auto steps = tokenSteps(0);
  for (int i = 0; i < config.layers; ++i)
    for (const Step &step : steps)
      step.run(i);
  project(hidden.data());
  sample(1, sampling);
}

template <typename T> void Model<T>::project(const float *last) {
  kernels::project_logits(device.stream(), last, finalNorm.data(), logitWeights.data(), logitArray.data(),
                          config.vocabulary, config.width, config.eps);
}

template <typename T> void Model<T>::sample(int count, const Sampling &sampling) {
  nrd::stream stream = device.stream();
  int most = sampling.top == 1 ? 1 : Sampling::mostTop;
  kernels::choose_candidates(stream, logitArray.data(), candidates.data(), config.vocabulary, most);
  kernels::choose_token(stream, candidates.data(), tokenArray.data(), state.data(), candidateBlocks * most,
                        count, sampling.top, sampling.temperature, sampling.seed, most);
}

template class Model<float>;
template class Model<nrd_f16>;
template class Model<nrd_bf16>;
