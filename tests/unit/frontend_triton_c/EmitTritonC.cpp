// Writes the source to a file, as kernels come in files, and compiles it as the tool does, up to the passes
// on tt.
#include "tests/unit/frontend_triton_c/EmitTritonC.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace llvm;

namespace nereid::test {

TritonCEmission emitTritonC(const std::string &source, const TritonCOptions &options) {
  SmallString<128> folder;
  EXPECT_FALSE(sys::fs::createUniqueDirectory("nereid-triton-c", folder));
  std::string path = (folder + "/kernel" + options.extension).str();
  std::ofstream(path, std::ios::binary) << source;

  TritonCEmission emission;
  Diagnostics diagnostics;
  CompileRequest request;
  request.sourcePath = path;
  request.kernel = "f";
  request.target = cantFail(Target::parse(options.target));
  request.emit = options.stage;
  request.compileLimit = options.compileLimit;
  request.debug = options.debug;
  for (const std::string &text : options.definitions)
    if (auto definition = parseDefinition(diagnostics.addSource("<-D>", text), diagnostics))
      request.definitions.push_back(std::move(*definition));
  auto specialization = parseSignature(diagnostics.addSource("signature", options.signature), diagnostics);
  if (specialization && !diagnostics.hasErrors()) {
    request.specialization = *specialization;
    if (auto result = compile(request, diagnostics)) {
      emission.ir = result->stageOutput;
      emission.info = result->info;
      emission.files = result->files;
    }
  }
  std::string messages;
  raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  SmallVector<StringRef> lines;
  StringRef(messages).split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.contains(": error: ") && !line.contains(": note: ") && !line.contains(": warning: "))
      continue;
    if (line.consume_front(path))
      line.consume_front(":");
    std::string message = line.str();
    for (size_t at = message.find(path); at != std::string::npos; at = message.find(path))
      message.replace(at, path.size(), "kernel.tc");
    emission.messages += message + "\n";
  }
  sys::fs::remove_directories(folder);
  return emission;
}

std::string bodyOf(const std::string &parameters, const std::string &body, const TritonCOptions &options) {
  TritonCEmission emission = emitTritonC("__global__ void f(" + parameters + ") {\n" + body + "\n}", options);
  EXPECT_EQ(emission.messages, "");
  size_t begin = emission.ir.find("noinline = false} {\n"), end = emission.ir.rfind("    tt.return");
  if (begin == std::string::npos || end == std::string::npos)
    return emission.ir;
  begin += strlen("noinline = false} {\n");
  return emission.ir.substr(begin, end - begin);
}

void expectTritonCError(const std::string &source, const std::string &messages,
                        const TritonCOptions &options) {
  TritonCEmission emission = emitTritonC(source, options);
  EXPECT_EQ(emission.ir, "");
  EXPECT_EQ(emission.messages, messages) << source;
}

void expectParts(const std::string &text, std::initializer_list<const char *> parts) {
  size_t position = 0;
  for (const char *part : parts) {
    size_t found = text.find(part, position);
    EXPECT_NE(found, std::string::npos) << "missing, or not in order: " << part << "\nin:\n" << text;
    if (found != std::string::npos)
      position = found + 1;
  }
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t number = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

} // namespace nereid::test
