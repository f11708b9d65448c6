// Functions, classes and exceptions of plain Python.
#include "EvaluateSource.h"

#include <gtest/gtest.h>

namespace nereid::python {

TEST(Statements, LoopsRun) {
  EXPECT_EQ(evaluateSource(R"(
def primes(limit):
    found = []
    for n in range(2, limit):
        for p in found:
            if n % p == 0:
                break
        else:
            found.append(n)
    while len(found) > 4:
        found.pop(0)
    return found
result = primes(20)
)"),
            "[11, 13, 17, 19]");
}

TEST(Statements, TargetsAreTakenApart) {
  EXPECT_EQ(evaluateSource(R"(
def f():
    (a, *b), c = (1, 2, 3), {}
    c['k'] = a
    b[0] += 10
    c['l'] = b[:]
    del b[1]
    return a, b, c
result = f()
)"),
            "(1, [12], {'k': 1, 'l': [12, 3]})");
}

TEST(Statements, FunctionsCloseOverNames) {
  EXPECT_EQ(evaluateSource(R"(
def outer(n):
    def inner(x, scale=n):
        return x * scale + n
    return inner
result = [outer(2)(5), outer(3)(5, scale=1)]
)"),
            "[12, 8]");
}

TEST(Statements, HandlersTakeTheirErrors) {
  EXPECT_EQ(evaluateSource(R"(
def f(x):
    log = []
    try:
        if x:
            raise ValueError("bad")
        log.append("fine")
    except KeyError:
        log.append("key")
    except ValueError as error:
        log.append("value")
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log
result = f(0) + f(1)
)"),
            "['fine', 'else', 'finally', 'value', 'finally']");
  EXPECT_EQ(evaluateSource("def f():\n    raise ValueError('bad ' + str(3))\nresult = f()\n"),
            "error: this 'raise' is reached when the kernel is compiled: bad 3");
}

TEST(Statements, ClassesHaveMethods) {
  EXPECT_EQ(evaluateSource(R"(
from dataclasses import dataclass
@dataclass
class Shape:
    rows: int
    columns: int = 4
    @property
    def size(self):
        return self.rows * self.columns
    @staticmethod
    def square(n):
        return Shape(n, n)
    def __add__(self, other):
        return Shape(self.rows + other.rows)
result = (Shape(2).size, Shape.square(3), (Shape(1) + Shape(2)).rows, Shape(1) == Shape(1, 4))
)"),
            "(8, Shape(rows=3, columns=3), 3, True)");
}

TEST(Statements, TheFirstErrorEndsAModule) {
  EXPECT_EQ(evaluateSource("def f(a, b): return a\nresult = f(1)\n"),
            "error: f() is missing the argument 'b'");
  EXPECT_EQ(evaluateSource("result = result + 1\n"), "error: the value of 'result' depends on itself");
}

} // namespace nereid::python
