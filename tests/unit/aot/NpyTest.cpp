// .npy files: both directions, and files that are damaged or hold what a kernel cannot take.
#include "aot/Npy.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

NpyArray makeArray() {
  NpyArray array;
  array.dtype = "i4";
  array.shape = {2, 3};
  array.bytes.resize(24);
  for (int i = 0; i < 24; ++i)
    array.bytes[i] = static_cast<char>(i);
  return array;
}

std::string refuse(llvm::StringRef contents) {
  llvm::Expected<NpyArray> array = parseNpy(contents, "x.npy");
  EXPECT_FALSE(static_cast<bool>(array));
  return array ? "" : llvm::toString(array.takeError());
}

std::string withHeader(llvm::StringRef header, llvm::StringRef data) {
  std::string text = "\x93NUMPY\x01";
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  return text + header.str() + data.str();
}

TEST(Npy, ReadsBackWhatItWrites) {
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{2, 3}, {6}, {1, 2, 3}}) {
    NpyArray array = makeArray();
    array.shape = shape;
    NpyArray copy = llvm::cantFail(parseNpy(printNpy(array), "x.npy"));
    EXPECT_EQ(copy.dtype, array.dtype);
    EXPECT_EQ(copy.shape, array.shape);
    EXPECT_EQ(copy.bytes, array.bytes);
  }
  NpyArray scalar = makeArray();
  scalar.shape = {};
  scalar.bytes.resize(4);
  EXPECT_TRUE(llvm::cantFail(parseNpy(printNpy(scalar), "x.npy")).shape.empty());
}

TEST(Npy, WritesWhatNumPyWrites) {
  std::string text = printNpy(makeArray());
  EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
  EXPECT_EQ((text.size() - 24) % 64, 0u);
  EXPECT_NE(text.find("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }"), std::string::npos);
}

TEST(Npy, RefusesEveryTruncation) {
  std::string text = printNpy(makeArray());
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(refuse(llvm::StringRef(text).take_front(size)), "");
}

TEST(Npy, RefusesWhatAKernelCannotTake) {
  EXPECT_NE(refuse(withHeader("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd"))
                .find("big-endian"),
            std::string::npos);
  EXPECT_NE(
      refuse(withHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "abcd")).find("Fortran"),
      std::string::npos);
  EXPECT_NE(
      refuse(withHeader("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "abcd")).find("'c8'"),
      std::string::npos);
  EXPECT_NE(refuse(withHeader("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd"))
                .find("structured"),
            std::string::npos);
  EXPECT_NE(
      refuse(withHeader("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999), }",
                        "abcd"))
          .find("too large"),
      std::string::npos);
}

TEST(Npy, SaysOfABadHeaderThatItIsOne) {
  for (const char *header : {
           "",
           "{",
           "{}",
           "[]",
           "None",
           "{'descr': '<f4'}",
           "{'descr': 4, 'fortran_order': False, 'shape': (1,), }",
           "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }",
           "{'descr': '<f4', 'fortran_order': False, 'shape': 1, }",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2), }",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
           "{'x': \"'descr': '<f4', 'fortran_order': False, 'shape': (1,)\"}",
       })
    EXPECT_NE(refuse(withHeader(header, "abcd")).find("its header is not the dict"), std::string::npos)
        << header;
}

} // namespace
