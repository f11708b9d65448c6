// Which names C and C++ have left for the functions of a library.
#include "linker/CNames.h"

#include "gtest/gtest.h"

using namespace nereid;

TEST(CNames, Taken) {
  // A few of each part of the C library and POSIX, of the families that are rules, and of what only g++ sees.
  for (const char *name : {"exp",
                           "log2f",
                           "sqrtf128",
                           "rsqrt",
                           "sincos",
                           "y0",
                           "cexpl",
                           "isnan",
                           "index",
                           "memcpy",
                           "strdup",
                           "qsort",
                           "abs",
                           "div",
                           "printf",
                           "putchar",
                           "time",
                           "clock",
                           "rand",
                           "malloc",
                           "free",
                           "select",
                           "read",
                           "write",
                           "fork",
                           "clone",
                           "tee",
                           "poll",
                           "bind",
                           "send",
                           "stat",
                           "signal",
                           "size_t",
                           "int32_t",
                           "FILE",
                           "NULL",
                           "EOF",
                           "errno",
                           "INT_MAX",
                           "PRId64",
                           "assert",
                           "offsetof",
                           "atomic_load",
                           "pthread_create",
                           "posix_memalign",
                           "ckd_add",
                           "memset_explicit"})
    EXPECT_TRUE(isCLibraryName(name)) << name;
  for (const char *name : {"while", "restrict", "typeof", "nullptr", "constexpr", "co_yield", "char8_t",
                           "requires", "xor_eq", "thread_local", "asm", "linux", "__add", "_Add"})
    EXPECT_TRUE(isReservedInC(name)) << name;
  for (const char *name : {"exp", "while", "main", "std", "nrd_add", "NRD_ADD", "3d", "a-b", ""})
    EXPECT_FALSE(whyNotAFunctionName(name).empty()) << name;
}

TEST(CNames, Free) {
  // What kernels are called, some of them a letter away from a name that is taken.
  for (const char *name :
       {"add",    "add_kernel", "softmax", "gelu",        "ELU",          "matmul",      "scale",
        "copy",   "gather",     "relu",    "sum",         "mean",         "sort",        "topk",
        "expand", "rand64",     "addf",    "stream_copy", "memory_bound", "strided_add", "atomic_add",
        "PRINT",  "_add",       "final",   "import"})
    EXPECT_EQ(whyNotAFunctionName(name), "") << name;
}

TEST(CNames, OfPython) {
  for (const char *name : {"add", "_add", "λ", "xλ_2", "кернел"})
    EXPECT_TRUE(isPythonIdentifier(name)) << name;
  for (const char *name : {"", "2λ", "a b", "λ;", "a\xff", "\xce"})
    EXPECT_FALSE(isPythonIdentifier(name)) << name;
  EXPECT_EQ(spellInC("x_ptr"), "x_ptr");
  EXPECT_EQ(spellInC("λ"), "u03BB");
  EXPECT_EQ(spellInC("x𝛼_2"), "xu1D6FC_2");
}

TEST(CNames, OfLibraries) {
  for (const char *name : {"add", "_add", "int", "nrdx"})
    EXPECT_EQ(whyNotALibraryName(name), "") << name;
  for (const char *name : {"", "a b", "λ", "1a", "../x", "__a", "nrd", "nrd_a"})
    EXPECT_NE(whyNotALibraryName(name).find("cannot be the name of a library: "), std::string::npos) << name;
}
