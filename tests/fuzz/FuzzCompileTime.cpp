// Plain Python that is run at compile time. Bytes are no programs, so the input is read as a list of choices:
// each byte picks a production of a small grammar, and every input is a program that parses. What it does at
// compile time must end, in a kernel or in a refusal, within the limits that the compiler promises.
#include "tests/fuzz/CompileInput.h"

#include "llvm/ADT/ArrayRef.h"

namespace {

class Generator {
public:
  Generator(const uint8_t *data, size_t size) : choices(data, size) {}

  std::string makeProgram() {
    std::string text = "import math\nimport itertools\nimport triton\nimport triton.language as tl\n\n"
                       "class Pair:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n\n"
                       "def helper(a, b=()):\n    c, d, e = [], {}, 'xyz'\n";
    text += makeBlock(1, 3);
    text += "    return " + makeExpression(3) + "\n\n";
    text += "@triton.jit\ndef k(x, N: tl.constexpr = helper(3, [1, 2])):\n";
    text += "    y = N\n    if N == 1:\n        y = 2\n    tl.store(x, 1)\n";
    return text;
  }

private:
  template <size_t N> std::string pick(const char *const (&words)[N]) { return words[choose(N - 1)]; }
  /// A number up to `last`; 0 when the choices have run out, which ends every recursion.
  unsigned choose(unsigned last) {
    if (choices.empty())
      return 0;
    unsigned choice = choices.front();
    choices = choices.drop_front();
    return choice % (last + 1);
  }

  std::string makeName() {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    return pick(names);
  }

  std::string makeAtom() {
    static const char *const atoms[] = {
        "0",     "1",         "-1",   "2",      "7",       "1000",           "65536",
        "2**62", "-(2**127)", "0.5",  "1e308",  "-0.0",    "float('inf')",   "float('nan')",
        "''",    "'a'",       "'%s'", "'{}{}'", "'a,b,c'", "'%1000000000d'", "None",
        "True",  "[]",        "()",   "{}",     "set()",   "tl.float32",     "int",
        "Pair",  "helper",    "len"};
    return choose(1) ? makeName() : pick(atoms);
  }

  std::string makeArguments(unsigned depth) {
    std::string text;
    for (unsigned count = choose(3), i = 0; i < count; ++i)
      text += (i ? ", " : "") + std::string(choose(15) == 0 ? "*" : "") + makeExpression(depth);
    return text;
  }

  std::string makeExpression(unsigned depth) {
    if (!depth || choices.empty())
      return makeAtom();
    --depth;
    static const char *const operators[] = {"+",  "-",  "*", "/", "//", "%", "**",
                                            "<<", ">>", "&", "|", "^",  "@"};
    static const char *const comparisons[] = {"==", "!=", "<", ">=", "in", "not in", "is", "and", "or"};
    static const char *const functions[] = {"len",
                                            "str",
                                            "repr",
                                            "int",
                                            "float",
                                            "bool",
                                            "list",
                                            "tuple",
                                            "set",
                                            "dict",
                                            "sorted",
                                            "sum",
                                            "min",
                                            "max",
                                            "abs",
                                            "round",
                                            "range",
                                            "zip",
                                            "enumerate",
                                            "reversed",
                                            "map",
                                            "filter",
                                            "any",
                                            "all",
                                            "hex",
                                            "bin",
                                            "chr",
                                            "ord",
                                            "pow",
                                            "divmod",
                                            "isinstance",
                                            "hasattr",
                                            "getattr",
                                            "callable",
                                            "format",
                                            "math.factorial",
                                            "math.comb",
                                            "math.gcd",
                                            "math.isqrt",
                                            "math.prod",
                                            "itertools.product",
                                            "Pair",
                                            "helper",
                                            "tl.cdiv"};
    static const char *const methods[] = {
        "append",  "extend", "insert",     "pop",        "remove",     "sort",      "reverse", "copy",
        "index",   "count",  "clear",      "get",        "setdefault", "update",    "keys",    "values",
        "items",   "add",    "union",      "difference", "issubset",   "split",     "rsplit",  "strip",
        "replace", "join",   "format",     "find",       "startswith", "partition", "rjust",   "center",
        "zfill",   "title",  "splitlines", "bit_length", "a"};
    switch (choose(13)) {
    case 0:
    case 1:
      return "(" + makeExpression(depth) + " " + pick(operators) + " " + makeExpression(depth) + ")";
    case 2:
      return "(" + makeExpression(depth) + " " + pick(comparisons) + " " + makeExpression(depth) + ")";
    case 3:
      return "[" + makeArguments(depth) + "]";
    case 4:
      return "(" + makeExpression(depth) + ",)";
    case 5:
      return "{" + makeExpression(depth) + ": " + makeExpression(depth) + "}";
    case 6:
    case 7:
      return pick(functions) + "(" + makeArguments(depth) + ")";
    case 8:
    case 9:
      return makeExpression(depth) + "." + pick(methods) + "(" + makeArguments(depth) + ")";
    case 10:
      return makeExpression(depth) + "[" + makeExpression(depth) +
             (choose(1) ? ":" + makeExpression(depth) : "") + "]";
    case 11:
      return "[" + makeExpression(depth) + " for " + makeName() + " in " + makeExpression(depth) + "]";
    case 12:
      return "(lambda " + makeName() + "=1: " + makeExpression(depth) + ")";
    default:
      return "f'{" + makeName() + "!r:>3}{" + makeName() + "}'";
    }
  }

  std::string makeBlock(unsigned indent, unsigned depth) {
    std::string text;
    for (unsigned count = 1 + choose(4), i = 0; i < count; ++i)
      text += makeStatement(std::string(4 * indent, ' '), indent, depth);
    return text;
  }

  std::string makeStatement(const std::string &space, unsigned indent, unsigned depth) {
    auto body = [&] { return makeBlock(indent + 1, depth - 1); };
    switch (choose(depth ? 11 : 4)) {
    case 0:
    case 1:
      return space + makeName() + " = " + makeExpression(2) + "\n";
    case 2:
      return space + makeName() + " += " + makeExpression(2) + "\n";
    case 3:
      return space + makeExpression(3) + "\n";
    case 4:
      return space + makeName() + "[" + makeExpression(1) + "] = " + makeExpression(1) + "\n";
    case 5:
      return space + "for " + makeName() + " in " + makeExpression(2) + ":\n" + body();
    case 6:
      return space + "while " + makeExpression(1) + ":\n" + body();
    case 7:
      return space + "if " + makeExpression(2) + ":\n" + body() + space + "else:\n" + body();
    case 8:
      return space + "try:\n" + body() + space + "except Exception as " + makeName() + ":\n" + body();
    case 9:
      return space + "def " + makeName() + "(a, b=" + makeExpression(1) + "):\n" + body();
    case 10:
      return space + "return " + makeExpression(2) + "\n";
    default:
      return space + "for i in range(" + makeExpression(0) + "):\n" + body();
    }
  }

  llvm::ArrayRef<uint8_t> choices;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  nereid::fuzz::compileInput("# kernel k *fp32\n" + Generator(data, size).makeProgram(), ".py",
                             nereid::Stage::TTIR);
  return 0;
}
