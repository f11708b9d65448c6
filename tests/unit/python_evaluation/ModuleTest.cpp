// What names of a file mean: bindings under conditions, imports, and what the host tells.
#include "EvaluateSource.h"

#include <gtest/gtest.h>

namespace nereid::python {

TEST(Modules, TheLastBindingThatHoldsCounts) {
  EXPECT_EQ(evaluateSource("x = 1\nx = x + 1\nresult = x\nx = 5\n"), "2");
  EXPECT_EQ(evaluateSource("import math\nif math.pi > 3:\n    result = 'yes'\nelse:\n    result = 'no'\n"),
            "'yes'");
  EXPECT_EQ(evaluateSource("try:\n    from nowhere import result\nexcept ImportError:\n    result = 7\n"),
            "7");
}

TEST(Modules, TargetsAreTakenApart) {
  EXPECT_EQ(evaluateSource("first, *result = 1, 2, 3\n"), "[2, 3]");
  EXPECT_EQ(evaluateSource("x = y, [z, result] = 1, (2, 3)\n"), "3");
  EXPECT_EQ(evaluateSource("result, y = 1, 2, 3\n"), "error: cannot unpack 3 values into 2 names");
}

TEST(Modules, TheHostAnswersForTheTarget) {
  EXPECT_EQ(evaluateSource("import torch\nresult = torch.cuda.get_device_capability()\n"), "(9, 0)");
  EXPECT_EQ(evaluateSource("import torch\nresult = torch.version.hip is None\n"), "True");
  EXPECT_EQ(evaluateSource("import torch\nresult = torch.finfo(torch.float16).max\n"), "65504.0");
  EXPECT_EQ(evaluateSource("import triton\nfrom packaging import version\n"
                           "result = version.parse(triton.__version__) >= version.parse('3.0')\n"),
            "True");
}

TEST(Modules, OperatorsAreFunctions) {
  // As packages compare versions.
  EXPECT_EQ(evaluateSource("import importlib\nimport operator\nfrom packaging.version import Version\n"
                           "def compare_version(package, operator, target):\n"
                           "    try:\n        pkg = importlib.import_module(package)\n"
                           "    except ImportError:\n        return False\n"
                           "    return operator(Version(pkg.__version__), Version(target))\n"
                           "result = compare_version('triton', operator.ge, '3.0.0'), "
                           "compare_version('triton', operator.lt, '3.0.0')\n"),
            "(True, False)");
  EXPECT_EQ(
      evaluateSource("import operator as o\n"
                     "result = [o.eq(1, 1), o.__ne__(1, 1), o.sub(5, 3), o.floordiv(7, 2), o.and_(6, 3), "
                     "o.neg(2), o.not_(0), o.contains([1], 1), o.is_(None, None), o.getitem('abc', 1), "
                     "o.truth([]), o.abs(-2), o.is_not(1, None)]\n"),
      "[True, False, 2, 3, 2, -2, True, True, True, 'b', False, 2, True]");
  EXPECT_EQ(evaluateSource("from operator import itemgetter, attrgetter\nimport triton\n"
                           "rows = [(3, 'a'), (1, 'b'), (2, 'c')]\n"
                           "configs = [triton.Config({}, num_warps=8), triton.Config({}, num_warps=2)]\n"
                           "result = (sorted(rows, key=itemgetter(0)), itemgetter(1, 0)(rows[0]),\n"
                           "          sorted(configs, key=attrgetter('num_warps'))[0].num_warps)\n"),
            "([(1, 'b'), (2, 'c'), (3, 'a')], ('a', 3), 2)");
  EXPECT_EQ(evaluateSource("import operator\nresult = operator.no_such\n"),
            "unknown: module 'operator' is not available when kernels are compiled");
}

TEST(Modules, FunctionsMayHaveSomeOfTheirArgumentsAlready) {
  EXPECT_EQ(evaluateSource("import functools\nimport operator\n"
                           "from functools import partial, reduce\n"
                           "def f(a, b, c=3, *, d=4, args=0):\n    return (a, b, c, d, args)\n"
                           "g = partial(f, 1, d=7, args=5)\n"
                           "result = [g(2), g(2, 9, d=8), partial(g, 5)(), functools.partial(max, 3)(2), "
                           "reduce(operator.mul, [2, 3, 4]), reduce(operator.add, [], 1)]\n"),
            "[(1, 2, 3, 7, 5), (1, 2, 9, 8, 5), (1, 5, 3, 7, 5), 3, 24, 1]");
  EXPECT_EQ(evaluateSource("from functools import reduce\nresult = reduce(max, [])\n"),
            "error: reduce() of an empty sequence needs an initial value");
}

TEST(Modules, FunctionsThatRebindANameMakeItUnknown) {
  // However deep `global` stands.
  for (const char *body :
       {"    global result\n    result = 2\n",
        "    for i in range(3):\n        global result\n        result = 2\n",
        "    while True:\n        global result\n        result = 2\n",
        "    try:\n        pass\n    finally:\n        global result\n        result = 2\n",
        "    def g():\n        global result\n        result = 2\n",
        "    match 1:\n        case 1:\n            global result\n            result = 2\n"})
    EXPECT_EQ(evaluateSource(std::string("result = 1\ndef f():\n") + body),
              "unknown: a function assigns it while the program runs")
        << body;
  EXPECT_EQ(
      evaluateSource("result = 1\nclass C:\n    def f(self):\n        global result\n        result = 2\n"),
      "unknown: a function assigns it while the program runs");
}

TEST(Modules, WhatAFunctionImportsLaterIsWhatANameIsFor) {
  const std::string unknown = "unknown: a function assigns it while the program runs";
  const std::string head = "def f():\n    global result\n";
  for (const char *body : {"    from math import pi as result\n",
                           "    if result is None:\n        from math import pi as p\n        result = p\n",
                           "    try:\n        from math import pi\n    except ImportError:\n        return\n"
                           "    result = pi\n"})
    EXPECT_EQ(evaluateSource("result = None\n" + head + body), "3.141592653589793") << body;
  // What else could have been assigned is not known.
  for (const char *body :
       {"    from math import pi, e\n    result = pi if result else e\n",
        "    if result:\n        from math import pi as p\n    else:\n        p = 3\n    result = p\n",
        "    from math import pi as result\n    result = result * 2\n",
        "    for i in range(3):\n        from math import pi as result\n"})
    EXPECT_EQ(evaluateSource("result = None\n" + head + body), unknown) << body;
  EXPECT_EQ(evaluateSource("result = 1\n" + head + "    from math import pi as result\n"), unknown);
  EXPECT_EQ(evaluateSource("result = None\n" + head +
                           "    from math import pi as result\ndef g():\n"
                           "    global result\n    result = None\n"),
            unknown);
}

TEST(Modules, NamesOfStatementsThatAreNotEvaluatedAreNotUndefined) {
  const std::string unknown =
      "unknown: it is assigned by a statement that is not evaluated when kernels are compiled";
  for (const char *statement :
       {"for result in range(3): pass\n", "for i in range(3):\n    if i:\n        result = i\n",
        "while True:\n    result = 1\n", "with open('f') as result: pass\n", "print(result := 3)\n",
        "match 1:\n    case result: pass\n", "for i in ():\n    pass\nelse:\n    result = 1\n"})
    EXPECT_EQ(evaluateSource(statement), unknown) << statement;
}

} // namespace nereid::python
