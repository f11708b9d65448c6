// See Overflow.h.
#include "compiler/frontends/semantics/Overflow.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

using namespace llvm;

namespace nereid::semantics {

void assertNoOverflow(OperationWriter &writer, BinaryOperation operation, StringRef spelling, const Tensor &a,
                      const Tensor &b, const std::optional<Tensor> &mask) {
  const Type type = a.type.getScalar();
  if (!type.isInteger() || type.getBits() >= 64)
    return;
  Tensor wide = makeBinary(writer, operation, castTo(writer, a, ScalarKind::Int64),
                           castTo(writer, b, ScalarKind::Int64));
  bool isSigned = type.isSignedInteger();
  int64_t greatest = (int64_t(1) << (type.getBits() - isSigned)) - 1, least = isSigned ? -greatest - 1 : 0;
  auto compare = [&](Comparison comparison, int64_t bound) {
    Tensor constant = makeConstant(writer, BigInt(bound), ScalarKind::Int64);
    return makeComparison(writer, comparison, wide, splat(writer, constant, wide.type.getShape()));
  };
  Tensor isNotAbove = compare(Comparison::LessEqual, greatest);
  Tensor fits =
      makeBinary(writer, BinaryOperation::And, isNotAbove, compare(Comparison::GreaterEqual, least));
  if (mask) {
    Tensor masked = *mask;
    matchShapes(writer, fits, masked);
    fits = makeBinary(writer, BinaryOperation::Or, fits, makeBinary(writer, BinaryOperation::Xor, masked, 1));
  }
  writer.create<tt::AssertOp>(fits.handle,
                              (type.str() + " " + spelling + " " + type.str() + " overflows").str());
}

} // namespace nereid::semantics
