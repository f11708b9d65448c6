// A table.
#include "compiler/model/FloatFormat.h"

#include "llvm/ADT/APFloat.h"

using namespace llvm;

namespace nereid {

const fltSemantics *getFloatFormat(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::FP8E4NV:
    return &APFloat::Float8E4M3FN();
  case ScalarKind::FP8E4B8:
    return &APFloat::Float8E4M3FNUZ();
  case ScalarKind::FP8E5:
    return &APFloat::Float8E5M2();
  case ScalarKind::FP8E5B16:
    return &APFloat::Float8E5M2FNUZ();
  case ScalarKind::FP16:
    return &APFloat::IEEEhalf();
  case ScalarKind::BF16:
    return &APFloat::BFloat();
  case ScalarKind::FP32:
    return &APFloat::IEEEsingle();
  case ScalarKind::FP64:
    return &APFloat::IEEEdouble();
  default:
    return nullptr;
  }
}

} // namespace nereid
