// Which pointer arguments are read only, in functions whose arguments are named for what happens to them.
#include "compiler/transforms/ReadOnlyArguments.h"

#include "compiler/dialects/ttg/Dialect.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

/// The read-only arguments of function @kernel, as a string of r and w.
std::string find(llvm::StringRef text) {
  mlir::MLIRContext context;
  context.loadDialect<tt::TTDialect, ttg::TTGDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect,
                      mlir::cf::ControlFlowDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return "no IR";
  llvm::BitVector readOnly = findReadOnlyArguments(module->lookupSymbol<tt::FuncOp>("kernel"));
  std::string result;
  for (unsigned i = 0; i != readOnly.size(); ++i)
    result += readOnly[i] ? 'r' : 'w';
  return result;
}

TEST(ReadOnlyArguments, VectorAdd) {
  EXPECT_EQ(find(R"(
    tt.func @kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
      %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
      %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
      %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
      %px = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %py = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %v = tt.load %px {isVolatile = true} : tensor<64x!tt.ptr<f32>>
      tt.store %py, %v : tensor<64x!tt.ptr<f32>>
      tt.return
    })"),
            "rww"); // an integer is no pointer, so it is not read only either
}

TEST(ReadOnlyArguments, ThroughLoopsBranchesAndSelects) {
  EXPECT_EQ(find(R"(
    tt.func @kernel(%looped: !tt.ptr<f32>, %branched: !tt.ptr<f32>, %selected: !tt.ptr<f32>, %read: !tt.ptr<f32>,
                    %n: i32, %c: i1) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %q, %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %looped, %s = %read) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
        %x = tt.load %s : !tt.ptr<f32>
        %next = tt.addptr %p, %c1 : !tt.ptr<f32>, i32
        tt.store %p, %x : !tt.ptr<f32>
        scf.yield %next, %s : !tt.ptr<f32>, !tt.ptr<f32>
      }
      %x = tt.load %r : !tt.ptr<f32>
      %b = scf.if %c -> (!tt.ptr<f32>) {
        scf.yield %branched : !tt.ptr<f32>
      } else {
        scf.yield %q : !tt.ptr<f32>
      }
      %d = arith.select %c, %b, %selected : !tt.ptr<f32>
      tt.store %d, %x : !tt.ptr<f32>
      tt.return
    })"),
            "wwwrww");
}

TEST(ReadOnlyArguments, ThroughCallsAndBlocks) {
  EXPECT_EQ(find(R"(
    tt.func private @callee(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>) -> !tt.ptr<f32> {
      %x = tt.load %a : !tt.ptr<f32>
      tt.store %b, %x : !tt.ptr<f32>
      tt.return %a : !tt.ptr<f32>
    }
    tt.func @kernel(%read: !tt.ptr<f32>, %written: !tt.ptr<f32>, %returned: !tt.ptr<f32>, %branched: !tt.ptr<f32>, %c: i1) {
      %0 = tt.call @callee(%read, %written) : (!tt.ptr<f32>, !tt.ptr<f32>) -> !tt.ptr<f32>
      %1 = tt.call @callee(%returned, %written) : (!tt.ptr<f32>, !tt.ptr<f32>) -> !tt.ptr<f32>
      %x = tt.load %0 : !tt.ptr<f32>
      tt.store %1, %x : !tt.ptr<f32>
      cf.cond_br %c, ^bb1(%branched : !tt.ptr<f32>), ^bb2
    ^bb1(%p: !tt.ptr<f32>):
      tt.store %p, %x : !tt.ptr<f32>
      tt.return
    ^bb2:
      tt.return
    })"),
            "rwwww");
}

TEST(ReadOnlyArguments, AtomicsAndAddressesThatEscape) {
  EXPECT_EQ(find(R"(
    tt.func @kernel(%atomic: !tt.ptr<i32>, %escapes: !tt.ptr<f32>, %stored: !tt.ptr<f32>, %table: !tt.ptr<!tt.ptr<f32>>,
                    %read: !tt.ptr<i32>) {
      %true = arith.constant true
      %v = tt.load %read : !tt.ptr<i32>
      %old = tt.atomic_rmw add, acq_rel, gpu, %atomic, %v, %true : (!tt.ptr<i32>, i32, i1) -> i32
      %i = tt.ptr_to_int %escapes : !tt.ptr<f32> -> i64
      %p = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
      tt.store %table, %stored : !tt.ptr<!tt.ptr<f32>>
      tt.return
    })"),
            "wwwwr");
}

} // namespace
