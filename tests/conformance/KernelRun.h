// Compiles a kernel of tests/conformance/kernels for this machine's CPU, runs it, and gives the arrays back.
//
//     KernelRun run("add.py", "add_kernel", "*fp32, *fp32, *fp32, i32, 1024", "cdiv(n, BLOCK)");
//     run.array("x_ptr", x).array("y_ptr", y).array("out_ptr", out).scalar("n", 1000);
//     ASSERT_TRUE(run.run()) << run.messages();
//
// Where the environment has NEREID_EMULATE_GPU, the kernel goes through the layouts and the lowering for GPUs
// instead, and its threads run on the host (tests/unit/lowering_gpu/EmulatedBlock.h). Where it has
// NEREID_COMPILE_FOR=TARGET, the kernel must compile for that target too before it runs on the CPU.
//
// Every array is copied to the end of a mapping that is followed by a page without access, so a masked lane
// that touches memory past its array ends the test program. Half and bfloat16 arrays are converted from and
// to float on the way.
#ifndef NEREID_TESTS_CONFORMANCE_KERNELRUN_H
#define NEREID_TESTS_CONFORMANCE_KERNELRUN_H

#include "compiler/Specialization.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nereid::test {

class KernelRun {
public:
  KernelRun(std::string file, std::string kernel, std::string signature, std::string grid);
  ~KernelRun();

  /// Binds values to a pointer parameter, converted to its element type.
  KernelRun &array(const std::string &name, const std::vector<double> &values);
  /// The same from the elements' bits, for what a double does not hold: integers above 2^53, NaN payloads.
  KernelRun &bits(const std::string &name, const std::vector<uint64_t> &values);
  KernelRun &scalar(const std::string &name, double value);

  /// Compiles and runs. On failure messages() says why.
  bool run();
  const std::string &messages() const { return text; }

  /// What an array holds after run().
  std::vector<double> result(const std::string &name) const;
  std::vector<uint64_t> resultBits(const std::string &name) const;

private:
  struct Buffer;
  std::string file, kernel, signature, grid, text;
  std::map<std::string, std::vector<double>> arrays;
  std::map<std::string, std::vector<uint64_t>> arraysOfBits;
  std::map<std::string, double> scalars;
  std::map<std::string, std::unique_ptr<Buffer>> buffers;
};

/// Whether NEREID_EMULATE_GPU is set.
bool isEmulatingGPU();

/// Says which builtins and operations, separated by spaces, the test that is running covers: a row each in
/// docs/language.md.
void covers(const std::string &names);

/// Runs one program of a kernel over `inputs` and returns the `count` elements of its array out_ptr, which
/// begins as zeros. That the kernel is refused is a failure of the test, and gives nothing back.
struct Input {
  std::string name;
  std::vector<double> values;
};
std::vector<double> compute(const std::string &file, const std::string &kernel, const std::string &signature,
                            const std::vector<Input> &inputs, size_t count, const std::string &grid = "1");

/// Equal bit for bit, except that all NaNs are equal.
void expectSame(const std::vector<double> &got, const std::vector<double> &want);
/// |got - want| <= tolerance * max(1, |want|); NaN and infinities where the other has them.
void expectClose(const std::vector<double> &got, const std::vector<double> &want, double tolerance);
/// The kernel is refused, with `text` in what is said.
void expectRefused(const std::string &file, const std::string &kernel, const std::string &signature,
                   const std::string &text);

/// 0, 1, 2, …
std::vector<double> counting(size_t count, double start = 0, double step = 1);

/// `value` as the element type holds it.
double roundTo(ScalarKind kind, double value);
/// The kind of `fp32`, `i8`, ….
ScalarKind kindOf(const std::string &name);
/// The bits of a value in an element type, rounded to nearest even, and the value of bits.
uint64_t encode(ScalarKind kind, double value);
double decode(ScalarKind kind, uint64_t bits);

/// Values in [-1, 1) that look random and are the same in every run.
std::vector<double> randomValues(size_t count, unsigned seed, ScalarKind kind = ScalarKind::FP32);

/// The largest |got - want| / max(1, |want|); infinite where only one of them is NaN or they differ in an
/// infinity.
double largestError(const std::vector<double> &got, const std::vector<double> &want);

} // namespace nereid::test

#endif // NEREID_TESTS_CONFORMANCE_KERNELRUN_H
