// The loop nest of a group of roots, and the interface by which each root takes part in it.
//
// For every tile shape the nest has a loop a dimension, the chosen lane dimension innermost, in chunks of W
// lanes of which several may be done at a time. All sinks of the group see the same chunks: first each
// evaluates what it needs, then each commits (stores, adds up), so that within a chunk nothing is read after
// something was written.
#ifndef NEREID_COMPILER_LOWERING_CPU_TILELOOPS_H
#define NEREID_COMPILER_LOWERING_CPU_TILELOOPS_H

#include "compiler/lowering/cpu/TileEvaluator.h"

namespace nereid::cpu {

/// The most chunks that are done at a time.
constexpr unsigned maximumCopies = 8;

/// What is decided about a nest before it is emitted.
struct NestShape {
  llvm::ArrayRef<int64_t> shape;
  unsigned laneDim = 0;
  unsigned lanes = 1;
  /// Chunks done at a time: of a row, and, with `columnAxis`, rows done at a time in each.
  unsigned copies = 1, rows = 1;
  /// The dimensions are run through as one, of this size, because each is too small for a vector; 0: they are
  /// not.
  int64_t flattened = 0;
  /// A dimension whose loop is inside the chunk loop: the one that reductions are along, if the lanes run
  /// across it. Their partial results then stay in registers.
  std::optional<unsigned> columnAxis;
};

class Sink {
public:
  virtual ~Sink() = default;
  /// The operation that the sink's instructions come from, if it is not the one being emitted.
  mlir::Operation *origin = nullptr;
  /// The values that will be evaluated at the nest's own index, and which of them mask an access of the sink
  /// itself.
  virtual void getInputs(llvm::SmallVectorImpl<mlir::Value> &values,
                         llvm::SmallVectorImpl<mlir::Value> &masks) = 0;
  /// Pointers or buffers that are written, to choose the lane dimension by.
  virtual mlir::Value getWrittenPointers() { return nullptr; }
  virtual bool needsSingleLanes() { return false; }
  virtual unsigned getMaximumCopies() { return 4; }
  /// Whether the lanes may be spread over several dimensions.
  virtual bool allowsFlattening() { return false; }
  /// Whether the loop of a dimension may be inside the chunk loop (NestShape::columnAxis), and the dimension
  /// for which that is wanted.
  virtual bool allowsColumns() { return false; }
  virtual std::optional<unsigned> getColumnAxis() { return std::nullopt; }
  /// A nest begins. There may be several for one sink, of which one will run.
  virtual void begin(const NestShape &nest) {}
  virtual void beginRow(const Indices &row) {}
  virtual void evaluate(const Indices &indices, unsigned copy) = 0;
  virtual void commit(const Indices &indices, unsigned copy) = 0;
  virtual void endRow(const Indices &row) {}
  /// Around the loop of columnAxis, with the indices of the chunks done at a time.
  virtual void beginColumns(llvm::ArrayRef<Indices> chunks) {}
  virtual void endColumns(llvm::ArrayRef<Indices> chunks) {}
  /// After the last nest.
  virtual void finish() {}
};

class TileLoops {
public:
  TileLoops(llvm::IRBuilder<> &builder, TileEvaluator &evaluator, TilePlan &plan, const VectorTarget &target)
      : b(builder), evaluator(evaluator), plan(plan), target(target) {}

  /// Emits the nest. `produced` are values that the sinks compute for the first time.
  void emit(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Sink *> sinks,
            llvm::ArrayRef<mlir::Value> produced);

  /// Emits `for (i = first; i < end; i += step)`, at least once if `runsOnce`, with the builder in the body.
  /// A long loop is never unrolled.
  void emitLoop(llvm::Value *first, llvm::Value *end, int64_t step, bool runsOnce,
                llvm::function_ref<void(llvm::Value *)> body, bool isLong = false);

private:
  /// What a nest computes, and the sinks that take part.
  struct Work {
    llvm::ArrayRef<int64_t> shape;
    llvm::ArrayRef<Sink *> sinks;
    llvm::ArrayRef<mlir::Value> produced;
    llvm::SmallVector<mlir::Value> values, masks, written;
    unsigned cost = 0;
  };
  /// Lanes along a dimension, how good that is, and the scalars that must be 1 for it.
  struct LaneChoice {
    unsigned dim = 0;
    int64_t score = 0;
    llvm::SmallVector<mlir::Value> ones;
  };

  /// Calls a member of each sink, whose instructions come from where the sink does.
  template <typename... Parameters, typename... Arguments>
  void forEach(llvm::ArrayRef<Sink *> sinks, void (Sink::*member)(Parameters...),
               const Arguments &...arguments) {
    for (Sink *sink : sinks) {
      ElementEmitter::Place place(evaluator.getEmitter(), sink->origin);
      (sink->*member)(arguments...);
    }
  }
  unsigned getWidestBits(const Work &work, const LaneChoice &choice);
  NestShape chooseShape(const Work &work, const LaneChoice &choice);
  LaneChoice rateLaneDim(const Work &work, unsigned dim, bool mayAssume);
  void emitUnder(const Work &work, const NestShape &nest, const NestFacts &facts);
  void emitNest(const Work &work, const NestShape &nest, const NestFacts &facts);
  llvm::Value *checkWholeTile(const Work &work, const NestShape &nest, NestFacts &facts);
  void emitColumns(const NestShape &nest, Indices &indices, llvm::ArrayRef<Sink *> sinks);
  void emitDimension(const NestShape &nest, unsigned dim, Indices &indices, llvm::ArrayRef<Sink *> sinks);
  void emitRow(const NestShape &nest, Indices &indices, llvm::ArrayRef<Sink *> sinks);
  void emitChunks(const NestShape &nest, unsigned copies, llvm::Value *first, llvm::Value *end, bool runsOnce,
                  Indices &indices, llvm::ArrayRef<Sink *> sinks, const TileEvaluator::Prefix *assumed,
                  bool truth = true);

  llvm::IRBuilder<> &b;
  TileEvaluator &evaluator;
  TilePlan &plan;
  const VectorTarget &target;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_TILELOOPS_H
