// Generates tokens with small decoders of every type on the CPU or a GPU and compares all that they say with
// a plain reference; with --bench, tells how fast a large one is.
#include "Numbers.h"
#include "Reference.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

struct Options {
  std::string device = "cpu", type = "f16";
  bool bench = false, profile = false;
  int width = 2048, head = 64, layers = 0, prompt = 0, tokens = 0, splits = 0, top = 1;
};

static const char *nameOf(float) { return "f32"; }
static const char *nameOf(nrd_f16) { return "f16"; }
static const char *nameOf(nrd_bf16) { return "bf16"; }

// The same tokens in every run, and in bench_pytorch.py.
static std::vector<int32_t> someTokens(int count, int vocabulary) {
  std::vector<int32_t> tokens(size_t(count), 0);
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = int32_t((uint32_t(i) * 2654435761u >> 8) % uint32_t(vocabulary));
  return tokens;
}

// ---- Right or wrong ----

// Weights as the kernel made them, compared with those of the reference.
template <typename T> static int testWeights(Device &device, const Config &config) {
  Model<T> model(device, config, 1);
  int wrong = 0;
  for (Part part : {Part::Table, Part::AttentionNorm, Part::QKV, Part::Output, Part::MLPNorm, Part::GateUp,
                    Part::Down, Part::FinalNorm, Part::Logits}) {
    bool ofModel = part == Part::Table || part == Part::FinalNorm || part == Part::Logits;
    int layer = ofModel ? config.layers : config.layers - 1;
    std::vector<T> made = model.weights(part, layer), expected = Reference<T>::weights(config, part, layer);
    wrong +=
        made.size() != expected.size() || std::memcmp(made.data(), expected.data(), made.size() * sizeof(T));
  }
  std::printf("  %-4s  weights  %s\n", nameOf(T()), wrong ? "WRONG" : "right");
  return wrong != 0;
}

// Some elements of products whose sizes make calls choose each of the variants.
template <typename T> static int testProduct(Device &device, int rows, int columns, int depth) {
  auto someNumbers = [](int count, int seed) {
    std::vector<T> numbers;
    for (int i = 0; i < count; ++i)
      numbers.push_back(fromFloat<T>(float((i * 37 + i / 61 * seed) % 64 - 32) / 32));
    return numbers;
  };
  std::vector<T> x = someNumbers(rows * depth, 5), w = someNumbers(columns * depth, 11);
  Array<T> onDevice(device, x), weights(device, w), result(device, size_t(rows) * size_t(columns));
  kernels::product(device.stream(), onDevice.data(), weights.data(), result.data(), rows, columns, depth);
  std::vector<T> products = result.read();
  double largest = 0;
  for (size_t at = 0; at < products.size(); at += products.size() < 100000 ? 1 : 61) {
    const T *a = x.data() + at / size_t(columns) * size_t(depth),
            *b = w.data() + at % size_t(columns) * size_t(depth);
    double expected = 0, size = 0;
    for (int i = 0; i < depth; ++i) {
      expected += double(toFloat(a[i])) * double(toFloat(b[i]));
      size += std::fabs(double(toFloat(a[i])) * double(toFloat(b[i])));
    }
    // Sums in float32, then the rounding to T.
    double allowed = size * depth * 0x1p-23 + std::fabs(expected) * halfUnit(T()) * 1.001;
    double error = std::fabs(toFloat(products[at]) - expected) / (allowed + 1e-30);
    if (!(error <= largest)) // also if it is not a number
      largest = error;
  }
  bool failed = !(largest <= 1);
  std::printf("  %-4s  product %d x %d x %d  largest error %.3f of what may be  %s\n", nameOf(T()), rows,
              columns, depth, largest, failed ? "WRONG" : "right");
  return failed;
}

// Reads a prompt in two parts, or in one, then generates, and compares the logits of each step with the
// reference's. Every token must be the one that its logits demand.
template <typename T>
static int test(Device &device, const Config &config, int firstPart, int secondPart, int generated,
                const Sampling &sampling, bool graph) {
  Model<T> model(device, config, std::max(firstPart, secondPart));
  Reference<T> exact(config, false), rounded(config, true);
  int length = firstPart + secondPart, wrongTokens = 0, unclear = 0;
  std::vector<int32_t> tokens = someTokens(length, config.vocabulary);
  std::vector<std::vector<float>> logits;
  auto takeResult = [&](int position) {
    logits.push_back(model.logits());
    int32_t token = model.tokens(position, 1)[0];
    bool ambiguous;
    if (token != chooseToken(logits.back(), sampling, position, ambiguous))
      ++(ambiguous ? unclear : wrongTokens);
    return token;
  };
  model.moveTo(0);
  model.write(0, tokens);
  model.readPrompt(firstPart, sampling);
  takeResult(firstPart);
  if (secondPart) {
    model.write(0, tokens); // the first part's result has been written over the second part's first token
    model.readPrompt(secondPart, sampling);
    takeResult(length);
  }
  tokens.push_back(model.tokens(length, 1)[0]);
  Device::Recording step;
  for (int i = 0; i < generated; ++i) {
    if (i == 1) // all kernels have run once
      step = device.record([&] { model.readToken(sampling); }, graph);
    if (i)
      step.play();
    else
      model.readToken(sampling);
    tokens.push_back(takeResult(length + i + 1));
  }

  // What the type costs is known from the references. The kernels round at slightly other places and add up
  // in another order, so several times that is allowed, and something for sums in float32.
  double cost = 0, error = 0, largest = 0;
  size_t result = 0;
  for (int i = 0; i < length + generated; ++i) {
    std::vector<double> right = exact.read(tokens[size_t(i)]), typical = rounded.read(tokens[size_t(i)]);
    bool compared = i + 1 == firstPart || i + 1 >= length;
    for (size_t j = 0; j < right.size(); ++j) {
      cost = std::max(cost, std::fabs(typical[j] - right[j]));
      largest = std::max(largest, std::fabs(right[j]));
      double difference = compared ? std::fabs(double(logits[result][j]) - right[j]) : 0;
      if (!(difference <= error)) // also if it is not a number
        error = difference;
    }
    result += compared;
  }
  double allowed = 4 * cost + largest * 0x1p-18;
  bool failed = wrongTokens || !(error <= allowed) || result != logits.size() || unclear > 1;
  std::printf("  %-4s  heads %d of %3d, %d for keys  prompt %3d + %2d, then %d tokens%s%s  largest error "
              "%.1e of %.1f, "
              "allowed %.1e  %d wrong tokens  %s\n",
              nameOf(T()), config.heads, config.head, config.kvHeads, firstPart, secondPart, generated,
              sampling.top > 1 ? ", by chance" : "", graph ? ", as a graph" : "", error, largest, allowed,
              wrongTokens, failed ? "WRONG" : "right");
  return failed;
}

template <typename T> static int testType(Device &device) {
  // None of the sizes is a multiple of a kernel's tile.
  Config small = {208, 2, 4, 2, 64, 336, 1000, 256}, wide = {272, 2, 6, 2, 128, 400, 1500, 256};
  Config alone = {128, 1, 4, 1, 64, 256, 500, 64}, each = {128, 1, 3, 3, 64, 256, 500, 64};
  Sampling likeliest, chance{20, 0.8f, 7};
  int failed = testWeights<T>(device, small);
  failed += testProduct<T>(device, 50, 208, 80);
  failed += testProduct<T>(device, 300, 336, 144);
  failed += testProduct<T>(device, 1300, 2704, 48);
  failed += test<T>(device, small, 1, 0, 12, likeliest, false);
  failed += test<T>(device, small, 100, 37, 6, likeliest, true);
  failed += test<T>(device, small, 5, 0, 12, chance, true);
  failed += test<T>(device, wide, 130, 3, 4, chance, false);
  failed += test<T>(device, wide, 7, 70, 4, likeliest, true);
  failed += test<T>(device, alone, 3, 1, 4, likeliest, false);
  failed += test<T>(device, each, 3, 1, 4, likeliest, false);
  return failed;
}

// ---- Figures ----

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The best of several rounds.
template <typename Work> static double timeOf(Device &device, int rounds, Work work) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    device.wait();
    double start = seconds();
    work();
    device.wait();
    best = std::min(best, seconds() - start);
  }
  return best;
}

template <typename T> static void bench(Device &device, const Options &options) {
  int promptLength = options.prompt ? options.prompt : device.isGPU() ? 2048 : 128;
  int generated = options.tokens ? options.tokens : device.isGPU() ? 256 : 16;
  int width = options.width;
  Config config = {width,
                   device.isGPU() ? 16 : 4,
                   width / options.head,
                   width / options.head / 4,
                   options.head,
                   4 * width,
                   32768,
                   0};
  if (options.layers)
    config.layers = options.layers;
  config.capacity = (promptLength + generated + 64) / 64 * 64;
  Model<T> model(device, config, promptLength);
  if (options.splits)
    model.splits = std::min(options.splits, model.mostSplits);
  std::vector<int32_t> prompt = someTokens(promptLength, config.vocabulary);
  std::printf("%s: %.3g billion weights in %s, %d layers of %d, %d heads of %d, %d for keys\n",
              device.name().c_str(), config.parameters() * 1e-9, nameOf(T()), config.layers, config.width,
              config.heads, config.head, config.kvHeads);

  Sampling sampling{options.top, 0.8f, 7};
  int rounds = device.isGPU() ? 5 : 2;
  auto readPrompt = [&] {
    model.moveTo(0);
    model.write(0, prompt);
    model.readPrompt(promptLength, sampling);
  };
  readPrompt();
  double time = timeOf(device, rounds, readPrompt);
  double operations = 2.0 * config.vocabulary * config.width;
  for (const auto &step : model.promptSteps(promptLength))
    operations += config.layers * step.operations;
  std::printf("  prompt of %d tokens: %.3f ms, %.0f tokens/s, %.3g TFLOP/s\n", promptLength, time * 1e3,
              promptLength / time, operations / time * 1e-12);

  // From the prompt's end on, without waiting for any of them.
  double bytes = double(sizeof(T)) * config.vocabulary * config.width;
  for (const auto &step : model.tokenSteps(promptLength + generated / 2))
    bytes += config.layers * step.bytes;
  for (bool graph : {false, true}) {
    if (graph && !device.isGPU())
      continue;
    model.readToken(sampling);
    Device::Recording step = device.record([&] { model.readToken(sampling); }, graph);
    step.play();
    time = timeOf(device, rounds,
                  [&] {
                    model.moveTo(promptLength);
                    for (int i = 0; i < generated; ++i)
                      step.play();
                  }) /
           generated;
    std::printf("  %d tokens after it, %s: %.1f us for each, %.1f tokens/s, %.0f GB/s", generated,
                graph ? "as graphs" : "call by call", time * 1e6, 1 / time, bytes / time * 1e-9);
    if (device.isGPU())
      std::printf(", %.1f %% of 4.8 TB/s", bytes / time / 4.8e12 * 100);
    std::printf("\n");
  }
  std::vector<int32_t> tokens = model.tokens(promptLength, std::min(generated, 12));
  std::printf("  tokens:");
  for (int32_t token : tokens)
    std::printf(" %d", token);
  std::printf("\n");

  if (options.profile) {
    // Each kernel by itself, for all layers in turn: their weights are more than a cache holds.
    auto show = [&](const typename Model<T>::Step &step) {
      Device::Recording all = device.record(
          [&] {
            for (int i = 0; i < config.layers; ++i)
              step.run(i);
          },
          true);
      all.play();
      double each = timeOf(device, 5,
                           [&] {
                             for (int i = 0; i < 20; ++i)
                               all.play();
                           }) /
                    20 / config.layers;
      std::printf("    %-22s %8.2f us", step.name, each * 1e6);
      if (step.operations > 0)
        std::printf("  %6.1f TFLOP/s", step.operations / each * 1e-12);
      else if (step.bytes > 0)
        std::printf("  %6.0f GB/s", step.bytes / each * 1e-9);
      std::printf("\n");
    };
    std::printf("  a prompt's kernels, for one layer:\n");
    model.moveTo(0);
    for (const auto &step : model.promptSteps(promptLength))
      show(step);
    std::printf("  a token's kernels, for one layer:\n");
    model.moveTo(promptLength);
    for (const auto &step : model.tokenSteps(promptLength))
      show(step);
  }
}

static int usage(const char *program) {
  std::fprintf(
      stderr,
      "usage: %s [--device cpu|cuda] [--bench [--type f16|bf16|f32] [--head 64|128] [--width N] [--layers N] "
      "[--prompt N] "
      "[--tokens N] [--splits N] [--top N] [--profile]]\n",
      program);
  return 2;
}

// ---- Options ----

static int run(const Options &options) {
  Device device(options.device);
  if (options.bench) {
    if (options.type == "f16")
      bench<nrd_f16>(device, options);
    else if (options.type == "bf16")
      bench<nrd_bf16>(device, options);
    else
      bench<float>(device, options);
    return 0;
  }
  std::printf("on %s\n", device.name().c_str());
  int failed = testType<nrd_f16>(device) + testType<nrd_bf16>(device) + testType<float>(device);
  if (failed)
    std::printf("transformer: %d results are wrong\n", failed);
  else
    std::printf("transformer: all results are right\n");
  return failed != 0;
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--bench") {
      options.bench = true;
    } else if (name == "--profile") {
      options.profile = true;
    } else if (i + 1 == argc) {
      return usage(argv[0]);
    } else if (name == "--device") {
      options.device = argv[++i];
    } else if (name == "--type") {
      options.type = argv[++i];
    } else {
      int *number = name == "--head"     ? &options.head
                    : name == "--width"  ? &options.width
                    : name == "--layers" ? &options.layers
                    : name == "--prompt" ? &options.prompt
                    : name == "--tokens" ? &options.tokens
                    : name == "--splits" ? &options.splits
                    : name == "--top"    ? &options.top
                                         : nullptr;
      if (!number || (*number = std::atoi(argv[++i])) <= 0)
        return usage(argv[0]);
    }
  }
  bool knownType = options.type == "f16" || options.type == "bf16" || options.type == "f32";
  if ((options.device != "cpu" && options.device != "cuda") || (options.head != 64 && options.head != 128) ||
      options.width % 512 || !knownType)
    return usage(argv[0]);

  try {
    return run(options);
  } catch (const std::exception &error) { // nrd::error is one
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
