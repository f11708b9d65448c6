// The types are those of templates/types.h.in.
#include "linker/CTypes.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace nereid {

StringRef scalarTypeInC(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Int1:
    return "bool";
  case ScalarKind::Int8:
    return "int8_t";
  case ScalarKind::Int16:
    return "int16_t";
  case ScalarKind::Int32:
    return "int32_t";
  case ScalarKind::Int64:
    return "int64_t";
  case ScalarKind::UInt8:
    return "uint8_t";
  case ScalarKind::UInt16:
    return "uint16_t";
  case ScalarKind::UInt32:
    return "uint32_t";
  case ScalarKind::UInt64:
    return "uint64_t";
  case ScalarKind::FP8E4NV:
    return "nrd_f8e4nv";
  case ScalarKind::FP8E4B8:
    return "nrd_f8e4b8";
  case ScalarKind::FP8E4B15:
    return "nrd_f8e4b15";
  case ScalarKind::FP8E5:
    return "nrd_f8e5";
  case ScalarKind::FP8E5B16:
    return "nrd_f8e5b16";
  case ScalarKind::FP16:
    return "nrd_f16";
  case ScalarKind::BF16:
    return "nrd_bf16";
  case ScalarKind::FP32:
    return "float";
  case ScalarKind::FP64:
    return "double";
  }
  return "";
}

std::string typeInC(const PlannedArgument &argument) {
  switch (argument.form) {
  case PlannedArgument::Form::Plain:
    break;
  case PlannedArgument::Form::Text:
    return "const char *";
  case PlannedArgument::Form::DType:
    return "nrd_dtype ";
  case PlannedArgument::Form::OptionalInteger:
    return "nrd_optional_i64 ";
  case PlannedArgument::Form::OptionalFloat:
    return "nrd_optional_" + getNameOfOptional(argument.element).str() + " ";
  }
  return (argument.isConst ? "const " : "") + scalarTypeInC(argument.element).str() +
         (argument.isPointer ? " *" : " ");
}

std::string loadInC(const PlannedArgument &argument, unsigned index) {
  std::string type = StringRef(typeInC(argument)).rtrim(' ').str();
  type = type.back() == '*' ? type + "const *" : "const " + type + " *";
  return "*(" + type + ")arguments[" + utostr(index) + "]";
}

std::string loadNumberInC(const PlannedArgument &argument, unsigned index) {
  std::string load = loadInC(argument, index);
  return argument.isOptional() ? "(" + load + ").value" : load;
}

std::string numberInC(int64_t value) {
  // C has no literal for the least.
  return value == INT64_MIN ? "INT64_MIN" : "INT64_C(" + itostr(value) + ")";
}

std::string numberInC(double value) {
  if (std::isinf(value))
    return value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  return StringRef(text).find_first_of(".e") == StringRef::npos ? std::string(text) + ".0" : text;
}

std::string quoteInC(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '?' || !isPrint(c)) // ?? may begin a trigraph.
      result += "\\" + utostr((unsigned char)c >> 6) + utostr((unsigned char)c >> 3 & 7) + utostr(c & 7);
    else
      result += c;
  }
  return result + "\"";
}

} // namespace nereid
