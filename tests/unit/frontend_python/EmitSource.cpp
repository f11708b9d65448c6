// Writes the source to a file, as kernels come in files, and shows what the frontend says of it with short
// positions.
#include "tests/unit/frontend_python/EmitSource.h"

#include "compiler/frontends/python/Frontend.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <fstream>

namespace nereid::test {

static void writeFile(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
}

/// Drops source lines, carets and the path of messages.
static std::string shorten(llvm::StringRef text, llvm::StringRef path) {
  std::string result;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    bool isMessage = line.contains(": error: ") || line.contains(": note: ") || line.contains(": warning: ");
    if (!isMessage)
      continue;
    if (line.consume_front(path))
      line.consume_front(":");
    // The file lies in a folder of its own.
    std::string message = line.str();
    if (size_t at = message.find(path.str()); at != std::string::npos)
      message.replace(at, path.size(), "kernel.py");
    result += message + "\n";
  }
  return result;
}

Emission emitSource(const std::string &source, const std::string &signature,
                    const std::vector<std::pair<std::string, std::string>> &otherFiles,
                    const std::string &target, const std::vector<std::string> &definitions,
                    uint64_t compileLimit) {
  llvm::SmallString<128> folder;
  EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("nereid-frontend", folder));
  std::string path = (folder + "/kernel.py").str();
  writeFile(path, "import triton\nimport triton.language as tl\n\n" + source);
  for (auto &[name, text] : otherFiles) {
    llvm::SmallString<128> other(folder);
    llvm::sys::path::append(other, name);
    EXPECT_FALSE(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(other)));
    writeFile(other.str().str(), text);
  }

  Emission emission;
  Diagnostics diagnostics;
  CompileRequest request;
  request.sourcePath = path;
  request.kernel = "f";
  request.compileLimit = compileLimit;
  request.target = llvm::cantFail(Target::parse(target));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto specialization = parseSignature(diagnostics.addSource("signature", signature), diagnostics);
  for (const std::string &text : definitions)
    if (auto definition = parseDefinition(diagnostics.addSource("<-D>", text), diagnostics))
      request.definitions.push_back(std::move(*definition));
  if (specialization && !diagnostics.hasErrors()) {
    request.specialization = *specialization;
    auto module = python::emitKernel(context, request, diagnostics, emission.info, emission.files);
    if (module) {
      EXPECT_TRUE(succeeded(mlir::verify(*module)));
      llvm::raw_string_ostream located(emission.located);
      module->print(located, mlir::OpPrintingFlags().enableDebugInfo());
      mlir::PassManager passes(&context);
      passes.addPass(mlir::createCanonicalizerPass());
      passes.addPass(mlir::createCSEPass());
      EXPECT_TRUE(succeeded(passes.run(*module)));
      llvm::raw_string_ostream stream(emission.ir);
      module->print(stream, mlir::OpPrintingFlags().printNameLocAsPrefix());
    }
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  emission.messages = shorten(messages, path);
  llvm::sys::fs::remove_directories(folder);
  return emission;
}

std::optional<KernelDeclaration> findKernelInSource(const std::string &source, const std::string &kernel,
                                                    Diagnostics &diagnostics) {
  llvm::SmallString<128> path;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("nereid-frontend", "py", path));
  writeFile(path.str().str(), "import triton\nimport triton.language as tl\n\n" + source);
  auto declaration = python::findKernel(path, kernel, {}, diagnostics);
  llvm::sys::fs::remove(path);
  return declaration;
}

void PrintTo(const ErrorCase &error, std::ostream *os) { *os << error.name; }

void expectError(const ErrorCase &error) {
  Emission emission = emitSource(error.source, error.signature);
  EXPECT_EQ(emission.ir, "");
  EXPECT_EQ(emission.messages, error.messages);
}

} // namespace nereid::test
