// Runs the Triton-C frontend on source text: what the tests of this folder look at.
#ifndef NEREID_TESTS_UNIT_FRONTEND_TRITON_C_EMITTRITONC_H
#define NEREID_TESTS_UNIT_FRONTEND_TRITON_C_EMITTRITONC_H

#include "compiler/driver/Compiler.h"

#include <string>
#include <vector>

namespace nereid::test {

struct TritonCEmission {
  /// The module after the passes on tt, or the other stage that was asked for, values named after their
  /// variables; empty if the source was refused.
  std::string ir;
  /// Every message as `line:column: error: text`, a line each; those about the signature start with
  /// `signature:`.
  std::string messages;
  KernelInfo info;
  FilesRead files;
};

struct TritonCOptions {
  std::string signature = "";
  std::vector<std::string> definitions = {};
  std::string target = "cpu:x86-64-v3";
  uint64_t compileLimit = defaultCompileLimit;
  bool debug = false;
  Stage stage = Stage::TTIR;
  /// `.tc`, or `.py` for the same in Python.
  std::string extension = ".tc";
};

/// Compiles kernel `f` of a file.
TritonCEmission emitTritonC(const std::string &source, const TritonCOptions &options = {});

/// The operations between `__global__ void f(PARAMETERS) {` and its end.
std::string bodyOf(const std::string &parameters, const std::string &body,
                   const TritonCOptions &options = {});

/// Expects these messages and no IR.
void expectTritonCError(const std::string &source, const std::string &messages,
                        const TritonCOptions &options = {});

/// Checks that the parts stand in the text in this order.
void expectParts(const std::string &text, std::initializer_list<const char *> parts);
size_t countOf(const std::string &text, const std::string &part);

} // namespace nereid::test

#endif // NEREID_TESTS_UNIT_FRONTEND_TRITON_C_EMITTRITONC_H
