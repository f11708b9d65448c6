// Compiles a kernel of tests/conformance/kernels for this machine's CPU, runs it, and gives the arrays back.
//
//     KernelRun run("add.py", "add_kernel", "*fp32, *fp32, *fp32, i32, 1024", "cdiv(n, BLOCK)");
//     run.input("x_ptr", x).input("y_ptr", y).output("out_ptr", 1000).scalar("n", 1000);
//     ASSERT_TRUE(run.run()) << run.messages();
//     expectSame(run.result("out_ptr"), want);
//
// A test cannot hand in the result that it expects. It says how long an output is, and KernelRun fills it
// with poison (ArgumentArray.h); elements that are still poison afterwards come back as `untouched`
// (Closeness.h), which nothing but `untouched` is equal to. An input must come back as it was. What a kernel
// reads and changes is given with inOut(), and the kernel runs again with other contents: if nothing that it
// gives back depends on them, the array is an output, and should have been declared as one. Locks, flags and
// other memory that is no result are scratch().
//
// Where the code comes from depends on the environment:
//
//     (nothing)                    the compiler's object code, loaded into the test program
//     NEREID_SHIPPED=FOLDER        the exported function of a library that `nereid build` made
//     (ShippedKernels.h) NEREID_EMULATE_GPU=1 or 64   the layouts and the lowering for GPUs, with 32 or 64
//     lanes a warp, whose threads
//                                  run on the host (tests/unit/lowering_gpu/EmulatedBlock.h)
//
// NEREID_EMULATE_CTAS=N has N blocks of such a GPU, a cluster, run each program together.
//
// With NEREID_COMPILE_FOR=TARGET, the kernel must compile for that target too before it runs on the CPU.
#ifndef NEREID_TESTS_CONFORMANCE_KERNELRUN_H
#define NEREID_TESTS_CONFORMANCE_KERNELRUN_H

#include "tests/conformance/Closeness.h"
#include "tests/conformance/Numbers.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nereid::test {

class ArgumentArray;
struct PreparedKernel;

class KernelRun {
public:
  KernelRun(std::string file, std::string kernel, std::string signature, std::string grid);
  ~KernelRun();

  /// What `-D` says, `TM=64`.
  KernelRun &define(const std::string &definition);
  /// An array that the kernel reads, converted to the parameter's element type.
  KernelRun &input(const std::string &name, const std::vector<double> &values);
  /// An array that it writes, of `count` elements.
  KernelRun &output(const std::string &name, size_t count);
  /// An array that it reads and changes.
  KernelRun &inOut(const std::string &name, const std::vector<double> &values);
  /// An array that it may do anything with, and that is no result.
  KernelRun &scratch(const std::string &name, const std::vector<double> &values);
  /// An input from the elements' bits, for what a double does not hold: integers above 2^53, NaN payloads.
  KernelRun &inputBits(const std::string &name, const std::vector<uint64_t> &elements);
  KernelRun &scalar(const std::string &name, double value);

  /// Compiles and runs. On failure messages() says why.
  bool run();
  const std::string &messages() const { return text; }

  /// What an output or an inOut array holds after run().
  std::vector<double> result(const std::string &name) const;
  /// The same as bits. Every element must have been written.
  std::vector<uint64_t> resultBits(const std::string &name) const;

private:
  enum class Role { Input, Output, InOut, Scratch };
  struct Binding {
    Role role = Role::Input;
    size_t count = 0;
    /// Not of an output. Of these the first is empty where the bits were given.
    std::vector<double> values;
    std::vector<uint64_t> bits;
  };
  struct Result {
    ScalarKind kind = ScalarKind::Int32;
    std::vector<uint64_t> bits;
    std::vector<bool> isUntouched;
  };
  using Arrays = std::map<std::string, std::unique_ptr<ArgumentArray>>;

  KernelRun &bind(const std::string &name, Role role, size_t count, std::vector<double> values);
  std::string findUnbound(const PreparedKernel &prepared) const;
  std::vector<uint64_t> getContents(const Binding &binding, ScalarKind kind, unsigned poison) const;
  Arrays makeArrays(const PreparedKernel &prepared, unsigned poison, const std::string &changed = "",
                    unsigned way = 0) const;
  std::string launch(const PreparedKernel &prepared, const Arrays &arrays) const;
  std::string findTrespass(const Arrays &arrays) const;
  std::string collectResults(const PreparedKernel &prepared, const Arrays &arrays);
  std::string findUnreadInOut(const PreparedKernel &prepared, const Arrays &arrays) const;
  std::string runPrepared(const PreparedKernel &prepared);

  std::string file, kernel, signature, grid, text;
  std::map<std::string, Binding> bindings;
  std::map<std::string, double> scalars;
  std::vector<std::string> definitions;
  std::map<std::string, Result> results;
};

/// Whether NEREID_EMULATE_GPU is set.
bool isEmulatingGPU();

/// How many roundings to float32 a product of two factors of this type is off by before it is added to
/// others. An NVIDIA GPU's matrix unit takes float32 as tf32, unless the kernel asks for more; all else is
/// multiplied as it is.
double roundingsOfFactors(ScalarKind kind);

/// Says which builtins and operations, separated by spaces, the test that is running covers: a row each in
/// docs/language.md.
void covers(const std::string &names);

/// Runs one program of a kernel over `inputs` and returns the `count` elements of its output out_ptr. That
/// the kernel is refused is a failure of the test, and gives nothing back.
struct Input {
  std::string name;
  std::vector<double> values;
};
std::vector<double> compute(const std::string &file, const std::string &kernel, const std::string &signature,
                            const std::vector<Input> &inputs, size_t count, const std::string &grid = "1");

/// The kernel is refused, with `text` in what is said.
void expectRefused(const std::string &file, const std::string &kernel, const std::string &signature,
                   const std::string &text);

} // namespace nereid::test

#endif // NEREID_TESTS_CONFORMANCE_KERNELRUN_H
