// Links a library out of kernels that no compiler made, so that its dispatch can be tested without one and
// without GPUs: GPU images are short texts that the fake drivers recognise, and CPU code is synthetic_cpu.c,
// compiled three times, waiting_cpu.c and holding_cpu.c.
//
//     make_library OUTDIR LEVEL2.o LEVEL3.o LEVEL4.o WAITING.o HOLDING.o
#include "linker/Link.h"
#include "linker/OutputSet.h"
#include "linker/Subprocess.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace nereid;

static KernelParameter pointer(const char *name, bool divisible, bool readOnly,
                               ScalarKind kind = ScalarKind::FP32) {
  KernelParameter parameter;
  parameter.name = name;
  parameter.isPointer = true;
  parameter.element = kind;
  parameter.divisibleBy = divisible ? 16 : 1;
  parameter.readOnly = readOnly;
  return parameter;
}

enum class IntTrait { None, Divisible, One };
static KernelParameter integer(const char *name, IntTrait trait) {
  KernelParameter parameter;
  parameter.name = name;
  parameter.divisibleBy = trait == IntTrait::Divisible ? 16 : 1;
  parameter.equalsOne = trait == IntTrait::One;
  return parameter;
}

static KernelParameter constant(const char *name, int64_t value) {
  KernelParameter parameter;
  parameter.name = name;
  parameter.constant = value;
  return parameter;
}

/// The objects' order is the order of the variants.
static std::vector<KernelObject> objects;
static std::string levels[3];

static void add(const char *kernel, const char *signature, const char *grid,
                std::vector<KernelParameter> parameters, std::vector<const char *> targets,
                unsigned sharedBytes = 0) {
  KernelObject object;
  object.path = std::string(kernel) + ".nko";
  object.sourcePath = "synthetic.py";
  object.signature = signature;
  object.grid = grid;
  for (const char *text : targets) {
    TargetCode code;
    code.target = cantFail(Target::parse(text));
    code.info.name = kernel;
    code.info.parameters = parameters;
    code.info.warpSize = code.target.warpSize;
    code.info.symbol = kernel;
    code.info.sharedBytes = sharedBytes;
    // The fake drivers find "kernel|signature|target|" in front of what would be the code.
    std::string label = std::string(kernel) + "|" + signature + "|" + text + "|";
    if (code.target.backend == Backend::CUDA) {
      if (code.target.arch != "75")
        code.images.push_back({ImageFormat::Cubin, label + "cubin"});
      code.images.push_back({ImageFormat::PTX, label + "ptx"});
    } else if (code.target.backend == Backend::HIP) {
      code.images.push_back({ImageFormat::HSACO, label + "hsaco"});
    } else {
      code.info.scratchBytes = 256;
      code.images.push_back({ImageFormat::Object, levels[code.target.arch.back() - '2']});
    }
    object.targets.push_back(std::move(code));
  }
  objects.push_back(std::move(object));
}

int main(int argc, char **argv) {
  if (argc != 7)
    return 2;
  for (int i = 0; i < 3; ++i)
    levels[i] = cantFail(readFile(argv[i + 2]));

  const char *cdiv = "cdiv(n, BLOCK)";
  std::vector<const char *> everywhere = {"cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4", "cuda:80",
                                          "cuda:90a",      "cuda:100",      "hip:gfx942",    "hip:gfx1100"};
  // y = x * 2 in three variants, the least specialized first to see that it is tried last.
  add("twice", "*fp32, *fp32, i32, 64", cdiv,
      {pointer("x", false, true), pointer("y", false, false), integer("n", IntTrait::None),
       constant("BLOCK", 64)},
      everywhere);
  add("twice", "*fp32:16, *fp32:16, i32:16, 64", cdiv,
      {pointer("x", true, true), pointer("y", true, false), integer("n", IntTrait::Divisible),
       constant("BLOCK", 64)},
      everywhere);
  add("twice", "*fp32, *fp32, i32:1, 64", cdiv,
      {pointer("x", false, true), pointer("y", false, false), integer("n", IntTrait::One),
       constant("BLOCK", 64)},
      everywhere);
  // A kernel that accepts aligned pointers only, and needs much shared memory.
  add("picky", "*fp32:16, i32:16", "n", {pointer("x", true, false), integer("n", IntTrait::Divisible)},
      {"cuda:80", "hip:gfx942"}, 100 * 1024);
  // Grids that differ between variants: they can be computed only once the variant is known.
  add("tiled", "*fp32:16, i64, 128", "cdiv(n, BLOCK), n % 7 + 1",
      {pointer("x", true, false), integer("n", IntTrait::None), constant("BLOCK", 128)}, {"cuda:80"});
  add("tiled", "*fp32, i64, 32", "cdiv(n, BLOCK), n % 7 + 1, next_power_of_2(n % 100) + 1",
      {pointer("x", false, false), integer("n", IntTrait::None), constant("BLOCK", 32)}, {"cuda:80"});
  // PTX alone; no grid expression; parameter names that C and the API have for something else.
  add("named", "*fp16, i32, i32", "",
      {pointer("stream", false, false, ScalarKind::FP16), integer("register", IntTrait::None),
       integer("grid", IntTrait::None)},
      {"cuda:75"});
  // The best architecture is chosen before the most specialized variant.
  add("mixed", "*fp32:16", "1", {pointer("x", true, false)}, {"cuda:80"});
  add("mixed", "*fp32", "1", {pointer("x", false, false)}, {"cuda:80", "cuda:90a"});
  // An unsigned 64-bit number in a grid, and arithmetic that can go wrong.
  KernelParameter wide = integer("m", IntTrait::None);
  wide.element = ScalarKind::UInt64;
  add("checked", "*fp32, u64, i32", "m * 2, 100 / d",
      {pointer("x", false, false), wide, integer("d", IntTrait::None)}, {"cuda:80"});

  // Tensor maps behind the arguments, of which one is not passed.
  add("tiles", "*fp16, i32, i32, i32:1", "1",
      {pointer("x", false, true, ScalarKind::FP16), integer("m", IntTrait::None),
       integer("k", IntTrait::None), integer("one", IntTrait::One)},
      {"cuda:80", "cuda:90a"});
  TensorMap wideMap{"x", "m, k + 8, 2 * k", 2, {64, 64}, 128},
      narrowMap{"x", "k, m, 8 * one", 4, {16, 8}, 32}, lineMap{"x", "m", 1, {256}, 0},
      batchMap{"x", "one, 2, 3, m, k, 1, 1024 * k, 512 * k, k", 2, {1, 1, 2, 32, 32}, 64};
  objects.back().targets.back().info.tensorMaps = {wideMap, narrowMap, lineMap, batchMap};

  // Arguments of all sizes, between which parameters are missing: one that equals 1, and a constant.
  auto scalar = [](const char *name, ScalarKind kind) {
    KernelParameter parameter;
    parameter.name = name;
    parameter.element = kind;
    return parameter;
  };
  add("packed", "*fp32, i8, i64, i1, i32:1, i16, 8, fp64, fp32, i8", "1",
      {pointer("x", false, false), scalar("a", ScalarKind::Int8), scalar("b", ScalarKind::Int64),
       scalar("c", ScalarKind::Int1), integer("one", IntTrait::One), scalar("d", ScalarKind::Int16),
       constant("EIGHT", 8), scalar("e", ScalarKind::FP64), scalar("f", ScalarKind::FP32),
       scalar("g", ScalarKind::Int8)},
      {"cuda:80"});

  add("hopper", "*fp16, i32", "1",
      {pointer("x", false, true, ScalarKind::FP16), integer("m", IntTrait::None)}, {"cuda:90a"});
  objects.back().targets.back().info.tensorMaps = {lineMap};

  // Launches that ask for more: all programs at a time, programs that begin early, and programs of several
  // blocks.
  add("together", "*fp32, i32", "n", {pointer("x", false, false), integer("n", IntTrait::None)},
      {"cuda:90a", "hip:gfx942"});
  for (TargetCode &code : objects.back().targets)
    code.info.isCooperative = true;
  add("early", "*fp32, i32", "n", {pointer("x", false, false), integer("n", IntTrait::None)}, {"cuda:90a"});
  objects.back().targets.front().info.overlapsWithLast = true;
  add("cluster", "*fp32:16, i32", "n", {pointer("x", true, false), integer("n", IntTrait::None)},
      {"cuda:90a"});
  objects.back().targets.front().info.numCTAs = 2;
  add("cluster", "*fp32, i32", "n", {pointer("x", false, false), integer("n", IntTrait::None)}, {"cuda:90a"});
  objects.back().targets.front().info.numCTAs = 16;

  // Code in two forms, of which a multiprocessor has registers for three blocks and two.
  add("forms", "*fp32, i32, 2", "n, TWO",
      {pointer("x", false, false), integer("n", IntTrait::None), constant("TWO", 2)}, {"cuda:90a"}, 1000);
  objects.back().targets.front().info.resources = KernelResources{168};
  TargetCode few = objects.back().targets.front();
  few.use = FormUse::FewPrograms;
  few.info.resources->registers = 255;
  few.info.sharedBytes = 2000;
  for (KernelImage &image : few.images)
    image.bytes = "forms|few|" + image.bytes;
  objects.back().targets.push_back(std::move(few));

  // The other way round: the second form has four blocks, the first three.
  add("turns", "*fp32, i32, 3", "n",
      {pointer("x", false, false), integer("n", IntTrait::None), constant("THREE", 3)}, {"cuda:90a"}, 1000);
  objects.back().targets.front().info.resources = KernelResources{168};
  TargetCode crowded = objects.back().targets.front();
  crowded.use = FormUse::FewerTurns;
  crowded.info.resources->registers = 128;
  for (KernelImage &image : crowded.images)
    image.bytes = "turns|fewer|" + image.bytes;
  objects.back().targets.push_back(std::move(crowded));

  // Three forms, of which the third is for up to two programs of a multiprocessor.
  add("grids", "*fp32, i32, 4", "n",
      {pointer("x", false, false), integer("n", IntTrait::None), constant("FOUR", 4)}, {"cuda:90a"}, 1000);
  objects.back().targets.front().info.resources = KernelResources{168};
  TargetCode fewer = objects.back().targets.front();
  fewer.use = FormUse::FewerTurns;
  fewer.info.resources->registers = 128;
  TargetCode small = objects.back().targets.front();
  small.use = FormUse::SmallGrids;
  small.info.mostPrograms = 2;
  for (KernelImage &image : fewer.images)
    image.bytes = "grids|fewer|" + image.bytes;
  for (KernelImage &image : small.images)
    image.bytes = "grids|small|" + image.bytes;
  objects.back().targets.push_back(std::move(fewer));
  objects.back().targets.push_back(std::move(small));

  // Programs with memory of their own, beside an argument that is not passed.
  add("scratch", "*fp32, i32:1, i32", "m",
      {pointer("x", false, false), integer("one", IntTrait::One), integer("m", IntTrait::None)},
      {"cuda:90a"});
  objects.back().targets.front().info.scratchBytes = 384;
  objects.back().targets.front().info.overlapsWithLast = true;

  // Kernels with code of their own; the programs of the first three may wait for each other.
  std::string waiting = cantFail(readFile(argv[5])), holding = cantFail(readFile(argv[6]));
  for (const char *name : {"meet", "chain", "crawl", "hold", "nap"}) {
    add(name, "*fp32, i32", "n", {pointer("x", false, false), integer("n", IntTrait::None)},
        {"cpu:x86-64-v2"});
    TargetCode &code = objects.back().targets.front();
    code.info.programsWait = StringRef(name) != "hold" && StringRef(name) != "nap";
    code.images.front().bytes = code.info.programsWait ? waiting : holding;
  }

  for (KernelObject &object : objects)
    if (object.getKernelName() == "tiled")
      for (TargetCode &code : object.targets)
        code.info.parameters[1].element = ScalarKind::Int64;

  Diagnostics diagnostics;
  OutputSet outputs;
  bool succeeded = link(objects, "synthetic", argv[1], LinkMode::Source, outputs, diagnostics).has_value();
  if (Error error = outputs.commit()) {
    diagnostics.error(toString(std::move(error)));
    succeeded = false;
  }
  diagnostics.flush(errs());
  return succeeded ? 0 : 1;
}
