// Lets warp groups' products (ttng.warp_group_dot) go on while the threads do other things, and waits for
// each where its result is needed.
//
// The hardware does products in the order in which they were started, each a group of its own, and the only
// wait there is says how many of the youngest may still be under way. So the pass walks through a block with
// a list of the products that are: before an operation that uses the result of one of them, it places
//
//     %x:2 = ttng.warp_group_dot_wait %d1, %d2 {pendings = 1}      %d1 is there now, %d2 need not be
//
// and from there on %x#0 and %x#1 stand for both. Another product may take a result as its accumulator
// without a wait. Memory that a finished product has read goes through the wait as well, which keeps it from
// being used for other things before. A left factor in registers that each round reads from memory anew is
// read when the product of the round before is done with them, while younger ones go on.
//
// Where only a branch needs such a product, as to store a tile that is complete, it is waited for there; in
// other rounds it goes on.
//
// A warp that gives buffers back to the one that fills them (ttng.arrive_barrier) has to be done with them.
// It does so right behind the wait, before anything is computed: ptxas may leave it where it stands, behind
// 60 exponentials, for which the other warp waits.
//
// A product that may go on when the loop's next round begins was marked by PipelineLoads.cpp with `isAsync`.
// It is waited for in that round, at its end at the latest, and behind the loop:
//
//     %r = scf.for … iter_args(%sums) {
//       %d = ttng.warp_group_dot %a, %b, %sums {isAsync}
//       %e = ttng.warp_group_dot_wait %d {pendings = 1}           the last round's is done, %d is not
//       scf.yield %e
//     }
//     %there = ttng.warp_group_dot_wait %r {pendings = 0}
//
// Where the sums of a loop's products take all registers that there are, a product of two factors in memory
// is waited for at once: beside another that is under way, ptxas has none left for what else is computed,
// writes that to local memory, or serializes all products (its C7512).
//
// Outside of loops it is waited for at once where threads would keep another large tile beside the sums
// meanwhile, which they could as well make behind the wait, of a row and a column. flash-sd-kde's distances
// between points, us on an H200:
//
//     %d = ttng.warp_group_dot %q, %x            212 registers, 2 blocks    814
//     %s = arith.addf %rows, %columns            168 registers, 3 blocks    635    as shown here, but for
//     %e = ttng.warp_group_dot_wait %d                                             the wait before the sum
//     %r = arith.subf %s, %e
//
// If anything but a product needs one of several such sums at the beginning of a round, all of them are
// waited for: ptxas does not see that the others' registers are left alone from one round to the next, and
// serializes all products of the kernel (its C7514).
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

namespace {

struct PlaceProductWaits : mlir::PassWrapper<PlaceProductWaits, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlaceProductWaits)

  llvm::StringRef getArgument() const final { return "nereid-ttg-place-product-waits"; }
  llvm::StringRef getDescription() const final {
    return "Let warp groups' products go on until their results are needed";
  }
  void runOnOperation() final;
};

/// Of a sum of many products outside of loops, as unrolled ones are, so many may be under way: each keeps the
/// memory that it reads.
constexpr size_t mostInARow = 4;

/// A sum of so many is most of what its program does. There other blocks hide a product's time better than
/// the next product of the same block, and each buffer less makes room for them.
constexpr unsigned longSum = 8;

/// The products of one block that are under way.
class ProductsUnderWay {
public:
  /// Walks through the block and places its waits.
  void run(mlir::Block &block);

private:
  struct Product {
    /// The sum; null once another product has taken it as its accumulator.
    Value sum;
    /// What it reads.
    llvm::SmallVector<Value, 2> memory;
    bool mayOutlastRound;
    bool isOfRoundBefore;
    /// Where its left factor is in registers, which the next round reads anew, what does that.
    Operation *factorRead = nullptr;
  };

  void beginRound(mlir::scf::ForOp loop);
  void findLongSums(mlir::Block &block);
  size_t countAllowed(ttng::WarpGroupDotOp product) const;
  void start(ttng::WarpGroupDotOp product);
  void finishFor(Operation *op);
  bool finishInBranches(Operation *op);
  size_t countNeeded(Operation *op) const;
  size_t countNeeded(mlir::Region &region) const;
  size_t countReaders(ttng::ArriveBarrierOp arrive) const;
  void endBlock(Operation *terminator);
  bool endsAtOnce(Operation *before) const;
  /// Waits before `op` until all but the `pending` youngest are done.
  void wait(Operation *op, size_t pending);

  llvm::SmallVector<Product> products; // the oldest first
  llvm::DenseSet<Operation *> ofLongSums;
};

bool mayOutlastRound(ttng::WarpGroupDotOp product) {
  return product.getIsAsync() && mlir::isa<mlir::scf::ForOp>(product->getParentOp());
}

/// Behind the loop, where the last round's products may still be under way.
void waitBehind(mlir::scf::ForOp loop) {
  llvm::SmallVector<Value> results;
  for (auto [result, yielded] : llvm::zip_equal(loop.getResults(), loop.getYieldedValues()))
    if (auto product = yielded.getDefiningOp<ttng::WarpGroupDotOp>(); product && mayOutlastRound(product))
      results.push_back(result);
  if (results.empty())
    return;
  mlir::OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(loop);
  auto wait = ttng::WarpGroupDotWaitOp::create(builder, loop.getLoc(), mlir::ValueRange(results).getTypes(),
                                               results, /*pendings=*/0);
  for (auto [result, there] : llvm::zip_equal(results, wait.getOutputs()))
    result.replaceAllUsesExcept(there, wait);
}

/// Starts with the products of the round before, whose sums are arguments of the loop's body.
void ProductsUnderWay::beginRound(mlir::scf::ForOp loop) {
  for (auto product : loop.getBody()->getOps<ttng::WarpGroupDotOp>())
    if (mayOutlastRound(product)) {
      Product before{/*sum=*/{}, /*memory=*/{}, /*mayOutlastRound=*/false, /*isOfRoundBefore=*/true};
      before.factorRead = product.getA().getDefiningOp<ttg::LocalLoadOp>();
      if (before.factorRead && before.factorRead->getBlock() != loop.getBody())
        before.factorRead = nullptr;
      for (mlir::OpOperand &use : product->getUses())
        if (use.getOwner() == loop.getBody()->getTerminator()) {
          before.sum = loop.getRegionIterArg(use.getOperandNumber());
          products.push_back(before);
        }
      // Of pieces of a product all but the last have handed on their sums.
      if (!before.sum && before.factorRead)
        products.push_back(before);
    }
}

/// Those of at least `longSum` products that are added up one after the other.
void ProductsUnderWay::findLongSums(mlir::Block &block) {
  for (auto last : block.getOps<ttng::WarpGroupDotOp>()) {
    llvm::SmallVector<Operation *> sum;
    for (auto product = last; product && product->getBlock() == &block;
         product = product.getC().getDefiningOp<ttng::WarpGroupDotOp>())
      sum.push_back(product);
    if (sum.size() >= longSum)
      ofLongSums.insert_range(sum);
  }
}

/// How many may be under way with `product`.
size_t ProductsUnderWay::countAllowed(ttng::WarpGroupDotOp product) const {
  if (mlir::isa<mlir::LoopLikeOpInterface>(product->getParentOp()))
    return std::numeric_limits<size_t>::max();
  return ofLongSums.contains(product) ? 1 : mostInARow;
}

void ProductsUnderWay::start(ttng::WarpGroupDotOp product) {
  if (product.addsInParts()) {
    // It waits for all there are.
    if (!products.empty())
      wait(product, 0);
    return;
  }
  if (products.size() >= countAllowed(product))
    wait(product, countAllowed(product) - 1);
  bool outlasts = mayOutlastRound(product);
  // Sums that this one reads as anything but its accumulator.
  for (size_t i = products.size(); i--;) {
    if (products[i].sum && (products[i].sum == product.getA() || products[i].sum == product.getUseC())) {
      wait(product, products.size() - 1 - i);
      break;
    }
  }
  for (Product &other : products)
    if (other.sum == product.getC())
      other.sum = {};
  Product started{product.getResult(), {}, outlasts, /*isOfRoundBefore=*/false};
  for (Value operand : {product.getA(), Value(product.getB())})
    if (mlir::isa<ttg::MemDescType>(operand.getType()))
      started.memory.push_back(operand);
  product.setIsAsync(true);
  products.push_back(std::move(started));
}

void ProductsUnderWay::wait(Operation *op, size_t pending) {
  size_t numDone = products.size() - pending;
  llvm::SetVector<Value> inputs;
  for (const Product &product : products)
    if (product.sum)
      inputs.insert(product.sum);
  for (const Product &product : llvm::ArrayRef(products).take_front(numDone))
    inputs.insert_range(product.memory);
  mlir::OpBuilder builder(op);
  auto wait = ttng::WarpGroupDotWaitOp::create(builder, op->getLoc(),
                                               mlir::ValueRange(inputs.getArrayRef()).getTypes(),
                                               inputs.getArrayRef(), int32_t(pending));
  for (auto [input, output] : llvm::zip_equal(inputs, wait.getOutputs())) {
    if (mlir::isa<ttg::MemDescType>(input.getType()))
      continue;
    Value(input).replaceUsesWithIf(output, [&](mlir::OpOperand &use) {
      Operation *user = wait->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return user && wait->isBeforeInBlock(user);
    });
    for (Product &product : products)
      if (product.sum == input)
        product.sum = output;
  }
  products.erase(products.begin(), products.begin() + numDone);
}

static Value withoutViews(Value memory) {
  for (Operation *op = memory.getDefiningOp(); op && mlir::isPure(op); op = memory.getDefiningOp())
    memory = op->getOperand(0);
  return memory;
}

/// Up to which product memory is read that is given away: of the round before, and by what the arrival names
/// in this one.
size_t ProductsUnderWay::countReaders(ttng::ArriveBarrierOp arrive) const {
  size_t count = 0;
  for (auto [i, product] : llvm::enumerate(products)) {
    bool reads = product.isOfRoundBefore || llvm::any_of(product.memory, [&](Value memory) {
                   return llvm::any_of(arrive.getDeps(), [&](Value given) {
                     return withoutViews(given) == withoutViews(memory);
                   });
                 });
    if (reads)
      count = i + 1;
  }
  return count;
}

/// Up to which product an operation uses sums, with all in it.
size_t ProductsUnderWay::countNeeded(Operation *op) const {
  size_t numNeeded = 0;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      for (auto [i, product] : llvm::enumerate(products))
        if (product.sum == operand)
          numNeeded = std::max(numNeeded, i + 1);
  });
  return numNeeded;
}

size_t ProductsUnderWay::countNeeded(mlir::Region &region) const {
  size_t numNeeded = 0;
  for (Operation &op : region.getOps())
    numNeeded = std::max(numNeeded, countNeeded(&op));
  return numNeeded;
}

/// Where branches need products that may outlast the round, and nothing else does: waits in each of them for
/// what it needs. For what comes behind, all are under way as before.
bool ProductsUnderWay::finishInBranches(Operation *op) {
  auto branches = mlir::dyn_cast<mlir::scf::IfOp>(op);
  if (!branches ||
      op->walk([](Operation *inner) {
          return mlir::isa<ttng::WarpGroupDotOp, ttng::ArriveBarrierOp, mlir::CallOpInterface>(inner)
                     ? mlir::WalkResult::interrupt()
                     : mlir::WalkResult::advance();
        }).wasInterrupted())
    return false;
  for (mlir::Region &region : op->getRegions())
    if (size_t numNeeded = countNeeded(region); numNeeded && !products[numNeeded - 1].mayOutlastRound)
      return false;
  llvm::SmallVector<Product> before = products;
  for (mlir::Region &region : op->getRegions())
    if (size_t numNeeded = countNeeded(region)) {
      wait(&region.front().front(), products.size() - numNeeded);
      products = before;
    }
  return true;
}

/// Waits for what `op` needs: the sums that it uses. Nothing goes on into other regions and functions.
void ProductsUnderWay::finishFor(Operation *op) {
  if (finishInBranches(op))
    return;
  // Only the registers that it writes.
  auto reader = llvm::find_if(products, [&](const Product &product) { return product.factorRead == op; });
  if (reader != products.end())
    return wait(op, products.end() - std::next(reader));
  size_t numNeeded = countNeeded(op);
  bool hasProducts = mlir::isa<mlir::CallOpInterface>(op);
  op->walk([&](ttng::WarpGroupDotOp inner) { hasProducts |= inner != op; });
  if (hasProducts)
    numNeeded = products.size();
  if (auto arrive = mlir::dyn_cast<ttng::ArriveBarrierOp>(op))
    numNeeded = std::max(numNeeded, countReaders(arrive));
  if (numNeeded)
    while (numNeeded != products.size() && products[numNeeded].isOfRoundBefore)
      ++numNeeded;
  if (numNeeded)
    wait(op, products.size() - numNeeded);
}

void ProductsUnderWay::endBlock(Operation *terminator) {
  size_t numDone = products.size();
  while (numDone && products[numDone - 1].mayOutlastRound)
    --numDone;
  if (!numDone)
    return;
  // Right behind the last product, so that what follows may use the memory; but behind other waits, through
  // which the sums have gone.
  Operation *last = terminator;
  for (Operation &op : llvm::reverse(*terminator->getBlock()))
    if (mlir::isa<ttng::WarpGroupDotOp, ttng::WarpGroupDotWaitOp>(op)) {
      last = op.getNextNode();
      break;
    }
  wait(last, products.size() - numDone);
}

/// Whether a loop's sums alone take all registers.
static bool isShortOfRegisters(Operation *loop) {
  return mlir::isa<mlir::scf::ForOp>(loop) && estimateRegisters(loop) > getRegisterLimit(loop);
}

/// Whether the product before, if it is one, is done before anything else where registers are short. One
/// whose left factor is in registers leaves those alone for other factors.
bool ProductsUnderWay::endsAtOnce(Operation *before) const {
  auto product = mlir::dyn_cast_or_null<ttng::WarpGroupDotOp>(before);
  return product && !products.empty() && !products.back().mayOutlastRound &&
         mlir::isa<ttg::MemDescType>(product.getA().getType());
}

void ProductsUnderWay::run(mlir::Block &block) {
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(block.getParentOp())) {
    waitBehind(loop);
    beginRound(loop);
  }
  findLongSums(block);
  bool isShort = isShortOfRegisters(block.getParentOp());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isShort && endsAtOnce(op.getPrevNode()) && !op.hasTrait<mlir::OpTrait::IsTerminator>())
      wait(&op, 0);
    if (auto product = mlir::dyn_cast<ttng::WarpGroupDotOp>(&op))
      start(product);
    else if (op.hasTrait<mlir::OpTrait::IsTerminator>())
      endBlock(&op);
    else if (!products.empty())
      finishFor(&op);
  }
}

/// The wait that stands before an operation, with nothing but arithmetic in between.
static Operation *findWaitBefore(Operation *op) {
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
    if (mlir::isa<ttng::WarpGroupDotWaitOp>(before))
      return before;
    if (!mlir::isMemoryEffectFree(before) && !mlir::isa<ttng::ArriveBarrierOp>(before))
      return nullptr;
  }
  return nullptr;
}

static void giveBackBehindWaits(mlir::Block &block) {
  mlir::IRRewriter rewriter(block.getParentOp()->getContext());
  for (auto arrive : llvm::make_early_inc_range(block.getOps<ttng::ArriveBarrierOp>())) {
    Operation *place = findWaitBefore(arrive);
    if (!place)
      continue;
    // Behind those that were moved there before.
    while (mlir::isa<ttng::ArriveBarrierOp>(place->getNextNode()) && place->getNextNode() != arrive)
      place = place->getNextNode();
    Operation *next = place->getNextNode();
    if (next != arrive && mlir::succeeded(mlir::moveOperationDependencies(rewriter, arrive, next)))
      rewriter.moveOpBefore(arrive, next);
  }
}

/// Whether arithmetic makes a tile of others that are the same along an axis, as of a row and a column.
static bool spreads(Operation *op, const llvm::SetVector<Operation *> &others) {
  return mlir::isa<mlir::arith::AddFOp, mlir::arith::SubFOp, mlir::arith::MulFOp>(op) &&
         mlir::isa<mlir::RankedTensorType>(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *source = operand.getDefiningOp();
           return others.contains(source) ||
                  llvm::isa_and_present<tt::BroadcastOp, tt::SplatOp, mlir::arith::ConstantOp>(source);
         });
}

/// What stands between a product and its wait, spreads small tiles, and is not needed before the wait.
static llvm::SetVector<Operation *> findSpread(Operation *product, Operation *wait) {
  llvm::SetVector<Operation *> all, spread;
  for (Operation *op = product; op != wait; op = op->getNextNode())
    if (spreads(op, all))
      all.insert(op);
  auto isNeededBefore = [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      Operation *inBlock = wait->getBlock()->findAncestorOpInBlock(*user);
      return inBlock && inBlock->isBeforeInBlock(wait) && !spread.contains(inBlock);
    });
  };
  // The last ones first: what they are made of is needed no earlier than they are.
  for (Operation *op : llvm::reverse(all))
    if (!isNeededBefore(op))
      spread.insert(op);
  return spread;
}

/// Ends a product of a block's sums at once, outside of loops, if the threads had no registers for what they
/// would make meanwhile: ptxas computes what it can before a wait, wherever it stands.
static void waitWhereRegistersAreShort(mlir::Block &block) {
  if (mlir::isa<mlir::LoopLikeOpInterface>(block.getParentOp()))
    return;
  unsigned numThreads = ttg::getNumWarps(block.getParentOp()) * 32;
  auto countRegisters = [&](mlir::ValueRange values) {
    unsigned registers = 0;
    for (Value value : values)
      if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType()))
        registers += getRegisters(type, numThreads);
    return registers;
  };
  for (auto wait : llvm::make_early_inc_range(block.getOps<ttng::WarpGroupDotWaitOp>())) {
    Operation *product = wait->getPrevNode();
    while (product && !mlir::isa<ttng::WarpGroupDotOp>(product))
      product = product->getPrevNode();
    bool isBehindInputs =
        product && llvm::all_of(wait.getOperands(), [&](Value input) {
          Operation *source = input.getDefiningOp();
          return !source || source->getBlock() != &block || !product->isBeforeInBlock(source);
        });
    if (!isBehindInputs)
      continue;
    llvm::SetVector<Operation *> spread = findSpread(product, wait);
    unsigned registers = countRegisters(wait.getResults());
    for (Operation *op : spread)
      if (!llvm::all_of(op->getUsers(), [&](Operation *user) { return spread.contains(user); }))
        registers += countRegisters(op->getResults());
    if (!spread.empty() && registers > getRegistersForTiles(wait))
      wait->moveAfter(product);
  }
}

void PlaceProductWaits::runOnOperation() {
  llvm::SetVector<mlir::Block *> blocks;
  getOperation().walk([&](ttng::WarpGroupDotOp product) { blocks.insert(product->getBlock()); });
  for (mlir::Block *block : blocks)
    ProductsUnderWay().run(*block);
  for (mlir::Block *block : blocks)
    giveBackBehindWaits(*block);
  for (mlir::Block *block : blocks)
    waitWhereRegistersAreShort(*block);
}

} // namespace

std::unique_ptr<mlir::Pass> createPlaceProductWaitsPass() { return std::make_unique<PlaceProductWaits>(); }

} // namespace nereid
