// Signatures: what is read, that it prints and reads back the same, and what each mistake is told.
#include "compiler/model/SignaturePositions.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <limits>

using namespace nereid;

namespace {

std::optional<Specialization> parse(llvm::StringRef text, Diagnostics &diagnostics) {
  return parseSignature(diagnostics.addSource("<signature>", text.str()), diagnostics);
}

Specialization parseValid(llvm::StringRef text) {
  Diagnostics diagnostics;
  std::optional<Specialization> result = parse(text, diagnostics);
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  EXPECT_TRUE(result.has_value()) << messages;
  return result.value_or(Specialization());
}

/// The messages for a signature that must be refused.
std::string refuse(llvm::StringRef text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse(text, diagnostics).has_value()) << text.str();
  EXPECT_EQ(diagnostics.getErrorCount(), 1u);
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  return messages;
}

TEST(Signature, ReadsTypesByPosition) {
  Specialization s =
      parseValid("*fp32:16, *bf16, i32:16, i64:1, u8, fp64, *i1, i32:8, *i8:4096, i32[0..8]:32");
  ASSERT_EQ(s.parameters.size(), 10u);
  EXPECT_EQ(s.parameters[8].str(), "*i8:4096");
  EXPECT_EQ(s.parameters[9].str(), "i32[0..8]:32");
  EXPECT_EQ(s.parameters[9].divisibleBy, 32u);
  EXPECT_EQ(s.parameters[7].divisibleBy, 8u);
  EXPECT_EQ(s.parameters[7].str(), "i32:8");
  EXPECT_FALSE(s.named);
  EXPECT_TRUE(s.parameters[0].isPointer);
  EXPECT_EQ(s.parameters[0].divisibleBy, 16u);
  EXPECT_EQ(s.parameters[0].element, ScalarKind::FP32);
  EXPECT_EQ(s.parameters[1].element, ScalarKind::BF16);
  EXPECT_EQ(s.parameters[1].divisibleBy, 1u);
  EXPECT_FALSE(s.parameters[2].isPointer);
  EXPECT_EQ(s.parameters[2].divisibleBy, 16u);
  EXPECT_TRUE(s.parameters[3].equalsOne);
  EXPECT_EQ(s.parameters[4].element, ScalarKind::UInt8);
  EXPECT_EQ(s.parameters[5].element, ScalarKind::FP64);
  EXPECT_EQ(s.parameters[6].element, ScalarKind::Int1);
}

TEST(Signature, ReadsPositionsThenNames) {
  Specialization s = parseValid("*fp32:16, i32, D=64, x=*fp16");
  ASSERT_EQ(s.parameters.size(), 4u);
  EXPECT_TRUE(s.named);
  EXPECT_EQ(countByPosition(s), 2u);
  EXPECT_EQ(s.parameters[3].name, "x");
  EXPECT_EQ(s.str(), "*fp32:16, i32, D=64, x=*fp16");
  EXPECT_EQ(parseValid(s.str()).str(), s.str());
}

TEST(Signature, ReadsCompileTimeValues) {
  Specialization s =
      parseValid("1024, -7, 0x10, 1_000, 1.5, -1e-5, inf, True, False, None, \"a,b\", 'c', float16");
  ASSERT_EQ(s.parameters.size(), 13u);
  auto value = [&](unsigned i) { return *s.parameters[i].constant; };
  EXPECT_EQ(std::get<int64_t>(value(0)), 1024);
  EXPECT_EQ(std::get<int64_t>(value(1)), -7);
  EXPECT_EQ(std::get<int64_t>(value(2)), 16);
  EXPECT_EQ(std::get<int64_t>(value(3)), 1000);
  EXPECT_EQ(std::get<double>(value(4)), 1.5);
  EXPECT_EQ(std::get<double>(value(5)), -1e-5);
  EXPECT_EQ(std::get<double>(value(6)), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::get<bool>(value(7)));
  EXPECT_FALSE(std::get<bool>(value(8)));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(value(9)));
  EXPECT_EQ(std::get<std::string>(value(10)), "a,b");
  EXPECT_EQ(std::get<std::string>(value(11)), "c");
  EXPECT_EQ(std::get<DTypeConstant>(value(12)).kind, ScalarKind::FP16);
}

TEST(Signature, ReadsNames) {
  Specialization s = parseValid(" n = i32:16 ,x_ptr=*fp16, BLOCK=128, DTYPE=tl.float32,");
  ASSERT_EQ(s.parameters.size(), 4u);
  EXPECT_TRUE(s.named);
  EXPECT_EQ(s.parameters[0].name, "n");
  EXPECT_EQ(s.parameters[1].name, "x_ptr");
  EXPECT_EQ(std::get<DTypeConstant>(*s.parameters[3].constant).kind, ScalarKind::FP32);
}

TEST(Signature, HasTuplesAndDescriptors) {
  Specialization s = parseValid("xs=(*fp32, (i32:1, 4)), d=tensordesc<fp16[ 64,32 ]>");
  ASSERT_EQ(s.parameters.size(), 2u);
  ASSERT_TRUE(s.parameters[0].elements);
  const std::vector<ParameterSpec> &elements = *s.parameters[0].elements;
  EXPECT_TRUE(elements[0].isPointer);
  EXPECT_TRUE((*elements[1].elements)[0].equalsOne);
  EXPECT_EQ(std::get<int64_t>(*(*elements[1].elements)[1].constant), 4);
  EXPECT_EQ(s.parameters[1].blockShape, (std::vector<int64_t>{64, 32}));
  EXPECT_EQ(s.parameters[1].element, ScalarKind::FP16);

  EXPECT_NE(refuse("(i32, 4").find("1:1: error: this tuple is not closed"), std::string::npos);
  EXPECT_NE(refuse("(i32,,4)").find("between the commas of this tuple"), std::string::npos);
  EXPECT_NE(refuse("(i32, non sense)").find("1:7: error: 'non sense' is neither"), std::string::npos);
  EXPECT_NE(refuse("tensordesc<fp16>").find("expected a tensor descriptor such as"), std::string::npos);
  EXPECT_NE(refuse("tensordesc<fp16[64, x]>").find("1:21: error: expected the size of a block"),
            std::string::npos)
      << refuse("tensordesc<fp16[64, x]>");
}

TEST(Signature, FieldsOfATupleMayHaveNames) {
  Specialization s = parseValid("at=(ptr=*fp32:16, size = (n=i32, m=8), mark=\"a=b\")");
  ASSERT_TRUE(s.parameters[0].elements);
  const std::vector<ParameterSpec> &fields = *s.parameters[0].elements;
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0].name, "ptr");
  EXPECT_EQ(fields[0].divisibleBy, 16u);
  EXPECT_EQ((*fields[1].elements)[1].name, "m");
  EXPECT_EQ(std::get<std::string>(*fields[2].constant), "a=b");
  EXPECT_EQ(s.str(), "at=(ptr=*fp32:16, size=(n=i32, m=8), mark=\"a=b\")");

  EXPECT_NE(refuse("(p=*fp32, 4)").find("1:11: error: either all fields of a tuple have names or none has"),
            std::string::npos)
      << refuse("(p=*fp32, 4)");
  EXPECT_NE(refuse("(p=*fp32, p=4)").find("1:11: error: the field 'p' is given twice"), std::string::npos);
}

// Triton's signatures call booleans u1.
TEST(Signature, CallsBooleansByBothNames) {
  Specialization s = parseValid("*u1, u1, (u1, *u1:16)");
  EXPECT_EQ(s.parameters[0].element, ScalarKind::Int1);
  EXPECT_TRUE(s.parameters[0].isPointer);
  EXPECT_EQ(s.str(), "*i1, i1, (i1, *i1:16)");
  EXPECT_NE(refuse("u1:16").find("only pointers and integers take one"), std::string::npos);
}

TEST(Signature, MayBeEmpty) { EXPECT_TRUE(parseValid("").parameters.empty()); }

TEST(Signature, PrintsWhatReadsBackTheSame) {
  for (const char *text : {"*fp32:16, i32:1, 1024, 0.1, True, None, \"a\\\"b\", float16",
                           "\"line\\n\\ttab\\\\n\"", "\"\\x00a\\x1b[31m\\x7f\"", "x=*u64, y=-3, z=nan",
                           "(*fp32:16, (i32, 3), ()), (\"a,)\",)", "d=tensordesc<fp16[64, 128]>, n=i32"})
    EXPECT_EQ(parseValid(text).str(), text);
  EXPECT_EQ(parseValid("1e3,  .5,tl.int8").str(), "1e+03, 0.5, int8");
  // Control characters may stand for themselves, but are not printed so.
  Specialization controls = parseValid(llvm::StringRef("\"a\0b\x1b\"", 6));
  EXPECT_EQ(std::get<std::string>(*controls.parameters[0].constant), std::string("a\0b\x1b", 4));
  EXPECT_EQ(controls.str(), "\"a\\x00b\\x1b\"");
  for (const char *name : {"gelu", "ops.gelu", "package.ops:gelu", "tl.exp"}) {
    Specialization s = parseValid(name);
    EXPECT_EQ(std::get<NameConstant>(*s.parameters[0].constant).text, name);
    EXPECT_EQ(s.str(), name);
  }
}

TEST(Signature, PointsAtMistakes) {
  EXPECT_EQ(refuse("*fp32, i32?"),
            "<signature>:1:8: error: 'i32?' is neither a type nor a compile-time value: "
            "expected *TYPE, TYPE (i1, i8, i16, i32, i64, u8, u16, u32, u64, fp8e4nv, fp8e4b8, "
            "fp8e4b15, fp8e5, fp8e5b16, fp16, bf16, fp32, fp64), a number, True, False, None, a "
            "quoted string or a name of the kernel's file\n*fp32, i32?\n       ^~~~\n");
  EXPECT_NE(refuse("*fp31").find("1:2: error: unknown element type 'fp31'"), std::string::npos);
  EXPECT_NE(refuse("*None").find("a pointer that may be None is [*fp16, None]"), std::string::npos);
  EXPECT_NE(refuse("*").find("expected an element type after '*'"), std::string::npos);
  EXPECT_NE(refuse("i32:3").find("1:5: error: unknown specialization '3': an integer takes ':16'"),
            std::string::npos);
  for (const char *text : {"*fp32:8192", "*fp32:0", "*fp32:48", "*fp32:-16", "*fp32:4294967312"})
    EXPECT_NE(refuse(text).find("another power of 2 up to 4096"), std::string::npos) << text;
  EXPECT_NE(refuse("*fp32:1").find("a pointer takes ':16'"), std::string::npos);
  EXPECT_NE(refuse("fp32:16").find("only pointers and integers take one"), std::string::npos);
  EXPECT_NE(refuse("i32,,i32").find("1:5: error: expected a type or a value"), std::string::npos);
  EXPECT_NE(refuse("i64, x=i32, i32").find("1:13: error: entries by position stand before"),
            std::string::npos);
  EXPECT_NE(refuse("x=i32, x=i32").find("'x' is given twice"), std::string::npos);
  EXPECT_NE(refuse("x=").find("expected a type or a value after '='"), std::string::npos);
  EXPECT_NE(refuse("\"abc").find("not closed"), std::string::npos);
  EXPECT_NE(refuse("\"abc\"d").find("1:6: error: unexpected text after the string"), std::string::npos);
  EXPECT_NE(refuse("\"C:\\dir\"").find("1:4: error: this escape is not known here"), std::string::npos);
  EXPECT_NE(refuse("\"\\x8\"").find("1:2: error: expected two digits from \\x00 to \\x7f"),
            std::string::npos);
  EXPECT_NE(refuse("\"\\xe9\"").find("expected two digits from \\x00 to \\x7f"), std::string::npos);
  EXPECT_NE(refuse("12ab").find("'12ab' is not a number"), std::string::npos);
  EXPECT_NE(refuse("99999999999999999999").find("does not fit in 64 bits"), std::string::npos);
}

} // namespace
