// A kernel in Triton-C and the same in Python become the same IR, operation for operation, and so the same
// code.
#include "tests/unit/frontend_triton_c/EmitTritonC.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <map>

using namespace llvm;

namespace nereid::test {
namespace {

/// The IR with constants where they are used, and values numbered in the order in which they appear, whatever
/// they were called after. The order of constants at a function's start is that of their first uses, and
/// means nothing.
std::string normalize(StringRef ir) {
  std::string text;
  std::map<std::string, std::string> names;
  unsigned count = 0;
  SmallVector<StringRef> lines;
  ir.split(lines, '\n');
  for (StringRef line : lines) {
    if (auto [name, value] = line.trim().split(" = arith.constant "); !value.empty()) {
      names[name.str()] = "<" + value.str() + ">";
      continue;
    }
    while (!line.empty()) {
      size_t length = line.front() != '%'
                          ? 1
                          : 1 + line.drop_front().find_if_not([](char c) { return isAlnum(c) || c == '_'; });
      StringRef part = line.take_front(length);
      if (part.front() == '%')
        text +=
            names.count(part.str()) ? names[part.str()] : names[part.str()] = "%" + std::to_string(count++);
      else
        text += part;
      line = line.drop_front(part.size());
    }
    text += '\n';
  }
  return text;
}

struct Pair {
  const char *name;
  const char *triton_c;
  const char *python;
  const char *signatureOfC;
  const char *signatureOfPython;
};

void PrintTo(const Pair &pair, std::ostream *os) { *os << pair.name; }

class SameIR : public testing::TestWithParam<Pair> {};

TEST_P(SameIR, AsPython) {
  const Pair &pair = GetParam();
  for (const char *target : {"cpu:x86-64-v3", "cuda:90a", "hip:gfx942"}) {
    TritonCOptions c, python;
    c.target = python.target = target;
    c.signature = pair.signatureOfC;
    python.signature = pair.signatureOfPython;
    python.extension = ".py";
    TritonCEmission inC = emitTritonC(pair.triton_c, c);
    TritonCEmission inPython =
        emitTritonC("import triton\nimport triton.language as tl\n" + std::string(pair.python), python);
    EXPECT_EQ(inC.messages, "");
    EXPECT_EQ(inPython.messages, "");
    EXPECT_NE(inC.ir, "");
    EXPECT_EQ(normalize(inC.ir), normalize(inPython.ir)) << target;
  }
}

const Pair pairs[] = {
    {"VectorAdd", R"(
__global__ void f(float *x, float *y, float *out, int n) {
  int offs[1024] = get_program_id(0) * 1024 + 0 ... 1024;
  bool mask[1024] = offs < n;
  float a[1024] = *?(mask)(x + offs);
  float b[1024] = *?(mask)(y + offs);
  *?(mask)(out + offs) = a + b;
})",
     R"(
@triton.jit
def f(x, y, out, n):
    offs = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    mask = offs < n
    a = tl.load(x + offs, mask=mask)
    b = tl.load(y + offs, mask=mask)
    tl.store(out + offs, a + b, mask=mask)
)",
     "*fp32:16, *fp32:16, *fp32:16, i32:16", "*fp32:16, *fp32:16, *fp32:16, i32:16"},
    {"Matmul", R"(
__global__ void f(half *A __aligned(16), half *B __aligned(16), half *C __aligned(16), float alpha,
                  int M, int N, int K __multipleof(16), int lda __multipleof(16), int ldb __multipleof(16), int ldc) {
  int pid = get_program_id(0);
  int gridn = (N + 63) / 64;
  int rm[128] = pid / gridn * 128 + 0 ... 128;
  int rn[64] = pid % gridn * 64 + 0 ... 64;
  int rk[32] = 0 ... 32;
  half *pa[128, 32] = A + rm[:, newaxis] * lda + rk[newaxis, :];
  half *pb[32, 64] = B + rk[:, newaxis] * ldb + rn[newaxis, :];
  float acc[128, 64] = 0;
  for (int k = K; k > 0; k -= 32) {
    half a[128, 32] = rk[newaxis, :] < k ? *pa : 0;
    half b[32, 64] = rk[:, newaxis] < k ? *pb : 0;
    acc += a @ b;
    pa += 32;
    pb += 32 * ldb;
  }
  half c[128, 64] = acc * alpha;
  *?(rm[:, newaxis] < M && rn[newaxis, :] < N)(C + rm[:, newaxis] * ldc + rn[newaxis, :]) = c;
})",
     R"(
@triton.jit
def f(A, B, C, alpha, M, N, K, lda, ldb, ldc):
    pid = tl.program_id(0)
    gridn = (N + 63) // 64
    rm = pid // gridn * 128 + tl.arange(0, 128)
    rn = pid % gridn * 64 + tl.arange(0, 64)
    rk = tl.arange(0, 32)
    pa = A + rm[:, None] * lda + rk[None, :]
    pb = B + rk[:, None] * ldb + rn[None, :]
    acc = tl.zeros((128, 64), dtype=tl.float32)
    for k in range(K, 0, -32):
        a = tl.load(pa, mask=rk[None, :] < k, other=0.0)
        b = tl.load(pb, mask=rk[:, None] < k, other=0.0)
        acc += tl.dot(a, b)
        pa += 32
        pb += 32 * ldb
    c = (acc * alpha).to(tl.float16)
    tl.store(C + rm[:, None] * ldc + rn[None, :], c, mask=(rm[:, None] < M) & (rn[None, :] < N))
)",
     "", "*fp16:16, *fp16:16, *fp16:16, fp32, i32, i32, i32:16, i32:16, i32:16, i32"},
    {"Softmax", R"(
__global__ void f(float *X, float *Y, int stride, int n) {
  int row = get_program_id(0);
  int c[256] = 0 ... 256;
  float x[256] = c < n ? *(X + row * stride + c) : -INFINITY;
  float e[256] = exp(x - x[max]);
  *?(c < n)(Y + row * stride + c) = e / e[+];
})",
     R"(
@triton.jit
def f(X, Y, stride, n):
    row = tl.program_id(0)
    c = tl.arange(0, 256)
    x = tl.load(X + row * stride + c, mask=c < n, other=-float('inf'))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y + row * stride + c, e / tl.sum(e, axis=0), mask=c < n)
)",
     "", "*fp32, *fp32, i32, i32"},
    {"SplitKUnderALock", R"(
__global__ void f(float *x, float *out, int *locks, int n) {
  int pid = get_program_id(0);
  int r[128] = 0 ... 128;
  float part[128] = *(x + pid * 128 + r);
  int *lock = locks + n;
  int *count = lock + get_num_programs(0);
  while (atomic_cas(lock, 0, 1) == 1);
  int first = *count;
  if (first == 0)
    *(out + r) = part;
  else
    *(out + r) = part + *(out + r);
  atomic_xchg(count, (first + 1) % 4);
  atomic_xchg(lock, 0);
})",
     R"(
@triton.jit
def f(x, out, locks, n):
    pid = tl.program_id(0)
    r = tl.arange(0, 128)
    part = tl.load(x + pid * 128 + r)
    lock = locks + n
    count = lock + tl.num_programs(0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    first = tl.load(count)
    if first == 0:
        tl.store(out + r, part)
    else:
        tl.store(out + r, part + tl.load(out + r))
    tl.atomic_xchg(count, (first + 1) % 4)
    tl.atomic_xchg(lock, 0)
)",
     "", "*fp32, *fp32, *i32, i32"},
    {"EarlyReturnAndLoop", R"(
__global__ void f(float *x, float *out, int n, int m) {
  int pid = get_program_id(0);
  if (pid >= n)
    return;
  float sum[64] = 0;
  for (int i = 0; i < m; i += 64) {
    bool mask[64] = i + 0 ... 64 < m;
    sum += mask ? *(x + pid * m + (i + 0 ... 64)) : 0;
  }
  *(out + pid) = sum[+];
})",
     R"(
@triton.jit
def f(x, out, n, m):
    pid = tl.program_id(0)
    if pid >= n:
        return
    sum = tl.zeros((64,), tl.float32)
    for i in range(0, m, 64):
        mask = i + tl.arange(0, 64) < m
        sum += tl.load(x + pid * m + (i + tl.arange(0, 64)), mask=mask, other=0.0)
    tl.store(out + pid, tl.sum(sum, axis=0))
)",
     "", "*fp32, *fp32, i32, i32"},
    {"TransposedProduct", R"(
__global__ void f(half *A, half *B, float *C) {
  int r[64] = 0 ... 64;
  half a[64, 64] = *(A + r[:, newaxis] * 64 + r[newaxis, :]);
  half b[64, 64] = *(B + r[:, newaxis] * 64 + r[newaxis, :]);
  *(C + r[:, newaxis] * 64 + r[newaxis, :]) = a @ ^b;
})",
     R"(
@triton.jit
def f(A, B, C):
    r = tl.arange(0, 64)
    a = tl.load(A + r[:, None] * 64 + r[None, :])
    b = tl.load(B + r[:, None] * 64 + r[None, :])
    tl.store(C + r[:, None] * 64 + r[None, :], tl.dot(a, tl.trans(b)))
)",
     "", "*fp16, *fp16, *fp32"},
};

INSTANTIATE_TEST_SUITE_P(TritonC, SameIR, testing::ValuesIn(pairs),
                         [](const testing::TestParamInfo<Pair> &info) { return info.param.name; });

} // namespace
} // namespace nereid::test
