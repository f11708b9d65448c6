// What plain Python does when it is run at compile time: methods, statements and classes of helper functions,
// classes of the language, and choices that a module makes by the machine.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

struct HelperCase {
  const char *name;
  /// The body of a function whose result must be True.
  const char *body;
};
void PrintTo(const HelperCase &helper, std::ostream *os) { *os << helper.name; }

class Helper : public ::testing::TestWithParam<HelperCase> {};

TEST_P(Helper, IsTrue) {
  Emission emission = emitSource(std::string("import math\n"
                                             "@triton.constexpr_function\n"
                                             "def helper(n, text):\n") +
                                     GetParam().body +
                                     "\n@triton.jit\n"
                                     "def f(x, N: tl.constexpr, TEXT: tl.constexpr):\n"
                                     "    tl.static_assert(helper(N, TEXT))\n"
                                     "    tl.store(x, 1)\n",
                                 "*i32, 12, \"a, b, c\"");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir, "");
}

const HelperCase helpers[] = {
    {"Split", "    return text.split(', ') == ['a', 'b', 'c'] and ' x  y '.split() == ['x', 'y'] and "
              "'a.b.c'.rsplit('.', 1) == ['a.b', 'c'] and 'a,,b'.split(',', maxsplit=1) == ['a', ',b']"},
    {"Strip",
     "    return '  x '.strip() == 'x' and 'xxaxx'.lstrip('x') == 'axx' and 'a\\n'.rstrip() == 'a' and "
     "'pre_x'.removeprefix('pre_') == 'x' and 'x.py'.removesuffix('.py') == 'x'"},
    {"Search", "    return text.find('b') == 3 and text.find('z') == -1 and 'abab'.rfind('b') == 3 and "
               "text.index('c') == 6 and text.count(',') == 2 and text.startswith(('x', 'a')) and "
               "not text.endswith('b')"},
    {"Rewrite", "    return text.replace(', ', '-') == 'a-b-c' and 'aaa'.replace('a', 'b', 1) == 'baa' and "
                "'ab cd'.title() == 'Ab Cd' and 'aB'.capitalize() == 'Ab' and '7'.zfill(3) == '007' and "
                "'x'.rjust(3, '.') == '..x' and 'x'.center(3) == ' x '"},
    {"Partition",
     "    return text.partition(', ') == ('a', ', ', 'b, c') and 'a.b'.rpartition('.')[2] == 'b'"},
    {"TextTests", "    return '12'.isdigit() and not ''.isdigit() and 'ab'.isalpha() and 'AB'.isupper() and "
                  "not 'aB'.islower() and 'a\\nb\\n'.splitlines() == ['a', 'b']"},
    {"Formats", "    return '{} {:>3} {x:02d}'.format(1, 2, x=3) == '1   2 03' and "
                "'%s=%5.2f|%-4d|%x' % ('k', 1.5, n, 255) == 'k= 1.50|12  |ff' and f'{n:#x} {text!r}' == "
                "\"0xc 'a, b, c'\""},
    {"Lists", "    xs = [3, 1, 2]\n"
              "    xs.append(5)\n"
              "    xs.extend([4])\n"
              "    xs.insert(0, 9)\n"
              "    first = xs.pop(0)\n"
              "    xs.sort(reverse=True)\n"
              "    xs.remove(5)\n"
              "    ys = xs.copy()\n"
              "    ys.reverse()\n"
              "    xs[1:3] = [7]\n"
              "    xs[-1] += 1\n"
              "    del xs[0]\n"
              "    return first == 9 and ys == [1, 2, 3, 4] and xs == [7, 2] and xs.index(2) == 1"},
    {"Dicts", "    d = dict(a=1, **{'b': 2})\n"
              "    d.update({'a': 3}, c=4)\n"
              "    d.setdefault('a', 9)\n"
              "    taken = d.pop('b') + d.pop('none', 10)\n"
              "    del d['c']\n"
              "    e = {**d, 'a': 5} | {'z': 1}\n"
              "    return d == {'a': 3} or (d['a'] == 3 and len(d) == 1 and taken == 12 and e['a'] == 5 and "
              "len(e) == 2)"},
    {"Sets", "    s = {1, 2, 2}\n"
             "    s.add(3)\n"
             "    s.discard(9)\n"
             "    t = s & {2, 3, 4} | set([8]) - {8}\n"
             "    return len(s) == 3 and t == {3, 2} and s ^ {1} == {2, 3} and {2}.issubset(t) and "
             "t.union([5]) == {2, 3, 5} and {i % 2 for i in range(5)} == {0, 1}"},
    {"Numbers",
     "    return n.bit_length() == 4 and (7).bit_count() == 3 and (2.0).is_integer() and "
     "round(2.675, 2) == 2.67 and round(2.5) == 2 and hex(255) == '0xff' and bin(5) == '0b101' and "
     "ord('a') == 97 and chr(98) == 'b'"},
    {"Math", "    return math.gcd(12, 18) == 6 and math.lcm(4, 6) == 12 and math.isqrt(17) == 4 and "
             "math.factorial(5) == 120 and math.comb(6, 2) == 15 and math.trunc(-2.5) == -2 and "
             "math.hypot(3, 4) == 5 and math.isfinite(1.0)"},
    {"Sequences",
     "    return list(map(lambda a, b: a * b, [1, 2], [3, 4])) == [3, 8] and max([1, 3, 2], "
     "key=lambda v: -v) == 1 and min([], default=7) == 7 and list(zip([1], [2], strict=True)) == "
     "[(1, 2)] and sum(i for i in range(4)) == 6"},
    {"Try", "    log = []\n"
            "    try:\n"
            "        {}['missing']\n"
            "    except KeyError as error:\n"
            "        log.append('key')\n"
            "    try:\n"
            "        raise ValueError('no')\n"
            "    except TypeError:\n"
            "        log.append('wrong')\n"
            "    except (KeyError, ValueError):\n"
            "        log.append('value')\n"
            "    else:\n"
            "        log.append('else')\n"
            "    finally:\n"
            "        log.append('finally')\n"
            "    return log == ['key', 'value', 'finally']"},
    {"ImportInside", "    import math as m\n"
                     "    from math import floor, pi as half_turn\n"
                     "    return floor(half_turn) == 3 and m.ceil(0.5) == 1"},
    {"InnerFunction", "    def add(k, *more, **named):\n"
                      "        return n + k + len(more) + named['z']\n"
                      "    return add(1, 2, 3, z=4) == 19"},
};
INSTANTIATE_TEST_SUITE_P(PlainPython, Helper, ::testing::ValuesIn(helpers),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(PlainPython, ARaiseThatNothingCatchesIsAnError) {
  const std::string source = "@triton.constexpr_function\n"
                             "def check(n):\n"
                             "    try:\n"
                             "        raise ValueError(f'bad {n}')\n"
                             "    except TypeError:\n"
                             "        return 1\n"
                             "@triton.jit\n"
                             "def f(x, N: tl.constexpr):\n"
                             "    tl.store(x, check(N))\n";
  EXPECT_EQ(emitSource(source, "*i32, 3").messages,
            "7:9: error: this 'raise' is reached when the kernel is compiled: bad 3\n"
            "12:17: note: in the call of 'check'\n");
}

// The long name of what the helpers above are decorated with: `triton.runtime.jit` is a decorator, too.
TEST(PlainPython, ConstexprFunctionsByTheirModule) {
  const std::string source = "constexpr_function = triton.runtime.jit.constexpr_function\n"
                             "@constexpr_function\n"
                             "def twice(n):\n"
                             "    return f'{n}{n}'\n"
                             "@triton.runtime.jit\n"
                             "def f(x, N: tl.constexpr):\n"
                             "    tl.static_assert(twice(N) == '33')\n"
                             "    tl.store(x, 1)\n";
  EXPECT_EQ(emitSource(source, "*i32, 3").messages, "");
}

TEST(PlainPython, ConstexprFunctionsMayAskForTypes) {
  const std::string source = "@triton.constexpr_function\n"
                             "def is_pointer(x):\n"
                             "    return hasattr(x, 'dtype') and x.dtype.is_ptr()\n"
                             "@triton.jit\n"
                             "def f(x, n):\n"
                             "    tl.static_assert(is_pointer(x) and not is_pointer(n))\n"
                             "    tl.store(x, n)\n";
  EXPECT_EQ(emitSource(source, "*i32, i32").messages, "");
}

TEST(Isinstance, KnowsTheClassesOfTheLanguage) {
  const std::string source =
      "from triton.language.core import base_value, tuple_type\n"
      "def sees_wrapper(x):\n"
      "    return isinstance(x, tl.constexpr)\n"
      "@triton.jit\n"
      "def f(x, n, N: tl.constexpr):\n"
      "    a = tl.arange(0, 16)\n"
      "    d = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [16, 16])\n"
      "    tl.static_assert(isinstance(a, tl.tensor) and not isinstance(d, tl.tensor))\n"
      "    tl.static_assert(isinstance(d, tl.tensor_descriptor) and isinstance(d, base_value))\n"
      "    tl.static_assert(isinstance(d.type, tl.tensor_descriptor_type) and not isinstance(d.type, "
      "tl.dtype))\n"
      "    tl.static_assert(isinstance(N, int) and not isinstance(N, tl.constexpr) and sees_wrapper(N))\n"
      "    tl.static_assert(isinstance(x.dtype, tl.pointer_type) and isinstance(x.dtype, tl.dtype))\n"
      "    tl.static_assert(isinstance(a.type, tl.block_type) and not isinstance(a.dtype, tl.block_type))\n"
      "    tl.static_assert(isinstance((a, n), tl.tuple) and isinstance((a, n).type, tuple_type))\n"
      "    tl.static_assert((a, n).type == (a + 1, n * 2).type and (a, n).type.types[1] == tl.int32)\n"
      "    tl.store(x, 1.0)\n";
  EXPECT_EQ(emitSource(source, "*fp32, i32, 4").messages, "");
}

const ErrorCase classErrors[] = {
    {"UndeclaredAttribute",
     "from triton.language.core import _aggregate as aggregate\n"
     "@aggregate\n"
     "class A:\n"
     "    v: tl.tensor\n"
     "    def __init__(self, v):\n"
     "        self.w = v\n"
     "@triton.jit\n"
     "def f(x):\n"
     "    A(tl.load(x))\n",
     "*fp32", "9:9: error: 'A' declares no attribute 'w'\n12:5: note: in the call of 'A.__init__'\n"},
    {"MissingAttribute",
     "@tl.core._aggregate\n"
     "class A:\n"
     "    v: tl.tensor\n"
     "    def __init__(self, v):\n"
     "        pass\n"
     "@triton.jit\n"
     "def f(x):\n"
     "    A(tl.load(x))\n",
     "*fp32", "11:5: error: __init__ of 'A' gives the attribute 'v' no value\n"},
    {"WrongAttribute",
     "@tl.core._aggregate\n"
     "class A:\n"
     "    v: tl.tensor\n"
     "    def __init__(self, v):\n"
     "        self.v = v\n"
     "@triton.jit\n"
     "def f(x):\n"
     "    A(3)\n",
     "*fp32",
     "8:9: error: the attribute 'v' of 'A' is declared as tl.tensor, but gets a compile-time int\n"
     "11:5: note: in the call of 'A.__init__'\n"},
    {"AssignedInKernel",
     "@tl.core._aggregate\n"
     "class A:\n"
     "    v: tl.tensor\n"
     "    def __init__(self, v):\n"
     "        self.v = v\n"
     "@triton.jit\n"
     "def f(x):\n"
     "    a = A(tl.load(x))\n"
     "    a.v = tl.load(x)\n",
     "*fp32", "12:5: error: attributes cannot be assigned in a kernel; make a new object of 'A'\n"},
    {"UnknownBase",
     "import torch\n"
     "class A(torch.nn.Module):\n"
     "    pass\n"
     "@triton.jit\n"
     "def f(x):\n"
     "    A()\n",
     "*fp32",
     "9:5: error: 'A' cannot be called in a kernel: it is derived from what is not known when kernels are "
     "compiled\n"},
    {"OtherFields",
     "@tl.core._aggregate\n"
     "class A:\n"
     "    v: tl.tensor\n"
     "    N: tl.constexpr\n"
     "    def __init__(self, v, N):\n"
     "        self.v, self.N = v, N\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    a = A(tl.load(x), 4)\n"
     "    for i in range(n):\n"
     "        a = A(a.v, 8)\n",
     "*fp32, i32",
     "14:9: error: loop-carried variable 'a' is of type A(v=fp32, N=4) before the loop but is re-assigned to "
     "A(v=fp32, N=8) in it; make sure that its type stays the same\n13:5: note: this is the loop\n"},
};
class ClassErrors : public ::testing::TestWithParam<ErrorCase> {};
TEST_P(ClassErrors, SayWhat) { expectError(GetParam()); }
INSTANTIATE_TEST_SUITE_P(PlainPython, ClassErrors, ::testing::ValuesIn(classErrors),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Modules, ChooseByVersions) {
  Emission emission = emitSource(R"(
import torch
from packaging import version
from packaging.version import Version
from elsewhere import parse

if version.parse(triton.__version__) >= version.parse("3.5.1") and Version("2.6rc1") < Version("2.10"):
    A = 1
else:
    A = 2
if Version(triton.__version__) >= Version("3.7"):
    B = 1
else:
    B = 2
if parse(torch.__version__) >= parse("2.5"):
    C = 1
else:
    C = 2
if parse(torch.__version__) < parse("2.5"):
    D = 1
else:
    D = 2

@triton.jit
def f(x):
    tl.static_assert(A == 1 and B == 2 and C == 1 and D == 2)
    tl.static_assert(x.dtype.element_ty != torch.float32 and not (x.dtype.element_ty == torch.float16))
    tl.store(x, 1.0)
)",
                                 "*fp32");
  // Of Triton and of versions that are written down all is known.
  llvm::StringRef messages = emission.messages;
  EXPECT_EQ(messages.count("warning"), 2u) << emission.messages;
  EXPECT_TRUE(
      messages.contains("18:4: warning: 'parse(torch.__version__) >= parse(\"2.5\")' is not known when "
                        "kernels are compiled and is taken to be True, so that 'C' is 1"));
  EXPECT_TRUE(
      messages.contains("22:4: warning: 'parse(torch.__version__) < parse(\"2.5\")' is not known when "
                        "kernels are compiled and is taken to be False, so that 'D' is 2"));
}

TEST(Modules, DecoratorsThatTheFileMakes) {
  const std::string source = R"(
import os

def tuned(*args, **kwargs):
    if os.environ.get("NO_TUNING", "0") == "1":
        return lambda fn: fn
    return triton.autotune(*args, **kwargs)

def unchanged(fn):
    return fn

def fixed(config):
    return triton.heuristics({k: (lambda args, _v=v: _v) for k, v in config.all_kwargs().items()})

@tuned(configs=[triton.Config({'BLOCK': 64}, num_warps=8)], key=[])
@unchanged
@triton.jit
def f(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)

@triton.jit
def g(x, BLOCK: tl.constexpr, num_warps: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), num_warps)

h = fixed(triton.Config({'BLOCK': 32}, num_warps=2))(g)
)";
  EXPECT_EQ(emitSource(source, "*fp32, 16").messages, "");
  Diagnostics diagnostics;
  auto kernel = findKernelInSource(source, "f", diagnostics);
  ASSERT_TRUE(kernel);
  ASSERT_EQ(kernel->configs.size(), 1u);
  EXPECT_EQ(kernel->configs[0].numWarps, 8u);
  auto wrapped = findKernelInSource(source, "h", diagnostics);
  ASSERT_TRUE(wrapped);
  EXPECT_TRUE(wrapped->parameters[1].hasDefault && wrapped->parameters[2].hasDefault);
}

TEST(Modules, DecoratorsThatOnlyLaunchAreNotWarnedOf) {
  const std::string source = R"(
class Entry(triton.KernelInterface):
    def __init__(self, fn):
        self.lock = make_lock()

class Tuned(Entry):
    pass

class Other:
    def __init__(self, fn):
        self.lock = make_lock()

def entry():
    def decorator(fn):
        return Entry(fn)
    return decorator

def other(fn):
    return Other(fn)

)";
  const std::string body = "@triton.jit\ndef f(x):\n    tl.store(x, 1.0)\n";
  for (const char *decorator : {"@entry()\n", "@Entry\n", "@Tuned\n"})
    EXPECT_EQ(emitSource(source + decorator + body, "*fp32").messages, "") << decorator;
  for (const char *decorator : {"@other\n", "@Other\n", "@nowhere()\n"})
    EXPECT_NE(emitSource(source + decorator + body, "*fp32").messages.find("is not known and is ignored"),
              std::string::npos)
        << decorator;
}

TEST(Modules, AMissingOneIsToBeFoundWithAFolder) {
  EXPECT_EQ(
      emitSource("from my_kernels.ops import helper\n"
                 "@triton.jit\n"
                 "def f(x):\n"
                 "    helper(x)\n",
                 "*fp32")
          .messages,
      "7:5: error: 'helper' cannot be called in a kernel: module 'my_kernels.ops', from which it is "
      "imported, was "
      "not found; give the folder that holds 'my_kernels' with -I, or as one of a manifest's import_paths\n");
  EXPECT_EQ(emitSource("import my_kernels as m\n"
                       "@triton.jit\n"
                       "def f(x):\n"
                       "    m.helper(x)\n",
                       "*fp32")
                .messages,
            "7:5: error: 'my_kernels.helper' cannot be called in a kernel: module 'my_kernels' was not "
            "found; give the "
            "folder that holds 'my_kernels' with -I, or as one of a manifest's import_paths\n");
}

TEST(Modules, WhatATryCannotTellTheHandlerTells) {
  Emission emission = emitSource(R"(
import backend
import os

try:
    backend.choose(os.environ.get("VENDOR"))
    shim = backend.chosen()
except ImportError:
    import triton.language as language
    try:
        shim = language.extra.libdevice
    except AttributeError:
        shim = triton.language.math

def has_module():
    try:
        import no_such_module
        return True
    except ImportError:
        return False

def pick():
    return tl.exp if has_module() else tl.exp2

apply = pick()

@triton.jit
def f(x):
    tl.store(x, shim.acos(apply(tl.load(x))))
)",
                                 "*fp32",
                                 {{"backend.py", "module = None\n\ndef choose(name):\n    global module\n"
                                                 "    module = name\n\ndef chosen():\n    return module\n"}});
  EXPECT_EQ(
      emission.messages,
      "10:5: warning: 'shim = backend.chosen()' cannot be followed here and is taken to fail, which decides "
      "what 'shim' is; -D shim=VALUE says otherwise\n10:5: note: a function assigns it while the program "
      "runs\n20:9: warning: module 'no_such_module' is not here and is taken to be missing, which decides "
      "what 'apply' is; -D apply=VALUE says otherwise\n");
  EXPECT_NE(emission.ir.find("math.exp2"), std::string::npos) << emission.ir;
  EXPECT_NE(emission.ir.find("__nv_acosf"), std::string::npos) << emission.ir;
}

TEST(Modules, WhatAHandlerTellsRulesNothingOut) {
  const std::string helper = "try:\n"
                             "    import triton\n"
                             "    import triton.language as tl\n"
                             "    from triton.backends import backends\n"
                             "    AVAILABLE = any(b.driver.is_active() for b in backends.values())\n"
                             "except Exception:\n"
                             "    triton = None\n"
                             "    tl = None\n"
                             "    AVAILABLE = False\n";
  Emission emission = emitSource("from helper import AVAILABLE, triton, tl\n\n"
                                 "if AVAILABLE:\n"
                                 "    OFFSET: tl.constexpr = 3\n\n"
                                 "    @triton.jit\n"
                                 "    def moved(x):\n"
                                 "        return x + OFFSET\n\n"
                                 "    @triton.jit\n"
                                 "    def f(x):\n"
                                 "        tl.store(x, moved(tl.load(x)))\n",
                                 "*i32", {{"helper.py", helper}});
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("arith.constant 3"), std::string::npos) << emission.ir;
}

TEST(Modules, ChooseByTheMachine) {
  const std::string source = "from functools import cache\n"
                             "import os\n"
                             "import torch\n"
                             "@cache\n"
                             "def backend():\n"
                             "    try:\n"
                             "        return triton.runtime.driver.active.get_current_target().backend\n"
                             "    except Exception:\n"
                             "        return 'none'\n"
                             "IS_CUDA = backend() == 'cuda'\n"
                             "IS_NEW = IS_CUDA and torch.cuda.get_device_capability()[0] >= 9\n"
                             "if torch.version.hip is not None:\n"
                             "    VALUE = torch.cuda.get_device_capability()[0] * 100\n"
                             "elif IS_NEW:\n"
                             "    VALUE = 90\n"
                             "else:\n"
                             "    VALUE = 1\n"
                             "if os.environ.get('FAST') == '1':\n"
                             "    FAST = 1\n"
                             "else:\n"
                             "    FAST = 0\n"
                             "if not os.path.exists('x'):\n"
                             "    SLOW = 1\n"
                             "else:\n"
                             "    SLOW = 0\n"
                             "if torch.unknown() or os.environ:\n"
                             "    ONLY = 5\n"
                             "@triton.jit\n"
                             "def f(x):\n"
                             "    tl.static_assert(FAST == 0 and SLOW == 1 and ONLY == 5)\n"
                             "    tl.store(x, VALUE)\n";
  for (auto [target, constant] : {std::pair{"cuda:90a", "constant 90 "},
                                  {"cuda:80", "constant 1 "},
                                  {"hip:gfx942", "constant 900 "},
                                  {"cpu:x86-64-v3", "constant 1 "}}) {
    Emission emission = emitSource(source, "*i32", {}, target);
    // What the target decides is no guess.
    EXPECT_EQ(
        emission.messages,
        "21:4: warning: the environment variable 'FAST' is taken to be unset, so that 'FAST' is 0; -D "
        "FAST=VALUE says otherwise\n25:8: warning: 'os.path.exists('x')' is not known when kernels are "
        "compiled and is taken to be False, so that 'SLOW' is 1; -D SLOW=VALUE says otherwise\n25:8: note: "
        "'os.path.exists' cannot be called in a kernel: module 'os' is not available when kernels are "
        "compiled\n");
    EXPECT_NE(emission.ir.find(constant), std::string::npos) << target << "\n" << emission.ir;
  }
}

} // namespace
} // namespace nereid::test
