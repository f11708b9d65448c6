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
