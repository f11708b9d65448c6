// Signatures with lists: what they stand for, and what is wrong with them.
#include "compiler/model/Specialization.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

/// All signatures, each behind the types chosen for it; or the message.
static std::string expand(StringRef text) {
  Diagnostics diagnostics;
  auto all = parseSignatures(diagnostics.addSource("<signature>", text.str()), diagnostics);
  std::string result;
  if (!all) {
    raw_string_ostream stream(result);
    diagnostics.flush(stream);
    return result;
  }
  for (const Specialization &one : *all)
    result +=
        (result.empty() ? "" : " | ") + (one.typeSuffix.empty() ? "" : one.typeSuffix + ": ") + one.str();
  return result;
}

TEST(SignatureLists, Products) {
  EXPECT_EQ(expand("*fp32, i32"), "*fp32, i32");
  EXPECT_EQ(
      expand("x=*fp32, D=[64, 128], C=[True, False]"),
      "x=*fp32, D=64, C=True | x=*fp32, D=64, C=False | x=*fp32, D=128, C=True | x=*fp32, D=128, C=False");
  EXPECT_EQ(expand("[64,128], [None,\"a,]b\"]"), "64, None | 64, \"a,]b\" | 128, None | 128, \"a,]b\"");
  // The same values in two places are two lists.
  EXPECT_EQ(expand("A=[1,2], B=[1,2]"), "A=1, B=1 | A=1, B=2 | A=2, B=1 | A=2, B=2");
  EXPECT_EQ(expand("x=[*fp32, None], n=[i32:16, i32]"),
            "x=*fp32, n=i32:16 | x=*fp32, n=i32 | x=None, n=i32:16 | x=None, n=i32");
  EXPECT_EQ(expand("(*fp32, [1, 2])"), "(*fp32, 1) | (*fp32, 2)");
  EXPECT_EQ(expand("T=[float16, bfloat16]"), "T=float16 | T=bfloat16");
}

TEST(SignatureLists, Types) {
  EXPECT_EQ(expand("*[fp16, bf16]:16, *[fp16,bf16], fp32"),
            "fp16: *fp16:16, *fp16, fp32 | bf16: *bf16:16, *bf16, fp32");
  EXPECT_EQ(expand("x=*[fp16,fp32], w=*[bf16,fp32]"),
            "fp16_bf16: x=*fp16, w=*bf16 | fp16_fp32: x=*fp16, w=*fp32 | fp32_bf16: x=*fp32, w=*bf16 | "
            "fp32_fp32: x=*fp32, w=*fp32");
  EXPECT_EQ(expand("x=*[fp16,fp32], s=[fp16,fp32], T=[fp16,fp32]"),
            "fp16: x=*fp16, s=fp16, T=fp16 | fp32: x=*fp32, s=fp32, T=fp32");
  // Integers of several widths are variants of one function.
  EXPECT_EQ(expand("*fp32, [i32,i64]:16"), "*fp32, i32:16 | *fp32, i64:16");
}

TEST(SignatureLists, Ranges) {
  EXPECT_EQ(expand("n=i32[0..4095]:16, m=i64[..7], k=u8[3..]"), "n=i32[0..4095]:16, m=i64[..7], k=u8[3..]");
  EXPECT_EQ(expand("n=i32:<4096, m=i32:>=0, BLOCK=64"), "n=i32[..4095], m=i32[0..], BLOCK=64");
  EXPECT_EQ(expand("i64:<=2147483647, i64:>5"), "i64[..2147483647], i64[6..]");
  EXPECT_EQ(expand("(i32:<4, i32:>5)"), "(i32[..3], i32[6..])");
  EXPECT_EQ(expand("i32:<2147483648"), "i32");
  EXPECT_EQ(expand("[i32[0..3], i32[4..]]"), "i32[0..3] | i32[4..]");
  auto says = [](StringRef text, StringRef message) {
    EXPECT_NE(expand(text).find(message.str()), std::string::npos) << text.str() << ": " << expand(text);
  };
  says("i32[5..4]", "<signature>:1:4: error: no i32 is in this range");
  says("u8:<0", "no u8 is in this range");
  says("i64:<-9223372036854775808", "no i64 is in this range");
  says("fp32[0..1]", "only an integer has a range");
  says("*fp32[0..1]", "only an integer has a range");
  says("i32[0.5..1]", "expected an integer, not '0.5'");
  says("i32[4]", "expected a range such as");
  says("i32[0..", "expected a range such as");
  says("i32[0..9]x", "unexpected text after the type");
  says("i32[2..9]:1", "1 is not in the range");
  says("i32:<", "expected an integer");
  says("fp32:<4", "only pointers and integers take one");
}

TEST(SignatureLists, Refused) {
  auto says = [](StringRef text, StringRef message) {
    EXPECT_NE(expand(text).find(message.str()), std::string::npos) << text.str() << ": " << expand(text);
  };
  says("D=[64, 128", "<signature>:1:3: error: this list is not closed");
  says("D=[]", "this list is empty");
  says("D=[64, , 128]", "expected a value between the commas of this list");
  says("D=[64, [1, 2]]", "<signature>:1:8: error: a list cannot hold another one");
  says("D=[64, 64]", "'64' is twice in this list");
  says("x=*[fp16, half]", "<signature>:1:11: error: unknown element type 'half'");
  says("D=[1, @]", "<signature>:1:7: error: '@' is neither a type nor a compile-time value");
  says("A=[1,2,3,4,5,6,7,8,9,10,11], B=[1,2,3,4,5,6,7,8,9,10,11], C=[1,2,3,4,5,6,7,8,9,10,11], "
       "D=[1,2,3,4,5,6,7,8,9,10,11]",
       "the lists of this signature make more than 4096 signatures");
  Diagnostics diagnostics;
  EXPECT_FALSE(parseSignature(diagnostics.addSource("s", "D=[1,2]"), diagnostics).has_value());
}
