// Prints the syntax trees of Python files, in the form of AstDump.h.
//
//     nereid-python-ast [--digest] [--no-fstring-positions] FILE…
//
// With --digest, prints a line for each file instead: the MD5 of its tree, or "-" for one that is refused,
// and the path. Reads the paths from standard input, one a line, if none is given: a test has thousands.
// Exits with 1 if a file was refused, with the reason on standard error.
#include "compiler/frontends/python/syntax/AstDump.h"
#include "compiler/frontends/python/syntax/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <string>
#include <vector>

using namespace llvm;
using namespace nereid;

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  bool isDigest = false;
  python::AstDumpOptions options;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    if (argument == "--digest") {
      isDigest = true;
    } else if (argument == "--no-fstring-positions") {
      options.hidesFStringPositions = true;
    } else if (argument.starts_with("--")) {
      errs() << "nereid-python-ast: unknown option " << argument << '\n';
      return 2;
    } else {
      paths.push_back(argument.str());
    }
  }
  if (paths.empty())
    for (std::string line; std::getline(std::cin, line);)
      paths.push_back(line);

  bool allParsed = true;
  for (const std::string &path : paths) {
    Diagnostics diagnostics;
    python::AstContext context;
    StringRef text = diagnostics.addFile(path);
    const python::ast::Module *module =
        text.data() ? python::parseModule(context, text, diagnostics) : nullptr;
    allParsed &= module != nullptr;
    if (!isDigest) {
      if (module)
        python::dumpAst(module, outs(), options);
    } else if (!module) {
      outs() << "- " << path << '\n';
    } else {
      std::string dump;
      raw_string_ostream stream(dump);
      python::dumpAst(module, stream, options);
      outs() << MD5::hash(arrayRefFromStringRef(dump)).digest() << ' ' << path << '\n';
    }
    diagnostics.flush(errs());
  }
  return allParsed ? 0 : 1;
}
